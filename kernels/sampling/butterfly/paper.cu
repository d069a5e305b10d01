/* One draw from each row by the algorithms of the butterfly paper (Steele, Tristan 2017), for rows of any length: a
 * warp takes 32 rows, one a lane.
 *
 *   PLAIN (Algorithm 1)       a lane sums its own row and searches the sums
 *   TRANSPOSED (Algorithm 4)  blocks of 32 items of 32 rows are read a row at a time; sums reach the row's lane through
 *                             shared memory
 *   TABLE (Algorithm 7)       the blocks become butterfly-patterned tables; only the sums of blocks are kept. The block
 *                             that a lane selects is read and its table made again. The paper keeps all tables, but
 *                             rows here differ in length, so their tables would not line up
 *
 * Sums are in memory: of items for the first two, of blocks for the third. sampling/sums.h defines the orders of
 * sums. */
#include "butterfly.cuh"
#include "rows.cuh"

namespace spg
{
namespace rows
{

namespace
{

enum { THREADS = 128, WARPS = THREADS / WARP };

/* A lane's row. */
template <typename Real> struct lane_row {
    int64_t row, begin, items;
    bool sound;

    __device__ lane_row(const row_job<Real> &job) : row(0), begin(0), items(0), sound(false)
    {
        row = (int64_t)blockIdx.x * THREADS + threadIdx.x;
        if (row >= job.rows) return;
        begin = job.offsets[row];
        items = job.offsets[row + 1] - begin;
        sound = job.is_sound(row, begin, begin + items);
        if (sound) return;
        job.refuse(row, begin, begin + items);
        if (items == 0) job.uniform(row); /* is checked although nothing is drawn */
        items = 0;
    }
};

/* The first j with target < sums[j]; if there is none, the last item of weight > 0. */
template <typename Real>
__device__ void draw_from_sums(const row_job<Real> &job, const lane_row<Real> &mine, const double *sums, bool bad,
                               double scale)
{
    double total = sums[mine.items - 1], target = spg_target_f64(job.uniform(mine.row), total);
    if (!bad && total == 0) {
        job.leave(mine.row);
        return;
    }
    if (bad || !is_sound_sum(total)) {
        job.report_row(mine.row);
        return;
    }
    int64_t j = first_that((int64_t)0, mine.items, [=](int64_t k) { return target < sums[k]; });
    if (j == mine.items)
        for (--j; j > 0 && !(job.weight(mine.begin, mine.items, j, scale, &bad) > 0);) --j;
    job.write(mine.row, mine.begin, j);
}

/* Sums the lane's row; forms the sums again with a smaller scale if they grow too large. */
template <typename Real>
__global__ void __launch_bounds__(THREADS) draw_plainly_kernel(const __grid_constant__ row_job<Real> job, double *sums)
{
    lane_row<Real> mine(job);
    if (!mine.sound) return;
    double *own = sums + mine.begin;
    bool bad = false;
    double scale = 1;
    for (;; scale = SPG_SCALE_DOWN) {
        double sum = 0;
        for (int64_t k = 0; k < mine.items; ++k) {
            sum = add(sum, job.weight(mine.begin, mine.items, k, scale, &bad));
            own[k] = sum;
        }
        if (!is_too_large<Real>(sum, scale)) break;
    }
    draw_from_sums(job, mine, own, bad, scale);
}

/* Reads block b of every lane's row, row by row; lane r then has item `lane` of row k's block in values[k]. */
template <typename Real>
__device__ void read_transposed(const row_job<Real> &job, const lane_row<Real> &mine, int64_t block_begin, double scale,
                                bool *bad, double (&values)[WARP])
{
#pragma unroll
    for (int k = 0; k < WARP; ++k) {
        int64_t begin = __shfl_sync(ALL_LANES, mine.begin, k), items = __shfl_sync(ALL_LANES, mine.items, k);
        int64_t first = __shfl_sync(ALL_LANES, block_begin, k);
        double row_scale = __shfl_sync(ALL_LANES, scale, k);
        bool wrong = false;
        values[k] = first >= 0 ? job.weight(begin, items, first + lane_in_warp(), row_scale, &wrong) : 0;
        wrong = __any_sync(ALL_LANES, wrong);
        if (lane_in_warp() == k) *bad |= wrong;
    }
}

template <typename Real>
__global__ void __launch_bounds__(THREADS)
    draw_transposed_kernel(const __grid_constant__ row_job<Real> job, double *sums)
{
    __shared__ double blocks[WARPS][WARP][WARP + 1];
    lane_row<Real> mine(job);
    double(*own)[WARP + 1] = blocks[threadIdx.x / WARP];
    bool bad = false;
    double scale = 1;
    int64_t remnant = mine.items % WARP;
    for (;;) {
        double sum = 0;
        for (int64_t k = 0; k < remnant; ++k) {
            sum = add(sum, job.weight(mine.begin, mine.items, k, scale, &bad));
            sums[mine.begin + k] = sum;
        }
        for (int64_t b = remnant; __any_sync(ALL_LANES, b < mine.items); b += WARP) {
            double values[WARP];
            read_transposed(job, mine, b < mine.items ? b : -1, scale, &bad, values);
            __syncwarp();
#pragma unroll
            for (int k = 0; k < WARP; ++k) own[k][lane_in_warp()] = values[k];
            __syncwarp();
            for (int k = 0; b < mine.items && k < WARP; ++k) {
                sum = add(sum, own[lane_in_warp()][k]);
                sums[mine.begin + b + k] = sum;
            }
        }
        bool again = is_too_large<Real>(sum, scale);
        if (again) scale = SPG_SCALE_DOWN;
        if (!__any_sync(ALL_LANES, again)) break;
    }
    if (mine.sound) draw_from_sums(job, mine, sums + mine.begin, bad, scale);
}

/* Sums of blocks are at block_sums[begin / 32 + row + b]: each row has room for one more than begin / 32 gives it. */
template <typename Real>
__global__ void __launch_bounds__(THREADS)
    draw_by_table_kernel(const __grid_constant__ row_job<Real> job, double *block_sums)
{
    lane_row<Real> mine(job);
    double *own = block_sums + mine.begin / WARP + mine.row, scale = 1, sum, remnant_sum;
    bool bad = false;
    int64_t remnant = mine.items % WARP, count = mine.items / WARP;
    double values[WARP];
    for (;;) {
        sum = 0;
        for (int64_t k = 0; k < remnant; ++k) sum = add(sum, job.weight(mine.begin, mine.items, k, scale, &bad));
        remnant_sum = sum;
        for (int64_t b = 0; __any_sync(ALL_LANES, b < count); ++b) {
            read_transposed(job, mine, b < count ? remnant + b * WARP : -1, scale, &bad, values);
            butterfly::make_table(values);
            sum = add(sum, values[WARP - 1]);
            if (b < count) own[b] = sum;
        }
        bool again = is_too_large<Real>(sum, scale);
        if (again) scale = SPG_SCALE_DOWN;
        if (!__any_sync(ALL_LANES, again)) break;
    }
    bool nothing = mine.sound && !bad && sum == 0;
    if (nothing) job.leave(mine.row);
    if (mine.sound && !nothing && (bad || !is_sound_sum(sum))) job.report_row(mine.row);
    double target = mine.sound ? spg_target_f64(job.uniform(mine.row), sum) : 0;
    int64_t block = first_that((int64_t)0, count, [=](int64_t b) { return target < own[b]; });
    auto before = [=](int64_t b) { return b > 0 ? own[b - 1] : remnant_sum; };
    bool past = block == count;
    /* Past the last sum by rounding: take the last block that adds to it. */
    if (past)
        for (--block; block >= 0 && !(own[block] > before(block));) --block;
    bool in_block = block >= 0 && !(remnant > 0 && target < remnant_sum);
    read_transposed(job, mine, in_block ? remnant + block * WARP : -1, scale, &bad, values);
    butterfly::make_table(values);
    int found = butterfly::search(values, target, in_block ? before(block) : 0, in_block ? own[block] : 0);
    if (!mine.sound || nothing) return;
    int64_t item = remnant + block * WARP + found;
    if (!in_block) {
        double through = 0;
        for (item = 0; item < remnant - 1; ++item) {
            through = add(through, job.weight(mine.begin, mine.items, item, scale, &bad));
            if (target < through) break;
        }
    }
    job.write(mine.row, mine.begin, butterfly::mend(item, mine.items, [&](int64_t k) {
                  return job.weight(mine.begin, mine.items, k, scale, &bad) > 0;
              }));
}

} // namespace

template <typename Real>
spg_status draw_rows_as_paper(workspace &work, const row_job<Real> &job, spg_butterfly_method method)
{
    spg_context *context = work.context;
    cudaStream_t stream = spg_cuda_of(context)->stream;
    int64_t room = method == SPG_BUTTERFLY_TABLE ? job.nnz / WARP + job.rows : job.nnz;
    double *sums = nullptr;
    spg_status status = work.take(room, "sums of weights", &sums);
    if (status != SPG_OK) return status;
    unsigned blocks = (unsigned)((job.rows + THREADS - 1) / THREADS);
    if (method == SPG_BUTTERFLY_PLAIN)
        draw_plainly_kernel<<<blocks, THREADS, 0, stream>>>(job, sums);
    else if (method == SPG_BUTTERFLY_TRANSPOSED)
        draw_transposed_kernel<<<blocks, THREADS, 0, stream>>>(job, sums);
    else
        draw_by_table_kernel<<<blocks, THREADS, 0, stream>>>(job, sums);
    return spg_cuda_check_launch(context, "drawing from rows");
}

template spg_status draw_rows_as_paper(workspace &, const row_job<float> &, spg_butterfly_method);
template spg_status draw_rows_as_paper(workspace &, const row_job<double> &, spg_butterfly_method);

} // namespace rows
} // namespace spg
