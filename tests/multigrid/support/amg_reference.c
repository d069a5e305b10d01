/* See amg_reference.h. */
#include "amg_reference.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double test_real(const spg_csr *matrix, int64_t k)
{
    return matrix->value_type == SPG_F32 ? ((const float *)matrix->values)[k] : ((const double *)matrix->values)[k];
}

static void *fetched(const void *here, size_t bytes)
{
    if (here == NULL) return NULL;
    void *host = malloc(bytes + 1);
    assert_non_null(host);
    test_fetch(here, bytes, host);
    return host;
}

void test_fetch_hierarchy(const test_system *system, test_hierarchy *hierarchy)
{
    memset(hierarchy, 0, sizeof *hierarchy);
    hierarchy->levels = spg_amg_levels(system->amg);
    assert_in_range(hierarchy->levels, 1, TEST_MOST_LEVELS);
    for (int l = 0; l < hierarchy->levels; l++) {
        test_level *level = &hierarchy->level[l];
        spg_amg_level_view *view = &level->view;
        assert_int_equal(spg_amg_level(system->amg, l, view), SPG_OK);
        test_to_host(system->context, &view->A, &level->A);
        const size_t value = spg_type_size(view->A.value_type);
        level->candidates = fetched(view->candidate_values, (size_t)(view->A.rows * view->candidates) * value);
        if (l + 1 == hierarchy->levels) break;
        test_to_host(system->context, &view->P, &level->P);
        test_to_host(system->context, &view->R, &level->R);
        level->aggregate_of = fetched(view->aggregate_of, (size_t)view->nodes * sizeof(int32_t));
    }
}

void test_free_hierarchy(test_hierarchy *hierarchy)
{
    for (int l = 0; l < hierarchy->levels; l++) {
        test_level *level = &hierarchy->level[l];
        spg_csr_free(test_host(), &level->A);
        spg_csr_free(test_host(), &level->P);
        spg_csr_free(test_host(), &level->R);
        free(level->aggregate_of);
        free(level->candidates);
    }
}

void test_assert_same_hierarchy(const test_hierarchy *a, const test_hierarchy *b)
{
    assert_int_equal(a->levels, b->levels);
    for (int l = 0; l < a->levels; l++) {
        const test_level *one = &a->level[l], *other = &b->level[l];
        test_assert_same_csr(&one->A, &other->A);
        assert_memory_equal(&one->view.rho, &other->view.rho, sizeof(double));
        assert_int_equal(one->view.aggregates, other->view.aggregates);
        if (one->candidates != NULL)
            assert_memory_equal(one->candidates, other->candidates,
                                (size_t)(one->A.rows * one->view.candidates) * spg_type_size(one->A.value_type));
        if (l + 1 == a->levels) break;
        test_assert_same_csr(&one->P, &other->P);
        test_assert_same_csr(&one->R, &other->R);
        assert_memory_equal(one->aggregate_of, other->aggregate_of, (size_t)one->view.nodes * sizeof(int32_t));
    }
}

static void assert_near_csr(const spg_csr *a, const spg_csr *b, double share, int level)
{
    double most = 0;
    assert_true(a->rows == b->rows && a->cols == b->cols && a->nnz == b->nnz);
    for (int64_t i = 0; i <= a->rows; i++) assert_true(test_offset(a, i) == test_offset(b, i));
    assert_memory_equal(a->columns, b->columns, (size_t)a->nnz * sizeof *a->columns);
    for (int64_t k = 0; k < b->nnz; k++) most = fmax(most, fabs(test_real(b, k)));
    for (int64_t k = 0; k < a->nnz; k++)
        if (!(fabs(test_real(a, k) - test_real(b, k)) <= share * most))
            fail_msg("level %d, entry %lld: %.17g and %.17g", level, (long long)k, test_real(a, k), test_real(b, k));
}

void test_assert_near_hierarchy(const test_hierarchy *a, const test_hierarchy *b, double share)
{
    assert_int_equal(a->levels, b->levels);
    for (int l = 0; l < a->levels; l++) {
        const test_level *one = &a->level[l], *other = &b->level[l];
        assert_near_csr(&one->A, &other->A, share, l);
        assert_true(fabs(one->view.rho - other->view.rho) <= share * other->view.rho);
        assert_int_equal(one->view.aggregates, other->view.aggregates);
        if (l + 1 == a->levels) break;
        assert_near_csr(&one->P, &other->P, share, l);
        test_assert_transpose(&one->P, &one->R);
        assert_memory_equal(one->aggregate_of, other->aggregate_of, (size_t)one->view.nodes * sizeof(int32_t));
    }
}

double *test_dense(const spg_csr *matrix)
{
    double *dense = calloc((size_t)(matrix->rows * matrix->cols) + 1, sizeof *dense);
    assert_non_null(dense);
    for (int64_t i = 0; i < matrix->rows; i++)
        for (int64_t k = test_offset(matrix, i); k < test_offset(matrix, i + 1); k++)
            dense[i * matrix->cols + matrix->columns[k]] += test_real(matrix, k);
    return dense;
}

/* C and M += P^T A P, of values and of magnitudes; dense, n x n and n x m. */
static void add_triple_products(const double *A, const double *P, int64_t n, int64_t m, long double *C, long double *M)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            const double a = A[i * n + j];
            if (a == 0) continue;
            for (int64_t g = 0; g < m; g++)
                for (int64_t h = 0; h < m && P[i * m + g] != 0; h++) {
                    const long double product = (long double)P[i * m + g] * a * P[j * m + h];
                    C[g * m + h] += product;
                    M[g * m + h] += fabsl(product);
                }
        }
}

static int64_t longest_row(const spg_csr *matrix)
{
    int64_t longest = 0;
    for (int64_t i = 0; i < matrix->rows; i++) {
        const int64_t entries = test_offset(matrix, i + 1) - test_offset(matrix, i);
        longest = entries > longest ? entries : longest;
    }
    return longest;
}

void test_assert_triple_product(const spg_csr *A, const spg_csr *P, const spg_csr *C)
{
    const int64_t n = A->rows, m = P->cols;
    spg_csr R;
    assert_int_equal(spg_csr_transpose(test_host(), P, &R), SPG_OK);
    const double epsilon = A->value_type == SPG_F32 ? FLT_EPSILON : DBL_EPSILON;
    const double bound = epsilon * (double)(longest_row(A) + longest_row(&R) + 2); /* of each sum's terms */
    spg_csr_free(test_host(), &R);
    double *a = test_dense(A), *p = test_dense(P), *c = test_dense(C);
    long double *expected = calloc((size_t)(m * m) + 1, sizeof *expected);
    long double *magnitude = calloc((size_t)(m * m) + 1, sizeof *magnitude);
    assert_true(expected != NULL && magnitude != NULL && C->rows == m && C->cols == m);
    add_triple_products(a, p, n, m, expected, magnitude);
    for (int64_t k = 0; k < m * m; k++)
        if (!(fabsl(c[k] - expected[k]) <= bound * magnitude[k]))
            fail_msg("entry (%d, %d) is %.17g, not %.17Lg", (int)(k / m), (int)(k % m), c[k], expected[k]);
    free(a), free(p), free(c), free(expected), free(magnitude);
}

void test_assert_transpose(const spg_csr *P, const spg_csr *R)
{
    spg_csr transpose;
    assert_int_equal(spg_csr_transpose(test_host(), P, &transpose), SPG_OK);
    test_assert_same_csr(&transpose, R);
    spg_csr_free(test_host(), &transpose);
}

void test_assert_symmetric(const spg_csr *A) { test_assert_transpose(A, A); }

spg_csr test_from_triples(int64_t n, int64_t count, const int32_t *rows, const int32_t *columns, const double *values,
                          spg_type type)
{
    double *dense = calloc((size_t)(n * n) + 1, sizeof *dense);
    char *is_entry = calloc((size_t)(n * n) + 1, 1);
    assert_true(dense != NULL && is_entry != NULL);
    int64_t nnz = 0;
    for (int64_t k = 0; k < count; k++) {
        const int64_t at = rows[k] * n + columns[k];
        dense[at] += values[k];
        nnz += !is_entry[at];
        is_entry[at] = 1;
    }
    spg_csr A;
    assert_int_equal(spg_csr_alloc(test_host(), n, n, nnz, SPG_I32, type, &A), SPG_OK);
    int32_t *offsets = A.row_offsets, to = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            if (!is_entry[i * n + j]) continue;
            A.columns[to] = (int32_t)j;
            if (type == SPG_F32)
                ((float *)A.values)[to++] = (float)dense[i * n + j];
            else
                ((double *)A.values)[to++] = dense[i * n + j];
        }
        offsets[i + 1] = to;
    }
    free(dense);
    free(is_entry);
    return A;
}

spg_csr test_symmetric(int64_t n, double mean, spg_type type, uint64_t seed)
{
    const int64_t pairs = (int64_t)(mean * (double)n / 2), count = n + 2 * pairs;
    int32_t *rows = malloc((size_t)count * 4 + 1), *columns = malloc((size_t)count * 4 + 1);
    double *values = malloc((size_t)count * 8 + 1);
    assert_true(rows != NULL && columns != NULL && values != NULL);
    for (int64_t k = 0; k < pairs; k++) {
        const int32_t i = (int32_t)(test_random(&seed) % (uint64_t)n), j = (int32_t)(test_random(&seed) % (uint64_t)n);
        const double weight = (double)(test_random(&seed) >> 40) / (1 << 24) - 0.75;
        rows[2 * k] = columns[2 * k + 1] = i;
        rows[2 * k + 1] = columns[2 * k] = j;
        values[2 * k] = values[2 * k + 1] = weight;
    }
    for (int64_t i = 0; i < n; i++) {
        rows[2 * pairs + i] = columns[2 * pairs + i] = (int32_t)i;
        values[2 * pairs + i] = 3 * mean;
    }
    spg_csr A = test_from_triples(n, count, rows, columns, values, type);
    free(rows), free(columns), free(values);
    return A;
}
