/* One draw in each of as many equal parts of a row: those of their numbers, on every place. */
#include "sampling/forest.h"

#include "sampling/sampling_backend.h"
#include "sampling_support.h"

#include "matrices_for_tests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a call of draws gives. */
enum { COUNT = 4096 };
typedef struct drawn {
    int32_t items[COUNT];
    double probabilities[COUNT], remapped[COUNT];
} drawn;

/* Bounds of a row, and the end of all. */
static uint64_t *bounds_of(spg_context *context, const spg_forest *forest, int64_t begin, int64_t items)
{
    size_t bytes = (size_t)items * sizeof(uint64_t);
    uint64_t *bounds = malloc(bytes + sizeof *bounds);
    assert_non_null(bounds);
    if (test_is_on_host(context))
        memcpy(bounds, forest->bounds + begin, bytes);
    else
        test_fetch(forest->bounds + begin, bytes, bounds);
    bounds[items] = SPG_FOREST_END;
    return bounds;
}

/* Each number in its stratum, and the item that a walk along the bounds finds for it. */
static void assert_stratified(const uint64_t *bounds, const int32_t *names, const spg_random *random, int64_t count,
                              const drawn *result)
{
    const spg_strata strata = spg_strata_of((uint64_t)count);
    int64_t item = 0;
    for (int64_t i = 0; i < count; ++i) {
        uint64_t number = spg_random_number(random->seed, random->stream, random->first + (uint64_t)i);
        uint64_t v = spg_stratified(&strata, (uint64_t)i, number);
        double u = (double)v * 0x1p-63 * (double)count;
        assert_true(u >= (double)i * (1 - 0x1p-50) && u <= ((double)i + 1) * (1 + 0x1p-50));
        assert_true(v >= spg_stratum_begin(&strata, (uint64_t)i) && v < spg_stratum_begin(&strata, (uint64_t)i + 1));
        while (bounds[item + 1] <= v) ++item;
        assert_int_equal(result->items[i], names[item]);
        const long double width = (long double)(bounds[item + 1] - bounds[item]);
        assert_true(fabsl(result->probabilities[i] - width * 0x1p-63L) <= 0x1p-53L * result->probabilities[i]);
        assert_true(fabsl(result->remapped[i] - (long double)(v - bounds[item]) / width) <= 0x1p-51L);
        assert_true(result->remapped[i] >= 0 && result->remapped[i] < 1);
    }
}

/* One after the other, with all that can be asked for and with items alone, which come by another way on a device;
 * there to an address that is no multiple of 16 bytes as well. */
static void draw_strata(spg_context *context, const spg_forest *forest, int64_t row, int64_t count,
                        const spg_random *random, drawn *result)
{
    static int32_t alone[COUNT + 1];
    drawn *here = test_take(context, result, sizeof *result);
    int32_t *alone_here = test_take(context, alone, sizeof alone);
    spg_status status = spg_forest_draw_stratified(context, forest, row, count, random, here->items,
                                                   &(spg_forest_details){here->probabilities, here->remapped});
    if (status == SPG_OK)
        status = spg_forest_draw_stratified(context, forest, row, count, random, alone_here + 1, NULL);
    if (status != SPG_OK) fail_msg("%s", spg_context_message(context));
    test_bring(context, here, sizeof *result, result);
    test_bring(context, alone_here, sizeof alone, alone);
    assert_memory_equal(alone + 1, result->items, (size_t)count * sizeof *alone);
    alone_here = test_take(context, alone, sizeof alone);
    assert_int_equal(spg_forest_draw_stratified(context, forest, row, count, random, alone_here, NULL), SPG_OK);
    test_bring(context, alone_here, sizeof alone, alone);
    assert_memory_equal(alone, result->items, (size_t)count * sizeof *alone);
}

static void stratified_draws_are_those_of_their_numbers_on_every_place(void **state)
{
    static const int64_t counts[] = {1, 2, 3, 255, 256, 257, 1000, COUNT};
    static drawn first, result;
    (void)state;
    memset(&first, 0, sizeof first);
    memset(&result, 0, sizeof result);
    for (int kind = 0; kind < TEST_KINDS; ++kind) {
        test_weights weights;
        test_open_weights(test_lengths, TEST_LENGTHS, kind, SPG_F64, true, &weights);
        for (int k = 1; k < 2 * TEST_CONTEXTS; ++k) {
            spg_context *context = test_context_number(k / 2);
            spg_forest *forest =
                test_open_forest(context, test_weights_for(context, &weights),
                                 k % 2 ? SPG_FOREST_CUTPOINT : SPG_FOREST_RADIX, kind == 1 ? 0.125 : 0);
            for (int64_t row = kind % 2; row < TEST_LENGTHS; row += 2) {
                int64_t count = counts[(row / 2 + kind) % 8], begin = test_offset(&weights.host, row);
                int64_t items = test_offset(&weights.host, row + 1) - begin;
                const spg_random random = {27, 18, 28 + (uint64_t)row};
                draw_strata(context, forest, row, count, &random, &result);
                if (k % 2 == 0) continue;
                uint64_t *bounds = bounds_of(context, forest, begin, items);
                assert_stratified(bounds, weights.host.columns + begin, &random, count, &result);
                free(bounds);
            }
            spg_forest_destroy(forest);
            /* The last row's, by every context and method alike. */
            if (k == 1) first = result;
            assert_memory_equal(&first, &result, sizeof first);
            spg_context_destroy(context);
        }
        test_close_weights(&weights);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stratified_draws_are_those_of_their_numbers_on_every_place),
    };
    return TEST_RUN_HERE(argc, argv, "sampling_forest_strata", tests);
}
