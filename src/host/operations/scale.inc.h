/* Scaling of rows of a matrix. Template; see value_types.h. */
static void NAMED(scale)(const void *data, spg_range rows)
{
    const scale_job *job = data;
    const VALUE *by_row = job->row_factors, *by_column = job->column_factors;
    const int32_t *columns = job->matrix->columns;
    VALUE *values = job->matrix->values;
    for (int64_t i = rows.begin; i < rows.end; ++i) {
        const int64_t end = spg_offset_at(job->matrix, i + 1);
        for (int64_t k = spg_offset_at(job->matrix, i); k < end; ++k) {
            if (by_row != NULL) values[k] = PRODUCT(by_row[i], values[k]);
            if (by_column != NULL) values[k] = PRODUCT(values[k], by_column[columns[k]]);
        }
    }
}
