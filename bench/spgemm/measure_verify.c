/* See measure_steps.h: the state of an implementation, and its verification. */
#include "device.h"
#include "measure_steps.h"
#include "peer_spg.h"
#include "progress.h"
#include "verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A copy of the first result of spg, which the others of spg must equal bit for bit. */
typedef struct first_result {
    bool taken;
    csr_view view;
    void *row_offsets, *columns, *values;
} first_result;

static void first_result_free(first_result *first)
{
    free(first->row_offsets);
    free(first->columns);
    free(first->values);
}

static void *duplicate(const void *memory, size_t bytes)
{
    void *copy = malloc(bytes > 0 ? bytes : 1);
    if (copy != NULL && bytes > 0) memcpy(copy, memory, bytes);
    return copy;
}

static spg_status take_first_result(spg_context *context, const csr_view *C, first_result *first)
{
    first->row_offsets = duplicate(C->row_offsets, (size_t)(C->rows + 1) * spg_type_size(C->offset_type));
    first->columns = duplicate(C->columns, (size_t)C->nnz * spg_type_size(C->column_type));
    first->values = duplicate(C->values, (size_t)C->nnz * spg_type_size(C->value_type));
    if (first->row_offsets == NULL || first->columns == NULL || first->values == NULL)
        return spg_context_fail(context, SPG_ERROR_MEMORY, "verification: no memory for a copy of C");
    first->view = *C;
    first->view.row_offsets = first->row_offsets;
    first->view.columns = first->columns;
    first->view.values = first->values;
    first->taken = true;
    return SPG_OK;
}

void set_outcome(measurement *of, outcome result, const char *fault)
{
    of->outcome = result;
    snprintf(of->fault, sizeof of->fault, "%s", fault);
}

void set_failure(spg_context *context, measurement *of, spg_status status)
{
    const bool is_absent =
        status == SPG_ERROR_UNSUPPORTED || (status == SPG_ERROR_MEMORY && !of->implementation->is_spg);
    set_outcome(of, is_absent ? OUTCOME_ABSENT : OUTCOME_FAILED, spg_context_message(context));
}

void drop_state(measurement *of)
{
    of->implementation->cleanup(of->state);
    of->state = NULL;
}

bool prepare_state(spg_context *context, const options *chosen, const problem *task, bool phases, measurement *of)
{
    const peer *implementation = of->implementation;
    const peer_settings settings = {chosen->place, chosen->threads, chosen->workspace_limit, chosen->keep_bytes,
                                    phases};
    const spg_status status = implementation->prepare(implementation, context, &settings, task, &of->state);
    if (status != SPG_OK) set_failure(context, of, status);
    if (status == SPG_OK && implementation->plan_ms != NULL) of->plan_ms = implementation->plan_ms(of->state);
    return status == SPG_OK;
}

/* The result on the host: as it is, or a copy in `held`, to be freed. */
static spg_status result_on_host(spg_context *context, const measurement *of, csr_view *C, void *held[3])
{
    spg_status status = of->implementation->view(of->state, C);
    if (status != SPG_OK || C->place == SPG_PLACE_HOST) return status;
    const void *from[] = {C->row_offsets, C->columns, C->values};
    const int64_t bytes[] = {(C->rows + 1) * (int64_t)spg_type_size(C->offset_type),
                             C->nnz * (int64_t)spg_type_size(C->column_type),
                             C->nnz * (int64_t)spg_type_size(C->value_type)};
    for (int k = 0; status == SPG_OK && k < 3; k++) {
        held[k] = malloc(bytes[k] > 0 ? (size_t)bytes[k] : 1);
        if (held[k] == NULL) return spg_context_fail(context, SPG_ERROR_INTERNAL, "no memory on the host for C");
        status = device_copy_to_host(context, held[k], from[k], bytes[k]);
    }
    C->row_offsets = held[0];
    C->columns = held[1];
    C->values = held[2];
    C->place = SPG_PLACE_HOST;
    return status;
}

/* All of spg's results are the same bits: keeps the first, and compares the others with it. */
static spg_status compare_bits(spg_context *context, const csr_view *C, first_result *first, measurement *of)
{
    if (!first->taken) return take_first_result(context, C, first);
    if (!same_bits(C, &first->view)) set_outcome(of, OUTCOME_WRONG, "not the same bits as spg's first result");
    return SPG_OK;
}

static spg_status verify_once(spg_context *context, const oracle *truth, first_result *first, measurement *of)
{
    const peer *implementation = of->implementation;
    csr_view C;
    verdict result;
    void *held[3] = {NULL, NULL, NULL};
    spg_status status = implementation->multiply(of->state);
    const bool made = status == SPG_OK;
    if (made) status = result_on_host(context, of, &C, held);
    if (status != SPG_OK) {
        set_failure(context, of, status);
        status = SPG_OK;
    } else {
        status = oracle_check(context, truth, &C, implementation->sorted, &result);
        if (status == SPG_OK) of->max_error = result.max_error;
        if (status == SPG_OK && !result.right) set_outcome(of, OUTCOME_WRONG, result.fault);
        if (status == SPG_OK && result.right && implementation->is_spg) status = compare_bits(context, &C, first, of);
    }
    if (made) implementation->release(of->state);
    for (int k = 0; k < 3; k++) free(held[k]);
    return status;
}

static spg_status verify_implementation(spg_context *context, const options *chosen, const problem *task,
                                        const oracle *truth, first_result *first, measurement *of)
{
    const peer *implementation = of->implementation;
    const bool on_device = chosen->place == SPG_PLACE_DEVICE;
    progress("%s %s: verifying %s", task->matrix, product_name(task->product), implementation->name);
    of->threads = implementation->threaded && !on_device ? chosen->threads : 1;
    if (implementation->works_at != SPG_PLACE_AUTO && implementation->works_at != chosen->place)
        set_outcome(of, OUTCOME_ABSENT, on_device ? "works on the host" : "works on a device");
    else if (!implementation->supports(task->A.value_type))
        set_outcome(of, OUTCOME_ABSENT, "does not offer this value type");
    else
        prepare_state(context, chosen, task, false, of);
    /* spg twice: from run to run the bits must be the same. */
    spg_status status = SPG_OK;
    for (int k = 0; status == SPG_OK && of->outcome == OUTCOME_VERIFIED && k < (implementation->is_spg ? 2 : 1); k++)
        status = verify_once(context, truth, first, of);
    if (on_device || of->outcome != OUTCOME_VERIFIED) drop_state(of);
    return status;
}

/* The context is on the host; rows are classed by the limits of the place. Of R*A*P, the second product is analysed. */
static spg_status analyse(spg_context *context, spg_place place, const problem *task, const oracle *truth,
                          const first_result *first, findings *found)
{
    const spg_row_limits *limits = place == SPG_PLACE_DEVICE ? &paper_limits : NULL;
    const spg_csr *left = task->product == PRODUCT_RAP ? &task->R : &task->A;
    const spg_csr *right = task->product == PRODUCT_RAP ? &task->AP : &task->B;
    spg_csr C = {.rows = left->rows, .cols = right->cols, .nnz = oracle_nnz(truth)};
    C.value_type = task->A.value_type;
    C.offset_type = task->A.offset_type == SPG_I64 || task->B.offset_type == SPG_I64 ? SPG_I64 : SPG_I32;
    found->nnz_c = C.nnz;
    found->bytes_c = csr_bytes(&C);
    C.row_offsets = first->row_offsets;
    C.columns = first->columns;
    C.values = first->values;
    spg_status status = spgemm_analyse(context, left, right, first->taken ? &C : NULL, limits, NULL, &found->analysis);
    found->consistent = status == SPG_OK && task->products == oracle_products(truth);
    return status;
}

spg_status verify_all(spg_context *context, const options *chosen, const problem *task, findings *found)
{
    oracle *truth = NULL;
    first_result first = {0};
    progress("%s %s: computing the oracle", task->matrix, product_name(task->product));
    spg_status status = task->product == PRODUCT_RAP
                            ? oracle_create_galerkin(context, &task->R, &task->A, &task->B, chosen->threads, &truth)
                            : oracle_create(context, &task->A, &task->B, chosen->threads, &truth);
    for (int k = 0; status == SPG_OK && k < found->count; k++)
        status = verify_implementation(context, chosen, task, truth, &first, &found->of[k]);
    if (status == SPG_OK) status = analyse(context, chosen->place, task, truth, &first, found);
    oracle_destroy(truth);
    first_result_free(&first);
    return status;
}
