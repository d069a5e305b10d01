/* How a row of two matrices differs. Template; see value_types.h. */

/* The sum of the entries of a column, from *k on, which goes past them. A single entry keeps its bits. */
static VALUE NAMED(sum_column)(const spg_csr *matrix, int64_t *k, int64_t end, int32_t column)
{
    const VALUE *values = matrix->values;
    if (*k == end || matrix->columns[*k] != column) return ZERO;
    VALUE sum = values[(*k)++];
    if (*k < end && matrix->columns[*k] == column) sum = SUM(ZERO, sum);
    for (; *k < end && matrix->columns[*k] == column; ++*k) sum = SUM(sum, values[*k]);
    return sum;
}

static row_difference NAMED(compare_row)(const compare_job *job, int64_t row)
{
    row_difference found = {-1, false, 0, 0};
    int64_t a = spg_offset_at(job->A, row), b = spg_offset_at(job->B, row);
    const int64_t a_end = spg_offset_at(job->A, row + 1), b_end = spg_offset_at(job->B, row + 1);
    while (a < a_end || b < b_end) {
        int32_t column = a < a_end ? job->A->columns[a] : job->B->columns[b];
        if (b < b_end && job->B->columns[b] < column) column = job->B->columns[b];
        const bool in_a = a < a_end && job->A->columns[a] == column, in_b = b < b_end && job->B->columns[b] == column;
        found.other_places |= in_a != in_b;
        const VALUE x = NAMED(sum_column)(job->A, &a, a_end, column), y = NAMED(sum_column)(job->B, &b, b_end, column);
        const double parts[4] = {NAMED(re)(x), NAMED(im)(x), NAMED(re)(y), NAMED(im)(y)};
        note(&found, column, parts);
    }
    return found;
}
