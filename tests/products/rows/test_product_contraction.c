/* Rows of many products and few entries, as of the second product of R*A*P: against the plain reference, bit for bit.
 * A device may keep such rows in workspace while it counts them: here are rows that leave no room for what a sample of
 * rows promises. Rows whose number is a multiple of 6 may be of the sample, so others are the odd ones. */
#include "products.h"

enum { ROWS = 400, INNER = 240, BAND = 30, COLS = INNER + BAND };

/* How the rows are made: entries of a row of A, of a row of B; the odd rows of A are of so many entries, if of any. */
typedef struct row_shape {
    int64_t a_row, b_row, odd_a_row;
    bool sorted;      /* whether all rows of B ascend but the last (others are unsorted, or repeat a column), */
    bool last_sorted; /* and that, which the odd rows of A name last */
} row_shape;

/* B is a band, so that neighbouring rows of it have columns in common; rows of A name neighbours, odd ones any rows. */
static void check_shape(const row_shape *shape)
{
    test_pattern a = {0}, b = {0};
    uint64_t random = (uint64_t)(shape->a_row + 100 * shape->b_row);
    for (int64_t i = 0; i < ROWS; ++i) {
        const int64_t window = shape->a_row + shape->a_row / 5, begin = test_below(&random, INNER - window);
        const bool is_odd = shape->odd_a_row > 0 && (i % 60 == 23 || i == ROWS - 1);
        if (is_odd)
            test_add_random(&a, &random, shape->odd_a_row, 0, INNER - 1, false);
        else
            test_add_random(&a, &random, shape->a_row, begin, begin + window, i % 2);
        if (is_odd) test_add(&a, INNER - 1);
        if (i % 50 == 7) test_add(&a, a.columns[a.nnz - 1]); /* a repeated entry */
        test_end_row(&a);
    }
    for (int64_t i = 0; i < INNER; ++i) {
        const bool ascends = i == INNER - 1 ? shape->last_sorted : shape->sorted || i % 40 != 0;
        if (i % 40 != 11) test_add_random(&b, &random, shape->b_row, i, i + BAND, ascends || i % 80 == 0);
        if (!ascends && shape->b_row > 2) b.columns[b.nnz - 1] = b.columns[b.nnz - 2];
        test_end_row(&b);
    }
    for (int v = 0; v < TEST_VALUE_TYPES; ++v) {
        spg_csr A, B;
        test_matrix_of(&a, INNER, v % 2 ? SPG_I64 : SPG_I32, test_value_types[v], 1, 0, &A);
        test_matrix_of(&b, COLS, v < 2 ? SPG_I32 : SPG_I64, test_value_types[v], 2, 0, &B);
        test_check_product(&A, &B, test_default_limits, 2);
        spg_csr_free(test_host(), &A);
        spg_csr_free(test_host(), &B);
    }
    test_free_pattern(&a);
    test_free_pattern(&b);
}

static void rows_of_b_of_any_length_contract(void **state)
{
    (void)state;
    const row_shape shapes[] = {{60, 8, 0, true, true},  {120, 8, 0, true, true}, {40, 9, 0, true, true},
                                {30, 16, 0, true, true}, {30, 17, 0, true, true}, {30, 29, 0, true, true}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; ++s) check_shape(&shapes[s]);
}

static void rows_of_more_products_than_a_sample_counts_contract(void **state)
{
    (void)state;
    const row_shape shapes[] = {{110, 12, 0, true, true}, {100, 29, 0, true, true}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; ++s) check_shape(&shapes[s]);
}

static void rows_longer_than_the_others_contract(void **state)
{
    (void)state;
    const row_shape shapes[] = {
        {20, 12, 8, true, true}, {30, 16, 9, true, true}, {20, 12, 60, true, true}, {10, 28, 239, true, true}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; ++s) check_shape(&shapes[s]);
}

static void rows_of_b_that_do_not_ascend_contract(void **state)
{
    (void)state;
    const row_shape shapes[] = {{40, 9, 0, false, true}, {30, 29, 100, false, false}, {20, 12, 200, true, false}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; ++s) check_shape(&shapes[s]);
}

/* Of more than a thousand products a row: of B in any order a row's last entry is not its last column, and a window of
 * columns that ends with the last entries of all of them leaves some out. */
static void wide_rows_of_b_in_any_order_contract(void **state)
{
    static const int64_t sizes[] = {1100, 1500, 2900};
    (void)state;
    for (int s = 0; s < 3; ++s) {
        spg_csr A, B;
        test_random_csr(test_host(), (test_matrix){600, sizes[s], 32, SPG_I32, test_value_types[s]}, 8, 0, &A);
        test_random_csr(test_host(), (test_matrix){sizes[s], sizes[s], 32, SPG_I32, test_value_types[s]}, 9,
                        TEST_UNSORTED, &B);
        test_check_product(&A, &B, test_default_limits, 2);
        spg_csr_free(test_host(), &A);
        spg_csr_free(test_host(), &B);
    }
}

/* Rows of 40 entries, and odd ones of about 52, which is what a sample of the others makes a device keep of a row. Four
 * rows of B that follow each other have all columns of a row of C between them. */
static void rows_of_just_what_is_kept_of_a_row_contract(void **state)
{
    (void)state;
    enum { APART = 100, NAMED = 24, HALF = 30 };
    for (int64_t most = 51; most <= 53; ++most) {
        test_pattern a = {0}, b = {0};
        for (int64_t j = 0; j < 2 * HALF; ++j) {
            const int64_t begin = j < HALF ? 0 : APART, end = j < HALF ? 40 : APART + most;
            for (int64_t column = begin + j % 4; column < end; column += 4) test_add(&b, column);
            test_end_row(&b);
        }
        for (int64_t i = 0; i < ROWS; ++i) {
            const int64_t first = i % (HALF - NAMED) + (i % 6 == 5 ? HALF : 0);
            for (int64_t k = 0; k < NAMED; ++k) test_add(&a, first + k);
            test_end_row(&a);
        }
        for (int v = 0; v < TEST_VALUE_TYPES; ++v) {
            spg_csr A, B;
            test_matrix_of(&a, 2 * HALF, SPG_I32, test_value_types[v], 1, 0, &A);
            test_matrix_of(&b, APART + most, SPG_I32, test_value_types[v], 2, 0, &B);
            test_check_product(&A, &B, test_default_limits, 2);
            spg_csr_free(test_host(), &A);
            spg_csr_free(test_host(), &B);
        }
        test_free_pattern(&a);
        test_free_pattern(&b);
    }
}

/* So many rows of about 120 entries of C, of 24 of A: a device keeps them while it counts them, if it may. */
static void check_workspace(int64_t rows, int64_t limit, int64_t most_workspace)
{
    enum { LENGTH = 24, NEAR = 60 };
    spg_context *context = test_context(2, test_default_limits);
    assert_int_equal(spg_context_set_workspace_limit(context, limit), SPG_OK);
    test_pattern a = {0};
    uint64_t random = 9;
    spgemm_stats stats;
    spg_csr A, C, expected;
    for (int64_t i = 0; i < rows; ++i) {
        const int64_t first = i < rows - NEAR ? i : rows - NEAR;
        test_add_random(&a, &random, LENGTH, first, first + NEAR, true);
        test_end_row(&a);
    }
    test_matrix_of(&a, rows, SPG_I32, SPG_F64, 1, 0, &A);
    test_free_pattern(&a);
    test_multiply(context, &A, &A, &C);
    assert_int_equal(spgemm_last_stats(context, &stats), SPG_OK);
    if (stats.workspace_bytes > most_workspace) fail_msg("%lld bytes of workspace", (long long)stats.workspace_bytes);
    test_reference_product(&A, &A, &expected);
    test_assert_same_product(&C, &expected, "rows not kept");
    spg_csr_free(test_host(), &A);
    spg_csr_free(test_host(), &C);
    spg_csr_free(test_host(), &expected);
    spg_context_destroy(context);
}

/* It may where that is at most 64 MB, or twice what the operands take, or what a limit leaves. */
static void rows_that_take_too_much_are_not_kept(void **state)
{
    (void)state;
    check_workspace(45000, 0, 64 << 20);
    check_workspace(4000, 3 << 20, 3 << 20);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_b_of_any_length_contract),
        cmocka_unit_test(rows_of_more_products_than_a_sample_counts_contract),
        cmocka_unit_test(rows_longer_than_the_others_contract),
        cmocka_unit_test(rows_of_b_that_do_not_ascend_contract),
        cmocka_unit_test(wide_rows_of_b_in_any_order_contract),
        cmocka_unit_test(rows_of_just_what_is_kept_of_a_row_contract),
        cmocka_unit_test(rows_that_take_too_much_are_not_kept),
    };
    return TEST_RUN_HERE(argc, argv, "products that contract", tests);
}
