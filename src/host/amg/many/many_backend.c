/* The host's function table for several right-hand sides at once. */
#include "host_many.h"

const spg_amg_many_backend spg_host_amg_many_backend = {
    .load = spg_host_many_load,
    .store = spg_host_many_store,
    .combine = spg_host_many_combine,
    .dot_bytes = spg_host_many_dot_bytes,
    .dot = spg_host_many_dot,
    .narrow = spg_host_many_narrow,
    .widen = spg_host_many_widen,
    .sum_again = spg_host_many_sum_again,
    .multiply = spg_host_many_multiply,
    .residual = spg_host_many_residual,
    .relax = spg_host_many_relax,
    .first_residual = spg_host_many_first_residual,
    .first_correction = spg_host_many_first_correction,
    .dense_bytes = spg_host_many_dense_bytes,
    .dense_solve = spg_host_many_dense_solve,
    .cg_step = spg_host_many_cg_step,
    .cg_direction = spg_host_many_cg_direction,
};
