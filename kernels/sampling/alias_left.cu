/* What tiles of a big row left, to lists: see alias_build.cuh.
 *
 * Where it goes: a block scans a group of tiles, the last to end the groups; it tells the host by a post, which takes
 * less than a copy and a wait. Listing: a warp takes a tile, 4 rows a lane at a time: no barriers, and tiles that leave
 * few, at their end mostly, cost little. */
#include "alias_build.cuh"

#include <cub/block/block_scan.cuh>

namespace spg
{
namespace alias
{

namespace
{

using block_scan = cub::BlockScan<left_items, THREADS>;

/* Exclusive sums of up to TILE numbers, in place, by a block; returns their sum. */
__device__ left_items scan_numbers(left_items *numbers, int count)
{
    __shared__ typename block_scan::TempStorage space;
    left_items mine[ITEMS], none = {0, 0, 0, 0}, all;
    int first = (int)threadIdx.x * ITEMS;
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) mine[k] = first + k < count ? numbers[first + k] : none;
    __syncthreads();
    block_scan(space).ExclusiveScan(mine, mine, none, plus{}, all);
#pragma unroll
    for (int k = 0; k < ITEMS; ++k)
        if (first + k < count) numbers[first + k] = mine[k];
    return all;
}

__global__ void __launch_bounds__(THREADS)
    scan_left_kernel(const __grid_constant__ build_notes notes, int64_t tiles, spg_mailbox *mailbox, unsigned int post)
{
    int64_t first = (int64_t)blockIdx.x * TILE;
    left_items all = scan_numbers(notes.left + first, (int)min(tiles - first, (int64_t)TILE));
    if (threadIdx.x == 0) notes.groups[blockIdx.x] = all;
    if (!is_last_block(notes.done)) return;
    all = scan_numbers(notes.groups, (int)gridDim.x);
    if (threadIdx.x != 0) return;
    double total = notes.sum->total;
    unsigned int faults = total > LARGEST ? ENDLESS_SUM : total > 0 ? 0 : NO_SUM;
    if (*notes.first_fault != NONE_FIRST) faults |= FAULT_REPORTED;
    *notes.all = {all, faults};
    mailbox->tally.nnz = (unsigned long long)all.lights + all.heavies;
    mailbox->tally.faults = faults;
    __threadfence_system();
    mailbox->number = post;
}

enum { ROWS = 4 };

/* Sums up to this lane, and those of the warp. */
__device__ uint64_t scan_over_warp(uint64_t value, uint64_t *all)
{
    if (__any_sync(ALL_LANES, value != 0)) return exclusive_scan(value, (uint64_t)0, plus{}, all);
    *all = 0;
    return 0;
}

/* Lists the rows of a lane, after what `at` says. */
__device__ void list_rows(const left_lists &lists, const uint64_t (&rows)[ROWS], int64_t first, uint64_t full,
                          left_items at)
{
#pragma unroll
    for (int k = 0; k < ROWS; ++k) {
        if (rows[k] == 0) continue;
        uint64_t units = rows[k] & ~LEFT;
        if (units < full) {
            lists.lacks(at.lights) = at.lacks;
            lists.light_item(at.lights++) = (int32_t)(first + k);
            at.lacks += full - units;
        } else {
            at.over += units - full;
            lists.over(at.heavies) = at.over;
            lists.heavy_item(at.heavies++) = (int32_t)(first + k);
        }
    }
}

template <bool EXACT>
__global__ void __launch_bounds__(THREADS)
    list_left_kernel(const __grid_constant__ table_job job, const __grid_constant__ build_notes notes,
                     const __grid_constant__ left_lists lists)
{
    int64_t tile = (int64_t)blockIdx.x * WARPS + threadIdx.x / WARP, first = tile * TILE;
    if (first >= job.items || !lists.are_usable()) return;
    left_place place = notes.places[tile];
    int count = (int)min((int64_t)TILE, job.items - first), skip = place.last_heavy;
    uint64_t full = job.full();
    left_items at = notes.before(tile);
    if (skip >= 0) { /* before the lights */
        uint64_t row = load_left<EXACT>(job, first + skip);
        if (lane_in_warp() == 0) {
            lists.lacks(at.lights) = at.lacks;
            lists.light_item(at.lights) = (int32_t)(first + skip);
        }
        at.lacks += full - (row & ~LEFT);
        ++at.lights;
    }
    for (int part = place.from / ROWS * ROWS; part < count; part += WARP * ROWS) {
        uint64_t rows[ROWS], lacks = 0, over = 0;
        int mine = part + lane_in_warp() * ROWS, counts = 0, all_counts;
#pragma unroll
        for (int k = 0; k < ROWS; ++k)
            rows[k] = mine + k < count && mine + k != skip ? load_left<EXACT>(job, first + mine + k) : 0;
#pragma unroll
        for (int k = 0; k < ROWS; ++k) {
            if (rows[k] == 0) continue;
            uint64_t units = rows[k] & ~LEFT;
            if (units < full)
                lacks += full - units, ++counts;
            else
                over += units - full, counts += 1 << 16;
        }
        left_items all, here;
        here.lacks = at.lacks + scan_over_warp(lacks, &all.lacks);
        here.over = at.over + scan_over_warp(over, &all.over);
        counts = exclusive_scan(counts, 0, plus{}, &all_counts);
        here.lights = at.lights + (uint32_t)(counts & 0xffff);
        here.heavies = at.heavies + (uint32_t)(counts >> 16);
        list_rows(lists, rows, first + mine, full, here);
        all.lights = (uint32_t)(all_counts & 0xffff);
        all.heavies = (uint32_t)(all_counts >> 16);
        at = at + all;
    }
}

} // namespace

spg_status scan_left(spg_context *context, const table_job &job, const build_notes &notes, unsigned int *post)
{
    spg_cuda *cuda = spg_cuda_of(context);
    *post = ++cuda->posts;
    scan_left_kernel<<<(unsigned)groups_of(job.items), THREADS, 0, cuda->stream>>>(notes, tiles_of(job.items),
                                                                                   cuda->device_mailbox, *post);
    return spg_cuda_check_launch(context, "scanning what tiles of an alias table leave");
}

spg_status list_left(spg_context *context, const table_job &job, bool exact, const build_notes &notes,
                     const left_lists &lists)
{
    auto kernel = exact ? list_left_kernel<true> : list_left_kernel<false>;
    unsigned blocks = (unsigned)((tiles_of(job.items) + WARPS - 1) / WARPS);
    kernel<<<blocks, THREADS, 0, spg_cuda_of(context)->stream>>>(job, notes, lists);
    return spg_cuda_check_launch(context, "listing what tiles of an alias table leave");
}

} // namespace alias
} // namespace spg
