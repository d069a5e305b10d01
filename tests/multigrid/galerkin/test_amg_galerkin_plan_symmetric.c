/* Plans of Galerkin products made for a symmetric operator: they may leave half of the work while it is symmetric, and
 * must notice when it is not. */
#include "amg_galerkin.h"

#include <stdlib.h>

static const spg_type value_types[] = {SPG_F32, SPG_F64, SPG_C32, SPG_C64};

/* Each entry of the pattern a dense block of rows x columns; values are not set. */
static spg_csr blocks_of(const spg_csr *pattern, int rows, int columns, spg_type type)
{
    spg_csr B;
    assert_int_equal(spg_csr_alloc(test_host(), pattern->rows * rows, pattern->cols * columns,
                                   pattern->nnz * rows * columns, SPG_I32, type, &B),
                     SPG_OK);
    int64_t to = 0;
    for (int64_t i = 0; i < B.rows; i++) {
        for (int64_t k = test_offset(pattern, i / rows); k < test_offset(pattern, i / rows + 1); k++)
            for (int c = 0; c < columns; c++) B.columns[to++] = pattern->columns[k] * columns + c;
        ((int32_t *)B.row_offsets)[i + 1] = (int32_t)to;
    }
    return B;
}

/* a_ij = a_ji: a number of the pair and the seed; on the diagonal as well. */
static void set_symmetric_values(spg_csr *A, uint64_t seed)
{
    const int parts = A->value_type == SPG_C32 || A->value_type == SPG_C64 ? 2 : 1;
    const bool single = A->value_type == SPG_F32 || A->value_type == SPG_C32;
    for (int64_t i = 0; i < A->rows; i++)
        for (int64_t k = test_offset(A, i); k < test_offset(A, i + 1); k++) {
            const int64_t j = A->columns[k], least = i < j ? i : j;
            uint64_t state = seed * 1000003 + (uint64_t)(least * A->rows + (i + j - least));
            for (int part = 0; part < parts; part++) {
                const double value = (double)(test_random(&state) >> 11) * 0x1p-52 - 1;
                if (single)
                    ((float *)A->values)[k * parts + part] = (float)value;
                else
                    ((double *)A->values)[k * parts + part] = value;
            }
        }
}

/* C with A's and P's values as they are; what a product by itself gives. */
static void run_and_compare(spg_context *context, spg_galerkin_plan *plan, const spg_csr *A, const spg_csr *P,
                            spg_csr *C, bool symmetric)
{
    galerkin g;
    spg_csr expected, found;
    begin(context, NULL, A, P, &g);
    if (spg_galerkin_plan_run(plan, NULL, &g.A, &g.P, C) != SPG_OK) fail_msg("%s", spg_context_message(context));
    test_to_host(context, C, &found);
    assert_int_equal(spg_galerkin(test_host(), NULL, A, P, &expected), SPG_OK);
    test_assert_same_csr(&found, &expected);
    if (symmetric) test_assert_symmetric(&found);
    spg_csr_free(test_host(), &found);
    spg_csr_free(test_host(), &expected);
    end(&g);
}

/* What a plan for symmetric values gives for these, then for others, and for symmetric ones again. limit: of workspace
 * while the plan is made, doubled until there is enough; 0: none. Frees A and P. */
static void check_plan(spg_context *context, spg_csr *A, spg_csr *P, int64_t limit)
{
    spg_csr C = {0};
    galerkin g;
    spg_galerkin_plan *plan;
    int64_t before, after;
    spg_galerkin_stats stats;
    set_symmetric_values(A, 1);
    test_random_values(2, 0, P->value_type, P->nnz, P->values);
    begin(context, NULL, A, P, &g);
    spg_context_memory(context, &before, NULL);
    assert_int_equal(spg_context_set_workspace_limit(context, limit), SPG_OK);
    while (spg_galerkin_plan_create(context, NULL, &g.A, &g.P, &plan) != SPG_OK) {
        if (limit == 0 || limit > (int64_t)1 << 30) fail_msg("%s", spg_context_message(context));
        limit *= 2;
        assert_int_equal(spg_context_set_workspace_limit(context, limit), SPG_OK);
    }
    assert_int_equal(spg_context_set_workspace_limit(context, 0), SPG_OK);
    spg_context_memory(context, &after, NULL);
    assert_int_equal(spg_galerkin_plan_stats(plan, &stats), SPG_OK);
    assert_int_equal(stats.plan_bytes, after - before);
    end(&g);
    run_and_compare(context, plan, A, P, &C, true);
    test_random_values(3, 0, A->value_type, A->nnz, A->values);
    run_and_compare(context, plan, A, P, &C, false);
    set_symmetric_values(A, 4);
    test_random_values(5, 0, P->value_type, P->nnz, P->values);
    run_and_compare(context, plan, A, P, &C, true);
    spg_csr_free(context, &C);
    spg_galerkin_plan_destroy(plan);
    spg_csr_free(test_host(), A);
    spg_csr_free(test_host(), P);
}

/* Rows of C of few entries and of many, of few products and of many, and so of every kind of kernel. */
static void plans_notice_when_the_operator_is_symmetric_no_more(void **state)
{
    (void)state;
    static const struct {
        int64_t rows, cols;
        double mean, mean_of_P;
    } shapes[] = {{500, 120, 4, 1}, {600, 90, 8, 3},     {900, 300, 12, 6},
                  {1500, 12, 6, 3}, {2500, 1200, 20, 8}, {1500, 700, 2, 1}};
    for (int t = 0; t < 4; t++)
        for (int s = 0; s < 6; s++) {
            spg_context *context = test_context_at_place(2);
            spg_csr pattern = test_symmetric(shapes[s].rows, shapes[s].mean, SPG_F32, 6);
            spg_csr A = blocks_of(&pattern, 1, 1, value_types[t]);
            spg_csr P = random_matrix(A.rows, shapes[s].cols, shapes[s].mean_of_P, SPG_I32, value_types[t], 7,
                                      s == 1 ? TEST_UNSORTED : 0);
            spg_csr_free(test_host(), &pattern);
            check_plan(context, &A, &P, 0);
            spg_context_destroy(context);
        }
}

/* Unknowns and candidates a node of both operands; the operator's rows are equal by twos, threes and sixes. */
static void plans_of_block_matrices_have_the_bits_of_the_product(void **state)
{
    (void)state;
    static const int sizes[][2] = {{2, 2}, {2, 3}, {3, 6}, {6, 6}, {3, 2}, {1, 3}, {4, 6}};
    for (int t = 0; t < 4; t++)
        for (int s = 0; s < 7; s++) {
            spg_context *context = test_context_at_place(2);
            /* Threads then do three rows of a block, or what is left of it. */
            const bool is_large = t == 1 && (s == 0 || s == 2);
            spg_csr nodes = test_symmetric(is_large ? 4000 - 500 * s : 300, 10, SPG_F32, 8);
            spg_csr aggregates = random_matrix(nodes.rows, is_large ? 1500 : 20 + 10 * s, 2, SPG_I32, SPG_F32, 9, 0);
            spg_csr A = blocks_of(&nodes, sizes[s][0], sizes[s][0], value_types[t]);
            spg_csr P = blocks_of(&aggregates, sizes[s][0], sizes[s][1], value_types[t]);
            spg_csr_free(test_host(), &nodes);
            spg_csr_free(test_host(), &aggregates);
            check_plan(context, &A, &P, 0);
            spg_context_destroy(context);
        }
}

/* A's rows name so many blocks, and C's are so short, that a window of C's entries takes more of A than shared memory
 * has room for. */
static void plans_of_long_rows_of_blocks_have_the_bits_of_the_product(void **state)
{
    (void)state;
    enum { NODES = 400 };
    for (int t = 0; t < 4; t++) {
        spg_context *context = test_context_at_place(2);
        spg_csr nodes = test_symmetric(NODES, 260, SPG_F32, 8), one;
        assert_int_equal(spg_csr_alloc(test_host(), NODES, 1, NODES, SPG_I32, SPG_F32, &one), SPG_OK);
        for (int i = 0; i < NODES; i++) one.columns[i] = 0, ((int32_t *)one.row_offsets)[i + 1] = i + 1;
        spg_csr A = blocks_of(&nodes, 3, 3, value_types[t]), P = blocks_of(&one, 3, 6, value_types[t]);
        spg_csr_free(test_host(), &nodes);
        spg_csr_free(test_host(), &one);
        check_plan(context, &A, &P, 0);
        spg_context_destroy(context);
    }
}

/* The values of P lie one entry behind where memory begins, so that no pair of them is aligned to its size. */
static void values_of_blocks_may_begin_at_any_entry(void **state)
{
    (void)state;
    spg_context *context = test_context_at_place(2);
    spg_csr nodes = test_symmetric(300, 10, SPG_F32, 8), aggregates = random_matrix(300, 40, 2, SPG_I32, SPG_F32, 9, 0);
    spg_csr A = blocks_of(&nodes, 3, 3, SPG_F64), P = blocks_of(&aggregates, 3, 6, SPG_F64), list, moved, C = {0};
    spg_csr found, expected;
    galerkin g;
    spg_galerkin_plan *plan;
    set_symmetric_values(&A, 1);
    test_random_values(2, 0, SPG_F64, P.nnz, P.values);
    assert_int_equal(spg_csr_alloc(test_host(), 1, P.nnz + 1, P.nnz + 1, SPG_I32, SPG_F64, &list), SPG_OK);
    for (int64_t k = 0; k <= P.nnz; k++) {
        list.columns[k] = (int32_t)k;
        ((double *)list.values)[k] = k > 0 ? ((double *)P.values)[k - 1] : 0;
    }
    ((int32_t *)list.row_offsets)[1] = (int32_t)list.nnz;
    begin(context, NULL, &A, &P, &g);
    test_to_place(context, &list, &moved);
    assert_int_equal(spg_galerkin_plan_create(context, NULL, &g.A, &g.P, &plan), SPG_OK);
    spg_csr P_there = g.P;
    P_there.values = (double *)moved.values + 1;
    assert_int_equal(spg_galerkin_plan_run(plan, NULL, &g.A, &P_there, &C), SPG_OK);
    test_to_host(context, &C, &found);
    assert_int_equal(spg_galerkin(test_host(), NULL, &A, &P, &expected), SPG_OK);
    test_assert_same_csr(&found, &expected);
    spg_galerkin_plan_destroy(plan);
    spg_csr_free(context, &C);
    spg_csr_free(context, &moved);
    end(&g);
    spg_context_destroy(context);
    for (spg_csr *matrix[] = {&nodes, &aggregates, &A, &P, &list, &found, &expected}, **m = matrix; m < matrix + 7; m++)
        spg_csr_free(test_host(), *m);
}

/* Plans are made in parts, whose rows are not those of the whole matrix. */
static void plans_under_a_workspace_limit_do_too(void **state)
{
    (void)state;
    for (int blocks = 0; blocks < 2; blocks++) {
        spg_context *context = test_context_at_place(2);
        spg_csr nodes = test_symmetric(3000, 6, SPG_F32, 8);
        spg_csr aggregates = random_matrix(nodes.rows, 1500, 1, SPG_I32, SPG_F32, 9, 0);
        spg_csr A = blocks_of(&nodes, blocks ? 3 : 1, blocks ? 3 : 1, SPG_F64);
        spg_csr P = blocks_of(&aggregates, blocks ? 3 : 1, blocks ? 6 : 1, SPG_F64);
        spg_csr_free(test_host(), &nodes);
        spg_csr_free(test_host(), &aggregates);
        check_plan(context, &A, &P, (int64_t)1 << 16);
        spg_context_destroy(context);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_notice_when_the_operator_is_symmetric_no_more),
        cmocka_unit_test(plans_of_block_matrices_have_the_bits_of_the_product),
        cmocka_unit_test(plans_of_long_rows_of_blocks_have_the_bits_of_the_product),
        cmocka_unit_test(values_of_blocks_may_begin_at_any_entry),
        cmocka_unit_test(plans_under_a_workspace_limit_do_too),
    };
    return TEST_RUN_HERE(argc, argv, "amg galerkin plan symmetric", tests);
}
