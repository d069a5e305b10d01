/* spg_csr_spmm: checks, and dispatch to the backend. */
#include "argument.h"
#include "backend.h"
#include "memory.h"
#include "operations/operations_backend.h"

/* The elements from the first to the last of `count` vectors; INT64_MAX if that overflows. */
static int64_t extent(int64_t length, int64_t count, spg_layout layout, int64_t stride)
{
    const int64_t lines = layout == SPG_ROW_MAJOR ? length : count, line = layout == SPG_ROW_MAJOR ? count : length;
    if (lines == 0 || line == 0) return 0;
    return lines - 1 > (INT64_MAX - line) / stride ? INT64_MAX : (lines - 1) * stride + line;
}

static spg_status check_stride(spg_context *context, int64_t least, int64_t stride, const char *name, const char *what)
{
    if (stride >= least) return SPG_OK;
    return spg_context_fail(context, SPG_ERROR_ARGUMENT, "%s is %lld; it must be at least %lld, %s", name,
                            (long long)stride, (long long)least, what);
}

static spg_status check_layout(spg_context *context, const spg_csr *matrix, int64_t count, spg_layout layout,
                               int64_t x_stride, int64_t y_stride)
{
    const bool by_row = layout == SPG_ROW_MAJOR;
    if (!by_row && layout != SPG_COLUMN_MAJOR)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "layout %d is neither row-major nor column-major",
                                (int)layout);
    if (count < 0)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "count is %lld, which is negative", (long long)count);
    const char *what = by_row ? "the number of vectors" : "the length of a vector";
    spg_status status = check_stride(context, by_row ? count : matrix->cols, x_stride, "x_stride", what);
    return status == SPG_OK ? check_stride(context, by_row ? count : matrix->rows, y_stride, "y_stride", what) : status;
}

spg_status spg_csr_spmm(spg_context *context, const void *alpha, const spg_csr *matrix, int64_t count,
                        spg_layout layout, const void *X, int64_t x_stride, const void *beta, void *Y, int64_t y_stride)
{
    if (context == NULL) return SPG_ERROR_ARGUMENT;
    spg_status status = spg_check_csr_here(context, matrix, "matrix");
    if (status == SPG_OK) status = check_layout(context, matrix, count, layout, x_stride, y_stride);
    if (status != SPG_OK) return status;
    const size_t size = spg_type_size(matrix->value_type);
    const int64_t x_extent = extent(matrix->cols, count, layout, x_stride);
    const int64_t y_extent = extent(matrix->rows, count, layout, y_stride);
    status = spg_check_vectors(context, x_extent, X, y_extent, Y, size);
    if (status == SPG_OK)
        status = spg_check_apart_from_csr(context, Y, spg_array_bytes(y_extent, size), "Y", matrix, "matrix");
    if (status != SPG_OK || y_extent == 0) return status;
    const bool by_row = layout == SPG_ROW_MAJOR;
    const spg_vectors vectors = {
        count, X, Y, by_row ? x_stride : 1, by_row ? 1 : x_stride, by_row ? y_stride : 1, by_row ? 1 : y_stride};
    return context->backend->operations->spmm(context, spg_scale_unless(alpha, matrix->value_type, 1), matrix,
                                              spg_scale_unless(beta, matrix->value_type, 0), &vectors);
}
