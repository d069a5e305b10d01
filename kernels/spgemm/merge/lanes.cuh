/* Counts rows of C by merging rows of B with a head a lane, for rows of A too long for one thread's registers. Private
 * to merge/count.cu, which explains the merge.
 *
 * Input: rows of A up to 32 entries. Output: the length, products and faults of each. Half a warp or a whole warp takes
 * a row; its lanes load columns as needed. */
#ifndef SPG_KERNELS_SPGEMM_MERGE_LANES_CUH
#define SPG_KERNELS_SPGEMM_MERGE_LANES_CUH

#include "heads.cuh"

namespace spg
{

enum { HALF = 16 };
static_assert((int)MERGE_MOST == 32, "a warp holds the heads of any row that is counted here");

/* A thread's result for its row: its length, and bits of spg_fault and of the two below. */
struct row_found {
    int32_t length;
    uint32_t signs;
};
constexpr uint32_t SUSPECT = 1u << 31; /* there are faults; find_faults says which */
constexpr uint32_t LEFT = 1u << 30;    /* an overflow row, of length 0 */

/* A warp's results for its rows. */
struct warp_found {
    unsigned long long nnz, products;
    unsigned int longest, longest_a, most_products, rows, long_rows, faults;
};

/* Products with a row of B, capped. */
template <typename Offset> __device__ inline uint32_t capped_length(span<Offset> row)
{
    Offset length = row.end - row.begin;
    return length <= MERGE_MOST_PRODUCTS ? (uint32_t)length : MERGE_MOST_PRODUCTS + 1;
}

/* Faults of row i of A, except for columns of B. */
template <typename Offset>
__device__ inline void find_faults(const patterns<Offset> &pattern, int32_t i, uint32_t &faults)
{
    span<Offset> a = checked_a_row(pattern, i, faults);
    for (Offset k = a.begin; k < a.end; ++k) checked_b_row(pattern, pattern.a_columns[k], faults);
}

/* The number of the lowest set bit (there must be one); clears it. */
__device__ inline int take_lane(unsigned int &lanes)
{
    int first = __ffs(lanes) - 1;
    lanes &= lanes - 1;
    return first;
}

/* The sum over the lanes of this half warp or warp; all lanes call it. The next function: the minimum. */
template <int LANES> __device__ inline uint32_t sum_of_group(uint32_t number)
{
    if (LANES == 32) return __reduce_add_sync(~0u, number);
    const bool upper = threadIdx.x % 32 >= HALF;
    uint32_t low = __reduce_add_sync(~0u, upper ? 0u : number), high = __reduce_add_sync(~0u, upper ? number : 0u);
    return upper ? high : low;
}
template <int LANES> __device__ inline uint32_t least_of_group(uint32_t head)
{
    if (LANES == 32) return __reduce_min_sync(~0u, head);
    const bool upper = threadIdx.x % 32 >= HALF;
    uint32_t low = __reduce_min_sync(~0u, upper ? NO_HEAD : head);
    uint32_t high = __reduce_min_sync(~0u, upper ? head : NO_HEAD);
    return upper ? high : low;
}

/* Merges one row of A in each half warp, or one in the whole warp; i is its row for all its lanes. Returns its count
 * and products, and the faults that this lane saw. */
template <int LANES, typename Offset, typename Position>
__device__ inline row_found merge_in_group(const patterns<Offset> &pattern, int32_t i, uint32_t &products)
{
    row_found found{0, 0};
    const span<Offset> a = a_row(pattern, i); /* checked already by the lane that owns the row */
    const Offset k = a.begin + threadIdx.x % LANES;
    span<Offset> b{0, 0};
    if (k < a.end) b = checked_b_row(pattern, pattern.a_columns[k], found.signs);
    products = sum_of_group<LANES>(capped_length(b));
    const bool fits = products <= MERGE_MOST_PRODUCTS;
    Position at = (Position)(fits ? b.begin : b.end);
    const Position end = (Position)b.end;
    uint32_t head = at < end ? (uint32_t)pattern.b_columns[at] : NO_HEAD;
    uint32_t column = least_of_group<LANES>(head);
    bool rises = true;
    while (__any_sync(~0u, rises && column < (uint32_t)pattern.cols)) {
        const bool counts = rises && column < (uint32_t)pattern.cols;
        const uint32_t before = column;
        if (counts) ++found.length;
        if (counts && head == column) {
            ++at;
            head = at < end ? (uint32_t)pattern.b_columns[at] : NO_HEAD;
        }
        column = least_of_group<LANES>(head);
        if (counts) rises = column > before;
    }
    if (!rises)
        found.signs |= SPG_FAULT_B_UNSORTED;
    else if (at < end)
        found.signs |= SPG_FAULT_B;
    if (fits) return found;
    products = 0;
    return {0, found.signs | LEFT};
}

/* Merges the rows of the lanes in `lanes`, up to LANES entries each; i is the lane's own row. */
template <int LANES, typename Offset, typename Position>
__device__ inline void merge_in_groups(const patterns<Offset> &pattern, int32_t i, unsigned int lanes, row_found &found,
                                       warp_found &warp)
{
    const int lane = threadIdx.x % 32;
    while (lanes != 0) {
        const int first = take_lane(lanes), second = LANES == HALF && lanes != 0 ? take_lane(lanes) : first;
        uint32_t products;
        row_found group =
            merge_in_group<LANES, Offset, Position>(pattern, i - lane + (lane < HALF ? first : second), products);
        found.signs |= group.signs & ~LEFT;
        const unsigned int left = __ballot_sync(~0u, (group.signs & LEFT) != 0);
        int32_t low = __shfl_sync(~0u, group.length, 0), high = __shfl_sync(~0u, group.length, HALF);
        if (lane == first) found.length = low;
        if (lane == second) found.length = high;
        if ((lane == first && (left & 1) != 0) || (lane == second && (left >> HALF & 1) != 0)) found.signs |= LEFT;
        products = __reduce_add_sync(~0u, lane == 0 || (lane == HALF && second != first) ? products : 0);
        if (lane == 0) warp.products += products;
    }
}

} // namespace spg

#endif
