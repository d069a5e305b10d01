/* Every entry is the sum, from zero, of its products in order, each operation rounded: the same bits for every row
 * class, thread count, value type and offset type. */
#include "products.h"

typedef void (*check)(const spg_csr *A, const spg_csr *B);

typedef struct product_size {
    int64_t m, k, n;       /* A is m x k, B is k x n */
    double mean_a, mean_b; /* entries a row */
} product_size;

static void check_random(product_size of, unsigned flags_a, unsigned flags_b, spg_type value_type, spg_type offsets_a,
                         spg_type offsets_b, check run)
{
    spg_csr A, B;
    uint64_t seed = (uint64_t)(of.m + 3 * of.k + 7 * of.n) + flags_a + 16 * flags_b;
    test_random_csr(test_host(), (test_matrix){of.m, of.k, of.mean_a, offsets_a, value_type}, seed, flags_a, &A);
    test_random_csr(test_host(), (test_matrix){of.k, of.n, of.mean_b, offsets_b, value_type}, seed + 1, flags_b, &B);
    run(&A, &B);
    spg_csr_free(test_host(), &A);
    spg_csr_free(test_host(), &B);
}

static void every_value_type_and_offset_type_gives_the_bits_of_the_plain_sum(void **state)
{
    (void)state;
    for (int v = 0; v < TEST_VALUE_TYPES; ++v)
        for (int a = 0; a < TEST_OFFSET_TYPES; ++a)
            for (int b = 0; b < TEST_OFFSET_TYPES; ++b)
                check_random((product_size){150, 120, 90, 4, 5}, 0, 0, test_value_types[v], test_offset_types[a],
                             test_offset_types[b], test_check_all);
}

static void unsorted_rows_are_summed_in_their_order_of_storage(void **state)
{
    (void)state;
    for (int v = 0; v < TEST_VALUE_TYPES; ++v) {
        check_random((product_size){120, 100, 80, 6, 6}, TEST_UNSORTED, 0, test_value_types[v], SPG_I32, SPG_I32,
                     test_check_limits);
        check_random((product_size){120, 100, 80, 6, 6}, 0, TEST_UNSORTED, test_value_types[v], SPG_I32, SPG_I32,
                     test_check_limits);
        check_random((product_size){120, 100, 80, 6, 6}, TEST_UNSORTED, TEST_UNSORTED, test_value_types[v], SPG_I64,
                     SPG_I32, test_check_limits);
    }
}

static void repeated_columns_add_up_in_their_order_of_storage(void **state)
{
    (void)state;
    unsigned unsorted = TEST_DUPLICATES | TEST_UNSORTED;
    for (int v = 0; v < TEST_VALUE_TYPES; ++v) {
        check_random((product_size){90, 70, 60, 6, 6}, TEST_DUPLICATES, 0, test_value_types[v], SPG_I32, SPG_I32,
                     test_check_limits);
        check_random((product_size){90, 70, 60, 6, 6}, 0, TEST_DUPLICATES, test_value_types[v], SPG_I32, SPG_I32,
                     test_check_limits);
        check_random((product_size){90, 70, 60, 6, 6}, unsorted, unsorted, test_value_types[v], SPG_I32, SPG_I64,
                     test_check_limits);
        check_random((product_size){40, 3, 5, 9, 9}, unsorted, unsorted, test_value_types[v], SPG_I32, SPG_I32,
                     test_check_limits);
    }
}

static void strongly_contracting_rows_keep_their_bits(void **state)
{
    (void)state;
    for (int v = 0; v < TEST_VALUE_TYPES; ++v)
        check_random((product_size){60, 90, 40, 40, 20}, 0, 0, test_value_types[v], SPG_I32, SPG_I32,
                     test_check_limits);
}

static void long_rows_without_contraction_keep_their_bits(void **state)
{
    (void)state;
    for (int v = 0; v < TEST_VALUE_TYPES; ++v)
        check_random((product_size){40, 2000, 1000000, 25, 60}, 0, TEST_UNSORTED, test_value_types[v], SPG_I32, SPG_I32,
                     test_check_limits);
}

static void many_rows_keep_their_bits_at_every_thread_count(void **state)
{
    (void)state;
    for (int v = 0; v < TEST_VALUE_TYPES; ++v)
        check_random((product_size){20000, 15000, 12000, 4, 4}, 0, 0, test_value_types[v], SPG_I32, SPG_I32,
                     v == 1 ? test_check_all : test_check_limits);
}

static void whole_numbers_come_out_exact(void **state)
{
    (void)state;
    for (int v = 0; v < TEST_VALUE_TYPES; ++v) {
        check_random((product_size){200, 150, 100, 8, 8}, TEST_INTEGER, TEST_INTEGER, test_value_types[v], SPG_I32,
                     SPG_I32, test_check_all);
        check_random((product_size){200, 150, 100, 8, 8}, TEST_INTEGER | TEST_DUPLICATES, TEST_INTEGER | TEST_UNSORTED,
                     test_value_types[v], SPG_I32, SPG_I64, test_check_limits);
    }
}

static void the_order_of_a_sum_shows_in_its_bits(void **state)
{
    (void)state; /* 1e16 + 1 - 1e16 is 0 in this order and 1 in another: the reference itself must see the difference */
    int32_t a_offsets[] = {0, 3, 6}, a_columns[] = {0, 1, 2, 0, 2, 1}, b_offsets[] = {0, 1, 2, 3},
            b_columns[] = {0, 0, 0};
    double a_values[] = {1, 1, 1, 1, 1, 1}, b_values[] = {1e16, 1, -1e16};
    spg_csr A = {2, 3, 6, SPG_I32, SPG_F64, SPG_PLACE_HOST, a_offsets, a_columns, a_values};
    spg_csr B = {3, 1, 3, SPG_I32, SPG_F64, SPG_PLACE_HOST, b_offsets, b_columns, b_values};
    spg_csr C;
    test_reference_product(&A, &B, &C);
    assert_true(((double *)C.values)[0] == 0.0);
    assert_true(((double *)C.values)[1] == 1.0);
    spg_csr_free(test_host(), &C);
    test_check_all(&A, &B);
}

static void products_are_rounded_before_they_are_added(void **state)
{
    (void)state; /* x*x rounds: a fused multiply-add would leave its rounding error where the difference is 0 */
    double x = 1.0 + 0x1p-30;
    int32_t a_offsets[] = {0, 2}, a_columns[] = {0, 1}, b_offsets[] = {0, 1, 2}, b_columns[] = {0, 0};
    double a_values[] = {-(x * x), x}, b_values[] = {1, x};
    spg_csr A = {1, 2, 2, SPG_I32, SPG_F64, SPG_PLACE_HOST, a_offsets, a_columns, a_values};
    spg_csr B = {2, 1, 2, SPG_I32, SPG_F64, SPG_PLACE_HOST, b_offsets, b_columns, b_values};
    for (int l = 0; l < TEST_LIMITS; ++l) {
        spg_context *context = test_context(1, test_limit_sets[l].limits);
        spg_csr C;
        test_multiply(context, &A, &B, &C);
        assert_true(((double *)C.values)[0] == 0.0);
        spg_csr_free(test_host(), &C);
        spg_context_destroy(context);
    }
    test_check_all(&A, &B);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_of_a_sum_shows_in_its_bits),
        cmocka_unit_test(products_are_rounded_before_they_are_added),
        cmocka_unit_test(every_value_type_and_offset_type_gives_the_bits_of_the_plain_sum),
        cmocka_unit_test(unsorted_rows_are_summed_in_their_order_of_storage),
        cmocka_unit_test(repeated_columns_add_up_in_their_order_of_storage),
        cmocka_unit_test(strongly_contracting_rows_keep_their_bits),
        cmocka_unit_test(long_rows_without_contraction_keep_their_bits),
        cmocka_unit_test(many_rows_keep_their_bits_at_every_thread_count),
        cmocka_unit_test(whole_numbers_come_out_exact),
    };
    return TEST_RUN_HERE(argc, argv, "product exact", tests);
}
