/* Runs of rows. Template; see value_types.h. */
#define RUN (RUN_BYTES / (int)sizeof(VALUE))

typedef VALUE NAMED(lanes) __attribute__((vector_size(RUN_BYTES), aligned(sizeof(VALUE)), may_alias));

/* Whether rows [row, row + RUN) have entries of the same number, each row's one column after the row's before. */
static inline bool NAMED(is_run)(const spg_csr *matrix, int64_t row)
{
    const int64_t begin = spg_offset_at(matrix, row), length = spg_offset_at(matrix, row + 1) - begin;
    for (int l = 1; l < RUN; ++l)
        if (spg_offset_at(matrix, row + l + 1) != begin + (l + 1) * length) return false;
    for (int64_t k = begin; k < begin + length; ++k)
        for (int l = 1; l < RUN; ++l)
            if (matrix->columns[k + l * length] != (int64_t)matrix->columns[k] + l) return false;
    return true;
}

/* sums[j] of `length` vectors from X on: of RUN rows each. */
static inline ALWAYS_INLINE void NAMED(sum_run)(const spg_csr *matrix, int64_t row, const VALUE *X, int64_t vector_step,
                                                int length, NAMED(lanes) * sums)
{
    const int64_t begin = spg_offset_at(matrix, row), entries = spg_offset_at(matrix, row + 1) - begin;
    const int32_t *columns = matrix->columns + begin;
    const VALUE *values = (const VALUE *)matrix->values + begin;
    NAMED(lanes) held[STRIDED];
    for (int j = 0; j < length; ++j) held[j] = (NAMED(lanes)){0};
    for (int64_t k = 0; k < entries; ++k) {
        const VALUE *x = X + columns[k];
        NAMED(lanes) value;
        for (int l = 0; l < RUN; ++l) value[l] = values[k + l * entries];
        for (int j = 0; j < length; ++j) held[j] += value * *(const NAMED(lanes) *)(x + j * vector_step);
    }
    for (int j = 0; j < length; ++j) sums[j] = held[j];
    const char *const last = (const char *)(X + (entries > 0 ? columns[entries - 1] : 0));
    for (int j = 0; j < length; ++j) __builtin_prefetch(last + j * vector_step * (int64_t)sizeof(VALUE) + PREFETCHED);
}

/* `length` vectors from `first` on, for the rows of a run. */
static inline ALWAYS_INLINE void NAMED(multiply_run)(const spmm_job *job, int64_t row, int64_t first, int length)
{
    const spg_vectors *of = job->vectors;
    const VALUE *X = (const VALUE *)of->X + first * of->x_vector_step;
    VALUE *Y = (VALUE *)of->Y + first * of->y_vector_step + row;
    NAMED(lanes) sums[STRIDED];
    NAMED(sum_run)(job->matrix, row, X, of->x_vector_step, length, sums);
    for (int j = 0; j < length; ++j) {
        VALUE *y = Y + j * of->y_vector_step;
        __builtin_prefetch((char *)y + PREFETCHED, 1);
        if (job->alpha == NULL && job->beta == NULL)
            *(NAMED(lanes) *)y = sums[j];
        else
            for (int l = 0; l < RUN; ++l) y[l] = NAMED(update)(sums[j][l], job->alpha, job->beta, y + l);
    }
}

/* runs: of each row that is not within a run, whether one begins there. */
static inline ALWAYS_INLINE void NAMED(multiply_length)(const spmm_job *job, spg_range rows, const uint8_t *runs,
                                                        int64_t first, int length)
{
    for (int64_t i = rows.begin; i < rows.end;) {
        const bool is_run = runs[i - rows.begin] != 0;
        if (is_run)
            NAMED(multiply_run)(job, i, first, length);
        else
            NAMED(multiply_group)(job, i, i + 1, first, length, false);
        i += is_run ? RUN : 1;
    }
}

static inline ALWAYS_INLINE void NAMED(multiply_runs)(const spmm_job *job, spg_range rows)
{
    uint8_t runs[BLOCK_ROWS];
    for (int64_t i = rows.begin; i < rows.end;) {
        const bool is_run = i + RUN <= rows.end && NAMED(is_run)(job->matrix, i);
        runs[i - rows.begin] = is_run;
        i += is_run ? RUN : 1;
    }
    const int64_t count = job->vectors->count;
    int64_t first = 0;
    for (; first + STRIDED <= count; first += STRIDED) NAMED(multiply_length)(job, rows, runs, first, STRIDED);
    for (; first < count; ++first) NAMED(multiply_length)(job, rows, runs, first, 1);
}

static inline ALWAYS_INLINE void NAMED(multiply_column_blocks)(const void *data, spg_range rows)
{
    const spmm_job *job = data;
    for (int64_t begin = rows.begin, end; begin < rows.end; begin = end) {
        end = NAMED(block_end)(job->matrix, begin, rows.end);
        NAMED(multiply_runs)(job, (spg_range){begin, end, rows.thread});
    }
}

static void NAMED(multiply_columns)(const void *job, spg_range rows) { NAMED(multiply_column_blocks)(job, rows); }

#ifdef WIDE
WIDE static void NAMED(multiply_columns_wide)(const void *job, spg_range rows)
{
    NAMED(multiply_column_blocks)(job, rows);
}
#endif

#undef RUN
