/* Operations on blocks of vectors. Sums have the order of ../vectors.c, so their bits are those of a vector alone, with
 * any number of threads. */
#define REAL_ONLY
#include "host/by_type.h"
#include "host_many.h"
#include "widths.h"

#include "amg/units.h"

#include <math.h>

/* Rows of a sum, which ../vectors.c gives; of a tile of copies; and of a part of a step, whose sums follow at once. */
enum { BLOCK = 4096, LANES = 8, TILE = 256, STEP = 4 * LANES };

static int64_t blocks_of(int64_t n) { return n / BLOCK + (n % BLOCK > 0); }

static int64_t block_rows(int64_t n, int64_t block)
{
    const int64_t rest = n - block * BLOCK;
    return rest < BLOCK ? rest : BLOCK;
}

typedef struct copy_job {
    int64_t n;
    int width;
    const spg_amg_columns *columns;
    void *block;
} copy_job;

/* y: what combine writes, or r of a step. */
typedef struct block_job {
    int64_t n;
    int width;
    const double *alpha, *beta;
    const void *x, *p, *q;
    void *y, *moved_x;
    double *sums; /* of blocks of rows: width each */
} block_job;

#define TEMPLATE "host/amg/many/packs.inc.h"
#include "host/for_each_value_type.h"
#define TEMPLATE "host/amg/many/vectors.inc.h"
#include "host/for_each_value_type.h"

static spg_threads threads_for(const spg_context *context, const spg_amg_shape *shape)
{
    return spg_host_threads(context, shape->n * shape->width);
}

typedef spg_work *const works[2];

static void over(const spg_context *context, const spg_amg_shape *shape, int64_t items, spg_work *const *by_type,
                 const block_job *job)
{
    spg_parallel(threads_for(context, shape), items, 0, by_type[shape->type], job);
}

/* ---- Copies ---- */

static int64_t tiles_of(int64_t n) { return n / TILE + (n % TILE > 0); }

spg_status spg_host_many_load(spg_context *context, const spg_amg_shape *shape, const spg_amg_columns *from,
                              void *block)
{
    static works load = BY_REAL_VALUE_TYPE(load);
    spg_parallel(threads_for(context, shape), tiles_of(shape->n), 0, load[shape->type],
                 &(copy_job){shape->n, shape->width, from, block});
    return SPG_OK;
}

spg_status spg_host_many_store(spg_context *context, const spg_amg_shape *shape, const void *block,
                               const spg_amg_columns *to)
{
    static works store = BY_REAL_VALUE_TYPE(store);
    spg_parallel(threads_for(context, shape), tiles_of(shape->n), 0, store[shape->type],
                 &(copy_job){shape->n, shape->width, to, (void *)block});
    return SPG_OK;
}

/* ---- Sums and products ---- */

spg_status spg_host_many_combine(spg_context *context, const spg_amg_shape *shape, const spg_amg_factors *alpha,
                                 const void *x, const spg_amg_factors *beta, void *y)
{
    static works combine = BY_REAL_VALUE_TYPE(combine), combine_wide = BY_REAL_VALUE_TYPE(combine_wide);
    over(context, shape, shape->n, has_wide_registers() ? combine_wide : combine,
         &(block_job){.n = shape->n, .width = shape->width, .alpha = alpha->of, .beta = beta->of, .x = x, .y = y});
    return SPG_OK;
}

int64_t spg_host_many_dot_bytes(int64_t n, int width) { return blocks_of(n) * width * (int64_t)sizeof(double); }

/* results[j] = the sum over the blocks of rows, in order. */
static void sum_blocks(const spg_amg_shape *shape, const double *sums, double *results)
{
    for (int j = 0; j < shape->width; ++j) results[j] = 0;
    for (int64_t k = 0; k < blocks_of(shape->n); ++k)
        for (int j = 0; j < shape->width; ++j) results[j] += sums[k * shape->width + j];
}

spg_status spg_host_many_dot(spg_context *context, const spg_amg_shape *shape, const void *x, const void *y,
                             void *workspace, double *results)
{
    static works dot = BY_REAL_VALUE_TYPE(dot), dot_wide = BY_REAL_VALUE_TYPE(dot_wide);
    over(context, shape, blocks_of(shape->n), has_wide_registers() ? dot_wide : dot,
         &(block_job){.n = shape->n, .width = shape->width, .x = x, .y = (void *)y, .sums = workspace});
    sum_blocks(shape, workspace, results);
    return SPG_OK;
}

/* alpha_j x_j, in doubles, and the sums of their squares, in the order of dot. */
static void sum_scaled(const void *data, spg_range blocks)
{
    const block_job *job = data;
    const int width = job->width;
    for (int64_t k = blocks.begin; k < blocks.end; ++k)
        for (int j = 0; j < width; ++j) {
            const double *x = (const double *)job->x + k * BLOCK * width + j;
            const int64_t rows = block_rows(job->n, k);
            double lanes[LANES] = {0}, sum = 0;
            for (int64_t i = 0; i < rows; ++i) {
                const double scaled = job->alpha[j] * x[i * width];
                lanes[i % LANES] += scaled * scaled;
            }
            for (int lane = 0; lane < LANES; ++lane) sum += lanes[lane];
            job->sums[k * width + j] = sum;
        }
}

spg_status spg_host_many_sum_again(spg_context *context, int64_t n, int width, const double *x, const double *sums,
                                   void *workspace, double *again)
{
    const spg_amg_shape shape = {SPG_F64, n, width};
    double scalings[SPG_AMG_MOST_WIDTH];
    bool is_needed = false;
    for (int j = 0; j < width; ++j) {
        scalings[j] = spg_rescaling_of_squares(sums[j]);
        is_needed = is_needed || scalings[j] != 1;
    }
    if (!is_needed) return SPG_OK;
    const block_job job = {.n = n, .width = width, .alpha = scalings, .x = x, .sums = workspace};
    spg_parallel(threads_for(context, &shape), blocks_of(n), 0, sum_scaled, &job);
    sum_blocks(&shape, workspace, again);
    return SPG_OK;
}

/* ---- Conjugate gradients ---- */

spg_status spg_host_many_cg_step(spg_context *context, const spg_amg_shape *shape, uint32_t active,
                                 spg_amg_many_scalars *scalars, const spg_amg_cg_vectors *vectors, void *workspace)
{
    static works step = BY_REAL_VALUE_TYPE(cg_step), step_wide = BY_REAL_VALUE_TYPE(cg_step_wide);
    double alpha[SPG_AMG_MOST_WIDTH] = {0};
    for (int j = 0; j < shape->width; ++j) {
        const double rz = scalars->rz[j], pq = scalars->pq[j];
        if (spg_amg_has(active, j) && rz > 0 && pq > 0 && isfinite(rz / pq)) alpha[j] = rz / pq;
        scalars->rz_before[j] = rz;
    }
    over(context, shape, blocks_of(shape->n), has_wide_registers() ? step_wide : step,
         &(block_job){.n = shape->n,
                      .width = shape->width,
                      .alpha = alpha,
                      .p = vectors->p,
                      .q = vectors->q,
                      .moved_x = vectors->x,
                      .y = vectors->r,
                      .sums = workspace});
    sum_blocks(shape, workspace, scalars->rr);
    return SPG_OK;
}

spg_status spg_host_many_cg_direction(spg_context *context, const spg_amg_shape *shape, uint32_t starts,
                                      const spg_amg_many_scalars *scalars, const void *z, void *p)
{
    spg_amg_factors one, beta;
    for (int j = 0; j < SPG_AMG_MOST_WIDTH; ++j) {
        const bool keeps = j < shape->width && !spg_amg_has(starts, j);
        const double quotient = keeps ? scalars->rz[j] / scalars->rz_before[j] : 0;
        beta.of[j] = isfinite(quotient) ? quotient : 0;
        one.of[j] = 1;
    }
    return spg_host_many_combine(context, shape, &one, z, &beta, p);
}
