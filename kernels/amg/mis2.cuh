/* What the phases of aggregation share inside their one kernel: a graph walked by groups of lanes, maximal independent
 * sets of distance 2, and numbering. Private; amg_backend.h defines what each gives. */
#ifndef SPG_KERNELS_AMG_MIS2_CUH
#define SPG_KERNELS_AMG_MIS2_CUH

#include "rows.cuh"

#include "amg_random.h"

#include <cooperative_groups.h>

namespace spg
{

namespace amg
{

constexpr uint64_t UNDECIDED = UINT64_C(1) << 62, IN = UINT64_C(2) << 62;

/* The rows of a graph, and what the kernel keeps of each node. */
struct aggregation {
    int64_t nodes;
    numbers_view offsets;
    const int32_t *columns;
    int lanes; /* of a group */
    uint64_t seed;
    uint64_t *keys;        /* as defined; of members of a set the state is `in` */
    uint64_t *ring;        /* the largest key around a node; between sets, what a node has chosen */
    int32_t *aggregate_of; /* -1: in none so far */
    unsigned int *open;    /* three counts of undecided nodes, by rounds; zero at first */
    int32_t *block_counts; /* of each block of the grid */
};

__device__ inline bool is_in(uint64_t key) { return key >= IN; }
__device__ inline bool is_undecided(uint64_t key) { return key >> 62 == 1; }

__device__ inline uint64_t key_of(uint64_t seed, int64_t node)
{
    uint64_t bits = spg_amg_random(seed, (uint64_t)node);
    return UNDECIDED | bits >> 33 << 31 | (uint64_t)node;
}

/* combine(first, value(entry), ...) over the entries of a node's row, in all lanes of its group. By all lanes of a warp
 * together; node -1: none. */
template <typename T, typename Value, typename Operator>
__device__ inline T combine_row(const aggregation &job, int64_t node, int lane, T first, Value value, Operator combine)
{
    int64_t end = node >= 0 ? job.offsets[node + 1] : 0;
    for (int64_t k = node >= 0 ? job.offsets[node] + lane : 0; k < end; k += job.lanes)
        first = combine(first, value(job.columns[k]));
    return combine_lanes(first, job.lanes, combine);
}

/* body(node) by one thread a node. */
template <typename Body> __device__ inline void for_each_node(const aggregation &job, Body body)
{
    int64_t step = (int64_t)gridDim.x * THREADS;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < job.nodes; i += step) body(i);
}

/* body(node or -1, lane) by groups of lanes for the nodes that `wanted` names; warps without any go on. */
template <typename Wanted, typename Body>
__device__ inline void for_each_wanted(const aggregation &job, Wanted wanted, Body body)
{
    for_each_row(job.nodes, job.lanes, [&](int64_t node, int lane) {
        bool is_wanted = node >= 0 && wanted(node);
        if (__any_sync(ALL_LANES, is_wanted)) body(is_wanted ? node : -1, lane);
    });
}

/* The largest of values[] of a node itself and of the nodes that its row names. */
__device__ inline uint64_t largest_around(const aggregation &job, int64_t node, int lane, const uint64_t *values)
{
    return combine_row(
        job, node, lane, node >= 0 ? values[node] : 0, [&](int32_t j) { return values[j]; }, maximum());
}

/* Rings of nodes whose ring is not settled. */
__device__ inline void find_rings(const aggregation &job)
{
    for_each_wanted(
        job, [&](int64_t i) { return is_undecided(job.ring[i]); },
        [&](int64_t i, int lane) {
            uint64_t largest = largest_around(job, i, lane, job.keys);
            if (i >= 0 && lane == 0) job.ring[i] = largest;
        });
}

/* How many nodes stay undecided, in each thread its own share. */
__device__ inline unsigned int decide(const aggregation &job)
{
    unsigned int left = 0;
    for_each_wanted(
        job, [&](int64_t i) { return is_undecided(job.keys[i]); },
        [&](int64_t i, int lane) {
            uint64_t largest = largest_around(job, i, lane, job.ring);
            if (i < 0 || lane != 0) return;
            uint64_t key = job.keys[i];
            if (largest == key)
                job.keys[i] = key + UNDECIDED; /* to IN */
            else if (is_in(largest))
                job.keys[i] = 0;
            else
                ++left;
        });
    return left;
}

/* Decides all candidates: keys are those of candidates, 0 of others; ring is UNDECIDED where a node may be passed
 * through, else 0. *round goes on from set to set: of the three counts, one is added to, one is read, and one zeroed.
 * By the whole grid. */
__device__ inline void find_independent_set(const aggregation &job, cooperative_groups::grid_group &grid, int *round)
{
    unsigned int *open;
    grid.sync();
    do {
        open = job.open + *round % 3;
        *round += 1;
        find_rings(job);
        if (blockIdx.x == 0 && threadIdx.x == 0) job.open[*round % 3] = 0;
        grid.sync();
        unsigned int left = __reduce_add_sync(ALL_LANES, decide(job));
        if (left > 0 && lane_in_warp() == 0) atomicAdd(open, left);
        grid.sync();
    } while (*(volatile unsigned int *)open != 0);
}

/* The sum over a block, in all threads. */
__device__ inline int64_t sum_block(int64_t value)
{
    __shared__ long long sums[THREADS / WARP];
    __shared__ long long sum;
    long long part = reduce((long long)value, plus());
    __syncthreads();
    if (lane_in_warp() == 0) sums[threadIdx.x / WARP] = part;
    __syncthreads();
    if (threadIdx.x == 0) {
        sum = 0;
        for (long long of_warp : sums) sum += of_warp;
    }
    __syncthreads();
    return sum;
}

/* Gives each node that `chosen` names, in ascending order, the next number from `first` on by give(node, number).
 * Returns the number after the last, in all threads. By the whole grid; blocks have neighbouring nodes. */
template <typename Chosen, typename Give>
__device__ inline int64_t number_nodes(const aggregation &job, cooperative_groups::grid_group &grid, int64_t first,
                                       Chosen chosen, Give give)
{
    __shared__ int counts[THREADS / WARP];
    int64_t share = (job.nodes + gridDim.x - 1) / gridDim.x, begin = blockIdx.x * share;
    int64_t end = begin + share < job.nodes ? begin + share : job.nodes, count = 0;
    for (int64_t i = begin + threadIdx.x; i < end; i += THREADS) count += chosen(i);
    count = sum_block(count);
    if (threadIdx.x == 0) job.block_counts[blockIdx.x] = (int32_t)count;
    grid.sync();
    int64_t before = 0, all = 0;
    for (unsigned int b = threadIdx.x; b < gridDim.x; b += THREADS) {
        int32_t of_block = *(volatile int32_t *)(job.block_counts + b);
        all += of_block;
        before += b < blockIdx.x ? of_block : 0;
    }
    before = sum_block(before);
    all = sum_block(all);
    int64_t number = first + before;
    for (int64_t tile = begin; tile < end; tile += THREADS) {
        int64_t i = tile + threadIdx.x;
        bool is_chosen = i < end && chosen(i);
        unsigned int others = __ballot_sync(ALL_LANES, is_chosen);
        __syncthreads();
        if (lane_in_warp() == 0) counts[threadIdx.x / WARP] = __popc(others);
        __syncthreads();
        int place = __popc(others & lanes_below()), tile_count = 0;
        for (int w = 0; w < THREADS / WARP; ++w) {
            place += w < (int)threadIdx.x / WARP ? counts[w] : 0;
            tile_count += counts[w];
        }
        if (is_chosen) give(i, number + place);
        number += tile_count;
    }
    return first + all;
}

} // namespace amg

} // namespace spg

#endif
