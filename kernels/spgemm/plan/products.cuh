/* The products of a plan's window, in storage order, by the warps of a block or found from entries of C. Private.
 *
 * Each warp has a section of consecutive entries of A with products for the window. A lane finds the part of an entry's
 * row of B that lies in the window; then all lanes go over the products of 32 entries, 32 at a time. */
#ifndef SPG_KERNELS_SPGEMM_PLAN_PRODUCTS_CUH
#define SPG_KERNELS_SPGEMM_PLAN_PRODUCTS_CUH

#include "../../primitives/warp.cuh"
#include "entries.cuh"

namespace spg
{

/* A block a window. */
enum { WINDOW_THREADS = PLAN_WINDOW, WINDOW_WARPS = PLAN_WINDOW_WARPS };

/* The part of an entry of A in the window: `count` entries of its row of B, or pairs, from `first` on, and the range of
 * entries of C that theirs are in. 32 bits number the entries of B; a slice has fewer than 2^31 products. */
struct window_row_part {
    int64_t row, b_begin;
    int b_length, first, count, c_at, c_count;
};

/* columns: of the window's entries of C. */
__device__ inline window_row_part find_part(const window_work &work, const window_span &span, const int32_t *columns,
                                            int64_t a_at)
{
    const plan_patterns &of = work.patterns;
    const plan_shape &shape = work.out;
    window_row_part part = {};
    part.row = row_of_entry(of.a, span.first_row, span.last_row, a_at);
    if (!work.is_done(part.row)) return part;
    if (shape.run_length > 1 && (a_at - of.a[part.row]) % shape.run_length != 0) return part;
    const int64_t column = of.a_columns[a_at], c_begin = shape.done_as_one(of.c[part.row]),
                  c_end = shape.done_as_one(of.c[part.row + 1]);
    part.b_begin = of.b[column];
    part.b_length = part.count = (int)shape.done_as_one(of.b[column + 1] - part.b_begin);
    part.c_at = (int)(max(c_begin, span.c_begin) - span.c_begin);
    part.c_count = (int)(min(c_end, span.c_begin + span.count) - span.c_begin) - part.c_at;
    if (!of.b_ascends || part.c_count == c_end - c_begin) return part;
    const int32_t *b_columns = of.b_columns + part.b_begin;
    const int32_t least = columns[part.c_at], most = columns[part.c_at + part.c_count - 1];
    part.first = first_that(0, part.b_length, [&](int t) { return b_columns[t * shape.entry_width] >= least; });
    part.count = first_that(part.first, part.b_length, [&](int t) { return b_columns[t * shape.entry_width] > most; }) -
                 part.first;
    return part;
}

/* One product: the entry of A, the position in its row of B (of pairs, if columns come in pairs), where that row
 * begins, and the entry of C in the window; -1: this lane has none. */
struct window_product {
    int64_t a_at, b_begin;
    int b_at, c_at;
};

/* Calls each(window_product) for the products of the warp's section, 32 at once in the order of the lanes, and
 * part(a_at, window_row_part) for its entries of A. All lanes of a warp call it. */
template <typename Part, typename Each>
__device__ inline void for_each_product(const window_work &work, const window_span &span, const int32_t *columns,
                                        Part part, Each each)
{
    const int warp = (int)threadIdx.x / WARP, lane = lane_in_warp(), entry_width = work.out.entry_width;
    const int64_t entries = span.a_end - span.a_begin;
    const int64_t begin = span.a_begin + entries * warp / WINDOW_WARPS;
    const int64_t end = span.a_begin + entries * (warp + 1) / WINDOW_WARPS;
    for (int64_t a_first = begin; a_first < end; a_first += WARP) {
        window_row_part own = {};
        if (a_first + lane < end) {
            own = find_part(work, span, columns, a_first + lane);
            part(a_first + lane, own);
        }
        const int until = inclusive_scan(own.count, plus()), all = __shfl_sync(ALL_LANES, until, WARP - 1);
        const int origin = own.first + own.count - until; /* of a row's positions, counted from the first product */
        const int places = own.c_at << 16 | own.c_count;
        for (int k = lane; k - lane < all; k += WARP) {
            const int owner = lane_of_place(until, k);
            window_product product;
            product.a_at = a_first + owner;
            product.b_begin = __shfl_sync(ALL_LANES, (uint32_t)own.b_begin, owner);
            product.b_at = __shfl_sync(ALL_LANES, origin, owner) + k;
            product.c_at = -1;
            const int among = __shfl_sync(ALL_LANES, places, owner);
            if (k < all) {
                const int32_t column = work.patterns.b_columns[product.b_begin + product.b_at * entry_width];
                const int32_t *c_columns = columns + (among >> 16);
                const int count = among & 0xffff,
                          at = first_that(0, count, [&](int t) { return c_columns[t] >= column; });
                if (at < count && c_columns[at] == column) product.c_at = (among >> 16) + at;
            }
            each(product);
        }
    }
}

/* Copies the columns of the window's entries of C for all threads. */
__device__ inline void stage_columns(const window_work &work, const window_span &span, int32_t *columns)
{
    for (int i = (int)threadIdx.x; i < span.count; i += WINDOW_THREADS)
        columns[i] = work.patterns.c_columns[(span.c_begin + i) * work.out.entry_width];
}

/* counts: by warp and entry of C, the products in the warp's section. */
template <typename Part>
__device__ inline void count_products(const window_work &work, const window_span &span, const int32_t *columns,
                                      uint32_t (&counts)[WINDOW_WARPS][PLAN_WINDOW], Part part)
{
    for (int i = lane_in_warp(); i < PLAN_WINDOW; i += WARP) counts[threadIdx.x / WARP][i] = 0;
    __syncwarp();
    for_each_product(work, span, columns, part, [&](const window_product &product) {
        if (product.c_at >= 0) atomicAdd(&counts[threadIdx.x / WARP][product.c_at], 1u);
    });
}

/* The products of a window's entries of C, found from these entries. Each thread goes over the row of A of its entry,
 * and looks for the entry's column in the rows of B. Only for short rows of A and rows of B that ascend: an entry then
 * has at most one product for each entry of its row of A, so that a mask tells which. Cheaper than to go over all
 * products, unless few of the rows of B that are looked at have the column. */

/* Entries of A whose rows of B are staged in shared memory at once. */
enum { STAGED_A = 2048 };

struct row_of_b {
    uint32_t begin, length;
};

/* The position of a column in a row that ascends strictly; -1: it is not there. */
__device__ inline int find_column(const int32_t *row, int length, int32_t column)
{
    int at = 0;
    for (int left = length; left > 1;) {
        const int half = left / 2;
        if (row[at + half] <= column) at += half;
        left -= half;
    }
    return length > 0 && row[at] == column ? at : -1;
}

/* Calls each(begin, end) for ranges of the window's entries of A, one after the other, whose rows of B are staged:
 * that of entry k is staged[k - begin]. Calls note(k, begin of the row) for every entry. The block calls it. */
template <typename Note, typename Each>
__device__ inline void for_each_staged(const window_work &work, const window_span &span, row_of_b *staged, Note note,
                                       Each each)
{
    const plan_patterns &of = work.patterns;
    for (int64_t begin = span.a_begin; begin < span.a_end; begin += STAGED_A) {
        const int64_t end = min(begin + STAGED_A, span.a_end);
        for (int64_t k = begin + threadIdx.x; k < end; k += WINDOW_THREADS) {
            const int64_t column = of.a_columns[k], b_begin = of.b[column];
            staged[k - begin] = {(uint32_t)b_begin, (uint32_t)(of.b[column + 1] - b_begin)};
            note(k, b_begin);
        }
        __syncthreads();
        each(begin, end);
        __syncthreads();
    }
}

/* The thread's entry of C. */
struct searched_entry {
    int32_t column;
    int64_t a_begin, a_end; /* its row of A; empty if there is no entry, or if it is of another class */
};
__device__ inline searched_entry find_entry(const window_work &work, const window_span &span, int64_t row, int64_t c_at,
                                            bool is_there)
{
    const plan_patterns &of = work.patterns;
    if (!is_there || !work.is_done(row)) return {0, span.a_begin, span.a_begin};
    return {of.c_columns[c_at], of.a[row], of.a[row + 1]};
}

} // namespace spg

#endif
