/* See row.c. */

/* Expansion: keys = (column, number of the product), products = the values, in storage order. */
static int NAMED(expand)(spg_worker *worker, int64_t row)
{
    const spg_csr *B = worker->shared->product->B;
    const VALUE *a_values = (const VALUE *)worker->shared->product->A->values + worker->chunk.first_entry;
    const VALUE *b_values = B->values;
    const int32_t *b_columns = B->columns;
    uint64_t *restrict keys = worker->keys;
    VALUE *restrict products = worker->sort_products;
    int count = 0;
    for (int64_t k = worker->chunk.bounds[row]; k < worker->chunk.bounds[row + 1]; k++) {
        const VALUE a = VALUE_AT(a_values, k);
        const int64_t start = worker->chunk.starts[k], end = start + worker->chunk.lengths[k];
        for (int64_t t = start; t < end; t++, count++) {
            keys[count] = (uint64_t)b_columns[t] << PRODUCT_BITS | (uint64_t)count;
            products[count] = PRODUCT(a, VALUE_AT(b_values, t));
        }
    }
    return count;
}

/* Contraction: adds the products of each column, which are now adjacent and in storage order. */
static int64_t NAMED(contract)(spg_worker *worker, int count)
{
    const uint64_t *keys = worker->keys;
    const VALUE *products = worker->sort_products;
    int32_t *columns = worker->columns + worker->staged;
    VALUE *values = (VALUE *)worker->values + worker->staged;
    int64_t n = -1;
    int64_t last = -1;
    for (int i = 0; i < count; i++) {
        const int64_t column = (int64_t)(keys[i] >> PRODUCT_BITS);
        const VALUE product = products[keys[i] & (MOST_PRODUCTS - 1)];
        if (column != last) {
            columns[++n] = (int32_t)column;
            values[n] = SUM(ZERO, product);
            last = column;
        } else {
            values[n] = SUM(values[n], product);
        }
    }
    return n + 1;
}

int64_t NAMED(spg_sort_gathered)(spg_worker *worker, int64_t gathered)
{
    worker->keys = spg_sort_keys(worker->keys, &worker->keys_spare, (int)gathered, PRODUCT_BITS);
    const int64_t n = NAMED(contract)(worker, (int)gathered);
    worker->staged += n;
    return n;
}

int64_t NAMED(spg_gather)(spg_worker *worker, column_window *window, const VALUE *a_values, const int64_t *starts,
                          const int32_t *lengths, int64_t count)
{
    const spg_csr *B = worker->shared->product->B;
    const VALUE *b_values = B->values;
    const int32_t *b_columns = B->columns;
    const int64_t room = worker->shared->sizes.sort_products, last = window->first + window->columns - 1;
    uint64_t *restrict keys = worker->keys;
    VALUE *restrict products = worker->sort_products;
    int64_t beyond = INT64_MAX, n = window->gathered;
    for (int64_t k = 0; k < count && n <= room; k++) {
        const VALUE a = VALUE_AT(a_values, k);
        int64_t t = starts[k], end = t + lengths[k];
        if (window->sorted) t = spg_host_lower_bound(b_columns, t, end, window->first);
        for (; t < end && n <= room; t++) {
            const int64_t column = b_columns[t];
            if (column < window->first) continue;
            if (column > last) {
                if (column < beyond) beyond = column;
                if (window->sorted) break;
                continue;
            }
            if (n < room) {
                keys[n] = (uint64_t)column << PRODUCT_BITS | (uint64_t)n;
                products[n] = PRODUCT(a, VALUE_AT(b_values, t));
            }
            n++;
        }
    }
    window->gathered = n;
    return beyond;
}

int64_t NAMED(spg_row_sort)(spg_worker *worker, int64_t row)
{
    if (worker->chunk.row_products[row] > worker->shared->sizes.sort_products) return -1;
    const int count = NAMED(expand)(worker, row);
    return NAMED(spg_sort_gathered)(worker, count);
}
