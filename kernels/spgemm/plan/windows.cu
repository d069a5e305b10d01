/* Makes the windows of a plan: entries of C ordered by their numbers of products.
 *
 * Input: a slice of rows (plan/entries.cu). Output: windows, tile_begins and places of plan/plan.cuh, appended to those
 * of the slices before; then their codes (plan/codes.cu). */
#include "products.cuh"

#include <cub/block/block_radix_rank.cuh>
#include <cub/block/block_radix_sort.cuh>

namespace spg
{

namespace
{

static_assert(PLAN_WINDOW <= 1024, "a thread an entry");

/* The entries of A, or the runs, of a window's rows. a_begin, a_end: of those that are done. */
__device__ inline a_range find_a_range(const window_work &work, const window_span &span, int64_t a_begin, int64_t a_end)
{
    const plan_patterns &of = work.patterns;
    const int equal_rows = work.out.equal_rows;
    const int64_t last = span.last_row, end = min(last - last % equal_rows + equal_rows, of.rows);
    if (work.out.run_length == 1) return {a_begin, a_end - a_begin, of.a[end] - a_begin};
    /* For blocks, only leaders have entries here. */
    const int64_t first = span.first_row + (equal_rows - span.first_row % equal_rows) % equal_rows;
    if (first > last) return {0, 0, 0};
    const int64_t leader = last - last % equal_rows, runs = (of.a[leader + 1] - of.a[leader]) / work.out.run_length;
    const int64_t run = first_run(of, work.out, first);
    const int64_t run_end = min(first_run(of, work.out, leader) + runs, work.out.runs_count);
    return {run, run_end - run, run_end - run};
}

__device__ inline window_span find_span(const window_work &work, int64_t w)
{
    const plan_patterns &of = work.patterns;
    const entry_slice &slice = work.slice;
    const int entry_width = work.out.entry_width;
    window_span span;
    span.c_begin = slice.c_begin + w * work.out.width;
    span.count = (int)min(slice.c_begin + slice.c_count - span.c_begin, (int64_t)work.out.width);
    span.first_row = row_of_entry(of.c, slice.row_begin, slice.row_end - 1, span.c_begin * entry_width);
    span.last_row =
        row_of_entry(of.c, span.first_row, slice.row_end - 1, (span.c_begin + span.count) * entry_width - 1);
    /* Rows at the ends may be of other classes, and long. */
    const int64_t a_begin = of.a[span.first_row + !work.is_done(span.first_row)];
    const int64_t a_end = max(a_begin, (int64_t)of.a[span.last_row + work.is_done(span.last_row)]);
    span.a = find_a_range(work, span, a_begin, a_end);
    return span;
}

/* By a thread a window, so that their searches overlap; blocks would wait for theirs. */
spg_status find_spans(plan_maker &maker, const window_work &work, int64_t count)
{
    return for_each(maker.context, count, "a plan's windows",
                    [=] __device__(int64_t w) { work.spans[w] = find_span(work, w); });
}

__device__ inline uint32_t words_for(uint32_t products, int code_bytes)
{
    return code_bytes == 2 ? (products + 1) / 2 : products * (uint32_t)(code_bytes / 4);
}

/* Chooses the codes that `shift` bits for a position in a row of B and a_bits for an entry of A allow. */
__device__ inline void choose_codes(const window_work &work, int shift, int a_bits, plan_window *window)
{
    const int bits = shift + a_bits;
    window->direct = work.out.run_length == 1 && a_bits + work.b_bits <= 32 && (bits > 16 || work.prefers_direct);
    window->shift = (uint8_t)(window->direct ? work.b_bits : shift);
    window->code_bytes = window->direct ? 4 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
}

/* Writes the window and where its tiles begin; one thread calls it. */
__device__ inline void write_window(const window_work &work, int64_t w, plan_window window, const uint32_t *longest)
{
    uint32_t *begins = work.out.tile_begins + (work.before + w) * (PLAN_WINDOW_TILES + 1), sum = 0;
    for (int tile = 0; tile < PLAN_WINDOW_TILES; tile++) {
        begins[tile] = sum;
        sum += words_for(longest[tile], window.code_bytes);
    }
    begins[PLAN_WINDOW_TILES] = sum;
    work.words[w] = sum;
    work.out.windows[work.before + w] = window;
    if (window.staged_count > 0) atomicMax(&work.totals->most_staged, (unsigned int)window.staged_count);
    atomicAdd(&work.totals->tiles, (unsigned long long)sum);
    if (window.count == 0 || (int64_t)sum * PLAN_TILE > work.heavy) atomicAdd(&work.totals->uncommon, 1ull);
}

/* Records the long entry c_at of row `row`, once for each equal row; its products are written later. */
__device__ inline void add_long_entry(const window_work &work, int64_t row, int64_t c_at, uint32_t count)
{
    const plan_patterns &of = work.patterns;
    const int rows = work.leads(row) ? work.out.equal_rows : 1;
    const int64_t begin = (int64_t)atomicAdd(&work.totals->long_products, (unsigned long long)count);
    plan_long_entry *entries = work.out.long_entries + atomicAdd(&work.totals->long_entries, (unsigned long long)rows);
    for (int j = 0; j < rows; j++)
        entries[j] = {c_at + j * (of.c[row + 1] - of.c[row]), j * (of.a[row + 1] - of.a[row]), (int32_t)count,
                      work.is_below(row, c_at), reinterpret_cast<const uint2 *>(begin)};
    const int64_t key = c_at - work.slice.c_begin;
    work.slice.ranks[key] = LONG_RANK;
    work.slice.long_begins[key] = (uint32_t)begin;
}

__device__ inline void write_stride(const window_work &work, int64_t at, int64_t row)
{
    const plan_patterns &of = work.patterns;
    const int64_t c_length = of.c[row + 1] - of.c[row], a_length = of.a[row + 1] - of.a[row];
    work.out.strides[at] = work.leads(row) ? (uint32_t)(c_length << 16 | a_length) : 0;
}

/* Counts each entry's products, over all warps' sections, and notes those before each section. */
__device__ inline uint32_t count_entry(const window_work &work, const window_span &span, const int32_t *columns,
                                       uint32_t (&counts)[WINDOW_WARPS][PLAN_WINDOW], unsigned long long *longest_b)
{
    unsigned long long most = 0;
    count_products(work, span, columns, counts, [&](int64_t name, const window_row_part &part) {
        note_row_of_b(work, name, part);
        most = max(most, (unsigned long long)part.b_length);
    });
    most = reduce(most, maximum());
    if (lane_in_warp() == 0 && most > 0) atomicMax(longest_b, most);
    __syncthreads();
    uint32_t all = 0;
    const int i = (int)threadIdx.x;
    const bool notes = work.slice.before_warps != nullptr && i < span.count;
    uint8_t *before =
        notes ? work.slice.before_warps + (int64_t)blockIdx.x * work.out.width * WINDOW_WARPS + i : nullptr;
    for (int warp = 0; warp < WINDOW_WARPS; warp++) {
        if (notes) before[warp * span.count] = (uint8_t)min(all, (uint32_t)MANY_BEFORE);
        all += counts[warp][i];
    }
    return all;
}

/* The longest row of B of the window's entries of A. */
__device__ inline void find_longest(const entry_slice &slice, int64_t a_at, int64_t count,
                                    unsigned long long *longest_b)
{
    int longest = 0;
    for (int64_t k = threadIdx.x; k < count; k += WINDOW_THREADS)
        longest = max(longest, slice.count_bits(slice.a_masks, a_at + k));
    longest = (int)__reduce_max_sync(ALL_LANES, (unsigned int)longest);
    if (lane_in_warp() == 0 && longest > 0) atomicMax(longest_b, (unsigned long long)longest);
}

/* The order of a window's entries: those above the diagonal before all others, then the greatest count first, equal
 * ones as in C. Of masked windows, which hold no more than MASK_BITS products an entry, one pass ranks all. */
enum { RANKED_BITS = 6, MOST_RANKED = (1 << RANKED_BITS) - 1 };
using sorter = cub::BlockRadixSort<uint32_t, WINDOW_THREADS, 1, uint16_t>;
using ranker = cub::BlockRadixRankMatch<WINDOW_THREADS, RANKED_BITS + 1, true>;
struct whole_key {
    __device__ uint32_t Digit(uint32_t key) const { return key; }
};

template <bool Masked> struct window_memory;
template <> struct window_memory<false> {
    union {
        uint32_t counts[WINDOW_WARPS][PLAN_WINDOW]; /* first */
        sorter::TempStorage sort;
    };
    uint32_t most;
    uint16_t ranks[PLAN_WINDOW]; /* of all threads */
    int32_t columns[PLAN_WINDOW];
};
template <> struct window_memory<true> {
    ranker::TempStorage rank;
};

/* The thread's place in this order. */
__device__ inline int rank_of(bool is_upper, uint32_t count, window_memory<true> &memory)
{
    uint32_t key[1] = {(uint32_t)is_upper << RANKED_BITS | min(count, (uint32_t)MOST_RANKED)};
    int rank[1];
    ranker(memory.rank).RankKeys(key, rank, whole_key());
    return rank[0];
}
__device__ inline int rank_of(bool is_upper, uint32_t count, window_memory<false> &memory)
{
    if (threadIdx.x == 0) memory.most = 0;
    const uint32_t of_warp = __reduce_max_sync(ALL_LANES, count);
    __syncthreads();
    if (lane_in_warp() == 0) atomicMax(&memory.most, of_warp);
    __syncthreads();
    const int bits = WARP - __clz((int)memory.most); /* a slice has fewer than 2^31 products */
    uint32_t key[1] = {(uint32_t)is_upper << bits | count};
    uint16_t thread[1] = {(uint16_t)threadIdx.x};
    sorter(memory.sort).SortDescending(key, thread, 0, bits + 1);
    memory.ranks[thread[0]] = (uint16_t)threadIdx.x;
    __syncthreads();
    return memory.ranks[threadIdx.x];
}

/* Makes the block's window, except for its codes. Masked: the slice has masks. */
template <bool Masked>
__global__ void __launch_bounds__(WINDOW_THREADS, Masked ? 4 : 2) order_window_kernel(window_work work)
{
    __shared__ unsigned long long longest_b;
    __shared__ window_memory<Masked> memory;
    __shared__ uint32_t longest[PLAN_WINDOW_TILES];
    const entry_slice &slice = work.slice;
    const int64_t w = blockIdx.x, begin = w * work.out.width;
    const int i = (int)threadIdx.x;
    const window_span span = work.spans[w];
    const a_range &a = span.a;
    if (i == 0) longest_b = 0;
    if (i < PLAN_WINDOW_TILES) longest[i] = 0;
    const int64_t c_at = span.c_begin + min(i, span.count - 1);
    int64_t row;
    uint32_t all;
    if constexpr (Masked) {
        row = slice.row_begin + slice.c_rows[c_at - slice.c_begin];
        all = i < span.count ? (uint32_t)slice.count_bits(slice.c_masks, begin + i) : 0;
        __syncthreads();
        find_longest(slice, a.begin - work.patterns.a[slice.row_begin], a.count, &longest_b);
    } else {
        row = row_of_entry(work.patterns.c, span.first_row, span.last_row, c_at * work.out.entry_width);
        stage_columns(work, span, memory.columns);
        __syncthreads();
        all = count_entry(work, span, memory.columns, memory.counts, &longest_b);
    }
    const uint32_t count = all > PLAN_LONG_ENTRY && work.out.run_length == 1 ? 0 : all;
    const bool is_upper = count > 0 && !work.is_below(row, c_at);
    const int rank = rank_of(is_upper, count, memory);
    if (i < span.count) {
        if (!Masked) slice.ranks[begin + i] = (uint16_t)rank;
        if (work.out.equal_rows > 1) write_stride(work, (work.before + w) * work.out.width + rank, row);
        work.out.places[(work.before + w) * work.out.width + rank] = (uint16_t)i;
        if (!Masked && count < all) add_long_entry(work, row, c_at, all);
    }
    /* The first of a tile has the most products, and after it the first of those below the diagonal may. */
    if (count > 0 && (rank % PLAN_TILE == 0 || !is_upper || count > MOST_RANKED))
        atomicMax(&longest[rank / PLAN_TILE], count);
    const int present = __syncthreads_count(count > 0), moved = __syncthreads_or(i < span.count && rank != i);
    const int upper = __syncthreads_count(is_upper);
    if (i != 0) return;
    plan_window window = {};
    window.c_begin = span.c_begin;
    window.a_begin = a.begin;
    const int64_t near = present > 0 ? a.staged_count : 0;
    window.staged_count = near <= work.entries_staged ? (int32_t)near : 0;
    window.count = (int16_t)present;
    window.upper = (int16_t)upper;
    choose_codes(work, bits_for((int64_t)longest_b), bits_for((work.out.run_length > 1 ? near : a.count) + 1), &window);
    if (work.out.run_length > 1 && window.code_bytes == 8) window.staged_count = 0;
    window.order = !moved ? PLAN_ORDER_KEPT : present == span.count ? PLAN_ORDER_SORTED : PLAN_ORDER_HOLES;
    write_window(work, w, window, longest);
}

} // namespace

spg_status add_windows(plan_maker &maker, const entry_slice &slice, const int64_t *before, entry_totals *totals,
                       entry_totals *found)
{
    plan_windows &kept = maker.part->windows;
    cudaStream_t stream = maker.cuda->stream;
    const int64_t count = (slice.c_count + kept.width - 1) / kept.width;
    scratch spans_memory(maker), words_memory(maker);
    window_span *spans = nullptr;
    int64_t *words = nullptr;
    spg_status status = spans_memory.allocate(count, &spans);
    if (status == SPG_OK) status = words_memory.allocate(count + 1, &words);
    if (status == SPG_OK && kept.count > 0) /* all totals begin as zeros */
        status = spg_cuda_zero_bytes(maker.context, &totals->long_products, 3 * sizeof totals->long_products);
    if (status != SPG_OK) return status;
    const int staged = kept.run_length > 1 ? runs_staged(kept.rows_per_thread, maker.value_bytes, kept.run_length)
                                           : entries_staged(maker.value_bytes, kept.equal_rows);
    const bool direct = kept.equal_rows > 1 || maker.facts.products <= PLAN_DIRECT_B_ROW * maker.facts.a_entries;
    const int64_t heavy = heavy_products(maker, count);
    const window_work work = {
        maker.patterns, slice, kept,  kept.count, maker.b_nnz, maker.halves,       staged, bits_for(maker.b_nnz),
        direct,         heavy, spans, words,      before,      maker.row_products, totals};
    status = find_spans(maker, work, count);
    if (status == SPG_OK && slice.mask_bytes > 0) status = find_masks(maker, work);
    if (status != SPG_OK) return status;
    if (slice.mask_bytes > 0)
        order_window_kernel<true><<<(unsigned int)count, WINDOW_THREADS, 0, stream>>>(work);
    else
        order_window_kernel<false><<<(unsigned int)count, WINDOW_THREADS, 0, stream>>>(work);
    status = spg_cuda_check_launch(maker.context, "a plan's windows");
    if (status == SPG_OK) status = begin_scan(maker, words, count);
    if (status == SPG_OK)
        status = spg_cuda_copy_bytes(maker.context, found, SPG_PLACE_HOST, totals, SPG_PLACE_DEVICE, sizeof *found);
    return status == SPG_OK ? add_codes(maker, work, count, *found) : status;
}

spg_status order_windows(plan_maker &maker)
{
    plan_windows &kept = maker.part->windows;
    scratch keys_memory(maker), present_memory(maker);
    int64_t *keys = nullptr, *present = nullptr, common = 0, full = 0;
    const int64_t count = kept.count, heavy = heavy_products(maker, count);
    if (!can_order(maker, count)) return SPG_OK;
    spg_status status = keys_memory.allocate(count, &keys);
    if (status == SPG_OK) status = present_memory.allocate(count + 1, &present);
    if (status != SPG_OK) return status;
    const plan_window *windows = kept.windows;
    const uint32_t *tile_begins = kept.tile_begins;
    /* Windows of ordinary weight stay in C's order, because neighbours share rows of B. */
    status = for_each(maker.context, count, "the order of a plan's windows", [=] __device__(int64_t w) {
        const int64_t all = (int64_t)tile_begins[(w + 1) * (PLAN_WINDOW_TILES + 1) - 1] * PLAN_TILE;
        present[w] = windows[w].count > 0 && all <= heavy;
        keys[w] = windows[w].count == 0 ? 0 : all > heavy ? all : 1;
    });
    if (status == SPG_OK) status = scan_counts(maker, present, count, &common);
    if (status != SPG_OK || common == count) return status;
    status = keep_array(maker, count, &kept.order);
    if (status == SPG_OK) status = order_descending(maker, keys, count, kept.order);
    if (status == SPG_OK)
        status = for_each(maker.context, count, "the order of a plan's windows",
                          [=] __device__(int64_t w) { present[w] = windows[w].count > 0; });
    if (status == SPG_OK) status = scan_counts(maker, present, count, &full);
    kept.count = full;
    return status;
}

} // namespace spg
