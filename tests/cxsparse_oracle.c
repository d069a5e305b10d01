/* See cxsparse_oracle.h. CXSparse stores columns: its C^T = B^T*A^T has our arrays of A, B and C. */
#include "cxsparse_oracle.h"
#include "matrices_for_tests.h"
#include "test_support.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <suitesparse/cs.h>

static void *allocate(int64_t count, size_t size)
{
    void *memory = calloc((size_t)count + 1, size);
    assert_non_null(memory);
    return memory;
}

static double complex value_of(const spg_csr *matrix, int64_t k)
{
    switch (matrix->value_type) {
    case SPG_F32: return (double)((const float *)matrix->values)[k];
    case SPG_F64: return ((const double *)matrix->values)[k];
    case SPG_C32: return (double complex)((const float complex *)matrix->values)[k];
    default: return ((const double complex *)matrix->values)[k];
    }
}

static cs_cl transposed(const spg_csr *matrix)
{
    cs_cl t = {.nzmax = matrix->nnz, .m = matrix->cols, .n = matrix->rows, .nz = -1};
    t.p = allocate(matrix->rows + 1, sizeof *t.p);
    t.i = allocate(matrix->nnz, sizeof *t.i);
    t.x = allocate(matrix->nnz, sizeof *t.x);
    for (int64_t i = 0; i <= matrix->rows; ++i) t.p[i] = test_offset(matrix, i);
    for (int64_t k = 0; k < matrix->nnz; ++k) {
        t.i[k] = matrix->columns[k];
        t.x[k] = value_of(matrix, k);
    }
    return t;
}

/* The same pattern with the moduli (or ones) as values; the pattern is shared. */
static cs_dl moduli(const cs_cl *matrix, bool ones)
{
    cs_dl t = {.nzmax = matrix->nzmax, .m = matrix->m, .n = matrix->n, .p = matrix->p, .i = matrix->i, .nz = -1};
    t.x = allocate(matrix->nzmax, sizeof *t.x);
    for (int64_t k = 0; k < matrix->nzmax; ++k) t.x[k] = ones ? 1 : cabs(matrix->x[k]);
    return t;
}

static void free_arrays(cs_cl *matrix)
{
    free(matrix->p);
    free(matrix->i);
    free(matrix->x);
}

/* Transposed twice, the rows of a matrix come out sorted. */
static cs_cl *sorted_product(const cs_cl *left, const cs_cl *right)
{
    cs_cl *product = cs_cl_multiply(left, right), *turned = cs_cl_transpose(product, 2);
    cs_cl_spfree(product);
    product = cs_cl_transpose(turned, 2);
    cs_cl_spfree(turned);
    assert_non_null(product);
    return product;
}

static cs_dl *sorted_real_product(const cs_cl *left, const cs_cl *right, bool ones)
{
    cs_dl real_left = moduli(left, ones), real_right = moduli(right, ones);
    cs_dl *product = cs_dl_multiply(&real_left, &real_right), *turned = cs_dl_transpose(product, 1);
    cs_dl_spfree(product);
    product = cs_dl_transpose(turned, 1);
    cs_dl_spfree(turned);
    assert_non_null(product);
    free(real_left.x);
    free(real_right.x);
    return product;
}

static void compare(const spg_csr *C, const cs_cl *oracle, const cs_dl *sums, const cs_dl *counts, bool exact)
{
    bool narrow = C->value_type == SPG_F32 || C->value_type == SPG_C32;
    double eps = narrow ? (double)FLT_EPSILON : DBL_EPSILON;
    assert_int_equal(C->nnz, oracle->p[oracle->n]);
    for (int64_t i = 0; i < C->rows; ++i) {
        assert_int_equal(test_offset(C, i + 1), oracle->p[i + 1]);
        for (int64_t k = test_offset(C, i); k < test_offset(C, i + 1); ++k) {
            if (C->columns[k] != oracle->i[k])
                fail_msg("row %lld: column %d, CXSparse has %lld", (long long)i, (int)C->columns[k],
                         (long long)oracle->i[k]);
            double error = cabs(value_of(C, k) - oracle->x[k]), bound = 4 * counts->x[k] * eps * sums->x[k];
            if (!(error <= (exact ? 0.0 : bound)))
                fail_msg("row %lld, column %d: off by %g, allowed %g", (long long)i, (int)C->columns[k], error,
                         exact ? 0.0 : bound);
        }
    }
}

void test_assert_near_cxsparse(const spg_csr *A, const spg_csr *B, const spg_csr *C, bool exact)
{
    assert_int_equal(C->rows, A->rows);
    assert_int_equal(C->cols, B->cols);
    cs_cl left = transposed(B), right = transposed(A);
    cs_cl *oracle = sorted_product(&left, &right);
    cs_dl *sums = sorted_real_product(&left, &right, false), *counts = sorted_real_product(&left, &right, true);
    compare(C, oracle, sums, counts, exact);
    cs_cl_spfree(oracle);
    cs_dl_spfree(sums);
    cs_dl_spfree(counts);
    free_arrays(&left);
    free_arrays(&right);
}
