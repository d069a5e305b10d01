/* What the host brings to cycles and solves. Private. Signatures and duties: src/amg_backend.h. */
#ifndef SPG_SRC_HOST_AMG_CYCLES_H
#define SPG_SRC_HOST_AMG_CYCLES_H

#include "amg_backend.h"

spg_status spg_host_dense_create(spg_context *context, const spg_csr *A, spg_amg_dense **dense, int64_t *bytes);
spg_status spg_host_dense_update(spg_context *context, spg_amg_dense *dense, const spg_csr *A);
spg_status spg_host_dense_solve(spg_context *context, spg_amg_dense *dense, const void *b, void *x);
void spg_host_dense_destroy(spg_context *context, spg_amg_dense *dense);

spg_status spg_host_axpby(spg_context *context, spg_type type, int64_t n, double alpha, const void *x, double beta,
                          void *y);
int64_t spg_host_dot_bytes(spg_type type, int64_t n);
spg_status spg_host_dot(spg_context *context, spg_type type, int64_t n, const void *x, const void *y, void *workspace,
                        double *result);
spg_status spg_host_cg_step(spg_context *context, spg_type type, int64_t n, const double *rz, const double *pq,
                            const void *p, const void *q, void *x, void *r, void *workspace, double *rr);
spg_status spg_host_cg_direction(spg_context *context, spg_type type, int64_t n, const double *rz,
                                 const double *rz_before, const void *z, void *p);

spg_status spg_host_residual(spg_context *context, const spg_csr *A, const void *b, const void *x, void *r);
spg_status spg_host_jacobi(spg_context *context, const spg_csr *A, const void *inverse, double scale, const double *rho,
                           const void *b, const void *x, void *y);
spg_status spg_host_chebyshev(spg_context *context, const spg_csr *A, const void *inverse, const double *rho,
                              double ratio, int step, const void *b, const void *x, void *d, void *y);

#endif
