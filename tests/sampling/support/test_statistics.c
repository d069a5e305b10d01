/* What judges draws accepts right ones and refuses each kind of wrong one. */
#include "statistics.h"

#include "test_support.h"

#include <math.h>

enum { ITEMS = 100, DRAWS = 100000 };
static int32_t draws[DRAWS];
static double weights[ITEMS];

/* SplitMix64's output function of a counter, as numbers of [0, 1). */
static double uniform(uint64_t counter)
{
    uint64_t z = (counter + 1) * UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static int32_t draw(double u, double total)
{
    double passed = 0.0;
    for (int32_t k = 0; k < ITEMS - 1; k++) {
        passed += weights[k];
        if (u * total < passed) return k;
    }
    return ITEMS - 1;
}

static void draw_all(double stretch)
{
    double total = 0.0;
    for (int k = 0; k < ITEMS; k++) total += weights[k] = k % 7 == 3 ? 0.0 : 1.0 + k % 5;
    for (uint64_t k = 0; k < DRAWS; k++) draws[k] = draw(pow(uniform(k), stretch), total);
}

static void right_draws_are_accepted(void **state)
{
    (void)state;
    draw_all(1.0);
    test_assert_draws(ITEMS, weights, DRAWS, draws);
    const chi_square test = test_chi_square(ITEMS, weights, DRAWS, draws);
    assert_in_range(test.degrees, 70, ITEMS - 1);
    assert_true(fabs(test.z) < 3.0);
}

static void a_bias_of_a_percent_is_seen_in_blocks(void **state)
{
    (void)state;
    draw_all(1.02);
    assert_true(test_chi_square_of_blocks(ITEMS, weights, 2, DRAWS, draws).z > 3.0);
    assert_true(test_chi_square_of_blocks(ITEMS, weights, 16, DRAWS, draws).z > 4.0);
}

static void a_wrong_weight_is_seen(void **state)
{
    (void)state;
    draw_all(1.0);
    weights[50] *= 1.5;
    assert_true(test_chi_square(ITEMS, weights, DRAWS, draws).z > 4.0);
}

static void a_draw_of_weight_zero_is_seen(void **state)
{
    (void)state;
    draw_all(1.0);
    draws[7] = 3;
    const chi_square test = test_chi_square(ITEMS, weights, DRAWS, draws);
    assert_int_equal(test.impossible, 1);
    assert_false(chi_square_holds(&test, 4.0));
}

static void what_is_too_even_is_refused(void **state)
{
    (void)state;
    for (int k = 0; k < ITEMS; k++) weights[k] = 1.0;
    for (int k = 0; k < DRAWS; k++) draws[k] = k % ITEMS;
    const chi_square test = test_chi_square(ITEMS, weights, DRAWS, draws);
    assert_true(test.z < -4.0);
    assert_false(chi_square_holds(&test, 4.0));
}

static void draws_that_depend_on_the_one_before_are_seen(void **state)
{
    (void)state;
    draw_all(1.0);
    for (int k = 1; k < DRAWS; k += 10) draws[k] = draws[k - 1];
    assert_true(test_chi_square(ITEMS, weights, DRAWS, draws).z < 4.0);
    assert_true(test_chi_square_of_pairs(ITEMS, weights, 8, DRAWS, draws).z > 4.0);
}

/* Of 1000 samples of chi-square's distribution, z is in (-1, 1) about 683 times, for few and many degrees alike. */
static void z_is_standard_normal(void **state)
{
    (void)state;
    for (int items = 4; items <= ITEMS; items *= 5) {
        int inside = 0;
        for (int sample = 0; sample < 1000; sample++) {
            int64_t counts[ITEMS] = {0};
            for (int k = 0; k < 2000; k++) counts[(int)(uniform((uint64_t)(sample * 2000 + k)) * (double)items)]++;
            chi_square test;
            chi_square_begin(&test, 2000.0, (double)items);
            for (int k = 0; k < items; k++) chi_square_add(&test, 1.0, (double)counts[k]);
            chi_square_end(&test);
            inside += fabs(test.z) < 1.0;
        }
        assert_in_range(inside, 640, 725);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_draws_are_accepted),    cmocka_unit_test(a_bias_of_a_percent_is_seen_in_blocks),
        cmocka_unit_test(a_wrong_weight_is_seen),      cmocka_unit_test(a_draw_of_weight_zero_is_seen),
        cmocka_unit_test(what_is_too_even_is_refused), cmocka_unit_test(draws_that_depend_on_the_one_before_are_seen),
        cmocka_unit_test(z_is_standard_normal)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
