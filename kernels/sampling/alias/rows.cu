/* Alias tables of rows of at most a tile, many at once: a warp or a block a row, as one tile (shorter rows:
 * short_rows.cu). */
#include "../tree.cuh"
#include "build.cuh"

namespace spg
{
namespace alias
{

namespace
{

template <bool EXACT> __device__ table_job job_of_row(const rows_job &rows, int64_t row)
{
    int64_t begin = rows.offsets[row], items = rows.offsets[row + 1] - begin;
    size_t size = EXACT ? sizeof(spg_alias_exact) : sizeof(spg_alias_compact);
    return {rows.weights.from(begin), items, static_cast<char *>(rows.table) + begin * (int64_t)size,
            spg_fraction_bits(items)};
}

/* The sum of the weights in space.rows. All threads call it, and may overwrite the rows afterwards. */
template <int BLOCK, bool EXACT> __device__ double sum_tile(tile_space<BLOCK, EXACT> &space, double scale)
{
    tree::item_tree<ITEMS> items;
    double leaves[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) leaves[k] = multiply(__longlong_as_double((long long)space.own_row(k)), scale);
    items.sum(leaves);
    double sum = items.root();
#pragma unroll
    for (int step = 1; step < WARP; step *= 2) sum = add(sum, tree::exchange(sum, step));
    if constexpr (BLOCK > WARP) {
        constexpr int WARPS = BLOCK / WARP;
        double *sums = reinterpret_cast<double *>(space.warps.lacks);
        if (lane_in_warp() == 0) sums[threadIdx.x / WARP] = sum;
        __syncthreads();
        double part[WARPS];
#pragma unroll
        for (int w = 0; w < WARPS; ++w) part[w] = sums[w];
        tree::item_tree<WARPS> warps;
        warps.sum(part);
        sum = warps.root();
    }
    __syncthreads();
    return sum;
}

template <int BLOCK, bool EXACT>
__device__ void build_row(tile_space<BLOCK, EXACT> &space, const rows_job &rows, int64_t row)
{
    table_job job = job_of_row<EXACT>(rows, row);
    int count = (int)job.items;
    bool sound = true;
    double weights[ITEMS];
    load_weights<false, BLOCK>(job.weights, count, weights);
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        sound = sound && is_sound_weight(weights[k]);
        space.strided_row(k) = (uint64_t)__double_as_longlong(weights[k]);
    }
    sound = __syncthreads_and(sound);
    double scale = 1, sum = sum_tile(space, scale);
    if (sum > LARGEST) {
        scale = SPG_SCALE_DOWN;
        sum = sum_tile(space, scale);
    }
    if (!sound || !is_sound_sum(sum)) {
        if (threadIdx.x == 0) report_first(rows.first_fault, row);
        return;
    }
    spg_unit_scale units = spg_units_of_row(sum, scale, target_of(job.items, job.fraction_bits));
#pragma unroll
    for (int k = 0; k < ITEMS; ++k)
        space.strided_row(k) = spg_alias_units(spg_units(weights[k], units), k * BLOCK + (int)threadIdx.x);
    __syncthreads();
    tile_lists lists = list_items<false>(space, count, job.full());
    pair_items<true>(space, lists, count, job, 0);
    __syncthreads();
    store_tile<false>(space, job, units, 0, count);
}

template <int BLOCK, bool EXACT>
__global__ void __launch_bounds__(BLOCK)
    build_by_tile_kernel(const __grid_constant__ rows_job rows, const int32_t *row_list, const uint32_t *count)
{
    __shared__ tile_space<BLOCK, EXACT> space;
    for (uint32_t k = blockIdx.x; k < *count; k += gridDim.x) {
        build_row<BLOCK, EXACT>(space, rows, row_list[k]);
        __syncthreads();
    }
}

enum { WAVES = 8, WARP_BLOCKS_A_MULTIPROCESSOR = 32, BLOCKS_A_MULTIPROCESSOR = 4 };

unsigned int blocks_for(spg_context *context, int64_t most, int blocks_a_multiprocessor)
{
    int64_t blocks = (int64_t)spg_cuda_of(context)->multiprocessors * blocks_a_multiprocessor * WAVES;
    return (unsigned int)(blocks < most ? blocks : most);
}

} // namespace

spg_status build_by_warp(spg_context *context, const rows_job &job, bool exact, const int32_t *row_list,
                         const uint32_t *count, int64_t most)
{
    auto kernel = exact ? build_by_tile_kernel<WARP, true> : build_by_tile_kernel<WARP, false>;
    kernel<<<blocks_for(context, most, WARP_BLOCKS_A_MULTIPROCESSOR), WARP, 0, spg_cuda_of(context)->stream>>>(
        job, row_list, count);
    return spg_cuda_check_launch(context, "building alias tables of rows");
}

spg_status build_by_block(spg_context *context, const rows_job &job, bool exact, const int32_t *row_list,
                          const uint32_t *count, int64_t most)
{
    auto kernel = exact ? build_by_tile_kernel<THREADS, true> : build_by_tile_kernel<THREADS, false>;
    kernel<<<blocks_for(context, most, BLOCKS_A_MULTIPROCESSOR), THREADS, 0, spg_cuda_of(context)->stream>>>(
        job, row_list, count);
    return spg_cuda_check_launch(context, "building alias tables of rows");
}

} // namespace alias
} // namespace spg
