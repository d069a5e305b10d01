/* cuSPARSE's product on known patterns by its one-shot calls: SpGEMM_compute and SpGEMM_copy are called again with the
 * descriptor and the buffers of a first product, into its C. cuSPARSE 12.9 advises it in place of SpGEMMreuse. */
#include "cusparse_base.h"

#include <stdlib.h>

typedef struct again_state {
    cusparse_base base;
    cusparseSpGEMMDescr_t product;
    device_buffer work, chunks;
    size_t chunk_bytes;
} again_state;

static void cleanup(void *memory)
{
    again_state *state = memory;
    if (state == NULL) return;
    give_workspace(&state->base, &state->work);
    give_workspace(&state->base, &state->chunks);
    if (state->product != NULL) cusparseSpGEMM_destroyDescr(state->product);
    close_cusparse(&state->base);
    free(state);
}

#define OPERANDS(state)                                                                                                \
    (state)->base.handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, (state)->base.one,       \
        (state)->base.A.descriptor, second_operand(&(state)->base), (state)->base.zero, (state)->base.C.descriptor,    \
        (state)->base.type, CUSPARSE_SPGEMM_DEFAULT, (state)->product

static spg_status estimate_work(again_state *state)
{
    cusparse_base *base = &state->base;
    static const char *const what = "SpGEMM_workEstimation";
    size_t bytes = 0;
    spg_status status = check_cusparse(base, cusparseSpGEMM_workEstimation(OPERANDS(state), &bytes, NULL), what);
    if (status == SPG_OK) status = take_workspace(base, bytes, &state->work);
    if (status != SPG_OK) return status;
    return check_cusparse(base, cusparseSpGEMM_workEstimation(OPERANDS(state), &bytes, state->work.memory), what);
}

static spg_status compute(again_state *state)
{
    return check_cusparse(&state->base,
                          cusparseSpGEMM_compute(OPERANDS(state), &state->chunk_bytes, state->chunks.memory),
                          "SpGEMM_compute");
}

static spg_status multiply(void *memory)
{
    again_state *state = memory;
    const spg_status status = compute(state);
    return status == SPG_OK ? check_cusparse(&state->base, cusparseSpGEMM_copy(OPERANDS(state)), "SpGEMM_copy")
                            : status;
}

/* The first product, but for the copy of its entries into C. */
static spg_status multiply_first(again_state *state)
{
    cusparse_base *base = &state->base;
    spg_status status = begin_result(base, &base->C);
    if (status == SPG_OK)
        status = check_cusparse(base, cusparseSpGEMM_createDescr(&state->product), "SpGEMM_createDescr");
    if (status == SPG_OK) status = estimate_work(state);
    if (status == SPG_OK) status = compute(state); /* without a buffer: tells its size */
    if (status == SPG_OK) status = take_workspace(base, state->chunk_bytes, &state->chunks);
    if (status == SPG_OK) status = compute(state);
    return status == SPG_OK ? size_result(base, &base->C) : status;
}

static spg_status prepare(const peer *self, spg_context *errors, const peer_settings *settings, const problem *task,
                          void **result)
{
    (void)self, (void)settings;
    *result = NULL;
    if (task->product == PRODUCT_RAP) return spg_context_fail(errors, SPG_ERROR_UNSUPPORTED, "not measured for R*A*P");
    again_state *state = calloc(1, sizeof *state);
    if (state == NULL) return spg_context_fail(errors, SPG_ERROR_MEMORY, "no memory");
    spg_status status = open_cusparse(&state->base, errors, task);
    if (status == SPG_OK) status = multiply_first(state);
    if (status == SPG_OK)
        *result = state;
    else
        cleanup(state);
    return status;
}

static spg_status view(void *memory, csr_view *result)
{
    view_result(&((again_state *)memory)->base, result);
    return SPG_OK;
}

/* The result stays for the next run. */
static void release(void *memory) { (void)memory; }

static spg_status stats(void *memory, peer_stats *result)
{
    *result = (peer_stats){.all = {.workspace_bytes = ((again_state *)memory)->base.peak_bytes}};
    return SPG_OK;
}

const peer peer_cusparse_again = {.name = "cusparse-again",
                                  .about = "SpGEMM_compute again, numbers into an existing C",
                                  .plan = true,
                                  .works_at = SPG_PLACE_DEVICE,
                                  .limits = {-1, -1, -1},
                                  .supports = cusparse_supports,
                                  .prepare = prepare,
                                  .multiply = multiply,
                                  .view = view,
                                  .release = release,
                                  .stats = stats,
                                  .cleanup = cleanup};
