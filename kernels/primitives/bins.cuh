/* Row binning: a stable partition of row numbers by class. Private; used by products and by sampling.
 *
 * In: rows 0 ... count - 1, or a list of rows, and a device functor that gives each row its class, 0 ... classes - 1,
 * or a negative number to leave the row out. Out: the row numbers grouped by class, in their original order within each
 * class, and where each class begins. All results stay in device memory, so that nothing waits: the next kernel takes
 * rows + begins[c] and counts + c.
 *
 * A tile of rows counts its classes. CUB scans the counts, class by class and tile by tile. Each tile then knows where
 * its rows of every class go, and ranks them within a warp by ballots. The functor is called twice for each row. */
#ifndef SPG_KERNELS_PRIMITIVES_BINS_CUH
#define SPG_KERNELS_PRIMITIVES_BINS_CUH

#include "warp.cuh"

namespace spg
{

enum { BINS_MOST = 16 };

/* The rows to bin. */
struct binned_rows {
    const int32_t *rows;          /* row numbers; NULL: 0, 1, ..., count - 1 */
    int32_t count;                /* number of rows; an upper bound if device_count is given */
    const uint32_t *device_count; /* number of rows, in device memory; NULL: count */
};

/* The result, in device memory that the caller allocates. */
struct row_bins {
    int32_t *rows;             /* count numbers */
    uint32_t *begins, *counts; /* where in rows each class begins, and its number of rows; both NULL: not wanted */
};

/* The bytes of workspace that bin_rows needs; the alignment of an allocation suffices. */
spg_status bins_workspace_bytes(spg_context *context, int32_t count, int classes, int64_t *bytes);

namespace bins
{

enum {
    THREADS = 256,
    WARPS = THREADS / WARP,
    ITEMS = 2,
    TILE = THREADS * ITEMS,
    FEW_TILES = 512 /* up to this number, every tile sums the counts of those before it, which saves the scan */
};
static_assert(BINS_MOST <= WARP, "one lane a class");

inline int64_t tiles_of(int32_t count) { return ((int64_t)count + TILE - 1) / TILE; }

/* Exclusive prefix sums of tile_counts, in place. */
spg_status scan_tile_counts(spg_context *context, uint32_t *tile_counts, int64_t count, void *workspace);

/* counts[w][c]: rows of class c in warp w of the tile. A warp takes WARP * ITEMS consecutive rows of the tile; the
 * lane's item k is row k * WARP + lane of these. */
template <typename Class>
__device__ inline void classify_tile(const binned_rows &all, Class row_class, int32_t (&row)[ITEMS],
                                     int (&class_of)[ITEMS], uint32_t (*counts)[BINS_MOST])
{
    int warp = threadIdx.x / WARP, lane = lane_in_warp();
    int64_t end = all.device_count != nullptr ? (int64_t)*all.device_count : all.count;
    int64_t first = (int64_t)blockIdx.x * TILE + warp * (WARP * ITEMS) + lane;
    if (lane < BINS_MOST) counts[warp][lane] = 0;
    __syncwarp();
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        int64_t at = first + k * WARP;
        row[k] = at < end ? (all.rows != nullptr ? all.rows[at] : (int32_t)at) : 0;
        class_of[k] = at < end ? row_class(row[k]) : -1;
    }
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        unsigned int alike = __match_any_sync(ALL_LANES, class_of[k]);
        if (class_of[k] >= 0 && (alike & lanes_below()) == 0) counts[warp][class_of[k]] += __popc(alike);
        __syncwarp();
    }
}

/* tile_counts[c * tiles + tile]; followed by one more element, 0. */
template <typename Class>
__global__ void __launch_bounds__(THREADS)
    count_kernel(const __grid_constant__ binned_rows all, const __grid_constant__ Class row_class, int classes,
                 uint32_t *tile_counts)
{
    __shared__ uint32_t counts[WARPS][BINS_MOST];
    int32_t row[ITEMS];
    int class_of[ITEMS];
    classify_tile(all, row_class, row, class_of, counts);
    __syncthreads();
    int c = threadIdx.x;
    if (c < classes) {
        uint32_t sum = 0;
        for (int w = 0; w < WARPS; ++w) sum += counts[w][c];
        tile_counts[(int64_t)c * gridDim.x + blockIdx.x] = sum;
    }
    if (blockIdx.x == 0 && c == 0) tile_counts[(int64_t)classes * gridDim.x] = 0;
}

/* For each class, its rows in all tiles and in those before this one; a warp a class. */
__device__ inline void sum_tile_counts(const uint32_t *tile_counts, int classes, uint32_t *all, uint32_t *before)
{
    for (int c = (int)threadIdx.x / WARP; c < classes; c += WARPS) {
        uint32_t sum = 0, sum_before = 0;
        for (uint32_t tile = lane_in_warp(); tile < gridDim.x; tile += WARP) {
            const uint32_t count = tile_counts[(int64_t)c * gridDim.x + tile];
            sum += count;
            if (tile < blockIdx.x) sum_before += count;
        }
        sum = __reduce_add_sync(ALL_LANES, sum);
        sum_before = __reduce_add_sync(ALL_LANES, sum_before);
        if (lane_in_warp() > 0) continue;
        all[c] = sum;
        before[c] = sum_before;
    }
}

/* tile_begins: scanned; with few tiles, their counts. */
template <typename Class>
__global__ void __launch_bounds__(THREADS)
    scatter_kernel(const __grid_constant__ binned_rows all, const __grid_constant__ Class row_class, int classes,
                   const uint32_t *tile_begins, const __grid_constant__ row_bins result)
{
    __shared__ uint32_t places[WARPS][BINS_MOST], rows_of[BINS_MOST], before[BINS_MOST];
    const bool few = gridDim.x <= FEW_TILES;
    int32_t row[ITEMS];
    int class_of[ITEMS];
    if (few) sum_tile_counts(tile_begins, classes, rows_of, before);
    classify_tile(all, row_class, row, class_of, places);
    __syncthreads();
    int c = threadIdx.x;
    if (c < classes) {
        uint32_t begin = 0;
        if (few)
            for (int k = 0; k < c; ++k) begin += rows_of[k];
        uint32_t place = few ? begin + before[c] : tile_begins[(int64_t)c * gridDim.x + blockIdx.x];
        for (int w = 0; w < WARPS; ++w) {
            uint32_t count = places[w][c];
            places[w][c] = place;
            place += count;
        }
        if (blockIdx.x == 0 && result.begins != nullptr) {
            const uint32_t *scanned = tile_begins + (int64_t)c * gridDim.x;
            result.begins[c] = few ? begin : scanned[0];
            result.counts[c] = few ? rows_of[c] : scanned[gridDim.x] - scanned[0];
        }
    }
    __syncthreads();
    uint32_t *mine = places[threadIdx.x / WARP];
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        unsigned int alike = __match_any_sync(ALL_LANES, class_of[k]);
        uint32_t place = class_of[k] >= 0 ? mine[class_of[k]] : 0;
        __syncwarp();
        if (class_of[k] >= 0) {
            result.rows[place + __popc(alike & lanes_below())] = row[k];
            if ((alike & lanes_below()) == 0) mine[class_of[k]] = place + __popc(alike);
        }
        __syncwarp();
    }
}

} // namespace bins

/* Bins rows: queued on the context's stream, in O(count). `row_class` is copied to the device; it is called twice for
 * each row and must return the same class. The workspace may be freed as soon as this returns, in the stream's order. 1
 * <= classes <= BINS_MOST. */
template <typename Class>
spg_status bin_rows(spg_context *context, const binned_rows &all, const Class &row_class, int classes, void *workspace,
                    const row_bins &result)
{
    cudaStream_t stream = spg_cuda_of(context)->stream;
    int64_t tiles = bins::tiles_of(all.count);
    size_t bytes = (size_t)classes * sizeof(uint32_t);
    if (tiles == 0 && result.begins != nullptr) {
        spg_status status = spg_cuda_check(context, cudaMemsetAsync(result.begins, 0, bytes, stream), "bins");
        if (status != SPG_OK) return status;
        return spg_cuda_check(context, cudaMemsetAsync(result.counts, 0, bytes, stream), "bins");
    }
    if (tiles == 0) return SPG_OK;
    uint32_t *tile_counts = static_cast<uint32_t *>(workspace);
    bins::count_kernel<<<(unsigned)tiles, bins::THREADS, 0, stream>>>(all, row_class, classes, tile_counts);
    spg_status status = spg_cuda_check_launch(context, "counting rows by class");
    if (status == SPG_OK && tiles > bins::FEW_TILES)
        status = bins::scan_tile_counts(context, tile_counts, tiles * classes + 1, workspace);
    if (status != SPG_OK) return status;
    bins::scatter_kernel<<<(unsigned)tiles, bins::THREADS, 0, stream>>>(all, row_class, classes, tile_counts, result);
    return spg_cuda_check_launch(context, "binning rows");
}

} // namespace spg

#endif
