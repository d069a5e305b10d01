/* Residuals and smoothing sweeps. Template; see host/for_each_type.h. */
static inline VALUE TYPED(row_residual)(const spg_csr *A, int64_t i, const VALUE *b, const VALUE *x)
{
    const OFFSET *offsets = A->row_offsets;
    const int32_t *columns = A->columns;
    const VALUE *values = A->values;
    const int64_t end = offsets[i + 1];
    VALUE sum = ZERO;
    for (int64_t k = offsets[i]; k < end; ++k) sum = SUM(sum, PRODUCT(values[k], x[columns[k]]));
    return b[i] - sum;
}

static void TYPED(residual)(const void *data, spg_range rows)
{
    const sweep *job = data;
    VALUE *r = job->y;
    for (int64_t i = rows.begin; i < rows.end; ++i) r[i] = TYPED(row_residual)(job->A, i, job->b, job->x);
}

/* The direction of row i, stored if the sweep has a d. */
static inline VALUE TYPED(direction)(const sweep *job, int64_t i, VALUE residual)
{
    const VALUE *inverse = job->inverse;
    VALUE *d = job->d, step = (VALUE)job->coefficient * inverse[i] * residual;
    if (job->keep != 0) step = (VALUE)job->keep * d[i] + step;
    if (d != NULL) d[i] = step;
    return step;
}

static void TYPED(relax)(const void *data, spg_range rows)
{
    const sweep *job = data;
    const VALUE *x = job->x;
    VALUE *y = job->y;
    for (int64_t i = rows.begin; i < rows.end; ++i)
        y[i] = x[i] + TYPED(direction)(job, i, TYPED(row_residual)(job->A, i, job->b, x));
}

static void TYPED(relax_from_zero)(const void *data, spg_range rows)
{
    const sweep *job = data;
    const VALUE *b = job->b;
    VALUE *y = job->y;
    for (int64_t i = rows.begin; i < rows.end; ++i) y[i] = TYPED(direction)(job, i, b[i]);
}
