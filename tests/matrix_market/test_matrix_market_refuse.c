/* What is no Matrix Market file is refused by name, line and fault, and misuse by its argument. */
#define _XOPEN_SOURCE 700
#include "matrix_market_oracle.h"
#include "test_support.h"

#include "context.h"
#include "matrices_for_tests.h"
#include "scratch.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* An invalid file, the line at fault, and what the message says of it. */
typedef struct fault {
    const char *name;
    spg_status status;
    int line;
    const char *says;
} fault;

static const fault faults[] = {
    {"array_entries_extra", SPG_ERROR_FORMAT, 5, "after the last of 2"},
    {"array_entries_missing", SPG_ERROR_FORMAT, 4, "ends after 2 of 4"},
    {"array_hermitian_complex_diagonal", SPG_ERROR_FORMAT, 5, "imaginary part '1e-9'"},
    {"array_huge", SPG_ERROR_FORMAT, 2, "ends after 0 of"},
    {"array_missing_imaginary", SPG_ERROR_FORMAT, 3, "lacks a value"},
    {"array_past_int32", SPG_ERROR_OVERFLOW, 2, "99999999999"},
    {"array_symmetric_with_both_triangles", SPG_ERROR_FORMAT, 6, "after the last of 3"},
    {"array_two_values_in_line", SPG_ERROR_FORMAT, 3, "'2' where the line should end"},
    {"array_value_word", SPG_ERROR_FORMAT, 4, "'two'"},
    {"banner_array_pattern", SPG_ERROR_FORMAT, 1, "array pattern"},
    {"banner_extra_word", SPG_ERROR_FORMAT, 1, "'row-major'"},
    {"banner_field_prefix", SPG_ERROR_FORMAT, 1, "'realistic'"},
    {"banner_glued", SPG_ERROR_FORMAT, 1, "does not begin"},
    {"banner_indented", SPG_ERROR_FORMAT, 1, "does not begin"},
    {"banner_integer_hermitian", SPG_ERROR_FORMAT, 1, "integer hermitian"},
    {"banner_misspelt", SPG_ERROR_FORMAT, 1, "does not begin"},
    {"banner_nul_byte", SPG_ERROR_FORMAT, 1, "NUL"},
    {"banner_on_line_2", SPG_ERROR_FORMAT, 1, "does not begin"},
    {"banner_one_percent", SPG_ERROR_FORMAT, 1, "does not begin"},
    {"banner_only", SPG_ERROR_FORMAT, 1, "before its size line"},
    {"banner_pattern_hermitian", SPG_ERROR_FORMAT, 1, "pattern hermitian"},
    {"banner_pattern_skew_symmetric", SPG_ERROR_FORMAT, 1, "pattern skew-symmetric"},
    {"banner_real_hermitian", SPG_ERROR_FORMAT, 1, "real hermitian"},
    {"banner_short", SPG_ERROR_FORMAT, 1, "banner ends"},
    {"banner_unknown_field", SPG_ERROR_FORMAT, 1, "'quaternion'"},
    {"banner_unknown_format", SPG_ERROR_FORMAT, 1, "'compressed'"},
    {"banner_unknown_symmetry", SPG_ERROR_FORMAT, 1, "'skewed'"},
    {"banner_vector", SPG_ERROR_FORMAT, 1, "'vector'"},
    {"byte_order_mark", SPG_ERROR_FORMAT, 1, "does not begin"},
    {"comment_nul_byte", SPG_ERROR_FORMAT, 2, "NUL"},
    {"empty", SPG_ERROR_FORMAT, 1, "empty"},
    {"entries_extra", SPG_ERROR_FORMAT, 5, "after the last of 2"},
    {"entries_extra_after_comment", SPG_ERROR_FORMAT, 6, "'end' after the last of 1"},
    {"entries_extra_in_empty", SPG_ERROR_FORMAT, 3, "after the last of 0"},
    {"entries_missing", SPG_ERROR_FORMAT, 4, "ends after 2 of 3"},
    {"entries_missing_all", SPG_ERROR_FORMAT, 5, "ends after 0 of 3"},
    {"form_feed", SPG_ERROR_FORMAT, 3, "'?5'"},
    {"hermitian_complex_diagonal", SPG_ERROR_FORMAT, 3, "imaginary part '0.5'"},
    {"hermitian_upper_entry", SPG_ERROR_FORMAT, 3, "(1, 2) is above the diagonal, but"},
    {"index_column_past_columns", SPG_ERROR_FORMAT, 3, "column index '3' is outside 1 to 2"},
    {"index_exponent", SPG_ERROR_FORMAT, 3, "'1e1' is not an integer"},
    {"index_fractional_column", SPG_ERROR_FORMAT, 3, "column index '1.0' is not an integer"},
    {"index_fractional_row", SPG_ERROR_FORMAT, 3, "row index '1.5' is not an integer"},
    {"index_hexadecimal", SPG_ERROR_FORMAT, 3, "'0x2' is not an integer"},
    {"index_missing_column", SPG_ERROR_FORMAT, 3, "lacks its column"},
    {"index_negative_column", SPG_ERROR_FORMAT, 3, "column index '-1'"},
    {"index_negative_row", SPG_ERROR_FORMAT, 3, "row index '-1'"},
    {"index_past_int32", SPG_ERROR_FORMAT, 3, "'4294967297' is outside"},
    {"index_past_int64", SPG_ERROR_FORMAT, 3, "'18446744073709551617' is outside"},
    {"index_row_past_rows", SPG_ERROR_FORMAT, 3, "row index '3' is outside 1 to 2"},
    {"index_word", SPG_ERROR_FORMAT, 3, "'one' is not an integer"},
    {"index_zero_based", SPG_ERROR_FORMAT, 3, "row index '0'"},
    {"index_zero_column", SPG_ERROR_FORMAT, 4, "column index '0'"},
    {"index_zero_row", SPG_ERROR_FORMAT, 4, "row index '0'"},
    {"integer_exponent", SPG_ERROR_FORMAT, 3, "'1e3' of an integer"},
    {"integer_fractional", SPG_ERROR_FORMAT, 3, "'1.5' of an integer"},
    {"integer_missing", SPG_ERROR_FORMAT, 3, "lacks a value"},
    {"integer_past_double", SPG_ERROR_OVERFLOW, 3, "'9007199254740993' is past 2^53"},
    {"integer_past_int64", SPG_ERROR_OVERFLOW, 3, "is past 2^53"},
    {"integer_with_point", SPG_ERROR_FORMAT, 3, "'1.' of an integer"},
    {"integer_word", SPG_ERROR_FORMAT, 3, "'x' of an integer"},
    {"line_too_long", SPG_ERROR_FORMAT, 4, "1025 characters"},
    {"no_banner", SPG_ERROR_FORMAT, 1, "does not begin"},
    {"old_mac_line_ends", SPG_ERROR_FORMAT, 1, "where the line should end"},
    {"size_columns_past_int32", SPG_ERROR_OVERFLOW, 2, "'2147483648'"},
    {"size_entries_huge", SPG_ERROR_FORMAT, 3, "ends after 1 of"},
    {"size_entries_of_forty_digits", SPG_ERROR_OVERFLOW, 2, "number of entries"},
    {"size_entries_past_int64", SPG_ERROR_OVERFLOW, 2, "'9223372036854775808'"},
    {"size_entries_without_rows", SPG_ERROR_FORMAT, 2, "1 entries in a matrix of 0 x 2"},
    {"size_expanded_entries_past_int64", SPG_ERROR_OVERFLOW, 2, "'5000000000000000000'"},
    {"size_exponent", SPG_ERROR_FORMAT, 2, "'2e0'"},
    {"size_extra_number", SPG_ERROR_FORMAT, 2, "'0' where the line should end"},
    {"size_extra_number_of_array", SPG_ERROR_FORMAT, 2, "'2' where the line should end"},
    {"size_fractional", SPG_ERROR_FORMAT, 3, "'2.5'"},
    {"size_lacks_columns", SPG_ERROR_FORMAT, 2, "number of columns"},
    {"size_lacks_entries", SPG_ERROR_FORMAT, 2, "number of entries"},
    {"size_line_too_long", SPG_ERROR_FORMAT, 2, "1025 characters"},
    {"size_missing", SPG_ERROR_FORMAT, 3, "before its size line"},
    {"size_negative_columns", SPG_ERROR_FORMAT, 2, "negative"},
    {"size_negative_entries", SPG_ERROR_FORMAT, 2, "negative"},
    {"size_negative_rows", SPG_ERROR_FORMAT, 2, "negative"},
    {"size_not_square_hermitian", SPG_ERROR_FORMAT, 2, "not square"},
    {"size_not_square_skew_symmetric", SPG_ERROR_FORMAT, 2, "not square"},
    {"size_not_square_symmetric", SPG_ERROR_FORMAT, 2, "not square"},
    {"size_rows_past_int32", SPG_ERROR_OVERFLOW, 2, "'2147483648'"},
    {"size_word", SPG_ERROR_FORMAT, 2, "'two'"},
    {"skew_symmetric_diagonal", SPG_ERROR_FORMAT, 3, "(2, 2) is on the diagonal, which"},
    {"skew_symmetric_upper_entry", SPG_ERROR_FORMAT, 3, "(1, 2) is above the diagonal, but"},
    {"skew_symmetric_zero_diagonal", SPG_ERROR_FORMAT, 3, "(2, 2) is on the diagonal, which"},
    {"symmetric_upper_entry", SPG_ERROR_FORMAT, 4, "(1, 2) is above the diagonal, but"},
    {"truncated_between_lines", SPG_ERROR_FORMAT, 4, "ends after 2 of 3"},
    {"truncated_complex_value", SPG_ERROR_FORMAT, 3, "lacks a value"},
    {"truncated_index", SPG_ERROR_FORMAT, 4, "lacks its column"},
    {"truncated_value", SPG_ERROR_FORMAT, 4, "'-'"},
    {"value_before_comment", SPG_ERROR_FORMAT, 3, "'%' where the line should end"},
    {"value_comma", SPG_ERROR_FORMAT, 3, "'1,5'"},
    {"value_exponent_only", SPG_ERROR_FORMAT, 3, "'e5'"},
    {"value_exponent_sign_only", SPG_ERROR_FORMAT, 3, "'5e+'"},
    {"value_exponent_without_digits", SPG_ERROR_FORMAT, 3, "'5e'"},
    {"value_extra", SPG_ERROR_FORMAT, 3, "'6' where the line should end"},
    {"value_extra_complex", SPG_ERROR_FORMAT, 3, "'7' where the line should end"},
    {"value_fortran_exponent", SPG_ERROR_FORMAT, 3, "'5d0'"},
    {"value_hexadecimal", SPG_ERROR_FORMAT, 3, "'0x1p3'"},
    {"value_in_pattern", SPG_ERROR_FORMAT, 3, "'5' where the line should end"},
    {"value_infinity", SPG_ERROR_FORMAT, 3, "'inf'"},
    {"value_long_word", SPG_ERROR_FORMAT, 3, "zzz...'"},
    {"value_minus_infinity", SPG_ERROR_FORMAT, 3, "'-Infinity'"},
    {"value_missing", SPG_ERROR_FORMAT, 4, "lacks a value"},
    {"value_missing_imaginary", SPG_ERROR_FORMAT, 3, "lacks a value"},
    {"value_nan", SPG_ERROR_FORMAT, 3, "'nan'"},
    {"value_not_ascii", SPG_ERROR_FORMAT, 3, "'\?\?\?'"},
    {"value_nul_byte", SPG_ERROR_FORMAT, 3, "NUL"},
    {"value_past_double", SPG_ERROR_OVERFLOW, 4, "'1e309' is past"},
    {"value_past_double_in_digits", SPG_ERROR_OVERFLOW, 3, "past the range"},
    {"value_point_only", SPG_ERROR_FORMAT, 3, "'.'"},
    {"value_sign_only", SPG_ERROR_FORMAT, 3, "'-'"},
    {"value_trailing_letter", SPG_ERROR_FORMAT, 3, "'5x'"},
    {"value_two_points", SPG_ERROR_FORMAT, 3, "'1.2.3'"},
    {"value_two_signs", SPG_ERROR_FORMAT, 3, "'--5'"},
    {"value_word", SPG_ERROR_FORMAT, 3, "'abc'"},
};

enum { FAULTS = sizeof faults / sizeof faults[0] };

static void assert_nothing_held(const spg_context *context)
{
    int64_t current = -1;
    spg_context_memory(context, &current, NULL);
    assert_int_equal(current, 0);
}

static void every_invalid_file_is_refused_with_its_name_its_line_and_its_fault(void **state)
{
    (void)state;
    spg_context *context = oracle_context();
    for (int k = 0; k < FAULTS; ++k) {
        char path[1024], place[128];
        snprintf(path, sizeof path, INVALID "%s.mtx", faults[k].name);
        snprintf(place, sizeof place, "%s.mtx, line %d: ", faults[k].name, faults[k].line);
        spg_csr matrix;
        spg_status status = spg_read_matrix_market(context, path, &matrix);
        if (status != faults[k].status)
            fail_msg("%s: %s, %s", faults[k].name, spg_status_name(status), spg_context_message(context));
        test_assert_message(context, place);
        test_assert_message(context, faults[k].says);
        test_assert_zeroed(&matrix, sizeof matrix);
        assert_nothing_held(context);
    }
    spg_context_destroy(context);
}

static void expect_among_faults(const char *path, const char *name, void *user)
{
    (void)path, (void)user;
    bool found = false;
    for (int k = 0; k < FAULTS; ++k) {
        size_t length = strlen(faults[k].name);
        found = found || (strncmp(name, faults[k].name, length) == 0 && strcmp(name + length, ".mtx") == 0);
    }
    if (!found) fail_msg("%s is not among the faults of this test", name);
}

static void no_invalid_file_is_left_out(void **state)
{
    (void)state;
    assert_int_equal(oracle_each_file(INVALID, expect_among_faults, NULL), FAULTS);
}

static void a_dense_reader_refuses_the_same_arrays_and_every_coordinate_file(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        spg_status status;
        const char *says;
    } cases[] = {{INVALID "array_value_word.mtx", SPG_ERROR_FORMAT, "array_value_word.mtx, line 4"},
                 {INVALID "array_entries_missing.mtx", SPG_ERROR_FORMAT, "array_entries_missing.mtx, line 4"},
                 {INVALID "array_huge.mtx", SPG_ERROR_FORMAT, "array_huge.mtx, line 2"},
                 {INVALID "array_past_int32.mtx", SPG_ERROR_OVERFLOW, "array_past_int32.mtx, line 2"},
                 {TINY "real_general.mtx", SPG_ERROR_FORMAT, "real_general.mtx, line 1: a coordinate file"},
                 {TINY "none.mtx", SPG_ERROR_IO, "none.mtx: cannot be opened"}};
    spg_context *context = oracle_context();
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        spg_dense matrix;
        assert_int_equal(spg_read_matrix_market_dense(context, cases[k].path, &matrix), cases[k].status);
        test_assert_message(context, cases[k].says);
        test_assert_zeroed(&matrix, sizeof matrix);
        assert_nothing_held(context);
    }
    spg_context_destroy(context);
}

static void what_cannot_be_read_is_refused_with_its_name_and_the_reason(void **state)
{
    (void)state;
    static const struct {
        const char *path, *says, *reason;
    } cases[] = {{"/none/such.mtx", "/none/such.mtx", "No such file"},
                 {"", ": cannot be opened", "No such file"},
                 {TINY, "tiny/: cannot be read", "directory"},
                 {TINY "real_general.mtx/x", "real_general.mtx/x", "Not a directory"},
                 {"/proc/self/mem", "/proc/self/mem: cannot be read", "error"}};
    spg_context *context = oracle_context();
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        if (strncmp(cases[k].path, "/proc", 5) == 0 && access(cases[k].path, R_OK) != 0) continue;
        spg_csr matrix;
        assert_int_equal(spg_read_matrix_market(context, cases[k].path, &matrix), SPG_ERROR_IO);
        test_assert_message(context, cases[k].says);
        test_assert_message(context, cases[k].reason);
        test_assert_zeroed(&matrix, sizeof matrix);
    }
    spg_context_destroy(context);
}

/* Root may read all files: then there is nothing to see. */
static void a_file_without_permission_is_refused(void **state)
{
    (void)state;
    char path[TEST_PATH];
    const int file = test_new_file(path);
    assert_int_equal(fchmod(file, 0), 0);
    close(file);
    bool readable = access(path, R_OK) == 0;
    spg_context *context = oracle_context();
    spg_csr matrix;
    spg_status status = spg_read_matrix_market(context, path, &matrix);
    unlink(path);
    if (!readable) test_assert_message(context, "ermission");
    spg_context_destroy(context);
    if (readable) skip();
    assert_int_equal(status, SPG_ERROR_IO);
}

static void a_message_keeps_the_name_of_a_file_deep_in_folders(void **state)
{
    (void)state;
    char path[2200] = INVALID;
    for (int k = 0; k < 300; ++k) strcat(path, "./");
    strcat(path, "value_word.mtx");
    spg_context *context = oracle_context();
    spg_csr matrix;
    assert_int_equal(spg_read_matrix_market(context, path, &matrix), SPG_ERROR_FORMAT);
    test_assert_message(context, "value_word.mtx, line 3: the value 'abc'");
    spg_context_destroy(context);
}

static void null_arguments_are_refused_by_name(void **state)
{
    (void)state;
    spg_context *context = oracle_context();
    spg_csr matrix = {.rows = 7};
    spg_dense dense = {.rows = 7};
    assert_int_equal(spg_read_matrix_market(NULL, TINY "real_general.mtx", &matrix), SPG_ERROR_ARGUMENT);
    test_assert_zeroed(&matrix, sizeof matrix);
    assert_int_equal(spg_read_matrix_market(context, NULL, &matrix), SPG_ERROR_ARGUMENT);
    test_assert_message(context, "path is NULL");
    assert_int_equal(spg_read_matrix_market(context, TINY "real_general.mtx", NULL), SPG_ERROR_ARGUMENT);
    test_assert_message(context, "matrix is NULL");
    assert_int_equal(spg_read_matrix_market_dense(NULL, TINY "array_real_general.mtx", &dense), SPG_ERROR_ARGUMENT);
    test_assert_zeroed(&dense, sizeof dense);
    assert_int_equal(spg_read_matrix_market_dense(context, NULL, &dense), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_read_matrix_market_dense(context, TINY "array_real_general.mtx", NULL), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_write_matrix_market(NULL, "none", &matrix), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_write_matrix_market(context, NULL, &matrix), SPG_ERROR_ARGUMENT);
    test_assert_message(context, "path is NULL");
    assert_int_equal(spg_write_matrix_market(context, "none", NULL), SPG_ERROR_ARGUMENT);
    spg_dense_free(NULL, &dense);
    spg_dense_free(context, NULL);
    spg_dense_free(context, &dense);
    spg_context_destroy(context);
}

/* A context that is on a device as far as it tells: its arrays are not read, so none is needed. */
static void a_context_on_a_device_is_refused(void **state)
{
    (void)state;
    const char *const path = "no_such_folder/none.mtx"; /* which nothing writes */
    int32_t offsets[] = {0, 1}, columns[] = {0};
    double values[] = {1};
    const spg_csr matrix = {1, 1, 1, SPG_I32, SPG_F64, SPG_PLACE_DEVICE, offsets, columns, values};
    const spg_dense dense = {1, 1, SPG_F64, values};
    spg_csr read;
    spg_dense read_dense;
    spg_context *context = oracle_context();
    context->config.place = SPG_PLACE_DEVICE;
    const spg_status found[] = {spg_write_matrix_market(context, path, &matrix),
                                spg_write_matrix_market_dense(context, path, &dense),
                                spg_read_matrix_market(context, TINY "real_general.mtx", &read),
                                spg_read_matrix_market_dense(context, TINY "array_real_general.mtx", &read_dense)};
    for (int k = 0; k < 4; ++k) assert_int_equal(found[k], SPG_ERROR_PLACE);
    context->config.place = SPG_PLACE_HOST;
    assert_int_equal(spg_write_matrix_market(context, path, &matrix), SPG_ERROR_PLACE);
    spg_context_destroy(context);
}

static void a_matrix_larger_than_memory_is_refused(void **state)
{
    (void)state;
    char path[TEST_PATH];
    const int file = test_new_file(path);
    FILE *text = fdopen(file, "w");
    fputs("%%MatrixMarket matrix coordinate real general\n2147483647 2147483647 1\n1 1 5\n", text);
    fclose(text);
    spg_context *context = oracle_frugal_context();
    spg_csr matrix;
    spg_status status = spg_read_matrix_market(context, path, &matrix);
    unlink(path);
    assert_int_equal(status, SPG_ERROR_MEMORY);
    test_assert_zeroed(&matrix, sizeof matrix);
    assert_nothing_held(context);
    spg_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_invalid_file_is_refused_with_its_name_its_line_and_its_fault),
        cmocka_unit_test(no_invalid_file_is_left_out),
        cmocka_unit_test(a_dense_reader_refuses_the_same_arrays_and_every_coordinate_file),
        cmocka_unit_test(what_cannot_be_read_is_refused_with_its_name_and_the_reason),
        cmocka_unit_test(a_file_without_permission_is_refused),
        cmocka_unit_test(a_message_keeps_the_name_of_a_file_deep_in_folders),
        cmocka_unit_test(null_arguments_are_refused_by_name),
        cmocka_unit_test(a_context_on_a_device_is_refused),
        cmocka_unit_test(a_matrix_larger_than_memory_is_refused),
    };
    oracle_enter_tree();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
