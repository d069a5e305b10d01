/* Products of real matrices, where they are at hand, against CXSparse: A*A, or A*A^T where A is not square, by every
 * class and by a plan (real_matrices.h). */
#include "cxsparse_oracle.h"
#include "products.h"
#include "real_matrices.h"
#include "spg/io.h"
#include "spg/spg.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const names[] = {"1138_bus",  "494_bus",  "airfoil",    "ani4",     "bar",
                                    "bcsstk13",  "cryg2500", "franz6_aug", "jagmesh7", "lp_e226",
                                    "unit_cube", "west0479", "young1c"};

static bool read_matrix(const char *name, spg_csr *matrix)
{
    char path[TEST_PATH_SIZE];
    if (!test_find_real_matrix(name, path)) return false;
    spg_status status = spg_read_matrix_market(test_host(), path, matrix);
    if (status != SPG_OK) fail_msg("%s: %s", path, spg_context_message(test_host()));
    return true;
}

static void check_plan(spg_context *context, const spg_csr *A, const spg_csr *B, const spg_csr *expected)
{
    spg_csr here_A, here_B, C = {0}, back;
    spgemm_plan *plan;
    test_to_place(context, A, &here_A);
    test_to_place(context, B, &here_B);
    assert_int_equal(spgemm_plan_create(context, &here_A, &here_B, &plan), SPG_OK);
    assert_int_equal(spgemm_plan_run(plan, &here_A, &here_B, &C), SPG_OK);
    test_to_host(context, &C, &back);
    test_assert_same_csr(&back, expected);
    spgemm_plan_destroy(plan);
    spg_csr_free(test_host(), &back);
    spg_csr_free(context, &C);
    spg_csr_free(context, &here_A);
    spg_csr_free(context, &here_B);
}

static void real_matrices_agree_with_cxsparse(void **state)
{
    (void)state;
    int found = 0;
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        spg_csr A, B, C;
        if (!read_matrix(names[k], &A)) continue;
        ++found;
        spg_status status =
            A.rows == A.cols ? spg_csr_copy(test_host(), &A, &B) : spg_csr_transpose(test_host(), &A, &B);
        assert_int_equal(status, SPG_OK);
        for (int l = 0; l < TEST_LIMITS; ++l) {
            spg_context *context = test_context(2, test_limit_sets[l].limits);
            test_multiply(context, &A, &B, &C);
            if (l == 0) test_assert_near_cxsparse(&A, &B, &C, false);
            check_plan(context, &A, &B, &C);
            spg_csr_free(test_host(), &C);
            spg_context_destroy(context);
        }
        test_check_limits(&A, &B);
        spg_csr_free(test_host(), &A);
        spg_csr_free(test_host(), &B);
    }
    if (found == 0) skip();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(real_matrices_agree_with_cxsparse)};
    return TEST_RUN_HERE(argc, argv, "product matrices", tests);
}
