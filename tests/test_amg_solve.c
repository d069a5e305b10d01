/* Solves: what they return, what they leave in x, and how they end where they cannot converge. */
#include "amg_systems.h"
#include "fault.h"
#include "matrices_for_tests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const spg_amg_method methods[] = {SPG_AMG_CG, SPG_AMG_STANDALONE};

static spg_amg_options several_levels(void)
{
    spg_amg_options options = spg_amg_options_default();
    options.max_coarse = 20;
    return options;
}

static void begin(const char *name, spg_type type, test_system *system)
{
    const spg_csr A = test_generate(name, type);
    const spg_amg_options options = several_levels();
    test_system_begin(&A, &options, 2, system);
}

/* Vectors of the system on the host, to be freed; NULL: not asked for. */
static double *fetch(const test_system *system, const void *vector)
{
    double *values = malloc(system->bytes + 1);
    assert_non_null(values);
    test_fetch(vector, system->bytes, values);
    return values;
}

static double true_residual(const test_system *system)
{
    double *b = fetch(system, system->b), *x = fetch(system, system->x);
    const double residual = test_residual(&system->A, b, x);
    free(b);
    free(x);
    return residual;
}

static void assert_message(const test_system *system, const char *text)
{
    if (strstr(spg_context_message(system->context), text) == NULL)
        fail_msg("'%s' is not in: %s", text, spg_context_message(system->context));
}

static void a_solve_reports_what_it_leaves_in_x(void **state)
{
    (void)state;
    for (int m = 0; m < 2; m++) {
        test_system system;
        double history[201];
        spg_amg_solve_options options = spg_amg_solve_options_default();
        begin("fd2d5:60", SPG_F64, &system);
        options.method = methods[m];
        options.history = history;
        const spg_amg_solve_result result = test_system_solve(&system, &options, SPG_OK);
        const double norm = 60;
        assert_true(result.converged && result.iterations > 2 && result.seconds > 0);
        assert_true(fabs(result.initial_residual - norm) < 1e-12 && fabs(history[0] - norm) < 1e-12);
        assert_true(result.residual <= 1e-8 * norm && history[result.iterations] == result.residual);
        assert_true(history[result.iterations - 1] > 1e-8 * norm);
        assert_true(fabs(true_residual(&system) - result.residual) < 1e-11);
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
    for (int m = 0; m < 2; m++) {
        test_system system;
        spg_amg_solve_options options = spg_amg_solve_options_default();
        begin("fd2d5:60", SPG_F64, &system);
        options.method = methods[m];
        const int from_zero = test_system_solve(&system, &options, SPG_OK).iterations;
        const spg_amg_solve_result again = test_system_solve(&system, &options, SPG_OK);
        assert_true(again.iterations == 0 && again.converged && again.convergence_factor == 0);
        options.tolerance = 1e-12;
        const spg_amg_solve_result further = test_system_solve(&system, &options, SPG_OK);
        assert_true(further.converged && further.iterations > 0 && further.iterations < from_zero);
        test_system_end(&system);
    }
}

static void a_right_hand_side_of_zero_is_solved_to_an_absolute_tolerance(void **state)
{
    (void)state;
    for (int m = 0; m < 2; m++) {
        test_system system;
        spg_amg_solve_options options = spg_amg_solve_options_default();
        begin("fd2d5:30", SPG_F64, &system);
        double *values = calloc(900, sizeof *values);
        options.method = methods[m];
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

static void too_few_iterations_leave_the_last_iterate_and_say_so(void **state)
{
    (void)state;
    for (int m = 0; m < 2; m++) {
        test_system system;
        double history[4] = {0, 0, 0, -1};
        spg_amg_solve_options options = spg_amg_solve_options_default();
        begin("fd2d5:60", SPG_F64, &system);
        options.method = methods[m];
        options.history = history;
        options.max_iterations = 0;
        spg_amg_solve_result result = test_system_solve(&system, &options, SPG_ERROR_NOT_CONVERGED);
        assert_true(!result.converged && result.iterations == 0 && result.residual == result.initial_residual);
        options.max_iterations = 2;
        result = test_system_solve(&system, &options, SPG_ERROR_NOT_CONVERGED);
        assert_message(&system, "after 2 iterations");
        assert_true(!result.converged && result.iterations == 2 && history[2] == result.residual && history[3] == -1);
        assert_true(fabs(true_residual(&system) - result.residual) < 1e-11);
        test_system_end(&system);
    }
}

/* Rounding keeps floats from 1e-12, whatever the updated residual says. */
static void a_tolerance_below_rounding_is_never_claimed(void **state)
{
    (void)state;
    for (int m = 0; m < 2; m++) {
        test_system system;
        spg_amg_solve_options options = spg_amg_solve_options_default();
        begin("fd2d5:60", SPG_F32, &system);
        options.method = methods[m];
        options.tolerance = 1e-4;
        assert_true(test_system_solve(&system, &options, SPG_OK).converged);
        options.tolerance = 1e-12;
        options.max_iterations = 60;
        const spg_amg_solve_result result = test_system_solve(&system, &options, SPG_ERROR_NOT_CONVERGED);
        assert_true(result.relative_residual > 1e-12 && result.relative_residual < 1e-3);
        test_system_end(&system);
    }
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
        const spg_amg_options options = several_levels();
        spg_csr A = test_generate("fd2d5:40", SPG_F64);
        scale_and_shift(&A, scales[k], shifts[k]);
        test_system_begin(&A, &options, 2, &system);
        const spg_amg_solve_result result = test_system_solve(&system, NULL, SPG_ERROR_INDEFINITE);
        assert_message(&system, "not positive definite");
        assert_true(!result.converged && isfinite(true_residual(&system)));
        test_system_end(&system);
    }
}

static void values_that_are_not_finite_break_a_solve_down(void **state)
{
    (void)state;
    for (int m = 0; m < 2; m++)
        for (int k = 0; k < 2; k++) {
            test_system system;
            spg_amg_solve_options options = spg_amg_solve_options_default();
            begin("fd2d5:30", SPG_F64, &system);
            double *values = fetch(&system, system.b);
            options.method = methods[m];
            values[77] = k == 0 ? NAN : INFINITY;
            test_send(values, system.bytes, k == 0 ? system.b : system.x);
            assert_int_equal(test_system_solve(&system, &options, SPG_ERROR_BREAKDOWN).converged, 0);
            assert_message(&system, "norm");
            free(values);
            test_system_end(&system);
        }
}

static void a_diverging_iteration_ends(void **state)
{
    (void)state;
    test_system system;
    spg_amg_options options = several_levels();
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

/* ---- Small and singular ---- */

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
    for (int m = 0; m < 2; m++) {
        test_system system;
        const double four = 4;
        const spg_csr A = matrix_of(1, &four);
        spg_amg_solve_options options = spg_amg_solve_options_default();
        options.method = methods[m];
        test_system_begin(&A, NULL, 2, &system);
        assert_int_equal(test_system_solve(&system, &options, SPG_OK).iterations, 1);
        double *x = fetch(&system, system.x);
        assert_true(x[0] == 0.25);
        free(x);
        test_system_end(&system);
    }
}

static void a_matrix_of_zeros_is_no_preconditioner(void **state)
{
    (void)state;
    test_system system;
    const double zeros[4] = {0};
    const spg_csr A = matrix_of(2, zeros);
    test_system_begin(&A, NULL, 2, &system);
    spg_amg_solve_options options = spg_amg_solve_options_default();
    assert_int_equal(test_system_solve(&system, &options, SPG_ERROR_BREAKDOWN).converged, 0);
    assert_message(&system, "r.Mr is 0");
    options.method = SPG_AMG_STANDALONE;
    assert_int_equal(test_system_solve(&system, &options, SPG_ERROR_NOT_CONVERGED).iterations, options.max_iterations);
    test_system_end(&system);
}

/* The Laplacian of a grid without boundary values: constants are its null space. */
static void a_singular_matrix_is_solved_where_a_solution_exists(void **state)
{
    (void)state;
    const int64_t coarse[] = {2, 20, 300};
    for (int c = 0; c < 3; c++)
        for (int m = 0; m < 2; m++) {
            test_system system;
            spg_amg_options options = spg_amg_options_default();
            spg_amg_solve_options solve = spg_amg_solve_options_default();
            spg_csr A = test_generate("fd2d5:40", SPG_F64);
            double *values = A.values, b[1600];
            for (int64_t i = 0; i < A.rows; i++)
                for (int64_t k = test_offset(&A, i); k < test_offset(&A, i + 1); k++)
                    if (A.columns[k] == i) values[k] = (double)(test_offset(&A, i + 1) - test_offset(&A, i) - 1);
            options.max_coarse = coarse[c];
            solve.method = methods[m];
            test_system_begin(&A, &options, 2, &system);
            test_random_values(3, TEST_INTEGER, SPG_F64, 1600, b);
            for (int i = 0; i < 800; i++) b[1599 - i] = -b[i]; /* sums to zero */
            test_send(b, sizeof b, system.b);
            const spg_amg_solve_result result = test_system_solve(&system, &solve, SPG_OK);
            assert_true(result.iterations < 60);
            assert_true(fabs(true_residual(&system) - result.residual) < 1e-9 * result.initial_residual);
            test_system_end(&system);
        }
}

/* ---- Threads, memory, arguments ---- */

static void every_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    const int threads[] = {1, 2, 3, 7};
    for (int m = 0; m < 2; m++)
        for (spg_type type = SPG_F32; type <= SPG_F64; type++) {
            void *first = NULL;
            for (int t = 0; t < 4; t++) {
                test_system system;
                spg_amg_solve_options solve = spg_amg_solve_options_default();
                const spg_amg_options options = several_levels();
                const spg_csr A = test_generate("fd3d7:30", type);
                solve.method = methods[m];
                solve.tolerance = 1e-4;
                test_system_begin(&A, &options, threads[t], &system);
                test_system_solve(&system, &solve, SPG_OK);
                double *x = fetch(&system, system.x);
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

static void the_first_solve_allocates_and_survives_each_refusal_and_later_ones_allocate_nothing(void **state)
{
    (void)state;
    test_allocator memory;
    spg_context *context = test_faulty_context(&memory, 2, 0);
    spg_csr A = test_generate("fd2d5:40", SPG_F64), A_here;
    const size_t bytes = 1600 * sizeof(double);
    double ones[1600], zeros[1600] = {0};
    const spg_amg_options options = several_levels();
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

static void wrong_arguments_are_refused_by_name(void **state)
{
    (void)state;
    test_system system;
    spg_amg_solve_result result;
    begin("fd2d5:30", SPG_F64, &system);
    spg_context *context = system.context;
    spg_amg *amg = system.amg;
    void *b = system.b, *x = system.x;
    const spg_amg_solve_options usual = spg_amg_solve_options_default();
    spg_amg_solve_options wrong[4] = {usual, usual, usual, usual};
    const char *const names[] = {"method", "tolerance", "tolerance", "max_iterations"};
    wrong[0].method = (spg_amg_method)2;
    wrong[1].tolerance = -1;
    wrong[2].tolerance = NAN;
    wrong[3].max_iterations = -1;
    for (int k = 0; k < 4; k++) {
        memset(&result, 0xff, sizeof result);
        assert_int_equal(spg_amg_solve(context, amg, b, x, &wrong[k], &result), SPG_ERROR_ARGUMENT);
        assert_message(&system, names[k]);
        test_assert_zeroed(&result, sizeof result);
    }
    assert_int_equal(spg_amg_solve(NULL, amg, b, x, NULL, NULL), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_amg_solve(context, NULL, b, x, NULL, NULL), SPG_ERROR_ARGUMENT);
    assert_message(&system, "amg is NULL");
    assert_int_equal(spg_amg_solve(context, amg, NULL, x, NULL, NULL), SPG_ERROR_ARGUMENT);
    assert_message(&system, "b is NULL");
    assert_int_equal(spg_amg_cycle(context, amg, b, NULL), SPG_ERROR_ARGUMENT);
    assert_message(&system, "x is NULL");
    assert_int_equal(spg_amg_cycle(context, amg, b, (double *)b + 5), SPG_ERROR_ARGUMENT);
    assert_message(&system, "overlap");
    assert_int_equal(spg_amg_solve(test_lender(), amg, b, x, NULL, NULL), SPG_ERROR_ARGUMENT);
    assert_non_null(strstr(spg_context_message(test_lender()), "another context"));
    test_system_end(&system);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_solve_reports_what_it_leaves_in_x),
        cmocka_unit_test(the_first_guess_counts),
        cmocka_unit_test(a_right_hand_side_of_zero_is_solved_to_an_absolute_tolerance),
        cmocka_unit_test(too_few_iterations_leave_the_last_iterate_and_say_so),
        cmocka_unit_test(a_tolerance_below_rounding_is_never_claimed),
        cmocka_unit_test(conjugate_gradients_stop_at_an_indefinite_matrix),
        cmocka_unit_test(values_that_are_not_finite_break_a_solve_down),
        cmocka_unit_test(a_diverging_iteration_ends),
        cmocka_unit_test(no_rows_need_no_iterations),
        cmocka_unit_test(one_unknown_takes_one_iteration),
        cmocka_unit_test(a_matrix_of_zeros_is_no_preconditioner),
        cmocka_unit_test(a_singular_matrix_is_solved_where_a_solution_exists),
        cmocka_unit_test(every_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(the_first_solve_allocates_and_survives_each_refusal_and_later_ones_allocate_nothing),
        cmocka_unit_test(wrong_arguments_are_refused_by_name),
    };
    return TEST_RUN_HERE(argc, argv, "amg solve", tests);
}
