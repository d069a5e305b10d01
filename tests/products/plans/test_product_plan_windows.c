/* Plans of products whose entries are summed by a thread each on a device: where rows of B are short, those of A long
 * enough. A device looks for the products of an entry if rows of A have up to 64 entries, and else, or within a limit
 * of workspace, goes over all products; either way each entry has its products in storage order. */
#include "products.h"

/* Row i of A has lengths[i % count] neighbouring entries, row k of B `width` columns from k / step on. */
typedef struct banded {
    const char *what;
    int64_t rows, lengths[4];
    int count, width, step;
    bool has_gaps; /* rows of A without entries, at both ends and in between */
} banded;

static const banded cases[] = {
    {"rows of A of many lengths", 3000, {12, 64, 37, 25}, 4, 3, 8, false},
    {"empty rows at both ends and in between", 3000, {12, 64, 37, 25}, 4, 4, 8, true},
    {"a row of A of one entry more than a mask holds", 3000, {12, 65, 37, 25}, 4, 3, 8, true},
    {"few entries of C and many of A", 4000, {64, 63, 64, 62}, 4, 2, 256, false},
    {"many windows", 40000, {31, 20, 33, 32}, 4, 5, 8, true},
    {"rows of A that are equal in pairs", 2000, {24, 0, 40, 0}, 4, 3, 8, false},
};

static void add_rows(const banded *c, test_pattern *a, test_pattern *b, int64_t *cols)
{
    const int64_t b_rows = c->rows + 128;
    for (int64_t i = 0; i < c->rows; ++i) {
        const bool is_gap = c->has_gaps && (i < 70 || i % 50 < 3 || i >= c->rows - 70);
        const int64_t own = c->lengths[i % c->count], length = own > 0 ? own : c->lengths[i % c->count - 1];
        const int64_t first = own > 0 ? i : i - 1; /* without a length of its own: the row before */
        for (int64_t k = 0; k < length && !is_gap; ++k) test_add(a, first + k);
        test_end_row(a);
    }
    for (int64_t k = 0; k < b_rows; ++k) {
        for (int j = 0; j < c->width; ++j) test_add(b, k / c->step + j * 2);
        test_end_row(b);
    }
    *cols = b_rows / c->step + 2 * c->width;
}

static void run_and_check(spg_context *context, spgemm_plan *plan, const spg_csr *A, const spg_csr *B, const char *what)
{
    spg_csr here_A, here_B, C = {0}, back, expected;
    test_reference_product(A, B, &expected);
    test_to_place(context, A, &here_A);
    test_to_place(context, B, &here_B);
    if (spgemm_plan_run(plan, &here_A, &here_B, &C) != SPG_OK) fail_msg("%s: %s", what, spg_context_message(context));
    test_to_host(context, &C, &back);
    test_assert_same_product(&back, &expected, what);
    spg_csr_free(context, &C);
    spg_csr_free(context, &here_A);
    spg_csr_free(context, &here_B);
    spg_csr_free(test_host(), &back);
    spg_csr_free(test_host(), &expected);
}

static void check_case(spg_context *context, const banded *c, spg_type type, spg_type offset_type)
{
    test_pattern a = {0}, b = {0};
    spg_csr A, B, here_A, here_B;
    spgemm_plan *plan;
    int64_t cols;
    add_rows(c, &a, &b, &cols);
    test_matrix_of(&a, c->rows + 128, offset_type, type, 1, 0, &A);
    test_matrix_of(&b, cols, SPG_I32, type, 2, 0, &B);
    test_free_pattern(&a);
    test_free_pattern(&b);
    test_to_place(context, &A, &here_A);
    test_to_place(context, &B, &here_B);
    if (spgemm_plan_create(context, &here_A, &here_B, &plan) != SPG_OK)
        fail_msg("%s: %s", c->what, spg_context_message(context));
    spg_csr_free(context, &here_A);
    spg_csr_free(context, &here_B);
    run_and_check(context, plan, &A, &B, c->what);
    test_random_values(7, 0, type, A.nnz, A.values);
    test_random_values(8, 0, type, B.nnz, B.values);
    run_and_check(context, plan, &A, &B, c->what);
    spgemm_plan_destroy(plan);
    spg_csr_free(test_host(), &A);
    spg_csr_free(test_host(), &B);
}

static void entries_have_their_products_in_storage_order_however_they_are_found(void **state)
{
    (void)state;
    for (int limited = 0; limited < 2; ++limited) {
        spg_context *context = test_context(2, test_default_limits);
        if (limited) assert_int_equal(spg_context_set_workspace_limit(context, (int64_t)64 << 20), SPG_OK);
        for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k)
            check_case(context, &cases[k], test_value_types[k % TEST_VALUE_TYPES], k % 2 ? SPG_I64 : SPG_I32);
        spg_context_destroy(context);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_have_their_products_in_storage_order_however_they_are_found),
    };
    return TEST_RUN_HERE(argc, argv, "product plan windows", tests);
}
