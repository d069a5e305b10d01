/* The functions in the CUDA backend's table for algebraic multigrid (amg_backend.c). amg/amg_backend.h says what each
 * does. Private. */
#ifndef SPG_KERNELS_AMG_AMG_STAGES_H
#define SPG_KERNELS_AMG_AMG_STAGES_H

#include "../device.h"

#ifdef __cplusplus
extern "C" {
#endif

#include "amg/krylov/krylov_backend.h"

spg_status spg_cuda_find_symmetry(spg_context *context, const spg_csr *A, int32_t *flag);
spg_status spg_cuda_find_symmetry_and_inverse(spg_context *context, const spg_csr *A, int32_t *flag, void *inverse);
spg_status spg_cuda_symmetric_scales(spg_context *context, const spg_csr *A, void *scales);
spg_status spg_cuda_flag_on_host(spg_context *context, const int32_t *flag, bool *is_set);
spg_status spg_cuda_mirror(spg_context *context, const int32_t *flag, spg_csr *C, void *inverse);
spg_status spg_cuda_find_images(spg_context *context, const spg_csr *A, const int32_t *symmetric, spg_images *images);
spg_status spg_cuda_copy_images(spg_context *context, const int32_t *flag, const spg_images *images, spg_csr *C,
                                void *inverse);
spg_status spg_cuda_transpose_map(spg_context *context, const spg_csr *A, const spg_csr *transpose, int64_t *map);
spg_status spg_cuda_gather_values(spg_context *context, const spg_csr *A, const int64_t *map, spg_csr *transpose);

spg_status spg_cuda_check_finite(spg_context *context, const spg_csr *A);
spg_status spg_cuda_find_beyond(spg_context *context, spg_type type, int64_t count, const void *values, double most,
                                int64_t *first);
spg_status spg_cuda_strength(spg_context *context, const spg_csr *A, int block_size, spg_strength measure, double theta,
                             spg_amg_graph *graph);
spg_status spg_cuda_find_isolated(spg_context *context, const spg_csr *A, int block_size, int parts,
                                  const spg_amg_graph *graph, uint8_t *isolated);
spg_status spg_cuda_aggregate_mis2(spg_context *context, const spg_amg_graph *graph, uint64_t seed, bool join_leftovers,
                                   int32_t *aggregate_of, int64_t *aggregates, int64_t *left_out);
spg_status spg_cuda_tentative(spg_context *context, spg_type type, const spg_amg_aggregates *aggregates,
                              const void *fine, void *T, void *coarse);
spg_status spg_cuda_inverse_diagonal(spg_context *context, const spg_csr *A, bool l1, void *inverse);
spg_status spg_cuda_filter_values(spg_context *context, const spg_csr *A, spg_csr *F);
spg_status spg_cuda_filter_pairs(spg_context *context, const spg_csr *A, const spg_amg_aggregates *aggregates,
                                 const void *T, const void *coarse, spg_csr *F);
spg_status spg_cuda_drop_roundings(spg_context *context, const spg_csr *R, const void *restricted_inverse,
                                   const spg_amg_aggregates *aggregates, void *inverse);
int64_t spg_cuda_spectral_bytes(const spg_csr *A, int steps);
spg_status spg_cuda_spectral_radius(spg_context *context, const spg_csr *A, const void *inverse,
                                    const spg_amg_radius *by, void *workspace, const spg_amg_spectrum *known,
                                    double *rho);
spg_status spg_cuda_prolongator_pattern(spg_context *context, const spg_csr *A, const spg_amg_aggregates *aggregates,
                                        bool smooth, spg_csr *P, int64_t *longest_row);
spg_status spg_cuda_least_coarse_entries(spg_context *context, const spg_csr *A, const spg_csr *P, int64_t *least);
spg_status spg_cuda_sample_coarse_rows(spg_context *context, const spg_csr *A, const spg_csr *P, int64_t *lengths);
spg_status spg_cuda_prolongator_values(spg_context *context, const spg_csr *A, const spg_amg_aggregates *aggregates,
                                       const void *T, const void *inverse, double relaxation, const double *rho,
                                       spg_csr *P);

spg_status spg_cuda_dense_create(spg_context *context, const spg_amg_dense_source *source, spg_amg_dense **dense);
int64_t spg_cuda_dense_bytes(const spg_amg_dense *dense);
spg_status spg_cuda_dense_update(spg_context *context, spg_amg_dense *dense, const spg_amg_dense_source *source);
spg_status spg_cuda_dense_solve(spg_context *context, spg_amg_dense *dense, const void *b, void *x);
spg_status spg_cuda_dense_tell(spg_context *context, const spg_amg_dense *dense, double *state);
spg_status spg_cuda_dense_settle(spg_context *context, spg_amg_dense *dense, const spg_amg_dense_source *source);
spg_status spg_cuda_dense_project(spg_context *context, spg_amg_dense *dense, const void *b, void *x);
bool spg_cuda_dense_is_singular(const spg_amg_dense *dense);
void spg_cuda_dense_destroy(spg_context *context, spg_amg_dense *dense);

spg_status spg_cuda_times_i(spg_context *context, spg_type type, int64_t n, const void *x, void *y);
spg_status spg_cuda_axpby(spg_context *context, spg_type type, int64_t n, double alpha, const void *x, double beta,
                          void *y);
spg_status spg_cuda_narrow(spg_context *context, int64_t n, spg_squares u, const double *x, float *y);
spg_status spg_cuda_widen(spg_context *context, int64_t n, spg_squares u, spg_squares v, const float *x, double *y);
spg_status spg_cuda_sum_again(spg_context *context, int64_t n, const double *x, const double *sum, void *workspace,
                              double *again);
spg_status spg_cuda_residual(spg_context *context, const spg_csr *A, const void *b, const void *x, void *r);
spg_status spg_cuda_relax(spg_context *context, const spg_csr *A, const spg_amg_relaxation *sweep);
int64_t spg_cuda_dot_bytes(spg_type type, int64_t n);
spg_status spg_cuda_dot(spg_context *context, spg_type type, int64_t n, const void *x, const void *y, void *workspace,
                        double *result);
spg_status spg_cuda_cg_step(spg_context *context, spg_type type, int64_t n, double target, spg_amg_cg_scalars *scalars,
                            const spg_amg_cg_vectors *vectors, void *workspace, unsigned int *number);
spg_status spg_cuda_cg_read(spg_context *context, const spg_amg_cg_scalars *scalars, unsigned int number,
                            spg_amg_cg_scalars *read);
spg_status spg_cuda_cg_direction(spg_context *context, spg_type type, int64_t n, const spg_amg_cg_scalars *scalars,
                                 const void *z, void *p);

int64_t spg_cuda_krylov_dots_bytes(spg_type type, int64_t n);
spg_status spg_cuda_krylov_dots(spg_context *context, spg_type type, int64_t n, const spg_amg_vectors *of,
                                const void *y, void *workspace, double *results);
spg_status spg_cuda_krylov_combine(spg_context *context, spg_type type, int64_t n, const spg_amg_combination *by,
                                   void *y);
spg_status spg_cuda_krylov_advance(spg_context *context, const spg_amg_krylov_step *step);

#ifdef __cplusplus
}
#endif

#endif
