/* A hierarchy in floats of a matrix of doubles (spg_amg_options.precision): it takes the iterations of one in doubles
 * to the same residual, whatever the unit of A and of b, and follows updates. */
#include "amg_reference.h"
#include "matrices_for_tests.h"

#include "spg/amg_many.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 2 };

static spg_amg_options in_floats(void)
{
    spg_amg_options options = test_several_levels();
    options.precision = SPG_AMG_PRECISION_F32;
    return options;
}

static void scale(spg_csr *A, double factor)
{
    for (int64_t k = 0; k < A->nnz; ++k) ((double *)A->values)[k] *= factor;
}

static int iterations_of(const char *name, spg_amg_options options, spg_amg_precision precision, double unit)
{
    spg_csr A = test_generate(name, SPG_F64);
    test_system system;
    scale(&A, unit);
    options.precision = precision;
    test_system_begin(&A, &options, THREADS, &system);
    const spg_amg_solve_result result = test_system_solve(&system, NULL, SPG_OK);
    assert_true(result.converged && result.relative_residual <= 1e-8);
    assert_true(fabs(test_system_residual(&system) - result.residual) <= 1e-12 * sqrt((double)A.rows));
    test_system_end(&system);
    return result.iterations;
}

static void solves_take_the_iterations_of_doubles(void **state)
{
    (void)state;
    static const char *const names[] = {"fd2d5:60", "fe2d9:50", "fd3d7:17", "fe3d27:13", "tet3d:9", "stretch2d:40"};
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k)
        for (int smoother = SPG_SMOOTHER_JACOBI; smoother <= SPG_SMOOTHER_CHEBYSHEV; ++smoother) {
            spg_amg_options options = test_several_levels();
            options.smoother = (spg_smoother)smoother;
            const int doubles = iterations_of(names[k], options, SPG_AMG_PRECISION_OF_A, 1);
            const int floats = iterations_of(names[k], options, SPG_AMG_PRECISION_F32, 1);
            if (abs(doubles - floats) > 1) fail_msg("%s: %d iterations, not %d", names[k], floats, doubles);
        }
}

static void units_that_floats_do_not_have_change_nothing(void **state)
{
    (void)state;
    /* squares of the outer ones are no doubles; those of 2^-540 lose digits */
    const double units[] = {0x1p-950, 0x1p-565, 0x1p-540, 0x1p-400, 0x1p-150, 0x1p140, 0x1p400, 0x1p530, 0x1p950};
    const int expected = iterations_of("fd2d5:40", test_several_levels(), SPG_AMG_PRECISION_F32, 1);
    for (int k = 0; k < 9; ++k)
        assert_int_equal(iterations_of("fd2d5:40", test_several_levels(), SPG_AMG_PRECISION_F32, units[k]), expected);
}

/* x in the unit of b, for b of ones and, with `several`, of them and another. */
static void apply_in_unit(test_system *system, double unit, bool several, double *x)
{
    const int64_t n = system->A.rows;
    const size_t bytes = (size_t)(several ? 2 : 1) * system->bytes;
    double *b = malloc(bytes);
    assert_non_null(b);
    for (int64_t i = 0; i < n; ++i) b[i] = unit * (double)(1 + i % 3);
    for (int64_t i = n; i < 2 * n && several; ++i) b[i] = 1;
    void *b_here = test_lend(b, bytes), *x_here = test_lend(b, bytes);
    if (several)
        assert_int_equal(spg_amg_apply_many(system->context, system->amg, 2, SPG_COLUMN_MAJOR, b_here, n, x_here, n),
                         SPG_OK);
    else
        assert_int_equal(spg_amg_apply(system->context, system->amg, b_here, x_here), SPG_OK);
    test_fetch(x_here, bytes, b);
    for (int64_t i = 0; i < n; ++i) x[i] = b[i] / unit;
    test_give_back(b_here, bytes);
    test_give_back(x_here, bytes);
    free(b);
}

static void a_cycle_is_the_same_in_any_unit_of_b(void **state)
{
    (void)state;
    const double units[] = {0x1p-950, 0x1p-565, 0x1p-530, 0x1p-400, 0x1p400, 0x1p530, 0x1p950};
    const spg_csr A = test_generate("fd2d5:40", SPG_F64);
    const spg_amg_options options = in_floats();
    test_system system;
    test_system_begin(&A, &options, THREADS, &system);
    double *expected = malloc(system.bytes), *found = malloc(system.bytes);
    assert_true(expected != NULL && found != NULL);
    for (int several = 0; several < 2; ++several) {
        apply_in_unit(&system, 1, several == 1, expected);
        for (int k = 0; k < 7; ++k) {
            apply_in_unit(&system, units[k], several == 1, found);
            if (memcmp(found, expected, system.bytes) != 0)
                fail_msg("unit %g: %g, not %g", units[k], found[7], expected[7]);
        }
    }
    free(expected);
    free(found);
    test_system_end(&system);
}

/* Of candidates too, whose unit is their own. */
static void candidates_may_have_any_unit(void **state)
{
    (void)state;
    const double units[] = {1, 0x1p-950, 0x1p950};
    int expected = 0;
    for (int k = 0; k < 3; ++k) {
        const spg_csr A = test_generate("fd2d5:40", SPG_F64);
        spg_amg_options options = in_floats();
        test_system system;
        const size_t bytes = (size_t)A.rows * sizeof(double);
        double *candidate = malloc(bytes);
        assert_non_null(candidate);
        for (int64_t i = 0; i < A.rows; ++i) candidate[i] = units[k];
        void *here = test_lend(candidate, bytes);
        options.candidates = 1;
        options.candidate_values = here;
        test_system_begin(&A, &options, THREADS, &system);
        const int iterations = test_system_solve(&system, NULL, SPG_OK).iterations;
        if (k == 0) expected = iterations;
        assert_int_equal(iterations, expected);
        test_system_end(&system);
        test_give_back(here, bytes);
        free(candidate);
    }
}

/* The levels hold floats, the first level too, and the hierarchy tells of the memory for them. */
static void levels_hold_floats(void **state)
{
    (void)state;
    const spg_csr A = test_generate("fd3d7:14", SPG_F64);
    const spg_amg_options options = in_floats();
    test_system system;
    spg_amg_level_view view;
    test_system_begin(&A, &options, THREADS, &system);
    assert_true(spg_amg_levels(system.amg) > 1);
    for (int l = 0; l < spg_amg_levels(system.amg); ++l) {
        assert_int_equal(spg_amg_level(system.amg, l, &view), SPG_OK);
        assert_int_equal(view.A.value_type, SPG_F32);
        if (l == 0) assert_ptr_equal(view.A.columns, system.A_here.columns);
    }
    test_system_end(&system);
}

/* Cycles are of doubles: from a guess, x + M (b - A x). */
static void a_cycle_from_a_guess_adds_one_from_zero(void **state)
{
    (void)state;
    const spg_csr A = test_generate("fd2d5:40", SPG_F64);
    const spg_amg_options options = in_floats();
    test_system system;
    test_system_begin(&A, &options, THREADS, &system);
    const double one = 1, minus = -1;
    double *before, *after, *correction;
    spg_context *context = system.context;
    assert_int_equal(spg_amg_cycle(context, system.amg, system.b, system.x), SPG_OK);
    before = test_system_fetch(&system, system.x);
    assert_int_equal(spg_amg_cycle(context, system.amg, system.b, system.x), SPG_OK);
    after = test_system_fetch(&system, system.x);
    test_system_reset(&system);
    /* b = 1 - A before, by the host */
    double *r = malloc(system.bytes);
    assert_non_null(r);
    for (int64_t i = 0; i < A.rows; ++i) r[i] = 1;
    assert_int_equal(spg_csr_spmv(test_host(), &minus, &system.A, before, &one, r), SPG_OK);
    test_send(r, system.bytes, system.b);
    assert_int_equal(spg_amg_apply(context, system.amg, system.b, system.x), SPG_OK);
    correction = test_system_fetch(&system, system.x);
    double largest = 0;
    for (int64_t i = 0; i < A.rows; ++i) largest = fmax(largest, fabs(correction[i]));
    assert_true(largest > 0);
    for (int64_t i = 0; i < A.rows; ++i) assert_true(fabs(after[i] - before[i] - correction[i]) <= 1e-5 * largest);
    free(before);
    free(after);
    free(correction);
    free(r);
    test_system_end(&system);
}

static void assert_same_first_level(const test_system *a, const test_system *b)
{
    spg_amg_level_view views[2];
    spg_csr first[2];
    assert_int_equal(spg_amg_level(a->amg, 0, &views[0]), SPG_OK);
    assert_int_equal(spg_amg_level(b->amg, 0, &views[1]), SPG_OK);
    for (int k = 0; k < 2; ++k) test_to_host(NULL, &views[k].A, &first[k]);
    assert_int_equal(first[0].nnz, first[1].nnz);
    assert_memory_equal(first[0].values, first[1].values, (size_t)first[0].nnz * sizeof(float));
    for (int k = 0; k < 2; ++k) spg_csr_free(test_host(), &first[k]);
}

/* Of another unit, and with rows and columns scaled alike. */
static void updates_take_new_values_over(void **state)
{
    (void)state;
    const spg_csr A = test_generate("fd2d5:40", SPG_F64);
    const spg_amg_options options = in_floats();
    test_system system, renewed;
    test_system_begin(&A, &options, THREADS, &system);
    spg_csr B = test_generate("fd2d5:40", SPG_F64);
    for (int64_t i = 0; i < B.rows; ++i)
        for (int64_t k = test_offset(&B, i); k < test_offset(&B, i + 1); ++k)
            ((double *)B.values)[k] *= 0x1p-700 * (double)(1 + i % 7) * (double)(1 + B.columns[k] % 7);
    test_system_begin(&B, &options, THREADS, &renewed);
    const int expected = test_system_solve(&renewed, NULL, SPG_OK).iterations;
    for (int k = 0; k < 2; ++k) {
        assert_int_equal(spg_amg_update(system.context, system.amg, &renewed.A_here), SPG_OK);
        assert_same_first_level(&system, &renewed);
        test_system_reset(&system);
        const spg_amg_solve_result result = test_system_solve(&system, NULL, SPG_OK);
        assert_true(result.converged && result.iterations <= 2 * expected);
    }
    test_system_end(&system);
    test_system_end(&renewed);
}

/* A periodic line: singular. */
static void a_singular_system_needs_its_null_space(void **state)
{
    (void)state;
    enum { N = 700 };
    int32_t rows[3 * N], columns[3 * N];
    double values[3 * N];
    for (int i = 0; i < 3 * N; ++i) {
        rows[i] = i / 3;
        columns[i] = (i / 3 + i % 3 + N - 1) % N;
        values[i] = i % 3 == 1 ? 2 : -1;
    }
    const spg_csr A = test_from_triples(N, 3 * N, rows, columns, values, SPG_F64);
    const spg_amg_options options = in_floats();
    test_system system;
    test_system_begin(&A, &options, THREADS, &system);
    spg_amg_solve_options how = spg_amg_solve_options_default();
    test_system_solve(&system, &how, SPG_ERROR_UNSUPPORTED);
    assert_non_null(strstr(spg_context_message(system.context), "nullspace CONSTANT or GIVEN"));
    double b[N];
    test_random_values(3, 0, SPG_F64, N, b);
    how.nullspace = SPG_AMG_NULLSPACE_CONSTANT;
    test_system_reset(&system);
    test_send(b, system.bytes, system.b);
    assert_true(test_system_solve(&system, &how, SPG_OK).converged);
    test_system_end(&system);
}

static void no_rows_and_floats_are_as_without(void **state)
{
    (void)state;
    static const char *const names[] = {"empty:0", "fd2d5:30"};
    for (int k = 0; k < 2; ++k) {
        const spg_type type = k == 0 ? SPG_F64 : SPG_F32;
        const spg_csr A = test_generate(names[k], type);
        const spg_amg_options options = in_floats();
        test_system system;
        test_system_begin(&A, &options, THREADS, &system);
        assert_true(test_system_solve(&system, NULL, SPG_OK).converged);
        assert_int_equal(spg_amg_cycle(system.context, system.amg, system.b, system.x), SPG_OK);
        test_system_end(&system);
    }
}

static void another_precision_is_refused(void **state)
{
    (void)state;
    const spg_csr A = test_generate("fd2d5:10", SPG_F64);
    spg_amg_options options = spg_amg_options_default();
    spg_amg *amg;
    options.precision = (spg_amg_precision)2;
    spg_context *context = test_host();
    assert_int_equal(spg_amg_setup(context, &A, &options, &amg), SPG_ERROR_ARGUMENT);
    assert_string_equal(spg_context_message(context), "options: precision is 2, not from 0 to 1");
    spg_csr mine = A;
    spg_csr_free(context, &mine);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(solves_take_the_iterations_of_doubles),
                                       cmocka_unit_test(units_that_floats_do_not_have_change_nothing),
                                       cmocka_unit_test(a_cycle_is_the_same_in_any_unit_of_b),
                                       cmocka_unit_test(candidates_may_have_any_unit),
                                       cmocka_unit_test(levels_hold_floats),
                                       cmocka_unit_test(a_cycle_from_a_guess_adds_one_from_zero),
                                       cmocka_unit_test(updates_take_new_values_over),
                                       cmocka_unit_test(a_singular_system_needs_its_null_space),
                                       cmocka_unit_test(no_rows_and_floats_are_as_without),
                                       cmocka_unit_test(another_precision_is_refused)};
    return TEST_RUN_HERE(argc, argv, "precision", tests);
}
