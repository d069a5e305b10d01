/* Aggregates, each m unknowns by k candidates, computed in double. Template; see for_each_value_type.h. */

/* A candidate that is linearly dependent on those before it leaves only rounding. */

static void NAMED(load_aggregate)(const tentative_job *job, int64_t aggregate, double *columns, int64_t m)
{
    const int size = job->aggregates->block_size, k = job->aggregates->candidates;
    const int64_t rows = job->aggregates->nodes * size;
    const VALUE *fine = job->fine;
    int64_t r = 0;
    for (int64_t n = job->begins[aggregate]; n < job->begins[aggregate + 1]; ++n)
        for (int u = 0; u < size; ++u, ++r)
            for (int c = 0; c < k; ++c) {
                const int64_t row = (int64_t)job->members[n] * size + u;
                columns[c * m + r] = fine != NULL ? (double)fine[c * rows + row] : u == c;
            }
}

static double NAMED(inner_product)(const double *x, const double *y, int64_t m)
{
    double sum = 0;
    for (int64_t r = 0; r < m; ++r) sum += x[r] * y[r];
    return sum;
}

/* Scales the column to about 1, and returns the unit it had. */
static double NAMED(choose_unit)(double *x, int64_t m)
{
    double largest = 0;
    for (int64_t r = 0; r < m; ++r) largest = fmax(largest, fabs(x[r]));
    const double unit = spg_unit_of(largest);
    for (int64_t r = 0; r < m; ++r) x[r] /= unit;
    return unit;
}

/* Orthonormalises column c against those before it; its coefficients go to coarse, row after row. */
static void NAMED(orthonormalise)(double *columns, int64_t m, int c, VALUE *coarse)
{
    double *x = columns + c * m;
    double norm = sqrt(NAMED(inner_product)(x, x, m)), unit = 1;
    if (spg_is_extreme(norm)) {
        unit = NAMED(choose_unit)(x, m);
        norm = sqrt(NAMED(inner_product)(x, x, m));
    }
    for (int p = 0; p < c; ++p) {
        const double *q = columns + p * m, coefficient = NAMED(inner_product)(q, x, m);
        for (int64_t r = 0; r < m; ++r) x[r] -= coefficient * q[r];
        coarse[p] = (VALUE)(coefficient * unit);
    }
    double rest = c > 0 ? sqrt(NAMED(inner_product)(x, x, m)) : norm;
    if (!(rest > spg_amg_least_rest(sizeof(VALUE) == sizeof(float)) * norm)) rest = 0;
    for (int64_t r = 0; r < m; ++r) x[r] = rest > 0 ? x[r] / rest : 0;
    coarse[c] = (VALUE)(rest * unit);
}

static void NAMED(store_aggregate)(const tentative_job *job, int64_t aggregate, const double *columns, int64_t m)
{
    const int size = job->aggregates->block_size, k = job->aggregates->candidates;
    VALUE *T = job->T;
    int64_t r = 0;
    for (int64_t n = job->begins[aggregate]; n < job->begins[aggregate + 1]; ++n)
        for (int u = 0; u < size; ++u, ++r)
            for (int c = 0; c < k; ++c) T[((int64_t)job->members[n] * size + u) * k + c] = (VALUE)columns[c * m + r];
}

static void NAMED(fit_aggregates)(const void *data, spg_range aggregates)
{
    const tentative_job *job = data;
    const int size = job->aggregates->block_size, k = job->aggregates->candidates;
    const int64_t coarse_rows = job->aggregates->aggregates * k;
    double *columns = job->columns + aggregates.thread * job->largest * k;
    for (int64_t a = aggregates.begin; a < aggregates.end; ++a) {
        const int64_t m = (job->begins[a + 1] - job->begins[a]) * size;
        NAMED(load_aggregate)(job, a, columns, m);
        for (int c = 0; c < k; ++c) {
            VALUE *coarse = (VALUE *)job->coarse + c * coarse_rows + a * k;
            for (int p = c + 1; p < k; ++p) coarse[p] = 0;
            NAMED(orthonormalise)(columns, m, c, coarse);
        }
        NAMED(store_aggregate)(job, a, columns, m);
    }
}
