/* What spg_amg_solve_many and spg_amg_apply_many refuse, and that want of memory leaves nothing behind. */
#include "amg_many_vectors.h"
#include "matrices_for_tests.h"

#include <stdlib.h>

typedef struct arguments {
    int64_t count;
    spg_layout layout;
    const void *B;
    int64_t b_stride;
    void *X;
    int64_t x_stride;
} arguments;

/* By both calls. */
static void assert_refused(const test_system *system, const arguments *by, spg_status expected, const char *message)
{
    assert_int_equal(spg_amg_solve_many(system->context, system->amg, by->count, by->layout, by->B, by->b_stride, by->X,
                                        by->x_stride, NULL, NULL),
                     expected);
    assert_string_equal(spg_context_message(system->context), message);
    assert_int_equal(spg_amg_apply_many(system->context, system->amg, by->count, by->layout, by->B, by->b_stride, by->X,
                                        by->x_stride),
                     expected);
    assert_string_equal(spg_context_message(system->context), message);
}

static void wrong_vectors_are_refused(void **state)
{
    (void)state;
    test_system system;
    test_system_of("fd2d5:10", SPG_F64, &system);
    const arguments right = {1, SPG_COLUMN_MAJOR, system.b, 100, system.x, 100};
    arguments wrong = right;
    wrong.count = -1;
    assert_refused(&system, &wrong, SPG_ERROR_ARGUMENT, "count is -1, which is negative");
    wrong = right;
    wrong.layout = (spg_layout)2;
    assert_refused(&system, &wrong, SPG_ERROR_ARGUMENT, "layout 2 is neither row-major nor column-major");
    wrong = right;
    wrong.b_stride = 99;
    assert_refused(&system, &wrong, SPG_ERROR_ARGUMENT,
                   "b_stride is 99; it must be at least 100, the length of a vector");
    wrong = right;
    wrong.layout = SPG_ROW_MAJOR;
    wrong.x_stride = 0;
    assert_refused(&system, &wrong, SPG_ERROR_ARGUMENT, "x_stride is 0; it must be at least 1, the number of vectors");
    wrong = right;
    wrong.B = NULL;
    assert_refused(&system, &wrong, SPG_ERROR_ARGUMENT, "B is NULL");
    wrong = right;
    wrong.X = NULL;
    assert_refused(&system, &wrong, SPG_ERROR_ARGUMENT, "X is NULL");
    wrong = right;
    wrong.X = (double *)system.b + 99;
    assert_refused(&system, &wrong, SPG_ERROR_ARGUMENT, "B and X overlap");
    test_system_end(&system);
}

static void other_hierarchies_and_options_are_refused(void **state)
{
    (void)state;
    test_system system;
    spg_amg_solve_options options = spg_amg_solve_options_default();
    test_system_of("fd2d5:10", SPG_F64, &system);
    spg_context *other = test_context_at_place(1);
    assert_int_equal(
        spg_amg_solve_many(NULL, system.amg, 1, SPG_COLUMN_MAJOR, system.b, 100, system.x, 100, NULL, NULL),
        SPG_ERROR_ARGUMENT);
    assert_int_equal(
        spg_amg_solve_many(other, system.amg, 1, SPG_COLUMN_MAJOR, system.b, 100, system.x, 100, NULL, NULL),
        SPG_ERROR_ARGUMENT);
    assert_string_equal(spg_context_message(other), "amg is a hierarchy of another context");
    options.max_iterations = -1;
    assert_int_equal(spg_amg_solve_many(system.context, system.amg, 1, SPG_COLUMN_MAJOR, system.b, 100, system.x, 100,
                                        &options, NULL),
                     SPG_ERROR_ARGUMENT);
    assert_string_equal(spg_context_message(system.context), "max_iterations is -1; it must not be negative");
    spg_context_destroy(other);
    test_system_end(&system);
}

static void none_and_no_rows_are_solved(void **state)
{
    (void)state;
    test_system system;
    test_system_of("fd2d5:10", SPG_F64, &system);
    assert_int_equal(
        spg_amg_solve_many(system.context, system.amg, 0, SPG_COLUMN_MAJOR, NULL, 100, NULL, 100, NULL, NULL), SPG_OK);
    assert_int_equal(spg_amg_apply_many(system.context, system.amg, 0, SPG_ROW_MAJOR, NULL, 0, NULL, 0), SPG_OK);
    test_system_end(&system);
    spg_csr empty;
    assert_int_equal(spg_csr_alloc(test_host(), 0, 0, 0, SPG_I32, SPG_F64, &empty), SPG_OK);
    spg_amg_solve_result results[2];
    test_system_begin(&empty, NULL, 1, &system);
    assert_int_equal(spg_amg_solve_many(system.context, system.amg, 2, SPG_ROW_MAJOR, NULL, 2, NULL, 2, NULL, results),
                     SPG_OK);
    assert_true(results[0].converged && results[1].converged);
    test_system_end(&system);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(wrong_vectors_are_refused),
                                       cmocka_unit_test(other_hierarchies_and_options_are_refused),
                                       cmocka_unit_test(none_and_no_rows_are_solved)};
    return TEST_RUN_HERE(argc, argv, "many_refusal", tests);
}
