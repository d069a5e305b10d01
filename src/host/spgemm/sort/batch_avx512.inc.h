/* See batch_avx512.c. */

/* The products of the batch in the order of their numbers, eight at a time; needs room for eight more. */
SPG_AVX512 static void NAMED(multiply)(const spg_worker *worker, const network_batch *batch, VALUE *products)
{
    const row_chunk *chunk = &worker->chunk;
    const VALUE *a_values = (const VALUE *)worker->shared->product->A->values + chunk->first_entry;
    const VALUE *b_values = worker->shared->product->B->values;
    for (int64_t k = batch->first_entry; k < batch->end_entry; k++) {
        const VALUE a = VALUE_AT(a_values, k);
        int64_t t = chunk->starts[k], at = chunk->before[k] - batch->first_product;
        for (int left = chunk->lengths[k]; left > 0; left -= 8, t += 8, at += 8)
            NAMED(multiply_8)(a, b_values, t, (__mmask8)first_lanes(left), products + at);
    }
}

/* Contraction: adds each product, in the order of their numbers, to the entry of its column. */
SPG_AVX512 static void NAMED(contract)(const network_batch *batch, const network_row *it, const VALUE *products,
                                       VALUE *sums)
{
    uint8_t places[NETWORK_KEYS];
    find_places(batch->sorted + it->slot, it->count, places);
    for (int i = 0; i < it->n; i++) sums[i] = ZERO;
    for (int k = it->first; k < it->first + it->count; k++) {
        const int place = places[k & (NETWORK_KEYS - 1)];
        sums[place] = SUM(sums[place], products[k]);
    }
}

SPG_AVX512 void NAMED(spg_batch_avx512)(spg_worker *worker, network_batch *batch)
{
    VALUE *values = (VALUE *)worker->values, *products = worker->sort_products;
    expand_keys(worker, batch);
    for (int i = 0; i < batch->rows; i++)
        spg_sort_by_network_avx512(batch->keys + batch->row[i].first, batch->row[i].count,
                                   batch->sorted + batch->row[i].slot);
    for (int i = 0; i < batch->rows; i++) {
        emit_columns(worker, batch, &batch->row[i]);
        worker->row_counts[batch->first_row + i] = batch->row[i].n;
    }
    NAMED(multiply)(worker, batch, products);
    for (int i = 0; i < batch->rows; i++)
        NAMED(contract)(batch, &batch->row[i], products, values + batch->row[i].begin);
}
