/* Which contexts a table serves. None is opened: a machine may have one device or none. */
#include "test_support.h"

#include "sampling/check.h"

static spg_context context_at(spg_place place, int device)
{
    spg_context context = {.config = spg_config_default()};
    context.config.place = place;
    context.config.device = device;
    return context;
}

static void a_table_built_on_one_device_is_refused_on_another(void **state)
{
    spg_context made = context_at(SPG_PLACE_DEVICE, 0), here = context_at(SPG_PLACE_DEVICE, 1);
    (void)state;
    assert_int_equal(spg_check_built_here(&here, &made, "alias"), SPG_ERROR_PLACE);
    assert_string_equal(spg_context_message(&here), "alias was built on device 0, the context works on device 1");
    made = context_at(SPG_PLACE_DEVICE, 1);
    assert_int_equal(spg_check_built_here(&here, &made, "alias"), SPG_OK);
}

static void a_table_built_at_one_place_is_refused_at_the_other(void **state)
{
    spg_context made = context_at(SPG_PLACE_HOST, 0), here = context_at(SPG_PLACE_DEVICE, 0);
    (void)state;
    assert_int_equal(spg_check_built_here(&here, &made, "forest"), SPG_ERROR_PLACE);
    assert_string_equal(spg_context_message(&here), "forest was built at another place than the context");
}

static void on_the_host_the_device_asked_for_means_nothing(void **state)
{
    spg_context made = context_at(SPG_PLACE_HOST, -1), here = context_at(SPG_PLACE_HOST, 3);
    (void)state;
    assert_int_equal(spg_check_built_here(&here, &made, "alias"), SPG_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_built_on_one_device_is_refused_on_another),
        cmocka_unit_test(a_table_built_at_one_place_is_refused_at_the_other),
        cmocka_unit_test(on_the_host_the_device_asked_for_means_nothing),
    };
    return cmocka_run_group_tests_name("tables and contexts", tests, NULL, NULL);
}
