/* Helpers shared by set-up functions of the host: offsets from counts, short sorted lists, nodes of unknowns.
 * Private. */
#ifndef SPG_SRC_HOST_AMG_ROWS_H
#define SPG_SRC_HOST_AMG_ROWS_H

#include "amg/amg_backend.h"
#include "threads/pool.h"

/* The sum of n counts. */
int64_t spg_host_sum_counts(spg_threads threads, const int64_t *counts, int64_t n);

/* n + 1 offsets, of either type, from n counts whose sum fits the type. */
void spg_host_write_offsets(spg_threads threads, const int64_t *counts, int64_t n, spg_type type, void *offsets);

/* The number of entries of the longest row. */
int64_t spg_host_longest_row(spg_threads threads, const spg_csr *matrix);

/* Sorts in ascending order, in place. */
void spg_host_sort_indices(int32_t *indices, int64_t count);

static inline int64_t spg_amg_node_of(int64_t unknown, int block_size)
{
    return block_size == 1 ? unknown : unknown / block_size;
}

/* Inserts `index` among `count` ascending ones, which have room for one more, unless it is already there. Returns the
 * new count. */
static inline int spg_host_insert_index(int32_t *indices, int count, int32_t index)
{
    int at = count;
    while (at > 0 && indices[at - 1] > index) --at;
    if (at > 0 && indices[at - 1] == index) return count;
    for (int k = count; k > at; --k) indices[k] = indices[k - 1];
    indices[at] = index;
    return count + 1;
}

#endif
