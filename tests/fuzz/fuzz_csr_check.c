/* Any bytes as the arrays of a CSR matrix: the check agrees with a naive one, and what passes can be used. */
#include "fuzz.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Takes numbers from the input, zeros when it is spent. */
typedef struct input {
    const uint8_t *data;
    size_t size;
} input;

static int64_t take(input *in, size_t bytes)
{
    int64_t value = 0;
    for (size_t k = 0; k < bytes && in->size > 0; ++k, ++in->data, --in->size) value |= (int64_t)*in->data << 8 * k;
    return value;
}

/* A number that is small more often than not: one byte with a sign, or four bytes. */
static int64_t take_entry(input *in)
{
    int64_t first = take(in, 1);
    return first == 255 ? (int32_t)take(in, 4) : first > 200 ? first - 256 : first;
}

/* The arrays are as large as the sizes say, whatever they hold. */
static void take_matrix(input *in, spg_csr *matrix)
{
    matrix->rows = take(in, 1);
    matrix->cols = take_entry(in);
    matrix->nnz = take(in, 1);
    matrix->offset_type = take(in, 1) % 2 == 0 ? SPG_I32 : SPG_I64;
    matrix->value_type = (spg_type)(take(in, 1) % 5);
    matrix->place = SPG_PLACE_HOST;
    size_t rows = (size_t)matrix->rows, nnz = (size_t)matrix->nnz;
    matrix->row_offsets = malloc((rows + 1) * spg_type_size(matrix->offset_type));
    matrix->columns = nnz > 0 ? malloc(nnz * sizeof *matrix->columns) : NULL;
    matrix->values = nnz > 0 ? calloc(nnz, spg_type_size(SPG_C64)) : NULL;
    int64_t offset = 0;
    for (size_t i = 0; i <= rows; ++i) {
        offset = i == 0 ? take(in, 1) % 8 / 7 : offset + take_entry(in) % 8;
        if (take(in, 1) == 254) offset = take_entry(in);
        if (i == rows && take(in, 1) % 4 != 3) offset = matrix->nnz;
        if (matrix->offset_type == SPG_I64)
            ((int64_t *)matrix->row_offsets)[i] = offset;
        else
            ((int32_t *)matrix->row_offsets)[i] = (int32_t)offset;
    }
    for (size_t k = 0; k < nnz; ++k) matrix->columns[k] = (int32_t)take_entry(in);
}

static int64_t offset_at(const spg_csr *matrix, int64_t i)
{
    return matrix->offset_type == SPG_I64 ? ((const int64_t *)matrix->row_offsets)[i]
                                          : ((const int32_t *)matrix->row_offsets)[i];
}

static bool is_sound(const spg_csr *matrix)
{
    if (matrix->cols < 0 || matrix->value_type > SPG_C64) return false;
    if (matrix->nnz > 0 && (matrix->rows == 0 || matrix->cols == 0)) return false;
    if (offset_at(matrix, 0) != 0 || offset_at(matrix, matrix->rows) != matrix->nnz) return false;
    for (int64_t i = 0; i < matrix->rows; ++i)
        if (offset_at(matrix, i + 1) < offset_at(matrix, i)) return false;
    for (int64_t k = 0; k < matrix->nnz; ++k)
        if (matrix->columns[k] < 0 || matrix->columns[k] >= matrix->cols) return false;
    return true;
}

/* Sound, or refused: cols may be large, so memory may be short. */
static void require_result(spg_context *context, spg_status status, spg_csr *result)
{
    REQUIRE(status == SPG_OK || status == SPG_ERROR_MEMORY);
    if (status == SPG_OK) REQUIRE(spg_csr_check(context, result) == SPG_OK);
    if (status != SPG_OK) fuzz_require_zeroed(result, sizeof *result);
    spg_csr_free(context, result);
}

static void use(spg_context *context, spg_csr *matrix)
{
    spg_csr result;
    spg_coo coo;
    spg_status status = spg_csr_transpose(context, matrix, &result);
    require_result(context, status, &result);
    REQUIRE(spg_coo_from_csr(context, matrix, &coo) == SPG_OK);
    REQUIRE(spg_coo_check(context, &coo) == SPG_OK);
    status = spg_csr_from_coo(context, &coo, SPG_I32, &result);
    require_result(context, status, &result);
    spg_coo_free(context, &coo);
    REQUIRE(spg_csr_sort(context, matrix) == SPG_OK);
    REQUIRE(is_sound(matrix));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, size};
    spg_csr matrix;
    spg_context *context = fuzz_open_context();
    take_matrix(&in, &matrix);
    spg_status status = spg_csr_check(context, &matrix);
    REQUIRE((status == SPG_OK) == is_sound(&matrix));
    if (status == SPG_OK)
        use(context, &matrix);
    else
        REQUIRE(strlen(spg_context_message(context)) > 0);
    free(matrix.row_offsets);
    free(matrix.columns);
    free(matrix.values);
    fuzz_close_context(context);
    return 0;
}
