/* What the plans of updates hold: codes, but no pattern that the hierarchy has already. */
#include "amg_reference.h"
#include "generators.h"

#include "amg/amg.h"

/* By the addresses: the result of a plan has the pattern of the next operator, and A*P that of its plan. */
static void expect_shared(const spg_amg *amg)
{
    assert_true(amg->levels > 2);
    for (int l = 0; l + 1 < amg->levels; l++) {
        const spg_galerkin_plan *plan = amg->level[l].plan;
        assert_ptr_equal(plan->RAP_plan->C.row_offsets, amg->level[l + 1].A.row_offsets);
        assert_ptr_equal(plan->RAP_plan->C.columns, amg->level[l + 1].A.columns);
        assert_ptr_equal(plan->AP.row_offsets, plan->AP_plan->C.row_offsets);
        assert_ptr_equal(plan->AP.columns, plan->AP_plan->C.columns);
    }
}

static void plans_of_a_hierarchy_have_no_pattern_of_their_own(void **state)
{
    (void)state;
    for (int prepare = 0; prepare < 2; prepare++) {
        spg_config config = test_config();
        spg_context *context = test_context_of(&config);
        spg_csr A = test_generate("fd2d5:60", SPG_F64), here;
        spg_amg_options options = spg_amg_options_default();
        spg_amg *amg;
        int64_t current = 0;
        options.max_coarse = 50;
        options.prepare_update = prepare;
        test_to_place(context, &A, &here);
        assert_int_equal(spg_amg_setup(context, &here, &options, &amg), SPG_OK);
        if (!prepare) assert_int_equal(spg_amg_update(context, amg, &here), SPG_OK);
        expect_shared(amg);
        spg_amg_destroy(amg);
        spg_csr_free(context, &here);
        spg_context_memory(context, &current, NULL);
        assert_int_equal(current, 0);
        spg_csr_free(test_host(), &A);
        spg_context_destroy(context);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_of_a_hierarchy_have_no_pattern_of_their_own),
    };
    return TEST_RUN_HERE(argc, argv, "amg update patterns", tests);
}
