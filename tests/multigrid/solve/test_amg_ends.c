/* What solves tell that end without converging: how, and the residual of the final x. */
#include "amg_many_vectors.h"
#include "amg_reference.h"

#include "matrices_for_tests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A smoother that enlarges errors. */
static void begin_diverging(spg_type type, spg_amg_precision precision, test_system *system)
{
    spg_amg_options options = test_several_levels();
    const spg_csr A = test_generate("fd2d5:30", type);
    options.relaxation = 50;
    options.precision = precision;
    test_system_begin(&A, &options, 2, system);
}

/* After these iterations the squares of the residual are infinite, and the residual is not. */
static void diverging_cycles_end_alike_for_one_and_for_several(void **state)
{
    (void)state;
    enum { MOST = 2000 };
    for (int precision = SPG_AMG_PRECISION_OF_A; precision <= SPG_AMG_PRECISION_F32; ++precision) {
        test_system system;
        double history[MOST + 1];
        spg_amg_solve_result results[3];
        spg_amg_solve_options options = spg_amg_solve_options_default();
        begin_diverging(SPG_F64, (spg_amg_precision)precision, &system);
        options.method = SPG_AMG_STANDALONE;
        options.max_iterations = MOST;
        options.history = history;
        test_system_solve(&system, &options, SPG_ERROR_BREAKDOWN);
        for (options.max_iterations = 0; history[options.max_iterations] < 1e200; ++options.max_iterations)
            assert_true(options.max_iterations < MOST);
        options.history = NULL;
        test_system_reset(&system);
        const spg_amg_solve_result one = test_system_solve(&system, &options, SPG_ERROR_NOT_CONVERGED);
        test_vectors vectors = test_vectors_random(&system, 3, SPG_ROW_MAJOR, 0, 4);
        for (int64_t i = 0; i < vectors.n; ++i) {
            test_set_element(vectors.B, SPG_F64, test_place_of(&vectors, i, 1), 1);
            test_set_element(vectors.X, SPG_F64, test_place_of(&vectors, i, 1), 0);
        }
        test_vectors_solve(&system, &vectors, &options, results, SPG_ERROR_NOT_CONVERGED);
        for (int j = 0; j < 3; ++j) {
            assert_int_equal(results[j].iterations, options.max_iterations);
            assert_true(isfinite(results[j].residual) && results[j].residual > 1e190);
        }
        const double least = precision == SPG_AMG_PRECISION_F32 ? 0.5 : 1e-6; /* floats' rounding grows as well */
        assert_true(fabs(results[1].residual / one.residual - 1) < least);
        test_vectors_free(&vectors);
        test_system_end(&system);
    }
}

/* A periodic line, whose null space is the constant. */
static spg_csr periodic_line(void)
{
    enum { N = 700 };
    int32_t rows[3 * N], columns[3 * N];
    double values[3 * N];
    for (int i = 0; i < 3 * N; ++i) {
        rows[i] = i / 3;
        columns[i] = (i / 3 + i % 3 + N - 1) % N;
        values[i] = i % 3 == 1 ? 2 : -1;
    }
    return test_from_triples(N, 3 * N, rows, columns, values, SPG_F64);
}

static void assert_told(const spg_amg_solve_result *result, const double *history, double expected, double norm)
{
    const double least = expected * (1 - 1e-10), most = expected * (1 + 1e-10);
    assert_true(!result->converged && result->iterations == 0);
    assert_true(result->residual >= least && result->residual <= most);
    assert_true(result->initial_residual == result->residual && history[0] == result->residual && history[1] == -1);
    assert_true(fabs(result->relative_residual * norm / expected - 1) < 1e-10);
}

/* In doubles b has no solution; in floats the null space is not known. */
static void refused_systems_tell_the_residual_of_the_guess(void **state)
{
    (void)state;
    for (int precision = SPG_AMG_PRECISION_OF_A; precision <= SPG_AMG_PRECISION_F32; ++precision) {
        test_system system;
        spg_amg_options setup = test_several_levels();
        spg_amg_solve_options options = spg_amg_solve_options_default();
        const spg_csr A = periodic_line();
        const spg_status expected =
            precision == SPG_AMG_PRECISION_OF_A ? SPG_ERROR_INCOMPATIBLE : SPG_ERROR_UNSUPPORTED;
        double history[6] = {0, -1, 0, -1, 0, -1};
        setup.precision = (spg_amg_precision)precision;
        test_system_begin(&A, &setup, 2, &system);
        options.max_iterations = 1;
        options.history = history;
        double *guess = test_system_fetch(&system, system.x);
        for (int64_t i = 0; i < A.rows; ++i) guess[i] = (double)(i % 5);
        test_send(guess, system.bytes, system.x);
        const double residual = test_system_residual(&system), norm = sqrt((double)A.rows);
        const spg_amg_solve_result one = test_system_solve(&system, &options, expected);
        assert_told(&one, history, residual, norm);
        double *after = test_system_fetch(&system, system.x);
        assert_memory_equal(after, guess, system.bytes);

        test_vectors vectors = test_vectors_random(&system, 3, SPG_COLUMN_MAJOR, 0, 6);
        spg_amg_solve_result results[3];
        for (int64_t i = 0; i < 3 * A.rows; ++i) {
            ((double *)vectors.B)[i] = 1;
            ((double *)vectors.X)[i] = guess[i % A.rows];
        }
        for (int k = 0; k < 6; ++k) history[k] = -1;
        test_vectors_solve(&system, &vectors, &options, results, expected);
        for (int j = 0; j < 3; ++j) assert_told(&results[j], history + 2 * j, residual, norm);
        test_vectors_free(&vectors);
        free(after);
        free(guess);
        test_system_end(&system);
    }
}

/* Scales A by a power of two. */
static spg_csr scaled(const char *name, spg_type type, int exponent)
{
    const spg_csr A = test_generate(name, type);
    for (int64_t k = 0; k < A.nnz; ++k)
        test_set_element(A.values, type, k, ldexp(test_element(A.values, type, k), exponent));
    return A;
}

static void assert_stagnated(const spg_amg_solve_result *result, double most)
{
    assert_true(result->stagnated && !result->converged);
    if (!(result->iterations < 60 && result->relative_residual < most))
        fail_msg("%g after %d iterations", result->relative_residual, result->iterations);
}

/* Whatever A's unit, and so that of r . M r. */
static void a_tolerance_of_zero_ends_where_the_residual_cannot_fall_further(void **state)
{
    (void)state;
    static const int exponents[] = {0, -600, -100, 80, 400, 700, 900};
    for (int k = 0; k < 7; ++k)
        for (int cycle = SPG_CYCLE_V; cycle <= SPG_CYCLE_K; ++cycle)
            for (int precision = SPG_AMG_PRECISION_OF_A; precision <= SPG_AMG_PRECISION_F32; ++precision) {
                test_system system;
                spg_amg_options setup = test_several_levels();
                spg_amg_solve_options options = spg_amg_solve_options_default();
                const spg_csr A = scaled("fd2d5:60", SPG_F64, exponents[k]);
                setup.cycle = (spg_cycle)cycle;
                setup.precision = (spg_amg_precision)precision;
                test_system_begin(&A, &setup, 2, &system);
                options.tolerance = 0;
                const spg_amg_solve_result one = test_system_solve(&system, &options, SPG_ERROR_NOT_CONVERGED);
                test_assert_message(system.context, "rounding in f64");
                assert_stagnated(&one, 1e-12);
                if (cycle == SPG_CYCLE_V) {
                    spg_amg_solve_result results[3];
                    test_vectors vectors = test_vectors_random(&system, 3, SPG_ROW_MAJOR, 0, 8);
                    for (int64_t i = 0; i < 3 * A.rows; ++i) ((double *)vectors.X)[i] = 0;
                    test_vectors_solve(&system, &vectors, &options, results, SPG_ERROR_NOT_CONVERGED);
                    for (int j = 0; j < 3; ++j) assert_stagnated(&results[j], 1e-12);
                    test_vectors_free(&vectors);
                }
                test_system_end(&system);
            }
}

static void a_tolerance_of_zero_in_floats_ends_too(void **state)
{
    (void)state;
    test_system system;
    spg_amg_solve_options options = spg_amg_solve_options_default();
    test_system_of("fd2d5:60", SPG_F32, &system);
    options.tolerance = 0;
    const spg_amg_solve_result result = test_system_solve(&system, &options, SPG_ERROR_NOT_CONVERGED);
    assert_stagnated(&result, 1e-3);
    test_system_end(&system);
}

/* The residual can fall until it is zero. */
static void a_tolerance_of_zero_goes_far_where_b_is_zero(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        test_system system;
        spg_amg_solve_options options = spg_amg_solve_options_default();
        const spg_csr A = scaled("fd2d5:30", SPG_F64, k == 0 ? 0 : 500);
        const spg_amg_options setup = test_several_levels();
        test_system_begin(&A, &setup, 2, &system);
        double *values = test_system_fetch(&system, system.b);
        test_send(values, system.bytes, system.x);
        for (int64_t i = 0; i < A.rows; ++i) values[i] = 0;
        test_send(values, system.bytes, system.b);
        free(values);
        options.tolerance = 0;
        options.max_iterations = 1000;
        spg_amg_solve_result result;
        const spg_status status = spg_amg_solve(system.context, system.amg, system.b, system.x, &options, &result);
        assert_true(status == SPG_OK ? result.converged : status == SPG_ERROR_NOT_CONVERGED && result.stagnated);
        assert_true(result.residual <= 1e-60 * result.initial_residual);
        test_system_end(&system);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(diverging_cycles_end_alike_for_one_and_for_several),
        cmocka_unit_test(refused_systems_tell_the_residual_of_the_guess),
        cmocka_unit_test(a_tolerance_of_zero_ends_where_the_residual_cannot_fall_further),
        cmocka_unit_test(a_tolerance_of_zero_in_floats_ends_too),
        cmocka_unit_test(a_tolerance_of_zero_goes_far_where_b_is_zero),
    };
    return TEST_RUN_HERE(argc, argv, "amg ends", tests);
}
