/* The backend interface of cycles and solves with several right-hand sides at once. Private. Implemented by
 * src/host/amg/many/ and kernels/amg/many/; called by amg/many/.
 *
 * A block holds `width` vectors of n values, row-major: element i of vector j at i * width + j. So an entry of a matrix
 * is read once for all of them. The width is 4, 8 or 16. A vector of a result depends on the same vector of the
 * operands alone, not on the others nor on the width, and sums have a fixed order: its bits are the same in any block.
 * On a device functions queue work; none waits, and none allocates. */
#ifndef SPG_AMG_MANY_BACKEND_H
#define SPG_AMG_MANY_BACKEND_H

#include "amg/amg_backend.h"

enum { SPG_AMG_MOST_WIDTH = 16 };

/* What blocks are like. */
typedef struct spg_amg_shape {
    spg_type type; /* SPG_F32 or SPG_F64 */
    int64_t n;
    int width;
} spg_amg_shape;

/* The caller's vectors: element i of vector j, j < count, at i * row_step + j * column_step. */
typedef struct spg_amg_columns {
    int count;
    void *values;
    int64_t row_step, column_step;
} spg_amg_columns;

/* A factor for each vector of a block. */
typedef struct spg_amg_factors {
    double of[SPG_AMG_MOST_WIDTH];
} spg_amg_factors;

/* The scalars of conjugate gradients for each vector: r . r, p . q, r . z of now and of the step before. */
typedef struct spg_amg_many_scalars {
    double rr[SPG_AMG_MOST_WIDTH], pq[SPG_AMG_MOST_WIDTH], rz[SPG_AMG_MOST_WIDTH], rz_before[SPG_AMG_MOST_WIDTH];
} spg_amg_many_scalars;

/* Inner products that a function gives on its way: results[j] (doubles at the place) of vector j. workspace:
 * dot_bytes. */
typedef struct spg_amg_products {
    void *workspace;
    double *results;
} spg_amg_products;

/* Whether vector j is among those of a set. */
static inline bool spg_amg_has(uint32_t set, int j) { return (set >> j & 1u) != 0; }

typedef struct spg_amg_many_backend {
    /* Between a block and the caller's vectors. The block's vectors beyond them become zero. */
    spg_status (*load)(spg_context *context, const spg_amg_shape *shape, const spg_amg_columns *from, void *block);
    spg_status (*store)(spg_context *context, const spg_amg_shape *shape, const void *block, const spg_amg_columns *to);
    /* y_j = alpha_j x_j + beta_j y_j; where a factor is 0, that vector is not read. x may be y if all beta are 0. */
    spg_status (*combine)(spg_context *context, const spg_amg_shape *shape, const spg_amg_factors *alpha, const void *x,
                          const spg_amg_factors *beta, void *y);
    /* results[j] (doubles at the place) = x_j . y_j. workspace: dot_bytes. */
    int64_t (*dot_bytes)(int64_t n, int width);
    spg_status (*dot)(spg_context *context, const spg_amg_shape *shape, const void *x, const void *y, void *workspace,
                      double *results);
    /* As spg_amg_backend.narrow, widen and sum_again, with u's unit j for vector j. */
    spg_status (*narrow)(spg_context *context, int64_t n, int width, spg_squares u, const double *x, float *y);
    spg_status (*widen)(spg_context *context, const spg_amg_shape *shape, spg_squares u, spg_squares v, const float *x,
                        double *y);
    spg_status (*sum_again)(spg_context *context, int64_t n, int width, const double *x, const double *sums,
                            void *workspace, double *again);

    /* y = A x; adds: y += A x. products: NULL, or x . y of a square A. */
    spg_status (*multiply)(spg_context *context, const spg_csr *A, int width, const void *x, bool adds, void *y,
                           const spg_amg_products *products);
    /* r = b - A x. */
    spg_status (*residual)(spg_context *context, const spg_csr *A, int width, const void *b, const void *x, void *r);
    /* One sweep of a smoother, whose vectors are blocks, but for the inverse diagonal. products: NULL, or b . y; only
     * of a sweep from an x. */
    spg_status (*relax)(spg_context *context, const spg_csr *A, int width, const spg_amg_relaxation *sweep,
                        const spg_amg_products *products);
    /* For the sweep `first` from zero, whose result s = coefficient inverse .* b need not be stored where it is the
     * only one: r = b - A s. first's x, d and y are not used. */
    spg_status (*first_residual)(spg_context *context, const spg_csr *A, int width, const spg_amg_relaxation *first,
                                 void *r);
    /* first's y = s + P x. */
    spg_status (*first_correction)(spg_context *context, const spg_csr *P, int width, const spg_amg_relaxation *first,
                                   const void *x);
    /* x = the dense operator's solution for b. workspace: dense_bytes. */
    int64_t (*dense_bytes)(const spg_amg_dense *dense, int width);
    spg_status (*dense_solve)(spg_context *context, spg_amg_dense *dense, int width, const void *b, void *x,
                              void *workspace);

    /* For the vectors of the set `active`: alpha = rz / pq: x += alpha p, r -= alpha q; unless rz > 0, pq > 0 and alpha
     * is finite, these do not change, nor do other vectors. Then rr = r . r and rz_before = rz, for all vectors.
     * workspace: dot_bytes. */
    spg_status (*cg_step)(spg_context *context, const spg_amg_shape *shape, uint32_t active,
                          spg_amg_many_scalars *scalars, const spg_amg_cg_vectors *vectors, void *workspace);
    /* p = z + rz / rz_before p; p = z for the vectors of the set `starts`, and where that quotient is not finite. */
    spg_status (*cg_direction)(spg_context *context, const spg_amg_shape *shape, uint32_t starts,
                               const spg_amg_many_scalars *scalars, const void *z, void *p);
} spg_amg_many_backend;

extern const spg_amg_many_backend spg_host_amg_many_backend;
#ifdef SPG_WITH_CUDA
extern const spg_amg_many_backend spg_cuda_amg_many_backend;
#endif

#endif
