/* Hierarchies of complex matrices: that they are those of a complex method, and that solves give A^-1 b. */
#include "amg_complex.h"
#include "matrices_for_tests.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Candidates at the place, to be given back by test_give_back. */
static void *lend_candidates(const double complex *values, int64_t n, spg_type type)
{
    void *cast = calloc((size_t)n, sizeof(double complex));
    assert_non_null(cast);
    for (int64_t i = 0; i < n; i++) test_set_complex(cast, type, i, values[i]);
    void *here = test_lend(cast, (size_t)n * spg_type_size(type));
    free(cast);
    return here;
}

static spg_amg_level_view level_of(const test_system *system, int level)
{
    spg_amg_level_view view;
    assert_int_equal(spg_amg_level(system->amg, level, &view), SPG_OK);
    return view;
}

/* The same aggregates, and twice the rows and four times the entries on each level. */
static void assert_same_levels(const test_system *gauged, const test_system *plain)
{
    assert_int_equal(spg_amg_levels(gauged->amg), spg_amg_levels(plain->amg));
    assert_true(spg_amg_levels(plain->amg) >= 3);
    for (int l = 0; l < spg_amg_levels(plain->amg); l++) {
        const spg_amg_level_view a = level_of(gauged, l), b = level_of(plain, l);
        assert_true(a.A.rows == 2 * b.A.rows && a.A.nnz == 4 * b.A.nnz && a.nodes == b.nodes);
        assert_true(a.aggregates == b.aggregates && a.left_out == b.left_out && a.block_size == 2 * b.block_size);
        if (b.aggregate_of == NULL) continue;
        const size_t bytes = (size_t)b.nodes * sizeof(int32_t);
        int32_t *one = malloc(bytes), *other = malloc(bytes);
        assert_true(one != NULL && other != NULL);
        test_fetch(a.aggregate_of, bytes, one);
        test_fetch(b.aggregate_of, bytes, other);
        assert_memory_equal(one, other, bytes);
        free(one);
        free(other);
    }
}

/* rho is estimated from other start vectors, so that the last digits of a residual differ. */
static void a_gauge_changes_no_aggregate_and_no_iteration(void **state)
{
    (void)state;
    const struct {
        const char *name;
        spg_amg_options with;
    } cases[] = {{"fd2d5:60", {0}},
                 {"fd3d7:16", {.theta = 0.1}},
                 {"fe2d9:50", {.strength = SPG_STRENGTH_CLASSICAL, .theta = 0.25, .smoother = SPG_SMOOTHER_CHEBYSHEV}},
                 {"stretch2d:60", {.theta = 0.1}}};
    for (int c = 0; c < 4; c++) {
        double complex *gauge;
        const spg_csr A = test_gauged(cases[c].name, false, SPG_C64, &gauge);
        const spg_csr L = test_generate(cases[c].name, SPG_F64);
        test_system gauged, plain;
        spg_amg_options options = test_several_levels();
        options.theta = cases[c].with.theta;
        options.strength = cases[c].with.strength;
        options.smoother = cases[c].with.smoother;
        options.spectral_steps = 60;
        test_system_begin(&L, &options, 2, &plain);
        options.max_coarse *= 2;
        options.candidates = 1;
        options.candidate_values = lend_candidates(gauge, A.rows, SPG_C64);
        test_system_begin(&A, &options, 2, &gauged);
        assert_same_levels(&gauged, &plain);
        test_send_complex(&gauged, gauge, gauged.b); /* D^H 1 */
        const spg_amg_solve_result of_real = test_system_solve(&plain, NULL, SPG_OK);
        const spg_amg_solve_result of_complex = test_system_solve(&gauged, NULL, SPG_OK);
        if (of_real.iterations != of_complex.iterations)
            fail_msg("%s: %d iterations, not %d", cases[c].name, of_complex.iterations, of_real.iterations);
        assert_true(fabs(of_complex.residual / of_real.residual - 1) < 0.1);
        double complex *x = test_fetch_complex(&gauged, gauged.x);
        double *y = test_system_fetch(&plain, plain.x);
        for (int64_t i = 0; i < A.rows; i++) assert_true(cabs(x[i] / gauge[i] - y[i]) <= 1e-5 * (1 + fabs(y[i])));
        free(x);
        free(y);
        free(gauge);
        test_give_back((void *)options.candidate_values, gauged.bytes);
        test_system_end(&gauged);
        test_system_end(&plain);
    }
}

/* The largest deviation of a matrix from blocks [a, -b; b, a], in magnitudes of its largest entry. */
static double deviation_from_blocks(const spg_csr *here)
{
    spg_csr M;
    double most = 0, largest = 0;
    test_to_host(test_lender(), here, &M);
    for (int64_t i = 0; i < M.rows; i += 2) {
        const int64_t length = test_offset(&M, i + 1) - test_offset(&M, i), at = test_offset(&M, i);
        assert_int_equal(test_offset(&M, i + 2) - test_offset(&M, i + 1), length);
        for (int64_t k = at; k < at + length; k += 2) {
            assert_true(M.columns[k] % 2 == 0 && M.columns[k + 1] == M.columns[k] + 1);
            assert_true(M.columns[k] == M.columns[k + length] && M.columns[k + 1] == M.columns[k + length + 1]);
            const double a = test_element(M.values, M.value_type, k), b = test_element(M.values, M.value_type, k + 1);
            const double c = test_element(M.values, M.value_type, k + length);
            const double d = test_element(M.values, M.value_type, k + length + 1);
            most = fmax(most, fmax(fabs(a - d), fabs(b + c)));
            largest = fmax(largest, fmax(fabs(a), fabs(b)));
        }
    }
    spg_csr_free(test_host(), &M);
    return most / largest;
}

/* Also of a matrix that is not Hermitian, with a restriction of its own. */
static void every_matrix_of_a_hierarchy_is_the_real_form_of_a_complex_one(void **state)
{
    (void)state;
    const char *const names[] = {"magnet2d:40", "magnet3d:12:20", "conv2d:40", "solid3d:6"};
    for (int c = 0; c < 4; c++)
        for (spg_type type = SPG_C32; type <= SPG_C64; type++) {
            test_system system;
            spg_amg_options options = test_several_levels();
            options.block_size = c == 3 ? 3 : 1;
            options.restriction = SPG_RESTRICTION_PETROV_GALERKIN;
            options.theta = c == 1 ? 0.08 : 0;
            options.filter = c == 1;
            const spg_csr A = test_generate(names[c], type);
            test_system_begin(&A, &options, 2, &system);
            assert_true(spg_amg_levels(system.amg) >= (c == 3 ? 2 : 3));
            const double rounding = 1e3 * (type == SPG_C32 ? (double)FLT_EPSILON : DBL_EPSILON);
            for (int l = 0; l < spg_amg_levels(system.amg); l++) {
                const spg_amg_level_view view = level_of(&system, l);
                const spg_csr *const matrices[] = {&view.A, &view.P, &view.R};
                for (int m = 0; m < (l + 1 < spg_amg_levels(system.amg) ? 3 : 1); m++) {
                    const double deviation = deviation_from_blocks(matrices[m]);
                    if (!(deviation <= (l == 0 && m == 0 ? 0 : rounding)))
                        fail_msg("%s: matrix %d of level %d: %g", names[c], m, l, deviation);
                }
            }
            test_system_end(&system);
        }
}

static double largest_difference(const double complex *x, const double complex *y, int64_t n)
{
    double most = 0, size = 0;
    for (int64_t i = 0; i < n; i++) {
        most = fmax(most, cabs(x[i] - y[i]));
        size = fmax(size, cabs(y[i]));
    }
    return most / size;
}

static void check_solution(const char *name, spg_type type, const spg_amg_options *options, spg_amg_method method)
{
    test_system system;
    const spg_csr A = test_generate(name, type);
    spg_amg_solve_options solving = spg_amg_solve_options_default();
    test_system_begin(&A, options, 2, &system);
    double complex *b = test_random_complex(3, A.rows), *expected = test_dense_solution(&A, b);
    test_send_complex(&system, b, system.b);
    solving.method = method;
    solving.tolerance = type == SPG_C32 ? 1e-5 : 1e-10;
    const spg_amg_solve_result result = test_system_solve(&system, &solving, SPG_OK);
    double complex *x = test_fetch_complex(&system, system.x);
    const double difference = largest_difference(x, expected, A.rows);
    if (!(difference <= (type == SPG_C32 ? 1e-2 : 1e-7))) fail_msg("%s: off by %g", name, difference);
    if (type == SPG_C64) assert_true(fabs(test_complex_residual(&system) - result.residual) <= 1e-12);
    free(b);
    free(x);
    free(expected);
    test_system_end(&system);
}

static void solves_give_what_lapack_does(void **state)
{
    (void)state;
    const spg_smoother smoothers[] = {SPG_SMOOTHER_JACOBI, SPG_SMOOTHER_L1_JACOBI, SPG_SMOOTHER_CHEBYSHEV};
    for (spg_type type = SPG_C32; type <= SPG_C64; type++)
        for (int s = 0; s < 3; s++)
            for (int m = 0; m < TEST_METHODS; m++) {
                spg_amg_options options = test_several_levels();
                options.smoother = smoothers[s];
                options.precision = s == 1 ? SPG_AMG_PRECISION_F32 : SPG_AMG_PRECISION_OF_A;
                check_solution("magnet2d:20", type, &options, test_methods[m]);
                options.theta = 0.05;
                check_solution("magnet3d:7:3", type, &options, test_methods[m]);
                options.block_size = 3;
                options.theta = 0;
                if (test_methods[m] == SPG_AMG_CG) check_solution("solid3d:4", type, &options, SPG_AMG_CG);
            }
}

/* With a grid's Laplacian, the first 40 rows of which are kept as a diagonal, with stored zeros. */
static void isolated_rows_stay_out_of_aggregates(void **state)
{
    (void)state;
    double complex *gauge;
    spg_csr A = test_gauged("fd2d5:40", false, SPG_C64, &gauge);
    for (int64_t i = 0; i < A.rows; i++)
        for (int64_t k = test_offset(&A, i); k < test_offset(&A, i + 1); k++) {
            const int64_t j = A.columns[k];
            if (i != j && (i < 40 || j < 40)) test_set_complex(A.values, SPG_C64, k, 0);
        }
    test_system system;
    spg_amg_options options = test_several_levels();
    options.candidates = 1;
    options.candidate_values = lend_candidates(gauge, A.rows, SPG_C64);
    test_system_begin(&A, &options, 2, &system);
    assert_int_equal(level_of(&system, 0).left_out, 40);
    assert_true(test_system_solve(&system, NULL, SPG_OK).iterations < 20);
    test_give_back((void *)options.candidate_values, system.bytes);
    free(gauge);
    test_system_end(&system);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gauge_changes_no_aggregate_and_no_iteration),
        cmocka_unit_test(every_matrix_of_a_hierarchy_is_the_real_form_of_a_complex_one),
        cmocka_unit_test(solves_give_what_lapack_does),
        cmocka_unit_test(isolated_rows_stay_out_of_aggregates),
    };
    return TEST_RUN_HERE(argc, argv, "multigrid: complex matrices", tests);
}
