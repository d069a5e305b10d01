/* Builds guide tables from bounds: an item fills the cells that begin in it. Most items fill few cells. A warp fills
 * the wider runs of its items together, and the widest are listed for all blocks. See src/sampling/forest.h. */
#include "build.cuh"

namespace spg
{
namespace forest
{

namespace
{

enum { THREADS = 256, BY_THREAD = 8, BY_WARP = 1 << 14 };

/* Entries [first, end) of the guide get `item`. */
struct guide_run {
    int64_t first, end;
    int32_t item;
};

/* The run of item k of a row. */
__device__ guide_run run_of_item(const forest_view &forest, int64_t k, int64_t row)
{
    int64_t begin = forest.offsets[row], items = forest.offsets[row + 1] - begin, item = k - begin;
    uint64_t bound = forest.bounds[k], next = forest.bound(begin, items, item + 1);
    int shift = 63 - forest.guide_bits(row);
    uint64_t last = ((uint64_t)1 << shift) - 1;
    int64_t guide = forest.guide_offsets[row];
    guide_run run = {guide + (int64_t)((bound + last) >> shift), guide + (int64_t)((next + last) >> shift),
                     (int32_t)item};
    /* The last item with a nonempty interval also fills the entry after the last cell. */
    if (bound < SPG_FOREST_END && next == SPG_FOREST_END) ++run.end;
    if (bound == SPG_FOREST_END) run.end = run.first;
    return run;
}

/* A warp takes 32 neighbouring items. */
__global__ void __launch_bounds__(THREADS)
    fill_guides_kernel(numbers_view offsets, int64_t rows, int64_t nnz, const __grid_constant__ forest_view forest,
                       guide_run *wide_runs, unsigned int *wide_count, unsigned int room)
{
    int64_t first = ((int64_t)blockIdx.x * THREADS + threadIdx.x) / WARP * WARP, step = (int64_t)gridDim.x * THREADS;
    for (; first < nnz; first += step) {
        int64_t last = min(first + WARP, nnz) - 1, k = first + lane_in_warp();
        int64_t low = row_of_entry(offsets, 0, rows - 1, first), high = row_of_entry(offsets, low, rows - 1, last);
        guide_run run = {0, 0, 0};
        if (k < nnz) run = run_of_item(forest, k, row_of_entry(offsets, low, high, k));
        int64_t length = run.end - run.first;
        for (int64_t g = run.first; length <= BY_THREAD && g < run.end; ++g) forest.guide[g] = run.item;
        if (length > BY_WARP) {
            unsigned int place = atomicAdd(wide_count, 1u);
            if (place < room) wide_runs[place] = run;
        }
        unsigned int rest = __ballot_sync(ALL_LANES, length > BY_THREAD && length <= BY_WARP);
        for (; rest != 0; rest &= rest - 1) {
            int source = __ffs((int)rest) - 1;
            int64_t g = __shfl_sync(ALL_LANES, run.first, source), end = __shfl_sync(ALL_LANES, run.end, source);
            int32_t item = __shfl_sync(ALL_LANES, run.item, source);
            for (g += lane_in_warp(); g < end; g += WARP) forest.guide[g] = item;
        }
    }
}

} // namespace

spg_status fill_guides(const workspace &held, const spg_csr &weights, const forest_view &forest, int64_t guide_count)
{
    spg_context *context = held.context;
    workspace work(context, held.held_bytes());
    const spg_cuda *cuda = spg_cuda_of(context);
    cudaStream_t stream = cuda->stream;
    unsigned int room = (unsigned int)(guide_count / BY_WARP + 1);
    guide_run *wide_runs = nullptr;
    unsigned int *wide_count = nullptr;
    spg_status status = work.take(room, "wide items of a guide", &wide_runs);
    if (status == SPG_OK) status = work.take(1, "wide items of a guide", &wide_count);
    if (status == SPG_OK)
        status = spg_cuda_check(context, cudaMemsetAsync(wide_count, 0, sizeof *wide_count, stream), "a guide");
    int32_t *guide = forest.guide;
    /* Items of rows of nothing fill no cells. */
    if (status == SPG_OK && allows_empty_rows(context))
        status = for_each(context, guide_count, "filling guides",
                          [=] __device__(int64_t g) { guide[g] = SPG_FOREST_NOTHING; });
    if (status != SPG_OK || weights.nnz == 0) return status;
    unsigned int blocks = loop_blocks(context, (weights.nnz + THREADS - 1) / THREADS);
    fill_guides_kernel<<<blocks, THREADS, 0, stream>>>({forest.offsets, true}, weights.rows, weights.nnz, forest,
                                                       wide_runs, wide_count, room);
    status = spg_cuda_check_launch(context, "filling guides");
    if (status != SPG_OK) return status;
    int64_t threads = (int64_t)cuda->multiprocessors * cuda->multiprocessor_threads;
    return for_each(context, threads, "filling guides", [=] __device__(int64_t thread) {
        unsigned int count = min(*wide_count, room);
        for (unsigned int w = 0; w < count; ++w)
            for (int64_t g = wide_runs[w].first + thread; g < wide_runs[w].end; g += threads)
                guide[g] = wide_runs[w].item;
    });
}

} // namespace forest
} // namespace spg
