/* The CUDA backend's sampling table. */
#include "sampling.h"

const spg_sampling_backend spg_cuda_sampling = {
    .random_bits = spg_cuda_random_bits,
    .random_uniforms = spg_cuda_random_uniforms,
    .row_draws = spg_cuda_row_draws,
    .lda_draws = spg_cuda_lda_draws,
    .alias_build = spg_cuda_alias_build,
    .alias_check = spg_cuda_alias_check,
    .alias_fill = spg_cuda_alias_fill,
    .alias_draws = spg_cuda_alias_draws,
    .alias_row_draws = spg_cuda_alias_row_draws,
    .alias_walks = spg_cuda_alias_walks,
    .subset_draws = spg_cuda_subset_draws,
    .multinomial_draws = spg_cuda_multinomial_draws,
    .forest_build = spg_cuda_forest_build,
    .forest_draws = spg_cuda_forest_draws,
    .forest_strata = spg_cuda_forest_strata,
    .forest_loads = spg_cuda_forest_loads,
};
