/* SuiteSparse:GraphBLAS (Davis): all threads. Its matrices hold 64-bit indices and take over the arrays they are
 * packed from, so A and B are converted once, outside the timing. Inside it: a new C, GrB_mxm on the ordinary semiring,
 * and GrB_Matrix_wait, which finishes what nonblocking mode left, the sort of C's rows included (spg's rows are sorted,
 * and so must these be). */
#include "peer.h"

#include <GraphBLAS.h>
#include <stdlib.h>
#include <string.h>

typedef struct graphblas_state {
    spg_context *errors;
    GrB_Matrix A, B, C;
    bool same, is_galerkin; /* B is A; C = B^T*A*B */
    GrB_Type type;
    GrB_Semiring semiring;
    spg_type value_type;
    GrB_Index *offsets, *columns; /* of C, unpacked for a view */
    void *values;
} graphblas_state;

static bool supports(spg_type value_type)
{
    (void)value_type;
    return true;
}

static spg_status forward(const graphblas_state *state, GrB_Info info, const char *call)
{
    if (info == GrB_SUCCESS) return SPG_OK;
    return spg_context_fail(state->errors, info == GrB_OUT_OF_MEMORY ? SPG_ERROR_MEMORY : SPG_ERROR_INTERNAL,
                            "%s gave GrB_Info %d", call, (int)info);
}

static void finalize(void) { GrB_finalize(); }

static GrB_Info start(int threads)
{
    static bool started = false;
    if (!started) {
        GrB_Info info = GrB_init(GrB_NONBLOCKING);
        if (info != GrB_SUCCESS) return info;
        started = true;
        atexit(finalize);
    }
    GrB_Info info = GxB_set(GxB_FORMAT, GxB_BY_ROW);
    return info == GrB_SUCCESS ? GxB_set(GxB_NTHREADS, threads) : info;
}

static void choose_type(graphblas_state *state, spg_type value_type)
{
    state->value_type = value_type;
    switch (value_type) {
    case SPG_F32: state->type = GrB_FP32, state->semiring = GrB_PLUS_TIMES_SEMIRING_FP32; break;
    case SPG_C32: state->type = GxB_FC32, state->semiring = GxB_PLUS_TIMES_FC32; break;
    case SPG_C64: state->type = GxB_FC64, state->semiring = GxB_PLUS_TIMES_FC64; break;
    default: state->type = GrB_FP64, state->semiring = GrB_PLUS_TIMES_SEMIRING_FP64; break;
    }
}

static bool rows_are_sorted(const spg_csr *matrix)
{
    for (int64_t i = 0; i < matrix->rows; i++)
        for (int64_t k = row_offset(matrix, i) + 1; k < row_offset(matrix, i + 1); k++)
            if (matrix->columns[k - 1] >= matrix->columns[k]) return false;
    return true;
}

/* The arrays become the matrix's own. */
static spg_status pack(const graphblas_state *state, const spg_csr *source, GrB_Matrix *matrix)
{
    const GrB_Index rows = (GrB_Index)source->rows, nnz = (GrB_Index)source->nnz;
    const size_t value_bytes = (nnz > 0 ? nnz : 1) * spg_type_size(source->value_type);
    GrB_Index *offsets = malloc((rows + 1) * sizeof *offsets);
    GrB_Index *columns = malloc((nnz > 0 ? nnz : 1) * sizeof *columns);
    void *values = malloc(value_bytes);
    const bool jumbled = !rows_are_sorted(source);
    spg_status status = SPG_ERROR_MEMORY;
    if (offsets != NULL && columns != NULL && values != NULL) {
        for (GrB_Index i = 0; i <= rows; i++) offsets[i] = (GrB_Index)row_offset(source, (int64_t)i);
        for (GrB_Index k = 0; k < nnz; k++) columns[k] = (GrB_Index)source->columns[k];
        if (nnz > 0) memcpy(values, source->values, value_bytes);
        status = forward(state, GrB_Matrix_new(matrix, state->type, rows, (GrB_Index)source->cols), "GrB_Matrix_new");
        if (status == SPG_OK)
            status =
                forward(state,
                        GxB_Matrix_pack_CSR(*matrix, &offsets, &columns, &values, (rows + 1) * sizeof *offsets,
                                            (nnz > 0 ? nnz : 1) * sizeof *columns, value_bytes, false, jumbled, NULL),
                        "GxB_Matrix_pack_CSR");
    } else {
        spg_context_fail(state->errors, status, "no memory for 64-bit indices");
    }
    free(offsets);
    free(columns);
    free(values);
    return status;
}

static void release(void *memory)
{
    graphblas_state *state = memory;
    GrB_Matrix_free(&state->C);
    free(state->offsets);
    free(state->columns);
    free(state->values);
    state->offsets = state->columns = NULL;
    state->values = NULL;
}

static void cleanup(void *memory)
{
    graphblas_state *state = memory;
    if (state == NULL) return;
    release(state);
    if (!state->same) GrB_Matrix_free(&state->B);
    GrB_Matrix_free(&state->A);
    free(state);
}

static spg_status prepare(const peer *self, spg_context *errors, const peer_settings *settings, const problem *task,
                          void **result)
{
    (void)self;
    *result = NULL;
    graphblas_state *state = calloc(1, sizeof *state);
    if (state == NULL) return spg_context_fail(errors, SPG_ERROR_MEMORY, "no memory");
    state->errors = errors;
    spg_status status = forward(state, start(settings->threads), "GrB_init");
    if (status == SPG_OK) {
        choose_type(state, task->A.value_type);
        status = pack(state, &task->A, &state->A);
    }
    state->is_galerkin = task->product == PRODUCT_RAP;
    if (status == SPG_OK && task->A.values == task->B.values) {
        state->same = true;
        state->B = state->A;
    } else if (status == SPG_OK) {
        status = pack(state, &task->B, &state->B);
    }
    if (status != SPG_OK) {
        cleanup(state);
        return status;
    }
    *result = state;
    return SPG_OK;
}

static GrB_Info product(const graphblas_state *state, GrB_Matrix A, GrB_Matrix B, GrB_Matrix *C)
{
    GrB_Index rows = 0, cols = 0;
    GrB_Matrix_nrows(&rows, A);
    GrB_Matrix_ncols(&cols, B);
    GrB_Info info = GrB_Matrix_new(C, state->type, rows, cols);
    if (info == GrB_SUCCESS) info = GrB_mxm(*C, NULL, NULL, state->semiring, A, B, NULL);
    return info == GrB_SUCCESS ? GrB_Matrix_wait(*C, GrB_MATERIALIZE) : info;
}

static GrB_Info galerkin(graphblas_state *state)
{
    GrB_Matrix R = NULL, AP = NULL;
    GrB_Index rows = 0, cols = 0;
    GrB_Matrix_nrows(&rows, state->B);
    GrB_Matrix_ncols(&cols, state->B);
    GrB_Info info = GrB_Matrix_new(&R, state->type, cols, rows);
    if (info == GrB_SUCCESS) info = GrB_transpose(R, NULL, NULL, state->B, NULL);
    if (info == GrB_SUCCESS) info = product(state, state->A, state->B, &AP);
    if (info == GrB_SUCCESS) info = product(state, R, AP, &state->C);
    GrB_Matrix_free(&R);
    GrB_Matrix_free(&AP);
    return info;
}

static spg_status multiply(void *memory)
{
    graphblas_state *state = memory;
    if (state->is_galerkin) return forward(state, galerkin(state), "GrB_transpose and GrB_mxm");
    return forward(state, product(state, state->A, state->B, &state->C), "GrB_mxm");
}

static spg_status view(void *memory, csr_view *result)
{
    graphblas_state *state = memory;
    GrB_Index rows = 0, cols = 0, nnz = 0, offsets_bytes = 0, columns_bytes = 0, values_bytes = 0;
    bool is_uniform = false;
    GrB_Matrix_nrows(&rows, state->C);
    GrB_Matrix_ncols(&cols, state->C);
    GrB_Matrix_nvals(&nnz, state->C);
    spg_status status =
        forward(state,
                GxB_Matrix_unpack_CSR(state->C, &state->offsets, &state->columns, &state->values, &offsets_bytes,
                                      &columns_bytes, &values_bytes, &is_uniform, NULL, NULL),
                "GxB_Matrix_unpack_CSR");
    if (status != SPG_OK) return status;
    if (is_uniform && nnz > 1)
        return spg_context_fail(state->errors, SPG_ERROR_INTERNAL, "a result of one value for all its entries");
    *result = (csr_view){(int64_t)rows,     (int64_t)cols,  (int64_t)nnz,   SPG_I64,       SPG_I64,
                         state->value_type, state->offsets, state->columns, state->values, SPG_PLACE_HOST};
    return SPG_OK;
}

#define TEXT(number) #number
#define VERSION(a, b, c) TEXT(a) "." TEXT(b) "." TEXT(c)

const peer peer_graphblas = {
    .name = "graphblas",
    .about = VERSION(GxB_IMPLEMENTATION_MAJOR, GxB_IMPLEMENTATION_MINOR, GxB_IMPLEMENTATION_SUB) ", rows sorted",
    .sorted = true,
    .threaded = true,
    .limits = {-1, -1, -1},
    .supports = supports,
    .prepare = prepare,
    .multiply = multiply,
    .view = view,
    .release = release,
    .cleanup = cleanup};
