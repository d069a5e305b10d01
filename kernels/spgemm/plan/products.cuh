/* The products of a plan's window, in storage order, by the warps of a block. Private.
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

/* The part of an entry of A in the window, or of a run: `count` entries of its row of B, or pairs, from `first` on, and
 * the range of entries of C that theirs are in. a_at: the entry, of a run the first. 32 bits number the entries of B; a
 * slice has fewer than 2^31 products. */
struct window_row_part {
    int64_t row, a_at, b_begin;
    int b_length, first, count, c_at, c_count;
};

/* Sets row and a_at from the name of an entry or a run; returns whether it has products. */
__device__ inline bool find_named(const window_work &work, const window_span &span, int64_t name, window_row_part *part)
{
    const plan_patterns &of = work.patterns;
    const plan_windows &out = work.out;
    if (out.run_length == 1) {
        part->a_at = name;
        part->row = row_of_entry(of.a, span.first_row, span.last_row, name);
        return work.is_done(part->row);
    }
    /* A group of equal rows has as many entries as its leader has runs, times their length, times the rows, and its
     * first run is rounded down: this entry is among them. */
    const int64_t among = of.a[0] + (name + 1) * (out.run_length * out.equal_rows) - 1;
    const int64_t last = min(span.last_row + out.equal_rows, of.rows) - 1;
    const int64_t row = row_of_entry(of.a, span.first_row, last, among);
    part->row = row - row % out.equal_rows;
    part->a_at = of.a[part->row] + (name - first_run(of, out, part->row)) * out.run_length;
    return work.is_done(part->row) && part->a_at < of.a[part->row + 1];
}

/* columns: of the window's entries of C. */
__device__ inline window_row_part find_part(const window_work &work, const window_span &span, const int32_t *columns,
                                            int64_t name)
{
    const plan_patterns &of = work.patterns;
    const plan_shape &shape = work.out;
    window_row_part part = {};
    if (!find_named(work, span, name, &part)) return part;
    const int64_t column = of.a_columns[part.a_at], c_begin = shape.done_as_one(of.c[part.row]),
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

/* Stores where the row of B of an entry or a run begins. Done again by each window that has a part of it. */
__device__ inline void note_row_of_b(const window_work &work, int64_t name, const window_row_part &part)
{
    const plan_windows &out = work.out;
    if (out.run_length == 1)
        out.b_begins[name] = safe_b_begin(work, part.b_begin);
    else if (part.b_length > 0)
        out.runs[name] = {(uint32_t)part.a_at, (uint32_t)(work.patterns.a[part.row + 1] - work.patterns.a[part.row]),
                          (uint32_t)(part.b_begin / out.entry_width), (uint32_t)part.b_length};
}

/* One product: the name of the entry of A or of the run, the position in its row of B (of pairs, if columns come in
 * pairs), where that row begins, and the entry of C in the window; -1: this lane has none. */
struct window_product {
    int64_t name, b_begin;
    int b_at, c_at;
};

/* Calls each(window_product) for the products of the warp's section, 32 at once in the order of the lanes, and
 * part(name, window_row_part) for its entries of A, or runs. All lanes of a warp call it. */
template <typename Part, typename Each>
__device__ inline void for_each_product(const window_work &work, const window_span &span, const int32_t *columns,
                                        Part part, Each each)
{
    const int warp = (int)threadIdx.x / WARP, lane = lane_in_warp(), entry_width = work.out.entry_width;
    const a_range &names = span.a;
    const int64_t begin = names.begin + names.count * warp / WINDOW_WARPS;
    const int64_t end = names.begin + names.count * (warp + 1) / WINDOW_WARPS;
    for (int64_t first = begin; first < end; first += WARP) {
        window_row_part own = {};
        if (first + lane < end) {
            own = find_part(work, span, columns, first + lane);
            part(first + lane, own);
        }
        const int until = inclusive_scan(own.count, plus()), all = __shfl_sync(ALL_LANES, until, WARP - 1);
        const int origin = own.first + own.count - until; /* of a row's positions, counted from the first product */
        const int places = own.c_at << 16 | own.c_count;
        for (int k = lane; k - lane < all; k += WARP) {
            const int owner = lane_of_place(until, k);
            window_product product;
            product.name = first + owner;
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

} // namespace spg

#endif
