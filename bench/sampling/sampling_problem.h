/* Makes the weights that the options ask for, and the arrays of draws. */
#ifndef SPG_BENCH_SAMPLING_PROBLEM_H
#define SPG_BENCH_SAMPLING_PROBLEM_H

#include "sampler.h"

/* host: a context on the host, which may be the problem's own. On failure the message is in `context`. */
spg_status problem_make(spg_context *host, spg_context *context, const sampling_options *chosen,
                        sampling_problem *task);
void problem_drop(spg_context *host, sampling_problem *task);

static inline double weight_at(const spg_csr *weights, int64_t k)
{
    if (weights->value_type == SPG_F32) return (double)((const float *)weights->values)[k];
    return ((const double *)weights->values)[k];
}

static inline int64_t row_begin(const spg_csr *weights, int64_t row)
{
    if (weights->offset_type == SPG_I64) return ((const int64_t *)weights->row_offsets)[row];
    return ((const int32_t *)weights->row_offsets)[row];
}

#endif
