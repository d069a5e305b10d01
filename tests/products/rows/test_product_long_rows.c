/* Rows of A about the length past which the host takes them in pieces, after a row that fills a part of A but for a few
 * entries: against the plain reference, bit for bit, by products and by plans. A worker's arrays have room for such a
 * part and no more, which a build with AddressSanitizer checks (src/poison.h). */
#include "products.h"

enum { PART = 4096, INNER = 4 * PART, COLS = 700 }; /* PART: chunk_entries of src/host/spgemm/sizes.c */

static void make_operands(int64_t length, spg_csr *A, spg_csr *B)
{
    test_pattern a = {0}, b = {0};
    const int64_t lengths[] = {PART - 3, length, 5, length, 1, PART - 2, length};
    for (int row = 0; row < 7; ++row) {
        for (int64_t k = 0; k < lengths[row]; ++k) test_add(&a, (k * 5 + row) % INNER);
        test_end_row(&a);
    }
    for (int64_t row = 0; row < INNER; ++row) {
        for (int64_t k = 0; k < row % 4; ++k) test_add(&b, (row * 13 + k * 50) % COLS);
        test_end_row(&b);
    }
    test_matrix_of(&a, INNER, SPG_I32, SPG_F64, 1, 0, A);
    test_matrix_of(&b, COLS, SPG_I32, SPG_F64, 2, 0, B);
    test_free_pattern(&a);
    test_free_pattern(&b);
}

static void check_plan(const spg_csr *A, const spg_csr *B)
{
    spg_context *context = test_context(2, test_default_limits);
    spg_csr here_A, here_B, C = {0}, back, expected;
    spgemm_plan *plan;
    test_reference_product(A, B, &expected);
    test_to_place(context, A, &here_A);
    test_to_place(context, B, &here_B);
    assert_int_equal(spgemm_plan_create(context, &here_A, &here_B, &plan), SPG_OK);
    assert_int_equal(spgemm_plan_check(plan, &here_A, &here_B), SPG_OK);
    assert_int_equal(spgemm_plan_run(plan, &here_A, &here_B, &C), SPG_OK);
    test_to_host(context, &C, &back);
    test_assert_same_product(&back, &expected, "by a plan");
    spgemm_plan_destroy(plan);
    spg_csr_free(test_host(), &back);
    spg_csr_free(test_host(), &expected);
    spg_csr_free(context, &C);
    spg_csr_free(context, &here_A);
    spg_csr_free(context, &here_B);
    spg_context_destroy(context);
}

static void rows_about_the_longest_that_a_part_holds_are_multiplied(void **state)
{
    static const int64_t lengths[] = {2 * PART - 1, 2 * PART,     2 * PART + 1, 2 * PART + 4,
                                      3 * PART,     3 * PART + 1, 3 * PART + 2};
    (void)state;
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; ++l) {
        spg_csr A, B;
        make_operands(lengths[l], &A, &B);
        test_check_product(&A, &B, test_default_limits, 2);
        check_plan(&A, &B);
        spg_csr_free(test_host(), &A);
        spg_csr_free(test_host(), &B);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_about_the_longest_that_a_part_holds_are_multiplied),
    };
    return TEST_RUN_HERE(argc, argv, "product long rows", tests);
}
