/* See equal_rows.c. */

/* sums[MOST_EQUAL_ROWS * place + i] for row + i; returns the number of columns. */
static uint32_t NAMED(contract)(const spg_worker *worker, int64_t row, int rows, uint32_t generation)
{
    const multiplication *shared = worker->shared;
    const row_chunk *chunk = &worker->chunk;
    const VALUE *a_values = (const VALUE *)shared->product->A->values + chunk->first_entry;
    const VALUE *b_values = shared->product->B->values;
    const int32_t *b_columns = shared->product->B->columns;
    const uint32_t mask = (uint32_t)shared->sizes.table_slots - 1;
    uint32_t *restrict table = worker->table;
    int32_t *restrict columns = worker->list_columns;
    VALUE *restrict all_sums = worker->list_sums;
    const int64_t first = chunk->bounds[row], count = chunk->bounds[row + 1] - first;
    uint32_t n = 0;
    for (int64_t k = first; k < first + count; k++) {
        VALUE a[MOST_EQUAL_ROWS] = {VALUE_AT(a_values, k), VALUE_AT(a_values, k + count), ZERO, ZERO};
        for (int i = 2; i < rows; i++) a[i] = VALUE_AT(a_values, k + i * count);
        const int64_t start = chunk->starts[k], end = start + chunk->lengths[k];
        for (int64_t t = start; t < end; t++) {
            const int32_t column = b_columns[t];
            const VALUE b = VALUE_AT(b_values, t);
            uint32_t position = table[(uint32_t)column & mask] ^ generation;
            if (position >= MAX_LIST) {
                position = n++;
                table[(uint32_t)column & mask] = generation | position;
                columns[position] = column;
                for (int i = 0; i < MOST_EQUAL_ROWS; i++) all_sums[MOST_EQUAL_ROWS * (int64_t)position + i] = ZERO;
            }
            VALUE *sums = all_sums + MOST_EQUAL_ROWS * (int64_t)position;
            for (int i = 0; i < MOST_EQUAL_ROWS; i++) sums[i] = SUM(sums[i], PRODUCT(a[i], b));
        }
    }
    return n;
}

void NAMED(spg_rows_equal)(spg_worker *worker, int64_t row, int rows)
{
    const uint32_t n = NAMED(contract)(worker, row, rows, next_generation(worker));
    const VALUE *sums = worker->list_sums;
    int32_t *columns = worker->columns + worker->staged;
    const uint16_t *order = spg_sort_list(worker, (int)n, columns);
    for (int i = 0; i < rows; i++) {
        VALUE *values = (VALUE *)worker->values + worker->staged;
        for (uint32_t j = 0; j < n; j++) values[j] = sums[MOST_EQUAL_ROWS * order[j] + i];
        if (i > 0) memcpy(worker->columns + worker->staged, columns, n * sizeof *columns);
        worker->row_counts[row + i] = n;
        worker->staged += n;
    }
}
