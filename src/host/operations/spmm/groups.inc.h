/* Products of rows with vectors, a group of vectors at a time. Template; see value_types.h. */

/* The sums of `length` vectors, which is constant where this is inlined, so that they stay in registers. */
static inline ALWAYS_INLINE void NAMED(sum_group)(const spg_csr *matrix, int64_t row, const VALUE *X, int64_t row_step,
                                                  int64_t vector_step, int length, VALUE *sums)
{
    const int32_t *columns = matrix->columns;
    const VALUE *values = matrix->values;
    VALUE held[MOST_HELD];
    for (int j = 0; j < length; ++j) held[j] = ZERO;
    const int64_t end = spg_offset_at(matrix, row + 1);
    for (int64_t k = spg_offset_at(matrix, row); k < end; ++k) {
        const VALUE *x = X + columns[k] * row_step, value = values[k];
        for (int j = 0; j < length; ++j) held[j] = SUM(held[j], PRODUCT(value, x[j * vector_step]));
    }
    for (int j = 0; j < length; ++j) sums[j] = held[j];
}

static inline ALWAYS_INLINE void NAMED(store)(const VALUE *sums, int length, const VALUE *alpha, const VALUE *beta,
                                              VALUE *y, int64_t step)
{
    if (alpha == NULL && beta == NULL)
        for (int j = 0; j < length; ++j) y[j * step] = sums[j];
    else
        for (int j = 0; j < length; ++j) y[j * step] = NAMED(update)(sums[j], alpha, beta, y + j * step);
}

/* `length` vectors from vector `first` on, for rows [begin, end). */
static inline ALWAYS_INLINE void NAMED(multiply_group)(const spmm_job *job, int64_t begin, int64_t end, int64_t first,
                                                       int length, bool by_row)
{
    const spg_vectors *of = job->vectors;
    const int64_t x_step = by_row ? 1 : of->x_vector_step, y_step = by_row ? 1 : of->y_vector_step;
    const VALUE *X = (const VALUE *)of->X + first * x_step;
    VALUE *Y = (VALUE *)of->Y + first * y_step;
    for (int64_t i = begin; i < end; ++i) {
        VALUE sums[MOST_HELD];
        NAMED(sum_group)(job->matrix, i, X, of->x_row_step, x_step, length, sums);
        NAMED(store)(sums, length, job->alpha, job->beta, Y + i * of->y_row_step, y_step);
    }
}

/* Takes as many whole groups of `length` vectors as are left. */
static inline ALWAYS_INLINE int64_t NAMED(multiply_groups)(const spmm_job *job, spg_range rows, int64_t first,
                                                           int length, bool by_row)
{
    for (; first + length <= job->vectors->count; first += length)
        NAMED(multiply_group)(job, rows.begin, rows.end, first, length, by_row);
    return first;
}

/* The rows from `begin` on whose entries stay in a cache while all vectors are taken: at least one. */
static inline int64_t NAMED(block_end)(const spg_csr *matrix, int64_t begin, int64_t end)
{
    const int64_t most = spg_offset_at(matrix, begin) + BLOCK_ENTRIES;
    int64_t i = begin + 1;
    while (i < end && i - begin < BLOCK_ROWS && spg_offset_at(matrix, i + 1) <= most) ++i;
    return i;
}
