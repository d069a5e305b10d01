/* What a Galerkin product tells of itself: the counts are those of its two products, and each has its times. */
#include "amg_galerkin.h"

static int64_t count_products(const spg_csr *A, const spg_csr *B)
{
    int64_t products = 0;
    for (int64_t k = 0; k < A->nnz; k++) products += test_offset(B, A->columns[k] + 1) - test_offset(B, A->columns[k]);
    return products;
}

static void the_last_product_tells_what_its_parts_were_like(void **state)
{
    (void)state;
    spg_config config = test_config();
    config.timing = 1;
    spg_context *context = test_context_of(&config);
    spg_galerkin_stats stats;
    assert_int_equal(spg_galerkin_last_stats(context, &stats), SPG_ERROR_ARGUMENT);
    spg_csr P = random_matrix(300, 70, 3, SPG_I32, SPG_F64, 7, 0), A = test_symmetric(300, 8, SPG_F64, 6), AP, R;
    assert_int_equal(spgemm_csr(test_host(), &A, &P, &AP), SPG_OK);
    assert_int_equal(spg_csr_transpose(test_host(), &P, &R), SPG_OK);
    galerkin g;
    begin(context, &R, &A, &P, &g);
    for (int given = 0; given < 2; given++) {
        spg_csr C;
        assert_int_equal(spg_galerkin(context, given ? &g.R : NULL, &g.A, &g.P, &C), SPG_OK);
        assert_int_equal(spg_galerkin_last_stats(context, &stats), SPG_OK);
        assert_int_equal(stats.AP.products, count_products(&A, &P));
        assert_int_equal(stats.AP.nnz, AP.nnz);
        assert_int_equal(stats.RAP.nnz, C.nnz);
        assert_int_equal(stats.RAP.products, count_products(&R, &AP));
        assert_true(stats.AP.expand_sort_ms > 0 && stats.RAP.expand_sort_ms > 0);
        assert_true(stats.plan_bytes == 0);
        spg_csr_free(context, &C);
    }
    assert_int_equal(spg_galerkin(context, NULL, &g.A, &g.P, NULL), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_galerkin_last_stats(context, &stats), SPG_OK); /* still the last that succeeded */
    assert_int_equal(spg_galerkin_last_stats(context, NULL), SPG_ERROR_ARGUMENT);
    end(&g);
    spg_csr *const all[] = {&A, &P, &AP, &R};
    for (int k = 0; k < 4; k++) spg_csr_free(test_host(), all[k]);
    spg_context_destroy(context);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_product_tells_what_its_parts_were_like),
    };
    return TEST_RUN_HERE(argc, argv, "amg galerkin stats", tests);
}
