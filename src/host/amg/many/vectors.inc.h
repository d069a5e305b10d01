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

/* The factors of a block's vectors, in packs. */
static inline ALWAYS_INLINE void NAMED(take_factors)(const double *factors, NAMED(pack) * packs, int width)
{
    VALUE narrowed[SPG_AMG_MOST_WIDTH];
    for (int j = 0; j < width; ++j) narrowed[j] = (VALUE)factors[j];
    for (int p = 0; p < width / PACK; ++p) packs[p] = *(const NAMED(pack) *)(narrowed + p * PACK);
}

static inline ALWAYS_INLINE void NAMED(combine_at)(const block_job *job, spg_range rows, int width)
{
    NAMED(pack) alpha[MOST_PACKS], beta[MOST_PACKS];
    NAMED(take_factors)(job->alpha, alpha, width);
    NAMED(take_factors)(job->beta, beta, width);
    for (int64_t i = rows.begin; i < rows.end; ++i) {
        const NAMED(pack) *x = (const NAMED(pack) *)((const VALUE *)job->x + i * width);
        NAMED(pack) *y = (NAMED(pack) *)((VALUE *)job->y + i * width);
        for (int p = 0; p < width / PACK; ++p) {
            const NAMED(pack) of_x = alpha[p] * x[p], of_y = beta[p] * y[p];
            const NAMED(pack) with_y = CHOOSE(alpha[p], of_x + of_y, of_y);
            y[p] = CHOOSE(beta[p], with_y, of_x);
        }
    }
}

/* Adds the products of rows [begin, end) to the lanes of their rows. */
static inline ALWAYS_INLINE void NAMED(add_products)(const VALUE *x, const VALUE *y, int64_t begin, int64_t end,
                                                     pack_f64 lanes[LANES][MOST_PACKS], int width)
{
    for (int64_t i = begin; i < end; ++i) {
        const NAMED(pack) *of_x = (const NAMED(pack) *)(x + i * width), *of_y = (const NAMED(pack) *)(y + i * width);
        for (int p = 0; p < width / PACK; ++p) lanes[i % LANES][p] += IN_DOUBLES(of_x[p]) * IN_DOUBLES(of_y[p]);
    }
}

static inline ALWAYS_INLINE void NAMED(add_lanes)(pack_f64 lanes[LANES][MOST_PACKS], double *sums, int width)
{
    for (int p = 0; p < width / PACK; ++p) {
        pack_f64 sum = {0};
        for (int lane = 0; lane < LANES; ++lane) sum += lanes[lane][p];
        *(pack_f64 *)(sums + p * PACK) = sum;
    }
}

static inline ALWAYS_INLINE void NAMED(dot_at)(const block_job *job, spg_range blocks, int width)
{
    for (int64_t k = blocks.begin; k < blocks.end; ++k) {
        pack_f64 lanes[LANES][MOST_PACKS] = {{{0}}};
        NAMED(add_products)(job->x, job->y, k * BLOCK, k * BLOCK + block_rows(job->n, k), lanes, width);
        NAMED(add_lanes)(lanes, job->sums + k * width, width);
    }
}

/* Vectors that do not move keep their bits, whatever p and q are. */
static inline ALWAYS_INLINE void NAMED(step_rows)(const block_job *job, const NAMED(pack) * alpha, int64_t begin,
                                                  int64_t end, int width)
{
    for (int64_t i = begin; i < end; ++i) {
        const NAMED(pack) *p = (const NAMED(pack) *)((const VALUE *)job->p + i * width);
        const NAMED(pack) *q = (const NAMED(pack) *)((const VALUE *)job->q + i * width);
        NAMED(pack) *x = (NAMED(pack) *)((VALUE *)job->moved_x + i * width);
        NAMED(pack) *r = (NAMED(pack) *)((VALUE *)job->y + i * width);
        for (int k = 0; k < width / PACK; ++k) {
            const NAMED(pack) next_x = x[k] + alpha[k] * p[k], next_r = r[k] - alpha[k] * q[k];
            x[k] = CHOOSE(alpha[k], next_x, x[k]);
            r[k] = CHOOSE(alpha[k], next_r, r[k]);
        }
    }
}

static inline ALWAYS_INLINE void NAMED(cg_step_at)(const block_job *job, spg_range blocks, int width)
{
    NAMED(pack) alpha[MOST_PACKS];
    NAMED(take_factors)(job->alpha, alpha, width);
    for (int64_t k = blocks.begin; k < blocks.end; ++k) {
        pack_f64 lanes[LANES][MOST_PACKS] = {{{0}}};
        const int64_t end = k * BLOCK + block_rows(job->n, k);
        for (int64_t i = k * BLOCK; i < end; i += STEP) {
            const int64_t next = i + STEP < end ? i + STEP : end;
            NAMED(step_rows)(job, alpha, i, next, width);
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
