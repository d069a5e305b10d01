/* The solvers' shared part. Private to amg/. */
#ifndef SPG_AMG_SOLVE_H
#define SPG_AMG_SOLVE_H

#include "cycle.h"

/* Doubles at the place, which are read together: an iteration waits once. */
enum { SPG_AMG_RR, SPG_AMG_PQ, SPG_AMG_RZ, SPG_AMG_RZ_NEXT, SPG_AMG_SCALARS };

/* What a solve needs beside the hierarchy; kept from one to the next. */
typedef struct spg_amg_solver {
    void *r, *z; /* residual, and what the cycle makes of it */
    void *p, *q; /* conjugate gradients' direction and its product with A */
    void *b;     /* the right-hand side in the solve's unit; NULL until one is not 1 */
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

/* From r = b - A x, measured, until convergence or max_iterations. */
spg_status spg_amg_conjugate_gradients(spg_amg_solve_state *solve);

#endif
