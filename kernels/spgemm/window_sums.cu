/* Third stage of the window class: the values of rows of C whose columns are written. In: A, B, C's offsets and
 * columns. Out: C's values.
 *
 * A warp takes a window of at most `slots` neighbouring entries of a row of C, whatever columns lie between, and keeps
 * their sums in shared memory. It goes through the row of A in order; binary search finds where the window begins and
 * ends in each row of B. The products are laid end to end over the lanes, so several entries of A may meet in one step;
 * where two lanes have the same slot, the first of them adds the others' products in the order of the lanes, which is
 * the order of storage. So each sum is made by one lane at a time, in storage order.
 *
 * The slot of a column: the window's range is cut into as many equal buckets as it has slots. A bucket knows its first
 * and last entry; where it has several, binary search tells. Every product has a slot, for C's pattern is exact. */
#include "window.cuh"

namespace spg
{

namespace
{

enum {
    SLOTS_8 = 2048,  /* of a window, a power of two; values up to 8 bytes */
    SLOTS_16 = 1024, /* complex double */
    BATCH = 128,     /* entries of A looked up together */
    BATCH_EACH = BATCH / 32,
    TOGETHER = 4, /* steps of 32 products whose loads are under way together */
    LIST_THREADS = 256
};
static_assert(BATCH % 32 == 0, "lanes take equal shares of a batch");
static_assert(SLOTS_8 <= 32768, "slots are numbered in 16 bits");

/* Windows beyond a row's first: they are dealt first. */
struct window_list {
    uint32_t *ticket, *later;
    int2 *windows; /* which of the row set, which window */
};

template <typename Offset> struct window_memory {
    uint32_t *starts;
    Offset *deltas;
    int32_t *columns;
    uint32_t *buckets; /* first entry, and 65536 * (last entry + 1) */
    uint8_t *tags;
};

template <typename Value> constexpr int slots_of() { return sizeof(Value) > 8 ? SLOTS_16 : SLOTS_8; }

template <typename Offset, typename Value> constexpr int64_t shared_bytes_of()
{
    constexpr int slots = slots_of<Value>();
    return (int64_t)(slots + BATCH) * sizeof(Value) + BATCH * (sizeof(Offset) + 4) + slots * (4 + 4 + 1);
}

/* A window at work. */
template <typename Offset, typename Value> struct window {
    Value *sums, *batch_values; /* slots; BATCH */
    window_memory<Offset> memory;
    int entries; /* of C in it */
    int32_t first_column, last_column;
    int shift; /* from column to bucket */
    bool first, last;
};

template <typename Offset, typename Value> __device__ inline window<Offset, Value> lay_out(unsigned char *shared)
{
    constexpr int slots = slots_of<Value>();
    window<Offset, Value> w{};
    w.sums = reinterpret_cast<Value *>(shared);
    w.batch_values = w.sums + slots;
    w.memory.deltas = reinterpret_cast<Offset *>(w.batch_values + BATCH);
    w.memory.starts = reinterpret_cast<uint32_t *>(w.memory.deltas + BATCH);
    w.memory.columns = reinterpret_cast<int32_t *>(w.memory.starts + BATCH);
    w.memory.buckets = reinterpret_cast<uint32_t *>(w.memory.columns + slots);
    w.memory.tags = reinterpret_cast<uint8_t *>(w.memory.buckets + slots);
    return w;
}

/* Reads the window's columns, fills its buckets and zeroes its sums. */
template <typename Offset, typename Value>
__device__ inline void open_window(window<Offset, Value> &w, const int32_t *c_columns)
{
    int lane = threadIdx.x % 32;
    for (int j = lane; j < w.entries; j += 32) {
        w.memory.columns[j] = c_columns[j];
        w.sums[j] = zero<Value>();
    }
    __syncwarp();
    w.first_column = w.memory.columns[0];
    w.last_column = w.memory.columns[w.entries - 1];
    uint32_t furthest = (uint32_t)(w.last_column - w.first_column);
    w.shift = 0;
    while ((furthest >> w.shift) >= (uint32_t)slots_of<Value>()) ++w.shift;
    auto *halves = reinterpret_cast<uint16_t *>(w.memory.buckets);
    for (int j = lane; j < w.entries; j += 32) {
        auto bucket = [&](int k) { return (w.memory.columns[k] - w.first_column) >> w.shift; };
        int own = bucket(j);
        if (j == 0 || bucket(j - 1) != own) halves[2 * own] = (uint16_t)j;
        if (j == w.entries - 1 || bucket(j + 1) != own) halves[2 * own + 1] = (uint16_t)(j + 1);
    }
    __syncwarp();
}

template <typename Offset, typename Value> __device__ inline int slot_of(const window<Offset, Value> &w, int32_t column)
{
    uint32_t bounds = w.memory.buckets[(column - w.first_column) >> w.shift];
    int low = (int)(bounds & 0xffff), high = (int)(bounds >> 16);
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (w.memory.columns[middle] <= column)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* found[q] = the first place in piece q of B whose column is not less than `column`; `found` may be `lengths`. The
 * searches are interleaved, for each waits on memory at every step. */
template <typename Offset>
__device__ inline void search_rows(const int32_t *b_columns, const Offset (&begins)[BATCH_EACH],
                                   const int32_t (&lengths)[BATCH_EACH], int64_t column, int32_t (&found)[BATCH_EACH])
{
    int32_t left[BATCH_EACH];
    bool going = false;
#pragma unroll
    for (int q = 0; q < BATCH_EACH; ++q) {
        left[q] = lengths[q];
        found[q] = 0;
        going |= left[q] > 0;
    }
    while (going) {
        going = false;
#pragma unroll
        for (int q = 0; q < BATCH_EACH; ++q) {
            if (left[q] <= 0) continue;
            int32_t half = left[q] / 2;
            bool less = b_columns[begins[q] + (found[q] + half)] < column;
            if (less) found[q] += half + 1;
            left[q] = less ? left[q] - half - 1 : half;
            going |= left[q] > 0;
        }
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
    if (!w.last) search_rows(pattern.b_columns, begins, lengths, (int64_t)w.last_column + 1, lengths);
    if (!w.first) search_rows(pattern.b_columns, begins, lengths, (int64_t)w.first_column, skipped);

    flat_products<Offset> flat{w.memory.starts, w.memory.deltas, 0, 0};
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
            w.memory.starts[entry] = start;
            w.memory.deltas[entry] = begins[q] + (Offset)skipped[q] - (Offset)start;
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
    int32_t columns[TOGETHER];
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
        next.columns[u] = w.first_column;
        next.a[u] = next.b[u] = zero<Value>();
        if (own < flat.products) {
            Offset k = flat.deltas[entry] + (Offset)own;
            next.columns[u] = pattern.b_columns[k];
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

template <typename Offset, typename Value>
__device__ inline void add_steps(const steps<Value> &current, const window<Offset, Value> &w, uint32_t p,
                                 uint32_t products)
{
    int lane = threadIdx.x % 32, slots[TOGETHER];
    Value terms[TOGETHER];
#pragma unroll
    for (int u = 0; u < TOGETHER; ++u) {
        slots[u] = slot_of(w, current.columns[u]);
        terms[u] = multiply(current.a[u], current.b[u]);
    }
#pragma unroll
    for (int u = 0; u < TOGETHER; ++u) {
        bool active = p + 32 * u + lane < products, shared = false;
        /* A row of B has a column once, so lanes can only meet where a second entry begins. */
        bool several = (current.begins[u] & ~1u) != 0;
        if (several && active) w.memory.tags[slots[u]] = (uint8_t)lane;
        __syncwarp();
        Value sum = w.sums[slots[u]]; /* read before it is known whether it serves, for it takes as long as the tags */
        if (several) shared = __any_sync(~0u, active && w.memory.tags[slots[u]] != lane);
        if (shared)
            add_shared_slots(w.sums, slots[u], terms[u], active);
        else if (active)
            w.sums[slots[u]] = add(sum, terms[u]);
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
__global__ void __launch_bounds__(32)
    window_sums(patterns<Offset> pattern, numbers<Value> number, row_set rows, window_list list)
{
    extern __shared__ __align__(16) unsigned char shared[];
    constexpr int slots = slots_of<Value>();
    window<Offset, Value> w = lay_out<Offset, Value>(shared);
    int64_t later = *list.later, all = later + row_count(rows);
    for (;;) {
        uint32_t ticket = 0;
        if (threadIdx.x == 0) ticket = atomicAdd(list.ticket, 1u);
        ticket = __shfl_sync(~0u, ticket, 0);
        if (ticket >= all) return;
        int2 which = ticket < later ? list.windows[ticket] : make_int2((int32_t)(ticket - later), 0);
        int32_t i = row_at(rows, which.x);
        Offset c_begin = pattern.c_offsets[i] + (Offset)which.y * slots, left = pattern.c_offsets[i + 1] - c_begin;
        if (left == 0) continue;
        w.entries = left < slots ? (int)left : slots;
        w.first = which.y == 0;
        w.last = left <= slots;
        open_window(w, number.c_columns + c_begin);
        sum_window(w, pattern, number, a_row(pattern, i));
        for (int j = threadIdx.x; j < w.entries; j += 32) number.c_values[c_begin + j] = w.sums[j];
        __syncwarp();
    }
}

template <typename Offset>
__global__ void __launch_bounds__(LIST_THREADS)
    list_windows(const Offset *c_offsets, row_set rows, int slots, window_list list)
{
    int32_t count = row_count(rows);
    for (int64_t k = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; k < count; k += (int64_t)gridDim.x * blockDim.x) {
        int32_t i = row_at(rows, (int32_t)k);
        Offset length = c_offsets[i + 1] - c_offsets[i];
        if (length <= slots) continue;
        int32_t later = (int32_t)((length - 1) / slots);
        uint32_t at = atomicAdd(list.later, (uint32_t)later);
        for (int32_t n = 0; n < later; ++n) list.windows[at + n] = make_int2((int32_t)k, n + 1);
    }
}

template <typename Offset, typename Value>
spg_status launch_sums(cuda_product &product, const row_set &rows, const window_list &list)
{
    const patterns<Offset> pattern = patterns_of<Offset>(product);
    cudaStream_t stream = product.cuda->stream;
    list_windows<<<grid_for(product, rows.count, 1, LIST_THREADS), LIST_THREADS, 0, stream>>>(
        (const Offset *)pattern.c_offsets, rows, slots_of<Value>(), list);
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
    int64_t bytes = 16 + spg_array_bytes(product.C->nnz / slots, sizeof(int2));
    void *memory = nullptr;
    spg_status status = take_workspace(product, bytes, "a list of windows", &memory);
    if (status != SPG_OK) return status;
    auto *counters = static_cast<uint32_t *>(memory);
    window_list list{counters, counters + 1, reinterpret_cast<int2 *>(counters + 4)};
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
