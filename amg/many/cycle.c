/* The V-cycle on blocks, from zero; see amg/solve/cycle.c, whose steps these are. */
#include "many.h"

static bool is_last(const spg_amg *amg, int l) { return l == amg->levels - 1; }

static int turns_of(const spg_amg *amg, int l)
{
    const int before = amg->options.pre_sweeps, after = amg->options.post_sweeps;
    if (!is_last(amg, l)) return spg_amg_sweep_turns(amg, before, true) + spg_amg_sweep_turns(amg, after, false);
    return amg->dense != NULL || amg->is_diagonal ? 0 : spg_amg_sweep_turns(amg, before + after, true);
}

/* Whether the iterate after the sweeps before is inverse .* b times a number. It then need not be stored. */
static bool is_swept_once(const spg_amg *amg) { return spg_amg_sweep_turns(amg, amg->options.pre_sweeps, false) == 1; }

static spg_amg_relaxation first_sweep(const spg_amg *amg, int l, const void *b, void *y)
{
    spg_amg_relaxation first = spg_amg_sweep_step(amg, &amg->level[l], 0);
    first.b = b;
    first.y = y;
    return first;
}

/* Starts in the block from which the last sweep ends in x. */
static spg_amg_iterate begin_at(const spg_amg *amg, int l, void *x)
{
    void *const r = ((const spg_amg_many *)amg->many)->level[l].r;
    return turns_of(amg, l) % 2 == 0 ? (spg_amg_iterate){x, r, true} : (spg_amg_iterate){r, x, true};
}

/* products: NULL, or of b and the last iterate. */
static spg_status sweep(const spg_amg *amg, int l, const void *b, int sweeps, spg_amg_iterate *x,
                        const spg_amg_products *products)
{
    const spg_amg_many *many = amg->many;
    const int steps = spg_amg_sweep_turns(amg, sweeps, false), degree = spg_amg_sweep_turns(amg, 1, false);
    spg_status status = SPG_OK;
    for (int k = 0; status == SPG_OK && k < steps; ++k) {
        void *const to = x->is_zero ? x->now : x->next;
        spg_amg_relaxation by = spg_amg_sweep_step(amg, &amg->level[l], x->is_zero ? 0 : k % degree);
        by.b = b;
        by.x = x->is_zero ? NULL : x->now;
        by.y = to;
        by.d = many->level[l].d;
        status = amg->backend->many->relax(amg->context, &amg->level[l].A, many->width, &by,
                                           k + 1 == steps ? products : NULL);
        x->next = x->is_zero ? x->next : x->now;
        x->now = to;
        x->is_zero = false;
    }
    return status;
}

/* After one sweep, the iterate is left to ascend(). */
static spg_status descend(const spg_amg *amg, int l, const void *b, spg_amg_iterate *x)
{
    const spg_amg_many_backend *backend = amg->backend->many;
    const spg_amg_many *many = amg->many;
    const spg_level *level = &amg->level[l];
    const void *residual = x->next;
    spg_status status = SPG_OK;
    if (is_swept_once(amg)) {
        const spg_amg_relaxation first = first_sweep(amg, l, b, NULL);
        status = backend->first_residual(amg->context, &level->A, many->width, &first, x->next);
    } else {
        status = sweep(amg, l, b, amg->options.pre_sweeps, x, NULL);
        residual = x->is_zero ? b : x->next;
        if (status == SPG_OK && !x->is_zero)
            status = backend->residual(amg->context, &level->A, many->width, b, x->now, x->next);
    }
    if (status != SPG_OK) return status;
    return backend->multiply(amg->context, &level->R, many->width, residual, false, many->level[l + 1].b, NULL);
}

static spg_status add_correction(const spg_amg *amg, int l, const void *b, spg_amg_iterate *x)
{
    const spg_amg_many_backend *backend = amg->backend->many;
    const spg_amg_many *many = amg->many;
    const spg_csr *P = &amg->level[l].P;
    const void *correction = many->level[l + 1].x;
    const bool adds = !x->is_zero;
    const spg_amg_relaxation first = first_sweep(amg, l, b, x->now);
    x->is_zero = false;
    if (is_swept_once(amg)) return backend->first_correction(amg->context, P, many->width, &first, correction);
    return backend->multiply(amg->context, P, many->width, correction, adds, x->now, NULL);
}

static spg_status ascend(const spg_amg *amg, int l, const void *b, spg_amg_iterate *x, const spg_amg_products *products)
{
    const spg_status status = add_correction(amg, l, b, x);
    return status == SPG_OK ? sweep(amg, l, b, amg->options.post_sweeps, x, products) : status;
}

static spg_status solve_last(const spg_amg *amg, int l, const void *b, spg_amg_iterate *x)
{
    const spg_amg_many_backend *backend = amg->backend->many;
    const spg_amg_many *many = amg->many;
    const spg_level *level = &amg->level[l];
    const spg_amg_relaxation division = {.inverse = level->inverse, .scale = 1, .step = -1, .b = b, .y = x->now};
    if (amg->is_diagonal) return backend->relax(amg->context, &level->A, many->width, &division, NULL);
    if (amg->dense != NULL)
        return backend->dense_solve(amg->context, amg->dense, many->width, b, x->now, many->dense_workspace);
    const spg_status status = sweep(amg, l, b, amg->options.pre_sweeps + amg->options.post_sweeps, x, NULL);
    if (status != SPG_OK || !x->is_zero) return status;
    return amg->context->backend->zero_bytes(amg->context, x->now,
                                             spg_amg_vector_bytes(amg, level->A.rows) * many->width);
}

static spg_status cycle(const spg_amg *amg, int l, const void *b, spg_amg_iterate *x, const spg_amg_products *products)
{
    if (is_last(amg, l)) return solve_last(amg, l, b, x);
    const spg_amg_many_level *next = &((const spg_amg_many *)amg->many)->level[l + 1];
    spg_amg_iterate correction = begin_at(amg, l + 1, next->x);
    spg_status status = descend(amg, l, b, x);
    if (status == SPG_OK) status = cycle(amg, l + 1, next->b, &correction, NULL);
    return status == SPG_OK ? ascend(amg, l, b, x, products) : status;
}

/* Whether the last thing that a cycle does is a sweep, which gives products. */
static bool ends_in_sweep(const spg_amg *amg) { return amg->levels > 1 && amg->options.post_sweeps > 0; }

static spg_status v_cycle(spg_amg *amg, const void *b, void *x, double *products)
{
    const spg_amg_many *many = amg->many;
    const spg_amg_products of = {many->workspace, products};
    spg_amg_iterate iterate = begin_at(amg, 0, x);
    return cycle(amg, 0, b, &iterate, products != NULL && ends_in_sweep(amg) ? &of : NULL);
}

static spg_status run_v_cycle(spg_amg *amg, const spg_amg_cycle_call *call)
{
    const spg_amg_many *many = amg->many;
    const spg_amg_shape shape = {amg->value_type, amg->system.rows, many->width};
    const spg_status status = v_cycle(amg, call->b, call->x, call->products);
    if (status != SPG_OK || call->products == NULL || ends_in_sweep(amg)) return status;
    return amg->backend->many->dot(amg->context, &shape, call->b, call->x, many->workspace, call->products);
}

/* x = one V-cycle from zero, in blocks of the hierarchy's type. products: NULL, or b . x of each vector. */
static spg_status repeat_v_cycle(spg_amg *amg, const void *b, void *x, double *products)
{
    return spg_amg_repeat_cycle(amg, &(spg_amg_cycle_call){run_v_cycle, b, x, true, products});
}

static spg_status apply_narrow(spg_amg *amg, const spg_amg_shape *shape, const void *b, void *x, const double *squares)
{
    const spg_amg_many_backend *backend = amg->backend->many;
    const spg_amg_many *many = amg->many;
    spg_status status = SPG_OK;
    const bool is_known = squares != NULL;
    const spg_squares of_b = is_known ? (spg_squares){squares, NULL} : (spg_squares){many->squares, many->again};
    if (!is_known) status = backend->dot(amg->context, shape, b, b, many->workspace, many->squares);
    if (!is_known && status == SPG_OK)
        status =
            backend->sum_again(amg->context, shape->n, shape->width, b, many->squares, many->workspace, many->again);
    if (status == SPG_OK) status = backend->narrow(amg->context, shape->n, shape->width, of_b, b, many->narrow_b);
    if (status == SPG_OK) status = repeat_v_cycle(amg, many->narrow_b, many->narrow_x, NULL);
    if (status != SPG_OK) return status;
    return backend->widen(amg->context, shape, of_b, spg_amg_narrow_unit(amg), many->narrow_x, x);
}

spg_status spg_amg_many_precondition(spg_amg *amg, const void *b, void *x, const double *squares, double *products)
{
    const spg_amg_many *many = amg->many;
    const spg_amg_shape shape = {amg->system.value_type, amg->system.rows, many->width};
    if (amg->narrow == NULL) return repeat_v_cycle(amg, b, x, products);
    const spg_status status = apply_narrow(amg, &shape, b, x, squares);
    if (status != SPG_OK || products == NULL) return status;
    return amg->backend->many->dot(amg->context, &shape, b, x, many->workspace, products);
}
