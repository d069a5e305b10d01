/* Counts rows of C by merging rows of B, a head a lane: for rows of A that are too long for one thread's registers.
 * Private to merge/count.cu, which says how a merge counts.
 *
 * Input: rows of A of up to 32 entries; output: the length, products and faults of each. A group of lanes reads columns
 * as they are wanted. Where whole warps are the rule, a lane reads its row of B by 16 bytes, STAGED columns at a time,
 * into a strip of shared memory that no other lane touches and whose banks are the lanes, so that all step in one
 * access; elsewhere L1 needs that memory. Invariant: behind the columns of a strip stands NO_HEAD if its row of B
 * ends there, else the last of them again: it does not ascend, which ends the loop that counts, and so does everything
 * else that is not the common case. resume() then sees what it was. */
#ifndef SPG_KERNELS_SPGEMM_MERGE_LANES_CUH
#define SPG_KERNELS_SPGEMM_MERGE_LANES_CUH

#include "heads.cuh"

#include <type_traits>

namespace spg
{

/* Products of a row, at most: one thread takes them one after the other (spgemm_bench, H100: the longest of 4096 in
 * ladder:100000 took 0.6 ms). */
enum { MOST_PRODUCTS = 1024, HALF = 16, STAGED = 8 };
constexpr uint32_t CELL_STRIDE = 32 * sizeof(uint32_t);
constexpr uint32_t NOT_STAGED = 1u << 31; /* the least head before there are heads: it does not ascend */
static_assert((int)MERGE_MOST == 32, "a warp holds the heads of any row that is counted here");
static_assert(STAGED == 8, "two reads of 16 bytes");

/* Strips of the lanes of a warp: [k][lane]. */
using lane_columns = uint32_t[STAGED + 1][32];

/* What a thread found in its row: how long it is, and bits of spg_fault and these. */
struct row_found {
    int32_t length;
    uint32_t signs;
};
constexpr uint32_t SUSPECT = 1u << 31; /* there are faults; find_faults will say which */
constexpr uint32_t LEFT = 1u << 30;    /* the row is too much for this kernel, and its length 0 */

/* What a warp found in its rows. */
struct warp_found {
    unsigned long long nnz, products;
    unsigned int longest, longest_a, most_products, rows, long_rows, faults;
};

/* Products by a row of B, as far as they count. */
template <typename Offset> __device__ inline uint32_t capped_length(span<Offset> row)
{
    Offset length = row.end - row.begin;
    return length <= MOST_PRODUCTS ? (uint32_t)length : MOST_PRODUCTS + 1;
}

/* Of row i of A, but for columns of B. */
template <typename Offset>
__device__ inline void find_faults(const patterns<Offset> &pattern, int32_t i, uint32_t &faults)
{
    span<Offset> a = checked_a_row(pattern, i, faults);
    for (Offset k = a.begin; k < a.end; ++k) checked_b_row(pattern, pattern.a_columns[k], faults);
}

/* A lane's row of B: the columns from `staged` on are in its strip, and the head is in the `cell` of it, an address in
 * shared memory. */
template <typename Position> struct lane_row {
    uint32_t head, cell;
    Position staged, end;
};
/* What all lanes know of a row of C. */
struct merged {
    uint32_t column, before; /* the least head, and the column that was counted last: as int, -1 at first */
    int32_t length;
};

/* Cell k of this lane's strip. */
__device__ inline uint32_t cell_of(const lane_columns &columns, int k)
{
    return (uint32_t)__cvta_generic_to_shared(&columns[k][threadIdx.x % 32]);
}

template <typename Position>
__device__ inline Position position_of(const lane_row<Position> &row, const lane_columns &columns)
{
    return row.staged + (Position)((row.cell - cell_of(columns, 0)) / CELL_STRIDE);
}

/* Nothing is staged yet: as if all before the row had been stepped over. */
template <typename Position>
__device__ inline lane_row<Position> unstaged(Position begin, Position end, const lane_columns &columns)
{
    return {NO_HEAD, cell_of(columns, STAGED), begin - STAGED, end};
}

template <typename Position>
__device__ inline bool wants_staging(const lane_row<Position> &row, const lane_columns &columns)
{
    return row.cell == cell_of(columns, STAGED) && row.staged + STAGED < row.end;
}

/* Reads the columns from the present one on. The 16 bytes at the ends of B's columns may lie partly outside of them. */
template <typename Offset, typename Position>
__device__ inline void stage(const patterns<Offset> &pattern, lane_row<Position> &row, lane_columns &columns)
{
    const Position at = position_of(row, columns);
    if (at >= row.end) return;
    uint32_t *strip = &columns[0][threadIdx.x % 32];
    const int skipped = (int)((uintptr_t)(pattern.b_columns + at) / sizeof(int32_t) % 4);
    row.staged = at - skipped;
    row.cell = cell_of(columns, skipped);
    const Position rest = row.end - row.staged;
    uint32_t last = NO_HEAD;
    if (row.staged >= 0 && row.staged <= (Position)pattern.b_nnz - STAGED) {
        const int4 *from = reinterpret_cast<const int4 *>(pattern.b_columns + row.staged);
        int4 low = __ldg(from), high = low;
        if (rest > 4) high = __ldg(from + 1);
        strip[0] = (uint32_t)low.x;
        strip[32] = (uint32_t)low.y;
        strip[64] = (uint32_t)low.z;
        strip[96] = (uint32_t)low.w;
        strip[128] = (uint32_t)high.x;
        strip[160] = (uint32_t)high.y;
        strip[192] = (uint32_t)high.z;
        strip[224] = last = (uint32_t)high.w;
    } else {
        for (int k = skipped; k < STAGED && k < rest; ++k)
            strip[k * 32] = last = (uint32_t)pattern.b_columns[row.staged + k];
    }
    strip[(rest < STAGED ? (int)rest : STAGED) * 32] = rest > STAGED ? last : NO_HEAD;
    row.head = strip[skipped * 32];
}

__device__ inline bool ascends(const merged &merge) { return (int32_t)merge.column > (int32_t)merge.before; }

/* A head that equals the column just counted gives way to the next in its strip. Its own lane alone wrote there. */
__device__ inline void step_if_counted(uint32_t &head, uint32_t &cell, uint32_t column)
{
    asm volatile("{ .reg .pred steps;\n\t"
                 "setp.eq.u32 steps, %0, %2;\n\t"
                 "@steps add.u32 %1, %1, %3;\n\t"
                 "@steps ld.shared.u32 %0, [%1]; }"
                 : "+&r"(head), "+&r"(cell)
                 : "r"(column), "n"(CELL_STRIDE)
                 : "memory");
}

/* Counts the least head. */
template <typename Position> __device__ inline void count(merged &merge, lane_row<Position> &row)
{
    ++merge.length;
    merge.before = merge.column;
    step_if_counted(row.head, row.cell, merge.column);
}

/* What was wrong, if anything, with the columns where a merge ended. */
template <typename Offset, typename Position>
__device__ inline uint32_t faults_at_end(const patterns<Offset> &pattern, const merged &merge,
                                         const lane_row<Position> &row, const lane_columns &columns)
{
    uint32_t faults = 0;
    if ((int32_t)merge.before >= pattern.cols) faults |= SPG_FAULT_B;
    if ((int32_t)merge.column >= 0)
        faults |= SPG_FAULT_B_UNSORTED;
    else if (position_of(row, columns) < row.end)
        faults |= SPG_FAULT_B;
    return faults;
}

/* Where the least head does not ascend: stages more columns and returns true, or returns false at the end. A whole
 * warp's. */
template <typename Offset, typename Position>
__device__ inline bool resume(const patterns<Offset> &pattern, merged &merge, lane_row<Position> &row,
                              lane_columns &columns)
{
    if (ascends(merge)) return true;
    if (!__any_sync(~0u, wants_staging(row, columns))) return false;
    stage(pattern, row, columns);
    __syncwarp();
    merge.column = __reduce_min_sync(~0u, row.head);
    return true;
}

/* The number of the least bit, which is taken out; -1 if there is none. */
__device__ inline int take_lane(unsigned int &lanes)
{
    int first = __ffs(lanes) - 1;
    lanes &= lanes - 1;
    return first;
}

/* The entry of A that is this lane's in the row of A of lane `source`; -1 if there is none. */
template <typename Offset>
__device__ inline int32_t entry_of(const patterns<Offset> &pattern, span<Offset> a, int source)
{
    const int lane = threadIdx.x % 32;
    const Offset begin = __shfl_sync(~0u, a.begin, source);
    const int length = __shfl_sync(~0u, (int)(a.end - a.begin), source);
    return load_if(source >= 0 && lane < length, pattern.a_columns + begin + lane, -1);
}

/* The row of B that this entry of A names, unchecked; one that cannot be if the entry cannot. */
template <typename Offset>
__device__ inline span<Offset> row_of(const patterns<Offset> &pattern, span<Offset> a, int source, int32_t entry)
{
    const int length = __shfl_sync(~0u, (int)(a.end - a.begin), source);
    const bool within = (uint32_t)entry < (uint32_t)pattern.inner;
    const bool named = source >= 0 && (int)(threadIdx.x % 32) < length;
    return {load_if(within, pattern.b_offsets + entry, 0),
            load_if(within, pattern.b_offsets + entry + 1, (Offset)(named ? -1 : 0))};
}

/* The products of row i of A, of which this lane has b, or 0 if they are too many: then and where b cannot be, nothing
 * of b is merged. */
template <typename Offset, typename Position>
__device__ inline bool begin_whole(const patterns<Offset> &pattern, int32_t i, span<Offset> b, merged &merge,
                                   lane_row<Position> &row, const lane_columns &columns, uint32_t &products,
                                   uint32_t &faults)
{
    using Unsigned = std::make_unsigned_t<Offset>;
    if ((Unsigned)b.begin > (Unsigned)b.end || (Unsigned)b.end > (Unsigned)pattern.b_nnz) {
        find_faults(pattern, i, faults);
        b = {0, 0};
    }
    __syncwarp();
    const uint32_t here = __reduce_add_sync(~0u, capped_length(b));
    const bool fits = here <= MOST_PRODUCTS;
    if (fits) products += here;
    row = unstaged((Position)(fits ? b.begin : b.end), (Position)b.end, columns);
    merge = {NOT_STAGED, NO_HEAD, 0};
    return fits;
}

/* Two rows of C at once, for each waits long between its steps. */
template <typename Offset, typename Position>
__device__ inline uint32_t merge_wholes(const patterns<Offset> &pattern, merged (&merge)[2],
                                        lane_row<Position> (&row)[2], lane_columns *columns)
{
    bool goes[2];
    do {
        while (ascends(merge[0]) && ascends(merge[1])) {
            count(merge[0], row[0]);
            count(merge[1], row[1]);
            merge[0].column = __reduce_min_sync(~0u, row[0].head);
            merge[1].column = __reduce_min_sync(~0u, row[1].head);
        }
        goes[0] = resume(pattern, merge[0], row[0], columns[0]);
        goes[1] = resume(pattern, merge[1], row[1], columns[1]);
    } while (goes[0] && goes[1]);
    /* One is left at most. */
    const bool second = goes[1];
    merged left = merge[0], ended = merge[1];
    lane_row<Position> left_row = row[0], ended_row = row[1];
    if (second) {
        left = merge[1], ended = merge[0];
        left_row = row[1], ended_row = row[0];
    }
    uint32_t faults = faults_at_end(pattern, ended, ended_row, columns[!second]);
    while (resume(pattern, left, left_row, columns[second]))
        while (ascends(left)) {
            count(left, left_row);
            left.column = __reduce_min_sync(~0u, left_row.head);
        }
    faults |= faults_at_end(pattern, left, left_row, columns[second]);
    if (second)
        merge[1].length = left.length;
    else
        merge[0].length = left.length;
    return faults;
}

/* The rows of the lanes in `lanes`, of up to 32 entries each; i and a are the lane's own. While two rows are merged the
 * rows of B of the next two are on their way, and the entries of A of the two after them. */
template <typename Offset, typename Position>
__device__ inline void merge_in_pairs(const patterns<Offset> &pattern, int32_t i, span<Offset> a, unsigned int lanes,
                                      lane_columns *columns, row_found &found, warp_found &warp)
{
    const int lane = threadIdx.x % 32;
    int now[2] = {take_lane(lanes), take_lane(lanes)}, next[2] = {take_lane(lanes), take_lane(lanes)};
    int32_t entries[2];
    span<Offset> rows[2];
    uint32_t products = 0;
#pragma unroll
    for (int k = 0; k < 2; ++k) rows[k] = row_of(pattern, a, now[k], entry_of(pattern, a, now[k]));
#pragma unroll
    for (int k = 0; k < 2; ++k) entries[k] = entry_of(pattern, a, next[k]);
    while (now[0] >= 0) {
        merged merge[2];
        lane_row<Position> row[2];
        bool fits[2];
#pragma unroll
        for (int k = 0; k < 2; ++k)
            fits[k] =
                begin_whole(pattern, i - lane + now[k], rows[k], merge[k], row[k], columns[k], products, found.signs);
        const int after[2] = {take_lane(lanes), take_lane(lanes)};
#pragma unroll
        for (int k = 0; k < 2; ++k) {
            rows[k] = row_of(pattern, a, next[k], entries[k]);
            entries[k] = entry_of(pattern, a, after[k]);
        }
        found.signs |= merge_wholes(pattern, merge, row, columns);
#pragma unroll
        for (int k = 0; k < 2; ++k) {
            if (lane == now[k]) {
                found.length = merge[k].length;
                if (!fits[k]) found.signs |= LEFT;
            }
            now[k] = next[k];
            next[k] = after[k];
        }
    }
    if (lane == 0) warp.products += products;
}

/* The sum of what the lanes of this lane's half or whole of the warp have; all lanes take part. Likewise the least. */
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

/* One row of A in each half of the warp or in all of it, row i for all its lanes: its count and products, and the
 * signs, of faults that this lane saw. */
template <int LANES, typename Offset, typename Position>
__device__ inline row_found merge_in_group(const patterns<Offset> &pattern, int32_t i, uint32_t &products)
{
    row_found found{0, 0};
    const span<Offset> a = a_row(pattern, i); /* checked by the lane whose row it is */
    const Offset k = a.begin + threadIdx.x % LANES;
    span<Offset> b{0, 0};
    if (k < a.end) b = checked_b_row(pattern, pattern.a_columns[k], found.signs);
    products = sum_of_group<LANES>(capped_length(b));
    const bool fits = products <= MOST_PRODUCTS;
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

/* The rows of the lanes in `lanes`, of up to LANES entries each; i is the lane's own. */
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
