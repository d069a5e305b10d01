/* Aggregation around maximal independent sets of distance 2 (Bell, Dalton, Olson: Exposing Fine-Grained Parallelism in
 * Algebraic Multigrid Methods, section 4), integer for integer as amg/amg_backend.h defines them.
 *
 * In: a graph. Out: the aggregate of each node, and the number of aggregates. All rounds and phases are one kernel with
 * barriers in between, so that small graphs cost one launch and one wait. A phase of a small graph takes less than a
 * barrier of a grid, so one block does it: the results are the same. */
#include "../../primitives/meeting.cuh"
#include "../counts.cuh"
#include "independent_set.cuh"

#include <algorithm>

namespace spg
{

namespace amg
{

namespace
{

enum { ENTRIES_WEIGHED = 64 };

/* The largest graph for one block, by the blocks that would give each row a group of lanes (amg_bench fd2d5:30 ...
 * fd2d5:200, H100: aggregates of all levels of fd2d5:30 take .09 ms, .14 by grids; at 32 a block takes longer than a
 * grid). A cluster of blocks gains nothing over a grid here. */
enum { MOST_OF_BLOCK = 8 };

__device__ inline bool is_root(const aggregation &job, int64_t node) { return is_in(job.keys[node]); }

__device__ inline bool is_free(const aggregation &job, int64_t node) { return job.aggregate_of[node] == FREE; }

__device__ inline bool is_member(const aggregation &job, int64_t node) { return job.aggregate_of[node] >= 0; }

/* The largest number of a root of the last set that a row names; -1 if there is none. */
__device__ inline int32_t largest_root(const aggregation &job, row_range row, int lane)
{
    return combine_range(
        job, row, lane, -1, [&](int32_t j) { return is_root(job, j) ? job.aggregate_of[j] : -1; }, maximum());
}

/* Free nodes that are not roots join the largest root next to them. In a symmetric graph there is only one, the source
 * of its neighbourhood. */
__device__ inline void join_roots(const aggregation &job, list_counts &counts)
{
    auto may_join = [&](int64_t i) { return is_free(job, i) && !is_root(job, i); };
    if (is_symmetric(job)) {
        for_each_owned(job, [&](int64_t i) {
            uint64_t neighbor_max = may_join(i) ? job.neighbor_max[i] : 0;
            if (neighbor_max != 0 && is_root(job, node_of(neighbor_max)))
                job.aggregate_of[i] = job.aggregate_of[node_of(neighbor_max)];
        });
        return;
    }
    for_each_wanted(job, counts, may_join, [&](int64_t i, row_range row, int lane) {
        int32_t root = largest_root(job, row, lane);
        if (i >= 0 && lane == 0 && root >= 0) job.aggregate_of[i] = root;
    });
}

__device__ inline int64_t number_roots(const aggregation &job, int64_t first)
{
    return number_nodes(
        job, first, [&](int64_t i) { return is_root(job, i); },
        [&](int64_t i, int64_t number) { job.aggregate_of[i] = (int32_t)number; });
}

/* Any node that is not isolated may be passed through. Candidates: all of these, or those whose row names another
 * node. */
__device__ inline void begin_first_set(const aggregation &job, list_counts &counts, bool alone_too)
{
    clear_lists(counts);
    for_each_owned(job, [&](int64_t i) {
        const bool is_isolated = job.isolated != nullptr && job.isolated[i] != 0;
        job.aggregate_of[i] = is_isolated ? (int32_t)SPG_AMG_NO_AGGREGATE : FREE;
        if (is_isolated) job.keys[i] = job.neighbor_max[i] = 0;
    });
    __syncthreads();
    for_each_wanted(
        job, counts, [&](int64_t i) { return is_free(job, i); },
        [&](int64_t i, row_range row, int lane) {
            int has_neighbor = 1;
            if (!alone_too)
                has_neighbor = combine_range(
                    job, row, lane, 0, [&](int32_t j) { return (int)(j != i); }, maximum());
            enlist(job, counts, i, lane, has_neighbor != 0, true);
        });
}

/* Free nodes may be passed through; candidates are those with two entries in other free nodes. */
__device__ inline void begin_second_set(const aggregation &job, list_counts &counts)
{
    clear_lists(counts);
    for_each_owned(job, [&](int64_t i) { job.keys[i] = job.neighbor_max[i] = 0; });
    for_each_wanted(
        job, counts, [&](int64_t i) { return is_free(job, i); },
        [&](int64_t i, row_range row, int lane) {
            int others = combine_range(
                job, row, lane, 0, [&](int32_t j) { return (int)(j != i && is_free(job, j)); }, plus());
            enlist(job, counts, i, lane, others >= 2, true);
        });
}

/* The weight of entry k of a row for its node's aggregate. The largest weight belongs to the aggregate with the largest
 * count, the lowest-numbered of several; 0: the row has none. */
__device__ inline uint64_t weigh(const aggregation &job, int64_t begin, int64_t end, int64_t k)
{
    int32_t aggregate = job.aggregate_of[job.columns[k]];
    if (aggregate < 0) return 0;
    uint64_t weight = 0;
    for (int64_t other = begin; other < end; ++other) weight += job.aggregate_of[job.columns[other]] == aggregate;
    return weight << 32 | (uint32_t)(INT32_MAX - aggregate);
}

/* The aggregate with the most of the row's first 64 entries whose nodes have one; -1 if none has. */
__device__ inline int32_t strongest(const aggregation &job, row_range row, int lane)
{
    int64_t last = row.begin;
    for (int counted = 0; last < row.end && counted < ENTRIES_WEIGHED; ++last)
        counted += job.aggregate_of[job.columns[last]] >= 0;
    uint64_t best = 0;
    for (int64_t k = row.begin + lane; k < last; k += job.lanes) {
        uint64_t candidate = weigh(job, row.begin, last, k);
        best = candidate > best ? candidate : best;
    }
    best = combine_lanes(best, job.lanes, maximum());
    return best == 0 ? -1 : INT32_MAX - (int32_t)(best & UINT32_MAX);
}

/* Choices of free nodes are stored separately first, so that none sees another's choice: choice + 1, in neighbor_max.
 */
template <typename Choose>
__device__ inline void note_choices(const aggregation &job, list_counts &counts, Choose choose)
{
    for_each_wanted(
        job, counts, [&](int64_t i) { return is_free(job, i); },
        [&](int64_t i, row_range row, int lane) {
            int32_t choice = choose(row, lane);
            if (i >= 0 && lane == 0) job.neighbor_max[i] = (uint64_t)(choice + 1);
        });
}

__device__ inline void follow_choices(const aggregation &job)
{
    for_each_owned(job, [&](int64_t i) {
        if (is_free(job, i))
            job.aggregate_of[i] = job.neighbor_max[i] != 0 ? (int32_t)job.neighbor_max[i] - 1 : SPG_AMG_NO_AGGREGATE;
    });
}

/* Renumbers aggregates by their first nodes, so that neighbours have close numbers, whichever set their roots come
 * from. */
__device__ inline void number_by_first_nodes(const aggregation &job, int64_t aggregates)
{
    int32_t *const first = job.path, *const new_of = job.undecided; /* formerly lists of nodes */
    const int64_t step = (int64_t)gridDim.x * MEETING_THREADS;
    for (int64_t a = (int64_t)blockIdx.x * MEETING_THREADS + threadIdx.x; a < aggregates; a += step)
        first[a] = INT32_MAX;
    meet(job);
    for_each_owned(job, [&](int64_t i) {
        if (is_member(job, i)) atomicMin(first + job.aggregate_of[i], (int32_t)i);
    });
    meet(job);
    number_nodes(
        job, 0, [&](int64_t i) { return is_member(job, i) && first[job.aggregate_of[i]] == (int32_t)i; },
        [&](int64_t i, int64_t number) { new_of[job.aggregate_of[i]] = (int32_t)number; });
    meet(job);
    for_each_owned(job, [&](int64_t i) {
        if (is_member(job, i)) job.aggregate_of[i] = new_of[job.aggregate_of[i]];
    });
}

/* Adds up the nodes in no aggregate. *left_out is zero before; each thread counts nodes that it decided itself. */
__device__ inline void count_left_out(const aggregation &job, unsigned int *left_out)
{
    int64_t count = 0;
    for_each_owned(job, [&](int64_t i) { count += !is_member(job, i); });
    count = sum_block(count);
    if (threadIdx.x == 0 && count > 0) atomicAdd(left_out, (unsigned int)count);
}

__device__ inline int64_t aggregate_by_rings(const aggregation &job, list_counts &counts)
{
    int round = 0;
    begin_first_set(job, counts, false);
    find_independent_set(job, counts, &round);
    int64_t aggregates = number_roots(job, 0);
    meet(job);
    join_roots(job, counts);
    meet(job);
    note_choices(job, counts, [&](row_range row, int lane) {
        return combine_range(
            job, row, lane, -1, [&](int32_t j) { return job.aggregate_of[j]; }, maximum());
    });
    meet(job);
    follow_choices(job);
    return aggregates;
}

__device__ inline int64_t aggregate_in_phases(const aggregation &job, list_counts &counts)
{
    int round = 0;
    begin_first_set(job, counts, true);
    find_independent_set(job, counts, &round);
    int64_t aggregates = number_roots(job, 0);
    meet(job);
    join_roots(job, counts);
    meet(job);
    begin_second_set(job, counts);
    find_independent_set(job, counts, &round);
    aggregates = number_roots(job, aggregates);
    meet(job);
    join_roots(job, counts);
    meet(job);
    note_choices(job, counts, [&](row_range row, int lane) { return strongest(job, row, lane); });
    meet(job);
    aggregates = number_nodes(
        job, aggregates, [&](int64_t i) { return is_free(job, i) && job.neighbor_max[i] == 0; },
        [&](int64_t i, int64_t number) { job.neighbor_max[i] = (uint64_t)(number + 1); });
    meet(job);
    follow_choices(job);
    number_by_first_nodes(job, aggregates);
    return aggregates;
}

/* The number of aggregates is sent as `nnz`, that of the nodes in none as `long_rows`. */
__global__ __launch_bounds__(MEETING_THREADS) void aggregate(aggregation job, bool join_leftovers, count_post post)
{
    __shared__ list_counts counts;
    const bool is_first = blockIdx.x == 0 && threadIdx.x == 0;
    if (is_first) *job.left = post.counters->long_rows = 0; /* a barrier follows before they are added to */
    int64_t aggregates = join_leftovers ? aggregate_in_phases(job, counts) : aggregate_by_rings(job, counts);
    count_left_out(job, &post.counters->long_rows);
    meet(job);
    if (!is_first) return;
    post.counters->nnz = (unsigned long long)aggregates;
    tell_counts(post);
}

/* Blocks for a graph, and how they meet: of a grid, as many as can be resident, or fewer for few nodes. */
spg_status choose_blocks(spg_context *context, aggregation *job, unsigned int *blocks)
{
    const unsigned int wanted = blocks_for_groups(context, job->nodes, job->lanes, MEETING_THREADS);
    *blocks = 1;
    job->kind = meeting::of_block;
    if (wanted <= MOST_OF_BLOCK) return SPG_OK;
    int most = 0;
    cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&most, aggregate, MEETING_THREADS, 0);
    *blocks = std::min(wanted, (unsigned int)(most * spg_cuda_of(context)->multiprocessors));
    job->kind = meeting::of_grid;
    return spg_cuda_check(context, error, "aggregation");
}

spg_status aggregate_graph(spg_context *context, const spg_amg_graph &graph, uint64_t seed, bool join_leftovers,
                           int32_t *aggregate_of, int64_t *aggregates, int64_t *left_out)
{
    const char *what = "aggregation";
    workspace work(context);
    aggregation job = {};
    job.nodes = graph.nodes;
    job.offsets = {graph.row_offsets, graph.offset_type == SPG_I64};
    job.columns = graph.columns;
    job.symmetric = graph.symmetric;
    job.isolated = graph.isolated;
    job.lanes = lanes_for(graph.nodes, graph.nnz, ENTRIES_IN_FLIGHT);
    job.seed = seed;
    job.aggregate_of = aggregate_of;
    unsigned int blocks = 0;
    spg_counters counts;
    spg_status status = choose_blocks(context, &job, &blocks);
    if (status == SPG_OK) status = work.take(2 * graph.nodes, what, &job.keys);
    if (status == SPG_OK) status = work.take(4 * graph.nodes + blocks + 3, what, &job.path);
    if (status != SPG_OK) return status;
    job.neighbor_max = job.keys + graph.nodes;
    job.undecided = job.path + 2 * graph.nodes;
    job.block_counts = job.undecided + 2 * graph.nodes;
    job.left = reinterpret_cast<unsigned int *>(job.block_counts + blocks);
    const count_post post = new_post(context);
    status = launch_meeting(context, job.kind, what, blocks, MEETING_THREADS, aggregate, job, join_leftovers, post);
    if (status == SPG_OK) status = spg_cuda_wait_for_counters(context, post.number, &counts);
    if (status != SPG_OK) return status;
    *aggregates = (int64_t)counts.nnz;
    *left_out = (int64_t)counts.long_rows;
    return SPG_OK;
}

} // namespace

} // namespace amg

} // namespace spg

spg_status spg_cuda_aggregate_mis2(spg_context *context, const spg_amg_graph *graph, uint64_t seed, bool join_leftovers,
                                   int32_t *aggregate_of, int64_t *aggregates, int64_t *left_out)
{
    *aggregates = *left_out = 0;
    if (graph->nodes == 0) return SPG_OK;
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::aggregate_graph(context, *graph, seed, join_leftovers, aggregate_of, aggregates, left_out);
    spg_cuda_leave(context);
    return status;
}
