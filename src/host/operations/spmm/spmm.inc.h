/* Blocks of rows with vectors whose elements lie side by side, or anyhow. Template; see value_types.h. */
static inline ALWAYS_INLINE void NAMED(multiply_block)(const spmm_job *job, spg_range rows)
{
    int64_t first = 0;
    if (job->vectors->x_vector_step == 1 && job->vectors->y_vector_step == 1) {
        first = NAMED(multiply_groups)(job, rows, first, MOST_HELD, true);
        first = NAMED(multiply_groups)(job, rows, first, 8, true);
        first = NAMED(multiply_groups)(job, rows, first, 4, true);
    } else {
        first = NAMED(multiply_groups)(job, rows, first, STRIDED, false);
    }
    NAMED(multiply_groups)(job, rows, first, 1, false);
}

static inline ALWAYS_INLINE void NAMED(multiply_rows)(const void *data, spg_range rows)
{
    const spmm_job *job = data;
    for (int64_t begin = rows.begin, end; begin < rows.end; begin = end) {
        end = NAMED(block_end)(job->matrix, begin, rows.end);
        NAMED(multiply_block)(job, (spg_range){begin, end, rows.thread});
    }
}

static void NAMED(multiply)(const void *job, spg_range rows) { NAMED(multiply_rows)(job, rows); }

#ifdef WIDE
WIDE static void NAMED(multiply_wide)(const void *job, spg_range rows) { NAMED(multiply_rows)(job, rows); }
#endif
