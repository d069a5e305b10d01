/* Small operands, sound and not, of products and plans: sound ones give what a naive product gives, others a status and
 * a message; plans refuse patterns that changed; refused allocations and workspace limits lose nothing. */
#include "fuzz_operands.h"

#include <string.h>

/* C against the product of sound A and B. */
static void require_product(const spg_csr *A, const spg_csr *B, const spg_csr *C)
{
    fuzz_dense left, product;
    REQUIRE(C->value_type == A->value_type);
    REQUIRE((C->offset_type == SPG_I64) == (A->offset_type == SPG_I64 || B->offset_type == SPG_I64));
    fuzz_to_dense(A, false, &left);
    fuzz_multiply(&left, B, &product);
    fuzz_require_equal(&product, C);
}

/* Whether the operands must be taken, but for memory. */
static bool may_multiply(const spg_csr *A, const spg_csr *B)
{
    return A->cols == B->rows && A->value_type == B->value_type && fuzz_is_sound(A) && fuzz_is_sound(B);
}

static void try_product(spg_context *context, const spg_csr *A, const spg_csr *B, bool is_limited)
{
    spg_csr C;
    const spg_status status = spgemm_csr(context, A, B, &C);
    if (status == SPG_OK) {
        REQUIRE(may_multiply(A, B));
        require_product(A, B, &C);
    } else {
        fuzz_require_refusal(context, status, &C, sizeof C);
        REQUIRE(!may_multiply(A, B) || (status == SPG_ERROR_MEMORY && (is_limited || fuzz_refused())));
    }
    spg_csr_free(context, &C);
}

/* The plan's run on operands whose patterns may have changed, into C. */
static void run_changed(fuzz_input *in, spg_context *context, spgemm_plan *plan, const spg_csr *A, const spg_csr *B,
                        spg_csr *C)
{
    spg_csr changed_A = fuzz_copy_of(A), changed_B = fuzz_copy_of(B);
    fuzz_spoil(in, fuzz_take(in, 1) % 2 == 0 ? &changed_A : &changed_B);
    const bool same = (A->rows == 0 || fuzz_has_pattern_of(&changed_A, A)) && fuzz_has_pattern_of(&changed_B, B);
    REQUIRE((spgemm_plan_check(plan, &changed_A, &changed_B) == SPG_OK) == same);
    const spg_status status = spgemm_plan_run(plan, &changed_A, &changed_B, C);
    REQUIRE(same ? status == SPG_OK : status == SPG_ERROR_SHAPE && strlen(spg_context_message(context)) > 0);
    if (same) require_product(A, B, C);
    fuzz_free_copy(&changed_A);
    fuzz_free_copy(&changed_B);
}

static void try_plan(fuzz_input *in, spg_context *context, const spg_csr *A, const spg_csr *B, bool is_limited)
{
    spgemm_plan *plan = NULL;
    spg_csr C = {0};
    spg_status status = spgemm_plan_create(context, A, B, &plan);
    if (status != SPG_OK) {
        fuzz_require_refusal(context, status, &plan, sizeof plan);
        REQUIRE(!may_multiply(A, B) || (status == SPG_ERROR_MEMORY && (is_limited || fuzz_refused())));
        return;
    }
    REQUIRE(may_multiply(A, B));
    fuzz_refuse(0);
    status = spgemm_plan_run(plan, A, B, &C);
    REQUIRE(status == SPG_OK);
    require_product(A, B, &C);
    fuzz_take_values(in, A);
    fuzz_take_values(in, B);
    REQUIRE(spgemm_plan_run(plan, A, B, &C) == SPG_OK);
    require_product(A, B, &C);
    run_changed(in, context, plan, A, B, &C);
    REQUIRE(spgemm_plan_run(plan, A, B, &C) == SPG_OK);
    require_product(A, B, &C);
    spg_csr_free(context, &C);
    spgemm_plan_destroy(plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    spg_context *context = fuzz_open_context((size_t)1 << 26);
    const int64_t kind = fuzz_take(&in, 1);
    const bool is_limited = fuzz_take_limits(&in, context);
    const int64_t m = fuzz_take_size(&in), n = fuzz_take_size(&in), k = fuzz_take_size(&in);
    const int64_t other_k = kind >= 250 ? fuzz_take_size(&in) : k;
    const spg_type type = (spg_type)(kind % 4), other = kind >= 245 ? (spg_type)(fuzz_take(&in, 1) % 4) : type;
    spg_csr A, B;
    fuzz_take_operand(&in, m, k, type, &A);
    fuzz_take_operand(&in, other_k, n, other, &B);
    if (kind / 4 % 16 != 0)
        try_product(context, &A, &B, is_limited);
    else
        try_plan(&in, context, &A, &B, is_limited);
    fuzz_free_operand(&A);
    fuzz_free_operand(&B);
    fuzz_close_context(context);
    return 0;
}
