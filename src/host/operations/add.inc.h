/* A row of a sum. Template; see value_types.h. */

/* Adds the scaled entries of one column, from k on, to sum; *terms counts them. A single entry keeps its bits, a sum
 * starts from zero, as in a product. */
static int64_t NAMED(add_column)(const spg_csr *matrix, int64_t k, int64_t end, int32_t column, const VALUE *scale,
                                 VALUE *sum, int64_t *terms)
{
    const VALUE *values = matrix->values;
    for (; k < end && matrix->columns[k] == column; ++k) {
        const VALUE term = scale != NULL ? PRODUCT(*scale, values[k]) : values[k];
        if (*terms == 1) *sum = SUM(ZERO, *sum);
        *sum = *terms == 0 ? term : SUM(*sum, term);
        ++*terms;
    }
    return k;
}

static int64_t NAMED(add_row)(const void *data, int64_t row, int32_t *columns, void *values)
{
    const add_job *job = data;
    const spg_csr *A = job->A, *B = job->B;
    int64_t a = spg_offset_at(A, row), b = spg_offset_at(B, row), count = 0;
    const int64_t a_end = spg_offset_at(A, row + 1), b_end = spg_offset_at(B, row + 1);
    while (a < a_end || b < b_end) {
        int32_t column = a < a_end ? A->columns[a] : B->columns[b];
        if (b < b_end && B->columns[b] < column) column = B->columns[b];
        if (columns == NULL) {
            while (a < a_end && A->columns[a] == column) ++a;
            while (b < b_end && B->columns[b] == column) ++b;
        } else {
            VALUE sum = ZERO;
            int64_t terms = 0;
            a = NAMED(add_column)(A, a, a_end, column, job->alpha, &sum, &terms);
            b = NAMED(add_column)(B, b, b_end, column, job->beta, &sum, &terms);
            columns[count] = column;
            ((VALUE *)values)[count] = sum;
        }
        ++count;
    }
    return count;
}
