/* The solvers' shared part. Private to amg/. */
#ifndef SPG_AMG_SOLVE_SOLVE_H
#define SPG_AMG_SOLVE_SOLVE_H

#include "cycle.h"

/* Doubles at the place, which are read together: an iteration waits once. */
enum { SPG_AMG_RR, SPG_AMG_PQ, SPG_AMG_RZ, SPG_AMG_RZ_NEXT, SPG_AMG_DENSE_STATE, SPG_AMG_SCALARS };

/* Vectors of a null space that a solve can be given. */
enum { SPG_AMG_MOST_NULL = 32 };

/* What a solve needs beside the hierarchy; kept from one to the next. */
typedef struct spg_amg_solver {
    void *r, *z; /* residual, and what the cycle makes of it */
    void *p, *q; /* conjugate gradients' direction and its product with A */
    void *b;     /* the right-hand side in the solve's unit, or projected; NULL until one is */
    void *null;  /* an orthonormal basis of the null space that a solve was given, null_count vectors;
                    there is room for null_room */
    int null_count, null_room;
    bool null_is_constant; /* it is that of SPG_AMG_NULLSPACE_CONSTANT */
    double *shares;        /* SPG_AMG_MOST_NULL, with `null`: dot products with it, at the place */
    double *scalars;
    void *workspace; /* of dot */
} spg_amg_solver;

/* A solve under way. b, x and all norms are in a unit, of the caller's numbers, that keeps squares from under- and
 * overflowing: a power of two, so that bits stay. It is 1 for all but extreme numbers; `result` is in the caller's. */
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
    double norm;            /* ||b||, or that of 1 where it is 0 */
    double first, residual; /* ||b - A x|| before and now */
    bool residual_is_true;  /* computed as that, not updated */
    int dense_state;        /* as begun; see spg_amg_backend.dense_tell */
} spg_amg_solve_state;

/* Queues *scalar = x . y. */
spg_status spg_amg_dot(const spg_amg_solve_state *solve, const void *x, const void *y, int scalar);

/* Waits, and reads the scalars. */
spg_status spg_amg_read_scalars(const spg_amg_solve_state *solve, double scalars[SPG_AMG_SCALARS]);

/* r = b - A x and its norm, into the result; waits. BREAKDOWN if that is not finite. */
spg_status spg_amg_measure_residual(spg_amg_solve_state *solve);

/* Notes an iteration's residual in result and history. BREAKDOWN if it is not finite. */
spg_status spg_amg_note_iteration(spg_amg_solve_state *solve, double residual);

bool spg_amg_has_converged(const spg_amg_solve_state *solve);

/* Waits, and reads a norm. */
spg_status spg_amg_find_norm(spg_amg_solve_state *solve, const void *vector, double *norm);

/* ---- null_space.c ---- */
/* Makes ready what options.nullspace asks for. */
spg_status spg_amg_take_null_space(spg_amg_solve_state *solve);
void spg_amg_give_null_space(spg_amg *amg, spg_amg_solver *solver);
/* vector -= its part in the null space of options.nullspace; solver->q is lost. */
spg_status spg_amg_project(spg_amg_solve_state *solve, void *vector);
/* INCOMPATIBLE if b has a part in the null space that the coarsest operator shows; solver->r, z, q are lost. */
spg_status spg_amg_check_compatible(spg_amg_solve_state *solve);

/* ---- conjugate_gradients.c ---- */
/* From r = b - A x, measured, until convergence, stagnation or max_iterations. */
spg_status spg_amg_conjugate_gradients(spg_amg_solve_state *solve);

#endif
