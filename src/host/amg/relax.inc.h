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

static void TYPED(residual)(const spg_context *context, const spg_csr *A, const void *b, const void *x, void *r_vector)
{
    VALUE *r = r_vector;
    const int threads = spg_host_threads(context, A->nnz + A->rows);
    const int64_t parts = spg_host_parts(threads);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t p = 0; p < parts; ++p) {
        const int64_t last = spg_host_first_row(A, p + 1, parts);
        for (int64_t i = spg_host_first_row(A, p, parts); i < last; ++i) r[i] = TYPED(row_residual)(A, i, b, x);
    }
}

/* The direction of row i, kept if the sweep keeps one. */
static inline VALUE TYPED(direction)(const sweep *job, int64_t i, VALUE residual)
{
    const VALUE *inverse = job->inverse;
    VALUE *d = job->d, step = (VALUE)job->coefficient * inverse[i] * residual;
    if (job->keep != 0) step = (VALUE)job->keep * d[i] + step;
    if (d != NULL) d[i] = step;
    return step;
}

static void TYPED(relax)(const spg_context *context, const spg_csr *A, const sweep *job)
{
    const VALUE *x = job->x;
    VALUE *y = job->y;
    const int threads = spg_host_threads(context, A->nnz + A->rows);
    const int64_t parts = spg_host_parts(threads);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t p = 0; p < parts; ++p) {
        const int64_t last = spg_host_first_row(A, p + 1, parts);
        for (int64_t i = spg_host_first_row(A, p, parts); i < last; ++i)
            y[i] = x[i] + TYPED(direction)(job, i, TYPED(row_residual)(A, i, job->b, x));
    }
}

static void TYPED(relax_from_zero)(const spg_context *context, const spg_csr *A, const sweep *job)
{
    const VALUE *b = job->b;
    VALUE *y = job->y;
    const int threads = spg_host_threads(context, A->rows);
    (void)threads; /* unused without OpenMP */
#pragma omp parallel for num_threads(threads)
    for (int64_t i = 0; i < A->rows; ++i) y[i] = TYPED(direction)(job, i, b[i]);
}
