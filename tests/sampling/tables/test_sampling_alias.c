/* Alias tables: what a table gives back of each weight, and bit for bit the same tables everywhere. Draws from them:
 * test_sampling_alias_draws.c. */
#include "alias_support.h"

#include "matrices_for_tests.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A bucket's own share, from 0 to 1, and whose the rest is. */
static double bucket(const void *table, bool exact, int64_t k, int64_t item, int64_t *other)
{
    if (exact) {
        const spg_alias_exact *row = (const spg_alias_exact *)table + k;
        *other = row->alias;
        return row->threshold;
    }
    const spg_alias_compact *row = (const spg_alias_compact *)table + k;
    *other = row->alias;
    return row->alias == item ? 1 : row->threshold * 0x1p-32;
}

/* The rows' shares, rebuilt from buckets, in units of the mean weight; and in how many buckets an item has a part. */
static void rebuild(const void *table, bool exact, int64_t begin, int64_t items, long double *shares, int64_t *parts)
{
    memset(shares, 0, (size_t)items * sizeof *shares);
    memset(parts, 0, (size_t)items * sizeof *parts);
    for (int64_t i = 0; i < items; ++i) {
        int64_t other = 0;
        double own = bucket(table, exact, begin + i, i, &other);
        assert_true(own >= 0 && own <= 1 && other >= 0 && other < items);
        shares[i] += own;
        shares[other] += 1 - (long double)own;
        ++parts[other];
    }
}

static void assert_row_exact(const spg_csr *host, int64_t row, const void *table, bool exact)
{
    int64_t begin = test_offset(host, row), items = test_offset(host, row + 1) - begin;
    long double *shares = malloc((size_t)items * sizeof *shares), sum = 0;
    int64_t *parts = malloc((size_t)items * sizeof *parts);
    assert_true(shares != NULL && parts != NULL);
    rebuild(table, exact, begin, items, shares, parts);
    for (int64_t i = 0; i < items; ++i) sum += test_weight(host, begin + i);
    /* What rounding in units of 2^-F may come to: an item each at random, and the scale. */
    long double unit = ldexpl(1, -spg_fraction_bits(items)), drift = (8192 + 4 * sqrtl(items)) * unit;
    for (int64_t i = 0; i < items; ++i) {
        double weight = test_weight(host, begin + i);
        long double share = weight * (long double)items / sum, error = fabsl(shares[i] - share);
        long double heavy = drift + unit * parts[i], allowed = (exact ? 0 : 0x1p-32L * (2 + parts[i])) + heavy;
        if (exact && parts[i] == 0 && share < 1) allowed = 1e-12L * share;
        if (error > allowed || (weight == 0 && shares[i] != 0))
            fail_msg("row %lld of %lld, item %lld: share %Lg is %Lg off, %Lg allowed", (long long)row, (long long)items,
                     (long long)i, share, shares[i] - share, allowed);
    }
    free(shares);
    free(parts);
}

static void a_table_gives_every_weight_back(void **state)
{
    (void)state;
    spg_context *context = test_context_at_place(2);
    for (int kind = 0; kind < TEST_KINDS; ++kind)
        for (int builder = SPG_ALIAS_AUTO; builder <= SPG_ALIAS_PSA_PLUS; ++builder)
            for (int resolution = 0; resolution < 2; ++resolution) {
                test_weights weights;
                spg_type type = (kind + builder) % 2 == 0 ? SPG_F64 : SPG_F32;
                test_open_weights(test_lengths, TEST_LENGTHS, kind, type, true, &weights);
                spg_alias *alias = test_build_alias(context, &weights.here, builder, resolution);
                void *table = test_alias_table(context, alias);
                for (int64_t i = 0; i < TEST_LENGTHS; ++i)
                    assert_row_exact(&weights.host, i, table, resolution == SPG_ALIAS_EXACT);
                free(table);
                spg_alias_destroy(alias);
                test_close_weights(&weights);
            }
    spg_context_destroy(context);
}

/* Rows that all threads of the host build together. */
static const int64_t long_lengths[] = {300000, 3, 131072, 131073};
enum { LONG_ROWS = 4 };

/* By every place and number of threads. */
static void assert_same_tables(const test_weights *weights, int builder, int resolution)
{
    void *first = NULL;
    for (int k = 0; k < TEST_CONTEXTS; ++k) {
        spg_context *context = test_context_number(k);
        spg_alias *alias = test_build_alias(context, test_weights_for(context, weights), builder, resolution);
        void *table = test_alias_table(context, alias);
        if (k == 0)
            first = table;
        else
            assert_memory_equal(table, first, test_alias_bytes(alias));
        if (k > 0) free(table);
        spg_alias_destroy(alias);
        spg_context_destroy(context);
    }
    free(first);
}

static void tables_are_the_same_bits_on_every_place_and_number_of_threads(void **state)
{
    (void)state;
    for (int kind = 0; kind < TEST_KINDS; ++kind)
        for (int what = 0; what < 4; ++what) {
            test_weights weights;
            int builder = what < 2 ? SPG_ALIAS_PSA : SPG_ALIAS_PSA_PLUS, resolution = what % 2;
            test_open_weights(kind % 2 == 0 ? test_lengths : long_lengths, kind % 2 == 0 ? TEST_LENGTHS : LONG_ROWS,
                              kind, SPG_F64, true, &weights);
            assert_same_tables(&weights, builder, resolution);
            test_close_weights(&weights);
        }
}

/* Rows that a device builds many at once, every other of which has a sum that overflows. */
static void long_rows_whose_sums_overflow_have_the_same_tables(void **state)
{
    const int64_t lengths[] = {3000, 2049, 5000, 10, 4096, 70000};
    test_weights weights;
    (void)state;
    test_open_weights(lengths, 6, TEST_ZEROS, SPG_F64, true, &weights);
    double *values = weights.host.values;
    for (int64_t i = 1; i < 6; i += 2)
        for (int64_t k = test_offset(&weights.host, i); k < test_offset(&weights.host, i + 1); ++k)
            values[k] *= DBL_MAX / 2;
    test_send(values, (size_t)weights.host.nnz * sizeof *values, weights.here.values);
    assert_same_tables(&weights, SPG_ALIAS_AUTO, SPG_ALIAS_COMPACT);
    test_close_weights(&weights);
}

/* Rows of up to a warp's lanes and one more, of which a warp of a device has several side by side; every seventh has a
 * sum that overflows, and others have few values, with which deficits and excesses often come out even. */
static void short_rows_have_the_same_tables_side_by_side(void **state)
{
    enum { SHORT_ROWS = 3000, FEW = 6 };
    static const int longest[] = {1, 2, 5, 33};
    static const double few[FEW] = {0.5, 1.5, 0, 1, 3, 0.25};
    static int64_t lengths[SHORT_ROWS];
    (void)state;
    for (int which = 0; which < 4; ++which)
        for (int kind = 0; kind < TEST_KINDS; ++kind) {
            test_weights weights;
            spg_type type = kind % 2 == 0 ? SPG_F64 : SPG_F32;
            for (int i = 0; i < SHORT_ROWS; ++i) lengths[i] = 1 + i * 37 / 3 % longest[which];
            test_open_weights(lengths, SHORT_ROWS, kind, type, true, &weights);
            double *values = weights.host.values;
            for (int64_t i = 0; type == SPG_F64 && i < SHORT_ROWS; ++i)
                for (int64_t k = test_offset(&weights.host, i); k < test_offset(&weights.host, i + 1); ++k) {
                    if (i % 3 == 0) values[k] = few[(k * k + i) % FEW];
                    if (i % 7 == 0) values[k] = DBL_MAX / (double)(1 + k % 3);
                    if (k == test_offset(&weights.host, i) && !(values[k] > 0)) values[k] = 1;
                }
            test_send(values, (size_t)weights.host.nnz * spg_type_size(type), weights.here.values);
            for (int resolution = 0; resolution < 2; ++resolution)
                assert_same_tables(&weights, SPG_ALIAS_AUTO, resolution);
            test_close_weights(&weights);
        }
}

static void the_sweep_and_split_and_pack_give_one_table(void **state)
{
    (void)state;
    spg_context *context = test_context_at_place(3);
    for (int kind = 0; kind < TEST_KINDS; ++kind)
        for (int resolution = 0; resolution < 2; ++resolution) {
            test_weights weights;
            test_open_weights(long_lengths, LONG_ROWS, kind, SPG_F64, false, &weights);
            spg_alias *swept = test_build_alias(context, &weights.here, SPG_ALIAS_SWEEP, resolution);
            spg_alias *packed = test_build_alias(context, &weights.here, SPG_ALIAS_PSA, resolution);
            void *one = test_alias_table(context, swept), *other = test_alias_table(context, packed);
            assert_memory_equal(one, other, test_alias_bytes(swept));
            free(one);
            free(other);
            spg_alias_destroy(swept);
            spg_alias_destroy(packed);
            test_close_weights(&weights);
        }
    spg_context_destroy(context);
}

/* The sweep of one row as src/sampling/alias.h words it, counting for each item anew where that is not too slow. */
static void sweep_as_defined(const double *row, int64_t items, double sum, spg_alias_compact *table)
{
    int bits = spg_fraction_bits(items);
    uint64_t bucket_units = (uint64_t)1 << bits, deficit = 0, *excess = calloc((size_t)items, sizeof *excess);
    uint64_t *before = calloc((size_t)items + 1, sizeof *before), total = 0;
    int64_t *heavies = calloc((size_t)items, sizeof *heavies), *lights = calloc((size_t)items, sizeof *lights);
    int64_t heavy_count = 0, light_count = 0;
    spg_unit_scale scale = spg_units_of_row(sum, 1, (double)items * spg_power_of_two(bits));
    for (int64_t i = 0; i < items; ++i) {
        uint64_t units = spg_alias_units(spg_units(row[i], scale), i);
        if (units >= bucket_units) {
            total += units - bucket_units;
            excess[heavy_count] = total;
            heavies[heavy_count++] = i;
        } else {
            before[light_count] = deficit;
            lights[light_count++] = i;
            deficit += bucket_units - units;
        }
    }
    before[light_count] = deficit;
    for (int64_t l = 0, j = 0; l < light_count; ++l) {
        while (j < heavy_count - 1 && excess[j] <= before[l]) ++j;
        uint64_t units = bucket_units - (before[l + 1] - before[l]);
        table[lights[l]] = spg_compact_row(units, bits, (int32_t)lights[l], (int32_t)heavies[j]);
    }
    for (int64_t j = 0, l = 0; j < heavy_count; ++j) {
        while (l < light_count && before[l] < excess[j]) ++l;
        uint64_t over = before[l] > excess[j] && j < heavy_count - 1 ? before[l] - excess[j] : 0;
        int64_t next = over > 0 ? heavies[j + 1] : heavies[j];
        table[heavies[j]] = spg_compact_row(bucket_units - over, bits, (int32_t)heavies[j], (int32_t)next);
    }
    free(excess);
    free(before);
    free(heavies);
    free(lights);
}

/* Weights of few values, with which deficits and excesses often come out even. */
static void tables_are_the_sweep_as_defined(void **state)
{
    static const int64_t lengths[] = {4, 2048, 65536, 262144};
    static const double values[] = {0.5, 1.5, 1, 0.25, 1.75, 3, 0, 0};
    (void)state;
    spg_context *context = test_context_at_place(3);
    for (int period = 2; period <= 8; ++period)
        for (int which = 0; which < 4; ++which) {
            double sum = 0;
            int64_t items = lengths[which];
            test_weights weights;
            test_open_weights(&items, 1, TEST_EQUAL, SPG_F64, false, &weights);
            double *row = weights.host.values;
            for (int64_t i = 0; i < items; ++i) sum += row[i] = values[i % period]; /* exact */
            test_send(row, (size_t)items * sizeof *row, weights.here.values);
            spg_alias_compact *expected = calloc((size_t)items, sizeof *expected);
            assert_non_null(expected);
            sweep_as_defined(row, items, sum, expected);
            for (int builder = SPG_ALIAS_SWEEP; builder <= SPG_ALIAS_PSA; ++builder) {
                spg_alias *alias = test_build_alias(context, &weights.here, builder, SPG_ALIAS_COMPACT);
                void *table = test_alias_table(context, alias);
                assert_memory_equal(table, expected, test_alias_bytes(alias));
                free(table);
                spg_alias_destroy(alias);
            }
            free(expected);
            test_close_weights(&weights);
        }
    spg_context_destroy(context);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_gives_every_weight_back),
        cmocka_unit_test(tables_are_the_same_bits_on_every_place_and_number_of_threads),
        cmocka_unit_test(long_rows_whose_sums_overflow_have_the_same_tables),
        cmocka_unit_test(short_rows_have_the_same_tables_side_by_side),
        cmocka_unit_test(the_sweep_and_split_and_pack_give_one_table),
        cmocka_unit_test(tables_are_the_sweep_as_defined),
    };
    return TEST_RUN_HERE(argc, argv, "sampling_alias", tests);
}
