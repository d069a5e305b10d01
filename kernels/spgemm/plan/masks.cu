/* The masks of a slice's rows of A, from which a plan's windows are made (plan/windows.cu, plan/codes.cu).
 *
 * Input: the slice. Output: for each entry of A, the entries of its row of C that its row of B has, a bit each; where
 * that row of B begins. A thread of a window then sees at once which entries of A have a product for its entry of C,
 * and in a row of B that ascends the bits before its own are the position. So every product is looked up once, and not
 * once to count and once to write codes. */
#include "products.cuh"

#include "../../primitives/lanes.cuh"

namespace spg
{

namespace
{

enum { THREADS = 256 };

/* A row of B, and its next two columns; INT32_MAX behind the last. */
struct b_row {
    const int32_t *columns;
    int length;
    int32_t column, next;

    __device__ int32_t column_at(int t) const { return t < length ? columns[t] : INT32_MAX; }
};

/* The row of B of entry a_at of A. Keeps where it begins. */
__device__ inline b_row find_b_row(const window_work &work, int64_t a_at)
{
    const plan_patterns &of = work.patterns;
    const int64_t row = of.a_columns[a_at], begin = of.b[row];
    work.out.b_begins[a_at] = safe_b_begin(work, begin);
    b_row b = {of.b_columns + begin, (int)(of.b[row + 1] - begin), 0, 0};
    b.column = b.column_at(0);
    b.next = b.column_at(1);
    return b;
}

/* Which of `count` ascending columns of C a row of B has that ascends too: a step for each column of C, so that lanes
 * with rows of different lengths stay together. */
__device__ inline uint64_t find_mask(b_row b, const int32_t *c_columns, int count)
{
    int t = 2;
    uint32_t words[2] = {0, 0};
#pragma unroll
    for (int half = 0; half < 2; half++)
        for (int at = half * WARP; at < min(count, (half + 1) * WARP); at++) {
            if (c_columns[at] != b.column) continue;
            words[half] |= 1u << at % WARP;
            b.column = b.next;
            b.next = b.column_at(t++);
        }
    return (uint64_t)words[1] << WARP | words[0];
}

/* A group of lanes a row; a lane an entry of A. Of rows that are not done, masks are empty. A lane's first row of B is
 * on its way while the row of C is staged. */
template <int Lanes> __global__ void __launch_bounds__(THREADS) find_masks_kernel(window_work work)
{
    __shared__ int32_t staged[THREADS / Lanes][MASK_BITS];
    const plan_patterns &of = work.patterns;
    const lane_group<Lanes> group;
    const int64_t step = (int64_t)gridDim.x * (THREADS / Lanes), end = work.slice.row_end;
    int64_t row = work.slice.row_begin + (int64_t)blockIdx.x * (THREADS / Lanes) + group.in_block;
    int32_t *const c_columns = staged[group.in_block];
    for (; __any_sync(ALL_LANES, row < end); row += step) {
        const bool is_done = row < end && work.is_done(row);
        const int64_t c_begin = is_done ? (int64_t)of.c[row] : 0, a_begin = row < end ? (int64_t)of.a[row] : 0;
        const int c_count = is_done ? (int)(of.c[row + 1] - c_begin) : 0;
        const int a_count = row < end ? (int)(of.a[row + 1] - a_begin) : 0;
        b_row b = {};
        if (is_done && group.lane < a_count) b = find_b_row(work, a_begin + group.lane);
        __syncwarp();
        for (int at = group.lane; at < c_count; at += Lanes) c_columns[at] = of.c_columns[c_begin + at];
        __syncwarp();
        uint64_t *const masks = work.a_masks(a_begin);
        for (int k = group.lane; k < a_count; k += Lanes) {
            if (is_done && k > group.lane) b = find_b_row(work, a_begin + k);
            masks[k] = is_done ? find_mask(b, c_columns, c_count) : 0;
        }
    }
}

template <int Lanes> void launch(const plan_maker &maker, const window_work &work)
{
    const int64_t rows = work.slice.row_end - work.slice.row_begin;
    find_masks_kernel<Lanes><<<plan_blocks(maker.cuda, rows, THREADS / Lanes), THREADS, 0, maker.cuda->stream>>>(work);
}

} // namespace

spg_status find_masks(plan_maker &maker, const window_work &work)
{
    const entry_slice &slice = work.slice;
    const int64_t mean = slice.a_count / (slice.row_end - slice.row_begin);
    if (mean <= 10)
        launch<8>(maker, work);
    else if (mean <= 20)
        launch<16>(maker, work);
    else
        launch<WARP>(maker, work);
    return spg_cuda_check_launch(maker.context, "a plan's masks");
}

} // namespace spg
