/* Vectors of cycles and solves. Template; see host/value_types.h. */
static void NAMED(axpby)(int threads, int64_t n, double alpha, const void *x_vector, double beta, void *y_vector)
{
    const VALUE a = (VALUE)alpha, b = (VALUE)beta, *x = x_vector;
    VALUE *y = y_vector;
    (void)threads; /* unused without OpenMP, here and below */
    if (beta == 0) {
#pragma omp parallel for num_threads(threads)
        for (int64_t i = 0; i < n; ++i) y[i] = a * x[i];
    } else {
#pragma omp parallel for num_threads(threads)
        for (int64_t i = 0; i < n; ++i) y[i] = a * x[i] + b * y[i];
    }
}

/* Products are exact for floats, and rounded for doubles; lanes and then their sum in order. */
static double NAMED(dot_block)(const VALUE *x, const VALUE *y, int64_t n)
{
    double lanes[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int64_t lane = 0; lane < LANES; ++lane) lanes[lane] += (double)x[i + lane] * (double)y[i + lane];
    for (int64_t lane = 0; i < n; ++i, ++lane) lanes[lane] += (double)x[i] * (double)y[i];
    return sum_in_order(lanes, LANES);
}

static void NAMED(dot)(int threads, int64_t n, const void *x_vector, const void *y_vector, double *sums)
{
    const VALUE *x = x_vector, *y = y_vector;
    const int64_t blocks = blocks_of(n);
    (void)threads;
#pragma omp parallel for num_threads(threads)
    for (int64_t k = 0; k < blocks; ++k) sums[k] = NAMED(dot_block)(x + k * BLOCK, y + k * BLOCK, block_size(n, k));
}

static void NAMED(cg_step)(int threads, int64_t n, double alpha, const void *p_vector, const void *q_vector,
                           void *x_vector, void *r_vector, double *sums)
{
    const VALUE a = (VALUE)alpha, *p = p_vector, *q = q_vector;
    VALUE *x = x_vector, *r = r_vector;
    const int64_t blocks = blocks_of(n);
    (void)threads;
#pragma omp parallel for num_threads(threads)
    for (int64_t k = 0; k < blocks; ++k) {
        const int64_t begin = k * BLOCK, size = block_size(n, k);
        for (int64_t i = begin; i < begin + size; ++i) {
            x[i] += a * p[i];
            r[i] -= a * q[i];
        }
        sums[k] = NAMED(dot_block)(r + begin, r + begin, size);
    }
}
