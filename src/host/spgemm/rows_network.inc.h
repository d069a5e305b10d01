/* See rows_network.c. */

/* The products of a row, flat, eight at a time, in the order of their numbers. Room for eight more is needed. */
SPG_AVX512 static void NAMED(multiply)(const spg_worker *worker, int64_t row, VALUE *products)
{
    const row_chunk *chunk = &worker->chunk;
    const VALUE *a_values = (const VALUE *)worker->shared->product->A->values + chunk->first_entry;
    const VALUE *b_values = worker->shared->product->B->values;
    int count = 0;
    for (int64_t k = chunk->bounds[row]; k < chunk->bounds[row + 1]; k++) {
        const VALUE a = VALUE_AT(a_values, k);
        int64_t t = chunk->starts[k];
        for (int left = chunk->lengths[k]; left > 0; left -= 8, t += 8) {
            NAMED(multiply_8)(a, b_values, t, (__mmask8)first_lanes(left), products + count);
            count += left < 8 ? left : 8;
        }
    }
}

/* Each product is added to the entry whose column it has, in the order of their numbers. */
SPG_AVX512 static void NAMED(add_by_places)(const VALUE *products, const uint8_t *places, int count, VALUE *sums, int n)
{
    for (int i = 0; i < n; i++) sums[i] = ZERO;
    for (int k = 0; k < count; k++) sums[places[k]] = SUM(sums[places[k]], products[k]);
}

/* The sums of one row of the batch, whose columns stand in the staging. */
SPG_AVX512 static void NAMED(contract)(const spg_worker *worker, const network_row *it, const uint32_t *keys)
{
    uint8_t places[NETWORK_KEYS];
    find_places(keys, it->count, places);
    NAMED(multiply)(worker, it->row, worker->sort_products);
    NAMED(add_by_places)(worker->sort_products, places, it->count, (VALUE *)worker->values + it->begin, it->n);
}

SPG_AVX512 int64_t NAMED(spg_rows_network)(spg_worker *worker, int64_t row, int64_t end)
{
    network_batch batch;
    if (!open_batch(worker, row, end, &batch)) return 0;
    prefetch_next_batch(worker, &batch, end);
    for (int i = 0; i < batch.rows; i++) expand_keys(worker, &batch.row[i], batch_keys(worker, &batch.row[i]));
    for (int i = 0; i < batch.rows; i++) spg_sort_by_network(batch_keys(worker, &batch.row[i]), batch.row[i].count);
    for (int i = 0; i < batch.rows; i++) emit_columns(worker, &batch.row[i], batch_keys(worker, &batch.row[i]));
    for (int i = 0; i < batch.rows; i++) NAMED(contract)(worker, &batch.row[i], batch_keys(worker, &batch.row[i]));
    return batch.rows;
}
