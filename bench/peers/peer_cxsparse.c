/* CXSparse (Davis): one thread, rows of the result unsorted. It holds columns; the arrays of A by rows are A^T by
 * columns, so cs_multiply(B, A) gives B^T*A^T = C^T by columns, which is C by rows. Likewise R*(A*P): the transpose of
 * P's arrays is R's, and cs_multiply(AP, R) gives C's. */
#include "peer.h"

#include <cs.h>
#include <stdlib.h>

typedef struct cxsparse_state {
    spg_context *errors;
    cs_di real_A, real_B, *real_C;          /* f64 */
    cs_ci complex_A, complex_B, *complex_C; /* c64 */
    bool is_complex, is_galerkin;
    int32_t *A_offsets, *B_offsets;
} cxsparse_state;

static bool supports(spg_type value_type) { return value_type == SPG_F64 || value_type == SPG_C64; }

static void release(void *memory)
{
    cxsparse_state *state = memory;
    state->complex_C = cs_ci_spfree(state->complex_C);
    state->real_C = cs_di_spfree(state->real_C);
}

static void cleanup(void *memory)
{
    cxsparse_state *state = memory;
    if (state == NULL) return;
    release(state);
    free(state->A_offsets);
    free(state->B_offsets);
    free(state);
}

static cs_di real_view(const spg_csr *matrix, int32_t *offsets)
{
    return (cs_di){.nzmax = (int)matrix->nnz,
                   .m = (int)matrix->cols,
                   .n = (int)matrix->rows,
                   .p = offsets,
                   .i = matrix->columns,
                   .x = matrix->values,
                   .nz = -1};
}

static cs_ci complex_view(const spg_csr *matrix, int32_t *offsets)
{
    return (cs_ci){.nzmax = (int)matrix->nnz,
                   .m = (int)matrix->cols,
                   .n = (int)matrix->rows,
                   .p = offsets,
                   .i = matrix->columns,
                   .x = matrix->values,
                   .nz = -1};
}

static spg_status prepare(const peer *self, spg_context *errors, const peer_settings *settings, const problem *task,
                          void **result)
{
    (void)self;
    (void)settings;
    *result = NULL;
    if (task->products > INT32_MAX)
        return spg_context_fail(errors, SPG_ERROR_UNSUPPORTED, "more products than its 32-bit sizes are safe with");
    cxsparse_state *state = calloc(1, sizeof *state);
    if (state == NULL) return spg_context_fail(errors, SPG_ERROR_MEMORY, "no memory");
    state->errors = errors;
    state->is_complex = is_complex_type(task->A.value_type);
    state->is_galerkin = task->product == PRODUCT_RAP;
    state->A_offsets = offsets_as_int32(&task->A);
    state->B_offsets = offsets_as_int32(&task->B);
    if (state->A_offsets == NULL || state->B_offsets == NULL) {
        cleanup(state);
        return spg_context_fail(errors, SPG_ERROR_MEMORY, "no memory for 32-bit offsets, or they do not fit");
    }
    if (state->is_complex) {
        state->complex_A = complex_view(&task->A, state->A_offsets);
        state->complex_B = complex_view(&task->B, state->B_offsets);
    } else {
        state->real_A = real_view(&task->A, state->A_offsets);
        state->real_B = real_view(&task->B, state->B_offsets);
    }
    *result = state;
    return SPG_OK;
}

/* Each gives NULL if its second factor is NULL. */
static cs_di *real_galerkin(const cs_di *A, const cs_di *P)
{
    cs_di *AP = cs_di_multiply(P, A), *R = cs_di_transpose(P, 1);
    cs_di *C = cs_di_multiply(AP, R);
    cs_di_spfree(AP);
    cs_di_spfree(R);
    return C;
}

/* A negative second argument transposes without conjugation. */
static cs_ci *complex_galerkin(const cs_ci *A, const cs_ci *P)
{
    cs_ci *AP = cs_ci_multiply(P, A), *R = cs_ci_transpose(P, -1);
    cs_ci *C = cs_ci_multiply(AP, R);
    cs_ci_spfree(AP);
    cs_ci_spfree(R);
    return C;
}

static spg_status multiply(void *memory)
{
    cxsparse_state *state = memory;
    if (state->is_galerkin && state->is_complex)
        state->complex_C = complex_galerkin(&state->complex_A, &state->complex_B);
    else if (state->is_galerkin)
        state->real_C = real_galerkin(&state->real_A, &state->real_B);
    else if (state->is_complex)
        state->complex_C = cs_ci_multiply(&state->complex_B, &state->complex_A);
    else
        state->real_C = cs_di_multiply(&state->real_B, &state->real_A);
    if (state->complex_C != NULL || state->real_C != NULL) return SPG_OK;
    return spg_context_fail(state->errors, SPG_ERROR_MEMORY, "cs_multiply gave no result");
}

static spg_status view(void *memory, csr_view *result)
{
    const cxsparse_state *state = memory;
    *result = (csr_view){.offset_type = SPG_I32, .column_type = SPG_I32};
    if (state->is_complex) {
        const cs_ci *C = state->complex_C;
        result->rows = C->n, result->cols = C->m, result->nnz = C->p[C->n], result->value_type = SPG_C64;
        result->row_offsets = C->p, result->columns = C->i, result->values = C->x;
    } else {
        const cs_di *C = state->real_C;
        result->rows = C->n, result->cols = C->m, result->nnz = C->p[C->n], result->value_type = SPG_F64;
        result->row_offsets = C->p, result->columns = C->i, result->values = C->x;
    }
    return SPG_OK;
}

#define TEXT(number) #number
#define VERSION(a, b, c) TEXT(a) "." TEXT(b) "." TEXT(c)

const peer peer_cxsparse = {.name = "cxsparse",
                            .about = VERSION(CS_VER, CS_SUBVER, CS_SUBSUB) ", rows unsorted",
                            .limits = {-1, -1, -1},
                            .supports = supports,
                            .prepare = prepare,
                            .multiply = multiply,
                            .view = view,
                            .release = release,
                            .cleanup = cleanup};
