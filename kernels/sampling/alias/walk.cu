/* Random walks over the rows of an alias table (src/sampling/walk.h): a thread a walker, which goes all its steps. A
 * walk is bound by the latency of three reads that depend on each other, the row's offsets, a bucket and its column; as
 * many walkers as a device holds overlap them. */
#include "../sampling.cuh"
#include "sampling/walk.h"

namespace spg
{
namespace alias
{

namespace
{

enum { THREADS = 256, FIRST_START = 0, FIRST_ROW = 1 }; /* faults, in spg_report.first */

struct walk_job {
    spg_walk_call call;
    spg_walk_graph graph;
    uint64_t key;
    int64_t rows;
    bool empty_rows;
    unsigned long long *first_start;
};

/* The node that a walker starts at; SPG_NO_ITEM for one out of range, which is reported. */
__device__ int32_t start_of(const walk_job &job, int64_t walker)
{
    if (job.call.starts == nullptr) return (int32_t)walker;
    int32_t node = job.call.starts[walker];
    if (!is_row_number(node, job.rows, job.empty_rows)) report_first(job.first_start, walker);
    return node < job.rows ? max(node, (int32_t)SPG_NO_ITEM) : (int32_t)SPG_NO_ITEM;
}

template <bool SECOND> __global__ void __launch_bounds__(THREADS) walk_kernel(const __grid_constant__ walk_job job)
{
    const spg_walk_call &call = job.call;
    int64_t step = (int64_t)gridDim.x * THREADS;
    for (int64_t w = (int64_t)blockIdx.x * THREADS + threadIdx.x; w < call.walkers; w += step) {
        int32_t *walk = call.walks + w * (call.steps + 1);
        int32_t node = start_of(job, w), previous = SPG_NO_ITEM;
        spg_philox_block block = {};
        walk[0] = node;
        for (int64_t k = 0; k < call.steps; ++k) {
            uint64_t n = spg_walk_number(&call, w, k);
            int32_t next = SPG_NO_ITEM;
            if (SECOND && previous >= 0 && node >= 0) {
                next = spg_walk_second(&job.graph, &call.bias, job.key, n, previous, node);
            } else if (node >= 0) {
                if (k == 0 || n % 2 == 0) block = spg_philox(call.random.seed, n >> 1, call.random.stream);
                next = spg_walk_draw(&job.graph, node, spg_philox_half(&block, (int)(n % 2)));
            }
            previous = node;
            node = next;
            walk[k + 1] = node;
        }
    }
}

/* Reports rows whose columns do not ascend, a warp a row. */
spg_status check_order(spg_context *context, const spg_alias &alias)
{
    const int64_t *offsets = alias.offsets;
    const int32_t *columns = alias.columns;
    unsigned long long *first_row = &spg_cuda_of(context)->report->first[FIRST_ROW];
    return for_each(context, alias.rows * WARP, "checking the order of columns", [=] __device__(int64_t thread) {
        int64_t row = thread / WARP, end = offsets[row + 1];
        for (int64_t k = offsets[row] + 1 + thread % WARP; k < end; k += WARP)
            if (columns[k] < columns[k - 1]) report_first(first_row, row);
    });
}

/* Waits where starts or the order of columns may be faulty. */
spg_status walk(spg_context *context, const spg_alias &alias, const spg_walk_call &call)
{
    spg_cuda *cuda = spg_cuda_of(context);
    spg_walk_graph graph = {alias.offsets, alias.columns, alias.table, alias.resolution == SPG_ALIAS_EXACT};
    walk_job job = {call,
                    graph,
                    spg_walk_key(call.random.seed, call.random.stream),
                    alias.rows,
                    alias.empty_rows,
                    &cuda->report->first[FIRST_START]};
    bool can_fail = (call.starts != nullptr || call.second_order) && !trusts(context);
    spg_status status = can_fail ? clear_report(context) : SPG_OK;
    if (status == SPG_OK && can_fail && call.second_order) status = check_order(context, alias);
    if (status != SPG_OK) return status;
    auto kernel = call.second_order ? walk_kernel<true> : walk_kernel<false>;
    kernel<<<loop_blocks(context, (call.walkers + THREADS - 1) / THREADS), THREADS, 0, cuda->stream>>>(job);
    status = spg_cuda_check_launch(context, "walks");
    spg_report report;
    if (status == SPG_OK && can_fail) status = read_report(context, &report);
    if (status != SPG_OK || !can_fail) return status;
    if (report.first[FIRST_START] != NONE_FIRST) {
        int64_t walker = (int64_t)report.first[FIRST_START];
        int32_t node;
        status =
            spg_cuda_copy_bytes(context, &node, SPG_PLACE_HOST, call.starts + walker, SPG_PLACE_DEVICE, sizeof node);
        return status != SPG_OK ? status : spg_fail_start(context, walker, node, alias.rows);
    }
    return report.first[FIRST_ROW] != NONE_FIRST ? spg_fail_row_order(context, (int64_t)report.first[FIRST_ROW])
                                                 : SPG_OK;
}

} // namespace

} // namespace alias
} // namespace spg

spg_status spg_cuda_alias_walks(spg_context *context, const spg_alias *alias, const spg_walk_call *call)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::alias::walk(context, *alias, *call);
    spg_cuda_leave(context);
    return status;
}
