/* The product against CXSparse: the pattern exactly, every entry within 4*k*eps*sum|a||b| of k products, and
 * whole numbers exactly. */
#include "cxsparse_oracle.h"
#include "products.h"

static void check_random(int64_t m, int64_t k, int64_t n, double mean, unsigned flags, spg_type value_type,
                         spg_type offsets_a, spg_type offsets_b)
{
    spg_csr A, B, C;
    uint64_t seed = (uint64_t)(m + 5 * k + 11 * n) + flags;
    test_random_csr(test_host(), (test_matrix){m, k, mean, offsets_a, value_type}, seed, flags, &A);
    test_random_csr(test_host(), (test_matrix){k, n, mean, offsets_b, value_type}, seed + 1, flags, &B);
    for (int l = 0; l < TEST_LIMITS; ++l) {
        spg_context *context = test_context(2, test_limit_sets[l].limits);
        test_multiply(context, &A, &B, &C);
        test_assert_near_cxsparse(&A, &B, &C, (flags & TEST_INTEGER) != 0);
        spg_csr_free(test_host(), &C);
        spg_context_destroy(context);
    }
    spg_csr_free(test_host(), &A);
    spg_csr_free(test_host(), &B);
}

static void check_types(int64_t m, int64_t k, int64_t n, double mean, unsigned flags)
{
    for (int v = 0; v < TEST_VALUE_TYPES; ++v)
        for (int a = 0; a < TEST_OFFSET_TYPES; ++a)
            for (int b = 0; b < TEST_OFFSET_TYPES; ++b)
                check_random(m, k, n, mean, flags, test_value_types[v], test_offset_types[a], test_offset_types[b]);
}

static void every_type_and_class_agrees_with_cxsparse(void **state)
{
    (void)state;
    check_types(200, 180, 160, 6, 0);
}

static void unsorted_and_repeated_input_agrees_with_cxsparse(void **state)
{
    (void)state;
    check_types(100, 80, 60, 8, TEST_UNSORTED | TEST_DUPLICATES);
}

static void whole_numbers_agree_with_cxsparse_exactly(void **state)
{
    (void)state;
    check_types(150, 100, 90, 9, TEST_INTEGER);
    check_types(60, 40, 20, 9, TEST_INTEGER | TEST_UNSORTED | TEST_DUPLICATES);
}

static void thin_wide_and_dense_shapes_agree_with_cxsparse(void **state)
{
    (void)state;
    check_types(1, 300, 300, 40, 0);
    check_types(300, 1, 300, 1, 0);
    check_types(300, 300, 1, 1, 0);
    check_types(40, 40, 40, 30, 0);
    check_types(10, 1000, 100000, 30, 0);
}

static void a_large_product_agrees_with_cxsparse(void **state)
{
    (void)state;
    check_random(30000, 30000, 30000, 5, 0, SPG_F64, SPG_I32, SPG_I32);
    check_random(3000, 3000, 3000, 40, 0, SPG_F64, SPG_I32, SPG_I64);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_and_class_agrees_with_cxsparse),
        cmocka_unit_test(unsorted_and_repeated_input_agrees_with_cxsparse),
        cmocka_unit_test(whole_numbers_agree_with_cxsparse_exactly),
        cmocka_unit_test(thin_wide_and_dense_shapes_agree_with_cxsparse),
        cmocka_unit_test(a_large_product_agrees_with_cxsparse),
    };
    return TEST_RUN_HERE(argc, argv, "product oracle", tests);
}
