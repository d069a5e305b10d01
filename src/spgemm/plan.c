/* Plans: the analysis and symbolic phase of a product, stored for new values on the same patterns. */
#include "plan.h"

#include "amg/amg_backend.h"
#include "argument.h"
#include "memory.h"
#include "spgemm.h"

#include <string.h>

/* Sizes and types without the arrays. */
static spg_csr shape_of(const spg_csr *matrix)
{
    spg_csr shape = *matrix;
    shape.row_offsets = shape.values = NULL;
    shape.columns = NULL;
    return shape;
}

int64_t spg_plan_pattern_bytes(const spgemm_plan *plan)
{
    const spg_csr *C = &plan->C;
    if (plan->borrows_pattern) return 0;
    return C->nnz * (int64_t)sizeof *C->columns + (C->rows + 1) * (int64_t)spg_type_size(C->offset_type);
}

int64_t spg_images_bytes(const spg_images *images)
{
    return images->count > 0 ? (images->rows + 1 + images->count) * (int64_t)sizeof *images->images : 0;
}

void spg_images_free(spg_context *context, spg_images *images)
{
    spg_release(context, images->begins, spg_array_bytes(images->rows + 1, sizeof *images->begins));
    spg_release(context, images->images, spg_array_bytes(images->count, sizeof *images->images));
    memset(images, 0, sizeof *images);
}

/* The product's pattern, taken from `known` or computed. */
static spg_status take_pattern(spgemm_plan *plan, const spg_csr *A, const spg_csr *B, spg_known_product *known)
{
    if (known == NULL) return spg_multiply(plan->context, A, B, true, &plan->C, &plan->stats);
    plan->C = known->C;
    plan->stats = known->stats;
    plan->borrows_pattern = known->is_borrowed;
    memset(&known->C, 0, sizeof known->C);
    if (!plan->borrows_pattern)
        spg_release(plan->context, plan->C.values, spg_array_bytes(plan->C.nnz, spg_type_size(plan->C.value_type)));
    plan->C.values = NULL;
    return SPG_OK;
}

static spg_status create(spg_context *context, const spg_csr *A, const spg_csr *B, spgemm_plan **plan)
{
    if (plan != NULL) *plan = NULL;
    if (context == NULL) return SPG_ERROR_ARGUMENT;
    if (plan == NULL) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "plan is NULL");
    spg_status status = spg_check_operands(context, A, B);
    if (status == SPG_OK) status = spg_allocate_on_host(context, sizeof **plan, "a plan", (void **)plan);
    if (status != SPG_OK) return status;
    memset(*plan, 0, sizeof **plan);
    (*plan)->context = context;
    (*plan)->A = shape_of(A);
    (*plan)->B = shape_of(B);
    spg_begin_watch(context, &(*plan)->last_result);
    return SPG_OK;
}

/* Makes a created plan; on failure none is left. */
static spg_status make(spg_context *context, const spg_csr *A, const spg_csr *B, spg_known_product *known,
                       spgemm_plan **plan)
{
    spgemm_plan *created = *plan;
    spg_status status = take_pattern(created, A, B, known);
    if (status == SPG_OK) status = context->backend->plan_create(context, A, B, created);
    if (status == SPG_OK) return SPG_OK;
    spgemm_plan_destroy(created);
    *plan = NULL;
    return status;
}

spg_status spgemm_plan_create(spg_context *context, const spg_csr *A, const spg_csr *B, spgemm_plan **plan)
{
    const spg_status status = create(context, A, B, plan);
    return status == SPG_OK ? make(context, A, B, NULL, plan) : status;
}

spg_status spg_plan_create_inner(spg_context *context, const spg_csr *A, const spg_csr *B, spg_plan_operands operands,
                                 const int32_t *symmetric, spg_known_product *known, spgemm_plan **plan)
{
    const spg_status status = create(context, A, B, plan);
    if (status != SPG_OK) {
        if (known != NULL && !known->is_borrowed) spg_csr_free(context, &known->C);
        return status;
    }
    (*plan)->symmetric = symmetric;
    (*plan)->operands = operands;
    return make(context, A, B, known, plan);
}

void spgemm_plan_destroy(spgemm_plan *plan)
{
    if (plan == NULL) return;
    spg_context *context = plan->context;
    if (plan->state != NULL) context->backend->plan_destroy(plan);
    spg_images_free(context, &plan->images);
    if (!plan->borrows_pattern) spg_csr_free(context, &plan->C);
    spg_end_watch(context, &plan->last_result);
    spg_release_on_host(context, plan, sizeof *plan);
}

static spg_status check_shape(spg_context *context, const spg_csr *matrix, const spg_csr *planned, const char *name)
{
    if (matrix->value_type != planned->value_type || matrix->offset_type != planned->offset_type)
        return spg_context_fail(context, SPG_ERROR_SHAPE, "%s holds %s with %s offsets, the plan's %s with %s", name,
                                spg_type_name(matrix->value_type), spg_type_name(matrix->offset_type),
                                spg_type_name(planned->value_type), spg_type_name(planned->offset_type));
    if (matrix->rows != planned->rows || matrix->cols != planned->cols || matrix->nnz != planned->nnz)
        return spg_context_fail(context, SPG_ERROR_SHAPE,
                                "%s is %lld x %lld with %lld entries, the plan's %lld x %lld with %lld", name,
                                (long long)matrix->rows, (long long)matrix->cols, (long long)matrix->nnz,
                                (long long)planned->rows, (long long)planned->cols, (long long)planned->nnz);
    return SPG_OK;
}

/* Whether these are the last run's arrays, not freed since, in which case others could have their addresses. */
static bool is_last_result(const spgemm_plan *plan, const spg_csr *C)
{
    const spg_watch *last = &plan->last_result;
    return last->is_known && C->row_offsets == last->arrays[0] && C->columns == last->arrays[1];
}

static bool is_zeroed(const spg_csr *matrix)
{
    return matrix->row_offsets == NULL && matrix->columns == NULL && matrix->values == NULL && matrix->rows == 0 &&
           matrix->cols == 0 && matrix->nnz == 0;
}

spg_status spg_plan_check_operands(const spgemm_plan *plan, const spg_csr *A, const char *A_name, const spg_csr *B,
                                   const char *B_name)
{
    spg_context *context = plan->context;
    spg_status status = spg_check_csr_here(context, A, A_name);
    if (status == SPG_OK) status = spg_check_csr_here(context, B, B_name);
    if (status == SPG_OK) status = check_shape(context, A, &plan->A, A_name);
    if (status == SPG_OK) status = check_shape(context, B, &plan->B, B_name);
    return status;
}

spg_status spg_plan_check_result(const spgemm_plan *plan, const spg_csr *C, const spg_csr *operand, const char *name)
{
    const int64_t bytes = spg_array_bytes(plan->C.nnz, spg_type_size(plan->C.value_type));
    return spg_check_apart_from_csr(plan->context, C->values, bytes, "C's values", operand, name);
}

spg_status spgemm_plan_check(spgemm_plan *plan, const spg_csr *A, const spg_csr *B)
{
    if (plan == NULL) return SPG_ERROR_ARGUMENT;
    spg_status status = spg_plan_check_operands(plan, A, "A", B, "B");
    return status == SPG_OK ? plan->context->backend->plan_check(plan, A, B) : status;
}

spg_status spgemm_plan_run(spgemm_plan *plan, const spg_csr *A, const spg_csr *B, spg_csr *C)
{
    if (plan == NULL) return SPG_ERROR_ARGUMENT;
    spg_context *context = plan->context;
    if (C == NULL) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "C is NULL");
    if (C == A || C == B) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "C is the same matrix as an operand");
    spg_status status = spg_plan_check_operands(plan, A, "A", B, "B");
    if (status != SPG_OK) return status;
    if (is_zeroed(C)) {
        status = context->backend->plan_allocate_result(plan, C);
        if (status != SPG_OK) return status;
        status = context->backend->plan_run(plan, A, B, C);
        if (status != SPG_OK) spg_csr_free(context, C);
    } else {
        status = spg_check_csr_here(context, C, "C");
        if (status == SPG_OK) status = check_shape(context, C, &plan->C, "C");
        if (status == SPG_OK) status = spg_plan_check_result(plan, C, A, "A");
        if (status == SPG_OK) status = spg_plan_check_result(plan, C, B, "B");
        if (status == SPG_OK && !is_last_result(plan, C)) status = context->backend->plan_compare_result(plan, C);
        if (status == SPG_OK) status = context->backend->plan_run(plan, A, B, C);
    }
    plan->last_result.is_known = status == SPG_OK;
    plan->last_result.arrays[0] = C->row_offsets;
    plan->last_result.arrays[1] = C->columns;
    return status;
}

spg_status spgemm_plan_stats(const spgemm_plan *plan, spgemm_stats *stats)
{
    if (stats != NULL) memset(stats, 0, sizeof *stats);
    if (plan == NULL || stats == NULL) return SPG_ERROR_ARGUMENT;
    *stats = plan->stats;
    return SPG_OK;
}
