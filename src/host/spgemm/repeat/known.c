/* See known.h. */
#include "known.h"

#include "host/spgemm/list/list.h"

/* Where the row's products and entries are kept; forgets all rows if there is no room. */
static known_row *make_known(spg_worker *worker, int64_t products, int64_t n)
{
    known_rows *known = &worker->known;
    if (known->products + products > worker->shared->sizes.known_products) {
        memset(known->rows, 0, KNOWN_ROWS * sizeof *known->rows);
        known->products = known->entries = 0;
    }
    const row_signature signature = known->last;
    known_row *made = &known->rows[signature.hash % KNOWN_ROWS];
    *made = (known_row){signature.hash, (int32_t)products, (int32_t)n, known->products, known->entries};
    known->products += (int32_t)products;
    known->entries += (int32_t)n;
    return made;
}

void spg_keep_row(spg_worker *worker, int64_t row, int64_t n)
{
    enum { SHARE = 8 }; /* the most of the memory for one row */
    const row_chunk *chunk = &worker->chunk;
    const worker_sizes *sizes = &worker->shared->sizes;
    const int64_t products = chunk->row_products[row];
    const int32_t *columns = worker->columns + worker->staged - n, *b_columns = worker->shared->product->B->columns;
    const uint32_t mask = (uint32_t)sizes->table_slots - 1;
    if (n == 0 || n > MAX_LIST || products > sizes->known_products / SHARE) return;
    if (worker->staged - worker->current.begin < n || columns[n - 1] - columns[0] > (int32_t)mask) return;
    const uint32_t generation = next_generation(worker);
    known_row *made = make_known(worker, products, n);
    int32_t *offsets = worker->known.offsets + made->first_product, base = worker->known.last.base;
    uint16_t *places = worker->known.places + made->first_product;
    for (int64_t i = 0; i < n; i++) {
        worker->table[(uint32_t)columns[i] & mask] = generation | (uint32_t)i;
        worker->known.columns[made->first_entry + i] = columns[i] - base;
    }
    for (int64_t k = chunk->bounds[row]; k < chunk->bounds[row + 1]; k++)
        for (int64_t t = chunk->starts[k], end = t + chunk->lengths[k]; t < end; t++) {
            *offsets++ = b_columns[t] - base;
            *places++ = (uint16_t)(worker->table[(uint32_t)b_columns[t] & mask] ^ generation);
        }
}
