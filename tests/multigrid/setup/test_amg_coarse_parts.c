/* Last levels that fall into components or are too large for a dense solve to pay: none takes the cube of its rows, and
 * what a hierarchy or a solve makes of them is told. */
#include "amg_systems.h"
#include "matrices_for_tests.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Blocks of `size` rows, each a path's Laplacian with `held` added to its first diagonal entry. */
static spg_csr paths(int64_t blocks, int64_t size, double held)
{
    spg_csr A;
    const int64_t n = blocks * size;
    assert_int_equal(spg_csr_alloc(test_host(), n, n, 3 * n - 2 * blocks, SPG_I32, SPG_F64, &A), SPG_OK);
    int32_t at = 0;
    for (int64_t i = 0; i < n; i++) {
        const bool has_before = i % size != 0, has_after = (i + 1) % size != 0;
        for (int64_t j = i - has_before; j <= i + has_after; j++) {
            A.columns[at] = (int32_t)j;
            ((double *)A.values)[at++] = j != i ? -1 : has_before + has_after + (has_before ? 0 : held);
        }
        ((int32_t *)A.row_offsets)[i + 1] = at;
    }
    return A;
}

static double cpu_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

/* The set-up and a solve within seconds of the processor; dense solves of so many rows took 14 and more. */
static void check_quick(const spg_csr *A, const spg_amg_options *options, bool is_singular)
{
    test_system system;
    spg_amg_summary summary;
    spg_amg_solve_options solve = spg_amg_solve_options_default();
    const double begin = cpu_seconds();
    test_system_begin(A, options, 1, &system);
    assert_int_equal(spg_amg_summarise(system.amg, &summary), SPG_OK);
    assert_true(summary.singular == is_singular && !summary.smoothed);
    solve.nullspace = SPG_AMG_NULLSPACE_CANDIDATES;
    const spg_amg_solve_result result = test_system_solve(&system, &solve, SPG_OK);
    assert_true(result.converged && result.iterations <= 60);
    const double seconds = cpu_seconds() - begin;
    if (test_place() == SPG_PLACE_HOST && seconds > 2) fail_msg("%g s", seconds);
    test_system_end(&system);
}

static void thousands_of_components_do_not_take_the_cube_of_their_rows(void **state)
{
    (void)state;
    spg_amg_options options = spg_amg_options_default();
    for (int one_level = 0; one_level < 2; one_level++) {
        options.max_coarse = one_level ? 4096 : 500;
        for (int size = 1; size <= 2; size++) {
            spg_csr A = paths(4000 / size, size, 1.5);
            check_quick(&A, &options, false);
            A = paths(4000 / size, size, 0); /* of one row: zeros */
            check_quick(&A, &options, true);
        }
    }
    const spg_csr A = paths(1000, 12, 1.5); /* each an aggregate or more */
    check_quick(&A, NULL, false);
}

static void a_chain_of_4000_rows_is_solved_without_end_of_time(void **state)
{
    (void)state;
    const spg_csr A = paths(1, 4000, 1.5);
    check_quick(&A, NULL, false);
}

typedef struct lines {
    char text[40][256];
    int count;
} lines;

static void keep_line(void *user, const char *line)
{
    lines *kept = user;
    if (kept->count < 40) snprintf(kept->text[kept->count++], sizeof kept->text[0], "%s", line);
}

static bool holds(const lines *kept, const char *part)
{
    for (int k = 0; k < kept->count; k++)
        if (strstr(kept->text[k], part) != NULL) return true;
    return false;
}

/* Sets up with a log; returns what it and the table say. */
static spg_amg_summary set_up_with_log(const spg_csr *A, const spg_amg_options *options, lines *log, lines *table)
{
    spg_config config = spg_config_default();
    spg_context *context;
    spg_csr here;
    spg_amg *amg;
    spg_amg_summary summary;
    memset(log, 0, sizeof *log);
    memset(table, 0, sizeof *table);
    config.place = test_place();
    config.threads = 2;
    config.log = keep_line;
    config.log_user = log;
    assert_int_equal(spg_context_create(&config, &context), SPG_OK);
    test_to_place(context, A, &here);
    if (spg_amg_setup(context, &here, options, &amg) != SPG_OK) fail_msg("%s", spg_context_message(context));
    assert_int_equal(spg_amg_summarise(amg, &summary), SPG_OK);
    assert_int_equal(spg_amg_print(amg, keep_line, table), SPG_OK);
    spg_amg_destroy(amg);
    spg_csr_free(context, &here);
    spg_context_destroy(context);
    return summary;
}

static void a_last_level_that_is_smoothed_is_told(void **state)
{
    (void)state;
    lines log, table;
    spg_amg_options options = spg_amg_options_default();
    spg_csr large = test_generate("fd2d5:70", SPG_F64), small = test_generate("fd2d5:20", SPG_F64);
    options.max_levels = 1;
    spg_amg_summary summary = set_up_with_log(&large, &options, &log, &table);
    assert_true(summary.smoothed && !summary.singular && summary.symmetric);
    assert_true(holds(&log, "4900 rows") && holds(&log, "smoothed") && holds(&table, "  smoothed"));
    summary = set_up_with_log(&small, &options, &log, &table);
    assert_true(!summary.smoothed && !holds(&log, "smoothed") && !holds(&table, "  smoothed"));
    spg_csr_free(test_host(), &large);
    spg_csr_free(test_host(), &small);
}

static void an_unsymmetric_matrix_is_told(void **state)
{
    (void)state;
    lines log, table;
    spg_csr A = test_generate("fd2d5:40", SPG_F64);
    spg_amg_options options = spg_amg_options_default();
    for (int levels = 1; levels <= 20; levels += 19) {
        options.max_levels = levels;
        options.max_coarse = levels == 1 ? 2000 : 100;
        ((double *)A.values)[1] = -1;
        assert_true(set_up_with_log(&A, &options, &log, &table).symmetric);
        assert_true(!holds(&log, "not symmetric") && !holds(&table, "not symmetric"));
        ((double *)A.values)[1] = -0.75;
        assert_true(!set_up_with_log(&A, &options, &log, &table).symmetric);
        assert_true(holds(&log, "not symmetric") && holds(&table, "not symmetric"));
    }
    spg_csr_free(test_host(), &A);
}

/* Updates to values whose coarse operator overflows, or is singular where no candidate shows it. The next solve tells,
 * on a device as well, where the update cannot; one to sound values mends it. */
static void a_solve_tells_what_an_update_left_of_the_coarsest_operator(void **state)
{
    (void)state;
    test_system system;
    spg_csr A = paths(1, 900, 1.5), bad = paths(1, 900, 1.5), here;
    spg_amg_options options = spg_amg_options_default();
    options.max_coarse = 1000;
    test_system_begin(&A, &options, 2, &system);
    assert_int_equal(spg_amg_levels(system.amg), 1);
    for (int fault = 0; fault < 2; fault++) {
        double *values = bad.values;
        if (fault == 0)
            values[0] = INFINITY;
        else /* the path with signs that change has a null vector of alternating signs, and its last row held none */
            for (int64_t k = 0; k < bad.nnz; k++) values[k] = k == 0 ? 1 : fabs(((double *)A.values)[k]);
        test_to_place(system.context, &bad, &here);
        const spg_status status = spg_amg_update(system.context, system.amg, &here);
        const bool on_host = test_place() == SPG_PLACE_HOST;
        assert_int_equal(status, !on_host ? SPG_OK : fault == 0 ? SPG_ERROR_FORMAT : SPG_ERROR_BREAKDOWN);
        if (!on_host || fault == 1) {
            test_system_solve(&system, NULL, SPG_ERROR_BREAKDOWN);
            test_assert_message(system.context, "coarsest operator");
        }
        assert_int_equal(spg_amg_update(system.context, system.amg, &system.A_here), SPG_OK);
        test_system_reset(&system);
        assert_true(test_system_solve(&system, NULL, SPG_OK).converged);
        spg_csr_free(system.context, &here);
    }
    test_system_end(&system);
    spg_csr_free(test_host(), &bad);
}

/* Of few rows, singular values take over; on a device when the solve learns of it. */
static void a_small_operator_that_becomes_singular_past_its_candidates_is_solved(void **state)
{
    (void)state;
    test_system system;
    spg_csr A = paths(1, 200, 1.5), other = paths(1, 200, 0), here;
    double *values = other.values, *b = malloc(200 * sizeof *b);
    assert_non_null(b);
    for (int64_t k = 0; k < other.nnz; k++) values[k] = fabs(values[k]);
    for (int i = 0; i < 200; i++) b[i] = i % 40 < 20 ? 1 : -1; /* orthogonal to alternating signs */
    test_system_begin(&A, NULL, 2, &system);
    test_to_place(system.context, &other, &here);
    assert_int_equal(spg_amg_update(system.context, system.amg, &here), SPG_OK);
    test_send(b, system.bytes, system.b);
    assert_true(test_system_solve(&system, NULL, SPG_OK).iterations <= 3);
    spg_csr_free(system.context, &here);
    test_system_end(&system);
    spg_csr_free(test_host(), &other);
    free(b);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thousands_of_components_do_not_take_the_cube_of_their_rows),
        cmocka_unit_test(a_chain_of_4000_rows_is_solved_without_end_of_time),
        cmocka_unit_test(a_last_level_that_is_smoothed_is_told),
        cmocka_unit_test(an_unsymmetric_matrix_is_told),
        cmocka_unit_test(a_solve_tells_what_an_update_left_of_the_coarsest_operator),
        cmocka_unit_test(a_small_operator_that_becomes_singular_past_its_candidates_is_solved),
    };
    return TEST_RUN_HERE(argc, argv, "amg coarse parts", tests);
}
