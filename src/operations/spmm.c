/* spg_csr_spmm: checks, and dispatch to the backend. */
#include "argument.h"
#include "backend.h"
#include "memory.h"
#include "operations/layout.h"
#include "operations/operations_backend.h"

static spg_status check_layout(spg_context *context, const spg_csr *matrix, int64_t count, spg_layout layout,
                               int64_t x_stride, int64_t y_stride)
{
    spg_status status = spg_check_layout(context, count, layout);
    if (status == SPG_OK) status = spg_check_stride(context, matrix->cols, count, layout, x_stride, "x_stride");
    return status == SPG_OK ? spg_check_stride(context, matrix->rows, count, layout, y_stride, "y_stride") : status;
}

spg_status spg_csr_spmm(spg_context *context, const void *alpha, const spg_csr *matrix, int64_t count,
                        spg_layout layout, const void *X, int64_t x_stride, const void *beta, void *Y, int64_t y_stride)
{
    if (context == NULL) return SPG_ERROR_ARGUMENT;
    spg_status status = spg_check_csr_here(context, matrix, "matrix");
    if (status == SPG_OK) status = check_layout(context, matrix, count, layout, x_stride, y_stride);
    if (status != SPG_OK) return status;
    const size_t size = spg_type_size(matrix->value_type);
    const int64_t x_extent = spg_layout_extent(matrix->cols, count, layout, x_stride);
    const int64_t y_extent = spg_layout_extent(matrix->rows, count, layout, y_stride);
    status = spg_check_vectors(context, x_extent, X, y_extent, Y, size);
    if (status == SPG_OK)
        status = spg_check_apart_from_csr(context, Y, spg_array_bytes(y_extent, size), "Y", matrix, "matrix");
    if (status != SPG_OK || y_extent == 0) return status;
    const bool by_row = layout == SPG_ROW_MAJOR;
    const spg_vectors vectors = {
        count, X, Y, by_row ? x_stride : 1, by_row ? 1 : x_stride, by_row ? y_stride : 1, by_row ? 1 : y_stride};
    spg_scale held_alpha, held_beta;
    alpha = spg_scale_unless(alpha, matrix->value_type, 1, &held_alpha);
    beta = spg_scale_unless(beta, matrix->value_type, 0, &held_beta);
    return context->backend->operations->spmm(context, alpha, matrix, beta, &vectors);
}
