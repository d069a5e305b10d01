/* The host's function table of algebraic multigrid. */
#include "host_amg.h"

#include "host/amg/many/host_many.h"

static const spg_amg_krylov_backend krylov = {
    .at_once = 1,
    .dots_bytes = spg_host_krylov_dots_bytes,
    .dots = spg_host_krylov_dots,
    .combine = spg_host_krylov_combine,
    .advance = spg_host_krylov_advance,
};

const spg_amg_backend spg_host_amg_backend = {
    /* setup */
    .find_symmetry = spg_host_find_symmetry,
    .find_symmetry_and_inverse = spg_host_find_symmetry_and_inverse,
    .symmetric_scales = spg_host_symmetric_scales,
    .flag_on_host = spg_host_flag_on_host,
    .mirror = spg_host_mirror,
    .find_images = NULL, /* the host looks mirror images up */
    .transpose_map = spg_host_transpose_map,
    .gather_values = spg_host_gather_values,
    .check_finite = spg_host_check_finite,
    .find_beyond = spg_host_find_beyond,
    .strength = spg_host_strength,
    .find_isolated = spg_host_find_isolated,
    .aggregate_mis2 = spg_host_aggregate_mis2,
    .aggregate_standard = spg_host_aggregate_standard,
    .tentative = spg_host_tentative,
    .inverse_diagonal = spg_host_inverse_diagonal,
    .drop_roundings = spg_host_drop_roundings,
    .spectral_bytes = spg_host_spectral_bytes,
    .spectral_radius = spg_host_spectral_radius,
    .filter_values = spg_host_filter_values,
    .filter_pairs = spg_host_filter_pairs,
    .prolongator_pattern = spg_host_prolongator_pattern,
    .least_coarse_entries = spg_host_least_coarse_entries,
    .sample_coarse_rows = spg_host_sample_coarse_rows,
    .prolongator_values = spg_host_prolongator_values,
    /* solve */
    .dense_create = spg_host_dense_create,
    .dense_bytes = spg_host_dense_bytes,
    .dense_update = spg_host_dense_update,
    .dense_solve = spg_host_dense_solve,
    .dense_tell = spg_host_dense_tell,
    .dense_settle = spg_host_dense_settle,
    .dense_project = spg_host_dense_project,
    .dense_is_singular = spg_host_dense_is_singular,
    .dense_destroy = spg_host_dense_destroy,
    .axpby = spg_host_axpby,
    .times_i = spg_host_times_i,
    .narrow = spg_host_narrow,
    .widen = spg_host_widen,
    .sum_again = spg_host_sum_again,
    .residual = spg_host_residual,
    .relax = spg_host_relax,
    .dot_bytes = spg_host_dot_bytes,
    .dot = spg_host_dot,
    .cg_step = spg_host_cg_step,
    .cg_read = spg_host_cg_read,
    .cg_direction = spg_host_cg_direction,
    .krylov = &krylov,
    .many = &spg_host_amg_many_backend,
};
