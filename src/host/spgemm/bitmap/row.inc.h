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

/* Adds or gathers the window's products of entries that are described. Returns the first column beyond the window. */
static int64_t NAMED(fill_piece)(spg_worker *worker, column_window *window, const VALUE *a_values,
                                 const int64_t *starts, const int32_t *lengths, int64_t count)
{
    return window->gathers ? NAMED(spg_gather)(worker, window, a_values, starts, lengths, count)
                           : NAMED(accumulate)(worker, window, a_values, starts, lengths, count);
}

/* The same for all entries of a row; -1 if an operand is malformed. */
static int64_t NAMED(fill)(spg_worker *worker, column_window *window, const row_entries *row)
{
    const spg_csr *A = worker->shared->product->A;
    const row_chunk *chunk = &worker->chunk;
    const VALUE *a_values = A->values == NULL ? NULL : (const VALUE *)A->values + row->first;
    const int64_t piece = worker->shared->sizes.chunk_entries, described = row->first - chunk->first_entry;
    if (!row->is_long)
        return NAMED(fill_piece)(worker, window, a_values, chunk->starts + described, chunk->lengths + described,
                                 row->count);
    int64_t next = INT64_MAX;
    for (int64_t k = 0; k < row->count; k += piece) {
        const int64_t count = row->count - k < piece ? row->count - k : piece;
        if (!spg_describe_entries(A, worker->shared->product->B, row->first + k, count, chunk->starts, chunk->lengths))
            return -1;
        const int64_t beyond = NAMED(fill_piece)(worker, window, a_values == NULL ? NULL : a_values + k, chunk->starts,
                                                 chunk->lengths, count);
        next = beyond < next ? beyond : next;
    }
    return next;
}

/* A row window by window. Returns its entries of C, or -1 if an operand is malformed. */
static int64_t NAMED(multiply)(spg_worker *worker, const row_entries *row, column_range range, int64_t products)
{
    column_window window = open_window(worker, range, row->count, products);
    int64_t emitted = 0;
    for (int64_t next = range.first; next != INT64_MAX;) {
        move_window(worker, &window, next);
        const int64_t beyond = NAMED(fill)(worker, &window, row);
        if (beyond < 0) return -1;
        if (was_too_wide(worker, &window)) continue;
        next = beyond;
        if (!window.gathers)
            emitted += NAMED(emit)(worker, &window);
        else if (spg_make_room(worker, window.gathered))
            emitted += NAMED(spg_sort_gathered)(worker, window.gathered);
        else
            return 0;
    }
    return emitted;
}

int64_t NAMED(spg_row_window)(spg_worker *worker, int64_t row)
{
    const row_chunk *chunk = &worker->chunk;
    const int64_t *bounds = chunk->bounds + row;
    const row_entries entries = {chunk->first_entry + bounds[0], bounds[1] - bounds[0], false};
    return NAMED(multiply)(worker, &entries, spg_row_column_range(worker, row), chunk->row_products[row]);
}

int64_t NAMED(spg_long_row_window)(spg_worker *worker, int64_t *products)
{
    const row_entries row = long_row(worker, products);
    const column_range range = {0, worker->shared->product->B->cols - 1};
    return *products < 0 ? -1 : NAMED(multiply)(worker, &row, range, *products);
}
