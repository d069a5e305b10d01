/* Solves that do not come to their end: which say that they do not converge, cannot go on, lack memory, or are asked
 * for wrongly, and what they leave in x. */
#include "amg_systems.h"
#include "fault.h"
#include "matrices_for_tests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void too_few_iterations_leave_the_last_iterate_and_say_so(void **state)
{
    (void)state;
    for (int m = 0; m < TEST_METHODS; m++) {
        test_system system;
        double history[4] = {0, 0, 0, -1};
        spg_amg_solve_options options = spg_amg_solve_options_default();
        test_system_of("fd2d5:60", SPG_F64, &system);
        options.method = test_methods[m];
        options.history = history;
        options.max_iterations = 0;
        spg_amg_solve_result result = test_system_solve(&system, &options, SPG_ERROR_NOT_CONVERGED);
        assert_true(!result.converged && result.iterations == 0 && result.residual == result.initial_residual);
        options.max_iterations = 2;
        result = test_system_solve(&system, &options, SPG_ERROR_NOT_CONVERGED);
        test_assert_message(system.context, "after 2 iterations");
        assert_true(!result.converged && result.iterations == 2 && history[2] == result.residual && history[3] == -1);
        assert_true(fabs(test_system_residual(&system) - result.residual) < 1e-11);
        test_system_end(&system);
    }
}

/* Rounding keeps floats from 1e-12, whatever the updated residual says. */
static void a_tolerance_below_rounding_is_never_claimed(void **state)
{
    (void)state;
    for (int m = 0; m < TEST_METHODS; m++) {
        test_system system;
        spg_amg_solve_options options = spg_amg_solve_options_default();
        test_system_of("fd2d5:60", SPG_F32, &system);
        options.method = test_methods[m];
        options.tolerance = 1e-4;
        assert_true(test_system_solve(&system, &options, SPG_OK).converged);
        options.tolerance = 1e-12;
        options.max_iterations = 60;
        const spg_amg_solve_result result = test_system_solve(&system, &options, SPG_ERROR_NOT_CONVERGED);
        assert_true(result.relative_residual > 1e-12 && result.relative_residual < 1e-3);
        test_system_end(&system);
    }
}

/* The updated residual falls on where the true one stays. */
static void the_residual_told_is_the_true_one_at_every_end(void **state)
{
    (void)state;
    test_system system;
    spg_amg_solve_options options = spg_amg_solve_options_default();
    spg_csr A = test_generate("fd2d5:100", SPG_F64);
    test_system_begin(&A, NULL, 2, &system);
    options.tolerance = 0;
    options.max_iterations = 60;
    const spg_amg_solve_result result = test_system_solve(&system, &options, SPG_ERROR_NOT_CONVERGED);
    const double residual = test_system_residual(&system);
    if (!(fabs(result.residual - residual) <= 0.5 * residual)) fail_msg("%g, not %g", result.residual, residual);
    test_system_end(&system);
}

static void floats_converge_by_default_or_are_told_to_stagnate(void **state)
{
    (void)state;
    test_system system;
    spg_amg_solve_options options = spg_amg_solve_options_default();
    test_system_of("fd2d5:100", SPG_F32, &system);
    assert_true(test_system_solve(&system, NULL, SPG_OK).relative_residual <= 1e-4);
    test_system_reset(&system);
    options.tolerance = 1e-8;
    const spg_amg_solve_result result = test_system_solve(&system, &options, SPG_ERROR_NOT_CONVERGED);
    assert_true(result.stagnated && result.iterations < 100 && result.relative_residual < 1e-2);
    test_assert_message(system.context, "rounding in f32");
    test_system_end(&system);
    test_system_of("fd2d5:60", SPG_F64, &system);
    const spg_amg_solve_result sound = test_system_solve(&system, NULL, SPG_OK);
    assert_true(!sound.stagnated && sound.relative_residual <= 1e-8 && sound.relative_residual > 1e-13);
    test_system_end(&system);
}

static void scale_and_shift(spg_csr *A, double scale, double shift)
{
    double *values = A->values;
    for (int64_t i = 0; i < A->rows; i++)
        for (int64_t k = test_offset(A, i); k < test_offset(A, i + 1); k++)
            values[k] = scale * values[k] + (A->columns[k] == i ? shift : 0);
}

static void conjugate_gradients_stop_at_an_indefinite_matrix(void **state)
{
    (void)state;
    const double scales[] = {-1, 1, 1}, shifts[] = {0, -0.7, -7.9};
    for (int k = 0; k < 3; k++) {
        test_system system;
        const spg_amg_options options = test_several_levels();
        spg_csr A = test_generate("fd2d5:40", SPG_F64);
        scale_and_shift(&A, scales[k], shifts[k]);
        test_system_begin(&A, &options, 2, &system);
        const spg_amg_solve_result result = test_system_solve(&system, NULL, SPG_ERROR_INDEFINITE);
        test_assert_message(system.context, "not positive definite");
        assert_true(!result.converged && isfinite(test_system_residual(&system)));
        test_system_end(&system);
    }
}

/* A ring of rows with 6 and -2 in turn on the diagonal and -1 beside it: (1, ..., 1) gives it (4, -4, ...), and no
 * energy. With b = (8, 4, ...), the rows' sums of magnitudes, it is the first direction. */
static void a_direction_without_energy_is_told_as_indefinite(void **state)
{
    enum { N = 5000 }; /* too many for a dense solve */
    (void)state;
    test_system system;
    spg_amg_options options = spg_amg_options_default();
    options.max_levels = 1;
    options.smoother = SPG_SMOOTHER_L1_JACOBI;
    options.post_sweeps = 0;
    spg_csr A;
    assert_int_equal(spg_csr_alloc(test_host(), N, N, 3 * N, SPG_I32, SPG_F64, &A), SPG_OK);
    for (int i = 0; i < N; i++) {
        const int32_t columns[] = {(i + N - 1) % N, i, (i + 1) % N};
        const double values[] = {-1, i % 2 == 0 ? 6 : -2, -1};
        memcpy(A.columns + 3 * i, columns, sizeof columns);
        memcpy((double *)A.values + 3 * i, values, sizeof values);
    }
    for (int i = 0; i <= N; i++) ((int32_t *)A.row_offsets)[i] = 3 * i;
    test_system_begin(&A, &options, 2, &system);
    double *b = test_system_fetch(&system, system.b);
    for (int i = 0; i < N; i++) b[i] = i % 2 == 0 ? 8 : 4;
    test_send(b, system.bytes, system.b);
    free(b);
    test_system_solve(&system, NULL, SPG_ERROR_INDEFINITE);
    test_assert_message(system.context, "p.Ap is 0");
    test_system_end(&system);
}

static void values_that_are_not_finite_break_a_solve_down(void **state)
{
    (void)state;
    for (int m = 0; m < TEST_METHODS; m++)
        for (int k = 0; k < 4; k++) {
            test_system system;
            double history[201] = {0};
            spg_amg_solve_options options = spg_amg_solve_options_default();
            test_system_of("fd2d5:30", SPG_F64, &system);
            double *values = test_system_fetch(&system, system.b);
            options.method = test_methods[m];
            options.history = history;
            values[77] = k % 2 == 0 ? NAN : INFINITY;
            test_send(values, system.bytes, k / 2 == 0 ? system.b : system.x);
            const spg_amg_solve_result result = test_system_solve(&system, &options, SPG_ERROR_BREAKDOWN);
            assert_true(!result.converged && result.iterations == 0);
            assert_true(!isfinite(result.residual) && !isfinite(result.initial_residual));
            assert_true(!isfinite(result.relative_residual) && !isfinite(history[0]));
            test_assert_message(system.context, "norm");
            free(values);
            test_system_end(&system);
        }
}

static void a_diverging_iteration_ends(void **state)
{
    (void)state;
    test_system system;
    spg_amg_options options = test_several_levels();
    spg_amg_solve_options solve = spg_amg_solve_options_default();
    const spg_csr A = test_generate("fd2d5:30", SPG_F64);
    options.relaxation = 50;
    solve.method = SPG_AMG_STANDALONE;
    solve.max_iterations = 100000;
    test_system_begin(&A, &options, 2, &system);
    const spg_amg_solve_result result = test_system_solve(&system, &solve, SPG_ERROR_BREAKDOWN);
    assert_true(result.iterations > 1 && result.iterations < 100000);
    test_system_end(&system);
}

static void a_matrix_of_zeros_has_no_solution(void **state)
{
    (void)state;
    test_system system;
    spg_csr A = test_generate("fd2d5:2", SPG_F64);
    scale_and_shift(&A, 0, 0);
    test_system_begin(&A, NULL, 2, &system);
    spg_amg_solve_options options = spg_amg_solve_options_default();
    for (int m = 0; m < TEST_METHODS; m++) {
        options.method = test_methods[m];
        options.nullspace = SPG_AMG_NULLSPACE_NONE;
        assert_int_equal(test_system_solve(&system, &options, SPG_ERROR_INCOMPATIBLE).converged, 0);
        options.nullspace = SPG_AMG_NULLSPACE_CANDIDATES; /* all of b is in the null space */
        assert_int_equal(test_system_solve(&system, &options, SPG_OK).iterations, 0);
    }
    test_system_end(&system);
}

static void the_first_solve_allocates_and_survives_each_refusal_and_later_ones_allocate_nothing(void **state)
{
    (void)state;
    test_allocator memory;
    spg_context *context = test_faulty_context(&memory, 2, 0);
    spg_csr A = test_generate("fd2d5:40", SPG_F64), A_here;
    const size_t bytes = 1600 * sizeof(double);
    double ones[1600], zeros[1600] = {0};
    const spg_amg_options options = test_several_levels();
    spg_amg *amg;
    for (int i = 0; i < 1600; i++) ones[i] = 1;
    void *b = test_lend(ones, bytes), *x = test_lend(zeros, bytes);
    test_to_place(context, &A, &A_here);
    assert_int_equal(spg_amg_setup(context, &A_here, &options, &amg), SPG_OK);
    const int64_t before = test_live(&memory);
    int64_t refused = 0;
    for (int64_t k = 1;; k++) {
        test_fail_at(&memory, k);
        const spg_status status = spg_amg_solve(context, amg, b, x, NULL, NULL);
        if (!test_failed(&memory)) break;
        assert_int_equal(status, SPG_ERROR_MEMORY);
        assert_int_equal(test_live(&memory), before);
        refused++;
    }
    assert_true(refused >= 6);
    test_fail_at(&memory, 1);
    test_send(zeros, bytes, x);
    assert_int_equal(spg_amg_solve(context, amg, b, x, NULL, NULL), SPG_OK);
    assert_int_equal(spg_amg_cycle(context, amg, b, x), SPG_OK);
    assert_false(test_failed(&memory));
    test_fail_at(&memory, 0);
    spg_amg_destroy(amg);
    spg_csr_free(context, &A_here);
    assert_int_equal(test_live(&memory), 0);
    spg_context_destroy(context);
    test_give_back(b, bytes);
    test_give_back(x, bytes);
    spg_csr_free(test_host(), &A);
}

/* The third of three, of which the first is zero. */
static void a_null_vector_that_is_not_finite_is_told_by_its_number(void **state)
{
    (void)state;
    test_system system;
    test_system_of("fd2d5:10", SPG_F64, &system);
    double vectors[300] = {0};
    for (int i = 100; i < 300; i++) vectors[i] = i < 250 ? i % 3 : HUGE_VAL;
    void *const given = test_lend(vectors, sizeof vectors);
    spg_amg_solve_options options = spg_amg_solve_options_default();
    options.nullspace = SPG_AMG_NULLSPACE_GIVEN;
    options.null_vectors = 3;
    options.null_values = given;
    assert_int_equal(spg_amg_solve(system.context, system.amg, system.b, system.x, &options, NULL),
                     SPG_ERROR_BREAKDOWN);
    test_assert_message(system.context, "null vector 2 is inf");
    test_give_back(given, sizeof vectors);
    test_system_end(&system);
}

static void wrong_arguments_are_refused_by_name(void **state)
{
    (void)state;
    test_system system;
    spg_amg_solve_result result;
    test_system_of("fd2d5:30", SPG_F64, &system);
    spg_context *context = system.context;
    spg_amg *amg = system.amg;
    void *b = system.b, *x = system.x;
    const spg_amg_solve_options usual = spg_amg_solve_options_default();
    spg_amg_solve_options wrong[4] = {usual, usual, usual, usual};
    const char *const names[] = {"method", "tolerance", "tolerance", "max_iterations"};
    wrong[0].method = (spg_amg_method)2;
    wrong[1].tolerance = -2;
    wrong[2].tolerance = NAN;
    wrong[3].max_iterations = -1;
    for (int k = 0; k < 4; k++) {
        memset(&result, 0xff, sizeof result);
        assert_int_equal(spg_amg_solve(context, amg, b, x, &wrong[k], &result), SPG_ERROR_ARGUMENT);
        test_assert_message(system.context, names[k]);
        test_assert_zeroed(&result, sizeof result);
    }
    assert_int_equal(spg_amg_solve(NULL, amg, b, x, NULL, NULL), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_amg_solve(context, NULL, b, x, NULL, NULL), SPG_ERROR_ARGUMENT);
    test_assert_message(system.context, "amg is NULL");
    assert_int_equal(spg_amg_solve(context, amg, NULL, x, NULL, NULL), SPG_ERROR_ARGUMENT);
    test_assert_message(system.context, "b is NULL");
    assert_int_equal(spg_amg_cycle(context, amg, b, NULL), SPG_ERROR_ARGUMENT);
    test_assert_message(system.context, "x is NULL");
    assert_int_equal(spg_amg_cycle(context, amg, b, (double *)b + 5), SPG_ERROR_ARGUMENT);
    test_assert_message(system.context, "overlap");
    assert_int_equal(spg_amg_solve(test_lender(), amg, b, x, NULL, NULL), SPG_ERROR_ARGUMENT);
    test_assert_message(test_lender(), "another context");
    test_system_end(&system);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(too_few_iterations_leave_the_last_iterate_and_say_so),
        cmocka_unit_test(a_tolerance_below_rounding_is_never_claimed),
        cmocka_unit_test(the_residual_told_is_the_true_one_at_every_end),
        cmocka_unit_test(floats_converge_by_default_or_are_told_to_stagnate),
        cmocka_unit_test(conjugate_gradients_stop_at_an_indefinite_matrix),
        cmocka_unit_test(a_direction_without_energy_is_told_as_indefinite),
        cmocka_unit_test(values_that_are_not_finite_break_a_solve_down),
        cmocka_unit_test(a_diverging_iteration_ends),
        cmocka_unit_test(a_matrix_of_zeros_has_no_solution),
        cmocka_unit_test(the_first_solve_allocates_and_survives_each_refusal_and_later_ones_allocate_nothing),
        cmocka_unit_test(a_null_vector_that_is_not_finite_is_told_by_its_number),
        cmocka_unit_test(wrong_arguments_are_refused_by_name),
    };
    return TEST_RUN_HERE(argc, argv, "amg solve, failures", tests);
}
