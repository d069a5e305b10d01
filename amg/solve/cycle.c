/* The cycle: smooth and restrict the residual, down to the dense solve; then prolong the correction and smooth, back
 * up. With as many sweeps after as before, and a symmetric smoother, the V-cycle is a symmetric operator on the
 * right-hand side. The K-cycle finds corrections by k_cycle.c. */
#include "cycle.h"

#include "argument.h"

#include <stddef.h>

static const float one_f32 = 1;
static const double one_f64 = 1;

static bool is_last(const spg_amg *amg, const spg_level *level) { return level == &amg->level[amg->levels - 1]; }

/* How often `now` and `next` are swapped on a level. */
static int turns_of(const spg_amg *amg, const spg_level *level, bool from_zero)
{
    const int before = amg->options.pre_sweeps, after = amg->options.post_sweeps;
    if (!is_last(amg, level))
        return spg_amg_sweep_turns(amg, before, from_zero) + spg_amg_sweep_turns(amg, after, false);
    return amg->dense != NULL || amg->is_diagonal ? 0 : spg_amg_sweep_turns(amg, before + after, from_zero);
}

/* From zero: starts in the vector from which the last sweep ends in x. */
static spg_amg_iterate begin_at(const spg_amg *amg, const spg_level *level, void *x)
{
    return turns_of(amg, level, true) % 2 == 0 ? (spg_amg_iterate){x, level->r, true}
                                               : (spg_amg_iterate){level->r, x, true};
}

/* Smooths A x = b on a level and stores R (b - A x) as the right-hand side of the next. */
static spg_status descend(const spg_amg *amg, const spg_level *level, const void *b, spg_amg_iterate *x)
{
    spg_context *context = amg->context;
    void *const coarse_b = level[1].b;
    spg_status status = spg_amg_sweep(amg, level, b, amg->options.pre_sweeps, x);
    if (status != SPG_OK) return status;
    if (x->is_zero) return context->backend->csr_spmv(context, NULL, &level->R, b, NULL, coarse_b);
    status = amg->backend->residual(context, &level->A, b, x->now, x->next);
    return status == SPG_OK ? context->backend->csr_spmv(context, NULL, &level->R, x->next, NULL, coarse_b) : status;
}

/* Adds P times the next level's correction and smooths. */
static spg_status ascend(const spg_amg *amg, const spg_level *level, const void *b, spg_amg_iterate *x)
{
    spg_context *context = amg->context;
    const void *one = amg->value_type == SPG_F32 ? (const void *)&one_f32 : &one_f64;
    const spg_status status =
        context->backend->csr_spmv(context, NULL, &level->P, level[1].x, x->is_zero ? NULL : one, x->now);
    x->is_zero = false;
    return status == SPG_OK ? spg_amg_sweep(amg, level, b, amg->options.post_sweeps, x) : status;
}

/* On the last level: by its diagonal if it is diagonal, else densely or, if it is too large, by the sweeps before and
 * after. */
static spg_status solve_last(const spg_amg *amg, const spg_level *level, const void *b, spg_amg_iterate *x)
{
    const spg_amg_relaxation division = {.inverse = level->inverse, .scale = 1, .step = -1, .b = b, .y = x->now};
    if (amg->is_diagonal) return amg->backend->relax(amg->context, &level->A, &division);
    if (amg->dense != NULL) return amg->backend->dense_solve(amg->context, amg->dense, b, x->now);
    spg_status status = spg_amg_sweep(amg, level, b, amg->options.pre_sweeps + amg->options.post_sweeps, x);
    if (status != SPG_OK || !x->is_zero) return status;
    return amg->context->backend->zero_bytes(amg->context, x->now, spg_amg_vector_bytes(amg, level->A.rows));
}

static spg_status cycle(const spg_amg *amg, const spg_level *level, const void *b, spg_amg_iterate *x)
{
    if (is_last(amg, level)) return solve_last(amg, level, b, x);
    const spg_level *next = level + 1;
    spg_status status = descend(amg, level, b, x);
    if (status == SPG_OK)
        status = next->steps != NULL ? spg_amg_two_steps(amg, next) : spg_amg_cycle_below(amg, next, next->x);
    return status == SPG_OK ? ascend(amg, level, b, x) : status;
}

spg_status spg_amg_cycle_below(const spg_amg *amg, const spg_level *level, void *x)
{
    spg_amg_iterate iterate = begin_at(amg, level, x);
    return cycle(amg, level, level->b, &iterate);
}

spg_status spg_amg_run_cycle(spg_amg *amg, const void *b, void *x, bool from_zero)
{
    const spg_level *level = &amg->level[0];
    if (level->A.rows == 0) return SPG_OK;
    spg_amg_iterate iterate = from_zero ? begin_at(amg, level, x) : (spg_amg_iterate){x, level->r, false};
    const spg_status status = cycle(amg, level, b, &iterate);
    if (status != SPG_OK || iterate.now == x) return status;
    return amg->backend->axpby(amg->context, amg->value_type, level->A.rows, 1, iterate.now, 0, x);
}

spg_status spg_amg_cycle(spg_context *context, spg_amg *amg, const void *b, void *x)
{
    const spg_status status = spg_amg_check_system(context, amg, b, x);
    return status == SPG_OK ? spg_amg_cycle_from_guess(amg, b, x) : status;
}

static spg_status take_vector(spg_amg *amg, spg_level *level, void **vector)
{
    return spg_amg_take(amg, level, spg_amg_vector_bytes(amg, level->A.rows), "a vector of the cycle", vector);
}

spg_status spg_amg_cycle_create(spg_amg *amg)
{
    spg_status status = SPG_OK;
    for (int l = 0; status == SPG_OK && l < amg->levels; l++) {
        spg_level *level = &amg->level[l];
        if (l > 0) status = take_vector(amg, level, &level->x);
        if (l > 0 && status == SPG_OK)
            status =
                spg_amg_takes_two_steps(amg, l) ? spg_amg_steps_create(amg, level) : take_vector(amg, level, &level->b);
        if (status == SPG_OK) status = take_vector(amg, level, &level->r);
        if (status == SPG_OK && amg->options.smoother == SPG_SMOOTHER_CHEBYSHEV)
            status = take_vector(amg, level, &level->d);
    }
    return status;
}

void spg_amg_cycle_destroy(spg_amg *amg)
{
    for (int l = 0; l < amg->levels; l++) {
        spg_level *level = &amg->level[l];
        spg_amg_steps_destroy(amg, level);
        void **const vectors[] = {&level->x, &level->b, &level->r, &level->d};
        for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) {
            if (*vectors[k] != NULL) spg_amg_give(amg, level, *vectors[k], spg_amg_vector_bytes(amg, level->A.rows));
            *vectors[k] = NULL;
        }
    }
}
