/* Rows contracted while they are expanded: a table says where in a short list of sums a column stands; the list's
 * columns are sorted at the end. The loop branches on "seen before", which is learnt by branch predictors on regular
 * grids, where nothing beats it. */
#include "rows.h"
#include "sort.h"
#include "sort_network.h"

#include <string.h>

enum { FEW = 16 }; /* entries to sort by insertion (spgemm_bench fd2d5, A*P) */

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

static inline int64_t most_entries(const spg_worker *worker, int64_t row)
{
    const int64_t products = worker->chunk.row_products[row], cols = worker->shared->product->B->cols;
    return products < cols ? products : cols;
}

/* The list must hold the row, and no two of its columns may share a slot of the table. */
static inline bool row_fits_list(const spg_worker *worker, int64_t row)
{
    const worker_sizes *sizes = &worker->shared->sizes;
    const int64_t most = most_entries(worker, row);
    if (most <= sizes->list_entries && worker->shared->product->B->cols <= sizes->table_slots) return true;
    if (most > sizes->staging_entries) return false;
    const column_range range = spg_row_column_range(worker, row);
    const int64_t span = range.last - range.first + 1;
    return (most < span ? most : span) <= sizes->list_entries && span <= sizes->table_slots;
}

static inline bool make_room_for_row(spg_worker *worker, int64_t row)
{
    const int64_t most = most_entries(worker, row);
    return worker->staged + most <= worker->shared->sizes.staging_entries || spg_make_room(worker, most);
}

/* By radix, keys of 64 bits: the column above the position. */
static void sort_by_radix(spg_worker *worker, int n, int32_t *sorted, uint16_t *order)
{
    const int32_t *columns = worker->list_columns;
    for (int i = 0; i < n; i++) worker->keys[i] = (uint64_t)columns[i] << POSITION_BITS | (uint64_t)i;
    worker->keys = spg_sort_keys(worker->keys, &worker->keys_spare, n, POSITION_BITS);
    for (int i = 0; i < n; i++) {
        sorted[i] = (int32_t)(worker->keys[i] >> POSITION_BITS);
        order[i] = (uint16_t)(worker->keys[i] & (MAX_LIST - 1));
    }
}

/* By a network, keys of 32 bits. False if the columns are too far apart for that. */
static bool sort_short_list(spg_worker *worker, int n, int32_t *sorted, uint16_t *order)
{
    const int32_t *columns = worker->list_columns;
    uint32_t *keys = (uint32_t *)(void *)worker->keys;
    int32_t base = 0;
    if (worker->shared->product->B->cols > NETWORK_COLUMNS) {
        int32_t last = columns[0];
        base = columns[0];
        for (int i = 1; i < n; i++) {
            base = columns[i] < base ? columns[i] : base;
            last = columns[i] > last ? columns[i] : last;
        }
        if (last - base >= NETWORK_COLUMNS) return false;
    }
    for (int i = 0; i < n; i++) keys[i] = (uint32_t)(columns[i] - base) << NETWORK_NUMBER_BITS | (uint32_t)i;
    spg_sort_by_network(keys, n);
    for (int i = 0; i < n; i++) {
        sorted[i] = (int32_t)(keys[i] >> NETWORK_NUMBER_BITS) + base;
        order[i] = (uint16_t)(keys[i] & (NETWORK_KEYS - 1));
    }
    return true;
}

/* sorted = the list's columns in order; returns their positions in the list. */
static const uint16_t *sort_list(spg_worker *worker, int n, int32_t *sorted)
{
    uint16_t *order = worker->list_order;
    if (n <= FEW || n > NETWORK_KEYS || !worker->shared->vector || !sort_short_list(worker, n, sorted, order))
        sort_by_radix(worker, n, sorted, order);
    return order;
}

#define TEMPLATE "host/spgemm/rows_list.inc.h"
#define WITH_PATTERN
#include "host/for_each_value_type.h"
