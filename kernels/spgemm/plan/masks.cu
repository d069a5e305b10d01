/* The masks of a slice's rows, from which a plan's windows are made (plan/windows.cu, plan/codes.cu).
 *
 * Input: the slice. Output: for each entry of A, the entries of its row of C that its row of B has, a bit each, and
 * where that row of B begins; for each entry of C, the entries of its row of A that have a product for it, and its row.
 * So the products of an entry of C are the bits of its mask, and in a row of B that ascends the bits before its own are
 * a product's position. Every product is looked up once, and not once to count and once to write codes. */
#include "products.cuh"

#include "../../primitives/lanes.cuh"

namespace spg
{

namespace
{

enum { THREADS = 256 };

/* A row of B, and the column of its next entry, EMPTY if it has none. NO_COLUMN is that of no entry of C. */
enum { EMPTY = -1, NO_COLUMN = -2 };
struct b_row {
    const int32_t *columns;
    int at, last;
    int32_t column;
};

/* The row of B of entry a_at of A. Keeps where it begins. */
__device__ inline b_row find_b_row(const window_work &work, int64_t a_at)
{
    const plan_patterns &of = work.patterns;
    const int64_t row = of.a_columns[a_at], begin = of.b[row];
    const int count = (int)(of.b[row + 1] - begin);
    work.out.b_begins[a_at] = safe_b_begin(work, begin);
    return {of.b_columns + begin, 0, count - 1, count > 0 ? of.b_columns[begin] : EMPTY};
}

/* The masks of a group's row. */
template <int Lanes, typename Mask> struct row_masks {
    static constexpr int rounds = sizeof(Mask) * 8 / Lanes;
    Mask a;              /* of the lane's entry of A */
    Mask c[rounds] = {}; /* of entry r * Lanes + lane of C */

    /* Finds which of `count` columns of C the lanes' rows of B have; both ascend. The lanes' entries of A are those
     * from first_a on. A step for each column of C, without a branch, so that lanes with rows of different lengths stay
     * together. */
    __device__ void find(const lane_group<Lanes> &group, b_row b, const int32_t *c_columns, int count, int first_a)
    {
        a = 0;
#pragma unroll
        for (int r = 0; r < rounds; r++, c_columns += Lanes) {
            uint32_t of_a = 0, of_c = 0, bit = 1;
            for (int at = 0; at < min(count - r * Lanes, Lanes); at++, bit <<= 1) {
                const bool is_here = c_columns[at] == b.column;
                const uint32_t lanes = group.ballot(is_here);
                of_c = at == group.lane ? lanes : of_c;
                of_a |= is_here ? bit : 0;
                if (is_here && b.at < b.last) b.column = b.columns[++b.at];
            }
            a |= (Mask)of_a << (r * Lanes);
            c[r] |= (Mask)of_c << first_a;
        }
    }
};

/* A group of lanes a row; a lane an entry of A. Of rows that are not done, masks are empty. A lane's first row of B is
 * on its way while the row of C is staged. */
template <int Lanes, typename Mask>
__global__ void __launch_bounds__(THREADS, sizeof(Mask) == 4 ? 6 : 4) find_masks_kernel(window_work work)
{
    __shared__ int32_t staged[THREADS / Lanes][sizeof(Mask) * 8];
    const plan_patterns &of = work.patterns;
    const entry_slice &slice = work.slice;
    const lane_group<Lanes> group;
    const int64_t step = (int64_t)gridDim.x * (THREADS / Lanes), end = slice.row_end;
    int64_t row = slice.row_begin + (int64_t)blockIdx.x * (THREADS / Lanes) + group.in_block;
    int32_t *const c_columns = staged[group.in_block];
    for (; __any_sync(ALL_LANES, row < end); row += step) {
        const bool is_here = row < end, is_done = is_here && work.is_done(row);
        const int64_t c_begin = is_here ? (int64_t)of.c[row] : 0, a_begin = is_here ? (int64_t)of.a[row] : 0;
        const int64_t c_count = is_here ? of.c[row + 1] - c_begin : 0, a_count = is_here ? of.a[row + 1] - a_begin : 0;
        const int most_c = (int)__reduce_max_sync(ALL_LANES, is_done ? (unsigned int)c_count : 0);
        const int most_a = (int)__reduce_max_sync(ALL_LANES, is_done ? (unsigned int)a_count : 0);
        row_masks<Lanes, Mask> masks;
        for (int first = 0; first < most_a; first += Lanes) {
            const int k = first + group.lane;
            b_row b = {nullptr, 0, -1, EMPTY};
            if (is_done && k < a_count) b = find_b_row(work, a_begin + k);
            __syncwarp();
            if (first == 0)
                for (int at = group.lane; at < most_c; at += Lanes)
                    c_columns[at] = is_done && at < c_count ? of.c_columns[c_begin + at] : NO_COLUMN;
            __syncwarp();
            masks.find(group, b, c_columns, most_c, first);
            if (is_done && k < a_count) work.a_masks<Mask>(a_begin)[k] = masks.a;
        }
        for (int64_t k = group.lane; k < a_count && !is_done; k += Lanes) work.a_masks<Mask>(a_begin)[k] = 0;
        int64_t at = c_begin - slice.c_begin + group.lane;
        const int64_t c_end = c_begin - slice.c_begin + c_count;
#pragma unroll
        for (int r = 0; r < masks.rounds; r++, at += Lanes)
            if (at < c_end) {
                static_cast<Mask *>(slice.c_masks)[at] = masks.c[r];
                slice.c_rows[at] = (uint32_t)(row - slice.row_begin);
            }
        for (; at < c_end; at += Lanes) { /* of a row that is not done */
            static_cast<Mask *>(slice.c_masks)[at] = 0;
            slice.c_rows[at] = (uint32_t)(row - slice.row_begin);
        }
    }
}

template <int Lanes> void launch(const plan_maker &maker, const window_work &work)
{
    const int64_t rows = work.slice.row_end - work.slice.row_begin;
    const unsigned int blocks = plan_blocks(maker.cuda, rows, THREADS / Lanes);
    with_masks(work.slice, [&](auto mask) {
        find_masks_kernel<Lanes, decltype(mask)><<<blocks, THREADS, 0, maker.cuda->stream>>>(work);
    });
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
