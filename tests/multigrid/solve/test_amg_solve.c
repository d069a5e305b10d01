/* Solves: what they return, and what they leave in x. */
#include "amg_systems.h"
#include "matrices_for_tests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void a_solve_reports_what_it_leaves_in_x(void **state)
{
    (void)state;
    for (int m = 0; m < TEST_METHODS; m++) {
        test_system system;
        double history[201];
        spg_amg_solve_options options = spg_amg_solve_options_default();
        test_system_of("fd2d5:60", SPG_F64, &system);
        options.method = test_methods[m];
        options.history = history;
        const spg_amg_solve_result result = test_system_solve(&system, &options, SPG_OK);
        const double norm = 60;
        assert_true(result.converged && result.iterations > 2 && result.seconds > 0);
        assert_true(fabs(result.initial_residual - norm) < 1e-12 && fabs(history[0] - norm) < 1e-12);
        assert_true(result.residual <= 1e-8 * norm && history[result.iterations] == result.residual);
        assert_true(history[result.iterations - 1] > 1e-8 * norm);
        assert_true(fabs(test_system_residual(&system) - result.residual) < 1e-11);
        assert_true(fabs(result.relative_residual - result.residual / norm) < 1e-15);
        assert_true(fabs(pow(result.convergence_factor, result.iterations) * norm - result.residual) <
                    1e-10 * result.residual);
        assert_true(result.convergence_factor < 0.75);
        test_system_end(&system);
    }
}

static void the_first_guess_counts(void **state)
{
    (void)state;
    for (int m = 0; m < TEST_METHODS; m++) {
        test_system system;
        spg_amg_solve_options options = spg_amg_solve_options_default();
        test_system_of("fd2d5:60", SPG_F64, &system);
        options.method = test_methods[m];
        const int from_zero = test_system_solve(&system, &options, SPG_OK).iterations;
        const spg_amg_solve_result again = test_system_solve(&system, &options, SPG_OK);
        assert_true(again.iterations == 0 && again.converged && again.convergence_factor == 0);
        options.tolerance = 1e-12;
        const spg_amg_solve_result further = test_system_solve(&system, &options, SPG_OK);
        assert_true(further.converged && further.iterations > 0 && further.iterations < from_zero);
        test_system_reset(&system);
        options.max_iterations = 1;
        const spg_amg_solve_result one = test_system_solve(&system, &options, SPG_ERROR_NOT_CONVERGED);
        assert_true(fabs(one.convergence_factor - one.residual / one.initial_residual) < 1e-15);
        test_system_end(&system);
    }
}

/* From a guess so far off that updates of the residual lose what is left of it: iterations go on from the true one. */
static void a_first_guess_far_off_is_mended_to_the_tolerance(void **state)
{
    (void)state;
    const double scales[] = {1e9, 1e12};
    for (int k = 0; k < 2; k++) {
        test_system system;
        double x[3600];
        spg_amg_solve_options options = spg_amg_solve_options_default();
        test_system_of("fd2d5:60", SPG_F64, &system);
        test_random_values(7, 0, SPG_F64, 3600, x);
        for (int i = 0; i < 3600; i++) x[i] *= scales[k];
        test_send(x, sizeof x, system.x);
        options.tolerance = 1e-10;
        const spg_amg_solve_result result = test_system_solve(&system, &options, SPG_OK);
        assert_true(result.converged && result.iterations < 80);
        assert_true(test_system_residual(&system) <= 1.01e-10 * 60);
        test_system_end(&system);
    }
}

static void a_right_hand_side_of_zero_is_solved_to_an_absolute_tolerance(void **state)
{
    (void)state;
    for (int m = 0; m < TEST_METHODS; m++) {
        test_system system;
        spg_amg_solve_options options = spg_amg_solve_options_default();
        test_system_of("fd2d5:30", SPG_F64, &system);
        double *values = calloc(900, sizeof *values);
        options.method = test_methods[m];
        test_send(values, system.bytes, system.b);
        assert_int_equal(test_system_solve(&system, &options, SPG_OK).iterations, 0);
        test_random_values(1, 0, SPG_F64, 900, values);
        test_send(values, system.bytes, system.x);
        const spg_amg_solve_result result = test_system_solve(&system, &options, SPG_OK);
        assert_true(result.iterations > 0 && result.residual <= 1e-8);
        assert_true(result.relative_residual == result.residual);
        free(values);
        test_system_end(&system);
    }
}

/* b and the first guess times 2^k: powers of two leave the bits as they are. */
static void systems_in_any_unit_have_the_same_solution_but_for_the_unit(void **state)
{
    (void)state;
    enum { N = 900 };
    const int exponents[] = {0, -970, -700, -550, -520, -250, 250, 505, 520, 700, 1000};
    for (int run = 0; run < 2 * TEST_METHODS; run++) {
        test_system system;
        spg_amg_solve_result first = {0};
        spg_amg_solve_options options = spg_amg_solve_options_default();
        double guess[N] = {0}, values[N], solution[N], history[201], first_history[201];
        test_system_of("fd2d5:30", SPG_F64, &system);
        options.method = test_methods[run / 2];
        options.history = history;
        if (run % 2 == 1) test_random_values(8, 0, SPG_F64, N, guess);
        for (size_t e = 0; e < sizeof exponents / sizeof *exponents; e++) {
            const double unit = ldexp(1, exponents[e]);
            for (int i = 0; i < N; i++) values[i] = unit;
            test_send(values, system.bytes, system.b);
            for (int i = 0; i < N; i++) values[i] = unit * guess[i];
            test_send(values, system.bytes, system.x);
            const spg_amg_solve_result result = test_system_solve(&system, &options, SPG_OK);
            double *x = test_system_fetch(&system, system.x);
            for (int i = 0; i < N; i++) x[i] /= unit;
            for (int i = 0; i <= result.iterations; i++) history[i] /= unit;
            if (e == 0) {
                first = result;
                memcpy(solution, x, sizeof solution);
                memcpy(first_history, history, sizeof history);
            }
            assert_true(result.converged && result.iterations == first.iterations && first.iterations > 2);
            assert_memory_equal(x, solution, sizeof solution);
            assert_memory_equal(history, first_history, (size_t)(first.iterations + 1) * sizeof *history);
            assert_true(result.initial_residual == unit * first.initial_residual);
            assert_true(result.residual == unit * first.residual);
            assert_true(result.relative_residual == first.relative_residual);
            assert_true(result.convergence_factor == first.convergence_factor);
            free(x);
        }
        test_system_end(&system);
    }
}

/* Of a dense matrix on the host. */
static spg_csr matrix_of(int n, const double *entries)
{
    spg_csr A;
    assert_int_equal(spg_csr_alloc(test_host(), n, n, n * n, SPG_I32, SPG_F64, &A), SPG_OK);
    for (int i = 0; i <= n; i++) ((int32_t *)A.row_offsets)[i] = n * i;
    for (int k = 0; k < n * n; k++) {
        A.columns[k] = k % n;
        ((double *)A.values)[k] = entries[k];
    }
    return A;
}

static void no_rows_need_no_iterations(void **state)
{
    (void)state;
    test_system system;
    const spg_csr A = matrix_of(0, NULL);
    test_system_begin(&A, NULL, 2, &system);
    const spg_amg_solve_result result = test_system_solve(&system, NULL, SPG_OK);
    assert_true(result.converged && result.iterations == 0);
    assert_int_equal(spg_amg_cycle(system.context, system.amg, system.b, system.x), SPG_OK);
    test_system_end(&system);
}

static void one_unknown_takes_one_iteration(void **state)
{
    (void)state;
    for (int m = 0; m < TEST_METHODS; m++) {
        test_system system;
        const double four = 4;
        const spg_csr A = matrix_of(1, &four);
        spg_amg_solve_options options = spg_amg_solve_options_default();
        options.method = test_methods[m];
        test_system_begin(&A, NULL, 2, &system);
        assert_int_equal(test_system_solve(&system, &options, SPG_OK).iterations, 1);
        double *x = test_system_fetch(&system, system.x);
        assert_true(x[0] == 0.25);
        free(x);
        test_system_end(&system);
    }
}

static void defaults_are_the_documented_ones(void **state)
{
    (void)state;
    const spg_amg_solve_options options = spg_amg_solve_options_default();
    assert_int_equal(options.method, SPG_AMG_CG);
    assert_true(options.tolerance == SPG_AMG_TOLERANCE_OF_TYPE);
    assert_int_equal(options.max_iterations, 200);
    assert_int_equal(options.nullspace, SPG_AMG_NULLSPACE_NONE);
    assert_int_equal(options.null_vectors, 0);
    assert_true(options.history == NULL && options.null_values == NULL);
}

/* The Laplacian of a grid without boundary values: constants are its null space. */
static void a_singular_matrix_is_solved_where_a_solution_exists(void **state)
{
    (void)state;
    const int64_t coarse[] = {2, 20, 300};
    for (int c = 0; c < 3; c++)
        for (int m = 0; m < TEST_METHODS; m++) {
            test_system system;
            spg_amg_options options = spg_amg_options_default();
            spg_amg_solve_options solve = spg_amg_solve_options_default();
            spg_csr A = test_generate("fd2d5:40", SPG_F64);
            double *values = A.values, b[1600];
            for (int64_t i = 0; i < A.rows; i++)
                for (int64_t k = test_offset(&A, i); k < test_offset(&A, i + 1); k++)
                    if (A.columns[k] == i) values[k] = (double)(test_offset(&A, i + 1) - test_offset(&A, i) - 1);
            options.max_coarse = coarse[c];
            solve.method = test_methods[m];
            test_system_begin(&A, &options, 2, &system);
            test_random_values(3, TEST_INTEGER, SPG_F64, 1600, b);
            for (int i = 0; i < 800; i++) b[1599 - i] = -b[i]; /* sums to zero */
            test_send(b, sizeof b, system.b);
            const spg_amg_solve_result result = test_system_solve(&system, &solve, SPG_OK);
            assert_true(result.iterations < 60);
            assert_true(fabs(test_system_residual(&system) - result.residual) < 1e-9 * result.initial_residual);
            test_system_end(&system);
        }
}

static void every_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    const int threads[] = {1, 2, 3, 7};
    for (int m = 0; m < TEST_METHODS; m++)
        for (spg_type type = SPG_F32; type <= SPG_F64; type++) {
            void *first = NULL;
            for (int t = 0; t < 4; t++) {
                test_system system;
                spg_amg_solve_options solve = spg_amg_solve_options_default();
                const spg_amg_options options = test_several_levels();
                const spg_csr A = test_generate("fd3d7:30", type);
                solve.method = test_methods[m];
                solve.tolerance = 1e-4;
                test_system_begin(&A, &options, threads[t], &system);
                test_system_solve(&system, &solve, SPG_OK);
                double *x = test_system_fetch(&system, system.x);
                if (t > 0) assert_memory_equal(x, first, system.bytes);
                if (t == 0)
                    first = x;
                else
                    free(x);
                test_system_end(&system);
            }
            free(first);
        }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_the_documented_ones),
        cmocka_unit_test(a_solve_reports_what_it_leaves_in_x),
        cmocka_unit_test(the_first_guess_counts),
        cmocka_unit_test(a_first_guess_far_off_is_mended_to_the_tolerance),
        cmocka_unit_test(a_right_hand_side_of_zero_is_solved_to_an_absolute_tolerance),
        cmocka_unit_test(systems_in_any_unit_have_the_same_solution_but_for_the_unit),
        cmocka_unit_test(no_rows_need_no_iterations),
        cmocka_unit_test(one_unknown_takes_one_iteration),
        cmocka_unit_test(a_singular_matrix_is_solved_where_a_solution_exists),
        cmocka_unit_test(every_number_of_threads_gives_the_same_bits),
    };
    return TEST_RUN_HERE(argc, argv, "amg solve", tests);
}
