/* Sums of the product of a COO matrix and a vector. Template; see value_types.h. */

/* y for rows [first, last), from triples [k, end), which are sorted by row. */
static void NAMED(spmv_sorted)(const coo_spmv *job, int64_t first, int64_t last, int64_t k, int64_t end)
{
    const spg_coo *matrix = job->matrix;
    const VALUE *values = matrix->values, *x = job->x;
    VALUE *y = job->y;
    for (int64_t i = first; i < last; ++i) {
        VALUE sum = ZERO;
        for (; k < end && matrix->row_indices[k] == i; ++k) sum = SUM(sum, PRODUCT(values[k], x[matrix->columns[k]]));
        y[i] = NAMED(update)(sum, job->alpha, job->beta, y + i);
    }
}

/* Triples in any order, by one thread; sums: workspace of `rows` elements. */
static void NAMED(spmv_unsorted)(const coo_spmv *job, void *workspace)
{
    const spg_coo *matrix = job->matrix;
    const VALUE *values = matrix->values, *x = job->x;
    VALUE *sums = workspace, *y = job->y;
    for (int64_t i = 0; i < matrix->rows; ++i) sums[i] = ZERO;
    for (int64_t k = 0; k < matrix->nnz; ++k) {
        VALUE *sum = sums + matrix->row_indices[k];
        *sum = SUM(*sum, PRODUCT(values[k], x[matrix->columns[k]]));
    }
    for (int64_t i = 0; i < matrix->rows; ++i) y[i] = NAMED(update)(sums[i], job->alpha, job->beta, y + i);
}
