/* The functions in the CUDA backend's table for several right-hand sides at once (many_backend.c). For contracts see
 * amg/many_backend.h. Private. */
#ifndef SPG_KERNELS_AMG_MANY_MANY_STAGES_H
#define SPG_KERNELS_AMG_MANY_MANY_STAGES_H

#include "../amg_stages.h"

#ifdef __cplusplus
extern "C" {
#endif

#include "amg/many_backend.h"

spg_status spg_cuda_many_load(spg_context *context, const spg_amg_shape *shape, const spg_amg_columns *from,
                              void *block);
spg_status spg_cuda_many_store(spg_context *context, const spg_amg_shape *shape, const void *block,
                               const spg_amg_columns *to);
spg_status spg_cuda_many_combine(spg_context *context, const spg_amg_shape *shape, const spg_amg_factors *alpha,
                                 const void *x, const spg_amg_factors *beta, void *y);
int64_t spg_cuda_many_dot_bytes(int64_t n, int width);
spg_status spg_cuda_many_dot(spg_context *context, const spg_amg_shape *shape, const void *x, const void *y,
                             void *workspace, double *results);
spg_status spg_cuda_many_narrow(spg_context *context, int64_t n, int width, spg_squares u, const double *x, float *y);
spg_status spg_cuda_many_widen(spg_context *context, const spg_amg_shape *shape, spg_squares u, spg_squares v,
                               const float *x, double *y);
spg_status spg_cuda_many_sum_again(spg_context *context, int64_t n, int width, const double *x, const double *sums,
                                   void *workspace, double *again);

spg_status spg_cuda_many_multiply(spg_context *context, const spg_csr *A, int width, const void *x, bool adds, void *y,
                                  const spg_amg_products *products);
spg_status spg_cuda_many_residual(spg_context *context, const spg_csr *A, int width, const void *b, const void *x,
                                  void *r);
spg_status spg_cuda_many_relax(spg_context *context, const spg_csr *A, int width, const spg_amg_relaxation *sweep,
                               const spg_amg_products *products);
spg_status spg_cuda_many_first_residual(spg_context *context, const spg_csr *A, int width,
                                        const spg_amg_relaxation *first, void *r);
spg_status spg_cuda_many_first_correction(spg_context *context, const spg_csr *P, int width,
                                          const spg_amg_relaxation *first, const void *x);
int64_t spg_cuda_many_dense_bytes(const spg_amg_dense *dense, int width);
spg_status spg_cuda_many_dense_solve(spg_context *context, spg_amg_dense *dense, int width, const void *b, void *x,
                                     void *workspace);

spg_status spg_cuda_many_cg_step(spg_context *context, const spg_amg_shape *shape, uint32_t active,
                                 spg_amg_many_scalars *scalars, const spg_amg_cg_vectors *vectors, void *workspace);
spg_status spg_cuda_many_cg_direction(spg_context *context, const spg_amg_shape *shape, uint32_t starts,
                                      const spg_amg_many_scalars *scalars, const void *z, void *p);

#ifdef __cplusplus
}
#endif

#endif
