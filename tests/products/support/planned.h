/* A plan with its operands and a first result, for tests of what it refuses. */
#ifndef SPG_TESTS_PLANNED_H
#define SPG_TESTS_PLANNED_H

#include "products.h"

enum { TEST_PLANNED_M = 120, TEST_PLANNED_K = 100, TEST_PLANNED_N = 80 };

typedef struct test_planned {
    spg_context *context;   /* at the place under test */
    spg_csr A, B;           /* on the host, for a test to change */
    spg_csr here_A, here_B; /* the plan's operands */
    spg_csr C, before;      /* the result of a run, and the same on the host */
    spgemm_plan *plan;
} test_planned;

/* Of p->A and p->B, in test_host(), which p owns from then on. */
void test_plan_operands(test_planned *p);

/* Of random ones: M x K and K x N. */
void test_open_plan(test_planned *p, spg_type offset_type);

/* Also fails the test if anything of the plan's context is still allocated. */
void test_close_plan(test_planned *p);

#endif
