/* The tree sum of one big row, for the builds of tables. Private. */
#ifndef SPG_KERNELS_SAMPLING_WEIGHT_SUM_CUH
#define SPG_KERNELS_SAMPLING_WEIGHT_SUM_CUH

#include "sampling.cuh"
#include "sampling_alias.h"

namespace spg
{

/* What a build knows of a row, in device memory. */
struct row_sum {
    double total;         /* with the scale; infinite: to be done again */
    spg_unit_scale units; /* of `target` */
};

/* Queues the sum of `items` weights times `scale`. *sum: device memory; a weight that is none is reported as `row`. */
spg_status sum_weights(workspace &work, weights_view weights, int64_t items, double scale, double target, int64_t row,
                       unsigned long long *first_fault, row_sum *sum);

/* Whether this block is the last of the grid to come here; what the others wrote before can then be read. All threads
 * call; *done is zero before. */
__device__ inline bool is_last_block(unsigned int *done)
{
    __shared__ bool last;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(done, 1u) + 1 == gridDim.x;
        __threadfence();
    }
    __syncthreads();
    return last;
}

} // namespace spg

#endif
