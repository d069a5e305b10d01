/* The same bits from every run, at any number of threads. */
#include "containers.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 3 };

/* What all the calls make of one matrix, on the host. */
typedef struct results {
    spg_csr sorted, transpose, csr;
    spg_coo coo, sorted_coo;
    double *csr_y, *coo_y;
} results;

static void fetch_csr(spg_context *context, spg_csr *here, spg_csr *host)
{
    test_to_host(context, here, host);
    spg_csr_free(context, here);
}

static void fetch_coo(spg_context *context, spg_coo *here, spg_coo *host)
{
    test_coo_to_host(context, here, host);
    spg_coo_free(context, here);
}

static void run_conversions(spg_context *context, const spg_csr *matrix, results *made)
{
    spg_csr sorted, transpose, csr;
    spg_coo coo, sorted_coo;
    assert_int_equal(spg_csr_copy(context, matrix, &sorted), SPG_OK);
    assert_int_equal(spg_csr_sort(context, &sorted), SPG_OK);
    assert_int_equal(spg_csr_transpose(context, matrix, &transpose), SPG_OK);
    assert_int_equal(spg_coo_from_csr(context, matrix, &coo), SPG_OK);
    assert_int_equal(spg_csr_from_coo(context, &coo, SPG_I64, &csr), SPG_OK);
    assert_int_equal(spg_coo_from_csr(context, &transpose, &sorted_coo), SPG_OK);
    assert_int_equal(spg_coo_sort(context, &sorted_coo), SPG_OK);
    fetch_csr(context, &sorted, &made->sorted);
    fetch_csr(context, &transpose, &made->transpose);
    fetch_csr(context, &csr, &made->csr);
    fetch_coo(context, &coo, &made->coo);
    fetch_coo(context, &sorted_coo, &made->sorted_coo);
}

static void run_products(spg_context *context, const spg_csr *matrix, results *made)
{
    const double alpha = 0.3, beta = -1.7;
    size_t x_bytes = (size_t)matrix->cols * sizeof(double), y_bytes = (size_t)matrix->rows * sizeof(double);
    double *x = test_array(matrix->cols, sizeof *x);
    test_random_values(5, 0, SPG_F64, matrix->cols, x);
    made->csr_y = test_array(matrix->rows, sizeof *made->csr_y);
    made->coo_y = test_array(matrix->rows, sizeof *made->coo_y);
    test_random_values(6, 0, SPG_F64, matrix->rows, made->csr_y);
    double *here_x = test_lend(x, x_bytes), *csr_y = test_lend(made->csr_y, y_bytes);
    double *coo_y = test_lend(made->csr_y, y_bytes);
    spg_coo coo;
    assert_int_equal(spg_coo_from_csr(context, matrix, &coo), SPG_OK);
    assert_int_equal(spg_csr_spmv(context, &alpha, matrix, here_x, &beta, csr_y), SPG_OK);
    assert_int_equal(spg_coo_spmv(context, &alpha, &coo, here_x, &beta, coo_y), SPG_OK);
    test_fetch(csr_y, y_bytes, made->csr_y);
    test_fetch(coo_y, y_bytes, made->coo_y);
    spg_coo_free(context, &coo);
    test_give_back(here_x, x_bytes);
    test_give_back(csr_y, y_bytes);
    test_give_back(coo_y, y_bytes);
    free(x);
}

static void run(spg_context *context, const spg_csr *matrix, results *made)
{
    spg_csr here;
    test_to_place(context, matrix, &here);
    run_conversions(context, &here, made);
    run_products(context, &here, made);
    spg_csr_free(context, &here);
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

static void release(results *made)
{
    spg_csr_free(test_host(), &made->sorted);
    spg_csr_free(test_host(), &made->transpose);
    spg_csr_free(test_host(), &made->csr);
    spg_coo_free(test_host(), &made->coo);
    spg_coo_free(test_host(), &made->sorted_coo);
    free(made->csr_y);
    free(made->coo_y);
}

static void every_run_gives_the_same_bits_at_any_number_of_threads(void **state)
{
    (void)state;
    spg_context *alone = test_context_at_place(1);
    spg_csr matrix;
    test_random_csr(test_host(), (test_matrix){20000, 1500, 6, SPG_I32, SPG_F64}, 11, TEST_UNSORTED | TEST_DUPLICATES,
                    &matrix);
    results first;
    run(alone, &matrix, &first);
    for (int threads = 1; threads <= MOST_THREADS; ++threads) {
        spg_context *context = test_context_at_place(threads);
        for (int repeat = 0; repeat < 2; ++repeat) {
            results again;
            run(context, &matrix, &again);
            assert_same(&first, &again, matrix.rows);
            release(&again);
        }
        spg_context_destroy(context);
    }
    release(&first);
    spg_csr_free(test_host(), &matrix);
    spg_context_destroy(alone);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_run_gives_the_same_bits_at_any_number_of_threads),
    };
    return TEST_RUN_HERE(argc, argv, "containers: repeat", tests);
}
