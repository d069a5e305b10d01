/* Method long_rows, third stage: the values of rows of C whose columns are written. In: A, B, C's offsets and columns.
 * Out: C's values.
 *
 * A block takes a window of consecutive entries of a row of C, however far apart their columns are, and keeps their
 * sums in shared memory. It goes through the row of A in order; binary search finds where the window begins and ends in
 * each row of B. The products found are laid end to end and cut into steps of 32. The block's warps take turns: a warp
 * loads products and finds their slots while others add, and adds after the warp with the steps before it. If several
 * entries of A meet in a step, lanes with the same slot add one after the other. So each sum is made by one lane at a
 * time, in storage order. */
#include "../../primitives/warp.cuh"
#include "../../primitives/warp_turns.cuh"
#include "batch.cuh"

#include <algorithm>

namespace spg
{

namespace
{

enum {
    FEW_PEERS = 4, /* lanes of a slot that add one after the other */
    LIST_THREADS = 256
};

/* A window of C: `entries` entries of a row from `first` on; first < 0: none. */
struct listed_window {
    int32_t row, first, entries;
};

/* All windows of heavy rows, from the front; windows beyond the first of other rows, from the back. Blocks take them in
 * this order, then the first windows of the other rows. */
struct window_list {
    uint32_t *ticket, *heavy, *later, *extra; /* counters */
    listed_window *windows;
    int64_t most;
    const int64_t *row_products; /* of every row; NULL: not known */
    int64_t window_products;     /* above this, a window of a heavy row is halved */
};

/* Adds a step in which lanes share slots. peers: the lanes with this lane's slot, only itself if it has none; `most`:
 * the maximum number of lanes of a slot. */
template <typename Value>
__device__ inline void add_step(Value *sums, bool active, int slot, Value term, uint32_t peers, unsigned int most)
{
    const int lane = threadIdx.x % 32, turn = __popc(peers & ((1u << lane) - 1));
    if (most <= FEW_PEERS) {
        for (int k = 0; k < (int)most; ++k) {
            if (active && turn == k) sums[slot] = add(sums[slot], term);
            __syncwarp();
        }
        return;
    }
    /* The first lane of each slot adds for all of them. */
    const bool leads = active && turn == 0;
    uint32_t others = leads ? peers & (peers - 1) : 0;
    Value sum = leads ? add(sums[slot], term) : zero<Value>();
#pragma unroll 4
    for (unsigned int k = 1; k < most; ++k) {
        const Value theirs = from_lane(term, others != 0 ? __ffs(others) - 1 : lane);
        if (others != 0) sum = add(sum, theirs);
        others &= others - 1;
    }
    if (leads) sums[slot] = sum;
    __syncwarp();
}

/* The products of a few steps, before they are added. */
template <typename Value> struct step_group {
    int slots[TOGETHER];
    Value terms[TOGETHER];
    bool active[TOGETHER];
    uint32_t peers[TOGETHER];
    unsigned int most[TOGETHER];
    bool one_entry;
};

template <typename Offset, typename Value>
__device__ inline void fetch_group(step_group<Value> &group, const window<Value> &w,
                                   const batch_memory<Offset, Value> &memory, int turn, int products,
                                   const patterns<Offset> &pattern, const Value *b_values)
{
    const int lane = threadIdx.x % 32;
    const uint4 begins = memory.begins[turn];
    const ushort4 entries = memory.entries[turn];
    const uint32_t begin[TOGETHER] = {begins.x, begins.y, begins.z, begins.w};
    const int entry[TOGETHER] = {entries.x, entries.y, entries.z, entries.w};
    int32_t places[TOGETHER];
    Value a[TOGETHER];
#pragma unroll
    for (int u = 0; u < TOGETHER; ++u) {
        const int p = 32 * (TOGETHER * turn + u) + lane;
        group.active[u] = p < products;
        places[u] = 0;
        a[u] = group.terms[u] = zero<Value>();
        if (group.active[u]) {
            const int own = entry[u] + __popc(begin[u] & (~0u >> (31 - lane)));
            const Offset k = memory.deltas[own] + (Offset)p;
            places[u] = pattern.b_columns[k] - w.first_column;
            group.terms[u] = b_values[k];
            a[u] = memory.a[own];
        }
    }
#pragma unroll
    for (int u = 0; u < TOGETHER; ++u) {
        group.slots[u] = slot_of(w, places[u]);
        group.terms[u] = multiply(a[u], group.terms[u]);
        group.peers[u] = 1u << lane;
        group.most[u] = 1;
        /* A row of B has each column once. */
        if (begin[u] == 0) continue;
        group.peers[u] = __match_any_sync(~0u, group.active[u] ? group.slots[u] : -1 - lane);
        group.most[u] = __reduce_max_sync(~0u, (unsigned int)__popc(group.peers[u]));
    }
    group.one_entry = (begins.x | begins.y | begins.z | begins.w) == 0 && entries.x == entries.y &&
                      entries.y == entries.z && entries.z == entries.w;
}

template <typename Value> __device__ inline void add_group(Value *all_sums, const step_group<Value> &group)
{
    if (!group.one_entry) {
#pragma unroll
        for (int u = 0; u < TOGETHER; ++u)
            add_step(all_sums, group.active[u], group.slots[u], group.terms[u], group.peers[u], group.most[u]);
        return;
    }
    Value sums[TOGETHER];
#pragma unroll
    for (int u = 0; u < TOGETHER; ++u) sums[u] = group.active[u] ? all_sums[group.slots[u]] : zero<Value>();
#pragma unroll
    for (int u = 0; u < TOGETHER; ++u)
        if (group.active[u]) all_sums[group.slots[u]] = add(sums[u], group.terms[u]);
    __syncwarp();
}

template <typename Offset, typename Value>
__device__ inline void sum_window(const window<Value> &w, const batch_memory<Offset, Value> &memory,
                                  const patterns<Offset> &pattern, const numbers<Value> &number, span<Offset> row,
                                  turns_of_warp &turns_taken)
{
    const int warp = threadIdx.x / 32;
    for (Offset at = row.begin; at < row.end;) {
        const laid_entries laid = row.end - at <= WINDOW_THREADS
                                      ? lay_batch<1>(w, memory, pattern, number.a_values, at, row.end)
                                      : lay_batch<EACH_MOST>(w, memory, pattern, number.a_values, at, row.end);
        const int turns = (laid.units + 32 * TOGETHER - 1) / (32 * TOGETHER);
        for (int turn = warp; turn < turns; turn += WINDOW_WARPS) {
            step_group<Value> group;
            fetch_group(group, w, memory, turn, laid.units, pattern, number.b_values);
            if (turn > 0) turns_taken.wait();
            add_group(w.sums, group);
            if (turn + 1 < turns) turns_taken.give();
        }
        __syncthreads(); /* the batch has been read before the next is laid out */
        if (row.end - at <= (Offset)laid.entries) break;
        at += (Offset)laid.entries;
    }
}

/* The window of a ticket. */
template <typename Offset>
__device__ inline listed_window window_of(int64_t ticket, const patterns<Offset> &pattern, const row_set &rows,
                                          const window_list &list, int64_t heavy, int64_t listed, int slots)
{
    if (ticket < listed) return list.windows[ticket < heavy ? ticket : list.most - 1 - (ticket - heavy)];
    const int32_t i = row_at(rows, (int32_t)(ticket - listed));
    const span<Offset> row = a_row(pattern, i);
    return {i, row.end - row.begin > HEAVY_ROW ? -1 : 0, slots};
}

/* Sums a window and writes its values. All threads call it. */
template <typename Offset, typename Value>
__device__ inline void do_window(window<Value> &w, const window_shape &shape, const batch_memory<Offset, Value> &memory,
                                 const patterns<Offset> &pattern, const numbers<Value> &number,
                                 const listed_window &which, turns_of_warp &turns_taken)
{
    const Offset c_begin = pattern.c_offsets[which.row] + (Offset)which.first,
                 left = pattern.c_offsets[which.row + 1] - c_begin;
    const span<Offset> row = a_row(pattern, which.row);
    if (left == 0) return;
    w.entries = left < which.entries ? (int)left : which.entries;
    w.whole = which.first == 0 && left <= which.entries;
    open_window(w, shape, number.c_columns + c_begin);
    sum_window(w, memory, pattern, number, row, turns_taken);
    for (int j = (int)threadIdx.x; j < w.entries; j += WINDOW_THREADS) number.c_values[c_begin + j] = w.sums[j];
}

template <typename Offset, typename Value>
__global__ void __launch_bounds__(WINDOW_THREADS, 6)
    window_sums(patterns<Offset> pattern, numbers<Value> number, row_set rows, window_list list, window_shape shape)
{
    extern __shared__ __align__(16) unsigned char shared[];
    __shared__ uint32_t dealt;
#pragma nv_diag_suppress static_var_with_dynamic_init /* init() below */
    __shared__ turn_barrier barriers[WINDOW_WARPS];
    const int warp = threadIdx.x / 32;
    if (threadIdx.x < WINDOW_WARPS) init(barriers + threadIdx.x, 32);
    turns_of_warp turns_taken{barriers + warp, barriers + (warp + 1) % WINDOW_WARPS, false};
    window<Value> w{};
    w.sums = reinterpret_cast<Value *>(shared);
    w.map = reinterpret_cast<uint32_t *>(w.sums + shape.slots);
    w.buckets = w.map + shape.slots;
    batch_memory<Offset, Value> memory;
    memory.a = reinterpret_cast<Value *>(w.map + shape.map_words);
    memory.begins = reinterpret_cast<uint4 *>(memory.a + BATCH_ENTRIES);
    memory.entries = reinterpret_cast<ushort4 *>(memory.begins + BATCH_STEPS / TOGETHER);
    memory.deltas = reinterpret_cast<Offset *>(memory.entries + BATCH_STEPS / TOGETHER);
    const int64_t heavy = *list.heavy, listed = heavy + *list.later, all = listed + row_count(rows);
    for (;;) { /* tickets are not taken in advance: those of heavy windows would wait for other heavy ones */
        if (threadIdx.x == 0) dealt = atomicAdd(list.ticket, 1u);
        __syncthreads();
        const uint32_t ticket = dealt;
        __syncthreads();
        if (ticket >= all) return;
        const listed_window which = window_of(ticket, pattern, rows, list, heavy, listed, shape.slots);
        if (which.first >= 0) do_window(w, shape, memory, pattern, number, which, turns_taken);
    }
}

/* The entries of a heavy row's windows: fewer if it has very many products, while the list has room. */
__device__ inline int window_entries(int32_t row, int64_t length, int slots, const window_list &list)
{
    if (list.row_products == nullptr) return slots;
    int entries = slots;
    while (entries > LEAST_WINDOW && list.row_products[row] > list.window_products / entries * length) entries /= 2;
    if (entries == slots || length <= entries) return slots;
    const uint32_t more = (uint32_t)((length + entries - 1) / entries - (length + slots - 1) / slots);
    return atomicAdd(list.extra, more) + more <= EXTRA_WINDOWS ? entries : slots;
}

template <typename Offset>
__global__ void __launch_bounds__(LIST_THREADS)
    list_windows(const Offset *a_offsets, const Offset *c_offsets, row_set rows, window_shape shape, window_list list)
{
    int32_t count = row_count(rows);
    for (int64_t k = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; k < count; k += (int64_t)gridDim.x * blockDim.x) {
        const int32_t i = row_at(rows, (int32_t)k);
        const Offset a_length = a_offsets[i + 1] - a_offsets[i], length = c_offsets[i + 1] - c_offsets[i];
        const bool heavy = a_length > HEAVY_ROW;
        const int entries = heavy ? window_entries(i, length, shape.slots, list) : shape.slots;
        int32_t windows = (int32_t)((length + entries - 1) / entries), n = heavy ? 0 : 1;
        if (n >= windows) continue;
        int64_t at = atomicAdd(heavy ? list.heavy : list.later, (uint32_t)(windows - n));
        if (!heavy) at = list.most - at - (windows - n);
        for (; n < windows; ++n, ++at) list.windows[at] = {i, n * entries, entries};
    }
}

template <typename Offset, typename Value>
spg_status launch_sums(cuda_product &product, const row_set &rows, const window_list &list, const window_shape &shape)
{
    const patterns<Offset> pattern = patterns_of<Offset>(product);
    cudaStream_t stream = product.cuda->stream;
    list_windows<<<grid_for(product, rows.count, 1, LIST_THREADS), LIST_THREADS, 0, stream>>>(
        pattern.a_offsets, (const Offset *)pattern.c_offsets, rows, shape, list);
    spg_status status = spg_cuda_check_launch(product.context, "listing windows");
    int blocks = 0;
    int64_t bytes = shared_bytes_of<Offset, Value>(shape);
    auto kernel = window_sums<Offset, Value>;
    if (status == SPG_OK) status = blocks_that_fill(product, kernel, WINDOW_THREADS, bytes, &blocks);
    if (status != SPG_OK) return status;
    kernel<<<blocks, WINDOW_THREADS, bytes, stream>>>(pattern, numbers_of<Value>(product), rows, list, shape);
    return spg_cuda_check_launch(product.context, "summing windows");
}

template <typename Offset, typename Value>
spg_status fill_values(cuda_product &product, const row_set &rows, const int64_t *row_products, bool few)
{
    const window_shape shape = window_shape_for<Value>(product.B->cols);
    window_list list{};
    list.window_products = std::max<int64_t>(WINDOW_PRODUCTS, product.C->nnz / WINDOW_PART);
    if (few) list.window_products /= FEW_PART;
    list.row_products = row_products;
    list.most = product.C->nnz / shape.slots + product.A->nnz / HEAVY_ROW;
    if (row_products != nullptr) list.most += EXTRA_WINDOWS;
    constexpr int64_t COUNTERS = 4;
    const int64_t bytes = COUNTERS * 4 + spg_array_bytes(list.most, sizeof(listed_window));
    scoped_workspace block(product);
    spg_status status = block.take(bytes, "a list of windows");
    if (status != SPG_OK) return status;
    list.ticket = block.as<uint32_t>();
    list.heavy = list.ticket + 1;
    list.later = list.ticket + 2;
    list.extra = list.ticket + 3;
    list.windows = reinterpret_cast<listed_window *>(list.ticket + COUNTERS);
    status = spg_cuda_zero_bytes(product.context, list.ticket, COUNTERS * 4);
    return status == SPG_OK ? launch_sums<Offset, Value>(product, rows, list, shape) : status;
}

} // namespace

spg_status fill_window_values(cuda_product &product, const row_set &rows, const int64_t *row_products, bool few)
{
    if (rows.count == 0 || product.C->nnz == 0) return SPG_OK;
    return with_value_types(product, [&](auto offset, auto value) {
        return fill_values<decltype(offset), decltype(value)>(product, rows, row_products, few);
    });
}

} // namespace spg
