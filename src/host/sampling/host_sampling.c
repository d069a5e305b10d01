/* The host's function table of sampling. */
#include "host_sampling.h"

const spg_sampling_backend spg_host_sampling = {
    .random_bits = spg_host_random_bits,
    .random_uniforms = spg_host_random_uniforms,
    .row_draws = spg_host_row_draws,
    .lda_draws = spg_host_lda_draws,
    .alias_build = spg_host_alias_build,
    .alias_check = spg_host_alias_check,
    .alias_fill = spg_host_alias_fill,
    .alias_draws = spg_host_alias_draws,
    .alias_row_draws = spg_host_alias_row_draws,
    .alias_walks = spg_host_alias_walks,
    .subset_draws = spg_host_subset_draws,
    .multinomial_draws = spg_host_multinomial_draws,
    .forest_build = spg_host_forest_build,
    .forest_draws = spg_host_forest_draws,
    .forest_strata = spg_host_forest_strata,
    .forest_loads = spg_host_forest_loads,
};
