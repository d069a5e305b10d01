/* Tiles of big rows: from weights to rows of the table, finished or left. A block takes a tile of items. The first
 * block takes the last tile: the sum of the weights read it last, so it is still in cache. */
#include "build.cuh"

namespace spg
{
namespace alias
{

namespace
{

template <typename Rows> __device__ row_tile tile_of_block(const Rows &rows)
{
    return rows.tile((int64_t)gridDim.x - 1 - blockIdx.x);
}

/* Thread 0 of each block notes what its tile leaves; one of them also notes that no group has been scanned yet. */
__device__ void note_left(const row_tile &at, const left_items &left, left_place place)
{
    at.notes.left[at.tile] = left;
    at.notes.places[at.tile] = place;
    if (blockIdx.x == 0) *at.notes.done = 0;
}

/* What the threads of a block leave. */
struct left_by_block {
    int count, from, last_heavy;
};

template <bool WHOLE, bool EXACT>
__device__ tile_lists open_tile(tile_space<THREADS, EXACT> &space, const table_job &job, spg_unit_scale scale,
                                int64_t first, int count)
{
    double weights[ITEMS];
    load_weights<WHOLE, THREADS>(job.weights.from(first), count, weights);
#pragma unroll
    for (int k = 0; k < ITEMS; ++k)
        space.strided_row(k) =
            spg_alias_units(spg_units(weights[k], scale), first + k * THREADS + (int64_t)threadIdx.x);
    __syncthreads();
    return list_items<WHOLE>(space, count, job.full());
}

template <bool EXACT, typename Rows>
__global__ void __launch_bounds__(THREADS, 5) pack_greedily_kernel(const __grid_constant__ Rows rows)
{
    __shared__ tile_space<THREADS, EXACT> space;
    __shared__ left_by_block left_by_all;
    const row_tile at = tile_of_block(rows);
    const table_job &job = at.job;
    int64_t first = at.tile * TILE;
    int count = (int)min((int64_t)TILE, job.items - first);
    bool whole = count == TILE; /* nearly always; then no item needs a bounds test */
    spg_unit_scale scale = at.notes.sum->units;
    if (threadIdx.x == 0) left_by_all = {0, TILE, -1};
    tile_lists lists =
        whole ? open_tile<true>(space, job, scale, first, count) : open_tile<false>(space, job, scale, first, count);
    left_here left = pair_items<false>(space, lists, count, job, first);
    if (left.count > 0) {
        atomicAdd(&left_by_all.count, left.count);
        atomicMin(&left_by_all.from, left.first);
        if (left.last_heavy >= 0) left_by_all.last_heavy = left.last_heavy;
    }
    __syncthreads();
    if (whole)
        store_tile<true>(space, job, scale, first, count);
    else
        store_tile<false>(space, job, scale, first, count);
    if (threadIdx.x != 0) return;
    bool lights = lists.lacks > lists.over;
    uint32_t left_lights = lights ? (uint32_t)left_by_all.count : 0;
    note_left(at,
              {lights ? lists.lacks - lists.over : 0, lights ? 0 : lists.over - lists.lacks, left_lights,
               (uint32_t)left_by_all.count - left_lights},
              {(int16_t)left_by_all.from, (int16_t)left_by_all.last_heavy});
}

template <bool EXACT, typename Rows>
__global__ void __launch_bounds__(THREADS) leave_all_kernel(const __grid_constant__ Rows rows)
{
    __shared__ warp_sums<THREADS> warps;
    const row_tile at = tile_of_block(rows);
    const table_job &job = at.job;
    int64_t first = at.tile * TILE;
    uint64_t lacks = 0, over = 0;
    int counts = 0;
    spg_unit_scale scale = at.notes.sum->units;
    double weights[ITEMS];
    load_weights<false, THREADS>(job.weights.from(first), (int)min((int64_t)TILE, job.items - first), weights);
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        int64_t item = first + k * THREADS + (int)threadIdx.x;
        if (item >= job.items) break;
        uint64_t units = spg_alias_units(spg_units(weights[k], scale), item);
        store_left<EXACT>(job, item, units | LEFT);
        if (units < job.full())
            lacks += job.full() - units, ++counts;
        else
            over += units - job.full(), counts += 1 << 16;
    }
    tile_lists lists = sum_over_block(warps, lacks, over, counts);
    if (threadIdx.x == 0)
        note_left(at, {lists.lacks, lists.over, (uint32_t)lists.lights, (uint32_t)lists.heavies}, {0, -1});
}

} // namespace

template <typename Rows> spg_status pack_greedily(spg_context *context, const Rows &rows, bool exact)
{
    auto kernel = exact ? pack_greedily_kernel<true, Rows> : pack_greedily_kernel<false, Rows>;
    kernel<<<(unsigned)rows.tiles(), THREADS, 0, spg_cuda_of(context)->stream>>>(rows);
    return spg_cuda_check_launch(context, "packing an alias table greedily");
}

template <typename Rows> spg_status leave_all(spg_context *context, const Rows &rows, bool exact)
{
    auto kernel = exact ? leave_all_kernel<true, Rows> : leave_all_kernel<false, Rows>;
    kernel<<<(unsigned)rows.tiles(), THREADS, 0, spg_cuda_of(context)->stream>>>(rows);
    return spg_cuda_check_launch(context, "summing the items of an alias table");
}

template spg_status pack_greedily(spg_context *, const one_row &, bool);
template spg_status pack_greedily(spg_context *, const many_rows &, bool);
template spg_status leave_all(spg_context *, const one_row &, bool);
template spg_status leave_all(spg_context *, const many_rows &, bool);

} // namespace alias
} // namespace spg
