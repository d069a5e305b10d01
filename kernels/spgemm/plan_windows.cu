/* The windows of a plan: entries of C in the order of their counts of products, and the codes of these.
 *
 * Input: a slice of rows whose products are sorted by entry of C (plan_entries.cu). Output: windows, tile_begins and
 * places of plan.cuh, added to those of the slices before, and an array of codes. */
#include "plan_entries.cuh"

namespace spg
{

namespace
{

enum { THREADS = 256 };
static_assert(PLAN_WINDOW <= 1024, "a thread an entry");

/* What the window of a block is made from and what it becomes; window w of the slice is `before` + w of all. */
struct window_work {
    plan_patterns patterns;
    entry_slice slice;
    plan_windows out;
    int64_t before;
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

/* Bytes of where something begins in A or B. */
int begin_bytes(const plan_windows &windows) { return windows.narrow ? 4 : 8; }

/* The least bits with 2^bits >= n. */
__host__ __device__ inline int bits_for(int64_t n)
{
    int bits = 0;
    while (bits < 63 && (int64_t)1 << bits < n) bits++;
    return bits;
}

__device__ inline uint32_t words_for(uint32_t products, int code_bytes)
{
    return code_bytes == 2 ? (products + 1) / 2 : products * (uint32_t)(code_bytes / 4);
}

/* Which entries of A a window's rows have. */
struct a_range {
    int64_t begin, count, near_count; /* the latter with those of equal rows behind the last; of blocks, runs */
    int64_t first_code;               /* what a code is counted from: an entry of A, or a run */
};
__device__ inline a_range find_a_range(const window_work &work, int64_t c_begin, int width)
{
    const plan_patterns &of = work.patterns;
    const int together = work.out.together;
    int64_t first = row_of_entry(of.c, work.slice.row_begin, work.slice.row_end - 1, c_begin);
    const int64_t last = row_of_entry(of.c, first, work.slice.row_end - 1, c_begin + width - 1);
    const int64_t end = min(last - last % together + together, of.rows);
    if (work.out.deep == 1) return {of.a[first], of.a[last + 1] - of.a[first], of.a[end] - of.a[first], of.a[first]};
    /* Of blocks leaders alone have entries here. */
    first += (together - first % together) % together;
    if (first > last) return {of.a[last + 1], 0, 0, 0};
    const int64_t leader = last - last % together, runs = (of.a[leader + 1] - of.a[leader]) / work.out.deep;
    const int64_t run = first_run(of, work.out, first);
    const int64_t run_end = min(first_run(of, work.out, leader) + runs, work.out.runs_count);
    return {of.a[first], of.a[last + 1] - of.a[first], run_end - run, run};
}

/* The codes that `shift` bits for a position in a row of B and a_bits for an entry of A allow. */
__device__ inline void choose_codes(const window_work &work, int shift, int a_bits, plan_window *window)
{
    const int bits = shift + a_bits;
    window->direct = work.out.deep == 1 && a_bits + work.b_bits <= 32 && (bits > 16 || work.prefers_direct);
    window->shift = (uint8_t)(window->direct ? work.b_bits : shift);
    window->code_bytes = window->direct ? 4 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
}

/* One thread writes the window and where its tiles begin. */
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
    if (window.near_count > 0) atomicMax(&work.totals->near_most, (unsigned int)window.near_count);
}

/* Takes the long entry c_at, of row `row`, down for each equal row; its products are written later. */
__device__ inline void add_long_entry(const window_work &work, int64_t row, int64_t c_at, uint32_t count)
{
    const plan_patterns &of = work.patterns;
    const int rows = work.leads(row) ? work.out.together : 1;
    const int64_t begin = (int64_t)atomicAdd(&work.totals->long_products, (unsigned long long)count);
    const bool is_chain = count > PLAN_CHAIN;
    unsigned long long *counter = is_chain ? &work.totals->chains : &work.totals->long_entries;
    const int64_t slot = (int64_t)atomicAdd(counter, (unsigned long long)rows);
    plan_long_entry *entries = (is_chain ? work.out.chains : work.out.long_entries) + slot;
    for (int j = 0; j < rows; j++)
        entries[j] = {c_at + j * (of.c[row + 1] - of.c[row]), j * (of.a[row + 1] - of.a[row]), (int32_t)count,
                      work.is_below(row, c_at), reinterpret_cast<const void *>(begin)};
    const int64_t key = c_at - work.slice.c_begin;
    work.slice.ranks[key] = LONG_RANK;
    work.slice.run_ends[key] = (uint32_t)begin;
}

__device__ inline void write_stride(const window_work &work, int64_t at, int64_t row)
{
    const plan_patterns &of = work.patterns;
    const int64_t c_length = of.c[row + 1] - of.c[row], a_length = of.a[row + 1] - of.a[row];
    work.out.strides[at] = work.leads(row) ? (uint32_t)(c_length << 16 | a_length) : 0;
}

/* A block a window. */
__global__ void __launch_bounds__(PLAN_WINDOW) order_window_kernel(window_work work)
{
    __shared__ unsigned long long keys[PLAN_WINDOW], longest_b;
    __shared__ uint32_t longest[PLAN_WINDOW_TILES];
    const entry_slice &slice = work.slice;
    const int64_t w = blockIdx.x, begin = w * work.out.width;
    const int width = (int)min(slice.c_count - begin, (int64_t)work.out.width), i = (int)threadIdx.x;
    const uint32_t all = i < width ? slice.run_ends[begin + i] - slice.run_begins[begin + i] : 0;
    const uint32_t count = all > PLAN_LONG_ENTRY && work.out.deep == 1 ? 0 : all;
    const int64_t c_at = slice.c_begin + begin + min(i, width - 1);
    const int64_t row = row_of_entry(work.patterns.c, slice.row_begin, slice.row_end - 1, c_at * work.out.wide);
    const bool is_upper = count > 0 && !work.is_below(row, c_at);
    const unsigned long long key = (unsigned long long)is_upper << 48 | (unsigned long long)count << 16 |
                                   (unsigned long long)(PLAN_WINDOW - 1 - i);
    keys[i] = key;
    if (i == 0) longest_b = 0;
    if (i < PLAN_WINDOW_TILES) longest[i] = 0;
    __syncthreads();
    int rank = 0;
    for (int j = 0; j < PLAN_WINDOW; j++) rank += keys[j] > key;
    if (i < width) {
        slice.ranks[begin + i] = (uint16_t)rank;
        if (work.out.together > 1) write_stride(work, (work.before + w) * work.out.width + rank, row);
        work.out.places[(work.before + w) * work.out.width + rank] = (uint16_t)i;
        if (count < all) add_long_entry(work, row, c_at, all);
    }
    if (count > 0) atomicMax(&longest[rank / work.out.tile], count);
    const a_range a = find_a_range(work, (slice.c_begin + begin) * work.out.wide, width * work.out.wide);
    long long most = 0;
    for (int64_t e = a.begin - slice.a_begin + i; e < a.begin - slice.a_begin + a.count; e += PLAN_WINDOW)
        most = max(most, (long long)(slice.starts[e + 1] - slice.starts[e]));
    if (most > 0) atomicMax(&longest_b, (unsigned long long)most);
    const int present = __syncthreads_count(count > 0), moved = __syncthreads_or(i < width && rank != i);
    const int upper = __syncthreads_count(is_upper);
    if (i != 0) return;
    plan_window window = {};
    window.c_begin = slice.c_begin + begin;
    window.a_begin = a.first_code;
    const int64_t near = present > 0 ? a.near_count : 0;
    window.near_count = near <= work.near_room ? (int32_t)near : 0;
    window.count = (int16_t)present;
    window.upper = (int16_t)upper;
    choose_codes(work, bits_for((int64_t)longest_b), bits_for((work.out.deep > 1 ? near : a.count) + 1), &window);
    if (work.out.deep > 1 && window.code_bytes == 8) window.near_count = 0;
    window.order = !moved ? PLAN_ORDER_KEPT : present == width ? PLAN_ORDER_SORTED : PLAN_ORDER_HOLES;
    write_window(work, w, window, longest);
}

__device__ inline void write_long_product(const window_work &work, void *products, int64_t at, int64_t e, int64_t t)
{
    const plan_patterns &of = work.patterns;
    const int64_t a = work.slice.a_begin + e, b = of.b[of.a_columns[a]] + t;
    if (work.out.narrow)
        static_cast<uint2 *>(products)[at] = {(uint32_t)a, (uint32_t)b};
    else
        static_cast<longlong2 *>(products)[at] = {a, b};
}

__device__ inline int64_t run_of(const window_work &work, int64_t e)
{
    const int64_t row = work.slice.row_begin + work.slice.rows[e];
    const int64_t at = work.slice.a_begin + e - work.patterns.a[row];
    return first_run(work.patterns, work.out, row) + at / work.out.deep;
}

/* A thread a product, in the order of C's entries. */
__global__ void __launch_bounds__(THREADS) write_codes_kernel(window_work work, uint32_t *codes, void *long_products)
{
    const entry_slice &slice = work.slice;
    const int64_t at = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (at >= slice.products) return;
    const uint32_t key = slice.keys[at], product = slice.order[at], rank = slice.ranks[key];
    const int64_t w = key / work.out.width, t = at - slice.run_begins[key];
    const plan_window &window = work.out.windows[work.before + w];
    const bool is_run = work.out.deep > 1;
    const int64_t first = is_run ? 0 : window.a_begin - slice.a_begin;
    const int64_t e = last_at_most(slice.starts, first, slice.a_count, product);
    if (rank == LONG_RANK) {
        write_long_product(work, long_products, slice.run_ends[key] + t, e, product - slice.starts[e]);
        return;
    }
    const int64_t row_begin = window.direct ? work.patterns.b[work.patterns.a_columns[slice.a_begin + e]] : 0;
    const int64_t from = is_run ? run_of(work, e) - window.a_begin : e - first;
    const uint64_t code = (uint64_t)from << window.shift | (uint64_t)(row_begin + product - slice.starts[e]);
    const int width = work.out.tile;
    const int64_t tile = work.out.tile_begins[(work.before + w) * (PLAN_WINDOW_TILES + 1) + rank / width];
    uint32_t *words = codes + (work.words[w] + tile) * width + rank % width;
    if (window.code_bytes == 2) {
        reinterpret_cast<uint16_t *>(words + t / 2 * width)[t % 2] = (uint16_t)code;
    } else if (window.code_bytes == 4) {
        words[t * width] = (uint32_t)code;
    } else {
        words[2 * t * width] = (uint32_t)code;
        words[(2 * t + 1) * width] = (uint32_t)(code >> 32);
    }
}

/* Long entries know where their products begin in the slice's, and now where these are. */
spg_status place_products(plan_maker &maker, plan_long_entry *entries, int64_t count, char *products, int bytes_each)
{
    if (count == 0) return SPG_OK;
    return for_each(maker.context, count, "a plan's long entries", [=] __device__(int64_t k) {
        const int64_t begin = reinterpret_cast<int64_t>(entries[k].products);
        entries[k].products = products + begin * bytes_each;
    });
}

/* Adds `count` windows with their codes, `tiles` in all, and the long entries' products; found: with this slice. */
spg_status keep_codes(plan_maker &maker, const window_work &work, int64_t count, int64_t tiles,
                      const entry_totals &found)
{
    plan_windows &kept = maker.part->windows;
    cudaStream_t stream = maker.cuda->stream;
    const int64_t long_before = kept.long_count, chains_before = kept.chain_count, *words = work.words;
    const int tile = kept.tile, product_bytes = 2 * begin_bytes(kept);
    uint32_t *codes = nullptr;
    char *long_products = nullptr;
    spg_status status = keep_array(maker, tiles * tile, &codes);
    if (status == SPG_OK) status = keep_array(maker, (int64_t)found.long_products * product_bytes, &long_products);
    if (status == SPG_OK)
        status =
            spg_cuda_check(maker.context, cudaMemsetAsync(codes, 0xff, (size_t)(tiles * tile) * sizeof *codes, stream),
                           "a plan's codes");
    if (status != SPG_OK) return status;
    const unsigned int blocks = (unsigned int)((work.slice.products + THREADS - 1) / THREADS);
    write_codes_kernel<<<blocks, THREADS, 0, stream>>>(work, codes, long_products);
    status = spg_cuda_check_launch(maker.context, "a plan's codes");
    plan_window *windows = kept.windows + work.before;
    kept.count += count;
    kept.long_count = (int64_t)found.long_entries;
    kept.chain_count = (int64_t)found.chains;
    if (status == SPG_OK)
        status = for_each(maker.context, count, "a plan's windows",
                          [=] __device__(int64_t w) { windows[w].codes = codes + words[w] * tile; });
    if (status == SPG_OK)
        status = place_products(maker, kept.long_entries + long_before, kept.long_count - long_before, long_products,
                                product_bytes);
    if (status == SPG_OK)
        status = place_products(maker, kept.chains + chains_before, kept.chain_count - chains_before, long_products,
                                product_bytes);
    return status;
}

} // namespace

spg_status add_windows(plan_maker &maker, const entry_slice &slice, const int64_t *before, entry_totals *totals)
{
    plan_windows &kept = maker.part->windows;
    cudaStream_t stream = maker.cuda->stream;
    const int64_t count = (slice.c_count + kept.width - 1) / kept.width;
    scratch words_memory(maker);
    int64_t *words = nullptr, tiles = 0;
    entry_totals found = {};
    spg_status status = words_memory.allocate(count + 1, &words);
    if (status == SPG_OK)
        status = spg_cuda_check(maker.context,
                                cudaMemsetAsync(&totals->long_products, 0, sizeof totals->long_products, stream),
                                "a plan's windows");
    if (status != SPG_OK) return status;
    const window_work work = {maker.patterns,
                              slice,
                              kept,
                              kept.count,
                              maker.halves,
                              kept.deep > 1 ? near_runs(kept.at_once, 32 / kept.tile, maker.value_bytes, kept.deep)
                                            : near_room(maker.value_bytes, begin_bytes(kept), kept.together),
                              bits_for(maker.b_nnz),
                              kept.together > 1 || maker.facts.products <= PLAN_DIRECT_B_ROW * maker.facts.a_entries,
                              words,
                              before,
                              maker.row_products,
                              totals};
    order_window_kernel<<<(unsigned int)count, PLAN_WINDOW, 0, stream>>>(work);
    status = spg_cuda_check_launch(maker.context, "a plan's windows");
    if (status == SPG_OK)
        status = spg_cuda_copy_bytes(maker.context, &found, SPG_PLACE_HOST, totals, SPG_PLACE_DEVICE, sizeof found);
    if (status == SPG_OK) status = scan_counts(maker, words, count, &tiles);
    return status == SPG_OK ? keep_codes(maker, work, count, tiles, found) : status;
}

spg_status order_windows(plan_maker &maker)
{
    plan_windows &kept = maker.part->windows;
    scratch keys_memory(maker), present_memory(maker);
    int64_t *keys = nullptr, *present = nullptr, common = 0, full = 0, products = maker.entry_product_count;
    const int64_t count = kept.count, mean = products / kept.count + 1;
    if (!can_order(maker, count)) return SPG_OK;
    spg_status status = keys_memory.allocate(count, &keys);
    if (status == SPG_OK) status = present_memory.allocate(count + 1, &present);
    if (status != SPG_OK) return status;
    const plan_window *windows = kept.windows;
    const uint32_t *tile_begins = kept.tile_begins;
    const int tile = kept.tile;
    /* Windows of common weight stay in C's order, for neighbours share rows of B. */
    status = for_each(maker.context, count, "the order of a plan's windows", [=] __device__(int64_t w) {
        const int64_t all = (int64_t)tile_begins[(w + 1) * (PLAN_WINDOW_TILES + 1) - 1] * tile;
        present[w] = windows[w].count > 0 && all <= 4 * mean;
        keys[w] = windows[w].count == 0 ? 0 : all > 4 * mean ? all : 1;
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
