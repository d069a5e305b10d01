/* CSR matrices: what each call makes, for every type, shape and number of threads, against plain references. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "containers.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void an_allocated_matrix_has_zero_offsets_and_its_bytes_are_counted(void **state)
{
    (void)state;
    spg_context *context = test_context_at_place(2);
    spg_csr matrix;
    assert_int_equal(spg_csr_alloc(context, 5, 7, 9, SPG_I64, SPG_C64, &matrix), SPG_OK);
    int64_t offsets[6];
    test_fetch(matrix.row_offsets, sizeof offsets, offsets);
    test_assert_zeroed(offsets, sizeof offsets);
    int64_t bytes;
    spg_context_memory(context, &bytes, NULL);
    assert_int_equal(bytes, 6 * 8 + 9 * 4 + 9 * 16);
    spg_csr_free(context, &matrix);
    spg_context_memory(context, &bytes, NULL);
    assert_int_equal(bytes, 0);
    test_assert_zeroed(&matrix, sizeof matrix);
    spg_csr_free(context, &matrix);
    spg_csr_free(context, NULL);
    spg_context_destroy(context);
}

static void a_matrix_without_entries_needs_no_columns_and_values(void **state)
{
    (void)state;
    spg_context *context = test_context_at_place(1);
    spg_csr matrix, transpose;
    assert_int_equal(spg_csr_alloc(context, 3, 2, 0, SPG_I32, SPG_F32, &matrix), SPG_OK);
    assert_null(matrix.columns);
    assert_null(matrix.values);
    assert_int_equal(spg_csr_check(context, &matrix), SPG_OK);
    assert_int_equal(spg_csr_sort(context, &matrix), SPG_OK);
    assert_int_equal(spg_csr_transpose(context, &matrix, &transpose), SPG_OK);
    assert_int_equal(transpose.rows, 2);
    assert_int_equal(transpose.cols, 3);
    spg_csr_free(context, &transpose);
    spg_csr_free(context, &matrix);
    spg_context_destroy(context);
}

static void check_copy(spg_context *context, const spg_csr *matrix)
{
    spg_csr here, copy;
    test_to_place(context, matrix, &here);
    assert_int_equal(spg_csr_copy(context, &here, &copy), SPG_OK);
    test_assert_fetched_csr(&copy, matrix);
    if (matrix->nnz > 0) assert_ptr_not_equal(copy.values, here.values);
    spg_csr_free(context, &copy);
    spg_csr_free(context, &here);
}

static void a_copy_has_the_same_bits(void **state)
{
    (void)state;
    test_for_each_csr(check_copy);
}

static void check_check(spg_context *context, const spg_csr *matrix)
{
    spg_csr here;
    test_to_place(context, matrix, &here);
    assert_int_equal(spg_csr_check(context, &here), SPG_OK);
    spg_csr_free(context, &here);
}

static void sound_matrices_pass_the_check(void **state)
{
    (void)state;
    test_for_each_csr(check_check);
}

static void check_sort(spg_context *context, const spg_csr *matrix)
{
    spg_csr sorted;
    test_to_place(context, matrix, &sorted);
    assert_int_equal(spg_csr_sort(context, &sorted), SPG_OK);
    test_entry *entries = test_csr_entries(matrix);
    test_order_entries(entries, matrix->nnz);
    test_assert_csr_entries(&sorted, entries, matrix->nnz, matrix->values);
    free(entries);
    spg_csr_free(context, &sorted);
}

/* After the last column comes a page that may not be read. */
static void a_check_reads_no_column_past_the_last(void **state)
{
    enum { ENTRIES = 100 };
    (void)state;
    if (test_place() == SPG_PLACE_DEVICE) skip();
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED && mprotect(pages + page, page, PROT_NONE) == 0);
    int32_t offsets[] = {0, ENTRIES}, *columns = (int32_t *)(void *)(pages + page) - ENTRIES;
    float values[ENTRIES] = {0};
    const spg_csr view = {1, 1, ENTRIES, SPG_I32, SPG_F32, SPG_PLACE_HOST, offsets, columns, values};
    assert_int_equal(spg_csr_check(test_host(), &view), SPG_OK);
    columns[ENTRIES - 1] = 1;
    assert_int_equal(spg_csr_check(test_host(), &view), SPG_ERROR_FORMAT);
    assert_int_equal(munmap(pages, 2 * page), 0);
}

static void rows_are_sorted_stably(void **state)
{
    (void)state;
    test_for_each_csr(check_sort);
}

static void check_transpose(spg_context *context, const spg_csr *matrix)
{
    spg_csr here, transpose;
    test_to_place(context, matrix, &here);
    assert_int_equal(spg_csr_transpose(context, &here, &transpose), SPG_OK);
    assert_int_equal(transpose.rows, matrix->cols);
    assert_int_equal(transpose.cols, matrix->rows);
    assert_int_equal(transpose.offset_type, matrix->offset_type);
    assert_int_equal(transpose.value_type, matrix->value_type);
    test_entry *entries = test_csr_entries(matrix);
    for (int64_t k = 0; k < matrix->nnz; ++k)
        entries[k] = (test_entry){entries[k].column, entries[k].row, entries[k].index};
    test_order_entries(entries, matrix->nnz);
    test_assert_csr_entries(&transpose, entries, matrix->nnz, matrix->values);
    free(entries);
    spg_csr_free(context, &transpose);
    spg_csr_free(context, &here);
}

static void the_transpose_is_sorted_and_keeps_the_order_of_repeated_entries(void **state)
{
    (void)state;
    test_for_each_csr(check_transpose);
}

static void compare_spmv(spg_context *context, const spg_csr *matrix, const void *alpha, const void *beta)
{
    test_entry *entries = test_csr_entries(matrix);
    test_spmv spmv;
    spg_csr here;
    test_to_place(context, matrix, &here);
    const test_triples triples = {entries, matrix->nnz, matrix->rows, matrix->cols, matrix->values, matrix->value_type};
    test_open_spmv(&triples, alpha, beta, &spmv);
    assert_int_equal(spg_csr_spmv(context, alpha, &here, spmv.x, beta, spmv.y), SPG_OK);
    test_close_spmv(&spmv);
    spg_csr_free(context, &here);
    free(entries);
}

static void check_spmv(spg_context *context, const spg_csr *matrix)
{
    double scales[4]; /* room for two elements of any type */
    size_t size = spg_type_size(matrix->value_type);
    test_random_values(3, 0, matrix->value_type, 2, scales);
    void *alpha = scales, *beta = (char *)scales + size;
    compare_spmv(context, matrix, NULL, NULL);
    compare_spmv(context, matrix, alpha, NULL);
    compare_spmv(context, matrix, NULL, beta);
    compare_spmv(context, matrix, alpha, beta);
}

static void a_product_with_a_vector_sums_in_storage_order(void **state)
{
    (void)state;
    test_for_each_csr(check_spmv);
}

/* Kernels read entries by tiles of 256 and share out rows by their mean length: `short_rows` of 2 entries for each long
 * one. */
static void open_rows_of_lengths_about_a_tile(int short_rows, spg_type offset_type, spg_type value_type,
                                              spg_csr *matrix)
{
    enum { LENGTHS = 13, TIMES = 9, COLUMNS = 700 };
    static const int64_t lengths[LENGTHS] = {256, 0, 1, 31, 255, 32, 33, 257, 511, 512, 513, 2, 1000};
    const int64_t rows = (int64_t)LENGTHS * TIMES * (1 + short_rows);
    int64_t nnz = 0;
    uint64_t state = 17;
    for (int k = 0; k < LENGTHS; ++k) nnz += TIMES * (lengths[k] + 2 * short_rows);
    assert_int_equal(spg_csr_alloc(test_host(), rows, COLUMNS, nnz, offset_type, value_type, matrix), SPG_OK);
    int64_t end = 0;
    for (int64_t i = 0; i < rows; ++i) {
        end += i % (1 + short_rows) == 0 ? lengths[i / (1 + short_rows) * 5 % LENGTHS] : 2;
        if (offset_type == SPG_I64)
            ((int64_t *)matrix->row_offsets)[i + 1] = end;
        else
            ((int32_t *)matrix->row_offsets)[i + 1] = (int32_t)end;
    }
    assert_int_equal(end, nnz);
    for (int64_t k = 0; k < nnz; ++k) matrix->columns[k] = (int32_t)(test_random(&state) % COLUMNS);
    test_random_values(5, 0, value_type, nnz, matrix->values);
}

static void rows_that_end_anywhere_in_a_tile_are_summed_in_storage_order(void **state)
{
    static const spg_type types[] = {SPG_F32, SPG_F64, SPG_C32, SPG_C64};
    (void)state;
    spg_context *context = test_context_at_place(2);
    for (int k = 0; k < 24; ++k) {
        spg_csr matrix;
        open_rows_of_lengths_about_a_tile(k % 3 * 20, k / 3 % 2 == 0 ? SPG_I32 : SPG_I64, types[k / 6], &matrix);
        compare_spmv(context, &matrix, NULL, NULL);
        spg_csr_free(test_host(), &matrix);
    }
    spg_context_destroy(context);
}

static void alpha_of_one_and_beta_of_zero_are_as_if_null(void **state)
{
    (void)state;
    spg_context *context = test_context_at_place(1);
    int32_t offsets[] = {0, 1}, columns[] = {0};
    double values[] = {INFINITY, 2}, one[] = {1, 0}, zero[] = {-0.0, 0.0}, x[] = {3, 0}, y[] = {NAN, NAN};
    spg_csr matrix = {1, 1, 1, SPG_I32, SPG_F64, SPG_PLACE_HOST, offsets, columns, values}, here;
    double *here_x = test_lend(x, sizeof x), *here_y = test_lend(y, sizeof y);
    test_to_place(context, &matrix, &here);
    assert_int_equal(spg_csr_spmv(context, one, &here, here_x, zero, here_y), SPG_OK);
    spg_csr_free(context, &here);
    test_fetch(here_y, sizeof y, y);
    assert_true(y[0] == INFINITY);
    matrix.value_type = SPG_C64;
    x[1] = 1;
    values[0] = DBL_MAX;
    y[0] = NAN;
    test_send(x, sizeof x, here_x);
    test_send(y, sizeof y, here_y);
    test_to_place(context, &matrix, &here);
    assert_int_equal(spg_csr_spmv(context, one, &here, here_x, zero, here_y), SPG_OK);
    spg_csr_free(context, &here);
    test_fetch(here_y, sizeof y, y);
    assert_true(y[0] == INFINITY);
    assert_true(y[1] == DBL_MAX + 6);
    test_give_back(here_x, sizeof x);
    test_give_back(here_y, sizeof y);
    spg_context_destroy(context);
}

static void a_view_of_the_callers_arrays_is_worked_on_in_place(void **state)
{
    (void)state;
    spg_context *context = test_context_at_place(2);
    int64_t offsets[] = {0, 3, 3, 5};
    int32_t columns[] = {4, 0, 4, 2, 1};
    float values[] = {1, 2, 3, 4, 5}, sorted[] = {2, 1, 3, 5, 4};
    int64_t *here_offsets = test_lend(offsets, sizeof offsets);
    int32_t *here_columns = test_lend(columns, sizeof columns);
    float *here_values = test_lend(values, sizeof values);
    spg_csr view = {3, 5, 5, SPG_I64, SPG_F32, test_place(), here_offsets, here_columns, here_values};
    assert_int_equal(spg_csr_sort(context, &view), SPG_OK);
    test_fetch(here_values, sizeof values, values);
    assert_memory_equal(values, sorted, sizeof sorted);
    test_give_back(here_offsets, sizeof offsets);
    test_give_back(here_columns, sizeof columns);
    test_give_back(here_values, sizeof values);
    spg_context_destroy(context);
}

/* Such a matrix takes 17 GB, of which a device can set all but the last rows to zero fast. */
static void rows_past_32_bits_are_sorted(void **state)
{
    (void)state;
    if (test_place() == SPG_PLACE_HOST) skip();
    enum { FULL = 500, EACH = 4, ENTRIES = FULL * EACH };
    const int64_t rows = ((int64_t)1 << 31) + FULL;
    int64_t offsets[FULL + 1];
    int32_t columns[ENTRIES], sorted_columns[ENTRIES];
    float values[ENTRIES], sorted_values[ENTRIES];
    spg_context *context = test_context_at_place(2);
    spg_csr matrix;
    const spg_status status = spg_csr_alloc(context, rows, EACH, ENTRIES, SPG_I64, SPG_F32, &matrix);
    if (status == SPG_ERROR_MEMORY) {
        spg_context_destroy(context);
        skip();
    }
    assert_int_equal(status, SPG_OK);
    for (int i = 0; i <= FULL; ++i) offsets[i] = (int64_t)EACH * i;
    for (int k = 0; k < ENTRIES; ++k) columns[k] = EACH - 1 - k % EACH, values[k] = (float)k;
    test_send(offsets, sizeof offsets, (int64_t *)matrix.row_offsets + rows - FULL);
    test_send(columns, sizeof columns, matrix.columns);
    test_send(values, sizeof values, matrix.values);
    assert_int_equal(spg_csr_sort(context, &matrix), SPG_OK);
    test_fetch(matrix.columns, sizeof sorted_columns, sorted_columns);
    test_fetch(matrix.values, sizeof sorted_values, sorted_values);
    for (int k = 0; k < ENTRIES; ++k) {
        const int turned = k / EACH * EACH + EACH - 1 - k % EACH;
        assert_true(sorted_columns[k] == k % EACH && sorted_values[k] == values[turned]);
    }
    spg_csr_free(context, &matrix);
    spg_context_destroy(context);
}

static void constant_arrays_are_an_operand_without_a_cast(void **state)
{
    (void)state;
    static const int32_t offsets[] = {0, 2, 3}, columns[] = {0, 2, 1};
    static const double values[] = {1, 2, 3}, x[] = {1, 10, 100};
    const spg_csr view = spg_csr_view(2, 3, 3, SPG_I32, SPG_F64, SPG_PLACE_HOST, offsets, columns, values);
    double y[2] = {0, 0};
    assert_int_equal(spg_csr_check(test_host(), &view), SPG_OK);
    assert_int_equal(spg_csr_spmv(test_host(), NULL, &view, x, NULL, y), SPG_OK);
    assert_true(y[0] == 201 && y[1] == 30);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_allocated_matrix_has_zero_offsets_and_its_bytes_are_counted),
        cmocka_unit_test(a_matrix_without_entries_needs_no_columns_and_values),
        cmocka_unit_test(a_copy_has_the_same_bits),
        cmocka_unit_test(sound_matrices_pass_the_check),
        cmocka_unit_test(a_check_reads_no_column_past_the_last),
        cmocka_unit_test(rows_are_sorted_stably),
        cmocka_unit_test(the_transpose_is_sorted_and_keeps_the_order_of_repeated_entries),
        cmocka_unit_test(a_product_with_a_vector_sums_in_storage_order),
        cmocka_unit_test(rows_that_end_anywhere_in_a_tile_are_summed_in_storage_order),
        cmocka_unit_test(alpha_of_one_and_beta_of_zero_are_as_if_null),
        cmocka_unit_test(a_view_of_the_callers_arrays_is_worked_on_in_place),
        cmocka_unit_test(rows_past_32_bits_are_sorted),
        cmocka_unit_test(constant_arrays_are_an_operand_without_a_cast),
    };
    return TEST_RUN_HERE(argc, argv, "csr", tests);
}
