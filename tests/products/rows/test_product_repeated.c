/* Rows whose products have the columns of an earlier row, but for a shift, which the host recognises, and rows that
 * only seem to: against the plain reference, bit for bit. */
#include "products.h"

enum { ROWS = 4000, A_ROW = 3, STEP = 3, OFTEN = 17 };

/* What may be wrong with a row of B that begins and ends its row of C, or has as many columns, as others: */
typedef enum difference { NONE, INNER_COLUMN, LAST_COLUMN, ORDER, REPEATED } difference;

/* Row k of B: `count` columns from STEP * k on; every 17th with the difference. */
static void add_b_row(test_pattern *b, int64_t k, int count, difference kind)
{
    int64_t columns[12] = {0, 1, 2, 4, 5, 7, 9, 10, 11, 13, 14, 16};
    if (k % OFTEN == OFTEN / 2) {
        if (kind == INNER_COLUMN) columns[2] = 3;
        if (kind == LAST_COLUMN) columns[count - 1]++;
        if (kind == ORDER) columns[2] = 4, columns[3] = 2;
        if (kind == REPEATED) columns[2] = 1;
    }
    for (int i = 0; i < count; ++i) test_add(b, STEP * k + columns[i]);
    test_end_row(b);
}

static void check_rows(int b_row, difference kind)
{
    test_pattern a = {0}, b = {0};
    for (int64_t i = 0; i < ROWS; ++i) {
        for (int64_t k = i; k < i + A_ROW; ++k) test_add(&a, k);
        test_end_row(&a);
    }
    for (int64_t k = 0; k < ROWS + A_ROW; ++k) add_b_row(&b, k, b_row, kind);
    test_check_patterns(&a, &b, STEP * (ROWS + A_ROW) + 18);
}

/* Short rows of B and longer ones. */
static void check_difference(difference kind)
{
    check_rows(6, kind);
    check_rows(12, kind);
}

static void rows_that_repeat_keep_their_bits(void **state)
{
    (void)state;
    check_difference(NONE);
}

static void rows_with_one_other_column_are_not_taken_for_known_ones(void **state)
{
    (void)state;
    check_difference(INNER_COLUMN);
    check_difference(LAST_COLUMN);
}

static void rows_in_another_order_are_not_taken_for_known_ones(void **state)
{
    (void)state;
    check_difference(ORDER);
    check_difference(REPEATED);
}

/* Rows of B with 1, 0 or 2 columns: rows of A begin, have in their middle and end with empty ones. */
static void empty_rows_of_b_are_compared(void **state)
{
    (void)state;
    test_pattern a = {0}, b = {0};
    for (int64_t i = 0; i < ROWS; ++i) {
        for (int64_t k = i; k < i + A_ROW; ++k) test_add(&a, k);
        test_end_row(&a);
    }
    for (int64_t k = 0; k < ROWS + A_ROW; ++k) {
        for (int64_t c = 0; c < (k + 1) % 3; ++c) test_add(&b, k + 2 * c);
        test_end_row(&b);
    }
    test_check_patterns(&a, &b, ROWS + A_ROW + 2);
}

/* Each pattern four times, shifted; more patterns than are kept, and more products in all of them. */
static void known_rows_make_room_for_others(void **state)
{
    enum { PATTERNS = 1200, TIMES = 4, NAMED = 30, SPAN = 90 };
    (void)state;
    test_pattern a = {0}, b = {0};
    uint64_t random = 5;
    for (int64_t pattern = 0; pattern < PATTERNS; ++pattern)
        for (int64_t shift = 0; shift < TIMES; ++shift) {
            uint64_t same = random;
            test_add_random(&a, &same, NAMED, shift, SPAN + shift, true);
            test_end_row(&a);
            if (shift + 1 == TIMES) random = same;
        }
    for (int64_t k = 0; k < SPAN + TIMES; ++k) {
        for (int64_t c = 0; c < 4; ++c) test_add(&b, 2 * k + c);
        test_end_row(&b);
    }
    test_check_patterns(&a, &b, 2 * (SPAN + TIMES) + 4);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_that_repeat_keep_their_bits),
        cmocka_unit_test(rows_with_one_other_column_are_not_taken_for_known_ones),
        cmocka_unit_test(rows_in_another_order_are_not_taken_for_known_ones),
        cmocka_unit_test(empty_rows_of_b_are_compared),
        cmocka_unit_test(known_rows_make_room_for_others),
    };
    return TEST_RUN_HERE(argc, argv, "products of rows that repeat", tests);
}
