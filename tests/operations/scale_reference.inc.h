/* Scaling by a plain loop over entries. Template; see src/host/value_types.h. */
static void NAMED(reference_scale)(const test_entry *entries, int64_t count, const void *row_factors,
                                   const void *column_factors, void *matrix_values)
{
    const VALUE *rows = row_factors, *columns = column_factors;
    VALUE *values = matrix_values;
    for (int64_t k = 0; k < count; ++k) {
        if (rows != NULL) values[k] = PRODUCT(rows[entries[k].row], values[k]);
        if (columns != NULL) values[k] = PRODUCT(values[k], columns[entries[k].column]);
    }
}
