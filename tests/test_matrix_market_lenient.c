/* What a lenient reading takes beside the format, as other readers (SciPy, fast_matrix_market) do: the matrix, the line
 * of the warning; and what is refused all the same. The strict reader refuses each of these. */
#include "test_support.h"

#include "matrix_market_internal.h"
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
    {BANNER "coordinate integer general\n2 2 2\n1 1 1.5\n2 2 2e3\n", 3, 2, "no integer", {1.5, 0, 0, 2000}},
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
        matrix_market_warning warning;
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
        matrix_market_warning warning;
        assert_int_equal(
            matrix_market_read_lenient_text(test_host(), "a", texts[k], strlen(texts[k]), &matrix, &warning), SPG_OK);
        assert_int_equal(warning.lines, 0);
        assert_string_equal(warning.text, "");
        spg_csr_free(test_host(), &matrix);
    }
}

/* Numbers far into a line, which the library that converts them would cut. */
static void a_long_line_is_read_whole(void **state)
{
    (void)state;
    char text[6000];
    int length = snprintf(text, sizeof text, "%s\n2 2 2\n1 %1500s 1%2000s4.5\n2 2 7\n",
                          BANNER "coordinate real general", "", "");
    const double values[8] = {4.5, 0, 0, 7};
    spg_csr matrix;
    matrix_market_warning warning;
    assert_int_equal(matrix_market_read_lenient_text(test_host(), "a", text, (size_t)length, &matrix, &warning),
                     SPG_OK);
    check_values(&matrix, values);
    assert_int_equal(warning.lines, 1);
    assert_non_null(strstr(warning.text, "line 3: a longer line"));
    spg_csr_free(test_host(), &matrix);
}

static void what_has_no_one_reading_is_refused_all_the_same(void **state)
{
    (void)state;
    static const char *const texts[] = {
        BANNER "coordinate real skew-symmetric\n2 2 1\n1 1 3\n",
        BANNER "coordinate real skew-symmetric\n2 2 1\n1 1 nan\n",
        BANNER "coordinate pattern skew-symmetric\n2 2 1\n1 1\n",
        BANNER "coordinate complex hermitian\n2 2 1\n1 1 3 1\n",
        BANNER "coordinate complex general\n2 2 1\n1 1 3\n",
        BANNER "coordinate complex hermitian\n2 2 1\n2 1 3\n",
        BANNER "coordinate real general\n2 2 1\n1 1 infinite\n",
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
        matrix_market_warning warning;
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
        cmocka_unit_test(what_has_no_one_reading_is_refused_all_the_same),
    };
    return TEST_RUN_HERE(argc, argv, "matrix market lenient", tests);
}
