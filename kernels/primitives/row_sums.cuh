/* Sums over the rows of a matrix by warps, for example products with a vector. Private.
 *
 * A warp takes consecutive rows, whose entries are contiguous. All its lanes read a tile of entries, several a lane
 * before the first is used, and put each entry's term into shared memory; then one lane, or several, sum each row. So
 * memory is read in order for any row lengths, and no lane waits for another warp. */
#ifndef SPG_KERNELS_PRIMITIVES_ROW_SUMS_CUH
#define SPG_KERNELS_PRIMITIVES_ROW_SUMS_CUH

#include "warp.cuh"

#include <type_traits>

namespace spg
{

/* Entries of a warp's tile: eight a lane (amg_bench and products with vectors on an H100: four and sixteen are slower
 * for most matrices). */
enum { ROW_TILE_A_LANE = 8, ROW_TILE = ROW_TILE_A_LANE * WARP };

/* The terms of a tile's entries, with a gap after every 32, so that rows of even length have no bank conflicts. */
template <typename Value> struct row_tile {
    Value terms[ROW_TILE + ROW_TILE / WARP];

    __device__ Value &operator[](unsigned int place) { return terms[place + place / WARP]; }
};

/* The rows that a warp takes at a time, and the lanes (a power of two) that sum each; rows * lanes <= WARP. With one
 * lane, entries are added in storage order. */
struct row_shares {
    int rows, lanes;
};

/* As many rows as fill a tile; fewer if there would be rows for fewer than `warps` warps. */
inline row_shares share_rows(int64_t rows, int64_t nnz, int64_t warps = 0)
{
    const int64_t mean = rows > 0 && nnz > rows ? (nnz + rows - 1) / rows : 1;
    row_shares shares = {mean > ROW_TILE ? 1 : mean * WARP <= ROW_TILE ? WARP : (int)(ROW_TILE / mean), 1};
    while (shares.rows > 1 && rows < warps * shares.rows) shares.rows = (shares.rows + 1) / 2;
    return shares;
}

/* The same with all available lanes for each row, for sums in any order that is the same for the same matrix. The
 * number of rows is a power of two if that wastes at most a quarter of a tile, so that no lane idles. */
inline row_shares share_rows_among_lanes(int64_t rows, int64_t nnz, int64_t warps = 0)
{
    row_shares shares = share_rows(rows, nnz, warps);
    int power = 1;
    while (2 * power <= shares.rows) power *= 2;
    if (4 * power >= 3 * shares.rows) shares.rows = power;
    while (2 * shares.lanes * shares.rows <= WARP) shares.lanes *= 2;
    return shares;
}

/* Blocks such that each warp takes rows once, or very often. */
inline unsigned int blocks_for_shares(int64_t rows, row_shares shares, int threads)
{
    const int64_t a_block = (int64_t)shares.rows * (threads / WARP), blocks = (rows + a_block - 1) / a_block;
    return (unsigned int)(blocks < 1 << 24 ? blocks : 1 << 24);
}

/* Entries [tile, tile + count), at most a tile. Lanes without an entry use an entry of zeros, whose term is not
 * added. */
template <typename Value, typename Index, typename Read, typename Term>
__device__ inline void fill_row_tile(Index tile, int count, row_tile<Value> &terms, Read &read, Term &term)
{
    using entry = decltype(read(tile));
    const Index mine = tile + lane_in_warp();
    entry entries[ROW_TILE_A_LANE];
#pragma unroll
    for (int e = 0; e < ROW_TILE_A_LANE; ++e)
        entries[e] = e * WARP + lane_in_warp() < count ? read(mine + e * WARP) : entry{};
#pragma unroll
    for (int e = 0; e < ROW_TILE_A_LANE; ++e) terms[e * WARP + lane_in_warp()] = term(entries[e]);
}

/* Adds the terms from, from + step, ... below `to` to sum, one after the other. */
template <typename Value>
__device__ inline Value add_terms(Value sum, row_tile<Value> &terms, int from, int to, int step)
{
    constexpr int AT_ONCE = 4;
    for (; from + (AT_ONCE - 1) * step < to; from += AT_ONCE * step) {
        Value next[AT_ONCE];
#pragma unroll
        for (int a = 0; a < AT_ONCE; ++a) next[a] = terms[from + a * step];
#pragma unroll
        for (int a = 0; a < AT_ONCE; ++a) sum = add(sum, next[a]);
    }
    for (; from < to; from += step) sum = add(sum, terms[from]);
    return sum;
}

/* Calls each(row, sum of term(read(k)) over its entries k) for every row, in one lane. All warps of all blocks call it,
 * each with its own tile. begins[row] is where a row begins, begins[rows] where the last ends; if begins has 32 bits,
 * so has k, which saves a tenth of the time. */
template <typename Value, typename Begins, typename Read, typename Term, typename Each>
__device__ inline void for_each_row_sum(int64_t rows, const Begins &begins, row_shares shares, row_tile<Value> &terms,
                                        Read &&read, Term &&term, Each &&each)
{
    using Index = std::decay_t<decltype(begins[rows])>;
    const int share = lane_in_warp() >> (__ffs(shares.lanes) - 1), part = lane_in_warp() & (shares.lanes - 1);
    const int64_t warps = (int64_t)gridDim.x * (blockDim.x / WARP), step = warps * shares.rows;
    int64_t first = ((int64_t)blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP) * shares.rows;
    const auto begin_of = [&](int64_t row) { return first < rows ? begins[row < rows ? row : rows] : (Index)0; };
    Index ahead = begin_of(first + share), end_ahead = begin_of(first + shares.rows);
    while (first < rows) {
        const int64_t row = first + share;
        const Index begin = ahead, last = end_ahead;
        const bool has_row = share < shares.rows && row < rows;
        first += step;
        ahead = begin_of(first + share);
        end_ahead = begin_of(first + shares.rows);
        const Index next = __shfl_down_sync(ALL_LANES, begin, shares.lanes);
        const Index end = share + 1 < shares.rows ? next : last;
        Index tile = __shfl_sync(ALL_LANES, begin, 0);
        Value sum = zero<Value>();
        while (tile < last) {
            const int count = last - tile < ROW_TILE ? (int)(last - tile) : (int)ROW_TILE;
            fill_row_tile(tile, count, terms, read, term);
            __syncwarp();
            if (has_row && begin < tile + count && end > tile)
                sum = add_terms(sum, terms, (begin > tile ? (int)(begin - tile) : 0) + part,
                                end < tile + count ? (int)(end - tile) : count, shares.lanes);
            __syncwarp();
            tile += count;
        }
        for (int lanes = shares.lanes / 2; lanes > 0; lanes /= 2) sum = add(sum, shuffle_xor(sum, lanes));
        if (has_row && part == 0) each(row, sum);
    }
}

} // namespace spg

#endif
