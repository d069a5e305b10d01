/* Rows that are alike but for a few that are much longer, as the coarse product of a mesh with hubs has: against the
 * plain reference, bit for bit. A device may bin them, keep the columns that it counted until it fills, and sum the
 * long ones meanwhile. Rows of a sample begin at multiples of 6; the first of all is one of them, and a long one. */
#include "products.h"

enum { ROWS = 6 * 512, BANDS = 40, BAND = 300, INNER = BANDS * BAND, BAND_COLS = 125, COLS = BANDS * BAND_COLS + 400 };
enum { A_ROW = 24, LONG_A_ROW = 5 * BAND, MIDDLE_A_ROW = 300 };

/* ALIKE: but for the long rows. WIDER: some rows that no sample looks at span far more columns than the others.
 * UNSORTED: those name a row of B that does not ascend. LONG_B: rows of B of more entries than a warp has lanes. */
typedef enum outlier_kind { ALIKE, WIDER, UNSORTED, LONG_B } outlier_kind;

/* Rows of B lie in bands, which share columns. */
static void make_b(test_pattern *b, outlier_kind kind)
{
    for (int64_t j = 0; j < INNER; ++j) {
        uint64_t random = (uint64_t)j;
        const int64_t begin = j / BAND * BAND_COLS;
        if (j == INNER - 1 && kind == UNSORTED) {
            test_add(b, COLS - 1);
            test_add(b, COLS - 3);
        } else
            test_add_random(b, &random, kind == LONG_B ? 40 : 20, begin, begin + 400, true);
        test_end_row(b);
    }
}

static void make_a(test_pattern *a, outlier_kind kind)
{
    for (int64_t i = 0; i < ROWS; ++i) {
        uint64_t random = (uint64_t)i;
        const int64_t begin = i * (BANDS - 2) / ROWS * BAND;
        const bool is_long = i == 0 || i == ROWS / 2 + 1, is_middle = i % 601 == 5;
        if (is_long)
            for (int64_t k = 0; k < LONG_A_ROW; ++k) test_add(a, (i == 0 ? 0 : INNER / 2) + k);
        else
            test_add_random(a, &random, is_middle ? MIDDLE_A_ROW : A_ROW, begin, begin + 2 * BAND, true);
        if (!is_long && i % 7 == 3 && i % 6 != 0 && kind != ALIKE) test_add(a, INNER - 1);
        test_end_row(a);
    }
}

static void check_kind(outlier_kind kind)
{
    test_pattern a = {0}, b = {0};
    make_a(&a, kind);
    make_b(&b, kind);
    test_check_patterns(&a, &b, COLS);
}

static void long_rows_among_alike_ones_keep_their_bits(void **state)
{
    (void)state;
    check_kind(ALIKE);
    check_kind(LONG_B);
}

static void rows_unlike_the_sampled_ones_keep_their_bits(void **state)
{
    (void)state;
    check_kind(WIDER);
    check_kind(UNSORTED);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_rows_among_alike_ones_keep_their_bits),
        cmocka_unit_test(rows_unlike_the_sampled_ones_keep_their_bits),
    };
    return TEST_RUN_HERE(argc, argv, "products of rows alike but for a few", tests);
}
