/* Shared by the kernels with a list of sums: a table from columns to positions in the list, and the sorted order of the
 * list. Private. */
#ifndef SPG_SRC_HOST_SPGEMM_LIST_LIST_H
#define SPG_SRC_HOST_SPGEMM_LIST_LIST_H

#include "host/spgemm/sort/radix.h"
#include "host/spgemm/worker.h"

#include <string.h>

enum { MOST_EQUAL_ROWS = 4 };

/* A new number that no slot of the table holds, above the bits of a position. */
static inline uint32_t next_generation(spg_worker *worker)
{
    worker->generation += MAX_LIST;
    if (worker->generation == 0) {
        memset(worker->table, 0, (size_t)worker->shared->sizes.table_slots * sizeof *worker->table);
        worker->generation = MAX_LIST;
    }
    return worker->generation;
}

static inline int64_t most_entries(const spg_worker *worker, int64_t row)
{
    const int64_t products = worker->chunk.row_products[row], cols = worker->shared->product->B->cols;
    return products < cols ? products : cols;
}

/* How many rows from `row` on have the same columns in A (usually the unknowns of one mesh node). */
static inline int spg_equal_rows(const spg_worker *worker, int64_t row, int64_t end)
{
    const row_chunk *chunk = &worker->chunk;
    const int32_t *columns = worker->shared->product->A->columns + chunk->first_entry;
    const int64_t first = chunk->bounds[row], count = chunk->bounds[row + 1] - first;
    int equal = 1;
    if (row + 1 >= end || chunk->bounds[row + 2] - chunk->bounds[row + 1] != count || count == 0 ||
        columns[first] != columns[first + count])
        return 1;
    while (equal < MOST_EQUAL_ROWS && row + equal < end) {
        const int64_t next = chunk->bounds[row + equal];
        if (chunk->bounds[row + equal + 1] - next != count || columns[next] != columns[first]) break;
        if (memcmp(columns + next, columns + first, (size_t)count * sizeof *columns) != 0) break;
        equal++;
    }
    return equal;
}

/* sorted = the list's columns in ascending order; returns their positions in the list (list.c). */
const uint16_t *spg_sort_list(spg_worker *worker, int n, int32_t *sorted);

#endif
