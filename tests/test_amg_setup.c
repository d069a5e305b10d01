/* Setups that are refused, that fail on the way, that repeat, and that meet what a matrix can come to. */
#include "amg_reference.h"
#include "fault.h"
#include "generators.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Misuse ---- */

static void expect_options(test_system *system, const spg_amg_options *options, spg_status expected, const char *word)
{
    spg_amg *amg = (spg_amg *)(void *)system;
    assert_int_equal(spg_amg_setup(system->context, &system->A_here, options, &amg), expected);
    assert_null(amg);
    if (strstr(spg_context_message(system->context), word) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", spg_context_message(system->context), word);
}

#define EXPECT(field, value, status)                                                                                   \
    do {                                                                                                               \
        spg_amg_options wrong = spg_amg_options_default();                                                             \
        wrong.field = value;                                                                                           \
        expect_options(&system, &wrong, status, #field);                                                               \
    } while (0)

static void options_out_of_range_are_refused_by_name(void **state)
{
    (void)state;
    const spg_csr A = test_generate("fd2d5:10", SPG_F64);
    test_system system;
    test_system_begin(&A, NULL, 1, &system);
    EXPECT(aggregation, (spg_aggregation)2, SPG_ERROR_ARGUMENT);
    EXPECT(smoother, (spg_smoother)-1, SPG_ERROR_ARGUMENT);
    EXPECT(theta, -0.5, SPG_ERROR_ARGUMENT);
    EXPECT(theta, NAN, SPG_ERROR_ARGUMENT);
    EXPECT(block_size, 0, SPG_ERROR_ARGUMENT);
    EXPECT(block_size, 3, SPG_ERROR_SHAPE);
    EXPECT(block_size, 33, SPG_ERROR_UNSUPPORTED);
    EXPECT(candidates, -1, SPG_ERROR_ARGUMENT);
    EXPECT(candidates, 33, SPG_ERROR_UNSUPPORTED);
    EXPECT(candidates, 2, SPG_ERROR_ARGUMENT);                          /* without values */
    EXPECT(candidate_values, system.A_here.values, SPG_ERROR_ARGUMENT); /* without a number */
    EXPECT(prolongator_relaxation, -1, SPG_ERROR_ARGUMENT);
    EXPECT(prolongator_relaxation, INFINITY, SPG_ERROR_ARGUMENT);
    EXPECT(spectral_steps, 0, SPG_ERROR_ARGUMENT);
    EXPECT(max_coarse, 0, SPG_ERROR_ARGUMENT);
    EXPECT(max_coarse, 4097, SPG_ERROR_ARGUMENT);
    EXPECT(max_levels, 0, SPG_ERROR_ARGUMENT);
    EXPECT(max_levels, 101, SPG_ERROR_ARGUMENT);
    EXPECT(pre_sweeps, -1, SPG_ERROR_ARGUMENT);
    EXPECT(post_sweeps, -1, SPG_ERROR_ARGUMENT);
    EXPECT(relaxation, 0, SPG_ERROR_ARGUMENT);
    EXPECT(chebyshev_degree, 0, SPG_ERROR_ARGUMENT);
    EXPECT(chebyshev_ratio, 1, SPG_ERROR_ARGUMENT);
    if (test_place() == SPG_PLACE_DEVICE) {
        spg_amg_options standard = spg_amg_options_default();
        standard.aggregation = SPG_AGGREGATION_STANDARD;
        expect_options(&system, &standard, SPG_ERROR_UNSUPPORTED, "standard aggregation");
    }
    test_system_end(&system);
}

static void expect_matrix(const spg_csr *A, spg_status expected, const char *word)
{
    spg_context *context = test_context_at_place(2);
    spg_csr here;
    spg_amg *amg = (spg_amg *)(void *)context;
    test_to_place(context, A, &here);
    assert_int_equal(spg_amg_setup(context, &here, NULL, &amg), expected);
    assert_null(amg);
    if (strstr(spg_context_message(context), word) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", spg_context_message(context), word);
    spg_csr_free(context, &here);
    spg_context_destroy(context);
}

static void matrices_that_have_no_hierarchy_are_refused(void **state)
{
    (void)state;
    spg_csr A = test_generate("fd2d5:200", SPG_F64), wide, complex = test_generate("fd2d5:10", SPG_C64);
    const double numbers[] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 3; k++) {
        const int64_t at = k == 0 ? 0 : A.nnz / k - 1;
        char word[64];
        int64_t row = 0;
        while (test_offset(&A, row + 1) <= at) row++;
        snprintf(word, sizeof word, "row %lld ", (long long)row);
        const double kept = ((double *)A.values)[at];
        ((double *)A.values)[at] = numbers[k];
        expect_matrix(&A, SPG_ERROR_FORMAT, word);
        ((double *)A.values)[at] = kept;
    }
    test_random_csr(test_host(), 5, 6, 2, SPG_I32, SPG_F64, 1, 0, &wide);
    expect_matrix(&wide, SPG_ERROR_SHAPE, "5 x 6");
    expect_matrix(&complex, SPG_ERROR_UNSUPPORTED, "c64");
    A.columns[7] = 40000;
    expect_matrix(&A, SPG_ERROR_FORMAT, "column 40000");
    spg_csr_free(test_host(), &A);
    spg_csr_free(test_host(), &wide);
    spg_csr_free(test_host(), &complex);
}

static void null_arguments_are_refused(void **state)
{
    (void)state;
    const spg_csr A = test_generate("fd2d5:10", SPG_F64);
    test_system system;
    spg_amg *amg;
    spg_amg_level_view view;
    spg_amg_summary summary;
    test_system_begin(&A, NULL, 1, &system);
    assert_int_equal(spg_amg_setup(NULL, &system.A_here, NULL, &amg), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_amg_setup(system.context, NULL, NULL, &amg), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_amg_setup(system.context, &system.A_here, NULL, NULL), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_amg_levels(NULL), 0);
    assert_int_equal(spg_amg_level(NULL, 0, &view), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_amg_level(system.amg, 0, NULL), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_amg_level(system.amg, -1, &view), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_amg_level(system.amg, 1, &view), SPG_ERROR_ARGUMENT);
    test_assert_zeroed(&view, sizeof view);
    assert_int_equal(spg_amg_summarise(NULL, &summary), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_amg_summarise(system.amg, NULL), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_amg_print(system.amg, NULL, NULL), SPG_ERROR_ARGUMENT);
    spg_amg_destroy(NULL);
    test_system_end(&system);
}

/* ---- Faults ---- */

typedef struct fault_case {
    const char *name;
    spg_aggregation aggregation;
    spg_smoother smoother;
    double theta;
    int block_size, join, prepare;
} fault_case;

static void every_allocation_of_a_setup_or_an_update_may_fail(void **state)
{
    (void)state;
    const fault_case cases[] = {{"fd2d5:20", SPG_AGGREGATION_MIS2, SPG_SMOOTHER_JACOBI, 0, 1, 1, 1},
                                {"fd2d5:20", SPG_AGGREGATION_STANDARD, SPG_SMOOTHER_CHEBYSHEV, 0.1, 1, 0, 0},
                                {"elast3d:4", SPG_AGGREGATION_MIS2, SPG_SMOOTHER_L1_JACOBI, 0.01, 3, 0, 0}};
    for (int c = 0; c < 3; c++) {
        test_allocator memory;
        spg_context *context = test_faulty_context(&memory, 2, 0);
        spg_csr A = test_generate(cases[c].name, SPG_F64), here;
        spg_amg_options options = spg_amg_options_default();
        if (test_place() == SPG_PLACE_HOST) options.aggregation = cases[c].aggregation;
        options.smoother = cases[c].smoother;
        options.theta = cases[c].theta;
        options.block_size = cases[c].block_size;
        options.join_leftovers = cases[c].join;
        options.prepare_update = cases[c].prepare;
        options.max_coarse = 10;
        test_to_place(context, &A, &here);
        const int64_t before = test_live(&memory);
        spg_amg *amg = NULL;
        int64_t k = 1;
        for (bool failed = true; failed; k++) {
            test_fail_at(&memory, k);
            const spg_status status = spg_amg_setup(context, &here, &options, &amg);
            failed = test_failed(&memory);
            test_fail_at(&memory, 0);
            assert_int_equal(status, failed ? SPG_ERROR_MEMORY : SPG_OK);
            if (!failed) break;
            assert_null(amg);
            assert_int_equal(test_live(&memory), before);
        }
        assert_true(k > 20);
        const int64_t held = test_live(&memory);
        for (k = 1;; k++) {
            test_fail_at(&memory, k);
            const spg_status status = spg_amg_update(context, amg, &here);
            const bool failed = test_failed(&memory);
            test_fail_at(&memory, 0);
            assert_int_equal(status, failed ? SPG_ERROR_MEMORY : SPG_OK);
            if (!failed) break;
            assert_int_equal(test_live(&memory), held);
        }
        assert_true(cases[c].prepare ? k == 1 : k > 5);
        spg_amg_destroy(amg);
        assert_int_equal(test_live(&memory), before);
        spg_csr_free(context, &here);
        spg_csr_free(test_host(), &A);
        spg_context_destroy(context);
    }
}

/* ---- Repeats ---- */

static void a_setup_has_the_same_bits_at_any_number_of_threads(void **state)
{
    (void)state;
    const char *const names[] = {"fd2d5:150", "fd3d7:25", "elast3d:9"};
    const spg_type types[] = {SPG_F64, SPG_F32};
    for (int m = 0; m < 3; m++)
        for (int t = 0; t < 2; t++) {
            test_hierarchy first, again;
            for (int threads = 1; threads <= 4; threads++) {
                const spg_csr A = test_generate(names[m], types[t]);
                spg_amg_options options = spg_amg_options_default();
                options.block_size = m == 2 ? 3 : 1;
                options.theta = m == 1 ? 0 : 0.02;
                options.max_coarse = 30;
                test_system system;
                test_system_begin(&A, &options, threads, &system);
                test_fetch_hierarchy(&system, threads == 1 ? &first : &again);
                test_system_end(&system);
                if (threads == 1) continue;
                test_assert_same_hierarchy(&first, &again);
                test_free_hierarchy(&again);
            }
            test_free_hierarchy(&first);
        }
}

/* ---- What a matrix can come to ---- */

/* Sets up, updates to the same values, runs a cycle; all numbers stay finite. Returns the levels. */
static int check_runs(const spg_csr *A, const spg_amg_options *options)
{
    test_system system;
    test_hierarchy before, after;
    test_system_begin(A, options, 2, &system);
    const int levels = spg_amg_levels(system.amg);
    test_fetch_hierarchy(&system, &before);
    for (int l = 0; l < levels; l++) {
        const test_level *level = &before.level[l];
        for (int64_t k = 0; k < level->A.nnz; k++) assert_true(isfinite(test_real(&level->A, k)));
        for (int64_t k = 0; k < level->P.nnz; k++) assert_true(isfinite(test_real(&level->P, k)));
        assert_true(l + 1 == levels ? level->view.rho >= 0 : level->view.rho > 0);
    }
    assert_int_equal(spg_amg_update(system.context, system.amg, &system.A_here), SPG_OK);
    test_fetch_hierarchy(&system, &after);
    test_assert_same_hierarchy(&before, &after);
    assert_int_equal(spg_amg_cycle(system.context, system.amg, system.b, system.x), SPG_OK);
    double *x = malloc(system.bytes + 8);
    assert_non_null(x);
    test_fetch(system.x, system.bytes, x);
    for (int64_t i = 0; i < system.A.rows; i++) assert_true(isfinite(x[i]));
    free(x);
    test_free_hierarchy(&before);
    test_free_hierarchy(&after);
    test_system_end(&system);
    return levels;
}

static spg_csr diagonal(int64_t n, double value)
{
    spg_csr A;
    assert_int_equal(spg_csr_alloc(test_host(), n, n, n, SPG_I32, SPG_F64, &A), SPG_OK);
    for (int64_t i = 0; i < n; i++) {
        ((int32_t *)A.row_offsets)[i + 1] = (int32_t)i + 1;
        A.columns[i] = (int32_t)i;
        ((double *)A.values)[i] = value;
    }
    return A;
}

static spg_csr without_entries(int64_t n)
{
    spg_csr A;
    assert_int_equal(spg_csr_alloc(test_host(), n, n, 0, SPG_I32, SPG_F64, &A), SPG_OK);
    return A;
}

static spg_amg_options small_coarse(int join)
{
    spg_amg_options options = spg_amg_options_default();
    options.max_coarse = 2;
    options.join_leftovers = join;
    return options;
}

static void a_matrix_without_rows_has_one_level(void **state)
{
    (void)state;
    const spg_csr A = without_entries(0);
    assert_int_equal(check_runs(&A, NULL), 1);
}

static void matrices_that_nothing_connects_stall_on_the_first_level(void **state)
{
    (void)state;
    for (int join = 0; join < 2; join++) {
        const spg_amg_options options = small_coarse(join);
        spg_csr A = diagonal(50, 2);
        assert_int_equal(check_runs(&A, &options), 1);
        A = without_entries(50);
        assert_int_equal(check_runs(&A, &options), 1);
        A = diagonal(6000, 2); /* past what is solved densely */
        assert_int_equal(check_runs(&A, &options), 1);
        A = without_entries(6000);
        assert_int_equal(check_runs(&A, &options), 1);
        A = diagonal(1, 0);
        assert_int_equal(check_runs(&A, &options), 1);
    }
}

static void zero_and_missing_diagonals_are_left_alone(void **state)
{
    (void)state;
    for (int join = 0; join < 2; join++)
        for (int missing = 0; missing < 2; missing++) {
            spg_csr A = test_generate("fd2d5:20", SPG_F64);
            for (int64_t i = 0; i < A.rows; i += 7)
                for (int64_t k = test_offset(&A, i); k < test_offset(&A, i + 1); k++)
                    if (A.columns[k] == i) ((double *)A.values)[k] = 0;
            if (missing) { /* the whole diagonal moves to a neighbour */
                for (int64_t i = 0; i < A.rows; i++)
                    for (int64_t k = test_offset(&A, i); k < test_offset(&A, i + 1); k++)
                        if (A.columns[k] == i) A.columns[k] = (int32_t)(i == 0 ? 1 : i - 1);
            }
            spg_amg_options options = small_coarse(join);
            assert_true(check_runs(&A, &options) >= 2);
        }
}

static void negative_definite_matrices_have_a_hierarchy(void **state)
{
    (void)state;
    spg_csr A = test_generate("fd2d5:20", SPG_F64);
    for (int64_t k = 0; k < A.nnz; k++) ((double *)A.values)[k] *= -1;
    const spg_amg_options options = small_coarse(1);
    assert_true(check_runs(&A, &options) >= 2);
}

/* The null space of the first operator stays that of all: the coarsest is singular. */
static void singular_operators_are_solved_by_pseudo_inverse(void **state)
{
    (void)state;
    for (int64_t max_coarse = 1; max_coarse <= 100; max_coarse *= 10) {
        spg_csr A = test_generate("fd2d5:20", SPG_F64);
        for (int64_t i = 0; i < A.rows; i++) { /* row sums zero */
            double sum = 0;
            int64_t at = 0;
            for (int64_t k = test_offset(&A, i); k < test_offset(&A, i + 1); k++) {
                if (A.columns[k] == i) at = k;
                if (A.columns[k] != i) sum += ((double *)A.values)[k];
            }
            ((double *)A.values)[at] = -sum;
        }
        spg_amg_options options = spg_amg_options_default();
        options.max_coarse = max_coarse;
        assert_true(check_runs(&A, &options) >= 2);
    }
}

static void candidates_that_depend_on_each_other_become_zero_rows(void **state)
{
    (void)state;
    const spg_csr A = test_generate("fd2d5:20", SPG_F64);
    const size_t n = 400;
    double *values = calloc(3 * n, sizeof *values);
    assert_non_null(values);
    for (size_t i = 0; i < n; i++) values[i] = 1, values[n + i] = 3, values[2 * n + i] = (double)i; /* the second: 3x */
    void *here = test_lend(values, 3 * n * sizeof *values);
    spg_amg_options options = spg_amg_options_default();
    options.candidates = 3;
    options.candidate_values = here;
    options.max_coarse = 50;
    test_system system;
    test_hierarchy hierarchy;
    test_system_begin(&A, &options, 2, &system);
    test_fetch_hierarchy(&system, &hierarchy);
    assert_true(hierarchy.levels >= 2);
    const spg_csr *coarse = &hierarchy.level[1].A;
    int64_t zeros = 0;
    for (int64_t i = 1; i < coarse->rows; i += 3)
        for (int64_t k = test_offset(coarse, i); k < test_offset(coarse, i + 1); k++, zeros++)
            assert_true(test_real(coarse, k) == 0);
    assert_true(zeros > 0);
    const spg_amg_solve_result result = test_system_solve(&system, NULL, SPG_OK);
    assert_true(result.converged && result.iterations < 40);
    test_free_hierarchy(&hierarchy);
    test_system_end(&system);
    test_give_back(here, 3 * n * sizeof *values);
    free(values);
}

/* Two components, one of which threshold cuts to pieces: with join_leftovers all rows are in aggregates, without it the
 * pieces are left to the smoother. */
static void rows_without_strong_neighbours_are_aggregates_of_their_own_or_in_none(void **state)
{
    (void)state;
    for (int join = 0; join < 2; join++) {
        spg_csr A = test_generate("fd2d5:20", SPG_F64);
        for (int64_t i = 0; i < 40; i++) /* two rows of the grid are all but cut off */
            for (int64_t k = test_offset(&A, i); k < test_offset(&A, i + 1); k++)
                if (A.columns[k] == i) ((double *)A.values)[k] = 1e6;
        spg_amg_options options = spg_amg_options_default();
        options.theta = 0.05;
        options.max_coarse = 60;
        options.join_leftovers = join;
        test_system system;
        test_hierarchy hierarchy;
        test_system_begin(&A, &options, 2, &system);
        test_fetch_hierarchy(&system, &hierarchy);
        const test_level *level = &hierarchy.level[0];
        for (int64_t i = 0; i < 40; i++) {
            int64_t members = 0;
            for (int64_t j = 0; j < 400; j++) members += level->aggregate_of[j] == level->aggregate_of[i];
            assert_true(join ? level->aggregate_of[i] >= 0 && members == 1 : level->aggregate_of[i] == -1);
        }
        assert_true(test_system_solve(&system, NULL, SPG_OK).converged);
        test_free_hierarchy(&hierarchy);
        test_system_end(&system);
    }
}

static void a_hierarchy_of_few_levels_ends_with_a_smoother_where_it_is_too_large(void **state)
{
    (void)state;
    const spg_csr A = test_generate("fd2d5:70", SPG_F64);
    spg_amg_options options = spg_amg_options_default();
    options.max_levels = 1; /* 4900 rows */
    test_system system;
    spg_amg_level_view view;
    test_system_begin(&A, &options, 2, &system);
    assert_int_equal(spg_amg_levels(system.amg), 1);
    assert_int_equal(spg_amg_level(system.amg, 0, &view), SPG_OK);
    assert_true(view.rho > 1.9 && view.P.row_offsets == NULL && view.aggregate_of == NULL);
    assert_int_equal(spg_amg_cycle(system.context, system.amg, system.b, system.x), SPG_OK);
    test_system_end(&system);
}

static void dense_rows_and_unsorted_rows_with_repeats_have_a_hierarchy(void **state)
{
    (void)state;
    spg_amg_options options = small_coarse(1);
    spg_csr A = test_generate("arrow:800", SPG_F64);
    assert_true(check_runs(&A, &options) >= 1);
    options.join_leftovers = 0;
    options.theta = 1e-6;
    A = test_generate("ladder:300", SPG_F64);
    check_runs(&A, &options);
    test_random_csr(test_host(), 900, 900, 5, SPG_I64, SPG_F64, 3, TEST_UNSORTED | TEST_DUPLICATES, &A);
    check_runs(&A, &options);
    options = small_coarse(1);
    options.block_size = 4;
    test_random_csr(test_host(), 900, 900, 5, SPG_I32, SPG_F64, 4, TEST_UNSORTED | TEST_DUPLICATES, &A);
    check_runs(&A, &options);
    test_random_csr(test_host(), 400, 400, 150, SPG_I32, SPG_F64, 4, TEST_UNSORTED, &A);
    check_runs(&A, &options);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_out_of_range_are_refused_by_name),
        cmocka_unit_test(matrices_that_have_no_hierarchy_are_refused),
        cmocka_unit_test(null_arguments_are_refused),
        cmocka_unit_test(every_allocation_of_a_setup_or_an_update_may_fail),
        cmocka_unit_test(a_setup_has_the_same_bits_at_any_number_of_threads),
        cmocka_unit_test(a_matrix_without_rows_has_one_level),
        cmocka_unit_test(matrices_that_nothing_connects_stall_on_the_first_level),
        cmocka_unit_test(zero_and_missing_diagonals_are_left_alone),
        cmocka_unit_test(negative_definite_matrices_have_a_hierarchy),
        cmocka_unit_test(singular_operators_are_solved_by_pseudo_inverse),
        cmocka_unit_test(candidates_that_depend_on_each_other_become_zero_rows),
        cmocka_unit_test(rows_without_strong_neighbours_are_aggregates_of_their_own_or_in_none),
        cmocka_unit_test(a_hierarchy_of_few_levels_ends_with_a_smoother_where_it_is_too_large),
        cmocka_unit_test(dense_rows_and_unsorted_rows_with_repeats_have_a_hierarchy),
    };
    return TEST_RUN_HERE(argc, argv, "amg setup", tests);
}
