/* Vector operations of cycles and solves. Template; see host/value_types.h. */
static void NAMED(axpby)(const void *data, spg_range range)
{
    const vector_job *job = data;
    const VALUE a = (VALUE)job->alpha, b = (VALUE)job->beta, *x = job->x;
    VALUE *y = job->y;
    if (job->beta == 0)
        for (int64_t i = range.begin; i < range.end; ++i) y[i] = a * x[i];
    else
        for (int64_t i = range.begin; i < range.end; ++i) y[i] = a * x[i] + b * y[i];
}

static void NAMED(times_i)(const void *data, spg_range range)
{
    const vector_job *job = data;
    const VALUE *x = job->x;
    VALUE *y = job->y;
    for (int64_t i = range.begin; i < range.end; ++i) {
        y[2 * i] = -x[2 * i + 1];
        y[2 * i + 1] = x[2 * i];
    }
}

/* Products are exact for floats, and rounded for doubles. Each lane is summed in order, then the lanes. */
static double NAMED(dot_block)(const VALUE *x, const VALUE *y, int64_t n)
{
    double lanes[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int64_t lane = 0; lane < LANES; ++lane) lanes[lane] += (double)x[i + lane] * (double)y[i + lane];
    for (int64_t lane = 0; i < n; ++i, ++lane) lanes[lane] += (double)x[i] * (double)y[i];
    return sum_in_order(lanes, LANES);
}

static void NAMED(dot)(const void *data, spg_range blocks)
{
    const vector_job *job = data;
    const VALUE *x = job->x, *y = job->y;
    for (int64_t k = blocks.begin; k < blocks.end; ++k)
        job->sums[k] = NAMED(dot_block)(x + k * BLOCK, y + k * BLOCK, block_size(job->n, k));
}

static void NAMED(cg_step)(const void *data, spg_range blocks)
{
    const step_job *job = data;
    const VALUE a = (VALUE)job->alpha, *p = job->p, *q = job->q;
    VALUE *x = job->x, *r = job->r;
    for (int64_t k = blocks.begin; k < blocks.end; ++k) {
        const int64_t begin = k * BLOCK, size = block_size(job->n, k);
        for (int64_t i = begin; i < begin + size; ++i) {
            x[i] += a * p[i];
            r[i] -= a * q[i];
        }
        job->sums[k] = NAMED(dot_block)(r + begin, r + begin, size);
    }
}

static void NAMED(dots)(const void *data, spg_range blocks)
{
    const dots_job *job = data;
    const VALUE *y = job->y;
    for (int64_t k = blocks.begin; k < blocks.end; ++k)
        for (int v = 0; v < job->count; ++v) {
            const VALUE *x = (const void *)(job->first + v * job->stride);
            job->sums[v * job->blocks + k] = NAMED(dot_block)(x + k * BLOCK, y + k * BLOCK, block_size(job->n, k));
        }
}

static void NAMED(combine)(const void *data, spg_range blocks)
{
    const combine_job *job = data;
    const spg_amg_combination *by = job->by;
    const VALUE scale = by->scale != NULL ? (VALUE)*by->scale : 1;
    for (int64_t k = blocks.begin; k < blocks.end; ++k) {
        VALUE *y = (VALUE *)job->y + k * BLOCK;
        const int64_t size = block_size(job->n, k);
        if (scale != 1)
            for (int64_t i = 0; i < size; ++i) y[i] = scale != 0 ? scale * y[i] : 0;
        for (int v = 0; v < by->of.count; ++v) {
            const VALUE a = (VALUE)(by->factor * by->coefficients[v]);
            const VALUE *x = (const VALUE *)(const void *)((const char *)by->of.first + v * by->of.stride) + k * BLOCK;
            if (a == 0) continue;
            for (int64_t i = 0; i < size; ++i) y[i] += a * x[i];
        }
    }
}
