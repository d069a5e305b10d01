/* Maximal independent sets of distance 2, inside the kernel of aggregation. Private; amg/amg_backend.h defines them. */
#ifndef SPG_KERNELS_AMG_AGGREGATION_INDEPENDENT_SET_CUH
#define SPG_KERNELS_AMG_AGGREGATION_INDEPENDENT_SET_CUH

#include "mis2.cuh"

namespace spg
{

namespace amg
{

/* The largest of values[] over a node and the nodes that its row names. */
__device__ inline uint64_t largest_around(const aggregation &job, int64_t node, row_range row, int lane,
                                          const uint64_t *values)
{
    uint64_t own = node >= 0 ? values[node] : 0;
    uint64_t largest = combine_range(
        job, row, lane, UINT64_C(0), [&](int32_t j) { return values[j]; }, maximum());
    return maximum()(largest, own);
}

/* Finds the maxima of the nodes whose maximum may still change. */
__device__ inline void find_rings(const aggregation &job, list_counts &counts, int turn)
{
    int32_t *next = own_part(job, job.path, 1 - turn);
    for_each_listed(job, own_part(job, job.path, turn), counts.path[turn], [&](int64_t i, row_range row, int lane) {
        uint64_t largest = largest_around(job, i, row, lane, job.keys);
        bool writes = i >= 0 && lane == 0;
        if (writes) job.neighbor_max[i] = largest;
        append_nodes(next, &counts.path[1 - turn], i, writes && is_undecided(largest));
    });
}

__device__ inline void decide(const aggregation &job, list_counts &counts, int turn)
{
    int32_t *next = own_part(job, job.undecided, 1 - turn);
    for_each_listed(job, own_part(job, job.undecided, turn), counts.undecided[turn],
                    [&](int64_t i, row_range row, int lane) {
                        uint64_t largest = largest_around(job, i, row, lane, job.neighbor_max);
                        bool decides = i >= 0 && lane == 0, is_member = decides && largest == job.keys[i];
                        if (is_member)
                            job.keys[i] += UNDECIDED; /* sets the state to IN */
                        else if (decides && is_in(largest))
                            job.keys[i] = 0;
                        append_nodes(next, &counts.undecided[1 - turn], i, decides && !is_member && !is_in(largest));
                    });
}

/* Adds up how many nodes the blocks leave undecided; true if none. *round continues from set to set: of the three
 * counts, one is added to, one is read, and one is zeroed. The whole grid calls it. */
__device__ inline bool is_over(const aggregation &job, int left_here, int *round)
{
    unsigned int *left = job.left + *round % 3;
    *round += 1;
    if (threadIdx.x == 0) {
        if (left_here > 0) atomicAdd(left, (unsigned int)left_here);
        if (blockIdx.x == 0) job.left[*round % 3] = 0;
    }
    meet(job);
    return *(volatile unsigned int *)left == 0;
}

/* Round by round, as defined; works for any graph. */
__device__ inline void find_set_in_rounds(const aggregation &job, list_counts &counts, int *round)
{
    bool over = false;
    meet(job);
    for (int turn = 0; !over; turn = 1 - turn) {
        find_rings(job, counts, turn);
        meet(job);
        decide(job, counts, turn);
        __syncthreads();
        over = is_over(job, counts.undecided[1 - turn], round);
        if (threadIdx.x == 0) counts.path[turn] = counts.undecided[turn] = 0;
        __syncthreads();
    }
}

/* For a symmetric graph, any order of the same decisions gives the same set, that of the greedy choice: a node is in if
 * no undecided node within two steps has a larger key, and out if one within two steps is in. So rows are not visited
 * in every round, but only after an event. A node's maximum is searched again when the node that it came from is out.
 * If a maximum comes from a node that is in, its node puts its neighbours out and is done. Only a node with the largest
 * key of its own neighbourhood asks its neighbours for their maxima. */

/* Renews maxima that came from nodes that are out; `all`: all maxima, at the start. */
__device__ inline void renew_rings(const aggregation &job, list_counts &counts, int turn, bool all)
{
    const int32_t *path = own_part(job, job.path, turn);
    int32_t *work = own_part(job, job.path, 1 - turn);
    clear_work(counts);
    for_each_alone(path, all ? 0 : counts.path[turn], [&](int64_t i) {
        append_nodes(work, &counts.work, i, i >= 0 && job.keys[node_of(job.neighbor_max[i])] == 0);
    });
    __syncthreads();
    for_each_listed(job, all ? path : work, all ? counts.path[turn] : counts.work,
                    [&](int64_t i, row_range row, int lane) {
                        uint64_t largest = largest_around(job, i, row, lane, job.keys);
                        if (i >= 0 && lane == 0) job.neighbor_max[i] = largest;
                    });
}

/* Undecided nodes with the largest key of all maxima around them are in. Returns how many are left undecided. */
__device__ inline int decide_largest(const aggregation &job, list_counts &counts, int turn)
{
    __shared__ int members;
    int32_t *next = own_part(job, job.undecided, 1 - turn), *work = own_part(job, job.path, 1 - turn);
    if (threadIdx.x == 0) members = 0;
    clear_work(counts);
    for_each_alone(own_part(job, job.undecided, turn), counts.undecided[turn], [&](int64_t i) {
        uint64_t key = i >= 0 ? job.keys[i] : 0;
        append_nodes(next, &counts.undecided[1 - turn], i, is_undecided(key));
        append_nodes(work, &counts.work, i, is_undecided(key) && job.neighbor_max[i] == key);
    });
    __syncthreads();
    for_each_listed(job, work, counts.work, [&](int64_t i, row_range row, int lane) {
        uint64_t largest = largest_around(job, i, row, lane, job.neighbor_max);
        if (i < 0 || lane != 0 || largest != job.keys[i]) return;
        job.keys[i] = largest + UNDECIDED; /* sets the state to IN */
        atomicAdd(&members, 1);
    });
    __syncthreads();
    return counts.undecided[1 - turn] - members;
}

/* Nodes next to a node that is in put their neighbours out. These, and nodes with all neighbours out, leave the path
 * list. */
__device__ inline void put_neighbours_out(const aggregation &job, list_counts &counts, int turn)
{
    int32_t *next = own_part(job, job.path, 1 - turn), *work = own_part(job, job.undecided, turn);
    clear_work(counts);
    for_each_alone(own_part(job, job.path, turn), counts.path[turn], [&](int64_t i) {
        uint64_t neighbor_max = i >= 0 ? job.neighbor_max[i] : 0;
        bool is_next_to_one = neighbor_max != 0 && is_in(job.keys[node_of(neighbor_max)]);
        append_nodes(next, &counts.path[1 - turn], i, neighbor_max != 0 && !is_next_to_one);
        append_nodes(work, &counts.work, i, is_next_to_one);
    });
    __syncthreads();
    for_each_listed(job, work, counts.work, [&](int64_t i, row_range row, int lane) {
        int64_t member = i >= 0 ? node_of(job.neighbor_max[i]) : -1;
        if (i >= 0 && lane == 0 && i != member) job.keys[i] = 0;
        for (int64_t k = row.begin + lane; k < row.end; k += job.lanes) {
            int32_t j = job.columns[k];
            if (j != member && job.keys[j] != 0) job.keys[j] = 0;
        }
    });
}

__device__ inline void find_greedy_set(const aggregation &job, list_counts &counts, int *round)
{
    meet(job);
    for (int turn = 0, first = 1;; turn = 1 - turn, first = 0) {
        renew_rings(job, counts, turn, first);
        meet(job);
        if (is_over(job, decide_largest(job, counts, turn), round)) return;
        put_neighbours_out(job, counts, turn);
        __syncthreads();
        if (threadIdx.x == 0) counts.path[turn] = counts.undecided[turn] = 0;
        meet(job);
    }
}

/* Decides all enlisted candidates. The whole grid calls it. */
__device__ inline void find_independent_set(const aggregation &job, list_counts &counts, int *round)
{
    if (is_symmetric(job))
        find_greedy_set(job, counts, round);
    else
        find_set_in_rounds(job, counts, round);
}

} // namespace amg

} // namespace spg

#endif
