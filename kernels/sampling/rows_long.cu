/* One draw from each of the rows too long for a warp, a block a row: it goes down the tree of sums by a thousand nodes
 * at a time, whose sums its warps form, until it stands at a piece, from which a warp draws. */
#include "rows.cuh"

namespace spg
{
namespace rows
{

namespace
{

enum {
    THREADS = 512,
    WARPS = THREADS / WARP,
    NODES = 1024,
    NODES_LEVELS = 10,
    PIECE_LEVELS = 10,
    BLOCKS_A_MULTIPROCESSOR = 2
};
static_assert(1 << NODES_LEVELS == NODES && 1 << PIECE_LEVELS == PIECE, "as many as levels give");
constexpr int STACK = 12; /* a node has up to 2^11 pieces: rows have less than 2^31 items */

/* The sum of `pieces` pieces (a power of two) from `first` on, by a warp. stack: of the nodes that wait for their right
 * siblings. */
template <typename Real>
__device__ double sum_pieces(const row_job<Real> &job, int64_t begin, int64_t items, int64_t first, int pieces,
                             double scale, bool *bad)
{
    double stack[STACK];
    for (int piece = 0; piece < pieces; ++piece) {
        int64_t at = first + (int64_t)piece * PIECE;
        double sum = 0;
        if (at < items) {
            tree::chunk_tree<WARP, WARP> sums;
            sum_items(job, begin, items, at, scale, bad, &sums);
            sum = sums.root();
        }
        int level = 0;
        for (; piece >> level & 1; ++level) sum = add(stack[level], sum);
        stack[level] = sum;
    }
    return stack[31 - __clz(pieces)];
}

/* sums[1] is the root of nodes sums[count ... 2 * count - 1]. */
__device__ void build_heap(double *sums, int count)
{
    for (int size = count / 2; size > 0; size /= 2) {
        __syncthreads();
        for (int k = (int)threadIdx.x; k < size; k += THREADS)
            sums[size + k] = add(sums[2 * (size + k)], sums[2 * (size + k) + 1]);
    }
    __syncthreads();
}

/* Down the heap, by every thread alike. */
__device__ int find_in_heap(const double *sums, int count, double target, double *base)
{
    int node = 1;
    while (node < count) {
        double left = sums[2 * node];
        bool right = spg_goes_right(target, *base, left, sums[2 * node + 1]);
        if (right) *base = add(*base, left);
        node = 2 * node + right;
    }
    return node - count;
}

template <typename Real>
__device__ void draw_long_row(const row_job<Real> &job, int64_t row, double *sums, int64_t begin, int64_t items)
{
    int warp = (int)threadIdx.x / WARP, levels = spg_levels(items);
    double u = job.uniform(row), scale = 1, target = 0, base = 0;
    int64_t first = 0;
    bool bad = false, at_root = true;
    while ((int64_t)1 << levels > PIECE) {
        int node_levels = max(levels - NODES_LEVELS, (int)PIECE_LEVELS), count = 1 << (levels - node_levels);
        for (int k = warp; k < count; k += WARPS) {
            double sum = sum_pieces(job, begin, items, first + ((int64_t)k << node_levels),
                                    1 << (node_levels - PIECE_LEVELS), scale, &bad);
            if (lane_in_warp() == 0) sums[count + k] = sum;
        }
        build_heap(sums, count);
        if (at_root && is_too_large<Real>(sums[1], scale)) {
            scale = SPG_SCALE_DOWN;
            __syncthreads();
            continue;
        }
        if (at_root) {
            target = multiply(u, sums[1]);
            if (!is_sound_sum(sums[1])) report_first(job.first_fault, row);
        }
        at_root = false;
        first += (int64_t)find_in_heap(sums, count, target, &base) << node_levels;
        levels = node_levels;
        __syncthreads();
    }
    if (bad) report_first(job.first_fault, row);
    if (warp != 0) return;
    tree::chunk_tree<WARP, WARP> piece;
    int64_t item;
    sum_items(job, begin, items, first, scale, &bad, &piece);
    if (find_in_items(job, begin, items, first, scale, piece, target, base, &item))
        job.write(row, begin, min(item, items - 1));
}

template <typename Real>
__global__ void __launch_bounds__(THREADS, 1) long_rows_kernel(const __grid_constant__ row_job<Real> job)
{
    __shared__ double sums[2 * NODES];
    unsigned int count = min(*job.long_count, job.long_room);
    for (unsigned int k = blockIdx.x; k < count; k += gridDim.x) {
        int64_t row = job.long_rows[k], begin = job.offsets[row];
        draw_long_row(job, row, sums, begin, job.offsets[row + 1] - begin);
        __syncthreads();
    }
}

} // namespace

template <typename Real> spg_status draw_long_rows(spg_context *context, const row_job<Real> &job)
{
    spg_cuda *cuda = spg_cuda_of(context);
    int blocks = cuda->multiprocessors * BLOCKS_A_MULTIPROCESSOR;
    long_rows_kernel<<<(unsigned)blocks, THREADS, 0, cuda->stream>>>(job);
    return spg_cuda_check_launch(context, "drawing from long rows");
}

template spg_status draw_long_rows(spg_context *, const row_job<float> &);
template spg_status draw_long_rows(spg_context *, const row_job<double> &);

} // namespace rows
} // namespace spg
