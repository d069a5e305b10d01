/* Any bytes as a Matrix Market file: refused with a message, or a sound matrix. */
#include "fuzz.h"

#include "matrix_market_internal.h"

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

static void read_sparse(spg_context *context, const char *text, size_t size)
{
    spg_csr matrix;
    spg_status status = matrix_market_read_text(context, name, text, size, &matrix);
    if (status != SPG_OK) {
        require_refusal(context, status, &matrix, sizeof matrix);
        return;
    }
    REQUIRE(spg_csr_check(context, &matrix) == SPG_OK);
    spg_csr_free(context, &matrix);
}

static void read_dense(spg_context *context, const char *text, size_t size)
{
    matrix_market_dense matrix;
    spg_status status = matrix_market_read_dense_text(context, name, text, size, &matrix);
    if (status != SPG_OK)
        require_refusal(context, status, &matrix, sizeof matrix);
    else
        matrix_market_free_dense(context, &matrix);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    spg_context *context = fuzz_open_context((size_t)1 << 20);
    read_sparse(context, (const char *)data, size);
    read_dense(context, (const char *)data, size);
    fuzz_close_context(context);
    return 0;
}
