/* Several right-hand sides at once: each is solved as alone, has bits of its own, and ends for itself. */
#include "amg_many_vectors.h"
#include "matrices_for_tests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static spg_amg_solve_result alone(test_system *system, const test_vectors *vectors, int64_t j, double *x)
{
    const test_vectors one = test_vectors_part(vectors, j, 1, SPG_COLUMN_MAJOR, 0);
    spg_amg_solve_result result;
    test_send(one.B, system->bytes, system->b);
    test_send(one.X, system->bytes, system->x);
    if (spg_amg_solve(system->context, system->amg, system->b, system->x, NULL, &result) != SPG_OK)
        fail_msg("alone: %s", spg_context_message(system->context));
    test_fetch(system->x, system->bytes, x);
    test_vectors_free(&one);
    return result;
}

/* Solves, and compares each vector with a solve of it alone. */
static void assert_as_alone(test_system *system, int64_t count, spg_layout layout)
{
    const int64_t n = system->A.rows;
    const spg_type type = system->A.value_type;
    test_vectors vectors = test_vectors_random(system, count, layout, 3, 11);
    const test_vectors before = test_vectors_part(&vectors, 0, count, layout, 3);
    spg_amg_solve_result *results = calloc((size_t)count, sizeof *results);
    void *x = calloc((size_t)n, sizeof(double));
    assert_true(results != NULL && x != NULL);
    test_vectors_solve(system, &vectors, NULL, results, SPG_OK);
    for (int64_t j = 0; j < count; ++j) {
        const spg_amg_solve_result one = alone(system, &before, j, x);
        assert_true(results[j].converged && abs(results[j].iterations - one.iterations) <= 1);
        double most = 0, error = 0;
        for (int64_t i = 0; i < n; ++i) {
            const double expected = test_element(x, type, i);
            most = fmax(most, fabs(expected));
            error = fmax(error, fabs(expected - test_element(vectors.X, type, test_place_of(&vectors, i, j))));
        }
        if (!(error <= (type == SPG_F32 ? 2e-2 : 1e-6) * most)) fail_msg("vector %lld: %g", (long long)j, error / most);
        if (type == SPG_F64)
            assert_true(fabs(test_vectors_residual(system, &before, &vectors, j) - results[j].residual) <= 1e-10);
    }
    free(results);
    free(x);
    test_vectors_free(&vectors);
    test_vectors_free(&before);
}

static void each_is_solved_as_alone(void **state)
{
    (void)state;
    static const char *const names[] = {"fd2d5:40", "fe3d27:11"};
    for (int k = 0; k < 2; ++k)
        for (int type = SPG_F32; type <= SPG_F64; ++type) {
            test_system system;
            test_system_of(names[k], (spg_type)type, &system);
            assert_as_alone(&system, 3, SPG_ROW_MAJOR);
            assert_as_alone(&system, 19, SPG_COLUMN_MAJOR);
            assert_as_alone(&system, 1, SPG_ROW_MAJOR);
            test_system_end(&system);
        }
}

static void every_kind_of_hierarchy_takes_several(void **state)
{
    (void)state;
    for (int kind = 0; kind < 7; ++kind) {
        test_system system;
        spg_amg_options options = test_several_levels();
        spg_csr A = test_generate(kind == 5 ? "fd2d5:70" : "fd2d5:31", SPG_F64);
        if (kind == 1) options.smoother = SPG_SMOOTHER_L1_JACOBI;
        if (kind == 2) options.smoother = SPG_SMOOTHER_CHEBYSHEV;
        if (kind == 3) options.precision = SPG_AMG_PRECISION_F32;
        if (kind == 4) options.max_levels = 1;
        if (kind == 5) options.max_levels = 1, options.pre_sweeps = options.post_sweeps = 20;
        if (kind == 6) options.pre_sweeps = options.post_sweeps = 2, options.max_coarse = 300;
        test_system_begin(&A, &options, 2, &system);
        assert_as_alone(&system, 5, SPG_ROW_MAJOR);
        test_system_end(&system);
    }
}

static spg_amg_solve_options method_of(int k)
{
    spg_amg_solve_options options = spg_amg_solve_options_default();
    options.method = test_methods[k];
    return options;
}

/* Vector j among 19, alone, and among other ones: as laid out in other ways, with other strides. */
static void bits_depend_on_no_other_vector(void **state)
{
    (void)state;
    for (int precision = SPG_AMG_PRECISION_OF_A; precision <= SPG_AMG_PRECISION_F32; ++precision)
        for (int k = 0; k < TEST_METHODS; ++k) {
            test_system system;
            spg_amg_options options = test_several_levels();
            const spg_csr A = test_generate("fd3d7:14", SPG_F64);
            const spg_amg_solve_options by = method_of(k);
            options.precision = (spg_amg_precision)precision;
            test_system_begin(&A, &options, 2, &system);
            test_vectors all = test_vectors_random(&system, 19, SPG_ROW_MAJOR, 2, 5);
            const test_vectors before = test_vectors_part(&all, 0, 19, SPG_ROW_MAJOR, 0);
            test_vectors_solve(&system, &all, &by, NULL, SPG_OK);
            const int64_t firsts[] = {0, 7, 13, 17}, counts[] = {1, 2, 6, 2};
            for (int part = 0; part < 4; ++part) {
                test_vectors some = test_vectors_part(&before, firsts[part], counts[part], SPG_COLUMN_MAJOR, 1);
                test_vectors_solve(&system, &some, &by, NULL, SPG_OK);
                for (int64_t j = 0; j < counts[part]; ++j) test_assert_same_vector(&some, j, &all, firsts[part] + j);
                test_vectors_free(&some);
            }
            test_vectors_free(&all);
            test_vectors_free(&before);
            test_system_end(&system);
        }
}

static void bits_repeat_with_any_number_of_threads(void **state)
{
    (void)state;
    test_vectors first = {0};
    for (int threads = 1; threads <= 3; ++threads) {
        test_system system;
        const spg_csr A = test_generate("fe2d9:70", SPG_F64);
        const spg_amg_options options = test_several_levels();
        test_system_begin(&A, &options, threads, &system);
        test_vectors vectors = test_vectors_random(&system, 9, SPG_COLUMN_MAJOR, 0, 3);
        test_vectors_solve(&system, &vectors, NULL, NULL, SPG_OK);
        for (int64_t j = 0; j < 9 && threads > 1; ++j) test_assert_same_vector(&vectors, j, &first, j);
        if (threads == 1)
            first = vectors;
        else
            test_vectors_free(&vectors);
        test_system_end(&system);
    }
    test_vectors_free(&first);
}

/* One of zeros, one solved before, one with a NaN, one far smaller than others: the rest have the bits they had. */
static void each_ends_for_itself(void **state)
{
    (void)state;
    test_system system;
    spg_amg_solve_result results[6];
    spg_amg_solve_options options = spg_amg_solve_options_default();
    double history[6 * 201];
    options.history = history;
    test_system_of("fd2d5:40", SPG_F64, &system);
    const int64_t n = system.A.rows;
    test_vectors vectors = test_vectors_random(&system, 6, SPG_ROW_MAJOR, 0, 8);
    test_vectors sound = test_vectors_part(&vectors, 0, 6, SPG_ROW_MAJOR, 0);
    test_vectors_solve(&system, &sound, NULL, NULL, SPG_OK);
    double *const B = vectors.B, *const X = vectors.X;
    for (int64_t i = 0; i < n; ++i) {
        B[i * 6 + 1] = X[i * 6 + 1] = 0;
        X[i * 6 + 2] = ((double *)sound.X)[i * 6 + 2];
        B[i * 6 + 4] *= 0x1p-900;
        X[i * 6 + 4] = 0;
    }
    B[3 * 6 + 3] = NAN;
    test_vectors_solve(&system, &vectors, &options, results, SPG_ERROR_BREAKDOWN);
    test_assert_message(system.context, "right-hand side 3: the norm of b is");
    const int converged[] = {1, 1, 1, 0, 1, 1};
    for (int j = 0; j < 6; ++j) {
        assert_int_equal(results[j].converged, converged[j]);
        if (j == 3) continue;
        assert_true(history[j * 201] == results[j].initial_residual);
        assert_true(history[j * 201 + results[j].iterations] == results[j].residual);
    }
    assert_true(results[1].iterations == 0 && results[2].iterations == 0 && results[4].iterations > 0);
    assert_true(results[4].residual <= 1e-8 * 0x1p-890 && results[4].residual > 0);
    test_assert_same_vector(&vectors, 0, &sound, 0);
    test_assert_same_vector(&vectors, 2, &sound, 2);
    test_assert_same_vector(&vectors, 5, &sound, 5);
    test_vectors_free(&vectors);
    test_vectors_free(&sound);
    test_system_end(&system);
}

static void the_first_that_does_not_converge_is_named(void **state)
{
    (void)state;
    for (int k = 0; k < TEST_METHODS; ++k) {
        test_system system;
        spg_amg_solve_result results[18];
        spg_amg_solve_options options = method_of(k);
        options.max_iterations = 3;
        test_system_of("fd2d5:40", SPG_F64, &system);
        test_vectors vectors = test_vectors_random(&system, 18, SPG_COLUMN_MAJOR, 0, 8);
        for (int64_t i = 0; i < 17 * system.A.rows; ++i) ((double *)vectors.B)[i] = ((double *)vectors.X)[i] = 0;
        test_vectors_solve(&system, &vectors, &options, results, SPG_ERROR_NOT_CONVERGED);
        test_assert_message(system.context, "right-hand side 17: after 3 iterations the residual is");
        for (int j = 0; j < 18; ++j) assert_int_equal(results[j].converged, j < 17);
        assert_int_equal(results[17].iterations, 3);
        test_vectors_free(&vectors);
        test_system_end(&system);
    }
}

static void an_indefinite_matrix_and_stagnation_are_told(void **state)
{
    (void)state;
    test_system system;
    spg_amg_solve_result results[3];
    spg_amg_solve_options options = spg_amg_solve_options_default();
    const spg_amg_options several = test_several_levels();
    spg_csr A = test_generate("fd2d5:40", SPG_F64);
    for (int64_t k = 0; k < A.nnz; ++k) ((double *)A.values)[k] *= -1;
    test_system_begin(&A, &several, 2, &system);
    test_vectors vectors = test_vectors_random(&system, 3, SPG_ROW_MAJOR, 0, 8);
    test_vectors_solve(&system, &vectors, NULL, results, SPG_ERROR_INDEFINITE);
    test_assert_message(system.context, "right-hand side 0: iteration 1: ");
    test_vectors_free(&vectors);
    test_system_end(&system);
    test_system_of("fd2d5:100", SPG_F32, &system);
    options.tolerance = 1e-8;
    vectors = test_vectors_random(&system, 3, SPG_ROW_MAJOR, 0, 8);
    test_vectors_solve(&system, &vectors, &options, results, SPG_ERROR_NOT_CONVERGED);
    for (int j = 0; j < 3; ++j) assert_true(results[j].stagnated && results[j].iterations < 100);
    test_vectors_free(&vectors);
    test_system_end(&system);
}

/* A grid without a boundary: A's diagonal is the sum of the row's magnitudes. */
static spg_csr closed_grid(const char *name)
{
    spg_csr A = test_generate(name, SPG_F64);
    double *values = A.values;
    for (int64_t i = 0; i < A.rows; ++i) {
        double sum = 0;
        for (int64_t k = test_offset(&A, i); k < test_offset(&A, i + 1); ++k)
            if (A.columns[k] != i) sum -= values[k];
        for (int64_t k = test_offset(&A, i); k < test_offset(&A, i + 1); ++k)
            if (A.columns[k] == i) values[k] = sum;
    }
    return A;
}

static void a_null_space_is_removed_from_each(void **state)
{
    (void)state;
    const spg_amg_nullspace kinds[] = {SPG_AMG_NULLSPACE_CONSTANT, SPG_AMG_NULLSPACE_CANDIDATES};
    test_system system;
    const spg_amg_options several = test_several_levels();
    const spg_csr A = closed_grid("fd2d5:30");
    test_system_begin(&A, &several, 2, &system);
    const int64_t n = system.A.rows;
    for (int kind = 0; kind < 2; ++kind)
        for (int k = 0; k < TEST_METHODS; ++k) {
            spg_amg_solve_options options = method_of(k);
            test_vectors vectors = test_vectors_random(&system, 5, SPG_COLUMN_MAJOR, 0, 4);
            options.nullspace = kinds[kind];
            test_vectors_solve(&system, &vectors, &options, NULL, SPG_OK);
            for (int64_t j = 0; j < 5; ++j) {
                double sum = 0, size = 0;
                for (int64_t i = 0; i < n; ++i) sum += ((double *)vectors.X)[j * n + i];
                for (int64_t i = 0; i < n; ++i) size += fabs(((double *)vectors.X)[j * n + i]);
                assert_true(size > 0 && fabs(sum) <= 1e-9 * size);
            }
            test_vectors_free(&vectors);
        }
    test_vectors vectors = test_vectors_random(&system, 3, SPG_COLUMN_MAJOR, 0, 4);
    double mean = 0;
    for (int64_t i = 0; i < n; ++i) mean += ((double *)vectors.B)[i] / (double)n;
    for (int64_t i = 0; i < n; ++i) ((double *)vectors.B)[i] -= mean;
    for (int64_t i = 0; i < n; ++i) ((double *)vectors.B)[n + i] += 1;
    const test_vectors before = test_vectors_part(&vectors, 0, 3, SPG_COLUMN_MAJOR, 0);
    spg_amg_solve_result results[3];
    test_vectors_solve(&system, &vectors, NULL, results, SPG_ERROR_INCOMPATIBLE);
    test_assert_message(system.context, "right-hand side 1: A is singular");
    assert_true(results[0].converged && !results[1].converged);
    assert_memory_equal((double *)vectors.X + n, (const double *)before.X + n, system.bytes);
    test_vectors_free(&vectors);
    test_vectors_free(&before);
    test_system_end(&system);
}

/* Cycles of 18 vectors, of which the first and the last are done alone as well. */
static void assert_cycles_of_each(test_system *system, double share)
{
    const int64_t n = system->A.rows;
    test_vectors all = test_vectors_random(system, 18, SPG_ROW_MAJOR, 1, 4);
    const test_vectors before = test_vectors_part(&all, 0, 18, SPG_ROW_MAJOR, 0);
    void *x = calloc((size_t)n, sizeof(double));
    assert_non_null(x);
    test_vectors_apply(system, &all);
    for (int64_t j = 0; j < 18; j += 17) {
        double most = 0, error = 0;
        test_vectors one = test_vectors_part(&before, j, 1, SPG_COLUMN_MAJOR, 0);
        test_send(one.B, system->bytes, system->b);
        assert_int_equal(spg_amg_apply(system->context, system->amg, system->b, system->x), SPG_OK);
        test_fetch(system->x, system->bytes, x);
        for (int64_t i = 0; i < n; ++i) {
            const double expected = test_element(x, all.type, i);
            most = fmax(most, fabs(expected));
            error = fmax(error, fabs(expected - test_element(all.X, all.type, test_place_of(&all, i, j))));
        }
        if (!(most > 0 && error <= share * most)) fail_msg("vector %lld: %g of %g", (long long)j, error, most);
        test_vectors_apply(system, &one);
        test_assert_same_vector(&one, 0, &all, j);
        test_vectors_free(&one);
    }
    free(x);
    test_vectors_free(&all);
    test_vectors_free(&before);
}

static void several_cycles_are_those_of_each(void **state)
{
    (void)state;
    for (int type = SPG_F32; type <= SPG_F64; ++type) {
        test_system system;
        test_system_of("fe3d27:11", (spg_type)type, &system);
        assert_cycles_of_each(&system, type == SPG_F32 ? 1e-4 : 1e-12);
        test_system_end(&system);
    }
}

/* The null vector of a closed grid becomes one of alternating signs, which no candidate is. */
static void alternate_signs(spg_csr *A)
{
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = test_offset(A, i); k < test_offset(A, i + 1); ++k)
            if ((i + A->columns[k]) % 2 != 0) ((double *)A->values)[k] *= -1;
}

/* The rows of A, which is freed, in another order. */
static spg_csr with_rows_rotated(spg_csr *A)
{
    spg_csr rotated;
    int32_t *order = malloc((size_t)A->rows * sizeof *order);
    assert_non_null(order);
    for (int64_t i = 0; i < A->rows; ++i) order[i] = (int32_t)((i + 40) % A->rows);
    assert_int_equal(spg_csr_permute(test_host(), A, order, NULL, &rotated), SPG_OK);
    spg_csr_free(test_host(), A);
    free(order);
    return rotated;
}

/* Definite, with a null space that the candidates hold, with one that they do not, and unsymmetric, of which one needs
 * pivots. */
static void every_kind_of_dense_operator_takes_several(void **state)
{
    (void)state;
    for (int kind = 0; kind < 5; ++kind) {
        test_system system;
        spg_amg_options options = spg_amg_options_default();
        spg_csr A = kind == 0   ? test_generate("fd2d5:15", SPG_F64)
                    : kind >= 3 ? test_generate("conv2d:15:0.1", SPG_F64)
                                : closed_grid("fd2d5:15");
        if (kind == 2) alternate_signs(&A);
        if (kind == 4) A = with_rows_rotated(&A);
        options.max_levels = 1;
        test_system_begin(&A, &options, 2, &system);
        assert_cycles_of_each(&system, 1e-9);
        test_system_end(&system);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_is_solved_as_alone),
                                       cmocka_unit_test(every_kind_of_hierarchy_takes_several),
                                       cmocka_unit_test(bits_depend_on_no_other_vector),
                                       cmocka_unit_test(bits_repeat_with_any_number_of_threads),
                                       cmocka_unit_test(each_ends_for_itself),
                                       cmocka_unit_test(the_first_that_does_not_converge_is_named),
                                       cmocka_unit_test(an_indefinite_matrix_and_stagnation_are_told),
                                       cmocka_unit_test(a_null_space_is_removed_from_each),
                                       cmocka_unit_test(several_cycles_are_those_of_each),
                                       cmocka_unit_test(every_kind_of_dense_operator_takes_several)};
    return TEST_RUN_HERE(argc, argv, "many", tests);
}
