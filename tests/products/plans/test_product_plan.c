/* Plans: new numbers on kept patterns, with the same bits as the one-shot product, and on nothing else. */
#include "products.h"

#include <string.h>

/* One product at the place, its plan, and what the host says it must be. */
typedef struct planned {
    spg_context *context;
    spg_csr A, B, expected; /* on the host */
    spg_csr here_A, here_B;
    spgemm_plan *plan;
} planned;

static void open_plan(planned *p, spg_context *context, int64_t m, int64_t k, int64_t n, double mean, spg_type type,
                      unsigned flags)
{
    p->context = context;
    test_random_csr(test_host(), (test_matrix){m, k, mean, SPG_I32, type}, 100, flags, &p->A);
    test_random_csr(test_host(), (test_matrix){k, n, mean, test_offset_types[m % 2], type}, 101, flags, &p->B);
    test_reference_product(&p->A, &p->B, &p->expected);
    test_to_place(context, &p->A, &p->here_A);
    test_to_place(context, &p->B, &p->here_B);
    spg_status status = spgemm_plan_create(context, &p->here_A, &p->here_B, &p->plan);
    if (status != SPG_OK) fail_msg("%s", spg_context_message(context));
}

/* The same of these patterns, which are freed. */
static void open_plan_of(planned *p, spg_context *context, test_pattern *a, test_pattern *b, int64_t cols,
                         spg_type type)
{
    p->context = context;
    test_matrix_of(a, b->rows, SPG_I32, type, 1, 0, &p->A);
    test_matrix_of(b, cols, SPG_I32, type, 2, 0, &p->B);
    test_free_pattern(a);
    test_free_pattern(b);
    test_reference_product(&p->A, &p->B, &p->expected);
    test_to_place(context, &p->A, &p->here_A);
    test_to_place(context, &p->B, &p->here_B);
    spg_status status = spgemm_plan_create(context, &p->here_A, &p->here_B, &p->plan);
    if (status != SPG_OK) fail_msg("%s", spg_context_message(context));
}

static void close_plan(planned *p)
{
    spgemm_plan_destroy(p->plan);
    spg_csr_free(p->context, &p->here_A);
    spg_csr_free(p->context, &p->here_B);
    spg_csr_free(test_host(), &p->A);
    spg_csr_free(test_host(), &p->B);
    spg_csr_free(test_host(), &p->expected);
}

/* New random values in both operands; the expected product follows. */
static void renew_values(planned *p, uint64_t seed)
{
    test_random_values(seed, 0, p->A.value_type, p->A.nnz, p->A.values);
    test_random_values(seed + 1, 0, p->B.value_type, p->B.nnz, p->B.values);
    spg_csr_free(test_host(), &p->expected);
    test_reference_product(&p->A, &p->B, &p->expected);
    spg_csr_free(p->context, &p->here_A);
    spg_csr_free(p->context, &p->here_B);
    test_to_place(p->context, &p->A, &p->here_A);
    test_to_place(p->context, &p->B, &p->here_B);
}

static void check_result(const planned *p, const spg_csr *C, const char *where)
{
    spg_csr back;
    test_to_host(p->context, C, &back);
    test_assert_same_product(&back, &p->expected, where);
    spg_csr_free(test_host(), &back);
}

static void run_and_check(planned *p, spg_csr *C, const char *where)
{
    spg_status status = spgemm_plan_run(p->plan, &p->here_A, &p->here_B, C);
    if (status != SPG_OK) fail_msg("%s: %s", where, spg_context_message(p->context));
    check_result(p, C, where);
}

/* Runs into a fresh C, again, with new values into the same C, and into another fresh one. */
static void check_runs(spg_context *context, int64_t m, int64_t k, int64_t n, double mean, spg_type type,
                       unsigned flags)
{
    planned p;
    open_plan(&p, context, m, k, n, mean, type, flags);
    spg_csr C = {0}, other = {0};
    run_and_check(&p, &C, "first run");
    const spg_csr first = C;
    run_and_check(&p, &C, "second run");
    renew_values(&p, 500);
    run_and_check(&p, &C, "new values");
    run_and_check(&p, &other, "another result");
    renew_values(&p, 600);
    run_and_check(&p, &C, "the first result again");
    run_and_check(&p, &other, "the other result again");
    assert_ptr_equal(first.row_offsets, C.row_offsets);
    assert_ptr_equal(first.columns, C.columns);
    assert_ptr_equal(first.values, C.values);
    spg_csr_free(context, &C);
    spg_csr_free(context, &other);
    close_plan(&p);
}

static void plan_runs_have_the_bits_of_the_plain_sum(void **state)
{
    (void)state;
    const unsigned flags[] = {0, TEST_UNSORTED, TEST_DUPLICATES, TEST_UNSORTED | TEST_DUPLICATES};
    for (int l = 0; l < TEST_LIMITS; ++l)
        for (int t = 0; t < TEST_THREADS; ++t) {
            spg_context *context = test_context(test_thread_counts[t], test_limit_sets[l].limits);
            for (int v = 0; v < TEST_VALUE_TYPES; ++v)
                check_runs(context, 151 + t, 120, 90, 6, test_value_types[v], flags[(v + l + t) % 4]);
            spg_context_destroy(context);
        }
}

static void plan_runs_of_every_shape_have_the_bits_of_the_plain_sum(void **state)
{
    (void)state;
    spg_context *context = test_context(2, test_default_limits);
    for (int v = 0; v < TEST_VALUE_TYPES; ++v) {
        spg_type type = test_value_types[v];
        check_runs(context, 0, 0, 0, 3, type, 0);
        check_runs(context, 0, 5, 7, 3, type, 0);
        check_runs(context, 5, 0, 7, 3, type, 0);
        check_runs(context, 5, 7, 0, 3, type, 0);
        check_runs(context, 1, 1, 1, 1, type, 0);
        check_runs(context, 1, 900, 900, 200, type, 0);
        check_runs(context, 900, 900, 1, 5, type, TEST_UNSORTED);
        check_runs(context, 300, 200, 12, 6, type, 0);        /* short rows of C */
        check_runs(context, 300, 200, 40, 12, type, 0);       /* about 40 entries a row */
        check_runs(context, 300, 200, 100, 14, type, 0);      /* more than 64 */
        check_runs(context, 300, 200, 5000, 30, type, 0);     /* more than 256 */
        check_runs(context, 100, 400, 200000, 60, type, 0);   /* thousands */
        check_runs(context, 40, 3000, 2000000, 120, type, 0); /* no contraction */
        check_runs(context, 60, 100, 30, 50, type, TEST_DUPLICATES);
        check_runs(context, 20000, 15000, 15000, 4, type, 0); /* many chunks */
    }
    spg_context_destroy(context);
}

/* A plan for C rows of exactly n entries, n around every width at which a stored pattern may change its form. */
static void plan_runs_of_rows_of_every_length_have_the_bits_of_the_plain_sum(void **state)
{
    (void)state;
    const int64_t lengths[] = {1,  2,  3,  4,   7,   8,   9,   15,  16,  17,  31,  32,    33,    63,   64,
                               65, 66, 96, 127, 128, 129, 255, 256, 257, 511, 512, 65535, 65536, 65537};
    spg_context *context = test_context(2, test_default_limits);
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; ++l) {
        int64_t n = lengths[l];
        test_pattern a = {0}, b = {0};
        uint64_t random = (uint64_t)n;
        for (int64_t i = 0; i < 12; ++i) { /* row 0 of B is full; the others hold parts of it */
            test_add_random(&b, &random, i == 0 ? n : test_below(&random, n + 1), 0, n, true);
            test_end_row(&b);
        }
        for (int64_t i = 0; i < (n > 1000 ? 3 : 40); ++i) {
            test_add_random(&a, &random, i % 11, 1, 12, true);
            test_add(&a, 0);
            test_end_row(&a);
        }
        planned p;
        open_plan_of(&p, context, &a, &b, n, test_value_types[l % 4]);
        spg_csr C = {0};
        run_and_check(&p, &C, "rows of one length");
        renew_values(&p, 70);
        run_and_check(&p, &C, "rows of one length, new values");
        spg_csr_free(context, &C);
        close_plan(&p);
    }
    spg_context_destroy(context);
}

/* How columns of B may almost come in pairs 2k and 2k + 1: they do; every other node's are 2k and 2k + 3, or 2k + 1
 * and 2k + 2; rows have one column more. */
typedef enum pairing { PAIRS, APART, SHIFTED, LEFT_OVER, PAIRINGS } pairing;

/* Rows of A and of B that are equal in threes, as those of three unknowns a node. */
static void columns_that_are_almost_pairs_keep_their_bits(void **state)
{
    (void)state;
    enum { NODES = 60, NEAR = 4, ROW_PAIRS = 4 };
    spg_context *context = test_context(2, test_default_limits);
    for (int t = 0; t < TEST_VALUE_TYPES; ++t)
        for (pairing kind = PAIRS; kind < PAIRINGS; ++kind) {
            test_pattern a = {0}, b = {0};
            for (int64_t i = 0; i < 3 * NODES; ++i) {
                const int64_t node = i / 3, first = node < NODES - NEAR ? node : NODES - NEAR;
                for (int64_t k = 0; k < 3 * NEAR; ++k) test_add(&a, 3 * first + k);
                test_end_row(&a);
                for (int64_t pair = node; pair < node + ROW_PAIRS; ++pair) {
                    const bool is_odd = node % 2 == 1;
                    const int64_t column = kind == APART ? 4 * pair : 2 * pair + (kind == SHIFTED && is_odd);
                    test_add(&b, column);
                    test_add(&b, column + (kind == APART && is_odd ? 3 : 1));
                }
                if (kind == LEFT_OVER) test_add(&b, 2 * (node + ROW_PAIRS));
                test_end_row(&b);
            }
            planned p;
            open_plan_of(&p, context, &a, &b, 4 * (NODES + ROW_PAIRS), test_value_types[t]);
            spg_csr C = {0};
            run_and_check(&p, &C, "columns that are almost pairs");
            spg_csr_free(context, &C);
            close_plan(&p);
        }
    spg_context_destroy(context);
}

/* A row of C of one entry more than a power of two, to whose first and last entry each entry of A adds: sorted by too
 * few bits, their products would lie among each other. */
static void products_of_the_first_and_the_last_of_a_power_of_two_are_kept_apart(void **state)
{
    (void)state;
    enum { MIDDLE = 3 };
    spg_context *context = test_context(2, test_default_limits);
    for (int64_t most = 64; most <= 4096; most *= 2) {
        test_pattern a = {0}, b = {0};
        const int64_t rows = (most - 1 + MIDDLE - 1) / MIDDLE;
        for (int64_t j = 0; j < rows; ++j) { /* the middle columns are 1 to most - 1 */
            const int64_t first = j + 1 < rows ? 1 + j * MIDDLE : most - MIDDLE;
            test_add(&a, j);
            test_add(&b, 0);
            for (int64_t k = 0; k < MIDDLE; ++k) test_add(&b, first + k);
            test_add(&b, most);
            test_end_row(&b);
        }
        test_end_row(&a);
        planned p;
        open_plan_of(&p, context, &a, &b, most + 1, SPG_F64);
        assert_int_equal(p.expected.nnz, most + 1);
        spg_csr C = {0};
        run_and_check(&p, &C, "a row of a power of two and one");
        spg_csr_free(context, &C);
        close_plan(&p);
    }
    spg_context_destroy(context);
}

/* Where places are looked up in a table of as many slots, the two share one. */
static void columns_a_power_of_two_apart_are_kept_apart(void **state)
{
    (void)state;
    spg_context *context = test_context(1, test_default_limits);
    for (int bits = 8; bits <= 30; ++bits) {
        test_pattern a = {0}, b = {0};
        test_add(&a, 0);
        test_end_row(&a);
        test_add(&b, 0);
        test_add(&b, (int64_t)1 << bits);
        test_end_row(&b);
        planned p;
        open_plan_of(&p, context, &a, &b, ((int64_t)1 << bits) + 1, SPG_F64);
        spg_csr C = {0};
        run_and_check(&p, &C, "two columns");
        spg_csr_free(context, &C);
        close_plan(&p);
    }
    spg_context_destroy(context);
}

static void a_plan_outlives_the_matrices_it_was_made_from(void **state)
{
    (void)state;
    spg_context *context = test_context(2, test_default_limits);
    planned p;
    open_plan(&p, context, 200, 150, 100, 6, SPG_F64, TEST_UNSORTED);
    memset(p.A.values, 0x7f, (size_t)p.A.nnz * 8);
    renew_values(&p, 900); /* frees what the plan was made from */
    spg_csr C = {0};
    run_and_check(&p, &C, "after the operands");
    spg_csr_free(context, &C);
    close_plan(&p);
    spg_context_destroy(context);
}

static void values_are_not_read_when_a_plan_is_made(void **state)
{
    (void)state; /* one element stands for all values: a sanitizer or a page fault tells if more are read */
    spg_context *context = test_context(2, test_default_limits);
    planned p;
    open_plan(&p, context, 90, 80, 70, 5, SPG_F64, 0);
    spgemm_plan *plan = NULL;
    void *value = NULL;
    spg_csr view_A = p.here_A, view_B = p.here_B, one, C = {0};
    assert_int_equal(spg_csr_alloc(context, 1, 1, 1, SPG_I32, SPG_F64, &one), SPG_OK);
    value = one.values;
    view_A.values = view_B.values = value;
    assert_int_equal(spgemm_plan_create(context, &view_A, &view_B, &plan), SPG_OK);
    spgemm_plan_destroy(p.plan);
    p.plan = plan;
    run_and_check(&p, &C, "values given later");
    spg_csr_free(context, &one);
    spg_csr_free(context, &C);
    close_plan(&p);
    spg_context_destroy(context);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plan_runs_have_the_bits_of_the_plain_sum),
        cmocka_unit_test(plan_runs_of_every_shape_have_the_bits_of_the_plain_sum),
        cmocka_unit_test(plan_runs_of_rows_of_every_length_have_the_bits_of_the_plain_sum),
        cmocka_unit_test(columns_that_are_almost_pairs_keep_their_bits),
        cmocka_unit_test(products_of_the_first_and_the_last_of_a_power_of_two_are_kept_apart),
        cmocka_unit_test(columns_a_power_of_two_apart_are_kept_apart),
        cmocka_unit_test(a_plan_outlives_the_matrices_it_was_made_from),
        cmocka_unit_test(values_are_not_read_when_a_plan_is_made),
    };
    return TEST_RUN_HERE(argc, argv, "product plan", tests);
}
