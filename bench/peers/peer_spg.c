#include "peer_spg.h"

#include "device.h"
#include "progress.h"

#include <stdlib.h>

/* A device's context has operands of its own. Those of A*A are one matrix. */
typedef struct spg_state {
    spg_context *errors, *context;
    spg_csr A, B;
    bool owns_A, owns_B;
    bool is_galerkin;  /* C = B^T*A*B */
    spgemm_plan *plan; /* NULL: one-shot */
    spg_galerkin_plan *galerkin_plan;
    double plan_ms;
    int64_t workspace_bytes; /* of a one-shot Galerkin product */
    spg_csr C;
} spg_state;

static bool supports(spg_type value_type)
{
    (void)value_type;
    return true;
}

static spg_status forward(const spg_state *state, spg_status status)
{
    if (status == SPG_OK) return SPG_OK;
    return spg_context_fail(state->errors, status, "%s: %s", spg_status_name(status),
                            spg_context_message(state->context));
}

static void cleanup(void *memory)
{
    spg_state *state = memory;
    if (state == NULL) return;
    spg_csr_free(state->context, &state->C);
    spgemm_plan_destroy(state->plan);
    spg_galerkin_plan_destroy(state->galerkin_plan);
    if (state->owns_A) spg_csr_free(state->context, &state->A);
    if (state->owns_B) spg_csr_free(state->context, &state->B);
    spg_context_destroy(state->context);
    free(state);
}

static bool has_plan(const spg_state *state) { return state->plan != NULL || state->galerkin_plan != NULL; }

/* What the call took at most beside its result, A*P and P^T among it, which its products do not know of. */
static spg_status multiply_galerkin(spg_state *state)
{
    int64_t before, peak;
    spg_context_memory(state->context, &before, NULL);
    spg_context_memory_reset(state->context);
    const spg_status status = spg_galerkin(state->context, NULL, &state->A, &state->B, &state->C);
    spg_context_memory(state->context, NULL, &peak);
    state->workspace_bytes = peak - before - csr_bytes(&state->C);
    return status;
}

static spg_status multiply(void *memory)
{
    spg_state *state = memory;
    if (state->galerkin_plan != NULL)
        return forward(state, spg_galerkin_plan_run(state->galerkin_plan, NULL, &state->A, &state->B, &state->C));
    if (state->is_galerkin) return forward(state, multiply_galerkin(state));
    if (state->plan != NULL) return forward(state, spgemm_plan_run(state->plan, &state->A, &state->B, &state->C));
    return forward(state, spgemm_csr(state->context, &state->A, &state->B, &state->C));
}

static spg_status create_context(const peer *self, const peer_settings *settings, spg_state *state)
{
    spg_config config = spg_config_default();
    config.place = settings->place;
    config.threads = settings->threads;
    config.workspace_limit = settings->workspace_limit;
    if (settings->keep_bytes >= 0) config.keep_bytes = settings->keep_bytes;
    config.row_limits = self->limits;
    config.timing = settings->phases;
    spg_status status = spg_context_create(&config, &state->context);
    if (status == SPG_OK) return SPG_OK;
    return spg_context_fail(state->errors, status, "no context: %s", spg_status_name(status));
}

static spg_status place_operands(const problem *task, spg_state *state)
{
    state->A = task->A;
    state->B = task->B;
    state->is_galerkin = task->product == PRODUCT_RAP;
    if (spg_context_place(state->context) == SPG_PLACE_HOST) return SPG_OK;
    spg_status status = forward(state, spg_csr_copy(state->context, &task->A, &state->A));
    state->owns_A = status == SPG_OK;
    if (status == SPG_OK && task->product == PRODUCT_AA) {
        state->B = state->A;
    } else if (status == SPG_OK) {
        status = forward(state, spg_csr_copy(state->context, &task->B, &state->B));
        state->owns_B = status == SPG_OK;
    }
    return status;
}

static spg_status make_plan(spg_state *state)
{
    const bool on_device = spg_context_place(state->context) == SPG_PLACE_DEVICE;
    const double start = now_ms();
    spg_status status =
        state->is_galerkin ? spg_galerkin_plan_create(state->context, NULL, &state->A, &state->B, &state->galerkin_plan)
                           : spgemm_plan_create(state->context, &state->A, &state->B, &state->plan);
    status = forward(state, status);
    if (status == SPG_OK) status = multiply(state);
    if (status == SPG_OK && on_device) status = device_wait(state->errors);
    state->plan_ms = now_ms() - start;
    return status;
}

static spg_status prepare(const peer *self, spg_context *errors, const peer_settings *settings, const problem *task,
                          void **result)
{
    *result = NULL;
    spg_state *state = calloc(1, sizeof *state);
    if (state == NULL) return spg_context_fail(errors, SPG_ERROR_MEMORY, "no memory");
    state->errors = errors;
    spg_status status = create_context(self, settings, state);
    if (status == SPG_OK) status = place_operands(task, state);
    if (status == SPG_OK && self->plan) status = make_plan(state);
    if (status != SPG_OK) {
        cleanup(state);
        return status;
    }
    *result = state;
    return SPG_OK;
}

static spg_status view(void *memory, csr_view *result)
{
    const spg_csr *C = &((spg_state *)memory)->C;
    *result = (csr_view){C->rows,       C->cols,        C->nnz,     C->offset_type, SPG_I32,
                         C->value_type, C->row_offsets, C->columns, C->values,      C->place};
    return SPG_OK;
}

static void release(void *memory)
{
    spg_state *state = memory;
    if (!has_plan(state)) spg_csr_free(state->context, &state->C);
}

/* The times of both products together, and apart. */
static peer_stats of_both_products(const spg_galerkin_stats *parts)
{
    peer_stats result = {parts->RAP, phases_ms(&parts->AP), phases_ms(&parts->RAP)};
    result.all.analysis_ms += parts->AP.analysis_ms;
    result.all.expand_sort_ms += parts->AP.expand_sort_ms;
    result.all.contract_ms += parts->AP.contract_ms;
    result.all.assemble_ms += parts->AP.assemble_ms;
    result.all.plan_bytes = parts->plan_bytes;
    return result;
}

static spg_status galerkin_stats(const spg_state *state, peer_stats *result)
{
    spg_galerkin_stats parts;
    const bool by_plan = state->galerkin_plan != NULL;
    const spg_status status = by_plan ? spg_galerkin_plan_stats(state->galerkin_plan, &parts)
                                      : spg_galerkin_last_stats(state->context, &parts);
    *result = of_both_products(&parts);
    if (!by_plan) result->all.workspace_bytes = state->workspace_bytes;
    return status;
}

static spg_status stats(void *memory, peer_stats *result)
{
    spg_state *state = memory;
    if (state->is_galerkin) return galerkin_stats(state, result);
    *result = (peer_stats){0};
    return state->plan != NULL ? spgemm_plan_stats(state->plan, &result->all)
                               : spgemm_last_stats(state->context, &result->all);
}

static double plan_ms(void *memory) { return ((spg_state *)memory)->plan_ms; }

#define SPG_PEER(its_name, its_about, is_plan, ...)                                                                    \
    {                                                                                                                  \
        .name = its_name, .about = its_about, .is_spg = true, .sorted = true, .threaded = true, .plan = is_plan,       \
        .works_at = SPG_PLACE_AUTO, .limits = __VA_ARGS__, .supports = supports, .prepare = prepare,                   \
        .multiply = multiply, .view = view, .release = release, .stats = stats, .plan_ms = plan_ms, .cleanup = cleanup \
    }
#define PAPER_LIMITS                                                                                                   \
    {                                                                                                                  \
        32, 736, 6144                                                                                                  \
    }

const spg_row_limits paper_limits = PAPER_LIMITS;

const peer peer_spg = SPG_PEER("spg", "one-shot; freed memory is kept for the next call (--keep)", false, {-1, -1, -1});
const peer peer_spg_plan = SPG_PEER("spg-plan", "numbers only, into an existing C", true, {-1, -1, -1});
const peer peer_spg_paper = SPG_PEER("spg-paper", "rows in the paper's classes, by its limits", false, PAPER_LIMITS);
const peer peer_spg_thread = SPG_PEER("spg-thread", "all rows in this class; on a device, longer ones in the next",
                                      false, {INT64_MAX, INT64_MAX, INT64_MAX});
const peer peer_spg_warp = SPG_PEER("spg-warp", "all rows in this class; on a device, longer ones in the next", false,
                                    {0, INT64_MAX, INT64_MAX});
const peer peer_spg_cta =
    SPG_PEER("spg-cta", "all rows in this class; on a device, longer ones in the next", false, {0, 0, INT64_MAX});
const peer peer_spg_global = SPG_PEER("spg-global", "all rows in class global", false, {0, 0, 0});
const peer peer_spg_reference =
    SPG_PEER("spg-reference", "all rows in class global: the paper's reference method", false, {0, 0, 0});
