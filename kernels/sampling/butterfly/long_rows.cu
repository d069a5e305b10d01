/* One draw from each row too long for a warp. Lists these rows first, then takes a block a row: it goes down the tree
 * of sums, forming the sums of a thousand nodes at a time by its warps, to a piece, from which one warp draws. */
#include "row_tree.cuh"
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
    NODES_LEVELS = 10,
    NODES = 1 << NODES_LEVELS,
    BLOCKS_A_MULTIPROCESSOR = 2,
    BATCH = 8 /* chunks loaded together */
};
constexpr int STACK = 12; /* a node has up to 2^10 pieces, because rows have fewer than 2^31 items */

/* The sum of `count` pieces (a power of two) from `first` on, by a warp. stack: nodes that wait for their right
 * siblings. */
template <bool PLAIN, typename Real>
__device__ double sum_pieces(const row_pieces<Real, int64_t> &pieces, int64_t first, int count, double scale, bool *odd)
{
    double stack[STACK];
    for (int k = 0; k < count; ++k) {
        double sum = 0;
        if (first + k < pieces.count())
            sum = tree::sum_across<1, WARP>(piece_sums<BATCH, PLAIN, Real>::sum(pieces[first + k], scale, odd));
        int level = 0;
        for (; k >> level & 1; ++level) sum = add(stack[level], sum);
        stack[level] = sum;
    }
    return stack[31 - __clz(count)];
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

/* Goes down the heap; every thread does the same. */
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

template <bool PLAIN, typename Real>
__device__ outcome draw_long_row(const row_job<Real> &job, int64_t row, double *sums,
                                 const row_pieces<Real, int64_t> &pieces, double u, double scale)
{
    int warp = (int)threadIdx.x / WARP, levels = spg_levels(pieces.count());
    double target = 0, base = 0;
    int64_t first = 0;
    bool odd = false, at_root = true;
    while (levels > 0) {
        int node_levels = max(levels - NODES_LEVELS, 0), count = 1 << (levels - node_levels);
        for (int k = warp; k < count; k += WARPS) {
            double sum = sum_pieces<PLAIN>(pieces, first + ((int64_t)k << node_levels), 1 << node_levels, scale, &odd);
            if (lane_in_warp() == 0) sums[count + k] = sum;
        }
        build_heap(sums, count);
        if (at_root) {
            double root = sums[1];
            if (__syncthreads_or(odd)) return ODD;
            if (root == 0) return NOTHING;
            if (!is_sound_sum(root)) return is_too_large<Real>(root, scale) ? TOO_LARGE : ODD;
            target = spg_target_f64(u, root);
        }
        at_root = false;
        first += (int64_t)find_in_heap(sums, count, target, &base) << node_levels;
        levels = node_levels;
        __syncthreads();
    }
    if (warp != 0) return DRAWN;
    int64_t piece = min(first, pieces.count() - 1);
    const lane_tree chunks(piece_sums<BATCH, PLAIN, Real>::sum(pieces[piece], scale, &odd));
    draw_in_chunks<BATCH, PLAIN>(job, row, pieces, piece, chunks, scale, target, base);
    return DRAWN;
}

/* The same for a row that may not be plain (row_tree.cuh). */
template <typename Real>
__device__ void draw_any_long_row(const row_job<Real> &job, int64_t row, double *sums,
                                  const row_pieces<Real, int64_t> &pieces)
{
    double u = job.uniform(row);
    outcome came = ODD;
    if (job.is_plain(pieces.begin, pieces.items)) came = draw_long_row<true>(job, row, sums, pieces, u, 1);
    for (double scale = 1; came != DRAWN; scale = SPG_SCALE_DOWN) {
        __syncthreads();
        came = draw_long_row<false>(job, row, sums, pieces, u, scale);
        if (came == TOO_LARGE) continue;
        if (came == ODD) job.report_row(row);
        if (came == NOTHING) job.leave(row);
        return;
    }
}

template <typename Real>
__global__ void __launch_bounds__(THREADS, 1)
    long_rows_kernel(const __grid_constant__ row_job<Real> job, const int64_t *list, const unsigned int *listed,
                     unsigned int room)
{
    __shared__ double sums[2 * NODES];
    unsigned int count = min(*listed, room);
    for (unsigned int k = blockIdx.x; k < count; k += gridDim.x) {
        int64_t row = list[k], begin = job.offsets[row];
        draw_any_long_row(job, row, sums, row_pieces<Real, int64_t>(job, begin, job.offsets[row + 1] - begin));
        __syncthreads();
    }
}

/* The same without a list: a block looks at every gridDim.x-th row, so that long rows next to each other are drawn from
 * by different blocks. */
template <typename Real>
__global__ void __launch_bounds__(THREADS, 1) any_long_rows_kernel(const __grid_constant__ row_job<Real> job)
{
    __shared__ double sums[2 * NODES];
    __shared__ unsigned int long_lanes[WARPS];
    int64_t blocks = gridDim.x;
    for (int64_t first = blockIdx.x; first < job.rows; first += blocks * THREADS) {
        int64_t mine = first + threadIdx.x * blocks;
        unsigned int lanes = __ballot_sync(ALL_LANES, mine < job.rows && job.is_for_block(mine));
        if (lane_in_warp() == 0) long_lanes[threadIdx.x / WARP] = lanes;
        __syncthreads();
        for (int warp = 0; warp < WARPS; ++warp)
            for (unsigned int rest = long_lanes[warp]; rest != 0; rest &= rest - 1) {
                int64_t row = first + (warp * WARP + __ffs((int)rest) - 1) * blocks, begin = job.offsets[row];
                draw_any_long_row(job, row, sums, row_pieces<Real, int64_t>(job, begin, job.offsets[row + 1] - begin));
                __syncthreads();
            }
        __syncthreads();
    }
}

/* Offsets that do not ascend may give more rows than there is room for. */
template <typename Real>
spg_status list_rows(spg_context *context, const row_job<Real> &job, unsigned int room, int64_t *list,
                     unsigned int *count)
{
    cudaStream_t stream = spg_cuda_of(context)->stream;
    spg_status status = spg_cuda_check(context, cudaMemsetAsync(count, 0, sizeof *count, stream), "long rows");
    if (status != SPG_OK) return status;
    return for_each(context, job.rows, "listing long rows", [=] __device__(int64_t row) {
        if (!job.is_for_block(row)) return;
        unsigned int place = atomicAdd(count, 1u);
        if (place < room) list[place] = row;
    });
}

} // namespace

template <typename Real> spg_status draw_long_rows(workspace &work, const row_job<Real> &job)
{
    spg_context *context = work.context;
    spg_cuda *cuda = spg_cuda_of(context);
    int64_t *list = nullptr, room = job.nnz / LONGEST<Real>;
    spg_status status = work.take(room + 1, "long rows", &list);
    unsigned int *count = reinterpret_cast<unsigned int *>(list + room);
    if (status == SPG_OK) status = list_rows(context, job, (unsigned int)room, list, count);
    if (status != SPG_OK) return status;
    unsigned int blocks = (unsigned)(cuda->multiprocessors * BLOCKS_A_MULTIPROCESSOR);
    long_rows_kernel<<<blocks, THREADS, 0, cuda->stream>>>(job, list, count, (unsigned int)room);
    return spg_cuda_check_launch(context, "drawing from long rows");
}

template <typename Real> spg_status draw_any_long_rows(spg_context *context, const row_job<Real> &job)
{
    const spg_cuda *cuda = spg_cuda_of(context);
    int64_t most = cuda->multiprocessors * BLOCKS_A_MULTIPROCESSOR;
    any_long_rows_kernel<<<(unsigned int)(job.rows < most ? job.rows : most), THREADS, 0, cuda->stream>>>(job);
    return spg_cuda_check_launch(context, "drawing from long rows");
}

template spg_status draw_any_long_rows(spg_context *, const row_job<float> &);
template spg_status draw_any_long_rows(spg_context *, const row_job<double> &);
template spg_status draw_long_rows(workspace &, const row_job<float> &);
template spg_status draw_long_rows(workspace &, const row_job<double> &);

} // namespace rows
} // namespace spg
