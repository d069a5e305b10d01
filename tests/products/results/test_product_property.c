/* Identities that hold for every product. Whole values make both sides exact, so they are compared bit for bit. */
#include "products.h"

#include <stdlib.h>
#include <string.h>

static spg_context *contexts[TEST_LIMITS];

static void open_contexts(void)
{
    for (int l = 0; l < TEST_LIMITS; ++l) contexts[l] = test_context(2, test_limit_sets[l].limits);
}

static void close_contexts(void)
{
    for (int l = 0; l < TEST_LIMITS; ++l) spg_context_destroy(contexts[l]);
}

static void random_matrix(int64_t rows, int64_t cols, double mean, spg_type type, uint64_t seed, unsigned flags,
                          spg_csr *matrix)
{
    test_random_csr(test_host(), (test_matrix){rows, cols, mean, SPG_I32, type}, seed, flags, matrix);
}

static void identity(int64_t n, spg_type type, spg_csr *matrix)
{
    test_pattern p = {0};
    for (int64_t i = 0; i < n; ++i) {
        test_add(&p, i);
        test_end_row(&p);
    }
    test_matrix_of(&p, n, SPG_I32, type, 0, 0, matrix);
    test_free_pattern(&p);
    bool is_complex = type == SPG_C32 || type == SPG_C64;
    for (int64_t k = 0; k < n * (is_complex ? 2 : 1); ++k) {
        double one = is_complex && k % 2 ? 0 : 1;
        if (type == SPG_F32 || type == SPG_C32)
            ((float *)matrix->values)[k] = (float)one;
        else
            ((double *)matrix->values)[k] = one;
    }
}

static void free_all(spg_csr *matrices, int count)
{
    for (int k = 0; k < count; ++k) spg_csr_free(test_host(), &matrices[k]);
}

static void the_identity_on_either_side_returns_the_matrix(void **state)
{
    (void)state;
    open_contexts();
    for (int v = 0; v < TEST_VALUE_TYPES; ++v)
        for (int l = 0; l < TEST_LIMITS; ++l) {
            spg_csr m[5]; /* A, I left, I right, I*A, A*I */
            random_matrix(300, 200, 5, test_value_types[v], 1, 0, &m[0]);
            identity(300, test_value_types[v], &m[1]);
            identity(200, test_value_types[v], &m[2]);
            test_multiply(contexts[l], &m[1], &m[0], &m[3]);
            test_assert_same_product(&m[3], &m[0], "I*A");
            test_multiply(contexts[l], &m[0], &m[2], &m[4]);
            test_assert_same_product(&m[4], &m[0], "A*I");
            free_all(m, 5);
        }
    close_contexts();
}

static void an_unsorted_matrix_times_the_identity_comes_out_sorted(void **state)
{
    (void)state;
    open_contexts();
    for (int l = 0; l < TEST_LIMITS; ++l) {
        spg_csr m[3];
        random_matrix(300, 200, 9, SPG_F64, 1, TEST_UNSORTED, &m[0]);
        identity(200, SPG_F64, &m[1]);
        test_multiply(contexts[l], &m[0], &m[1], &m[2]);
        assert_int_equal(spg_csr_sort(test_host(), &m[0]), SPG_OK);
        test_assert_same_product(&m[2], &m[0], "A*I");
        free_all(m, 3);
    }
    close_contexts();
}

static void the_transpose_of_a_product_is_the_product_of_the_transposes(void **state)
{
    (void)state;
    open_contexts();
    for (int v = 0; v < TEST_VALUE_TYPES; ++v)
        for (int l = 0; l < TEST_LIMITS; ++l) {
            spg_csr m[7]; /* A, B, C, A^T, B^T, C^T, B^T*A^T */
            random_matrix(150, 130, 6, test_value_types[v], 5, TEST_INTEGER, &m[0]);
            random_matrix(130, 170, 6, test_value_types[v], 6, TEST_INTEGER | TEST_UNSORTED, &m[1]);
            test_multiply(contexts[l], &m[0], &m[1], &m[2]);
            for (int k = 0; k < 3; ++k) assert_int_equal(spg_csr_transpose(test_host(), &m[k], &m[3 + k]), SPG_OK);
            test_multiply(contexts[l], &m[4], &m[3], &m[6]);
            test_assert_same_product(&m[6], &m[5], "(A*B)^T");
            free_all(m, 7);
        }
    close_contexts();
}

/* The rows of `matrix` in the order given; a row may come more than once. */
static void pick_rows(const spg_csr *matrix, const int64_t *order, int64_t rows, spg_csr *picked)
{
    test_pattern p = {0};
    size_t size = spg_type_size(matrix->value_type);
    for (int64_t i = 0; i < rows; ++i) {
        for (int64_t k = test_offset(matrix, order[i]); k < test_offset(matrix, order[i] + 1); ++k)
            test_add(&p, matrix->columns[k]);
        test_end_row(&p);
    }
    test_matrix_of(&p, matrix->cols, matrix->offset_type, matrix->value_type, 0, 0, picked);
    for (int64_t i = 0; i < rows; ++i) {
        int64_t from = test_offset(matrix, order[i]), count = test_offset(matrix, order[i] + 1) - from;
        memcpy((char *)picked->values + (size_t)test_offset(picked, i) * size,
               (const char *)matrix->values + (size_t)from * size, (size_t)count * size);
    }
    test_free_pattern(&p);
}

static void permuted_rows_of_the_left_matrix_permute_the_rows_of_the_product(void **state)
{
    (void)state;
    enum { ROWS = 400, PICKED = 700 };
    int64_t order[PICKED];
    uint64_t random = 4;
    for (int64_t i = 0; i < PICKED; ++i) order[i] = test_below(&random, ROWS);
    open_contexts();
    for (int v = 0; v < TEST_VALUE_TYPES; ++v)
        for (int l = 0; l < TEST_LIMITS; ++l) {
            spg_csr m[6]; /* A, B, A*B, its rows picked, A's rows picked, their product */
            random_matrix(ROWS, 200, 7, test_value_types[v], 2, 0, &m[0]);
            random_matrix(200, 300, 7, test_value_types[v], 3, 0, &m[1]);
            test_multiply(contexts[l], &m[0], &m[1], &m[2]);
            pick_rows(&m[2], order, PICKED, &m[3]);
            pick_rows(&m[0], order, PICKED, &m[4]);
            test_multiply(contexts[l], &m[4], &m[1], &m[5]);
            test_assert_same_product(&m[5], &m[3], "permuted rows");
            free_all(m, 6);
        }
    close_contexts();
}

static void the_product_times_a_vector_is_the_factors_times_it(void **state)
{
    (void)state;
    open_contexts();
    for (int v = 0; v < TEST_VALUE_TYPES; ++v)
        for (int l = 0; l < TEST_LIMITS; ++l) {
            spg_csr m[3];
            random_matrix(500, 400, 6, test_value_types[v], 7, TEST_INTEGER | TEST_DUPLICATES, &m[0]);
            random_matrix(400, 300, 6, test_value_types[v], 8, TEST_INTEGER | TEST_UNSORTED, &m[1]);
            test_multiply(contexts[l], &m[0], &m[1], &m[2]);
            size_t size = spg_type_size(test_value_types[v]);
            char *t = calloc(300, size), *bt = calloc(400, size), *abt = calloc(500, size), *ct = calloc(500, size);
            assert_true(t != NULL && bt != NULL && abt != NULL && ct != NULL);
            test_random_values(9, TEST_INTEGER, test_value_types[v], 300, t);
            assert_int_equal(spg_csr_spmv(test_host(), NULL, &m[1], t, NULL, bt), SPG_OK);
            assert_int_equal(spg_csr_spmv(test_host(), NULL, &m[0], bt, NULL, abt), SPG_OK);
            assert_int_equal(spg_csr_spmv(test_host(), NULL, &m[2], t, NULL, ct), SPG_OK);
            bool narrow = size == 4 || test_value_types[v] == SPG_C32;
            for (size_t k = 0; k < 500 * size / (narrow ? 4 : 8); ++k) {
                if (narrow)
                    assert_true(((float *)(void *)ct)[k] == ((float *)(void *)abt)[k]);
                else
                    assert_true(((double *)(void *)ct)[k] == ((double *)(void *)abt)[k]);
            }
            free(t), free(bt), free(abt), free(ct);
            free_all(m, 3);
        }
    close_contexts();
}

static void add_to_dense(const spg_csr *matrix, double *dense, double factor)
{
    for (int64_t i = 0; i < matrix->rows; ++i)
        for (int64_t k = test_offset(matrix, i); k < test_offset(matrix, i + 1); ++k)
            dense[i * matrix->cols + matrix->columns[k]] += factor * ((const double *)matrix->values)[k];
}

static void multiplication_distributes_over_sums(void **state)
{
    (void)state; /* [A D] * [B; B] = A*B + D*B, where [A D] names B's rows twice */
    open_contexts();
    for (int l = 0; l < TEST_LIMITS; ++l) {
        spg_csr m[6]; /* A, D, B, A*B, D*B, (A + D)*B with the entries of A and D in one row */
        random_matrix(90, 80, 6, SPG_F64, 10, TEST_INTEGER, &m[0]);
        random_matrix(90, 80, 6, SPG_F64, 11, TEST_INTEGER, &m[1]);
        random_matrix(80, 70, 6, SPG_F64, 12, TEST_INTEGER, &m[2]);
        test_pattern p = {0};
        for (int64_t i = 0; i < 90; ++i) {
            for (int s = 0; s < 2; ++s)
                for (int64_t k = test_offset(&m[s], i); k < test_offset(&m[s], i + 1); ++k)
                    test_add(&p, m[s].columns[k]);
            test_end_row(&p);
        }
        spg_csr sum;
        test_matrix_of(&p, 80, SPG_I32, SPG_F64, 0, 0, &sum);
        test_free_pattern(&p);
        for (int64_t i = 0, at = 0; i < 90; ++i)
            for (int s = 0; s < 2; ++s)
                for (int64_t k = test_offset(&m[s], i); k < test_offset(&m[s], i + 1); ++k, ++at)
                    ((double *)sum.values)[at] = ((const double *)m[s].values)[k];
        test_multiply(contexts[l], &m[0], &m[2], &m[3]);
        test_multiply(contexts[l], &m[1], &m[2], &m[4]);
        test_multiply(contexts[l], &sum, &m[2], &m[5]);
        double *dense = calloc(90 * 70, sizeof *dense);
        assert_non_null(dense);
        add_to_dense(&m[3], dense, 1), add_to_dense(&m[4], dense, 1), add_to_dense(&m[5], dense, -1);
        for (int64_t k = 0; k < 90 * 70; ++k) assert_true(dense[k] == 0.0);
        free(dense);
        spg_csr_free(test_host(), &sum);
        free_all(m, 6);
    }
    close_contexts();
}

static void scaling_by_a_power_of_two_scales_the_product_exactly(void **state)
{
    (void)state;
    open_contexts();
    for (int l = 0; l < TEST_LIMITS; ++l) {
        spg_csr m[4];
        random_matrix(200, 150, 8, SPG_F64, 13, 0, &m[0]);
        random_matrix(150, 100, 8, SPG_F64, 14, 0, &m[1]);
        test_multiply(contexts[l], &m[0], &m[1], &m[2]);
        for (int64_t k = 0; k < m[1].nnz; ++k) ((double *)m[1].values)[k] *= 0x1p20;
        test_multiply(contexts[l], &m[0], &m[1], &m[3]);
        for (int64_t k = 0; k < m[2].nnz; ++k) ((double *)m[2].values)[k] *= 0x1p20;
        test_assert_same_product(&m[3], &m[2], "A*(2^20 B)");
        free_all(m, 4);
    }
    close_contexts();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_identity_on_either_side_returns_the_matrix),
        cmocka_unit_test(an_unsorted_matrix_times_the_identity_comes_out_sorted),
        cmocka_unit_test(the_transpose_of_a_product_is_the_product_of_the_transposes),
        cmocka_unit_test(permuted_rows_of_the_left_matrix_permute_the_rows_of_the_product),
        cmocka_unit_test(the_product_times_a_vector_is_the_factors_times_it),
        cmocka_unit_test(multiplication_distributes_over_sums),
        cmocka_unit_test(scaling_by_a_power_of_two_scales_the_product_exactly),
    };
    return TEST_RUN_HERE(argc, argv, "product property", tests);
}
