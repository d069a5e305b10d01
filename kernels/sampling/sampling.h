/* The functions in the CUDA backend's sampling table (backend.c). src/sampling/sampling_backend.h says what each does.
 * Private. */
#ifndef SPG_KERNELS_SAMPLING_SAMPLING_H
#define SPG_KERNELS_SAMPLING_SAMPLING_H

#include "../device.h"

#ifdef __cplusplus
extern "C" {
#endif

#include "sampling/faults.h"
#include "sampling/sampling_backend.h"

spg_status spg_cuda_random_bits(spg_context *context, const spg_random *random, int64_t count, uint64_t *bits);
spg_status spg_cuda_random_uniforms(spg_context *context, const spg_random *random, int64_t count, spg_type type,
                                    void *uniforms);
spg_status spg_cuda_row_draws(spg_context *context, const spg_csr *weights, spg_butterfly_method method,
                              const spg_random *random, const void *uniforms, int32_t *draws);
spg_status spg_cuda_lda_draws(spg_context *context, const spg_lda *lda, spg_butterfly_method method,
                              const spg_random *random, int32_t *topics);
spg_status spg_cuda_alias_build(spg_context *context, const spg_csr *weights, spg_alias *alias);
spg_status spg_cuda_alias_check(spg_context *context, const spg_alias *alias, const spg_csr *weights,
                                spg_row_list rows);
spg_status spg_cuda_alias_fill(spg_context *context, const spg_csr *weights, spg_row_list rows, spg_alias *alias);
spg_status spg_cuda_alias_draws(spg_context *context, const spg_alias *alias, int64_t row, int64_t count,
                                const spg_random *random, spg_alias_sampler sampler, bool grouped, int32_t *draws);
spg_status spg_cuda_alias_row_draws(spg_context *context, const spg_alias *alias, int64_t count, const int32_t *rows,
                                    const spg_random *random, int32_t *draws);
spg_status spg_cuda_alias_walks(spg_context *context, const spg_alias *alias, const struct spg_walk_call *call);
spg_status spg_cuda_subset_draws(spg_context *context, const spg_csr *weights, int64_t k, const spg_random *random,
                                 int32_t *draws);
spg_status spg_cuda_multinomial_draws(spg_context *context, const spg_csr *weights, int64_t n, const int64_t *trials,
                                      const spg_random *random, int64_t *counts);
spg_status spg_cuda_forest_build(spg_context *context, const spg_csr *weights, spg_forest *forest);
spg_status spg_cuda_forest_draws(spg_context *context, const spg_forest *forest, int64_t count, const int32_t *rows,
                                 const spg_random *random, const double *uniforms, int32_t *draws,
                                 spg_forest_details details);
spg_status spg_cuda_forest_strata(spg_context *context, const spg_forest *forest, int64_t row, int64_t count,
                                  const spg_random *random, int32_t *draws, spg_forest_details details);
spg_status spg_cuda_forest_loads(spg_context *context, const spg_forest *forest, int64_t count, const int32_t *rows,
                                 const double *uniforms, int32_t *loads);

#ifdef __cplusplus
}
#endif

#endif
