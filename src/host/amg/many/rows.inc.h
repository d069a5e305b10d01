/* Residuals and smoothing sweeps of several vectors. Template; see host/for_each_type.h. */

/* sums = the products of row i with each vector, in storage order. first: NULL, or x times its coefficient and its
 * inverse. */
static inline ALWAYS_INLINE void TYPED(sum_scaled)(const spg_csr *A, int64_t i, const VALUE *x,
                                                   const block_sweep *first, NAMED(pack) * sums, int width)
{
    const OFFSET *offsets = A->row_offsets;
    const int32_t *columns = A->columns;
    const VALUE *values = A->values;
    const int64_t end = offsets[i + 1];
    NAMED(pack) held[MOST_PACKS] = {0};
    for (int64_t k = offsets[i]; k < end; ++k) {
        const NAMED(pack) *of = (const NAMED(pack) *)(x + (int64_t)columns[k] * width);
        VALUE value = values[k];
        if (first != NULL) value *= (VALUE)first->coefficient * ((const VALUE *)first->inverse)[columns[k]];
        for (int p = 0; p < width / PACK; ++p) held[p] += value * of[p];
    }
    for (int p = 0; p < width / PACK; ++p) sums[p] = held[p];
}

static inline ALWAYS_INLINE void TYPED(sum_row)(const spg_csr *A, int64_t i, const VALUE *x, NAMED(pack) * sums,
                                                int width)
{
    TYPED(sum_scaled)(A, i, x, NULL, sums, width);
}

static inline ALWAYS_INLINE void TYPED(multiply_at)(const block_sweep *job, spg_range rows, int width)
{
    for (int64_t i = rows.begin; i < rows.end; ++i) {
        NAMED(pack) *y = (NAMED(pack) *)((VALUE *)job->y + i * width), sums[MOST_PACKS];
        TYPED(sum_row)(job->A, i, job->x, sums, width);
        if (job->adds)
            for (int p = 0; p < width / PACK; ++p) sums[p] += y[p];
        for (int p = 0; p < width / PACK; ++p) y[p] = sums[p];
    }
}

static inline ALWAYS_INLINE void TYPED(residual_at)(const block_sweep *job, spg_range rows, int width)
{
    for (int64_t i = rows.begin; i < rows.end; ++i) {
        const NAMED(pack) *b = (const NAMED(pack) *)((const VALUE *)job->b + i * width);
        NAMED(pack) *r = (NAMED(pack) *)((VALUE *)job->y + i * width), sums[MOST_PACKS];
        TYPED(sum_row)(job->A, i, job->x, sums, width);
        for (int p = 0; p < width / PACK; ++p) r[p] = b[p] - sums[p];
    }
}

static inline ALWAYS_INLINE void TYPED(first_residual_at)(const block_sweep *job, spg_range rows, int width)
{
    for (int64_t i = rows.begin; i < rows.end; ++i) {
        const NAMED(pack) *b = (const NAMED(pack) *)((const VALUE *)job->b + i * width);
        NAMED(pack) *r = (NAMED(pack) *)((VALUE *)job->y + i * width), sums[MOST_PACKS];
        TYPED(sum_scaled)(job->A, i, job->b, job, sums, width);
        for (int p = 0; p < width / PACK; ++p) r[p] = b[p] - sums[p];
    }
}

static inline ALWAYS_INLINE void TYPED(first_correction_at)(const block_sweep *job, spg_range rows, int width)
{
    for (int64_t i = rows.begin; i < rows.end; ++i) {
        const VALUE by = (VALUE)job->coefficient * ((const VALUE *)job->inverse)[i];
        const NAMED(pack) *b = (const NAMED(pack) *)((const VALUE *)job->b + i * width);
        NAMED(pack) *y = (NAMED(pack) *)((VALUE *)job->y + i * width), sums[MOST_PACKS];
        TYPED(sum_row)(job->A, i, job->x, sums, width);
        for (int p = 0; p < width / PACK; ++p) y[p] = sums[p] + by * b[p];
    }
}

/* Row i of a sweep, whose residuals are given. */
static inline ALWAYS_INLINE void TYPED(move)(const block_sweep *job, int64_t i, const NAMED(pack) * residuals,
                                             int width)
{
    const VALUE coefficient = (VALUE)job->coefficient * ((const VALUE *)job->inverse)[i], keep = (VALUE)job->keep;
    const NAMED(pack) *x = job->x != NULL ? (const NAMED(pack) *)((const VALUE *)job->x + i * width) : NULL;
    NAMED(pack) *d = job->d != NULL ? (NAMED(pack) *)((VALUE *)job->d + i * width) : NULL;
    NAMED(pack) *y = (NAMED(pack) *)((VALUE *)job->y + i * width);
    for (int p = 0; p < width / PACK; ++p) {
        NAMED(pack) step = coefficient * residuals[p];
        if (job->keep != 0) step = keep * d[p] + step;
        if (d != NULL) d[p] = step;
        if (x != NULL) step = x[p] + step;
        y[p] = step;
    }
}

static inline ALWAYS_INLINE void TYPED(relax_at)(const block_sweep *job, spg_range rows, int width)
{
    for (int64_t i = rows.begin; i < rows.end; ++i) {
        const NAMED(pack) *b = (const NAMED(pack) *)((const VALUE *)job->b + i * width);
        NAMED(pack) residuals[MOST_PACKS];
        TYPED(sum_row)(job->A, i, job->x, residuals, width);
        for (int p = 0; p < width / PACK; ++p) residuals[p] = b[p] - residuals[p];
        TYPED(move)(job, i, residuals, width);
    }
}

static inline ALWAYS_INLINE void TYPED(relax_from_zero_at)(const block_sweep *job, spg_range rows, int width)
{
    const VALUE *b = job->b;
    for (int64_t i = rows.begin; i < rows.end; ++i) TYPED(move)(job, i, (const NAMED(pack) *)(b + i * width), width);
}

FOR_WIDTHS(, block_sweep, TYPED(multiply), TYPED(multiply_at))
FOR_WIDTHS(, block_sweep, TYPED(residual), TYPED(residual_at))
FOR_WIDTHS(, block_sweep, TYPED(first_residual), TYPED(first_residual_at))
FOR_WIDTHS(, block_sweep, TYPED(first_correction), TYPED(first_correction_at))
FOR_WIDTHS(, block_sweep, TYPED(relax), TYPED(relax_at))
FOR_WIDTHS(, block_sweep, TYPED(relax_from_zero), TYPED(relax_from_zero_at))
FOR_WIDTHS(WIDE, block_sweep, TYPED(multiply_wide), TYPED(multiply_at))
FOR_WIDTHS(WIDE, block_sweep, TYPED(residual_wide), TYPED(residual_at))
FOR_WIDTHS(WIDE, block_sweep, TYPED(first_residual_wide), TYPED(first_residual_at))
FOR_WIDTHS(WIDE, block_sweep, TYPED(first_correction_wide), TYPED(first_correction_at))
FOR_WIDTHS(WIDE, block_sweep, TYPED(relax_wide), TYPED(relax_at))
FOR_WIDTHS(WIDE, block_sweep, TYPED(relax_from_zero_wide), TYPED(relax_from_zero_at))
