/* Rows by class: each limit and its neighbours, runs of equal rows, rows of very different lengths. */
#include "backend.h"
#include "products.h"

static void take_matrices(test_pattern *a, test_pattern *b, int64_t cols, spg_type value_type, spg_csr *A, spg_csr *B)
{
    test_matrix_of(a, b->rows, SPG_I32, value_type, 3, 0, A);
    test_matrix_of(b, cols, SPG_I32, value_type, 4, 0, B);
}

/* Every type, or in short runs double and its complex numbers. */
static int first_type(void) { return test_is_short() ? 1 : 0; }
static int type_step(void) { return test_is_short() ? 2 : 1; }

static void free_both(spg_csr *A, spg_csr *B)
{
    spg_csr_free(test_host(), A);
    spg_csr_free(test_host(), B);
}

/* Rows of A with exactly p products, from 1, 2 and 5 rows of B, with and without contraction. */
static void add_rows_of_products(test_pattern *a, test_pattern *b, uint64_t *random, int64_t p, int64_t cols)
{
    const int64_t parts[] = {1, 2, 5};
    for (int s = 0; s < 3; ++s) {
        if (p < parts[s]) continue;
        for (int64_t k = 0, left = p; k < parts[s]; ++k) {
            int64_t length = k + 1 == parts[s] ? left : p / parts[s];
            test_add(a, b->rows);
            test_add_random(b, random, length, 0, cols > length ? cols : length, k % 2 == 0);
            test_end_row(b);
            left -= length;
        }
        test_end_row(a);
    }
}

static void check_around(spg_row_limits limits, const int64_t *centres, int count, bool every_type)
{
    test_pattern a = {0}, b = {0};
    uint64_t random = 21;
    int64_t most = 1;
    for (int c = 0; c < count; ++c)
        for (int64_t p = centres[c] - 1; p <= centres[c] + 1; ++p) {
            if (p < 0) continue;
            add_rows_of_products(&a, &b, &random, p, p);          /* one row of B: dense */
            add_rows_of_products(&a, &b, &random, p, 40 + 2 * p); /* little contraction */
            if (2 * p + 100 > most) most = 2 * p + 100;
        }
    for (int v = 0; v < TEST_VALUE_TYPES; ++v) {
        if (!every_type && test_value_types[v] != SPG_F64) continue;
        spg_csr A, B;
        take_matrices(&a, &b, most, test_value_types[v], &A, &B);
        if (!test_is_short()) test_check_product(&A, &B, limits, 1);
        test_check_product(&A, &B, limits, 3);
        free_both(&A, &B);
    }
    test_free_pattern(&a);
    test_free_pattern(&b);
}

static void rows_at_small_limits_keep_their_bits(void **state)
{
    (void)state;
    const spg_row_limits sets[] = {{8, 32, 128}, {1, 2, 3}, {0, 1, 64}, {32, 736, 6144}, {16, 16, 16}, {50, 20, 10}};
    for (int s = 0; s < 6; ++s) {
        int64_t centres[] = {0, sets[s].thread, sets[s].warp, sets[s].cta};
        check_around(sets[s], centres, 4, true);
    }
}

static void rows_at_the_default_limits_keep_their_bits(void **state)
{
    (void)state;
    spg_context *context = test_context(1, test_default_limits);
    spg_row_limits limits = spg_resolve_row_limits(context, NULL);
    spg_context_destroy(context);
    int64_t centres[3], count = 0;
    if (limits.thread < 1000000) centres[count++] = limits.thread;
    if (limits.warp < 1000000) centres[count++] = limits.warp;
    if (limits.cta < 1000000) centres[count++] = limits.cta;
    check_around(test_default_limits, centres, (int)count, false);
}

/* What a row of a run does with the columns of the row before it. */
enum { EQUAL, OTHER_LAST, OTHER_ORDER, ONE_MORE, REPEATED };

static void add_run(test_pattern *a, uint64_t *random, int64_t rows, int64_t length, int kind, int64_t cols)
{
    int64_t first = a->nnz;
    test_add_random(a, random, length, 0, cols - 1, true);
    test_end_row(a);
    for (int64_t r = 1; r < rows; ++r) {
        for (int64_t k = 0; k < length; ++k) {
            int64_t column = a->columns[first + (kind == OTHER_ORDER && r % 2 ? length - 1 - k : k)];
            if (kind == OTHER_LAST && k == length - 1 && r % 2) column = cols - 1;
            if (kind == REPEATED && k == length - 1) column = a->columns[first];
            test_add(a, column);
        }
        if (kind == ONE_MORE && r % 2) test_add(a, cols - 1);
        test_end_row(a);
    }
}

static void check_runs(int64_t scale, int64_t b_length, int64_t cols)
{
    test_pattern a = {0}, b = {0};
    uint64_t random = 33;
    for (int64_t round = 0; round < scale; ++round)
        for (int kind = EQUAL; kind <= REPEATED; ++kind)
            for (int64_t rows = 1; rows <= 9; ++rows) add_run(&a, &random, rows, 1 + test_below(&random, 9), kind, 60);
    for (int64_t i = 0; i < 60; ++i) {
        test_add_random(&b, &random, test_below(&random, b_length), 0, cols, i % 4 > 0);
        test_end_row(&b);
    }
    for (int v = 0; v < TEST_VALUE_TYPES; ++v) {
        spg_csr A, B;
        take_matrices(&a, &b, cols, test_value_types[v], &A, &B);
        test_check_limits(&A, &B);
        free_both(&A, &B);
    }
    test_free_pattern(&a);
    test_free_pattern(&b);
}

static void runs_of_rows_with_equal_or_almost_equal_columns_keep_their_bits(void **state)
{
    (void)state;
    check_runs(2, 12, 80);
    check_runs(1, 60, 300);
    check_runs(1, 60, 3000000);
    check_runs(20, 12, 80);
}

static void runs_of_equal_rows_of_any_length_keep_their_bits(void **state)
{
    (void)state;
    for (int64_t run = 2; run <= 7; ++run) { /* every third row of B is empty, so some rows of A have no products */
        test_pattern a = {0}, b = {0};
        uint64_t random = (uint64_t)run;
        for (int64_t length = 0; length < 70; ++length) add_run(&a, &random, run, length, EQUAL, 90);
        for (int64_t i = 0; i < 90; ++i) {
            if (i % 3) test_add_random(&b, &random, 18, i, i + 40, true);
            test_end_row(&b);
        }
        spg_csr A, B;
        take_matrices(&a, &b, 140, SPG_F64, &A, &B);
        test_check_all(&A, &B);
        free_both(&A, &B);
        take_matrices(&a, &b, 140, SPG_C32, &A, &B);
        test_check_limits(&A, &B);
        free_both(&A, &B);
        test_free_pattern(&a);
        test_free_pattern(&b);
    }
}

static void a_row_of_a_million_products_among_short_ones_keeps_its_bits(void **state)
{
    (void)state;
    test_pattern a = {0}, b = {0};
    uint64_t random = 55;
    for (int64_t i = 0; i < 401; ++i) {
        test_add_random(&a, &random, i == 200 ? 1500 : test_below(&random, 3), 0, 2000, true);
        test_end_row(&a);
    }
    for (int64_t i = 0; i < 2000; ++i) {
        test_add_random(&b, &random, 650 + test_below(&random, 100), 0, 40000, i % 2);
        test_end_row(&b);
    }
    for (int v = first_type(); v < TEST_VALUE_TYPES; v += type_step()) {
        spg_csr A, B;
        take_matrices(&a, &b, v == 1 ? INT32_MAX : 40000, test_value_types[v], &A, &B);
        test_check_limits(&A, &B);
        free_both(&A, &B);
    }
    test_free_pattern(&a);
    test_free_pattern(&b);
}

static void rows_of_tens_of_thousands_of_entries_keep_their_bits(void **state)
{
    (void)state;
    for (int sorted = 0; sorted < 2; ++sorted) {
        test_pattern a = {0}, b = {0};
        uint64_t random = 66;
        const int64_t entries[] = {3, 4095, 4096, 4097, 0, 8191, 8192, 8193, 1, 30000, 12289, 12288, 2, 2, 20000};
        for (int64_t i = 0; i < 15; ++i) {
            test_add_random(&a, &random, entries[i], 0, 32000, sorted);
            test_end_row(&a);
        }
        for (int64_t i = 0; i < 32000; ++i) {
            test_add_random(&b, &random, test_below(&random, 6), 0, 500000, sorted);
            test_end_row(&b);
        }
        for (int v = first_type(); v < TEST_VALUE_TYPES; v += type_step()) {
            spg_csr A, B;
            take_matrices(&a, &b, 500000, test_value_types[v], &A, &B);
            test_check_limits(&A, &B);
            free_both(&A, &B);
        }
        test_free_pattern(&a);
        test_free_pattern(&b);
    }
}

static void rows_of_1_to_100000_products_mixed_keep_their_bits(void **state)
{
    (void)state;
    for (int spread = 0; spread < 2; ++spread) {
        test_pattern a = {0}, b = {0};
        uint64_t random = 77;
        for (int64_t i = 0; i < 600; ++i) { /* entries a row: 1, 2, 4 .. 256, shuffled; B's rows: 1 .. 400 */
            int64_t length =
                (int64_t)1 << (test_below(&random, 100) < 90 ? test_below(&random, 5) : test_below(&random, 9));
            test_add_random(&a, &random, length, 0, 800, i % 3 > 0);
            test_end_row(&a);
        }
        for (int64_t i = 0; i < 800; ++i) {
            int64_t length = 1 + test_below(&random, (int64_t)1 << test_below(&random, 10));
            test_add_random(&b, &random, length, 0, spread ? 5000000 : 3000, i % 5 > 0);
            test_end_row(&b);
        }
        for (int v = first_type(); v < TEST_VALUE_TYPES; v += type_step()) {
            spg_csr A, B;
            take_matrices(&a, &b, 5000000, test_value_types[v], &A, &B);
            test_check_limits(&A, &B);
            free_both(&A, &B);
        }
        test_free_pattern(&a);
        test_free_pattern(&b);
    }
}

static void short_rows_with_long_rows_of_the_result_keep_their_bits(void **state)
{
    (void)state;
    const int64_t n = 3000, spreads[] = {40, 3000};
    for (int s = 0; s < 2; ++s) { /* neighbouring columns, and scattered ones */
        test_pattern a = {0};
        uint64_t random = 5 + (uint64_t)s;
        for (int64_t i = 0; i < n; ++i) {
            const int64_t first = i < n - spreads[s] ? i : n - spreads[s];
            test_add_random(&a, &random, 5 + test_below(&random, 5), s == 0 ? first : 0, first + spreads[s], true);
            test_end_row(&a);
        }
        for (int v = 0; v < TEST_VALUE_TYPES; ++v) {
            spg_csr A, B;
            take_matrices(&a, &a, n, test_value_types[v], &A, &B);
            test_check_all(&A, &B);
            free_both(&A, &B);
        }
        test_free_pattern(&a);
    }
}

/* Rows of C of up to 29 entries from rows of B of up to 14: a device may give each a thread, whose table holds 28, and
 * pack rows of B of up to 12. Those of 29 are rows that no sample asks for. */
static void rows_about_what_a_threads_table_holds_keep_their_bits(void **state)
{
    (void)state;
    enum { GROUP = 48, LONGEST_B = 14 };
    const int64_t widths[] = {15, 16, 17, 18, 27, 28, 29};
    test_pattern a = {0}, b = {0};
    uint64_t random = 5;
    for (int64_t group = 0; group < 7; ++group) /* a group of rows of B has so many columns */
        for (int64_t j = 0; j < GROUP; ++j) {
            test_add_random(&b, &random, j % (LONGEST_B + 1), 29 * group, 29 * group + widths[group], true);
            test_end_row(&b);
        }
    for (int64_t i = 0; i < 1200; ++i) {
        const int64_t group = i % 6 == 5 ? 6 : i / 200; /* warps of rows of one length, but for these */
        test_add_random(&a, &random, group == 6 ? 40 : 18, group * GROUP, (group + 1) * GROUP, i % 3 > 0);
        test_end_row(&a);
    }
    for (int v = 0; v < TEST_VALUE_TYPES; ++v) {
        spg_csr A, B;
        take_matrices(&a, &b, 29 * 7, test_value_types[v], &A, &B);
        test_check_product(&A, &B, test_default_limits, 2);
        free_both(&A, &B);
    }
    test_free_pattern(&a);
    test_free_pattern(&b);
}

/* Rows of A of thousands of entries that meet in a few columns of C, so that many products of a step are of one entry;
 * and rows of C of one entry more than a multiple of 512: a device sums windows of so many, or of some times so many.
 */
static void long_rows_by_windows_keep_their_bits(void **state)
{
    (void)state;
    enum { ENTRIES = 3000, COLS = 20000, STEP = 64, BANDS = 200 };
    test_pattern a = {0}, b = {0};
    uint64_t random = 6;
    for (int64_t j = 0; j < ENTRIES; ++j) {
        test_add(&b, j % 2);
        test_add(&b, 2);
        test_add_random(&b, &random, 1, 3, 5000, true);
        test_end_row(&b);
    }
    for (int64_t j = 0; j < BANDS; ++j) {
        for (int64_t k = 0; k < 2 * STEP; ++k) test_add(&b, STEP * j + k);
        test_end_row(&b);
    }
    test_add(&b, COLS - 1);
    test_end_row(&b);
    for (int64_t i = 0; i < 3; ++i) {
        test_add_random(&a, &random, ENTRIES - i, 0, ENTRIES, i < 2);
        test_end_row(&a);
    }
    for (int64_t end = 8; end < BANDS; end += 8) {
        for (int64_t j = 0; j < end - 1; ++j) test_add(&a, ENTRIES + j);
        test_add(&a, ENTRIES + BANDS);
        test_end_row(&a);
    }
    for (int v = 0; v < TEST_VALUE_TYPES; ++v) {
        spg_csr A, B;
        take_matrices(&a, &b, COLS, test_value_types[v], &A, &B);
        test_check_product(&A, &B, test_default_limits, 2);
        free_both(&A, &B);
    }
    test_free_pattern(&a);
    test_free_pattern(&b);
}

/* Rows of B of exact lengths, around those at which classes change, over all columns; then rows of few columns, far
 * apart, so that many of them make a row of C that is not long. */
static void add_rows_over_many_columns(test_pattern *b, const int64_t *lengths, int count, int64_t others, int64_t cols)
{
    uint64_t random = 88;
    for (int l = 0; l < count; ++l) {
        test_add_random(b, &random, lengths[l], 0, cols, true);
        test_end_row(b);
    }
    for (int64_t i = 0; i < others; ++i) {
        const int64_t first = b->nnz;
        test_add_random(b, &random, i % 9 > 0 ? test_below(&random, 200) : 0, 0, 3000, true);
        for (int64_t k = first; k < b->nnz; ++k) b->columns[k] *= (int32_t)(cols / 3000);
        test_end_row(b);
    }
}

static void mixed_rows_of_columns_far_apart_keep_their_bits(void **state)
{
    (void)state;
    const int64_t lengths[] = {1,   31,  32,  33,  48,   49,   64,   65,   96,   127,  128,  129, 192,
                               193, 511, 512, 513, 1024, 1025, 2048, 2049, 4096, 4097, 8192, 8193};
    const int count = sizeof lengths / sizeof *lengths;
    const int64_t cols = 1 << 15, others = 1500;
    test_pattern a = {0}, b = {0};
    uint64_t random = 99;
    add_rows_over_many_columns(&b, lengths, count, others, cols);
    for (int l = 0; l < count; ++l)
        for (int kind = 0; kind < 3; ++kind) { /* alone, twice, and with others between */
            test_add(&a, l);
            if (kind == 2) test_add_random(&a, &random, 20, count, count + others, false);
            if (kind > 0) test_add(&a, l);
            test_end_row(&a);
        }
    for (int64_t i = 0; i < 300; ++i) {
        const int64_t entries = i % 50 == 0 ? 500 + test_below(&random, 700) : test_below(&random, 1 << i % 10);
        test_add_random(&a, &random, entries, count, count + others, i % 3 == 0);
        test_end_row(&a);
    }
    for (int v = 0; v < TEST_VALUE_TYPES; ++v)
        for (int o = 0; o < TEST_OFFSET_TYPES; ++o) {
            spg_csr A, B;
            test_matrix_of(&a, b.rows, test_offset_types[o], test_value_types[v], 3, 0, &A);
            test_matrix_of(&b, cols, test_offset_types[o], test_value_types[v], 4, 0, &B);
            test_check_product(&A, &B, test_default_limits, 2);
            free_both(&A, &B);
        }
    test_free_pattern(&a);
    test_free_pattern(&b);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_at_small_limits_keep_their_bits),
        cmocka_unit_test(rows_at_the_default_limits_keep_their_bits),
        cmocka_unit_test(runs_of_rows_with_equal_or_almost_equal_columns_keep_their_bits),
        cmocka_unit_test(runs_of_equal_rows_of_any_length_keep_their_bits),
        cmocka_unit_test(a_row_of_a_million_products_among_short_ones_keeps_its_bits),
        cmocka_unit_test(rows_of_tens_of_thousands_of_entries_keep_their_bits),
        cmocka_unit_test(rows_of_1_to_100000_products_mixed_keep_their_bits),
        cmocka_unit_test(mixed_rows_of_columns_far_apart_keep_their_bits),
        cmocka_unit_test(short_rows_with_long_rows_of_the_result_keep_their_bits),
        cmocka_unit_test(rows_about_what_a_threads_table_holds_keep_their_bits),
        cmocka_unit_test(long_rows_by_windows_keep_their_bits),
    };
    return TEST_RUN_HERE(argc, argv, "product classes", tests);
}
