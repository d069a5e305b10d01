/* Expand, sort and contract short rows in vector registers. A network sorts the columns of a row's products, so that no
 * branch depends on the matrix; each product then finds its place by comparing its column with all of the row's. For
 * this, rows of more than SHORT_ROW products are sorted with keys of 32 bits: the column above the number of the
 * product (the paper's packed permutation index, section 3.3). This is the kernel for rows that do not repeat earlier
 * ones; it needs vector code (batch_avx512.c, batch_avx2.c). */
#include "batch.h"
#include "radix.h"

/* How many rows from `row` on have few enough products for the network and the arrays. */
static int count_rows(const spg_worker *worker, int64_t row, int64_t end, network_row *rows)
{
    const worker_sizes *sizes = &worker->shared->sizes;
    const int most = spg_most_network_keys(worker->shared->vector);
    int64_t slots = LEAD, products = 0;
    int n = 0;
    for (; row < end && n < BATCH_ROWS; row++, n++) {
        const int64_t count = worker->chunk.row_products[row];
        if (count > most) break;
        const int size = spg_network_size((int)count);
        if (slots + size + LEAD > 2 * sizes->sort_products || products + count > sizes->sort_products) break;
        rows[n] = (network_row){.count = (int)count, .first = (int)products, .slot = (int)slots};
        slots += size + LEAD;
        products += count;
    }
    return n;
}

/* The rows from `row` on that fit the network, the arrays and the staging buffer. False if there are none. Columns
 * minus a base must leave room for the number; if they might not, the batch has one row. */
static bool open_batch(spg_worker *worker, int64_t row, int64_t end, network_batch *batch)
{
    const row_chunk *chunk = &worker->chunk;
    if (worker->shared->vector == SPG_VECTOR_NONE) return false;
    batch->base = 0;
    if (worker->shared->product->B->cols > NETWORK_COLUMNS) {
        const column_range range = spg_row_column_range(worker, row);
        if (range.last - range.first >= NETWORK_COLUMNS) return false;
        batch->base = (int32_t)range.first;
        end = row + 1;
    }
    batch->first_row = row;
    batch->rows = count_rows(worker, row, end, batch->row);
    batch->first_entry = chunk->bounds[row];
    batch->end_entry = chunk->bounds[row + batch->rows];
    batch->columns = (int32_t *)(void *)worker->keys;
    batch->sorted = (uint32_t *)(void *)worker->keys_spare;
    return batch->rows > 0 &&
           spg_make_room(worker, chunk->before[batch->end_entry] - chunk->before[batch->first_entry]);
}

/* Prefetches the columns that the next batch will expand. On shuffled meshes they are far apart. */
static void prefetch_next_batch(const spg_worker *worker, const network_batch *batch, int64_t end)
{
    const row_chunk *chunk = &worker->chunk;
    const int32_t *b_columns = worker->shared->product->B->columns;
    const int64_t first = batch->first_row + batch->rows;
    const int64_t last = first + batch->rows < end ? first + batch->rows : end;
    for (int64_t k = chunk->bounds[first]; k < chunk->bounds[last]; k++)
        __builtin_prefetch(b_columns + chunk->starts[k]);
}

#define TEMPLATE "host/spgemm/sort/network_row.inc.h"
#define WITH_PATTERN
#include "host/for_each_value_type.h"
