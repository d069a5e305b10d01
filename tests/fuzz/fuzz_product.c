/* Small operands, sound and not, of products and plans: sound ones give what a naive product gives, others a status and
 * a message; plans refuse patterns that changed; refused allocations and workspace limits lose nothing. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 12, MOST_ROW = 7 };

/* An entry's value in whole numbers, so that every order of sums gives the same. */
typedef struct whole {
    int64_t re, im;
} whole;

static bool is_complex(spg_type type) { return type == SPG_C32 || type == SPG_C64; }

static whole value_at(const spg_csr *matrix, int64_t k)
{
    switch (matrix->value_type) {
    case SPG_F32: return (whole){(int64_t)((const float *)matrix->values)[k], 0};
    case SPG_C32: {
        const float *at = (const float *)matrix->values + 2 * k;
        return (whole){(int64_t)at[0], (int64_t)at[1]};
    }
    case SPG_C64: {
        const double *at = (const double *)matrix->values + 2 * k;
        return (whole){(int64_t)at[0], (int64_t)at[1]};
    }
    default: return (whole){(int64_t)((const double *)matrix->values)[k], 0};
    }
}

static void set_value(const spg_csr *matrix, int64_t k, whole value)
{
    const int64_t parts = is_complex(matrix->value_type) ? 2 : 1;
    for (int64_t p = 0; p < parts; ++p) {
        const double part = (double)(p == 0 ? value.re : value.im);
        if (matrix->value_type == SPG_F32 || matrix->value_type == SPG_C32)
            ((float *)matrix->values)[parts * k + p] = (float)part;
        else
            ((double *)matrix->values)[parts * k + p] = part;
    }
}

static void take_values(fuzz_input *in, const spg_csr *matrix)
{
    for (int64_t k = 0; k < matrix->nnz; ++k) {
        const int64_t byte = fuzz_take(in, 1);
        set_value(matrix, k, (whole){byte % 16 - 8, byte / 16 - 8});
    }
}

/* One fault in offsets or columns, or none where the number falls where it was. */
static void spoil(fuzz_input *in, const spg_csr *matrix)
{
    const int64_t place = fuzz_take(in, 1), entry = fuzz_take_entry(in);
    if (place % 2 == 0)
        fuzz_set_offset(matrix, place / 2 % (matrix->rows + 1), entry);
    else if (matrix->nnz > 0)
        matrix->columns[place / 2 % matrix->nnz] = (int32_t)entry;
}

/* Arrays as large as the sizes say, and no larger. */
static void take_operand(fuzz_input *in, int64_t rows, int64_t cols, spg_type type, spg_csr *matrix)
{
    const int64_t kind = fuzz_take(in, 1);
    int64_t lengths[MOST + 1] = {0};
    *matrix = (spg_csr){.rows = rows, .cols = cols, .value_type = type, .place = SPG_PLACE_HOST};
    matrix->offset_type = kind % 2 == 0 ? SPG_I32 : SPG_I64;
    for (int64_t i = 0; i < rows && cols > 0; ++i) matrix->nnz += lengths[i] = fuzz_take(in, 1) % MOST_ROW;
    const size_t nnz = (size_t)matrix->nnz;
    matrix->row_offsets = malloc((size_t)(rows + 1) * spg_type_size(matrix->offset_type));
    matrix->columns = nnz > 0 ? malloc(nnz * sizeof *matrix->columns) : NULL;
    matrix->values = nnz > 0 ? malloc(nnz * spg_type_size(type)) : NULL;
    int64_t offset = 0;
    for (int64_t i = 0; i <= rows; offset += lengths[i++]) fuzz_set_offset(matrix, i, offset);
    for (size_t k = 0; k < nnz; ++k) matrix->columns[k] = (int32_t)(fuzz_take(in, 1) % cols);
    take_values(in, matrix);
    if (kind >= 200) spoil(in, matrix);
}

static void free_operand(spg_csr *matrix)
{
    free(matrix->row_offsets);
    free(matrix->columns);
    free(matrix->values);
}

/* C against the product of sound A and B. */
static void require_product(const spg_csr *A, const spg_csr *B, const spg_csr *C)
{
    whole sums[MOST];
    bool named[MOST];
    REQUIRE(C->rows == A->rows && C->cols == B->cols && C->value_type == A->value_type && fuzz_is_sound(C));
    REQUIRE((C->offset_type == SPG_I64) == (A->offset_type == SPG_I64 || B->offset_type == SPG_I64));
    for (int64_t i = 0; i < A->rows; ++i) {
        memset(sums, 0, sizeof sums);
        memset(named, 0, sizeof named);
        for (int64_t k = fuzz_offset(A, i); k < fuzz_offset(A, i + 1); ++k)
            for (int64_t t = fuzz_offset(B, A->columns[k]); t < fuzz_offset(B, A->columns[k] + 1); ++t) {
                const whole a = value_at(A, k), b = value_at(B, t);
                named[B->columns[t]] = true;
                sums[B->columns[t]].re += a.re * b.re - a.im * b.im;
                sums[B->columns[t]].im += a.re * b.im + a.im * b.re;
            }
        int64_t at = fuzz_offset(C, i);
        for (int64_t j = 0; j < B->cols; ++j) {
            if (!named[j]) continue;
            REQUIRE(at < fuzz_offset(C, i + 1) && C->columns[at] == j);
            const whole value = value_at(C, at++);
            REQUIRE(value.re == sums[j].re && (!is_complex(C->value_type) || value.im == sums[j].im));
        }
        REQUIRE(at == fuzz_offset(C, i + 1));
    }
}

static void require_refusal(const spg_context *context, spg_status status, const void *result, size_t bytes)
{
    REQUIRE(status != SPG_OK && status != SPG_ERROR_INTERNAL && strlen(spg_context_message(context)) > 0);
    fuzz_require_zeroed(result, bytes);
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
        require_refusal(context, status, &C, sizeof C);
        REQUIRE(!may_multiply(A, B) || (status == SPG_ERROR_MEMORY && (is_limited || fuzz_refused())));
    }
    spg_csr_free(context, &C);
}

static spg_csr copy_of(const spg_csr *matrix)
{
    spg_csr copy = *matrix;
    const size_t offsets = (size_t)(matrix->rows + 1) * spg_type_size(matrix->offset_type);
    const size_t columns = (size_t)matrix->nnz * sizeof *matrix->columns;
    copy.row_offsets = memcpy(malloc(offsets), matrix->row_offsets, offsets);
    copy.columns = columns > 0 ? memcpy(malloc(columns), matrix->columns, columns) : NULL;
    return copy;
}

static bool has_pattern_of(const spg_csr *one, const spg_csr *other)
{
    return memcmp(one->row_offsets, other->row_offsets, (size_t)(one->rows + 1) * spg_type_size(one->offset_type)) ==
               0 &&
           (one->nnz == 0 || memcmp(one->columns, other->columns, (size_t)one->nnz * sizeof *one->columns) == 0);
}

/* The plan's run on operands whose patterns may have changed, into C. */
static void run_changed(fuzz_input *in, spg_context *context, spgemm_plan *plan, const spg_csr *A, const spg_csr *B,
                        spg_csr *C)
{
    spg_csr changed_A = copy_of(A), changed_B = copy_of(B);
    spoil(in, fuzz_take(in, 1) % 2 == 0 ? &changed_A : &changed_B);
    const bool same = (A->rows == 0 || has_pattern_of(A, &changed_A)) && has_pattern_of(B, &changed_B);
    REQUIRE((spgemm_plan_check(plan, &changed_A, &changed_B) == SPG_OK) == same);
    const spg_status status = spgemm_plan_run(plan, &changed_A, &changed_B, C);
    REQUIRE(same ? status == SPG_OK : status == SPG_ERROR_SHAPE && strlen(spg_context_message(context)) > 0);
    if (same) require_product(A, B, C);
    free(changed_A.row_offsets);
    free(changed_A.columns);
    free(changed_B.row_offsets);
    free(changed_B.columns);
}

static void try_plan(fuzz_input *in, spg_context *context, const spg_csr *A, const spg_csr *B, bool is_limited)
{
    spgemm_plan *plan = NULL;
    spg_csr C = {0};
    spg_status status = spgemm_plan_create(context, A, B, &plan);
    if (status != SPG_OK) {
        require_refusal(context, status, &plan, sizeof plan);
        REQUIRE(!may_multiply(A, B) || (status == SPG_ERROR_MEMORY && (is_limited || fuzz_refused())));
        return;
    }
    REQUIRE(may_multiply(A, B));
    fuzz_refuse(0);
    status = spgemm_plan_run(plan, A, B, &C);
    REQUIRE(status == SPG_OK);
    require_product(A, B, &C);
    take_values(in, A);
    take_values(in, B);
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
    /* Small ones often: what a product holds without a limit takes longest. */
    static const int64_t limits[] = {60000, 80000, 100000, 100000, 120000, 80000,  100000, 100000,
                                     60000, 80000, 100000, 100000, 1,      200000, 400000, 0};
    static const int64_t class_limits[] = {-1, -1, 0, 1, 4, 32, 1000};
    fuzz_input in = {data, size};
    spg_context *context = fuzz_open_context((size_t)1 << 26);
    const int64_t kind = fuzz_take(&in, 1), limit = FUZZ_CHOOSE(&in, limits), refused = fuzz_take(&in, 1);
    const spg_row_limits rows = {FUZZ_CHOOSE(&in, class_limits), FUZZ_CHOOSE(&in, class_limits),
                                 FUZZ_CHOOSE(&in, class_limits)};
    const int64_t m = fuzz_take(&in, 1) % (MOST + 1), n = fuzz_take(&in, 1) % (MOST + 1);
    const int64_t k = fuzz_take(&in, 1) % (MOST + 1), other_k = kind >= 250 ? fuzz_take(&in, 1) % (MOST + 1) : k;
    const spg_type type = (spg_type)(kind % 4), other = kind >= 245 ? (spg_type)(fuzz_take(&in, 1) % 4) : type;
    spg_csr A, B;
    take_operand(&in, m, k, type, &A);
    take_operand(&in, other_k, n, other, &B);
    REQUIRE(spg_context_set_workspace_limit(context, limit) == SPG_OK);
    REQUIRE(spg_context_set_row_limits(context, &rows) == SPG_OK);
    fuzz_refuse(refused > 200 ? refused - 200 : 0);
    if (kind / 4 % 16 != 0)
        try_product(context, &A, &B, limit > 0);
    else
        try_plan(&in, context, &A, &B, limit > 0);
    free_operand(&A);
    free_operand(&B);
    fuzz_close_context(context);
    return 0;
}
