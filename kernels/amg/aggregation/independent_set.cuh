/* Maximal independent sets of distance 2, inside the kernel of aggregation. Private; amg/amg_backend.h defines them. */
#ifndef SPG_KERNELS_AMG_AGGREGATION_INDEPENDENT_SET_CUH
#define SPG_KERNELS_AMG_AGGREGATION_INDEPENDENT_SET_CUH

#include "mis2.cuh"

namespace spg
{

namespace amg
{

/* Undecided nodes that one block decides sooner than all blocks (amg_bench fd2d5, H100). */
enum { MOST_LEFT_TO_FIRST = 512 };

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

/* The sum of the nodes that the blocks leave undecided. *round continues from set to set: of the three counts, one is
 * added to, one is read, and one is zeroed. The whole grid calls it. */
__device__ inline unsigned int add_left(const aggregation &job, int left_here, int *round)
{
    unsigned int *left = job.left + *round % 3;
    *round += 1;
    if (threadIdx.x == 0) {
        if (left_here > 0) atomicAdd(left, (unsigned int)left_here);
        if (blockIdx.x == 0) job.left[*round % 3] = 0;
    }
    meet(job.kind);
    return *(volatile unsigned int *)left;
}

/* Round by round, as defined; works for any graph. */
__device__ inline void find_set_in_rounds(const aggregation &job, list_counts &counts, int *round)
{
    bool over = false;
    meet(job.kind);
    for (int turn = 0; !over; turn = 1 - turn) {
        find_rings(job, counts, turn);
        meet(job.kind);
        decide(job, counts, turn);
        __syncthreads();
        over = add_left(job, counts.undecided[1 - turn], round) == 0;
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

/* Appends the lists of all blocks to those of the first block, of the other turn. The whole grid calls it; then other
 * blocks no longer use their parts of any list. */
__device__ inline void give_lists_to_first(const aggregation &job, list_counts &counts, int turn)
{
    __shared__ int path_at, undecided_at;
    const int path_count = counts.path[turn], undecided_count = counts.undecided[turn];
    if (threadIdx.x == 0) {
        path_at = atomicAdd(job.given, path_count);
        undecided_at = atomicAdd(job.given + 1, undecided_count);
    }
    __syncthreads();
    const int32_t *path = own_part(job, job.path, turn), *undecided = own_part(job, job.undecided, turn);
    const int64_t other = (1 - turn) * job.nodes;
    for (int k = (int)threadIdx.x; k < path_count; k += MEETING_THREADS) job.path[other + path_at + k] = path[k];
    for (int k = (int)threadIdx.x; k < undecided_count; k += MEETING_THREADS)
        job.undecided[other + undecided_at + k] = undecided[k];
    meet(job.kind);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        counts = {};
        counts.path[1 - turn] = *(volatile int *)job.given;
        counts.undecided[1 - turn] = *(volatile int *)(job.given + 1);
        job.given[0] = job.given[1] = 0;
    }
    __syncthreads();
}

/* When few nodes are left, the first block decides them while the others wait: barriers of a block take less. */
__device__ inline void find_greedy_set(const aggregation &job, list_counts &counts, int *round)
{
    meeting kind = job.kind;
    meet(kind);
    for (int turn = 0, first = 1;; turn = 1 - turn, first = 0) {
        renew_rings(job, counts, turn, first);
        meet(kind);
        auto left = (unsigned int)decide_largest(job, counts, turn);
        if (kind != meeting::of_block) left = add_left(job, (int)left, round);
        if (left == 0) break;
        put_neighbours_out(job, counts, turn);
        __syncthreads();
        if (threadIdx.x == 0) counts.path[turn] = counts.undecided[turn] = 0;
        meet(kind);
        if (kind == meeting::of_block || left > MOST_LEFT_TO_FIRST) continue;
        turn = 1 - turn;
        give_lists_to_first(job, counts, turn);
        if (blockIdx.x != 0) break;
        kind = meeting::of_block;
    }
    meet(job.kind);
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
