/* What a matrix can come to: no rows, no entries, zeros on the diagonal, singular, dense rows, candidates that depend
 * on each other. Every case has a hierarchy, of finite numbers. */
#include "amg_reference.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* They are finite, and rho is above zero where there is one. */
static void check_numbers(const test_hierarchy *hierarchy)
{
    for (int l = 0; l < hierarchy->levels; l++) {
        const test_level *level = &hierarchy->level[l];
        for (int64_t k = 0; k < level->A.nnz; k++) assert_true(isfinite(test_real(&level->A, k)));
        for (int64_t k = 0; k < level->P.nnz; k++) assert_true(isfinite(test_real(&level->P, k)));
        assert_true(l + 1 == hierarchy->levels ? level->view.rho >= 0 : level->view.rho > 0);
    }
}

/* Sets up, updates to the same values, runs a cycle; all numbers stay finite. Returns the levels. `alike`: so many of
 * them keep rho, which updates estimate in another way. */
static int check_levels(const spg_csr *A, const spg_amg_options *options, int alike)
{
    test_system system;
    test_hierarchy before, after;
    test_system_begin(A, options, 2, &system);
    const int levels = spg_amg_levels(system.amg);
    test_fetch_hierarchy(&system, &before);
    check_numbers(&before);
    assert_int_equal(spg_amg_update(system.context, system.amg, &system.A_here), SPG_OK);
    test_fetch_hierarchy(&system, &after);
    check_numbers(&after);
    assert_int_equal(before.levels, after.levels);
    for (int l = 0; l < levels && l < alike; l++) {
        const double rho = before.level[l].view.rho, again = after.level[l].view.rho;
        if (!(again >= 0.96 * rho && again <= 1.06 * rho)) fail_msg("level %d: rho is %g, and was %g", l, again, rho);
    }
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

static int check_runs(const spg_csr *A, const spg_amg_options *options) { return check_levels(A, options, INT_MAX); }

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
            /* coarser operators are not definite, and depend much on rho of those above them */
            assert_true(check_levels(&A, &options, 1) >= 2);
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
    spg_amg_summary summary;
    test_system_begin(&A, &options, 2, &system);
    test_fetch_hierarchy(&system, &hierarchy);
    assert_true(hierarchy.levels >= 2);
    assert_int_equal(spg_amg_summarise(system.amg, &summary), SPG_OK);
    assert_int_equal(summary.singular, 0); /* what stands for a candidate that depends on others is no unknown */
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

/* Two components, one of which threshold cuts to pieces, which are left to the smoother. */
static void rows_without_strong_neighbours_are_in_no_aggregate(void **state)
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
        for (int64_t i = 0; i < 400; i++) assert_true((level->aggregate_of[i] == -1) == (i < 40));
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
    test_random_csr(test_host(), (test_matrix){900, 900, 5, SPG_I64, SPG_F64}, 3, TEST_UNSORTED | TEST_DUPLICATES, &A);
    check_runs(&A, &options);
    options = small_coarse(1);
    options.block_size = 4;
    test_random_csr(test_host(), (test_matrix){900, 900, 5, SPG_I32, SPG_F64}, 4, TEST_UNSORTED | TEST_DUPLICATES, &A);
    check_runs(&A, &options);
    test_random_csr(test_host(), (test_matrix){400, 400, 150, SPG_I32, SPG_F64}, 4, TEST_UNSORTED, &A);
    check_runs(&A, &options);
}

/* Sums of three entries are beyond the largest number. */
static void an_operator_that_overflows_is_told(void **state)
{
    (void)state;
    const int64_t n = 1000;
    spg_csr A, here;
    assert_int_equal(spg_csr_alloc(test_host(), n, n, 3 * n - 2, SPG_I32, SPG_F64, &A), SPG_OK);
    for (int64_t i = 0, k = 0; i < n; i++) {
        for (int64_t j = i > 0 ? i - 1 : 0; j < n && j <= i + 1; j++, k++) {
            A.columns[k] = (int32_t)j;
            ((double *)A.values)[k] = 1.7e308;
        }
        ((int32_t *)A.row_offsets)[i + 1] = (int32_t)k;
    }
    spg_context *context = test_context_at_place(1);
    const spg_amg_options options = small_coarse(1);
    spg_amg *amg = (spg_amg *)(void *)&A;
    test_to_place(context, &A, &here);
    assert_int_equal(spg_amg_setup(context, &here, &options, &amg), SPG_ERROR_BREAKDOWN);
    assert_null(amg);
    test_assert_message(context, "the coarsest operator has");
    spg_csr_free(context, &here);
    spg_context_destroy(context);
    spg_csr_free(test_host(), &A);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_matrix_without_rows_has_one_level),
        cmocka_unit_test(matrices_that_nothing_connects_stall_on_the_first_level),
        cmocka_unit_test(zero_and_missing_diagonals_are_left_alone),
        cmocka_unit_test(negative_definite_matrices_have_a_hierarchy),
        cmocka_unit_test(singular_operators_are_solved_by_pseudo_inverse),
        cmocka_unit_test(candidates_that_depend_on_each_other_become_zero_rows),
        cmocka_unit_test(rows_without_strong_neighbours_are_in_no_aggregate),
        cmocka_unit_test(a_hierarchy_of_few_levels_ends_with_a_smoother_where_it_is_too_large),
        cmocka_unit_test(dense_rows_and_unsorted_rows_with_repeats_have_a_hierarchy),
        cmocka_unit_test(an_operator_that_overflows_is_told),
    };
    return TEST_RUN_HERE(argc, argv, "amg degenerate", tests);
}
