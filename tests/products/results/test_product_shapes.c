/* Sizes, patterns and row lengths at which kernels change: each against the plain reference, bit for bit, in every
 * class. */
#include "products.h"

/* All value types, every set of limits; frees the patterns. */
static void check_patterns(test_pattern *a, test_pattern *b, int64_t cols)
{
    for (int v = 0; v < TEST_VALUE_TYPES; ++v) {
        spg_csr A, B;
        test_matrix_of(a, b->rows, SPG_I32, test_value_types[v], 1, 0, &A);
        test_matrix_of(b, cols, v % 2 ? SPG_I64 : SPG_I32, test_value_types[v], 2, 0, &B);
        test_check_limits(&A, &B);
        spg_csr_free(test_host(), &A);
        spg_csr_free(test_host(), &B);
    }
    test_free_pattern(a);
    test_free_pattern(b);
}

static void every_size_around_zero_one_and_32_works(void **state)
{
    (void)state;
    const int64_t sizes[] = {0, 1, 2, 31, 32, 33};
    for (int i = 0; i < 216; ++i) {
        int64_t m = sizes[i / 36], k = sizes[i / 6 % 6], n = sizes[i % 6];
        spg_csr A, B;
        spg_type type = test_value_types[i % 4];
        test_random_csr(test_host(), (test_matrix){m, k, 3, SPG_I32, type}, (uint64_t)i, 0, &A);
        test_random_csr(test_host(), (test_matrix){k, n, 3, test_offset_types[i % 2], type}, (uint64_t)i + 500, 0, &B);
        test_check_limits(&A, &B);
        spg_csr_free(test_host(), &A);
        spg_csr_free(test_host(), &B);
    }
}

static void rows_of_length(test_pattern *pattern, int64_t rows, int64_t length, int64_t cols)
{
    uint64_t random = (uint64_t)(rows + 1000 * length);
    for (int64_t i = 0; i < rows; ++i) {
        test_add_random(pattern, &random, length, 0, cols, true);
        test_end_row(pattern);
    }
}

static void matrices_without_entries_give_an_empty_product(void **state)
{
    (void)state;
    const int64_t sizes[] = {1, 5, 5000};
    for (int s = 0; s < 3; ++s) {
        test_pattern a = {0}, b = {0};
        rows_of_length(&a, sizes[s], 0, 40);
        rows_of_length(&b, 40, 3, 50);
        check_patterns(&a, &b, 50);
        rows_of_length(&a, sizes[s], 4, 40);
        rows_of_length(&b, 40, 0, 50);
        check_patterns(&a, &b, 50);
        rows_of_length(&a, sizes[s], 0, 0);
        check_patterns(&a, &b, 50);
    }
}

static void empty_rows_stay_empty_wherever_they_lie(void **state)
{
    (void)state;
    test_pattern a = {0}, b = {0};
    uint64_t random = 3;
    for (int64_t i = 0; i < 100000; ++i) {
        bool filled = i > 40000 && i < 90000 && test_below(&random, 100) == 0;
        if (filled) test_add_random(&a, &random, 1 + test_below(&random, 6), 0, 300, true);
        test_end_row(&a);
    }
    for (int64_t i = 0; i < 300; ++i) {
        if (test_below(&random, 3) > 0) test_add_random(&b, &random, test_below(&random, 9), 0, 200, true);
        test_end_row(&b);
    }
    check_patterns(&a, &b, 200);
}

static void rows_of_one_entry_copy_rows_of_the_right_matrix(void **state)
{
    (void)state;
    for (int sorted = 0; sorted < 2; ++sorted) {
        test_pattern a = {0}, b = {0};
        uint64_t random = 17;
        rows_of_length(&a, 500, 1, 120);
        for (int64_t i = 0; i < 120; ++i) {
            test_add_random(&b, &random, i, 0, 150, sorted);
            if (i % 7 == 0 && i > 0) test_add(&b, b.columns[b.nnz - 1 - i / 2]); /* a repeated column */
            test_end_row(&b);
        }
        check_patterns(&a, &b, 150);
    }
}

static void a_dense_row_a_dense_column_and_an_arrow_work(void **state)
{
    (void)state;
    enum { N = 300 };
    test_pattern row = {0}, column = {0}, arrow = {0}, again = {0};
    for (int64_t i = 0; i < N; ++i) {
        for (int64_t j = 0; j < N; ++j) {
            if (i == 150 || i == j) test_add(&row, j);
            if (j == 150) test_add(&column, j);
            if (i == 0 || j == 0 || i == j) {
                test_add(&arrow, j);
                test_add(&again, j);
            }
        }
        test_end_row(&row), test_end_row(&column), test_end_row(&arrow), test_end_row(&again);
    }
    check_patterns(&row, &column, N);
    check_patterns(&arrow, &again, N);
    for (int64_t i = 0; i < N; ++i) { /* a column times a row: every product is an entry */
        test_add(&column, 0);
        test_end_row(&column);
        test_add(&row, i);
    }
    test_end_row(&row);
    check_patterns(&column, &row, N);
}

/* Rows of A whose rows of C have n entries: of one row of B; of three, overlapping; of two, disjoint and interleaved.
 * C's columns lie `stride` apart, or are random below `cols` where it is 0. */
static void add_rows_of_result(test_pattern *a, test_pattern *b, uint64_t *random, int64_t n, int64_t stride,
                               int64_t cols)
{
    test_pattern set = {0};
    if (stride == 0) test_add_random(&set, random, n, 0, cols, true);
    for (int64_t k = 0; k < n && stride > 0; ++k) test_add(&set, k * stride);
    int64_t first = b->rows;
    for (int part = 0; part < 5; ++part) {
        for (int64_t k = 0; k < n; ++k) {
            bool in = part == 0 || (part == 1 && k < n / 2) || (part == 2 && k % 3 == 0) || (part == 3 && k % 2 == 0) ||
                      (part == 4 && k % 2 == 1);
            if (in) test_add(b, set.columns[k]);
        }
        test_end_row(b);
    }
    const int rows[4][3] = {{0, -1, -1}, {1, 2, 0}, {3, 4, -1}, {4, 1, 3}};
    for (int r = 0; r < 4; ++r) {
        for (int k = 0; k < 3; ++k)
            if (rows[r][k] >= 0) test_add(a, first + rows[r][k]);
        test_end_row(a);
    }
    test_free_pattern(&set);
}

static void rows_of_the_result_of_every_length_work(void **state)
{
    (void)state;
    const int64_t lengths[] = {23,  24,  31,  32,  33,  47,  48,  49,  63,  64,  65,  95,   96,   97,  127,
                               128, 129, 191, 192, 193, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025};
    const int64_t strides[] = {1, 7, 0, 0}, widths[] = {1025, 7 * 1025, 100000, INT32_MAX};
    for (int s = 0; s < 4; ++s) {
        test_pattern a = {0}, b = {0};
        uint64_t random = (uint64_t)s;
        for (int64_t n = 0; n < 22; ++n) add_rows_of_result(&a, &b, &random, n, strides[s], widths[s]);
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; ++l)
            add_rows_of_result(&a, &b, &random, lengths[l], strides[s], widths[s]);
        check_patterns(&a, &b, widths[s]);
    }
}

static void columns_spread_over_all_of_31_bits_work(void **state)
{
    (void)state;
    test_pattern a = {0}, b = {0};
    uint64_t random = 5;
    for (int64_t i = 0; i < 200; ++i) {
        test_add_random(&a, &random, test_below(&random, 12), 0, 150, i % 2);
        test_end_row(&a);
    }
    for (int64_t i = 0; i < 150; ++i) {
        if (i % 3 == 0) test_add(&b, 0);
        test_add_random(&b, &random, test_below(&random, 40), 1, INT32_MAX - 1, i % 4 < 2);
        if (i % 5 == 0) test_add(&b, INT32_MAX - 1);
        test_end_row(&b);
    }
    check_patterns(&a, &b, INT32_MAX);
}

/* A column, less the row's least, and the number of a product may share 32 bits: rows of up to 2^bits products whose
 * columns just fit beside their numbers, or need one bit more, by which alone half of the columns differ. */
static void columns_and_products_around_32_bits_together_work(void **state)
{
    (void)state;
    test_pattern a = {0}, b = {0};
    for (int bits = 5; bits <= 13; ++bits)
        for (int fits = 0; fits < 2; ++fits) {
            const int64_t half = (int64_t)1 << (bits - 2), far = ((int64_t)1 << (32 - bits)) - (fits ? half : 0);
            for (int64_t j = 0; j < 2; ++j) {
                for (int64_t k = 0; k < half; ++k) test_add(&b, k);
                for (int64_t k = 0; k < half; ++k) test_add(&b, far + k);
                test_end_row(&b);
                test_add(&a, b.rows - 1);
            }
            test_end_row(&a);
        }
    check_patterns(&a, &b, (int64_t)1 << 28);
}

/* Columns whose low bits agree, and rows that span a power of two and one less or more. */
static void spans_around_every_window_work(void **state)
{
    (void)state;
    test_pattern a = {0}, b = {0};
    uint64_t random = 9;
    for (int bits = 8; bits <= 24; ++bits)
        for (int64_t off = -1; off <= 1; ++off)
            for (int64_t base = 0; base <= 12345; base += 12345) {
                int64_t span = ((int64_t)1 << bits) + off, first = b.rows;
                test_add(&b, base);
                test_add(&b, base + span - 1);
                test_end_row(&b);
                test_add(&b, base);
                test_add(&b, base + span);
                test_add(&b, base + 2 * span);
                test_end_row(&b);
                test_add_random(&b, &random, 60, base, base + span, true);
                test_end_row(&b);
                for (int64_t k = 0; k < 3; ++k) test_add(&a, first + k);
                test_end_row(&a);
                for (int64_t k = 2; k >= 0; --k) test_add(&a, first + k);
                test_end_row(&a);
            }
    check_patterns(&a, &b, (int64_t)1 << 26);
}

/* Many short rows of B in a row of C of few columns: groups of 25 columns, which 60 rows of B each name some of. Here
 * and there what a table for such rows cannot take: rows of B that are long or span more than 16 bits, rows of C with
 * the columns of two groups, long rows of A. */
static void many_short_rows_for_few_columns_work(void **state)
{
    (void)state;
    enum { GROUPS = 8, GROUP_ROWS = 60, GROUP_COLUMNS = 25, STRIDE = 2730, APART = 1 << 17 };
    test_pattern a = {0}, b = {0};
    uint64_t random = 21;
    for (int64_t j = 0; j < GROUPS * GROUP_ROWS; ++j) {
        const int64_t base = j / GROUP_ROWS * APART, length = j % 40 == 3 ? 13 + j % 8 : j % 10;
        int64_t left = length;
        for (int64_t k = 0; k < GROUP_COLUMNS && left > 0; ++k) {
            if (test_below(&random, GROUP_COLUMNS - k) >= left) continue;
            test_add(&b, base + k * STRIDE);
            --left;
        }
        if (j % 59 == 20) test_add(&b, base + 65535 + test_below(&random, 2)); /* beyond the 25, or one of them again */
        test_end_row(&b);
    }
    for (int64_t i = 0; i < 700; ++i) {
        const int64_t first = i % GROUPS * GROUP_ROWS;
        test_add_random(&a, &random, i % 120 == 2 ? 60 : 14 + test_below(&random, 8), first, first + GROUP_ROWS, i % 2);
        if (i % 120 == 2) test_add_random(&a, &random, 9, first, first + GROUP_ROWS, true);
        if (i % 60 == 7) test_add_random(&a, &random, 15, (first + 60) % 480, (first + 60) % 480 + 60, true);
        test_end_row(&a);
    }
    check_patterns(&a, &b, GROUPS * APART);
}

/* Rows of C of 20 entries, of six times as many products. Here and there, in rows that no sample looks at, rows of 26
 * entries and of 40. */
static void many_products_for_few_columns_work(void **state)
{
    (void)state;
    enum { GROUPS = 9, GROUP_ROWS = 41, COLUMNS = 20, MORE = 6, APART = 50 };
    test_pattern a = {0}, b = {0};
    uint64_t random = 33;
    for (int64_t j = 0; j < GROUPS * GROUP_ROWS; ++j) {
        const int64_t base = j / GROUP_ROWS * APART;
        if (j % GROUP_ROWS < GROUP_ROWS - 1) {
            test_add_random(&b, &random, 3 + j % 7, base, base + COLUMNS, true);
        } else {
            for (int64_t k = 0; k < MORE; ++k) test_add(&b, base + COLUMNS + 3 * k);
        }
        test_end_row(&b);
    }
    for (int64_t i = 0; i < 1100; ++i) {
        const int64_t first = i % GROUPS * GROUP_ROWS, other = (i + 1) % GROUPS * GROUP_ROWS;
        if (i % 17 != 3) test_add_random(&a, &random, 18 + i % 4, first, first + GROUP_ROWS - 1, i % 3);
        if (i % 186 == 77) test_add(&a, first + GROUP_ROWS - 1);
        if (i % 246 == 47) test_add_random(&a, &random, 10, other, other + GROUP_ROWS - 1, true);
        test_end_row(&a);
    }
    check_patterns(&a, &b, GROUPS * APART);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_around_zero_one_and_32_works),
        cmocka_unit_test(matrices_without_entries_give_an_empty_product),
        cmocka_unit_test(empty_rows_stay_empty_wherever_they_lie),
        cmocka_unit_test(rows_of_one_entry_copy_rows_of_the_right_matrix),
        cmocka_unit_test(a_dense_row_a_dense_column_and_an_arrow_work),
        cmocka_unit_test(rows_of_the_result_of_every_length_work),
        cmocka_unit_test(columns_spread_over_all_of_31_bits_work),
        cmocka_unit_test(columns_and_products_around_32_bits_together_work),
        cmocka_unit_test(spans_around_every_window_work),
        cmocka_unit_test(many_short_rows_for_few_columns_work),
        cmocka_unit_test(many_products_for_few_columns_work),
    };
    return TEST_RUN_HERE(argc, argv, "product shapes", tests);
}
