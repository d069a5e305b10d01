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
__global__ void cut_slice_kernel(plan_patterns of, const int64_t *before, int64_t first, int64_t most, int entry_width,
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
    slice->c_begin = of.c[begin] / entry_width, slice->c_count = (of.c[end] - of.c[begin]) / entry_width;
    slice->products = before[end] - before[begin];
}

int choose_width(const plan_maker &maker, const plan_shape &shape)
{
    if (shape.run_length > 1) return shape.rows_per_thread == 1 ? (int)PLAN_BLOCK_WINDOW_FEW : (int)PLAN_WINDOW;
    return are_few(maker, (int64_t)maker.facts.c_entries) ? PLAN_WINDOW_FEW : PLAN_WINDOW;
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
        status = keep_array(maker, kept.run_length > 1 ? 0 : products / PLAN_LONG_ENTRY * kept.equal_rows,
                            &kept.long_entries);
    kept.b_begins = maker.plan->b_begins;
    return status;
}

spg_status do_slices(plan_maker &maker, const int64_t *before, entry_totals *totals, entry_slice *device_slice)
{
    spg_status status = SPG_OK;
    for (int64_t first = 0, left = maker.entry_product_count; left > 0 && status == SPG_OK;) {
        entry_slice slice = {};
        cut_slice_kernel<<<1, 1, 0, maker.cuda->stream>>>(maker.patterns, before, first, maker.scheme.slice_most,
                                                          maker.scheme.entry_width, device_slice);
        status = spg_cuda_check_launch(maker.context, "a plan's slices");
        if (status == SPG_OK)
            status = spg_cuda_copy_bytes(maker.context, &slice, SPG_PLACE_HOST, device_slice, SPG_PLACE_DEVICE,
                                         sizeof slice);
        scratch begins(maker), ranks(maker), before_warps(maker);
        if (status == SPG_OK) status = begins.allocate(slice.c_count, &slice.long_begins);
        if (status == SPG_OK) status = ranks.allocate(slice.c_count, &slice.ranks);
        if (status == SPG_OK && maker.context->config.workspace_limit == 0)
            status = before_warps.allocate(slice.c_count * PLAN_WINDOW_WARPS, &slice.before_warps);
        if (status == SPG_OK) status = add_windows(maker, slice, before, totals);
        first = slice.row_end;
        left -= slice.products;
    }
    return status;
}

} // namespace

spg_status make_windows(plan_maker &maker)
{
    scratch totals_memory(maker), slice_memory(maker);
    entry_totals *device_totals = nullptr, totals = {};
    entry_slice *device_slice = nullptr;
    int64_t *before = maker.entry_products;
    plan_windows &kept = maker.part->windows;
    spg_status status = scan_counts(maker, before, maker.patterns.rows, &maker.entry_product_count);
    if (status == SPG_OK) status = totals_memory.allocate(1, &device_totals);
    if (status == SPG_OK) status = slice_memory.allocate(1, &device_slice);
    if (status == SPG_OK) status = spg_cuda_zero_bytes(maker.context, device_totals, sizeof totals);
    if (status == SPG_OK) status = spg_cuda_zero_bytes(maker.context, device_slice, sizeof *device_slice);
    if (status == SPG_OK) status = keep_windows(maker, maker.entry_product_count);
    if (status == SPG_OK) status = do_slices(maker, before, device_totals, device_slice);
    if (status == SPG_OK)
        status =
            spg_cuda_copy_bytes(maker.context, &totals, SPG_PLACE_HOST, device_totals, SPG_PLACE_DEVICE, sizeof totals);
    if (status == SPG_OK) status = order_windows(maker);
    kept.most_staged = (int)(totals.most_staged + 1) / 2 * 2; /* keeps what follows aligned */
    kept.long_count = (int64_t)totals.long_entries;
    return status;
}

} // namespace spg
