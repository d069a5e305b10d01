/* Numbers of a sequence are Philox 4x32-10, the same however they are asked for. */
#include "philox.h"
#include "sampling_support.h"

#include <stdlib.h>
#include <string.h>

enum { COUNT = 5000 };

static void blocks_have_the_published_values(void **state)
{
    /* Known answers of Random123 for philox4x32, 10 rounds. */
    static const struct {
        uint64_t key, low, high;
        uint32_t words[4];
    } known[] = {
        {0, 0, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {UINT64_MAX, UINT64_MAX, UINT64_MAX, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {0x299f31d0a4093822, 0x85a308d3243f6a88, 0x0370734413198a2e, {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof *known; ++k) {
        spg_philox_block block = spg_philox(known[k].key, known[k].low, known[k].high);
        assert_memory_equal(block.word, known[k].words, sizeof block.word);
    }
}

static void numbers_of(spg_context *context, spg_random random, int64_t count, uint64_t *bits)
{
    size_t bytes = (size_t)count * sizeof *bits;
    uint64_t *here = test_take(context, bits, bytes);
    assert_int_equal(spg_random_bits(context, &random, count, here), SPG_OK);
    test_bring(context, here, bytes, bits);
}

static void numbers_depend_on_seed_stream_and_place_in_the_sequence_alone(void **state)
{
    static uint64_t bits[COUNT], part[COUNT];
    const spg_random random = {0x123456789abcdef, 42, 7};
    (void)state;
    for (int k = 0; k < TEST_CONTEXTS; ++k) {
        spg_context *context = test_context_number(k);
        numbers_of(context, random, COUNT, bits);
        for (int i = 0; i < COUNT; ++i)
            assert_true(bits[i] == spg_random_number(random.seed, random.stream, random.first + (uint64_t)i));
        for (int64_t split = 0; split < 600; split += 173) {
            numbers_of(context, (spg_random){random.seed, random.stream, random.first + (uint64_t)split}, 1000, part);
            assert_memory_equal(part, bits + split, 1000 * sizeof *bits);
        }
        spg_context_destroy(context);
    }
}

static void sequences_wrap_and_differ_by_seed_and_stream(void **state)
{
    uint64_t bits[4], other[4];
    (void)state;
    spg_context *context = test_context_at_place(1);
    numbers_of(context, (spg_random){1, 2, UINT64_MAX - 1}, 4, bits);
    numbers_of(context, (spg_random){1, 2, 0}, 4, other);
    assert_memory_equal(bits + 2, other, 2 * sizeof *bits);
    assert_true(bits[1] != bits[0]);
    numbers_of(context, (spg_random){2, 2, 0}, 4, bits);
    assert_true(bits[0] != other[0] && bits[1] != other[1]);
    numbers_of(context, (spg_random){1, 3, 0}, 4, bits);
    assert_true(bits[0] != other[0] && bits[1] != other[1]);
    spg_context_destroy(context);
}

static void uniforms_are_the_upper_bits(void **state)
{
    static double wide[COUNT];
    static float narrow[COUNT];
    const spg_random random = {3, 4, 5};
    (void)state;
    for (int k = 0; k < TEST_CONTEXTS; ++k) {
        spg_context *context = test_context_number(k);
        double *wide_here = test_take(context, wide, sizeof wide), sum = 0;
        float *narrow_here = test_take(context, narrow, sizeof narrow);
        assert_int_equal(spg_random_uniforms(context, &random, COUNT, SPG_F64, wide_here), SPG_OK);
        assert_int_equal(spg_random_uniforms(context, &random, COUNT, SPG_F32, narrow_here), SPG_OK);
        test_bring(context, wide_here, sizeof wide, wide);
        test_bring(context, narrow_here, sizeof narrow, narrow);
        for (int i = 0; i < COUNT; ++i) {
            uint64_t bits = spg_random_number(3, 4, 5 + (uint64_t)i);
            assert_true(wide[i] * 0x1p53 == (double)(bits >> 11));
            assert_true(narrow[i] * 0x1p24f == (float)(bits >> 40));
            sum += wide[i];
        }
        assert_true(sum / COUNT > 0.48 && sum / COUNT < 0.52);
        spg_context_destroy(context);
    }
    assert_true(spg_uniform_f64(UINT64_MAX) == 1 - 0x1p-53);
    assert_true(spg_uniform_f32(UINT64_MAX) == 1 - 0x1p-24f);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_have_the_published_values),
        cmocka_unit_test(numbers_depend_on_seed_stream_and_place_in_the_sequence_alone),
        cmocka_unit_test(sequences_wrap_and_differ_by_seed_and_stream),
        cmocka_unit_test(uniforms_are_the_upper_bits),
    };
    return TEST_RUN_HERE(argc, argv, "sampling_random", tests);
}
