/* What the stages of making a plan's windows share (plan/entries.cu, plan/windows.cu, plan/codes.cu). Private. */
#ifndef SPG_KERNELS_SPGEMM_PLAN_ENTRIES_CUH
#define SPG_KERNELS_SPGEMM_PLAN_ENTRIES_CUH

#include "../../primitives/search.cuh"
#include "plan.cuh"

namespace spg
{

/* Some rows, with their entries of C, which are counted from c_begin; of pairs of columns (`wide` of plan_windows is 2)
 * pairs are counted. */
struct entry_slice {
    int64_t row_begin, row_end, c_begin, c_count, products;
    uint32_t *long_begins; /* of an entry of C with LONG_RANK: where its products begin in the slice's long ones */
    uint16_t *ranks;       /* of each entry of C: its place in its window's order, or LONG_RANK */
};
enum { LONG_RANK = 0xffff };

/* Of all slices so far, on the device. */
struct entry_totals {
    unsigned int near_most;           /* as of plan_windows */
    unsigned long long long_entries;  /* rows together each */
    unsigned long long long_products; /* of this slice */
};

/* Where the runs of a row begin that leads a group of blocks. Every group leaves as many places as it has runs, so that
 * none overlap. */
__device__ inline int64_t first_run(const plan_patterns &of, const plan_windows &windows, int64_t row)
{
    return (of.a[row] - of.a[0]) / (windows.deep * windows.together);
}

/* What the window of a block is made from and what it becomes; window w of the slice is `before` + w of all. */
struct window_work {
    plan_patterns patterns;
    entry_slice slice;
    plan_windows out;
    int64_t before, b_nnz;
    bool halves;
    int near_room;       /* entries, or runs */
    int b_bits;          /* for a position in B */
    bool prefers_direct; /* where other codes would take fewer bytes */
    int64_t *words;      /* of each window's codes, in tiles */
    const int64_t *products_before, *row_products;
    entry_totals *totals;

    __device__ bool is_done(int64_t row) const { return products_before[row + 1] > products_before[row]; }
    /* A row whose entries stand for those of equal rows behind it: these have products, but are not done. */
    __device__ bool leads(int64_t row) const
    {
        return out.together > 1 && row % out.together == 0 && row + out.together <= patterns.rows && is_done(row) &&
               !is_done(row + 1) && row_products[row + 1] == row_products[row];
    }
    __device__ bool is_below(int64_t row, int64_t c_at) const
    {
        return halves && patterns.c_columns[(c_at + 1) * out.wide - 1] < patterns.first_row + row;
    }
};

/* The entries of C of a window, and the rows and entries of A that have products for them. */
struct window_span {
    int64_t c_begin;             /* of all C, in pairs where columns are */
    int count;                   /* of entries of C */
    int64_t first_row, last_row; /* that have some of them */
    int64_t a_begin, a_end;
};
__device__ inline window_span find_span(const window_work &work, int64_t w)
{
    const plan_patterns &of = work.patterns;
    const entry_slice &slice = work.slice;
    const int wide = work.out.wide;
    window_span span;
    span.c_begin = slice.c_begin + w * work.out.width;
    span.count = (int)min(slice.c_begin + slice.c_count - span.c_begin, (int64_t)work.out.width);
    span.first_row = row_of_entry(of.c, slice.row_begin, slice.row_end - 1, span.c_begin * wide);
    span.last_row = row_of_entry(of.c, span.first_row, slice.row_end - 1, (span.c_begin + span.count) * wide - 1);
    /* Rows at the ends may be of other classes, and long. */
    span.a_begin = of.a[span.first_row + !work.is_done(span.first_row)];
    span.a_end = max(span.a_begin, (int64_t)of.a[span.last_row + work.is_done(span.last_row)]);
    return span;
}

/* Adds the slice's windows to the plan's, plan/windows.cu, and `count` windows' codes, `tiles` in all, with the long
 * entries' products, plan/codes.cu; before: the products before each row; found: with this slice. add_windows waits. */
spg_status add_windows(plan_maker &maker, const entry_slice &slice, const int64_t *before, entry_totals *totals);
spg_status add_codes(plan_maker &maker, const window_work &work, int64_t count, int64_t tiles,
                     const entry_totals &found);
/* plan/windows.cu. The order of all windows. Waits. */
spg_status order_windows(plan_maker &maker);

} // namespace spg

#endif
