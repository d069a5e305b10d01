/* Krylov methods (spg/krylov.h) that end without converging: the x and the residual that they leave. */
#include "amg_systems.h"
#include "matrices_for_tests.h"

#include "amg/amg_backend.h"
#include "context.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { METHODS = 4 };
static const spg_krylov_method methods[METHODS] = {SPG_KRYLOV_CG, SPG_KRYLOV_FCG, SPG_KRYLOV_FGMRES,
                                                   SPG_KRYLOV_BICGSTAB};

/* An operator whose k-th call fails, or gives NaN. */
typedef struct faulty {
    spg_operator of;
    bool fails;
    int calls, at;
} faulty;

static spg_status apply_faulty(void *user, spg_context *context, const void *x, void *y)
{
    faulty *self = user;
    const bool is_now = ++self->calls == self->at;
    if (is_now && self->fails) return spg_context_fail(context, SPG_ERROR_IO, "the operator's own fault");
    const spg_status status = self->of.apply(self->of.user, context, x, y);
    if (status != SPG_OK || !is_now) return status;
    return context->backend->amg->axpby(context, self->of.type, self->of.rows, NAN, x, 0, y);
}

static void assert_true_residual(const test_system *system, const spg_krylov_result *result, const char *what)
{
    const double residual = test_system_residual(system), least = 1e-10 * result->initial_residual;
    if (!(fabs(result->residual - residual) <= 1e-6 * residual + least))
        fail_msg("%s: the residual is %g, not %g", what, residual, result->residual);
}

/* Of either operator: at its sixth call, when several iterations are done, and at the first. A has a call more. A
 * restart of BiCGStab can mend a NaN. */
static void the_last_iterate_and_its_residual_are_told_after_a_fault(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++)
        for (int kind = 0; kind < 8; kind++) {
            test_system system;
            char what[80];
            const bool is_of_A = kind % 2 == 0, fails = kind / 2 % 2 == 0;
            const int at = kind / 4 == 0 ? 6 : is_of_A ? 2 : 1;
            spg_krylov_options options = spg_krylov_options_default();
            spg_krylov_result result;
            test_system_of("fd2d5:60", SPG_F64, &system);
            const spg_operator A = spg_csr_operator(&system.A_here), M = spg_amg_operator(system.amg);
            faulty self = {is_of_A ? A : M, fails, 0, at};
            const spg_operator wrong = {A.rows, SPG_F64, &self, apply_faulty};
            options.method = methods[m];
            options.tolerance = 1e-12;
            snprintf(what, sizeof what, "method %d, %s of %s at call %d", m, fails ? "fault" : "NaN",
                     is_of_A ? "A" : "M", at);
            const spg_status status = spg_krylov_solve(system.context, is_of_A ? &wrong : &A, is_of_A ? &M : &wrong,
                                                       system.b, system.x, &options, &result);
            const bool is_mended = !fails && methods[m] == SPG_KRYLOV_BICGSTAB && status == SPG_OK;
            if (!is_mended) {
                assert_int_equal(status, fails ? SPG_ERROR_IO : SPG_ERROR_BREAKDOWN);
                test_assert_message(system.context, fails ? "the operator's own fault" : "iteration");
                assert_true(!result.converged);
            }
            if (!(isfinite(result.residual) && result.residual <= result.initial_residual * (at == 6 ? 0.9 : 1)))
                fail_msg("%s: the residual is %g", what, result.residual);
            assert_true_residual(&system, &result, what);
            test_system_end(&system);
        }
}

static void a_right_hand_side_without_a_norm_is_told(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        test_system system;
        double history[3] = {-1, -1, -1};
        spg_krylov_options options = spg_krylov_options_default();
        spg_krylov_result result;
        test_system_of("fd2d5:20", SPG_F64, &system);
        const spg_operator A = spg_csr_operator(&system.A_here);
        double *values = test_system_fetch(&system, system.b);
        values[7] = k % 2 == 0 ? NAN : INFINITY;
        test_send(values, system.bytes, system.b);
        test_send(values, system.bytes, system.x); /* not the zeros that a guess of zero makes */
        options.zero_guess = k / 2;
        options.max_iterations = 2;
        options.history = history;
        assert_int_equal(spg_krylov_solve(system.context, &A, NULL, system.b, system.x, &options, &result),
                         SPG_ERROR_BREAKDOWN);
        test_assert_message(system.context, "the norm of b");
        assert_true(!isfinite(result.initial_residual) && !isfinite(result.residual) && !isfinite(history[0]));
        assert_true(!isfinite(result.relative_residual) && result.iterations == 0 && history[1] == -1);
        double *x = test_system_fetch(&system, system.x);
        for (int64_t i = 0; i < A.rows && options.zero_guess; i++) assert_true(x[i] == 0);
        free(values);
        free(x);
        test_system_end(&system);
    }
}

static void a_residual_that_cannot_be_computed_is_no_number(void **state)
{
    (void)state;
    test_system system;
    spg_krylov_result result;
    test_system_of("fd2d5:20", SPG_F64, &system);
    faulty self = {spg_csr_operator(&system.A_here), true, 0, 1};
    const spg_operator A = {self.of.rows, SPG_F64, &self, apply_faulty};
    assert_int_equal(spg_krylov_solve(system.context, &A, NULL, system.b, system.x, NULL, &result), SPG_ERROR_IO);
    assert_true(isnan(result.residual) && isnan(result.initial_residual) && isnan(result.relative_residual));
    test_system_end(&system);
}

/* With and without a cycle, in units of A in which r . M r underflows early or late. */
static void a_tolerance_of_zero_ends_where_the_residual_cannot_fall_further(void **state)
{
    (void)state;
    static const int exponents[] = {0, -300, 300, 900};
    for (int m = 0; m < METHODS; m++)
        for (int k = 0; k < 4; k++)
            for (int type = SPG_F32; type <= SPG_F64; type++) {
                test_system system;
                spg_krylov_options options = spg_krylov_options_default();
                spg_krylov_result result;
                const spg_amg_options setup = test_several_levels();
                const spg_csr A = test_generate("fd2d5:40", (spg_type)type);
                const int exponent = type == SPG_F64 ? exponents[k] : exponents[k] / 15;
                for (int64_t i = 0; i < A.nnz; i++)
                    test_set_element(A.values, A.value_type, i,
                                     ldexp(test_element(A.values, A.value_type, i), exponent));
                test_system_begin(&A, &setup, 2, &system);
                const spg_operator of_A = spg_csr_operator(&system.A_here), M = spg_amg_operator(system.amg);
                options.method = methods[m];
                options.tolerance = 0;
                const spg_status status =
                    spg_krylov_solve(system.context, &of_A, &M, system.b, system.x, &options, &result);
                if (status != SPG_ERROR_NOT_CONVERGED || !result.stagnated || result.iterations > 60 ||
                    !(result.relative_residual < (type == SPG_F64 ? 1e-12 : 1e-3)))
                    fail_msg("method %d, type %d, A times 2^%d: %g after %d iterations: %s", m, type, exponent,
                             result.relative_residual, result.iterations, spg_context_message(system.context));
                test_assert_message(system.context, "rounding keeps it from falling further");
                test_system_end(&system);
            }
}

/* The residual falls far below where each method began, to the rounding of that, where small systems leave a method no
 * direction. */
static void a_guess_much_larger_than_the_solution_does_no_harm(void **state)
{
    (void)state;
    enum { KINDS = 3, SHIFTS = 12 };
    static const char *const names[KINDS] = {"fd2d5:1", "fd2d5:2", "fd2d5:3"};
    for (int k = 0; k < KINDS * SHIFTS * METHODS; k++) {
        const char *name = names[k / METHODS % KINDS];
        const int shift = k / METHODS / KINDS;
        test_system system;
        spg_krylov_options options = spg_krylov_options_default();
        const spg_csr generated = test_generate(name, SPG_F64);
        for (int64_t i = 0; i < generated.nnz; i++) /* not whole numbers, so that steps are rounded */
            if (((double *)generated.values)[i] > 0) ((double *)generated.values)[i] += 0.1 * (double)(shift + i % 5);
        test_system_begin(&generated, NULL, 1, &system);
        const spg_operator A = spg_csr_operator(&system.A_here);
        double *values = test_system_fetch(&system, system.b);
        for (int64_t i = 0; i < A.rows; i++) values[i] = 1e-25 * (double)(3 + i % 5);
        test_send(values, system.bytes, system.b);
        for (int64_t i = 0; i < A.rows; i++) values[i] = 1 / ((double)i + 1.3);
        test_send(values, system.bytes, system.x);
        options.method = methods[k % METHODS];
        options.max_iterations = 1000;
        if (spg_krylov_solve(system.context, &A, NULL, system.b, system.x, &options, NULL) != SPG_OK)
            fail_msg("%s, shift %d, method %d: %s", name, shift, k % METHODS, spg_context_message(system.context));
        free(values);
        test_system_end(&system);
    }
}

static void a_right_hand_side_of_denormal_floats_is_solved_for(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        test_system system;
        spg_krylov_options options = spg_krylov_options_default();
        spg_krylov_result result;
        test_system_of("fd2d5:3", SPG_F32, &system);
        const spg_operator A = spg_csr_operator(&system.A_here);
        float values[9];
        for (int i = 0; i < 9; i++) values[i] = 1e-40F * (float)(1 + i % 4);
        test_send(values, sizeof values, system.b);
        options.method = methods[m];
        options.tolerance = 1e-3;
        if (spg_krylov_solve(system.context, &A, NULL, system.b, system.x, &options, &result) != SPG_OK)
            fail_msg("method %d: %s", m, spg_context_message(system.context));
        assert_true(result.initial_residual > 0);
        test_system_end(&system);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_iterate_and_its_residual_are_told_after_a_fault),
        cmocka_unit_test(a_right_hand_side_without_a_norm_is_told),
        cmocka_unit_test(a_residual_that_cannot_be_computed_is_no_number),
        cmocka_unit_test(a_guess_much_larger_than_the_solution_does_no_harm),
        cmocka_unit_test(a_right_hand_side_of_denormal_floats_is_solved_for),
        cmocka_unit_test(a_tolerance_of_zero_ends_where_the_residual_cannot_fall_further),
    };
    return TEST_RUN_HERE(argc, argv, "krylov, ends", tests);
}
