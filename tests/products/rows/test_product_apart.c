/* Rows with few products for the columns that they span, as hubs of power laws and matrices of global numbers have: the
 * same as if the columns were near each other, bit for bit, and in a time that depends on the products. */
#include "clock.h"
#include "products.h"

#include <stdlib.h>

enum { INNER = 12000, COLS = 200000, APART = 10007, FAR_COLS = COLS * (int64_t)APART };

/* What B's rows are like: sorted; not all; with most columns in the left part, where they stay near each other. */
typedef enum apart_kind { SORTED, UNSORTED, CLUSTERED } apart_kind;

static int64_t far_column(int64_t column, apart_kind kind)
{
    return kind == CLUSTERED && column < COLS * 3 / 4 ? column : column * APART;
}

/* Rows of which the first `length` hold enough entries that they cannot be described at once, and others. */
static void make_a(test_pattern *a, int rows, int64_t length)
{
    uint64_t random = 1;
    for (int r = 0; r < rows; r++) {
        test_add_random(a, &random, r == 0 ? length : 1000 + r, 0, INNER, true);
        test_end_row(a);
    }
    test_end_row(a);
    test_add(a, 5);
    test_end_row(a);
}

static void make_b(test_pattern *b, int64_t length, apart_kind kind)
{
    uint64_t random = 2;
    for (int64_t j = 0; j < INNER; j++) {
        test_add_random(b, &random, j % 7 == 3 ? 0 : length, 0, COLS, kind != UNSORTED || j % 50 != 0);
        test_end_row(b);
    }
}

static void make_operands(apart_kind kind, int rows, int64_t length, spg_type type, spg_csr *A, spg_csr *B)
{
    test_pattern a = {0}, b = {0};
    make_a(&a, rows, length);
    make_b(&b, 20, kind);
    test_matrix_of(&a, INNER, SPG_I32, type, 3, 0, A);
    test_matrix_of(&b, COLS, SPG_I32, type, 4, 0, B);
    test_free_pattern(&a);
    test_free_pattern(&b);
}

static void move_apart(spg_csr *matrix, apart_kind kind)
{
    for (int64_t k = 0; k < matrix->nnz; k++) matrix->columns[k] = (int32_t)far_column(matrix->columns[k], kind);
    matrix->cols = FAR_COLS;
}

static void multiply_by_plan(spg_context *context, const spg_csr *A, const spg_csr *B, spg_csr *C)
{
    spg_csr here_A, here_B, here_C = {0};
    spgemm_plan *plan;
    test_to_place(context, A, &here_A);
    test_to_place(context, B, &here_B);
    assert_int_equal(spgemm_plan_create(context, &here_A, &here_B, &plan), SPG_OK);
    assert_int_equal(spgemm_plan_run(plan, &here_A, &here_B, &here_C), SPG_OK);
    test_to_host(context, &here_C, C);
    spgemm_plan_destroy(plan);
    spg_csr_free(context, &here_A);
    spg_csr_free(context, &here_B);
    spg_csr_free(context, &here_C);
}

static void check_kind(apart_kind kind, int64_t length, spg_type type, int64_t workspace)
{
    spg_csr A, B, expected, C;
    make_operands(kind, 3, length, type, &A, &B);
    spg_context *context = test_context(2, test_default_limits);
    test_multiply(context, &A, &B, &expected);
    move_apart(&B, kind);
    move_apart(&expected, kind);
    assert_int_equal(spg_context_set_workspace_limit(context, workspace), SPG_OK);
    test_multiply(context, &A, &B, &C);
    test_assert_same_product(&C, &expected, "columns far apart");
    spg_csr_free(test_host(), &C);
    multiply_by_plan(context, &A, &B, &C);
    test_assert_same_product(&C, &expected, "columns far apart, by a plan");
    spg_csr_free(test_host(), &C);
    spg_csr_free(test_host(), &expected);
    spg_csr_free(test_host(), &A);
    spg_csr_free(test_host(), &B);
    spg_context_destroy(context);
}

static void columns_far_apart_keep_their_bits(void **state)
{
    (void)state;
    for (apart_kind kind = SORTED; kind <= CLUSTERED; kind++)
        for (int t = 0; t < TEST_VALUE_TYPES; t++) {
            check_kind(kind, 9000, test_value_types[t], 0);
            check_kind(kind, 3000, test_value_types[t], 4 << 20);
        }
}

enum { ALONE = 2000, CLUSTERS = 3, MOST_IN_CLUSTER = 6000, MOST_COLUMNS = ALONE + CLUSTERS * MOST_IN_CLUSTER };
static const uint64_t clustered_cols = 20000000;

static int compare_columns(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Columns that lie far apart, and clusters of neighbours that begin anywhere. Ascending; returns how many. */
static int64_t draw_columns(uint64_t *random, int32_t *columns)
{
    int64_t drawn = 0, distinct = 0;
    for (; drawn < ALONE; drawn++) columns[drawn] = (int32_t)(test_random(random) % clustered_cols);
    for (int c = 0; c < CLUSTERS; c++) {
        const uint64_t count = 1 + test_random(random) % MOST_IN_CLUSTER;
        const int32_t first = (int32_t)(test_random(random) % (clustered_cols - count));
        for (int32_t k = 0; k < (int32_t)count; k++) columns[drawn++] = first + k;
    }
    qsort(columns, (size_t)drawn, sizeof *columns, compare_columns);
    for (int64_t k = 0; k < drawn; k++)
        if (k == 0 || columns[k] != columns[k - 1]) columns[distinct++] = columns[k];
    return distinct;
}

/* A row with one product a column: windows that gather and windows that do not follow each other within a cluster. */
static void check_clusters(uint64_t seed, int32_t *columns)
{
    uint64_t random = seed;
    const int64_t count = draw_columns(&random, columns);
    test_pattern a = {0}, b = {0};
    spg_csr A, B, expected, C;
    for (int64_t j = 0; j < count; j++) {
        test_add(&a, (int32_t)j);
        test_add(&b, (int32_t)j);
        test_end_row(&b);
    }
    test_end_row(&a);
    test_matrix_of(&a, count, SPG_I32, SPG_F64, 3, 0, &A);
    test_matrix_of(&b, count, SPG_I32, SPG_F64, 4, 0, &B);
    spg_context *context = test_context(1, test_default_limits);
    test_multiply(context, &A, &B, &expected);
    for (int64_t j = 0; j < count; j++) B.columns[j] = expected.columns[j] = columns[j];
    B.cols = expected.cols = (int64_t)clustered_cols;
    for (int64_t workspace = 0; workspace <= 1 << 20; workspace += 1 << 18) {
        assert_int_equal(spg_context_set_workspace_limit(context, workspace), SPG_OK);
        test_multiply(context, &A, &B, &C);
        test_assert_same_product(&C, &expected, "clusters of columns");
        spg_csr_free(test_host(), &C);
    }
    spg_csr_free(test_host(), &expected);
    spg_csr_free(test_host(), &A);
    spg_csr_free(test_host(), &B);
    spg_context_destroy(context);
    test_free_pattern(&a);
    test_free_pattern(&b);
}

static void clusters_of_columns_are_written_once(void **state)
{
    (void)state;
    static int32_t columns[MOST_COLUMNS];
    for (uint64_t seed = 1; seed <= (test_is_short() ? 10 : 40); seed++) check_clusters(seed, columns);
}

static double seconds_of_product(spg_context *context, const spg_csr *A, const spg_csr *B)
{
    double least = 1e30;
    for (int turn = 0; turn < 3; turn++) {
        spg_csr C;
        const double begin = spg_seconds();
        assert_int_equal(spgemm_csr(context, A, B, &C), SPG_OK);
        const double took = spg_seconds() - begin;
        spg_csr_free(context, &C);
        if (took < least) least = took;
    }
    return least;
}

/* 7 to 8 times as long on one core of an EPYC; 1,400 times before products were gathered. */
static void columns_far_apart_take_about_as_long(void **state)
{
    (void)state;
    if (test_place() != SPG_PLACE_HOST) return;
    spg_csr A, B;
    make_operands(SORTED, 3, 9000, SPG_F64, &A, &B);
    spg_context *context = test_context(1, test_default_limits);
    const double near = seconds_of_product(context, &A, &B);
    move_apart(&B, SORTED);
    const double far = seconds_of_product(context, &A, &B);
    print_message("columns near each other %.2f ms, far apart %.2f ms\n", 1e3 * near, 1e3 * far);
    assert_true(far < 60 * near);
    spg_csr_free(test_host(), &A);
    spg_csr_free(test_host(), &B);
    spg_context_destroy(context);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_far_apart_keep_their_bits),
        cmocka_unit_test(clusters_of_columns_are_written_once),
        cmocka_unit_test(columns_far_apart_take_about_as_long),
    };
    return TEST_RUN_HERE(argc, argv, "products with columns far apart", tests);
}
