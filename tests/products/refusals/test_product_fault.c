/* Each allocation refused in turn, through the caller's allocator: a status, zeroed outputs, nothing leaked, and the
 * context still works. */
#include "fault.h"
#include "products.h"

typedef struct faulty {
    test_allocator memory;
    spg_context *context;
    spg_csr A, B, expected;       /* at the place, in the faulty context, but `expected` */
    spg_csr host_A, host_B, here; /* here: expected, at the place */
    int64_t live;                 /* blocks held between calls */
} faulty;

static void open_faulty(faulty *f, int threads, int limits, int64_t workspace_limit, int64_t m, double mean,
                        spg_type type)
{
    f->context = test_faulty_context(&f->memory, threads, workspace_limit);
    assert_int_equal(spg_context_set_row_limits(f->context, &test_limit_sets[limits].limits), SPG_OK);
    test_random_csr(test_host(), (test_matrix){m, 400, mean, SPG_I32, type}, 1, TEST_UNSORTED, &f->host_A);
    test_random_csr(test_host(), (test_matrix){400, 300, mean, SPG_I32, type}, 2, TEST_DUPLICATES, &f->host_B);
    test_reference_product(&f->host_A, &f->host_B, &f->expected);
    test_to_place(f->context, &f->host_A, &f->A);
    test_to_place(f->context, &f->host_B, &f->B);
    test_to_place(test_lender(), &f->expected, &f->here);
    f->live = test_live(&f->memory);
}

static void close_faulty(faulty *f)
{
    spg_csr_free(f->context, &f->A);
    spg_csr_free(f->context, &f->B);
    spg_csr_free(test_lender(), &f->here);
    spg_csr_free(test_host(), &f->expected);
    spg_csr_free(test_host(), &f->host_A);
    spg_csr_free(test_host(), &f->host_B);
    assert_int_equal(test_live(&f->memory), 0);
    int64_t current;
    spg_context_memory(f->context, &current, NULL);
    assert_int_equal(current, 0);
    spg_context_destroy(f->context);
}

static void check_refusal(const faulty *f, spg_status status, int64_t live)
{
    assert_int_equal(status, SPG_ERROR_MEMORY);
    assert_true(spg_context_message(f->context)[0] != 0);
    assert_int_equal(test_live(&f->memory), live);
}

/* Compares C and frees it. */
static void check_product(const faulty *f, spg_csr *C)
{
    spg_csr product;
    test_to_host(f->context, C, &product);
    test_assert_same_product(&product, &f->expected, "after every refusal");
    spg_csr_free(test_host(), &product);
    spg_csr_free(f->context, C);
}

/* Returns how many allocations the call makes. */
static int64_t fail_each_of_a_product(faulty *f)
{
    for (int64_t k = 1;; ++k) {
        spg_csr C;
        test_fail_at(&f->memory, k);
        spg_status status = spgemm_csr(f->context, &f->A, &f->B, &C);
        const bool failed = test_failed(&f->memory), did_without = test_did_without(&f->memory, status);
        test_fail_at(&f->memory, 0);
        if (!failed || did_without) {
            assert_int_equal(status, SPG_OK);
            check_product(f, &C);
            if (!failed) return k - 1;
            continue;
        }
        check_refusal(f, status, f->live);
        test_assert_zeroed(&C, sizeof C);
    }
}

static void every_allocation_of_a_product_may_fail(void **state)
{
    (void)state;
    const int64_t limits[] = {0, (int64_t)1 << (test_place() == SPG_PLACE_HOST ? 22 : 24)};
    for (int w = 0; w < 2; ++w)
        for (int threads = 1; threads <= 3; threads += 2)
            for (int l = 0; l < TEST_LIMITS; ++l) {
                faulty f;
                open_faulty(&f, threads, l, limits[w], 500, 8, test_value_types[l % 4]);
                assert_true(fail_each_of_a_product(&f) >= 3);
                close_faulty(&f);
            }
}

static void every_allocation_of_an_empty_product_may_fail(void **state)
{
    (void)state;
    faulty f;
    open_faulty(&f, 2, 0, 0, 0, 8, SPG_F64);
    fail_each_of_a_product(&f);
    close_faulty(&f);
    open_faulty(&f, 2, 0, 0, 300, 0, SPG_F64);
    fail_each_of_a_product(&f);
    close_faulty(&f);
}

static void run_and_fail(faulty *f, spgemm_plan *plan, int64_t live)
{
    for (int64_t k = 1;; ++k) {
        spg_csr C = {0};
        test_fail_at(&f->memory, k);
        spg_status status = spgemm_plan_run(plan, &f->A, &f->B, &C);
        bool failed = test_failed(&f->memory);
        test_fail_at(&f->memory, 0);
        if (!failed) {
            assert_int_equal(status, SPG_OK);
            check_product(f, &C);
            assert_true(k > 3); /* C's three arrays */
            return;
        }
        check_refusal(f, status, live);
        test_assert_zeroed(&C, sizeof C);
    }
}

static void every_allocation_of_a_plan_may_fail(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads += 2)
        for (int l = 0; l < TEST_LIMITS; ++l) {
            faulty f;
            open_faulty(&f, threads, l, 0, 500, 8, test_value_types[l % 4]);
            spgemm_plan *plan = NULL;
            for (int64_t k = 1;; ++k) {
                plan = (spgemm_plan *)(void *)&f;
                test_fail_at(&f.memory, k);
                spg_status status = spgemm_plan_create(f.context, &f.A, &f.B, &plan);
                const bool failed = test_failed(&f.memory), did_without = test_did_without(&f.memory, status);
                test_fail_at(&f.memory, 0);
                if (did_without) {
                    run_and_fail(&f, plan, test_live(&f.memory));
                    spgemm_plan_destroy(plan);
                    continue;
                }
                if (!failed) {
                    assert_int_equal(status, SPG_OK);
                    break;
                }
                check_refusal(&f, status, f.live);
                assert_null(plan);
            }
            run_and_fail(&f, plan, test_live(&f.memory));
            spgemm_plan_destroy(plan);
            assert_int_equal(test_live(&f.memory), f.live);
            close_faulty(&f);
        }
}

static void every_allocation_of_an_analysis_may_fail(void **state)
{
    (void)state;
    enum { ROWS = 900 };
    faulty f;
    open_faulty(&f, 2, 0, 0, ROWS, 8, SPG_F64);
    int64_t products[ROWS] = {0}, *here = test_lend(products, sizeof products);
    for (int64_t k = 1;; ++k) {
        spgemm_analysis analysis;
        test_fail_at(&f.memory, k);
        spg_status status = spgemm_analyse(f.context, &f.A, &f.B, &f.here, NULL, here, &analysis);
        bool failed = test_failed(&f.memory);
        test_fail_at(&f.memory, 0);
        if (!failed) {
            assert_int_equal(status, SPG_OK);
            break;
        }
        check_refusal(&f, status, f.live);
        test_assert_zeroed(&analysis, sizeof analysis);
        test_fetch(here, sizeof products, products);
        test_assert_zeroed(products, sizeof products);
    }
    test_give_back(here, sizeof products);
    close_faulty(&f);
}

static void malformed_input_found_on_the_way_leaks_nothing(void **state)
{
    (void)state;
    for (int l = 0; l < TEST_LIMITS; ++l) {
        faulty f;
        open_faulty(&f, 3, l, 0, 500, 8, SPG_F64);
        spg_csr *operands[] = {&f.A, &f.B}, *host[] = {&f.host_A, &f.host_B};
        const int32_t wrong = 1000000;
        for (int b = 0; b < 2; ++b) {
            int32_t *last = operands[b]->columns + operands[b]->nnz - 1;
            test_send(&wrong, sizeof wrong, last);
            spg_csr C;
            spgemm_plan *plan = NULL;
            assert_int_equal(spgemm_csr(f.context, &f.A, &f.B, &C), SPG_ERROR_FORMAT);
            test_assert_zeroed(&C, sizeof C);
            assert_int_equal(spgemm_plan_create(f.context, &f.A, &f.B, &plan), SPG_ERROR_FORMAT);
            assert_null(plan);
            assert_int_equal(test_live(&f.memory), f.live);
            test_send(host[b]->columns + host[b]->nnz - 1, sizeof wrong, last);
        }
        close_faulty(&f);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_of_a_product_may_fail),
        cmocka_unit_test(every_allocation_of_an_empty_product_may_fail),
        cmocka_unit_test(every_allocation_of_a_plan_may_fail),
        cmocka_unit_test(every_allocation_of_an_analysis_may_fail),
        cmocka_unit_test(malformed_input_found_on_the_way_leaks_nothing),
    };
    return TEST_RUN_HERE(argc, argv, "product fault", tests);
}
