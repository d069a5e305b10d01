/* MKL of Intel: all threads, rows sorted. Its handles are views of the arrays. Timed are mkl_sparse_spmm, into a new C,
 * and mkl_sparse_order, which sorts C's rows (spg's rows are sorted, and so must these be). R*(A*P) is a product with P
 * as its transpose. */
#include "peer.h"

#include <mkl_service.h>
#include <mkl_spblas.h>
#include <mkl_version.h>
#include <stdlib.h>

typedef struct mkl_state {
    spg_context *errors;
    sparse_matrix_t A, B, C;
    bool is_galerkin;
    spg_type value_type;
    int32_t *A_offsets, *B_offsets, *C_offsets;
} mkl_state;

static bool supports(spg_type value_type)
{
    (void)value_type;
    return true;
}

static spg_status check(const mkl_state *state, sparse_status_t error, const char *call)
{
    if (error == SPARSE_STATUS_SUCCESS) return SPG_OK;
    return spg_context_fail(state->errors, error == SPARSE_STATUS_ALLOC_FAILED ? SPG_ERROR_MEMORY : SPG_ERROR_INTERNAL,
                            "%s gave sparse_status_t %d", call, (int)error);
}

static void release(void *memory)
{
    mkl_state *state = memory;
    if (state->C != NULL) mkl_sparse_destroy(state->C);
    state->C = NULL;
    free(state->C_offsets);
    state->C_offsets = NULL;
}

static void cleanup(void *memory)
{
    mkl_state *state = memory;
    if (state == NULL) return;
    release(state);
    if (state->A != NULL) mkl_sparse_destroy(state->A);
    if (state->B != NULL) mkl_sparse_destroy(state->B);
    free(state->A_offsets);
    free(state->B_offsets);
    free(state);
}

static spg_status describe(const mkl_state *state, const spg_csr *matrix, int32_t *offsets, sparse_matrix_t *handle)
{
    if (offsets == NULL)
        return spg_context_fail(state->errors, SPG_ERROR_UNSUPPORTED, "it needs 32-bit offsets, which do not suffice");
    const MKL_INT rows = (MKL_INT)matrix->rows, cols = (MKL_INT)matrix->cols;
    const sparse_index_base_t base = SPARSE_INDEX_BASE_ZERO;
    sparse_status_t error;
    switch (matrix->value_type) {
    case SPG_F32:
        error =
            mkl_sparse_s_create_csr(handle, base, rows, cols, offsets, offsets + 1, matrix->columns, matrix->values);
        break;
    case SPG_C32:
        error =
            mkl_sparse_c_create_csr(handle, base, rows, cols, offsets, offsets + 1, matrix->columns, matrix->values);
        break;
    case SPG_C64:
        error =
            mkl_sparse_z_create_csr(handle, base, rows, cols, offsets, offsets + 1, matrix->columns, matrix->values);
        break;
    default:
        error =
            mkl_sparse_d_create_csr(handle, base, rows, cols, offsets, offsets + 1, matrix->columns, matrix->values);
        break;
    }
    return check(state, error, "mkl_sparse_create_csr");
}

static spg_status prepare(const peer *self, spg_context *errors, const peer_settings *settings, const problem *task,
                          void **result)
{
    (void)self;
    *result = NULL;
    mkl_state *state = calloc(1, sizeof *state);
    if (state == NULL) return spg_context_fail(errors, SPG_ERROR_MEMORY, "no memory");
    state->errors = errors;
    state->value_type = task->A.value_type;
    state->is_galerkin = task->product == PRODUCT_RAP;
    mkl_set_num_threads(settings->threads);
    state->A_offsets = offsets_as_int32(&task->A);
    state->B_offsets = offsets_as_int32(&task->B);
    spg_status status = describe(state, &task->A, state->A_offsets, &state->A);
    if (status == SPG_OK) status = describe(state, &task->B, state->B_offsets, &state->B);
    if (status == SPG_OK)
        *result = state;
    else
        cleanup(state);
    return status;
}

static sparse_status_t galerkin(const mkl_state *state, sparse_matrix_t *C)
{
    sparse_matrix_t AP = NULL;
    sparse_status_t error = mkl_sparse_spmm(SPARSE_OPERATION_NON_TRANSPOSE, state->A, state->B, &AP);
    if (error == SPARSE_STATUS_SUCCESS) error = mkl_sparse_spmm(SPARSE_OPERATION_TRANSPOSE, state->B, AP, C);
    if (AP != NULL) mkl_sparse_destroy(AP);
    return error;
}

static spg_status multiply(void *memory)
{
    mkl_state *state = memory;
    sparse_status_t error = state->is_galerkin
                                ? galerkin(state, &state->C)
                                : mkl_sparse_spmm(SPARSE_OPERATION_NON_TRANSPOSE, state->A, state->B, &state->C);
    spg_status status = check(state, error, "mkl_sparse_spmm");
    return status == SPG_OK ? check(state, mkl_sparse_order(state->C), "mkl_sparse_order") : status;
}

typedef struct exported {
    sparse_index_base_t base;
    MKL_INT rows, cols, *starts, *ends, *columns;
    void *values;
} exported;

static sparse_status_t export_csr(const mkl_state *state, exported *to)
{
    switch (state->value_type) {
    case SPG_F32:
        return mkl_sparse_s_export_csr(state->C, &to->base, &to->rows, &to->cols, &to->starts, &to->ends, &to->columns,
                                       (float **)&to->values);
    case SPG_C32:
        return mkl_sparse_c_export_csr(state->C, &to->base, &to->rows, &to->cols, &to->starts, &to->ends, &to->columns,
                                       (MKL_Complex8 **)&to->values);
    case SPG_C64:
        return mkl_sparse_z_export_csr(state->C, &to->base, &to->rows, &to->cols, &to->starts, &to->ends, &to->columns,
                                       (MKL_Complex16 **)&to->values);
    default:
        return mkl_sparse_d_export_csr(state->C, &to->base, &to->rows, &to->cols, &to->starts, &to->ends, &to->columns,
                                       (double **)&to->values);
    }
}

/* Its ends of rows are the offsets, where rows lie one behind the other. */
static spg_status view(void *memory, csr_view *result)
{
    mkl_state *state = memory;
    exported C = {.rows = 0};
    const spg_status status = check(state, export_csr(state, &C), "mkl_sparse_export_csr");
    if (status != SPG_OK) return status;
    state->C_offsets = calloc((size_t)C.rows + 1, sizeof *state->C_offsets);
    if (state->C_offsets == NULL) return spg_context_fail(state->errors, SPG_ERROR_MEMORY, "no memory for offsets");
    for (MKL_INT i = 0; i < C.rows; i++) {
        if (C.starts[i] != state->C_offsets[i])
            return spg_context_fail(state->errors, SPG_ERROR_INTERNAL, "row %lld begins apart from the one before it",
                                    (long long)i);
        state->C_offsets[i + 1] = C.ends[i];
    }
    *result = (csr_view){C.rows,           C.cols,    state->C_offsets[C.rows],
                         SPG_I32,          SPG_I32,   state->value_type,
                         state->C_offsets, C.columns, C.values,
                         SPG_PLACE_HOST};
    return SPG_OK;
}

#define TEXT(number) #number
#define VERSION(a, b) TEXT(a) "." TEXT(b)

const peer peer_mkl = {.name = "mkl",
                       .about = VERSION(__INTEL_MKL__, __INTEL_MKL_MINOR__) ", rows sorted",
                       .sorted = true,
                       .threaded = true,
                       .limits = {-1, -1, -1},
                       .supports = supports,
                       .prepare = prepare,
                       .multiply = multiply,
                       .view = view,
                       .release = release,
                       .cleanup = cleanup};
