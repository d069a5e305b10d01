/* Launches of a chain of kernels, each of which is made ready while the one before it on its stream still runs.
 * Private.
 *
 * Such a kernel calls wait_for_previous_kernel first of all, in every thread, and before it reads what others write or
 * writes anything; it returns when the kernel before has ended, and so have all before that. Then it calls
 * trigger_next_kernel, so that the blocks of the next kernel may come to the multiprocessors that its own leave idle.
 * Both do nothing on devices before compute capability 9.0, where kernels follow one another as ever. */
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

/* Both: of kernels that have nothing to do beforehand. */
__device__ inline void wait_and_trigger()
{
    wait_for_previous_kernel();
    trigger_next_kernel();
}

/* With is_beside, this kernel and the one before, which has taken its turn as well, leave alone what the other writes,
 * and run beside each other. What came before both has ended, for the other has waited for it before it let this one
 * begin. The last block waits all the same, so that this kernel ends last. */
__device__ inline void wait_and_trigger(bool may_overlap)
{
    if (!may_overlap) wait_for_previous_kernel();
    trigger_next_kernel();
    if (may_overlap && blockIdx.x == gridDim.x - 1) wait_for_previous_kernel();
}

/* `what` stands in the message of a failure. */
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

} // namespace spg

#endif
