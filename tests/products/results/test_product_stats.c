/* What a product and a plan say about themselves agrees with the matrices. */
#include "context.h"
#include "products.h"
#include "spgemm/row_class.h"

#include <math.h>

static int64_t csr_bytes(const spg_csr *C)
{
    return (C->rows + 1) * (int64_t)spg_type_size(C->offset_type) +
           C->nnz * (int64_t)(4 + spg_type_size(C->value_type));
}

/* limits: as resolved by the context; NULL where classes may be clamped. */
static void check_stats(const spg_csr *A, const spg_csr *B, const spg_csr *C, const spg_row_limits *limits,
                        const spgemm_stats *stats)
{
    int64_t products = 0, class_rows[SPG_ROW_CLASSES] = {0}, rows = 0;
    for (int64_t i = 0; i < A->rows; ++i) {
        int64_t needed = test_row_products(A, B, i);
        products += needed;
        if (limits != NULL) ++class_rows[spg_classify(needed, limits)];
    }
    assert_int_equal(stats->products, products);
    assert_int_equal(stats->nnz, C->nnz);
    assert_true(stats->expansion == (A->nnz > 0 ? (double)products / (double)A->nnz : 0));
    assert_true(stats->contraction == (C->nnz > 0 ? (double)products / (double)C->nnz : 0));
    for (int c = 0; c < SPG_ROW_CLASSES; ++c) {
        rows += stats->class_rows[c];
        if (limits != NULL && stats->class_rows[c] != class_rows[c])
            fail_msg("%lld rows of class %d, expected %lld", (long long)stats->class_rows[c], c,
                     (long long)class_rows[c]);
    }
    assert_int_equal(rows, A->rows);
    assert_int_equal(stats->result_bytes, csr_bytes(C));
    assert_true(stats->workspace_bytes >= 0 && stats->plan_bytes >= 0);
    const double times[] = {stats->analysis_ms, stats->expand_sort_ms, stats->contract_ms, stats->assemble_ms};
    double sum = 0;
    for (int t = 0; t < 4; ++t) {
        assert_true(times[t] >= 0 && isfinite(times[t]));
        sum += times[t];
    }
    assert_true(isfinite(stats->total_ms) && stats->total_ms >= 0);
    if (sum > 1.05 * stats->total_ms + 0.5) fail_msg("phases of %g ms in %g ms", sum, stats->total_ms);
}

/* The phases' part of the time that a product took. */
static double share_of_phases(const spgemm_stats *stats)
{
    return (stats->analysis_ms + stats->expand_sort_ms + stats->contract_ms + stats->assemble_ms) / stats->total_ms;
}

/* Returns the phases' part of the product's time. */
static double check_both(const spg_csr *A, const spg_csr *B, int threads, spg_row_limits limits)
{
    spg_context *context = test_context(threads, limits);
    const spg_row_limits resolved = spg_resolve_row_limits(context, NULL);
    const spg_row_limits *expected = test_place() == SPG_PLACE_HOST ? &resolved : NULL;
    spg_csr here_A, here_B, C, planned = {0};
    test_to_place(context, A, &here_A);
    test_to_place(context, B, &here_B);
    spgemm_stats stats;
    assert_int_equal(spgemm_last_stats(context, &stats), SPG_ERROR_ARGUMENT);
    test_assert_zeroed(&stats, sizeof stats);
    assert_int_equal(spgemm_csr(context, &here_A, &here_B, &C), SPG_OK);
    assert_int_equal(spgemm_last_stats(context, &stats), SPG_OK);
    check_stats(A, B, &C, expected, &stats);
    assert_int_equal(stats.plan_bytes, 0);
    const double share = share_of_phases(&stats);
    int64_t before, after;
    spg_context_memory(context, &before, NULL);
    spgemm_plan *plan;
    assert_int_equal(spgemm_plan_create(context, &here_A, &here_B, &plan), SPG_OK);
    spg_context_memory(context, &after, NULL);
    assert_int_equal(spgemm_plan_stats(plan, &stats), SPG_OK);
    check_stats(A, B, &C, expected, &stats);
    assert_int_equal(stats.plan_bytes, after - before);
    assert_int_equal(spgemm_plan_run(plan, &here_A, &here_B, &planned), SPG_OK);
    assert_int_equal(spgemm_plan_stats(plan, &stats), SPG_OK);
    check_stats(A, B, &C, expected, &stats);
    assert_int_equal(stats.plan_bytes, after - before);
    spgemm_plan_destroy(plan);
    spg_csr_free(context, &here_A);
    spg_csr_free(context, &here_B);
    spg_csr_free(context, &C);
    spg_csr_free(context, &planned);
    spg_context_destroy(context);
    return share;
}

static void stats_agree_with_the_matrices(void **state)
{
    (void)state;
    const spg_row_limits limits[] = {{-1, -1, -1}, {INT64_MAX, INT64_MAX, INT64_MAX},
                                     {0, 0, 0},    {0, INT64_MAX, INT64_MAX},
                                     {8, 32, 128}, {32, 736, 6144}};
    const int64_t sizes[][4] = {{500, 400, 300, 6}, {0, 10, 10, 3},         {10, 0, 10, 0},
                                {30, 20, 0, 3},     {20000, 9000, 7000, 4}, {50, 60, 40, 25}};
    for (int s = 0; s < 6; ++s)
        for (int l = 0; l < 6; ++l) {
            spg_csr A, B;
            spg_type type = test_value_types[(s + l) % 4];
            test_random_csr(test_host(), (test_matrix){sizes[s][0], sizes[s][1], (double)sizes[s][3], SPG_I32, type}, 1,
                            0, &A);
            test_random_csr(
                test_host(),
                (test_matrix){sizes[s][1], sizes[s][2], (double)sizes[s][3], test_offset_types[l % 2], type}, 2,
                TEST_UNSORTED, &B);
            check_both(&A, &B, 1 + l % 3, limits[l]);
            spg_csr_free(test_host(), &A);
            spg_csr_free(test_host(), &B);
        }
}

static void stats_count_rows_of_any_length(void **state)
{
    (void)state;
    test_pattern a = {0}, b = {0};
    uint64_t random = 4;
    const int64_t entries[] = {0, 1, 4000, 9000, 2, 17000, 3, 30000};
    for (int64_t i = 0; i < 8; ++i) {
        test_add_random(&a, &random, entries[i], 0, 30000, true);
        test_end_row(&a);
    }
    for (int64_t i = 0; i < 30000; ++i) {
        test_add_random(&b, &random, 1 + i % 4, 0, 9000, true);
        test_end_row(&b);
    }
    spg_csr A, B;
    test_matrix_of(&a, 30000, SPG_I32, SPG_F64, 1, 0, &A);
    test_matrix_of(&b, 9000, SPG_I32, SPG_F64, 2, 0, &B);
    test_free_pattern(&a);
    test_free_pattern(&b);
    const spg_row_limits limits[] = {{INT64_MAX, INT64_MAX, INT64_MAX}, {8, 16000, 30000}, {0, 0, 0}};
    double share = 0;
    for (int l = 0; l < 3; ++l) share = fmax(share, check_both(&A, &B, 2, limits[l]));
    if (test_place() == SPG_PLACE_HOST)
        assert_true(share > 0.5); /* of milliseconds, of which little lies between them */
    spg_csr_free(test_host(), &A);
    spg_csr_free(test_host(), &B);
}

/* One row of C is far longer than a sample lets a device expect, over so many columns that it goes to no window. */
static void stats_count_rows_that_are_longer_than_expected(void **state)
{
    (void)state;
    enum { COLUMNS = 728565277, LONG = 1024 };
    test_pattern a = {0}, b = {0};
    uint64_t random = 5;
    const int64_t of_a[8][2] = {{4, 5}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 2}, {4, 6}, {0, 0}}; /* columns from, to */
    const int64_t of_b[6] = {3, 2, 0, 0, 1, LONG};
    for (int64_t i = 0; i < 8; ++i) {
        test_add_random(&a, &random, of_a[i][1] - of_a[i][0], of_a[i][0], of_a[i][1], true);
        test_end_row(&a);
    }
    for (int64_t i = 0; i < 6; ++i) {
        test_add_random(&b, &random, of_b[i], 0, COLUMNS, true);
        test_end_row(&b);
    }
    spg_csr A, B;
    test_matrix_of(&a, 6, SPG_I32, SPG_F32, 1, 0, &A);
    test_matrix_of(&b, COLUMNS, SPG_I32, SPG_F32, 2, 0, &B);
    test_free_pattern(&a);
    test_free_pattern(&b);
    check_both(&A, &B, 1, (spg_row_limits){-1, -1, -1});
    spg_csr_free(test_host(), &A);
    spg_csr_free(test_host(), &B);
}

static void the_last_stats_are_of_the_last_product_that_succeeded(void **state)
{
    (void)state;
    spg_context *context = test_context(2, test_default_limits);
    spg_csr A, B, here_A, here_B, C;
    test_random_csr(test_host(), (test_matrix){50, 40, 4, SPG_I32, SPG_F64}, 1, 0, &A);
    test_random_csr(test_host(), (test_matrix){40, 30, 4, SPG_I32, SPG_F64}, 2, 0, &B);
    test_to_place(context, &A, &here_A);
    test_to_place(context, &B, &here_B);
    assert_int_equal(spgemm_csr(context, &here_A, &here_B, &C), SPG_OK);
    spgemm_stats first, second;
    assert_int_equal(spgemm_last_stats(context, &first), SPG_OK);
    spg_csr none;
    assert_int_equal(spgemm_csr(context, &here_B, &here_A, &none), SPG_ERROR_SHAPE);
    assert_int_equal(spgemm_last_stats(context, &second), SPG_OK);
    assert_memory_equal(&first, &second, sizeof first);
    spg_csr_free(context, &C);
    spg_csr_free(context, &here_A);
    spg_csr_free(context, &here_B);
    spg_csr_free(test_host(), &A);
    spg_csr_free(test_host(), &B);
    spg_context_destroy(context);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stats_agree_with_the_matrices),
        cmocka_unit_test(stats_count_rows_of_any_length),
        cmocka_unit_test(stats_count_rows_that_are_longer_than_expected),
        cmocka_unit_test(the_last_stats_are_of_the_last_product_that_succeeded),
    };
    return TEST_RUN_HERE(argc, argv, "product stats", tests);
}
