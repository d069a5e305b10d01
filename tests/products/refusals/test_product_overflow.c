/* Counts past 2^31: refused with the true count where offsets are narrow, right where they are wide. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "products.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

/* A column of ones times a row of ones: every product is an entry of its own. */
static void column_times_row(int64_t m, int64_t n, spg_type offset_type, spg_type value_type, spg_csr *A, spg_csr *B)
{
    test_pattern a = {0}, b = {0};
    for (int64_t i = 0; i < m; ++i) {
        test_add(&a, 0);
        test_end_row(&a);
    }
    for (int64_t j = 0; j < n; ++j) test_add(&b, j);
    test_end_row(&b);
    test_matrix_of(&a, 1, offset_type, value_type, 1, 0, A);
    test_matrix_of(&b, n, SPG_I32, value_type, 2, 0, B);
    test_free_pattern(&a);
    test_free_pattern(&b);
}

static void refuse(int64_t m, int64_t n, int threads, int64_t workspace_limit)
{
    char count[32];
    snprintf(count, sizeof count, "%lld", (long long)(m * n));
    spg_csr A, B, here_A, here_B, C;
    column_times_row(m, n, SPG_I32, SPG_F32, &A, &B);
    spg_config config = test_config();
    config.threads = threads;
    config.workspace_limit = workspace_limit;
    spg_context *context = test_context_of(&config);
    test_to_place(context, &A, &here_A);
    test_to_place(context, &B, &here_B);
    int64_t before, after, peak;
    spg_context_memory_reset(context);
    spg_context_memory(context, &before, NULL);
    assert_int_equal(spgemm_csr(context, &here_A, &here_B, &C), SPG_ERROR_OVERFLOW);
    test_assert_message(context, count);
    test_assert_zeroed(&C, sizeof C);
    spgemm_plan *plan = NULL;
    assert_int_equal(spgemm_plan_create(context, &here_A, &here_B, &plan), SPG_ERROR_OVERFLOW);
    assert_null(plan);
    spg_context_memory(context, &after, &peak);
    assert_int_equal(after, before);
    assert_true(peak - before < (int64_t)1 << 28);
    spg_csr_free(context, &here_A);
    spg_csr_free(context, &here_B);
    spg_context_destroy(context);
    spg_csr_free(test_host(), &A);
    spg_csr_free(test_host(), &B);
}

static void a_count_past_31_bits_is_refused_with_the_true_count(void **state)
{
    (void)state;
    refuse(70000, 70000, 2, 0);
    refuse(46341, 46341, 1, 0); /* 4633 past 2^31 - 1 */
}

static void a_refused_count_holds_under_a_workspace_limit(void **state)
{
    (void)state;
    refuse(70000, 70000, 2, (int64_t)4 << 20);
}

static void products_past_31_bits_are_counted_by_the_analysis(void **state)
{
    (void)state;
    spg_csr A, B, here_A, here_B;
    column_times_row(70000, 70000, SPG_I32, SPG_F64, &A, &B);
    spg_context *context = test_context(2, test_default_limits);
    test_to_place(context, &A, &here_A);
    test_to_place(context, &B, &here_B);
    spgemm_analysis analysis;
    assert_int_equal(spgemm_analyse(context, &here_A, &here_B, NULL, NULL, NULL, &analysis), SPG_OK);
    assert_int_equal(analysis.products, (int64_t)70000 * 70000);
    assert_int_equal(analysis.longest_row, 70000);
    assert_true(analysis.row_products.mean == 70000.0 && analysis.row_products.stddev == 0.0);
    spg_csr_free(context, &here_A);
    spg_csr_free(context, &here_B);
    spg_context_destroy(context);
    spg_csr_free(test_host(), &A);
    spg_csr_free(test_host(), &B);
}

static void more_than_31_bits_of_products_may_make_a_small_result(void **state)
{
    (void)state;
    test_require_large(1); /* seconds of work */
    enum { N = 1300 };
    test_pattern full = {0};
    for (int64_t i = 0; i < N; ++i) {
        for (int64_t j = 0; j < N; ++j) test_add(&full, j);
        test_end_row(&full);
    }
    spg_csr A, C;
    test_matrix_of(&full, N, SPG_I32, SPG_F32, 1, 0, &A);
    test_free_pattern(&full);
    for (int64_t k = 0; k < A.nnz; ++k) ((float *)A.values)[k] = 1;
    spg_context *context = test_context(2, test_default_limits);
    test_multiply(context, &A, &A, &C);
    assert_int_equal(C.nnz, (int64_t)N * N);
    for (int64_t k = 0; k < C.nnz; ++k) assert_true(((float *)C.values)[k] == (float)N);
    spgemm_stats stats;
    assert_int_equal(spgemm_last_stats(context, &stats), SPG_OK);
    assert_int_equal(stats.products, (int64_t)N * N * N);
    spg_csr_free(test_host(), &A);
    spg_csr_free(test_host(), &C);
    spg_context_destroy(context);
}

/* A column of two entries a row times two rows of n entries, which fall on each other or follow each other. */
static void pairs_times_rows(int64_t m, int64_t n, bool apart, spg_csr *A, spg_csr *B)
{
    test_pattern a = {0}, b = {0};
    for (int64_t i = 0; i < m; ++i) {
        test_add(&a, 0), test_add(&a, 1);
        test_end_row(&a);
    }
    for (int64_t j = 0; j < 2 * n; ++j) {
        test_add(&b, j < n   ? j
                     : apart ? 3 * n - 1 - j
                             : 2 * n - 1 - j); /* descending: nothing is known without counting */
        if (j % n == n - 1) test_end_row(&b);
    }
    test_matrix_of(&a, 2, SPG_I32, SPG_F32, 1, 0, A);
    test_matrix_of(&b, 2 * n, SPG_I32, SPG_F32, 2, 0, B);
    test_free_pattern(&a);
    test_free_pattern(&b);
}

static void a_count_that_only_counting_can_tell_decides(void **state)
{
    (void)state;
    test_require_large(16); /* seconds of work */
    spg_context *context = test_context(2, test_default_limits);
    for (int apart = 1; apart >= 0; --apart) {
        spg_csr A, B, here_A, here_B, C;
        pairs_times_rows(40000, 30000, apart, &A, &B);
        test_to_place(context, &A, &here_A);
        test_to_place(context, &B, &here_B);
        spg_status status = spgemm_csr(context, &here_A, &here_B, &C);
        if (apart) {
            assert_int_equal(status, SPG_ERROR_OVERFLOW);
            test_assert_message(context, "2400000000");
            test_assert_zeroed(&C, sizeof C);
        } else {
            assert_int_equal(status, SPG_OK);
            assert_int_equal(C.nnz, 1200000000);
        }
        spg_csr_free(context, &C);
        spg_csr_free(context, &here_A);
        spg_csr_free(context, &here_B);
        spg_csr_free(test_host(), &A);
        spg_csr_free(test_host(), &B);
    }
    spg_context_destroy(context);
}

static void wide_offsets_hold_a_result_past_31_bits(void **state)
{
    (void)state;
    test_require_large(19);
    enum { N = 46400 };
    spg_csr A, B, here_A, here_B, C;
    column_times_row(N, N, SPG_I64, SPG_F32, &A, &B);
    spg_context *context = test_context(0, test_default_limits);
    test_to_place(context, &A, &here_A);
    test_to_place(context, &B, &here_B);
    spg_status status = spgemm_csr(context, &here_A, &here_B, &C);
    if (status != SPG_OK) fail_msg("%s", spg_context_message(context));
    assert_int_equal(C.nnz, (int64_t)N * N);
    assert_int_equal(C.offset_type, SPG_I64);
    int64_t *offsets = malloc((N + 1) * sizeof *offsets);
    int32_t *columns = malloc(N * sizeof *columns);
    float *values = malloc(N * sizeof *values);
    assert_true(offsets != NULL && columns != NULL && values != NULL);
    test_fetch(C.row_offsets, (N + 1) * sizeof *offsets, offsets);
    for (int64_t i = 0; i <= N; ++i) assert_int_equal(offsets[i], i * N);
    for (int64_t i = N - 1; i >= 0; i -= 97) {
        test_fetch(C.columns + i * N, N * sizeof *columns, columns);
        test_fetch((float *)C.values + i * N, N * sizeof *values, values);
        for (int64_t j = 0; j < N; ++j) {
            const float product = ((float *)A.values)[i] * ((float *)B.values)[j];
            assert_true(columns[j] == j && values[j] == 0 + product);
        }
    }
    free(offsets);
    free(columns);
    free(values);
    spg_csr_free(context, &C);
    spg_csr_free(context, &here_A);
    spg_csr_free(context, &here_B);
    spg_context_destroy(context);
    spg_csr_free(test_host(), &A);
    spg_csr_free(test_host(), &B);
}

/* Of one row, in each class that can do it; whole numbers, which are exact. */
static void a_row_of_more_products_than_31_bits_is_summed(void **state)
{
    (void)state;
    test_require_large(2); /* seconds of work */
    enum { ENTRIES = 60000, LENGTH = 40000 };
    test_pattern a = {0}, b = {0};
    for (int64_t k = 0; k < ENTRIES; ++k) test_add(&a, 0);
    test_end_row(&a);
    for (int64_t j = 0; j < LENGTH; ++j) test_add(&b, j);
    test_end_row(&b);
    spg_csr A, B, C;
    test_matrix_of(&a, 1, SPG_I32, SPG_F64, 1, 0, &A);
    test_matrix_of(&b, LENGTH, SPG_I32, SPG_F64, 2, TEST_INTEGER, &B);
    for (int64_t k = 0; k < ENTRIES; ++k) ((double *)A.values)[k] = 1;
    const int sets[] = {0, 4}; /* by default, and global */
    for (int s = 0; s < 2; ++s) {
        spg_context *context = test_context(2, test_limit_sets[sets[s]].limits);
        test_multiply(context, &A, &B, &C);
        assert_int_equal(C.nnz, LENGTH);
        for (int64_t j = 0; j < LENGTH; ++j)
            assert_true(C.columns[j] == j && ((double *)C.values)[j] == ENTRIES * ((double *)B.values)[j]);
        spgemm_stats stats;
        assert_int_equal(spgemm_last_stats(context, &stats), SPG_OK);
        assert_int_equal(stats.products, (int64_t)ENTRIES * LENGTH);
        spg_csr_free(test_host(), &C);
        spg_context_destroy(context);
    }
    spg_csr_free(test_host(), &A);
    spg_csr_free(test_host(), &B);
    test_free_pattern(&a);
    test_free_pattern(&b);
}

/* Refused by the size alone, before a byte of the arrays is read: they are far smaller here. */
static void more_entries_than_narrow_places_hold_are_refused_on_a_device(void **state)
{
    (void)state;
    if (test_place() == SPG_PLACE_HOST) skip();
    spg_csr small, here, C;
    test_random_csr(test_host(), (test_matrix){9, 9, 3, SPG_I32, SPG_F32}, 1, 0, &small);
    spg_context *context = test_context(2, test_default_limits);
    test_to_place(context, &small, &here);
    spg_csr large = here;
    large.nnz = INT32_MAX - 1023;
    for (int of_b = 0; of_b < 2; ++of_b) {
        const spg_csr *A = of_b == 0 ? &large : &here, *B = of_b == 0 ? &here : &large;
        assert_int_equal(spgemm_csr(context, A, B, &C), SPG_ERROR_UNSUPPORTED);
        test_assert_message(context, of_b == 0 ? "A has 2147482624 entries" : "B has 2147482624 entries");
        test_assert_zeroed(&C, sizeof C);
        spgemm_plan *plan = NULL;
        assert_int_equal(spgemm_plan_create(context, A, B, &plan), SPG_ERROR_UNSUPPORTED);
        assert_null(plan);
    }
    spg_csr_free(context, &here);
    spg_context_destroy(context);
    spg_csr_free(test_host(), &small);
}

/* Pages that are only read are all the one of zeros. */
static void a_row_of_b_whose_length_passes_31_bits_is_refused_on_the_host(void **state)
{
    (void)state;
    if (test_place() == SPG_PLACE_DEVICE) skip();
    const int64_t longest = INT32_MAX, entries = 2 * longest + 1; /* the longest row that is taken, and one more */
    const int64_t a_offsets[] = {0, 1}, b_offsets[] = {0, longest, entries};
    const size_t bytes = (size_t)entries * sizeof(float);
    void *zeros = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(zeros != MAP_FAILED);
    madvise(zeros, bytes, MADV_HUGEPAGE); /* of zeros there is a large one, too, which takes less time */
    int32_t column = 1;
    float one = 1;
    const spg_csr A = {1, 2, 1, SPG_I64, SPG_F32, SPG_PLACE_HOST, (void *)(uintptr_t)a_offsets, &column, &one};
    const spg_csr B = {2, 1, entries, SPG_I64, SPG_F32, SPG_PLACE_HOST, (void *)(uintptr_t)b_offsets, zeros, zeros};
    spg_csr C;
    spg_context *context = test_context(2, test_default_limits);
    assert_int_equal(spgemm_csr(context, &A, &B, &C), SPG_ERROR_UNSUPPORTED);
    test_assert_message(context, "row 1 has 2147483648 entries");
    test_assert_zeroed(&C, sizeof C);
    spg_context_destroy(context);
    assert_int_equal(munmap(zeros, bytes), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_count_past_31_bits_is_refused_with_the_true_count),
        cmocka_unit_test(a_refused_count_holds_under_a_workspace_limit),
        cmocka_unit_test(products_past_31_bits_are_counted_by_the_analysis),
        cmocka_unit_test(more_than_31_bits_of_products_may_make_a_small_result),
        cmocka_unit_test(a_count_that_only_counting_can_tell_decides),
        cmocka_unit_test(wide_offsets_hold_a_result_past_31_bits),
        cmocka_unit_test(a_row_of_more_products_than_31_bits_is_summed),
        cmocka_unit_test(more_entries_than_narrow_places_hold_are_refused_on_a_device),
        cmocka_unit_test(a_row_of_b_whose_length_passes_31_bits_is_refused_on_the_host),
    };
    return TEST_RUN_HERE(argc, argv, "product overflow", tests);
}
