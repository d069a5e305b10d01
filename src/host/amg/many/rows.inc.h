/* Residuals and smoothing sweeps of several vectors. Template; see host/for_each_type.h. */

/* sums[j] = the product of row i with vector j, in storage order. */
static inline ALWAYS_INLINE void TYPED(sum_row)(const spg_csr *A, int64_t i, const VALUE *x, VALUE *sums, int width)
{
    const OFFSET *offsets = A->row_offsets;
    const int32_t *columns = A->columns;
    const VALUE *values = A->values;
    const int64_t end = offsets[i + 1];
    VALUE held[SPG_AMG_MOST_WIDTH];
    for (int j = 0; j < width; ++j) held[j] = ZERO;
    for (int64_t k = offsets[i]; k < end; ++k) {
        const VALUE value = values[k], *of = x + (int64_t)columns[k] * width;
        for (int j = 0; j < width; ++j) held[j] = SUM(held[j], PRODUCT(value, of[j]));
    }
    for (int j = 0; j < width; ++j) sums[j] = held[j];
}

static inline ALWAYS_INLINE void TYPED(residual_at)(const block_sweep *job, spg_range rows, int width)
{
    const VALUE *b = job->b;
    VALUE *r = job->y;
    for (int64_t i = rows.begin; i < rows.end; ++i) {
        VALUE sums[SPG_AMG_MOST_WIDTH];
        TYPED(sum_row)(job->A, i, job->x, sums, width);
        for (int j = 0; j < width; ++j) r[i * width + j] = b[i * width + j] - sums[j];
    }
}

/* Row i of a sweep, whose residuals are given. */
static inline ALWAYS_INLINE void TYPED(move)(const block_sweep *job, int64_t i, const VALUE *residuals, int width)
{
    const VALUE coefficient = (VALUE)job->coefficient * ((const VALUE *)job->inverse)[i], keep = (VALUE)job->keep;
    const VALUE *x = job->x != NULL ? (const VALUE *)job->x + i * width : NULL;
    VALUE *y = (VALUE *)job->y + i * width, *d = job->d != NULL ? (VALUE *)job->d + i * width : NULL;
    VALUE steps[SPG_AMG_MOST_WIDTH];
    for (int j = 0; j < width; ++j) steps[j] = coefficient * residuals[j];
    if (job->keep != 0)
        for (int j = 0; j < width; ++j) steps[j] = keep * d[j] + steps[j];
    if (d != NULL)
        for (int j = 0; j < width; ++j) d[j] = steps[j];
    for (int j = 0; j < width; ++j) y[j] = x != NULL ? x[j] + steps[j] : steps[j];
}

static inline ALWAYS_INLINE void TYPED(relax_at)(const block_sweep *job, spg_range rows, int width)
{
    const VALUE *b = job->b;
    for (int64_t i = rows.begin; i < rows.end; ++i) {
        VALUE residuals[SPG_AMG_MOST_WIDTH];
        TYPED(sum_row)(job->A, i, job->x, residuals, width);
        for (int j = 0; j < width; ++j) residuals[j] = b[i * width + j] - residuals[j];
        TYPED(move)(job, i, residuals, width);
    }
}

static inline ALWAYS_INLINE void TYPED(relax_from_zero_at)(const block_sweep *job, spg_range rows, int width)
{
    const VALUE *b = job->b;
    for (int64_t i = rows.begin; i < rows.end; ++i) TYPED(move)(job, i, b + i * width, width);
}

FOR_WIDTHS(, block_sweep, TYPED(residual), TYPED(residual_at))
FOR_WIDTHS(, block_sweep, TYPED(relax), TYPED(relax_at))
FOR_WIDTHS(, block_sweep, TYPED(relax_from_zero), TYPED(relax_from_zero_at))
FOR_WIDTHS(WIDE, block_sweep, TYPED(residual_wide), TYPED(residual_at))
FOR_WIDTHS(WIDE, block_sweep, TYPED(relax_wide), TYPED(relax_at))
FOR_WIDTHS(WIDE, block_sweep, TYPED(relax_from_zero_wide), TYPED(relax_from_zero_at))
