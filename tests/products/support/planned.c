/* See planned.h. */
#include "planned.h"

void test_plan_operands(test_planned *p)
{
    spg_config config = test_config();
    config.threads = 3;
    p->context = test_context_of(&config);
    test_to_place(p->context, &p->A, &p->here_A);
    test_to_place(p->context, &p->B, &p->here_B);
    p->C = (spg_csr){0};
    assert_int_equal(spgemm_plan_create(p->context, &p->here_A, &p->here_B, &p->plan), SPG_OK);
    assert_int_equal(spgemm_plan_run(p->plan, &p->here_A, &p->here_B, &p->C), SPG_OK);
    test_to_host(p->context, &p->C, &p->before);
}

void test_open_plan(test_planned *p, spg_type offset_type)
{
    test_random_csr(test_host(), (test_matrix){TEST_PLANNED_M, TEST_PLANNED_K, 6, offset_type, SPG_F64}, 3, 0, &p->A);
    test_random_csr(test_host(), (test_matrix){TEST_PLANNED_K, TEST_PLANNED_N, 6, offset_type, SPG_F64}, 4, 0, &p->B);
    test_plan_operands(p);
}

void test_close_plan(test_planned *p)
{
    spgemm_plan_destroy(p->plan);
    spg_csr_free(p->context, &p->C);
    spg_csr_free(p->context, &p->here_A);
    spg_csr_free(p->context, &p->here_B);
    int64_t current = 0;
    spg_context_memory(p->context, &current, NULL);
    assert_int_equal(current, 0);
    spg_csr_free(test_host(), &p->A);
    spg_csr_free(test_host(), &p->B);
    spg_csr_free(test_host(), &p->before);
    spg_context_destroy(p->context);
}
