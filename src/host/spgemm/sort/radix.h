/* Sorting the columns of one row, and where they lie. Private. */
#ifndef SPG_SRC_HOST_SPGEMM_SORT_RADIX_H
#define SPG_SRC_HOST_SPGEMM_SORT_RADIX_H

#include "host/spgemm/worker.h"

typedef struct column_range {
    int64_t first, last; /* last < first: no products */
} column_range;

/* The least and greatest column of the products of a row. */
column_range spg_row_column_range(const spg_worker *worker, int64_t row);

/* Sorts keys by their bits from low_bits on, stably: `count` keys, with as much room in *spare. Returns where the
 * sorted keys are; *spare is the other one. */
uint64_t *spg_sort_keys(uint64_t *keys, uint64_t **spare, int count, int low_bits);

#endif
