/* See batch_avx512.c. */

/* Expansion: column and product of each product of the batch, in the order of their numbers. B's rows have up to `most`
 * (4 or 8) entries, or any number (0). Needs room for eight more. */
LANES_INLINE void NAMED(expand_rows)(const spg_worker *worker, const network_batch *batch, VALUE *restrict products,
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
        const int64_t start = starts[k], length = lengths[k];
        if (most == 4) {
            const __mmask8 mask = (__mmask8)_bzhi_u32(0xF, (unsigned)length);
            _mm_storeu_si128((__m128i *)(void *)(columns + at), _mm_maskz_loadu_epi32(mask, b_columns + start));
            NAMED(multiply_4)(a, b_values, start, mask, products + at);
        }
        for (int64_t i = 0; most != 4 && (most == 8 ? i < 1 : i < length); i += 8) {
            const __mmask8 mask = (__mmask8)first_lanes(length - i);
            const __m256i loaded = _mm256_maskz_loadu_epi32(mask, b_columns + start + i);
            _mm256_storeu_si256((__m256i *)(void *)(columns + at + i), loaded);
            NAMED(multiply_8)(a, b_values, start + i, mask, products + at + i);
        }
        at += length;
    }
}

SPG_AVX512 static void NAMED(expand)(const spg_worker *worker, const network_batch *batch, VALUE *products)
{
    const int64_t longest = worker->shared->b.longest_row;
    if (longest <= 4)
        NAMED(expand_rows)(worker, batch, products, 4);
    else if (longest <= 8)
        NAMED(expand_rows)(worker, batch, products, 8);
    else
        NAMED(expand_rows)(worker, batch, products, 0);
}

/* Contraction: adds each product, in the order of their numbers, to the entry of its column. */
LANES_INLINE void NAMED(contract)(const network_batch *batch, const network_row *it, const int32_t *c_columns,
                                  const VALUE *products, VALUE *sums)
{
    const int32_t *columns = batch->columns + it->first;
    if (it->count <= SHORT_ROW && it->n <= NAMED(IN_REGISTERS)) {
        NAMED(sum_in_registers)(c_columns, it->n, columns, products, it->count, sums);
        return;
    }
    for (int i = 0; i < it->n; i++) sums[i] = ZERO;
    if (it->count <= SHORT_ROW) {
        const __m512i low = _mm512_loadu_si512(c_columns), none = _mm512_set1_epi32(-1);
        const __m512i high = it->n > 16 ? _mm512_loadu_si512(c_columns + 16) : none;
        for (int p = 0; p < it->count; p++) {
            const int place = place_of(low, high, columns[p]);
            sums[place] = SUM(sums[place], products[p]);
        }
        return;
    }
    uint8_t places[NETWORK_KEYS];
    find_places(batch->sorted + it->slot, it->count, places);
    for (int p = 0; p < it->count; p++) sums[places[p]] = SUM(sums[places[p]], products[p]);
}

SPG_AVX512 void NAMED(spg_batch_avx512)(spg_worker *worker, network_batch *batch)
{
    VALUE *values = (VALUE *)worker->values, *products = worker->sort_products;
    NAMED(expand)(worker, batch, products);
    find_columns(worker, batch);
    for (int i = 0; i < batch->rows; i++) {
        const network_row *it = &batch->row[i];
        NAMED(contract)(batch, it, worker->columns + it->begin, products + it->first, values + it->begin);
    }
}
