/* Symmetric matrices, bit for bit: pattern and values. */
#ifndef SPG_SOAK_SYMMETRIC_H
#define SPG_SOAK_SYMMETRIC_H

#include "soak.h"

/* The symmetric matrix that has a square matrix's entries on and above the diagonal, the first of each place: rows
 * sorted, no column repeated. Arrays by malloc. */
spg_csr soak_symmetric_of(const spg_csr *matrix);

/* New numbers for it, symmetric again. */
void soak_symmetric_numbers(uint64_t seed, soak_numbers numbers, spg_csr *matrix);

/* Whether a matrix is symmetric, its rows sorted and no column repeated. */
bool soak_is_symmetric(const spg_csr *matrix);

/* Entries below the diagonal become those above it; the pattern is symmetric and sorted. */
void soak_mirror(spg_csr *matrix);

#endif
