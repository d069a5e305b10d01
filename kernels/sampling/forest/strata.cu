/* Stratified draws by monotone inversion: numbers and bounds both ascend, so draws come from merging them. A warp takes
 * a run of strata, tile by tile. Its lanes take the next 32 bounds; each finds before which draw of the tile its item
 * begins, for which it needs one random number: that of the stratum it lies in. If bounds are much denser than strata,
 * each draw is searched for separately. */
#include "draw.cuh"

namespace spg
{
namespace forest
{

namespace
{

/* MOST_BOUNDS: of a tile that is merged; a multiple of a warp. */
enum { THREADS = 256, WARPS = THREADS / WARP, TILE = 8 * WARP, RUN_TILES = 16, MOST_BOUNDS = 4 * WARP };

struct strata_job {
    forest_view forest;
    int64_t row, count;
    spg_strata strata;
    spg_random random;
    int32_t *draws;
};

__device__ uint64_t number_of(const strata_job &job, int64_t i)
{
    uint64_t number = spg_random_number(job.random.seed, job.random.stream, job.random.first + (uint64_t)i);
    return spg_stratified(&job.strata, (uint64_t)i, number);
}

/* The number of draws before a bound. */
__device__ int64_t draws_before(const strata_job &job, uint64_t bound)
{
    int64_t i = (int64_t)spg_stratum_of(&job.strata, (uint64_t)job.count, bound);
    return i < job.count && number_of(job, i) < bound ? i + 1 : i;
}

/* Counts how many items begin at each draw of a tile, [tile, last), from all bounds up to its end. Returns the number
 * of these; *any: marks are set. */
__device__ int32_t mark_beginnings(const strata_job &job, const row_view &row, int32_t item, int64_t tile, int64_t last,
                                   uint64_t tile_end, int *marks, bool *any)
{
    int32_t bounds = 0, passed = WARP;
    *any = false;
    while (passed == WARP) {
        uint64_t bound = row.bound((int64_t)item + 1 + bounds + lane_in_warp());
        bool lies_here = bound <= tile_end && bound < SPG_FOREST_END;
        passed = __popc(__ballot_sync(ALL_LANES, lies_here));
        if (passed == 0) break;
        if (!*any) {
            *any = true;
            int4 *quads = reinterpret_cast<int4 *>(marks);
            quads[lane_in_warp()] = quads[WARP + lane_in_warp()] = {0, 0, 0, 0};
            __syncwarp();
        }
        int64_t draw = lies_here ? draws_before(job, bound) : last;
        if (draw < last) atomicAdd(&marks[draw - tile], 1);
        bounds += passed;
    }
    __syncwarp();
    return bounds;
}

/* Writes four draws of a tile from draw i on. */
__device__ void write_four(const strata_job &job, const row_view &row, int64_t i, int4 items)
{
    int4 names = {row.name(items.x), row.name(items.y), row.name(items.z), row.name(items.w)};
    if (i + 4 <= job.count && (reinterpret_cast<uintptr_t>(job.draws) & 15) == 0) {
        __stcs(reinterpret_cast<int4 *>(job.draws + i), names);
        return;
    }
    const int32_t name[] = {names.x, names.y, names.z, names.w};
#pragma unroll
    for (int k = 0; k < 4; ++k)
        if (i + k < job.count) job.draws[i + k] = name[k];
}

/* Writes the draws of a tile; the item of its first number is given. Lane l has draws 4 l ... 4 l + 3 of both
 * halves. */
__device__ void write_tile(const strata_job &job, const row_view &row, int32_t item, int64_t tile, const int *marks,
                           bool any)
{
    int lane = lane_in_warp();
    int64_t first = tile + 4 * lane, second = first + TILE / 2;
    if (!any) {
        write_four(job, row, first, {item, item, item, item});
        write_four(job, row, second, {item, item, item, item});
        return;
    }
    const int4 *quads = reinterpret_cast<const int4 *>(marks);
    int4 a = quads[lane], b = quads[WARP + lane];
    a.y += a.x, a.z += a.y, a.w += a.z;
    b.y += b.x, b.z += b.y, b.w += b.z;
    /* One scan for both halves: a tile has fewer than 2^15 marks. */
    static_assert(MOST_BOUNDS + WARP < 1 << 15, "marks of a half take 16 bits");
    int sums = a.w + (b.w << 16), through = inclusive_scan(sums, plus());
    int all = __shfl_sync(ALL_LANES, through, WARP - 1), before = through - sums;
    int32_t x = item + (before & 0xffff), y = item + (all & 0xffff) + (before >> 16);
    write_four(job, row, first, {x + a.x, x + a.y, x + a.z, x + a.w});
    write_four(job, row, second, {y + b.x, y + b.y, y + b.z, y + b.w});
}

template <bool TREES>
__device__ void search_tile(const strata_job &job, const row_view &row, int64_t tile, int64_t last)
{
    for (int64_t i = tile + lane_in_warp(); i < last; i += WARP)
        job.draws[i] = row.name(search<TREES>(row, number_of(job, i)));
}

template <bool TREES> __global__ void __launch_bounds__(THREADS) strata_kernel(const __grid_constant__ strata_job job)
{
    __shared__ __align__(16) int all_marks[WARPS][TILE];
    int *marks = all_marks[threadIdx.x / WARP];
    row_view row(job.forest, job.row);
    int64_t step = (int64_t)gridDim.x * WARPS, run = (int64_t)blockIdx.x * WARPS + threadIdx.x / WARP;
    for (; run * (RUN_TILES * TILE) < job.count; run += step) {
        int64_t tile = run * (RUN_TILES * TILE), run_end = min(tile + RUN_TILES * TILE, job.count);
        int32_t item = search<TREES>(row, spg_stratum_begin(&job.strata, (uint64_t)tile));
        for (; tile < run_end; tile += TILE) {
            int64_t last = min(tile + TILE, job.count);
            uint64_t tile_end = spg_stratum_begin(&job.strata, (uint64_t)last);
            if (row.bound((int64_t)item + MOST_BOUNDS) >= tile_end) {
                bool any;
                int32_t bounds = mark_beginnings(job, row, item, tile, last, tile_end, marks, &any);
                write_tile(job, row, item, tile, marks, any);
                item += bounds;
            } else {
                search_tile<TREES>(job, row, tile, last);
                if (last < run_end) item = search<TREES>(row, tile_end);
            }
            __syncwarp();
        }
    }
}

} // namespace

spg_status draw_strata(spg_context *context, const forest_view &forest, int64_t row, int64_t count,
                       const spg_random &random, int32_t *draws)
{
    spg_cuda *cuda = spg_cuda_of(context);
    strata_job job = {forest, row, count, spg_strata_of((uint64_t)count), random, draws};
    auto kernel = forest.bounds.nodes != nullptr ? strata_kernel<true> : strata_kernel<false>;
    int64_t pieces = (count + (int64_t)WARPS * RUN_TILES * TILE - 1) / ((int64_t)WARPS * RUN_TILES * TILE);
    kernel<<<loop_blocks(context, pieces), THREADS, 0, cuda->stream>>>(job);
    return spg_cuda_check_launch(context, "stratified draws");
}

} // namespace forest
} // namespace spg
