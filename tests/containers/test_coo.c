/* COO matrices: what each call makes, for every type, shape and number of threads, against plain references. */
#include "containers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void an_allocated_matrix_is_counted_and_freed(void **state)
{
    (void)state;
    spg_context *context = test_context_at_place(2);
    spg_coo matrix;
    assert_int_equal(spg_coo_alloc(context, 5, 7, 9, SPG_C32, &matrix), SPG_OK);
    int64_t bytes;
    spg_context_memory(context, &bytes, NULL);
    assert_int_equal(bytes, 9 * (4 + 4 + 8));
    spg_coo_free(context, &matrix);
    spg_context_memory(context, &bytes, NULL);
    assert_int_equal(bytes, 0);
    test_assert_zeroed(&matrix, sizeof matrix);
    spg_coo_free(context, &matrix);
    spg_coo_free(context, NULL);
    spg_context_destroy(context);
}

static void check_copy(spg_context *context, const spg_coo *matrix)
{
    spg_coo here, copy;
    test_coo_to_place(context, matrix, &here);
    assert_int_equal(spg_coo_check(context, &here), SPG_OK);
    assert_int_equal(spg_coo_copy(context, &here, &copy), SPG_OK);
    test_assert_fetched_coo(&copy, matrix);
    spg_coo_free(context, &copy);
    spg_coo_free(context, &here);
}

static void a_copy_has_the_same_bits(void **state)
{
    (void)state;
    test_for_each_coo(check_copy);
}

static void check_transpose(spg_context *context, const spg_coo *matrix)
{
    spg_coo here, transpose;
    test_coo_to_place(context, matrix, &here);
    assert_int_equal(spg_coo_transpose(context, &here, &transpose), SPG_OK);
    spg_coo expected = *matrix;
    expected.rows = matrix->cols;
    expected.cols = matrix->rows;
    expected.row_indices = matrix->columns;
    expected.columns = matrix->row_indices;
    test_assert_fetched_coo(&transpose, &expected);
    spg_coo_free(context, &transpose);
    spg_coo_free(context, &here);
}

static void the_transpose_exchanges_rows_and_columns(void **state)
{
    (void)state;
    test_for_each_coo(check_transpose);
}

static void check_sort(spg_context *context, const spg_coo *matrix)
{
    spg_coo here, sorted;
    test_coo_to_place(context, matrix, &here);
    assert_int_equal(spg_coo_sort(context, &here), SPG_OK);
    test_coo_to_host(context, &here, &sorted);
    test_entry *entries = test_coo_entries(matrix);
    test_order_entries(entries, matrix->nnz);
    size_t size = spg_type_size(matrix->value_type);
    for (int64_t k = 0; k < matrix->nnz; ++k)
        if (sorted.row_indices[k] != entries[k].row || sorted.columns[k] != entries[k].column ||
            memcmp((char *)sorted.values + (size_t)k * size, (char *)matrix->values + (size_t)entries[k].index * size,
                   size) != 0)
            fail_msg("triple %lld differs", (long long)k);
    free(entries);
    spg_coo_free(test_host(), &sorted);
    spg_coo_free(context, &here);
}

static void triples_are_sorted_stably(void **state)
{
    (void)state;
    test_for_each_coo(check_sort);
}

static void a_row_that_falls_after_a_higher_column_is_sorted(void **state)
{
    (void)state;
    spg_context *context = test_context_at_place(1);
    int32_t rows[] = {0, 1, 1}, columns[] = {9, 5, 3}, sorted_columns[] = {9, 3, 5};
    double values[] = {1, 2, 3}, sorted_values[] = {1, 3, 2};
    spg_coo matrix = {2, 10, 3, SPG_F64, SPG_PLACE_HOST, rows, columns, values}, here;
    spg_coo sorted = {2, 10, 3, SPG_F64, SPG_PLACE_HOST, rows, sorted_columns, sorted_values};
    test_coo_to_place(context, &matrix, &here);
    assert_int_equal(spg_coo_sort(context, &here), SPG_OK);
    test_assert_fetched_coo(&here, &sorted);
    spg_coo_free(context, &here);
    spg_context_destroy(context);
}

static void sorting_needs_no_memory_for_rows_that_hold_nothing(void **state)
{
    (void)state;
    spg_context *context = test_context_at_place(2);
    const int32_t high = 1 << 30; /* its lower bits are those of 0 */
    int32_t rows[] = {high, 5, 70000, 5}, columns[] = {0, high, 3, 2};
    int32_t sorted_rows[] = {5, 5, 70000, high}, sorted_columns[] = {2, high, 3, 0};
    double values[] = {1, 2, 3, 4}, sorted_values[] = {4, 2, 3, 1};
    spg_coo matrix = {INT32_MAX, INT32_MAX, 4, SPG_F64, SPG_PLACE_HOST, rows, columns, values}, here;
    spg_coo sorted = {INT32_MAX, INT32_MAX, 4, SPG_F64, SPG_PLACE_HOST, sorted_rows, sorted_columns, sorted_values};
    test_coo_to_place(context, &matrix, &here);
    assert_int_equal(spg_coo_sort(context, &here), SPG_OK);
    test_assert_fetched_coo(&here, &sorted);
    spg_coo_free(context, &here);
    int64_t peak;
    spg_context_memory(context, NULL, &peak);
    assert_in_range(peak, 0, 1 << 16);
    spg_context_destroy(context);
}

static void compare_spmv(spg_context *context, const spg_coo *matrix, const void *alpha, const void *beta)
{
    test_entry *entries = test_coo_entries(matrix);
    test_spmv spmv;
    spg_coo here;
    test_coo_to_place(context, matrix, &here);
    const test_triples triples = {entries, matrix->nnz, matrix->rows, matrix->cols, matrix->values, matrix->value_type};
    test_open_spmv(&triples, alpha, beta, &spmv);
    assert_int_equal(spg_coo_spmv(context, alpha, &here, spmv.x, beta, spmv.y), SPG_OK);
    test_close_spmv(&spmv);
    spg_coo_free(context, &here);
    free(entries);
}

static void check_spmv(spg_context *context, const spg_coo *matrix)
{
    double scales[4]; /* room for two elements of any type */
    size_t size = spg_type_size(matrix->value_type);
    test_random_values(3, 0, matrix->value_type, 2, scales);
    compare_spmv(context, matrix, NULL, NULL);
    compare_spmv(context, matrix, scales, (char *)scales + size);
    spg_coo sorted;
    test_coo_to_host(context, matrix, &sorted);
    assert_int_equal(spg_coo_sort(test_host(), &sorted), SPG_OK);
    compare_spmv(context, &sorted, NULL, NULL);
    compare_spmv(context, &sorted, scales, (char *)scales + size);
    spg_coo_free(test_host(), &sorted);
}

static void a_product_with_a_vector_sums_in_storage_order(void **state)
{
    (void)state;
    test_for_each_coo(check_spmv);
}

/* The entries of each place, contracted: *count is how many places there are, `values` their sums. */
static test_entry *contracted(const spg_coo *matrix, int64_t *count, char *values)
{
    size_t size = spg_type_size(matrix->value_type);
    test_entry *entries = test_coo_entries(matrix);
    test_order_entries(entries, matrix->nnz);
    *count = 0;
    for (int64_t k = 0, end; k < matrix->nnz; k = end) {
        for (end = k + 1; end < matrix->nnz; ++end)
            if (entries[end].row != entries[k].row || entries[end].column != entries[k].column) break;
        test_reference_sum(entries + k, end - k, matrix->values, matrix->value_type, values + (size_t)*count * size);
        entries[*count] = (test_entry){entries[k].row, entries[k].column, *count};
        ++*count;
    }
    return entries;
}

static void check_csr(spg_context *context, const spg_coo *matrix)
{
    int64_t count;
    char *values = test_array(matrix->nnz, spg_type_size(matrix->value_type));
    test_entry *entries = contracted(matrix, &count, values);
    spg_coo here;
    test_coo_to_place(context, matrix, &here);
    for (int wide = 0; wide < 2; ++wide) {
        spg_csr csr;
        assert_int_equal(spg_csr_from_coo(context, &here, wide ? SPG_I64 : SPG_I32, &csr), SPG_OK);
        assert_int_equal(csr.rows, matrix->rows);
        assert_int_equal(csr.cols, matrix->cols);
        assert_int_equal(csr.offset_type, wide ? SPG_I64 : SPG_I32);
        assert_int_equal(csr.value_type, matrix->value_type);
        test_assert_csr_entries(&csr, entries, count, values);
        spg_csr_free(context, &csr);
    }
    spg_coo_free(context, &here);
    free(entries);
    free(values);
}

static void triples_of_the_same_place_are_summed_in_storage_order(void **state)
{
    (void)state;
    test_for_each_coo(check_csr);
}

static void a_sum_that_is_zero_stays_and_a_lone_negative_zero_keeps_its_sign(void **state)
{
    (void)state;
    spg_context *context = test_context_at_place(1);
    int32_t rows[] = {0, 0, 0, 0, 0}, columns[] = {3, 1, 3, 0, 0};
    double values[] = {5, -0.0, -5, -0.0, -0.0};
    spg_coo matrix = {1, 4, 5, SPG_F64, SPG_PLACE_HOST, rows, columns, values}, here;
    spg_csr csr;
    double sums[3];
    test_coo_to_place(context, &matrix, &here);
    assert_int_equal(spg_csr_from_coo(context, &here, SPG_I32, &csr), SPG_OK);
    assert_int_equal(csr.nnz, 3);
    test_fetch(csr.values, sizeof sums, sums);
    assert_true(sums[0] == 0 && !signbit(sums[0])); /* a sum starts from zero */
    assert_true(sums[1] == 0 && signbit(sums[1]));
    assert_true(sums[2] == 0 && !signbit(sums[2]));
    spg_csr_free(context, &csr);
    spg_coo_free(context, &here);
    spg_context_destroy(context);
}

static void check_from_csr(spg_context *context, const spg_csr *matrix)
{
    spg_csr here;
    spg_coo made, coo;
    test_to_place(context, matrix, &here);
    assert_int_equal(spg_coo_from_csr(context, &here, &made), SPG_OK);
    test_coo_to_host(context, &made, &coo);
    spg_coo_free(context, &made);
    spg_csr_free(context, &here);
    test_entry *entries = test_csr_entries(matrix);
    assert_int_equal(coo.rows, matrix->rows);
    assert_int_equal(coo.cols, matrix->cols);
    assert_int_equal(coo.nnz, matrix->nnz);
    assert_int_equal(coo.value_type, matrix->value_type);
    for (int64_t k = 0; k < matrix->nnz; ++k)
        if (coo.row_indices[k] != entries[k].row || coo.columns[k] != entries[k].column)
            fail_msg("triple %lld differs", (long long)k);
    assert_memory_equal(coo.values, matrix->nnz > 0 ? matrix->values : coo.values,
                        (size_t)matrix->nnz * spg_type_size(matrix->value_type));
    free(entries);
    spg_coo_free(test_host(), &coo);
}

static void csr_becomes_coo_entry_by_entry(void **state)
{
    (void)state;
    test_for_each_csr(check_from_csr);
}

static void constant_arrays_are_an_operand_without_a_cast(void **state)
{
    (void)state;
    static const int32_t rows[] = {0, 0, 1}, columns[] = {0, 2, 1};
    static const double values[] = {1, 2, 3}, x[] = {1, 10, 100};
    const spg_coo view = spg_coo_view(2, 3, 3, SPG_F64, SPG_PLACE_HOST, rows, columns, values);
    double y[2] = {0, 0};
    assert_int_equal(spg_coo_check(test_host(), &view), SPG_OK);
    assert_int_equal(spg_coo_spmv(test_host(), NULL, &view, x, NULL, y), SPG_OK);
    assert_true(y[0] == 201 && y[1] == 30);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_allocated_matrix_is_counted_and_freed),
        cmocka_unit_test(a_copy_has_the_same_bits),
        cmocka_unit_test(the_transpose_exchanges_rows_and_columns),
        cmocka_unit_test(triples_are_sorted_stably),
        cmocka_unit_test(a_row_that_falls_after_a_higher_column_is_sorted),
        cmocka_unit_test(sorting_needs_no_memory_for_rows_that_hold_nothing),
        cmocka_unit_test(a_product_with_a_vector_sums_in_storage_order),
        cmocka_unit_test(triples_of_the_same_place_are_summed_in_storage_order),
        cmocka_unit_test(a_sum_that_is_zero_stays_and_a_lone_negative_zero_keeps_its_sign),
        cmocka_unit_test(csr_becomes_coo_entry_by_entry),
        cmocka_unit_test(constant_arrays_are_an_operand_without_a_cast),
    };
    return TEST_RUN_HERE(argc, argv, "coo", tests);
}
