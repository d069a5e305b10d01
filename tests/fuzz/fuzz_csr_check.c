/* Any bytes as the arrays of a CSR matrix: the check agrees with a naive one, and what passes can be used. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

/* The arrays are as large as the sizes say, whatever they hold. */
static void take_matrix(fuzz_input *in, spg_csr *matrix)
{
    matrix->rows = fuzz_take(in, 1);
    matrix->cols = fuzz_take_entry(in);
    matrix->nnz = fuzz_take(in, 1);
    matrix->offset_type = fuzz_take(in, 1) % 2 == 0 ? SPG_I32 : SPG_I64;
    matrix->value_type = (spg_type)(fuzz_take(in, 1) % 5);
    matrix->place = SPG_PLACE_HOST;
    size_t rows = (size_t)matrix->rows, nnz = (size_t)matrix->nnz;
    matrix->row_offsets = malloc((rows + 1) * spg_type_size(matrix->offset_type));
    matrix->columns = nnz > 0 ? malloc(nnz * sizeof *matrix->columns) : NULL;
    matrix->values = nnz > 0 ? calloc(nnz, spg_type_size(SPG_C64)) : NULL;
    int64_t offset = 0;
    for (size_t i = 0; i <= rows; ++i) {
        offset = i == 0 ? fuzz_take(in, 1) % 8 / 7 : offset + fuzz_take_entry(in) % 8;
        if (fuzz_take(in, 1) == 254) offset = fuzz_take_entry(in);
        if (i == rows && fuzz_take(in, 1) % 4 != 3) offset = matrix->nnz;
        fuzz_set_offset(matrix, (int64_t)i, offset);
    }
    for (size_t k = 0; k < nnz; ++k) matrix->columns[k] = (int32_t)fuzz_take_entry(in);
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
    REQUIRE(fuzz_is_sound(matrix));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    spg_csr matrix;
    spg_context *context = fuzz_open_context((size_t)1 << 20);
    take_matrix(&in, &matrix);
    spg_status status = spg_csr_check(context, &matrix);
    REQUIRE((status == SPG_OK) == fuzz_is_sound(&matrix));
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
