/* Vector operations of cycles and solves. Sums are over blocks of a fixed size, then over the blocks in order, so the
 * bits do not depend on the threads. */
#define REAL_ONLY
#include "host/by_type.h"
#include "host/work.h"
#include "host_amg.h"

#include "amg/krylov/scalars.h"
#include "amg/units.h"

#include <math.h>

enum { BLOCK = 4096, LANES = 8, TOGETHER = 4 };

static int64_t blocks_of(int64_t n) { return n / BLOCK + (n % BLOCK > 0); }

static int64_t block_size(int64_t n, int64_t block)
{
    const int64_t rest = n - block * BLOCK;
    return rest < BLOCK ? rest : BLOCK;
}

static double sum_in_order(const double *values, int64_t count)
{
    double sum = 0;
    for (int64_t k = 0; k < count; ++k) sum += values[k];
    return sum;
}

/* axpby writes y, dot the sums of blocks. */
typedef struct vector_job {
    int64_t n;
    double alpha, beta;
    const void *x;
    void *y;
    double *sums;
} vector_job;

typedef struct step_job {
    int64_t n;
    double alpha;
    const void *p, *q;
    void *x, *r;
    double *sums;
} step_job;

/* The sums of vector v: blocks of them from sums + v * blocks on. */
typedef struct dots_job {
    int64_t n, blocks, stride;
    const char *first;
    int count;
    const void *y;
    double *sums;
} dots_job;

typedef struct combine_job {
    const spg_amg_combination *by;
    void *y;
} combine_job;

#define TEMPLATE "host/amg/vectors.inc.h"
#include "host/for_each_value_type.h"

spg_status spg_host_axpby(spg_context *context, spg_type type, int64_t n, double alpha, const void *x, double beta,
                          void *y)
{
    static spg_work *const axpby[2] = BY_REAL_VALUE_TYPE(axpby);
    spg_parallel(spg_host_threads(context, n), n, 0, axpby[type],
                 &(vector_job){.alpha = alpha, .x = x, .beta = beta, .y = y});
    return SPG_OK;
}

spg_status spg_host_times_i(spg_context *context, spg_type type, int64_t n, const void *x, void *y)
{
    static spg_work *const times_i[2] = BY_REAL_VALUE_TYPE(times_i);
    spg_parallel(spg_host_threads(context, 2 * n), n, 0, times_i[type], &(vector_job){.x = x, .y = y});
    return SPG_OK;
}

int64_t spg_host_dot_bytes(spg_type type, int64_t n)
{
    (void)type;
    return blocks_of(n) * (int64_t)sizeof(double);
}

spg_status spg_host_dot(spg_context *context, spg_type type, int64_t n, const void *x, const void *y, void *workspace,
                        double *result)
{
    static spg_work *const dot[2] = BY_REAL_VALUE_TYPE(dot);
    spg_parallel(spg_host_threads(context, n), blocks_of(n), 0, dot[type],
                 &(vector_job){.n = n, .x = x, .y = (void *)y, .sums = workspace});
    *result = sum_in_order(workspace, blocks_of(n));
    return SPG_OK;
}

/* alpha x, in doubles, and the sums of its squares. */
static void sum_scaled(const void *data, spg_range blocks)
{
    const vector_job *job = data;
    double scaled[BLOCK];
    for (int64_t k = blocks.begin; k < blocks.end; ++k) {
        const double *x = (const double *)job->x + k * BLOCK;
        const int64_t size = block_size(job->n, k);
        for (int64_t i = 0; i < size; ++i) scaled[i] = job->alpha * x[i];
        job->sums[k] = dot_block_f64(scaled, scaled, size);
    }
}

spg_status spg_host_sum_again(spg_context *context, int64_t n, const double *x, const double *sum, void *workspace,
                              double *again)
{
    const double scaling = spg_rescaling_of_squares(*sum);
    if (scaling == 1) return SPG_OK;
    spg_parallel(spg_host_threads(context, n), blocks_of(n), 0, sum_scaled,
                 &(vector_job){.n = n, .alpha = scaling, .x = x, .sums = workspace});
    *again = sum_in_order(workspace, blocks_of(n));
    return SPG_OK;
}

spg_status spg_host_cg_step(spg_context *context, spg_type type, int64_t n, double target, spg_amg_cg_scalars *scalars,
                            const spg_amg_cg_vectors *vectors, void *workspace, unsigned int *number)
{
    static spg_work *const step[2] = BY_REAL_VALUE_TYPE(cg_step);
    const double rz = scalars->rz, pq = scalars->pq;
    const bool moves = scalars->has_ended == 0 && rz > 0 && pq > 0 && isfinite(rz / pq);
    *number = 0;
    scalars->rz_before = rz;
    if (!moves) {
        scalars->has_ended = 1;
        return spg_host_dot(context, type, n, vectors->r, vectors->r, workspace, &scalars->rr);
    }
    spg_parallel(spg_host_threads(context, n), blocks_of(n), 0, step[type],
                 &(step_job){n, rz / pq, vectors->p, vectors->q, vectors->x, vectors->r, workspace});
    scalars->rr = sum_in_order(workspace, blocks_of(n));
    if (sqrt(scalars->rr) <= target) scalars->has_ended = 1;
    return SPG_OK;
}

spg_status spg_host_cg_read(spg_context *context, const spg_amg_cg_scalars *scalars, unsigned int number,
                            spg_amg_cg_scalars *read)
{
    (void)context;
    (void)number;
    *read = *scalars;
    return SPG_OK;
}

spg_status spg_host_cg_direction(spg_context *context, spg_type type, int64_t n, const spg_amg_cg_scalars *scalars,
                                 const void *z, void *p)
{
    const double beta = scalars->rz / scalars->rz_before;
    return spg_host_axpby(context, type, n, 1, z, isfinite(beta) ? beta : 0, p);
}

/* ---- Several vectors, and the scalars of Krylov methods ---- */

int64_t spg_host_krylov_dots_bytes(spg_type type, int64_t n)
{
    return SPG_AMG_DOTS_AT_ONCE * spg_host_dot_bytes(type, n);
}

spg_status spg_host_krylov_dots(spg_context *context, spg_type type, int64_t n, const spg_amg_vectors *of,
                                const void *y, void *workspace, double *results)
{
    static spg_work *const sum[2] = BY_REAL_VALUE_TYPE(dots);
    const int64_t blocks = blocks_of(n);
    double *const sums = workspace;
    for (int begun = 0; begun < of->count; begun += SPG_AMG_DOTS_AT_ONCE) {
        const int rest = of->count - begun, count = rest < SPG_AMG_DOTS_AT_ONCE ? rest : SPG_AMG_DOTS_AT_ONCE;
        const char *const first = (const char *)of->first + begun * of->stride;
        spg_parallel(spg_host_threads(context, count * n), blocks, 0, sum[type],
                     &(dots_job){n, blocks, of->stride, first, count, y, sums});
        for (int v = 0; v < count; ++v) results[begun + v] = sum_in_order(sums + v * blocks, blocks);
    }
    return SPG_OK;
}

spg_status spg_host_krylov_combine(spg_context *context, spg_type type, int64_t n, const spg_amg_combination *by,
                                   void *y)
{
    static spg_work *const add[2] = BY_REAL_VALUE_TYPE(combine);
    spg_parallel(spg_host_threads(context, (by->of.count + 1) * n), n, 0, add[type], &(combine_job){by, y});
    return SPG_OK;
}

spg_status spg_host_krylov_advance(spg_context *context, const spg_amg_krylov_step *step)
{
    (void)context;
    spg_amg_krylov_advance(step);
    return SPG_OK;
}
