/* See argument.h. */
#include "argument.h"

#include <limits.h>

bool spg_is_value_type(spg_type type)
{
    return type == SPG_F32 || type == SPG_F64 || type == SPG_C32 || type == SPG_C64;
}

bool spg_is_offset_type(spg_type type) { return type == SPG_I32 || type == SPG_I64; }

static spg_status check_sizes(spg_context *context, int64_t rows, int64_t cols, int64_t nnz, const char *name)
{
    if (rows < 0 || cols < 0 || nnz < 0)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "%s: negative size (%lld x %lld, nnz %lld)", name,
                                (long long)rows, (long long)cols, (long long)nnz);
    if (cols > INT32_MAX)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "%s: %lld columns; 32-bit indices allow 2147483647", name,
                                (long long)cols);
    if (nnz > 0 && (rows == 0 || cols == 0))
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "%s: %lld entries in a matrix of %lld x %lld", name,
                                (long long)nnz, (long long)rows, (long long)cols);
    return SPG_OK;
}

static spg_status check_types(spg_context *context, spg_type value_type, spg_place place, const char *name)
{
    if (!spg_is_value_type(value_type))
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "%s: value_type %d is no value type", name,
                                (int)value_type);
    if (place != SPG_PLACE_HOST && place != SPG_PLACE_DEVICE)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "%s: place %d is neither host nor device", name,
                                (int)place);
    return SPG_OK;
}

spg_status spg_check_csr_argument(spg_context *context, const spg_csr *matrix, const char *name)
{
    if (matrix == NULL) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "%s is NULL", name);
    spg_status status = check_sizes(context, matrix->rows, matrix->cols, matrix->nnz, name);
    if (status == SPG_OK) status = check_types(context, matrix->value_type, matrix->place, name);
    if (status != SPG_OK) return status;
    if (!spg_is_offset_type(matrix->offset_type))
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "%s: offset_type %d is neither i32 nor i64", name,
                                (int)matrix->offset_type);
    if (matrix->row_offsets == NULL)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "%s: row_offsets is NULL", name);
    if (matrix->nnz > 0 && (matrix->columns == NULL || matrix->values == NULL))
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "%s: %s is NULL with %lld entries", name,
                                matrix->columns == NULL ? "columns" : "values", (long long)matrix->nnz);
    return spg_check_offset_range(context, matrix->nnz, matrix->offset_type, name);
}

spg_status spg_check_coo_argument(spg_context *context, const spg_coo *matrix, const char *name)
{
    if (matrix == NULL) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "%s is NULL", name);
    spg_status status = check_sizes(context, matrix->rows, matrix->cols, matrix->nnz, name);
    if (status == SPG_OK) status = check_types(context, matrix->value_type, matrix->place, name);
    if (status != SPG_OK) return status;
    if (matrix->rows > INT32_MAX)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "%s: %lld rows; 32-bit indices allow 2147483647", name,
                                (long long)matrix->rows);
    if (matrix->nnz > 0 && (matrix->row_indices == NULL || matrix->columns == NULL || matrix->values == NULL))
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "%s: %s is NULL with %lld entries", name,
                                matrix->row_indices == NULL ? "row_indices"
                                : matrix->columns == NULL   ? "columns"
                                                            : "values",
                                (long long)matrix->nnz);
    return SPG_OK;
}

static spg_status check_place(spg_context *context, spg_place place, const char *name)
{
    if (place == context->config.place) return SPG_OK;
    return spg_context_fail(context, SPG_ERROR_PLACE, "%s lies on the %s, the context works on the %s", name,
                            place == SPG_PLACE_HOST ? "host" : "device",
                            context->config.place == SPG_PLACE_HOST ? "host" : "device");
}

spg_status spg_check_csr_here(spg_context *context, const spg_csr *matrix, const char *name)
{
    spg_status status = spg_check_csr_argument(context, matrix, name);
    return status == SPG_OK ? check_place(context, matrix->place, name) : status;
}

spg_status spg_check_coo_here(spg_context *context, const spg_coo *matrix, const char *name)
{
    spg_status status = spg_check_coo_argument(context, matrix, name);
    return status == SPG_OK ? check_place(context, matrix->place, name) : status;
}

spg_status spg_check_offset_range(spg_context *context, int64_t count, spg_type offset_type, const char *what)
{
    if (offset_type == SPG_I64 || count <= INT32_MAX) return SPG_OK;
    return spg_context_fail(context, SPG_ERROR_OVERFLOW, "%s: %lld entries do not fit 32-bit row offsets", what,
                            (long long)count);
}
