/* Transposes of matrices with columns of all lengths, among them those at which a backend changes its way, against a
 * plain loop, bit for bit. */
#include "backend.h"
#include "containers.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 900 };

/* A matrix whose column j has lengths[j] entries in random rows, many of them repeated; rows are unsorted. */
static void build(const int64_t *lengths, int64_t cols, spg_type offset_type, spg_type value_type, spg_csr *matrix)
{
    uint64_t random = 11;
    int64_t nnz = 0, k = 0, *ends = test_array(ROWS + 1, sizeof *ends);
    for (int64_t j = 0; j < cols; ++j) nnz += lengths[j];
    int32_t *rows = test_array(nnz, sizeof *rows);
    for (k = 0; k < nnz; ++k) {
        rows[k] = (int32_t)(test_random(&random) % ROWS);
        if (rows[k] % 5 == 0) rows[k] = ROWS / 2; /* so that rows are empty, and one is long */
        ends[rows[k] + 1]++;
    }
    assert_int_equal(spg_csr_alloc(test_host(), ROWS, cols, nnz, offset_type, value_type, matrix), SPG_OK);
    for (int64_t i = 0; i < ROWS; ++i) ends[i + 1] += ends[i];
    for (int64_t i = 0; i <= ROWS; ++i)
        if (offset_type == SPG_I64)
            ((int64_t *)matrix->row_offsets)[i] = ends[i];
        else
            ((int32_t *)matrix->row_offsets)[i] = (int32_t)ends[i];
    k = 0;
    for (int64_t j = 0; j < cols; ++j) {
        const int64_t evens = (cols + 1) / 2, column = j < evens ? 2 * (evens - 1 - j) : 2 * (j - evens) + 1;
        for (int64_t e = 0; e < lengths[column]; ++e) matrix->columns[ends[rows[k++]]++] = (int32_t)column;
    }
    test_random_values(5, 0, value_type, nnz, matrix->values);
    free(rows);
    free(ends);
}

/* Entries go to the row of their column in the order of storage. */
static void transpose_plainly(const spg_csr *matrix, spg_csr *transpose)
{
    const size_t size = spg_type_size(matrix->value_type);
    int64_t *ends = test_array(matrix->cols + 1, sizeof *ends);
    assert_int_equal(spg_csr_alloc(test_host(), matrix->cols, matrix->rows, matrix->nnz, matrix->offset_type,
                                   matrix->value_type, transpose),
                     SPG_OK);
    for (int64_t k = 0; k < matrix->nnz; ++k) ends[matrix->columns[k] + 1]++;
    for (int64_t j = 0; j < matrix->cols; ++j) ends[j + 1] += ends[j];
    for (int64_t j = 0; j <= matrix->cols; ++j)
        if (matrix->offset_type == SPG_I64)
            ((int64_t *)transpose->row_offsets)[j] = ends[j];
        else
            ((int32_t *)transpose->row_offsets)[j] = (int32_t)ends[j];
    for (int64_t i = 0; i < matrix->rows; ++i)
        for (int64_t k = test_offset(matrix, i); k < test_offset(matrix, i + 1); ++k) {
            const int64_t to = ends[matrix->columns[k]]++;
            transpose->columns[to] = (int32_t)i;
            memcpy((char *)transpose->values + (size_t)to * size, (const char *)matrix->values + (size_t)k * size,
                   size);
        }
    free(ends);
}

/* The transpose of `here` again, with where its entries come from. */
static void check_map(spg_context *context, const spg_csr *matrix, const spg_csr *here, const spg_csr *expected)
{
    const size_t bytes = (size_t)matrix->nnz * sizeof(int64_t), size = spg_type_size(matrix->value_type);
    int64_t *map = test_array(matrix->nnz, sizeof *map), *map_here = test_lend(map, bytes);
    spg_csr transpose;
    memset(&transpose, 0, sizeof transpose);
    assert_int_equal(context->backend->csr_transpose(context, here, map_here, &transpose), SPG_OK);
    test_assert_fetched_csr(&transpose, expected);
    test_fetch(map_here, bytes, map);
    for (int64_t j = 0; j < expected->rows; ++j)
        for (int64_t k = test_offset(expected, j); k < test_offset(expected, j + 1); ++k) {
            assert_true(map[k] >= 0 && map[k] < matrix->nnz && matrix->columns[map[k]] == j);
            assert_true(k == test_offset(expected, j) || map[k - 1] < map[k]);
            assert_memory_equal((char *)expected->values + (size_t)k * size,
                                (char *)matrix->values + (size_t)map[k] * size, size);
        }
    test_give_back(map_here, bytes);
    free(map);
    spg_csr_free(context, &transpose);
}

static void check_lengths(const int64_t *lengths, int64_t cols)
{
    const spg_type values[] = {SPG_F32, SPG_F64, SPG_C32, SPG_C64};
    spg_context *context = test_context_at_place(2);
    for (int t = 0; t < 8; ++t) {
        spg_csr matrix, expected, here, transpose;
        build(lengths, cols, t < 4 ? SPG_I32 : SPG_I64, values[t % 4], &matrix);
        transpose_plainly(&matrix, &expected);
        test_to_place(context, &matrix, &here);
        assert_int_equal(spg_csr_transpose(context, &here, &transpose), SPG_OK);
        test_assert_fetched_csr(&transpose, &expected);
        spg_csr_free(context, &transpose);
        check_map(context, &matrix, &here, &expected);
        spg_csr_free(context, &here);
        spg_csr_free(test_host(), &expected);
        spg_csr_free(test_host(), &matrix);
    }
    spg_context_destroy(context);
}

static void columns_of_all_lengths_are_turned(void **state)
{
    (void)state;
    const int64_t lengths[] = {0,    1,    2,   3,   4,   5,   8,    9,    31,   32,   33, 63, 64,   0,
                               0,    127,  128, 129, 255, 256, 257,  258,  511,  512,  0,  1,  1023, 1024,
                               1025, 2000, 300, 7,   0,   1,   4097, 8191, 8192, 1000, 6,  0};
    check_lengths(lengths, sizeof lengths / sizeof *lengths);
}

static void one_column_may_hold_most_entries(void **state)
{
    (void)state;
    int64_t lengths[3000];
    for (int64_t j = 0; j < 3000; ++j) lengths[j] = j % 3;
    const int64_t dense[] = {9, 33, 256, 257, 1025, 8192, 8193, 40000};
    for (size_t d = 0; d < sizeof dense / sizeof *dense; ++d) {
        lengths[1234] = dense[d];
        check_lengths(lengths, 3000);
    }
}

static void columns_of_one_length_are_turned(void **state)
{
    (void)state;
    int64_t lengths[200];
    for (int64_t length = 1; length < 400; length += 1 + length / 3) {
        for (int64_t j = 0; j < 200; ++j) lengths[j] = length;
        check_lengths(lengths, 200);
    }
}

/* `entries` spread over columns, but `longest` of them in one. */
static void check_size(int64_t entries, int64_t cols, int64_t longest)
{
    int64_t *lengths = test_array(cols, sizeof *lengths);
    const int64_t others = entries - longest;
    for (int64_t j = 0; j + 1 < cols; ++j) lengths[j] = others * (j + 1) / (cols - 1) - others * j / (cols - 1);
    lengths[cols - 1] = longest;
    check_lengths(lengths, cols);
    free(lengths);
}

/* A device transposes a small matrix by one block or one cluster. */
static void matrices_of_all_sizes_are_turned(void **state)
{
    (void)state;
    const int64_t entries[] = {1, 2, 31, 1023, 1024, 1025, 4095, 4096, 4097, 8191, 32768, 65537, 98303, 98304, 98305};
    for (size_t k = 0; k < sizeof entries / sizeof *entries; ++k) {
        check_size(entries[k], entries[k] / 9 + 2, 1);
        if (entries[k] > 300) check_size(entries[k], entries[k] / 9 + 2, 64 + (int64_t)(k % 2));
        if (entries[k] > 1000) check_size(entries[k], entries[k] / 200 + 2, 256 + (int64_t)(k % 2));
    }
    for (int64_t cols = 16383; cols < 16386; ++cols) check_size(20000, cols, 40);
    check_size(4096, 4000, 4096);
    check_size(90000, 16384, 90000);
}

static void few_long_columns_are_turned(void **state)
{
    (void)state;
    const int64_t one[] = {70000}, two[] = {8192, 8192}, many[] = {8000, 1, 8100, 8001};
    check_lengths(one, 1);
    check_lengths(two, 2);
    check_lengths(many, 4);
}

/* In steps so small that the bytes of a backend's own state matter. */
static void a_workspace_limit_holds_for_all_that_is_taken(void **state)
{
    (void)state;
    enum { COLUMNS = 40, LENGTH = 7, STEP = 32 };
    int64_t lengths[COLUMNS];
    spg_csr matrix, here, transpose;
    for (int j = 0; j < COLUMNS; ++j) lengths[j] = LENGTH;
    build(lengths, COLUMNS, SPG_I32, SPG_F64, &matrix);
    spg_context *context = test_context_at_place(1);
    test_to_place(context, &matrix, &here);
    int done = 0;
    for (int64_t limit = STEP; done < 100 && limit < 1 << 20; limit += STEP) {
        int64_t held, peak;
        assert_int_equal(spg_context_set_workspace_limit(context, limit), SPG_OK);
        spg_context_memory_reset(context);
        const spg_status status = spg_csr_transpose(context, &here, &transpose);
        if (status == SPG_ERROR_MEMORY) continue;
        assert_int_equal(status, SPG_OK);
        spg_context_memory(context, &held, &peak);
        if (peak - held > limit)
            fail_msg("%lld bytes beside a transpose, the limit is %lld", (long long)(peak - held), (long long)limit);
        spg_csr_free(context, &transpose);
        done++;
    }
    assert_int_equal(done, 100);
    spg_csr_free(context, &here);
    spg_csr_free(test_host(), &matrix);
    spg_context_destroy(context);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_of_all_lengths_are_turned),
        cmocka_unit_test(one_column_may_hold_most_entries),
        cmocka_unit_test(columns_of_one_length_are_turned),
        cmocka_unit_test(matrices_of_all_sizes_are_turned),
        cmocka_unit_test(few_long_columns_are_turned),
        cmocka_unit_test(a_workspace_limit_holds_for_all_that_is_taken),
    };
    return TEST_RUN_HERE(argc, argv, "transposes", tests);
}
