/* The same bits from every run, at any number of threads. */
#include "containers.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 3 };

/* What all the calls make of one matrix. */
typedef struct results {
    spg_csr sorted, transpose, csr;
    spg_coo coo, sorted_coo;
    double *csr_y, *coo_y;
} results;

static void run(spg_context *context, const spg_csr *matrix, results *made)
{
    const double alpha = 0.3, beta = -1.7;
    double *x = test_array(matrix->cols, sizeof *x);
    test_random_values(5, 0, SPG_F64, matrix->cols, x);
    made->csr_y = test_array(matrix->rows, sizeof *made->csr_y);
    made->coo_y = test_array(matrix->rows, sizeof *made->coo_y);
    test_random_values(6, 0, SPG_F64, matrix->rows, made->csr_y);
    memcpy(made->coo_y, made->csr_y, (size_t)matrix->rows * sizeof *x);
    assert_int_equal(spg_csr_copy(context, matrix, &made->sorted), SPG_OK);
    assert_int_equal(spg_csr_sort(context, &made->sorted), SPG_OK);
    assert_int_equal(spg_csr_transpose(context, matrix, &made->transpose), SPG_OK);
    assert_int_equal(spg_coo_from_csr(context, matrix, &made->coo), SPG_OK);
    assert_int_equal(spg_csr_from_coo(context, &made->coo, SPG_I64, &made->csr), SPG_OK);
    assert_int_equal(spg_coo_from_csr(context, &made->transpose, &made->sorted_coo), SPG_OK);
    assert_int_equal(spg_coo_sort(context, &made->sorted_coo), SPG_OK);
    assert_int_equal(spg_csr_spmv(context, &alpha, matrix, x, &beta, made->csr_y), SPG_OK);
    assert_int_equal(spg_coo_spmv(context, &alpha, &made->coo, x, &beta, made->coo_y), SPG_OK);
    free(x);
}

static void assert_same(const results *a, const results *b, int64_t rows)
{
    test_assert_same_csr(&a->sorted, &b->sorted);
    test_assert_same_csr(&a->transpose, &b->transpose);
    test_assert_same_csr(&a->csr, &b->csr);
    test_assert_same_coo(&a->coo, &b->coo);
    test_assert_same_coo(&a->sorted_coo, &b->sorted_coo);
    assert_memory_equal(a->csr_y, b->csr_y, (size_t)rows * sizeof *a->csr_y);
    assert_memory_equal(a->coo_y, b->coo_y, (size_t)rows * sizeof *a->coo_y);
    assert_memory_equal(a->csr_y, a->coo_y, (size_t)rows * sizeof *a->csr_y);
}

static void release(spg_context *context, results *made)
{
    spg_csr_free(context, &made->sorted);
    spg_csr_free(context, &made->transpose);
    spg_csr_free(context, &made->csr);
    spg_coo_free(context, &made->coo);
    spg_coo_free(context, &made->sorted_coo);
    free(made->csr_y);
    free(made->coo_y);
}

static void every_run_gives_the_same_bits_at_any_number_of_threads(void **state)
{
    (void)state;
    spg_context *host = test_host_context(1);
    spg_csr matrix;
    test_random_csr(host, 20000, 1500, 6, SPG_I32, SPG_F64, 11, TEST_UNSORTED | TEST_DUPLICATES, &matrix);
    results first;
    run(host, &matrix, &first);
    for (int threads = 1; threads <= MOST_THREADS; ++threads) {
        spg_context *context = test_host_context(threads);
        for (int repeat = 0; repeat < 2; ++repeat) {
            results again;
            run(context, &matrix, &again);
            assert_same(&first, &again, matrix.rows);
            release(context, &again);
        }
        spg_context_destroy(context);
    }
    release(host, &first);
    spg_csr_free(host, &matrix);
    spg_context_destroy(host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_run_gives_the_same_bits_at_any_number_of_threads),
    };
    return cmocka_run_group_tests_name("containers: repeat", tests, NULL, NULL);
}
