/* New values of A in an existing hierarchy: plans run in place of products, so that nothing is allocated and, on a
 * device, nothing waits. */
#include "amg.h"

#include "argument.h"
#include "clock.h"
#include "memory.h"
#include "operations/operations_backend.h"
#include "spgemm/plan.h"

spg_status spg_amg_take_transpose_map(spg_amg *amg, spg_level *level)
{
    const int64_t bytes = spg_array_bytes(spg_amg_restricts(level)->nnz, sizeof *level->transpose_map);
    return spg_amg_take(amg, level, bytes, "a transpose's map", (void **)&level->transpose_map);
}

spg_status spg_amg_plan_level(spg_amg *amg, spg_level *level, spg_csr *AP)
{
    spg_context *context = amg->context;
    spg_galerkin_products known = {.C = &(level + 1)->A, .AP.stats = level->AP, .RAP = level->RAP};
    if (AP != NULL) known.AP.C = *AP;
    const bool has_map = level->transpose_map != NULL; /* made with the transpose */
    spg_status status = has_map ? SPG_OK : spg_amg_take_transpose_map(amg, level);
    if (status == SPG_OK && !has_map)
        status = amg->backend->transpose_map(context, spg_amg_restricts(level), &level->R, level->transpose_map);
    if (status == SPG_OK)
        status = spg_galerkin_plan_make(context, &level->R, &level->A, &level->P, amg->symmetric, &known, &level->plan);
    if (status == SPG_OK) spg_amg_count(amg, level, level->plan->stats.plan_bytes);
    return status == SPG_OK ? spg_amg_map_restriction(amg, level) : status;
}

static void forget_plan(spg_amg *amg, spg_level *level)
{
    const int64_t bytes = spg_array_bytes(spg_amg_restricts(level)->nnz, sizeof *level->transpose_map);
    if (level->plan != NULL) spg_amg_count(amg, level, -level->plan->stats.plan_bytes);
    spg_galerkin_plan_destroy(level->plan);
    spg_amg_give(amg, level, level->transpose_map, bytes);
    spg_amg_forget_restriction_map(amg, level);
    level->plan = NULL;
    level->transpose_map = NULL;
}

spg_status spg_amg_plan_update(spg_amg *amg)
{
    if (amg->can_update) return SPG_OK;
    spg_status status = spg_amg_take_spectral_workspace(amg, &amg->level[0]);
    for (int l = 0; status == SPG_OK && l + 1 < amg->levels; ++l)
        if (amg->level[l].plan == NULL) status = spg_amg_plan_level(amg, &amg->level[l], NULL);
    /* Others may change the matrix on other streams. */
    if (status == SPG_OK && amg->levels > 1) status = spg_galerkin_plan_wait(amg->level[amg->levels - 2].plan);
    if (status != SPG_OK) {
        for (int l = 0; l + 1 < amg->levels; ++l) forget_plan(amg, &amg->level[l]);
        spg_amg_give_spectral_workspace(amg);
    }
    amg->can_update = status == SPG_OK;
    return status;
}

static spg_status check(spg_context *context, const spg_amg *amg, const spg_csr *A)
{
    spg_status status = spg_amg_check_own(context, amg);
    if (status == SPG_OK) status = spg_check_csr_here(context, A, "A");
    if (status != SPG_OK) return status;
    const spg_csr *known = &amg->given;
    if (A->rows == known->rows && A->cols == known->cols && A->nnz == known->nnz &&
        A->value_type == known->value_type && A->offset_type == known->offset_type)
        return SPG_OK;
    return spg_context_fail(
        context, SPG_ERROR_SHAPE,
        "A is %lld x %lld with %lld entries (%s, %s), the hierarchy's %lld x %lld with %lld (%s, %s)",
        (long long)A->rows, (long long)A->cols, (long long)A->nnz, spg_type_name(A->value_type),
        spg_type_name(A->offset_type), (long long)known->rows, (long long)known->cols, (long long)known->nnz,
        spg_type_name(known->value_type), spg_type_name(known->offset_type));
}

/* The values of one matrix on the pattern of another. */
static spg_csr on_pattern(const spg_csr *values, const spg_csr *pattern)
{
    spg_csr A = *pattern;
    A.value_type = values->value_type;
    A.values = values->values;
    return A;
}

/* Takes the new matrix over as level 0's. */
static spg_status take_over(spg_amg *amg, const spg_csr *A)
{
    spg_amg_forget_cycles(amg);
    const spg_status status = spg_amg_renew_system(amg, A);
    const spg_csr *system = &amg->system;
    amg->level[0].A = amg->narrow != NULL ? on_pattern(&amg->level[0].A, system) : *system;
    return status == SPG_OK && amg->narrow != NULL ? spg_amg_narrow_update(amg) : status;
}

/* For a real A, by the first plan, if there is one. */
static spg_status check_pattern(const spg_amg *amg, const spg_csr *A)
{
    spg_context *context = amg->context;
    const spg_level *first = &amg->level[0];
    const spg_csr pattern = on_pattern(&first->A, A);
    if (first->plan != NULL && !amg->is_complex) return spgemm_plan_check(first->plan->AP_plan, &pattern, &first->P);
    const spg_status status = context->backend->csr_check(context, A);
    if (status != SPG_OK || !amg->is_complex) return status;
    return context->backend->operations->real_form_check(context, A, &amg->system);
}

/* Checks the contents of the arrays. A device would have to wait for this. */
static spg_status check_contents(const spg_amg *amg, const spg_csr *A)
{
    if (amg->context->config.place != SPG_PLACE_HOST) return SPG_OK;
    const spg_status status = check_pattern(amg, A);
    return status == SPG_OK ? amg->backend->check_finite(amg->context, A) : status;
}

/* New values of a level's prolongator, of the next level's A and, if the next level has one, of its inverse
 * diagonal. */
static spg_status renew_level(spg_amg *amg, spg_level *level)
{
    const spg_galerkin_operands of = {.A = &level->A,
                                      .P = &level->P,
                                      .Q = spg_amg_restricts(level),
                                      .map = level->transpose_map,
                                      .symmetric = amg->symmetric};
    spg_level *next = level + 1;
    spg_status status = spg_amg_renew_smoother(amg, level);
    if (status == SPG_OK) status = spg_amg_fill_prolongator(amg, level);
    if (status == SPG_OK) status = spg_amg_renew_restriction(amg, level);
    return status == SPG_OK ? spg_galerkin_plan_compute(level->plan, &of, &level->R, &next->A, next->inverse) : status;
}

static spg_status renew(spg_amg *amg)
{
    const spg_amg_backend *backend = amg->backend;
    spg_level *first = &amg->level[0], *last = &amg->level[amg->levels - 1];
    spg_status status = first->inverse != NULL ? backend->find_symmetry_and_inverse(amg->context, &first->A,
                                                                                    amg->symmetric, first->inverse)
                                               : backend->find_symmetry(amg->context, &first->A, amg->symmetric);
    for (int l = 0; status == SPG_OK && l + 1 < amg->levels; ++l) status = renew_level(amg, &amg->level[l]);
    if (status == SPG_OK && last->inverse != NULL) status = spg_amg_renew_smoother(amg, last);
    return status == SPG_OK ? spg_amg_coarse_update(amg) : status;
}

spg_status spg_amg_update(spg_context *context, spg_amg *amg, const spg_csr *A)
{
    const double begin = spg_seconds();
    spg_status status = check(context, amg, A);
    if (status == SPG_OK) status = spg_amg_plan_update(amg);
    if (status == SPG_OK) status = check_contents(amg, A);
    if (status != SPG_OK) return status;
    status = take_over(amg, A);
    if (status == SPG_OK) status = renew(amg);
    amg->update_seconds = spg_seconds() - begin;
    return status;
}
