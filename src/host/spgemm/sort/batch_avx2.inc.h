/* See batch_avx2.c. */

/* Expansion: column and product of each product of the batch, in the order of their numbers. B's rows have up to `most`
 * (4 or 8) entries, or any number (0). Needs room for eight more. */
AVX2_INLINE void NAMED(expand_rows)(const spg_worker *worker, const network_batch *batch, VALUE *restrict products,
                                    const int most)
{
    const row_chunk *chunk = &worker->chunk;
    const VALUE *restrict a_values = (const VALUE *)worker->shared->product->A->values + chunk->first_entry;
    const VALUE *restrict b_values = worker->shared->product->B->values;
    const int32_t *restrict b_columns = worker->shared->product->B->columns, *restrict lengths = chunk->lengths;
    const int64_t *restrict starts = chunk->starts, end = batch->end_entry;
    int32_t *restrict columns = batch->columns;
    int64_t at = 0;
    for (int64_t k = batch->first_entry; k < end; k++) {
        const VALUE a = VALUE_AT(a_values, k);
        const int64_t start = starts[k];
        const int length = lengths[k];
        if (most == 4) {
            const __m128i loaded = _mm_maskload_epi32(b_columns + start, _mm256_castsi256_si128(first_lanes(length)));
            _mm_storeu_si128((__m128i *)(void *)(columns + at), loaded);
            NAMED(multiply_4)(a, b_values, start, length, products + at);
        }
        for (int i = 0; most != 4 && (most == 8 ? i < 1 : i < length); i += 8) {
            const __m256i loaded = _mm256_maskload_epi32(b_columns + start + i, first_lanes(length - i));
            _mm256_storeu_si256((__m256i *)(void *)(columns + at + i), loaded);
            NAMED(multiply_8)(a, b_values, start + i, length - i, products + at + i);
        }
        at += length;
    }
}

SPG_AVX2 static void NAMED(expand)(const spg_worker *worker, const network_batch *batch, VALUE *products)
{
    const int64_t longest = worker->shared->b.longest_row;
    if (longest <= 4)
        NAMED(expand_rows)(worker, batch, products, 4);
    else if (longest <= 8)
        NAMED(expand_rows)(worker, batch, products, 8);
    else
        NAMED(expand_rows)(worker, batch, products, 0);
}

/* Adds each product of a short row, in the order of their numbers, to the entry of its column. */
AVX2_INLINE void NAMED(contract_short)(const int32_t *columns, const network_row *it, const int32_t *c_columns,
                                       const VALUE *products, VALUE *sums, const int registers)
{
    __m256i loaded[4];
    load_columns(c_columns, it->n, loaded, registers);
    for (int p = 0; p < it->count; p++) {
        const int place = place_of(loaded, columns[p], registers);
        sums[place] = SUM(sums[place], products[p]);
    }
}

/* Contraction: the same for any row. */
AVX2_INLINE void NAMED(contract)(const network_batch *batch, const network_row *it, const int32_t *c_columns,
                                 const VALUE *products, VALUE *sums)
{
    const int32_t *columns = batch->columns + it->first;
    if (it->count <= SHORT_ROW && it->n <= NAMED(IN_REGISTERS)) {
        NAMED(sum_in_registers)(c_columns, it->n, columns, products, it->count, sums);
        return;
    }
    for (int i = 0; i < it->n; i++) sums[i] = ZERO;
    if (it->count <= SHORT_ROW && it->n <= 16) {
        NAMED(contract_short)(columns, it, c_columns, products, sums, 2);
    } else if (it->count <= SHORT_ROW) {
        NAMED(contract_short)(columns, it, c_columns, products, sums, 4);
    } else {
        uint8_t places[NETWORK_KEYS];
        find_places(batch->sorted + it->slot, it->count, places);
        for (int p = 0; p < it->count; p++) sums[places[p]] = SUM(sums[places[p]], products[p]);
    }
}

SPG_AVX2 void NAMED(spg_batch_avx2)(spg_worker *worker, network_batch *batch)
{
    VALUE *values = (VALUE *)worker->values, *products = worker->sort_products;
    NAMED(expand)(worker, batch, products);
    find_columns(worker, batch);
    for (int i = 0; i < batch->rows; i++) {
        const network_row *it = &batch->row[i];
        NAMED(contract)(batch, it, worker->columns + it->begin, products + it->first, values + it->begin);
    }
}
