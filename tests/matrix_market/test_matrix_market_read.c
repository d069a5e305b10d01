/* What valid Matrix Market files mean. */
#define _XOPEN_SOURCE 700
#include "matrix_market_oracle.h"
#include "test_support.h"

#include "matrices_for_tests.h"
#include "real_matrices.h"
#include "scratch.h"

#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 12 };

/* A fixture and, by hand, what it holds. Values: real, or real and imaginary parts in turn. */
typedef struct fixture {
    const char *name;
    int64_t rows, cols, nnz;
    spg_type value_type;
    int32_t offsets[5];
    int32_t columns[MOST];
    double values[2 * MOST];
} fixture;

static const fixture fixtures[] = {
    {"real_general", 3, 4, 5, SPG_F64, {0, 2, 3, 5}, {0, 3, 2, 1, 3}, {1.5, -7, -2.25, 1000, 0.125}},
    {"real_symmetric", 3, 3, 6, SPG_F64, {0, 2, 4, 6}, {0, 1, 0, 2, 1, 2}, {2.5, -1.5, -1.5, 0.75, 0.75, 4}},
    {"real_skew_symmetric", 3, 3, 4, SPG_F64, {0, 2, 3, 4}, {1, 2, 0, 0}, {-1.5, 2.5, 1.5, -2.5}},
    {"integer_general", 2, 3, 4, SPG_F64, {0, 2, 4}, {0, 2, 1, 2}, {7, -3, 0, 9007199254740992}},
    {"integer_symmetric", 2, 2, 3, SPG_F64, {0, 2, 3}, {0, 1, 0}, {4, -1, -1}},
    {"integer_skew_symmetric", 2, 2, 2, SPG_F64, {0, 1, 2}, {1, 0}, {-5, 5}},
    {"complex_general", 2, 3, 3, SPG_C64, {0, 2, 3}, {0, 2, 1}, {1, 2, -0.5, 0, 0, -3.5}},
    {"complex_symmetric", 2, 2, 3, SPG_C64, {0, 2, 3}, {0, 1, 0}, {1, 2, 3, -4, 3, -4}},
    {"complex_skew_symmetric", 2, 2, 2, SPG_C64, {0, 1, 2}, {1, 0}, {-3, 4, 3, -4}},
    {"complex_hermitian",
     3,
     3,
     6,
     SPG_C64,
     {0, 2, 4, 6},
     {0, 1, 0, 2, 1, 2},
     {2, 0, 1, 1, 1, -1, 0.5, -4, 0.5, 4, -1, 0}},
    {"pattern_general", 3, 2, 3, SPG_F64, {0, 1, 2, 3}, {1, 1, 0}, {1, 1, 1}},
    {"pattern_symmetric", 3, 3, 6, SPG_F64, {0, 3, 4, 6}, {0, 1, 2, 0, 0, 2}, {1, 1, 1, 1, 1, 1}},
    {"array_real_general", 3, 2, 6, SPG_F64, {0, 2, 4, 6}, {0, 1, 0, 1, 0, 1}, {1, -4, 2, 0, 3, 6.5}},
    {"array_real_symmetric", 3, 3, 9, SPG_F64, {0, 3, 6, 9}, {0, 1, 2, 0, 1, 2, 0, 1, 2}, {1, 2, 3, 2, 4, 5, 3, 5, 6}},
    {"array_real_skew_symmetric", 3, 3, 6, SPG_F64, {0, 2, 4, 6}, {1, 2, 0, 2, 0, 1}, {-1, -2, 1, -3, 2, 3}},
    {"array_integer_general", 2, 2, 4, SPG_F64, {0, 2, 4}, {0, 1, 0, 1}, {1, 3, -2, 0}},
    {"array_integer_symmetric", 2, 2, 4, SPG_F64, {0, 2, 4}, {0, 1, 0, 1}, {1, -2, -2, 3}},
    {"array_integer_skew_symmetric", 2, 2, 2, SPG_F64, {0, 1, 2}, {1, 0}, {2, -2}},
    {"array_complex_general", 1, 2, 2, SPG_C64, {0, 2}, {0, 1}, {1, 2, 3, -4}},
    {"array_complex_symmetric", 2, 2, 4, SPG_C64, {0, 2, 4}, {0, 1, 0, 1}, {1, 2, 3, -4, 3, -4, 5, 6}},
    {"array_complex_skew_symmetric", 2, 2, 2, SPG_C64, {0, 1, 2}, {1, 0}, {-3, 4, 3, -4}},
    {"array_complex_hermitian", 2, 2, 4, SPG_C64, {0, 2, 4}, {0, 1, 0, 1}, {1, 0, 3, 4, 3, -4, 5, 0}},
    {"upper_case", 2, 2, 3, SPG_F64, {0, 2, 3}, {0, 1, 0}, {1.5, -20, -20}},
    {"mixed_case", 2, 2, 2, SPG_C64, {0, 1, 2}, {1, 0}, {1, -2, 1, 2}},
    {"comments_and_blank_lines", 2, 2, 3, SPG_F64, {0, 1, 3}, {0, 0, 1}, {1.5, -2, 3}},
    {"crlf", 2, 2, 3, SPG_F64, {0, 1, 3}, {0, 0, 1}, {1.5, -2, 3}},
    {"blanks", 2, 2, 3, SPG_F64, {0, 1, 3}, {0, 0, 1}, {1.5, -2, 3}},
    {"no_final_newline", 2, 2, 3, SPG_F64, {0, 1, 3}, {0, 0, 1}, {1.5, -2, 3}},
    {"numbers",
     1,
     12,
     12,
     SPG_F64,
     {0, 12},
     {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
     {5, 5, 5, 0.5, -0.5, 50, 50, 0.5, 0.1, 10.0 / 3.0, 0, 12.5}},
    {"long_comment", 2, 2, 1, SPG_F64, {0, 0, 1}, {1}, {3}},
    {"long_line", 2, 2, 1, SPG_F64, {0, 0, 1}, {1}, {3}},
    {"unsorted", 3, 3, 6, SPG_F64, {0, 2, 3, 6}, {0, 2, 1, 0, 1, 2}, {1, 2, 3, 6, 4, 5}},
    {"duplicates", 2, 2, 3, SPG_F64, {0, 1, 3}, {0, 0, 1}, {0.5, 3, 0}},
    {"explicit_zeros", 3, 3, 4, SPG_F64, {0, 2, 3, 4}, {0, 1, 0, 2}, {0, 0, 0, -0.0}},
    {"special_values",
     2,
     8,
     12,
     SPG_F64,
     {0, 8, 12},
     {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3},
     {0x1.fffffffffffffp+1023, -0x1.fffffffffffffp+1023, 1e308, 9.9999999999999998e307, 0x1p-1074, 0x1p-1022, -0.0,
      0x1.3333333333334p-2, 0x0.fffffffffffffp-1022, -1.5e308, 1e307, 123456789012345680.0}},
    {"special_complex_values", 1, 2, 2, SPG_C64, {0, 2}, {0, 1}, {-0.0, 1.5e308, -1.7e308, 0x1p-1074}},
    {"index_zero_based_lookalike", 3, 3, 2, SPG_F64, {0, 0, 1, 2}, {1, 2}, {1, 2}},
    {"lower_triangle_only", 2, 2, 3, SPG_F64, {0, 1, 3}, {0, 0, 1}, {1, 2, 3}},
    {"no_rows", 0, 3, 0, SPG_F64, {0}, {0}, {0}},
    {"no_columns", 3, 0, 0, SPG_C64, {0, 0, 0, 0}, {0}, {0}},
    {"no_rows_or_columns", 0, 0, 0, SPG_F64, {0}, {0}, {0}},
    {"no_entries", 2, 3, 0, SPG_C64, {0, 0, 0}, {0}, {0}},
    {"one_by_one", 1, 1, 1, SPG_F64, {0, 1}, {0}, {-3}},
    {"hypersparse", 1, 2147483647, 2, SPG_F64, {0, 2}, {4, 19999999}, {2.5, -1}},
    {"array_no_rows", 0, 3, 0, SPG_F64, {0}, {0}, {0}},
    {"array_one_by_one_skew_symmetric", 1, 1, 0, SPG_F64, {0, 0}, {0}, {0}},
    {"array_special_values",
     2,
     2,
     4,
     SPG_F64,
     {0, 2, 4},
     {0, 1, 0, 1},
     {0x1.fffffffffffffp+1023, -0.0, -0.0, -1.2e308}},
};

enum { FIXTURES = sizeof fixtures / sizeof fixtures[0] };

static void every_kind_of_file_is_read_as_computed_by_hand(void **state)
{
    (void)state;
    spg_context *context = oracle_context();
    for (int k = 0; k < FIXTURES; ++k) {
        const fixture *f = &fixtures[k];
        char path[1024];
        snprintf(path, sizeof path, TINY "%s.mtx", f->name);
        spg_csr matrix;
        if (spg_read_matrix_market(context, path, &matrix) != SPG_OK) fail_msg("%s", spg_context_message(context));
        fixture copy = *f;
        spg_csr expected = {f->rows,        f->cols,      f->nnz,       SPG_I32,    f->value_type,
                            SPG_PLACE_HOST, copy.offsets, copy.columns, copy.values};
        print_message("%s\n", f->name);
        test_assert_same_csr(&matrix, &expected);
        spg_csr_free(context, &matrix);
    }
    spg_context_destroy(context);
}

static void expect_among_fixtures(const char *path, const char *name, void *user)
{
    (void)path, (void)user;
    bool found = strcmp(name, "demo.mtx") == 0;
    for (int k = 0; k < FIXTURES; ++k) {
        size_t length = strlen(fixtures[k].name);
        found = found || (strncmp(name, fixtures[k].name, length) == 0 && strcmp(name + length, ".mtx") == 0);
    }
    if (!found) fail_msg("%s is not among the fixtures of this test", name);
}

static void no_fixture_is_left_out(void **state)
{
    (void)state;
    assert_int_equal(oracle_each_file(TINY, expect_among_fixtures, NULL), FIXTURES + 1);
}

static void read_and_compare(const char *path, const char *name, void *user)
{
    spg_context *context = user;
    spg_csr matrix;
    if (strstr(name, "hypersparse") != NULL) return;
    if (spg_read_matrix_market(context, path, &matrix) != SPG_OK) fail_msg("%s", spg_context_message(context));
    assert_int_equal(spg_csr_check(context, &matrix), SPG_OK);
    oracle_assert_file(path, &matrix);
    spg_csr_free(context, &matrix);
}

static void every_fixture_is_read_as_a_naive_reader_does(void **state)
{
    (void)state;
    spg_context *context = oracle_context();
    oracle_each_file(TINY, read_and_compare, context);
    spg_context_destroy(context);
}

static void real_matrices_are_read_as_a_naive_reader_does(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t rows, cols, nnz;
    } sizes[] = {{"494_bus", 494, 494, 1666},        {"1138_bus", 1138, 1138, 4054},  {"bcsstk13", 2003, 2003, 83883},
                 {"west0479", 479, 479, 1910},       {"cryg2500", 2500, 2500, 12349}, {"jagmesh7", 1138, 1138, 7450},
                 {"lp_e226", 223, 472, 2768},        {"young1c", 841, 841, 4089},     {"ani4", 3081, 3081, 20971},
                 {"franz6_aug", 10592, 3016, 48472}, {"airfoil", 260, 260, 1682},     {"unit_cube", 125, 125, 1473},
                 {"bar", 600, 600, 23402},           {"bar_nullspace", 600, 6, 3600}};
    if (test_real_matrices() == NULL) skip();
    spg_context *context = oracle_context();
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) {
        char path[TEST_PATH_SIZE];
        spg_csr matrix;
        if (!test_find_real_matrix(sizes[k].name, path)) fail_msg("no %s.mtx", sizes[k].name);
        if (spg_read_matrix_market(context, path, &matrix) != SPG_OK) fail_msg("%s", spg_context_message(context));
        assert_int_equal(matrix.rows, sizes[k].rows);
        assert_int_equal(matrix.cols, sizes[k].cols);
        assert_int_equal(matrix.nnz, sizes[k].nnz);
        spg_csr_free(context, &matrix);
    }
    oracle_each_file(test_real_matrices(), read_and_compare, context);
    spg_context_destroy(context);
}

static void array_files_are_read_dense_by_columns(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t rows, cols;
        spg_type value_type;
        double values[12];
    } cases[] = {{"array_real_general", 3, 2, SPG_F64, {1, 2, 3, -4, 0, 6.5}},
                 {"array_real_symmetric", 3, 3, SPG_F64, {1, 2, 3, 2, 4, 5, 3, 5, 6}},
                 {"array_real_skew_symmetric", 3, 3, SPG_F64, {0, 1, 2, -1, 0, 3, -2, -3, 0}},
                 {"array_integer_general", 2, 2, SPG_F64, {1, -2, 3, 0}},
                 {"array_complex_general", 1, 2, SPG_C64, {1, 2, 3, -4}},
                 {"array_complex_skew_symmetric", 2, 2, SPG_C64, {0, 0, 3, -4, -3, 4, 0, 0}},
                 {"array_complex_hermitian", 2, 2, SPG_C64, {1, 0, 3, -4, 3, 4, 5, 0}},
                 {"array_no_rows", 0, 3, SPG_F64, {0}},
                 {"array_one_by_one_skew_symmetric", 1, 1, SPG_F64, {0}}};
    spg_context *context = oracle_context();
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        char path[1024];
        snprintf(path, sizeof path, TINY "%s.mtx", cases[k].name);
        spg_dense matrix;
        if (spg_read_matrix_market_dense(context, path, &matrix) != SPG_OK)
            fail_msg("%s", spg_context_message(context));
        assert_int_equal(matrix.rows, cases[k].rows);
        assert_int_equal(matrix.cols, cases[k].cols);
        assert_int_equal(matrix.value_type, cases[k].value_type);
        size_t bytes = (size_t)(matrix.rows * matrix.cols) * spg_type_size(matrix.value_type);
        if (bytes > 0) assert_memory_equal(matrix.values, cases[k].values, bytes);
        spg_dense_free(context, &matrix);
        test_assert_zeroed(&matrix, sizeof matrix);
    }
    int64_t current = -1;
    spg_context_memory(context, &current, NULL);
    assert_int_equal(current, 0);
    spg_context_destroy(context);
}

/* In a locale whose decimal point is a comma, numbers keep their points. */
static void the_locale_does_not_change_what_is_read_and_written(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "fr_FR.utf8", "fr_FR"};
    bool found = false;
    for (size_t k = 0; k < sizeof names / sizeof names[0] && !found; ++k) found = setlocale(LC_ALL, names[k]) != NULL;
    if (!found) skip();
    char path[TEST_PATH], comma[32];
    close(test_new_file(path));
    spg_context *context = oracle_context();
    spg_csr matrix, again;
    spg_status read = spg_read_matrix_market(context, TINY "special_values.mtx", &matrix);
    spg_status written = spg_write_matrix_market(context, path, &matrix);
    snprintf(comma, sizeof comma, "%.1f", 1.5);
    setlocale(LC_ALL, "C");
    assert_string_equal(comma, "1,5");
    assert_int_equal(read, SPG_OK);
    assert_int_equal(written, SPG_OK);
    oracle_assert_file(TINY "special_values.mtx", &matrix);
    assert_int_equal(spg_read_matrix_market(context, path, &again), SPG_OK);
    test_assert_same_csr(&matrix, &again);
    unlink(path);
    spg_csr_free(context, &matrix);
    spg_csr_free(context, &again);
    spg_context_destroy(context);
}

static void *write_into_pipe(void *path)
{
    size_t size = 0;
    char *text = oracle_load(TINY "demo.mtx", &size);
    FILE *file = fopen(path, "wb");
    if (file != NULL) {
        fwrite(text, 1, size, file);
        fclose(file);
    }
    free(text);
    return NULL;
}

static void a_pipe_is_read_as_a_file_is(void **state)
{
    (void)state;
    char folder[TEST_PATH], path[TEST_PATH + 8];
    test_new_folder(folder);
    snprintf(path, sizeof path, "%s/pipe", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    pthread_t writer;
    assert_int_equal(pthread_create(&writer, NULL, write_into_pipe, path), 0);
    spg_context *context = oracle_context();
    spg_csr matrix;
    spg_status status = spg_read_matrix_market(context, path, &matrix);
    pthread_join(writer, NULL);
    test_remove_folder(folder);
    assert_int_equal(status, SPG_OK);
    oracle_assert_file(TINY "demo.mtx", &matrix);
    spg_csr_free(context, &matrix);
    spg_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_file_is_read_as_computed_by_hand),
        cmocka_unit_test(no_fixture_is_left_out),
        cmocka_unit_test(every_fixture_is_read_as_a_naive_reader_does),
        cmocka_unit_test(real_matrices_are_read_as_a_naive_reader_does),
        cmocka_unit_test(array_files_are_read_dense_by_columns),
        cmocka_unit_test(the_locale_does_not_change_what_is_read_and_written),
        cmocka_unit_test(a_pipe_is_read_as_a_file_is),
    };
    oracle_enter_tree();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
