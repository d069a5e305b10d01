/* Setups that are refused, that fail on the way, and that repeat. */
#include "amg_reference.h"
#include "fault.h"
#include "generators.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Misuse ---- */

static void expect_options(test_system *system, const spg_amg_options *options, spg_status expected, const char *word)
{
    spg_amg *amg = (spg_amg *)(void *)system;
    assert_int_equal(spg_amg_setup(system->context, &system->A_here, options, &amg), expected);
    assert_null(amg);
    test_assert_message(system->context, word);
}

#define EXPECT(field, value, status)                                                                                   \
    do {                                                                                                               \
        spg_amg_options wrong = spg_amg_options_default();                                                             \
        wrong.field = value;                                                                                           \
        expect_options(&system, &wrong, status, #field);                                                               \
    } while (0)

static void options_out_of_range_are_refused_by_name(void **state)
{
    (void)state;
    const spg_csr A = test_generate("fd2d5:10", SPG_F64);
    test_system system;
    test_system_begin(&A, NULL, 1, &system);
    EXPECT(aggregation, (spg_aggregation)2, SPG_ERROR_ARGUMENT);
    EXPECT(smoother, (spg_smoother)-1, SPG_ERROR_ARGUMENT);
    EXPECT(theta, -0.5, SPG_ERROR_ARGUMENT);
    EXPECT(theta, NAN, SPG_ERROR_ARGUMENT);
    EXPECT(block_size, 0, SPG_ERROR_ARGUMENT);
    EXPECT(block_size, 3, SPG_ERROR_SHAPE);
    EXPECT(block_size, 33, SPG_ERROR_UNSUPPORTED);
    EXPECT(candidates, -1, SPG_ERROR_ARGUMENT);
    EXPECT(candidates, 33, SPG_ERROR_UNSUPPORTED);
    EXPECT(candidates, 2, SPG_ERROR_ARGUMENT);                          /* without values */
    EXPECT(candidate_values, system.A_here.values, SPG_ERROR_ARGUMENT); /* without a number */
    EXPECT(prolongator_relaxation, -1, SPG_ERROR_ARGUMENT);
    EXPECT(prolongator_relaxation, INFINITY, SPG_ERROR_ARGUMENT);
    EXPECT(spectral_steps, -1, SPG_ERROR_ARGUMENT);
    EXPECT(least_coarsening, 0.5, SPG_ERROR_ARGUMENT);
    EXPECT(max_complexity, -1, SPG_ERROR_ARGUMENT);
    EXPECT(max_coarse, 0, SPG_ERROR_ARGUMENT);
    EXPECT(max_coarse, 4097, SPG_ERROR_ARGUMENT);
    EXPECT(max_levels, 0, SPG_ERROR_ARGUMENT);
    EXPECT(max_levels, 101, SPG_ERROR_ARGUMENT);
    EXPECT(pre_sweeps, -1, SPG_ERROR_ARGUMENT);
    EXPECT(post_sweeps, -1, SPG_ERROR_ARGUMENT);
    EXPECT(relaxation, 0, SPG_ERROR_ARGUMENT);
    EXPECT(chebyshev_degree, 0, SPG_ERROR_ARGUMENT);
    EXPECT(chebyshev_ratio, 1, SPG_ERROR_ARGUMENT);
    if (test_place() == SPG_PLACE_DEVICE) {
        spg_amg_options standard = spg_amg_options_default();
        standard.aggregation = SPG_AGGREGATION_STANDARD;
        expect_options(&system, &standard, SPG_ERROR_UNSUPPORTED, "standard aggregation");
    }
    test_system_end(&system);
}

static void expect_matrix(const spg_csr *A, spg_status expected, const char *word)
{
    spg_context *context = test_context_at_place(2);
    spg_csr here;
    spg_amg *amg = (spg_amg *)(void *)context;
    test_to_place(context, A, &here);
    assert_int_equal(spg_amg_setup(context, &here, NULL, &amg), expected);
    assert_null(amg);
    test_assert_message(context, word);
    spg_csr_free(context, &here);
    spg_context_destroy(context);
}

static void matrices_that_have_no_hierarchy_are_refused(void **state)
{
    (void)state;
    spg_csr A = test_generate("fd2d5:200", SPG_F64), wide;
    const double numbers[] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 3; k++) {
        const int64_t at = k == 0 ? 0 : A.nnz / k - 1;
        char word[64];
        int64_t row = 0;
        while (test_offset(&A, row + 1) <= at) row++;
        snprintf(word, sizeof word, "row %lld ", (long long)row);
        const double kept = ((double *)A.values)[at];
        ((double *)A.values)[at] = numbers[k];
        expect_matrix(&A, SPG_ERROR_FORMAT, word);
        ((double *)A.values)[at] = kept;
    }
    test_random_csr(test_host(), (test_matrix){5, 6, 2, SPG_I32, SPG_F64}, 1, 0, &wide);
    expect_matrix(&wide, SPG_ERROR_SHAPE, "5 x 6");
    A.columns[7] = 40000;
    expect_matrix(&A, SPG_ERROR_FORMAT, "column 40000");
    spg_csr_free(test_host(), &A);
    spg_csr_free(test_host(), &wide);
}

static void expect_place(const test_system *system, spg_status status, const char *name)
{
    assert_int_equal(status, SPG_ERROR_PLACE);
    test_assert_message(system->context, name);
}

static void arrays_on_the_host_are_refused_by_name_on_a_device(void **state)
{
    (void)state;
    if (test_place() == SPG_PLACE_HOST) skip();
    const spg_csr A = test_generate("fd2d5:10", SPG_F64);
    test_system system;
    test_system_begin(&A, NULL, 1, &system);
    spg_context *context = system.context;
    double *vector = calloc(1, system.bytes);
    assert_non_null(vector);
    spg_amg_options wrong = spg_amg_options_default();
    wrong.candidates = 1;
    wrong.candidate_values = vector;
    expect_options(&system, &wrong, SPG_ERROR_PLACE, "candidate_values");
    expect_place(&system, spg_amg_solve(context, system.amg, vector, system.x, NULL, NULL), "b does not lie");
    expect_place(&system, spg_amg_solve(context, system.amg, system.b, vector, NULL, NULL), "x does not lie");
    expect_place(&system, spg_amg_cycle(context, system.amg, vector, system.x), "b does not lie");
    expect_place(&system, spg_amg_cycle(context, system.amg, system.b, vector), "x does not lie");
    spg_csr elsewhere = system.A_here;
    elsewhere.values = system.A.values;
    expect_place(&system, spg_amg_update(context, system.amg, &elsewhere), "A: values");
    free(vector);
    test_system_end(&system);
}

static void null_arguments_are_refused(void **state)
{
    (void)state;
    const spg_csr A = test_generate("fd2d5:10", SPG_F64);
    test_system system;
    spg_amg *amg;
    spg_amg_level_view view;
    spg_amg_summary summary;
    test_system_begin(&A, NULL, 1, &system);
    assert_int_equal(spg_amg_setup(NULL, &system.A_here, NULL, &amg), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_amg_setup(system.context, NULL, NULL, &amg), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_amg_setup(system.context, &system.A_here, NULL, NULL), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_amg_levels(NULL), 0);
    assert_int_equal(spg_amg_level(NULL, 0, &view), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_amg_level(system.amg, 0, NULL), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_amg_level(system.amg, -1, &view), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_amg_level(system.amg, 1, &view), SPG_ERROR_ARGUMENT);
    test_assert_zeroed(&view, sizeof view);
    assert_int_equal(spg_amg_summarise(NULL, &summary), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_amg_summarise(system.amg, NULL), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_amg_print(system.amg, NULL, NULL), SPG_ERROR_ARGUMENT);
    spg_amg_destroy(NULL);
    test_system_end(&system);
}

/* ---- Faults ---- */

typedef struct fault_case {
    const char *name;
    spg_aggregation aggregation;
    spg_smoother smoother;
    double theta;
    int block_size, join, prepare, filter, petrov;
} fault_case;

static spg_amg_options fault_options(const fault_case *of)
{
    spg_amg_options options = spg_amg_options_default();
    if (test_place() == SPG_PLACE_HOST) options.aggregation = of->aggregation;
    options.smoother = of->smoother;
    options.theta = of->theta;
    options.block_size = of->block_size;
    options.join_leftovers = of->join;
    options.prepare_update = of->prepare;
    options.filter = of->filter;
    options.strength = of->petrov ? SPG_STRENGTH_CLASSICAL : SPG_STRENGTH_SYMMETRIC;
    options.restriction = of->petrov ? SPG_RESTRICTION_PETROV_GALERKIN : SPG_RESTRICTION_TRANSPOSE;
    options.max_coarse = 10;
    return options;
}

static void every_allocation_of_a_setup_or_an_update_may_fail(void **state)
{
    (void)state;
    const fault_case cases[] = {{"fd2d5:20", SPG_AGGREGATION_MIS2, SPG_SMOOTHER_JACOBI, 0, 1, 1, 1, 0, 0},
                                {"fd2d5:20", SPG_AGGREGATION_STANDARD, SPG_SMOOTHER_CHEBYSHEV, 0.1, 1, 0, 0, 0, 0},
                                {"stretch2d:20", SPG_AGGREGATION_MIS2, SPG_SMOOTHER_JACOBI, 0.1, 1, 1, 1, 1, 0},
                                {"conv2d:20", SPG_AGGREGATION_MIS2, SPG_SMOOTHER_JACOBI, 0.25, 1, 1, 0, 0, 1},
                                {"conv2d:20", SPG_AGGREGATION_MIS2, SPG_SMOOTHER_JACOBI, 0.25, 1, 1, 1, 1, 1},
                                {"elast3d:4", SPG_AGGREGATION_MIS2, SPG_SMOOTHER_L1_JACOBI, 0.01, 3, 0, 0, 0, 0}};
    for (int c = 0; c < 6; c++) {
        test_allocator memory;
        spg_context *context = test_faulty_context(&memory, 2, 0);
        spg_csr A = test_generate(cases[c].name, SPG_F64), here;
        const spg_amg_options options = fault_options(&cases[c]);
        test_to_place(context, &A, &here);
        const int64_t before = test_live(&memory);
        spg_amg *amg = NULL;
        int64_t k = 1;
        for (bool failed = true; failed; k++) {
            test_fail_at(&memory, k);
            const spg_status status = spg_amg_setup(context, &here, &options, &amg);
            const bool did_without = test_did_without(&memory, status);
            failed = test_failed(&memory);
            test_fail_at(&memory, 0);
            assert_int_equal(status, failed && !did_without ? SPG_ERROR_MEMORY : SPG_OK);
            if (!failed) break;
            if (did_without) spg_amg_destroy(amg);
            if (!did_without) assert_null(amg);
            assert_int_equal(test_live(&memory), before);
        }
        assert_true(k > 20);
        const int64_t held = test_live(&memory);
        for (k = 1;; k++) {
            test_fail_at(&memory, k);
            const spg_status status = spg_amg_update(context, amg, &here);
            const bool failed = test_failed(&memory), did_without = test_did_without(&memory, status);
            test_fail_at(&memory, 0);
            assert_int_equal(status, failed && !did_without ? SPG_ERROR_MEMORY : SPG_OK);
            if (!failed) break;
            if (did_without) { /* the first update that succeeds makes what the others use: from the start again */
                spg_amg_destroy(amg);
                assert_int_equal(spg_amg_setup(context, &here, &options, &amg), SPG_OK);
            }
            assert_int_equal(test_live(&memory), held);
        }
        assert_true(cases[c].prepare ? k == 1 : k > 5);
        spg_amg_destroy(amg);
        assert_int_equal(test_live(&memory), before);
        spg_csr_free(context, &here);
        spg_csr_free(test_host(), &A);
        spg_context_destroy(context);
    }
}

static void update(test_system *system, const spg_csr *A, test_hierarchy *updated)
{
    const spg_status status = spg_amg_update(system->context, system->amg, A);
    if (status != SPG_OK) fail_msg("%s", spg_context_message(system->context));
    test_fetch_hierarchy(system, updated);
}

/* The host refuses it; a device, which would have to wait to know, takes it. */
static void an_update_after_one_with_a_nan_is_as_if_that_had_not_been(void **state)
{
    (void)state;
    const spg_smoother smoothers[] = {SPG_SMOOTHER_JACOBI, SPG_SMOOTHER_L1_JACOBI, SPG_SMOOTHER_CHEBYSHEV};
    for (int m = 0; m < 3; m++)
        for (int64_t max_coarse = 20; max_coarse <= 400; max_coarse *= 20) { /* several levels, and one */
            const spg_csr A = test_generate("fd2d5:20", SPG_F64);
            spg_csr broken = test_generate("fd2d5:20", SPG_F64), sound = test_generate("fd2d5:20", SPG_F64);
            spg_csr broken_here, sound_here;
            for (int64_t i = 0; i < A.rows; i++)
                for (int64_t k = test_offset(&A, i); k < test_offset(&A, i + 1); k++)
                    if (A.columns[k] == i) ((double *)sound.values)[k] += (double)(i % 5) / 8;
            ((double *)broken.values)[A.nnz / 2] = NAN;
            spg_amg_options options = spg_amg_options_default();
            options.max_coarse = max_coarse;
            options.smoother = smoothers[m];
            test_system system;
            test_hierarchy expected, found;
            test_system_begin(&A, &options, 2, &system);
            test_to_place(system.context, &broken, &broken_here);
            test_to_place(system.context, &sound, &sound_here);
            update(&system, &sound_here, &expected);
            const spg_status status = spg_amg_update(system.context, system.amg, &broken_here);
            assert_int_equal(status, test_place() == SPG_PLACE_HOST ? SPG_ERROR_FORMAT : SPG_OK);
            update(&system, &sound_here, &found);
            test_assert_same_hierarchy(&found, &expected);
            test_system_solve(&system, NULL, SPG_OK);
            test_free_hierarchy(&expected);
            test_free_hierarchy(&found);
            spg_csr_free(system.context, &broken_here);
            spg_csr_free(system.context, &sound_here);
            test_system_end(&system);
            spg_csr_free(test_host(), &broken);
            spg_csr_free(test_host(), &sound);
        }
}

/* ---- Repeats ---- */

static void a_setup_has_the_same_bits_at_any_number_of_threads(void **state)
{
    (void)state;
    const char *const names[] = {"fd2d5:150", "fd3d7:25", "elast3d:9"};
    const spg_type types[] = {SPG_F64, SPG_F32};
    for (int m = 0; m < 3; m++)
        for (int t = 0; t < 2; t++) {
            test_hierarchy first, again;
            for (int threads = 1; threads <= 4; threads++) {
                const spg_csr A = test_generate(names[m], types[t]);
                spg_amg_options options = spg_amg_options_default();
                options.block_size = m == 2 ? 3 : 1;
                options.theta = m == 1 ? 0 : 0.02;
                options.max_coarse = 30;
                test_system system;
                test_system_begin(&A, &options, threads, &system);
                test_fetch_hierarchy(&system, threads == 1 ? &first : &again);
                test_system_end(&system);
                if (threads == 1) continue;
                test_assert_same_hierarchy(&first, &again);
                test_free_hierarchy(&again);
            }
            test_free_hierarchy(&first);
        }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_out_of_range_are_refused_by_name),
        cmocka_unit_test(matrices_that_have_no_hierarchy_are_refused),
        cmocka_unit_test(arrays_on_the_host_are_refused_by_name_on_a_device),
        cmocka_unit_test(null_arguments_are_refused),
        cmocka_unit_test(every_allocation_of_a_setup_or_an_update_may_fail),
        cmocka_unit_test(an_update_after_one_with_a_nan_is_as_if_that_had_not_been),
        cmocka_unit_test(a_setup_has_the_same_bits_at_any_number_of_threads),
    };
    return TEST_RUN_HERE(argc, argv, "amg setup", tests);
}
