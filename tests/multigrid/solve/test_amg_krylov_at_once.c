/* Krylov methods whose iterations are begun several at once, before their residuals are read, as on a device: that
 * results, statuses and messages are those of iterations begun one by one, and how often the residuals are read. */
#include "amg_systems.h"
#include "matrices_for_tests.h"

#include "amg/krylov/krylov_backend.h"
#include "context.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { METHODS = 3, MOST = 400 };
static const spg_krylov_method methods[METHODS] = {SPG_KRYLOV_FCG, SPG_KRYLOV_FGMRES, SPG_KRYLOV_BICGSTAB};

/* The backend of a context, with another number at once, and a count of the copies to the host. */
typedef struct changed_backend {
    const spg_backend *own;
    spg_backend backend;
    spg_amg_backend amg;
    spg_amg_krylov_backend krylov;
} changed_backend;

static changed_backend changed;
static int reads;

static spg_status count_read(spg_context *context, void *to, spg_place to_place, const void *from, spg_place from_place,
                             int64_t bytes)
{
    reads++;
    return changed.own->copy_bytes(context, to, to_place, from, from_place, bytes);
}

static void change_backend(spg_context *context, int at_once)
{
    changed.own = context->backend;
    changed.backend = *changed.own;
    changed.amg = *changed.own->amg;
    changed.krylov = *changed.amg.krylov;
    changed.krylov.at_once = at_once;
    changed.amg.krylov = &changed.krylov;
    changed.backend.amg = &changed.amg;
    changed.backend.copy_bytes = count_read;
    context->backend = &changed.backend;
    reads = 0;
}

static void restore_backend(spg_context *context) { context->backend = changed.own; }

/* The outcome of a solve. */
typedef struct outcome {
    spg_status status;
    spg_krylov_result result;
    double history[MOST + 1];
    double *x;
    char message[256];
    int reads, calls; /* of M, or of A without M */
} outcome;

/* An operator that, from its call number `from` on, is negated or gives a NaN. */
typedef enum fault { NO_FAULT, NEGATES, GIVES_NAN } fault;
typedef struct changing {
    spg_operator of;
    fault fault;
    int calls, from;
} changing;

static spg_status apply_changing(void *user, spg_context *context, const void *x, void *y)
{
    changing *c = user;
    const spg_status status = c->of.apply(c->of.user, context, x, y);
    const bool is_faulty = ++c->calls >= c->from && c->fault != NO_FAULT;
    if (status != SPG_OK || !is_faulty) return status;
    return context->backend->amg->axpby(context, c->of.type, c->of.rows, c->fault == NEGATES ? -1 : (double)NAN, y, 0,
                                        y);
}

static outcome solve(test_system *system, bool with_cycle, const changing *how, spg_krylov_options options, int at_once)
{
    outcome found = {.status = SPG_OK};
    changing c = *how;
    const spg_operator A = spg_csr_operator(&system->A_here), M = spg_amg_operator(system->amg);
    c.of = with_cycle ? M : A;
    const spg_operator watched = {A.rows, A.type, &c, apply_changing};
    test_system_reset(system);
    options.history = found.history;
    change_backend(system->context, at_once);
    found.status = spg_krylov_solve(system->context, with_cycle ? &A : &watched, with_cycle ? &watched : NULL,
                                    system->b, system->x, &options, &found.result);
    restore_backend(system->context);
    found.reads = reads;
    found.calls = c.calls;
    found.x = test_system_fetch(system, system->x);
    snprintf(found.message, sizeof found.message, "%s", spg_context_message(system->context));
    return found;
}

/* Bit for bit; NaN equal NaN. */
static void assert_same(const test_system *system, const outcome *one, const outcome *several)
{
    assert_int_equal(one->status, several->status);
    if (one->status != SPG_OK) assert_string_equal(one->message, several->message);
    assert_int_equal(one->result.iterations, several->result.iterations);
    assert_int_equal(one->result.stagnated, several->result.stagnated);
    assert_memory_equal(&one->result.residual, &several->result.residual, sizeof(double));
    assert_memory_equal(one->history, several->history, (size_t)(one->result.iterations + 1) * sizeof(double));
    assert_memory_equal(one->x, several->x, system->bytes);
}

/* Solves one by one, and several at once. Returns the first, without x. */
static outcome compare(test_system *system, bool with_cycle, const changing *how, const spg_krylov_options *options)
{
    outcome one = solve(system, with_cycle, how, *options, 1);
    outcome several = solve(system, with_cycle, how, *options, SPG_AMG_MOST_UNREAD);
    assert_same(system, &one, &several);
    assert_true(one.reads >= one.result.iterations);
    if (one.result.iterations >= 40 && several.reads * 3 > one.reads)
        fail_msg("%d reads, %d one by one", several.reads, one.reads);
    const int an_iteration = options->method == SPG_KRYLOV_BICGSTAB ? 2 : 1;
    assert_in_range(several.calls, one.calls, one.calls + an_iteration * (SPG_AMG_MOST_UNREAD - 1));
    free(one.x);
    free(several.x);
    return one;
}

static void iterations_begun_at_once_change_no_bit(void **state)
{
    (void)state;
    const changing sound = {.fault = NO_FAULT};
    for (spg_type type = SPG_F32; type <= SPG_F64; type++) {
        test_system system;
        spg_krylov_options options = spg_krylov_options_default();
        test_system_of("fd2d5:40", type, &system);
        for (int m = 0; m < METHODS; m++) {
            options.method = methods[m];
            options.max_iterations = MOST;
            (void)compare(&system, true, &sound, &options);
            const outcome alone = compare(&system, false, &sound, &options);
            assert_true(alone.status == SPG_OK && alone.result.iterations > 20);
            for (options.max_iterations = 1; options.max_iterations <= 7; options.max_iterations += 2)
                assert_true(compare(&system, true, &sound, &options).result.iterations <= options.max_iterations);
        }
        test_system_end(&system);
    }
}

static void restarts_and_rounding_end_iterations_begun_at_once(void **state)
{
    (void)state;
    const changing sound = {.fault = NO_FAULT};
    test_system system;
    test_system_of("fd2d5:30", SPG_F64, &system);
    for (int m = 0; m < METHODS; m++) {
        spg_krylov_options options = spg_krylov_options_default();
        options.method = methods[m];
        options.max_iterations = MOST;
        options.restart = 7;
        options.tolerance = 1e-17;
        assert_true(compare(&system, true, &sound, &options).result.stagnated);
    }
    test_system_end(&system);
}

/* M is the inverse, so that the first iteration is the last, and none is begun after it. */
static void an_exact_preconditioner_takes_one_iteration_and_no_other_is_begun(void **state)
{
    (void)state;
    const changing sound = {.fault = NO_FAULT};
    spg_amg_options exact = spg_amg_options_default();
    exact.max_levels = 1;
    const spg_csr A = test_generate("fd2d5:10", SPG_F64);
    test_system system;
    test_system_begin(&A, &exact, 2, &system);
    for (int m = 0; m < METHODS; m++) {
        spg_krylov_options options = spg_krylov_options_default();
        options.method = methods[m];
        outcome found = solve(&system, true, &sound, options, SPG_AMG_MOST_UNREAD);
        assert_true(found.status == SPG_OK && found.result.iterations == 1);
        assert_int_equal(found.calls, options.method == SPG_KRYLOV_FGMRES ? 1 : 2);
        free(found.x);
    }
    test_system_end(&system);
}

/* At each of several iterations, so that it lies anywhere among those begun at once. */
static void faults_among_iterations_begun_at_once_are_told_as_alone(void **state)
{
    (void)state;
    test_system system;
    test_system_of("fd2d5:40", SPG_F64, &system);
    for (fault kind = NEGATES; kind <= GIVES_NAN; kind++)
        for (int from = 2; from <= 14; from++)
            for (int m = 0; m < METHODS; m++) {
                const changing faulty = {.fault = kind, .from = from};
                spg_krylov_options options = spg_krylov_options_default();
                options.method = methods[m];
                options.max_iterations = 30;
                options.zero_guess = 1;
                const outcome found = compare(&system, false, &faulty, &options);
                if (kind == NEGATES && methods[m] == SPG_KRYLOV_FCG)
                    assert_int_equal(found.status, SPG_ERROR_INDEFINITE);
                if (kind == GIVES_NAN) assert_int_equal(found.status, SPG_ERROR_BREAKDOWN);
            }
    test_system_end(&system);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(iterations_begun_at_once_change_no_bit),
        cmocka_unit_test(restarts_and_rounding_end_iterations_begun_at_once),
        cmocka_unit_test(an_exact_preconditioner_takes_one_iteration_and_no_other_is_begun),
        cmocka_unit_test(faults_among_iterations_begun_at_once_are_told_as_alone),
    };
    return TEST_RUN_HERE(argc, argv, "krylov, several iterations at once", tests);
}
