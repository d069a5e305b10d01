/* Galerkin products and their plans where memory is short: a status says so, and nothing is left behind. */
#include "amg_galerkin.h"
#include "fault.h"

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_allocator memory;
    spg_context *context = test_faulty_context(&memory, 2, 0);
    spg_csr A = test_symmetric(300, 8, SPG_F64, 6), P = random_matrix(300, 70, 3, SPG_I32, SPG_F64, 7, 0);
    galerkin g;
    begin(context, NULL, &A, &P, &g);
    const int64_t live = test_live(&memory);
    for (int what = 0; what < 3; what++) /* a product, a plan, a plan's first run */
        for (int64_t k = 1;; k++) {
            spg_csr C = {0};
            spg_galerkin_plan *plan = NULL;
            if (what == 2) assert_int_equal(spg_galerkin_plan_create(context, NULL, &g.A, &g.P, &plan), SPG_OK);
            test_fail_at(&memory, k);
            spg_status status = what == 0   ? spg_galerkin(context, NULL, &g.A, &g.P, &C)
                                : what == 1 ? spg_galerkin_plan_create(context, NULL, &g.A, &g.P, &plan)
                                            : spg_galerkin_plan_run(plan, NULL, &g.A, &g.P, &C);
            const bool failed = test_failed(&memory), did_without = test_did_without(&memory, status);
            test_fail_at(&memory, 0);
            assert_int_equal(status, failed && !did_without ? SPG_ERROR_MEMORY : SPG_OK);
            if (status != SPG_OK) test_assert_zeroed(&C, sizeof C);
            if (status != SPG_OK && what == 1) assert_null(plan);
            spg_csr_free(context, &C);
            spg_galerkin_plan_destroy(plan);
            assert_int_equal(test_live(&memory), live);
            if (failed) continue;
            assert_true(k > 3);
            break;
        }
    end(&g);
    free_all(&A, &P, NULL, NULL, NULL);
    spg_context_destroy(context);
}

/* Of A*P and, unless R is given, P^T. */
static double bytes_of_intermediates(const spg_csr *A, const spg_csr *P, bool is_given)
{
    spg_csr AP;
    assert_int_equal(spgemm_csr(test_host(), A, P, &AP), SPG_OK);
    const int64_t bytes = (AP.rows + 1) * 4 + AP.nnz * 12 + (is_given ? 0 : (P->cols + 1) * 4 + P->nnz * 12);
    spg_csr_free(test_host(), &AP);
    return (double)bytes;
}

/* Also where the product is refused: A*P counts, and is not taken before it is known to fit. */
static void a_workspace_limit_is_kept_or_refused_with_its_bytes(void **state)
{
    (void)state;
    spg_csr A = test_symmetric(2000, 8, SPG_F64, 6), P = random_matrix(2000, 500, 3, SPG_I32, SPG_F64, 7, 0);
    spg_csr R = random_matrix(500, 2000, 6, SPG_I32, SPG_F64, 8, 0);
    spg_context *context = test_context_at_place(2);
    galerkin g;
    begin(context, &R, &A, &P, &g);
    for (int is_given = 0; is_given < 2; is_given++) {
        const spg_csr *restriction = is_given ? &g.R : NULL;
        spg_csr expected = multiply(context, is_given ? &R : NULL, &A, &P);
        int refused = 0, done = 0;
        int64_t least = 0; /* of the limits that suffice */
        for (int64_t limit = 1024; done < 10 && limit <= (int64_t)1 << 30; limit += limit / 16) {
            spg_csr C, host;
            assert_int_equal(spg_context_set_workspace_limit(context, limit), SPG_OK);
            int64_t before, peak;
            spg_context_memory_reset(context);
            spg_context_memory(context, &before, NULL);
            const spg_status status = spg_galerkin(context, restriction, &g.A, &g.P, &C);
            spg_context_memory(context, NULL, &peak);
            const int64_t result = status == SPG_OK ? C.nnz * 12 + (C.rows + 1) * 4 : 0;
            if (peak - before > limit + result)
                fail_msg("%s: %lld bytes beside a result of %lld, the limit is %lld", spg_status_text(status),
                         (long long)(peak - before), (long long)result, (long long)limit);
            if (status != SPG_OK) {
                assert_int_equal(status, SPG_ERROR_MEMORY);
                test_assert_message(context, "workspace");
                test_assert_zeroed(&C, sizeof C);
                refused++;
                continue;
            }
            least = done++ == 0 ? limit : least;
            test_to_host(context, &C, &host);
            test_assert_same_csr(&host, &expected);
            spg_csr_free(context, &C);
            spg_csr_free(test_host(), &host);
        }
        assert_true(refused > 0 && done == 10);
        const double bytes = bytes_of_intermediates(&A, &P, is_given);
        print_message("A*P and P^T take %.0f bytes, a limit of %lld suffices\n", bytes, (long long)least);
        if (test_place() == SPG_PLACE_HOST) assert_true((double)least < 1.2 * bytes);
        assert_int_equal(spg_context_set_workspace_limit(context, 0), SPG_OK);
        spg_csr_free(test_host(), &expected);
    }
    end(&g);
    free_all(&A, &P, &R, NULL, NULL);
    spg_context_destroy(context);
}

/* What a plan stores is its result. P has many more entries than A*P has products, so that P^T takes most. */
static void making_a_plan_keeps_the_workspace_limit(void **state)
{
    (void)state;
    spg_csr A = random_matrix(2000, 2000, 0, SPG_I32, SPG_F64, 6, 0);
    spg_csr P = random_matrix(2000, 500, 400, SPG_I32, SPG_F64, 7, 0);
    spg_context *context = test_context_at_place(1);
    galerkin g;
    begin(context, NULL, &A, &P, &g);
    int refused = 0, done = 0;
    for (int64_t limit = 1024; done < 10 && limit <= (int64_t)1 << 30; limit += limit / 4) {
        spg_galerkin_plan *plan;
        assert_int_equal(spg_context_set_workspace_limit(context, limit), SPG_OK);
        int64_t held, peak;
        spg_context_memory_reset(context);
        const spg_status status = spg_galerkin_plan_create(context, NULL, &g.A, &g.P, &plan);
        spg_context_memory(context, &held, &peak);
        if (status != SPG_OK) {
            assert_int_equal(status, SPG_ERROR_MEMORY);
            refused++;
            continue;
        }
        if (peak - held > limit)
            fail_msg("%lld bytes beside a plan, the limit is %lld", (long long)(peak - held), (long long)limit);
        spg_galerkin_plan_destroy(plan);
        done++;
    }
    assert_true(refused > 0 && done == 10);
    end(&g);
    free_all(&A, &P, NULL, NULL, NULL);
    spg_context_destroy(context);
}

/* However often products fail, in the second of their two as well, and with a given restriction or the transpose. */
static void a_product_that_fails_leaves_the_workspace_limit_as_it_was(void **state)
{
    (void)state;
    spg_csr A = random_matrix(2000, 2000, 8, SPG_I32, SPG_F64, 6, 0),
            P = random_matrix(2000, 500, 3, SPG_I32, SPG_F64, 7, 0);
    spg_csr R = random_matrix(500, 2000, 6, SPG_I32, SPG_F64, 8, 0),
            bad = random_matrix(500, 2000, 6, SPG_I32, SPG_F64, 8, 0);
    spg_context *context = test_context_at_place(1);
    galerkin g, of_bad;
    bad.columns[bad.nnz - 1] = 2000;
    begin(context, &R, &A, &P, &g);
    begin(context, &bad, &A, &P, &of_bad);
    int64_t limit = 1024;
    spg_csr C;
    spg_status status = SPG_ERROR_MEMORY;
    for (; status == SPG_ERROR_MEMORY && limit <= (int64_t)1 << 30; limit += limit / 8) {
        assert_int_equal(spg_context_set_workspace_limit(context, limit), SPG_OK);
        status = spg_galerkin(context, &g.R, &g.A, &g.P, &C); /* refused in either product */
    }
    assert_int_equal(status, SPG_OK);
    spg_csr_free(context, &C);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(spg_galerkin(context, &of_bad.R, &g.A, &g.P, &C), SPG_ERROR_FORMAT);
        test_assert_message(context, "R*AP");
    }
    if (spg_galerkin(context, &g.R, &g.A, &g.P, &C) != SPG_OK) fail_msg("%s", spg_context_message(context));
    spg_csr_free(context, &C);
    end(&of_bad);
    end(&g);
    free_all(&A, &P, &R, &bad, NULL);
    spg_context_destroy(context);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_workspace_limit_is_kept_or_refused_with_its_bytes),
        cmocka_unit_test(making_a_plan_keeps_the_workspace_limit),
        cmocka_unit_test(a_product_that_fails_leaves_the_workspace_limit_as_it_was),
    };
    return TEST_RUN_HERE(argc, argv, "amg galerkin fault", tests);
}
