/* Whether all rows of a CSR matrix ascend strictly, found from all of its columns. Private.
 *
 * A descent is an entry whose column is not greater than that of the entry before it. Columns may descend from one row
 * to the next, but not within a row that ascends. So the descents over all columns in storage order, minus those at the
 * first entries of rows, are 0 exactly if every row ascends. If offsets are invalid the difference means nothing, but
 * nothing outside the matrix's entries is read.
 *
 * Memory traffic: 4 bytes an entry and an offset a row, streamed. The columns around the first entries of rows are read
 * again, from cache unless the matrix is much larger than it. */
#ifndef SPG_KERNELS_PRIMITIVES_ROW_ORDER_CUH
#define SPG_KERNELS_PRIMITIVES_ROW_ORDER_CUH

#include "warp.cuh"

namespace spg
{

enum {
    FOURS_AT_ONCE = 4,                  /* loads of four columns that a thread issues together */
    PIECE_FOURS = WARP * FOURS_AT_ONCE, /* of a warp */
    BEGINNINGS_AT_ONCE = 4              /* rows of a thread, likewise */
};

/* A matrix whose offsets may be invalid. */
template <typename Offset> struct row_pattern_view {
    const Offset *offsets;
    const int32_t *columns;
    Offset nnz;
    int32_t rows;
};

/* All columns as 16-byte loads see them: fewer than four before the first 16-byte boundary, `count` times four,
 * and fewer than four after those. */
struct column_fours {
    const int4 *fours;
    int64_t count;
    int head, tail;

    __device__ column_fours(const int32_t *columns, int64_t nnz)
    {
        const int before = (int)(-(reinterpret_cast<uintptr_t>(columns) / sizeof *columns) % 4);
        head = nnz < before ? (int)nnz : before;
        fours = reinterpret_cast<const int4 *>(columns + head);
        count = (nnz - head) / 4;
        tail = (int)((nnz - head) % 4);
    }
};

/* A lane's share of the descents to the entries of one piece of the fours. A whole warp calls it. */
__device__ inline unsigned int descents_in_piece(const int32_t *columns, const column_fours &in, int64_t piece)
{
    const int lane = lane_in_warp();
    const int64_t first = piece * PIECE_FOURS, before_all = in.head + 4 * first - 1;
    int4 four[FOURS_AT_ONCE];
#pragma unroll
    for (int n = 0; n < FOURS_AT_ONCE; n++) {
        const int64_t number = first + WARP * n + lane;
        four[n] = number < in.count ? in.fours[number] : int4{};
    }
    int32_t before = lane == 0 && before_all >= 0 ? columns[before_all] : -1; /* used by lane 0 */
    unsigned int found = 0;
#pragma unroll
    for (int n = 0; n < FOURS_AT_ONCE; n++) {
        const int4 own = four[n];
        const int32_t left = __shfl_sync(ALL_LANES, own.w, (lane + WARP - 1) % WARP), last = lane > 0 ? left : before;
        if (first + WARP * n + lane < in.count)
            found += (own.x <= last) + (own.y <= own.x) + (own.z <= own.y) + (own.w <= own.z);
        before = left; /* lane 0 gets it from the last lane */
    }
    return found;
}

/* The first few threads: whether there is a descent to one entry before or after the fours. */
__device__ inline unsigned int descents_at_ends(const int32_t *columns, const column_fours &in, int64_t thread)
{
    if (thread >= in.head + in.tail) return 0;
    const int64_t entry = thread < in.head ? thread : thread + 4 * in.count;
    return entry > 0 && columns[entry] <= columns[entry - 1] ? 1 : 0;
}

/* Descents to the first entries of BEGINNINGS_AT_ONCE rows: `row` and rows before it, at equal distances. */
template <typename Offset>
__device__ inline unsigned int descents_to_rows(const row_pattern_view<Offset> &matrix, int64_t row, int64_t apart)
{
    Offset begin[BEGINNINGS_AT_ONCE];
    bool may_descend[BEGINNINGS_AT_ONCE];
#pragma unroll
    for (int n = 0; n < BEGINNINGS_AT_ONCE; n++) {
        const int64_t own = row - n * apart;
        begin[n] = own >= 0 ? matrix.offsets[own] : 0;
        const Offset end = own >= 0 ? matrix.offsets[own + 1] : 0;
        may_descend[n] = begin[n] > 0 && begin[n] < end && begin[n] < matrix.nnz;
    }
    int32_t before[BEGINNINGS_AT_ONCE], first[BEGINNINGS_AT_ONCE];
#pragma unroll
    for (int n = 0; n < BEGINNINGS_AT_ONCE; n++) {
        before[n] = may_descend[n] ? matrix.columns[begin[n] - 1] : 0;
        first[n] = may_descend[n] ? matrix.columns[begin[n]] : 0;
    }
    unsigned int found = 0;
#pragma unroll
    for (int n = 0; n < BEGINNINGS_AT_ONCE; n++) found += may_descend[n] && first[n] <= before[n];
    return found;
}

/* A thread's share of the descents within rows; negative if it found more descents to first entries. The shares of
 * all threads of `warps` whole warps, of which this is warp number `warp`, add up modulo 2^64. */
template <typename Offset>
__device__ inline unsigned long long descents_within_rows(const row_pattern_view<Offset> &matrix, int64_t warp,
                                                          int64_t warps)
{
    const int32_t *columns = matrix.columns;
    const column_fours in(columns, (int64_t)matrix.nnz);
    const int64_t thread = warp * WARP + lane_in_warp(), threads = warps * WARP;
    unsigned long long found = descents_at_ends(columns, in, thread);
    for (int64_t piece = warp; piece * PIECE_FOURS < in.count; piece += warps)
        found += descents_in_piece(columns, in, piece);
    /* From the last row back: the last columns are still in cache. */
    for (int64_t row = matrix.rows - 1 - thread; row >= 0; row -= BEGINNINGS_AT_ONCE * threads)
        found -= descents_to_rows(matrix, row, threads);
    return found;
}

} // namespace spg

#endif
