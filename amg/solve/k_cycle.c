/* The K-cycle (Notay, Vassilevski, Recursive Krylov-based multigrid cycles, Numer. Linear Algebra Appl. 15, 2008): a
 * correction by two steps of flexible conjugate gradients on the level's system, preconditioned by its cycle; of GCR if
 * A is unsymmetric. Scalars stay at the place. The second step is always done, where the authors leave it out if the
 * first has divided the residual by 4: then nothing waits, and cycles can be recorded. */
#include "cycle.h"

#include "amg/krylov/krylov_backend.h"

/* Where two steps are taken. Each such level doubles the work on all below it: of the first levels three, conjugate
 * gradients take an iteration more than of all, or none, and less time (amg_bench --cycle k --unsmoothed, fd2d5:1000,
 * fd3d7:100, tet3d:50; standard aggregation of fd2d5:500). */
enum { MOST_LEVELS_OF_TWO = 3 };

/* A level's memory: vectors, of which the first is the right-hand side and then the residual; the workspace of inner
 * products; the scalars. The images are A times the corrections; the second correction is the level's x. */
enum { RESIDUAL, IMAGE, SECOND_IMAGE, CORRECTION, VECTORS, LINE = 256 };

static int64_t whole_lines(int64_t bytes) { return (bytes + LINE - 1) / LINE * LINE; }

static int64_t vector_stride(const spg_amg *amg, const spg_level *level)
{
    return whole_lines(spg_amg_vector_bytes(amg, level->A.rows));
}

static int64_t dots_bytes(const spg_amg *amg, const spg_level *level)
{
    return whole_lines(amg->backend->krylov->dots_bytes(amg->value_type, level->A.rows));
}

static void *vector_of(const spg_amg *amg, const spg_level *level, int vector)
{
    return (char *)level->steps + vector * vector_stride(amg, level);
}

static spg_amg_krylov_scalars *scalars_of(const spg_amg *amg, const spg_level *level)
{
    return (void *)((char *)vector_of(amg, level, VECTORS) + dots_bytes(amg, level));
}

/* results = y . r, y . image and, with count 3, y . second image. */
static spg_status multiply(const spg_amg *amg, const spg_level *level, int count, const void *y, double *results)
{
    const spg_amg_vectors of = {level->steps, vector_stride(amg, level), count};
    return amg->backend->krylov->dots(amg->context, amg->value_type, level->A.rows, &of, y,
                                      vector_of(amg, level, VECTORS), results);
}

/* y = scale y + factor coefficient x; scale NULL: 1. */
static spg_status add(const spg_amg *amg, const spg_level *level, const spg_amg_combination *by, void *y)
{
    return amg->backend->krylov->combine(amg->context, amg->value_type, level->A.rows, by, y);
}

static spg_status advance(const spg_amg *amg, const spg_level *level, spg_amg_krylov_move move)
{
    const spg_amg_krylov_step step = {.move = move, .scalars = scalars_of(amg, level)};
    return amg->backend->krylov->advance(amg->context, &step);
}

/* A correction from zero for the residual, its image, and inner products with it: of conjugate gradients with the
 * correction, of GCR with the image. */
static spg_status correct(const spg_amg *amg, const spg_level *level, void *correction, int image, double *products)
{
    spg_context *context = amg->context;
    void *const v = vector_of(amg, level, image);
    spg_status status = spg_amg_cycle_below(amg, level, correction);
    if (status == SPG_OK) status = context->backend->csr_spmv(context, NULL, &level->A, correction, NULL, v);
    if (status != SPG_OK) return status;
    return multiply(amg, level, image + 1, amg->is_unsymmetric ? v : correction, products);
}

spg_status spg_amg_two_steps(const spg_amg *amg, const spg_level *level)
{
    spg_amg_krylov_scalars *const s = scalars_of(amg, level);
    void *const first = vector_of(amg, level, CORRECTION);
    const spg_amg_combination step = {{vector_of(amg, level, IMAGE), 0, 1}, &s->weights[0], -1, NULL};
    const spg_amg_combination sum = {{first, 0, 1}, &s->weights[0], 1, &s->weights[1]};
    spg_status status = correct(amg, level, first, IMAGE, s->first);
    if (status == SPG_OK) status = advance(amg, level, SPG_AMG_K_FIRST);
    if (status == SPG_OK) status = add(amg, level, &step, level->b);
    if (status == SPG_OK) status = correct(amg, level, level->x, SECOND_IMAGE, s->second);
    if (status == SPG_OK) status = advance(amg, level, SPG_AMG_K_SECOND);
    return status == SPG_OK ? add(amg, level, &sum, level->x) : status;
}

bool spg_amg_takes_two_steps(const spg_amg *amg, int level)
{
    return amg->options.cycle == SPG_CYCLE_K && level > 0 && level <= MOST_LEVELS_OF_TWO && level < amg->levels - 1;
}

static int64_t steps_bytes(const spg_amg *amg, const spg_level *level)
{
    return VECTORS * vector_stride(amg, level) + dots_bytes(amg, level) + (int64_t)sizeof(spg_amg_krylov_scalars);
}

spg_status spg_amg_steps_create(spg_amg *amg, spg_level *level)
{
    spg_status status = spg_amg_take(amg, level, steps_bytes(amg, level), "the vectors of a K-cycle", &level->steps);
    if (status != SPG_OK) return status;
    level->b = vector_of(amg, level, RESIDUAL);
    return amg->context->backend->zero_bytes(amg->context, scalars_of(amg, level), sizeof(spg_amg_krylov_scalars));
}

void spg_amg_steps_destroy(spg_amg *amg, spg_level *level)
{
    if (level->steps == NULL) return;
    spg_amg_give(amg, level, level->steps, steps_bytes(amg, level));
    level->steps = level->b = NULL;
}
