/* Short rows that need many products: against the plain reference, bit for bit. A device may allocate C by what a
 * sample of rows promises, and count and fill it at once. Rows of a sample begin at multiples of 6; so here others
 * break the sample promised. */
#include "products.h"

enum { ROWS = 1200, INNER = 3000, NEAR = 24, A_LENGTH = 16, B_LENGTH = 4, B_SPAN = 8, COLS = 1 << 17 };

/* What rows 6k + 3 are: as the others; somewhat longer, few of them or all; much longer, few of them; of more entries
 * of A than a thread takes, of as many columns or of few; naming rows of B that are long, or wide, or that do not
 * ascend. FULLER: rows of the sample are shorter than the others but for some of them. */
typedef enum row_kind {
    ALIKE,
    SELDOM_LONGER,
    LONGER,
    MUCH_LONGER,
    LONG_A,
    REPEATED_A,
    LONG_B,
    WIDE_B,
    UNSORTED,
    FULLER
} row_kind;

/* Entries of a row of A that names few rows of B again and again: what a thread takes, and one more; what a group of
 * lanes does not; what is not counted with the other misfits. */
static int64_t repeated_length(int64_t i)
{
    static const int64_t lengths[] = {64, 65, 1025, 9000};
    return lengths[i / 300 % 4];
}

/* Rows of B after the band. */
enum { LONG_ROW = INNER - 3, WIDE_ROW, UNSORTED_ROW };

static void make_b(test_pattern *b, row_kind kind)
{
    uint64_t random = 5;
    for (int64_t j = 0; j < INNER; ++j) {
        const int64_t begin = j / 6;
        if (j == LONG_ROW) {
            test_add_random(b, &random, 20, begin, begin + 22, true);
        } else if (j == WIDE_ROW) {
            test_add(b, 3);
            test_add(b, COLS - 1);
        } else if (j == UNSORTED_ROW) {
            test_add(b, kind == UNSORTED ? 9 : 5);
            test_add(b, kind == UNSORTED ? 5 : 9);
        } else if (j % 40 != 7) {
            test_add_random(b, &random, B_LENGTH - 1 + j % 3, begin, begin + B_SPAN, true);
        }
        test_end_row(b);
    }
}

static bool is_odd(int64_t i, row_kind kind)
{
    return i % 6 == 3 && (kind == LONGER || kind == FULLER || i % 300 == 3);
}

static void make_a(test_pattern *a, row_kind kind)
{
    uint64_t random = 11;
    for (int64_t i = 0; i < ROWS; ++i) {
        const bool odd = is_odd(i, kind);
        const bool is_short = kind == FULLER && i % 6 == 0 && i % 120 != 0;
        const int64_t length = is_short ? 2 : odd && kind == LONG_A ? 70 : A_LENGTH;
        const int64_t span = !odd                                      ? NEAR
                             : kind == SELDOM_LONGER || kind == LONGER ? 3 * NEAR
                             : kind == MUCH_LONGER || kind == LONG_A   ? 20 * NEAR
                                                                       : NEAR;
        const int64_t begin = i * (LONG_ROW - 20 * NEAR) / ROWS;
        if (i % 97 != 5) test_add_random(a, &random, length, begin, begin + span, i % 2 == 0);
        for (int64_t k = A_LENGTH; odd && kind == REPEATED_A && k < repeated_length(i); ++k)
            test_add(a, begin + k * 5 % 12);
        if (odd && kind == LONG_B) test_add(a, LONG_ROW);
        if (odd && kind == WIDE_B) test_add(a, WIDE_ROW);
        if (odd && kind == UNSORTED) test_add(a, UNSORTED_ROW);
        test_end_row(a);
    }
}

static void check_kind(row_kind kind)
{
    test_pattern a = {0}, b = {0};
    make_a(&a, kind);
    make_b(&b, kind);
    test_check_patterns(&a, &b, COLS);
}

static void short_rows_keep_their_bits(void **state)
{
    (void)state;
    check_kind(ALIKE);
}

static void rows_longer_than_the_sampled_ones_keep_their_bits(void **state)
{
    (void)state;
    check_kind(SELDOM_LONGER);
    check_kind(LONGER);
    check_kind(MUCH_LONGER);
}

static void rows_that_fill_more_than_the_sampled_ones_keep_their_bits(void **state)
{
    (void)state;
    check_kind(FULLER);
}

static int64_t begin_of_row(const test_pattern *b, int64_t row) { return row > 0 ? b->offsets[row - 1] : 0; }

/* The last column in rows of B that A names; those rows ascend. */
static int32_t last_column(const test_pattern *a, const test_pattern *b)
{
    int32_t last = 0;
    for (int64_t k = 0; k < a->nnz; ++k) {
        const int64_t end = b->offsets[a->columns[k]];
        if (end > begin_of_row(b, a->columns[k]) && b->columns[end - 1] > last) last = b->columns[end - 1];
    }
    return last;
}

/* As many columns as a thread's table has words for, and one more; the very last one is in C. */
static void rows_with_the_last_columns_of_a_wide_b_keep_their_bits(void **state)
{
    (void)state;
    for (int64_t cols = (1 << 27) - 1; cols <= 1 << 27; ++cols) {
        test_pattern a = {0}, b = {0};
        make_a(&a, ALIKE);
        make_b(&b, ALIKE);
        const int64_t last = last_column(&a, &b);
        for (int64_t j = 0; j < INNER; ++j) {
            const int64_t begin = begin_of_row(&b, j), end = b.offsets[j];
            if (end > begin && b.columns[end - 1] > last) continue; /* it is not named */
            for (int64_t k = begin; k < end; ++k) b.columns[k] += (int32_t)(cols - 1 - last);
        }
        test_check_patterns(&a, &b, cols);
    }
}

static void rows_of_more_entries_of_a_keep_their_bits(void **state)
{
    (void)state;
    check_kind(LONG_A);
    check_kind(REPEATED_A);
}

static void rows_of_b_that_do_not_pack_keep_their_bits(void **state)
{
    (void)state;
    check_kind(LONG_B);
    check_kind(WIDE_B);
    check_kind(UNSORTED);
}

static void a_column_out_of_range_in_a_row_that_no_sample_has_is_refused(void **state)
{
    (void)state;
    test_pattern a = {0}, b = {0};
    make_a(&a, ALIKE);
    make_b(&b, ALIKE);
    for (int of_b = 0; of_b < 2; ++of_b) {
        spg_csr A, B;
        test_matrix_of(&a, INNER, SPG_I32, SPG_F64, 1, 0, &A);
        test_matrix_of(&b, COLS, SPG_I32, SPG_F64, 2, 0, &B);
        if (of_b == 0)
            A.columns[a.offsets[501] + 3] = INNER;
        else
            B.columns[b.offsets[601] - 1] = COLS;
        test_assert_malformed(&A, &B);
        spg_csr_free(test_host(), &A);
        spg_csr_free(test_host(), &B);
    }
    test_free_pattern(&a);
    test_free_pattern(&b);
}

/* All of B is looked at beside the sample; its offsets are not to be followed out of it. */
static void offsets_and_columns_of_b_that_cannot_be_are_refused(void **state)
{
    enum { ROW = 600, OFFSETS = 5, COLUMNS = 3 };
    (void)state;
    test_pattern a = {0}, b = {0};
    make_a(&a, ALIKE);
    make_b(&b, ALIKE);
    const int64_t offsets[OFFSETS] = {-1, INT32_MIN, b.offsets[ROW - 1] - 1, b.nnz + 1, INT32_MAX};
    const int32_t columns[COLUMNS] = {-1, INT32_MIN, INT32_MAX};
    for (int t = 0; t < TEST_OFFSET_TYPES; ++t)
        for (int k = 0; k < OFFSETS + COLUMNS; ++k) {
            spg_csr A, B;
            test_matrix_of(&a, INNER, test_offset_types[t], SPG_F64, 1, 0, &A);
            test_matrix_of(&b, COLS, test_offset_types[t], SPG_F64, 2, 0, &B);
            if (k >= OFFSETS)
                B.columns[b.offsets[ROW] - 1] = columns[k - OFFSETS];
            else if (test_offset_types[t] == SPG_I32)
                ((int32_t *)B.row_offsets)[ROW + 1] = (int32_t)offsets[k];
            else
                ((int64_t *)B.row_offsets)[ROW + 1] = offsets[k];
            test_assert_malformed(&A, &B);
            spg_csr_free(test_host(), &A);
            spg_csr_free(test_host(), &B);
        }
    test_free_pattern(&a);
    test_free_pattern(&b);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_rows_keep_their_bits),
        cmocka_unit_test(rows_longer_than_the_sampled_ones_keep_their_bits),
        cmocka_unit_test(rows_that_fill_more_than_the_sampled_ones_keep_their_bits),
        cmocka_unit_test(rows_with_the_last_columns_of_a_wide_b_keep_their_bits),
        cmocka_unit_test(rows_of_more_entries_of_a_keep_their_bits),
        cmocka_unit_test(rows_of_b_that_do_not_pack_keep_their_bits),
        cmocka_unit_test(a_column_out_of_range_in_a_row_that_no_sample_has_is_refused),
        cmocka_unit_test(offsets_and_columns_of_b_that_cannot_be_are_refused),
    };
    return TEST_RUN_HERE(argc, argv, "products of short rows of many products", tests);
}
