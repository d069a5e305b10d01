/* Rows of A that are equal in threes, as of matrices of three unknowns a node: against the plain reference, bit for
 * bit. A device may allocate C by what a sample of rows promises, and count and fill it at once. Rows of a sample begin
 * at multiples of 6; so here every other unit of three is of none, and breaks what the sample promised. */
#include "products.h"

enum { UNITS = 200, INNER = 1500, NEAR = 40, COLS = 3000, FAR_ROWS = 8, ENTRIES = 30 };

/* What the odd units are: as the others; with a row unlike the two before it; naming more rows of B, by all odd units
 * or by few; naming a row of B whose columns are far away; naming one that does not ascend. FULLER: the others name few
 * rows of B but for some of them, so that no row is longer than those of the sample, and all of them are too long. */
typedef enum unit_kind { ALIKE, UNLIKE, LONGER, SELDOM_LONGER, WIDE, UNSORTED, FULLER } unit_kind;

static bool is_odd(int64_t u, unit_kind kind) { return u % 2 == 1 && (kind != SELDOM_LONGER || u % 60 == 1); }

/* B is a band but for its last rows, of which the very last may not ascend. */
static void make_b(test_pattern *b, unit_kind kind)
{
    uint64_t random = 7;
    for (int64_t j = 0; j < INNER; ++j) {
        const bool is_far = j >= INNER - FAR_ROWS;
        const int64_t begin = is_far ? 0 : j / 4, end = is_far ? COLS : begin + 12;
        if (j == INNER - 1) {
            test_add(b, kind == UNSORTED ? 9 : 5);
            test_add(b, kind == UNSORTED ? 5 : 9);
        } else if (j % 50 != 3) {
            test_add_random(b, &random, 3 + j % 4, begin, end, true);
        }
        test_end_row(b);
    }
}

static void make_a(test_pattern *a, unit_kind kind)
{
    for (int64_t u = 0; u < UNITS; ++u) {
        const bool odd = is_odd(u, kind);
        const int64_t length = odd && (kind == LONGER || kind == SELDOM_LONGER) ? 4 * ENTRIES
                               : kind == FULLER && !odd && u % 16 != 0          ? ENTRIES / 10
                                                                                : ENTRIES;
        const int64_t begin = u * (INNER - FAR_ROWS - 6 * NEAR) / UNITS;
        for (int r = 0; r < 3; ++r) {
            uint64_t random = (uint64_t)u;
            test_add_random(a, &random, length, begin, begin + length + NEAR - ENTRIES, true);
            if (odd && kind == UNLIKE && r == 2) a->columns[a->nnz - 1] = (int32_t)(INNER - FAR_ROWS - 1);
            if (odd && kind == WIDE) a->columns[a->nnz - 1] = INNER - 2;
            if (odd && kind == UNSORTED) a->columns[a->nnz - 1] = INNER - 1;
            test_end_row(a);
        }
    }
    if (kind != ALIKE) return;
    for (int k = 0; k < ENTRIES; ++k) test_add(a, 3 * k); /* a unit of one row */
    test_end_row(a);
}

static void check_kind(unit_kind kind)
{
    test_pattern a = {0}, b = {0};
    make_a(&a, kind);
    make_b(&b, kind);
    test_check_patterns(&a, &b, COLS);
}

static void rows_equal_in_threes_keep_their_bits(void **state)
{
    (void)state;
    check_kind(ALIKE);
}

static void threes_that_are_not_equal_keep_their_bits(void **state)
{
    (void)state;
    check_kind(UNLIKE);
}

static void threes_longer_than_the_sampled_ones_keep_their_bits(void **state)
{
    (void)state;
    check_kind(LONGER);
    check_kind(SELDOM_LONGER);
}

static void threes_that_fill_more_than_the_sampled_ones_keep_their_bits(void **state)
{
    (void)state;
    check_kind(FULLER);
}

/* Rows of B in threes, too, of which the last differs from those before it in its last column, in no other, or not. */
static void rows_of_b_that_differ_late_keep_their_bits(void **state)
{
    (void)state;
    enum { THREES = 100, LENGTH = 40, NAMED = 6 };
    test_pattern a = {0}, b = {0};
    for (int64_t t = 0; t < 3 * THREES; ++t) {
        uint64_t random = (uint64_t)(t / 3);
        test_add_random(&b, &random, LENGTH, t / 3, t / 3 + 2 * LENGTH, true);
        if (t % 3 > 0 && t % (3 * 4) < 3) b.columns[b.nnz - 1] += (int32_t)(t % 3);
        test_end_row(&b);
    }
    for (int64_t i = 0; i < 3 * UNITS; ++i) {
        const int64_t first = i / 3 * (THREES - NAMED) / UNITS;
        for (int64_t k = 0; k < 3 * NAMED; ++k) test_add(&a, 3 * first + k);
        test_end_row(&a);
    }
    test_check_patterns(&a, &b, THREES + 2 * LENGTH + 2);
}

static void threes_wider_than_the_sampled_ones_keep_their_bits(void **state)
{
    (void)state;
    check_kind(WIDE);
}

static void threes_that_name_a_row_that_does_not_ascend_keep_their_bits(void **state)
{
    (void)state;
    check_kind(UNSORTED);
}

static void a_column_out_of_range_in_a_row_that_no_sample_has_is_refused(void **state)
{
    (void)state;
    test_pattern a = {0}, b = {0};
    spg_csr A, B;
    make_a(&a, ALIKE);
    make_b(&b, ALIKE);
    test_matrix_of(&a, INNER, SPG_I32, SPG_F64, 1, 0, &A);
    test_matrix_of(&b, COLS, SPG_I32, SPG_F64, 2, 0, &B);
    A.columns[(3 * 101 + 1) * ENTRIES] = INNER;
    test_assert_malformed(&A, &B);
    spg_csr_free(test_host(), &A);
    spg_csr_free(test_host(), &B);
    test_free_pattern(&a);
    test_free_pattern(&b);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_equal_in_threes_keep_their_bits),
        cmocka_unit_test(threes_that_are_not_equal_keep_their_bits),
        cmocka_unit_test(threes_longer_than_the_sampled_ones_keep_their_bits),
        cmocka_unit_test(threes_that_fill_more_than_the_sampled_ones_keep_their_bits),
        cmocka_unit_test(rows_of_b_that_differ_late_keep_their_bits),
        cmocka_unit_test(threes_wider_than_the_sampled_ones_keep_their_bits),
        cmocka_unit_test(threes_that_name_a_row_that_does_not_ascend_keep_their_bits),
        cmocka_unit_test(a_column_out_of_range_in_a_row_that_no_sample_has_is_refused),
    };
    return TEST_RUN_HERE(argc, argv, "products of rows equal in threes", tests);
}
