/* Alias tables of one row, which have ways of their own on a device, and grouped draws against their definition. */
#include "alias_support.h"
#include "sampling/binomial.h"

#include "matrices_for_tests.h"

#include <stdlib.h>
#include <string.h>

enum { COUNT = 30000, MANY = 800100 };

/* Table and draws of a context; those of the first are kept, those of others must be the same. */
typedef struct kept {
    void *table;
    int32_t draws[3][COUNT];
} kept;

static void compare(spg_context *context, const spg_csr *weights, int builder, int resolution, kept *first)
{
    static int32_t draws[3][COUNT];
    spg_alias *alias = test_build_alias(context, weights, builder, resolution);
    void *table = test_alias_table(context, alias);
    test_draw_alias(context, alias, 0, (spg_random){1, 2, 0}, COUNT, SPG_SAMPLER_AUTO, 0, draws[0]);
    test_draw_alias(context, alias, 0, (spg_random){1, 2, 7}, COUNT - 1, SPG_SAMPLER_AUTO, 0, draws[1]);
    test_draw_alias(context, alias, 0, (spg_random){1, 2, 7}, COUNT, SPG_SAMPLER_AUTO, 1, draws[2]);
    if (first->table == NULL) {
        first->table = table;
        memcpy(first->draws, draws, sizeof draws);
    } else {
        assert_memory_equal(table, first->table, test_alias_bytes(alias));
        assert_memory_equal(draws, first->draws, sizeof draws);
        free(table);
    }
    spg_alias_destroy(alias);
}

static void a_row_gives_the_same_bits_on_every_place(int64_t items, int kind, spg_type type, int builder,
                                                     int resolution)
{
    static kept first;
    test_weights weights;
    test_open_weights(&items, 1, kind, type, false, &weights);
    int32_t *host_columns = weights.host.columns;
    weights.host.columns = NULL;
    first.table = NULL;
    for (int k = 0; k < TEST_CONTEXTS; ++k) {
        spg_context *context = test_context_number(k);
        compare(context, test_weights_for(context, &weights), builder, resolution, &first);
        spg_context_destroy(context);
    }
    free(first.table);
    weights.host.columns = host_columns;
    test_close_weights(&weights);
}

static void one_row_gives_the_same_bits_on_every_place(void **state)
{
    static const int64_t lengths[] = {2049, 100000};
    (void)state;
    for (int kind = 0; kind < TEST_KINDS; ++kind)
        for (int what = 0; what < 8; ++what)
            a_row_gives_the_same_bits_on_every_place(lengths[what % 2], kind, what == 3 ? SPG_F32 : SPG_F64,
                                                     what / 4 == 0 ? SPG_ALIAS_PSA : SPG_ALIAS_PSA_PLUS, what / 2 % 2);
}

static spg_alias *build_in_chunks(spg_context *context, const spg_csr *weights, spg_alias_split split, int chunks,
                                  int resolution)
{
    const spg_alias_options options = {SPG_ALIAS_PSA, (spg_alias_resolution)resolution, split, chunks};
    spg_alias *alias = NULL;
    if (spg_alias_build(context, weights, &options, &alias) != SPG_OK) fail_msg("%s", spg_context_message(context));
    return alias;
}

static void assert_stats(spg_context *context, const spg_alias *alias, int64_t items, int chunks)
{
    spg_alias_stats stats;
    assert_int_equal(spg_alias_build_stats(alias, &stats), SPG_OK);
    assert_int_equal(stats.left, items);
    const int64_t parts = (items + 2047) / 2048, blocks = (parts + chunks - 1) / chunks;
    if (!test_is_on_host(context)) assert_int_equal(stats.splits, blocks + 1);
    assert_true(stats.sum_ms > 0 && stats.tiles_ms > 0 && stats.split_ms > 0 && stats.pack_ms > 0);
    if (!test_is_on_host(context)) assert_true(stats.partition_ms > 0);
}

/* However it is split and packed, with its phases timed or not. */
static void splits_and_chunks_give_the_same_table(void **state)
{
    static const int64_t items = 300000;
    static const int chunks[] = {0, 1, 2, 8, 100, 1024};
    (void)state;
    spg_config config = spg_config_default();
    spg_context *plain = test_context_at_place(2), *timed = NULL;
    config.place = spg_context_place(plain);
    config.threads = 2;
    config.oversubscribe = 1;
    config.timing = 1;
    assert_int_equal(spg_context_create(&config, &timed), SPG_OK);
    for (int kind = 0; kind < TEST_KINDS; ++kind)
        for (int what = 0; what < 4; ++what) {
            test_weights weights;
            test_open_weights(&items, 1, kind, SPG_F64, false, &weights);
            spg_alias *swept = test_build_alias(plain, &weights.here, SPG_ALIAS_SWEEP, what % 2);
            void *expected = test_alias_table(plain, swept);
            for (int k = 0; k < (int)(sizeof chunks / sizeof *chunks); ++k) {
                spg_alias *alias =
                    build_in_chunks(timed, &weights.here, (spg_alias_split)(what / 2), chunks[k], what % 2);
                void *table = test_alias_table(timed, alias);
                assert_memory_equal(table, expected, test_alias_bytes(alias));
                assert_stats(timed, alias, items, chunks[k] > 0 ? chunks[k] : 1);
                free(table);
                spg_alias_destroy(alias);
            }
            free(expected);
            spg_alias_destroy(swept);
            test_close_weights(&weights);
        }
    spg_context_destroy(timed);
    spg_context_destroy(plain);
}

/* More than 2048 tiles of 2048 items. */
static void a_row_of_many_tiles_gives_the_same_bits_on_every_place(void **state)
{
    static const int kinds[] = {TEST_EQUAL, TEST_POWER};
    (void)state;
    for (int k = 0; k < 2; ++k)
        a_row_gives_the_same_bits_on_every_place(2048 * 2048 + 100001, kinds[k], SPG_F32, SPG_ALIAS_PSA_PLUS,
                                                 SPG_ALIAS_COMPACT);
}

/* Number g of the numbers of 42 bits, of a sequence without an end. */
__extension__ typedef unsigned __int128 long_number;

static uint64_t number_of_42_bits(uint64_t seed, uint64_t stream, long_number g)
{
    uint64_t block = (uint64_t)(g / 96 * 32 + g % 32);
    spg_philox_block words = spg_philox(seed, (uint64_t)1 << 63 | block, stream);
    long_number bits = (long_number)spg_philox_half(&words, 1) << 64 | spg_philox_half(&words, 0);
    return (uint64_t)(bits >> 42 * (int)(g % 96 / 32)) & (((uint64_t)1 << 42) - 1);
}

static void draw_as_defined(const spg_alias_compact *table, int64_t items, spg_random random, int64_t count,
                            int32_t *draws)
{
    uint64_t key = spg_split_key(random.seed, random.stream, random.first);
    for (int64_t s = 0; s * SPG_SECTION < items; ++s) {
        spg_section_node section = spg_find_section(s, items, count, key);
        int64_t first = s * SPG_SECTION, size = items - first < SPG_SECTION ? items - first : SPG_SECTION;
        for (int64_t i = section.offset; i < section.offset + section.count; ++i) {
            uint64_t y = number_of_42_bits(random.seed, random.stream, (long_number)random.first + (uint64_t)i);
            uint64_t v = y * (uint64_t)size;
            int32_t bucket = (int32_t)first + (int32_t)(v >> 42);
            draws[i] = (uint32_t)(v >> 10) < table[bucket].threshold ? bucket : table[bucket].alias;
        }
    }
}

static void assert_grouped(spg_context *context, const spg_alias *alias, spg_random random, int64_t count)
{
    static int32_t draws[MANY], expected[MANY];
    size_t bytes = (size_t)count * sizeof *draws;
    void *table = test_alias_table(context, alias);
    draw_as_defined(table, alias->nnz, random, count, expected);
    for (int sampler = SPG_SAMPLER_AUTO; sampler <= SPG_SAMPLER_SHARED; ++sampler) {
        if (sampler == SPG_SAMPLER_BASELINE) continue;
        memset(draws, 0xff, bytes);
        test_draw_alias(context, alias, 0, random, count, sampler, 1, draws);
        assert_memory_equal(draws, expected, bytes);
    }
    free(table);
}

/* Few draws a section, and many. */
static void grouped_draws_are_as_defined(void **state)
{
    static const uint64_t firsts[] = {0, 1, 95, 96, 1000, UINT64_MAX - 5000};
    static const int64_t items = 2 * SPG_SECTION + 100;
    test_weights weights;
    (void)state;
    spg_context *context = test_context_at_place(2);
    test_open_weights(&items, 1, TEST_POWER, SPG_F64, false, &weights);
    spg_alias *alias = test_build_alias(context, &weights.here, SPG_ALIAS_AUTO, SPG_ALIAS_COMPACT);
    for (int k = 0; k < (int)(sizeof firsts / sizeof *firsts); ++k)
        assert_grouped(context, alias, (spg_random){3, 4, firsts[k]}, COUNT);
    assert_grouped(context, alias, (spg_random){3, 4, 95}, MANY);
    spg_alias_destroy(alias);
    test_close_weights(&weights);
    spg_context_destroy(context);
}

/* On either side of every bound between samplers. */
static void the_choice_of_a_sampler_goes_by_sizes_and_changes_no_draw(void **state)
{
    enum { LARGE = SPG_FEW_SECTIONS + 1, SIZES = 3, MOST = LARGE * SPG_FEW_DRAWS_EXACT };
    static const int64_t sections[SIZES] = {1, SPG_FEW_SECTIONS, LARGE};
    static const int few[2] = {SPG_FEW_DRAWS_COMPACT, SPG_FEW_DRAWS_EXACT};
    static int32_t draws[MOST], expected[MOST];
    const spg_random random = {5, 6, 7};
    (void)state;
    spg_context *context = test_context_at_place(2), *host = test_context_number(TEST_CONTEXTS - 1);
    for (int which = 0; which < SIZES; ++which) {
        test_weights weights;
        int64_t items = sections[which] * SPG_SECTION - 100;
        test_open_weights(&items, 1, TEST_POWER, SPG_F64, false, &weights);
        for (int exact = 0; exact < 2; ++exact) {
            spg_alias_sampler often = exact && which < 2 ? SPG_SAMPLER_LIMITED : SPG_SAMPLER_SHARED;
            spg_alias *alias = test_build_alias(context, &weights.here, SPG_ALIAS_AUTO, exact);
            spg_alias *host_alias = test_build_alias(host, &weights.host, SPG_ALIAS_AUTO, exact);
            for (int is_often = 0; is_often < 2; ++is_often) {
                int64_t count = sections[which] * few[exact] - 1 + is_often;
                assert_int_equal(spg_choose_sampler(items, count, alias->resolution),
                                 is_often ? often : SPG_SAMPLER_SECTIONED);
                test_draw_alias(context, alias, 0, random, count, SPG_SAMPLER_AUTO, 1, draws);
                test_draw_alias(host, host_alias, 0, random, count, SPG_SAMPLER_AUTO, 1, expected);
                for (int64_t k = 0; k < count; ++k)
                    assert_int_equal(draws[k], test_item(&weights.host, 0, expected[k]));
            }
            spg_alias_destroy(host_alias);
            spg_alias_destroy(alias);
        }
        test_close_weights(&weights);
    }
    spg_context_destroy(host);
    spg_context_destroy(context);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_row_gives_the_same_bits_on_every_place),
        cmocka_unit_test(splits_and_chunks_give_the_same_table),
        cmocka_unit_test(a_row_of_many_tiles_gives_the_same_bits_on_every_place),
        cmocka_unit_test(grouped_draws_are_as_defined),
        cmocka_unit_test(the_choice_of_a_sampler_goes_by_sizes_and_changes_no_draw),
    };
    return TEST_RUN_HERE(argc, argv, "sampling_one_row", tests);
}
