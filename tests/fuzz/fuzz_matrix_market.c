/* Any bytes as a Matrix Market file: refused with a message, or a sound matrix. What is read strictly is read leniently
 * as well, the same without a warning; what only a lenient reading takes has one. */
#include "fuzz.h"

#include "matrix_market/internal.h"

#include <stdio.h>
#include <string.h>

static const char name[] = "fuzzed.mtx";

static void require_refusal(const spg_context *context, spg_status status, const void *result, size_t result_size)
{
    const char *message = spg_context_message(context);
    REQUIRE(status == SPG_ERROR_FORMAT || status == SPG_ERROR_OVERFLOW || status == SPG_ERROR_MEMORY);
    if (status != SPG_ERROR_MEMORY) REQUIRE(strstr(message, name) != NULL && strstr(message, ", line ") != NULL);
    fuzz_require_zeroed(result, result_size);
}

static void require_warning(spg_status strict, spg_status lenient, const spg_matrix_market_warning *warning)
{
    REQUIRE(strict != SPG_OK || lenient == SPG_OK);
    REQUIRE((warning->lines > 0) == (warning->text[0] != '\0'));
    if (lenient != SPG_OK) return;
    REQUIRE((strict == SPG_OK) == (warning->lines == 0));
    if (warning->lines > 0) REQUIRE(strstr(warning->text, name) != NULL && strstr(warning->text, ", line ") != NULL);
}

static bool same_bytes(const void *one, const void *other, int64_t count, size_t size)
{
    return count == 0 || memcmp(one, other, (size_t)count * size) == 0;
}

static void require_same_matrix(const spg_csr *strict, const spg_csr *lenient)
{
    REQUIRE(strict->rows == lenient->rows && strict->cols == lenient->cols && strict->nnz == lenient->nnz);
    REQUIRE(strict->offset_type == lenient->offset_type && strict->value_type == lenient->value_type);
    REQUIRE(
        same_bytes(strict->row_offsets, lenient->row_offsets, strict->rows + 1, spg_type_size(strict->offset_type)));
    REQUIRE(same_bytes(strict->columns, lenient->columns, strict->nnz, sizeof *strict->columns));
    REQUIRE(same_bytes(strict->values, lenient->values, strict->nnz, spg_type_size(strict->value_type)));
}

static void check_sparse(spg_context *context, spg_status status, const spg_csr *matrix)
{
    if (status != SPG_OK)
        require_refusal(context, status, matrix, sizeof *matrix);
    else
        REQUIRE(spg_csr_check(context, matrix) == SPG_OK);
}

static void read_sparse(spg_context *context, const char *text, size_t size)
{
    spg_csr strict, lenient;
    spg_matrix_market_warning warning;
    const spg_status status = matrix_market_read_text(context, name, text, size, &strict);
    check_sparse(context, status, &strict);
    const spg_status again = matrix_market_read_lenient_text(context, name, text, size, &lenient, &warning);
    check_sparse(context, again, &lenient);
    require_warning(status, again, &warning);
    if (status == SPG_OK) require_same_matrix(&strict, &lenient);
    spg_csr_free(context, &strict);
    spg_csr_free(context, &lenient);
}

static void read_dense(spg_context *context, const char *text, size_t size)
{
    spg_dense strict, lenient;
    spg_matrix_market_warning warning;
    const spg_status status = matrix_market_read_dense_text(context, name, text, size, &strict);
    if (status != SPG_OK) require_refusal(context, status, &strict, sizeof strict);
    const spg_status again = matrix_market_read_dense_lenient_text(context, name, text, size, &lenient, &warning);
    if (again != SPG_OK) require_refusal(context, again, &lenient, sizeof lenient);
    require_warning(status, again, &warning);
    if (status == SPG_OK) {
        REQUIRE(strict.rows == lenient.rows && strict.cols == lenient.cols && strict.value_type == lenient.value_type);
        REQUIRE(same_bytes(strict.values, lenient.values, strict.rows * strict.cols, spg_type_size(strict.value_type)));
    }
    spg_dense_free(context, &strict);
    spg_dense_free(context, &lenient);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    spg_context *context = fuzz_open_context((size_t)1 << 20);
    read_sparse(context, (const char *)data, size);
    read_dense(context, (const char *)data, size);
    fuzz_close_context(context);
    return 0;
}
