/* Rows that the kernel chosen for most rows cannot hold, above all those of no products: against CXSparse, in whole
 * numbers, one-shot and by plans. A device lists such rows for other kernels, counts few of them (128) in one way and
 * more in another, and has a third where workspace leaves no room for the list; it chooses by a sample, whose rows
 * begin at multiples of 6, where rows are not short on average. */
#include "cxsparse_oracle.h"
#include "products.h"

#include <math.h>
#include <string.h>

enum { ROWS = 8000, ALIKE_ROWS = 3000, INNER = 10000, COLS = 3000 };

/* Entries of A of a row that is too long for a thread or a warp; rows of B, from EMPTY_ROWS on without entries. */
enum { TOO_LONG = 70, EMPTY_ROWS = INNER - 200, LONG_B_ROWS = 8, LONG_B_ROW = 1100, HUB = 9000 };

static void check_product(spg_context *context, const spg_csr *A, const spg_csr *B, bool plans, bool may_lack_memory)
{
    spg_csr here_A, here_B, C = {0}, back;
    spgemm_plan *plan = NULL;
    int64_t before, after;
    test_to_place(context, A, &here_A);
    test_to_place(context, B, &here_B);
    spg_context_memory(context, &before, NULL);
    spg_status status =
        plans ? spgemm_plan_create(context, &here_A, &here_B, &plan) : spgemm_csr(context, &here_A, &here_B, &C);
    for (int run = 0; plans && run < 2 && status == SPG_OK; ++run) {
        spg_csr_free(context, &C);
        status = spgemm_plan_run(plan, &here_A, &here_B, &C);
    }
    if (status != SPG_OK && !(may_lack_memory && status == SPG_ERROR_MEMORY))
        fail_msg("%s", spg_context_message(context));
    if (status == SPG_OK) {
        test_to_host(context, &C, &back);
        test_assert_near_cxsparse(A, B, &back, true);
        spg_csr_free(test_host(), &back);
    }
    spg_csr_free(context, &C);
    spgemm_plan_destroy(plan);
    spg_context_memory(context, &after, NULL);
    assert_int_equal(after, before);
    spg_csr_free(context, &here_A);
    spg_csr_free(context, &here_B);
}

/* As usual, and with workspace, by the row, for a list of all rows, for one of most, or hardly any: then memory may
 * lack.
 */
static void check_matrices(const spg_csr *A, const spg_csr *B, int limits)
{
    const int64_t limit_bytes[] = {0, 50 * A->rows, 15 * A->rows, 6 * A->rows};
    for (int l = 0; l < limits; ++l) {
        spg_config config = test_config();
        config.threads = 2;
        config.workspace_limit = limit_bytes[l];
        spg_context *context = test_context_of(&config);
        for (int plans = 0; plans < 2; ++plans) check_product(context, A, B, plans != 0, l != 0);
        spg_context_destroy(context);
    }
}

/* Of types that a device treats differently. Frees the patterns. */
static void check_patterns(test_pattern *a, test_pattern *b, int64_t cols)
{
    static const struct {
        spg_type offset, value;
        int limits;
    } types[] = {{SPG_I32, SPG_F64, 4}, {SPG_I64, SPG_F32, 1}, {SPG_I32, SPG_C32, 1}};
    for (size_t t = 0; t < sizeof types / sizeof *types; ++t) {
        spg_csr A, B;
        test_matrix_of(a, b->rows, types[t].offset, types[t].value, 1, TEST_INTEGER, &A);
        test_matrix_of(b, cols, types[t].offset, types[t].value, 2, TEST_INTEGER, &B);
        check_matrices(&A, &B, types[t].limits);
        spg_csr_free(test_host(), &A);
        spg_csr_free(test_host(), &B);
    }
    test_free_pattern(a);
    test_free_pattern(b);
}

/* Of 20 rows of B one has an entry. */
static void make_sparse_b(test_pattern *b)
{
    uint64_t random = 7;
    for (int64_t j = 0; j < INNER; ++j) {
        if (j < EMPTY_ROWS && test_below(&random, 20) == 0) test_add(b, test_below(&random, COLS));
        test_end_row(b);
    }
}

/* The least whole number below twice a number of the Pareto distribution (Lomax) of shape 1.1. */
static int64_t pareto_length(uint64_t *random)
{
    const double uniform = (double)(test_random(random) >> 11) * 0x1p-53;
    const double length = floor(2 * (pow(1 - uniform, -1 / 1.1) - 1));
    return length < INNER ? (int64_t)length : INNER;
}

static void rows_of_power_law_lengths_times_mostly_empty_rows_are_exact(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 2; ++seed) {
        test_pattern a = {0}, b = {0};
        uint64_t random = seed;
        int64_t long_rows = 0;
        for (int64_t i = 0; i < ROWS; ++i) {
            int64_t length = pareto_length(&random);
            if (a.nnz + length > 10 * (int64_t)ROWS) length = 3; /* short on average */
            if (length > 32) ++long_rows;
            test_add_random(&a, &random, length, 0, INNER, true);
            test_end_row(&a);
        }
        assert_true(long_rows > 128);
        make_sparse_b(&b);
        check_patterns(&a, &b, COLS);
    }
}

/* `count` rows of many entries, spread over all or side by side, that name rows of B without entries; others are short
 * and name any. */
static void make_empty_overflow_rows(test_pattern *a, int64_t count, bool side_by_side)
{
    uint64_t random = 3;
    for (int64_t i = 0; i < ROWS; ++i) {
        const bool is_overflow_row = side_by_side ? i >= ROWS - count : (i + 1) * count / ROWS != i * count / ROWS;
        if (is_overflow_row)
            test_add_random(a, &random, TOO_LONG, EMPTY_ROWS, INNER, i % 2 == 0);
        else
            test_add_random(a, &random, i % 5, 0, INNER, true);
        test_end_row(a);
    }
}

static void long_rows_that_name_only_empty_rows_are_empty(void **state)
{
    (void)state;
    static const int64_t counts[] = {1, 128, 129, 900};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; ++k) {
        test_pattern a = {0}, b = {0};
        make_empty_overflow_rows(&a, counts[k], k % 2 == 1);
        make_sparse_b(&b);
        check_patterns(&a, &b, COLS);
    }
}

static void a_product_of_empty_rows_alone_is_empty(void **state)
{
    (void)state;
    for (int64_t count = 100; count <= 900; count += 800) {
        test_pattern a = {0}, b = {0};
        make_empty_overflow_rows(&a, count, false);
        for (int64_t k = 0; k < a.nnz; ++k) a.columns[k] = (int32_t)(EMPTY_ROWS + a.columns[k] % (INNER - EMPTY_ROWS));
        make_sparse_b(&b);
        check_patterns(&a, &b, COLS);
    }
}

/* All rows of A, or one of so many, have many products by few long rows of B, and some name empty ones as well, or
 * alone; of many rows two are hubs. Rows are short on average. */
static void make_long_products(test_pattern *a, test_pattern *b, int64_t rows, int64_t every)
{
    uint64_t random = 13;
    for (int64_t i = 0; i < rows; ++i) {
        if (i % 4001 == 17 && rows > 4001) {
            test_add_random(a, &random, HUB, i == 17 ? 0 : LONG_B_ROWS, INNER, true);
        } else if (i % every == 0) {
            test_add(a, i / every % LONG_B_ROWS);
            if (i % 3 == 0) test_add(a, EMPTY_ROWS + i % 200);
        } else if (i % 7 == 3) {
            test_add_random(a, &random, 33, EMPTY_ROWS, INNER, true);
        } else {
            test_add_random(a, &random, i % 4, LONG_B_ROWS, INNER, true);
        }
        test_end_row(a);
    }
    for (int64_t j = 0; j < INNER; ++j) {
        if (j < LONG_B_ROWS)
            test_add_random(b, &random, LONG_B_ROW + j, 0, COLS, true);
        else if (j < EMPTY_ROWS && j % 20 == 1)
            test_add(b, j % COLS);
        test_end_row(b);
    }
}

static void rows_of_many_products_beside_empty_ones_are_exact(void **state)
{
    (void)state;
    static const int64_t rows[] = {2000, ROWS}, every[] = {1, 100};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        test_pattern a = {0}, b = {0};
        make_long_products(&a, &b, rows[k], every[k]);
        check_patterns(&a, &b, COLS);
    }
}

/* Rows of A are alike, and not short: `near` entries within a band, by rows of B of `b_length` columns near each other.
 * Of those that no sample looks at, `count` are not alike: they have entries of A, or columns of C, that make them
 * misfits, or name rows of B without entries alone. */
typedef struct uniform_rows {
    int64_t near, b_length, b_span;
    int64_t others, odd_length; /* entries of an odd row with products; others: columns they are spread over */
} uniform_rows;

static void make_alike(test_pattern *a, test_pattern *b, const uniform_rows *how, int64_t count)
{
    uint64_t random = 23;
    int64_t odd = 0;
    for (int64_t i = 0; i < ALIKE_ROWS; ++i) {
        const int64_t begin = i * (EMPTY_ROWS - 600) / ALIKE_ROWS;
        const bool is_odd = i % 6 == 3 && odd < count;
        if (is_odd && odd % 2 == 0)
            test_add_random(a, &random, TOO_LONG, EMPTY_ROWS, INNER, true);
        else if (is_odd)
            test_add_random(a, &random, how->odd_length, 0, how->others, true);
        else
            test_add_random(a, &random, how->near, begin, begin + how->near * 3 / 2, true);
        odd += is_odd;
        test_end_row(a);
    }
    for (int64_t j = 0; j < INNER; ++j) {
        const int64_t begin = j * (COLS - how->b_span) / INNER;
        if (j < EMPTY_ROWS) test_add_random(b, &random, how->b_length, begin, begin + how->b_span, true);
        test_end_row(b);
    }
}

static void check_alike(const uniform_rows *how)
{
    static const int64_t counts[] = {1, 128, 400};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; ++k) {
        test_pattern a = {0}, b = {0};
        make_alike(&a, &b, how, counts[k]);
        check_patterns(&a, &b, COLS);
    }
}

/* By tables of the threads' own, and by merging where offsets are of 64 bits. */
static void rows_unlike_short_ones_that_contract_are_exact(void **state)
{
    (void)state;
    check_alike(&(uniform_rows){16, 4, 6, EMPTY_ROWS, 66});
}

/* By tables of the groups'. */
static void rows_unlike_those_that_contract_little_are_exact(void **state)
{
    (void)state;
    check_alike(&(uniform_rows){36, 8, 400, EMPTY_ROWS, 120});
}

/* Once, where there are values. */
static void rows_unlike_those_that_contract_much_are_exact(void **state)
{
    (void)state;
    check_alike(&(uniform_rows){36, 8, 30, EMPTY_ROWS, 120});
}

/* A*A of a band, so that runs of rows are each the row before, shifted; but some rows name an empty one alone, and some
 * runs that no sample looks at are of rows far wider, so that no table made for the others holds their rows of C. */
static void make_bands(test_pattern *a, test_pattern *b)
{
    enum { BAND = 12000, HALF = 6, RUN = 8, APART = 6, EMPTY = 11000 };
    static const int64_t runs[] = {601, 3001, 6007, 9001};
    for (int64_t i = 0; i < BAND; ++i) {
        bool is_wide = false;
        for (size_t r = 0; r < sizeof runs / sizeof *runs; ++r)
            is_wide = is_wide || (i >= runs[r] && i < runs[r] + RUN);
        for (int64_t k = -HALF; k <= HALF && i != EMPTY && i % 600 != 3; ++k) {
            const int64_t column = i + k, wide = i + k * APART;
            if (column < 0 || column >= BAND) continue;
            test_add(a, is_wide ? wide : column);
            test_add(b, column);
        }
        if (i % 600 == 3) {
            test_add(a, EMPTY);
            test_add(b, i);
        }
        test_end_row(a);
        test_end_row(b);
    }
}

static void runs_of_rows_unlike_most_are_exact(void **state)
{
    (void)state;
    test_pattern a = {0}, b = {0};
    make_bands(&a, &b);
    check_patterns(&a, &b, a.rows);
}

/* Of the rows that a warp has at once two are given up, one after the other, and those between have ended before. */
static void rows_beside_two_that_no_table_holds_are_exact(void **state)
{
    enum { FEW_ROWS = 1671, WIDE = 18375, GIVEN_UP = 12000 };
    (void)state;
    test_pattern a = {0}, b = {0};
    uint64_t random = 9;
    for (int64_t i = 0; i < FEW_ROWS; ++i) {
        const bool is_long = i == 169 || i == 1141 || i == 1143;
        test_add_random(&a, &random, is_long ? GIVEN_UP + i : i % 4, 0, WIDE, true);
        test_end_row(&a);
    }
    for (int64_t j = 0; j < WIDE; ++j) {
        if (j % 26 == 3) test_add_random(&b, &random, j % 50 == 3 ? 60 : 1, 0, FEW_ROWS, true);
        test_end_row(&b);
    }
    check_patterns(&a, &b, FEW_ROWS);
}

/* The sample's row of many products is too long to be counted, so that rows of hardly any entries are expected; all
 * turn out longer, and none of the tables made for them holds the longest. */
static void rows_longer_than_a_sample_makes_expect_are_exact(void **state)
{
    enum { SOME_ROWS = 13, WIDTH = 939, SAMPLED = 6 };
    static const int64_t b_lengths[] = {WIDTH, 4, 6, 4, 1, 66, 2, 3};
    enum { B_ROWS = sizeof b_lengths / sizeof *b_lengths };
    (void)state;
    test_pattern a = {0}, b = {0};
    uint64_t random = 5;
    for (int64_t i = 0; i < SOME_ROWS; ++i) {
        const int64_t begin = i == SAMPLED ? 0 : i == SAMPLED + 3 ? B_ROWS - 2 : i + 1 == SOME_ROWS ? 4 : B_ROWS;
        for (int64_t j = begin; j < B_ROWS && (j == begin || begin != 4); ++j) test_add(&a, j);
        test_end_row(&a);
    }
    for (int64_t j = 0; j < B_ROWS; ++j) {
        test_add_random(&b, &random, b_lengths[j], 0, WIDTH, true);
        test_end_row(&b);
    }
    check_patterns(&a, &b, WIDTH);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_power_law_lengths_times_mostly_empty_rows_are_exact),
        cmocka_unit_test(long_rows_that_name_only_empty_rows_are_empty),
        cmocka_unit_test(a_product_of_empty_rows_alone_is_empty),
        cmocka_unit_test(rows_of_many_products_beside_empty_ones_are_exact),
        cmocka_unit_test(rows_unlike_short_ones_that_contract_are_exact),
        cmocka_unit_test(rows_unlike_those_that_contract_little_are_exact),
        cmocka_unit_test(rows_unlike_those_that_contract_much_are_exact),
        cmocka_unit_test(runs_of_rows_unlike_most_are_exact),
        cmocka_unit_test(rows_beside_two_that_no_table_holds_are_exact),
        cmocka_unit_test(rows_longer_than_a_sample_makes_expect_are_exact),
    };
    return TEST_RUN_HERE(argc, argv, "products of rows that most kernels leave", tests);
}
