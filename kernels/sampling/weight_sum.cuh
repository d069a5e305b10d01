/* The tree sums of big rows, for building tables: one row by the whole device, or many at once. Private. */
#ifndef SPG_KERNELS_SAMPLING_WEIGHT_SUM_CUH
#define SPG_KERNELS_SAMPLING_WEIGHT_SUM_CUH

#include "sampling.cuh"
#include "sampling/alias.h"

namespace spg
{

/* Data of a row during a build, in device memory. */
struct row_sum {
    double total;         /* with the scale; infinite: must be formed again */
    spg_unit_scale units; /* of `target` */
};

/* Queues the sum of `items` weights times `scale`. *sum: device memory; an invalid weight is reported as `row`. */
spg_status sum_weights(workspace &work, weights_view weights, int64_t items, double scale, double target, int64_t row,
                       unsigned long long *first_fault, row_sum *sum);

/* Many big rows, in device memory. Each has tiles of SPG_ALIAS_TILE items, and at most as many tiles as a tile has
 * items. */
struct big_row {
    int64_t row, begin, items, first_tile;
};
struct big_rows {
    const big_row *list;
    const int32_t *row_of_tile; /* row_of_tile: an index into the list */
    int64_t tiles;
    int32_t count;
};

/* The same for each row. The target is that of src/sampling/alias.h. tile_sums: room for a number a tile. */
spg_status sum_weights_of_rows(spg_context *context, weights_view weights, const big_rows &rows,
                               unsigned long long *first_fault, double *tile_sums, row_sum *sums);

/* Whether this block is the last of the grid to get here; it can then read what the others wrote before. All threads
 * call it; *done is zero before. */
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
