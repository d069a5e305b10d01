/* See row.c. */

/* Adds the products of entries [0, count), described by starts and lengths, to a window of whole rows. */
static void NAMED(accumulate_all)(spg_worker *worker, int64_t first, const VALUE *a_values, const int64_t *starts,
                                  const int32_t *lengths, int64_t count)
{
    const spg_csr *B = worker->shared->product->B;
    const VALUE *restrict b_values = B->values;
    const int32_t *restrict b_columns = B->columns;
    uint8_t *restrict marks = worker->marks, *restrict block_marks = worker->block_marks;
    VALUE *restrict sums = worker->window_sums;
    for (int64_t k = 0; k < count; k++) {
        const VALUE a = VALUE_AT(a_values, k);
        for (int64_t t = starts[k], end = t + lengths[k]; t < end; t++) {
            const int64_t column = b_columns[t] - first;
            marks[column] = 1;
            block_marks[column >> 6] = 1;
            sums[column] = SUM(sums[column], PRODUCT(a, VALUE_AT(b_values, t)));
        }
    }
}

/* The same for products with columns in the window. Returns the first column beyond it, or INT64_MAX. */
static int64_t NAMED(accumulate)(spg_worker *worker, const column_window *window, const VALUE *a_values,
                                 const int64_t *starts, const int32_t *lengths, int64_t count)
{
    const spg_csr *B = worker->shared->product->B;
    const VALUE *b_values = B->values;
    const int32_t *b_columns = B->columns;
    uint8_t *restrict marks = worker->marks, *restrict block_marks = worker->block_marks;
    VALUE *restrict sums = worker->window_sums;
    int64_t beyond = INT64_MAX;
    if (window->whole_row) {
        NAMED(accumulate_all)(worker, window->first, a_values, starts, lengths, count);
        return beyond;
    }
    for (int64_t k = 0; k < count; k++) {
        const VALUE a = VALUE_AT(a_values, k);
        int64_t t = starts[k], end = t + lengths[k];
        if (window->sorted) t = spg_host_lower_bound(b_columns, t, end, window->first);
        for (; t < end; t++) {
            const int64_t column = b_columns[t] - window->first;
            if ((uint64_t)column >= (uint64_t)window->columns) {
                if (column >= 0 && b_columns[t] < beyond) beyond = b_columns[t];
                if (column >= 0 && window->sorted) break;
                continue;
            }
            marks[column] = 1;
            block_marks[column >> 6] = 1;
            sums[column] = SUM(sums[column], PRODUCT(a, VALUE_AT(b_values, t)));
        }
    }
    return beyond;
}

/* Moves the window's entries to the staging buffer in order of columns, and zeroes the window. */
static int64_t NAMED(emit)(spg_worker *worker, const column_window *window)
{
    VALUE *sums = worker->window_sums;
    int64_t emitted = 0, blocks = (window->columns + 63) / 64;
    for (int64_t block = 0; (block = next_marked(worker->block_marks, block, blocks)) < blocks; block++) {
        if (!spg_make_room(worker, 64)) return 0;
        int32_t *columns = worker->columns + worker->staged;
        VALUE *values = (VALUE *)worker->values + worker->staged;
        int64_t n = 0;
        for (uint64_t bits = take_block(worker->marks + 64 * block); bits != 0; bits &= bits - 1) {
            int64_t column = 64 * block + lowest_bit(bits);
            columns[n] = (int32_t)(window->first + column);
            values[n++] = sums[column];
            sums[column] = ZERO;
        }
        worker->block_marks[block] = 0;
        worker->staged += n;
        emitted += n;
    }
    return emitted;
}

int64_t NAMED(spg_row_window)(spg_worker *worker, int64_t row)
{
    const row_chunk *chunk = &worker->chunk;
    const VALUE *a_values = (const VALUE *)worker->shared->product->A->values + chunk->first_entry;
    const int64_t first = chunk->bounds[row], count = chunk->bounds[row + 1] - first;
    column_range range = spg_row_column_range(worker, row);
    column_window window = open_window(worker, range);
    int64_t emitted = 0;
    for (int64_t next = range.first; next != INT64_MAX;) {
        window.first = next & ~(int64_t)63;
        next = NAMED(accumulate)(worker, &window, a_values == NULL ? NULL : a_values + first, chunk->starts + first,
                                 chunk->lengths + first, count);
        emitted += NAMED(emit)(worker, &window);
    }
    return emitted;
}

int64_t NAMED(spg_long_row_window)(spg_worker *worker, int64_t *products)
{
    const multiplication *shared = worker->shared;
    const spg_csr *A = shared->product->A;
    const row_chunk *chunk = &worker->chunk;
    const VALUE *a_values = A->values;
    const int64_t first = chunk->first_entry + chunk->bounds[chunk->rows], end = long_row_end(worker);
    const int64_t piece = shared->sizes.chunk_entries;
    column_window window = open_window(worker, (column_range){0, shared->product->B->cols - 1});
    int64_t emitted = 0;
    for (int64_t next = 0; next != INT64_MAX;) {
        window.first = next & ~(int64_t)63;
        next = INT64_MAX;
        *products = 0;
        for (int64_t k = first; k < end; k += piece) {
            int64_t count = end - k < piece ? end - k : piece;
            if (!spg_describe_entries(A, shared->product->B, k, count, chunk->starts, chunk->lengths)) return -1;
            int64_t beyond = NAMED(accumulate)(worker, &window, a_values == NULL ? NULL : a_values + k, chunk->starts,
                                               chunk->lengths, count);
            next = beyond < next ? beyond : next;
            for (int64_t i = 0; i < count; i++) *products += chunk->lengths[i];
        }
        emitted += NAMED(emit)(worker, &window);
    }
    return emitted;
}
