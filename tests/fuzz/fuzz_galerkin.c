/* Small operands, sound and not, of Galerkin products R*A*P and P^T*A*P and their plans: sound ones give what a naive
 * product gives, of a symmetric A a C that is symmetric to the last bit; others give a status and a message; plans
 * refuse patterns that changed; refused allocations and workspace limits lose nothing. */
#include "fuzz_operands.h"

#include "spg/amg.h"

#include <string.h>

typedef struct operands {
    const spg_csr *R; /* NULL: P^T */
    const spg_csr *A, *P;
    bool is_symmetric; /* A is, if it is sound */
} operands;

static void require_galerkin(const operands *of, const spg_csr *C)
{
    fuzz_dense left, RA, product;
    REQUIRE(C->value_type == of->A->value_type);
    fuzz_to_dense(of->R != NULL ? of->R : of->P, of->R == NULL, &left);
    fuzz_multiply(&left, of->A, &RA);
    fuzz_multiply(&RA, of->P, &product);
    fuzz_require_equal(&product, C);
}

/* Whether they must be taken, but for memory. */
static bool may_multiply(const operands *of)
{
    const spg_csr *R = of->R, *A = of->A, *P = of->P;
    if (A->rows != A->cols || P->rows != A->rows || A->value_type != P->value_type) return false;
    if (R != NULL && (R->rows != P->cols || R->cols != A->rows || R->value_type != A->value_type)) return false;
    return fuzz_is_sound(A) && fuzz_is_sound(P) && (R == NULL || fuzz_is_sound(R));
}

/* Values that products and sums round. */
static void roughen(const spg_csr *matrix)
{
    const int64_t count = matrix->nnz * (fuzz_is_complex(matrix->value_type) ? 2 : 1);
    for (int64_t k = 0; k < count; ++k)
        if (matrix->value_type == SPG_F32 || matrix->value_type == SPG_C32)
            ((float *)matrix->values)[k] /= 3;
        else
            ((double *)matrix->values)[k] /= 3;
}

static void require_symmetric(const spg_csr *C)
{
    const size_t size = spg_type_size(C->value_type);
    for (int64_t i = 0; i < C->rows; ++i)
        for (int64_t k = fuzz_offset(C, i); k < fuzz_offset(C, i + 1); ++k) {
            const int64_t row = C->columns[k], end = fuzz_offset(C, row + 1);
            int64_t at = fuzz_offset(C, row);
            while (at < end && C->columns[at] < i) ++at;
            REQUIRE(at < end && C->columns[at] == i);
            REQUIRE(memcmp((char *)C->values + (size_t)k * size, (char *)C->values + (size_t)at * size, size) == 0);
        }
}

/* As may_multiply says, or no memory where that is limited. */
static void require_refusal(const operands *of, const spg_context *context, spg_status status, bool is_limited,
                            const void *result, size_t bytes)
{
    fuzz_require_refusal(context, status, result, bytes);
    REQUIRE(!may_multiply(of) || (status == SPG_ERROR_MEMORY && (is_limited || fuzz_refused())));
}

static void try_product(spg_context *context, const operands *of, bool is_limited)
{
    spg_csr C;
    spg_galerkin_stats stats;
    spg_status status = spg_galerkin(context, of->R, of->A, of->P, &C);
    REQUIRE((spg_galerkin_last_stats(context, &stats) == SPG_OK) == (status == SPG_OK));
    if (status != SPG_OK) {
        require_refusal(of, context, status, is_limited, &C, sizeof C);
        return;
    }
    REQUIRE(may_multiply(of) && stats.RAP.nnz == C.nnz);
    require_galerkin(of, &C);
    spg_csr_free(context, &C);
    if (of->R != NULL || !of->is_symmetric) return;
    roughen(of->A);
    roughen(of->P);
    status = spg_galerkin(context, of->R, of->A, of->P, &C);
    REQUIRE(status == SPG_OK || fuzz_refused());
    if (status == SPG_OK) require_symmetric(&C);
    spg_csr_free(context, &C);
}

/* The plan's run on operands whose patterns may have changed, into C. */
static void run_changed(fuzz_input *in, spg_context *context, spg_galerkin_plan *plan, const operands *of, spg_csr *C)
{
    const spg_csr *const originals[] = {of->A, of->P, of->R};
    const int64_t which = fuzz_take(in, 1) % (of->R != NULL ? 3 : 2);
    spg_csr changed = fuzz_copy_of(originals[which]);
    fuzz_spoil(in, &changed);
    operands now = *of;
    *(which == 0 ? &now.A : which == 1 ? &now.P : &now.R) = &changed;
    /* Of no rows of A and R nothing is read. */
    const bool same = (which != 1 && changed.rows == 0) || fuzz_has_pattern_of(&changed, originals[which]);
    const spg_status status = spg_galerkin_plan_run(plan, now.R, now.A, now.P, C);
    REQUIRE(same ? status == SPG_OK : status == SPG_ERROR_SHAPE && strlen(spg_context_message(context)) > 0);
    if (same) require_galerkin(of, C);
    fuzz_free_copy(&changed);
}

static void try_plan(fuzz_input *in, spg_context *context, const operands *of, bool is_limited)
{
    spg_galerkin_plan *plan = NULL;
    spg_csr C = {0};
    const spg_status status = spg_galerkin_plan_create(context, of->R, of->A, of->P, &plan);
    if (status != SPG_OK) {
        require_refusal(of, context, status, is_limited, &plan, sizeof plan);
        return;
    }
    REQUIRE(may_multiply(of));
    fuzz_refuse(0);
    REQUIRE(spg_galerkin_plan_run(plan, of->R, of->A, of->P, &C) == SPG_OK);
    require_galerkin(of, &C);
    if (!of->is_symmetric) fuzz_take_values(in, of->A);
    fuzz_take_values(in, of->P);
    REQUIRE(spg_galerkin_plan_run(plan, of->R, of->A, of->P, &C) == SPG_OK);
    require_galerkin(of, &C);
    run_changed(in, context, plan, of, &C);
    REQUIRE(spg_galerkin_plan_run(plan, of->R, of->A, of->P, &C) == SPG_OK);
    require_galerkin(of, &C);
    if (of->R == NULL && of->is_symmetric) {
        roughen(of->A);
        roughen(of->P);
        REQUIRE(spg_galerkin_plan_run(plan, of->R, of->A, of->P, &C) == SPG_OK);
        require_symmetric(&C);
    }
    spg_csr_free(context, &C);
    spg_galerkin_plan_destroy(plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    spg_context *context = fuzz_open_context((size_t)1 << 26);
    const int64_t kind = fuzz_take(&in, 1);
    const bool has_R = kind / 4 % 2 != 0, has_plan = kind / 8 % 2 != 0, is_overflow_row = kind >= 240;
    const bool is_limited = fuzz_take_limits(&in, context), is_symmetric = kind / 16 % 2 != 0;
    const int64_t n = fuzz_take_size(&in), m = fuzz_take_size(&in);
    const int64_t cols = is_overflow_row ? fuzz_take_size(&in) : n, rows = is_overflow_row ? fuzz_take_size(&in) : m;
    const spg_type type = (spg_type)(kind % 4), other = is_overflow_row ? (spg_type)(fuzz_take(&in, 1) % 4) : type;
    spg_csr R = {0}, A, P;
    if (is_symmetric)
        fuzz_take_symmetric(&in, n, type, &A);
    else
        fuzz_take_operand(&in, n, cols, type, &A);
    fuzz_take_operand(&in, n, m, other, &P);
    if (has_R) fuzz_take_operand(&in, rows, n, type, &R);
    const operands of = {has_R ? &R : NULL, &A, &P, is_symmetric};
    if (has_plan)
        try_plan(&in, context, &of, is_limited);
    else
        try_product(context, &of, is_limited);
    if (has_R) fuzz_free_operand(&R);
    fuzz_free_operand(&A);
    fuzz_free_operand(&P);
    fuzz_close_context(context);
    return 0;
}
