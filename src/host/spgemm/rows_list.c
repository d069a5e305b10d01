/* Rows contracted while they are expanded: a table says where in a short list of sums a column stands; the list's
 * columns are sorted at the end. The loop branches on "seen before", which is learnt by branch predictors on regular
 * grids, where nothing beats it. */
#include "rows.h"
#include "sort.h"

#include <string.h>

/* A number that no slot of the table holds yet, above the bits of a position. */
static uint32_t next_generation(spg_worker *worker)
{
    worker->generation += MAX_LIST;
    if (worker->generation == 0) {
        memset(worker->table, 0, (size_t)worker->shared->sizes.table_slots * sizeof *worker->table);
        worker->generation = MAX_LIST;
    }
    return worker->generation;
}

/* The list must hold the row, and no two of its columns may share a slot of the table. */
static bool row_fits_list(const spg_worker *worker, int64_t row)
{
    const multiplication *shared = worker->shared;
    const row_chunk *chunk = &worker->chunk;
    int64_t slots = shared->sizes.table_slots, cols = shared->product->B->cols;
    int64_t most = chunk->row_products[row] < cols ? chunk->row_products[row] : cols;
    if (most <= shared->sizes.list_entries && cols <= slots) return true;
    column_range range = spg_row_column_range(worker, row);
    int64_t span = range.last - range.first + 1;
    return (most < span ? most : span) <= shared->sizes.list_entries && span <= slots;
}

/* keys = the list's columns with their positions, in order of columns. */
static void order_list(spg_worker *worker, int n)
{
    for (int i = 0; i < n; i++) worker->keys[i] = (uint64_t)worker->list_columns[i] << POSITION_BITS | (uint64_t)i;
    worker->keys = spg_sort_keys(worker->keys, &worker->keys_spare, n, POSITION_BITS);
}

#define TEMPLATE "host/spgemm/rows_list.inc.h"
#define WITH_PATTERN
#include "host/for_each_value_type.h"
