/* See sides.h. */
#include "sides.h"

#include "backend.h"
#include "generators.h"
#include "memory.h"

#include <math.h>

void open_sides(side sides[SIDES])
{
    for (int s = 0; s < SIDES; ++s) {
        spg_config config = spg_config_default();
        config.place = s == HOST ? SPG_PLACE_HOST : SPG_PLACE_DEVICE;
        config.threads = 2;
        sides[s].context = test_context_of(&config);
        sides[s].stages = sides[s].context->backend->amg;
    }
}

void close_sides(side sides[SIDES])
{
    for (int s = 0; s < SIDES; ++s) {
        int64_t left = 0;
        spg_context_memory(sides[s].context, &left, NULL);
        assert_int_equal(left, 0);
        spg_context_destroy(sides[s].context);
    }
}

void *put(const side *at, const void *bytes, int64_t count)
{
    void *there = NULL;
    assert_int_equal(spg_allocate(at->context, count, "a test", &there), SPG_OK);
    if (bytes != NULL && count > 0)
        assert_int_equal(at->context->backend->copy_bytes(at->context, there, at->context->config.place, bytes,
                                                          SPG_PLACE_HOST, count),
                         SPG_OK);
    return there;
}

void get(const side *at, const void *there, int64_t count, void *bytes)
{
    if (count > 0)
        assert_int_equal(at->context->backend->copy_bytes(at->context, bytes, SPG_PLACE_HOST, there,
                                                          at->context->config.place, count),
                         SPG_OK);
}

void drop(const side *at, void *there, int64_t count) { spg_release(at->context, there, count); }

void put_matrix(const side *at, const spg_csr *matrix, spg_csr *there)
{
    assert_int_equal(spg_csr_copy(at->context, matrix, there), SPG_OK);
}

void get_matrix(const side *at, const spg_csr *there, spg_csr *matrix) { test_to_host(at->context, there, matrix); }

void generate(const char *name, spg_type type, spg_csr *matrix)
{
    assert_int_equal(generate_matrix(test_host(), name, 1, type, matrix), SPG_OK);
}

/* Writes a row of generate_blocks' matrix, if there is one, and returns its length. */
static int64_t put_row(const spg_csr *nodes, int unknowns, int64_t row, spg_type type, spg_csr *matrix, int64_t at)
{
    const int64_t i = row / unknowns, begin = at;
    for (int64_t k = test_offset(nodes, i); k < test_offset(nodes, i + 1); ++k)
        for (int c = 0; c < unknowns; ++c) {
            const int64_t j = nodes->columns[k], column = j * unknowns + c, sum = row + column;
            if (i != j && (i + j) % 53 == 0 && row % unknowns == unknowns - 1 && c == unknowns - 1) continue;
            if (matrix != NULL) {
                const double value = row == column ? 50 : (double)((row * column + 17 * sum) % 63 - 31) / 31;
                matrix->columns[at] = (int32_t)column;
                if (type == SPG_F32)
                    ((float *)matrix->values)[at] = (float)value;
                else
                    ((double *)matrix->values)[at] = value;
            }
            ++at;
        }
    return at - begin;
}

void generate_blocks(const char *name, spg_type type, int unknowns, spg_csr *matrix)
{
    spg_csr nodes;
    generate(name, type, &nodes);
    const int64_t rows = nodes.rows * unknowns;
    int64_t count = 0;
    for (int64_t row = 0; row < rows; ++row) count += put_row(&nodes, unknowns, row, type, NULL, 0);
    assert_int_equal(spg_csr_alloc(test_host(), rows, rows, count, SPG_I64, type, matrix), SPG_OK);
    int64_t *offsets = matrix->row_offsets;
    offsets[0] = 0;
    for (int64_t row = 0; row < rows; ++row)
        offsets[row + 1] = offsets[row] + put_row(&nodes, unknowns, row, type, matrix, offsets[row]);
    spg_csr_free(test_host(), &nodes);
}

double value_of(spg_type type, const void *values, int64_t k)
{
    return type == SPG_F32 ? (double)((const float *)values)[k] : ((const double *)values)[k];
}

void assert_values_agree(spg_type type, int64_t n, const void *a, const void *b, double tolerance, const char *where)
{
    double most = 0;
    for (int64_t k = 0; k < n; ++k) most = fmax(most, fabs(value_of(type, a, k)));
    for (int64_t k = 0; k < n; ++k)
        if (!(fabs(value_of(type, a, k) - value_of(type, b, k)) <= tolerance * most))
            fail_msg("%s: value %lld is %.17g on the host, %.17g on the device", where, (long long)k,
                     value_of(type, a, k), value_of(type, b, k));
}

double rounding(spg_type type) { return type == SPG_F32 ? 2e-5 : 2e-13; }
