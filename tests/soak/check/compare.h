/* What results must be. Each records a fault (soak_fault) and returns false where one is not. All matrices lie on the
 * host. */
#ifndef SPG_SOAK_COMPARE_H
#define SPG_SOAK_COMPARE_H

#include "soak.h"

/* Offsets and columns are sound, rows sorted, no column repeated. `what` begins the fault. */
bool soak_is_sound(const spg_csr *C, const char *what);

/* The same bits; a NaN equals any NaN. */
bool soak_is_same(const spg_csr *actual, const spg_csr *expected, const char *what);
bool soak_are_same_values(const void *actual, const void *expected, spg_type type, int64_t count, const char *what);

/* CXSparse's pattern and, number by number, its values: for whole numbers. */
bool soak_is_cxsparse_product(const spg_csr *A, const spg_csr *B, const spg_csr *C, const char *what);

/* By CXSparse where numbers are whole and columns few enough for it, else by the plain reference. */
bool soak_is_product(const soak_case *c, const spg_csr *A, const spg_csr *B, const spg_csr *C, const char *what);

#endif
