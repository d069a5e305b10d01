/* See sampling_support.h. */
#include "sampling_support.h"

#include "matrices_for_tests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const int64_t test_lengths[TEST_LENGTHS] = {1,    31,   32,   33,   2,    1,    3,    5,    64,    100,
                                            1000, 1023, 1024, 1025, 2047, 2048, 2049, 5000, 100000};

static double uniform(uint64_t *state) { return (double)(test_random(state) >> 11) * 0x1p-53; }

static double weight_of(int kind, spg_type type, int64_t items, int64_t item, uint64_t *state)
{
    double u = uniform(state);
    switch (kind) {
    case TEST_EQUAL: return 0.3;
    case TEST_POWER: return 1 / (u + 1e-4);
    case TEST_WIDE: return pow(10, type == SPG_F32 ? 40 * u - 20 : 300 * u - 150);
    case TEST_SINGLE: return item == items / 3 ? 1e-3 : 0;
    case TEST_ZEROS:
        if (items > 2 && (item == 0 || item == items - 1)) return 0;
        return item / 7 % 3 == 1 && items > 14 ? 0 : 0.1 + u;
    default: return 0.1 + 0.9 * u;
    }
}

static void fill_row(spg_csr *host, int64_t row, int64_t begin, int64_t items, int kind, uint64_t *state)
{
    (void)row;
    for (int64_t k = 0; k < items; ++k) {
        double weight = weight_of(kind, host->value_type, items, k, state);
        host->columns[begin + k] = (int32_t)(7 + 2 * (items - 1 - k));
        test_put_number(host->value_type, host->values, begin + k, weight);
    }
}

void test_open_weights(const int64_t *lengths, int64_t rows, int kind, spg_type type, bool columns,
                       test_weights *weights)
{
    int64_t nnz = 0, longest = 0;
    uint64_t state = (uint64_t)kind + 11;
    for (int64_t i = 0; i < rows; ++i) {
        nnz += lengths[i];
        if (lengths[i] > longest) longest = lengths[i];
    }
    memset(weights, 0, sizeof *weights);
    spg_type offset_type = kind % 2 == 0 ? SPG_I32 : SPG_I64;
    assert_int_equal(spg_csr_alloc(test_host(), rows, 7 + 2 * longest, nnz, offset_type, type, &weights->host), SPG_OK);
    int64_t begin = 0;
    for (int64_t i = 0; i < rows; ++i) {
        fill_row(&weights->host, i, begin, lengths[i], kind, &state);
        begin += lengths[i];
        if (offset_type == SPG_I64)
            ((int64_t *)weights->host.row_offsets)[i + 1] = begin;
        else
            ((int32_t *)weights->host.row_offsets)[i + 1] = (int32_t)begin;
    }
    test_to_place(test_lender(), &weights->host, &weights->here);
    weights->held_columns = weights->here.columns;
    if (!columns) weights->here.columns = NULL;
}

void test_close_weights(test_weights *weights)
{
    weights->here.columns = weights->held_columns;
    spg_csr_free(test_lender(), &weights->here);
    spg_csr_free(test_host(), &weights->host);
}

double test_weight(const spg_csr *host, int64_t k)
{
    return host->value_type == SPG_F32 ? (double)((const float *)host->values)[k] : ((const double *)host->values)[k];
}

int64_t test_item(const spg_csr *host, int64_t row, int32_t draw)
{
    int64_t begin = test_offset(host, row), items = test_offset(host, row + 1) - begin;
    int64_t item = items - 1 - (draw - 7) / 2;
    assert_true(item >= 0 && item < items);
    assert_int_equal(host->columns[begin + item], draw);
    return item;
}

void test_assert_interval(const spg_csr *host, int64_t row, int64_t item, double u)
{
    int64_t begin = test_offset(host, row), end = test_offset(host, row + 1);
    long double total = 0, before = 0, weight = test_weight(host, begin + item);
    for (int64_t k = begin; k < end; ++k) total += test_weight(host, k);
    for (int64_t k = begin; k < begin + item; ++k) before += test_weight(host, k);
    long double slack = 1e-12L * total, target = (long double)u * total;
    assert_true(weight > 0);
    if (target < before - slack || target > before + weight + slack)
        fail_msg("row %lld, u = %.17g: item %lld holds [%Lg, %Lg) of %Lg", (long long)row, u, (long long)item,
                 before / total, (before + weight) / total, total);
}

spg_context *test_context_number(int k)
{
    spg_config config = test_config();
    config.threads = k < 3 ? k + 1 : 1;
    if (k == 3) config.place = SPG_PLACE_HOST;
    return test_context_of(&config);
}

bool test_is_on_host(const spg_context *context) { return spg_context_place(context) == SPG_PLACE_HOST; }

const spg_csr *test_weights_for(const spg_context *context, const test_weights *weights)
{
    return spg_context_place(context) == weights->here.place ? &weights->here : &weights->host;
}

spg_forest *test_open_forest(spg_context *context, const spg_csr *rows, spg_forest_method method, double cells)
{
    const spg_forest_options options = {method, cells};
    spg_forest *forest = NULL;
    if (spg_forest_build(context, rows, &options, &forest) != SPG_OK) fail_msg("%s", spg_context_message(context));
    return forest;
}

void *test_take(spg_context *context, const void *host, size_t bytes)
{
    if (!test_is_on_host(context)) return test_lend(host, bytes);
    void *here = malloc(bytes);
    assert_non_null(here);
    memcpy(here, host, bytes);
    return here;
}

void test_bring(spg_context *context, void *here, size_t bytes, void *host)
{
    if (test_is_on_host(context)) {
        memcpy(host, here, bytes);
        free(here);
    } else {
        test_fetch(here, bytes, host);
        test_give_back(here, bytes);
    }
}

void test_draw_rows(spg_context *context, const test_weights *weights, int method, const spg_random *random,
                    const void *uniforms, int32_t *draws)
{
    const spg_csr *rows = test_weights_for(context, weights);
    size_t count = (size_t)rows->rows, size = spg_type_size(rows->value_type);
    int32_t *here = test_take(context, draws, count * sizeof *draws);
    void *uniforms_here = uniforms != NULL ? test_take(context, uniforms, count * size) : NULL;
    spg_status status = spg_butterfly_draw(context, rows, (spg_butterfly_method)method, random, uniforms_here, here);
    if (status != SPG_OK) fail_msg("%s", spg_context_message(context));
    test_bring(context, here, count * sizeof *draws, draws);
    void *spare = malloc(count * size);
    if (uniforms != NULL) test_bring(context, uniforms_here, count * size, spare);
    free(spare);
}

void test_put_number(spg_type type, void *numbers, int64_t i, double number)
{
    if (type == SPG_F32)
        ((float *)numbers)[i] = (float)number;
    else
        ((double *)numbers)[i] = number;
}
