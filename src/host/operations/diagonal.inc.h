/* The diagonal of rows of a matrix. Template; see value_types.h. A single entry keeps its bits, a sum starts from zero,
 * as in a product. */
static void NAMED(diagonals)(const void *data, spg_range rows)
{
    const diagonal_job *job = data;
    const int32_t *columns = job->matrix->columns;
    const VALUE *values = job->matrix->values;
    for (int64_t i = rows.begin; i < rows.end && i < job->matrix->cols; ++i) {
        const int64_t end = spg_offset_at(job->matrix, i + 1);
        VALUE sum = ZERO;
        int64_t terms = 0;
        for (int64_t k = spg_offset_at(job->matrix, i); k < end; ++k) {
            if (columns[k] != i) continue;
            if (terms == 1) sum = SUM(ZERO, sum);
            sum = terms++ == 0 ? values[k] : SUM(sum, values[k]);
        }
        ((VALUE *)job->diagonal)[i] = sum;
    }
}
