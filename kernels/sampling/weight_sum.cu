/* See weight_sum.cuh. A block adds up a tile of 2048 items; tiles' sums are added up likewise, until one is left. */
#include "weight_sum.cuh"

#include "tree.cuh"

namespace spg
{

namespace
{

enum { THREADS = 256, WARPS = THREADS / WARP, CHUNKS = 8, TILE = THREADS * CHUNKS };

__global__ void __launch_bounds__(THREADS)
    sum_tiles(weights_view weights, int64_t items, double scale, int64_t row, unsigned long long *first_fault,
              double first_scale, double target, double *sums, row_sum *total)
{
    __shared__ double warp_sums[WARPS];
    int warp = (int)threadIdx.x / WARP;
    int64_t first = (int64_t)blockIdx.x * TILE + warp * (WARP * CHUNKS) + lane_in_warp();
    double leaves[CHUNKS];
    bool bad = false;
#pragma unroll
    for (int c = 0; c < CHUNKS; ++c) {
        double weight = first + c * WARP < items ? weights[first + c * WARP] : 0;
        if (!is_sound_weight(weight)) bad = true;
        leaves[c] = multiply(weight, scale);
    }
    if (bad && first_fault != nullptr) report_first(first_fault, row);
    tree::chunk_tree<WARP, CHUNKS> tree;
    tree.sum(leaves);
    if (lane_in_warp() == 0) warp_sums[warp] = tree.root();
    __syncthreads();
    if (threadIdx.x != 0) return;
    for (int step = 1; step < WARPS; step *= 2)
        for (int w = 0; w < WARPS; w += 2 * step) warp_sums[w] = add(warp_sums[w], warp_sums[w + step]);
    sums[blockIdx.x] = warp_sums[0];
    if (gridDim.x == 1) *total = {warp_sums[0], spg_units_of_row(warp_sums[0], first_scale, target)};
}

} // namespace

spg_status sum_weights(workspace &work, weights_view weights, int64_t items, double scale, double target, int64_t row,
                       unsigned long long *first_fault, row_sum *sum)
{
    spg_context *context = work.context;
    cudaStream_t stream = spg_cuda_of(context)->stream;
    int64_t count = items, room = (items + TILE - 1) / TILE;
    double *sums = nullptr, first_scale = scale;
    spg_status status = work.take(2 * room, "sums of weights", &sums);
    for (int level = 0; status == SPG_OK && (level == 0 || count > 1); ++level) {
        int64_t tiles = (count + TILE - 1) / TILE;
        double *next = sums + (level % 2) * room;
        sum_tiles<<<(unsigned)tiles, THREADS, 0, stream>>>(weights, count, scale, row, first_fault, first_scale, target,
                                                           next, sum);
        status = spg_cuda_check_launch(context, "adding up weights");
        weights = {next, true};
        count = tiles;
        scale = 1;
        first_fault = nullptr;
    }
    return status;
}

} // namespace spg
