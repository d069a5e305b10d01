/* What a plan keeps for rows of C whose entries are summed each by a thread: products sorted by entry.
 *
 * Input: the patterns and the products of these rows (entry_products). Output: the windows of plan.cuh. The rows are
 * cut into slices that workspace is there for; the products of a slice are expanded in storage order, as entries of C,
 * and sorted by CUB. The sort is stable, so that each entry has its products in storage order. Dalton, Bell, Olson,
 * Algorithm 1, but once for all runs. */
#include "plan_entries.cuh"

#include <cub/device/device_radix_sort.cuh>

#include <algorithm>

namespace spg
{

namespace
{

enum { THREADS = 256 };

/* The next rows from `first` on that are as many as a slice takes, or one; without those at either end that have no
 * products. One thread: slices depend on those before. */
__global__ void cut_slice_kernel(plan_patterns of, const int64_t *before, int64_t first, int64_t most, int wide,
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
    slice->a_begin = of.a[begin], slice->a_count = of.a[end] - of.a[begin];
    slice->c_begin = of.c[begin] / wide, slice->c_count = (of.c[end] - of.c[begin]) / wide;
    slice->products = before[end] - before[begin];
}

/* Where the products of the entries of A begin, as lengths first; those of rows of other classes, and behind the first
 * of a run, have none. And where their rows of B begin, or their runs. */
template <typename Start>
__global__ void __launch_bounds__(THREADS) find_starts_kernel(plan_patterns of, entry_slice slice, plan_windows windows,
                                                              const int64_t *before, Start *b_begins, int64_t b_nnz)
{
    const int64_t e = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (e >= slice.a_count) return;
    const int64_t row = row_of_entry(of.a, slice.row_begin, slice.row_end - 1, slice.a_begin + e);
    const int64_t column = of.a_columns[slice.a_begin + e], begin = of.b[column], length = of.b[column + 1] - begin;
    const int64_t at = slice.a_begin + e - of.a[row];
    const bool has = before[row + 1] > before[row] && at % windows.deep == 0;
    slice.rows[e] = (uint32_t)(row - slice.row_begin);
    slice.starts[e] = has ? length / windows.wide : 0;
    if (windows.deep == 1)
        b_begins[slice.a_begin + e] = (Start)min(begin, b_nnz - 1); /* may be read, whatever it is */
    else if (has)
        windows.runs[first_run(of, windows, row) + at / windows.deep] = {
            (uint32_t)(slice.a_begin + e), (uint32_t)(of.a[row + 1] - of.a[row]),
            length > 0 ? (uint32_t)(begin / windows.wide) : 0, /* may be read */
            (uint32_t)(length / windows.wide)};
}

/* Each product's entry of C and its number. */
__global__ void __launch_bounds__(THREADS) expand_kernel(plan_patterns of, entry_slice slice, int wide)
{
    __shared__ int64_t bounds[2];
    const int64_t first = (int64_t)blockIdx.x * THREADS, last = min(first + THREADS, slice.products) - 1;
    if (threadIdx.x % 32 == 0 && threadIdx.x < 64)
        bounds[threadIdx.x / 32] = last_at_most(slice.starts, 0, slice.a_count, threadIdx.x == 0 ? first : last);
    __syncthreads();
    const int64_t k = first + threadIdx.x;
    if (k > last) return;
    const int64_t e = last_at_most(slice.starts, bounds[0], bounds[1] + 1, k), row = slice.row_begin + slice.rows[e];
    const int32_t column = of.b_columns[of.b[of.a_columns[slice.a_begin + e]] + (k - slice.starts[e]) * wide];
    const int64_t c_begin = of.c[row], length = of.c[row + 1] - c_begin;
    const int64_t c_at = c_begin + first_not_below(of.c_columns + c_begin, length, column);
    slice.keys[k] = (uint32_t)(c_at / wide - slice.c_begin);
    slice.order[k] = (uint32_t)k;
}

/* Where the products of each entry of C begin and end. */
__global__ void __launch_bounds__(THREADS) find_runs_kernel(entry_slice slice)
{
    const int64_t k = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (k >= slice.products) return;
    const uint32_t key = slice.keys[k];
    if (k == 0 || slice.keys[k - 1] != key) slice.run_begins[key] = (uint32_t)k;
    if (k == slice.products - 1 || slice.keys[k + 1] != key) slice.run_ends[key] = (uint32_t)k + 1;
}

unsigned int blocks_for(int64_t count) { return (unsigned int)((count + THREADS - 1) / THREADS); }

spg_status sort_slice(plan_maker &maker, entry_slice *slice, uint32_t *spare_keys, uint32_t *spare_order)
{
    cub::DoubleBuffer<uint32_t> keys(slice->keys, spare_keys), order(slice->order, spare_order);
    const int64_t count = slice->products;
    cudaStream_t stream = maker.cuda->stream;
    scratch temporary(maker);
    char *memory = nullptr;
    size_t bytes = 0;
    int bits = 1;
    while (bits < 32 && (int64_t)1 << bits < slice->c_count) bits++;
    cudaError_t error = cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, order, count, 0, bits, stream);
    spg_status status = spg_cuda_check(maker.context, error, "a plan's sort");
    if (status == SPG_OK) status = temporary.allocate((int64_t)bytes, &memory);
    if (status != SPG_OK) return status;
    error = cub::DeviceRadixSort::SortPairs(memory, bytes, keys, order, count, 0, bits, stream);
    slice->keys = keys.Current();
    slice->order = order.Current();
    return spg_cuda_check(maker.context, error, "a plan's sort");
}

spg_status expand_slice(plan_maker &maker, const entry_slice &slice, const int64_t *before)
{
    cudaStream_t stream = maker.cuda->stream;
    const plan_windows &kept = maker.part->windows;
    int64_t products = 0;
    const unsigned int blocks = blocks_for(slice.a_count);
    if (kept.narrow)
        find_starts_kernel<<<blocks, THREADS, 0, stream>>>(maker.patterns, slice, kept, before,
                                                           static_cast<uint32_t *>(kept.b_begins), maker.b_nnz);
    else
        find_starts_kernel<<<blocks, THREADS, 0, stream>>>(maker.patterns, slice, kept, before,
                                                           static_cast<int64_t *>(kept.b_begins), maker.b_nnz);
    spg_status status = spg_cuda_check_launch(maker.context, "a plan's slice");
    if (status == SPG_OK) status = scan_counts(maker, slice.starts, slice.a_count, &products);
    if (status == SPG_OK && products != slice.products)
        return spg_context_fail(maker.context, SPG_ERROR_INTERNAL, "a plan's slice of other products");
    if (status != SPG_OK) return status;
    expand_kernel<<<blocks_for(slice.products), THREADS, 0, stream>>>(maker.patterns, slice, kept.wide);
    return spg_cuda_check_launch(maker.context, "a plan's products");
}

spg_status find_runs(plan_maker &maker, const entry_slice &slice)
{
    const size_t bytes = (size_t)slice.c_count * sizeof(uint32_t);
    cudaStream_t stream = maker.cuda->stream;
    spg_status status =
        spg_cuda_check(maker.context, cudaMemsetAsync(slice.run_begins, 0, bytes, stream), "a plan's runs");
    if (status == SPG_OK)
        status = spg_cuda_check(maker.context, cudaMemsetAsync(slice.run_ends, 0, bytes, stream), "a plan's runs");
    if (status != SPG_OK) return status;
    find_runs_kernel<<<blocks_for(slice.products), THREADS, 0, stream>>>(slice);
    return spg_cuda_check_launch(maker.context, "a plan's runs");
}

spg_status do_slice(plan_maker &maker, entry_slice slice, const int64_t *before, entry_totals *totals)
{
    scratch rows(maker), starts(maker), keys(maker), order(maker), begins(maker), ends(maker), ranks(maker);
    spg_status status = keys.allocate(slice.products, &slice.keys);
    if (status == SPG_OK) status = order.allocate(slice.products, &slice.order);
    if (status == SPG_OK) status = rows.allocate(slice.a_count, &slice.rows);
    if (status == SPG_OK) status = starts.allocate(slice.a_count + 1, &slice.starts);
    if (status == SPG_OK) status = expand_slice(maker, slice, before);
    if (status != SPG_OK) return status;
    scratch spare_keys_memory(maker), spare_order_memory(maker);
    uint32_t *spare_keys = nullptr, *spare_order = nullptr;
    status = spare_keys_memory.allocate(slice.products, &spare_keys);
    if (status == SPG_OK) status = spare_order_memory.allocate(slice.products, &spare_order);
    if (status == SPG_OK) status = sort_slice(maker, &slice, spare_keys, spare_order);
    if (status == SPG_OK) status = begins.allocate(slice.c_count, &slice.run_begins);
    if (status == SPG_OK) status = ends.allocate(slice.c_count, &slice.run_ends);
    if (status == SPG_OK) status = ranks.allocate(slice.c_count, &slice.ranks);
    if (status == SPG_OK) status = find_runs(maker, slice);
    return status == SPG_OK ? add_windows(maker, slice, before, totals) : status;
}

/* Zero at first: those of equal rows behind their leader are read with the others, and used by none. */
spg_status keep_b_begins(plan_maker &maker, int64_t each)
{
    void **begins = &maker.plan->b_begins;
    const int64_t bytes = maker.a_nnz * each;
    spg_status status = keep_memory(maker, bytes, begins);
    return status == SPG_OK ? spg_cuda_zero_bytes(maker.context, *begins, bytes) : status;
}

/* Zero at first, as above. Rows that are no blocks leave room. */
spg_status keep_runs(plan_maker &maker)
{
    plan_windows &kept = maker.part->windows;
    kept.runs_count = (int64_t)maker.facts.a_entries / (kept.deep * kept.together) + 1;
    spg_status status = keep_array(maker, kept.runs_count, &kept.runs);
    const int64_t bytes = kept.runs_count * (int64_t)sizeof *kept.runs;
    return status == SPG_OK ? spg_cuda_zero_bytes(maker.context, kept.runs, bytes) : status;
}

/* Room for the windows of all slices. Any two neighbouring slices have more than slice_most of something together. */
spg_status keep_windows(plan_maker &maker, int64_t products)
{
    plan_windows &kept = maker.part->windows;
    const int64_t a_entries = (int64_t)maker.facts.a_entries, c_entries = (int64_t)maker.facts.c_entries;
    const int64_t all = products / maker.slice_most + a_entries / maker.slice_most + c_entries / maker.slice_most;
    kept.wide = maker.wide;
    kept.width = maker.deep > 1 && maker.at_once == 1 ? (int)PLAN_WINDOW_FEW : (int)PLAN_WINDOW;
    const int64_t most = (c_entries / kept.wide + kept.width - 1) / kept.width + 2 * (all + 1);
    kept.narrow = std::max(maker.a_nnz, maker.b_nnz) <= (int64_t)UINT32_MAX;
    kept.together = maker.by_entries || maker.deep > 1 ? maker.together : 1;
    kept.deep = maker.deep;
    kept.at_once = maker.at_once;
    const int sides = kept.deep > 1 ? choose_sides(kept.together, kept.at_once, maker.value_bytes, kept.deep) : 1;
    kept.pitch = run_pitch(kept.at_once, sides, maker.value_bytes, kept.deep);
    kept.tile = 32 / sides;
    spg_status status = SPG_OK;
    if (kept.deep > 1)
        status = keep_runs(maker);
    else if (maker.plan->b_begins == nullptr)
        status = keep_b_begins(maker, kept.narrow ? 4 : 8);
    if (status == SPG_OK) status = keep_array(maker, most, &kept.windows);
    if (status == SPG_OK) status = keep_array(maker, most * (PLAN_WINDOW_TILES + 1), &kept.tile_begins);
    if (status == SPG_OK) status = keep_array(maker, most * kept.width, &kept.places);
    if (status == SPG_OK) status = keep_array(maker, kept.together > 1 ? most * kept.width : 0, &kept.strides);
    if (status == SPG_OK)
        status = keep_array(maker, kept.deep > 1 ? 0 : products / PLAN_LONG_ENTRY * kept.together, &kept.long_entries);
    if (status == SPG_OK)
        status = keep_array(maker, kept.deep > 1 ? 0 : products / PLAN_CHAIN * kept.together, &kept.chains);
    kept.b_begins = maker.plan->b_begins;
    return status;
}

spg_status do_slices(plan_maker &maker, const int64_t *before, entry_totals *totals, entry_slice *device_slice)
{
    spg_status status = SPG_OK;
    for (int64_t first = 0, left = maker.entry_product_count; left > 0 && status == SPG_OK;) {
        entry_slice slice = {};
        cut_slice_kernel<<<1, 1, 0, maker.cuda->stream>>>(maker.patterns, before, first, maker.slice_most, maker.wide,
                                                          device_slice);
        status = spg_cuda_check_launch(maker.context, "a plan's slices");
        if (status == SPG_OK)
            status = spg_cuda_copy_bytes(maker.context, &slice, SPG_PLACE_HOST, device_slice, SPG_PLACE_DEVICE,
                                         sizeof slice);
        if (status == SPG_OK) status = do_slice(maker, slice, before, totals);
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
    if (status == SPG_OK)
        status = spg_cuda_check(maker.context, cudaMemsetAsync(device_totals, 0, sizeof totals, maker.cuda->stream),
                                "a plan's windows");
    if (status == SPG_OK)
        status =
            spg_cuda_check(maker.context, cudaMemsetAsync(device_slice, 0, sizeof *device_slice, maker.cuda->stream),
                           "a plan's slices");
    if (status == SPG_OK) status = keep_windows(maker, maker.entry_product_count);
    if (status == SPG_OK) status = do_slices(maker, before, device_totals, device_slice);
    if (status == SPG_OK)
        status =
            spg_cuda_copy_bytes(maker.context, &totals, SPG_PLACE_HOST, device_totals, SPG_PLACE_DEVICE, sizeof totals);
    if (status == SPG_OK) status = order_windows(maker);
    kept.near_most = (int)(totals.near_most + 1) / 2 * 2; /* what comes behind is aligned */
    kept.long_count = (int64_t)totals.long_entries;
    kept.chain_count = (int64_t)totals.chains;
    return status;
}

} // namespace spg
