/* Sends the maximum of the numbers that a kernel's threads have found to the host when its last block ends: the host
 * polls for it while later kernels run. Private. */
#ifndef SPG_KERNELS_CONTAINERS_POST_CUH
#define SPG_KERNELS_CONTAINERS_POST_CUH

#include "../primitives/warp.cuh"

namespace spg
{

struct largest_post {
    spg_counters *counters; /* uses longest_row and blocks_done: zero before and after */
    spg_mailbox *mailbox;
    unsigned int number;
};

inline largest_post new_largest_post(const spg_context *context)
{
    spg_cuda *cuda = spg_cuda_of(context);
    return {cuda->counters, cuda->device_mailbox, ++cuda->posts};
}

/* Call before the kernel is queued. A failed product may have left counts in the counters. */
inline spg_status begin_post(spg_context *context, largest_post *post)
{
    const spg_cuda *cuda = spg_cuda_of(context);
    *post = new_largest_post(context);
    return spg_cuda_check(context, cudaMemsetAsync(cuda->counters, 0, sizeof *cuda->counters, cuda->stream),
                          "clearing counters");
}

/* Waits for the kernel. */
inline spg_status wait_for_largest(spg_context *context, const largest_post &post, unsigned int *largest)
{
    spg_counters counters;
    spg_status status = spg_cuda_wait_for_counters(context, post.number, &counters);
    if (status == SPG_OK) *largest = counters.longest_row;
    return status;
}

/* One thread calls it. */
__device__ inline void send_largest(const largest_post &post, unsigned int largest)
{
    post.mailbox->counters.longest_row = largest;
    __threadfence_system();
    post.mailbox->number = post.number;
}

/* All threads call it at the end of the kernel. */
__device__ inline void post_largest(const largest_post &post, unsigned int found)
{
    found = __reduce_max_sync(ALL_LANES, found);
    if (lane_in_warp() == 0 && found > 0) atomicMax(&post.counters->longest_row, found);
    __threadfence();
    __syncthreads();
    if (threadIdx.x != 0 || atomicAdd(&post.counters->blocks_done, 1u) != gridDim.x - 1) return;
    __threadfence();
    const unsigned int largest = atomicExch(&post.counters->longest_row, 0u);
    post.counters->blocks_done = 0;
    send_largest(post, largest);
}

} // namespace spg

#endif
