#include "measure.h"

#include "load.h"
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

static void set_outcome(measurement *of, outcome result, const char *fault)
{
    of->outcome = result;
    snprintf(of->fault, sizeof of->fault, "%s", fault);
}

static void set_failure(spg_context *context, measurement *of, spg_status status)
{
    set_outcome(of, status == SPG_ERROR_UNSUPPORTED ? OUTCOME_ABSENT : OUTCOME_FAILED, spg_context_message(context));
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
    spg_status status = implementation->multiply(of->state);
    if (status == SPG_OK) status = implementation->view(of->state, &C);
    if (status != SPG_OK) {
        set_failure(context, of, status);
        return SPG_OK;
    }
    status = oracle_check(context, truth, &C, implementation->sorted, &result);
    if (status == SPG_OK) {
        of->max_error = result.max_error;
        if (!result.right) set_outcome(of, OUTCOME_WRONG, result.fault);
        if (result.right && implementation->is_spg) status = compare_bits(context, &C, first, of);
    }
    implementation->release(of->state);
    return status;
}

static spg_status verify_implementation(spg_context *context, const options *chosen, const problem *task,
                                        const oracle *truth, first_result *first, measurement *of)
{
    const peer *implementation = of->implementation;
    const peer_settings settings = {chosen->place, chosen->threads, chosen->workspace_limit, chosen->keep_bytes};
    progress("%s %s: verifying %s", task->matrix, product_name(task->product), implementation->name);
    of->threads = implementation->threaded ? chosen->threads : 1;
    if (!implementation->supports(task->A.value_type)) {
        set_outcome(of, OUTCOME_ABSENT, "does not offer this value type");
        return SPG_OK;
    }
    const double start = now_ms();
    spg_status status = implementation->prepare(implementation, context, &settings, task, &of->state);
    of->prepare_ms = now_ms() - start;
    if (status != SPG_OK) {
        set_failure(context, of, status);
        return SPG_OK;
    }
    /* spg twice: from run to run the bits must be the same. */
    for (int k = 0; status == SPG_OK && of->outcome == OUTCOME_VERIFIED && k < (implementation->is_spg ? 2 : 1); k++)
        status = verify_once(context, truth, first, of);
    if (of->outcome != OUTCOME_VERIFIED) {
        implementation->cleanup(of->state);
        of->state = NULL;
    }
    return status;
}

static spg_status analyse(spg_context *context, const problem *task, const oracle *truth, const first_result *first,
                          findings *found)
{
    spg_csr C = {.rows = task->A.rows, .cols = task->B.cols, .nnz = oracle_nnz(truth)};
    C.value_type = task->A.value_type;
    C.offset_type = task->A.offset_type == SPG_I64 || task->B.offset_type == SPG_I64 ? SPG_I64 : SPG_I32;
    found->nnz_c = C.nnz;
    found->bytes_c = csr_bytes(&C);
    C.row_offsets = first->row_offsets;
    C.columns = first->columns;
    C.values = first->values;
    spg_status status =
        spgemm_analyse(context, &task->A, &task->B, first->taken ? &C : NULL, NULL, NULL, &found->analysis);
    found->consistent = status == SPG_OK && found->analysis.products == oracle_products(truth);
    return status;
}

static spg_status verify_all(spg_context *context, const options *chosen, const problem *task, findings *found)
{
    oracle *truth = NULL;
    first_result first = {0};
    progress("%s %s: computing the oracle", task->matrix, product_name(task->product));
    spg_status status = oracle_create(context, &task->A, &task->B, chosen->threads, &truth);
    for (int k = 0; status == SPG_OK && k < found->count; k++)
        status = verify_implementation(context, chosen, task, truth, &first, &found->of[k]);
    if (status == SPG_OK) status = analyse(context, task, truth, &first, found);
    oracle_destroy(truth);
    first_result_free(&first);
    return status;
}

/* rep < 0: to warm up. */
static void time_once(spg_context *context, int rep, measurement *of)
{
    const peer *implementation = of->implementation;
    const double start = now_ms();
    const spg_status status = implementation->multiply(of->state);
    if (status == SPG_OK) implementation->release(of->state);
    const double elapsed = now_ms() - start;
    if (status != SPG_OK) set_failure(context, of, status);
    if (rep < 0 || status != SPG_OK) return;
    of->ms[rep] = elapsed;
    of->has_stats = implementation->stats != NULL && implementation->stats(of->state, &of->all_stats[rep]) == SPG_OK;
}

/* One repetition of each in every round, so that what disturbs the machine disturbs all alike. */
static void time_all(spg_context *context, const options *chosen, const problem *task, findings *found)
{
    const load_mark mark = load_now();
    for (int rep = -chosen->warmup; rep < chosen->reps; rep++) {
        for (int k = 0; k < found->count; k++) {
            measurement *of = &found->of[k];
            if (of->outcome != OUTCOME_VERIFIED) continue;
            progress("%s %s: timing %s, %s %d of %d", task->matrix, product_name(task->product),
                     of->implementation->name, rep < 0 ? "warming up," : "repetition",
                     rep < 0 ? rep + chosen->warmup + 1 : rep + 1, rep < 0 ? chosen->warmup : chosen->reps);
            time_once(context, rep, of);
        }
    }
    found->cores_taken = cores_taken_since(&mark);
}

static int compare_doubles(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static bool summarise(int reps, measurement *of)
{
    double *sorted = duplicate(of->ms, (size_t)reps * sizeof *sorted);
    if (sorted == NULL) return false;
    qsort(sorted, (size_t)reps, sizeof *sorted, compare_doubles);
    of->min_ms = sorted[0];
    of->max_ms = sorted[reps - 1];
    of->median_ms = reps % 2 == 1 ? sorted[reps / 2] : 0.5 * (sorted[reps / 2 - 1] + sorted[reps / 2]);
    for (int rep = 0; of->has_stats && rep < reps; rep++)
        if (of->ms[rep] == sorted[reps / 2]) of->stats = of->all_stats[rep];
    free(sorted);
    return true;
}

static bool allocate_times(const options *chosen, findings *found)
{
    for (int k = 0; k < chosen->implementation_count; k++) {
        measurement *of = &found->of[found->count++];
        of->implementation = chosen->implementations[k];
        of->ms = calloc((size_t)chosen->reps, sizeof *of->ms);
        of->all_stats = calloc((size_t)chosen->reps, sizeof *of->all_stats);
        if (of->ms == NULL || of->all_stats == NULL) return false;
    }
    return true;
}

spg_status measure(spg_context *context, const options *chosen, const problem *task, findings *found)
{
    memset(found, 0, sizeof *found);
    spg_status status = SPG_OK;
    if (!allocate_times(chosen, found)) status = spg_context_fail(context, SPG_ERROR_MEMORY, "no memory for times");
    if (status == SPG_OK) status = verify_all(context, chosen, task, found);
    if (status == SPG_OK) time_all(context, chosen, task, found);
    for (int k = 0; status == SPG_OK && k < found->count; k++)
        if (found->of[k].outcome == OUTCOME_VERIFIED && !summarise(chosen->reps, &found->of[k]))
            status = spg_context_fail(context, SPG_ERROR_MEMORY, "no memory for times");
    progress_clear();
    if (status != SPG_OK) findings_free(found);
    return status;
}

void findings_free(findings *found)
{
    for (int k = 0; k < found->count; k++) {
        measurement *of = &found->of[k];
        of->implementation->cleanup(of->state);
        free(of->ms);
        free(of->all_stats);
    }
    memset(found, 0, sizeof *found);
}

const measurement *fastest_peer(const findings *found)
{
    const measurement *best = NULL;
    for (int k = 0; k < found->count; k++) {
        const measurement *of = &found->of[k];
        if (of->implementation->is_spg || of->outcome != OUTCOME_VERIFIED) continue;
        if (best == NULL || of->median_ms < best->median_ms) best = of;
    }
    return best;
}

const measurement *find_measurement(const findings *found, const char *name)
{
    for (int k = 0; k < found->count; k++)
        if (strcmp(found->of[k].implementation->name, name) == 0) return &found->of[k];
    return NULL;
}

bool all_verified(const findings *found)
{
    bool verified = found->consistent;
    for (int k = 0; k < found->count; k++)
        verified = verified && (found->of[k].outcome == OUTCOME_VERIFIED || found->of[k].outcome == OUTCOME_ABSENT);
    return verified;
}
