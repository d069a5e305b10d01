/* CXSparse as the judge of sums, permutations and dropping, for every type, on whole numbers, so exactly. It stores
 * columns: our arrays of A are its arrays of A^T. */
#include "containers.h"

#include <complex.h>
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

/* The matrix with whole numbers. */
static void whole_copy(const spg_csr *matrix, uint64_t seed, spg_csr *copy)
{
    assert_int_equal(spg_csr_copy(test_host(), matrix, copy), SPG_OK);
    test_random_values(seed, TEST_INTEGER, matrix->value_type, matrix->nnz, copy->values);
}

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

/* With sorted columns; frees the unsorted one. */
static cs_cl *sorted(cs_cl *unsorted)
{
    assert_non_null(unsorted);
    cs_cl *turned = cs_cl_transpose(unsorted, -1), *again = cs_cl_transpose(turned, -1);
    assert_non_null(again);
    cs_cl_spfree(unsorted);
    cs_cl_spfree(turned);
    return again;
}

/* Fetches and frees `here`; frees the oracle. */
static void assert_is(spg_context *context, spg_csr *here, cs_cl *oracle)
{
    spg_csr matrix;
    test_to_host(context, here, &matrix);
    spg_csr_free(context, here);
    assert_int_equal(matrix.rows, oracle->n);
    assert_int_equal(matrix.cols, oracle->m);
    assert_int_equal(matrix.nnz, oracle->p[oracle->n]);
    for (int64_t i = 0; i <= matrix.rows; ++i) assert_int_equal(test_offset(&matrix, i), oracle->p[i]);
    for (int64_t k = 0; k < matrix.nnz; ++k) {
        assert_int_equal(matrix.columns[k], oracle->i[k]);
        assert_true(value_of(matrix.values, matrix.value_type, k) == oracle->x[k]);
    }
    cs_cl_spfree(oracle);
    spg_csr_free(test_host(), &matrix);
}

/* alpha and beta: 3 and -2, with imaginary parts 1 and 4 for complex types. */
static void check_add(spg_context *context, const spg_csr *matrix)
{
    const float f32[] = {3, -2}, c32[] = {3, 1, -2, 4};
    const double f64[] = {3, -2}, c64[] = {3, 1, -2, 4};
    const void *const scales[] = {f32, f64, c32, c64};
    const spg_type type = matrix->value_type;
    const char *alpha = scales[type], *beta = alpha + spg_type_size(type);
    spg_csr A, B, here_a, here_b, made;
    whole_copy(matrix, 1, &A);
    test_random_csr(test_host(),
                    (test_matrix){A.rows, A.cols, A.rows > 0 ? (double)A.nnz / (double)A.rows : 0, SPG_I32, type}, 77,
                    TEST_UNSORTED | TEST_DUPLICATES | TEST_INTEGER, &B);
    test_to_place(context, &A, &here_a);
    test_to_place(context, &B, &here_b);
    assert_int_equal(spg_csr_add(context, alpha, &here_a, beta, &here_b, &made), SPG_OK);
    assert_int_equal(made.offset_type, A.offset_type);
    cs_cl *a = columns_of(&A), *b = columns_of(&B);
    assert_is(context, &made, sorted(cs_cl_add(a, b, value_of(alpha, type, 0), value_of(beta, type, 0))));
    cs_cl_spfree(a);
    cs_cl_spfree(b);
    spg_csr_free(context, &here_a);
    spg_csr_free(context, &here_b);
    spg_csr_free(test_host(), &A);
    spg_csr_free(test_host(), &B);
}

static void a_sum_is_that_of_cxsparse(void **state)
{
    (void)state;
    test_for_each_csr(check_add);
}

/* A random order of 0, ..., count - 1 by Fisher and Yates. */
static int32_t *random_order(int64_t count, uint64_t seed)
{
    int32_t *order = test_array(count, sizeof *order);
    for (int64_t k = 0; k < count; ++k) {
        const int64_t other = (int64_t)(test_random(&seed) % (uint64_t)(k + 1));
        order[k] = order[other];
        order[other] = (int32_t)k;
    }
    return order;
}

/* CXSparse permutes the rows of A^T, our columns, by the inverse, and its columns by the order itself. */
static void check_permute(spg_context *context, const spg_csr *matrix)
{
    spg_csr here, made;
    int32_t *rows = random_order(matrix->rows, 5), *columns = random_order(matrix->cols, 6);
    const size_t row_bytes = (size_t)matrix->rows * sizeof *rows, column_bytes = (size_t)matrix->cols * sizeof *columns;
    int32_t *here_rows = test_lend(rows, row_bytes), *here_columns = test_lend(columns, column_bytes);
    int64_t *inverse = test_array(matrix->cols, sizeof *inverse), *order = test_array(matrix->rows, sizeof *order);
    for (int64_t j = 0; j < matrix->cols; ++j) inverse[columns[j]] = j;
    for (int64_t i = 0; i < matrix->rows; ++i) order[i] = rows[i];
    test_to_place(context, matrix, &here);
    assert_int_equal(spg_csr_permute(context, &here, here_rows, here_columns, &made), SPG_OK);
    cs_cl *a = columns_of(matrix);
    assert_is(context, &made, sorted(cs_cl_permute(a, inverse, order, 1)));
    cs_cl_spfree(a);
    spg_csr_free(context, &here);
    test_give_back(here_rows, row_bytes);
    test_give_back(here_columns, column_bytes);
    free(rows);
    free(columns);
    free(inverse);
    free(order);
}

static void a_permutation_is_that_of_cxsparse(void **state)
{
    (void)state;
    test_for_each_csr(check_permute);
}

static void check_drop(spg_context *context, const spg_csr *matrix)
{
    spg_csr A, here, made;
    whole_copy(matrix, 2, &A);
    test_to_place(context, &A, &here);
    for (int tolerance = 0; tolerance < 4; ++tolerance) {
        const spg_drop_rule rule = {.absolute = tolerance};
        assert_int_equal(spg_csr_drop(context, &here, &rule, &made), SPG_OK);
        cs_cl *a = columns_of(&A);
        assert_true(cs_cl_droptol(a, tolerance) >= 0);
        assert_is(context, &made, a);
    }
    spg_csr_free(context, &here);
    spg_csr_free(test_host(), &A);
}

static void dropping_is_cxsparses_droptol(void **state)
{
    (void)state;
    test_for_each_csr(check_drop);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sum_is_that_of_cxsparse),
        cmocka_unit_test(a_permutation_is_that_of_cxsparse),
        cmocka_unit_test(dropping_is_cxsparses_droptol),
    };
    return TEST_RUN_HERE(argc, argv, "operations: oracle", tests);
}
