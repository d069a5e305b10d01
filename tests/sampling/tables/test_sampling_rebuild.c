/* A table that is given new weights is the table built from them, bit for bit; what is refused leaves it as it was. */
#include "alias_support.h"

#include "fault.h"
#include "matrices_for_tests.h"

#include <math.h>

enum { ROWS = 12, COUNT = 500 };
static const int64_t lengths[ROWS] = {5, 40000, 1, 0, 2048, 2049, 140000, 33, 300, 7, 1000, 70000};
static const spg_random numbers = {3, 1, 5};

/* Contexts here draw -1 from rows of nothing. */
static spg_context *open_context(int k)
{
    const spg_draw_options options = {.empty_rows = 1};
    spg_context *context = test_context_number(k);
    assert_int_equal(spg_context_set_draw_options(context, &options), SPG_OK);
    return context;
}

static void rebuild(spg_context *context, spg_alias *alias, const spg_csr *weights, int64_t count, const int32_t *rows)
{
    if (spg_alias_rebuild(context, alias, weights, count, rows) != SPG_OK) fail_msg("%s", spg_context_message(context));
}

/* Compares a table with that of a new build. */
static void assert_as_new(spg_context *context, const spg_alias *alias, const spg_csr *weights, int builder,
                          int resolution)
{
    spg_alias *fresh = test_build_alias(context, weights, builder, resolution);
    void *table = test_alias_table(context, alias), *expected = test_alias_table(context, fresh);
    assert_memory_equal(table, expected, test_alias_bytes(fresh));
    free(table);
    free(expected);
    spg_alias_destroy(fresh);
}

static void set_row(test_weights *weights, int64_t row, double weight)
{
    const int64_t begin = test_offset(&weights->host, row), end = test_offset(&weights->host, row + 1);
    const size_t size = spg_type_size(weights->host.value_type);
    for (int64_t k = begin; k < end; ++k) test_put_number(weights->host.value_type, weights->host.values, k, weight);
    test_send((char *)weights->host.values + (size_t)begin * size, (size_t)(end - begin) * size,
              (char *)weights->here.values + (size_t)begin * size);
}

static void a_rebuilt_table_is_a_new_one(void **state)
{
    (void)state;
    for (int kind = 0; kind < TEST_KINDS; ++kind)
        for (int builder = SPG_ALIAS_SWEEP; builder <= SPG_ALIAS_PSA_PLUS; ++builder)
            for (int c = 0; c < TEST_CONTEXTS; ++c) {
                const int resolution = (kind + builder + c) % 2, next = (kind + 1) % TEST_KINDS;
                test_weights before, after;
                test_open_weights(lengths, ROWS, kind, SPG_F32, true, &before);
                test_open_weights(lengths, ROWS, next, builder % 2 == 0 ? SPG_F64 : SPG_F32, c % 2 == 0, &after);
                set_row(&before, 1, 0);
                set_row(&after, 5, 0);
                spg_context *context = open_context(c);
                spg_alias *alias = test_build_alias(context, test_weights_for(context, &before), builder, resolution);
                rebuild(context, alias, test_weights_for(context, &after), 0, NULL);
                assert_as_new(context, alias, test_weights_for(context, &after), builder, resolution);
                spg_alias_destroy(alias);
                spg_context_destroy(context);
                test_close_weights(&before);
                test_close_weights(&after);
            }
}

/* Also one that had no weight before, or has none after. */
static void one_big_row_is_rebuilt_like_a_new_one(void **state)
{
    static const spg_alias_stats none = {0};
    const int64_t length = 300000;
    (void)state;
    for (int builder = SPG_ALIAS_SWEEP; builder <= SPG_ALIAS_PSA_PLUS; ++builder)
        for (int zero = 0; zero < 3; ++zero)
            for (int c = 0; c < TEST_CONTEXTS; ++c) {
                test_weights before, after;
                spg_alias_stats stats, expected;
                test_open_weights(&length, 1, TEST_EVEN, SPG_F64, false, &before);
                test_open_weights(&length, 1, TEST_POWER, SPG_F64, false, &after);
                if (zero > 0) set_row(zero == 1 ? &before : &after, 0, 0);
                spg_context *context = open_context(c);
                spg_alias *alias = test_build_alias(context, test_weights_for(context, &before), builder, c % 2);
                rebuild(context, alias, test_weights_for(context, &after), 0, NULL);
                assert_as_new(context, alias, test_weights_for(context, &after), builder, c % 2);
                spg_alias *fresh = test_build_alias(context, test_weights_for(context, &after), builder, c % 2);
                assert_int_equal(spg_alias_build_stats(alias, &stats), SPG_OK);
                assert_int_equal(spg_alias_build_stats(fresh, &expected), SPG_OK);
                assert_int_equal(stats.left, expected.left);
                assert_int_equal(stats.splits, expected.splits);
                if (zero == 2) assert_memory_equal(&stats, &none, sizeof stats);
                spg_alias_destroy(fresh);
                spg_alias_destroy(alias);
                spg_context_destroy(context);
                test_close_weights(&before);
                test_close_weights(&after);
            }
}

/* The other rows are not even read: their weights are no numbers. */
static void listed_rows_alone_are_rebuilt(void **state)
{
    static const int32_t lists[][ROWS] = {
        {6}, {0, 1, 2, 3, 5}, {4, 5, 6, 7, 11}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}};
    static const int64_t counts[] = {1, 5, 5, ROWS};
    (void)state;
    for (int l = 0; l < 4; ++l)
        for (int c = 0; c < TEST_CONTEXTS; ++c) {
            bool listed[ROWS] = {false};
            test_weights before, after, both;
            for (int64_t k = 0; k < counts[l]; ++k) listed[lists[l][k]] = true;
            test_open_weights(lengths, ROWS, TEST_POWER, SPG_F64, true, &before);
            test_open_weights(lengths, ROWS, TEST_EVEN, SPG_F64, true, &after);
            test_open_weights(lengths, ROWS, TEST_EVEN, SPG_F64, true, &both);
            for (int64_t i = 0; i < ROWS; ++i) {
                if (listed[i]) continue;
                const int64_t begin = test_offset(&both.host, i), end = test_offset(&both.host, i + 1);
                const size_t bytes = (size_t)(end - begin) * sizeof(double);
                memcpy((double *)both.host.values + begin, (double *)before.host.values + begin, bytes);
                test_send((double *)both.host.values + begin, bytes, (double *)both.here.values + begin);
                set_row(&after, i, (double)NAN);
            }
            spg_context *context = open_context(c);
            spg_alias *alias = test_build_alias(context, test_weights_for(context, &before), SPG_ALIAS_AUTO, c % 2);
            int32_t *rows = test_take(context, lists[l], sizeof lists[l]), back[ROWS];
            rebuild(context, alias, test_weights_for(context, &after), counts[l], rows);
            test_bring(context, rows, sizeof back, back);
            assert_memory_equal(back, lists[l], sizeof back);
            assert_as_new(context, alias, test_weights_for(context, &both), SPG_ALIAS_AUTO, c % 2);
            spg_alias_destroy(alias);
            spg_context_destroy(context);
            test_close_weights(&before);
            test_close_weights(&after);
            test_close_weights(&both);
        }
}

static void another_context_may_rebuild(void **state)
{
    test_weights before, after;
    (void)state;
    test_open_weights(lengths, ROWS, TEST_POWER, SPG_F64, true, &before);
    test_open_weights(lengths, ROWS, TEST_EVEN, SPG_F64, true, &after);
    spg_context *context = open_context(0), *other = test_context_number(2); /* without empty rows of its own */
    spg_alias *alias = test_build_alias(context, &before.here, SPG_ALIAS_AUTO, 0);
    rebuild(other, alias, &after.here, 0, NULL);
    assert_as_new(context, alias, &after.here, SPG_ALIAS_AUTO, 0);
    spg_context_destroy(other);
    spg_alias_destroy(alias);
    spg_context_destroy(context);
    test_close_weights(&before);
    test_close_weights(&after);
}

/* ---- Refusals ---------------------------------------------------------------------------------------------------- */

/* A table that every refusal must leave as it is. */
typedef struct kept_table {
    spg_context *context;
    spg_alias *alias;
    test_weights weights;
    void *table;
} kept_table;

static void refuse(kept_table *k, spg_status expected, const char *message, const spg_csr *weights, int64_t count,
                   const int32_t *rows)
{
    const spg_status status = spg_alias_rebuild(k->context, k->alias, weights, count, rows);
    if (status != expected) fail_msg("status %d, not %d: %s", (int)status, (int)expected, message);
    test_assert_message(k->context, message);
    void *table = test_alias_table(k->context, k->alias);
    assert_memory_equal(table, k->table, test_alias_bytes(k->alias));
    free(table);
    int32_t draws[COUNT];
    test_draw_alias(k->context, k->alias, 0, numbers, COUNT, 0, 0, draws);
}

static void refuse_shapes(kept_table *k)
{
    spg_csr other = k->weights.here;
    other.rows -= 1;
    refuse(k, SPG_ERROR_SHAPE, "the table was built from", &other, 0, NULL);
    other = k->weights.here;
    other.nnz -= 1;
    refuse(k, SPG_ERROR_SHAPE, "entries", &other, 0, NULL);
    other = k->weights.here;
    other.cols += 1;
    refuse(k, SPG_ERROR_SHAPE, "the table was built from", &other, 0, NULL);
    refuse(k, SPG_ERROR_ARGUMENT, "weights is NULL", NULL, 0, NULL);
    assert_int_equal(spg_alias_rebuild(NULL, k->alias, &k->weights.here, 0, NULL), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_alias_rebuild(k->context, NULL, &k->weights.here, 0, NULL), SPG_ERROR_ARGUMENT);
}

/* Offsets are of 32 bits: TEST_EVEN. */
static void refuse_patterns(kept_table *k)
{
    const int32_t listed[] = {0, 8, 9}, offset = (int32_t)test_offset(&k->weights.host, 9), wrong = offset - 1;
    const int32_t far = INT32_MAX, negative = -5, column = k->weights.host.columns[50000], other = column + 1;
    int32_t *rows = test_take(k->context, listed, sizeof listed), back[3];
    const spg_csr *w = &k->weights.here;
    int32_t *offsets = w->row_offsets;
    const int32_t wrongs[] = {wrong, far, negative};
    for (int i = 0; i < 3; ++i) {
        test_send(&wrongs[i], sizeof wrong, offsets + 9);
        refuse(k, SPG_ERROR_FORMAT, "row 8: not the pattern", w, 0, NULL);
        refuse(k, SPG_ERROR_FORMAT, "row 8: not the pattern", w, 3, rows);
        rebuild(k->context, k->alias, w, 1, rows);
    }
    test_send(&offset, sizeof offset, offsets + 9);
    test_send(&other, sizeof other, w->columns + 50000);
    refuse(k, SPG_ERROR_FORMAT, "row 6: not the pattern", w, 0, NULL);
    spg_csr without = *w; /* columns are then not compared */
    without.columns = NULL;
    rebuild(k->context, k->alias, &without, 0, NULL);
    test_send(&column, sizeof column, w->columns + 50000);
    test_bring(k->context, rows, sizeof back, back);
}

static void refuse_weights_and_rows(kept_table *k)
{
    static const int32_t listed[][3] = {{3, 6, 7}, {0, 2, 1}, {0, 1, ROWS}, {-1, 0, 1}, {2, 2, 3}};
    static const char *const messages[] = {"weights: row 6, item 7: weight -1 is negative",
                                           "rows: entry 2: row 1 does not come after",
                                           "rows: entry 2: row 12 lies outside [0, 12)",
                                           "rows: entry 0: row -1 lies outside", "rows: entry 1: row 2 does not come"};
    const spg_csr *w = &k->weights.here;
    const int64_t at = test_offset(&k->weights.host, 6) + 7;
    const double wrong = -1;
    test_send(&wrong, sizeof wrong, (double *)w->values + at);
    refuse(k, SPG_ERROR_FORMAT, messages[0], w, 0, NULL);
    for (int l = 0; l < 5; ++l) {
        int32_t *rows = test_take(k->context, listed[l], sizeof listed[l]), back[3];
        refuse(k, l == 0 ? SPG_ERROR_FORMAT : SPG_ERROR_ARGUMENT, messages[l], w, 3, rows);
        if (l == 0) refuse(k, SPG_ERROR_ARGUMENT, "count is -1", w, -1, rows);
        if (l == 0) rebuild(k->context, k->alias, w, 1, rows);
        if (l == 0) rebuild(k->context, k->alias, w, 0, rows);
        test_bring(k->context, rows, sizeof back, back);
    }
    test_send((double *)k->weights.host.values + at, sizeof wrong, (double *)w->values + at);
}

static void what_is_refused_leaves_the_table_as_it_was(void **state)
{
    kept_table k;
    (void)state;
    test_open_weights(lengths, ROWS, TEST_EVEN, SPG_F64, true, &k.weights);
    k.context = open_context(2);
    k.alias = test_build_alias(k.context, &k.weights.here, SPG_ALIAS_AUTO, 0);
    k.table = test_alias_table(k.context, k.alias);
    refuse_shapes(&k);
    refuse_patterns(&k);
    refuse_weights_and_rows(&k);
    free(k.table);
    spg_alias_destroy(k.alias);
    spg_context_destroy(k.context);
    test_close_weights(&k.weights);
}

static void a_table_without_empty_rows_is_not_given_any(void **state)
{
    static const int64_t of_length[] = {4, 40, 5000};
    test_weights weights;
    (void)state;
    test_open_weights(of_length, 3, TEST_EVEN, SPG_F64, false, &weights);
    spg_context *context = test_context_number(2), *other = open_context(2);
    spg_alias *alias = test_build_alias(context, &weights.here, SPG_ALIAS_AUTO, 0);
    set_row(&weights, 2, 0);
    assert_int_equal(spg_alias_rebuild(other, alias, &weights.here, 0, NULL), SPG_ERROR_FORMAT);
    test_assert_message(other, "row 2: all 5000 weights are zero");
    spg_context_destroy(other);
    spg_alias_destroy(alias);
    spg_context_destroy(context);
    test_close_weights(&weights);
}

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

/* On the host, rows of up to a tile take no memory at all. */
static void short_rows_are_rebuilt_without_memory(void **state)
{
    static const int64_t of_length[] = {5, 2048, 1, 300};
    test_allocator memory;
    test_weights weights;
    (void)state;
    test_open_weights(of_length, 4, TEST_EVEN, SPG_F64, true, &weights);
    spg_context *context = test_faulty_context(&memory, 2, 0);
    if (test_is_on_host(context)) {
        spg_alias *alias = test_build_alias(context, &weights.here, SPG_ALIAS_AUTO, 0);
        test_fail_at(&memory, 1);
        rebuild(context, alias, &weights.here, 0, NULL);
        assert_false(test_failed(&memory));
        test_fail_at(&memory, 0);
        spg_alias_destroy(alias);
    }
    spg_context_destroy(context);
    test_close_weights(&weights);
}

/* Nothing is drawn from what is left, until all rows are there again. */
static void a_table_that_failed_half_way_is_not_drawn_from(void **state)
{
    static const int32_t listed[] = {0, 1};
    const spg_draw_options options = {.empty_rows = 1};
    test_weights before, after;
    (void)state;
    test_open_weights(lengths, ROWS, TEST_POWER, SPG_F64, true, &before);
    test_open_weights(lengths, ROWS, TEST_EVEN, SPG_F64, true, &after);
    for (int64_t k = 1;; ++k) {
        int32_t draws[COUNT] = {0}, back[2];
        test_allocator memory;
        spg_context *context = test_faulty_context(&memory, 2, 0);
        assert_int_equal(spg_context_set_draw_options(context, &options), SPG_OK);
        spg_alias *alias = test_build_alias(context, &before.here, SPG_ALIAS_AUTO, 0);
        int32_t *here = test_take(context, draws, sizeof draws), *rows = test_take(context, listed, sizeof listed);
        const int64_t live = test_live(&memory);
        test_fail_at(&memory, k);
        const spg_status status = spg_alias_rebuild(context, alias, &after.here, 0, NULL);
        const bool failed = test_failed(&memory);
        test_fail_at(&memory, 0);
        assert_int_equal(status, failed ? SPG_ERROR_MEMORY : SPG_OK);
        if (test_is_on_host(context)) assert_int_equal(test_live(&memory), live);
        if (failed) {
            const spg_alias_draw_options how = {SPG_SAMPLER_AUTO, 0};
            assert_int_equal(spg_alias_draw(context, alias, 0, COUNT, &numbers, &how, here), SPG_ERROR_ARGUMENT);
            test_assert_message(context, "alias: a rebuild of it failed");
            assert_int_equal(spg_alias_draw_rows(context, alias, ROWS, NULL, &numbers, here), SPG_ERROR_ARGUMENT);
            assert_int_equal(spg_alias_walk(context, alias, 1, NULL, 1, &numbers, NULL, here), SPG_ERROR_ARGUMENT);
            test_assert_message(context, "alias: a rebuild of it failed");
            assert_int_equal(spg_alias_rebuild(context, alias, &after.here, 2, rows), SPG_ERROR_ARGUMENT);
            test_assert_message(context, "rebuild all rows");
            rebuild(context, alias, &after.here, 0, NULL);
        }
        assert_as_new(context, alias, &after.here, SPG_ALIAS_AUTO, 0);
        assert_int_equal(spg_alias_draw(context, alias, 0, COUNT, &numbers, NULL, here), SPG_OK);
        test_bring(context, here, sizeof draws, draws);
        test_bring(context, rows, sizeof back, back);
        spg_alias_destroy(alias);
        spg_context_destroy(context);
        if (!failed) break;
        assert_true(k < 100);
    }
    test_close_weights(&before);
    test_close_weights(&after);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rebuilt_table_is_a_new_one),
        cmocka_unit_test(one_big_row_is_rebuilt_like_a_new_one),
        cmocka_unit_test(listed_rows_alone_are_rebuilt),
        cmocka_unit_test(another_context_may_rebuild),
        cmocka_unit_test(what_is_refused_leaves_the_table_as_it_was),
        cmocka_unit_test(a_table_without_empty_rows_is_not_given_any),
        cmocka_unit_test(short_rows_are_rebuilt_without_memory),
        cmocka_unit_test(a_table_that_failed_half_way_is_not_drawn_from),
    };
    return TEST_RUN_HERE(argc, argv, "sampling_rebuild", tests);
}
