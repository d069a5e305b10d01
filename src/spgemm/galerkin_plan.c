/* Plans of the Galerkin product: A*P and its pattern are stored, so that a run computes only values. */
#include "galerkin.h"

#include "argument.h"
#include "clock.h"
#include "memory.h"
#include "plan.h"

#include <string.h>

/* Copies C's lower triangle from its upper one, if the flag says so and, unless `inverse` is NULL, computes the inverse
 * of its diagonal (real types). */
static spg_status mirror(const spg_galerkin_plan *plan, const int32_t *symmetric, const spg_csr *result, void *inverse)
{
    const spg_amg_backend *amg = plan->context->backend->amg;
    const spg_images *images = &plan->RAP_plan->images;
    spg_csr of_plan = plan->RAP_plan->C, *C = &of_plan; /* uses the plan's own pattern, which is valid */
    C->values = result->values;
    if (images->count > 0) return amg->copy_images(plan->context, symmetric, images, C, inverse);
    return amg->mirror(plan->context, symmetric, C, inverse);
}

static int64_t values_bytes(const spg_csr *matrix)
{
    return spg_array_bytes(matrix->nnz, spg_type_size(matrix->value_type));
}

/* P^T, and the source of its values. Checks P. */
static spg_status plan_transpose(spg_galerkin_plan *plan, const spg_csr *P)
{
    spg_context *context = plan->context;
    const int64_t map_bytes = spg_array_bytes(P->nnz, sizeof *plan->map);
    spg_status status = spg_check_index_range(context, P->rows, "P", "rows");
    if (status == SPG_OK) status = spg_allocate(context, map_bytes, "a plan's transpose", (void **)&plan->map);
    if (status != SPG_OK) return status;
    const spg_galerkin_operands of = {.P = P, .checks = true, .map = plan->map};
    status = spg_galerkin_transpose(context, &of, &plan->R, &plan->stats);
    if (status != SPG_OK) { /* destruction takes its size from R */
        spg_release(context, plan->map, map_bytes);
        plan->map = NULL;
        return status;
    }
    return spg_allocate(context, sizeof *plan->symmetric, "a plan's flag", (void **)&plan->symmetric);
}

/* A*P, whose pattern is that of its plan. */
static spg_status plan_AP(spg_galerkin_plan *plan, const spg_csr *A, const spg_csr *P, spg_known_product *known)
{
    spg_context *context = plan->context;
    const bool is_known = known->C.row_offsets != NULL;
    plan->AP = known->C; /* for its values; the plan of A*P takes the other arrays */
    known->C.values = NULL;
    spg_status status =
        spg_plan_create_inner(context, A, P, plan->operands, NULL, is_known ? known : NULL, &plan->AP_plan);
    if (status != SPG_OK) return spg_galerkin_explain_AP(context, status);
    void *values = plan->AP.values;
    plan->AP = plan->AP_plan->C;
    plan->AP.values = values;
    if (!is_known) status = spg_allocate(context, values_bytes(&plan->AP), "A*P", &plan->AP.values);
    return spg_galerkin_explain_AP(context, status);
}

/* symmetric: NULL, or a flag at the place that runs read. */
static spg_status plan_RAP(spg_galerkin_plan *plan, const spg_csr *R, const int32_t *symmetric,
                           const spg_galerkin_products *known)
{
    const bool is_known = known->C != NULL;
    spg_known_product product = {.stats = known->RAP, .is_borrowed = true};
    if (is_known) product.C = *known->C;
    const spg_plan_operands operands = plan->transposes ? SPG_OPERANDS_OWN : plan->operands;
    const spg_status status = spg_plan_create_inner(plan->context, R, &plan->AP, operands, symmetric,
                                                    is_known ? &product : NULL, &plan->RAP_plan);
    return spg_galerkin_explain_RAP(plan->context, status);
}

static spg_status plan_products(spg_galerkin_plan *plan, const spg_csr *R, const spg_csr *A, const spg_csr *P,
                                const int32_t *symmetric, spg_galerkin_products *known)
{
    spg_status status = plan_AP(plan, A, P, &known->AP);
    if (status == SPG_OK && plan->transposes)
        status = plan->context->backend->amg->find_symmetry(plan->context, A, plan->symmetric);
    if (status == SPG_OK) status = plan_RAP(plan, R, symmetric, known);
    if (status != SPG_OK) return status;
    plan->stats.AP = plan->AP_plan->stats;
    plan->stats.RAP = plan->RAP_plan->stats;
    plan->stats.plan_bytes =
        (int64_t)sizeof *plan + plan->stats.AP.plan_bytes + plan->stats.RAP.plan_bytes + values_bytes(&plan->AP);
    if (plan->transposes)
        plan->stats.plan_bytes +=
            spg_csr_bytes(&plan->R) + P->nnz * (int64_t)sizeof *plan->map + (int64_t)sizeof *plan->symmetric;
    return SPG_OK;
}

spg_status spg_galerkin_plan_create(spg_context *context, const spg_csr *R, const spg_csr *A, const spg_csr *P,
                                    spg_galerkin_plan **plan)
{
    spg_status status = spg_galerkin_plan_make(context, R, A, P, NULL, NULL, plan);
    if (status != SPG_OK) return status;
    /* Others may change the operands, on other streams, as soon as the plan exists. */
    status = spg_galerkin_plan_wait(*plan);
    if (status == SPG_OK) return SPG_OK;
    spg_galerkin_plan_destroy(*plan);
    *plan = NULL;
    return status;
}

spg_status spg_galerkin_plan_make(spg_context *context, const spg_csr *R, const spg_csr *A, const spg_csr *P,
                                  const int32_t *symmetric, spg_galerkin_products *known, spg_galerkin_plan **plan)
{
    if (plan != NULL) *plan = NULL;
    if (context == NULL) return SPG_ERROR_ARGUMENT;
    if (plan == NULL) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "plan is NULL");
    spg_galerkin_products nothing = {0};
    const bool is_inner = known != NULL;
    if (!is_inner) known = &nothing;
    spg_status status = spg_galerkin_check(context, R, A, P);
    spg_galerkin_plan *made = NULL;
    if (status == SPG_OK) status = spg_allocate_on_host(context, sizeof *made, "a plan", (void **)&made);
    if (status != SPG_OK) {
        spg_csr_free(context, &known->AP.C);
        return status;
    }
    memset(made, 0, sizeof *made);
    made->context = context;
    made->transposes = R == NULL;
    made->operands = is_inner ? SPG_OPERANDS_OF_LEVEL : SPG_OPERANDS_GIVEN;
    if (made->transposes) status = plan_transpose(made, P);
    if (made->transposes) symmetric = made->symmetric;
    if (status == SPG_OK) status = plan_products(made, made->transposes ? &made->R : R, A, P, symmetric, known);
    if (status == SPG_OK) {
        *plan = made;
    } else {
        spg_csr_free(context, &known->AP.C);
        spg_galerkin_plan_destroy(made);
    }
    return status;
}

spg_status spg_galerkin_plan_wait(const spg_galerkin_plan *plan)
{
    const spg_csr *AP = &plan->AP;
    int32_t begin; /* of its first row */
    return plan->context->backend->copy_bytes(plan->context, &begin, SPG_PLACE_HOST, AP->row_offsets, AP->place,
                                              sizeof begin);
}

void spg_galerkin_plan_destroy(spg_galerkin_plan *plan)
{
    if (plan == NULL) return;
    spg_context *context = plan->context;
    int64_t map_bytes = spg_array_bytes(plan->R.nnz, sizeof *plan->map);
    spgemm_plan_destroy(plan->RAP_plan);
    spgemm_plan_destroy(plan->AP_plan);
    spg_release(context, plan->AP.values, values_bytes(&plan->AP));
    spg_release(context, plan->symmetric, sizeof *plan->symmetric);
    spg_release(context, plan->map, map_bytes);
    spg_csr_free(context, &plan->R);
    spg_release_on_host(context, plan, sizeof *plan);
}

/* A*P, into the stored pattern. */
static spg_status compute_AP(spg_galerkin_plan *plan, const spg_csr *A, const spg_csr *P)
{
    spg_context *context = plan->context;
    spg_status status = context->backend->plan_run(plan->AP_plan, A, P, &plan->AP);
    plan->stats.AP = plan->AP_plan->stats;
    return spg_galerkin_explain_AP(context, status);
}

/* R's values, from those of Q, on a side stream of A*P, which does not depend on them. */
static spg_status compute_beside(spg_galerkin_plan *plan, const spg_galerkin_operands *of, spg_csr *R)
{
    const double begin = spg_seconds();
    spg_status status =
        plan->context->backend->amg->gather_values(plan->context, spg_galerkin_restricts(of), of->map, R);
    plan->stats.transpose_ms = 1e3 * (spg_seconds() - begin);
    if (status != SPG_OK) return status;
    plan->AP_plan->may_overlap = true;
    status = compute_AP(plan, of->A, of->P);
    plan->AP_plan->may_overlap = false;
    return status;
}

spg_status spg_galerkin_plan_compute(spg_galerkin_plan *plan, const spg_galerkin_operands *of, spg_csr *R, spg_csr *C,
                                     void *inverse)
{
    spg_status status = compute_beside(plan, of, R);
    if (status == SPG_OK) status = plan->context->backend->plan_run(plan->RAP_plan, R, &plan->AP, C);
    plan->stats.RAP = plan->RAP_plan->stats;
    return status == SPG_OK ? mirror(plan, of->symmetric, C, inverse) : status;
}

/* Sizes, types and places. */
static spg_status check_operands(const spg_galerkin_plan *plan, const spg_csr *R, const spg_csr *A, const spg_csr *P)
{
    if ((R == NULL) != plan->transposes)
        return spg_context_fail(plan->context, SPG_ERROR_ARGUMENT, "R is %s, and was %s when the plan was made",
                                R == NULL ? "NULL" : "given", R == NULL ? "given" : "NULL");
    spg_status status = spg_plan_check_operands(plan->AP_plan, A, "A", P, "P");
    if (status == SPG_OK && R != NULL) status = spg_plan_check_operands(plan->RAP_plan, R, "R", &plan->AP, "A*P");
    return status;
}

spg_status spg_galerkin_plan_check(spg_galerkin_plan *plan, const spg_csr *R, const spg_csr *A, const spg_csr *P)
{
    if (plan == NULL) return SPG_ERROR_ARGUMENT;
    const spg_backend *backend = plan->context->backend;
    spg_status status = check_operands(plan, R, A, P);
    if (status != SPG_OK) return status;
    status = spg_galerkin_explain_AP(plan->context, backend->plan_check(plan->AP_plan, A, P));
    if (status != SPG_OK || R == NULL) return status;
    return spg_galerkin_explain_RAP(plan->context, backend->plan_check(plan->RAP_plan, R, &plan->AP));
}

static spg_status check_run(const spg_galerkin_plan *plan, const spg_csr *R, const spg_csr *A, const spg_csr *P,
                            const spg_csr *C)
{
    spg_context *context = plan->context;
    if (C == NULL) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "C is NULL");
    if (C == A || C == P || C == R)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "C is the same matrix as an operand");
    spg_status status = check_operands(plan, R, A, P);
    if (status == SPG_OK) status = spg_plan_check_result(plan->RAP_plan, C, A, "A");
    if (status == SPG_OK) status = spg_plan_check_result(plan->RAP_plan, C, P, "P");
    if (status == SPG_OK && R != NULL) status = spg_plan_check_result(plan->RAP_plan, C, R, "R");
    return status;
}

/* P^T for P's new values, whether A is now symmetric, and A*P. */
static spg_status renew_operands(spg_galerkin_plan *plan, const spg_csr *A, const spg_csr *P)
{
    const spg_galerkin_operands of = {.A = A, .P = P, .map = plan->map};
    const double begin = spg_seconds();
    spg_status status = plan->context->backend->amg->find_symmetry(plan->context, A, plan->symmetric);
    plan->stats.symmetry_ms = 1e3 * (spg_seconds() - begin);
    return status == SPG_OK ? compute_beside(plan, &of, &plan->R) : status;
}

spg_status spg_galerkin_plan_run(spg_galerkin_plan *plan, const spg_csr *R, const spg_csr *A, const spg_csr *P,
                                 spg_csr *C)
{
    if (plan == NULL) return SPG_ERROR_ARGUMENT;
    spg_context *context = plan->context;
    spg_status status = check_run(plan, R, A, P, C);
    if (status == SPG_OK) status = plan->transposes ? renew_operands(plan, A, P) : compute_AP(plan, A, P);
    if (status != SPG_OK) return status;
    const bool is_new = C->row_offsets == NULL;
    status = spgemm_plan_run(plan->RAP_plan, plan->transposes ? &plan->R : R, &plan->AP, C);
    plan->stats.RAP = plan->RAP_plan->stats;
    if (status != SPG_OK) return spg_galerkin_explain_RAP(context, status);
    double begin = spg_seconds();
    if (plan->transposes) status = mirror(plan, plan->symmetric, C, NULL);
    plan->stats.symmetry_ms += 1e3 * (spg_seconds() - begin);
    if (status != SPG_OK && is_new) spg_csr_free(context, C);
    return status;
}

spg_status spg_galerkin_plan_stats(const spg_galerkin_plan *plan, spg_galerkin_stats *stats)
{
    if (stats != NULL) memset(stats, 0, sizeof *stats);
    if (plan == NULL || stats == NULL) return SPG_ERROR_ARGUMENT;
    *stats = plan->stats;
    return SPG_OK;
}
