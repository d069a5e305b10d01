/* Rows that are contracted while they are expanded: a table gives the position of a column in a short list of sums, and
 * the list's columns are sorted at the end. Equal neighbouring rows of A are processed together (rows_equal.c). The
 * loop branches on "seen before". Branch predictors learn this on regular grids, where no other kernel is faster, and
 * where nearly all or nearly no products are the first of their column. Other rows do without branches. */
#include "host/spgemm/rows.h"
#include "list.h"

enum { AHEAD = 48 }; /* entries of A ahead of which rows of B are prefetched (spgemm_bench tri2d, A*P) */
enum { FEW = 16 };   /* the most entries sorted by insertion (spgemm_bench fd2d5, A*P) */

/* Whether rows like one of so many entries and products are better added without branches, if they are no grid's
 * (spgemm_bench on one thread, AVX2: A*A of tet3d:20 7.3 ms, 9.7 with branches; but A*P of fd3d7:40, a grid, 10.2 and
 * 8.8, and R*(A*P) of tri2d:200, with ten products an entry, 3.2 and 2.8). */
enum { MIXED_PART = 5, MIXED_LEAST = 32 };
static inline bool row_is_mixed(int64_t n, int64_t products)
{
    return products >= MIXED_LEAST && MIXED_PART * n > products && MIXED_PART * (products - n) > products;
}

/* The list must have room for the row, and no two of its columns may share a slot of the table. */
static inline bool row_fits_list(const spg_worker *worker, int64_t row)
{
    const worker_sizes *sizes = &worker->shared->sizes;
    const int64_t most = most_entries(worker, row);
    if (MOST_EQUAL_ROWS * most > sizes->staging_entries) return false;
    if (most <= sizes->list_entries && worker->shared->product->B->cols <= sizes->table_slots) return true;
    const column_range range = spg_row_column_range(worker, row);
    const int64_t span = range.last - range.first + 1;
    return (most < span ? most : span) <= sizes->list_entries && span <= sizes->table_slots;
}

static inline bool make_room_for_rows(spg_worker *worker, int64_t row, int rows)
{
    const int64_t most = rows * most_entries(worker, row);
    return worker->staged + most <= worker->shared->sizes.staging_entries || spg_make_room(worker, most);
}

#define TEMPLATE "host/spgemm/list/row.inc.h"
#define WITH_PATTERN
#include "host/for_each_value_type.h"
