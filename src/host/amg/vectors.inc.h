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

/* Vector by vector: a thread reads each in one stream. */
static void NAMED(dots)(const void *data, spg_range blocks)
{
    const dots_job *job = data;
    const VALUE *y = job->y;
    for (int v = 0; v < job->count; ++v) {
        const VALUE *x = (const void *)(job->first + v * job->stride);
        for (int64_t k = blocks.begin; k < blocks.end; ++k)
            job->sums[v * job->blocks + k] = NAMED(dot_block)(x + k * BLOCK, y + k * BLOCK, block_size(job->n, k));
    }
}

/* y += a x, for up to TOGETHER vectors in order. */
static void NAMED(add_together)(int count, const VALUE *const *x, const VALUE *a, VALUE *y, spg_range range)
{
    if (count == TOGETHER) {
        const VALUE *x0 = x[0], *x1 = x[1], *x2 = x[2], *x3 = x[3], a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
        for (int64_t i = range.begin; i < range.end; ++i)
            y[i] = (((y[i] + a0 * x0[i]) + a1 * x1[i]) + a2 * x2[i]) + a3 * x3[i];
        return;
    }
    for (int v = 0; v < count; ++v)
        for (int64_t i = range.begin; i < range.end; ++i) y[i] += a[v] * x[v][i];
}

static void NAMED(combine)(const void *data, spg_range range)
{
    const combine_job *job = data;
    const spg_amg_combination *by = job->by;
    const VALUE scale = by->scale != NULL ? (VALUE)*by->scale : 1, *x[TOGETHER];
    VALUE *y = job->y, a[TOGETHER];
    int held = 0;
    if (scale != 1)
        for (int64_t i = range.begin; i < range.end; ++i) y[i] = scale != 0 ? scale * y[i] : 0;
    for (int v = 0; v < by->of.count; ++v) {
        a[held] = (VALUE)(by->factor * by->coefficients[v]);
        x[held] = (const void *)((const char *)by->of.first + v * by->of.stride);
        if (a[held] != 0) ++held;
        if (held < TOGETHER) continue;
        NAMED(add_together)(held, x, a, y, range);
        held = 0;
    }
    NAMED(add_together)(held, x, a, y, range);
}
