/* Strength of connection, beside plain code: dense norms. */
#include "amg_graph.h"
#include "matrices_for_tests.h"

#include <math.h>

/* ---- Strength ---- */

/* |a_ij|, or the Frobenius norms of blocks; dense, with -1 where nothing is stored. */
static double *norms(const spg_csr *A, int block_size)
{
    const int64_t n = A->rows / block_size;
    double *sums = malloc((size_t)(n * n) * 8 + 8);
    assert_non_null(sums);
    for (int64_t k = 0; k < n * n; k++) sums[k] = -1;
    for (int64_t i = 0; i < A->rows; i++)
        for (int64_t k = test_offset(A, i); k < test_offset(A, i + 1); k++) {
            double *sum = &sums[i / block_size * n + A->columns[k] / block_size];
            *sum = (*sum < 0 ? 0 : *sum) + test_real(A, k) * test_real(A, k);
        }
    for (int64_t k = 0; k < n * n; k++)
        if (sums[k] >= 0) sums[k] = sqrt(sums[k]);
    return sums;
}

/* The largest norm of row i of n, off the diagonal. */
static double largest(const double *norm, int64_t n, int64_t i)
{
    double most = 0;
    for (int64_t j = 0; j < n; j++)
        if (j != i) most = fmax(most, norm[i * n + j]);
    return most;
}

static void check_strength_by(const spg_csr *A, int block_size, spg_strength measure, double theta)
{
    spg_context *context = test_context_at_place(2);
    const int64_t n = A->rows / block_size;
    double *norm = norms(A, block_size);
    graph strong = strength_by(context, A, block_size, measure, theta);
    assert_int_equal(strong.nodes, n);
    int64_t kept = 0, weak = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t at = strong.offsets[i];
        for (int64_t j = 0; j < n; j++) {
            if (norm[i * n + j] < 0) continue;
            const double limit =
                theta * (measure == SPG_STRENGTH_CLASSICAL ? largest(norm, n, i)
                                                           : sqrt(fmax(norm[i * n + i], 0) * fmax(norm[j * n + j], 0)));
            assert_true(theta == 0 || i == j || fabs(norm[i * n + j] - limit) > 1e-9 * limit); /* no case of rounding */
            const bool is_strong = i == j || norm[i * n + j] >= limit;
            weak += !is_strong;
            if (!is_strong) continue;
            assert_true(at < strong.offsets[i + 1] && strong.columns[at] == j);
            at++, kept++;
        }
        assert_int_equal(at, strong.offsets[i + 1]);
    }
    assert_true(kept == strong.nnz && (theta == 0 || weak > 0));
    free(norm);
    free_graph(&strong);
    spg_context_destroy(context);
}

static void check_strength(const spg_csr *A, int block_size, double theta)
{
    check_strength_by(A, block_size, SPG_STRENGTH_SYMMETRIC, theta);
}

static void strong_connections_are_those_of_the_definition(void **state)
{
    (void)state;
    const spg_type types[] = {SPG_F64, SPG_F32};
    for (int t = 0; t < 2; t++) {
        spg_csr A = test_symmetric(240, 9, types[t], 3);
        check_strength(&A, 1, 0);
        check_strength(&A, 1, 0.0123);
        check_strength(&A, 3, 0);
        check_strength(&A, 3, 0.0117);
        check_strength(&A, 8, 0.02);
        check_strength_by(&A, 1, SPG_STRENGTH_CLASSICAL, 0);
        check_strength_by(&A, 1, SPG_STRENGTH_CLASSICAL, 0.313);
        check_strength_by(&A, 3, SPG_STRENGTH_CLASSICAL, 0.313);
        check_strength_by(&A, 8, SPG_STRENGTH_CLASSICAL, 0.613);
        spg_csr_free(test_host(), &A);
    }
}

static void strong_connections_of_rows_without_a_diagonal_are_all_there_are(void **state)
{
    (void)state;
    const int32_t rows[] = {0, 0, 1, 2, 2, 3}, columns[] = {1, 2, 0, 0, 3, 2};
    const double values[] = {1, 1e-9, 1, 1e-9, 4, 4};
    spg_csr A = test_from_triples(4, 6, rows, columns, values, SPG_F64);
    spg_context *context = test_context_at_place(1);
    graph strong = strength(context, &A, 1, 0.5);
    assert_int_equal(strong.nnz, 6);
    free_graph(&strong);
    spg_csr_free(test_host(), &A);
    spg_context_destroy(context);
}

/* Rows that are not sorted, with a large diagonal, an entry at the very limit, and no entry off the diagonal. */
static void the_classical_measure_goes_by_the_largest_coupling_of_the_row(void **state)
{
    (void)state;
    int32_t offsets[] = {0, 4, 7, 8, 10}, columns[] = {3, 0, 1, 2, 0, 2, 1, 2, 0, 1};
    double values[] = {-1, 100, 4, -0.99, 2, 0.5, -9, 7, 0, 0};
    const int32_t expected[] = {3, 0, 1, 0, 2, 1, 2, 0, 1};
    const int64_t expected_offsets[] = {0, 3, 6, 7, 9};
    const spg_csr A = {4, 4, 10, SPG_I32, SPG_F64, SPG_PLACE_HOST, offsets, columns, values};
    spg_context *context = test_context_at_place(2);
    graph strong = strength_by(context, &A, 1, SPG_STRENGTH_CLASSICAL, 0.25);
    assert_int_equal(strong.nnz, 9);
    assert_memory_equal(strong.offsets, expected_offsets, sizeof expected_offsets);
    assert_memory_equal(strong.columns, expected, sizeof expected);
    free_graph(&strong);
    spg_context_destroy(context);
}

/* ---- In any unit ---- */

/* Rows and columns of node i times 2^exponents[i % 3], and all of it times 2^unit. */
static spg_csr scaled(const spg_csr *A, int block_size, const int exponents[3], int unit)
{
    spg_csr B;
    assert_int_equal(spg_csr_copy(test_host(), A, &B), SPG_OK);
    for (int64_t i = 0; i < A->rows; i++)
        for (int64_t k = test_offset(A, i); k < test_offset(A, i + 1); k++) {
            const int both = exponents[i / block_size % 3] + exponents[A->columns[k] / block_size % 3];
            test_set_element(B.values, B.value_type, k, ldexp(test_real(A, k), both + unit));
        }
    return B;
}

static void assert_as_strong(spg_context *context, const spg_csr *B, int block_size, spg_strength measure, double theta,
                             const graph *expected)
{
    graph found = strength_by(context, B, block_size, measure, theta);
    if (found.nnz != expected->nnz)
        fail_msg("blocks of %d, measure %d: %lld strong entries, not %lld", block_size, (int)measure,
                 (long long)found.nnz, (long long)expected->nnz);
    assert_memory_equal(found.offsets, expected->offsets, (size_t)(found.nodes + 1) * sizeof *found.offsets);
    assert_memory_equal(found.columns, expected->columns, (size_t)found.nnz * sizeof *found.columns);
    free_graph(&found);
}

/* At 1/4 the scalar couplings of a grid are at the very limit. The classical measure goes by rows, so that all have one
 * unit. */
static void couplings_are_as_strong_in_any_unit(void **state)
{
    (void)state;
    const int units[] = {565, 531, -565, -500, 900, -900, 1000, 100, -100};
    const int exponents[][3] = {{0, 0, 0}, {40, -40, 3}, {9, -480, 0}, {-9, 480, 400}, {480, -480, 20}};
    spg_context *context = test_context_at_place(2);
    for (spg_type type = SPG_F32; type <= SPG_F64; type++)
        for (int run = 0; run < 12; run++) {
            const int block_size = 1 + run % 3;
            const spg_strength measure = run / 3 % 2 ? SPG_STRENGTH_CLASSICAL : SPG_STRENGTH_SYMMETRIC;
            const double theta = run >= 6 ? 0.0123 : block_size == 1 ? 0.25 : 0.2;
            spg_csr A = run < 6 ? test_generate("fd2d5:12", type) : test_symmetric(240, 9, type, 3);
            graph expected = strength_by(context, &A, block_size, measure, theta);
            assert_true(expected.nnz > expected.nodes);
            for (int u = 0; u < 9; u++) { /* the last two are for floats as well */
                spg_csr B = scaled(&A, block_size, exponents[0], units[u]);
                if (type == SPG_F64 || u >= 7) assert_as_strong(context, &B, block_size, measure, theta, &expected);
                spg_csr_free(test_host(), &B);
            }
            for (int e = 1; e < 5 && measure == SPG_STRENGTH_SYMMETRIC && type == SPG_F64; e++) {
                spg_csr B = scaled(&A, block_size, exponents[e], 0);
                assert_as_strong(context, &B, block_size, measure, theta, &expected);
                spg_csr_free(test_host(), &B);
            }
            free_graph(&expected);
            spg_csr_free(test_host(), &A);
        }
    spg_context_destroy(context);
}

static void a_classical_threshold_above_1_and_unknown_measures_are_refused(void **state)
{
    (void)state;
    const spg_csr A = test_generate("fd2d5:10", SPG_F64);
    test_system system;
    test_system_begin(&A, NULL, 1, &system);
    spg_amg_options options = spg_amg_options_default();
    spg_amg *amg = NULL;
    options.strength = SPG_STRENGTH_CLASSICAL;
    options.theta = 1.5;
    assert_int_equal(spg_amg_setup(system.context, &system.A_here, &options, &amg), SPG_ERROR_ARGUMENT);
    test_assert_message(system.context, "theta is 1.5; by the classical measure");
    options.theta = 0.25;
    options.strength = (spg_strength)2;
    assert_int_equal(spg_amg_setup(system.context, &system.A_here, &options, &amg), SPG_ERROR_ARGUMENT);
    test_assert_message(system.context, "strength is 2");
    test_system_end(&system);
}

/* Bilinear elements couple across a direction of strong diffusion by positive entries, which the symmetric measure at
 * its usual threshold takes for strong. */
static void the_classical_measure_with_a_filter_suits_anisotropic_diffusion(void **state)
{
    (void)state;
    const struct {
        const char *name;
        int most;      /* iterations with it */
        double factor; /* without it, so many times as many at least */
    } cases[] = {{"aniso2d:100:1e-3:0", 30, 4}, {"aniso2d:100:1e-3:45", 27, 1.1}};
    for (int c = 0; c < 2; c++) {
        int iterations[2];
        for (int classical = 0; classical < 2; classical++) {
            const spg_csr A = test_generate(cases[c].name, SPG_F64);
            spg_amg_options options = spg_amg_options_default();
            test_system system;
            options.smoother = SPG_SMOOTHER_CHEBYSHEV;
            options.strength = classical ? SPG_STRENGTH_CLASSICAL : SPG_STRENGTH_SYMMETRIC;
            options.theta = classical ? 0.5 : 0.08;
            options.filter = classical;
            test_system_begin(&A, &options, 2, &system);
            iterations[classical] = test_system_solve(&system, NULL, SPG_OK).iterations;
            test_system_end(&system);
        }
        if (iterations[1] > cases[c].most || iterations[0] < cases[c].factor * iterations[1])
            fail_msg("%s: %d iterations, and %d by the symmetric measure", cases[c].name, iterations[1], iterations[0]);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strong_connections_are_those_of_the_definition),
        cmocka_unit_test(strong_connections_of_rows_without_a_diagonal_are_all_there_are),
        cmocka_unit_test(the_classical_measure_goes_by_the_largest_coupling_of_the_row),
        cmocka_unit_test(couplings_are_as_strong_in_any_unit),
        cmocka_unit_test(a_classical_threshold_above_1_and_unknown_measures_are_refused),
        cmocka_unit_test(the_classical_measure_with_a_filter_suits_anisotropic_diffusion),
    };
    return TEST_RUN_HERE(argc, argv, "amg strength", tests);
}
