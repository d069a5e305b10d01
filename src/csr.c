/* The public calls on CSR matrices: checks, allocation, and dispatch to the backend. */
#include "argument.h"
#include "backend.h"
#include "memory.h"

#include <string.h>

static int64_t offset_bytes(const spg_csr *matrix)
{
    if (matrix->rows == INT64_MAX) return INT64_MAX;
    return spg_array_bytes(matrix->rows + 1, spg_type_size(matrix->offset_type));
}

static int64_t column_bytes(const spg_csr *matrix) { return spg_array_bytes(matrix->nnz, sizeof *matrix->columns); }

static int64_t value_bytes(const spg_csr *matrix)
{
    return spg_array_bytes(matrix->nnz, spg_type_size(matrix->value_type));
}

/* Sums of these do not overflow, and no allocation can satisfy so much either. */
static int64_t bounded(int64_t bytes) { return bytes < INT64_MAX / 4 ? bytes : INT64_MAX / 4; }

int64_t spg_csr_bytes(const spg_csr *matrix)
{
    return bounded(offset_bytes(matrix)) + bounded(column_bytes(matrix)) + bounded(value_bytes(matrix));
}

/* The struct's pointers are not const, as calls that make a matrix fill them. */
spg_csr spg_csr_view(int64_t rows, int64_t cols, int64_t nnz, spg_type offset_type, spg_type value_type,
                     spg_place place, const void *row_offsets, const int32_t *columns, const void *values)
{
    return (spg_csr){rows,          cols, nnz, offset_type, value_type, place, (void *)row_offsets, (int32_t *)columns,
                     (void *)values};
}

/* Allocates the arrays of a matrix whose shape and types are set. */
static spg_status allocate_arrays(spg_context *context, spg_csr *matrix)
{
    void *columns = NULL;
    spg_status status = spg_allocate(context, offset_bytes(matrix), "row offsets", &matrix->row_offsets);
    if (status == SPG_OK) status = context->backend->zero_bytes(context, matrix->row_offsets, offset_bytes(matrix));
    if (status == SPG_OK) status = spg_allocate(context, column_bytes(matrix), "columns", &columns);
    matrix->columns = columns;
    if (status == SPG_OK) status = spg_allocate(context, value_bytes(matrix), "values", &matrix->values);
    if (status != SPG_OK) spg_csr_free(context, matrix);
    return status;
}

spg_status spg_csr_alloc(spg_context *context, int64_t rows, int64_t cols, int64_t nnz, spg_type offset_type,
                         spg_type value_type, spg_csr *matrix)
{
    spg_status status = spg_begin_output(context, NULL, matrix, sizeof *matrix, "matrix");
    if (status != SPG_OK) return status;
    spg_csr made = {rows, cols, nnz, offset_type, value_type, context->config.place, NULL, NULL, NULL};
    status = spg_check_csr_layout(context, &made, "matrix");
    if (status == SPG_OK) status = allocate_arrays(context, &made);
    if (status == SPG_OK) *matrix = made;
    return status;
}

void spg_csr_free(spg_context *context, spg_csr *matrix)
{
    if (context == NULL || matrix == NULL) return;
    bool owns = matrix->row_offsets != NULL || matrix->columns != NULL || matrix->values != NULL;
    if (owns && spg_check_place(context, matrix->place, "the matrix to free") != SPG_OK) return;
    spg_release(context, matrix->row_offsets, offset_bytes(matrix));
    spg_release(context, matrix->columns, column_bytes(matrix));
    spg_release(context, matrix->values, value_bytes(matrix));
    memset(matrix, 0, sizeof *matrix);
}

spg_status spg_csr_copy(spg_context *context, const spg_csr *source, spg_csr *copy)
{
    spg_status status = spg_begin_output(context, source, copy, sizeof *copy, "copy");
    if (status == SPG_OK) status = spg_check_csr_source(context, source, "source");
    if (status != SPG_OK) return status;
    spg_csr made = *source;
    made.place = context->config.place;
    made.row_offsets = made.values = made.columns = NULL;
    status = allocate_arrays(context, &made);
    if (status != SPG_OK) return status;
    const void *from[] = {source->row_offsets, source->columns, source->values};
    void *to[] = {made.row_offsets, made.columns, made.values};
    int64_t bytes[] = {offset_bytes(source), column_bytes(source), value_bytes(source)};
    for (int k = 0; k < 3 && status == SPG_OK; ++k)
        status = context->backend->copy_bytes(context, to[k], made.place, from[k], source->place, bytes[k]);
    if (status == SPG_OK)
        *copy = made;
    else
        spg_csr_free(context, &made);
    return status;
}

spg_status spg_csr_check(spg_context *context, const spg_csr *matrix)
{
    if (context == NULL) return SPG_ERROR_ARGUMENT;
    spg_status status = spg_check_csr_here(context, matrix, "matrix");
    return status == SPG_OK ? context->backend->csr_check(context, matrix) : status;
}

spg_status spg_csr_sort(spg_context *context, spg_csr *matrix)
{
    spg_status status = spg_csr_check(context, matrix);
    return status == SPG_OK ? context->backend->csr_sort(context, matrix) : status;
}

spg_status spg_csr_transpose(spg_context *context, const spg_csr *matrix, spg_csr *transpose)
{
    spg_status status = spg_begin_output(context, matrix, transpose, sizeof *transpose, "transpose");
    if (status == SPG_OK) status = spg_check_csr_here(context, matrix, "matrix");
    if (status == SPG_OK) status = spg_check_index_range(context, matrix->rows, "matrix", "rows");
    if (status == SPG_OK) status = context->backend->csr_check(context, matrix);
    return status == SPG_OK ? context->backend->csr_transpose(context, matrix, NULL, transpose) : status;
}

spg_status spg_csr_spmv(spg_context *context, const void *alpha, const spg_csr *matrix, const void *x, const void *beta,
                        void *y)
{
    if (context == NULL) return SPG_ERROR_ARGUMENT;
    spg_status status = spg_check_csr_here(context, matrix, "matrix");
    if (status == SPG_OK)
        status = spg_check_vectors(context, matrix->cols, x, matrix->rows, y, spg_type_size(matrix->value_type));
    if (status == SPG_OK)
        status = spg_check_apart_from_csr(context, y, spg_array_bytes(matrix->rows, spg_type_size(matrix->value_type)),
                                          "y", matrix, "matrix");
    if (status != SPG_OK) return status;
    spg_scale held_alpha, held_beta;
    alpha = spg_scale_unless(alpha, matrix->value_type, 1, &held_alpha);
    beta = spg_scale_unless(beta, matrix->value_type, 0, &held_beta);
    return context->backend->csr_spmv(context, alpha, matrix, x, beta, y);
}
