/* The parts shared by Krylov methods. Private to amg/. */
#ifndef SPG_AMG_KRYLOV_KRYLOV_H
#define SPG_AMG_KRYLOV_KRYLOV_H

#include "amg/amg.h"
#include "amg/krylov/krylov_backend.h"
#include "amg/numerics.h"

#include "spg/krylov.h"

/* A solve in progress. Vector 0 is the residual b - A x whenever a method begins. */
typedef struct spg_krylov {
    spg_context *context;
    const spg_amg_backend *backend;
    spg_operator A, M; /* M.apply NULL: none */
    spg_type type;
    int64_t n;
    const void *b;
    void *x;
    spg_krylov_options options;
    spg_krylov_result result;
    double norm; /* ||b||, or 1 if it is 0 */
    bool b_is_zero;
    double rounding;   /* below this a method's residual is not to be believed */
    bool has_vanished; /* the method ended because its inner products have underflown */
    char *memory; /* vectors, then the workspace of inner products, then scalars, then the small system of FGMRES */
    int64_t bytes, vector_bytes;
    void *workspace;
    spg_amg_krylov_scalars *scalars;
    spg_amg_small_system small;
    int at_once;       /* iterations that were begun before the host looked last */
    bool A_has_failed; /* then it is not applied again */
} spg_krylov;

static inline void *spg_krylov_vector(const spg_krylov *run, int k) { return run->memory + k * run->vector_bytes; }

/* `count` vectors from vector `first` on, each `step` after the one before. */
static inline spg_amg_vectors spg_krylov_vectors(const spg_krylov *run, int first, int step, int count)
{
    return (spg_amg_vectors){spg_krylov_vector(run, first), step * run->vector_bytes, count};
}

/* A residual, as a method knows it, of at most this ends it: then the true one is computed. */
static inline double spg_krylov_target(const spg_krylov *run)
{
    const double wanted = run->options.tolerance * run->norm;
    return wanted > run->rounding ? wanted : run->rounding;
}

/* y = alpha*x + beta*y; beta 0: y is not read. */
spg_status spg_krylov_axpby(const spg_krylov *run, double alpha, const void *x, double beta, void *y);

/* *result (at the place) = x . y. */
spg_status spg_krylov_dot(const spg_krylov *run, const void *x, const void *y, double *result);

/* results[k] (at the place) = vector k . y. */
spg_status spg_krylov_dots(const spg_krylov *run, spg_amg_vectors of, const void *y, double *results);

/* y = scale y + factor times the sum of coefficients[k] vector k; numbers at the place, but the factor. */
spg_status spg_krylov_combine(const spg_krylov *run, spg_amg_combination by, void *y);

/* Moves the scalars; number: a column, or how many. */
spg_status spg_krylov_advance(const spg_krylov *run, spg_amg_krylov_move move, int number);

/* z = M r; y = A x. */
spg_status spg_krylov_precondition(const spg_krylov *run, const void *r, void *z);
spg_status spg_krylov_multiply(spg_krylov *run, const void *x, void *y);

/* Whether M is the cycle of a hierarchy and changes with its vector, as a K-cycle does. (operators.c) */
bool spg_amg_is_flexible(const spg_operator *M);

/* Stores an iteration's residual in result and history, and tells the monitor. BREAKDOWN if it is not finite. */
spg_status spg_krylov_note(spg_krylov *run, double residual);

/* Copies scalars to the host. Waits. */
spg_status spg_krylov_read(const spg_krylov *run, const void *from, int64_t bytes, void *to);

/* Whether a method does another iteration. */
bool spg_krylov_goes_on(const spg_krylov *run);

/* Queues iteration `number`, from 0, of a method that has begun. */
typedef spg_status spg_krylov_iteration(spg_krylov *run, int number);

/* ---- iterate.c ---- */
/* Up to `most` iterations, after SPG_AMG_KRYLOV_BEGIN. The host looks at their residuals, and waits for that, when
 * those have been begun that it expects to be needed; at each with a monitor. *told: the scalars when it looked last.
 */
spg_status spg_krylov_iterate(spg_krylov *run, int most, spg_krylov_iteration *queue, spg_amg_krylov_scalars *told);

/* One method a file, and the vectors that it takes, vector 0 included. Each iterates from the residual in vector 0
 * until it has converged, has to end, or has to restart from a residual computed anew. */
enum { SPG_CG_VECTORS = 4, SPG_BICGSTAB_VECTORS = 7 };
spg_status spg_krylov_cg(spg_krylov *run);
spg_status spg_krylov_fcg(spg_krylov *run);
spg_status spg_krylov_bicgstab(spg_krylov *run);
static inline int spg_fgmres_vectors(int restart) { return 2 * restart + 1; }
/* Numbers of the small system, and the system in room for them. */
int64_t spg_fgmres_numbers(int restart);
spg_amg_small_system spg_fgmres_system(int restart, double *numbers);
spg_status spg_krylov_fgmres(spg_krylov *run);

#endif
