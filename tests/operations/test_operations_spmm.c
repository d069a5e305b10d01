/* Products with several vectors, against those with one at a time, bit for bit. */
#include "containers.h"
#include "host/work.h"

#include <stdlib.h>
#include <string.h>

static const void *element(const void *values, const spg_csr *of, int64_t k)
{
    return (const char *)values + (size_t)k * spg_type_size(of->value_type);
}

/* Lines are `gap` elements of X and twice as many of Y longer than need be: 4 keeps packs of vectors aligned. */
static void check_spmm_of(spg_context *context, const spg_csr *matrix, int64_t count, spg_layout layout, int64_t gap)
{
    const size_t size = spg_type_size(matrix->value_type);
    const bool by_row = layout == SPG_ROW_MAJOR;
    const bool has_beta = (count + gap + layout) % 2 == 0;
    const int64_t x_stride = (by_row ? count : matrix->cols) + gap,
                  y_stride = (by_row ? count : matrix->rows) + 2 * gap;
    const int64_t x_count = x_stride * (by_row ? matrix->cols : count);
    const int64_t y_count = y_stride * (by_row ? matrix->rows : count);
    char *X = test_array(x_count, size), *Y = test_array(y_count, size), *found = test_array(y_count, size);
    char *x = test_array(matrix->cols, size), *y = test_array(matrix->rows, size), scales[32];
    test_random_values(1, 0, matrix->value_type, x_count, X);
    test_random_values(2, 0, matrix->value_type, y_count, Y);
    test_random_values(3, 0, matrix->value_type, 2, scales);
    const void *alpha = count % 3 ? scales : NULL, *beta = has_beta ? scales + size : NULL;
    spg_csr here;
    test_to_place(context, matrix, &here);
    void *here_x = test_lend(X, (size_t)x_count * size), *here_y = test_lend(Y, (size_t)y_count * size);
    assert_int_equal(spg_csr_spmm(context, alpha, &here, count, layout, here_x, x_stride, beta, here_y, y_stride),
                     SPG_OK);
    test_fetch(here_y, (size_t)y_count * size, found);
    for (int64_t j = 0; j < count; ++j) {
        for (int64_t i = 0; i < matrix->cols; ++i)
            memcpy(x + (size_t)i * size, element(X, matrix, by_row ? i * x_stride + j : j * x_stride + i), size);
        for (int64_t i = 0; i < matrix->rows; ++i)
            memcpy(y + (size_t)i * size, element(Y, matrix, by_row ? i * y_stride + j : j * y_stride + i), size);
        assert_int_equal(spg_csr_spmv(test_host(), alpha, matrix, x, beta, y), SPG_OK);
        for (int64_t i = 0; i < matrix->rows; ++i)
            memcpy(Y + (size_t)(by_row ? i * y_stride + j : j * y_stride + i) * size, y + (size_t)i * size, size);
    }
    assert_memory_equal(found, Y, (size_t)y_count * size);
    spg_csr_free(context, &here);
    test_give_back(here_x, (size_t)x_count * size);
    test_give_back(here_y, (size_t)y_count * size);
    free(X), free(Y), free(found), free(x), free(y);
}

static void check_spmm(spg_context *context, const spg_csr *matrix)
{
    static const int64_t counts[] = {0, 1, 2, 3, 6, 13, 16, 21, 36};
    for (int c = 0; c < 9; ++c)
        for (int64_t gap = 3; gap <= 4; ++gap) {
            if (test_is_short() && gap % 2 != c % 2) continue;
            check_spmm_of(context, matrix, counts[c], SPG_ROW_MAJOR, gap);
            check_spmm_of(context, matrix, counts[c], SPG_COLUMN_MAJOR, gap);
        }
}

/* What lies between the vectors stays as it was. */
static void products_with_vectors_have_the_bits_of_one_at_a_time(void **state)
{
    (void)state;
    test_for_each_csr(check_spmm);
}

/* Rows of a grid, each of whose columns is one after the row's before: a pattern that is unsorted and names a column
 * twice, but for every 19th row, which lacks an entry, and every 13th, one of whose columns is another. */
static spg_csr grid_rows(spg_type value_type, spg_type offset_type)
{
    enum { ROWS = 300, A_ROW = 6, COLS = 400 };
    static const int32_t steps[A_ROW] = {50, 0, 7, 1, 7, 99};
    spg_csr A;
    int64_t at = 0;
    assert_int_equal(spg_csr_alloc(test_host(), ROWS, COLS, ROWS * A_ROW, offset_type, value_type, &A), SPG_OK);
    for (int64_t i = 0; i < ROWS; ++i) {
        for (int e = 0; e < A_ROW - (i % 19 == 0); ++e)
            A.columns[at++] = i % 13 == 0 && e == 2 ? (int32_t)(i * 31 % COLS) : (int32_t)i + steps[e];
        spg_set_offset(&A, i + 1, at);
    }
    spg_set_offset(&A, 0, 0);
    A.nnz = at;
    test_random_values(9, 0, value_type, at, A.values);
    return A;
}

static void products_of_neighbouring_rows_have_the_bits_of_one_row_at_a_time(void **state)
{
    (void)state;
    spg_context *context = test_context_at_place(2);
    for (spg_type type = SPG_F32; type <= SPG_C64; ++type)
        for (spg_type offsets = SPG_I32; offsets <= SPG_I64; ++offsets) {
            spg_csr A = grid_rows(type, offsets);
            const int64_t allocated = 300 * 6;
            check_spmm(context, &A);
            A.nnz = allocated;
            spg_csr_free(test_host(), &A);
        }
    spg_context_destroy(context);
}

/* alpha is y's first element and beta its second, which the first and the second row overwrite. */
static void scales_may_lie_in_the_result(void **state)
{
    (void)state;
    if (test_place() != SPG_PLACE_HOST) skip(); /* scales lie on the host */
    int32_t offsets[] = {0, 1, 2, 3}, columns[] = {0, 1, 2}, rows[] = {0, 1, 2}, any_order[] = {2, 0, 1};
    double values[] = {1, 1, 1}, x[] = {10, 20, 30};
    const double expected[] = {2 * 10 + 3 * 2, 2 * 20 + 3 * 3, 2 * 30 + 3 * 5}, permuted[] = {46, 69, 35};
    const spg_csr A = {3, 3, 3, SPG_I32, SPG_F64, SPG_PLACE_HOST, offsets, columns, values};
    for (int way = 0; way < 4; ++way) {
        double y[] = {2, 3, 5};
        const spg_coo coo = {3, 3, 3, SPG_F64, SPG_PLACE_HOST, way == 3 ? any_order : rows, columns, values};
        const spg_status status = way == 0   ? spg_csr_spmv(test_host(), y, &A, x, y + 1, y)
                                  : way == 1 ? spg_csr_spmm(test_host(), y, &A, 1, SPG_ROW_MAJOR, x, 1, y + 1, y, 1)
                                             : spg_coo_spmv(test_host(), y, &coo, x, y + 1, y);
        assert_int_equal(status, SPG_OK);
        assert_memory_equal(y, way == 3 ? permuted : expected, sizeof y);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_with_vectors_have_the_bits_of_one_at_a_time),
        cmocka_unit_test(scales_may_lie_in_the_result),
        cmocka_unit_test(products_of_neighbouring_rows_have_the_bits_of_one_row_at_a_time),
    };
    return TEST_RUN_HERE(argc, argv, "products with several vectors", tests);
}
