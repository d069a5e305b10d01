/* Krylov methods (spg/krylov.h): operators that fail, memory that is refused, and wrong arguments. */
#include "amg_systems.h"
#include "fault.h"
#include "matrices_for_tests.h"

#include "amg/amg_backend.h"
#include "context.h"

#include <math.h>
#include <stdlib.h>

enum { METHODS = 4 };
static const spg_krylov_method methods[METHODS] = {SPG_KRYLOV_CG, SPG_KRYLOV_FCG, SPG_KRYLOV_FGMRES,
                                                   SPG_KRYLOV_BICGSTAB};

/* An operator that fails at its k-th call. */
typedef struct failing {
    spg_operator of;
    int calls, fail_at;
} failing;

static spg_status apply_failing(void *user, spg_context *context, const void *x, void *y)
{
    failing *self = user;
    if (++self->calls == self->fail_at) return spg_context_fail(context, SPG_ERROR_IO, "the operator's own fault");
    return self->of.apply(self->of.user, context, x, y);
}

static void a_failing_operator_ends_the_solve_with_its_status(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        for (int fail_at = 1; fail_at <= 4; fail_at++) {
            for (int which = 0; which < 2; which++) {
                test_system system;
                spg_krylov_options options = spg_krylov_options_default();
                test_system_of("fd2d5:20", SPG_F64, &system);
                const spg_operator A = spg_csr_operator(&system.A_here), M = spg_amg_operator(system.amg);
                failing self = {which == 0 ? A : M, 0, fail_at};
                const spg_operator faulty = {A.rows, SPG_F64, &self, apply_failing};
                options.method = methods[m];
                assert_int_equal(spg_krylov_solve(system.context, which == 0 ? &faulty : &A, which == 1 ? &faulty : &M,
                                                  system.b, system.x, &options, NULL),
                                 SPG_ERROR_IO);
                test_assert_message(system.context, "the operator's own fault");
                test_system_end(&system);
            }
        }
    }
}

/* Times -1. */
static spg_status apply_negated(void *user, spg_context *context, const void *x, void *y)
{
    const spg_operator *of = user;
    const spg_status status = of->apply(of->user, context, x, y);
    return status == SPG_OK ? context->backend->amg->axpby(context, of->type, of->rows, -1, y, 0, y) : status;
}

static void conjugate_gradients_name_what_is_not_positive_definite(void **state)
{
    (void)state;
    for (int flexible = 0; flexible < 2; flexible++) {
        for (int which = 0; which < 2; which++) {
            test_system system;
            spg_krylov_options options = spg_krylov_options_default();
            spg_krylov_result result;
            test_system_of("fd2d5:20", SPG_F64, &system);
            spg_operator A = spg_csr_operator(&system.A_here), M = spg_amg_operator(system.amg);
            const spg_operator negated = {A.rows, SPG_F64, which == 0 ? &A : &M, apply_negated};
            options.method = flexible ? SPG_KRYLOV_FCG : SPG_KRYLOV_CG;
            assert_int_equal(spg_krylov_solve(system.context, which == 0 ? &negated : &A, which == 1 ? &negated : &M,
                                              system.b, system.x, &options, &result),
                             SPG_ERROR_INDEFINITE);
            test_assert_message(system.context, which == 0 ? "iteration 1: p.Ap is -" : "iteration 1: r.Mr is -");
            test_assert_message(system.context, which == 0 ? "A is not positive definite" : "the preconditioner M");
            assert_true(!result.converged && result.iterations == 0 && result.residual == result.initial_residual);
            test_system_end(&system);
        }
    }
}

static void every_refused_allocation_leaves_nothing_behind(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        test_allocator memory;
        spg_context *context = test_faulty_context(&memory, 2, 0);
        const spg_csr A = test_generate("fd2d5:20", SPG_F64);
        spg_csr here;
        test_to_place(context, &A, &here);
        const size_t bytes = (size_t)A.rows * sizeof(double);
        void *zeros = calloc((size_t)A.rows, sizeof(double));
        void *b = test_lend(zeros, bytes), *x = test_lend(zeros, bytes);
        const spg_operator matrix = spg_csr_operator(&here);
        spg_krylov_options options = spg_krylov_options_default();
        options.method = methods[m];
        int64_t k = 1;
        for (;; k++) {
            const int64_t before = test_live(&memory);
            test_fail_at(&memory, k);
            const spg_status status = spg_krylov_solve(context, &matrix, NULL, b, x, &options, NULL);
            if (!test_failed(&memory)) break;
            assert_int_equal(status, SPG_ERROR_MEMORY);
            assert_int_equal(test_live(&memory), before);
        }
        assert_true(k > 1);
        test_fail_at(&memory, 0);
        free(zeros);
        test_give_back(b, bytes);
        test_give_back(x, bytes);
        spg_csr_free(context, &here);
        spg_csr owned = A;
        spg_csr_free(test_host(), &owned);
        spg_context_destroy(context);
    }
}

static void wrong_arguments_are_refused_by_name(void **state)
{
    (void)state;
    test_system system;
    test_system_of("fd2d5:20", SPG_F64, &system);
    const spg_operator A = spg_csr_operator(&system.A_here), M = spg_amg_operator(system.amg);
    spg_operator none = {0}, longer = M, floats = M, negative = A, integers = A;
    longer.rows++;
    floats.type = SPG_F32;
    negative.rows = -1;
    integers.type = SPG_I32;
    spg_krylov_options fine = spg_krylov_options_default(), method = fine, tolerance = fine, count = fine,
                       restart = fine;
    method.method = (spg_krylov_method)4;
    tolerance.tolerance = NAN;
    count.max_iterations = -1;
    restart.restart = 0;
    const struct {
        const spg_operator *A, *M;
        const void *b;
        void *x;
        const spg_krylov_options *options;
        spg_status status;
        const char *words;
    } cases[] = {
        {NULL, &M, system.b, system.x, &fine, SPG_ERROR_ARGUMENT, "A is NULL"},
        {&none, &M, system.b, system.x, &fine, SPG_ERROR_ARGUMENT, "A: apply is NULL"},
        {&A, &none, system.b, system.x, &fine, SPG_ERROR_ARGUMENT, "M: apply is NULL"},
        {&A, &longer, system.b, system.x, &fine, SPG_ERROR_SHAPE, "M has 401 rows, A 400"},
        {&A, &floats, system.b, system.x, &fine, SPG_ERROR_ARGUMENT, "M is of f32, A of f64"},
        {&negative, NULL, system.b, system.x, &fine, SPG_ERROR_ARGUMENT, "A: rows is -1"},
        {&integers, NULL, system.b, system.x, &fine, SPG_ERROR_ARGUMENT, "A: type 4 is neither f32 nor f64"},
        {&A, &M, NULL, system.x, &fine, SPG_ERROR_ARGUMENT, "b is NULL"},
        {&A, &M, system.b, NULL, &fine, SPG_ERROR_ARGUMENT, "x is NULL"},
        {&A, &M, system.x, system.x, &fine, SPG_ERROR_ARGUMENT, "b and x overlap"},
        {&A, &M, system.b, system.x, &method, SPG_ERROR_ARGUMENT, "method 4"},
        {&A, &M, system.b, system.x, &tolerance, SPG_ERROR_ARGUMENT, "tolerance is nan"},
        {&A, &M, system.b, system.x, &count, SPG_ERROR_ARGUMENT, "max_iterations is -1"},
        {&A, &M, system.b, system.x, &restart, SPG_ERROR_ARGUMENT, "restart is 0, not from 1 to 1000"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        spg_krylov_result result = {.iterations = 7};
        assert_int_equal(
            spg_krylov_solve(system.context, cases[k].A, cases[k].M, cases[k].b, cases[k].x, cases[k].options, &result),
            cases[k].status);
        test_assert_message(system.context, cases[k].words);
        assert_int_equal(result.iterations, 0);
    }
    assert_int_equal(spg_krylov_solve(NULL, &A, &M, system.b, system.x, NULL, NULL), SPG_ERROR_ARGUMENT);
    spg_csr wide = system.A_here;
    wide.cols++;
    assert_null(spg_csr_operator(&wide).apply);
    assert_null(spg_csr_operator(NULL).apply);
    assert_null(spg_amg_operator(NULL).apply);
    test_system_end(&system);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failing_operator_ends_the_solve_with_its_status),
        cmocka_unit_test(conjugate_gradients_name_what_is_not_positive_definite),
        cmocka_unit_test(every_refused_allocation_leaves_nothing_behind),
        cmocka_unit_test(wrong_arguments_are_refused_by_name),
    };
    return TEST_RUN_HERE(argc, argv, "krylov, refusals", tests);
}
