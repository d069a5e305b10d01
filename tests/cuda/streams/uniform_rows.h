/* Operands of products whose rows a sample finds alike but for a few that are in no sample. */
#ifndef SPG_TESTS_CUDA_UNIFORM_ROWS_H
#define SPG_TESTS_CUDA_UNIFORM_ROWS_H

#include "products.h"

/* Rows for a kernel that leaves longer ones to another: of so many entries in A and B, next to each other or anywhere.
 */
typedef struct alike_kind {
    const char *kernel;
    int64_t a, b;
    bool anywhere;
    spg_type offset_type, value_type;
} alike_kind;

enum { ALIKE = 8 };
extern const alike_kind alike[ALIKE];

/* Hidden rows, which are in no sample, for it is of every sixth row or fewer: some of up to 3000 entries, unless hubs
 * are alone. These are of so many entries or, if long_b > 0, name the last rows of B alone, which have so many. Columns
 * of B are `apart` from each other. */
typedef struct hub_kind {
    const char *what;
    int64_t hubs, entries, apart, long_b;
    bool are_alone;
} hub_kind;

/* Rows of a product with hubs; entries of A of one, or its rows of B and their entries. */
enum { HUB_ROWS = 10000, HUB_A = 8192, LONG_ROWS_OF_B = 36, LONG_B = 7500 };
extern const hub_kind no_hubs;

/* n rows, and n columns in A. */
void make_alike(const alike_kind *kind, int64_t n, const hub_kind *hubs, spg_csr *A, spg_csr *B);

#endif
