/* Strength of connection, beside plain code: dense norms. */
#include "amg_graph.h"

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

static void check_strength(const spg_csr *A, int block_size, double theta)
{
    spg_context *context = test_context_at_place(2);
    const int64_t n = A->rows / block_size;
    double *norm = norms(A, block_size);
    graph strong = strength(context, A, block_size, theta);
    assert_int_equal(strong.nodes, n);
    int64_t kept = 0, weak = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t at = strong.offsets[i];
        for (int64_t j = 0; j < n; j++) {
            if (norm[i * n + j] < 0) continue;
            const double limit = theta * sqrt(fmax(norm[i * n + i], 0) * fmax(norm[j * n + j], 0));
            assert_true(theta == 0 || fabs(norm[i * n + j] - limit) > 1e-9 * limit); /* no case of rounding */
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

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strong_connections_are_those_of_the_definition),
        cmocka_unit_test(strong_connections_of_rows_without_a_diagonal_are_all_there_are),
    };
    return TEST_RUN_HERE(argc, argv, "amg strength", tests);
}
