/* Plain loops for each value type. Template; see src/host/value_types.h. */
static void NAMED(reference_spmv)(const test_entry *entries, int64_t count, const void *matrix_values, int64_t rows,
                                  const void *alpha, const void *x_vector, const void *beta, void *y_vector)
{
    const VALUE *values = matrix_values, *x = x_vector;
    VALUE *y = y_vector, *sums = test_array(rows, sizeof *sums);
    for (int64_t k = 0; k < count; ++k)
        sums[entries[k].row] = SUM(sums[entries[k].row], PRODUCT(values[entries[k].index], x[entries[k].column]));
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
