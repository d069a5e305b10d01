/* Systems for multigrid: grids, graphs, and matrices that are not for it. */
#ifndef SPG_SOAK_SYSTEMS_H
#define SPG_SOAK_SYSTEMS_H

#include "soak.h"

/* Systems of more rows are grids. */
enum { SOAK_DENSE_ROWS = 500 };

/* What is known of a system by its diagonal, which the other entries of no row together pass. D A D is the same. */
typedef enum soak_definiteness {
    SOAK_ANY,          /* nothing: it is not symmetric, or has such rows */
    SOAK_SEMIDEFINITE, /* at least */
    SOAK_DEFINITE      /* in each connected component they do not reach that of some row */
} soak_definiteness;
soak_definiteness soak_find_definiteness(const spg_csr *A);

/* D A D for a random diagonal D between 1 and 2. */
spg_csr soak_scaled_system(const spg_csr *A, uint64_t seed);

double soak_entry(const spg_csr *A, int64_t k);

/* ||b - A x|| in double. */
double soak_residual(const spg_csr *A, const void *b, const void *x);

/* ||A (b - A x)||, over the largest sum of magnitudes of a row. */
double soak_image_of_residual(const spg_csr *A, const void *b, const void *x);

#endif
