/* Numbers far from 1: powers of two change no bits, and others little. */
#include "amg_reference.h"
#include "matrices_for_tests.h"

#include "amg/amg_backend.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- The dense solver ---- */

enum { N = 40 };

typedef enum kind { DEFINITE, UNSYMMETRIC, ZERO_DIAGONAL, SINGULAR, KINDS } kind;

/* A full matrix, on the host: random, or the Laplacian of a complete graph. */
static spg_csr full_matrix(kind of, spg_type type)
{
    spg_csr A;
    double entries[N * N];
    assert_int_equal(spg_csr_alloc(test_host(), N, N, N * N, SPG_I32, type, &A), SPG_OK);
    test_random_values(2, 0, SPG_F64, N * N, entries);
    for (int i = 0; i <= N; i++) ((int32_t *)A.row_offsets)[i] = N * i;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            const bool mirrors = of != UNSYMMETRIC && j < i;
            double value = mirrors ? entries[j * N + i] : entries[i * N + j];
            if (of == SINGULAR) value = -1;
            if (i == j) value = of == SINGULAR ? N - 1 : of == ZERO_DIAGONAL && i % 7 == 0 ? 0 : 20;
            A.columns[i * N + j] = j;
            test_set_element(A.values, type, i * N + j, value);
        }
    return A;
}

/* D A D, D of powers of two. */
static void scale_both_sides(spg_csr *A, const int exponents[N])
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            test_set_element(A->values, A->value_type, i * N + j,
                             ldexp(test_element(A->values, A->value_type, i * N + j), exponents[i] + exponents[j]));
}

/* x of A x = b by the dense solver, made for A or made for another matrix and updated. */
static void solve_densely(const spg_csr *A, const spg_csr *made_for, const double b[N], double x[N])
{
    spg_context *context = test_context_at_place(2);
    const spg_amg_backend *backend = context->backend->amg;
    const size_t bytes = N * spg_type_size(A->value_type);
    double values[N];
    spg_csr here, first;
    spg_amg_dense *dense;
    test_to_place(context, A, &here);
    test_to_place(context, made_for, &first);
    for (int i = 0; i < N; i++) test_set_element(values, A->value_type, i, b[i]);
    void *b_here = test_lend(values, bytes), *x_here = test_lend(values, bytes);
    if (backend->dense_create(context, &(spg_amg_dense_source){.A = &first}, &dense) != SPG_OK)
        fail_msg("%s", spg_context_message(context));
    assert_int_equal(backend->dense_update(context, dense, &(spg_amg_dense_source){.A = &here}), SPG_OK);
    assert_int_equal(backend->dense_solve(context, dense, b_here, x_here), SPG_OK);
    test_fetch(x_here, bytes, values);
    for (int i = 0; i < N; i++) x[i] = test_element(values, A->value_type, i);
    backend->dense_destroy(context, dense);
    test_give_back(b_here, bytes);
    test_give_back(x_here, bytes);
    spg_csr_free(context, &here);
    spg_csr_free(context, &first);
    spg_context_destroy(context);
}

/* A zero on the diagonal leaves an unknown the magnitude of its row, which others' scales are part of: all are alike
 * there. */
static void a_dense_operator_scaled_on_both_sides_is_solved_with_the_same_bits(void **state)
{
    (void)state;
    for (kind of = 0; of < KINDS; of++)
        for (spg_type type = SPG_F32; type <= SPG_F64; type++) {
            const int most = type == SPG_F32 ? 25 : 200;
            int exponents[N];
            double b[N], x[N], scaled_x[N];
            spg_csr A = full_matrix(of, type), B = full_matrix(of, type);
            for (int i = 0; i < N; i++) {
                exponents[i] = of == ZERO_DIAGONAL ? most : i * 5 % 11 % 3 * most - most;
                b[i] = of == SINGULAR ? i % 2 * 2 - 1 : i % 5 - 2.25;
            }
            scale_both_sides(&B, exponents);
            solve_densely(&A, &A, b, x);
            for (int i = 0; i < N; i++) b[i] = ldexp(b[i], exponents[i]);
            for (int updates = 0; updates < 2; updates++) {
                if (of == SINGULAR && updates) break; /* LU is not given up on a device */
                solve_densely(&B, updates ? &A : &B, b, scaled_x);
                for (int i = 0; i < N; i++)
                    if (!(ldexp(scaled_x[i], exponents[i]) == x[i]))
                        fail_msg("kind %d: %g at %d, not %g", (int)of, ldexp(scaled_x[i], exponents[i]), i, x[i]);
            }
            spg_csr_free(test_host(), &A);
            spg_csr_free(test_host(), &B);
        }
}

/* ---- Hierarchies ---- */

static int iterations_of(spg_csr *A, const spg_amg_options *options)
{
    test_system system;
    test_system_begin(A, options, 2, &system);
    const int iterations = test_system_solve(&system, NULL, SPG_OK).iterations;
    test_system_end(&system);
    return iterations;
}

/* The boundary's values are set by a large number on the diagonal, as is done. */
static void a_penalty_on_the_boundary_costs_no_iterations_however_large(void **state)
{
    (void)state;
    const double penalties[] = {1e3, 1e8, 1e16, 1e30, 1e100};
    int first = 0;
    for (int p = 0; p < 5; p++) {
        spg_csr A = test_generate("fd2d5:60", SPG_F64);
        double *values = A.values;
        for (int64_t i = 0; i < A.rows; i++) {
            const int64_t x = i % 60, y = i / 60;
            if (x % 59 != 0 && y % 59 != 0) continue;
            for (int64_t k = test_offset(&A, i); k < test_offset(&A, i + 1); k++)
                if (A.columns[k] == i) values[k] += penalties[p];
        }
        const int iterations = iterations_of(&A, NULL);
        if (p == 0) first = iterations;
        if (iterations > first + 3) fail_msg("penalty %g: %d iterations, not %d", penalties[p], iterations, first);
    }
}

static void a_matrix_in_any_unit_takes_as_many_iterations(void **state)
{
    (void)state;
    const double units[] = {1, 1e-300, 1e-200, 1e-160, 1e-100, 1e100, 1e153, 1e200, 1e300};
    int first = 0;
    for (int u = 0; u < 9; u++) {
        spg_csr A = test_generate("fd2d5:60", SPG_F64);
        for (int64_t k = 0; k < A.nnz; k++) ((double *)A.values)[k] *= units[u];
        const int iterations = iterations_of(&A, NULL);
        if (u == 0) first = iterations;
        /* on a device Lanczos has vectors of floats */
        if (iterations > (test_place() == SPG_PLACE_HOST ? first + 1 : 2 * first))
            fail_msg("times %g: %d iterations, not %d", units[u], iterations, first);
    }
}

/* Two candidates or one, with zeros, in any unit: T, and so the hierarchy, has the same bits. */
static void candidates_in_any_unit_give_the_same_operators(void **state)
{
    (void)state;
    enum { ROWS = 900 };
    const int exponents[] = {0, -1040, -900, -520, -400, 400, 500, 700, 1007};
    for (int count = 1; count <= 2; count++) {
        test_hierarchy first, other;
        for (size_t e = 0; e < sizeof exponents / sizeof *exponents; e++) {
            double candidates[2 * ROWS];
            test_random_values(6, 0, SPG_F64, 2 * ROWS, candidates);
            for (int i = 0; i < 2 * ROWS; i++) { /* few bits, for the smallest units */
                candidates[i] = i % 900 < 3 ? 0 : ldexp(floor(candidates[i] * 64) + 200, -8);
                candidates[i] = ldexp(candidates[i], i < ROWS * (count - 1) ? 3 : exponents[e]);
            }
            void *here = test_lend(candidates, sizeof candidates);
            spg_csr A = test_generate("fd2d5:30", SPG_F64);
            spg_amg_options options = test_several_levels();
            test_system system;
            options.candidates = count;
            options.candidate_values = here;
            options.max_levels = exponents[e] < -1000 ? 2 : 20;
            test_system_begin(&A, &options, 2, &system);
            test_fetch_hierarchy(&system, e == 0 ? &first : &other);
            if (e > 0) {
                assert_true(other.levels == first.levels || other.levels == 2);
                for (int l = 0; l < other.levels; l++) test_assert_same_csr(&other.level[l].A, &first.level[l].A);
                test_free_hierarchy(&other);
            }
            test_system_end(&system);
            test_give_back(here, sizeof candidates);
        }
        assert_true(first.levels > 2);
        test_free_hierarchy(&first);
    }
}

static void candidates_that_are_not_finite_or_nearly_so_are_refused(void **state)
{
    (void)state;
    enum { ROWS = 900 };
    const double values[] = {NAN, INFINITY, -INFINITY, 1e304, -DBL_MAX};
    test_system system;
    test_system_of("fd2d5:30", SPG_F64, &system);
    for (int v = 0; v < 5; v++) {
        double candidates[3 * ROWS];
        for (int i = 0; i < 3 * ROWS; i++) candidates[i] = 1 + i % 7;
        candidates[2 * ROWS + 77] = candidates[3 * ROWS - 1] = values[v];
        void *here = test_lend(candidates, sizeof candidates);
        spg_amg_options options = test_several_levels();
        spg_amg *amg;
        options.candidates = 3;
        options.candidate_values = here;
        assert_int_equal(spg_amg_setup(system.context, &system.A_here, &options, &amg), SPG_ERROR_FORMAT);
        test_assert_message(system.context, "candidate 2");
        test_assert_message(system.context, "row 77");
        assert_null(amg);
        options.candidates = 2;
        assert_int_equal(spg_amg_setup(system.context, &system.A_here, &options, &amg), SPG_OK);
        spg_amg_destroy(amg);
        test_give_back(here, sizeof candidates);
    }
    test_system_end(&system);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dense_operator_scaled_on_both_sides_is_solved_with_the_same_bits),
        cmocka_unit_test(a_penalty_on_the_boundary_costs_no_iterations_however_large),
        cmocka_unit_test(a_matrix_in_any_unit_takes_as_many_iterations),
        cmocka_unit_test(candidates_in_any_unit_give_the_same_operators),
        cmocka_unit_test(candidates_that_are_not_finite_or_nearly_so_are_refused),
    };
    return TEST_RUN_HERE(argc, argv, "amg scales", tests);
}
