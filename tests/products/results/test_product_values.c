/* Values at the edges of arithmetic: cancellation, signed zeros, infinities, NaN. The pattern never depends on them. */
#include "products.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void run(const spg_csr *A, const spg_csr *B, int limits, spg_csr *C)
{
    spg_context *context = test_context(2, test_limit_sets[limits].limits);
    test_multiply(context, A, B, C);
    spg_context_destroy(context);
}

static void set_all(spg_csr *matrix, const double *parts, int64_t count)
{
    bool is_complex = matrix->value_type == SPG_C32 || matrix->value_type == SPG_C64;
    bool narrow = matrix->value_type == SPG_F32 || matrix->value_type == SPG_C32;
    for (int64_t k = 0; k < matrix->nnz * (is_complex ? 2 : 1); ++k) {
        if (narrow)
            ((float *)matrix->values)[k] = (float)parts[k % count];
        else
            ((double *)matrix->values)[k] = parts[k % count];
    }
}

static void check_no_negative_zero(const spg_csr *C, bool all_zero)
{
    bool is_complex = C->value_type == SPG_C32 || C->value_type == SPG_C64;
    bool narrow = C->value_type == SPG_F32 || C->value_type == SPG_C32;
    for (int64_t k = 0; k < C->nnz * (is_complex ? 2 : 1); ++k) {
        double value = narrow ? (double)((const float *)C->values)[k] : ((const double *)C->values)[k];
        if (all_zero) assert_true(value == 0.0);
        if (value == 0.0) assert_false(signbit(value));
    }
}

/* Random patterns; the values of A and B run through the parts given. */
static void check_parts(const double *a_parts, int64_t a_count, const double *b_parts, int64_t b_count, bool all_zero,
                        bool complex_too)
{
    for (int v = 0; v < TEST_VALUE_TYPES; ++v) {
        if (!complex_too && (test_value_types[v] == SPG_C32 || test_value_types[v] == SPG_C64)) continue;
        spg_csr A, B, C;
        test_random_csr(test_host(), (test_matrix){80, 60, 6, SPG_I32, test_value_types[v]}, 7, TEST_UNSORTED, &A);
        test_random_csr(test_host(), (test_matrix){60, 70, 6, SPG_I32, test_value_types[v]}, 8, 0, &B);
        set_all(&A, a_parts, a_count);
        set_all(&B, b_parts, b_count);
        test_check_limits(&A, &B); /* the pattern of the reference does not depend on values */
        for (int l = 0; l < TEST_LIMITS; ++l) {
            run(&A, &B, l, &C);
            check_no_negative_zero(&C, all_zero);
            spg_csr_free(test_host(), &C);
        }
        spg_csr_free(test_host(), &A);
        spg_csr_free(test_host(), &B);
    }
}

static void entries_that_cancel_stay_as_positive_zeros(void **state)
{
    (void)state; /* row i of A is (x, -x) on rows of B that are equal: every entry of C cancels */
    for (int v = 0; v < TEST_VALUE_TYPES; ++v)
        for (int64_t n = 1; n < 700; n = 2 * n + 1) {
            test_pattern a = {0}, b = {0};
            for (int64_t i = 0; i < 9; ++i) {
                test_add(&a, 0), test_add(&a, 1);
                test_end_row(&a);
            }
            for (int64_t k = 0; k < 2 * n; ++k) {
                test_add(&b, 3 * (k % n));
                if (k % n == n - 1) test_end_row(&b);
            }
            spg_csr A, B, C;
            test_matrix_of(&a, 2, SPG_I32, test_value_types[v], 1, 0, &A);
            test_matrix_of(&b, 3 * n, SPG_I32, test_value_types[v], 2, 0, &B);
            bool is_complex = v >= 2;
            const double real[] = {0.3, -0.3}, complex[] = {0.3, 0.7, -0.3, -0.7}, twos[] = {2};
            set_all(&A, is_complex ? complex : real, is_complex ? 4 : 2);
            set_all(&B, twos, 1);
            for (int l = 0; l < TEST_LIMITS; ++l) {
                run(&A, &B, l, &C);
                assert_int_equal(C.nnz, 9 * n);
                check_no_negative_zero(&C, true);
                spg_csr_free(test_host(), &C);
            }
            test_check_limits(&A, &B);
            spg_csr_free(test_host(), &A);
            spg_csr_free(test_host(), &B);
            test_free_pattern(&a);
            test_free_pattern(&b);
        }
}

static void products_that_are_zero_make_entries_and_never_a_negative_zero(void **state)
{
    (void)state;
    const double zeros[] = {0.0, -0.0}, negative[] = {-0.0}, mixed[] = {1.0, -2.0, -0.0, 0.5, 0.0};
    check_parts(zeros, 2, mixed, 5, true, true);
    check_parts(negative, 1, mixed, 5, true, true);
    check_parts(mixed, 5, negative, 1, true, true);
    check_parts(mixed, 5, mixed, 4, false, true);
}

static void subnormal_and_huge_values_are_neither_flushed_nor_widened(void **state)
{
    (void)state;
    const double tiny[] = {0x1p-140, -0x1p-130, 0x1.8p-120}, unit[] = {0.5, -0.75, 1.0},
                 tinier[] = {0x1p-1060, -0x1p-1050, 0x1p-1074}, huge[] = {0x1p127, -0x1p126, 0x1.8p120, 0x1p-20};
    check_parts(tiny, 3, unit, 3, false, true);
    check_parts(tinier, 3, unit, 3, false, true);
    check_parts(huge, 4, huge, 3, false, false); /* overflows in f32 */
}

static void infinities_and_nan_keep_their_places(void **state)
{
    (void)state;
    const double infinite[] = {1.0, INFINITY, 2.0, -1.0, -INFINITY, 0.5}, nan[] = {1.0, 2.0, NAN, 0.0, -1.0},
                 finite[] = {1.0, -0.5, 0.0, 2.0};
    check_parts(infinite, 6, finite, 3, false, false);
    check_parts(infinite, 6, finite, 4, false, false); /* inf * 0 */
    check_parts(nan, 5, finite, 4, false, true);
    check_parts(finite, 4, nan, 5, false, true);
    check_parts(nan, 5, infinite, 6, false, false);
}

static void a_nan_makes_a_nan_of_the_entries_that_it_reaches_and_of_no_other(void **state)
{
    (void)state;
    spg_csr A, B, C;
    test_random_csr(test_host(), (test_matrix){50, 40, 4, SPG_I32, SPG_F64}, 3, 0, &A);
    test_random_csr(test_host(), (test_matrix){40, 60, 4, SPG_I32, SPG_F64}, 4, 0, &B);
    int64_t poisoned = A.nnz / 2, row = 0;
    ((double *)A.values)[poisoned] = NAN;
    while (test_offset(&A, row + 1) <= poisoned) ++row;
    int64_t j = A.columns[poisoned], expected = test_offset(&B, j + 1) - test_offset(&B, j);
    for (int l = 0; l < TEST_LIMITS; ++l) {
        run(&A, &B, l, &C);
        int64_t found = 0;
        for (int64_t i = 0; i < C.rows; ++i)
            for (int64_t k = test_offset(&C, i); k < test_offset(&C, i + 1); ++k)
                if (isnan(((double *)C.values)[k])) {
                    assert_int_equal(i, row);
                    ++found;
                }
        assert_int_equal(found, expected);
        spg_csr_free(test_host(), &C);
    }
    spg_csr_free(test_host(), &A);
    spg_csr_free(test_host(), &B);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_that_cancel_stay_as_positive_zeros),
        cmocka_unit_test(products_that_are_zero_make_entries_and_never_a_negative_zero),
        cmocka_unit_test(subnormal_and_huge_values_are_neither_flushed_nor_widened),
        cmocka_unit_test(infinities_and_nan_keep_their_places),
        cmocka_unit_test(a_nan_makes_a_nan_of_the_entries_that_it_reaches_and_of_no_other),
    };
    return TEST_RUN_HERE(argc, argv, "product values", tests);
}
