/* Krylov methods (spg/krylov.h): that they solve what they are for, tell what they are not for, and restart and end as
 * the header says. */
#include "amg_systems.h"
#include "matrices_for_tests.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { METHODS = 4 };
static const spg_krylov_method methods[METHODS] = {SPG_KRYLOV_CG, SPG_KRYLOV_FCG, SPG_KRYLOV_FGMRES,
                                                   SPG_KRYLOV_BICGSTAB};

/* A grid of n x n points with diffusion and, upwind, convection along the numbering: `speed` 0 is symmetric. */
static spg_csr convection(int n, double speed)
{
    char name[32];
    snprintf(name, sizeof name, "fd2d5:%d", n);
    spg_csr A = test_generate(name, SPG_F64);
    double *values = A.values;
    const int32_t *offsets = A.row_offsets;
    for (int64_t i = 0; i < A.rows; i++) {
        for (int32_t k = offsets[i]; k < offsets[i + 1]; k++) {
            if (A.columns[k] == i) values[k] += 2 * speed;
            if (A.columns[k] == i - 1 || A.columns[k] == i - n) values[k] -= speed;
        }
    }
    return A;
}

static spg_krylov_result solve(test_system *system, bool with_cycle, const spg_krylov_options *options,
                               spg_status expected)
{
    const spg_operator A = spg_csr_operator(&system->A_here), M = spg_amg_operator(system->amg);
    spg_krylov_result result;
    const spg_status status =
        spg_krylov_solve(system->context, &A, with_cycle ? &M : NULL, system->b, system->x, options, &result);
    if (status != expected)
        fail_msg("%s in place of %s: %s", spg_status_name(status), spg_status_name(expected),
                 spg_context_message(system->context));
    return result;
}

/* The residual told is the true one, which tests compute of doubles. */
static void assert_solved(const test_system *system, const spg_krylov_result *result, double tolerance)
{
    assert_true(result->converged && !result->stagnated && !result->stopped);
    assert_true(result->relative_residual <= tolerance);
    if (system->A.value_type != SPG_F64) return;
    const double residual = test_system_residual(system);
    if (!(fabs(residual - result->residual) <= 1e-12 * sqrt((double)system->A.rows)))
        fail_msg("%g, not %g", result->residual, residual);
}

static void every_method_solves_a_symmetric_system_with_and_without_a_cycle(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        for (spg_type type = SPG_F32; type <= SPG_F64; type++) {
            test_system system;
            spg_krylov_options options = spg_krylov_options_default();
            test_system_of("fd2d5:40", type, &system);
            options.method = methods[m];
            spg_krylov_result with = solve(&system, true, &options, SPG_OK);
            assert_solved(&system, &with, type == SPG_F32 ? 1e-4 : 1e-8);
            test_system_reset(&system);
            options.max_iterations = 500;
            const spg_krylov_result without = solve(&system, false, &options, SPG_OK);
            assert_solved(&system, &without, type == SPG_F32 ? 1e-4 : 1e-8);
            assert_true(with.iterations * 2 < without.iterations);
            test_system_end(&system);
        }
    }
}

static void conjugate_gradients_take_the_iterations_of_spg_amg_solve(void **state)
{
    (void)state;
    for (int flexible = 0; flexible < 2; flexible++) {
        test_system system;
        double ours[201], its[201];
        spg_krylov_options options = spg_krylov_options_default();
        spg_amg_solve_options solving = spg_amg_solve_options_default();
        test_system_of("fd2d5:60", SPG_F64, &system);
        solving.history = its;
        const spg_amg_solve_result expected = test_system_solve(&system, &solving, SPG_OK);
        test_system_reset(&system);
        options.method = flexible ? SPG_KRYLOV_FCG : SPG_KRYLOV_CG;
        options.history = ours;
        const spg_krylov_result result = solve(&system, true, &options, SPG_OK);
        assert_int_equal(result.iterations, expected.iterations);
        for (int k = 0; k <= result.iterations; k++)
            if (!(fabs(ours[k] - its[k]) <= 1e-5 * its[0])) fail_msg("iteration %d: %g, not %g", k, ours[k], its[k]);
        test_system_end(&system);
    }
}

static void unsymmetric_systems_are_solved_by_fgmres_and_bicgstab_and_told_by_the_others(void **state)
{
    (void)state;
    static const double speeds[] = {0.5, 20};
    for (int s = 0; s < 2; s++) {
        spg_csr A = convection(40, speeds[s]);
        test_system system;
        spg_krylov_options options = spg_krylov_options_default();
        test_system_begin(&A, NULL, 2, &system);
        for (int with_cycle = 0; with_cycle < (s == 0 ? 2 : 1); with_cycle++) {
            for (int m = 2; m < METHODS; m++) {
                test_system_reset(&system);
                options.method = methods[m];
                options.max_iterations = 400;
                const spg_krylov_result result = solve(&system, with_cycle == 1, &options, SPG_OK);
                assert_solved(&system, &result, 1e-8);
            }
        }
        options.method = SPG_KRYLOV_CG;
        options.max_iterations = 60;
        const spg_operator matrix = spg_csr_operator(&system.A_here);
        spg_krylov_result result;
        test_system_reset(&system);
        const spg_status status =
            spg_krylov_solve(system.context, &matrix, NULL, system.b, system.x, &options, &result);
        assert_true(status == SPG_ERROR_INDEFINITE || status == SPG_ERROR_NOT_CONVERGED);
        test_system_reset(&system);
        spg_amg_solve_options solving = spg_amg_solve_options_default();
        solving.max_iterations = 3;
        (void)test_system_solve(&system, &solving, SPG_ERROR_NOT_CONVERGED);
        test_assert_message(system.context, "A is not symmetric, and FGMRES and BiCGStab");
        test_system_end(&system);
    }
}

static void fgmres_restarts_and_its_residuals_never_grow(void **state)
{
    (void)state;
    static const int restarts[] = {5, 12, 1000};
    int iterations[3];
    for (int k = 0; k < 3; k++) {
        spg_csr A = convection(30, 0.5);
        test_system system;
        double history[301];
        spg_krylov_options options = spg_krylov_options_default();
        test_system_begin(&A, NULL, 2, &system);
        options.method = SPG_KRYLOV_FGMRES;
        options.restart = restarts[k];
        options.max_iterations = 300;
        options.history = history;
        const spg_krylov_result result = solve(&system, true, &options, SPG_OK);
        assert_solved(&system, &result, 1e-8);
        for (int i = 1; i <= result.iterations; i++)
            if (!(history[i] <= history[i - 1] * (1 + 1e-6)))
                fail_msg("restart %d, iteration %d: %g after %g", restarts[k], i, history[i], history[i - 1]);
        iterations[k] = result.iterations;
        test_system_end(&system);
    }
    assert_true(iterations[2] <= iterations[1] && iterations[1] <= iterations[0]);
}

/* One round of Gram-Schmidt takes 388 iterations here, as it loses the basis; two take 178. */
static void a_long_basis_of_fgmres_stays_orthogonal(void **state)
{
    (void)state;
    spg_csr A = convection(60, 0.5);
    test_system system;
    spg_krylov_options options = spg_krylov_options_default();
    test_system_begin(&A, NULL, 2, &system);
    options.method = SPG_KRYLOV_FGMRES;
    options.restart = options.max_iterations = 400;
    options.tolerance = 1e-13;
    const spg_krylov_result result = solve(&system, false, &options, SPG_OK);
    assert_solved(&system, &result, 1e-13);
    if (result.iterations > 250) fail_msg("%d iterations", result.iterations);
    test_system_end(&system);
}

static void a_guess_of_zero_reads_no_x_and_a_solution_takes_no_iteration(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        test_system system;
        spg_krylov_options options = spg_krylov_options_default();
        test_system_of("fd2d5:30", SPG_F64, &system);
        options.method = methods[m];
        const spg_krylov_result from_zeros = solve(&system, true, &options, SPG_OK);
        double *solution = test_system_fetch(&system, system.x);
        spg_krylov_result result = solve(&system, true, &options, SPG_OK);
        assert_true(result.iterations == 0 && result.converged);
        for (int64_t i = 0; i < system.A.rows; i++) solution[i] = NAN;
        test_send(solution, system.bytes, system.x);
        options.zero_guess = 1;
        result = solve(&system, true, &options, SPG_OK);
        assert_solved(&system, &result, 1e-8);
        assert_int_equal(result.iterations, from_zeros.iterations);
        free(solution);
        test_system_end(&system);
    }
}

typedef struct watched {
    int calls, end_at;
    double last;
} watched;

static int watch(void *user, int iteration, double residual)
{
    watched *seen = user;
    assert_int_equal(iteration, ++seen->calls);
    seen->last = residual;
    return iteration == seen->end_at;
}

typedef struct counted {
    spg_operator of;
    int calls;
} counted;

static spg_status count_call(void *user, spg_context *context, const void *x, void *y)
{
    counted *c = user;
    c->calls++;
    return c->of.apply(c->of.user, context, x, y);
}

/* With a monitor no iteration is begun before the one before it has ended. */
static void conjugate_gradients_apply_a_preconditioner_once_an_iteration(void **state)
{
    (void)state;
    for (int watches = 0; watches < 2; watches++) {
        test_system system;
        watched seen = {0, 0, 0};
        spg_krylov_options options = spg_krylov_options_default();
        spg_krylov_result result;
        test_system_of("fd2d5:60", SPG_F64, &system);
        counted M = {spg_amg_operator(system.amg), 0};
        const spg_operator A = spg_csr_operator(&system.A_here), counting = {A.rows, A.type, &M, count_call};
        if (watches) options.monitor = watch, options.monitor_user = &seen;
        assert_int_equal(spg_krylov_solve(system.context, &A, &counting, system.b, system.x, &options, &result),
                         SPG_OK);
        assert_in_range(M.calls, result.iterations, result.iterations + (watches ? 0 : 1));
        test_system_end(&system);
    }
}

static void a_monitor_sees_each_iteration_and_can_end_the_solve(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        test_system system;
        watched seen = {0, 0, 0};
        double history[201];
        spg_krylov_options options = spg_krylov_options_default();
        test_system_of("fd2d5:40", SPG_F64, &system);
        options.method = methods[m];
        options.monitor = watch;
        options.monitor_user = &seen;
        options.history = history;
        spg_krylov_result result = solve(&system, true, &options, SPG_OK);
        assert_int_equal(seen.calls, result.iterations);
        seen = (watched){0, 2, 0};
        test_system_reset(&system);
        result = solve(&system, true, &options, SPG_ERROR_NOT_CONVERGED);
        test_assert_message(system.context, "after 2 iterations");
        test_assert_message(system.context, "the monitor ended the solve");
        assert_true(result.stopped && !result.converged && result.iterations == 2);
        assert_true(fabs(test_system_residual(&system) - result.residual) < 1e-10);
        test_system_end(&system);
    }
}

static void limits_and_rounding_end_a_solve_with_the_true_residual(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        test_system system;
        spg_krylov_options options = spg_krylov_options_default();
        test_system_of("fd2d5:40", SPG_F32, &system);
        options.method = methods[m];
        options.max_iterations = 0;
        spg_krylov_result result = solve(&system, true, &options, SPG_ERROR_NOT_CONVERGED);
        assert_true(result.iterations == 0 && result.residual == result.initial_residual && result.residual > 0);
        options.max_iterations = 3;
        options.tolerance = 1e-7;
        result = solve(&system, true, &options, SPG_ERROR_NOT_CONVERGED);
        test_assert_message(system.context, "max_iterations were done");
        assert_int_equal(result.iterations, 3);
        options.max_iterations = 200;
        options.tolerance = 1e-12;
        result = solve(&system, true, &options, SPG_ERROR_NOT_CONVERGED);
        assert_true(result.relative_residual > 1e-12 && result.relative_residual < 1e-3);
        assert_true(result.stagnated && result.iterations < 200);
        test_assert_message(system.context, "rounding keeps it from falling further");
        test_system_end(&system);
    }
}

static void an_apply_is_a_cycle_from_zero_and_reads_no_x(void **state)
{
    (void)state;
    for (spg_smoother smoother = SPG_SMOOTHER_JACOBI; smoother <= SPG_SMOOTHER_CHEBYSHEV; smoother++) {
        test_system system;
        spg_amg_options options = test_several_levels();
        options.smoother = smoother;
        const spg_csr A = test_generate("fd2d5:40", SPG_F64);
        test_system_begin(&A, &options, 2, &system);
        assert_int_equal(spg_amg_cycle(system.context, system.amg, system.b, system.x), SPG_OK);
        double *expected = test_system_fetch(&system, system.x), *nans = test_system_fetch(&system, system.x);
        for (int64_t i = 0; i < system.A.rows; i++) nans[i] = NAN;
        test_send(nans, system.bytes, system.x);
        assert_int_equal(spg_amg_apply(system.context, system.amg, system.b, system.x), SPG_OK);
        double *found = test_system_fetch(&system, system.x);
        for (int64_t i = 0; i < system.A.rows; i++)
            if (!(fabs(found[i] - expected[i]) <= 1e-11 * fabs(expected[i])))
                fail_msg("row %d: %g, not %g", (int)i, found[i], expected[i]);
        free(found);
        free(expected);
        free(nans);
        test_system_end(&system);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_solves_a_symmetric_system_with_and_without_a_cycle),
        cmocka_unit_test(conjugate_gradients_take_the_iterations_of_spg_amg_solve),
        cmocka_unit_test(unsymmetric_systems_are_solved_by_fgmres_and_bicgstab_and_told_by_the_others),
        cmocka_unit_test(fgmres_restarts_and_its_residuals_never_grow),
        cmocka_unit_test(a_long_basis_of_fgmres_stays_orthogonal),
        cmocka_unit_test(a_guess_of_zero_reads_no_x_and_a_solution_takes_no_iteration),
        cmocka_unit_test(conjugate_gradients_apply_a_preconditioner_once_an_iteration),
        cmocka_unit_test(a_monitor_sees_each_iteration_and_can_end_the_solve),
        cmocka_unit_test(limits_and_rounding_end_a_solve_with_the_true_residual),
        cmocka_unit_test(an_apply_is_a_cycle_from_zero_and_reads_no_x),
    };
    return TEST_RUN_HERE(argc, argv, "krylov", tests);
}
