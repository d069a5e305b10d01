/* Vectors of doubles in floats, and back. */
#include "amg/units.h"
#include "host/work.h"
#include "host_amg.h"

typedef struct convert_job {
    double factor;
    const double *wide;
    float *narrowed;
    const float *narrow;
    double *widened;
} convert_job;

static void narrow(const void *data, spg_range range)
{
    const convert_job *job = data;
    for (int64_t i = range.begin; i < range.end; ++i) job->narrowed[i] = (float)(job->wide[i] * job->factor);
}

static void widen(const void *data, spg_range range)
{
    const convert_job *job = data;
    for (int64_t i = range.begin; i < range.end; ++i) job->widened[i] = (double)job->narrow[i] * job->factor;
}

spg_status spg_host_narrow(spg_context *context, int64_t n, spg_squares u, const double *x, float *y)
{
    const convert_job job = {.factor = 1 / spg_unit_of_squares(u, 0), .wide = x, .narrowed = y};
    spg_parallel(spg_host_threads(context, n), n, 0, narrow, &job);
    return SPG_OK;
}

spg_status spg_host_widen(spg_context *context, int64_t n, spg_squares u, spg_squares v, const float *x, double *y)
{
    const convert_job job = {
        .factor = spg_unit_of_squares(u, 0) / spg_unit_of_squares(v, 0), .narrow = x, .widened = y};
    spg_parallel(spg_host_threads(context, n), n, 0, widen, &job);
    return SPG_OK;
}
