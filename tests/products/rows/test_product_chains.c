/* Chains, entries of C that are sums of very many products, one after the other: against the plain reference, bit for
 * bit. Each rounding depends on all before it, so terms are of every kind that makes sums round. */
#include "products.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

/* Entries of the long rows of A: from a few hundred on, about powers of two, and very many. */
static const int64_t lengths[] = {300, 1000, 2048, 2049, 8191, 8192, 8193, 16390, 40000, 33000};
enum { LONG_ROWS = sizeof lengths / sizeof lengths[0], INNER = 40000, COLS = 3 };

/* Terms by what their sums come to. */
typedef enum term_kind {
    /* The sum seldom leaves its binade. */
    POSITIVE,
    SIGNED,
    CONSTANT,
    /* It often does, but is exact. */
    WHOLE,
    /* It often does; terms lie halfway between two units of the sum; they are zero, or all but. */
    OF_ANY_SIZE,
    HALFWAY,
    CANCELLING,
    ZERO,
    /* The ends of the type's range. */
    HUGE_ONES,
    TINY,
    NO_NUMBERS,
    TERM_KINDS
} term_kind;

static double fraction(uint64_t *random) { return (double)(test_random(random) >> 11) * 0x1p-53; }

/* Half a unit in the last place of a sum, some of them. */
static double halfway(uint64_t *random, double sum, bool narrow)
{
    const double unit =
        narrow ? (double)(nextafterf((float)sum, INFINITY) - (float)sum) : nextafter(sum, (double)INFINITY) - sum;
    return unit * (double)(test_below(random, 9) - 3) / 2;
}

static double term_of(term_kind kind, uint64_t *random, int64_t k, double before, double sum, bool narrow)
{
    const double x = fraction(random);
    switch (kind) {
    case POSITIVE: return x;
    case SIGNED: return x - .5;
    case WHOLE: return (double)(test_below(random, 9) - 4);
    case CONSTANT: return -1.0 / 3;
    case OF_ANY_SIZE: return ldexp(x - .4, (int)test_below(random, 60) - 30);
    case HALFWAY: return k == 0 ? 1 + x : halfway(random, sum, narrow);
    case CANCELLING: return k % 2 == 1 ? -before : x;
    case ZERO: return test_below(random, 3000) != 0 ? (k % 2 == 0 ? 0.0 : -0.0) : x;
    case HUGE_ONES: return (x - .45) * (narrow ? FLT_MAX : DBL_MAX) / 3;
    case TINY: return (x - .45) * (narrow ? FLT_MIN : DBL_MIN) / 64;
    default: return test_below(random, 5000) != 0 ? x : k % 3 == 0 ? (double)INFINITY : k % 3 == 1 ? (double)NAN : -x;
    }
}

/* Each row's values of either part; sums are those that A's values alone would have. */
static void set_terms(spg_csr *A, term_kind kind)
{
    const bool narrow = A->value_type == SPG_F32 || A->value_type == SPG_C32;
    const int parts = A->value_type == SPG_C32 || A->value_type == SPG_C64 ? 2 : 1;
    uint64_t random = 70 + (uint64_t)kind;
    for (int64_t i = 0; i < A->rows; ++i)
        for (int part = 0; part < parts; ++part) {
            double sum = 0, before = 0;
            for (int64_t k = test_offset(A, i); k < test_offset(A, i + 1); ++k) {
                before = term_of(kind, &random, k - test_offset(A, i), before, sum, narrow);
                if (narrow) before = (double)(float)before;
                sum = narrow ? (double)((float)sum + (float)before) : sum + before;
                if (narrow)
                    ((float *)A->values)[parts * k + part] = (float)before;
                else
                    ((double *)A->values)[parts * k + part] = before;
            }
        }
}

static void set_ones(spg_csr *B)
{
    const int parts = B->value_type == SPG_C32 || B->value_type == SPG_C64 ? 2 : 1;
    for (int64_t k = 0; k < parts * B->nnz; ++k) {
        const double value = k % parts == 0 ? 1 : 0;
        if (B->value_type == SPG_F32 || B->value_type == SPG_C32)
            ((float *)B->values)[k] = (float)value;
        else
            ((double *)B->values)[k] = value;
    }
}

/* The long rows among others of `others` entries each. Rows of B have one entry, in one column, and few have none. */
static void make(int64_t rows, int64_t others, spg_type offset_type, spg_type value_type, spg_csr *A, spg_csr *B)
{
    test_pattern a = {0}, b = {0};
    uint64_t random = 60;
    for (int64_t i = 0; i < rows; ++i) {
        const int64_t nth = i % (rows / LONG_ROWS) == 1 ? i / (rows / LONG_ROWS) : LONG_ROWS;
        const int64_t length = nth < LONG_ROWS ? lengths[nth] : others;
        for (int64_t k = 0; k < length; ++k)
            test_add(&a, length == others ? test_below(&random, INNER) : (k + 7 * i) % INNER);
        test_end_row(&a);
    }
    for (int64_t i = 0; i < INNER; ++i) {
        if (i % 97 != 5) test_add(&b, 1);
        test_end_row(&b);
    }
    test_matrix_of(&a, INNER, offset_type, value_type, 1, 0, A);
    test_matrix_of(&b, COLS, offset_type, value_type, 2, 0, B);
    test_free_pattern(&a);
    test_free_pattern(&b);
}

/* A product, and the runs of a plan. */
static void check(spg_context *context, const spg_csr *A, const spg_csr *B, const char *where)
{
    spg_csr expected, C, here_A, here_B, here_C = {0}, back;
    test_reference_product(A, B, &expected);
    test_multiply(context, A, B, &C);
    test_assert_same_product(&C, &expected, where);
    test_to_place(context, A, &here_A);
    test_to_place(context, B, &here_B);
    spgemm_plan *plan = NULL;
    assert_int_equal(spgemm_plan_create(context, &here_A, &here_B, &plan), SPG_OK);
    for (int run = 0; run < 2; ++run) {
        assert_int_equal(spgemm_plan_run(plan, &here_A, &here_B, &here_C), SPG_OK);
        test_to_host(context, &here_C, &back);
        test_assert_same_product(&back, &expected, where);
        spg_csr_free(test_host(), &back);
    }
    spgemm_plan_destroy(plan);
    spg_csr_free(context, &here_A);
    spg_csr_free(context, &here_B);
    spg_csr_free(context, &here_C);
    spg_csr_free(test_host(), &C);
    spg_csr_free(test_host(), &expected);
}

static void check_kinds(int64_t rows, int64_t others)
{
    spg_context *context = test_context(2, test_default_limits);
    for (int v = 0; v < TEST_VALUE_TYPES; ++v) {
        spg_csr A, B;
        make(rows, others, test_offset_types[v % 2], test_value_types[v], &A, &B);
        check(context, &A, &B, "random factors");
        set_ones(&B);
        for (int kind = 0; kind < TERM_KINDS; ++kind) {
            char where[64];
            snprintf(where, sizeof where, "type %d, terms %d", v, kind);
            set_terms(&A, (term_kind)kind);
            check(context, &A, &B, where);
        }
        spg_csr_free(test_host(), &A);
        spg_csr_free(test_host(), &B);
    }
    spg_context_destroy(context);
}

static void long_sums_among_short_rows_keep_their_bits(void **state)
{
    (void)state;
    check_kinds(30000, 2);
}

static void long_sums_among_rows_of_all_lengths_keep_their_bits(void **state)
{
    (void)state;
    check_kinds(60, 320);
    check_kinds(400, 30);
}

/* As a restriction has where all unknowns are one aggregate. */
static void one_long_sum_keeps_its_bits(void **state)
{
    (void)state;
    test_pattern a = {0}, b = {0};
    for (int64_t k = 0; k < INNER; ++k) test_add(&a, k);
    test_end_row(&a);
    for (int64_t i = 0; i < INNER; ++i) {
        test_add(&b, 0);
        test_end_row(&b);
    }
    test_check_patterns(&a, &b, 1);
}

/* Sums of many products that are not their row's only entry, among short rows. */
static void few_rows_of_some_long_sums_keep_their_bits(void **state)
{
    (void)state;
    test_pattern a = {0}, b = {0};
    uint64_t random = 80;
    for (int64_t i = 0; i < 9000; ++i) {
        const int64_t length = i % 1000 == 3 ? 700 + i : 1;
        for (int64_t k = 0; k < length; ++k) test_add(&a, test_below(&random, INNER));
        test_end_row(&a);
    }
    for (int64_t i = 0; i < INNER; ++i) {
        test_add_random(&b, &random, 1, 0, 40, true);
        test_end_row(&b);
    }
    test_check_patterns(&a, &b, 40);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_sums_among_short_rows_keep_their_bits),
        cmocka_unit_test(long_sums_among_rows_of_all_lengths_keep_their_bits),
        cmocka_unit_test(one_long_sum_keeps_its_bits),
        cmocka_unit_test(few_rows_of_some_long_sums_keep_their_bits),
    };
    return TEST_RUN_HERE(argc, argv, "products of long sums", tests);
}
