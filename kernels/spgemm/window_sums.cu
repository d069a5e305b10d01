/* Third stage of the window class: the values of rows of C whose columns are written. In: A, B, C's offsets and
 * columns. Out: C's values.
 *
 * A warp takes a window of at most `slots` neighbouring entries of a row of C, whatever columns lie between, and keeps
 * their sums in shared memory. It goes through the row of A in order; binary search finds where the window begins and
 * ends in each row of B. The products are laid end to end over the lanes, so several entries of A may meet in one step:
 * a few are added one after the other; of many, those lanes that have the same slot are found, and the first of them
 * adds the others' products in the order of the lanes, which is the order of storage. So each sum is made by one lane
 * at a time, in storage order. */
#include "window_map.cuh"

namespace spg
{

namespace
{

enum {
    TOGETHER = 4,    /* steps of 32 products whose loads are under way together */
    IN_TURN = 4,     /* entries of A that meet in a step and are added one after the other */
    HEAVY_ROW = 256, /* entries of A; longer rows are summed first */
    RESIDENT = 11,   /* warps of a multiprocessor at least; shared memory allows no more than 12 */
    LIST_THREADS = 256
};

/* All windows of heavy rows, from the front, and windows beyond the first of other rows, from the back. They are dealt
 * in this order, then the others' first windows. */
struct window_list {
    uint32_t *ticket, *heavy, *later;
    int2 *windows; /* which of the row set, which window */
    int64_t most;
};

/* Where pieces of B have the window's columns: skipped[q] = the first place in piece q whose column is not less than
 * the window's first, lengths[q] = the first that is greater than its last. All searches are interleaved, for each
 * waits on memory at every step. */
template <typename Offset>
__device__ inline void search_rows(const int32_t *b_columns, const Offset (&begins)[BATCH_EACH], int32_t first_column,
                                   int32_t last_column, int32_t (&skipped)[BATCH_EACH], int32_t (&lengths)[BATCH_EACH])
{
    int32_t left[2 * BATCH_EACH], found[2 * BATCH_EACH];
    int32_t most = 0;
#pragma unroll
    for (int q = 0; q < BATCH_EACH; ++q) {
        left[2 * q] = left[2 * q + 1] = lengths[q];
        found[2 * q] = found[2 * q + 1] = 0;
        most = max(most, lengths[q]);
    }
    for (; most > 0; most /= 2) {
        int32_t columns[2 * BATCH_EACH];
#pragma unroll
        for (int q = 0; q < 2 * BATCH_EACH; ++q)
            if (left[q] > 0) columns[q] = b_columns[begins[q / 2] + (found[q] + left[q] / 2)];
#pragma unroll
        for (int q = 0; q < 2 * BATCH_EACH; ++q) {
            if (left[q] <= 0) continue;
            int32_t half = left[q] / 2;
            bool less = q % 2 == 0 ? columns[q] < first_column : columns[q] <= last_column;
            if (less) found[q] += half + 1;
            left[q] = less ? left[q] - half - 1 : half;
        }
    }
#pragma unroll
    for (int q = 0; q < BATCH_EACH; ++q) {
        skipped[q] = found[2 * q];
        lengths[q] = found[2 * q + 1];
    }
}

/* Lays BATCH entries of A, from entry `at`, end to end. Each lane looks up BATCH_EACH of them at once. */
template <typename Offset, typename Value>
__device__ inline flat_products<Offset> lay_batch(window<Offset, Value> &w, const patterns<Offset> &pattern,
                                                  const Value *a_values, Offset at, Offset end)
{
    int lane = threadIdx.x % 32;
    Offset begins[BATCH_EACH];
    int32_t lengths[BATCH_EACH], skipped[BATCH_EACH];
    Value values[BATCH_EACH];
#pragma unroll
    for (int q = 0; q < BATCH_EACH; ++q) {
        span<Offset> row{0, 0};
        values[q] = zero<Value>();
        if (end - at > q * 32 + lane) {
            Offset entry = at + (q * 32 + lane);
            row = b_row(pattern, pattern.a_columns[entry]);
            values[q] = a_values[entry];
        }
        begins[q] = row.begin;
        lengths[q] = (int32_t)(row.end - row.begin);
        skipped[q] = 0;
    }
    if (!w.first || !w.last) search_rows(pattern.b_columns, begins, w.first_column, w.last_column, skipped, lengths);

    flat_products<Offset> flat{w.starts, w.deltas, 0, 0};
#pragma unroll
    for (int q = 0; q < BATCH_EACH; ++q) {
        uint32_t own = (uint32_t)(lengths[q] - skipped[q]), sum = own;
        for (int step = 1; step < 32; step *= 2) {
            uint32_t below = __shfl_up_sync(~0u, sum, step);
            if (lane >= step) sum += below;
        }
        uint32_t some = __ballot_sync(~0u, own > 0);
        if (own > 0) {
            int entry = flat.entries + __popc(some & ((1u << lane) - 1));
            uint32_t start = flat.products + sum - own;
            w.starts[entry] = start;
            w.deltas[entry] = begins[q] + (Offset)skipped[q] - (Offset)start;
            w.batch_values[entry] = values[q];
        }
        flat.entries += __popc(some);
        flat.products += __shfl_sync(~0u, sum, 31);
    }
    __syncwarp();
    return flat;
}

/* Products on their way to their sums. */
template <typename Value> struct steps {
    int32_t places[TOGETHER]; /* columns, from the window's first */
    Value a[TOGETHER], b[TOGETHER];
    uint32_t begins[TOGETHER];
};

template <typename Offset, typename Value>
__device__ inline void fetch(steps<Value> &next, const window<Offset, Value> &w, const flat_products<Offset> &flat,
                             const patterns<Offset> &pattern, const Value *b_values, uint32_t p, int &before)
{
#pragma unroll
    for (int u = 0; u < TOGETHER; ++u) {
        uint32_t own = p + 32 * u + threadIdx.x % 32;
        int entry = entry_of(flat, p + 32 * u, before, next.begins[u]);
        next.places[u] = 0;
        next.a[u] = next.b[u] = zero<Value>();
        if (own < flat.products) {
            Offset k = flat.deltas[entry] + (Offset)own;
            next.places[u] = pattern.b_columns[k] - w.first_column;
            next.b[u] = b_values[k];
            next.a[u] = w.batch_values[entry];
        }
    }
}

__device__ inline float from_lane(float value, int lane) { return __shfl_sync(~0u, value, lane); }
__device__ inline double from_lane(double value, int lane) { return __shfl_sync(~0u, value, lane); }
template <typename Real> __device__ inline complex<Real> from_lane(complex<Real> value, int lane)
{
    return {from_lane(value.re, lane), from_lane(value.im, lane)};
}

/* Lanes share slots: the first lane of each slot adds for all of them, in their order. */
template <typename Value> __device__ inline void add_shared_slots(Value *sums, int slot, Value product, bool active)
{
    int lane = threadIdx.x % 32;
    uint32_t peers = __match_any_sync(~0u, active ? slot : -1 - lane);
    bool leads = active && __ffs(peers) - 1 == lane;
    uint32_t others = leads ? peers & (peers - 1) : 0;
    Value sum = leads ? add(sums[slot], product) : zero<Value>();
    unsigned int rounds = __reduce_max_sync(~0u, (unsigned int)__popc(others));
#pragma unroll 2
    for (unsigned int round = 0; round < rounds; ++round) {
        Value theirs = from_lane(product, others != 0 ? __ffs(others) - 1 : lane);
        if (others != 0) sum = add(sum, theirs);
        others &= others - 1;
    }
    if (leads) sums[slot] = sum;
}

/* Adds a step in which several entries of A meet: begins has a bit for each lane where another one begins. */
template <typename Value>
__device__ inline void add_several(Value *sums, uint8_t *tags, int slot, Value term, bool active, uint32_t begins)
{
    int lane = threadIdx.x % 32, more = __popc(begins);
    if (more < IN_TURN) {
        int turn = __popc(begins & (~0u >> (31 - lane)));
        for (int k = 0; k <= more; ++k) {
            if (active && turn == k) sums[slot] = add(sums[slot], term);
            __syncwarp();
        }
        return;
    }
    if (active) tags[slot] = (uint8_t)lane;
    __syncwarp();
    Value sum = sums[slot]; /* read before it is known whether it serves, for it takes as long as the tags */
    bool shared = __any_sync(~0u, active && tags[slot] != lane);
    if (shared)
        add_shared_slots(sums, slot, term, active);
    else if (active)
        sums[slot] = add(sum, term);
    __syncwarp();
}

template <typename Offset, typename Value>
__device__ inline void add_steps(const steps<Value> &current, const window<Offset, Value> &w, uint32_t p,
                                 uint32_t products)
{
    int lane = threadIdx.x % 32, slots[TOGETHER];
    Value terms[TOGETHER];
    uint32_t begins = current.begins[0] & ~1u;
#pragma unroll
    for (int u = 0; u < TOGETHER; ++u) {
        slots[u] = slot_of(w, current.places[u]);
        terms[u] = multiply(current.a[u], current.b[u]);
        if (u > 0) begins |= current.begins[u];
    }
    /* A row of B has a column once, so sums can only meet where a second entry of A begins. */
    if (begins == 0) {
        Value sums[TOGETHER];
#pragma unroll
        for (int u = 0; u < TOGETHER; ++u) sums[u] = w.sums[slots[u]];
#pragma unroll
        for (int u = 0; u < TOGETHER; ++u)
            if (p + 32 * u + lane < products) w.sums[slots[u]] = add(sums[u], terms[u]);
        __syncwarp();
        return;
    }
#pragma unroll
    for (int u = 0; u < TOGETHER; ++u) {
        bool active = p + 32 * u + lane < products;
        begins = current.begins[u] & ~1u;
        if (begins != 0) {
            add_several(w.sums, w.tags, slots[u], terms[u], active, begins);
            continue;
        }
        if (active) w.sums[slots[u]] = add(w.sums[slots[u]], terms[u]);
        __syncwarp();
    }
}

template <typename Offset, typename Value>
__device__ inline void sum_window(window<Offset, Value> &w, const patterns<Offset> &pattern,
                                  const numbers<Value> &number, span<Offset> row)
{
    for (Offset at = row.begin; at < row.end;) {
        flat_products<Offset> flat = lay_batch(w, pattern, number.a_values, at, row.end);
        int before = -1;
        steps<Value> current, next;
        if (flat.products > 0) fetch(current, w, flat, pattern, number.b_values, 0, before);
        for (uint32_t p = 0; p < flat.products; p += 32 * TOGETHER) {
            uint32_t ahead = p + 32 * TOGETHER;
            if (ahead < flat.products) fetch(next, w, flat, pattern, number.b_values, ahead, before);
            add_steps(current, w, p, flat.products);
            current = next;
        }
        __syncwarp(); /* the batch is read before it is laid anew */
        if (row.end - at <= BATCH) break;
        at += BATCH;
    }
}

template <typename Offset, typename Value>
__global__ void __launch_bounds__(32, RESIDENT)
    window_sums(patterns<Offset> pattern, numbers<Value> number, row_set rows, window_list list)
{
    extern __shared__ __align__(16) unsigned char shared[];
    constexpr int slots = slots_of<Value>();
    window<Offset, Value> w = lay_out<Offset, Value>(shared);
    int64_t heavy = *list.heavy, listed = heavy + *list.later, all = listed + row_count(rows);
    for (;;) {
        uint32_t ticket = 0;
        if (threadIdx.x == 0) ticket = atomicAdd(list.ticket, 1u);
        ticket = __shfl_sync(~0u, ticket, 0);
        if (ticket >= all) return;
        int2 which = make_int2((int32_t)(ticket - listed), 0);
        if (ticket < listed) which = list.windows[ticket < heavy ? ticket : list.most - 1 - (ticket - heavy)];
        int32_t i = row_at(rows, which.x);
        span<Offset> row = a_row(pattern, i);
        if (ticket >= listed && row.end - row.begin > HEAVY_ROW) continue; /* it is in the list */
        Offset c_begin = pattern.c_offsets[i] + (Offset)which.y * slots, left = pattern.c_offsets[i + 1] - c_begin;
        if (left == 0) continue;
        w.entries = left < slots ? (int)left : slots;
        w.first = which.y == 0;
        w.last = left <= slots;
        open_window(w, number.c_columns + c_begin);
        sum_window(w, pattern, number, row);
        for (int j = threadIdx.x; j < w.entries; j += 32) number.c_values[c_begin + j] = w.sums[j];
        __syncwarp();
    }
}

template <typename Offset>
__global__ void __launch_bounds__(LIST_THREADS)
    list_windows(const Offset *a_offsets, const Offset *c_offsets, row_set rows, int slots, window_list list)
{
    int32_t count = row_count(rows);
    for (int64_t k = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; k < count; k += (int64_t)gridDim.x * blockDim.x) {
        int32_t i = row_at(rows, (int32_t)k);
        bool heavy = a_offsets[i + 1] - a_offsets[i] > HEAVY_ROW;
        Offset length = c_offsets[i + 1] - c_offsets[i];
        int32_t windows = (int32_t)((length + slots - 1) / slots), n = heavy ? 0 : 1;
        if (n >= windows) continue;
        int64_t at = atomicAdd(heavy ? list.heavy : list.later, (uint32_t)(windows - n));
        if (!heavy) at = list.most - at - (windows - n);
        for (; n < windows; ++n, ++at) list.windows[at] = make_int2((int32_t)k, n);
    }
}

template <typename Offset, typename Value>
spg_status launch_sums(cuda_product &product, const row_set &rows, const window_list &list)
{
    const patterns<Offset> pattern = patterns_of<Offset>(product);
    cudaStream_t stream = product.cuda->stream;
    list_windows<<<grid_for(product, rows.count, 1, LIST_THREADS), LIST_THREADS, 0, stream>>>(
        pattern.a_offsets, (const Offset *)pattern.c_offsets, rows, slots_of<Value>(), list);
    spg_status status = spg_cuda_check_launch(product.context, "listing windows");
    int blocks = 0;
    int64_t bytes = shared_bytes_of<Offset, Value>();
    auto kernel = window_sums<Offset, Value>;
    if (status == SPG_OK) status = resident_blocks(product, kernel, 32, bytes, &blocks);
    if (status != SPG_OK) return status;
    kernel<<<blocks, 32, bytes, stream>>>(pattern, numbers_of<Value>(product), rows, list);
    return spg_cuda_check_launch(product.context, "summing windows");
}

} // namespace

spg_status fill_window_values(cuda_product &product, const row_set &rows)
{
    if (rows.count == 0 || product.C->nnz == 0) return SPG_OK;
    int64_t slots = spg_type_size(product.A->value_type) > 8 ? SLOTS_16 : SLOTS_8;
    int64_t most = product.C->nnz / slots + product.A->nnz / HEAVY_ROW;
    int64_t bytes = 16 + spg_array_bytes(most, sizeof(int2));
    void *memory = nullptr;
    spg_status status = take_workspace(product, bytes, "a list of windows", &memory);
    if (status != SPG_OK) return status;
    auto *counters = static_cast<uint32_t *>(memory);
    window_list list{counters, counters + 1, counters + 2, reinterpret_cast<int2 *>(counters + 4), most};
    status = spg_cuda_check(product.context, cudaMemsetAsync(memory, 0, 16, product.cuda->stream), "clearing tickets");
    if (status == SPG_OK)
        status = with_offset_type(product.offset_type, [&](auto offset) {
            return with_value_type(product.A->value_type, [&](auto value) {
                return launch_sums<decltype(offset), decltype(value)>(product, rows, list);
            });
        });
    give_workspace(product, memory, bytes);
    return status;
}

} // namespace spg
