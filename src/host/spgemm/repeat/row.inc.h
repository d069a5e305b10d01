/* See row.c. */

/* Adds the products of one entry, whose row of B begins at `start`; returns 0 if the columns are the known ones. */
static inline uint32_t NAMED(add_entry)(VALUE a, const VALUE *b_values, int64_t start, const int32_t *b_columns,
                                        int64_t count, int32_t base, const int32_t *offsets, const uint16_t *places,
                                        VALUE *sums)
{
    uint32_t differing = 0;
    if (count >= LONG) {
        for (int64_t t = 0; t < count; t++) differing |= (uint32_t)(b_columns[t] - base) ^ (uint32_t)offsets[t];
        for (int64_t t = 0; t < count; t++) {
            VALUE *sum = &sums[places[t]];
            *sum = SUM(*sum, PRODUCT(a, VALUE_AT(b_values, start + t)));
        }
        return differing;
    }
    for (int64_t t = 0; t < count; t++) {
        VALUE *sum = &sums[places[t]];
        differing |= (uint32_t)(b_columns[t] - base) ^ (uint32_t)offsets[t];
        *sum = SUM(*sum, PRODUCT(a, VALUE_AT(b_values, start + t)));
    }
    return differing;
}

/* The row in the staging buffer; false if it is not the known one after all. */
static bool NAMED(repeat)(spg_worker *worker, int64_t row, const known_row *known, int32_t base)
{
    const row_chunk *chunk = &worker->chunk;
    const spg_csr *B = worker->shared->product->B;
    const VALUE *a_values = (const VALUE *)worker->shared->product->A->values + chunk->first_entry,
                *b_values = B->values;
    const int32_t *b_columns = B->columns, *offsets = worker->known.offsets + known->first_product;
    const uint16_t *places = worker->known.places + known->first_product;
    VALUE *restrict sums = (VALUE *)worker->values + worker->staged;
    uint32_t differing = 0;
    for (int32_t i = 0; i < known->n; i += TOGETHER)
        for (int j = 0; j < TOGETHER; j++) sums[i + j] = ZERO;
    for (int64_t k = chunk->bounds[row]; k < chunk->bounds[row + 1]; k++) {
        const int64_t start = chunk->starts[k], count = chunk->lengths[k];
        differing |= NAMED(add_entry)(VALUE_AT(a_values, k), b_values, start, b_columns + start, count, base, offsets,
                                      places, sums);
        offsets += count;
        places += count;
    }
    if (differing != 0) return false;
    const int32_t *known_columns = worker->known.columns + known->first_entry;
    int32_t *restrict columns = worker->columns + worker->staged;
    for (int32_t i = 0; i < known->n; i += TOGETHER)
        for (int j = 0; j < TOGETHER; j++) columns[i + j] = (int32_t)((uint32_t)base + (uint32_t)known_columns[i + j]);
    return true;
}

int64_t NAMED(spg_rows_repeated)(spg_worker *worker, int64_t row, int64_t end)
{
    const int64_t first = row;
    for (; row < end && worker->chunk.row_products[row] > 0; row++) {
        if (spg_equal_rows(worker, row, end) > 1) break;
        worker->known.last = spg_row_signature(worker, row);
        const known_row *known = spg_find_known(worker, row, worker->known.last);
        const bool is_known =
            known != NULL && make_room(worker, known->n) && NAMED(repeat)(worker, row, known, worker->known.last.base);
        spg_count_known(&worker->known, is_known);
        if (!is_known) break;
        worker->row_counts[row] = known->n;
        worker->staged += known->n;
    }
    return row - first;
}
