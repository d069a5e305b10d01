/* What a lenient reading takes beside the format, as other readers (SciPy, fast_matrix_market) do: the matrix, the line
 * of the warning; and what is refused all the same. The strict reader refuses each of these. */
#include "test_support.h"

#include "matrices_for_tests.h"
#include "matrix_market/internal.h"
#include "place.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BANNER "%%MatrixMarket matrix "

/* A file of 2 x 2, and its four places by rows: real parts, then the imaginary parts of a complex file. */
typedef struct lenient_case {
    const char *text;
    int line, lines; /* the first that the warning names, and how many there are */
    const char *what;
    double values[8];
} lenient_case;

static const lenient_case cases[] = {
    {BANNER "coordinate pattern general\n2 2 2\n1 1 5.0\n2 2 7 1\n", 3, 2, "more than its entry needs", {1, 0, 0, 1}},
    {BANNER "coordinate real general\n2 2 2\n1 1 5 % five\n2 2 7\n", 3, 1, "more than", {5, 0, 0, 7}},
    {BANNER "coordinate real general\n2 2 1\n1 1 5 0", 3, 1, "more than", {5, 0, 0, 0}},
    {BANNER "coordinate real symmetric\n2 2 2\n1 1 1\n1 2 5\n", 4, 1, "above the diagonal", {1, 5, 5, 0}},
    {BANNER "coordinate real symmetric\n2 2 2\n2 1 1\n1 2 5\n", 4, 1, "above the diagonal", {0, 6, 6, 0}},
    {BANNER "coordinate real skew-symmetric\n2 2 1\n1 2 5\n", 3, 1, "above the diagonal", {0, 5, -5, 0}},
    {BANNER "coordinate real skew-symmetric\n2 2 3\n1 1 0\n2 1 5\n2 2 -0.0e5\n",
     3,
     2,
     "on the diagonal",
     {0, -5, 5, 0}},
    {BANNER "coordinate complex skew-symmetric\n2 2 2\n1 1 0 0\n2 1 5 1\n",
     3,
     1,
     "on the diagonal",
     {0, -5, 5, 0, 0, -1, 1, 0}},
    {BANNER "coordinate complex hermitian\n2 2 1\n1 2 5 1\n", 3, 1, "above", {0, 5, 5, 0, 0, 1, -1, 0}},
    {BANNER "coordinate complex hermitian\n2 2 2\n1 1 5\n2 1 5 1\n", 3, 1, "imaginary", {5, 5, 5, 0, 0, -1, 1, 0}},
    {BANNER "coordinate complex hermitian\r\n2 2 2\r\n2 1 5 1\r\n2 2 6", 4, 1, "imaginary", {0, 5, 5, 6, 0, -1, 1, 0}},
    {BANNER "array complex hermitian\n2 2\n5\n5 1\n6\n", 3, 2, "imaginary", {5, 5, 5, 6, 0, -1, 1, 0}},
    {BANNER "coordinate real general\n2 2 4\n1 1 inf\n1 2 -Infinity\n2 1 +INF\n2 2 nan\n",
     3,
     4,
     "not finite",
     {INFINITY, -INFINITY, INFINITY, NAN}},
    {BANNER "coordinate real general\n2 2 4\n1 1 nan(ind)\n1 2 -NaN(0x_f)\n2 1 nan()\n2 2 2\n",
     3,
     3,
     "not finite",
     {NAN, NAN, NAN, 2}},
    {BANNER "coordinate complex hermitian\n2 2 2\n1 1 inf 0\n2 2 nan\n", 3, 2, "not finite", {INFINITY, 0, 0, NAN}},
    {BANNER "array real general\n2 2\n1\n2\n-NaN\n-inf\n", 5, 2, "not finite", {1, NAN, 2, -INFINITY}},
    {BANNER "coordinate complex general\n2 2 2\n1 1 inf 2\n2 2 3 nan\n",
     3,
     2,
     "not finite",
     {INFINITY, 0, 0, 3, 2, 0, 0, NAN}},
    {BANNER "coordinate real general\n2 2 2\n1 1 1e999\n1 2 -1e309\n", 3, 2, "past the range", {INFINITY, -INFINITY}},
    {BANNER "coordinate integer general\n2 2 2\n1 1 9007199254740993\n2 2 3\n", 3, 1, "2^53", {0x1p53, 0, 0, 3}},
    {BANNER "coordinate integer general\n2 2 1\n1 1 -9223372036854775808\n", 3, 1, "2^53", {-0x1p63}},
    {BANNER "coordinate integer general\n2 2 1\n1 1 100000000000000000000\n", 3, 1, "2^53", {1e20}},
    {BANNER "array integer general\n2 2\n1\n2\n3\n9007199254740993\n", 6, 1, "2^53", {1, 3, 2, 0x1p53}},
    {BANNER "coordinate integer general\n2 2 2\n1 1 1.5\n2 2 2e3\n", 3, 2, "not an integer", {1.5, 0, 0, 2000}},
    {BANNER "coordinate real general\n2 2 2\n1 1 3D2\n2 2 3d+2\n", 3, 2, "with d", {300, 0, 0, 300}},
    {"%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 3\n", 1, 1, "one %", {3}},
    {" " BANNER "coordinate real general\n2 2 1\n1 1 3\n", 1, 1, "blanks before", {3}},
    {BANNER "coordinate real general of mine\n2 2 1\n1 1 3\n", 1, 1, "more than", {3}},
    {BANNER "coordinate double general\n2 2 1\n1 1 3\n", 1, 1, "field", {3}},
    {BANNER "coordinate unsigned-integer general\n2 2 1\n1 1 3\n", 1, 1, "field", {3}},
    {BANNER "coordinate real hermitian\n2 2 1\n2 1 3\n", 1, 1, "kind of matrix", {0, 3, 3, 0}},
    {BANNER "coordinate integer hermitian\n2 2 1\n2 1 3\n", 1, 1, "kind of matrix", {0, 3, 3, 0}},
    {BANNER "coordinate pattern hermitian\n2 2 1\n2 1\n", 1, 1, "kind of matrix", {0, 1, 1, 0}},
    {BANNER "coordinate pattern skew-symmetric\n2 2 1\n2 1\n", 1, 1, "kind of matrix", {0, -1, 1, 0}},
};

static void same_value(double found, double expected)
{
    if (isnan(expected) ? !isnan(found) : found != expected) fail_msg("%g in place of %g", found, expected);
}

static void check_values(const spg_csr *matrix, const double *expected)
{
    double dense[8] = {0};
    const bool is_complex = matrix->value_type == SPG_C64;
    assert_true(matrix->rows == 2 && matrix->cols == 2);
    for (int i = 0; i < 2; ++i)
        for (int32_t k = ((int32_t *)matrix->row_offsets)[i]; k < ((int32_t *)matrix->row_offsets)[i + 1]; ++k) {
            const double *value = (double *)matrix->values + (is_complex ? 2 * k : k);
            dense[2 * i + matrix->columns[k]] = value[0];
            if (is_complex) dense[4 + 2 * i + matrix->columns[k]] = value[1];
        }
    for (int k = 0; k < 8; ++k) same_value(dense[k], expected[k]);
}

static void what_collections_hold_is_read_with_a_warning_that_names_its_line(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        const lenient_case *c = &cases[k];
        spg_csr matrix;
        spg_matrix_market_warning warning;
        char line[32];
        spg_status status =
            matrix_market_read_lenient_text(test_host(), "a.mtx", c->text, strlen(c->text), &matrix, &warning);
        if (status != SPG_OK) fail_msg("%s:\n%s", spg_context_message(test_host()), c->text);
        check_values(&matrix, c->values);
        spg_csr_free(test_host(), &matrix);
        snprintf(line, sizeof line, "a.mtx, line %d: ", c->line);
        if (strncmp(warning.text, line, strlen(line)) != 0 || strstr(warning.text, c->what) == NULL)
            fail_msg("\"%s\" for:\n%s", warning.text, c->text);
        assert_int_equal(warning.lines, c->lines);
        assert_true((strstr(warning.text, "more such") != NULL) == (c->lines > 1));
    }
}

static void all_of_it_is_refused_unless_it_is_asked_for(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        spg_csr matrix;
        spg_status status =
            matrix_market_read_text(test_host(), "a.mtx", cases[k].text, strlen(cases[k].text), &matrix);
        if (status != SPG_ERROR_FORMAT && status != SPG_ERROR_OVERFLOW) fail_msg("taken:\n%s", cases[k].text);
    }
}

static void a_file_of_the_format_gives_no_warning(void **state)
{
    (void)state;
    static const char *const texts[] = {
        BANNER "coordinate real general\n2 2 2\n1 1 5\n2 2 7\n",
        BANNER "coordinate real general\n\n% c\n2 2 1\n\n1 1 3",
        "%%MATRIXMARKET MATRIX COORDINATE REAL GENERAL  \r\n2 2 1\r\n% c\r\n+1\t+1\t+3.e0  \r\n\r\n"};
    for (int k = 0; k < 3; ++k) {
        spg_csr matrix;
        spg_matrix_market_warning warning;
        assert_int_equal(
            matrix_market_read_lenient_text(test_host(), "a", texts[k], strlen(texts[k]), &matrix, &warning), SPG_OK);
        assert_int_equal(warning.lines, 0);
        assert_string_equal(warning.text, "");
        spg_csr_free(test_host(), &matrix);
    }
}

/* One entry, 4.5, in a line with so many blanks before its column, before its value and at its end. */
static void read_long_line(int before_column, int before_value, int at_end, int lines)
{
    char text[6000];
    int length = snprintf(text, sizeof text, "%s\n2 2 2\n1%*s1%*s4.5%*s\n2 2 7\n", BANNER "coordinate real general",
                          before_column, "", before_value, "", at_end, "");
    const double values[8] = {4.5, 0, 0, 7};
    spg_csr matrix;
    spg_matrix_market_warning warning;
    assert_int_equal(matrix_market_read_lenient_text(test_host(), "a", text, (size_t)length, &matrix, &warning),
                     SPG_OK);
    check_values(&matrix, values);
    assert_int_equal(warning.lines, lines);
    if (lines > 0) assert_non_null(strstr(warning.text, "line 3: a longer line"));
    spg_csr_free(test_host(), &matrix);
    assert_int_equal(matrix_market_read_text(test_host(), "a", text, (size_t)length, &matrix),
                     lines > 0 ? SPG_ERROR_FORMAT : SPG_OK);
    spg_csr_free(test_host(), &matrix);
}

/* Numbers far into a line, which the library that converts them would cut; and blanks alone, up to the limit and past
 * it, where a strict reading begins to refuse them. */
static void a_long_line_is_read_whole(void **state)
{
    (void)state;
    read_long_line(1500, 2000, 0, 1);
    read_long_line(1, 1, 1017, 0);
    read_long_line(1, 1, 1018, 1);
    read_long_line(1, 1018, 1, 1);
    read_long_line(1, 1017, 1, 0);
}

/* Of a number that the converting library would cut, it would read the rest as the next one. */
static void a_number_longer_than_a_line_is_refused(void **state)
{
    (void)state;
    const struct {
        const char *format;
        int most; /* zeros that still fit */
    } lines[] = {{BANNER "coordinate real general\n2 2 2\n1   1 %0*d\n2 2 7\n", 1020},
                 {BANNER "coordinate real general\n2 2 2\n%0*d  1 4\n2 2 7\n", 1020},
                 {BANNER "array real general\n3 1\n1\n%0*d\n2\n", 1024}};
    for (int k = 0; k < 3; ++k)
        for (int more = 0; more < 2; ++more) {
            char text[2000];
            const int length = snprintf(text, sizeof text, lines[k].format, lines[k].most + more, 1);
            spg_csr matrix;
            const spg_status status =
                matrix_market_read_lenient_text(test_host(), "a", text, (size_t)length, &matrix, NULL);
            assert_int_equal(status, more ? SPG_ERROR_FORMAT : SPG_OK);
            const double values[] = {k == 1 ? 4 : 1, k < 2 ? 7 : 1, 2};
            if (more)
                assert_non_null(strstr(spg_context_message(test_host()), "1025 characters; a line can have 1024"));
            else
                assert_memory_equal(matrix.values, values, (size_t)matrix.nnz * sizeof *values);
            spg_csr_free(test_host(), &matrix);
        }
}

static spg_status read_dense_lenient(const char *text, spg_dense *matrix, spg_matrix_market_warning *warning)
{
    return matrix_market_read_dense_lenient_text(test_host(), "a.mtx", text, strlen(text), matrix, warning);
}

/* By the same scan: its cases are above. */
static void an_array_is_read_dense_by_the_same_rules(void **state)
{
    (void)state;
    static const char text[] = BANNER "array real hermitian\n2 2\n1 % one\n2\nnan\n";
    static const char *const refused[] = {BANNER "coordinate real general\n2 2 1\n1 1 1 2\n",
                                          BANNER "array real general\n2 1\n1 2\n"};
    spg_dense matrix;
    spg_matrix_market_warning warning;
    assert_int_equal(read_dense_lenient(text, &matrix, &warning), SPG_OK);
    const double *values = matrix.values;
    assert_true(matrix.rows == 2 && matrix.cols == 2 && matrix.value_type == SPG_F64);
    assert_true(values[0] == 1 && values[1] == 2 && values[2] == 2 && isnan(values[3]));
    assert_int_equal(warning.lines, 3);
    assert_non_null(strstr(warning.text, "a.mtx, line 1: a kind of matrix"));
    spg_dense_free(test_host(), &matrix);
    assert_int_equal(read_dense_lenient(text, &matrix, NULL), SPG_OK);
    spg_dense_free(test_host(), &matrix);
    assert_int_equal(matrix_market_read_dense_text(test_host(), "a", text, strlen(text), &matrix), SPG_ERROR_FORMAT);
    for (int k = 0; k < 2; ++k) {
        assert_int_equal(read_dense_lenient(refused[k], &matrix, &warning), SPG_ERROR_FORMAT);
        test_assert_zeroed(&matrix, sizeof matrix);
    }
    assert_int_equal(spg_read_matrix_market_dense_lenient(test_host(), "no/such/file.mtx", &matrix, &warning),
                     SPG_ERROR_IO);
    assert_int_equal(warning.lines, 0);
    assert_int_equal(spg_read_matrix_market_dense_lenient(test_host(), NULL, &matrix, &warning), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_read_matrix_market_dense_lenient(test_host(), "a", NULL, &warning), SPG_ERROR_ARGUMENT);
}

static void what_has_no_one_reading_is_refused_all_the_same(void **state)
{
    (void)state;
    static const char *const texts[] = {
        BANNER "coordinate real skew-symmetric\n2 2 1\n1 1 3\n",
        BANNER "coordinate real skew-symmetric\n2 2 1\n1 1 nan\n",
        BANNER "coordinate pattern skew-symmetric\n2 2 1\n1 1\n",
        BANNER "coordinate complex hermitian\n2 2 1\n1 1 3 1\n",
        BANNER "coordinate complex hermitian\n2 2 1\n1 1 3 inf\n",
        BANNER "coordinate complex hermitian\n2 2 1\n1 1 3 nan\n",
        BANNER "coordinate complex hermitian\n2 2 1\n1 1 3 1e999\n",
        BANNER "array complex hermitian\n1 1\n3 -inf\n",
        BANNER "coordinate complex general\n2 2 1\n1 1 3\n",
        BANNER "coordinate complex hermitian\n2 2 1\n2 1 3\n",
        BANNER "coordinate real general\n2 2 1\n1 1 infinite\n",
        BANNER "coordinate real general\n2 2 1\n1 1 nan(ind\n",
        BANNER "coordinate real general\n2 2 1\n1 1 nan(a b)\n",
        BANNER "coordinate real general\n2 2 1\n1 1 nan(1)2\n",
        BANNER "coordinate real general\n2 2 1\n1 1 inf(1)\n",
        BANNER "coordinate real general\n2 2 1\n1 1 1.#INF\n",
        BANNER "coordinate real general\n2 2 1\n1 1 1.5,\n",
        BANNER "coordinate real general\n2 2 1\n1 1 50%\n",
        BANNER "coordinate real general\n2 2 1\n1 1 1.5f\n",
        BANNER "coordinate real general\n2 2 1\n1 1 1_000\n",
        BANNER "coordinate real general\n2 2 1\n1 1 1.5-300\n",
        BANNER "coordinate real general\n2 2 1\n1 1.0 3\n",
        BANNER "coordinate real general\n2 2 1\n1, 1 3\n",
        BANNER "coordinate real skew\n2 2 1\n2 1 3\n",
        BANNER "array real symmetric\n2 2\n1\n2\n",
        BANNER "array real skew-symmetric\n2 2\n0\n2\n0\n",
        "%%MatrixMarket vector coordinate real general\n2 1\n1 3\n",
        BANNER "coordinate real general\n2 2 1\n1 1 0x10\n",
        BANNER "coordinate real general\n2 2 1\n1 1 3d\n",
        BANNER "coordinate real general\n2 2 1\n1 1\n",
        BANNER "coordinate real general\n2 2 2\n1 1 3\n",
        BANNER "coordinate real general\n2 2 1\n1 1 3\n2 2 3\n",
        BANNER "coordinate real general\n2 2 1\n0 1 3\n",
        BANNER "coordinate real general\n2 2 1\n1 3 3\n",
        BANNER "coordinate real symmetric\n2 3 1\n1 1 3\n",
        BANNER "coordinate integer general\n2 2 1\n1 1 x\n",
        BANNER "array pattern general\n2 2\n1\n1\n1\n1\n",
        "MatrixMarket matrix coordinate real general\n2 2 1\n1 1 3\n",
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; ++k) {
        spg_csr matrix;
        spg_matrix_market_warning warning;
        if (matrix_market_read_lenient_text(test_host(), "a", texts[k], strlen(texts[k]), &matrix, &warning) !=
            SPG_ERROR_FORMAT)
            fail_msg("taken:\n%s", texts[k]);
        assert_int_equal(matrix.nnz, 0);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_collections_hold_is_read_with_a_warning_that_names_its_line),
        cmocka_unit_test(all_of_it_is_refused_unless_it_is_asked_for),
        cmocka_unit_test(a_file_of_the_format_gives_no_warning),
        cmocka_unit_test(a_long_line_is_read_whole),
        cmocka_unit_test(a_number_longer_than_a_line_is_refused),
        cmocka_unit_test(an_array_is_read_dense_by_the_same_rules),
        cmocka_unit_test(what_has_no_one_reading_is_refused_all_the_same),
    };
    return TEST_RUN_HERE(argc, argv, "matrix market lenient", tests);
}
