/* Shared by the phases of aggregation inside their one kernel: a graph visited by groups of lanes, lists of nodes, and
 * numbering. Private; amg/amg_backend.h defines the results.
 *
 * Each block of the grid owns an equal range of consecutive nodes. */
#ifndef SPG_KERNELS_AMG_AGGREGATION_MIS2_CUH
#define SPG_KERNELS_AMG_AGGREGATION_MIS2_CUH

#include "../../primitives/meeting.cuh"
#include "../rows.cuh"

#include "amg/random.h"

namespace spg
{

namespace amg
{

constexpr uint64_t UNDECIDED = UINT64_C(1) << 62, IN = UINT64_C(2) << 62;

constexpr int32_t FREE = SPG_AMG_NO_AGGREGATE - 1; /* may still join an aggregate */

/* The rows of a graph, and the kernel's data of each node. */
struct aggregation {
    int64_t nodes;
    numbers_view offsets;
    const int32_t *columns;
    const int32_t *symmetric; /* 1: if i's row names j, then j's row names i; NULL: not known */
    const uint8_t *isolated;  /* not 0: in no aggregate; NULL: no node is */
    int lanes;                /* of a group */
    meeting kind;             /* how the blocks wait for each other */
    uint64_t seed;
    uint64_t *keys;         /* as defined; for members of a set the state is `in` */
    uint64_t *neighbor_max; /* the largest key around a node when it was searched; between sets, the node's choice */
    int32_t *aggregate_of;  /* or FREE; isolated nodes are marked as in none */
    int32_t *path;          /* two lists of nodes whose maximum is not settled, for this round and the next */
    int32_t *undecided;     /* two lists of undecided nodes, likewise */
    unsigned int *left;     /* three counts of undecided nodes, used in rotation; the first is zero at first */
    int32_t *block_counts;  /* of each block of the grid */
};

/* The lengths of a block's lists. The lists of turn 1 follow those of turn 0; each block has its own part. `work`:
 * length of a list of nodes for groups of lanes, stored in a list that is not in use. */
struct list_counts {
    int path[2], undecided[2], work;
};

/* All threads of the grid wait for each other. */
__device__ inline void meet(const aggregation &job) { meet(job.kind); }

__device__ inline bool is_symmetric(const aggregation &job) { return job.symmetric != nullptr && *job.symmetric == 1; }

__device__ inline bool is_in(uint64_t key) { return key >= IN; }
__device__ inline bool is_undecided(uint64_t key) { return key >> 62 == 1; }

__device__ inline int64_t node_of(uint64_t key) { return (int64_t)(key & INT32_MAX); }

__device__ inline uint64_t key_of(uint64_t seed, int64_t node)
{
    uint64_t bits = spg_amg_random(seed, (uint64_t)node);
    return UNDECIDED | bits >> 33 << 31 | (uint64_t)node;
}

__device__ inline int64_t first_owned(const aggregation &job, unsigned int block)
{
    int64_t first = (job.nodes + gridDim.x - 1) / gridDim.x * block;
    return first < job.nodes ? first : job.nodes;
}

/* Where a row begins and ends; empty for node -1. */
struct row_range {
    int64_t begin, end;
};

__device__ inline row_range range_of(numbers_view offsets, int64_t node)
{
    return {node >= 0 ? offsets[node] : 0, node >= 0 ? offsets[node + 1] : 0};
}

/* Combines the values of a row's entries, in all lanes of its group. All lanes of a warp call it together. */
template <typename T, typename Value, typename Operator>
__device__ inline T combine_range(const aggregation &job, row_range row, int lane, T neutral, Value value,
                                  Operator combine)
{
    T all = neutral;
    for (int64_t k = row.begin + lane; k < row.end; k += ENTRIES_IN_FLIGHT * job.lanes) {
        int32_t columns[ENTRIES_IN_FLIGHT];
        T values[ENTRIES_IN_FLIGHT];
#pragma unroll
        for (int u = 0; u < ENTRIES_IN_FLIGHT; ++u)
            columns[u] = k + u * job.lanes < row.end ? job.columns[k + u * job.lanes] : -1;
#pragma unroll
        for (int u = 0; u < ENTRIES_IN_FLIGHT; ++u) values[u] = columns[u] >= 0 ? value(columns[u]) : neutral;
#pragma unroll
        for (int u = 0; u < ENTRIES_IN_FLIGHT; ++u) all = combine(all, values[u]);
    }
    return combine_lanes(all, job.lanes, combine);
}

/* A block's part of one of two lists. */
__device__ inline int32_t *own_part(const aggregation &job, int32_t *lists, int turn)
{
    return lists + turn * job.nodes + first_owned(job, blockIdx.x);
}

/* Calls body(node, row, lane) for the nodes on a block's list. Loads run ahead: the node by two iterations, the ends of
 * its row by one. */
template <typename Body>
__device__ inline void for_each_listed(const aggregation &job, const int32_t *mine, int count, Body body)
{
    const int groups = MEETING_THREADS / job.lanes, group = (int)threadIdx.x / job.lanes;
    int32_t node = group < count ? mine[group] : -1, next = group + groups < count ? mine[group + groups] : -1;
    row_range row = range_of(job.offsets, node);
    for (int first = 0; first < count; first += groups) {
        int ahead = first + group + 2 * groups;
        int32_t after_next = ahead < count ? mine[ahead] : -1;
        row_range next_row = range_of(job.offsets, next);
        body((int64_t)node, row, (int)threadIdx.x % job.lanes);
        node = next, row = next_row, next = after_next;
    }
}

/* Appends the nodes of the lanes with `keeps` to a block's list. All lanes of a warp call it together. */
__device__ inline void append_nodes(int32_t *mine, int *count, int64_t node, bool keeps)
{
    unsigned int keepers = __ballot_sync(ALL_LANES, keeps);
    if (keepers == 0) return;
    int place = 0, first = __ffs((int)keepers) - 1;
    if (lane_in_warp() == first) place = atomicAdd(count, __popc(keepers));
    place = __shfl_sync(ALL_LANES, place, first) + __popc(keepers & lanes_below());
    if (keeps) mine[place] = (int32_t)node;
}

/* Calls body(node) for a block's nodes, a thread each. */
template <typename Body> __device__ inline void for_each_owned(const aggregation &job, Body body)
{
    int64_t end = first_owned(job, blockIdx.x + 1);
    for (int64_t i = first_owned(job, blockIdx.x) + threadIdx.x; i < end; i += MEETING_THREADS) body(i);
}

/* Calls body(node) for the nodes on a block's list, a thread each. The lanes of a warp stay together: those without a
 * node get -1. */
template <typename Body> __device__ inline void for_each_alone(const int32_t *mine, int count, Body body)
{
    int32_t next = (int)threadIdx.x < count ? mine[threadIdx.x] : -1;
    for (int first = 0; first < count; first += MEETING_THREADS) {
        int32_t node = next;
        int ahead = first + MEETING_THREADS + (int)threadIdx.x;
        next = ahead < count ? mine[ahead] : -1;
        body((int64_t)node);
    }
}

/* Call before a work list is filled, and after it has been read. */
__device__ inline void clear_work(list_counts &counts)
{
    __syncthreads();
    if (threadIdx.x == 0) counts.work = 0;
    __syncthreads();
}

/* Calls body(node, row, lane), by groups of lanes, for the block's nodes that `wanted` selects. Overwrites the second
 * list of undecided nodes. */
template <typename Wanted, typename Body>
__device__ inline void for_each_wanted(const aggregation &job, list_counts &counts, Wanted wanted, Body body)
{
    int32_t *work = own_part(job, job.undecided, 1);
    int64_t begin = first_owned(job, blockIdx.x), end = first_owned(job, blockIdx.x + 1);
    clear_work(counts);
    for (int64_t first = begin; first < end; first += MEETING_THREADS) {
        int64_t node = first + threadIdx.x;
        append_nodes(work, &counts.work, node, node < end && wanted(node));
    }
    __syncthreads();
    for_each_listed(job, work, counts.work, body);
}

/* Empties a block's lists for a new set. */
__device__ inline void clear_lists(list_counts &counts)
{
    __syncthreads();
    if (threadIdx.x == 0) counts = {};
    __syncthreads();
}

/* Sets the state of a node in a new set: its key if it is a candidate, and whether it may be passed through. All lanes
 * of a warp call it together, with the same arguments within a group. */
__device__ inline void enlist(const aggregation &job, list_counts &counts, int64_t node, int lane, bool is_candidate,
                              bool is_allowed)
{
    bool writes = node >= 0 && lane == 0;
    if (writes) {
        job.keys[node] = is_candidate ? key_of(job.seed, node) : 0;
        job.neighbor_max[node] = 0;
    }
    append_nodes(own_part(job, job.path, 0), &counts.path[0], node, writes && is_allowed);
    append_nodes(own_part(job, job.undecided, 0), &counts.undecided[0], node, writes && is_candidate);
}

/* The sum over a block, in all threads. */
__device__ inline int64_t sum_block(int64_t value)
{
    __shared__ long long sums[MEETING_THREADS / WARP];
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

/* The sums of the counts of the blocks before this one, and of all blocks, in all threads. The whole grid calls it. */
__device__ inline void scan_blocks(const aggregation &job, int64_t count, int64_t *before, int64_t *all)
{
    count = sum_block(count);
    if (threadIdx.x == 0) job.block_counts[blockIdx.x] = (int32_t)count;
    meet(job);
    *before = *all = 0;
    for (unsigned int b = threadIdx.x; b < gridDim.x; b += MEETING_THREADS) {
        int32_t of_block = *(volatile int32_t *)(job.block_counts + b);
        *all += of_block;
        *before += b < blockIdx.x ? of_block : 0;
    }
    *before = sum_block(*before);
    *all = sum_block(*all);
}

/* Numbers the nodes that `chosen` selects, in ascending order from `first` on, by give(node, number). Returns the
 * number after the last, in all threads. The whole grid calls it. */
template <typename Chosen, typename Give>
__device__ inline int64_t number_nodes(const aggregation &job, int64_t first, Chosen chosen, Give give)
{
    __shared__ int counts[MEETING_THREADS / WARP];
    int64_t begin = first_owned(job, blockIdx.x), end = first_owned(job, blockIdx.x + 1), count = 0, before, all;
    for (int64_t i = begin + threadIdx.x; i < end; i += MEETING_THREADS) count += chosen(i);
    scan_blocks(job, count, &before, &all);
    int64_t number = first + before;
    for (int64_t tile = begin; tile < end; tile += MEETING_THREADS) {
        int64_t i = tile + threadIdx.x;
        bool is_chosen = i < end && chosen(i);
        unsigned int others = __ballot_sync(ALL_LANES, is_chosen);
        __syncthreads();
        if (lane_in_warp() == 0) counts[threadIdx.x / WARP] = __popc(others);
        __syncthreads();
        int place = __popc(others & lanes_below()), tile_count = 0;
        for (int w = 0; w < MEETING_THREADS / WARP; ++w) {
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
