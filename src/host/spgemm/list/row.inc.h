/* See row.c. */

/* Adds one row to the list; returns its number of columns. is_mixed: a constant, whether to do without branches. */
static inline uint32_t NAMED(contract)(const spg_worker *worker, int64_t row, uint32_t generation, bool is_mixed)
{
    const multiplication *shared = worker->shared;
    const row_chunk *chunk = &worker->chunk;
    const VALUE *a_values = (const VALUE *)shared->product->A->values + chunk->first_entry;
    const VALUE *b_values = shared->product->B->values;
    const int32_t *b_columns = shared->product->B->columns;
    const uint32_t mask = (uint32_t)shared->sizes.table_slots - 1;
    uint32_t *restrict table = worker->table;
    int32_t *restrict columns = worker->list_columns;
    VALUE *restrict sums = worker->list_sums;
    const int64_t described = chunk->bounds[chunk->rows];
    uint32_t n = 0;
    sums[0] = ZERO; /* as is sums[n] where there are no branches */
    for (int64_t k = chunk->bounds[row]; k < chunk->bounds[row + 1]; k++) {
        const int64_t later = chunk->starts[k + AHEAD < described ? k + AHEAD : k];
        __builtin_prefetch(b_columns + later);
        __builtin_prefetch(b_values + later);
        const VALUE a = VALUE_AT(a_values, k);
        const int64_t start = chunk->starts[k], end = start + chunk->lengths[k];
        for (int64_t t = start; t < end; t++) {
            const int32_t column = b_columns[t];
            const VALUE product = PRODUCT(a, VALUE_AT(b_values, t));
            uint32_t position = table[(uint32_t)column & mask] ^ generation;
            if (is_mixed) {
                const uint32_t is_new = position >= MAX_LIST;
                position ^= (position ^ n) & (0 - is_new);
                table[(uint32_t)column & mask] = generation | position;
                columns[position] = column;
                sums[position] = SUM(sums[position], product);
                n += is_new;
                sums[n] = ZERO;
            } else if (position < MAX_LIST) {
                sums[position] = SUM(sums[position], product);
            } else {
                table[(uint32_t)column & mask] = generation | n;
                columns[n] = column;
                sums[n++] = SUM(ZERO, product);
            }
        }
    }
    return n;
}

/* A few entries, sorted by insertion while they are copied to the staging buffer. */
static inline void NAMED(insert)(const spg_worker *worker, uint32_t n, int32_t *columns, VALUE *values)
{
    const int32_t *list_columns = worker->list_columns;
    const VALUE *list_sums = worker->list_sums;
    for (uint32_t i = 0; i < n; i++) {
        const int32_t column = list_columns[i];
        uint32_t at = i;
        for (; at > 0 && columns[at - 1] > column; at--) {
            columns[at] = columns[at - 1];
            values[at] = values[at - 1];
        }
        columns[at] = column;
        values[at] = list_sums[i];
    }
}

int64_t NAMED(spg_rows_list)(spg_worker *worker, int64_t row, int64_t end)
{
    const VALUE *sums = worker->list_sums;
    const int64_t first = row;
    while (row < end && row_fits_list(worker, row)) {
        const int equal = spg_equal_rows(worker, row, end);
        if (!make_room_for_rows(worker, row, equal)) break;
        if (equal > 1) {
            NAMED(spg_rows_equal)(worker, row, equal);
            row += equal;
            continue;
        }
        int32_t *columns = worker->columns + worker->staged;
        VALUE *values = (VALUE *)worker->values + worker->staged;
        const uint32_t generation = next_generation(worker);
        const uint32_t n = worker->list_is_mixed ? NAMED(contract)(worker, row, generation, true)
                                                 : NAMED(contract)(worker, row, generation, false);
        worker->list_is_mixed = worker->known.scattered && row_is_mixed(n, worker->chunk.row_products[row]);
        if (n <= FEW) {
            NAMED(insert)(worker, n, columns, values);
        } else {
            const uint16_t *order = spg_sort_list(worker, (int)n, columns);
            for (uint32_t i = 0; i < n; i++) values[i] = sums[order[i]];
        }
        worker->row_counts[row++] = n;
        worker->staged += n;
    }
    return row - first;
}
