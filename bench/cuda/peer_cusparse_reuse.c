/* cuSPARSE's product on known patterns, SpGEMMreuse: only its numeric phase is timed, into an existing C. */
#include "cusparse_base.h"

#include <stdlib.h>

enum { BUFFERS = 5 };

typedef struct reuse_state {
    cusparse_base base;
    cusparseSpGEMMDescr_t product;
    device_buffer buffers[BUFFERS];
} reuse_state;

static void cleanup(void *memory)
{
    reuse_state *state = memory;
    if (state == NULL) return;
    for (int k = 0; k < BUFFERS; k++) give_workspace(&state->base, &state->buffers[k]);
    if (state->product != NULL) cusparseSpGEMM_destroyDescr(state->product);
    close_cusparse(&state->base);
    free(state);
}

/* What the calls of the symbolic phase begin with. */
#define PATTERNS(state)                                                                                                \
    (state)->base.handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE,                          \
        (state)->base.A.descriptor, second_operand(&(state)->base), (state)->base.C.descriptor,                        \
        CUSPARSE_SPGEMM_DEFAULT, (state)->product

static spg_status estimate_work(reuse_state *state)
{
    cusparse_base *base = &state->base;
    device_buffer *work = &state->buffers[0];
    static const char *const what = "SpGEMMreuse_workEstimation";
    size_t bytes = 0;
    spg_status status = check_cusparse(base, cusparseSpGEMMreuse_workEstimation(PATTERNS(state), &bytes, NULL), what);
    if (status == SPG_OK) status = take_workspace(base, bytes, work);
    if (status != SPG_OK) return status;
    return check_cusparse(base, cusparseSpGEMMreuse_workEstimation(PATTERNS(state), &bytes, work->memory), what);
}

static spg_status count_entries(reuse_state *state)
{
    cusparse_base *base = &state->base;
    device_buffer *buffers = state->buffers;
    static const char *const what = "SpGEMMreuse_nnz";
    size_t bytes[3] = {0};
    spg_status status = check_cusparse(
        base, cusparseSpGEMMreuse_nnz(PATTERNS(state), &bytes[0], NULL, &bytes[1], NULL, &bytes[2], NULL), what);
    for (int k = 0; status == SPG_OK && k < 3; k++) status = take_workspace(base, bytes[k], &buffers[k + 1]);
    if (status == SPG_OK)
        status = check_cusparse(base,
                                cusparseSpGEMMreuse_nnz(PATTERNS(state), &bytes[0], buffers[1].memory, &bytes[1],
                                                        buffers[2].memory, &bytes[2], buffers[3].memory),
                                what);
    give_workspace(base, &buffers[0]);
    give_workspace(base, &buffers[1]);
    return status;
}

static spg_status place_entries(reuse_state *state)
{
    cusparse_base *base = &state->base;
    static const char *const what = "SpGEMMreuse_copy";
    size_t bytes = 0;
    spg_status status = size_result(base, &base->C);
    if (status == SPG_OK) status = check_cusparse(base, cusparseSpGEMMreuse_copy(PATTERNS(state), &bytes, NULL), what);
    if (status == SPG_OK) status = take_workspace(base, bytes, &state->buffers[4]);
    if (status == SPG_OK)
        status =
            check_cusparse(base, cusparseSpGEMMreuse_copy(PATTERNS(state), &bytes, state->buffers[4].memory), what);
    give_workspace(base, &state->buffers[2]);
    return status;
}

static spg_status multiply(void *memory)
{
    reuse_state *state = memory;
    cusparse_base *base = &state->base;
    const cusparseStatus_t status = cusparseSpGEMMreuse_compute(
        base->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, base->one, base->A.descriptor,
        second_operand(base), base->zero, base->C.descriptor, base->type, CUSPARSE_SPGEMM_DEFAULT, state->product);
    return check_cusparse(base, status, "SpGEMMreuse_compute");
}

static spg_status prepare(const peer *self, spg_context *errors, const peer_settings *settings, const problem *task,
                          void **result)
{
    (void)self, (void)settings;
    *result = NULL;
    if (task->product == PRODUCT_RAP) return spg_context_fail(errors, SPG_ERROR_UNSUPPORTED, "not measured for R*A*P");
    reuse_state *state = calloc(1, sizeof *state);
    if (state == NULL) return spg_context_fail(errors, SPG_ERROR_MEMORY, "no memory");
    cusparse_base *base = &state->base;
    spg_status status = open_cusparse(base, errors, task);
    if (status == SPG_OK) status = begin_result(base, &base->C);
    if (status == SPG_OK)
        status = check_cusparse(base, cusparseSpGEMM_createDescr(&state->product), "SpGEMM_createDescr");
    if (status == SPG_OK) status = estimate_work(state);
    if (status == SPG_OK) status = count_entries(state);
    if (status == SPG_OK) status = place_entries(state);
    if (status == SPG_OK)
        *result = state;
    else
        cleanup(state);
    return status;
}

static spg_status view(void *memory, csr_view *result)
{
    view_result(&((reuse_state *)memory)->base, result);
    return SPG_OK;
}

/* The result stays for the next run. */
static void release(void *memory) { (void)memory; }

static spg_status stats(void *memory, peer_stats *result)
{
    *result = (peer_stats){.all = {.workspace_bytes = ((reuse_state *)memory)->base.peak_bytes}};
    return SPG_OK;
}

/* SpGEMMreuse of cuSPARSE 12.6.3 ends the process for complex values. */
static bool supports(spg_type value_type) { return value_type == SPG_F32 || value_type == SPG_F64; }

const peer peer_cusparse_reuse = {.name = "cusparse-reuse",
                                  .about = "numbers only, into an existing C, as spg-plan",
                                  .plan = true,
                                  .works_at = SPG_PLACE_DEVICE,
                                  .limits = {-1, -1, -1},
                                  .supports = supports,
                                  .prepare = prepare,
                                  .multiply = multiply,
                                  .view = view,
                                  .release = release,
                                  .stats = stats,
                                  .cleanup = cleanup};
