/* Shared by the stages of making a plan's windows (plan/entries.cu, plan/windows.cu, plan/codes.cu). Private. */
#ifndef SPG_KERNELS_SPGEMM_PLAN_ENTRIES_CUH
#define SPG_KERNELS_SPGEMM_PLAN_ENTRIES_CUH

#include "../../primitives/search.cuh"
#include "../../primitives/warp.cuh"
#include "plan.cuh"

namespace spg
{

/* Some rows with their entries of C, numbered from c_begin. If columns come in pairs (`entry_width` of plan_windows is
 * 2), pairs are counted. */
struct entry_slice {
    int64_t row_begin, row_end, c_begin, c_count, products;
    int64_t a_count;       /* entries of A in its rows */
    uint32_t *long_begins; /* for an entry of C with LONG_RANK: where its products begin among the slice's long ones */
    uint16_t *ranks;       /* by entry of C: its rank in its window's order, or LONG_RANK */
    /* By window, warp and entry of C: the entry's products in the sections of the warps before; MANY_BEFORE: at least
     * so many. NULL under a workspace limit. */
    uint8_t *before_warps;
    /* If windows are made from masks of so many bytes, else 0 (plan/masks.cu); the three arrays above are NULL in their
     * place. a_masks: for each entry of A, the entries of its row of C that its row of B has. For each entry of C,
     * c_masks: the entries of its row of A that have a product for it; c_rows: its row, counted from row_begin. */
    int mask_bytes;
    void *a_masks, *c_masks;
    uint32_t *c_rows;

    /* The bits that are set in mask k of these. */
    __device__ int count_bits(const void *masks, int64_t k) const
    {
        return mask_bytes == 4 ? __popc(static_cast<const uint32_t *>(masks)[k])
                               : __popcll(static_cast<const unsigned long long *>(masks)[k]);
    }
};
/* Masks are used if they hold the longest rows of A and of C, but not for blocks, and if on average an entry of C looks
 * at no more than so many entries of A for a product (A*P and R*AP of a hierarchy's first levels: 2 to 3). */
enum { MASK_BITS = 64, MOST_LOOKS = 4 };
/* Calls launch(word), where a word of the slice's masks is of the type of `word`. */
template <typename Launch> void with_masks(const entry_slice &slice, Launch launch)
{
    if (slice.mask_bytes == sizeof(uint32_t))
        launch(uint32_t());
    else
        launch(uint64_t());
}
static_assert((int)MASK_BITS <= (int)PLAN_LONG_ENTRY, "no entry is a long one");
enum { PLAN_WINDOW_WARPS = PLAN_WINDOW / WARP, MANY_BEFORE = 255 };
enum { LONG_RANK = 0xffff };

/* Totals of all slices so far, on the device. */
struct entry_totals {
    unsigned int most_staged;         /* as of plan_windows */
    unsigned long long long_entries;  /* equal rows count separately */
    unsigned long long long_products; /* of this slice, as the next two */
    unsigned long long tiles;         /* words of codes, in tiles */
    unsigned long long uncommon;      /* windows that are empty or heavy */
};

/* Where the runs of a row begin that leads a group of blocks. Every group reserves as many runs as it may have, so that
 * none overlap. */
__device__ inline int64_t first_run(const plan_patterns &of, const plan_windows &windows, int64_t row)
{
    return (of.a[row] - of.a[0]) / (windows.run_length * windows.equal_rows);
}

/* The entries of A that have products for a window, or its runs: what codes name. */
struct a_range {
    int64_t begin;               /* the origin of codes: an entry of A, or a run */
    int64_t count, staged_count; /* staged_count: including those of equal rows behind the last; for blocks, both count
                                  * runs */
};

/* The entries of C of a window, and the rows and entries of A with products for them. */
struct window_span {
    int64_t c_begin;             /* among all of C; in pairs if columns are */
    int64_t first_row, last_row; /* the first and the last row with some of them */
    a_range a;
    int count; /* of entries of C */
};

/* Input and output for the window of a block; window w of the slice is number `before` + w of all. */
struct window_work {
    plan_patterns patterns;
    entry_slice slice;
    plan_windows out;
    int64_t before, b_nnz;
    bool halves;
    int entries_staged;  /* entries, or runs */
    int b_bits;          /* for a position in B */
    bool prefers_direct; /* if other codes would take fewer bytes */
    int64_t heavy;       /* products of a window that is ordered before others, if there is one slice */
    window_span *spans;  /* by window */
    int64_t *words;      /* by window: words of its codes, in tiles; from order_window on scanned */
    const int64_t *products_before, *row_products;
    entry_totals *totals;

    /* Those of the entries of A from number a_at on. */
    template <typename Mask> __device__ Mask *a_masks(int64_t a_at) const
    {
        return static_cast<Mask *>(slice.a_masks) + (a_at - patterns.a[slice.row_begin]);
    }
    __device__ bool is_done(int64_t row) const { return products_before[row + 1] > products_before[row]; }
    /* Whether a row leads: its entries stand for those of the equal rows behind it. These have products, but are not
     * done. */
    __device__ bool leads(int64_t row) const
    {
        return out.equal_rows > 1 && row % out.equal_rows == 0 && row + out.equal_rows <= patterns.rows &&
               is_done(row) && !is_done(row + 1) && row_products[row + 1] == row_products[row];
    }
    __device__ bool is_below(int64_t row, int64_t c_at) const
    {
        return halves && patterns.c_columns[(c_at + 1) * out.entry_width - 1] < patterns.first_row + row;
    }
};

/* Where a row of B begins; of one that is empty, a place that can be read safely. */
__device__ inline uint32_t safe_b_begin(const window_work &work, int64_t begin)
{
    return (uint32_t)min(begin, work.b_nnz - 1);
}

/* add_windows (plan/windows.cu) adds the slice's windows to the plan's and waits. add_codes (plan/codes.cu) adds the
 * codes of `count` windows and the long entries' products. before: the products before each row; found: the totals
 * including this slice. */
spg_status add_windows(plan_maker &maker, const entry_slice &slice, const int64_t *before, entry_totals *totals,
                       entry_totals *found);
spg_status add_codes(plan_maker &maker, const window_work &work, int64_t count, const entry_totals &found);
/* plan/masks.cu. Begins to find the slice's a_masks, and keeps where the rows of B begin. */
spg_status find_masks(plan_maker &maker, const window_work &work);
/* The products of windows that are ordered before others, of `count`. */
inline int64_t heavy_products(const plan_maker &maker, int64_t count)
{
    return 4 * (maker.entry_product_count / count + 1);
}
/* plan/windows.cu. Orders all windows. Waits. */
spg_status order_windows(plan_maker &maker);

} // namespace spg

#endif
