/* Diagonals, scaling, parts, dropping and comparison, against plain loops, bit for bit. */
#include "containers.h"
#include "host/by_type.h"
#include "host/value_types.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check_diagonal(spg_context *context, const spg_csr *matrix)
{
    const int64_t count = matrix->rows < matrix->cols ? matrix->rows : matrix->cols;
    const size_t size = spg_type_size(matrix->value_type), bytes = (size_t)count * size;
    char *expected = test_array(count, size), *found = test_array(count, size);
    test_entry *entries = test_csr_entries(matrix);
    test_order_entries(entries, matrix->nnz);
    for (int64_t e = 0, next; e < matrix->nnz; e = next) {
        for (next = e;
             next < matrix->nnz && entries[next].row == entries[e].row && entries[next].column == entries[e].column;)
            ++next;
        if (entries[e].row == entries[e].column)
            test_reference_sum(entries + e, next - e, matrix->values, matrix->value_type,
                               expected + (size_t)entries[e].row * size);
    }
    memset(found, 0xff, bytes);
    void *diagonal = test_lend(found, bytes);
    spg_csr here;
    test_to_place(context, matrix, &here);
    assert_int_equal(spg_csr_diagonal(context, &here, diagonal), SPG_OK);
    test_fetch(diagonal, bytes, found);
    assert_memory_equal(found, expected, bytes);
    spg_csr_free(context, &here);
    test_give_back(diagonal, bytes);
    free(entries);
    free(expected);
    free(found);
}

static void a_diagonal_has_zeros_for_missing_entries_and_sums_of_repeated_ones(void **state)
{
    (void)state;
    test_for_each_csr(check_diagonal);
}

#define TEMPLATE "tests/operations/scale_reference.inc.h"
#include "host/for_each_value_type.h"

/* With factors of the sides that `sides` has: 1 rows, 2 columns. */
static void check_scale_of(spg_context *context, const spg_csr *matrix, int sides)
{
    static void (*const scale[4])(const test_entry *, int64_t, const void *, const void *, void *) =
        BY_VALUE_TYPE(reference_scale);
    const size_t size = spg_type_size(matrix->value_type);
    const size_t row_bytes = (size_t)matrix->rows * size, column_bytes = (size_t)matrix->cols * size;
    char *factors = test_array(matrix->rows + matrix->cols, size);
    test_random_values(4, 0, matrix->value_type, matrix->rows + matrix->cols, factors);
    spg_csr here, expected;
    test_to_place(context, matrix, &here);
    assert_int_equal(spg_csr_copy(test_host(), matrix, &expected), SPG_OK);
    test_entry *entries = test_csr_entries(matrix);
    scale[matrix->value_type](entries, matrix->nnz, sides & 1 ? factors : NULL, sides & 2 ? factors + row_bytes : NULL,
                              expected.values);
    void *rows = test_lend(factors, row_bytes), *columns = test_lend(factors + row_bytes, column_bytes);
    assert_int_equal(spg_csr_scale(context, sides & 1 ? rows : NULL, sides & 2 ? columns : NULL, &here), SPG_OK);
    test_assert_fetched_csr(&here, &expected);
    spg_csr_free(context, &here);
    spg_csr_free(test_host(), &expected);
    test_give_back(rows, row_bytes);
    test_give_back(columns, column_bytes);
    free(entries);
    free(factors);
}

static void check_scale(spg_context *context, const spg_csr *matrix)
{
    for (int sides = 0; sides < 4; ++sides) check_scale_of(context, matrix, sides);
}

static void rows_are_scaled_then_columns(void **state)
{
    (void)state;
    test_for_each_csr(check_scale);
}

/* A sum of two matrices is, place by place, that of the entries of the one, then the other. */
static void check_add(spg_context *context, const spg_csr *matrix)
{
    const size_t size = spg_type_size(matrix->value_type);
    spg_csr turned, here, here_turned, sum;
    spg_csr all = *matrix; /* both matrices' entries, one after the other */
    assert_int_equal(spg_csr_copy(test_host(), matrix, &turned), SPG_OK);
    test_random_values(3, 0, matrix->value_type, matrix->nnz, turned.values);
    for (int64_t k = 0; k < turned.nnz; ++k) turned.columns[k] = (int32_t)matrix->cols - 1 - turned.columns[k];
    test_entry *entries = test_array(2 * matrix->nnz, sizeof *entries), *first = test_csr_entries(matrix);
    test_entry *second = test_csr_entries(&turned);
    all.values = test_array(2 * matrix->nnz, size);
    char *sums = test_array(2 * matrix->nnz, size);
    for (int64_t k = 0; k < matrix->nnz; ++k) {
        entries[k] = first[k];
        entries[matrix->nnz + k] = (test_entry){second[k].row, second[k].column, matrix->nnz + k};
    }
    if (matrix->nnz > 0) {
        memcpy(all.values, matrix->values, (size_t)matrix->nnz * size);
        memcpy((char *)all.values + (size_t)matrix->nnz * size, turned.values, (size_t)matrix->nnz * size);
    }
    test_order_entries(entries, 2 * matrix->nnz);
    int64_t places = 0;
    for (int64_t e = 0, next; e < 2 * matrix->nnz; e = next) {
        for (next = e; next < 2 * matrix->nnz && entries[next].row == entries[e].row &&
                       entries[next].column == entries[e].column;)
            ++next;
        test_reference_sum(entries + e, next - e, all.values, matrix->value_type, sums + (size_t)places * size);
        entries[places] = (test_entry){entries[e].row, entries[e].column, places};
        ++places;
    }
    test_to_place(context, matrix, &here);
    test_to_place(context, &turned, &here_turned);
    assert_int_equal(spg_csr_add(context, NULL, &here, NULL, &here_turned, &sum), SPG_OK);
    test_assert_csr_entries(&sum, entries, places, sums);
    spg_csr_free(context, &sum);
    spg_csr_free(context, &here);
    spg_csr_free(context, &here_turned);
    spg_csr_free(test_host(), &turned);
    free(all.values);
    free(sums);
    free(entries);
    free(first);
    free(second);
}

static void a_sum_adds_the_entries_of_a_place_in_order(void **state)
{
    (void)state;
    test_for_each_csr(check_add);
}

/* Rows of which some are named twice, and every second column from the last on. */
static void check_extract(spg_context *context, const spg_csr *matrix)
{
    const int64_t row_count = matrix->rows > 0 ? matrix->rows / 2 + 3 : 0, column_count = matrix->cols / 2;
    int32_t *rows = test_array(row_count, sizeof *rows), *columns = test_array(column_count, sizeof *columns);
    uint64_t random = 3;
    int64_t nnz = 0, most = 0;
    for (int64_t i = 0; i < row_count; ++i) {
        rows[i] = (int32_t)(test_random(&random) % (uint64_t)matrix->rows);
        most += test_offset(matrix, rows[i] + 1) - test_offset(matrix, rows[i]);
    }
    for (int64_t j = 0; j < column_count; ++j) columns[j] = (int32_t)(matrix->cols - 1 - 2 * j);
    test_entry *entries = test_array(most, sizeof *entries);
    for (int64_t i = 0; i < row_count; ++i)
        for (int64_t k = test_offset(matrix, rows[i]); k < test_offset(matrix, rows[i] + 1); ++k) {
            const int64_t from_last = matrix->cols - 1 - matrix->columns[k];
            if (from_last % 2 == 0 && from_last / 2 < column_count) entries[nnz++] = (test_entry){i, from_last / 2, k};
        }
    test_order_entries(entries, nnz);
    const size_t row_bytes = (size_t)row_count * sizeof *rows, column_bytes = (size_t)column_count * sizeof *columns;
    const spg_indices row_list = {0, row_count, test_lend(rows, row_bytes)};
    const spg_indices column_list = {0, column_count, test_lend(columns, column_bytes)};
    spg_csr here, part;
    test_to_place(context, matrix, &here);
    assert_int_equal(spg_csr_extract(context, &here, &row_list, &column_list, &part), SPG_OK);
    assert_int_equal(part.rows, row_count);
    assert_int_equal(part.cols, column_count);
    test_assert_csr_entries(&part, entries, nnz, matrix->values);
    spg_csr_free(context, &part);
    spg_csr_free(context, &here);
    test_give_back((void *)(uintptr_t)row_list.indices, row_bytes);
    test_give_back((void *)(uintptr_t)column_list.indices, column_bytes);
    free(rows);
    free(columns);
    free(entries);
}

static void a_part_has_the_rows_and_columns_of_its_lists(void **state)
{
    (void)state;
    test_for_each_csr(check_extract);
}

static void check_ranges(spg_context *context, const spg_csr *matrix)
{
    const spg_indices rows = {matrix->rows / 3, matrix->rows / 2, NULL};
    const spg_indices columns = {matrix->cols / 4, matrix->cols / 2, NULL};
    test_entry *entries = test_csr_entries(matrix);
    int64_t nnz = 0;
    for (int64_t k = 0; k < matrix->nnz; ++k) {
        const int64_t i = entries[k].row - rows.first, j = entries[k].column - columns.first;
        if (i >= 0 && i < rows.count && j >= 0 && j < columns.count) entries[nnz++] = (test_entry){i, j, k};
    }
    test_order_entries(entries, nnz);
    spg_csr here, part;
    test_to_place(context, matrix, &here);
    assert_int_equal(spg_csr_extract(context, &here, &rows, &columns, &part), SPG_OK);
    assert_int_equal(part.rows, rows.count);
    assert_int_equal(part.cols, columns.count);
    test_assert_csr_entries(&part, entries, nnz, matrix->values);
    spg_csr_free(context, &part);
    free(entries);
    entries = test_csr_entries(matrix);
    test_order_entries(entries, matrix->nnz);
    assert_int_equal(spg_csr_extract(context, &here, NULL, NULL, &part), SPG_OK);
    test_assert_csr_entries(&part, entries, matrix->nnz, matrix->values);
    spg_csr_free(context, &part);
    spg_csr_free(context, &here);
    free(entries);
}

static void a_part_has_the_rows_and_columns_of_its_ranges(void **state)
{
    (void)state;
    test_for_each_csr(check_ranges);
}

/* [[4 -1 0.5 | .] [. 0 nan] [8 1 8]] with an entry on the diagonal that is small; row 2 is unsorted. */
static void small_entries_are_dropped_by_the_rule(void **state)
{
    (void)state;
    int32_t offsets[] = {0, 3, 5, 8}, columns[] = {0, 1, 2, 1, 2, 2, 0, 1};
    double values[] = {4, -1, 0.5, 0, NAN, 1, -8, 2};
    const spg_csr matrix = {3, 3, 8, SPG_I32, SPG_F64, SPG_PLACE_HOST, offsets, columns, values};
    const struct {
        spg_drop_rule rule;
        int kept[8]; /* by entry */
    } cases[] = {{{0, 0, 0}, {1, 1, 1, 0, 1, 1, 1, 1}},    {{1, 0, 0}, {1, 0, 0, 0, 1, 0, 1, 1}},
                 {{1, 0, 1}, {1, 0, 0, 1, 1, 1, 1, 1}},    {{0, 0.25, 0}, {1, 1, 0, 0, 1, 0, 1, 1}},
                 {{0, 0.25, 1}, {1, 1, 0, 1, 1, 1, 1, 1}}, {{2, 1, 0}, {1, 0, 0, 0, 1, 0, 1, 0}}};
    spg_context *context = test_context_at_place(1);
    spg_csr here, kept;
    test_to_place(context, &matrix, &here);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        test_entry *all = test_csr_entries(&matrix);
        int64_t nnz = 0;
        for (int k = 0; k < 8; ++k)
            if (cases[c].kept[k]) all[nnz++] = all[k];
        assert_int_equal(spg_csr_drop(context, &here, &cases[c].rule, &kept), SPG_OK);
        test_assert_csr_entries(&kept, all, nnz, values);
        spg_csr_free(context, &kept);
        free(all);
    }
    spg_csr_free(context, &here);
    spg_context_destroy(context);
}

/* What comparing two 2 x 3 matrices of four and `nnz` entries must give. */
static void assert_difference(const int32_t *columns, const double *values, int64_t middle, int64_t nnz,
                              spg_difference expected)
{
    int32_t a_offsets[] = {0, 2, 4}, a_columns[] = {0, 2, 2, 1};
    double a_values[] = {1, -2, 3, INFINITY};
    int64_t b_offsets[] = {0, middle, nnz};
    int32_t b_columns[8];
    double b_values[8];
    memcpy(b_columns, columns, (size_t)nnz * sizeof *columns);
    memcpy(b_values, values, (size_t)nnz * sizeof *values);
    const spg_csr A = {2, 3, 4, SPG_I32, SPG_F64, SPG_PLACE_HOST, a_offsets, a_columns, a_values};
    const spg_csr B = {2, 3, nnz, SPG_I64, SPG_F64, SPG_PLACE_HOST, b_offsets, b_columns, b_values};
    spg_context *context = test_context_at_place(1);
    spg_csr here_a, here_b;
    spg_difference found;
    test_to_place(context, &A, &here_a);
    test_to_place(context, &B, &here_b);
    for (int turned = 0; turned < 2; ++turned) {
        memset(&found, 0xff, sizeof found);
        assert_int_equal(spg_csr_compare(context, turned ? &here_b : &here_a, turned ? &here_a : &here_b, &found),
                         SPG_OK);
        assert_int_equal(found.same_pattern, expected.same_pattern);
        assert_int_equal(found.same_values, expected.same_values);
        assert_int_equal(found.row, expected.row);
        assert_int_equal(found.column, expected.column);
        assert_true(isnan(expected.absolute) ? isnan(found.absolute) : found.absolute == expected.absolute);
        assert_true(isnan(expected.relative) ? isnan(found.relative) : found.relative == expected.relative);
    }
    spg_csr_free(context, &here_a);
    spg_csr_free(context, &here_b);
    spg_context_destroy(context);
}

static void matrices_are_compared_by_pattern_and_values(void **state)
{
    (void)state;
    const spg_difference same = {1, 1, -1, -1, 0, 0};
    assert_difference((int32_t[]){2, 0, 1, 2}, (double[]){-2, 1, INFINITY, 3}, 2, 4, same);       /* unsorted */
    assert_difference((int32_t[]){2, 0, 2, 1, 2}, (double[]){-3, 1, 1, INFINITY, 3}, 3, 5, same); /* repeated */
    assert_difference((int32_t[]){0, 2, 1, 2}, (double[]){1, -2, INFINITY, 4}, 2, 4,
                      (spg_difference){1, 0, 1, 2, 1, 0.25});
    assert_difference((int32_t[]){0, 2, 1, 2}, (double[]){1, 2, INFINITY, 4}, 2, 4, (spg_difference){1, 0, 0, 2, 4, 2});
    assert_difference((int32_t[]){0, 1, 2, 1, 2}, (double[]){1, 0, -2, INFINITY, 3}, 3, 5, /* a zero more */
                      (spg_difference){0, 1, -1, -1, 0, 0});
    assert_difference((int32_t[]){2, 1, 2}, (double[]){-2, INFINITY, 3}, 1, 3, (spg_difference){0, 0, 0, 0, 1, 1});
    assert_difference((int32_t[]){0, 2, 1, 2}, (double[]){1, -2, 5, 3}, 2, 4,
                      (spg_difference){1, 0, 1, 1, INFINITY, INFINITY});
    assert_difference((int32_t[]){0, 2, 1, 2}, (double[]){NAN, -2, 5, 3}, 2, 4, (spg_difference){1, 0, 0, 0, NAN, NAN});
}

/* What comparing two numbers must give, as matrices of one entry. */
static void assert_numbers_differ(spg_type type, const void *a, const void *b, double absolute, double relative)
{
    int32_t offsets[] = {0, 1}, column = 0;
    char values[2][16];
    spg_csr here[2];
    spg_difference found;
    spg_context *context = test_context_at_place(1);
    for (int k = 0; k < 2; ++k) {
        memcpy(values[k], k == 0 ? a : b, type == SPG_C64 ? sizeof values[k] : sizeof(double));
        const spg_csr matrix = {1, 1, 1, SPG_I32, type, SPG_PLACE_HOST, offsets, &column, values[k]};
        test_to_place(context, &matrix, &here[k]);
    }
    assert_int_equal(spg_csr_compare(context, &here[0], &here[1], &found), SPG_OK);
    assert_true(found.absolute == absolute);
    assert_true(fabs(found.relative - relative) <= 1e-12 * relative);
    for (int k = 0; k < 2; ++k) spg_csr_free(context, &here[k]);
    spg_context_destroy(context);
}

static void relative_differences_of_huge_numbers_do_not_overflow(void **state)
{
    (void)state;
    const double huge = 1.5 * 0x1p1023, less = 1.25 * 0x1p1023, minus = -huge;
    assert_numbers_differ(SPG_F64, &huge, &minus, INFINITY, 2);
    assert_numbers_differ(SPG_F64, &huge, &less, 0x1p1021, 1.0 / 6);
    const double one[] = {huge, huge}, other[] = {huge, less}, opposite[] = {minus, minus};
    assert_numbers_differ(SPG_C64, one, other, 0x1p1021, 1 / sqrt(72));
    assert_numbers_differ(SPG_C64, one, opposite, INFINITY, 2);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_diagonal_has_zeros_for_missing_entries_and_sums_of_repeated_ones),
        cmocka_unit_test(rows_are_scaled_then_columns),
        cmocka_unit_test(a_sum_adds_the_entries_of_a_place_in_order),
        cmocka_unit_test(a_part_has_the_rows_and_columns_of_its_lists),
        cmocka_unit_test(a_part_has_the_rows_and_columns_of_its_ranges),
        cmocka_unit_test(small_entries_are_dropped_by_the_rule),
        cmocka_unit_test(matrices_are_compared_by_pattern_and_values),
        cmocka_unit_test(relative_differences_of_huge_numbers_do_not_overflow),
    };
    return TEST_RUN_HERE(argc, argv, "operations", tests);
}
