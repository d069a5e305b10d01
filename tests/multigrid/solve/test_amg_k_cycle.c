/* The K-cycle (spg_amg_options.cycle): against plain code on the levels' matrices, and what its users rely on. */
#include "amg_reference.h"
#include "matrices_for_tests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 2, MOST_K_LEVELS = 3 };

/* Many levels, so that some lie below those of two steps. */
static spg_amg_options k_cycles(void)
{
    spg_amg_options options = spg_amg_options_default();
    options.max_coarse = 3;
    options.prolongator_relaxation = 0;
    options.cycle = SPG_CYCLE_K;
    return options;
}

/* ---- A K-cycle by plain code ---- */

typedef struct reference {
    test_hierarchy levels;
    double relaxation;
    bool is_unsymmetric;
} reference;

static double *zeros(int64_t n)
{
    double *values = calloc((size_t)n + 1, sizeof *values);
    assert_non_null(values);
    return values;
}

static double inner(int64_t n, const double *x, const double *y)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

static void add(int64_t n, double a, const double *x, double *y)
{
    for (int64_t i = 0; i < n; i++) y[i] += a * x[i];
}

/* y += a M x. */
static void add_product(double a, const spg_csr *M, const double *x, double *y)
{
    for (int64_t i = 0; i < M->rows; i++)
        for (int64_t k = test_offset(M, i); k < test_offset(M, i + 1); k++)
            y[i] += a * test_real(M, k) * x[M->columns[k]];
}

/* x += relaxation/rho D^-1 (b - A x). */
static void sweep(const reference *of, const test_level *level, const double *b, double *x)
{
    const spg_csr *A = &level->A;
    double *r = zeros(A->rows);
    memcpy(r, b, (size_t)A->rows * sizeof *r);
    add_product(-1, A, x, r);
    for (int64_t i = 0; i < A->rows; i++)
        for (int64_t k = test_offset(A, i); k < test_offset(A, i + 1); k++)
            if (A->columns[k] == i) x[i] += of->relaxation / level->view.rho * r[i] / test_real(A, k);
    free(r);
}

/* By elimination, with the largest pivot of each column. */
static void solve_densely(const spg_csr *A, const double *b, double *x)
{
    const int64_t n = A->rows;
    double *a = test_dense(A);
    memcpy(x, b, (size_t)n * sizeof *x);
    for (int64_t k = 0; k < n; k++) {
        int64_t best = k;
        for (int64_t i = k; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
        for (int64_t j = 0; j <= n; j++) {
            double *upper = j < n ? &a[k * n + j] : &x[k], *lower = j < n ? &a[best * n + j] : &x[best];
            const double held = *upper;
            *upper = *lower;
            *lower = held;
        }
        for (int64_t i = k + 1; i < n; i++) {
            const double share = a[i * n + k] / a[k * n + k];
            for (int64_t j = k; j < n; j++) a[i * n + j] -= share * a[k * n + j];
            x[i] -= share * x[k];
        }
    }
    for (int64_t k = n - 1; k >= 0; k--) {
        for (int64_t j = k + 1; j < n; j++) x[k] -= a[k * n + j] * x[j];
        x[k] /= a[k * n + k];
    }
    free(a);
}

static void cycle(const reference *of, int l, const double *b, double *x);

/* Flexible conjugate gradients, or GCR, by its textbook: directions that are made conjugate to those before, and the
 * best step along each. */
static void krylov(const reference *of, int l, int steps, const double *b, double *x)
{
    const spg_csr *A = &of->levels.level[l].A;
    const int64_t n = A->rows;
    double *r = zeros(n), *d[2] = {zeros(n), zeros(n)}, *v[2] = {zeros(n), zeros(n)};
    memcpy(r, b, (size_t)n * sizeof *r);
    memset(x, 0, (size_t)n * sizeof *x);
    for (int k = 0; k < steps; k++) {
        cycle(of, l, r, d[k]);
        add_product(1, A, d[k], v[k]);
        for (int j = 0; j < k; j++) {
            const double *test = of->is_unsymmetric ? v[j] : d[j];
            const double share = inner(n, test, v[k]) / inner(n, test, v[j]);
            add(n, -share, d[j], d[k]);
            add(n, -share, v[j], v[k]);
        }
        const double *test = of->is_unsymmetric ? v[k] : d[k];
        const double step = inner(n, test, r) / inner(n, test, v[k]);
        add(n, step, d[k], x);
        add(n, -step, v[k], r);
    }
    for (int k = 0; k < 2; k++) {
        free(d[k]);
        free(v[k]);
    }
    free(r);
}

/* x = the cycle on b from zero; x is 0 before. */
static void cycle(const reference *of, int l, const double *b, double *x)
{
    const test_level *level = &of->levels.level[l];
    if (l + 1 == of->levels.levels) {
        solve_densely(&level->A, b, x);
        return;
    }
    const int64_t n = level->A.rows, m = level->P.cols;
    double *r = zeros(n), *coarse_b = zeros(m), *coarse_x = zeros(m);
    sweep(of, level, b, x);
    memcpy(r, b, (size_t)n * sizeof *r);
    add_product(-1, &level->A, x, r);
    add_product(1, &level->R, r, coarse_b);
    const bool is_last = l + 2 == of->levels.levels;
    if (!is_last && l + 1 <= MOST_K_LEVELS)
        krylov(of, l + 1, 2, coarse_b, coarse_x);
    else
        cycle(of, l + 1, coarse_b, coarse_x);
    add_product(1, &level->P, coarse_x, x);
    sweep(of, level, b, x);
    free(r);
    free(coarse_b);
    free(coarse_x);
}

static double largest(int64_t n, const double *x)
{
    double most = 0;
    for (int64_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

static void apply(const test_system *system, const double *b, double *x)
{
    test_send(b, system->bytes, system->b);
    if (spg_amg_apply(system->context, system->amg, system->b, system->x) != SPG_OK)
        fail_msg("%s", spg_context_message(system->context));
    test_fetch(system->x, system->bytes, x);
}

static void check_against_reference(const char *name, const spg_amg_options *options, int least_levels)
{
    const spg_csr A = test_generate(name, SPG_F64);
    test_system system;
    spg_amg_summary summary;
    test_system_begin(&A, options, THREADS, &system);
    assert_int_equal(spg_amg_summarise(system.amg, &summary), SPG_OK);
    reference of = {.relaxation = options->relaxation, .is_unsymmetric = summary.unsymmetric};
    test_fetch_hierarchy(&system, &of.levels);
    if (of.levels.levels < least_levels) fail_msg("%s: %d levels", name, of.levels.levels);
    double *b = zeros(A.rows), *x = zeros(A.rows), *expected = zeros(A.rows);
    for (uint64_t seed = 1; seed < 4; seed++) {
        test_random_values(seed, 0, SPG_F64, A.rows, b);
        memset(expected, 0, system.bytes);
        cycle(&of, 0, b, expected);
        apply(&system, b, x);
        add(A.rows, -1, expected, x);
        if (!(largest(A.rows, x) <= 1e-9 * largest(A.rows, expected)))
            fail_msg("%s: %g of %g", name, largest(A.rows, x), largest(A.rows, expected));
    }
    free(b);
    free(x);
    free(expected);
    test_free_hierarchy(&of.levels);
    test_system_end(&system);
}

static void cycles_are_those_of_plain_code(void **state)
{
    (void)state;
    spg_amg_options options = k_cycles();
    check_against_reference("fd2d5:90", &options, MOST_K_LEVELS + 3);
    check_against_reference("tet3d:9", &options, 3);
    options.prolongator_relaxation = 4.0 / 3.0;
    check_against_reference("fd2d5:60", &options, 3);
    check_against_reference("solid3d:6", &options, 3);
    options.max_levels = 2; /* nothing between the first level and the last */
    check_against_reference("fd2d5:20", &options, 2);
}

static void cycles_of_unsymmetric_systems_are_those_of_plain_code(void **state)
{
    (void)state;
    spg_amg_options options = k_cycles();
    check_against_reference("conv2d:40:0.01", &options, 4);
    options.prolongator_relaxation = 4.0 / 3.0;
    options.restriction = SPG_RESTRICTION_PETROV_GALERKIN;
    check_against_reference("conv2d:40:0.001", &options, 3);
    check_against_reference("recirc2d:40", &options, 3);
}

/* ---- What users rely on ---- */

static int iterations_of(const char *name, spg_type type, spg_amg_options options, spg_cycle cycle)
{
    const spg_csr A = test_generate(name, type);
    test_system system;
    options.cycle = cycle;
    test_system_begin(&A, &options, THREADS, &system);
    const spg_amg_solve_result result = test_system_solve(&system, NULL, SPG_OK);
    assert_true(result.converged);
    test_system_end(&system);
    return result.iterations;
}

static void unsmoothed_hierarchies_take_fewer_iterations(void **state)
{
    (void)state;
    const char *const names[] = {"fd2d5:100", "fe2d9:90", "fd3d7:20"};
    for (int k = 0; k < 3; k++) {
        const int v = iterations_of(names[k], SPG_F64, k_cycles(), SPG_CYCLE_V);
        const int k_count = iterations_of(names[k], SPG_F64, k_cycles(), SPG_CYCLE_K);
        if (4 * k_count > 3 * v) fail_msg("%s: %d iterations, V-cycles %d", names[k], k_count, v);
    }
}

static void floats_and_complex_systems_take_as_many_iterations(void **state)
{
    (void)state;
    spg_amg_options options = k_cycles();
    const int doubles = iterations_of("fd2d5:60", SPG_F64, options, SPG_CYCLE_K);
    options.precision = SPG_AMG_PRECISION_F32;
    assert_true(abs(iterations_of("fd2d5:60", SPG_F64, options, SPG_CYCLE_K) - doubles) <= 1);
    options.precision = SPG_AMG_PRECISION_OF_A;
    assert_true(abs(iterations_of("magnet2d:60:0", SPG_C64, options, SPG_CYCLE_K) - doubles) <= 3);
    assert_true(iterations_of("fd2d5:60", SPG_F32, options, SPG_CYCLE_K) <= doubles);
}

static void bits_depend_neither_on_threads_nor_on_the_unit(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 5};
    const spg_amg_options options = k_cycles();
    double *first = NULL;
    for (int k = 0; k < 6; k++) {
        const spg_csr A = test_generate("fd2d5:150", SPG_F64);
        test_system system;
        const double unit = k < 3 ? 1 : 0x1p60;
        test_system_begin(&A, &options, threads[k % 3], &system);
        double *b = zeros(A.rows), *x = zeros(A.rows);
        test_random_values(7, 0, SPG_F64, A.rows, b);
        for (int64_t i = 0; i < A.rows; i++) b[i] *= unit;
        apply(&system, b, x);
        for (int64_t i = 0; i < A.rows; i++) x[i] /= unit;
        if (first != NULL) assert_memory_equal(x, first, system.bytes);
        if (first == NULL)
            first = x;
        else
            free(x);
        free(b);
        test_system_end(&system);
    }
    free(first);
}

static void a_right_hand_side_of_zeros_gives_zeros(void **state)
{
    (void)state;
    const spg_amg_options options = k_cycles();
    const spg_csr A = test_generate("fd2d5:40", SPG_F64);
    test_system system;
    test_system_begin(&A, &options, THREADS, &system);
    double *b = zeros(A.rows), *x = zeros(A.rows);
    x[0] = 1;
    apply(&system, b, x);
    assert_true(largest(A.rows, x) == 0);
    free(b);
    free(x);
    test_system_end(&system);
}

/* A singular system, and what is left of it is projected out, in as many iterations whoever says what that is. */
static void null_spaces_are_projected_out(void **state)
{
    (void)state;
    spg_csr A = test_generate("fd2d5:40", SPG_F64);
    for (int64_t i = 0; i < A.rows; i++) {
        double sum = 0, *diagonal = NULL;
        for (int64_t k = test_offset(&A, i); k < test_offset(&A, i + 1); k++) {
            double *value = (double *)A.values + k;
            if (A.columns[k] == i)
                diagonal = value;
            else
                sum += *value;
        }
        assert_non_null(diagonal);
        *diagonal = -sum;
    }
    const spg_amg_options options = k_cycles();
    spg_amg_solve_options solving = spg_amg_solve_options_default();
    test_system system;
    test_system_begin(&A, &options, THREADS, &system);
    double *b = zeros(A.rows);
    int iterations[2];
    for (int k = 0; k < 2; k++) {
        solving.nullspace = k == 0 ? SPG_AMG_NULLSPACE_CONSTANT : SPG_AMG_NULLSPACE_CANDIDATES;
        test_random_values(9, 0, SPG_F64, A.rows, b);
        test_system_reset(&system);
        test_send(b, system.bytes, system.b);
        iterations[k] = test_system_solve(&system, &solving, SPG_OK).iterations;
    }
    assert_in_range(iterations[1], iterations[0] - 1, iterations[0] + 1);
    free(b);
    test_system_end(&system);
}

/* Values times 4 give a correction of a quarter; rho may have another last bit. */
static void updates_are_followed(void **state)
{
    (void)state;
    const spg_amg_options options = k_cycles();
    spg_csr A = test_generate("fd2d5:60", SPG_F64), here;
    test_system system;
    test_system_begin(&A, &options, THREADS, &system);
    double *b = zeros(A.rows), *x = zeros(A.rows), *after = zeros(A.rows);
    test_random_values(8, 0, SPG_F64, A.rows, b);
    for (int64_t k = 0; k < A.nnz; k++) ((double *)A.values)[k] *= 4;
    test_to_place(system.context, &A, &here);
    assert_int_equal(spg_amg_update(system.context, system.amg, &system.A_here), SPG_OK);
    apply(&system, b, x);
    assert_int_equal(spg_amg_update(system.context, system.amg, &here), SPG_OK);
    apply(&system, b, after);
    for (int64_t i = 0; i < A.rows; i++) after[i] = 4 * after[i] - x[i];
    assert_true(largest(A.rows, after) <= 1e-9 * largest(A.rows, x));
    free(b);
    free(x);
    free(after);
    spg_csr_free(system.context, &system.A_here);
    system.A_here = here;
    test_system_end(&system);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cycles_are_those_of_plain_code),
        cmocka_unit_test(cycles_of_unsymmetric_systems_are_those_of_plain_code),
        cmocka_unit_test(unsmoothed_hierarchies_take_fewer_iterations),
        cmocka_unit_test(floats_and_complex_systems_take_as_many_iterations),
        cmocka_unit_test(bits_depend_neither_on_threads_nor_on_the_unit),
        cmocka_unit_test(a_right_hand_side_of_zeros_gives_zeros),
        cmocka_unit_test(null_spaces_are_projected_out),
        cmocka_unit_test(updates_are_followed),
    };
    return TEST_RUN_HERE(argc, argv, "K-cycles", tests);
}
