/* Blocks of doubles in floats, and back. */
#include "amg/units.h"
#include "host/work.h"
#include "host_many.h"

typedef struct convert_job {
    int width;
    double factors[SPG_AMG_MOST_WIDTH];
    const double *wide;
    float *narrowed;
    const float *narrow;
    double *widened;
} convert_job;

static void narrow(const void *data, spg_range rows)
{
    const convert_job *job = data;
    for (int64_t i = rows.begin * job->width; i < rows.end * job->width; i += job->width)
        for (int j = 0; j < job->width; ++j) job->narrowed[i + j] = (float)(job->wide[i + j] * job->factors[j]);
}

static void widen(const void *data, spg_range rows)
{
    const convert_job *job = data;
    for (int64_t i = rows.begin * job->width; i < rows.end * job->width; i += job->width)
        for (int j = 0; j < job->width; ++j) job->widened[i + j] = (double)job->narrow[i + j] * job->factors[j];
}

spg_status spg_host_many_narrow(spg_context *context, int64_t n, int width, spg_squares u, const double *x, float *y)
{
    convert_job job = {.width = width, .wide = x, .narrowed = y};
    for (int j = 0; j < width; ++j) job.factors[j] = 1 / spg_unit_of_squares(u, j);
    spg_parallel(spg_host_threads(context, n * width), n, 0, narrow, &job);
    return SPG_OK;
}

spg_status spg_host_many_widen(spg_context *context, const spg_amg_shape *shape, spg_squares u, spg_squares v,
                               const float *x, double *y)
{
    convert_job job = {.width = shape->width, .narrow = x, .widened = y};
    for (int j = 0; j < shape->width; ++j) job.factors[j] = spg_unit_of_squares(u, j) / spg_unit_of_squares(v, 0);
    spg_parallel(spg_host_threads(context, shape->n * shape->width), shape->n, 0, widen, &job);
    return SPG_OK;
}
