/* Calls with a hierarchy of a complex matrix: updates, cycles, Krylov methods, what is told of a matrix
 * that is not Hermitian, and what is refused. */
#include "amg_complex.h"
#include "fault.h"
#include "matrices_for_tests.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Updates ---- */

static void scale(const spg_csr *A, double by)
{
    for (int64_t k = 0; k < A->nnz; k++)
        test_set_complex(A->values, A->value_type, k, by * test_complex_at(A->values, A->value_type, k));
}

static void an_update_takes_new_complex_values_over(void **state)
{
    (void)state;
    for (int narrow = 0; narrow < 2; narrow++) {
        test_system system, fresh;
        spg_amg_options options = test_several_levels();
        options.precision = narrow ? SPG_AMG_PRECISION_F32 : SPG_AMG_PRECISION_OF_A;
        options.prepare_update = narrow;
        const spg_csr A = test_generate("magnet2d:40:4", SPG_C64);
        test_system_begin(&A, &options, 1, &system);
        spg_csr B = test_generate("magnet2d:40:9", SPG_C64), here;
        scale(&B, 3);
        test_to_place(system.context, &B, &here);
        assert_int_equal(spg_amg_update(system.context, system.amg, &here), SPG_OK);
        test_system_begin(&B, &options, 1, &fresh);
        spg_csr_free(system.context, &system.A_here); /* the old matrix is no longer used */
        system.A_here = here;
        const spg_amg_solve_result one = test_system_solve(&system, NULL, SPG_OK);
        const spg_amg_solve_result other = test_system_solve(&fresh, NULL, SPG_OK);
        assert_true(abs(one.iterations - other.iterations) <= 1);
        double complex *x = test_fetch_complex(&system, system.x), *y = test_fetch_complex(&fresh, fresh.x);
        for (int64_t i = 0; i < A.rows; i++) assert_true(cabs(x[i] - y[i]) <= 1e-5 * cabs(y[i]) + 1e-7);
        free(x);
        free(y);
        test_system_end(&system);
        test_system_end(&fresh);
    }
}

/* On the host: a device does not look. */
static void an_update_of_another_pattern_or_with_a_nan_is_refused(void **state)
{
    (void)state;
    if (test_place() != SPG_PLACE_HOST) skip();
    test_system system;
    spg_csr A = test_generate("magnet2d:20", SPG_C64), other, real;
    test_system_begin(&A, NULL, 1, &system);
    assert_int_equal(spg_csr_copy(test_host(), &A, &other), SPG_OK);
    const int64_t at = test_offset(&A, 7);
    other.columns[at] = 5;
    assert_int_equal(spg_amg_update(system.context, system.amg, &other), SPG_ERROR_SHAPE);
    test_assert_message(system.context, "A: row 7 has another pattern");
    other.columns[at] = 4000;
    assert_int_equal(spg_amg_update(system.context, system.amg, &other), SPG_ERROR_FORMAT);
    other.columns[at] = A.columns[at];
    ((double *)other.values)[2 * at + 1] = NAN;
    assert_int_equal(spg_amg_update(system.context, system.amg, &other), SPG_ERROR_FORMAT);
    test_assert_message(system.context, "row 7 ");
    real = test_generate("fd2d5:20", SPG_F64);
    assert_int_equal(spg_amg_update(system.context, system.amg, &real), SPG_ERROR_SHAPE);
    test_assert_message(system.context, "c64");
    test_system_solve(&system, NULL, SPG_OK);
    spg_csr_free(test_host(), &other);
    spg_csr_free(test_host(), &real);
    test_system_end(&system);
}

/* ---- Krylov methods and cycles ---- */

static spg_krylov_result solve_by(test_system *system, spg_krylov_method method)
{
    const spg_operator A = spg_csr_operator(&system->A_here), M = spg_amg_operator(system->amg);
    spg_krylov_options options = spg_krylov_options_default();
    spg_krylov_result result;
    options.method = method;
    options.zero_guess = 1;
    if (spg_krylov_solve(system->context, &A, &M, system->b, system->x, &options, &result) != SPG_OK)
        fail_msg("%s", spg_context_message(system->context));
    return result;
}

static void conjugate_gradients_of_either_kind_take_the_same_iterations(void **state)
{
    (void)state;
    for (spg_type type = SPG_C32; type <= SPG_C64; type++) {
        test_system system;
        test_system_of("magnet2d:40", type, &system);
        const spg_amg_solve_result expected = test_system_solve(&system, NULL, SPG_OK);
        for (int m = 0; m < 2; m++) {
            const spg_krylov_result result = solve_by(&system, m == 0 ? SPG_KRYLOV_CG : SPG_KRYLOV_FCG);
            assert_true(abs(result.iterations - expected.iterations) <= (type == SPG_C32 ? 1 : 0));
        }
        test_system_end(&system);
    }
}

/* A = L + i S with a real S that is not small: complex symmetric, not Hermitian. */
static spg_csr damped(const char *name, double complex shift)
{
    spg_csr A = test_generate(name, SPG_C64);
    for (int64_t i = 0; i < A.rows; i++)
        for (int64_t k = test_offset(&A, i); k < test_offset(&A, i + 1); k++)
            if (A.columns[k] == i)
                test_set_complex(A.values, SPG_C64, k, shift + test_complex_at(A.values, SPG_C64, k));
    return A;
}

static void fgmres_and_bicgstab_solve_what_is_not_hermitian_and_it_is_told(void **state)
{
    (void)state;
    const struct {
        const char *name;
        double complex shift;
    } cases[] = {{"conv2d:30", 0}, {"magnet2d:30:4", 0.25 * I}, {"magnet2d:30:0", 0.1 - 0.5 * I}};
    for (int c = 0; c < 3; c++) {
        test_system system;
        test_told told;
        spg_amg_summary summary;
        const spg_csr A = damped(cases[c].name, cases[c].shift);
        const spg_amg_options options = test_several_levels();
        test_system_begin_told(&A, &options, &told, &system);
        assert_int_equal(spg_amg_summarise(system.amg, &summary), SPG_OK);
        assert_true(summary.unsymmetric && !summary.symmetric);
        assert_non_null(strstr(told.text, "A is not Hermitian: damping goes by row sums"));
        assert_int_equal(strstr(told.text, "the diagonal of A is not real, first in row 0 with") != NULL, c > 0);
        double complex *b = test_random_complex(6, A.rows), *expected = test_dense_solution(&A, b);
        test_send_complex(&system, b, system.b);
        for (int m = 0; m < 2; m++) {
            const spg_krylov_result result = solve_by(&system, m == 0 ? SPG_KRYLOV_FGMRES : SPG_KRYLOV_BICGSTAB);
            assert_true(fabs(test_complex_residual(&system) - result.residual) <= 1e-10);
            double complex *x = test_fetch_complex(&system, system.x);
            for (int64_t i = 0; i < A.rows; i++) assert_true(cabs(x[i] - expected[i]) <= 1e-5);
            free(x);
        }
        told.text[0] = 0;
        spg_amg_solve(system.context, system.amg, system.b, system.x, NULL, NULL);
        assert_non_null(strstr(told.text, "A is not Hermitian: conjugate gradients may not converge"));
        free(b);
        free(expected);
        test_system_end(&system);
    }
}

/* Up to rounding is Hermitian enough. */
static void rounding_is_not_taken_for_another_matrix(void **state)
{
    (void)state;
    test_system system;
    test_told told;
    spg_amg_summary summary;
    const spg_csr A = damped("magnet2d:20:4", 1e-17 * I);
    test_system_begin_told(&A, NULL, &told, &system);
    assert_int_equal(spg_amg_summarise(system.amg, &summary), SPG_OK);
    assert_true(!summary.unsymmetric && !summary.symmetric);
    assert_non_null(strstr(told.text, "A is not Hermitian bit for bit"));
    assert_null(strstr(told.text, "the diagonal"));
    test_system_end(&system);
}

/* M (a v) = a M v for a complex a, and (u, M v) = (M u, v), for the cycle from zero. */
static void a_cycle_is_complex_linear_and_hermitian(void **state)
{
    (void)state;
    test_system system;
    test_system_of("magnet2d:40:6", SPG_C64, &system);
    const int64_t n = system.A.rows;
    const double complex factor = 0.6 - 0.8 * I;
    double complex *u = test_random_complex(1, n), *v = test_random_complex(2, n), *images[3];
    for (int k = 0; k < 3; k++) {
        double complex *b = calloc((size_t)n, sizeof *b);
        assert_non_null(b);
        for (int64_t i = 0; i < n; i++) b[i] = k == 0 ? u[i] : k == 1 ? v[i] : factor * v[i];
        test_send_complex(&system, b, system.b);
        assert_int_equal(spg_amg_apply(system.context, system.amg, system.b, system.x), SPG_OK);
        images[k] = test_fetch_complex(&system, system.x);
        free(b);
    }
    double complex left = 0, right = 0;
    for (int64_t i = 0; i < n; i++) {
        assert_true(cabs(images[2][i] - factor * images[1][i]) <= 1e-12);
        left += conj(u[i]) * images[1][i];
        right += conj(images[0][i]) * v[i];
    }
    assert_true(cabs(left - right) <= 1e-10 * cabs(left) && cabs(left) > 1);
    for (int k = 0; k < 3; k++) free(images[k]);
    free(u);
    free(v);
    test_system_end(&system);
}

/* ---- Sizes and refusals ---- */

static void refuse(const spg_csr *A, const spg_amg_options *options, spg_status expected, const char *text)
{
    spg_context *context = test_context_at_place(1);
    spg_csr here;
    spg_amg *amg;
    test_to_place(context, A, &here);
    assert_int_equal(spg_amg_setup(context, &here, options, &amg), expected);
    assert_null(amg);
    test_assert_message(context, text);
    spg_csr_free(context, &here);
    spg_context_destroy(context);
}

static void options_count_complex_unknowns(void **state)
{
    (void)state;
    spg_csr A = test_generate("fd2d5:6", SPG_C64);
    spg_amg_options options = spg_amg_options_default();
    options.block_size = 18;
    refuse(&A, &options, SPG_ERROR_UNSUPPORTED, "block_size is 18; at most 16 is supported for c64");
    options.block_size = 5;
    refuse(&A, &options, SPG_ERROR_SHAPE, "block_size 5 does not divide A's 36 rows");
    options = spg_amg_options_default();
    options.filter = 1;
    options.theta = 0.1;
    options.block_size = 2;
    refuse(&A, &options, SPG_ERROR_UNSUPPORTED, "filter is 1, block_size 2 and candidates 0");
    options = spg_amg_options_default();
    double complex *values = test_random_complex(1, 36 * 17);
    options.candidates = 17;
    options.candidate_values = test_lend(values, 36 * 17 * sizeof *values);
    refuse(&A, &options, SPG_ERROR_UNSUPPORTED, "candidates is 17; at most 16 is supported for c64");
    values[36 + 11] = test_complex(0, NAN);
    test_send(values, 36 * 17 * sizeof *values, (void *)options.candidate_values);
    options.candidates = 2;
    refuse(&A, &options, SPG_ERROR_FORMAT, "candidate 1 has a NaN, infinite or too large value in row 11");
    test_give_back((void *)options.candidate_values, 36 * 17 * sizeof *values);
    ((double *)A.values)[2 * test_offset(&A, 9) + 1] = INFINITY;
    refuse(&A, NULL, SPG_ERROR_FORMAT, "A: row 9 holds an infinite value or a NaN");
    free(values);
    spg_csr_free(test_host(), &A);
}

/* ||b - A x|| <= 1e-7 ||b|| for column j of vectors that are `apart` numbers apart. */
static bool is_solved(const spg_csr *A, const double complex *B, const double complex *X, int64_t apart, int j)
{
    double complex *product = test_complex_product(A, X + j * apart);
    for (int64_t i = 0; i < A->rows; i++) product[i] -= B[j * apart + i];
    const bool solved = test_complex_norm(product, A->rows) <= 1e-7 * test_complex_norm(B + j * apart, A->rows);
    free(product);
    return solved;
}

/* Columns are further apart than they are long; what is between them stays. */
static void several_column_major_right_hand_sides_are_solved_at_once(void **state)
{
    (void)state;
    enum { COLUMNS = 3, APART = 410, NUMBERS = COLUMNS * APART };
    const size_t bytes = NUMBERS * sizeof(double complex);
    test_system system;
    spg_amg_solve_result results[COLUMNS];
    test_system_of("magnet2d:20", SPG_C64, &system);
    double complex *B = test_random_complex(3, NUMBERS), *X = test_random_complex(4, NUMBERS);
    const double complex between = X[405];
    void *B_here = test_lend(B, bytes), *X_here = test_lend(X, bytes);
    assert_int_equal(spg_amg_solve_many(system.context, system.amg, COLUMNS, SPG_COLUMN_MAJOR, B_here, APART, X_here,
                                        APART, NULL, results),
                     SPG_OK);
    test_fetch(X_here, bytes, X);
    for (int j = 0; j < COLUMNS; j++) assert_true(results[j].converged && is_solved(&system.A, B, X, APART, j));
    assert_true(X[405] == between);
    assert_int_equal(spg_amg_solve_many(system.context, system.amg, 2, SPG_ROW_MAJOR, B_here, 2, X_here, 2, NULL, NULL),
                     SPG_ERROR_UNSUPPORTED);
    test_assert_message(system.context, "must be column-major");
    assert_int_equal(spg_amg_apply_many(system.context, system.amg, 2, SPG_COLUMN_MAJOR, B_here, APART, X_here, 399),
                     SPG_ERROR_ARGUMENT);
    test_give_back(B_here, bytes);
    test_give_back(X_here, bytes);
    free(B);
    free(X);
    test_system_end(&system);
}

/* Without rows, and diagonal: of some rows, and of more than a dense solver takes, which are divided by their diagonal
 * if it is real. */
static void degenerate_matrices_are_solved(void **state)
{
    (void)state;
    const struct {
        int64_t n;
        double complex factor;
        int iterations;
    } cases[] = {{0, 1, 0}, {1, 1, 2}, {3, 1, 2}, {5000, 1, 2}, {5000, 1 + I, 60}};
    for (int c = 0; c < 10; c++) {
        const int64_t n = cases[c / 2].n;
        spg_csr A;
        test_system system;
        assert_int_equal(spg_csr_alloc(test_host(), n, n, n, SPG_I64, SPG_C64, &A), SPG_OK);
        for (int64_t i = 0; i < n; i++) {
            ((int64_t *)A.row_offsets)[i + 1] = i + 1;
            A.columns[i] = (int32_t)i;
            test_set_complex(A.values, SPG_C64, i, cases[c / 2].factor * (double)(i + 1));
        }
        spg_amg_options options = spg_amg_options_default();
        options.precision = c % 2 ? SPG_AMG_PRECISION_F32 : SPG_AMG_PRECISION_OF_A;
        test_system_begin(&A, &options, 1, &system);
        spg_amg_solve_options solving = spg_amg_solve_options_default();
        solving.method = SPG_AMG_STANDALONE;
        assert_true(test_system_solve(&system, &solving, SPG_OK).iterations <= cases[c / 2].iterations);
        spg_amg_summary summary;
        assert_int_equal(spg_amg_summarise(system.amg, &summary), SPG_OK);
        assert_int_equal(summary.levels, 1);
        assert_int_equal(spg_amg_update(system.context, system.amg, &system.A_here), SPG_OK);
        test_system_end(&system);
    }
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (int narrow = 0; narrow < 2; narrow++) {
        test_allocator memory;
        spg_context *context = test_faulty_context(&memory, 1, 0);
        double complex *gauge;
        spg_csr A = test_gauged("fd2d5:14", true, SPG_C64, &gauge), here;
        test_to_place(context, &A, &here);
        const size_t bytes = (size_t)A.rows * sizeof *gauge;
        void *candidate = test_lend(gauge, bytes), *x = test_lend(gauge, bytes);
        spg_amg_options options = test_several_levels();
        options.candidates = 1;
        options.candidate_values = candidate;
        options.precision = narrow ? SPG_AMG_PRECISION_F32 : SPG_AMG_PRECISION_OF_A;
        options.theta = narrow ? 0 : 0.08;
        options.filter = !narrow;
        spg_amg_solve_options solving = spg_amg_solve_options_default();
        solving.nullspace = SPG_AMG_NULLSPACE_GIVEN;
        solving.null_vectors = 1;
        solving.null_values = candidate;
        const int64_t before = test_live(&memory);
        int64_t k = 1;
        for (;; k++) {
            spg_amg *amg;
            test_fail_at(&memory, k);
            spg_status status = spg_amg_setup(context, &here, &options, &amg);
            if (status == SPG_OK) status = spg_amg_update(context, amg, &here);
            if (status == SPG_OK) status = spg_amg_solve(context, amg, candidate, x, &solving, NULL);
            const bool failed = test_failed(&memory), did_without = test_did_without(&memory, status);
            test_fail_at(&memory, 0);
            assert_int_equal(status, failed && !did_without ? SPG_ERROR_MEMORY : SPG_OK);
            spg_amg_destroy(amg);
            assert_int_equal(test_live(&memory), before);
            if (!failed) break;
        }
        assert_true(k > 40);
        test_give_back(candidate, bytes);
        test_give_back(x, bytes);
        spg_csr_free(context, &here);
        spg_csr_free(test_host(), &A);
        spg_context_destroy(context);
        free(gauge);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_update_takes_new_complex_values_over),
        cmocka_unit_test(an_update_of_another_pattern_or_with_a_nan_is_refused),
        cmocka_unit_test(conjugate_gradients_of_either_kind_take_the_same_iterations),
        cmocka_unit_test(fgmres_and_bicgstab_solve_what_is_not_hermitian_and_it_is_told),
        cmocka_unit_test(rounding_is_not_taken_for_another_matrix),
        cmocka_unit_test(a_cycle_is_complex_linear_and_hermitian),
        cmocka_unit_test(options_count_complex_unknowns),
        cmocka_unit_test(several_column_major_right_hand_sides_are_solved_at_once),
        cmocka_unit_test(degenerate_matrices_are_solved),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return TEST_RUN_HERE(argc, argv, "multigrid: calls with complex matrices", tests);
}
