/* Programmatic dependent launch (CUDA): a kernel is set up while the previous kernel on its stream still runs. Private.
 *
 * Every thread of such a kernel calls wait_for_previous_kernel first, before it writes anything or reads what other
 * kernels write. The call returns when the previous kernel, and so all kernels before it, have ended. Then
 * trigger_next_kernel allows blocks of the next kernel onto multiprocessors that this kernel leaves idle. Both do
 * nothing before compute capability 9.0, where kernels run one after the other. */
#ifndef SPG_KERNELS_LAUNCH_CUH
#define SPG_KERNELS_LAUNCH_CUH

#include "device.h"

#include <cuda_runtime.h>

#include <utility>

namespace spg
{

__device__ inline void wait_for_previous_kernel()
{
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}

__device__ inline void trigger_next_kernel()
{
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/* Both, for kernels with nothing to do before the wait. */
__device__ inline void wait_and_trigger()
{
    wait_for_previous_kernel();
    trigger_next_kernel();
}

/* With may_overlap, this kernel and the previous one write disjoint data and run at the same time. All kernels before
 * both have ended: the previous one waited for them before it triggered this one. The last block still waits, so that
 * this kernel ends last. */
__device__ inline void wait_and_trigger(bool may_overlap)
{
    if (!may_overlap) wait_for_previous_kernel();
    trigger_next_kernel();
    if (may_overlap && blockIdx.x == gridDim.x - 1) wait_for_previous_kernel();
}

/* `what` names the kernel in an error message. */
template <typename... Parameters, typename... Arguments>
spg_status launch_programmatic(spg_context *context, cudaStream_t stream, const char *what, dim3 blocks,
                               unsigned int threads, size_t shared_bytes, void (*kernel)(Parameters...),
                               Arguments &&...arguments)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = spg_cuda_of(context)->kernels_wait ? 1 : 0;
    return spg_cuda_check(context, cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...), what);
}

/* Allows a kernel `most_bytes` of dynamic shared memory. A kernel always gets the same number, whatever it needs: the
 * setting belongs to the process, and contexts on other threads launch too. */
template <typename... Parameters>
spg_status allow_shared(spg_context *context, const char *what, void (*kernel)(Parameters...), int64_t most_bytes)
{
    return spg_cuda_check(
        context, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)most_bytes), what);
}

/* The blocks of a kernel that a multiprocessor holds at a time. */
template <typename... Parameters>
spg_status resident_blocks_of(spg_context *context, const char *what, void (*kernel)(Parameters...), int threads,
                              int64_t shared_bytes, int *resident)
{
    return spg_cuda_check(
        context, cudaOccupancyMaxActiveBlocksPerMultiprocessor(resident, kernel, threads, (size_t)shared_bytes), what);
}

} // namespace spg

#endif
