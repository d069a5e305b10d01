/* What spg_amg_solve_many and spg_amg_apply_many refuse, and that want of memory leaves nothing behind. */
#include "amg_many_vectors.h"
#include "fault.h"
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

/* Sends right-hand sides of ones to both calls; the second number of vectors takes blocks of another width. */
static spg_status solve_and_apply(spg_context *context, const spg_csr *A, const spg_amg_options *options,
                                  void *const *of)
{
    const int64_t n = A->rows;
    spg_amg_solve_result results[3];
    spg_amg *amg;
    spg_status status = spg_amg_setup(context, A, options, &amg);
    if (status == SPG_OK)
        status = spg_amg_solve_many(context, amg, 3, SPG_ROW_MAJOR, of[0], 3, of[1], 3, NULL, results);
    if (status == SPG_OK) status = spg_amg_apply_many(context, amg, 17, SPG_COLUMN_MAJOR, of[0], n, of[1], n);
    spg_amg_destroy(amg);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (int narrow = 0; narrow < 2; ++narrow) {
        test_allocator memory;
        spg_context *context = test_faulty_context(&memory, 1, 0);
        spg_csr A = test_generate("fd2d5:12", SPG_F64), here;
        const size_t bytes = 17 * (size_t)A.rows * sizeof(double);
        double *const ones = malloc(bytes);
        assert_non_null(ones);
        for (int64_t k = 0; k < 17 * A.rows; ++k) ones[k] = 1;
        test_to_place(context, &A, &here);
        void *const vectors[] = {test_lend(ones, bytes), test_lend(ones, bytes)};
        spg_amg_options options = test_several_levels();
        options.precision = narrow ? SPG_AMG_PRECISION_F32 : SPG_AMG_PRECISION_OF_A;
        const int64_t before = test_live(&memory);
        int64_t k = 1;
        for (bool failed = true; failed; ++k) {
            test_send(ones, bytes, vectors[1]);
            test_fail_at(&memory, k);
            const spg_status status = solve_and_apply(context, &here, &options, vectors);
            const bool did_without = test_did_without(&memory, status);
            failed = test_failed(&memory);
            test_fail_at(&memory, 0);
            assert_int_equal(status, failed && !did_without ? SPG_ERROR_MEMORY : SPG_OK);
            assert_int_equal(test_live(&memory), before);
        }
        assert_true(k > 40);
        test_give_back(vectors[0], bytes);
        test_give_back(vectors[1], bytes);
        spg_csr_free(context, &here);
        spg_csr_free(test_host(), &A);
        spg_context_destroy(context);
        free(ones);
    }
}

/* Two blocks; the last right-hand side is so small that it needs a unit of its own, and so a vector. */
static void want_of_memory_writes_nothing(void **state)
{
    (void)state;
    enum { COUNT = 17 };
    test_allocator memory;
    spg_context *context = test_faulty_context(&memory, 1, 0);
    spg_csr A = test_generate("fd2d5:12", SPG_F64), here;
    const int64_t n = A.rows;
    const size_t bytes = COUNT * (size_t)n * sizeof(double);
    double *const values = malloc(bytes), *const got = malloc(bytes);
    assert_true(values != NULL && got != NULL);
    for (int64_t k = 0; k < COUNT * n; ++k) values[k] = k < 16 * n ? 1 : 1e-300;
    test_to_place(context, &A, &here);
    void *const B = test_lend(values, bytes), *const X = test_lend(values, bytes);
    bool failed = true;
    for (int64_t k = 1; failed; ++k) {
        spg_amg *amg;
        spg_amg_solve_result results[COUNT];
        assert_int_equal(spg_amg_setup(context, &here, NULL, &amg), SPG_OK);
        for (int j = 0; j < COUNT; ++j) results[j].seconds = -1;
        test_send(values, bytes, X);
        test_fail_at(&memory, k);
        const spg_status status = spg_amg_solve_many(context, amg, COUNT, SPG_COLUMN_MAJOR, B, n, X, n, NULL, results);
        const bool did_without = test_did_without(&memory, status), refused = test_failed(&memory) && !did_without;
        failed = test_failed(&memory);
        test_fail_at(&memory, 0);
        assert_int_equal(status, refused ? SPG_ERROR_MEMORY : SPG_OK);
        test_fetch(X, bytes, got);
        if (refused) assert_memory_equal(got, values, bytes);
        for (int j = 0; j < COUNT; ++j) assert_int_equal(results[j].seconds < 0, refused);
        spg_amg_destroy(amg);
    }
    test_give_back(B, bytes);
    test_give_back(X, bytes);
    spg_csr_free(context, &here);
    spg_csr_free(test_host(), &A);
    spg_context_destroy(context);
    free(values);
    free(got);
}

/* A hierarchy takes the next call after one that had no memory, and gives what it gave before. */
static void a_refused_call_can_be_repeated(void **state)
{
    (void)state;
    test_allocator memory;
    spg_context *context = test_faulty_context(&memory, 1, 0);
    spg_csr A = test_generate("fd2d5:12", SPG_F64), here;
    const int64_t n = A.rows;
    const size_t bytes = 9 * (size_t)n * sizeof(double);
    double *const ones = malloc(bytes), *const first = malloc(bytes), *const again = malloc(bytes);
    assert_true(ones != NULL && first != NULL && again != NULL);
    for (int64_t k = 0; k < 9 * n; ++k) ones[k] = 1;
    test_to_place(context, &A, &here);
    void *const B = test_lend(ones, bytes), *const X = test_lend(ones, bytes);
    const spg_amg_options options = test_several_levels();
    spg_amg *amg;
    assert_int_equal(spg_amg_setup(context, &here, &options, &amg), SPG_OK);
    assert_int_equal(spg_amg_apply_many(context, amg, 3, SPG_COLUMN_MAJOR, B, n, X, n), SPG_OK);
    test_fetch(X, bytes, first);
    for (int64_t k = 1, failed = 1; failed; ++k) { /* wider blocks need more memory */
        test_fail_at(&memory, k);
        const spg_status status = spg_amg_apply_many(context, amg, 9, SPG_COLUMN_MAJOR, B, n, X, n);
        const bool did_without = test_did_without(&memory, status);
        failed = test_failed(&memory);
        test_fail_at(&memory, 0);
        assert_int_equal(status, failed && !did_without ? SPG_ERROR_MEMORY : SPG_OK);
        if (failed) assert_int_equal(spg_amg_apply_many(context, amg, 3, SPG_COLUMN_MAJOR, B, n, X, n), SPG_OK);
        test_fetch(X, bytes, again);
        assert_memory_equal(again, first, 3 * (size_t)n * sizeof(double));
        assert_true(k < 20);
    }
    spg_amg_destroy(amg);
    test_give_back(B, bytes);
    test_give_back(X, bytes);
    spg_csr_free(context, &here);
    spg_csr_free(test_host(), &A);
    spg_context_destroy(context);
    free(ones);
    free(first);
    free(again);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_vectors_are_refused),     cmocka_unit_test(other_hierarchies_and_options_are_refused),
        cmocka_unit_test(none_and_no_rows_are_solved),   cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(want_of_memory_writes_nothing), cmocka_unit_test(a_refused_call_can_be_repeated)};
    return TEST_RUN_HERE(argc, argv, "many_refusal", tests);
}
