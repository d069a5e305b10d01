/* Rows of A that are equal in threes, naming rows of B that are, whose columns lie far apart or are many, as in
 * products of block matrices: against the plain reference, bit for bit. A device may mark their columns in windows as
 * wide as a sample of rows promises, or split them where they are few. Rows of a sample begin at multiples of 6; so
 * here every other unit of three is of none, and breaks what the sample promised. */
#include "products.h"

enum { UNITS = 120, THREES = 320, COLS = 11000, MORE_COLS = 40000, FEW_UNITS = 9 };

/* Rows of B of up to 32 entries, of more, or of both; odd units with a row unlike the two before it, or naming a row of
 * B that is wider than all others, or one that does not ascend. */
typedef enum wide_kind { SHORT_B, LONG_B, MIXED_B, UNLIKE, WIDER, UNSORTED } wide_kind;

static int64_t b_length(int64_t three, wide_kind kind)
{
    const int64_t longer = 33 + three % 5 * 27; /* up to 141 */
    if (three % 50 == 7) return 0;
    if (kind == SHORT_B) return 5 + three % 28;
    return kind == MIXED_B && three % 8 != 0 ? 1 + three % 32 : longer;
}

/* The rows of one three are unlike in every 16th; the last row of all is the odd one. */
static void make_b(test_pattern *b, wide_kind kind)
{
    for (int64_t j = 0; j < 3 * THREES; ++j) {
        uint64_t random = (uint64_t)(j / 3 % 16 == 5 ? j : j / 3);
        const bool is_last = j == 3 * THREES - 1;
        if (is_last && kind == UNSORTED) {
            test_add(b, 9);
            test_add(b, 5);
        } else
            test_add_random(b, &random, b_length(j / 3, kind), 0, is_last && kind == WIDER ? MORE_COLS : COLS, true);
        test_end_row(b);
    }
}

/* Units of rows that name so many threes, and one row after each. */
static void make_a(test_pattern *a, int64_t units, int64_t named, wide_kind kind)
{
    for (int64_t u = 0; u < units; ++u)
        for (int r = 0; r < 3; ++r) {
            const int64_t apart = THREES / named;
            for (int64_t k = 0; k < named; ++k) {
                const int64_t three = k * apart + (u + k) % apart;
                for (int64_t j = 0; j < 3 - (three + u) % 7 / 6; ++j) test_add(a, 3 * three + j);
            }
            if (u % 2 == 1 && kind == UNLIKE && r == u % 3) a->columns[a->nnz - 1] = 3 * THREES - 2;
            if (u % 2 == 1 && kind >= WIDER) a->columns[a->nnz - 1] = 3 * THREES - 1;
            test_end_row(a);
        }
}

static void check_kind(int64_t units, int64_t named, wide_kind kind)
{
    test_pattern a = {0}, b = {0};
    make_a(&a, units, named, kind);
    make_b(&b, kind);
    test_check_patterns(&a, &b, MORE_COLS);
}

static void rows_of_wide_windows_keep_their_bits(void **state)
{
    (void)state;
    check_kind(UNITS, 20, SHORT_B);
    check_kind(UNITS, 20, LONG_B);
    check_kind(UNITS, 20, MIXED_B);
    check_kind(UNITS, 160, MIXED_B);
}

static void rows_unlike_the_sampled_ones_keep_their_bits(void **state)
{
    (void)state;
    check_kind(UNITS, 20, UNLIKE);
    check_kind(UNITS, 20, WIDER);
    check_kind(UNITS, 20, UNSORTED);
}

static void few_rows_of_many_products_keep_their_bits(void **state)
{
    (void)state;
    check_kind(FEW_UNITS, 320, LONG_B);
    check_kind(FEW_UNITS, 320, UNLIKE);
    check_kind(FEW_UNITS, 320, WIDER);
    check_kind(FEW_UNITS, 320, UNSORTED);
}

/* Units of three equal rows, by rows of B of `length` columns. One unit that no sample has names the last row of B
 * alone, whose only column is out of range. */
static void check_column_out_of_range(int64_t length, spg_type type)
{
    enum { ALL = 400, NAMED = 12, ODD = 201, BAND_COLS = 1500 };
    test_pattern a = {0}, b = {0};
    spg_csr A, B, here_A, here_B, C;
    for (int64_t u = 0; u < ALL; ++u)
        for (int r = 0; r < 3; ++r) {
            for (int64_t k = 0; k < NAMED && u != ODD; ++k) test_add(&a, 3 * u + k);
            if (u == ODD) test_add(&a, 3 * ALL + NAMED);
            test_end_row(&a);
        }
    for (int64_t j = 0; j <= 3 * ALL + NAMED; ++j) {
        for (int64_t k = 0; k < length && j < 3 * ALL + NAMED; ++k) test_add(&b, j / 3 * 3 + 2 * k);
        if (j == 3 * ALL + NAMED) test_add(&b, 0);
        test_end_row(&b);
    }
    test_matrix_of(&a, b.rows, SPG_I32, type, 1, 0, &A);
    test_matrix_of(&b, BAND_COLS, SPG_I32, type, 2, 0, &B);
    B.columns[B.nnz - 1] = BAND_COLS;
    spg_context *context = test_context(2, test_default_limits);
    test_to_place(context, &A, &here_A);
    test_to_place(context, &B, &here_B);
    assert_int_equal(spgemm_csr(context, &here_A, &here_B, &C), SPG_ERROR_FORMAT);
    test_assert_zeroed(&C, sizeof C);
    spg_csr_free(context, &here_A);
    spg_csr_free(context, &here_B);
    spg_context_destroy(context);
    spg_csr_free(test_host(), &A);
    spg_csr_free(test_host(), &B);
    test_free_pattern(&a);
    test_free_pattern(&b);
}

static void a_column_out_of_range_that_is_alone_in_its_rows_is_refused(void **state)
{
    (void)state;
    check_column_out_of_range(5, SPG_F64);
    check_column_out_of_range(5, SPG_C64);
    check_column_out_of_range(12, SPG_F64);
    check_column_out_of_range(40, SPG_F64);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_wide_windows_keep_their_bits),
        cmocka_unit_test(rows_unlike_the_sampled_ones_keep_their_bits),
        cmocka_unit_test(few_rows_of_many_products_keep_their_bits),
        cmocka_unit_test(a_column_out_of_range_that_is_alone_in_its_rows_is_refused),
    };
    return TEST_RUN_HERE(argc, argv, "products of rows equal in threes, wide or few", tests);
}
