/* Makes what a plan keeps for rows of C whose entries are summed by a thread each: products sorted by entry.
 *
 * Input: the patterns and the products of these rows (entry_products). Output: the windows of plan/plan.cuh. The rows
 * are cut into slices that fit the workspace, and the entries of a slice into windows. A block sorts a window's
 * products by entry, in storage order (plan/windows.cu, plan/codes.cu). Dalton, Bell, Olson, Algorithm 1, but done once
 * for all runs. */
#include "entries.cuh"

#include <algorithm>

namespace spg
{

namespace
{

/* Cuts the next slice from row `first` on: as many rows as fit, at least one, without rows at either end that have no
 * products. One thread, because slices depend on those before. */
__global__ void cut_slice_kernel(plan_patterns of, const int64_t *before, int64_t first, int64_t most, plan_shape shape,
                                 entry_slice *slice)
{
    const int64_t begin = last_at_most(before, first, of.rows + 1, before[first]);
    int64_t least = begin + 1, end = of.rows;
    while (least < end) {
        const int64_t middle = least + (end - least + 1) / 2;
        if (before[middle] - before[begin] <= most && of.a[middle] - of.a[begin] <= most &&
            of.c[middle] - of.c[begin] <= most)
            least = middle;
        else
            end = middle - 1;
    }
    end = first_not_below(before, end, before[end]);
    slice->row_begin = begin, slice->row_end = end;
    slice->c_begin = shape.done_as_one(of.c[begin]), slice->c_count = shape.done_as_one(of.c[end] - of.c[begin]);
    slice->a_count = of.a[end] - of.a[begin];
    slice->products = before[end] - before[begin];
}

int choose_width(const plan_maker &maker, const plan_shape &shape)
{
    if (shape.run_length > 1) return shape.rows_per_thread == 1 ? (int)PLAN_BLOCK_WINDOW_FEW : (int)PLAN_WINDOW;
    return are_few(maker, (int64_t)maker.facts.c_entries) ? PLAN_WINDOW_FEW : PLAN_WINDOW;
}

/* The bytes of the masks that windows are made from; 0: they are made without. No entry is a long one of masked
 * windows. */
int choose_mask_bytes(const plan_maker &maker)
{
    const plan_facts &facts = maker.facts;
    const plan_totals &rows = facts.classes[PLAN_ENTRIES];
    const double looks = (double)facts.a_entries * (double)facts.c_entries / (double)maker.patterns.rows;
    const unsigned long long longest = std::max(rows.most_a, rows.most_c);
    if (maker.context->config.workspace_limit != 0 || !maker.patterns.b_ascends || maker.scheme.run_length > 1 ||
        longest > MASK_BITS || looks > MOST_LOOKS * (double)facts.products || maker.patterns.rows > UINT32_MAX)
        return 0;
    return longest <= MASK_BITS / 2 ? MASK_BITS / 16 : MASK_BITS / 8;
}

/* Allocates the windows of all slices. Any two neighbouring slices together exceed slice_most in products, entries of A
 * or entries of C. */
spg_status keep_windows(plan_maker &maker, int64_t products)
{
    plan_windows &kept = maker.part->windows;
    const int64_t a_entries = (int64_t)maker.facts.a_entries, c_entries = (int64_t)maker.facts.c_entries;
    const int64_t slice = maker.scheme.slice_most, all = products / slice + a_entries / slice + c_entries / slice;
    static_cast<plan_shape &>(kept) = maker.scheme;
    kept.width = choose_width(maker, kept);
    const int64_t most = (c_entries / kept.entry_width + kept.width - 1) / kept.width + 2 * (all + 1);
    kept.pitch = run_pitch(kept.rows_per_thread, maker.value_bytes, kept.run_length);
    spg_status status = SPG_OK;
    /* Zeroed: those of equal rows behind their leader are read with the others but not used, and rows that are not
     * blocks leave gaps. */
    if (kept.run_length > 1) {
        kept.runs_count = a_entries / (kept.run_length * kept.equal_rows) + 1;
        status = keep_zeroed_array(maker, kept.runs_count, &kept.runs);
    } else if (maker.plan->b_begins == nullptr) {
        status = keep_zeroed_array(maker, maker.a_nnz, &maker.plan->b_begins);
    }
    if (status == SPG_OK) status = keep_array(maker, most, &kept.windows);
    if (status == SPG_OK) status = keep_array(maker, most * (PLAN_WINDOW_TILES + 1), &kept.tile_begins);
    if (status == SPG_OK) status = keep_array(maker, most * kept.width, &kept.places);
    if (status == SPG_OK) status = keep_array(maker, kept.equal_rows > 1 ? most * kept.width : 0, &kept.strides);
    if (status == SPG_OK)
        status = keep_array(
            maker,
            kept.run_length > 1 || choose_mask_bytes(maker) > 0 ? 0 : products / PLAN_LONG_ENTRY * kept.equal_rows,
            &kept.long_entries);
    kept.b_begins = maker.plan->b_begins;
    return status;
}

/* Whether no other class has rows, and all fit a slice: the totals then tell the slice, without a wait. */
bool is_one_slice(const plan_maker &maker)
{
    const plan_facts &facts = maker.facts;
    for (int row_class = PLAN_THREAD; row_class < PLAN_ENTRIES; row_class++)
        if (facts.classes[row_class].rows > 0) return false;
    const unsigned long long most = (unsigned long long)maker.scheme.slice_most;
    return maker.plan->parts_count == 1 && maker.scheme.equal_rows == 1 && maker.scheme.run_length == 1 &&
           facts.products <= most && facts.a_entries <= most && facts.c_entries <= most;
}

spg_status cut_slice(plan_maker &maker, const int64_t *before, int64_t first, entry_slice *slice)
{
    scratch slice_memory(maker);
    entry_slice *device_slice = nullptr;
    spg_status status = slice_memory.allocate(1, &device_slice);
    if (status == SPG_OK) status = spg_cuda_zero_bytes(maker.context, device_slice, sizeof *device_slice);
    if (status != SPG_OK) return status;
    cut_slice_kernel<<<1, 1, 0, maker.cuda->stream>>>(maker.patterns, before, first, maker.scheme.slice_most,
                                                      maker.scheme, device_slice);
    status = spg_cuda_check_launch(maker.context, "a plan's slices");
    if (status != SPG_OK) return status;
    return spg_cuda_copy_bytes(maker.context, slice, SPG_PLACE_HOST, device_slice, SPG_PLACE_DEVICE, sizeof *slice);
}

spg_status do_slice(plan_maker &maker, entry_slice &slice, const int64_t *before, entry_totals *totals,
                    entry_totals *found)
{
    scratch begins(maker), ranks(maker), before_warps(maker), a_masks(maker), c_masks(maker), c_rows(maker);
    spg_status status = SPG_OK;
    slice.mask_bytes = choose_mask_bytes(maker);
    if (slice.mask_bytes > 0) {
        status = a_masks.allocate_bytes(slice.a_count, slice.mask_bytes, &slice.a_masks);
        if (status == SPG_OK) status = c_masks.allocate_bytes(slice.c_count, slice.mask_bytes, &slice.c_masks);
        if (status == SPG_OK) status = c_rows.allocate(slice.c_count, &slice.c_rows);
    } else {
        status = begins.allocate(slice.c_count, &slice.long_begins);
        if (status == SPG_OK) status = ranks.allocate(slice.c_count, &slice.ranks);
        if (status == SPG_OK && maker.context->config.workspace_limit == 0)
            status = before_warps.allocate(slice.c_count * PLAN_WINDOW_WARPS, &slice.before_warps);
    }
    return status == SPG_OK ? add_windows(maker, slice, before, totals, found) : status;
}

/* *found: the totals. */
spg_status do_slices(plan_maker &maker, const int64_t *before, entry_totals *totals, entry_totals *found)
{
    if (is_one_slice(maker)) {
        entry_slice slice = {};
        slice.row_end = maker.patterns.rows;
        slice.c_count = (int64_t)maker.facts.c_entries;
        slice.a_count = (int64_t)maker.facts.a_entries;
        return do_slice(maker, slice, before, totals, found);
    }
    spg_status status = SPG_OK;
    for (int64_t first = 0, left = maker.entry_product_count; left > 0 && status == SPG_OK;) {
        entry_slice slice = {};
        status = cut_slice(maker, before, first, &slice);
        if (status == SPG_OK) status = do_slice(maker, slice, before, totals, found);
        first = slice.row_end;
        left -= slice.products;
    }
    return status;
}

} // namespace

spg_status make_windows(plan_maker &maker)
{
    scratch totals_memory(maker);
    entry_totals *device_totals = nullptr, totals = {};
    int64_t *before = maker.entry_products;
    plan_windows &kept = maker.part->windows;
    const bool is_one = is_one_slice(maker);
    maker.entry_product_count = (int64_t)maker.facts.products; /* if it is one slice */
    spg_status status = is_one ? begin_scan(maker, before, maker.patterns.rows)
                               : scan_counts(maker, before, maker.patterns.rows, &maker.entry_product_count);
    if (status == SPG_OK) status = totals_memory.allocate(1, &device_totals);
    if (status == SPG_OK) status = spg_cuda_zero_bytes(maker.context, device_totals, sizeof totals);
    if (status == SPG_OK) status = keep_windows(maker, maker.entry_product_count);
    if (status == SPG_OK) status = do_slices(maker, before, device_totals, &totals);
    if (status == SPG_OK && (!is_one || totals.uncommon > 0)) status = order_windows(maker);
    kept.most_staged = (int)(totals.most_staged + 1) / 2 * 2; /* keeps what follows aligned */
    kept.long_count = (int64_t)totals.long_entries;
    return status;
}

} // namespace spg
