/* See rows_list.c. */

int64_t NAMED(spg_row_list)(spg_worker *worker, int64_t row)
{
    const multiplication *shared = worker->shared;
    const spg_csr *B = shared->product->B;
    const VALUE *a_values = (const VALUE *)shared->product->A->values + worker->chunk.first_entry;
    const VALUE *b_values = B->values;
    const int32_t *b_columns = B->columns;
    const uint32_t mask = (uint32_t)shared->sizes.table_slots - 1;
    uint32_t *restrict table = worker->table;
    int32_t *restrict columns = worker->list_columns;
    VALUE *restrict sums = worker->list_sums;
    const uint32_t generation = next_generation(worker);
    uint32_t n = 0;

    if (!row_fits_list(worker, row)) return -1;
    for (int64_t k = worker->chunk.bounds[row]; k < worker->chunk.bounds[row + 1]; k++) {
        const VALUE a = VALUE_AT(a_values, k);
        const int64_t start = worker->chunk.starts[k], end = start + worker->chunk.lengths[k];
        for (int64_t t = start; t < end; t++) {
            const int32_t column = b_columns[t];
            const VALUE product = PRODUCT(a, VALUE_AT(b_values, t));
            const uint32_t position = table[(uint32_t)column & mask] ^ generation;
            if (position < MAX_LIST) {
                sums[position] = SUM(sums[position], product);
            } else {
                table[(uint32_t)column & mask] = generation | n;
                columns[n] = column;
                sums[n++] = SUM(ZERO, product);
            }
        }
    }
    VALUE *out_values = (VALUE *)worker->values + worker->staged;
    const uint16_t *order = sort_list(worker, (int)n, worker->columns + worker->staged);
    for (uint32_t i = 0; i < n; i++) out_values[i] = sums[order[i]];
    worker->staged += n;
    return n;
}
