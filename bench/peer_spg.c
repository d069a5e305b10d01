#include "peer_spg.h"

#include <stdlib.h>

typedef struct spg_state {
    spg_context *errors, *context;
    const problem *task;
    spgemm_plan *plan; /* NULL: one-shot */
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
    spg_context_destroy(state->context);
    free(state);
}

static spg_status multiply(void *memory)
{
    spg_state *state = memory;
    const problem *task = state->task;
    if (state->plan != NULL) return forward(state, spgemm_plan_run(state->plan, &task->A, &task->B, &state->C));
    return forward(state, spgemm_csr(state->context, &task->A, &task->B, &state->C));
}

static spg_status create_context(const peer *self, const peer_settings *settings, spg_state *state)
{
    spg_config config = spg_config_default();
    config.place = settings->place;
    config.threads = settings->threads;
    config.workspace_limit = settings->workspace_limit;
    if (settings->keep_bytes >= 0) config.keep_bytes = settings->keep_bytes;
    config.row_limits = self->limits;
    spg_status status = spg_context_create(&config, &state->context);
    if (status == SPG_OK) return SPG_OK;
    return spg_context_fail(state->errors, status, "no context: %s", spg_status_name(status));
}

static spg_status prepare(const peer *self, spg_context *errors, const peer_settings *settings, const problem *task,
                          void **result)
{
    *result = NULL;
    spg_state *state = calloc(1, sizeof *state);
    if (state == NULL) return spg_context_fail(errors, SPG_ERROR_MEMORY, "no memory");
    state->errors = errors;
    state->task = task;
    spg_status status = create_context(self, settings, state);
    if (status == SPG_OK && self->plan) {
        status = forward(state, spgemm_plan_create(state->context, &task->A, &task->B, &state->plan));
        if (status == SPG_OK) status = multiply(state);
    }
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
                         C->value_type, C->row_offsets, C->columns, C->values};
    return SPG_OK;
}

static void release(void *memory)
{
    spg_state *state = memory;
    if (state->plan == NULL) spg_csr_free(state->context, &state->C);
}

static spg_status stats(void *memory, spgemm_stats *result)
{
    spg_state *state = memory;
    return state->plan != NULL ? spgemm_plan_stats(state->plan, result) : spgemm_last_stats(state->context, result);
}

#define SPG_PEER(its_name, its_about, is_plan, ...)                                                                    \
    {                                                                                                                  \
        .name = its_name, .about = its_about, .is_spg = true, .sorted = true, .threaded = true, .plan = is_plan,       \
        .limits = __VA_ARGS__, .supports = supports, .prepare = prepare, .multiply = multiply, .view = view,           \
        .release = release, .stats = stats, .cleanup = cleanup                                                         \
    }

const peer peer_spg = SPG_PEER("spg", "the one-shot product; its context keeps freed memory for the next call (--keep)",
                               false, {-1, -1, -1});
const peer peer_spg_plan = SPG_PEER("spg-plan", "numbers only, into an existing C", true, {-1, -1, -1});
const peer peer_spg_thread = SPG_PEER("spg-thread", "all rows in one class", false, {INT64_MAX, INT64_MAX, INT64_MAX});
const peer peer_spg_warp = SPG_PEER("spg-warp", "all rows in one class", false, {0, INT64_MAX, INT64_MAX});
const peer peer_spg_cta = SPG_PEER("spg-cta", "all rows in one class", false, {0, 0, INT64_MAX});
const peer peer_spg_global = SPG_PEER("spg-global", "all rows in one class", false, {0, 0, 0});
const peer peer_spg_reference = SPG_PEER("spg-reference", "all rows in one class", false, {0, 0, 0});
