/* Products of rows with a group of vectors. Template; see value_types.h. */

/* The sums of a whole group: a loop of constant length. */
static inline ALWAYS_INLINE void NAMED(sum_group)(const spg_csr *matrix, int64_t row, const VALUE *X, int64_t row_step,
                                                  int64_t vector_step, VALUE *sums)
{
    const int32_t *columns = matrix->columns;
    const VALUE *values = matrix->values;
    VALUE held[GROUP];
    for (int j = 0; j < GROUP; ++j) held[j] = ZERO;
    const int64_t end = spg_offset_at(matrix, row + 1);
    for (int64_t k = spg_offset_at(matrix, row); k < end; ++k) {
        const VALUE *x = X + columns[k] * row_step, value = values[k];
        if (vector_step == 1)
            for (int j = 0; j < GROUP; ++j) held[j] = SUM(held[j], PRODUCT(value, x[j]));
        else
            for (int j = 0; j < GROUP; ++j) held[j] = SUM(held[j], PRODUCT(value, x[j * vector_step]));
    }
    for (int j = 0; j < GROUP; ++j) sums[j] = held[j];
}

/* The sums of fewer vectors. */
static inline ALWAYS_INLINE void NAMED(sum_some)(const spg_csr *matrix, int64_t row, const VALUE *X, int64_t row_step,
                                                 int64_t vector_step, int64_t count, VALUE *sums)
{
    const VALUE *values = matrix->values;
    for (int64_t j = 0; j < count; ++j) sums[j] = ZERO;
    const int64_t end = spg_offset_at(matrix, row + 1);
    for (int64_t k = spg_offset_at(matrix, row); k < end; ++k) {
        const VALUE *x = X + matrix->columns[k] * row_step;
        for (int64_t j = 0; j < count; ++j) sums[j] = SUM(sums[j], PRODUCT(values[k], x[j * vector_step]));
    }
}

static inline ALWAYS_INLINE void NAMED(store)(const VALUE *sums, int64_t count, const VALUE *alpha, const VALUE *beta,
                                              VALUE *y, int64_t step)
{
    if (count == GROUP && step == 1 && alpha == NULL && beta == NULL)
        for (int j = 0; j < GROUP; ++j) y[j] = sums[j];
    else
        for (int64_t j = 0; j < count; ++j) y[j * step] = NAMED(update)(sums[j], alpha, beta, y + j * step);
}

static inline ALWAYS_INLINE void NAMED(multiply_rows)(const void *data, spg_range rows)
{
    const spmm_job *job = data;
    const spg_vectors *of = job->vectors;
    for (int64_t i = rows.begin; i < rows.end; ++i)
        for (int64_t first = 0; first < of->count; first += GROUP) {
            const int64_t count = of->count - first < GROUP ? of->count - first : GROUP;
            const VALUE *X = (const VALUE *)of->X + first * of->x_vector_step;
            VALUE *y = (VALUE *)of->Y + i * of->y_row_step + first * of->y_vector_step, sums[GROUP];
            if (count == GROUP)
                NAMED(sum_group)(job->matrix, i, X, of->x_row_step, of->x_vector_step, sums);
            else
                NAMED(sum_some)(job->matrix, i, X, of->x_row_step, of->x_vector_step, count, sums);
            NAMED(store)(sums, count, job->alpha, job->beta, y, of->y_vector_step);
        }
}

static void NAMED(multiply)(const void *job, spg_range rows) { NAMED(multiply_rows)(job, rows); }

#ifdef WIDE
WIDE static void NAMED(multiply_wide)(const void *job, spg_range rows) { NAMED(multiply_rows)(job, rows); }
#endif
