/* The system's own memory refused in turn, beneath the default allocator: the linker sends mmap, mremap, aligned_alloc
 * and calloc of the library here (--wrap). A refused reservation may be made up for by another way to the same bits. */
#include "products.h"
#include "system_memory.h"

typedef struct system_fault {
    spg_context *context;
    spg_csr A, B, expected;
    int64_t held;
} system_fault;

static void open_fault(system_fault *f, int64_t m, int64_t keep_bytes)
{
    spg_config config = test_config();
    config.place = SPG_PLACE_HOST;
    config.threads = 2;
    config.keep_bytes = keep_bytes;
    f->context = test_context_of(&config);
    test_random_csr(f->context, (test_matrix){m, 3000, 8, SPG_I32, SPG_F64}, 1, 0, &f->A);
    test_random_csr(f->context, (test_matrix){3000, 5000, 8, SPG_I32, SPG_F64}, 2, 0, &f->B);
    test_reference_product(&f->A, &f->B, &f->expected);
    spg_context_memory(f->context, &f->held, NULL);
}

static void close_fault(system_fault *f)
{
    spg_csr_free(f->context, &f->A);
    spg_csr_free(f->context, &f->B);
    spg_csr_free(test_host(), &f->expected);
    int64_t current;
    spg_context_memory(f->context, &current, NULL);
    assert_int_equal(current, 0);
    spg_context_destroy(f->context);
}

/* True once the call made fewer calls than k. */
static bool finished(system_fault *f, int64_t k, spg_status status, spg_csr *C)
{
    bool done = system_memory_calls() < k;
    int64_t current;
    system_memory_fail_at(0, false);
    if (status == SPG_OK) {
        test_assert_same_product(C, &f->expected, "after a refusal");
        spg_csr_free(f->context, C);
    } else {
        assert_int_equal(status, SPG_ERROR_MEMORY);
        assert_true(spg_context_message(f->context)[0] != 0);
        test_assert_zeroed(C, sizeof *C);
    }
    spg_context_memory(f->context, &current, NULL);
    assert_int_equal(current, f->held);
    assert_true(!done || status == SPG_OK);
    return done;
}

static void fail_each(int64_t rows, int64_t keep_bytes)
{
    for (int onwards = 0; onwards < 2; ++onwards) {
        const int64_t mapped = system_memory_mapped(), blocks = system_memory_blocks();
        system_fault f;
        spg_csr C;
        open_fault(&f, rows, keep_bytes);
        for (int64_t k = 1;; ++k) {
            system_memory_fail_at(k, onwards);
            spg_status status = spgemm_csr(f.context, &f.A, &f.B, &C);
            if (finished(&f, k, status, &C)) break;
        }
        spgemm_plan *plan = NULL;
        for (int64_t k = 1; plan == NULL; ++k) {
            system_memory_fail_at(k, onwards);
            spg_status status = spgemm_plan_create(f.context, &f.A, &f.B, &plan);
            bool done = system_memory_calls() < k;
            int64_t current;
            system_memory_fail_at(0, false);
            assert_int_equal(status == SPG_OK, plan != NULL);
            if (status != SPG_OK) {
                assert_int_equal(status, SPG_ERROR_MEMORY);
                assert_false(done);
                spg_context_memory(f.context, &current, NULL);
                assert_int_equal(current, f.held);
            } else if (!done) {
                spgemm_plan_destroy(plan);
                plan = NULL;
            }
        }
        int64_t held = f.held;
        spg_context_memory(f.context, &f.held, NULL);
        for (int64_t k = 1;; ++k) {
            C = (spg_csr){0};
            system_memory_fail_at(k, onwards);
            spg_status status = spgemm_plan_run(plan, &f.A, &f.B, &C);
            if (finished(&f, k, status, &C)) break;
        }
        spgemm_plan_destroy(plan);
        f.held = held;
        close_fault(&f);
        assert_int_equal(system_memory_mapped(), mapped);
        assert_int_equal(system_memory_blocks(), blocks);
    }
}

static void every_small_request_to_the_system_may_fail(void **state)
{
    (void)state;
    fail_each(100, 0);
    fail_each(100, (int64_t)1 << 30);
}

static void every_large_request_to_the_system_may_fail(void **state)
{
    (void)state;
    fail_each(8000, 0);
    fail_each(8000, (int64_t)1 << 24);
    fail_each(8000, (int64_t)1 << 30);
}

static void a_context_that_cannot_be_made_is_no_context(void **state)
{
    (void)state;
    spg_config config = test_config();
    spg_context *context = test_host();
    system_memory_fail_at(1, true);
    spg_status status = spg_context_create(&config, &context);
    system_memory_fail_at(0, false);
    assert_int_equal(status, SPG_ERROR_MEMORY);
    assert_null(context);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_context_that_cannot_be_made_is_no_context),
        cmocka_unit_test(every_small_request_to_the_system_may_fail),
        cmocka_unit_test(every_large_request_to_the_system_may_fail),
    };
    return TEST_RUN_HERE(argc, argv, "product fault system", tests);
}
