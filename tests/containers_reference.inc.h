/* Plain loops for each value type. Template; see src/host/value_types.h. */

/* A row's sum of its products, count of them. On a device a long row's is one of parts (spg/csr.h). */
static VALUE NAMED(reference_row_sum)(const VALUE *products, int64_t count)
{
    VALUE parts[PARTS_OF_A_LONG_ROW], sum = ZERO;
    if (test_place() == SPG_PLACE_HOST || count <= PARTS_OF_A_LONG_ROW) {
        for (int64_t k = 0; k < count; ++k) sum = SUM(sum, products[k]);
        return sum;
    }
    for (int t = 0; t < PARTS_OF_A_LONG_ROW; ++t) {
        parts[t] = ZERO;
        for (int64_t k = t; k < count; k += PARTS_OF_A_LONG_ROW) parts[t] = SUM(parts[t], products[k]);
    }
    for (int half = PARTS_OF_A_LONG_ROW / 2; half > 0; half /= 2)
        for (int t = 0; t < half; ++t) parts[t] = SUM(parts[t], parts[t + half]);
    return parts[0];
}

static void NAMED(reference_spmv)(const test_entry *entries, int64_t count, const void *matrix_values, int64_t rows,
                                  const void *alpha, const void *x_vector, const void *beta, void *y_vector)
{
    const VALUE *values = matrix_values, *x = x_vector;
    VALUE *y = y_vector, *sums = test_array(rows, sizeof *sums), *products = test_array(count, sizeof *products);
    int64_t *ends = test_array(rows + 1, sizeof *ends);
    for (int64_t k = 0; k < count; ++k) ends[entries[k].row + 1]++;
    for (int64_t i = 0; i < rows; ++i) ends[i + 1] += ends[i];
    for (int64_t k = 0; k < count; ++k)
        products[ends[entries[k].row]++] = PRODUCT(values[entries[k].index], x[entries[k].column]);
    for (int64_t i = 0, begin = 0; i < rows; begin = ends[i++])
        sums[i] = NAMED(reference_row_sum)(products + begin, ends[i] - begin);
    free(products);
    free(ends);
    for (int64_t i = 0; i < rows; ++i) {
        if (alpha != NULL) sums[i] = PRODUCT(*(const VALUE *)alpha, sums[i]);
        y[i] = beta != NULL ? SUM(sums[i], PRODUCT(*(const VALUE *)beta, y[i])) : sums[i];
    }
    free(sums);
}

static void NAMED(reference_sum)(const test_entry *entries, int64_t count, const void *matrix_values, void *sum)
{
    const VALUE *values = matrix_values;
    VALUE total = ZERO;
    for (int64_t k = 0; k < count; ++k) total = SUM(total, values[entries[k].index]);
    *(VALUE *)sum = count == 1 ? values[entries[0].index] : total;
}
