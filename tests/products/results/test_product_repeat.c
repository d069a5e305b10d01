/* The same call gives the same bytes: again, on other threads, after other work, on memory that was used before. */
#include "fault.h"
#include "generators.h"
#include "products.h"

static void random_pair(int64_t m, int64_t k, int64_t n, double mean, spg_type type, uint64_t seed, spg_csr *A,
                        spg_csr *B)
{
    test_random_csr(test_host(), (test_matrix){m, k, mean, SPG_I32, type}, seed, 0, A);
    test_random_csr(test_host(), (test_matrix){k, n, mean, SPG_I32, type}, seed + 1, TEST_UNSORTED, B);
}

static void free_three(spg_csr *A, spg_csr *B, spg_csr *C)
{
    spg_csr_free(test_host(), A);
    spg_csr_free(test_host(), B);
    spg_csr_free(test_host(), C);
}

static void multiply_again(spg_context *context, const spg_csr *A, const spg_csr *B, const spg_csr *first)
{
    spg_csr C;
    test_multiply(context, A, B, &C);
    test_assert_same_csr(&C, first);
    spg_csr_free(test_host(), &C);
}

static void every_number_of_threads_gives_the_same_bytes(void **state)
{
    (void)state;
    const int threads[] = {1, 2, 3, 5, 8, 16};
    for (int v = 0; v < TEST_VALUE_TYPES; ++v)
        for (int l = 0; l < TEST_LIMITS; ++l) {
            spg_csr A, B, C = {0};
            random_pair(9000, 8000, 7000, 5, test_value_types[v], 40, &A, &B);
            for (int t = 0; t < (test_is_short() ? 3 : 6); ++t) {
                spg_config config = test_config();
                config.threads = threads[t];
                config.row_limits = test_limit_sets[l].limits;
                if (t % 2 && test_place() == SPG_PLACE_HOST) config.workspace_limit = 100000 * threads[t]; /* slices */
                spg_context *context = test_context_of(&config);
                if (t == 0) test_multiply(context, &A, &B, &C);
                multiply_again(context, &A, &B, &C);
                multiply_again(context, &A, &B, &C);
                spg_context_destroy(context);
            }
            free_three(&A, &B, &C);
        }
}

static void products_of_other_sizes_and_types_in_between_change_nothing(void **state)
{
    (void)state;
    for (int l = 0; l < TEST_LIMITS; ++l) {
        spg_context *context = test_context(2, test_limit_sets[l].limits);
        spg_csr A[4], B[4], C[4];
        for (int v = 0; v < 4; ++v) {
            random_pair(100 << (3 * (v % 3)), 300, 40 << (4 * (v % 3)), 9, test_value_types[v], 50, &A[v], &B[v]);
            test_multiply(context, &A[v], &B[v], &C[v]);
        }
        for (int round = 0; round < 12; ++round) {
            int v = round * 7 % 4;
            multiply_again(context, &A[v], &B[v], &C[v]);
        }
        for (int v = 0; v < 4; ++v) free_three(&A[v], &B[v], &C[v]);
        spg_context_destroy(context);
    }
}

static void kept_and_poisoned_memory_changes_nothing(void **state)
{
    (void)state;
    spg_csr A, B, C, large_A, large_B;
    random_pair(30000, 20000, 20000, 4, SPG_F64, 60, &A, &B);
    random_pair(60000, 20000, 20000, 6, SPG_F64, 70, &large_A, &large_B);
    spg_context *fresh = test_context(1, test_default_limits);
    test_multiply(fresh, &A, &B, &C);
    spg_context_destroy(fresh);
    const int64_t keep[] = {0, (int64_t)1 << 22, (int64_t)1 << 40};
    for (int k = 0; k < 3; ++k) {
        spg_config config = test_config();
        config.threads = 2;
        config.keep_bytes = keep[k];
        spg_context *context = test_context_of(&config);
        for (int round = 0; round < 3; ++round) {
            spg_csr large_C;
            test_multiply(context, &large_A, &large_B, &large_C);
            spg_csr_free(test_host(), &large_C);
            multiply_again(context, &A, &B, &C);
        }
        spg_context_destroy(context);
    }
    test_allocator memory; /* fills what it gives */
    spg_context *poisoned = test_faulty_context(&memory, 3, 0);
    multiply_again(poisoned, &A, &B, &C);
    multiply_again(poisoned, &A, &B, &C);
    spg_context_destroy(poisoned);
    assert_int_equal(test_live(&memory), 0);
    spg_csr_free(test_host(), &large_A);
    spg_csr_free(test_host(), &large_B);
    free_three(&A, &B, &C);
}

static void more_rows_than_a_row_stamp_of_20_bits_can_tell_apart_keep_their_bits(void **state)
{
    (void)state; /* a column that no row names for about 2^20 rows must not be taken for one of the row at hand */
    enum { SPECIAL = 4096, ROWS = (1 << 21) + 64, COLUMNS = 3 * SPECIAL + 1 };
    test_pattern a = {0}, b = {0};
    for (int64_t i = 0; i < ROWS; ++i) {
        test_add(&a, COLUMNS - 1);
        for (int64_t s = 0; s < 3; ++s)
            for (int64_t pass = 0; pass < 2; ++pass) { /* rows 256q + 8s + 10 and 2^20 - 1 + s later */
                int64_t first = i - pass * ((1 << 20) - 1 + s) - 8 * s - 10;
                if (first >= 0 && first % 256 == 0 && first / 256 < SPECIAL) test_add(&a, s * SPECIAL + first / 256);
            }
        test_end_row(&a);
    }
    for (int64_t i = 0; i < COLUMNS; ++i) {
        test_add(&b, i);
        test_end_row(&b);
    }
    spg_csr A, B;
    test_matrix_of(&a, COLUMNS, SPG_I32, SPG_F32, 1, 0, &A);
    test_matrix_of(&b, COLUMNS, SPG_I32, SPG_F32, 2, 0, &B);
    test_free_pattern(&a);
    test_free_pattern(&b);
    for (int l = 0; l < TEST_LIMITS; ++l) test_check_product(&A, &B, test_limit_sets[l].limits, 1);
    spg_csr_free(test_host(), &A);
    spg_csr_free(test_host(), &B);
}

static void many_small_products_in_one_context_stay_the_same(void **state)
{
    (void)state;
    for (int l = 0; l < TEST_LIMITS; ++l) {
        spg_context *context = test_context(2, test_limit_sets[l].limits);
        spg_csr A, B, C;
        random_pair(20, 30, 25, 4, SPG_C64, 80, &A, &B);
        test_multiply(context, &A, &B, &C);
        for (int round = 0; round < 200; ++round) multiply_again(context, &A, &B, &C);
        free_three(&A, &B, &C);
        spg_context_destroy(context);
    }
}

static void run_again(spg_context *context, spgemm_plan *plan, const spg_csr *here_A, const spg_csr *here_B,
                      spg_csr *here_C, const spg_csr *first)
{
    spg_csr C;
    assert_int_equal(spgemm_plan_run(plan, here_A, here_B, here_C), SPG_OK);
    test_to_host(context, here_C, &C);
    test_assert_same_csr(&C, first);
    spg_csr_free(test_host(), &C);
}

/* Twenty products of sorted operands, with rows in the classes that are chosen for them, and twenty runs of a plan. */
static void twenty_times_are_the_same_bytes(const spg_csr *A, const spg_csr *B)
{
    spg_context *context = test_context(2, test_default_limits);
    spg_csr here_A, here_B, here_C = {0}, C;
    spgemm_plan *plan;
    test_to_place(context, A, &here_A);
    test_to_place(context, B, &here_B);
    test_multiply(context, A, B, &C);
    for (int time = 1; time < 20; ++time) multiply_again(context, A, B, &C);
    assert_int_equal(spgemm_plan_create(context, &here_A, &here_B, &plan), SPG_OK);
    for (int time = 0; time < 20; ++time) run_again(context, plan, &here_A, &here_B, &here_C, &C);
    spgemm_plan_destroy(plan);
    spg_csr_free(context, &here_C);
    spg_csr_free(context, &here_B);
    spg_csr_free(context, &here_A);
    spg_csr_free(test_host(), &C);
    spg_context_destroy(context);
}

/* Rows that are short, alike, equal in threes, contract much, or are of many lengths in one matrix. */
static void each_kind_of_rows_gives_the_same_bytes_twenty_times(void **state)
{
    static const char *const names[] = {"fd2d5:80",  "tri2d:50",  "fe3d27:14", "tet3d:12",
                                        "elast3d:6", "econ:2000", "rmat9",     "arrow:1500"};
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        spg_csr A, P;
        assert_int_equal(generate_matrix(test_host(), names[k], 1, SPG_F64, &A), SPG_OK);
        assert_int_equal(generate_prolongator(test_host(), &A, &P), SPG_OK);
        twenty_times_are_the_same_bytes(&A, &P);
        twenty_times_are_the_same_bytes(&A, &A);
        spg_csr_free(test_host(), &P);
        spg_csr_free(test_host(), &A);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_of_threads_gives_the_same_bytes),
        cmocka_unit_test(products_of_other_sizes_and_types_in_between_change_nothing),
        cmocka_unit_test(kept_and_poisoned_memory_changes_nothing),
        cmocka_unit_test(more_rows_than_a_row_stamp_of_20_bits_can_tell_apart_keep_their_bits),
        cmocka_unit_test(many_small_products_in_one_context_stay_the_same),
        cmocka_unit_test(each_kind_of_rows_gives_the_same_bytes_twenty_times),
    };
    return TEST_RUN_HERE(argc, argv, "product repeat", tests);
}
