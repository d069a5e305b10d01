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
    for (int precision = SPG_AMG_PRECISION_OF_A; precision <= SPG_AMG_PRECISION_OF_A; ++precision) {
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
        assert_true(fabs(results[1].residual / one.residual - 1) < 1e-6);
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

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(diverging_cycles_end_alike_for_one_and_for_several),
        cmocka_unit_test(refused_systems_tell_the_residual_of_the_guess),
    };
    return TEST_RUN_HERE(argc, argv, "amg ends", tests);
}
