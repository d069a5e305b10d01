/* One V-cycle: an operator with the properties that its users count on, whatever the smoother and its sweeps. */
#include "amg_systems.h"
#include "matrices_for_tests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 21, ROWS = SIDE * SIDE };

static const spg_smoother smoothers[] = {SPG_SMOOTHER_JACOBI, SPG_SMOOTHER_L1_JACOBI, SPG_SMOOTHER_CHEBYSHEV};

/* Calls check with hierarchies of several levels for every smoother and numbers of sweeps and of steps of a sweep. */
static void for_each_smoother(void (*check)(test_system *system))
{
    for (int s = 0; s < 3; s++)
        for (int before = 0; before < 3; before++)
            for (int degree = 1; degree < (smoothers[s] == SPG_SMOOTHER_CHEBYSHEV ? 4 : 2); degree++) {
                spg_amg_options options = spg_amg_options_default();
                options.max_coarse = 10;
                options.smoother = smoothers[s];
                options.pre_sweeps = options.post_sweeps = before;
                options.chebyshev_degree = degree;
                const spg_csr A = test_generate("fd2d5:21", SPG_F64);
                test_system system;
                test_system_begin(&A, &options, 2, &system);
                assert_true(spg_amg_levels(system.amg) >= 3);
                check(&system);
                test_system_end(&system);
            }
}

/* x = the cycle on b from x; both on the host. */
static void cycle(test_system *system, const double *b, double *x)
{
    test_send(b, system->bytes, system->b);
    test_send(x, system->bytes, system->x);
    if (spg_amg_cycle(system->context, system->amg, system->b, system->x) != SPG_OK)
        fail_msg("%s", spg_context_message(system->context));
    test_fetch(system->x, system->bytes, x);
}

static double inner(const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < ROWS; i++) sum += x[i] * y[i];
    return sum;
}

static void multiply(const spg_csr *A, const double *x, double *y)
{
    for (int64_t i = 0; i < A->rows; i++) {
        y[i] = 0;
        for (int64_t k = test_offset(A, i); k < test_offset(A, i + 1); k++)
            y[i] += ((const double *)A->values)[k] * x[A->columns[k]];
    }
}

static void assert_close(const double *x, const double *y, double allowed)
{
    for (int i = 0; i < ROWS; i++)
        if (!(fabs(x[i] - y[i]) <= allowed)) fail_msg("element %d: %.17g, not %.17g", i, x[i], y[i]);
}

static void check_symmetry(test_system *system)
{
    double u[ROWS], v[ROWS], Mu[ROWS] = {0}, Mv[ROWS] = {0};
    test_random_values(1, 0, SPG_F64, ROWS, u);
    test_random_values(2, 0, SPG_F64, ROWS, v);
    cycle(system, u, Mu);
    cycle(system, v, Mv);
    assert_true(inner(u, Mu) > 0 && inner(v, Mv) > 0);
    assert_true(fabs(inner(u, Mv) - inner(v, Mu)) <= 1e-12 * sqrt(inner(u, Mu) * inner(v, Mv)));
}

static void a_cycle_from_zero_is_symmetric_and_positive(void **state)
{
    (void)state;
    for_each_smoother(check_symmetry);
}

static void check_fixed_point(test_system *system)
{
    double solution[ROWS], b[ROWS], x[ROWS];
    test_random_values(3, 0, SPG_F64, ROWS, solution);
    multiply(&system->A, solution, b);
    memcpy(x, solution, sizeof x);
    cycle(system, b, x);
    assert_close(x, solution, 1e-12);
}

static void a_cycle_leaves_the_solution_alone(void **state)
{
    (void)state;
    for_each_smoother(check_fixed_point);
}

/* x + M (b - A x), by a cycle from zero. */
static void check_correction(test_system *system)
{
    double b[ROWS], x[ROWS], r[ROWS], correction[ROWS] = {0};
    test_random_values(4, 0, SPG_F64, ROWS, b);
    test_random_values(5, 0, SPG_F64, ROWS, x);
    multiply(&system->A, x, r);
    for (int i = 0; i < ROWS; i++) r[i] = b[i] - r[i];
    cycle(system, r, correction);
    for (int i = 0; i < ROWS; i++) correction[i] += x[i];
    cycle(system, b, x);
    assert_close(x, correction, 1e-12);
}

static void a_cycle_from_a_guess_adds_the_cycle_on_its_residual(void **state)
{
    (void)state;
    for_each_smoother(check_correction);
}

static void a_matrix_small_enough_is_solved_by_one_cycle(void **state)
{
    (void)state;
    const spg_csr A = test_generate("fd2d5:21", SPG_F64);
    test_system system;
    double b[ROWS], x[ROWS], Ax[ROWS];
    test_system_begin(&A, NULL, 2, &system);
    assert_int_equal(spg_amg_levels(system.amg), 1);
    test_random_values(6, 0, SPG_F64, ROWS, b);
    test_random_values(7, 0, SPG_F64, ROWS, x);
    cycle(&system, b, x);
    multiply(&A, x, Ax);
    assert_close(Ax, b, 1e-12);
    test_system_end(&system);
}

/* ---- A hierarchy of one level that is too large for a dense solve: what smoothing does, by eigenvectors ---- */

enum { WIDE = 65 }; /* past 4096 rows */

static spg_amg_options one_level(void)
{
    spg_amg_options options = spg_amg_options_default();
    options.max_levels = 1;
    options.post_sweeps = 0;
    return options;
}

/* What is left of the residual of b, an eigenvector of D^-1 A with eigenvalue lambda, after a cycle from zero. */
static double what_is_left(const spg_amg_options *options, int mode, double *lambda, double *rho)
{
    const double pi = 3.14159265358979323846;
    const spg_csr A = test_generate("fd2d5:65", SPG_F64);
    const size_t n = (size_t)A.rows;
    double *b = malloc(n * sizeof *b), *x = calloc(n, sizeof *x), *Ax = malloc(n * sizeof *Ax), left = 0;
    test_system system;
    spg_amg_level_view view;
    test_system_begin(&A, options, 2, &system);
    assert_int_equal(spg_amg_level(system.amg, 0, &view), SPG_OK);
    *rho = view.rho;
    *lambda = 1 - cos(mode * pi / (WIDE + 1));
    for (int i = 0; i < WIDE; i++)
        for (int j = 0; j < WIDE; j++)
            b[i * WIDE + j] = sin(mode * pi * (i + 1) / (WIDE + 1)) * sin(mode * pi * (j + 1) / (WIDE + 1));
    cycle(&system, b, x);
    multiply(&A, x, Ax);
    size_t at = 0;
    for (size_t i = 0; i < n; i++)
        if (fabs(b[i]) > fabs(b[at])) at = i;
    left = (b[at] - Ax[at]) / b[at];
    for (size_t i = 0; i < n; i++) assert_true(fabs(b[i] - Ax[i] - left * b[i]) < 1e-12);
    test_system_end(&system);
    free(b);
    free(x);
    free(Ax);
    return left;
}

static void jacobi_damps_by_relaxation_over_rho(void **state)
{
    (void)state;
    for (int sweeps = 1; sweeps < 4; sweeps++)
        for (int mode = 1; mode <= WIDE; mode += 16) {
            spg_amg_options options = one_level();
            double lambda, rho;
            options.pre_sweeps = sweeps;
            options.relaxation = 1.25;
            const double left = what_is_left(&options, mode, &lambda, &rho);
            assert_true(fabs(left - pow(1 - 1.25 / rho * lambda, sweeps)) < 1e-12);
        }
}

static void l1_jacobi_divides_by_the_sum_of_magnitudes(void **state)
{
    (void)state;
    spg_amg_options options = one_level();
    test_system system;
    options.smoother = SPG_SMOOTHER_L1_JACOBI;
    const spg_csr A = test_generate("fd2d5:65", SPG_F64);
    double *x = malloc((size_t)A.rows * sizeof *x);
    test_system_begin(&A, &options, 2, &system);
    assert_int_equal(spg_amg_cycle(system.context, system.amg, system.b, system.x), SPG_OK);
    test_fetch(system.x, system.bytes, x);
    for (int64_t i = 0; i < A.rows; i++) {
        double sum = 0;
        for (int64_t k = test_offset(&A, i); k < test_offset(&A, i + 1); k++)
            sum += fabs(((const double *)A.values)[k]);
        assert_true(fabs(x[i] - 1 / sum) < 1e-15);
    }
    test_system_end(&system);
    free(x);
}

/* T_k. */
static double chebyshev(int k, double t)
{
    double before = 1, now = t;
    if (k == 0) return 1;
    for (int i = 1; i < k; i++) {
        const double next = 2 * t * now - before;
        before = now;
        now = next;
    }
    return now;
}

static void chebyshev_leaves_its_polynomial_of_the_residual(void **state)
{
    (void)state;
    for (int degree = 1; degree < 6; degree++)
        for (int sweeps = 1; sweeps < 3; sweeps++)
            for (int mode = 1; mode <= WIDE; mode += 32) {
                spg_amg_options options = one_level();
                double lambda, rho;
                options.smoother = SPG_SMOOTHER_CHEBYSHEV;
                options.chebyshev_degree = degree;
                options.chebyshev_ratio = 8;
                options.pre_sweeps = sweeps;
                const double left = what_is_left(&options, mode, &lambda, &rho);
                const double top = 1.1 * rho, bottom = top / 8, centre = (top + bottom) / 2, half = (top - bottom) / 2;
                const double once = chebyshev(degree, (centre - lambda) / half) / chebyshev(degree, centre / half);
                assert_true(fabs(left - pow(once, sweeps)) < 1e-11);
            }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cycle_from_zero_is_symmetric_and_positive),
        cmocka_unit_test(a_cycle_leaves_the_solution_alone),
        cmocka_unit_test(a_cycle_from_a_guess_adds_the_cycle_on_its_residual),
        cmocka_unit_test(a_matrix_small_enough_is_solved_by_one_cycle),
        cmocka_unit_test(jacobi_damps_by_relaxation_over_rho),
        cmocka_unit_test(l1_jacobi_divides_by_the_sum_of_magnitudes),
        cmocka_unit_test(chebyshev_leaves_its_polynomial_of_the_residual),
    };
    return TEST_RUN_HERE(argc, argv, "amg v-cycle", tests);
}
