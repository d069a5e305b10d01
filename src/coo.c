/* The public calls on COO matrices: checks, allocation, and dispatch to the backend. */
#include "argument.h"
#include "backend.h"
#include "memory.h"

#include <string.h>

static int64_t index_bytes(const spg_coo *matrix) { return spg_array_bytes(matrix->nnz, sizeof *matrix->columns); }

static int64_t value_bytes(const spg_coo *matrix)
{
    return spg_array_bytes(matrix->nnz, spg_type_size(matrix->value_type));
}

/* See spg_csr_view. */
spg_coo spg_coo_view(int64_t rows, int64_t cols, int64_t nnz, spg_type value_type, spg_place place,
                     const int32_t *row_indices, const int32_t *columns, const void *values)
{
    return (spg_coo){rows, cols, nnz, value_type, place, (int32_t *)row_indices, (int32_t *)columns, (void *)values};
}

/* Allocates the arrays of a matrix whose shape and type are set. */
static spg_status allocate_arrays(spg_context *context, spg_coo *matrix)
{
    void *row_indices = NULL, *columns = NULL;
    spg_status status = spg_allocate(context, index_bytes(matrix), "row indices", &row_indices);
    matrix->row_indices = row_indices;
    if (status == SPG_OK) status = spg_allocate(context, index_bytes(matrix), "columns", &columns);
    matrix->columns = columns;
    if (status == SPG_OK) status = spg_allocate(context, value_bytes(matrix), "values", &matrix->values);
    if (status != SPG_OK) spg_coo_free(context, matrix);
    return status;
}

spg_status spg_coo_alloc(spg_context *context, int64_t rows, int64_t cols, int64_t nnz, spg_type value_type,
                         spg_coo *matrix)
{
    spg_status status = spg_begin_output(context, NULL, matrix, sizeof *matrix, "matrix");
    if (status != SPG_OK) return status;
    spg_coo made = {rows, cols, nnz, value_type, context->config.place, NULL, NULL, NULL};
    status = spg_check_coo_layout(context, &made, "matrix");
    if (status == SPG_OK) status = allocate_arrays(context, &made);
    if (status == SPG_OK) *matrix = made;
    return status;
}

void spg_coo_free(spg_context *context, spg_coo *matrix)
{
    if (context == NULL || matrix == NULL) return;
    bool owns = matrix->row_indices != NULL || matrix->columns != NULL || matrix->values != NULL;
    if (owns && spg_check_place(context, matrix->place, "the matrix to free") != SPG_OK) return;
    spg_release(context, matrix->row_indices, index_bytes(matrix));
    spg_release(context, matrix->columns, index_bytes(matrix));
    spg_release(context, matrix->values, value_bytes(matrix));
    memset(matrix, 0, sizeof *matrix);
}

/* A deep copy of checked arrays; `exchange` swaps rows and columns. */
static spg_status copy_arrays(spg_context *context, const spg_coo *source, bool exchange, spg_coo *copy)
{
    spg_coo made = *source;
    made.rows = exchange ? source->cols : source->rows;
    made.cols = exchange ? source->rows : source->cols;
    made.place = context->config.place;
    made.row_indices = made.columns = made.values = NULL;
    spg_status status = allocate_arrays(context, &made);
    if (status != SPG_OK) return status;
    const void *from[] = {source->row_indices, source->columns, source->values};
    void *to[] = {exchange ? made.columns : made.row_indices, exchange ? made.row_indices : made.columns, made.values};
    int64_t bytes[] = {index_bytes(source), index_bytes(source), value_bytes(source)};
    for (int k = 0; k < 3 && status == SPG_OK; ++k)
        status = context->backend->copy_bytes(context, to[k], made.place, from[k], source->place, bytes[k]);
    if (status == SPG_OK)
        *copy = made;
    else
        spg_coo_free(context, &made);
    return status;
}

spg_status spg_coo_copy(spg_context *context, const spg_coo *source, spg_coo *copy)
{
    spg_status status = spg_begin_output(context, source, copy, sizeof *copy, "copy");
    if (status == SPG_OK) status = spg_check_coo_source(context, source, "source");
    return status == SPG_OK ? copy_arrays(context, source, false, copy) : status;
}

spg_status spg_coo_check(spg_context *context, const spg_coo *matrix)
{
    if (context == NULL) return SPG_ERROR_ARGUMENT;
    spg_status status = spg_check_coo_here(context, matrix, "matrix");
    return status == SPG_OK ? context->backend->coo_check(context, matrix) : status;
}

spg_status spg_coo_sort(spg_context *context, spg_coo *matrix)
{
    spg_status status = spg_coo_check(context, matrix);
    return status == SPG_OK ? context->backend->coo_sort(context, matrix) : status;
}

spg_status spg_coo_transpose(spg_context *context, const spg_coo *matrix, spg_coo *transpose)
{
    spg_status status = spg_begin_output(context, matrix, transpose, sizeof *transpose, "transpose");
    if (status == SPG_OK) status = spg_check_coo_here(context, matrix, "matrix");
    return status == SPG_OK ? copy_arrays(context, matrix, true, transpose) : status;
}

spg_status spg_coo_spmv(spg_context *context, const void *alpha, const spg_coo *matrix, const void *x, const void *beta,
                        void *y)
{
    spg_status status = spg_coo_check(context, matrix);
    if (status == SPG_OK)
        status = spg_check_vectors(context, matrix->cols, x, matrix->rows, y, spg_type_size(matrix->value_type));
    if (status == SPG_OK)
        status = spg_check_apart_from_coo(context, y, spg_array_bytes(matrix->rows, spg_type_size(matrix->value_type)),
                                          "y", matrix, "matrix");
    if (status != SPG_OK) return status;
    spg_scale held_alpha, held_beta;
    alpha = spg_scale_unless(alpha, matrix->value_type, 1, &held_alpha);
    beta = spg_scale_unless(beta, matrix->value_type, 0, &held_beta);
    return context->backend->coo_spmv(context, alpha, matrix, x, beta, y);
}

spg_status spg_csr_from_coo(spg_context *context, const spg_coo *source, spg_type offset_type, spg_csr *matrix)
{
    spg_status status = spg_begin_output(context, source, matrix, sizeof *matrix, "matrix");
    if (status == SPG_OK) status = spg_check_offset_type(context, offset_type, "matrix");
    if (status == SPG_OK) status = spg_check_coo_here(context, source, "source");
    if (status == SPG_OK) status = context->backend->coo_check(context, source);
    if (status != SPG_OK) return status;
    matrix->offset_type = offset_type;
    status = context->backend->csr_from_coo(context, source, matrix);
    if (status != SPG_OK) memset(matrix, 0, sizeof *matrix);
    return status;
}

spg_status spg_coo_from_csr(spg_context *context, const spg_csr *source, spg_coo *matrix)
{
    spg_status status = spg_begin_output(context, source, matrix, sizeof *matrix, "matrix");
    if (status == SPG_OK) status = spg_check_csr_here(context, source, "source");
    if (status == SPG_OK) status = spg_check_index_range(context, source->rows, "source", "rows");
    if (status == SPG_OK) status = context->backend->csr_check(context, source);
    return status == SPG_OK ? context->backend->coo_from_csr(context, source, matrix) : status;
}
