/* The workspace limit: what a call holds beside its result stays under it or the call is refused, whatever the rows
 * are like, and the result has the same bits. */
#include "fault.h"
#include "products.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The allocator of fault.h, with a meter. */
typedef struct meter {
    test_allocator memory;
    int64_t current, peak;
} meter;

static void *allocate(void *user, size_t bytes, spg_place place, void *stream)
{
    meter *m = user;
    spg_allocator hook = test_allocator_hook(&m->memory);
    void *memory = hook.allocate(hook.user, bytes, place, stream);
    if (memory != NULL) m->current += (int64_t)bytes;
    if (m->current > m->peak) m->peak = m->current;
    return memory;
}

static void release(void *user, void *memory, size_t bytes, spg_place place, void *stream)
{
    meter *m = user;
    spg_allocator hook = test_allocator_hook(&m->memory);
    hook.release(hook.user, memory, bytes, place, stream);
    m->current -= (int64_t)bytes;
}

/* A context with this limit; on the meter unless it is NULL. */
static spg_context *limited_context(meter *m, int threads, int64_t limit)
{
    spg_config config = test_config();
    config.threads = threads;
    config.workspace_limit = limit;
    if (m != NULL) {
        memset(m, 0, sizeof *m);
        config.allocator = (spg_allocator){m, allocate, release};
    }
    return test_context_of(&config);
}

static int64_t csr_bytes(const spg_csr *C)
{
    int64_t value_bytes = C->values != NULL ? (int64_t)spg_type_size(C->value_type) : 0;
    return (C->rows + 1) * (int64_t)spg_type_size(C->offset_type) + C->nnz * (4 + value_bytes);
}

/* The largest number in a message. */
static int64_t largest_number(const char *message)
{
    int64_t largest = -1;
    for (const char *at = message; *at != 0;) {
        if (!isdigit((unsigned char)*at)) {
            ++at;
            continue;
        }
        char *end;
        int64_t number = strtoll(at, &end, 10);
        if (number > largest) largest = number;
        at = end;
    }
    return largest;
}

/* Multiplies under the limit. True if it was done; else the refusal said how many bytes would do. */
static bool multiply_under(const spg_csr *A, const spg_csr *B, const spg_csr *expected, meter *m, int threads,
                           int64_t limit, int64_t *needed)
{
    spg_context *context = limited_context(m, threads, limit);
    spg_csr here_A, here_B, C, back;
    int64_t before, peak;
    test_to_place(context, A, &here_A);
    test_to_place(context, B, &here_B);
    spg_context_memory_reset(context);
    spg_context_memory(context, &before, NULL);
    if (m != NULL) m->peak = m->current;
    int64_t meter_before = m != NULL ? m->current : 0;
    spg_status status = spgemm_csr(context, &here_A, &here_B, &C);
    spg_context_memory(context, NULL, &peak);
    if (status == SPG_OK) {
        spgemm_stats stats;
        assert_int_equal(spgemm_last_stats(context, &stats), SPG_OK);
        int64_t result = csr_bytes(&C), beside = peak - before - result;
        if (beside > limit) fail_msg("%lld bytes beside C, the limit is %lld", (long long)beside, (long long)limit);
        if (m != NULL && m->peak - meter_before - result > limit)
            fail_msg("%lld bytes metered beside C, the limit is %lld", (long long)(m->peak - meter_before - result),
                     (long long)limit);
        assert_int_equal(stats.result_bytes, result);
        if (beside > stats.workspace_bytes || stats.workspace_bytes > limit)
            fail_msg("%lld bytes beside C, the stats say %lld, the limit is %lld", (long long)beside,
                     (long long)stats.workspace_bytes, (long long)limit);
        test_to_host(context, &C, &back);
        test_assert_same_product(&back, expected, "under a workspace limit");
        spg_csr_free(test_host(), &back);
        spg_csr_free(context, &C);
    } else {
        assert_int_equal(status, SPG_ERROR_MEMORY);
        *needed = largest_number(spg_context_message(context));
        if (*needed <= limit) fail_msg("\"%s\" does not say what is needed", spg_context_message(context));
        test_assert_zeroed(&C, sizeof C);
        spg_context_memory(context, &peak, NULL);
        assert_int_equal(peak, before);
    }
    spg_csr_free(context, &here_A);
    spg_csr_free(context, &here_B);
    spg_context_destroy(context);
    return status == SPG_OK;
}

/* What a refusal said is needed does. A device learns as it goes what else there is: there each refusal says more. */
static void assert_done_with(int64_t needed, const spg_csr *A, const spg_csr *B, const spg_csr *expected, meter *m,
                             int threads)
{
    const int tries = test_place() == SPG_PLACE_HOST ? 1 : 12;
    for (int t = 0; t < tries; ++t)
        if (multiply_under(A, B, expected, m, threads, needed, &needed)) return;
    fail_msg("refused with the %lld bytes that were asked for", (long long)needed);
}

/* Every limit, from one that nothing fits to one that everything does; frees the matrices. */
static void check_limits(spg_csr *A, spg_csr *B)
{
    const int64_t limits[] = {1,       1000,    4096,    16384,   50000,    100000,   200000,
                              1 << 18, 1 << 19, 1 << 20, 1 << 22, 10000000, 40000000, (int64_t)1 << 33};
    spg_csr expected;
    test_reference_product(A, B, &expected);
    for (int threads = test_is_short() ? 3 : 1; threads <= 3; threads += 2)
        for (int metered = 0; metered < 2; ++metered) {
            meter m, *used = metered ? &m : NULL;
            int64_t needed = 0;
            bool before = false;
            for (size_t l = 0; l < sizeof limits / sizeof *limits; ++l) {
                bool done = multiply_under(A, B, &expected, used, threads, limits[l], &needed);
                if (before && !done) fail_msg("a larger limit was refused");
                before = done;
                if (!done && limits[l] >= (int64_t)threads << 20)
                    fail_msg("%lld bytes do not do for %d threads", (long long)limits[l], threads);
            }
            if (needed > 0) assert_done_with(needed, A, B, &expected, used, threads);
        }
    spg_csr_free(test_host(), &expected);
    spg_csr_free(test_host(), A);
    spg_csr_free(test_host(), B);
}

static void ordinary_rows_stay_under_every_limit(void **state)
{
    (void)state;
    spg_csr A, B;
    test_random_csr(test_host(), (test_matrix){6000, 5000, 6, SPG_I32, SPG_F64}, 1, 0, &A);
    test_random_csr(test_host(), (test_matrix){5000, 4000, 6, SPG_I32, SPG_F64}, 2, TEST_UNSORTED, &B);
    check_limits(&A, &B);
    test_random_csr(test_host(), (test_matrix){300, 1000, 100, SPG_I32, SPG_C64}, 3, 0, &A);
    test_random_csr(test_host(), (test_matrix){1000, 500, 60, SPG_I64, SPG_C64}, 4, TEST_DUPLICATES, &B);
    check_limits(&A, &B);
}

/* Frees the patterns. */
static void make_operands(test_pattern *a, test_pattern *b, int64_t cols, spg_type type, spg_csr *A, spg_csr *B)
{
    test_matrix_of(a, b->rows, SPG_I32, type, 1, 0, A);
    test_matrix_of(b, cols, SPG_I32, type, 2, 0, B);
    test_free_pattern(a);
    test_free_pattern(b);
}

static void one_row_of_a_million_products(int64_t entries, int64_t length, int64_t cols, bool sorted, spg_type type,
                                          spg_csr *A, spg_csr *B)
{
    test_pattern a = {0}, b = {0};
    uint64_t random = 6;
    test_add_random(&a, &random, entries, 0, entries, sorted);
    test_end_row(&a);
    for (int64_t i = 0; i < entries; ++i) {
        test_add_random(&b, &random, length, 0, cols, sorted);
        test_end_row(&b);
    }
    make_operands(&a, &b, cols, type, A, B);
}

static void a_single_row_of_a_million_products_stays_under_every_limit(void **state)
{
    (void)state;
    spg_csr A, B;
    one_row_of_a_million_products(1200, 850, 30000, true, SPG_F64, &A, &B);
    check_limits(&A, &B);
    one_row_of_a_million_products(20, 50000, 1000000, true, SPG_F64, &A, &B);
    check_limits(&A, &B);
    one_row_of_a_million_products(100000, 10, 2000, true, SPG_F32, &A, &B);
    check_limits(&A, &B);
}

static void a_long_row_unsorted_or_spread_over_31_bits_stays_under_every_limit(void **state)
{
    (void)state;
    spg_csr A, B;
    one_row_of_a_million_products(300, 100, 20000, false, SPG_C64, &A, &B);
    check_limits(&A, &B);
    one_row_of_a_million_products(300, 60, INT32_MAX, true, SPG_F64, &A, &B);
    check_limits(&A, &B);
    one_row_of_a_million_products(100, 20, INT32_MAX, false, SPG_F64, &A, &B);
    check_limits(&A, &B);
    /* More entries of A than fit at once; rows of B that do not fit alone. */
    one_row_of_a_million_products(40000, 3, 2000, false, SPG_F64, &A, &B);
    check_limits(&A, &B);
    one_row_of_a_million_products(3, 60000, 100000, false, SPG_F32, &A, &B);
    check_limits(&A, &B);
}

/* Of six rows only the first, which a sample has, has more than one entry in C. */
static void rows_of_fewer_entries_than_sampled(spg_csr *A, spg_csr *B)
{
    enum { ROWS = 15000, NAMED = 12, SINGLE_ROWS = 200, COLS = 500 };
    test_pattern a = {0}, b = {0};
    uint64_t random = 8;
    for (int64_t i = 0; i < ROWS; ++i) {
        const int64_t begin = i % 6 == 0 ? SINGLE_ROWS + i % 150 : 0;
        test_add_random(&a, &random, NAMED, begin, begin + 2 * NAMED, true);
        test_end_row(&a);
    }
    for (int64_t j = 0; j < 2 * SINGLE_ROWS; ++j) {
        test_add(&b, j < SINGLE_ROWS ? COLS - 1 : j);
        if (j >= SINGLE_ROWS) test_add(&b, j + 1);
        test_end_row(&b);
    }
    make_operands(&a, &b, COLS, SPG_F64, A, B);
}

static void rows_of_fewer_entries_than_sampled_stay_under_every_limit(void **state)
{
    (void)state;
    spg_csr A, B;
    rows_of_fewer_entries_than_sampled(&A, &B);
    check_limits(&A, &B);
}

/* What spgemm_csr says of C's arrays, which count as workspace beyond C's entries. */
static void c_keeps_room_for_an_eighth_more_entries_at_most(void **state)
{
    (void)state;
    if (test_place() == SPG_PLACE_HOST) skip();
    enum { OTHER_WORKSPACE = 1 << 16 };
    spg_csr A, B, here_A, here_B, C;
    rows_of_fewer_entries_than_sampled(&A, &B);
    spg_context *context = limited_context(NULL, 1, 0);
    test_to_place(context, &A, &here_A);
    test_to_place(context, &B, &here_B);
    int64_t before, after;
    spg_context_memory(context, &before, NULL);
    assert_int_equal(spgemm_csr(context, &here_A, &here_B, &C), SPG_OK);
    spg_context_memory(context, &after, NULL);
    spgemm_stats stats;
    assert_int_equal(spgemm_last_stats(context, &stats), SPG_OK);
    const int64_t most = (C.nnz / 8 + 1024) * 12;
    assert_true(after - before <= csr_bytes(&C) + most);
    assert_true(stats.workspace_bytes <= most + OTHER_WORKSPACE);
    spg_csr_free(context, &C);
    spg_csr_free(context, &here_A);
    spg_csr_free(context, &here_B);
    spg_context_destroy(context);
    spg_csr_free(test_host(), &A);
    spg_csr_free(test_host(), &B);
}

static void empty_matrices_need_next_to_nothing(void **state)
{
    (void)state;
    spg_csr A, B;
    test_random_csr(test_host(), (test_matrix){0, 0, 0, SPG_I32, SPG_F64}, 1, 0, &A);
    test_random_csr(test_host(), (test_matrix){0, 0, 0, SPG_I32, SPG_F64}, 1, 0, &B);
    check_limits(&A, &B);
    test_random_csr(test_host(), (test_matrix){50, 40, 0, SPG_I32, SPG_F64}, 1, 0, &A);
    test_random_csr(test_host(), (test_matrix){40, 30, 3, SPG_I32, SPG_F64}, 1, 0, &B);
    check_limits(&A, &B);
}

static void plans_stay_under_every_limit(void **state)
{
    (void)state;
    const int64_t limits[] = {1, 50000, 200000, 1 << 20, 1 << 22, (int64_t)1 << 30};
    spg_csr A, B, expected, back;
    test_random_csr(test_host(), (test_matrix){3000, 2500, 8, SPG_I32, SPG_F64}, 1, 0, &A);
    test_random_csr(test_host(), (test_matrix){2500, 2000, 8, SPG_I32, SPG_F64}, 2, 0, &B);
    test_reference_product(&A, &B, &expected);
    for (int l = 0; l < 6; ++l) {
        spg_context *context = limited_context(NULL, 1, limits[l]);
        spg_csr here_A, here_B, C = {0};
        test_to_place(context, &A, &here_A);
        test_to_place(context, &B, &here_B);
        int64_t before, kept, peak;
        spg_context_memory_reset(context);
        spg_context_memory(context, &before, NULL);
        spgemm_plan *plan = NULL;
        spg_status status = spgemm_plan_create(context, &here_A, &here_B, &plan);
        spg_context_memory(context, &kept, &peak);
        if (status == SPG_OK) {
            assert_true(peak - kept <= limits[l]);
            spg_context_memory_reset(context);
            assert_int_equal(spgemm_plan_run(plan, &here_A, &here_B, &C), SPG_OK);
            spg_context_memory(context, NULL, &peak);
            assert_true(peak - kept - csr_bytes(&C) <= limits[l]);
            test_to_host(context, &C, &back);
            test_assert_same_product(&back, &expected, "a plan under a limit");
            spg_csr_free(test_host(), &back);
        } else {
            assert_int_equal(status, SPG_ERROR_MEMORY);
            assert_true(limits[l] < 1 << 20);
            assert_null(plan);
            assert_int_equal(kept, before);
        }
        spgemm_plan_destroy(plan);
        spg_csr_free(context, &C);
        spg_csr_free(context, &here_A);
        spg_csr_free(context, &here_B);
        spg_context_destroy(context);
    }
    spg_csr_free(test_host(), &A);
    spg_csr_free(test_host(), &B);
    spg_csr_free(test_host(), &expected);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ordinary_rows_stay_under_every_limit),
        cmocka_unit_test(a_single_row_of_a_million_products_stays_under_every_limit),
        cmocka_unit_test(a_long_row_unsorted_or_spread_over_31_bits_stays_under_every_limit),
        cmocka_unit_test(rows_of_fewer_entries_than_sampled_stay_under_every_limit),
        cmocka_unit_test(c_keeps_room_for_an_eighth_more_entries_at_most),
        cmocka_unit_test(empty_matrices_need_next_to_nothing),
        cmocka_unit_test(plans_stay_under_every_limit),
    };
    return TEST_RUN_HERE(argc, argv, "product memory", tests);
}
