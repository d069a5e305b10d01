/* Collects what tiles of big rows leave into lists (build.cuh).
 *
 * Scan: a block scans a group of tiles, the last block to end scans the groups; each of many rows is one group. The
 * last block posts the result to the host, which is faster than a copy and a wait. Listing: a warp takes a tile,
 * without barriers, so that tiles with few leftovers, mostly at their end, cost little. */
#include "build.cuh"

#include <cub/block/block_scan.cuh>

namespace spg
{
namespace alias
{

namespace
{

using block_scan = cub::BlockScan<left_items, THREADS, cub::BLOCK_SCAN_WARP_SCANS>;

/* Exclusive sums of up to TILE numbers, in place; returns their sum. A block calls it. */
__device__ left_items scan_numbers(left_items *numbers, int count)
{
    __shared__ typename block_scan::TempStorage space;
    left_items mine[ITEMS], none = {0, 0, 0, 0}, all;
    int first = (int)threadIdx.x * ITEMS;
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) mine[k] = numbers[min(first + k, count - 1)]; /* coalesced */
#pragma unroll
    for (int k = 0; k < ITEMS; ++k)
        if (first + k >= count) mine[k] = none;
    __syncthreads();
    block_scan(space).ExclusiveScan(mine, mine, none, plus{}, all);
#pragma unroll
    for (int k = 0; k < ITEMS; ++k)
        if (first + k < count) numbers[first + k] = mine[k];
    return all;
}

__device__ unsigned int fault_of_sum(double total) { return total > LARGEST ? ENDLESS_SUM : total > 0 ? 0 : NO_SUM; }

__global__ void __launch_bounds__(THREADS)
    scan_left_kernel(const __grid_constant__ build_notes notes, int64_t tiles, spg_mailbox *mailbox, unsigned int post)
{
    int64_t first = (int64_t)blockIdx.x * TILE;
    left_items all = scan_numbers(notes.left + first, (int)min(tiles - first, (int64_t)TILE));
    if (threadIdx.x == 0) notes.groups[blockIdx.x] = all;
    if (!is_last_block(notes.done)) return;
    all = scan_numbers(notes.groups, (int)gridDim.x);
    if (threadIdx.x != 0) return;
    unsigned int faults = fault_of_sum(notes.sum->total);
    if (*notes.first_fault != NONE_FIRST) faults |= FAULT_REPORTED;
    *notes.all = {all, faults, 0, 0};
    mailbox->counters.nnz = (unsigned long long)all.lights + all.heavies;
    mailbox->counters.faults = faults;
    __threadfence_system();
    mailbox->number = post;
}

/* Gives a row's lists and parts the next free room when its block arrives. */
__device__ unsigned int place_row(const many_rows &rows, const big_row &row, const left_items &items)
{
    left_by_all &all = rows.notes.all[blockIdx.x];
    all = {items, fault_of_sum(rows.notes.sum[blockIdx.x].total), 0, 0};
    if ((all.faults & NO_SUM) != 0) report_first(rows.notes.first_fault, row.row);
    if (all.faults != 0) {
        atomicOr(&rows.left->faults, all.faults);
        return 0;
    }
    unsigned long long count = (unsigned long long)items.lights + items.heavies;
    unsigned int parts = (unsigned int)tiles_of((int64_t)count);
    all.begin = (int64_t)atomicAdd(&rows.left->count, count);
    all.first_part = atomicAdd(&rows.left->parts, parts);
    return parts;
}

__global__ void __launch_bounds__(THREADS)
    scan_left_of_rows_kernel(const __grid_constant__ many_rows rows, spg_mailbox *mailbox, unsigned int post)
{
    __shared__ unsigned int parts;
    big_row row = rows.rows.list[blockIdx.x];
    left_items items = scan_numbers(rows.notes.left + row.first_tile, (int)tiles_of(row.items));
    if (threadIdx.x == 0) parts = place_row(rows, row, items);
    __syncthreads();
    int32_t *row_of_part = rows.row_of_part + rows.notes.all[blockIdx.x].first_part;
    for (unsigned int k = threadIdx.x; k < parts; k += THREADS) row_of_part[k] = (int32_t)blockIdx.x;
    if (!is_last_block(&rows.left->done) || threadIdx.x != 0) return;
    mailbox->counters.nnz = rows.left->count;
    mailbox->counters.products = rows.left->parts;
    mailbox->counters.faults = rows.left->faults | (*rows.notes.first_fault != NONE_FIRST ? FAULT_REPORTED : 0);
    __threadfence_system();
    mailbox->number = post;
}

/* A lane takes ROWS items at a time, WARP apart, so that the warp's reads and writes are coalesced. */
enum { ROWS = 4, PART = WARP * ROWS };

template <bool EXACT>
__device__ void load_part(const table_job &job, int64_t first, int part, int count, uint64_t (&rows)[ROWS])
{
#pragma unroll
    for (int k = 0; k < ROWS; ++k) {
        int place = part + k * WARP + lane_in_warp();
        rows[k] = place < count ? load_left<EXACT>(job, first + place) : 0;
    }
}

/* Lists the rows of a part of one kind, in the lanes of the masks `lanes`, after `count` rows with the sum `sum`. */
template <bool HEAVIES>
__device__ void list_kind(const left_lists &lists, const uint64_t (&amounts)[ROWS], const unsigned int (&lanes)[ROWS],
                          int64_t item, uint64_t &sum, uint32_t &count)
{
    uint64_t through[ROWS];
#pragma unroll
    for (int k = 0; k < ROWS; ++k) through[k] = inclusive_scan(amounts[k], plus{});
#pragma unroll
    for (int k = 0; k < ROWS; ++k) {
        if ((lanes[k] >> lane_in_warp() & 1) != 0) {
            int64_t place = (int64_t)count + __popc(lanes[k] & lanes_below());
            (HEAVIES ? lists.over(place) : lists.lacks(place)) = sum + through[k] - (HEAVIES ? 0 : amounts[k]);
            (HEAVIES ? lists.heavy_item(place) : lists.light_item(place)) = (int32_t)(item + k * WARP);
        }
        sum += __shfl_sync(ALL_LANES, through[k], WARP - 1);
        count += (uint32_t)__popc(lanes[k]);
    }
}

/* Lists a part, of which this lane's first item is `item`. */
__device__ void list_part(const left_lists &lists, const uint64_t (&rows)[ROWS], int64_t item, uint64_t full,
                          left_items &at)
{
    uint64_t lacks[ROWS], over[ROWS];
    unsigned int lights[ROWS], heavies[ROWS], any_light = 0, any_heavy = 0;
#pragma unroll
    for (int k = 0; k < ROWS; ++k) {
        uint64_t units = rows[k] & ~LEFT;
        bool light = rows[k] != 0 && units < full, heavy = rows[k] != 0 && !light;
        lacks[k] = light ? full - units : 0;
        over[k] = heavy ? units - full : 0;
        any_light |= lights[k] = __ballot_sync(ALL_LANES, light);
        any_heavy |= heavies[k] = __ballot_sync(ALL_LANES, heavy);
    }
    if (any_light != 0) list_kind<false>(lists, lacks, lights, item, at.lacks, at.lights);
    if (any_heavy != 0) list_kind<true>(lists, over, heavies, item, at.over, at.heavies);
}

template <bool EXACT, typename Rows>
__global__ void __launch_bounds__(THREADS)
    list_left_kernel(const __grid_constant__ Rows rows, const __grid_constant__ left_lists all)
{
    int64_t tile = (int64_t)blockIdx.x * WARPS + threadIdx.x / WARP;
    if (tile >= rows.tiles()) return;
    const row_tile mine = rows.tile(tile);
    const table_job &job = mine.job;
    const left_lists lists = rows.lists_of(all, mine.notes);
    if (!lists.are_usable()) return;
    int64_t first = mine.tile * TILE;
    left_place place = mine.notes.places[mine.tile];
    int count = (int)min((int64_t)TILE, job.items - first), skip = place.last_heavy;
    uint64_t full = job.full();
    left_items at = mine.notes.before(mine.tile);
    if (skip >= 0) { /* before the lights */
        uint64_t row = load_left<EXACT>(job, first + skip);
        if (lane_in_warp() == 0) {
            lists.lacks(at.lights) = at.lacks;
            lists.light_item(at.lights) = (int32_t)(first + skip);
        }
        at.lacks += full - (row & ~LEFT);
        ++at.lights;
    }
    int part = place.from / WARP * WARP;
    uint64_t now[ROWS], next[ROWS];
    load_part<EXACT>(job, first, part, count, next);
    for (; part < count; part += PART) {
#pragma unroll
        for (int k = 0; k < ROWS; ++k) now[k] = part + k * WARP + lane_in_warp() != skip ? next[k] : 0;
        load_part<EXACT>(job, first, part + PART, count, next);
        list_part(lists, now, first + part + lane_in_warp(), full, at);
    }
}

} // namespace

spg_status scan_left(spg_context *context, const one_row &row, unsigned int *post)
{
    spg_cuda *cuda = spg_cuda_of(context);
    *post = ++cuda->posts;
    scan_left_kernel<<<(unsigned)groups_of(row.job.items), THREADS, 0, cuda->stream>>>(row.notes, row.tiles(),
                                                                                       cuda->device_mailbox, *post);
    return spg_cuda_check_launch(context, "scanning what tiles of an alias table leave");
}

spg_status scan_left(spg_context *context, const many_rows &rows, unsigned int *post)
{
    spg_cuda *cuda = spg_cuda_of(context);
    *post = ++cuda->posts;
    scan_left_of_rows_kernel<<<(unsigned)rows.rows.count, THREADS, 0, cuda->stream>>>(rows, cuda->device_mailbox,
                                                                                      *post);
    return spg_cuda_check_launch(context, "scanning what tiles of alias tables leave");
}

template <typename Rows>
spg_status list_left(spg_context *context, const Rows &rows, bool exact, const left_lists &lists)
{
    auto kernel = exact ? list_left_kernel<true, Rows> : list_left_kernel<false, Rows>;
    unsigned blocks = (unsigned)((rows.tiles() + WARPS - 1) / WARPS);
    kernel<<<blocks, THREADS, 0, spg_cuda_of(context)->stream>>>(rows, lists);
    return spg_cuda_check_launch(context, "listing what tiles of an alias table leave");
}

template spg_status list_left(spg_context *, const one_row &, bool, const left_lists &);
template spg_status list_left(spg_context *, const many_rows &, bool, const left_lists &);

} // namespace alias
} // namespace spg
