/* See weight_sum.cuh. A block sums a tile of 2048 items, or of sums of tiles. For one row, the last block of the second
 * round sums the results of that round, one tile at most. */
#include "weight_sum.cuh"

#include "tree.cuh"

namespace spg
{

namespace
{

enum { THREADS = 256, WARPS = THREADS / WARP, CHUNKS = 8, TILE = THREADS * CHUNKS };

/* The sum of numbers[0, count), up to TILE of them, times scale, by a block; valid in thread 0. *sound: this thread has
 * seen only valid weights. */
template <typename Numbers>
__device__ double sum_tile(const Numbers &numbers, int64_t begin, int64_t count, double scale, bool *sound)
{
    __shared__ double warp_sums[WARPS];
    int warp = (int)threadIdx.x / WARP, first = warp * (WARP * CHUNKS) + lane_in_warp();
    double leaves[CHUNKS];
#pragma unroll
    for (int c = 0; c < CHUNKS; ++c) {
        double number = first + c * WARP < count ? numbers[begin + first + c * WARP] : 0;
        if (!is_sound_weight(number)) *sound = false;
        leaves[c] = multiply(number, scale);
    }
    double sum = tree::sum_all_chunks(leaves);
    if (lane_in_warp() == 0) warp_sums[warp] = sum;
    __syncthreads();
    if (threadIdx.x != 0) return 0;
    for (int step = 1; step < WARPS; step *= 2)
        for (int w = 0; w < WARPS; w += 2 * step) warp_sums[w] = add(warp_sums[w], warp_sums[w + step]);
    return warp_sums[0];
}

/* Sums of tiles of weights; the first block also resets the count of finished blocks for the next kernel. */
__global__ void __launch_bounds__(THREADS)
    sum_weights_kernel(weights_view weights, int64_t items, double scale, int64_t row, unsigned long long *first_fault,
                       double *sums, unsigned int *done)
{
    int64_t begin = (int64_t)blockIdx.x * TILE;
    bool sound = true;
    double sum = sum_tile(weights, begin, min(items - begin, (int64_t)TILE), scale, &sound);
    if (!sound) report_first(first_fault, row);
    if (threadIdx.x != 0) return;
    sums[blockIdx.x] = sum;
    if (blockIdx.x == 0) *done = 0;
}

__global__ void __launch_bounds__(THREADS)
    sum_sums_kernel(const double *sums, int64_t count, double *sums_of_sums, unsigned int *done, double scale,
                    double target, row_sum *total)
{
    int64_t begin = (int64_t)blockIdx.x * TILE;
    bool sound;
    double sum = sum_tile(sums, begin, min(count - begin, (int64_t)TILE), 1, &sound);
    if (threadIdx.x == 0) sums_of_sums[blockIdx.x] = sum;
    if (!is_last_block(done)) return;
    sum = sum_tile(sums_of_sums, 0, gridDim.x, 1, &sound);
    if (threadIdx.x == 0) *total = {sum, spg_units_of_row(sum, scale, target)};
}

__global__ void __launch_bounds__(THREADS)
    sum_tiles_of_rows_kernel(weights_view weights, const __grid_constant__ big_rows rows,
                             unsigned long long *first_fault, double *tile_sums)
{
    int64_t tile = blockIdx.x;
    big_row row = rows.list[rows.row_of_tile[tile]];
    int64_t first = (tile - row.first_tile) * TILE;
    bool sound = true;
    double sum = sum_tile(weights, row.begin + first, min(row.items - first, (int64_t)TILE), 1, &sound);
    if (!sound) report_first(first_fault, row.row);
    if (threadIdx.x == 0) tile_sums[tile] = sum;
}

__global__ void __launch_bounds__(THREADS)
    sum_rows_kernel(const __grid_constant__ big_rows rows, const double *tile_sums, row_sum *sums)
{
    big_row row = rows.list[blockIdx.x];
    bool sound;
    double sum = sum_tile(tile_sums, row.first_tile, (row.items + TILE - 1) / TILE, 1, &sound);
    double target = multiply((double)row.items, spg_power_of_two(spg_fraction_bits(row.items)));
    if (threadIdx.x == 0) sums[blockIdx.x] = {sum, spg_units_of_row(sum, 1, target)};
}

} // namespace

spg_status sum_weights_of_rows(spg_context *context, weights_view weights, const big_rows &rows,
                               unsigned long long *first_fault, double *tile_sums, row_sum *sums)
{
    static_assert((int)TILE == (int)SPG_ALIAS_TILE, "tiles are those of the build");
    cudaStream_t stream = spg_cuda_of(context)->stream;
    sum_tiles_of_rows_kernel<<<(unsigned)rows.tiles, THREADS, 0, stream>>>(weights, rows, first_fault, tile_sums);
    spg_status status = spg_cuda_check_launch(context, "adding up weights of rows");
    if (status != SPG_OK) return status;
    sum_rows_kernel<<<(unsigned)rows.count, THREADS, 0, stream>>>(rows, tile_sums, sums);
    return spg_cuda_check_launch(context, "adding up sums of weights of rows");
}

spg_status sum_weights(workspace &work, weights_view weights, int64_t items, double scale, double target, int64_t row,
                       unsigned long long *first_fault, row_sum *sum)
{
    static_assert((int64_t)TILE * TILE * TILE > INT32_MAX, "two rounds are enough");
    spg_context *context = work.context;
    cudaStream_t stream = spg_cuda_of(context)->stream;
    int64_t tiles = (items + TILE - 1) / TILE, groups = (tiles + TILE - 1) / TILE;
    double *sums = nullptr;
    spg_status status = work.take(tiles + groups + 1, "sums of weights", &sums);
    if (status != SPG_OK) return status;
    unsigned int *done = reinterpret_cast<unsigned int *>(sums + tiles + groups);
    sum_weights_kernel<<<(unsigned)tiles, THREADS, 0, stream>>>(weights, items, scale, row, first_fault, sums, done);
    status = spg_cuda_check_launch(context, "adding up weights");
    if (status != SPG_OK) return status;
    sum_sums_kernel<<<(unsigned)groups, THREADS, 0, stream>>>(sums, tiles, sums + tiles, done, scale, target, sum);
    return spg_cuda_check_launch(context, "adding up sums of weights");
}

} // namespace spg
