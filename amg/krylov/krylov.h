/* The parts shared by Krylov methods. Private to amg/. */
#ifndef SPG_AMG_KRYLOV_KRYLOV_H
#define SPG_AMG_KRYLOV_KRYLOV_H

#include "amg/amg.h"
#include "amg/numerics.h"

#include "spg/krylov.h"

/* Inner products that any method may read at once. */
enum { SPG_AMG_MOST_DOTS = 16 };

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
    double norm;  /* ||b||, or 1 if it is 0 */
    char *memory; /* vectors, then scalars, then the workspace of an inner product */
    int64_t bytes, vector_bytes;
    double *scalars; /* at the place: the inner products read at once, or the scalars of conjugate gradients */
    void *workspace;
    double *numbers; /* on the host: a method's own */
    int64_t number_bytes;
} spg_krylov;

static inline void *spg_krylov_vector(const spg_krylov *run, int k) { return run->memory + k * run->vector_bytes; }

/* y = alpha*x + beta*y; beta 0: y is not read. */
spg_status spg_krylov_axpby(const spg_krylov *run, double alpha, const void *x, double beta, void *y);

/* products[k] = left[k] . right[k] for `count` pairs. Waits once. */
spg_status spg_krylov_dots(const spg_krylov *run, int count, const void *const *left, const void *const *right,
                           double *products);

/* products[k] = vector k . w for the first `count` vectors, of FGMRES at most restart + 1. Waits once. */
spg_status spg_krylov_products(const spg_krylov *run, int count, const void *w, double *products);

/* z = M r; y = A x. */
spg_status spg_krylov_precondition(const spg_krylov *run, const void *r, void *z);
spg_status spg_krylov_multiply(const spg_krylov *run, const void *x, void *y);

/* Stores an iteration's residual in result and history, and tells the monitor. BREAKDOWN if it is not finite. */
spg_status spg_krylov_note(spg_krylov *run, double residual);

/* Whether the residual, as a method knows it, is within tolerance; whether another iteration is to be done. */
bool spg_krylov_has_converged(const spg_krylov *run);
bool spg_krylov_goes_on(const spg_krylov *run);

/* One method a file, and the vectors that it takes, vector 0 included. Each iterates from the residual in vector 0
 * until it has converged, has to end, or has to restart from a residual computed anew. */
enum { SPG_CG_VECTORS = 4, SPG_BICGSTAB_VECTORS = 7 };
spg_status spg_krylov_cg(spg_krylov *run);
spg_status spg_krylov_fcg(spg_krylov *run);
spg_status spg_krylov_bicgstab(spg_krylov *run);
/* numbers: room for a triangle of restart + 1 columns and four vectors more. */
static inline int spg_fgmres_vectors(int restart) { return 2 * restart + 1; }
static inline int64_t spg_fgmres_numbers(int restart) { return ((int64_t)restart + 2) * (restart + 6); }
spg_status spg_krylov_fgmres(spg_krylov *run);

#endif
