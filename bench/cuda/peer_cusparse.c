/* cuSPARSE's one-shot product, SpGEMM of its generic API, by each of its algorithms. Descriptors of the operands are
 * kept; the product's own descriptor, all buffers and C are made anew each time. So are R, by Csr2cscEx2, and A*P of
 * R*A*P, which is two products. */
#include "cusparse_base.h"

#include <stdlib.h>
#include <string.h>

/* Of the products that ALG3 holds at once; halved while memory does not suffice. */
static const float first_chunk_fraction = 0.2F, least_chunk_fraction = 0.005F;

typedef struct cusparse_state {
    cusparse_base base;
    cusparseSpGEMMAlg_t algorithm;
    cusparseSpGEMMDescr_t product;
    cusparseSpMatDescr_t left, right, result; /* of the product under way */
    device_buffer work, chunks, estimate;
    float chunk_fraction;
} cusparse_state;

static void end_product(cusparse_state *state)
{
    give_workspace(&state->base, &state->work);
    give_workspace(&state->base, &state->chunks);
    give_workspace(&state->base, &state->estimate);
    if (state->product != NULL) cusparseSpGEMM_destroyDescr(state->product);
    state->product = NULL;
}

static void cleanup(void *memory)
{
    cusparse_state *state = memory;
    if (state == NULL) return;
    end_product(state);
    close_cusparse(&state->base);
    free(state);
}

/* What most of these calls begin with. */
#define OPERANDS(state)                                                                                                \
    (state)->base.handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, (state)->base.one,       \
        (state)->left, (state)->right, (state)->base.zero, (state)->result, (state)->base.type, (state)->algorithm,    \
        (state)->product

static spg_status estimate_work(cusparse_state *state)
{
    cusparse_base *base = &state->base;
    size_t bytes = 0;
    spg_status status =
        check_cusparse(base, cusparseSpGEMM_workEstimation(OPERANDS(state), &bytes, NULL), "SpGEMM_workEstimation");
    if (status == SPG_OK) status = take_workspace(base, bytes, &state->work);
    if (status != SPG_OK) return status;
    return check_cusparse(base, cusparseSpGEMM_workEstimation(OPERANDS(state), &bytes, state->work.memory),
                          "SpGEMM_workEstimation");
}

/* ALG2 and ALG3: *bytes becomes the size of the buffer of `compute`. */
static spg_status estimate_memory(cusparse_state *state, size_t *bytes)
{
    cusparse_base *base = &state->base;
    size_t estimate_bytes = 0;
    spg_status status = check_cusparse(
        base, cusparseSpGEMM_estimateMemory(OPERANDS(state), state->chunk_fraction, &estimate_bytes, NULL, NULL),
        "SpGEMM_estimateMemory");
    if (status == SPG_OK) status = take_workspace(base, estimate_bytes, &state->estimate);
    if (status != SPG_OK) return status;
    status = check_cusparse(base,
                            cusparseSpGEMM_estimateMemory(OPERANDS(state), state->chunk_fraction, &estimate_bytes,
                                                          state->estimate.memory, bytes),
                            "SpGEMM_estimateMemory");
    give_workspace(base, &state->estimate);
    return status;
}

static spg_status compute(cusparse_state *state)
{
    cusparse_base *base = &state->base;
    size_t bytes = 0;
    spg_status status = SPG_OK;
    if (state->algorithm == CUSPARSE_SPGEMM_ALG2 || state->algorithm == CUSPARSE_SPGEMM_ALG3)
        status = estimate_memory(state, &bytes);
    else
        status = check_cusparse(base, cusparseSpGEMM_compute(OPERANDS(state), &bytes, NULL), "SpGEMM_compute");
    if (status == SPG_OK) status = take_workspace(base, bytes, &state->chunks);
    if (status != SPG_OK) return status;
    return check_cusparse(base, cusparseSpGEMM_compute(OPERANDS(state), &bytes, state->chunks.memory),
                          "SpGEMM_compute");
}

static spg_status multiply_matrices(cusparse_state *state, cusparseSpMatDescr_t left, cusparseSpMatDescr_t right,
                                    device_csr *result)
{
    cusparse_base *base = &state->base;
    spg_status status = begin_result(base, result);
    state->left = left;
    state->right = right;
    state->result = result->descriptor;
    if (status == SPG_OK)
        status = check_cusparse(base, cusparseSpGEMM_createDescr(&state->product), "SpGEMM_createDescr");
    if (status == SPG_OK) status = estimate_work(state);
    if (status == SPG_OK) status = compute(state);
    if (status == SPG_OK) status = size_result(base, result);
    if (status == SPG_OK) status = check_cusparse(base, cusparseSpGEMM_copy(OPERANDS(state)), "SpGEMM_copy");
    end_product(state);
    return status;
}

static spg_status multiply_once(cusparse_state *state)
{
    cusparse_base *base = &state->base;
    base->held_bytes = base->peak_bytes = 0;
    spg_status status = SPG_OK;
    if (base->is_galerkin) {
        base->AP.rows = base->A.rows;
        base->AP.cols = base->B.cols;
        status = make_restriction(base);
        if (status == SPG_OK) status = multiply_matrices(state, base->A.descriptor, base->B.descriptor, &base->AP);
        if (status == SPG_OK) count_intermediate(base, &base->AP);
        if (status == SPG_OK) status = multiply_matrices(state, base->R.descriptor, base->AP.descriptor, &base->C);
        give_intermediates(base);
    } else {
        status = multiply_matrices(state, base->A.descriptor, second_operand(base), &base->C);
    }
    if (status != SPG_OK) release_result(base);
    return status;
}

static spg_status multiply(void *memory)
{
    cusparse_state *state = memory;
    spg_status status = multiply_once(state);
    while (status == SPG_ERROR_MEMORY && state->algorithm == CUSPARSE_SPGEMM_ALG3 &&
           state->chunk_fraction > least_chunk_fraction) {
        state->chunk_fraction /= 2.0F;
        status = multiply_once(state);
    }
    return status;
}

static cusparseSpGEMMAlg_t algorithm_of(const peer *self)
{
    static const struct {
        const char *name;
        cusparseSpGEMMAlg_t algorithm;
    } algorithms[] = {{"cusparse-alg1", CUSPARSE_SPGEMM_ALG1},
                      {"cusparse-alg2", CUSPARSE_SPGEMM_ALG2},
                      {"cusparse-alg3", CUSPARSE_SPGEMM_ALG3}};
    for (size_t k = 0; k < sizeof algorithms / sizeof *algorithms; k++)
        if (strcmp(self->name, algorithms[k].name) == 0) return algorithms[k].algorithm;
    return CUSPARSE_SPGEMM_DEFAULT;
}

static spg_status prepare(const peer *self, spg_context *errors, const peer_settings *settings, const problem *task,
                          void **result)
{
    (void)settings;
    *result = NULL;
    cusparse_state *state = calloc(1, sizeof *state);
    if (state == NULL) return spg_context_fail(errors, SPG_ERROR_MEMORY, "no memory");
    state->algorithm = algorithm_of(self);
    state->chunk_fraction = first_chunk_fraction;
    const spg_status status = open_cusparse(&state->base, errors, task);
    if (status == SPG_OK)
        *result = state;
    else
        cleanup(state);
    return status;
}

static spg_status view(void *memory, csr_view *result)
{
    view_result(&((cusparse_state *)memory)->base, result);
    return SPG_OK;
}

static void release(void *memory) { release_result(&((cusparse_state *)memory)->base); }

static spg_status stats(void *memory, peer_stats *result)
{
    *result = (peer_stats){.all = {.workspace_bytes = ((cusparse_state *)memory)->base.peak_bytes}};
    return SPG_OK;
}

#define TEXT(number) #number
#define VERSION(a, b, c) TEXT(a) "." TEXT(b) "." TEXT(c)
#define CUSPARSE_PEER(its_name, its_about)                                                                             \
    {                                                                                                                  \
        .name = its_name,                                                                                              \
        .about = "cuSPARSE " VERSION(CUSPARSE_VER_MAJOR, CUSPARSE_VER_MINOR, CUSPARSE_VER_PATCH) ", " its_about,       \
        .works_at = SPG_PLACE_DEVICE, .limits = {-1, -1, -1}, .supports = cusparse_supports, .prepare = prepare,       \
        .multiply = multiply, .view = view, .release = release, .stats = stats, .cleanup = cleanup                     \
    }

const peer peer_cusparse_default = CUSPARSE_PEER("cusparse-default", "its own choice");
const peer peer_cusparse_alg1 = CUSPARSE_PEER("cusparse-alg1", "all products at once");
const peer peer_cusparse_alg2 = CUSPARSE_PEER("cusparse-alg2", "products in chunks, memory estimated");
const peer peer_cusparse_alg3 = CUSPARSE_PEER("cusparse-alg3", "products in chunks of a fifth or less");
