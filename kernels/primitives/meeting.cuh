/* A barrier of all threads of a kernel whose blocks are all resident. Private.
 *
 * What a thread wrote before it, all threads read after it. Fewer threads meet faster: those of one block by the
 * block's barrier, those of one cluster (compute capability 9.0 and later) by the cluster's, those of more blocks
 * through memory. */
#ifndef SPG_KERNELS_PRIMITIVES_MEETING_CUH
#define SPG_KERNELS_PRIMITIVES_MEETING_CUH

#include "../device.h"

#include <cooperative_groups.h>

namespace spg
{

/* One block; one cluster of all blocks; a cooperative launch. */
enum class meeting { of_block, of_cluster, of_grid };

/* All threads of the grid call it, with the meeting that the kernel was launched for. */
__device__ inline void meet(meeting kind)
{
    if (kind == meeting::of_block) {
        __syncthreads();
        return;
    }
#if __CUDA_ARCH__ >= 900
    if (kind == meeting::of_cluster) {
        cooperative_groups::this_cluster().sync();
        return;
    }
#endif
    cooperative_groups::this_grid().sync();
}

/* Queues a kernel for a meeting of `blocks` blocks. `what` names it in an error message. */
template <typename... Parameters>
spg_status launch_meeting(spg_context *context, meeting kind, const char *what, unsigned int blocks,
                          unsigned int threads, void (*kernel)(Parameters...), Parameters... parameters)
{
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};
    if (kind == meeting::of_cluster) {
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim.x = blocks;
        attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    } else {
        attribute.id = cudaLaunchAttributeCooperative;
        attribute.val.cooperative = 1;
    }
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(threads);
    config.stream = spg_cuda_of(context)->stream;
    config.attrs = &attribute;
    config.numAttrs = kind == meeting::of_block ? 0 : 1;
    return spg_cuda_check(context, cudaLaunchKernelEx(&config, kernel, parameters...), what);
}

} // namespace spg

#endif
