/* How often a product waits for the device: at most twice, three times if its kernels do not hold all rows, and more
 * often where spg/spgemm.h says so. */
#include "count_waits.h"
#include "stream_operands.h"
#include "uniform_rows.h"

#include "spg/amg.h"

#include <stdio.h>
#include <string.h>

static int waits_of_a_product(operands *o, const char *what)
{
    spg_csr C;
    waits = 0;
    assert_int_equal(spgemm_csr(o->context, &o->here_A, &o->here_B, &C), SPG_OK);
    const int waited = waits;
    assert_product(o, &C, what);
    spg_csr_free(o->context, &C);
    return waited;
}

static void a_product_waits_at_most_twice(void **state)
{
    (void)state;
    for (int s = 0; s < SHAPES; ++s) {
        operands o;
        open_operands(&o, &shapes[s], SPG_F64);
        assert_in_range(waits_of_a_product(&o, "a product"), 1, 2);
        close_operands(&o);
    }
}

static void rows_that_no_sample_has_cost_one_wait(void **state)
{
    (void)state;
    for (int k = 0; k < ALIKE; ++k) {
        operands o;
        make_alike(&alike[k], 6000, &no_hubs, &o.A, &o.B);
        send_operands(&o);
        assert_in_range(waits_of_a_product(&o, alike[k].kernel), 1, 3);
        close_operands(&o);
    }
}

/* One hub or many; few columns, or several windows of them. */
static void rows_of_very_many_entries_that_no_sample_has_cost_one_wait(void **state)
{
    const hub_kind kinds[] = {{"a row of many entries", 1, HUB_A, 1, 0, false},
                              {"a row of all entries", 1, HUB_ROWS, 80, 0, false},
                              {"rows of many entries", 40, HUB_A, 1, 0, false},
                              {"rows of many products", 3, 0, 1, LONG_B, false},
                              {"rows of many products, far apart", 3, 0, 128, LONG_B, false}};
    (void)state;
    for (int k = 0; k < ALIKE; ++k)
        for (int h = 0; h < (int)(sizeof kinds / sizeof *kinds); ++h) {
            char what[200];
            operands o;
            snprintf(what, sizeof what, "%s, %s", alike[k].kernel, kinds[h].what);
            make_alike(&alike[k], HUB_ROWS, &kinds[h], &o.A, &o.B);
            send_operands(&o);
            assert_in_range(waits_of_a_product(&o, what), 1, 3);
            close_operands(&o);
        }
}

/* Hubs of ten windows of columns each. */
static void a_limit_on_workspace_adds_no_more_waits_for_such_rows(void **state)
{
    enum { TABLES = 5 };
    const int64_t limits[] = {1 << 20, 600 << 10};
    const hub_kind kind = {"hubs within a limit", 3, HUB_A, 256, 0, false};
    (void)state;
    for (int l = 0; l < 2; ++l) {
        operands o;
        spgemm_stats stats;
        make_alike(&alike[TABLES], HUB_ROWS, &kind, &o.A, &o.B);
        send_operands_within(&o, limits[l]);
        assert_in_range(waits_of_a_product(&o, kind.what), 1, 3);
        assert_int_equal(spgemm_last_stats(o.context, &stats), SPG_OK);
        assert_in_range(stats.workspace_bytes, 1, limits[l]);
        close_operands(&o);
    }
}

static void rows_that_no_sample_has_are_checked(void **state)
{
    (void)state;
    for (int k = 0; k < ALIKE; ++k) {
        operands o;
        spg_csr C;
        make_alike(&alike[k], 6000, &no_hubs, &o.A, &o.B);
        o.A.columns[test_offset(&o.A, 606) - 1] = 6000;
        send_operands(&o);
        assert_int_equal(spgemm_csr(o.context, &o.here_A, &o.here_B, &C), SPG_ERROR_FORMAT);
        assert_non_null(strstr(spg_context_message(o.context), "605"));
        close_operands(&o);
    }
}

/* Rows of B in any order: for a product that asks no sample, and for others. The last ones
 * have rows of class global, which are filled in slices that cost a wait: few columns, several bitmaps of them, and
 * rows of A that are split. */
static const struct {
    const char *what;
    int64_t rows, inner, cols;
    double a_mean, b_mean;
    spg_type offset_type, value_type;
    unsigned flags;
    int waits;
} unsorted[] = {{"short rows", 3000, 3000, 3000, 4, 3, SPG_I32, SPG_F64, TEST_UNSORTED, 2},
                {"rows of a warp", 2000, 2000, 2000, 12, 9, SPG_I32, SPG_F64, TEST_UNSORTED, 2},
                {"rows of a warp, 64-bit offsets", 2000, 2000, 2000, 12, 9, SPG_I64, SPG_F32, TEST_UNSORTED, 2},
                {"repeated columns", 2000, 2000, 2000, 12, 9, SPG_I32, SPG_F64, TEST_DUPLICATES, 2},
                {"rows of a block", 1500, 1500, 1500, 30, 30, SPG_I32, SPG_F32, TEST_UNSORTED | TEST_DUPLICATES, 2},
                {"rows of a block, 64-bit offsets", 1500, 1500, 1500, 60, 30, SPG_I64, SPG_C32, TEST_UNSORTED, 2},
                {"long rows", 900, 900, 900, 200, 150, SPG_I32, SPG_F64, TEST_UNSORTED, 3},
                {"long rows, many columns", 300, 900, 4000000, 200, 150, SPG_I64, SPG_F64, TEST_UNSORTED, 3},
                {"long rows, split", 300, 4000, 4000, 3000, 10, SPG_I32, SPG_F64, TEST_UNSORTED | TEST_DUPLICATES, 3}};

static void rows_of_b_that_do_not_ascend_cost_no_wait(void **state)
{
    (void)state;
    for (int s = 0; s < (int)(sizeof unsorted / sizeof *unsorted); ++s) {
        const spg_type offset_type = unsorted[s].offset_type, value_type = unsorted[s].value_type;
        operands o;
        test_random_csr(test_host(),
                        (test_matrix){unsorted[s].rows, unsorted[s].inner, unsorted[s].a_mean, offset_type, value_type},
                        8, TEST_INTEGER, &o.A);
        test_random_csr(test_host(),
                        (test_matrix){unsorted[s].inner, unsorted[s].cols, unsorted[s].b_mean, offset_type, value_type},
                        9, TEST_INTEGER | unsorted[s].flags, &o.B);
        send_operands(&o);
        assert_in_range(waits_of_a_product(&o, unsorted[s].what), 1, unsorted[s].waits);
        close_operands(&o);
    }
}

/* Two neighbours in a row of B, of which the second is not greater: one of the last row, or of the first. */
static const struct {
    const char *what;
    bool is_first, is_repeated;
} descents[] = {{"the last entry changes places", false, false},
                {"the last entry is repeated", false, true},
                {"the first entry changes places", true, false},
                {"the first entry is repeated", true, true}};

/* No row of a sample names the last row of B. */
static void a_row_of_b_that_does_not_ascend_and_no_sample_has_costs_no_wait(void **state)
{
    const hub_kind kind = {"a row of B that does not ascend", 1, 0, 1, 50, true};
    (void)state;
    for (int k = 0; k < ALIKE; ++k)
        for (int d = 0; d < (int)(sizeof descents / sizeof *descents); ++d) {
            char what[200];
            operands o;
            snprintf(what, sizeof what, "%s, %s", alike[k].kernel, descents[d].what);
            make_alike(&alike[k], HUB_ROWS, &kind, &o.A, &o.B);
            int32_t *pair = o.B.columns + (descents[d].is_first ? 0 : o.B.nnz - 2);
            const int32_t second = pair[1];
            pair[1] = pair[0];
            if (!descents[d].is_repeated) pair[0] = second;
            send_operands(&o);
            assert_in_range(waits_of_a_product(&o, what), 1, 2);
            close_operands(&o);
        }
}

/* A's rows are short, so that no sample is asked, but for one, which is counted after the others and alone names the
 * last row of B. */
static void a_long_row_among_short_ones_that_alone_names_such_a_row_costs_one_wait(void **state)
{
    enum { ROWS = 6000, LONG_ROW = 100, LONG = 50 };
    test_pattern a = {0}, b = {0};
    operands o;
    (void)state;
    for (int64_t i = 0; i < ROWS; ++i) {
        const int64_t length = i == LONG_ROW ? LONG : 3, first = i < ROWS - 4 ? i : ROWS - 4;
        for (int64_t e = 0; e < length; ++e) test_add(&a, i == LONG_ROW && e == LONG - 1 ? ROWS - 1 : first + e);
        for (int64_t e = 0; e < 3; ++e) test_add(&b, i == ROWS - 1 ? 5 - e : first + e);
        test_end_row(&a);
        test_end_row(&b);
    }
    test_matrix_of(&a, ROWS, SPG_I32, SPG_F64, 6, TEST_INTEGER, &o.A);
    test_matrix_of(&b, ROWS, SPG_I32, SPG_F64, 7, TEST_INTEGER, &o.B);
    test_free_pattern(&a);
    test_free_pattern(&b);
    send_operands(&o);
    assert_in_range(waits_of_a_product(&o, "a long row among short ones"), 1, 3);
    close_operands(&o);
}

/* Puts two empty rows about every row of B, and has A name those that it named. */
static void put_empty_rows(operands *o)
{
    test_pattern b = {0};
    for (int64_t k = 0; k < o->B.rows; ++k) {
        test_end_row(&b);
        for (int64_t e = test_offset(&o->B, k); e < test_offset(&o->B, k + 1); ++e) test_add(&b, o->B.columns[e]);
        test_end_row(&b);
        test_end_row(&b);
    }
    spg_csr B;
    test_matrix_of(&b, o->B.cols, o->B.offset_type, o->B.value_type, 7, TEST_INTEGER, &B);
    test_free_pattern(&b);
    spg_csr_free(test_host(), &o->B);
    o->B = B;
    for (int64_t e = 0; e < o->A.nnz; ++e) o->A.columns[e] = 3 * o->A.columns[e] + 1;
    o->A.cols *= 3;
}

/* Columns may descend from a row to the next, which is not always the one after it. Rows are all of one class where one
 * kernel takes them, of several by the paper's limits. */
static void rows_of_b_that_ascend_are_taken_to_do_so(void **state)
{
    (void)state;
    for (int k = 0; k < ALIKE; ++k)
        for (int has_empty_rows = 0; has_empty_rows < 2; ++has_empty_rows) {
            operands o;
            spgemm_stats stats;
            make_alike(&alike[k], 6000, &no_hubs, &o.A, &o.B);
            if (has_empty_rows) put_empty_rows(&o);
            send_operands(&o);
            assert_in_range(waits_of_a_product(&o, alike[k].kernel), 1, 3);
            assert_int_equal(spgemm_last_stats(o.context, &stats), SPG_OK);
            assert_int_equal(stats.class_rows[SPG_ROW_WARP], o.A.rows);
            close_operands(&o);
        }
}

/* B with rows of 0 to 8 entries, many of them empty. All are named by A, whose first row is empty: of class empty by
 * the paper's limits, of that of all others where one kernel takes all. */
static void make_few(operands *o, spg_type offset_type)
{
    enum { A_ROW = 20, INNER = 1200, COLS = 90 };
    static const int lengths[] = {0, 3, 0, 0, 8, 1, 5, 2, 0, 7, 4};
    test_pattern a = {0}, b = {0};
    test_end_row(&a);
    for (int64_t first = 0; first <= INNER - A_ROW; first += A_ROW / 2) {
        for (int64_t e = 0; e < A_ROW; ++e) test_add(&a, first + e);
        test_end_row(&a);
    }
    for (int64_t k = 0; k < INNER; ++k) {
        for (int64_t e = 0; e < lengths[k % 11]; ++e) test_add(&b, k * 7 % 40 + 6 * e);
        test_end_row(&b);
    }
    test_matrix_of(&a, INNER, offset_type, SPG_F64, 6, TEST_INTEGER, &o->A);
    test_matrix_of(&b, COLS, offset_type, SPG_F64, 7, TEST_INTEGER, &o->B);
    test_free_pattern(&a);
    test_free_pattern(&b);
    send_operands(o);
}

/* Whether the paper's classes took the rows; in at most two waits. */
static bool is_found_unsorted(operands *o, bool compare)
{
    spg_csr C;
    spgemm_stats stats;
    waits = 0;
    assert_int_equal(spgemm_csr(o->context, &o->here_A, &o->here_B, &C), SPG_OK);
    assert_in_range(waits, 1, 2);
    if (compare) assert_product(o, &C, "few rows of B");
    spg_csr_free(o->context, &C);
    assert_int_equal(cudaStreamSynchronize(o->stream), cudaSuccess);
    assert_int_equal(spgemm_last_stats(o->context, &stats), SPG_OK);
    return stats.class_rows[SPG_ROW_EMPTY] > 0;
}

/* Repeats a column wherever that is within a row: all about the ends of B, some of those between. */
static void find_each_place(operands *o)
{
    enum { ABOUT_ENDS = 150, APART = 37 };
    const int64_t nnz = o->B.nnz;
    for (int64_t k = 0; k < o->B.rows; ++k)
        for (int64_t e = test_offset(&o->B, k) + 1; e < test_offset(&o->B, k + 1); ++e) {
            int32_t *column = o->B.columns + e, kept = *column;
            if (e >= ABOUT_ENDS && e < nnz - ABOUT_ENDS && e % APART != 0) continue;
            *column = column[-1];
            test_send(column, sizeof *column, o->here_B.columns + e);
            assert_true(is_found_unsorted(o, e % APART == 0));
            *column = kept;
            test_send(column, sizeof *column, o->here_B.columns + e);
        }
    assert_false(is_found_unsorted(o, true));
}

/* Columns that begin anywhere in a larger array of the caller's. */
static void every_place_of_b_is_looked_at(void **state)
{
    enum { MOST_SHIFT = 3 };
    (void)state;
    for (int t = 0; t < TEST_OFFSET_TYPES; ++t)
        for (int shift = 0; shift <= MOST_SHIFT; ++shift) {
            operands o;
            make_few(&o, test_offset_types[t]);
            const size_t bytes = (size_t)o.B.nnz * sizeof(int32_t), room = bytes + MOST_SHIFT * sizeof(int32_t);
            int32_t *own = o.here_B.columns, *lent = test_lend(o.B.values, room);
            o.here_B.columns = lent + shift;
            test_send(o.B.columns, bytes, o.here_B.columns);
            assert_false(is_found_unsorted(&o, true));
            find_each_place(&o);
            o.here_B.columns = own;
            test_give_back(lent, room);
            close_operands(&o);
        }
}

/* Each row of A is coupled to its neighbours and, if there is a hub, to the first; P takes four rows to one. */
static void make_chain(operands *o, bool has_hub)
{
    enum { ROWS = 6000 };
    test_pattern a = {0}, p = {0};
    for (int64_t i = 0; i < ROWS; ++i) {
        if (has_hub && i > 1) test_add(&a, 0);
        for (int64_t j = i > 0 ? i - 1 : 0; j < ROWS && (j <= i + 1 || (has_hub && i == 0)); ++j) test_add(&a, j);
        test_end_row(&a);
        test_add(&p, i / 4);
        test_end_row(&p);
    }
    test_matrix_of(&a, ROWS, SPG_I32, SPG_F64, 0, TEST_INTEGER, &o->A);
    test_matrix_of(&p, ROWS / 4, SPG_I32, SPG_F64, 3, TEST_INTEGER, &o->B);
    for (int64_t i = 0; i < ROWS; ++i)
        for (int64_t k = test_offset(&o->A, i); k < test_offset(&o->A, i + 1); ++k)
            ((double *)o->A.values)[k] = (double)(1 + (i + o->A.columns[k]) % 5);
    test_free_pattern(&a);
    test_free_pattern(&p);
}

/* A*P and R*(A*P) wait once each where rows are short; the hub is too long for the kernels that count first. */
static void a_long_row_costs_a_galerkin_product_two_waits_at_most(void **state)
{
    int waited[2];
    (void)state;
    for (int has_hub = 0; has_hub < 2; ++has_hub) {
        operands o;
        spg_csr C, expected, here;
        make_chain(&o, has_hub != 0);
        send_operands(&o);
        waits = 0;
        assert_int_equal(spg_galerkin(o.context, NULL, &o.here_A, &o.here_B, &C), SPG_OK);
        waited[has_hub] = waits;
        assert_int_equal(spg_galerkin(test_host(), NULL, &o.A, &o.B, &expected), SPG_OK);
        test_to_host(o.context, &C, &here);
        test_assert_same_product(&here, &expected, "a Galerkin product");
        spg_csr_free(o.context, &C);
        spg_csr_free(test_host(), &here);
        spg_csr_free(test_host(), &expected);
        close_operands(&o);
    }
    assert_in_range(waited[1], 1, waited[0] + 2);
}

int main(int argc, char **argv)
{
    (void)argc;
    char place[] = "device", *arguments[] = {argv[0], place, NULL};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_product_waits_at_most_twice),
        cmocka_unit_test(rows_that_no_sample_has_cost_one_wait),
        cmocka_unit_test(rows_of_very_many_entries_that_no_sample_has_cost_one_wait),
        cmocka_unit_test(a_limit_on_workspace_adds_no_more_waits_for_such_rows),
        cmocka_unit_test(rows_that_no_sample_has_are_checked),
        cmocka_unit_test(rows_of_b_that_do_not_ascend_cost_no_wait),
        cmocka_unit_test(a_row_of_b_that_does_not_ascend_and_no_sample_has_costs_no_wait),
        cmocka_unit_test(a_long_row_among_short_ones_that_alone_names_such_a_row_costs_one_wait),
        cmocka_unit_test(rows_of_b_that_ascend_are_taken_to_do_so),
        cmocka_unit_test(every_place_of_b_is_looked_at),
        cmocka_unit_test(a_long_row_costs_a_galerkin_product_two_waits_at_most),
    };
    return TEST_RUN_HERE(2, arguments, "waits", tests);
}
