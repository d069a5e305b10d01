/* The CUDA backend's function table for several right-hand sides at once. */
#include "many_stages.h"

const spg_amg_many_backend spg_cuda_amg_many_backend = {
    .load = spg_cuda_many_load,
    .store = spg_cuda_many_store,
    .combine = spg_cuda_many_combine,
    .dot_bytes = spg_cuda_many_dot_bytes,
    .dot = spg_cuda_many_dot,
    .narrow = spg_cuda_many_narrow,
    .widen = spg_cuda_many_widen,
    .sum_again = spg_cuda_many_sum_again,
    .multiply = spg_cuda_many_multiply,
    .residual = spg_cuda_many_residual,
    .relax = spg_cuda_many_relax,
    .first_residual = spg_cuda_many_first_residual,
    .first_correction = spg_cuda_many_first_correction,
    .dense_bytes = spg_cuda_many_dense_bytes,
    .dense_solve = spg_cuda_many_dense_solve,
    .cg_step = spg_cuda_many_cg_step,
    .cg_direction = spg_cuda_many_cg_direction,
};
