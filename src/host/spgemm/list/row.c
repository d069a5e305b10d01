/* Rows contracted while they are expanded: a table says where in a short list of sums a column stands; the list's
 * columns are sorted at the end. Equal neighbouring rows of A go through it together (equal_rows.c). The loop branches
 * on "seen before", which is learnt by branch predictors on regular grids, where nothing beats it. */
#include "host/spgemm/rows.h"
#include "list.h"

enum { AHEAD = 48 }; /* entries of A whose rows of B are asked for early (spgemm_bench tri2d, A*P) */
enum { FEW = 16 };   /* entries to sort by insertion (spgemm_bench fd2d5, A*P) */

/* The list must hold the row, and no two of its columns may share a slot of the table. */
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
