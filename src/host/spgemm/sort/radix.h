/* Sorting the columns of one row, and their range. Private. */
#ifndef SPG_SRC_HOST_SPGEMM_SORT_RADIX_H
#define SPG_SRC_HOST_SPGEMM_SORT_RADIX_H

#include "host/spgemm/worker.h"

typedef struct column_range {
    int64_t first, last; /* last < first: no products */
} column_range;

/* The least and the greatest column of a row's products. */
column_range spg_row_column_range(const spg_worker *worker, int64_t row);

/* Sorts `count` keys stably by their bits from low_bits on; *spare has as much room. Returns the array with the sorted
 * keys; *spare is then the other one. */
uint64_t *spg_sort_keys(uint64_t *keys, uint64_t **spare, int count, int low_bits);

#endif
