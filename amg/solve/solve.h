/* The parts shared by the solvers. Private to amg/. */
#ifndef SPG_AMG_SOLVE_SOLVE_H
#define SPG_AMG_SOLVE_SOLVE_H

#include "cycle.h"

/* Doubles at the place, read in one copy. */
typedef struct spg_amg_scalars {
    spg_amg_cg_scalars cg;
    spg_amg_cg_scalars turn; /* with a K-cycle: z . q and -p . q, as rz and rz_before of the next direction */
    double norm_square;
    double dense_state; /* see spg_amg_backend.dense_tell */
} spg_amg_scalars;

/* The most null-space vectors that a solve accepts. */
enum { SPG_AMG_MOST_NULL = 32 };

/* The memory of a solve besides the hierarchy; kept from one solve to the next. */
typedef struct spg_amg_solver {
    void *r, *z; /* residual, and the cycle's result for it */
    void *p, *q; /* conjugate gradients' direction and its product with A */
    void *b;     /* the right-hand side in the solve's unit or after projection; NULL until needed */
    void *part;  /* a vector's part in the null space, if q must stay meanwhile; NULL until needed: q takes it */
    void *null;  /* an orthonormal basis of the null space given to a solve: null_count vectors, room for null_room */
    int null_count, null_room;
    bool null_is_constant; /* the basis is that of SPG_AMG_NULLSPACE_CONSTANT */
    double *shares; /* SPG_AMG_MOST_NULL of them, allocated with `null`: dot products with the basis, at the place */
    spg_amg_scalars *scalars;
    void *workspace; /* for dot */
} spg_amg_solver;

/* A solve in progress. b, x and all norms are in a unit that keeps squares from under- and overflowing. It is a power
 * of two, so that bits do not change, and 1 except for extreme numbers. `result` is in the caller's unit. */
typedef struct spg_amg_solve_state {
    spg_context *context;
    spg_amg *amg;
    const spg_amg_backend *backend;
    spg_amg_solver *solver;
    spg_amg_solve_options options;
    spg_amg_solve_result result;
    const spg_csr *A;
    spg_type type;
    int64_t n;
    const void *b;
    void *x;
    double unit;
    double norm; /* ||b||, or that of 1 if it is 0 */
    bool b_is_zero;
    double rounding;        /* an updated residual of at most this is not to be believed; spg_amg_set_rounding */
    double first, residual; /* ||b - A x|| before and now */
    bool has_vanished;      /* r . M r underflows, at so small a residual that rounding may be all of it */
    bool residual_is_true;  /* computed from x, not updated */
    int dense_state;        /* as at the beginning; see spg_amg_backend.dense_tell */
} spg_amg_solve_state;

/* ---- solver.c ---- */
/* Makes amg->solver if there is none. */
spg_status spg_amg_solver_create(spg_amg *amg);
/* Makes solver->b if there is none. */
spg_status spg_amg_take_b(spg_amg *amg);

/* ---- solve.c ---- */
/* ARGUMENT, or the options with the type's tolerance. options may be NULL. */
spg_status spg_amg_take_solve_options(const spg_amg *amg, const spg_amg_solve_options *options,
                                      spg_amg_solve_options *taken);
/* Writes to the log if A is not symmetric and the method needs that. */
void spg_amg_warn_unsymmetric(const spg_amg *amg, const spg_amg_solve_options *options);

/* Finds ||b||, b and x in the solve's unit and without their parts in the null space, and the first residual. solve->b
 * is then the caller's b, or solver->b. */
spg_status spg_amg_begin_solve(spg_amg_solve_state *solve);
/* Completes the result of a solve that ended with this status, and says why it has not converged. */
spg_status spg_amg_end_solve(spg_amg_solve_state *solve, spg_status status);
/* Whether a status tells of the system and its right-hand side, and not of memory or the device. */
bool spg_amg_is_of_one(spg_status status);
/* Whether the residual at the end must still be computed from x. */
bool spg_amg_lacks_true_residual(const spg_amg_solve_state *solve, spg_status status);

/* ---- residual.c ---- */
/* Queues *scalar = x . y; scalar: a member of solver->scalars. */
spg_status spg_amg_dot(const spg_amg_solve_state *solve, const void *x, const void *y, double *scalar);

/* Waits. */
spg_status spg_amg_read_scalars(const spg_amg_solve_state *solve, spg_amg_scalars *scalars);

/* Waits, and reads a norm. */
spg_status spg_amg_find_norm(spg_amg_solve_state *solve, const void *vector, double *norm);

/* r = b - A x, and its norm. Waits. */
spg_status spg_amg_find_residual(spg_amg_solve_state *solve, double *norm);

/* The same; stores the norm in the result. BREAKDOWN if it is not finite. */
spg_status spg_amg_measure_residual(spg_amg_solve_state *solve);

/* Stores the current iteration's residual in result and history. */
void spg_amg_store_residual(spg_amg_solve_state *solve, double residual);

/* The same for a new iteration. BREAKDOWN if the residual is not finite. */
spg_status spg_amg_note_iteration(spg_amg_solve_state *solve, double residual);

/* The same for a residual that was computed from x, of the current iteration. */
spg_status spg_amg_note_true_residual(spg_amg_solve_state *solve, double residual);

/* Whether the residual is within tolerance. */
bool spg_amg_has_converged(const spg_amg_solve_state *solve);

/* Whether an updated residual says that x is within tolerance, or as good as rounding lets it be: at most the target.
 * Then the true one is computed. */
double spg_amg_target(const spg_amg_solve_state *solve);
bool spg_amg_claims(const spg_amg_solve_state *solve);

/* Once a true residual is known: below which part of ||b|| rounding hides the next ones; if b is zero, of this one. */
void spg_amg_set_rounding(spg_amg_solve_state *solve);

/* ---- null_space.c ---- */
/* Prepares the null space of options.nullspace. */
spg_status spg_amg_take_null_space(spg_amg_solve_state *solve);
void spg_amg_give_null_space(spg_amg *amg, spg_amg_solver *solver);
/* Subtracts from vector its part in the null space of options.nullspace; overwrites solver->part or, without it,
 * solver->q. */
spg_status spg_amg_project(spg_amg_solve_state *solve, void *vector);
/* INCOMPATIBLE if b has a part in the null space of the coarsest operator; overwrites solver->r, z, q. */
spg_status spg_amg_check_compatible(spg_amg_solve_state *solve);

/* ---- conjugate_gradients.c ---- */
/* From r = b - A x, whose norm is known, until convergence, stagnation or max_iterations. */
spg_status spg_amg_conjugate_gradients(spg_amg_solve_state *solve);
/* Notes the step of these scalars, if it was taken, or says why it was not. *claims: spg_amg_claims, or it was not
 * taken because r . M r has vanished. */
spg_status spg_amg_note_step(spg_amg_solve_state *solve, double rz, double pq, double rr, bool *claims);
/* Once the true residual is known of an iterate whose updated one claims: whether the solve stagnates. *vain: how many
 * times in a row it was more than half of the one before; several mean that rounding keeps it from falling. */
void spg_amg_judge_claim(spg_amg_solve_state *solve, double *before, int *vain);

#endif
