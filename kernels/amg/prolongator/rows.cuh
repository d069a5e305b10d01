/* A row of the smoothed prolongator by a group of lanes. Each lane has one candidate and some of A's entries, and sums
 * in registers for some of the aggregates of P's row at a time; rows of P with more go over A's row again. Lanes with
 * the candidates of one entry are neighbours, so that they read A together; lanes of a candidate combine their sums in
 * a tree. Private. */
#ifndef SPG_KERNELS_AMG_PROLONGATOR_ROWS_CUH
#define SPG_KERNELS_AMG_PROLONGATOR_ROWS_CUH

#include "values.cuh"

namespace spg
{

namespace amg
{

enum { ROW_SUMS = 8, LONG_ROW = 1024 };

/* A lane's position: `lane` among those of its candidate, the first of which stores; `group`: the lanes of the row. */
struct lane_of_row {
    int candidate, lane;
    unsigned int group;

    __device__ lane_of_row(int candidates, int lanes)
    {
        const int width = candidates * lanes, index = lane_in_warp() % width;
        candidate = index % candidates;
        lane = index / candidates;
        group = (width < WARP ? (1u << width) - 1 : ALL_LANES) << lane_in_warp() / width * width;
    }
};

template <typename Value>
__device__ void sum_entries(const values_job<Value> &job, int64_t row, const lane_of_row &at,
                            const int32_t (&aggregates)[ROW_SUMS], Value (&sums)[ROW_SUMS])
{
    const int64_t begin = job.A.offsets[row];
    const int length = (int)(job.A.offsets[row + 1] - begin), lanes = job.lanes;
    const int32_t *columns = job.A.columns + begin;
    const Value *values = job.A.values + begin, *T = job.T + at.candidate;
    for (int k = at.lane; k < length; k += ENTRIES_IN_FLIGHT * lanes) {
        int32_t found[ENTRIES_IN_FLIGHT];
        Value products[ENTRIES_IN_FLIGHT];
#pragma unroll
        for (int u = 0; u < ENTRIES_IN_FLIGHT; ++u) {
            bool reads = k + u * lanes < length;
            found[u] = reads ? columns[k + u * lanes] : -1;
            products[u] = reads ? values[k + u * lanes] : (Value)0;
        }
#pragma unroll
        for (int u = 0; u < ENTRIES_IN_FLIGHT; ++u) {
            products[u] *= found[u] >= 0 ? T[(int64_t)found[u] * job.candidates] : (Value)0;
            found[u] = found[u] >= 0 ? job.aggregates[found[u]] : -1;
        }
#pragma unroll
        for (int u = 0; u < ENTRIES_IN_FLIGHT; ++u)
#pragma unroll
            for (int t = 0; t < ROW_SUMS; ++t)
                if (found[u] >= 0 && found[u] == aggregates[t]) sums[t] += products[u];
    }
}

/* All lanes of the row call it. If the prolongator is smoothed, the row has at most LONG_ROW entries. */
template <typename Value>
__device__ void fill_row(const values_job<Value> &job, double scale, int64_t row, const lane_of_row &at)
{
    const int k = job.candidates;
    const int64_t first = job.offsets[row];
    const int count = (int)(job.offsets[row + 1] - first);
    const int32_t *columns = job.columns + first;
    for (int p = at.candidate; p < count; p += ROW_SUMS * k) {
        int32_t aggregates[ROW_SUMS];
        Value sums[ROW_SUMS] = {};
#pragma unroll
        for (int t = 0; t < ROW_SUMS; ++t)
            aggregates[t] = p + t * k < count ? job.by_candidates.quotient(columns[p + t * k]) : -1;
        if (scale != 0) sum_entries(job, row, at, aggregates, sums);
        for (int step = job.lanes / 2; step > 0; step /= 2)
#pragma unroll
            for (int t = 0; t < ROW_SUMS; ++t) sums[t] += __shfl_down_sync(at.group, sums[t], step * k);
        if (at.lane != 0) continue;
        const int32_t own = job.aggregates[row];
        const Value of_row = job.T[row * k + at.candidate];
        const Value factor = (Value)(scale * (double)job.inverse[row]);
        Value *values = job.values + first + p;
#pragma unroll
        for (int t = 0; t < ROW_SUMS; ++t) {
            if (aggregates[t] < 0) continue;
            Value value = aggregates[t] == own ? of_row : (Value)0;
            values[t * k] = scale != 0 ? value - factor * sums[t] : value;
        }
    }
}

} // namespace amg

} // namespace spg

#endif
