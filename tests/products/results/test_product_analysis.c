/* The analysis of a product, against sums by hand and by a plain loop. */
#include "products.h"
#include "spgemm/row_class.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void analyse(spg_context *context, const spg_csr *A, const spg_csr *B, const spg_csr *C,
                    const spg_row_limits *limits, int64_t *row_products, spgemm_analysis *analysis)
{
    spg_csr here_A, here_B, here_C = {0};
    test_to_place(context, A, &here_A);
    test_to_place(context, B, &here_B);
    if (C != NULL) test_to_place(context, C, &here_C);
    spg_status status =
        spgemm_analyse(context, &here_A, &here_B, C != NULL ? &here_C : NULL, limits, row_products, analysis);
    if (status != SPG_OK) fail_msg("%s", spg_context_message(context));
    spg_csr_free(context, &here_A);
    spg_csr_free(context, &here_B);
    spg_csr_free(context, &here_C);
}

static void assert_factor(const spg_factor *factor, double min, double max, double mean, double stddev, int64_t rows)
{
    assert_int_equal(factor->rows, rows);
    assert_true(factor->min == min);
    assert_true(factor->max == max);
    if (!(fabs(factor->mean - mean) <= 1e-12 * fabs(mean))) fail_msg("mean %.17g, expected %.17g", factor->mean, mean);
    if (!(fabs(factor->stddev - stddev) <= 1e-11 * (fabs(mean) + stddev)))
        fail_msg("stddev %.17g, expected %.17g", factor->stddev, stddev);
}

static void a_small_product_is_analysed_as_by_hand(void **state)
{
    (void)state;
    /* B's rows have 2, 0, 3, 1 entries; A's rows name {0, 2}, {}, {1}, {0, 1, 2, 3}, {3}: 5, 0, 0, 6, 1 products. */
    int32_t b_offsets[] = {0, 2, 2, 5, 6}, b_columns[] = {0, 3, 0, 1, 4, 4};
    int32_t a_offsets[] = {0, 2, 2, 3, 7, 8}, a_columns[] = {0, 2, 1, 0, 1, 2, 3, 3};
    double values[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    spg_csr A = {5, 4, 8, SPG_I32, SPG_F64, SPG_PLACE_HOST, a_offsets, a_columns, values};
    spg_csr B = {4, 5, 6, SPG_I32, SPG_F64, SPG_PLACE_HOST, b_offsets, b_columns, values};
    spg_csr C;
    test_reference_product(&A, &B, &C); /* rows of 4, 0, 0, 4, 1 entries */
    spg_context *context = test_context(2, test_default_limits);
    spgemm_analysis analysis;
    spg_row_limits limits = {1, 4, 5};
    analyse(context, &A, &B, &C, &limits, NULL, &analysis);
    assert_int_equal(analysis.products, 12);
    assert_int_equal(analysis.longest_row, 6);
    assert_factor(&analysis.row_products, 0, 6, 2.4, sqrt((25 + 0 + 0 + 36 + 1) / 5.0 - 2.4 * 2.4), 5);
    assert_factor(&analysis.expansion, 0, 2.5, (2.5 + 0 + 1.5 + 1) / 4, sqrt((6.25 + 2.25 + 1) / 4 - 1.5625), 4);
    double mean = (1.25 + 1.5 + 1) / 3;
    assert_factor(&analysis.contraction, 1, 1.5, mean, sqrt((1.5625 + 2.25 + 1) / 3 - mean * mean), 3);
    const int64_t rows[] = {2, 1, 0, 1, 1}, products[] = {0, 1, 0, 5, 6};
    assert_memory_equal(analysis.class_rows, rows, sizeof rows);
    assert_memory_equal(analysis.class_products, products, sizeof products);
    analyse(context, &A, &B, NULL, &limits, NULL, &analysis);
    test_assert_zeroed(&analysis.contraction, sizeof analysis.contraction);
    spg_csr_free(test_host(), &C);
    spg_context_destroy(context);
}

static void add_value(double value, double *sum, double *squares)
{
    *sum += value;
    *squares += value * value;
}

/* Everything again by a plain loop, for these limits. */
static void check_against_loop(const spg_csr *A, const spg_csr *B, const spg_csr *C, const spg_row_limits *limits,
                               const spgemm_analysis *analysis)
{
    int64_t class_rows[SPG_ROW_CLASSES] = {0}, class_products[SPG_ROW_CLASSES] = {0}, total = 0, longest = 0;
    double min[3] = {INFINITY, INFINITY, INFINITY}, max[3] = {0}, sum[3] = {0}, squares[3] = {0};
    int64_t rows[3] = {0};
    for (int64_t i = 0; i < A->rows; ++i) {
        int64_t products = test_row_products(A, B, i), entries = test_offset(A, i + 1) - test_offset(A, i);
        int64_t result = test_offset(C, i + 1) - test_offset(C, i);
        double values[3] = {(double)products, entries ? (double)products / (double)entries : -1,
                            result ? (double)products / (double)result : -1};
        for (int f = 0; f < 3; ++f) {
            if (values[f] < 0) continue;
            ++rows[f];
            add_value(values[f], &sum[f], &squares[f]);
            min[f] = fmin(min[f], values[f]);
            max[f] = fmax(max[f], values[f]);
        }
        spg_row_class row_class = spg_classify(products, limits);
        ++class_rows[row_class];
        class_products[row_class] += products;
        total += products;
        if (products > longest) longest = products;
    }
    assert_int_equal(analysis->products, total);
    assert_int_equal(analysis->longest_row, longest);
    assert_memory_equal(analysis->class_rows, class_rows, sizeof class_rows);
    assert_memory_equal(analysis->class_products, class_products, sizeof class_products);
    const spg_factor *factors[] = {&analysis->row_products, &analysis->expansion, &analysis->contraction};
    for (int f = 0; f < 3; ++f) {
        if (rows[f] == 0) {
            test_assert_zeroed(factors[f], sizeof *factors[f]);
            continue;
        }
        double mean = sum[f] / (double)rows[f], variance = squares[f] / (double)rows[f] - mean * mean;
        assert_factor(factors[f], min[f], max[f], mean, sqrt(fmax(variance, 0)), rows[f]);
    }
}

static void random_products_are_analysed_as_by_a_plain_loop(void **state)
{
    (void)state;
    const int64_t rows[] = {0, 1, 255, 256, 257, 5000, 300000};
    const spg_row_limits limits[] = {{4, 16, 64}, {0, 0, 0}, {1, 1, 1000000}};
    spg_context *context = test_context(2, test_default_limits);
    for (int r = 0; r < 7; ++r)
        for (int o = 0; o < 4; ++o) {
            spg_csr A, B, C;
            test_random_csr(test_host(), (test_matrix){rows[r], 300, 4, test_offset_types[o % 2], SPG_F32}, 9, 0, &A);
            test_random_csr(test_host(), (test_matrix){300, 200, 4, test_offset_types[o / 2], SPG_F32}, 10,
                            TEST_DUPLICATES, &B);
            test_reference_product(&A, &B, &C);
            for (int l = 0; l < 3; ++l) {
                spgemm_analysis analysis;
                analyse(context, &A, &B, &C, &limits[l], NULL, &analysis);
                check_against_loop(&A, &B, &C, &limits[l], &analysis);
                spg_context_set_row_limits(context, &limits[l]);
                spgemm_analysis again;
                analyse(context, &A, &B, &C, NULL, NULL, &again); /* the context's limits */
                assert_memory_equal(&again, &analysis, sizeof analysis);
            }
            spg_csr_free(test_host(), &A);
            spg_csr_free(test_host(), &B);
            spg_csr_free(test_host(), &C);
        }
    spg_context_destroy(context);
}

static void the_number_of_threads_does_not_change_a_bit(void **state)
{
    (void)state;
    spg_csr A, B, C;
    test_random_csr(test_host(), (test_matrix){400000, 1000, 3, SPG_I32, SPG_F32}, 9, 0, &A);
    test_random_csr(test_host(), (test_matrix){1000, 900, 5, SPG_I32, SPG_F32}, 10, 0, &B);
    test_reference_product(&A, &B, &C);
    spgemm_analysis first, other;
    for (int t = 0; t < TEST_THREADS; ++t) {
        spg_context *context = test_context(test_thread_counts[t], test_default_limits);
        analyse(context, &A, &B, &C, NULL, NULL, t == 0 ? &first : &other);
        if (t > 0) assert_memory_equal(&first, &other, sizeof first);
        spg_context_destroy(context);
    }
    spg_csr_free(test_host(), &A);
    spg_csr_free(test_host(), &B);
    spg_csr_free(test_host(), &C);
}

static void equal_rows_deviate_by_nothing(void **state)
{
    (void)state;
    test_pattern a = {0}, b = {0};
    for (int64_t i = 0; i < 100000; ++i) {
        for (int64_t k = 0; k < 7; ++k) test_add(&a, (i + 3 * k) % 50);
        test_end_row(&a);
    }
    for (int64_t i = 0; i < 50; ++i) {
        for (int64_t k = 0; k < 3; ++k) test_add(&b, (i + k) % 50);
        test_end_row(&b);
    }
    spg_csr A, B;
    test_matrix_of(&a, 50, SPG_I32, SPG_F64, 1, 0, &A);
    test_matrix_of(&b, 50, SPG_I32, SPG_F64, 1, 0, &B);
    test_free_pattern(&a);
    test_free_pattern(&b);
    spg_context *context = test_context(2, test_default_limits);
    spgemm_analysis analysis;
    analyse(context, &A, &B, NULL, NULL, NULL, &analysis);
    assert_true(analysis.row_products.mean == 21 && analysis.row_products.stddev == 0);
    assert_true(analysis.expansion.mean == 3 && analysis.expansion.stddev == 0);
    spg_csr_free(test_host(), &A);
    spg_csr_free(test_host(), &B);
    spg_context_destroy(context);
}

static void the_products_of_each_row_are_handed_out(void **state)
{
    (void)state;
    enum { ROWS = 3000 };
    spg_csr A, B;
    test_random_csr(test_host(), (test_matrix){ROWS, 300, 6, SPG_I64, SPG_C64}, 9, TEST_UNSORTED, &A);
    test_random_csr(test_host(), (test_matrix){300, 200, 6, SPG_I32, SPG_C64}, 10, TEST_DUPLICATES, &B);
    spg_context *context = test_context(3, test_default_limits);
    int64_t products[ROWS] = {0}, *here = test_lend(products, sizeof products);
    spgemm_analysis analysis;
    analyse(context, &A, &B, NULL, NULL, here, &analysis);
    test_fetch(here, sizeof products, products);
    test_give_back(here, sizeof products);
    for (int64_t i = 0; i < ROWS; ++i) assert_int_equal(products[i], test_row_products(&A, &B, i));
    spg_csr_free(test_host(), &A);
    spg_csr_free(test_host(), &B);
    spg_context_destroy(context);
}

/* A smaller limit never means other blocks of rows, which would be other roundings. */
static void under_a_workspace_limit_an_analysis_is_the_same_or_refused(void **state)
{
    (void)state;
    spg_csr A, B, here_A, here_B;
    test_random_csr(test_host(), (test_matrix){5000, 300, 6, SPG_I32, SPG_F32}, 9, 0, &A);
    test_random_csr(test_host(), (test_matrix){300, 200, 6, SPG_I64, SPG_F32}, 10, 0, &B);
    spg_context *context = test_context(2, test_default_limits);
    test_to_place(context, &A, &here_A);
    test_to_place(context, &B, &here_B);
    spgemm_analysis expected, analysis;
    assert_int_equal(spgemm_analyse(context, &here_A, &here_B, NULL, NULL, NULL, &expected), SPG_OK);
    assert_int_equal(spg_context_set_workspace_limit(context, 1), SPG_OK);
    assert_int_equal(spgemm_analyse(context, &here_A, &here_B, NULL, NULL, NULL, &analysis), SPG_ERROR_MEMORY);
    long long needed = 0;
    assert_int_equal(
        sscanf(spg_context_message(context), "the analysis of a product: %lld bytes of workspace are needed", &needed),
        1);
    int64_t before, after, peak;
    spg_context_memory(context, &before, NULL);
    spg_context_memory_reset(context);
    assert_int_equal(spg_context_set_workspace_limit(context, needed - 1), SPG_OK);
    assert_int_equal(spgemm_analyse(context, &here_A, &here_B, NULL, NULL, NULL, &analysis), SPG_ERROR_MEMORY);
    test_assert_zeroed(&analysis, sizeof analysis);
    spg_context_memory(context, &after, &peak);
    assert_true(after == before && peak == before);
    assert_int_equal(spg_context_set_workspace_limit(context, needed), SPG_OK);
    assert_int_equal(spgemm_analyse(context, &here_A, &here_B, NULL, NULL, NULL, &analysis), SPG_OK);
    assert_memory_equal(&analysis, &expected, sizeof expected);
    spg_context_memory(context, &after, &peak);
    assert_true(after == before && peak - before <= needed);
    spg_csr_free(context, &here_A);
    spg_csr_free(context, &here_B);
    spg_csr_free(test_host(), &A);
    spg_csr_free(test_host(), &B);
    spg_context_destroy(context);
}

static spg_context *asked;
static spg_csr sound_A, sound_B, sound_C;

static const spg_csr *copy_of(const spg_csr *host, spg_csr *here)
{
    if (host == NULL) return NULL;
    test_to_place(asked, host, here);
    return here;
}

/* The matrices are on the host. */
static void refuse(const spg_csr *A, const spg_csr *B, const spg_csr *C, const spg_row_limits *limits,
                   spg_status expected, const char *begins)
{
    spgemm_analysis analysis;
    int64_t products[40] = {0}, *here = test_lend(products, sizeof products);
    spg_csr here_A = {0}, here_B = {0}, here_C = {0};
    memset(&analysis, 0x5a, sizeof analysis);
    spg_status status =
        spgemm_analyse(asked, copy_of(A, &here_A), copy_of(B, &here_B), copy_of(C, &here_C), limits, here, &analysis);
    if (status != expected || strncmp(spg_context_message(asked), begins, strlen(begins)) != 0)
        fail_msg("%s: \"%s\", expected %s: \"%s...\"", spg_status_name(status), spg_context_message(asked),
                 spg_status_name(expected), begins);
    test_assert_zeroed(&analysis, sizeof analysis);
    spg_csr_free(asked, &here_A);
    spg_csr_free(asked, &here_B);
    spg_csr_free(asked, &here_C);
    test_give_back(here, sizeof products);
}

static void analysis_refuses_what_is_no_product(void **state)
{
    (void)state;
    asked = test_context(3, test_default_limits);
    test_random_csr(test_host(), (test_matrix){40, 30, 5, SPG_I32, SPG_F64}, 9, 0, &sound_A);
    test_random_csr(test_host(), (test_matrix){30, 20, 5, SPG_I32, SPG_F64}, 10, 0, &sound_B);
    test_reference_product(&sound_A, &sound_B, &sound_C);
    spgemm_analysis analysis;
    assert_int_equal(spgemm_analyse(NULL, &sound_A, &sound_B, NULL, NULL, NULL, &analysis), SPG_ERROR_ARGUMENT);
    assert_int_equal(spgemm_analyse(asked, &sound_A, &sound_B, NULL, NULL, NULL, NULL), SPG_ERROR_ARGUMENT);
    refuse(NULL, &sound_B, NULL, NULL, SPG_ERROR_ARGUMENT, "A");
    refuse(&sound_A, NULL, NULL, NULL, SPG_ERROR_ARGUMENT, "B");
    refuse(&sound_A, &sound_A, NULL, NULL, SPG_ERROR_SHAPE, "A");
    refuse(&sound_A, &sound_B, &sound_B, NULL, SPG_ERROR_SHAPE, "C");
    spg_row_limits limits = {-2, 1, 1};
    refuse(&sound_A, &sound_B, NULL, &limits, SPG_ERROR_ARGUMENT, "limits");
    int64_t entry = test_offset(&sound_A, 23);
    assert_true(test_offset(&sound_A, 24) > entry);
    int32_t saved = sound_A.columns[entry];
    sound_A.columns[entry] = 30;
    refuse(&sound_A, &sound_B, NULL, NULL, SPG_ERROR_FORMAT, "A: row 23");
    sound_A.columns[entry] = -1;
    refuse(&sound_A, &sound_B, NULL, NULL, SPG_ERROR_FORMAT, "A: row 23");
    sound_A.columns[entry] = saved;
    spg_csr *matrices[] = {&sound_A, &sound_B, &sound_C};
    const char *names[] = {"A: row 11", "B: row 11", "C: row 11"};
    for (int k = 0; k < 3; ++k) {
        int32_t *offset = &((int32_t *)matrices[k]->row_offsets)[12];
        const int32_t wrong[] = {-1, INT32_MAX, INT32_MIN, 0};
        saved = *offset;
        for (int w = 0; w < 4; ++w) {
            *offset = wrong[w];
            refuse(&sound_A, &sound_B, &sound_C, NULL, SPG_ERROR_FORMAT, names[k]);
        }
        *offset = saved;
    }
    int64_t row = 0;
    while (test_offset(&sound_C, row + 1) == 0) ++row;
    int32_t *offset = &((int32_t *)sound_C.row_offsets)[row + 1];
    *offset = 0; /* a row of products without an entry */
    char text[32];
    snprintf(text, sizeof text, "C: row %d", (int)row);
    refuse(&sound_A, &sound_B, &sound_C, NULL, SPG_ERROR_SHAPE, text);
    spg_csr_free(test_host(), &sound_A);
    spg_csr_free(test_host(), &sound_B);
    spg_csr_free(test_host(), &sound_C);
    spg_context_destroy(asked);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_small_product_is_analysed_as_by_hand),
        cmocka_unit_test(random_products_are_analysed_as_by_a_plain_loop),
        cmocka_unit_test(the_number_of_threads_does_not_change_a_bit),
        cmocka_unit_test(equal_rows_deviate_by_nothing),
        cmocka_unit_test(the_products_of_each_row_are_handed_out),
        cmocka_unit_test(under_a_workspace_limit_an_analysis_is_the_same_or_refused),
        cmocka_unit_test(analysis_refuses_what_is_no_product),
    };
    return TEST_RUN_HERE(argc, argv, "product analysis", tests);
}
