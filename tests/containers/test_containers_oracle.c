/* CXSparse as the judge of the transpose, of COO to CSR and of the product with a vector, for every type. It stores
 * columns: our arrays of A are its arrays of A^T. Its transpose with -1 does not conjugate. */
#include "containers.h"

#include <complex.h>
#include <float.h>
#include <stdbool.h>
#include <stdlib.h>
#include <suitesparse/cs.h>

static double complex value_of(const void *values, spg_type type, int64_t k)
{
    switch (type) {
    case SPG_F32: return (double)((const float *)values)[k];
    case SPG_F64: return ((const double *)values)[k];
    case SPG_C32: return (double complex)((const float complex *)values)[k];
    default: return ((const double complex *)values)[k];
    }
}

static double epsilon(spg_type type) { return type == SPG_F32 || type == SPG_C32 ? (double)FLT_EPSILON : DBL_EPSILON; }

/* A copy as CXSparse's A^T. */
static cs_cl *columns_of(const spg_csr *matrix)
{
    cs_cl *copy = cs_cl_spalloc(matrix->cols, matrix->rows, matrix->nnz + 1, 1, 0);
    assert_non_null(copy);
    for (int64_t i = 0; i <= matrix->rows; ++i) copy->p[i] = test_offset(matrix, i);
    for (int64_t k = 0; k < matrix->nnz; ++k) {
        copy->i[k] = matrix->columns[k];
        copy->x[k] = value_of(matrix->values, matrix->value_type, k);
    }
    return copy;
}

/* Patterns are equal; values are within bounds[k], or equal if bounds is NULL. */
static void assert_near(const spg_csr *matrix, const cs_cl *oracle, const double *bounds)
{
    assert_int_equal(matrix->rows, oracle->n);
    assert_int_equal(matrix->cols, oracle->m);
    assert_int_equal(matrix->nnz, oracle->p[oracle->n]);
    for (int64_t i = 0; i <= matrix->rows; ++i) assert_int_equal(test_offset(matrix, i), oracle->p[i]);
    for (int64_t k = 0; k < matrix->nnz; ++k) {
        assert_int_equal(matrix->columns[k], oracle->i[k]);
        double error = cabs(value_of(matrix->values, matrix->value_type, k) - oracle->x[k]);
        assert_true(error <= (bounds != NULL ? bounds[k] : 0));
    }
}

static void check_transpose(spg_context *context, const spg_csr *matrix)
{
    spg_csr here, made, transpose;
    test_to_place(context, matrix, &here);
    assert_int_equal(spg_csr_transpose(context, &here, &made), SPG_OK);
    test_to_host(context, &made, &transpose);
    spg_csr_free(context, &made);
    spg_csr_free(context, &here);
    cs_cl *columns = columns_of(matrix), *oracle = cs_cl_transpose(columns, -1);
    assert_non_null(oracle);
    assert_near(&transpose, oracle, NULL);
    cs_cl_spfree(columns);
    cs_cl_spfree(oracle);
    spg_csr_free(test_host(), &transpose);
}

static void the_transpose_is_that_of_cxsparse(void **state)
{
    (void)state;
    test_for_each_csr(check_transpose);
}

/* CXSparse's compressed and summed triples, as A^T with sorted columns; moduli: of the absolute values. */
static cs_cl *compressed(const spg_coo *matrix, bool moduli)
{
    cs_cl *triples = cs_cl_spalloc(matrix->cols, matrix->rows, matrix->nnz + 1, 1, 1);
    assert_non_null(triples);
    for (int64_t k = 0; k < matrix->nnz; ++k) {
        double complex value = value_of(matrix->values, matrix->value_type, k);
        assert_true(cs_cl_entry(triples, matrix->columns[k], matrix->row_indices[k], moduli ? cabs(value) : value));
    }
    triples->m = matrix->cols;
    triples->n = matrix->rows;
    cs_cl *summed = cs_cl_compress(triples);
    cs_cl_spfree(triples);
    assert_true(cs_cl_dupl(summed));
    cs_cl *turned = cs_cl_transpose(summed, -1);
    cs_cl_spfree(summed);
    cs_cl *sorted = cs_cl_transpose(turned, -1);
    cs_cl_spfree(turned);
    assert_non_null(sorted);
    return sorted;
}

static void check_compress(spg_context *context, const spg_coo *matrix)
{
    spg_coo here;
    spg_csr made, csr;
    test_coo_to_place(context, matrix, &here);
    assert_int_equal(spg_csr_from_coo(context, &here, SPG_I32, &made), SPG_OK);
    test_to_host(context, &made, &csr);
    spg_csr_free(context, &made);
    spg_coo_free(context, &here);
    cs_cl *oracle = compressed(matrix, false), *sums = compressed(matrix, true);
    double *bounds = test_array(csr.nnz, sizeof *bounds);
    for (int64_t k = 0; k < csr.nnz; ++k)
        bounds[k] = 4 * (double)matrix->nnz * epsilon(csr.value_type) * creal(sums->x[k]);
    assert_near(&csr, oracle, bounds);
    free(bounds);
    cs_cl_spfree(oracle);
    cs_cl_spfree(sums);
    spg_csr_free(test_host(), &csr);
}

static void coo_to_csr_is_cxsparses_compress_and_dupl(void **state)
{
    (void)state;
    test_for_each_coo(check_compress);
}

/* |A| * |x|, the scale of the rounding errors of each row. */
static double *moduli_of_product(const spg_csr *matrix, const void *x)
{
    double *sums = test_array(matrix->rows, sizeof *sums);
    for (int64_t i = 0; i < matrix->rows; ++i)
        for (int64_t k = test_offset(matrix, i); k < test_offset(matrix, i + 1); ++k)
            sums[i] += cabs(value_of(matrix->values, matrix->value_type, k)) *
                       cabs(value_of(x, matrix->value_type, matrix->columns[k]));
    return sums;
}

/* y += A*x at the place; all on the host. */
static void add_product(spg_context *context, const spg_csr *matrix, const void *one, const void *x, void *y)
{
    size_t size = spg_type_size(matrix->value_type);
    size_t x_bytes = (size_t)matrix->cols * size, y_bytes = (size_t)matrix->rows * size;
    void *here_x = test_lend(x, x_bytes), *here_y = test_lend(y, y_bytes);
    spg_csr here;
    test_to_place(context, matrix, &here);
    assert_int_equal(spg_csr_spmv(context, NULL, &here, here_x, one, here_y), SPG_OK);
    test_fetch(here_y, y_bytes, y);
    spg_csr_free(context, &here);
    test_give_back(here_x, x_bytes);
    test_give_back(here_y, y_bytes);
}

static void check_gaxpy(spg_context *context, const spg_csr *matrix)
{
    size_t size = spg_type_size(matrix->value_type);
    void *x = test_array(matrix->cols, size), *y = test_array(matrix->rows, size), *one = test_array(1, size);
    cs_complex_t *oracle_x = test_array(matrix->cols, sizeof *oracle_x);
    cs_complex_t *oracle_y = test_array(matrix->rows, sizeof *oracle_y);
    test_random_values(1, 0, matrix->value_type, matrix->cols, x);
    test_random_values(2, 0, matrix->value_type, matrix->rows, y);
    for (int64_t j = 0; j < matrix->cols; ++j) oracle_x[j] = value_of(x, matrix->value_type, j);
    for (int64_t i = 0; i < matrix->rows; ++i) oracle_y[i] = value_of(y, matrix->value_type, i);
    if (matrix->value_type == SPG_F32 || matrix->value_type == SPG_C32)
        *(float *)one = 1;
    else
        *(double *)one = 1;
    add_product(context, matrix, one, x, y);
    cs_cl *columns = columns_of(matrix), *rows = cs_cl_transpose(columns, -1);
    assert_true(cs_cl_gaxpy(rows, oracle_x, oracle_y));
    double *sums = moduli_of_product(matrix, x);
    for (int64_t i = 0; i < matrix->rows; ++i) {
        double terms = (double)(test_offset(matrix, i + 1) - test_offset(matrix, i)) + 1;
        double error = cabs(value_of(y, matrix->value_type, i) - oracle_y[i]);
        assert_true(error <= 4 * terms * epsilon(matrix->value_type) * (sums[i] + 2));
    }
    free(sums);
    cs_cl_spfree(rows);
    cs_cl_spfree(columns);
    free(oracle_y);
    free(oracle_x);
    free(one);
    free(y);
    free(x);
}

static void the_product_with_a_vector_is_cxsparses_gaxpy(void **state)
{
    (void)state;
    test_for_each_csr(check_gaxpy);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_transpose_is_that_of_cxsparse),
        cmocka_unit_test(coo_to_csr_is_cxsparses_compress_and_dupl),
        cmocka_unit_test(the_product_with_a_vector_is_cxsparses_gaxpy),
    };
    return TEST_RUN_HERE(argc, argv, "containers: oracle", tests);
}
