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
