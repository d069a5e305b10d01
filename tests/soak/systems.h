/* Systems for multigrid: grids, graphs, and matrices that are not for it. */
#ifndef SPG_SOAK_SYSTEMS_H
#define SPG_SOAK_SYSTEMS_H

#include "soak.h"

/* Systems of more rows are grids. */
enum { SOAK_DENSE_ROWS = 500 };

/* Whether it is symmetric with a positive diagonal that the other entries of no row together pass, and of some row do
 * not reach: positive definite where its graph is connected, else at least semidefinite. */
bool soak_is_dominant(const spg_csr *A);

/* D A D for a random diagonal D between 1 and 2. */
spg_csr soak_scaled_system(const spg_csr *A, uint64_t seed);

double soak_entry(const spg_csr *A, int64_t k);

/* ||b - A x|| in double. */
double soak_residual(const spg_csr *A, const void *b, const void *x);

#endif
