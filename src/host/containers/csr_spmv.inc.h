/* y = alpha*A*x + beta*y by rows. Template; see for_each_type.h. */
static void TYPED(spmv)(const void *data, spg_range rows)
{
    const spmv_job *job = data;
    const OFFSET *offsets = job->matrix->row_offsets;
    const int32_t *columns = job->matrix->columns;
    const VALUE *values = job->matrix->values, *x = job->x;
    VALUE *y = job->y;
    for (int64_t i = rows.begin; i < rows.end; ++i) {
        VALUE sum = ZERO;
        int64_t end = offsets[i + 1];
        for (int64_t k = offsets[i]; k < end; ++k) sum = SUM(sum, PRODUCT(values[k], x[columns[k]]));
        y[i] = NAMED(update)(sum, job->alpha, job->beta, y + i);
    }
}
