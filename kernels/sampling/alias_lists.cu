/* From weights to lists of the lights and heavies that are to be paired: see alias_build.cuh for the stages.
 *
 * In: the weights of one row and its sum. Out: rows of the table, finished or left, and the lists of those left. A
 * block takes a tile of items. */
#include "alias_build.cuh"

#include <cub/device/device_scan.cuh>

namespace spg
{
namespace alias
{

namespace
{

using block_space = tile_space<THREADS>;

__device__ void load_units(block_space &space, const table_job &job, spg_unit_scale scale, int64_t first, int count)
{
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        int place = k * THREADS + (int)threadIdx.x;
        if (place < count) space.units[slot_of(place)] = job.units_of(first + place, scale);
    }
    __syncthreads();
}

/* Tiles that leave few leave them at their end mostly, so that it is noted where to look for them. */
__device__ void note_left(const block_space &space, int count, int *left_from)
{
    int first = (int)threadIdx.x * ITEMS;
    for (int k = 0; k < ITEMS && first + k < count; ++k)
        if ((space.units[slot_of(first + k)] & LEFT) != 0) {
            atomicMin(left_from, first + k);
            break;
        }
}

template <bool EXACT>
__global__ void __launch_bounds__(THREADS, 4)
    pack_greedily_kernel(const __grid_constant__ table_job job, const row_sum *sum, tile_notes notes)
{
    __shared__ block_space space;
    __shared__ int from, left_count, last_heavy;
    int64_t first = (int64_t)blockIdx.x * TILE;
    int count = (int)min((int64_t)TILE, job.items - first);
    spg_unit_scale scale = sum->units;
    if (threadIdx.x == 0) from = TILE - 1, left_count = 0, last_heavy = -1;
    load_units(space, job, scale, first, count);
    tile_lists lists = list_items<false>(space, count, job.full(), -1);
    int mine = pair_items<false>(space, lists, count, job.full(), &last_heavy);
    if (mine != 0) atomicAdd(&left_count, mine);
    __syncthreads();
    store_tile<EXACT>(space, job, scale, first, count);
    if (left_count != 0) note_left(space, count, &from);
    __syncthreads();
    if (threadIdx.x != 0) return;
    bool lights = lists.lacks > lists.over;
    notes.left[blockIdx.x] = {lights ? lists.lacks - lists.over : 0, lights ? 0 : lists.over - lists.lacks,
                              lights ? (uint32_t)left_count : 0, lights ? 0 : (uint32_t)left_count};
    notes.places[blockIdx.x] = {(int16_t)from, (int16_t)last_heavy};
    if (blockIdx.x == 0) notes.left[gridDim.x] = {0, 0, 0, 0};
}

template <bool EXACT>
__global__ void __launch_bounds__(THREADS, 4)
    leave_all_kernel(const __grid_constant__ table_job job, const row_sum *sum, tile_notes notes)
{
    __shared__ block_space space;
    int64_t first = (int64_t)blockIdx.x * TILE;
    uint64_t lacks = 0, over = 0;
    int counts = 0;
    spg_unit_scale scale = sum->units;
    for (int k = 0; k < ITEMS; ++k) {
        int64_t item = first + k * THREADS + (int)threadIdx.x;
        if (item >= job.items) break;
        uint64_t units = job.units_of(item, scale);
        store_left<EXACT>(job, item, units | LEFT);
        if (units < job.full())
            lacks += job.full() - units, ++counts;
        else
            over += units - job.full(), counts += 1 << 16;
    }
    tile_lists lists = sum_over_block(space, lacks, over, counts);
    if (threadIdx.x != 0) return;
    notes.left[blockIdx.x] = {lists.lacks, lists.over, (uint32_t)lists.lights, (uint32_t)lists.heavies};
    notes.places[blockIdx.x] = {0, -1};
    if (blockIdx.x == 0) notes.left[gridDim.x] = {0, 0, 0, 0};
}

/* Rows from the first one left on are read, listed in shared memory, and written where the lists' scan says. */
template <bool EXACT>
__global__ void __launch_bounds__(THREADS, 4)
    list_left_kernel(const __grid_constant__ table_job job, tile_notes notes, left_lists lists)
{
    __shared__ block_space space;
    left_items before = notes.left[blockIdx.x], through = notes.left[blockIdx.x + 1];
    if (before.lights == through.lights && before.heavies == through.heavies) return;
    left_place place = notes.places[blockIdx.x];
    int64_t first = (int64_t)blockIdx.x * TILE + place.from;
    int count = (int)min((int64_t)TILE - place.from, job.items - first);
    for (int k = (int)threadIdx.x; k < count; k += THREADS) space.units[slot_of(k)] = load_left<EXACT>(job, first + k);
    __syncthreads();
    tile_lists here =
        list_items<true>(space, count, job.full(), place.last_heavy < 0 ? -1 : place.last_heavy - place.from);
    for (int k = (int)threadIdx.x; k < here.lights; k += THREADS) {
        lists.lacks[before.lights + k] = before.lacks + space.sums[k];
        lists.light_items[before.lights + k] = (int32_t)(first + space.items[k]);
    }
    for (int k = (int)threadIdx.x; k < here.heavies; k += THREADS) {
        lists.over[before.heavies + k] = before.over + space.sums[TILE - 1 - k];
        lists.heavy_items[before.heavies + k] = (int32_t)(first + space.items[TILE - 1 - k]);
    }
}

} // namespace

spg_status pack_greedily(spg_context *context, const table_job &job, bool exact, const row_sum *sum,
                         const tile_notes &notes)
{
    auto kernel = exact ? pack_greedily_kernel<true> : pack_greedily_kernel<false>;
    kernel<<<(unsigned)tiles_of(job.items), THREADS, 0, spg_cuda_of(context)->stream>>>(job, sum, notes);
    return spg_cuda_check_launch(context, "packing an alias table greedily");
}

spg_status leave_all(spg_context *context, const table_job &job, bool exact, const row_sum *sum,
                     const tile_notes &notes)
{
    auto kernel = exact ? leave_all_kernel<true> : leave_all_kernel<false>;
    kernel<<<(unsigned)tiles_of(job.items), THREADS, 0, spg_cuda_of(context)->stream>>>(job, sum, notes);
    return spg_cuda_check_launch(context, "summing the items of an alias table");
}

spg_status scan_left(workspace &work, int64_t items, const tile_notes &notes)
{
    spg_context *context = work.context;
    cudaStream_t stream = spg_cuda_of(context)->stream;
    int64_t count = tiles_of(items) + 1;
    size_t bytes = 0;
    left_items none = {0, 0, 0, 0}, *left = notes.left;
    cudaError_t error = cub::DeviceScan::ExclusiveScan(nullptr, bytes, left, left, plus{}, none, count, stream);
    spg_status status = spg_cuda_check(context, error, "an alias table");
    char *temporary = nullptr;
    if (status == SPG_OK) status = work.take((int64_t)bytes, "the scan of an alias table", &temporary);
    if (status != SPG_OK) return status;
    error = cub::DeviceScan::ExclusiveScan(temporary, bytes, left, left, plus{}, none, count, stream);
    return spg_cuda_check(context, error, "scanning what tiles of an alias table leave");
}

spg_status list_left(spg_context *context, const table_job &job, bool exact, const tile_notes &notes,
                     const left_lists &lists)
{
    auto kernel = exact ? list_left_kernel<true> : list_left_kernel<false>;
    kernel<<<(unsigned)tiles_of(job.items), THREADS, 0, spg_cuda_of(context)->stream>>>(job, notes, lists);
    return spg_cuda_check_launch(context, "listing what tiles of an alias table leave");
}

} // namespace alias
} // namespace spg
