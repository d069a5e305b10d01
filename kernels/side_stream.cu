/* A side stream for work that may overlap the context's own (backend.h). Functions queue work on the stream that
 * spg_cuda names. Switching swaps stream, counters, report and mailbox with those of the other lane, so that both lanes
 * can count and post at the same time. The side stream has a high priority: what runs there is short of work for the
 * device and is waited for, so the context's own kernels fill what it leaves (spgemm_bench, H200, R*A*P: fd2d5 1.07
 * times as fast, geometric mean of nine matrices 1.03). Events keep all work within the order of the context's stream.
 * Kept blocks record in which stream's order they are free (kept_blocks.cu). */
#include "device.h"

#include <cstring>
#include <utility>

cudaError_t spg_cuda_create_reports(spg_lane *lane)
{
    cudaError_t error = cudaHostAlloc((void **)&lane->mailbox, sizeof *lane->mailbox, cudaHostAllocMapped);
    if (error != cudaSuccess) return error;
    memset((void *)lane->mailbox, 0, sizeof *lane->mailbox);
    error = cudaHostGetDevicePointer((void **)&lane->device_mailbox, (void *)lane->mailbox, 0);
    if (error == cudaSuccess) error = cudaMalloc((void **)&lane->counters, sizeof *lane->counters);
    if (error == cudaSuccess) error = cudaMalloc((void **)&lane->report, sizeof *lane->report);
    if (error == cudaSuccess) error = cudaMemset(lane->report, 0xff, sizeof *lane->report); /* as clear_report does */
    return error == cudaSuccess ? cudaMemset(lane->counters, 0, sizeof *lane->counters) : error;
}

void spg_cuda_free_reports(spg_lane *lane)
{
    cudaFree(lane->counters);
    cudaFree(lane->report);
    cudaFreeHost((void *)lane->mailbox);
}

cudaError_t spg_cuda_create_side_stream(spg_cuda *cuda)
{
    int least, greatest;
    cudaError_t error = cudaDeviceGetStreamPriorityRange(&least, &greatest);
    if (error == cudaSuccess)
        error = cudaStreamCreateWithPriority(&cuda->other.stream, cudaStreamNonBlocking, greatest);
    if (error == cudaSuccess) error = cudaEventCreateWithFlags(&cuda->side_begin, cudaEventDisableTiming);
    if (error == cudaSuccess) error = cudaEventCreateWithFlags(&cuda->side_end, cudaEventDisableTiming);
    return error == cudaSuccess ? spg_cuda_create_reports(&cuda->other) : error;
}

void spg_cuda_destroy_side_stream(spg_cuda *cuda)
{
    if (cuda->other.stream != nullptr) cudaStreamDestroy(cuda->other.stream);
    if (cuda->side_begin != nullptr) cudaEventDestroy(cuda->side_begin);
    if (cuda->side_end != nullptr) cudaEventDestroy(cuda->side_end);
    spg_cuda_free_reports(&cuda->other);
}

/* No side stream in four cases: without pools, because memory is then not freed in stream order; with a caller's
 * allocator, which knows one stream; under a workspace limit, which leaves no room for two workspaces; with timing,
 * where each stage must run alone. */
spg_status spg_cuda_begin_side_stream(spg_context *context, bool *is_forked)
{
    spg_cuda *cuda = spg_cuda_of(context);
    *is_forked = cuda->pool != nullptr && context->config.workspace_limit == 0 && !context->config.timing;
    if (!*is_forked) return SPG_OK;
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    cudaError_t error = cudaEventRecord(cuda->side_begin, cuda->stream);
    if (error == cudaSuccess) error = cudaStreamWaitEvent(cuda->other.stream, cuda->side_begin, 0);
    status = spg_cuda_check(context, error, "forking a stream");
    spg_cuda_leave(context);
    *is_forked = status == SPG_OK;
    if (!*is_forked) return status;
    spg_cuda_merge_orders(cuda);
    cuda->is_forked = true;
    return SPG_OK;
}

static void swap_lanes(spg_cuda *cuda)
{
    std::swap(cuda->stream, cuda->other.stream);
    std::swap(cuda->counters, cuda->other.counters);
    std::swap(cuda->report, cuda->other.report);
    std::swap(cuda->mailbox, cuda->other.mailbox);
    std::swap(cuda->device_mailbox, cuda->other.device_mailbox);
    std::swap(cuda->posts, cuda->other.posts);
    cuda->on_side_stream = !cuda->on_side_stream;
}

void spg_cuda_when_waiting(spg_context *context, void (*work)(void *user), void *user)
{
    spg_cuda *cuda = spg_cuda_of(context);
    cuda->side_work = work;
    cuda->side_user = user;
}

void spg_cuda_use_side_stream(spg_context *context, bool side)
{
    spg_cuda *cuda = spg_cuda_of(context);
    if (!cuda->is_forked || cuda->on_side_stream == side) return;
    swap_lanes(cuda);
    void (*const work)(void *) = cuda->side_work;
    cuda->side_work = nullptr;
    if (work != nullptr) work(cuda->side_user);
}

void spg_cuda_do_side_work(spg_context *context)
{
    if (spg_cuda_of(context)->side_work == nullptr) return;
    spg_cuda_use_side_stream(context, true);
    spg_cuda_use_side_stream(context, false);
}

/* If the streams cannot be joined, waits for the side stream, so that nothing runs on memory that is freed. */
spg_status spg_cuda_end_side_stream(spg_context *context)
{
    spg_cuda *cuda = spg_cuda_of(context);
    spg_cuda_do_side_work(context);
    spg_cuda_use_side_stream(context, false);
    if (!cuda->is_forked) return SPG_OK;
    spg_status status = spg_cuda_enter(context);
    if (status == SPG_OK) {
        cudaError_t error = cudaEventRecord(cuda->side_end, cuda->other.stream);
        if (error == cudaSuccess) error = cudaStreamWaitEvent(cuda->stream, cuda->side_end, 0);
        if (error != cudaSuccess) cudaStreamSynchronize(cuda->other.stream);
        status = spg_cuda_check(context, error, "joining streams");
        spg_cuda_leave(context);
    }
    spg_cuda_merge_orders(cuda);
    cuda->is_forked = false;
    return status;
}
