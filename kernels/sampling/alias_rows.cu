/* Alias tables of rows of at most a tile, many at once: a thread a row by the sweep as a loop; a warp or a block a row
 * as one tile. All give the table that src/sampling_alias.h defines. */
#include "alias_build.cuh"
#include "tree.cuh"

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

__device__ inline double target_of(const table_job &job)
{
    return multiply((double)job.items, spg_power_of_two(job.fraction_bits));
}
__device__ inline bool is_sound_sum(double sum) { return sum > 0 && sum <= LARGEST; }

/* A row's sum by one thread; *sound: all weights are. */
__device__ double sum_row(const table_job &job, double scale, bool *sound)
{
    constexpr int LEVELS = 6;
    static_assert(1 << (LEVELS - 1) >= THREAD_ITEMS, "a stack of the levels of a row");
    double stack[LEVELS];
    int leaves = 1 << spg_levels(job.items);
    for (int k = 0; k < leaves; ++k) {
        double sum = k < job.items ? job.weights[k] : 0;
        *sound = *sound && is_sound_weight(sum);
        sum = multiply(sum, scale);
        int level = 0;
        for (; k >> level & 1; ++level) sum = add(stack[level], sum);
        stack[level] = sum;
    }
    return stack[31 - __clz(leaves)];
}

/* The next item after `item` that is heavy, or light; job.items if there is none. */
__device__ int next_item(const table_job &job, spg_unit_scale scale, int item, bool heavy)
{
    do ++item;
    while (item < job.items && (job.units_of(item, scale) >= job.full()) != heavy);
    return item;
}

/* The sweep as a loop over lights and heavies, of which it holds no list: units are computed anew. */
template <bool EXACT> __device__ void sweep_row(const table_job &job, spg_unit_scale scale)
{
    uint64_t full = job.full(), lacks = 0, over = 0;
    int items = (int)job.items, light = next_item(job, scale, -1, false), heavy = next_item(job, scale, -1, true);
    int last_heavy = -1;
    if (heavy < items) over = job.units_of(heavy, scale) - full;
    while (light < items || heavy < items) {
        if (light < items && (heavy == items || lacks < over)) {
            int lender = heavy < items ? heavy : last_heavy;
            uint64_t units = job.units_of(light, scale);
            store_row<EXACT>(job, scale, light, lender < 0 ? full : units, lender < 0 ? light : lender);
            lacks += full - units;
            light = next_item(job, scale, light, false);
        } else {
            int next = next_item(job, scale, heavy, true);
            bool keeps = lacks <= over || next == items;
            store_row<EXACT>(job, scale, heavy, keeps ? full : full - (lacks - over), keeps ? heavy : next);
            last_heavy = heavy;
            heavy = next;
            if (heavy < items) over += job.units_of(heavy, scale) - full;
        }
    }
}

template <bool EXACT>
__global__ void __launch_bounds__(THREADS)
    build_by_thread_kernel(const __grid_constant__ rows_job rows, const int32_t *row_list, const uint32_t *count)
{
    int64_t step = (int64_t)gridDim.x * THREADS;
    for (int64_t k = (int64_t)blockIdx.x * THREADS + threadIdx.x; k < *count; k += step) {
        int64_t row = row_list[k];
        table_job job = job_of_row<EXACT>(rows, row);
        bool sound = true;
        double scale = 1, sum = sum_row(job, scale, &sound);
        if (sum > LARGEST) {
            scale = SPG_SCALE_DOWN;
            sum = sum_row(job, scale, &sound);
        }
        if (!sound || !is_sound_sum(sum))
            report_first(rows.first_fault, row);
        else
            sweep_row<EXACT>(job, spg_units_of_row(sum, scale, target_of(job)));
    }
}

/* The sum of the weights that lie in space.rows, by all threads, which can write there afterwards. */
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
    spg_unit_scale units = spg_units_of_row(sum, scale, target_of(job));
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

spg_status build_by_thread(spg_context *context, const rows_job &job, bool exact, const int32_t *row_list,
                           const uint32_t *count, int64_t most)
{
    auto kernel = exact ? build_by_thread_kernel<true> : build_by_thread_kernel<false>;
    kernel<<<loop_blocks(context, (most + THREADS - 1) / THREADS), THREADS, 0, spg_cuda_of(context)->stream>>>(
        job, row_list, count);
    return spg_cuda_check_launch(context, "building alias tables of short rows");
}

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
