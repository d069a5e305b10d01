/* K-cycles (spg_amg_options.cycle): methods that take them, what is refused, what they hold, and that want of memory
 * leaves nothing behind. */
#include "amg_systems.h"
#include "fault.h"

#include <math.h>

static spg_amg_options k_cycles(void)
{
    spg_amg_options options = test_several_levels();
    options.cycle = SPG_CYCLE_K;
    return options;
}

static void begin(test_system *system)
{
    const spg_csr A = test_generate("fd2d5:40", SPG_F64);
    const spg_amg_options options = k_cycles();
    test_system_begin(&A, &options, 2, system);
}

static void unknown_cycles_are_refused(void **state)
{
    (void)state;
    spg_context *context = test_context_at_place(1);
    spg_csr A = test_generate("fd2d5:4", SPG_F64), here;
    spg_amg_options options = spg_amg_options_default();
    spg_amg *amg = NULL;
    test_to_place(context, &A, &here);
    assert_int_equal(options.cycle, SPG_CYCLE_V);
    options.cycle = (spg_cycle)2;
    assert_int_equal(spg_amg_setup(context, &here, &options, &amg), SPG_ERROR_ARGUMENT);
    assert_string_equal(spg_context_message(context), "options: cycle is 2, not from 0 to 1");
    assert_null(amg);
    spg_csr_free(context, &here);
    spg_context_destroy(context);
    spg_csr_free(test_host(), &A);
}

static void several_right_hand_sides_at_once_are_refused(void **state)
{
    (void)state;
    test_system system;
    begin(&system);
    const int64_t n = system.A.rows;
    const char *const message = "the hierarchy has K-cycles, which take one right-hand side; use SPG_CYCLE_V, or "
                                "spg_amg_solve or spg_amg_apply for each";
    assert_int_equal(
        spg_amg_solve_many(system.context, system.amg, 1, SPG_COLUMN_MAJOR, system.b, n, system.x, n, NULL, NULL),
        SPG_ERROR_UNSUPPORTED);
    assert_string_equal(spg_context_message(system.context), message);
    assert_int_equal(spg_amg_apply_many(system.context, system.amg, 1, SPG_ROW_MAJOR, system.b, 1, system.x, 1),
                     SPG_ERROR_UNSUPPORTED);
    assert_string_equal(spg_context_message(system.context), message);
    test_system_end(&system);
}

static void krylov_methods_take_them_but_for_conjugate_gradients(void **state)
{
    (void)state;
    test_system system;
    begin(&system);
    const spg_operator A = spg_csr_operator(&system.A_here), M = spg_amg_operator(system.amg);
    for (int method = SPG_KRYLOV_CG; method <= SPG_KRYLOV_BICGSTAB; method++) {
        spg_krylov_options options = spg_krylov_options_default();
        options.method = (spg_krylov_method)method;
        test_system_reset(&system);
        const spg_status status = spg_krylov_solve(system.context, &A, &M, system.b, system.x, &options, NULL);
        assert_int_equal(status, method == SPG_KRYLOV_CG ? SPG_ERROR_UNSUPPORTED : SPG_OK);
        if (method == SPG_KRYLOV_CG)
            assert_string_equal(spg_context_message(system.context),
                                "M is a K-cycle, which conjugate gradients do not take; use SPG_KRYLOV_FCG");
    }
    test_system_end(&system);
}

/* spg_amg_solve takes the steps of flexible conjugate gradients, whose directions plain ones do not have. */
static void conjugate_gradients_are_flexible(void **state)
{
    (void)state;
    enum { STEPS = 8 };
    spg_amg_options options = k_cycles();
    options.max_coarse = 3;
    options.prolongator_relaxation = 0;
    const spg_csr A = test_generate("fd2d5:60", SPG_F64);
    double history[STEPS + 1], flexible[STEPS + 1];
    test_system system;
    test_system_begin(&A, &options, 2, &system);
    spg_amg_solve_options solving = spg_amg_solve_options_default();
    solving.max_iterations = STEPS;
    solving.tolerance = 0;
    solving.history = history;
    test_system_solve(&system, &solving, SPG_ERROR_NOT_CONVERGED);
    spg_krylov_options by = spg_krylov_options_default();
    by.method = SPG_KRYLOV_FCG;
    by.max_iterations = STEPS;
    by.tolerance = 0;
    by.history = flexible;
    const spg_operator matrix = spg_csr_operator(&system.A_here), M = spg_amg_operator(system.amg);
    test_system_reset(&system);
    assert_int_equal(spg_krylov_solve(system.context, &matrix, &M, system.b, system.x, &by, NULL),
                     SPG_ERROR_NOT_CONVERGED);
    for (int k = 0; k <= STEPS; k++)
        if (!(fabs(history[k] - flexible[k]) <= 1e-9 * flexible[k]))
            fail_msg("step %d: residual %.12g, not %.12g", k, history[k], flexible[k]);
    test_system_end(&system);
}

/* Three vectors more on each level of two steps, in whole lines of 256 bytes. */
static void their_memory_is_counted(void **state)
{
    (void)state;
    int64_t bytes[2], least = 0;
    for (int cycle = SPG_CYCLE_V; cycle <= SPG_CYCLE_K; cycle++) {
        const spg_csr A = test_generate("fd2d5:40", SPG_F64);
        spg_amg_options options = k_cycles();
        spg_amg_summary summary;
        spg_amg_level_view view;
        test_system system;
        options.cycle = (spg_cycle)cycle;
        test_system_begin(&A, &options, 2, &system);
        assert_int_equal(spg_amg_summarise(system.amg, &summary), SPG_OK);
        bytes[cycle] = summary.bytes;
        least = 0;
        assert_true(summary.levels > 2);
        for (int l = 1; l < summary.levels - 1 && l <= 3; l++) {
            assert_int_equal(spg_amg_level(system.amg, l, &view), SPG_OK);
            least += 3 * view.A.rows * (int64_t)sizeof(double);
        }
        test_system_end(&system);
    }
    assert_true(bytes[1] - bytes[0] >= least && bytes[1] - bytes[0] <= 2 * least + 8192);
}

static void each_refused_allocation_is_survived(void **state)
{
    (void)state;
    test_allocator memory;
    spg_context *context = test_faulty_context(&memory, 2, 0);
    spg_csr A = test_generate("fd2d5:20", SPG_F64), here;
    const spg_amg_options options = k_cycles();
    test_to_place(context, &A, &here);
    const int64_t before = test_live(&memory);
    int64_t refused = 0;
    for (int64_t k = 1;; k++) {
        spg_amg *amg = NULL;
        test_fail_at(&memory, k);
        const spg_status status = spg_amg_setup(context, &here, &options, &amg);
        if (status == SPG_OK) spg_amg_destroy(amg);
        assert_int_equal(test_live(&memory), before);
        if (!test_failed(&memory)) break;
        assert_true(status == SPG_ERROR_MEMORY || test_did_without(&memory, status));
        refused++;
    }
    assert_true(refused > 10);
    test_fail_at(&memory, 0);
    spg_csr_free(context, &here);
    spg_context_destroy(context);
    spg_csr_free(test_host(), &A);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_cycles_are_refused),
        cmocka_unit_test(several_right_hand_sides_at_once_are_refused),
        cmocka_unit_test(krylov_methods_take_them_but_for_conjugate_gradients),
        cmocka_unit_test(conjugate_gradients_are_flexible),
        cmocka_unit_test(their_memory_is_counted),
        cmocka_unit_test(each_refused_allocation_is_survived),
    };
    return TEST_RUN_HERE(argc, argv, "K-cycles: refusals", tests);
}
