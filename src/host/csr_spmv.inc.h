/* y = alpha*A*x + beta*y. Template; see for_each_type.h. */
static void TYPED(spmv)(const spg_context *context, const void *alpha, const spg_csr *matrix, const void *x_vector,
                        const void *beta, void *y_vector)
{
    const OFFSET *offsets = matrix->row_offsets;
    const int32_t *columns = matrix->columns;
    const VALUE *values = matrix->values, *x = x_vector;
    VALUE *y = y_vector;
    int threads = spg_host_threads(context, matrix->nnz + matrix->rows);
    int64_t parts = spg_host_parts(threads);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t p = 0; p < parts; ++p) {
        int64_t last = spg_host_first_row(matrix, p + 1, parts);
        for (int64_t i = spg_host_first_row(matrix, p, parts); i < last; ++i) {
            VALUE sum = ZERO;
            int64_t end = offsets[i + 1];
            for (int64_t k = offsets[i]; k < end; ++k) sum = SUM(sum, PRODUCT(values[k], x[columns[k]]));
            y[i] = NAMED(update)(sum, alpha, beta, y + i);
        }
    }
}
