/* The host's table of algebraic multigrid. */
#include "host_amg.h"

const spg_amg_backend spg_host_amg_backend = {
    /* setup */
    .find_symmetry = NULL,
    /* solve */
    .dense_create = spg_host_dense_create,
    .dense_update = spg_host_dense_update,
    .dense_solve = spg_host_dense_solve,
    .dense_destroy = spg_host_dense_destroy,
    .axpby = spg_host_axpby,
    .residual = spg_host_residual,
    .jacobi = spg_host_jacobi,
    .chebyshev = spg_host_chebyshev,
    .dot_bytes = spg_host_dot_bytes,
    .dot = spg_host_dot,
    .cg_step = spg_host_cg_step,
    .cg_direction = spg_host_cg_direction,
};
