/* What solves tell that end without converging: how, and the residual of the final x. */
#include "amg_many_vectors.h"
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

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(diverging_cycles_end_alike_for_one_and_for_several),
    };
    return TEST_RUN_HERE(argc, argv, "amg ends", tests);
}
