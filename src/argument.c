/* See argument.h. */
#include "argument.h"

#include "backend.h"
#include "memory.h"

#include <string.h>

bool spg_is_value_type(spg_type type)
{
    return type == SPG_F32 || type == SPG_F64 || type == SPG_C32 || type == SPG_C64;
}

bool spg_is_offset_type(spg_type type) { return type == SPG_I32 || type == SPG_I64; }

spg_status spg_begin_output(spg_context *context, const void *input, void *output, size_t size, const char *name)
{
    if (output == NULL) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "%s is NULL", name);
    if (output == input)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "%s is the same struct as the input", name);
    memset(output, 0, size);
    return context != NULL ? SPG_OK : SPG_ERROR_ARGUMENT;
}

spg_status spg_check_index_range(spg_context *context, int64_t count, const char *name, const char *what)
{
    if (count <= INT32_MAX) return SPG_OK;
    return spg_context_fail(context, SPG_ERROR_ARGUMENT, "%s: %lld %s; 32-bit indices allow 2147483647", name,
                            (long long)count, what);
}

static spg_status check_sizes(spg_context *context, int64_t rows, int64_t cols, int64_t nnz, const char *name)
{
    if (rows < 0 || cols < 0 || nnz < 0)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "%s: negative size (%lld x %lld, nnz %lld)", name,
                                (long long)rows, (long long)cols, (long long)nnz);
    if (nnz > 0 && (rows == 0 || cols == 0))
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "%s: %lld entries in a matrix of %lld x %lld", name,
                                (long long)nnz, (long long)rows, (long long)cols);
    return spg_check_index_range(context, cols, name, "columns");
}

static spg_status check_value_type(spg_context *context, spg_type value_type, const char *name)
{
    if (spg_is_value_type(value_type)) return SPG_OK;
    return spg_context_fail(context, SPG_ERROR_ARGUMENT, "%s: value_type %d is not a value type", name,
                            (int)value_type);
}

spg_status spg_check_offset_type(spg_context *context, spg_type offset_type, const char *name)
{
    if (spg_is_offset_type(offset_type)) return SPG_OK;
    return spg_context_fail(context, SPG_ERROR_ARGUMENT, "%s: offset_type %d is neither i32 nor i64", name,
                            (int)offset_type);
}

spg_status spg_check_csr_layout(spg_context *context, const spg_csr *matrix, const char *name)
{
    spg_status status = check_sizes(context, matrix->rows, matrix->cols, matrix->nnz, name);
    if (status == SPG_OK) status = check_value_type(context, matrix->value_type, name);
    if (status == SPG_OK) status = spg_check_offset_type(context, matrix->offset_type, name);
    return status == SPG_OK ? spg_check_offset_range(context, matrix->nnz, matrix->offset_type, name) : status;
}

spg_status spg_check_coo_layout(spg_context *context, const spg_coo *matrix, const char *name)
{
    spg_status status = check_sizes(context, matrix->rows, matrix->cols, matrix->nnz, name);
    if (status == SPG_OK) status = check_value_type(context, matrix->value_type, name);
    return status == SPG_OK ? spg_check_index_range(context, matrix->rows, name, "rows") : status;
}

static spg_status check_place_value(spg_context *context, spg_place place, const char *name)
{
    if (place == SPG_PLACE_HOST || place == SPG_PLACE_DEVICE) return SPG_OK;
    return spg_context_fail(context, SPG_ERROR_ARGUMENT, "%s: place %d is neither host nor device", name, (int)place);
}

spg_status spg_check_csr_argument(spg_context *context, const spg_csr *matrix, const char *name)
{
    if (matrix == NULL) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "%s is NULL", name);
    spg_status status = spg_check_csr_layout(context, matrix, name);
    if (status == SPG_OK) status = check_place_value(context, matrix->place, name);
    if (status != SPG_OK) return status;
    if (matrix->row_offsets == NULL)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "%s: row_offsets is NULL", name);
    if (matrix->nnz > 0 && (matrix->columns == NULL || matrix->values == NULL))
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "%s: %s is NULL with %lld entries", name,
                                matrix->columns == NULL ? "columns" : "values", (long long)matrix->nnz);
    return SPG_OK;
}

spg_status spg_check_coo_argument(spg_context *context, const spg_coo *matrix, const char *name)
{
    if (matrix == NULL) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "%s is NULL", name);
    spg_status status = spg_check_coo_layout(context, matrix, name);
    if (status == SPG_OK) status = check_place_value(context, matrix->place, name);
    if (status != SPG_OK) return status;
    const char *missing = matrix->row_indices == NULL ? "row_indices"
                          : matrix->columns == NULL   ? "columns"
                          : matrix->values == NULL    ? "values"
                                                      : NULL;
    if (matrix->nnz > 0 && missing != NULL)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "%s: %s is NULL with %lld entries", name, missing,
                                (long long)matrix->nnz);
    return SPG_OK;
}

spg_status spg_check_square(spg_context *context, const spg_csr *matrix, const char *name)
{
    if (matrix->rows == matrix->cols) return SPG_OK;
    return spg_context_fail(context, SPG_ERROR_SHAPE, "%s is %lld x %lld, not square", name, (long long)matrix->rows,
                            (long long)matrix->cols);
}

static const char *name_of(spg_place place) { return place == SPG_PLACE_HOST ? "host" : "device"; }

spg_status spg_check_place(spg_context *context, spg_place place, const char *name)
{
    if (place == context->config.place) return SPG_OK;
    return spg_context_fail(context, SPG_ERROR_PLACE, "%s lies on the %s, the context works on the %s", name,
                            name_of(place), name_of(context->config.place));
}

/* PLACE if this machine lacks the place to copy from. */
static spg_status check_reachable(spg_context *context, spg_place place, const char *name)
{
    return spg_find_backend(place) != NULL ? SPG_OK : spg_check_place(context, place, name);
}

/* Whether an array lies at another place or device than stated, or on a device not aligned to its entries; a kernel
 * would crash on it. */
typedef enum array_fault { NO_FAULT, OTHER_PLACE, OTHER_DEVICE, MISALIGNED } array_fault;

/* An array of a caller's, and the bytes of an entry. */
typedef struct argument_array {
    const void *memory;
    size_t size;
    const char *name;
} argument_array;

static array_fault find_array_fault(const spg_context *context, argument_array array, spg_place place, int *device)
{
#ifdef SPG_WITH_CUDA
    if (array.memory == NULL) return NO_FAULT;
    const spg_location found = spg_cuda_locate(context, array.memory);
    *device = found.device;
    if (found.place != place) return OTHER_PLACE;
    const bool is_of_device = place == SPG_PLACE_DEVICE && context->config.place == SPG_PLACE_DEVICE;
    if (is_of_device && found.device >= 0 && found.device != context->config.device) return OTHER_DEVICE;
    return place == SPG_PLACE_DEVICE && (uintptr_t)array.memory % array.size != 0 ? MISALIGNED : NO_FAULT;
#else
    (void)context, (void)array, (void)place, (void)device;
    return NO_FAULT;
#endif
}

/* PLACE or ARGUMENT if the array has a fault. of, and a colon after it: the matrix that it is of, or empty. */
static spg_status check_pointer(spg_context *context, spg_place place, const char *of, const char *colon,
                                argument_array array)
{
    int device = -1;
    switch (find_array_fault(context, array, place, &device)) {
    case OTHER_PLACE:
        if (of[0] != '\0')
            return spg_context_fail(context, SPG_ERROR_PLACE, "%s: %s does not lie on the %s, as its place says", of,
                                    array.name, name_of(place));
        return spg_context_fail(context, SPG_ERROR_PLACE, "%s does not lie on the %s, where the context works",
                                array.name, name_of(place));
    case OTHER_DEVICE:
        return spg_context_fail(context, SPG_ERROR_PLACE, "%s%s%s lies on device %d, the context works on device %d",
                                of, colon, array.name, device, context->config.device);
    case MISALIGNED:
        return spg_context_fail(context, SPG_ERROR_ARGUMENT,
                                "%s%s%s: its address is not a multiple of %d, the bytes of an entry", of, colon,
                                array.name, (int)array.size);
    default: return SPG_OK;
    }
}

static spg_status check_pointers(spg_context *context, spg_place place, const char *name, int count,
                                 const argument_array arrays[])
{
    spg_status status = SPG_OK;
    for (int k = 0; k < count && status == SPG_OK; ++k) status = check_pointer(context, place, name, ": ", arrays[k]);
    return status;
}

/* Without entries only the row offsets are read. */
static spg_status check_csr_pointers(spg_context *context, const spg_csr *matrix, const char *name)
{
    const argument_array arrays[] = {{matrix->row_offsets, spg_type_size(matrix->offset_type), "row_offsets"},
                                     {matrix->columns, sizeof *matrix->columns, "columns"},
                                     {matrix->values, spg_type_size(matrix->value_type), "values"}};
    return check_pointers(context, matrix->place, name, matrix->nnz > 0 ? 3 : 1, arrays);
}

static spg_status check_coo_pointers(spg_context *context, const spg_coo *matrix, const char *name)
{
    const argument_array arrays[] = {{matrix->row_indices, sizeof *matrix->row_indices, "row_indices"},
                                     {matrix->columns, sizeof *matrix->columns, "columns"},
                                     {matrix->values, spg_type_size(matrix->value_type), "values"}};
    return check_pointers(context, matrix->place, name, matrix->nnz > 0 ? 3 : 0, arrays);
}

spg_status spg_check_csr_here(spg_context *context, const spg_csr *matrix, const char *name)
{
    spg_status status = spg_check_csr_argument(context, matrix, name);
    if (status == SPG_OK) status = spg_check_place(context, matrix->place, name);
    return status == SPG_OK ? check_csr_pointers(context, matrix, name) : status;
}

spg_status spg_check_coo_here(spg_context *context, const spg_coo *matrix, const char *name)
{
    spg_status status = spg_check_coo_argument(context, matrix, name);
    if (status == SPG_OK) status = spg_check_place(context, matrix->place, name);
    return status == SPG_OK ? check_coo_pointers(context, matrix, name) : status;
}

spg_status spg_check_csr_source(spg_context *context, const spg_csr *matrix, const char *name)
{
    spg_status status = spg_check_csr_argument(context, matrix, name);
    if (status == SPG_OK) status = check_reachable(context, matrix->place, name);
    return status == SPG_OK ? check_csr_pointers(context, matrix, name) : status;
}

spg_status spg_check_coo_source(spg_context *context, const spg_coo *matrix, const char *name)
{
    spg_status status = spg_check_coo_argument(context, matrix, name);
    if (status == SPG_OK) status = check_reachable(context, matrix->place, name);
    return status == SPG_OK ? check_coo_pointers(context, matrix, name) : status;
}

spg_status spg_check_array_here(spg_context *context, const void *memory, size_t size, const char *name)
{
    return check_pointer(context, context->config.place, "", "", (argument_array){memory, size, name});
}

spg_status spg_check_offset_range(spg_context *context, int64_t count, spg_type offset_type, const char *what)
{
    if (offset_type == SPG_I64 || count <= INT32_MAX) return SPG_OK;
    return spg_context_fail(context, SPG_ERROR_OVERFLOW, "%s: %lld entries do not fit 32-bit row offsets", what,
                            (long long)count);
}

bool spg_overlap(const void *one, int64_t one_bytes, const void *other, int64_t other_bytes)
{
    const uintptr_t one_begin = (uintptr_t)one, other_begin = (uintptr_t)other;
    return one != NULL && other != NULL && one_bytes > 0 && other_bytes > 0 &&
           one_begin < other_begin + (uintptr_t)other_bytes && other_begin < one_begin + (uintptr_t)one_bytes;
}

spg_status spg_check_vectors(spg_context *context, int64_t x_count, const void *x, int64_t y_count, const void *y,
                             size_t size)
{
    if (x_count > 0 && x == NULL) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "x is NULL");
    if (y_count > 0 && y == NULL) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "y is NULL");
    if (spg_overlap(x, spg_array_bytes(x_count, size), y, spg_array_bytes(y_count, size)))
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "x and y overlap");
    spg_status status = x_count > 0 ? spg_check_array_here(context, x, size, "x") : SPG_OK;
    return status == SPG_OK && y_count > 0 ? spg_check_array_here(context, y, size, "y") : status;
}

/* An array of a matrix. */
typedef struct named_array {
    const void *memory;
    int64_t bytes;
    const char *name;
} named_array;

static spg_status check_apart(spg_context *context, const void *memory, int64_t bytes, const char *result,
                              const named_array arrays[3], const char *name)
{
    for (int k = 0; k < 3; ++k)
        if (spg_overlap(memory, bytes, arrays[k].memory, arrays[k].bytes))
            return spg_context_fail(context, SPG_ERROR_ARGUMENT, "%s and the %s of %s overlap", result, arrays[k].name,
                                    name);
    return SPG_OK;
}

spg_status spg_check_apart_from_csr(spg_context *context, const void *memory, int64_t bytes, const char *result,
                                    const spg_csr *matrix, const char *name)
{
    const int64_t offsets = matrix->rows < INT64_MAX ? matrix->rows + 1 : INT64_MAX;
    const named_array arrays[] = {
        {matrix->row_offsets, spg_array_bytes(offsets, spg_type_size(matrix->offset_type)), "row_offsets"},
        {matrix->columns, spg_array_bytes(matrix->nnz, sizeof *matrix->columns), "columns"},
        {matrix->values, spg_array_bytes(matrix->nnz, spg_type_size(matrix->value_type)), "values"}};
    return check_apart(context, memory, bytes, result, arrays, name);
}

spg_status spg_check_apart_from_coo(spg_context *context, const void *memory, int64_t bytes, const char *result,
                                    const spg_coo *matrix, const char *name)
{
    const named_array arrays[] = {
        {matrix->row_indices, spg_array_bytes(matrix->nnz, sizeof *matrix->row_indices), "row_indices"},
        {matrix->columns, spg_array_bytes(matrix->nnz, sizeof *matrix->columns), "columns"},
        {matrix->values, spg_array_bytes(matrix->nnz, spg_type_size(matrix->value_type)), "values"}};
    return check_apart(context, memory, bytes, result, arrays, name);
}

static bool is_whole(const void *value, spg_type value_type, int whole)
{
    switch (value_type) {
    case SPG_F32: return *(const float *)value == (float)whole;
    case SPG_C32: return ((const float *)value)[0] == (float)whole && ((const float *)value)[1] == 0;
    case SPG_C64: return ((const double *)value)[0] == whole && ((const double *)value)[1] == 0;
    default: return *(const double *)value == whole;
    }
}

const void *spg_scale_unless(const void *scale, spg_type value_type, int whole, spg_scale *copy)
{
    if (scale == NULL || is_whole(scale, value_type, whole)) return NULL;
    return memcpy(copy, scale, spg_type_size(value_type));
}
