/* Operations on blocks of vectors. Template; see host/value_types.h. */

/* A tile of rows at a time, so that the caller's vectors are taken one after the other. */
static void NAMED(load)(const void *data, spg_range tiles)
{
    const copy_job *job = data;
    const spg_amg_columns *of = job->columns;
    for (int64_t begin = tiles.begin * TILE, end; begin < job->n && begin < tiles.end * TILE; begin = end) {
        end = begin + TILE < job->n ? begin + TILE : job->n;
        for (int j = 0; j < job->width; ++j) {
            const VALUE *from = j < of->count ? (const VALUE *)of->values + j * of->column_step : NULL;
            VALUE *to = (VALUE *)job->block + j;
            for (int64_t i = begin; i < end; ++i) to[i * job->width] = from != NULL ? from[i * of->row_step] : ZERO;
        }
    }
}

static void NAMED(store)(const void *data, spg_range tiles)
{
    const copy_job *job = data;
    const spg_amg_columns *of = job->columns;
    for (int64_t begin = tiles.begin * TILE, end; begin < job->n && begin < tiles.end * TILE; begin = end) {
        end = begin + TILE < job->n ? begin + TILE : job->n;
        for (int j = 0; j < of->count; ++j) {
            const VALUE *from = (const VALUE *)job->block + j;
            VALUE *to = (VALUE *)of->values + j * of->column_step;
            for (int64_t i = begin; i < end; ++i) to[i * of->row_step] = from[i * job->width];
        }
    }
}

static inline ALWAYS_INLINE void NAMED(combine_at)(const block_job *job, spg_range rows, int width)
{
    VALUE alpha[SPG_AMG_MOST_WIDTH], beta[SPG_AMG_MOST_WIDTH];
    for (int j = 0; j < width; ++j) alpha[j] = (VALUE)job->alpha[j];
    for (int j = 0; j < width; ++j) beta[j] = (VALUE)job->beta[j];
    for (int64_t i = rows.begin; i < rows.end; ++i) {
        const VALUE *x = (const VALUE *)job->x + i * width;
        VALUE *y = (VALUE *)job->y + i * width;
        for (int j = 0; j < width; ++j) {
            const VALUE of_x = alpha[j] * x[j], of_y = beta[j] * y[j];
            y[j] = beta[j] == 0 ? of_x : alpha[j] == 0 ? of_y : of_x + of_y;
        }
    }
}

/* Adds the products of rows [begin, end) to the lanes of their rows. */
static inline ALWAYS_INLINE void NAMED(add_products)(const VALUE *x, const VALUE *y, int64_t begin, int64_t end,
                                                     double lanes[LANES][SPG_AMG_MOST_WIDTH], int width)
{
    for (int64_t i = begin; i < end; ++i) {
        double *lane = lanes[i % LANES];
        for (int j = 0; j < width; ++j) lane[j] += (double)x[i * width + j] * (double)y[i * width + j];
    }
}

static inline ALWAYS_INLINE void NAMED(add_lanes)(double lanes[LANES][SPG_AMG_MOST_WIDTH], double *sums, int width)
{
    for (int j = 0; j < width; ++j) sums[j] = 0;
    for (int lane = 0; lane < LANES; ++lane)
        for (int j = 0; j < width; ++j) sums[j] += lanes[lane][j];
}

static inline ALWAYS_INLINE void NAMED(dot_at)(const block_job *job, spg_range blocks, int width)
{
    for (int64_t k = blocks.begin; k < blocks.end; ++k) {
        double lanes[LANES][SPG_AMG_MOST_WIDTH] = {{0}};
        NAMED(add_products)(job->x, job->y, k * BLOCK, k * BLOCK + block_rows(job->n, k), lanes, width);
        NAMED(add_lanes)(lanes, job->sums + k * width, width);
    }
}

/* Vectors that do not move keep their bits, whatever p and q are. */
static inline ALWAYS_INLINE void NAMED(step_rows)(const block_job *job, int64_t begin, int64_t end, int width)
{
    VALUE alpha[SPG_AMG_MOST_WIDTH];
    for (int j = 0; j < width; ++j) alpha[j] = (VALUE)job->alpha[j];
    for (int64_t i = begin; i < end; ++i) {
        const VALUE *p = (const VALUE *)job->p + i * width, *q = (const VALUE *)job->q + i * width;
        VALUE *x = (VALUE *)job->moved_x + i * width, *r = (VALUE *)job->y + i * width;
        for (int j = 0; j < width; ++j) {
            const VALUE next_x = x[j] + alpha[j] * p[j], next_r = r[j] - alpha[j] * q[j];
            x[j] = alpha[j] != 0 ? next_x : x[j];
            r[j] = alpha[j] != 0 ? next_r : r[j];
        }
    }
}

static inline ALWAYS_INLINE void NAMED(cg_step_at)(const block_job *job, spg_range blocks, int width)
{
    for (int64_t k = blocks.begin; k < blocks.end; ++k) {
        double lanes[LANES][SPG_AMG_MOST_WIDTH] = {{0}};
        const int64_t end = k * BLOCK + block_rows(job->n, k);
        for (int64_t i = k * BLOCK; i < end; i += STEP) {
            const int64_t next = i + STEP < end ? i + STEP : end;
            NAMED(step_rows)(job, i, next, width);
            NAMED(add_products)(job->y, job->y, i, next, lanes, width);
        }
        NAMED(add_lanes)(lanes, job->sums + k * width, width);
    }
}

FOR_WIDTHS(, block_job, NAMED(combine), NAMED(combine_at))
FOR_WIDTHS(, block_job, NAMED(dot), NAMED(dot_at))
FOR_WIDTHS(, block_job, NAMED(cg_step), NAMED(cg_step_at))
FOR_WIDTHS(WIDE, block_job, NAMED(combine_wide), NAMED(combine_at))
FOR_WIDTHS(WIDE, block_job, NAMED(dot_wide), NAMED(dot_at))
FOR_WIDTHS(WIDE, block_job, NAMED(cg_step_wide), NAMED(cg_step_at))
