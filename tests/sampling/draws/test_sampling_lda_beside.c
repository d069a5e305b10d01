/* The z-step by tables of partial sums, where rounding leads its search to a topic beside the one it looks for. */
#include "sampling_support.h"

#include "philox.h"
#include "sampling/sums.h"

enum { TOPICS = 64, BLOCK = TOPICS / 2 };

/* The topic of a document of one word whose products are these, by number `number` of seed 1 and stream 2. */
static int32_t draw_by_table(const float *products, uint64_t number)
{
    const int64_t offsets[] = {0, 1};
    const int32_t word = 0;
    int32_t topic = -1;
    float theta[TOPICS];
    for (int k = 0; k < TOPICS; ++k) theta[k] = 1;
    spg_context *context = test_context_at_place(1);
    void *arrays[] = {test_take(context, theta, sizeof theta), test_take(context, products, sizeof theta),
                      test_take(context, offsets, sizeof offsets), test_take(context, &word, sizeof word)};
    const spg_lda lda = {1, 1, 1, TOPICS, SPG_F32, arrays[0], arrays[1], arrays[2], arrays[3]};
    int32_t *here = test_take(context, &topic, sizeof topic);
    assert_int_equal(spg_lda_draw(context, &lda, SPG_BUTTERFLY_TABLE, &(spg_random){1, 2, number}, here), SPG_OK);
    test_bring(context, here, sizeof topic, &topic);
    const size_t bytes[] = {sizeof theta, sizeof theta, sizeof offsets, sizeof word};
    for (int k = 0; k < 4; ++k) test_bring(context, arrays[k], bytes[k], theta);
    spg_context_destroy(context);
    return topic;
}

/* After a product of 1, every second one is 2^-26, whose sums from 1 on are rounded: in the block of these, of a sum of
 * 2^-22, the search for 1 ends at a product of 0, and takes the next of above 0 (src/sampling/sums.h). */
static void a_product_of_zero_beside_the_target_is_passed_over(void **state)
{
    enum { NUMBER = 1721912 };
    float phi[TOPICS] = {1};
    (void)state;
    for (int k = BLOCK; k < TOPICS; k += 2) phi[k] = 0x1p-26F;
    assert_true(spg_uniform_f32(spg_random_number(1, 2, NUMBER)) * (1 + 0x1p-22F) == 1);
    assert_int_equal(draw_by_table(phi, NUMBER), BLOCK + BLOCK / 2);
}

/* 1 + 2^-24 is 1, but 1 + (2^-24 + 2^-24) is more: the search for 1 passes both small products and ends at the zeros
 * after them, so that the last product above 0 is taken. */
static void the_last_product_above_zero_is_taken_where_the_search_passes_it(void **state)
{
    enum { NUMBER = 456317 };
    float phi[TOPICS] = {1};
    (void)state;
    phi[BLOCK] = phi[BLOCK + BLOCK / 2] = 0x1p-24F;
    assert_true(spg_uniform_f32(spg_random_number(1, 2, NUMBER)) * (1 + 0x1p-23F) == 1);
    assert_int_equal(draw_by_table(phi, NUMBER), BLOCK + BLOCK / 2);
}

/* The distance of floats below 2^-126. */
static void a_rest_is_rounded_down_where_floats_are_denormal(void **state)
{
    (void)state;
    for (int k = 1; k < 100; ++k) {
        assert_true(spg_rest_f32(k * 0x1p-149) == (float)k * 0x1p-149f);
        assert_true(spg_rest_f32((k + 0.75) * 0x1p-149) == (float)k * 0x1p-149f);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_product_of_zero_beside_the_target_is_passed_over),
        cmocka_unit_test(a_rest_is_rounded_down_where_floats_are_denormal),
        cmocka_unit_test(the_last_product_above_zero_is_taken_where_the_search_passes_it),
    };
    return TEST_RUN_HERE(argc, argv, "sampling_lda_beside", tests);
}
