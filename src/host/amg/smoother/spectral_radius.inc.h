/* The steps of Lanczos on the rows of a block; the block's sum goes to job->sums. Template; see for_each_type.h. */

static int64_t TYPED(block_end)(const lanczos *job, int64_t block)
{
    return job->A->rows - block * BLOCK < BLOCK ? job->A->rows : (block + 1) * BLOCK;
}

static void TYPED(keep)(const lanczos *job, int step, int64_t row, double entry) /* an entry of D^1/2 v */
{
    job->known.basis[step * job->A->rows + row] = (float)entry;
}

/* v = D^-1/2 x, where x is random bits, or the known vector plus random bits for what has changed; before = 0. A
 * negative inverse makes the norm a NaN: D is then not an inner product. */
static void TYPED(start)(const lanczos *job, int64_t block, double unused, double unused_too)
{
    const VALUE *inverse = job->inverse;
    VALUE *v = job->v, *before = job->before;
    double sum = 0;
    (void)unused, (void)unused_too;
    for (int64_t i = block * BLOCK; i < TYPED(block_end)(job, block); ++i) {
        double x = spg_amg_random_unit(job->seed, (uint64_t)i);
        if (job->starts_warm) x += (double)job->known.vector[i];
        if (!(inverse[i] > 0)) x = 0;
        const VALUE value = x != 0 ? (VALUE)(x * sqrt((double)inverse[i])) : 0;
        v[i] = value;
        if (job->known.basis != NULL) TYPED(keep)(job, 0, i, x);
        before[i] = 0;
        if (inverse[i] != 0) sum += inverse[i] > 0 ? (double)value * (double)value / (double)inverse[i] : (double)NAN;
    }
    job->sums[block] = sum;
}

/* y = A v; sums v . y. Both use scaled v. */
static void TYPED(multiply)(const lanczos *job, int64_t block, double unused, double unused_too)
{
    const OFFSET *offsets = job->A->row_offsets;
    const int32_t *columns = job->A->columns;
    const VALUE *values = job->A->values, *v = job->v;
    VALUE *y = job->y;
    const double scale = job->v_scale;
    double sum = 0;
    (void)unused, (void)unused_too;
    for (int64_t i = block * BLOCK; i < TYPED(block_end)(job, block); ++i) {
        VALUE row = 0;
        for (int64_t k = offsets[i]; k < offsets[i + 1]; ++k) row += values[k] * v[columns[k]];
        const double product = scale * (double)row;
        y[i] = (VALUE)product;
        sum += product * (scale * (double)v[i]);
    }
    job->sums[block] = sum;
}

/* before = D^-1 y - diagonal v - coupling before: the next v, number job->step. Sums its square in the norm of D. */
static void TYPED(advance)(const lanczos *job, int64_t block, double diagonal, double coupling)
{
    const VALUE *inverse = job->inverse, *y = job->y, *v = job->v;
    VALUE *before = job->before;
    const double v_factor = diagonal * job->v_scale, before_factor = coupling * job->before_scale;
    double sum = 0;
    for (int64_t i = block * BLOCK; i < TYPED(block_end)(job, block); ++i) {
        const double next =
            (double)inverse[i] * (double)y[i] - v_factor * (double)v[i] - before_factor * (double)before[i];
        before[i] = (VALUE)next;
        if (job->known.basis != NULL)
            TYPED(keep)(job, job->step, i, inverse[i] > 0 ? next / sqrt((double)inverse[i]) : 0);
        if (inverse[i] != 0) sum += next * next / (double)inverse[i];
    }
    job->sums[block] = sum;
}

/* The largest sum of magnitudes of a row of D^-1 A. */
static void TYPED(sum_rows)(const lanczos *job, int64_t block, double unused, double unused_too)
{
    const OFFSET *offsets = job->A->row_offsets;
    const VALUE *values = job->A->values, *inverse = job->inverse;
    double most = 0;
    (void)unused, (void)unused_too;
    for (int64_t i = block * BLOCK; i < TYPED(block_end)(job, block); ++i) {
        double sum = 0;
        for (int64_t k = offsets[i]; k < offsets[i + 1]; ++k) sum += fabs((double)values[k]);
        sum *= fabs((double)inverse[i]);
        most = sum > most ? sum : most;
    }
    job->sums[block] = most;
}
