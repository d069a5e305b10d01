/* Method shifted, filling pass: a block finds once for a run of rows which products add up to which entry of C. Then it
 * adds them for up to 32 rows at a time, a lane a row, from values of A and B in shared memory.
 *
 * Input: runs and C's row offsets. Output: columns and values of the rows of runs. Invariants: code e lists the
 * products of entry e of each row of the run in storage order, as positions in the first row of a tile. Those of the
 * next row are one pitch of A's rows and one of B's rows further on. The pitches are odd, so that lanes have no bank
 * conflicts. Chosen by route/route.cu. Contraction while expanding replaces the paper's sort (section 3.3). */
#include "../../launch.cuh"
#include "../../primitives/warp.cuh"
#include "../hash_group/table.cuh"
#include "../rows.cuh"
#include "runs.cuh"

#include <cuda_pipeline.h>

#include <algorithm>
#include <climits>

namespace spg
{

namespace
{

enum { THREADS = 256, WARPS = THREADS / 32, RESIDENT = 2 };
enum { SLOTS = 2 * SHIFTED_MOST, SLOTS_SHIFT = 32 - 9 };
static_assert(SLOTS == 1 << (32 - SLOTS_SHIFT), "of a hash");
enum { AT_ONCE = 4, CODES = SHIFTED_MOST_PRODUCTS + (AT_ONCE - 1) * SHIFTED_MOST };
enum { CHUNK = 8 }; /* entries of C that a warp does at a time */

/* A product: the byte offset of its value of A in the low bits, that of its value of B above. */
enum { A_BITS = 15 };
static_assert(SHIFTED_MOST_A <= 32, "a lane an entry of A");

/* Entry `lane` of the first row of A of a run. */
struct run_entry {
    int32_t column, b_begin;
    int length;   /* of its row of B */
    int base;     /* of that row's values in shared memory */
    int product;  /* number of its first product */
    bool goes_on; /* its rows of B are those of the entry before, except one */
};

/* Used while a run's codes are made; later the sums of a tile are stored here. */
struct making {
    int32_t keys[SLOTS], list[SHIFTED_MOST];
    uint16_t rank[SLOTS], slot[SHIFTED_MOST_PRODUCTS];
    unsigned int named[SHIFTED_MOST]; /* mask of entries of A that have a product there */
    int listed, warp_sums[WARPS];
};

template <typename Value> struct run_memory {
    uint32_t codes[CODES];
    union {
        making made;
        Value sums[WARPS][32 * (CHUNK + 1)];
    };
    int32_t columns[SHIFTED_MOST]; /* of the first row of C */
    uint32_t lists[SHIFTED_MOST];  /* where an entry's codes begin, in units of AT_ONCE, << COUNT_BITS | their number */
};
enum { COUNT_BITS = 8 };
static_assert(SHIFTED_MOST_A < 1 << COUNT_BITS, "they fit");

template <typename Value> constexpr int memory_bytes() { return ((int)sizeof(run_memory<Value>) + 127) / 128 * 128; }

/* A run: its rows of A and C; this lane's entry of A; the distance between rows of B in shared memory. */
struct run_place {
    shifted_run run;
    int32_t a_begin, a_length, c_begin, n;
    int pitch;
    run_entry entry;
};

/* Computed by every warp. */
__device__ run_place place_run(const patterns<int32_t> &pattern, const shifted_run &run)
{
    run_place place{run, pattern.a_offsets[run.first], 0, pattern.c_offsets[run.first], 0, 0, {}};
    place.a_length = pattern.a_offsets[run.first + 1] - place.a_begin;
    place.n = pattern.c_offsets[run.first + 1] - place.c_begin;
    run_entry &entry = place.entry;
    const int k = lane_in_warp();
    const bool is = k < place.a_length;
    entry.column = is ? pattern.a_columns[place.a_begin + k] : 0;
    const span<int32_t> b = is ? b_row(pattern, entry.column) : span<int32_t>{0, 0};
    const int32_t before = __shfl_up_sync(~0u, entry.column, 1);
    entry.b_begin = b.begin;
    entry.length = b.end - b.begin;
    entry.goes_on = is && k > 0 && entry.column == before + 1;
    entry.product = inclusive_scan(entry.length, plus{}) - entry.length;
    place.pitch = (int)__reduce_max_sync(~0u, (unsigned int)entry.length) | 1;
    entry.base = inclusive_scan(k == 0 || !is ? 0 : entry.goes_on ? place.pitch : run.tile_rows * place.pitch, plus{});
    return place;
}

template <typename Value> __device__ void copy_row(Value *to, const Value *from, int length)
{
    for (int q = lane_in_warp(); q < length; q += 32) __pipeline_memcpy_async(to + q, from + q, sizeof(Value));
}

/* Starts loads of the values of rows first, first + 1, ... of the run. The whole block calls it. */
template <typename Value>
__device__ void ask_for_values(const run_place &place, const numbers<Value> &number, int first, int rows, Value *a,
                               Value *b)
{
    const int warp = (int)threadIdx.x / 32, a_pitch = place.a_length | 1;
    for (int r = warp; r < rows; r += WARPS)
        copy_row(a + r * a_pitch, number.a_values + place.a_begin + (first + r) * place.a_length, place.a_length);
    unsigned int starts = __ballot_sync(~0u, lane_in_warp() < place.a_length && !place.entry.goes_on);
    while (starts != 0) {
        const int k = __ffs((int)starts) - 1;
        starts &= starts - 1;
        const int past = starts != 0 ? __ffs((int)starts) - 1 : place.a_length, all = rows + past - k - 1;
        const int length = __shfl_sync(~0u, place.entry.length, k);
        const Value *const from = number.b_values + __shfl_sync(~0u, place.entry.b_begin, k) + first * length;
        Value *const to = b + __shfl_sync(~0u, place.entry.base, k);
        for (int r = (warp + k) % WARPS; r < all; r += WARPS) copy_row(to + r * place.pitch, from + r * length, length);
    }
    __pipeline_commit();
}

/* The slot of a column; makes one if there is none. */
__device__ int slot_of(int32_t *keys, int32_t column)
{
    int slot = (int)((uint32_t)column * COLUMN_FACTOR >> SLOTS_SHIFT);
    while (true) {
        const int32_t found = atomicCAS(keys + slot, (int32_t)NO_COLUMN, column);
        if (found == NO_COLUMN || found == column) return slot;
        slot = (slot + 1) % SLOTS;
    }
}

/* Calls each(k, q, product number, place of its row of B) for every product of a row; a warp an entry of A. */
template <typename Each> __device__ void for_each_product(const run_place &place, Each &&each)
{
    for (int k = (int)threadIdx.x / 32; k < place.a_length; k += WARPS) {
        const int length = __shfl_sync(~0u, place.entry.length, k), first = __shfl_sync(~0u, place.entry.product, k);
        const int base = __shfl_sync(~0u, place.entry.base, k);
        const int32_t b_begin = __shfl_sync(~0u, place.entry.b_begin, k);
        for (int q = lane_in_warp(); q < length; q += 32) each(k, first + q, b_begin + q, base + q);
    }
}

/* Sorts the columns of the table and computes the slots' ranks. */
__device__ void rank_columns(making &made, int32_t *columns)
{
    constexpr int EACH = SLOTS / THREADS;
    const int lane = lane_in_warp();
    int32_t key[EACH];
    int rank[EACH];
#pragma unroll
    for (int e = 0; e < EACH; ++e) {
        key[e] = made.keys[e * THREADS + threadIdx.x];
        rank[e] = 0;
        const unsigned int some = __ballot_sync(~0u, key[e] != NO_COLUMN);
        int begin = 0;
        if (lane == 0 && some != 0) begin = atomicAdd(&made.listed, __popc(some));
        begin = __shfl_sync(~0u, begin, 0);
        if (key[e] != NO_COLUMN) made.list[begin + __popc(some & ((1u << lane) - 1))] = key[e];
    }
    __syncthreads();
    const int n = made.listed;
    if (threadIdx.x < (-n & 3)) made.list[n + threadIdx.x] = INT_MAX;
    __syncthreads();
    bool any = false;
#pragma unroll
    for (int e = 0; e < EACH; ++e) any = any || key[e] != NO_COLUMN;
    if (any) add_lesser(made.list, n, key, rank);
#pragma unroll
    for (int e = 0; e < EACH; ++e)
        if (key[e] != NO_COLUMN) columns[rank[e]] = key[e], made.rank[e * THREADS + threadIdx.x] = (uint16_t)rank[e];
    __syncthreads();
}

/* Computes where the codes of the n entries begin. */
template <typename Value> __device__ void place_codes(run_memory<Value> &memory, int n)
{
    const int e = (int)threadIdx.x, warp = e / 32;
    const int count = e < n ? __popc(memory.made.named[e]) : 0, units = (count + AT_ONCE - 1) / AT_ONCE;
    int all, begin = exclusive_scan(units, 0, plus{}, &all);
    if (lane_in_warp() == 0) memory.made.warp_sums[warp] = all;
    __syncthreads();
    for (int w = 0; w < warp; ++w) begin += memory.made.warp_sums[w];
    memory.lists[e] = (uint32_t)begin << COUNT_BITS | (uint32_t)count;
    __syncthreads();
}
static_assert((int)SHIFTED_MOST == (int)THREADS, "an entry a thread");

/* Makes the codes and columns of a run's first row. The whole block calls it, after clearing the table. */
template <typename Value>
__device__ void make_codes(const patterns<int32_t> &pattern, const run_place &place, run_memory<Value> &memory)
{
    making &made = memory.made;
    for_each_product(place, [&](int, int p, int32_t at, int) {
        made.slot[p] = (uint16_t)slot_of(made.keys, pattern.b_columns[at]);
    });
    __syncthreads();
    rank_columns(made, memory.columns);
    for_each_product(place, [&](int k, int p, int32_t, int) {
        const int e = made.rank[made.slot[p]];
        made.slot[p] = (uint16_t)e;
        atomicOr(&made.named[e], 1u << k);
    });
    __syncthreads();
    place_codes(memory, place.n);
    for_each_product(place, [&](int k, int p, int32_t, int to) {
        const int e = made.slot[p], before = __popc(made.named[e] & ((1u << k) - 1));
        memory.codes[(memory.lists[e] >> COUNT_BITS) * AT_ONCE + before] =
            (uint32_t)(k * (int)sizeof(Value)) | (uint32_t)(to * (int)sizeof(Value)) << A_BITS;
    });
}

/* Adds the first N products of four; a and b: this lane's row of the tile. */
template <int N, typename Value>
__device__ inline void add_products(const uint32_t (&code)[AT_ONCE], const char *a, const char *b, Value &sum)
{
    Value a_value[N], b_value[N];
#pragma unroll
    for (int u = 0; u < N; ++u) {
        a_value[u] = *reinterpret_cast<const Value *>(a + code[u] % (1u << A_BITS));
        b_value[u] = *reinterpret_cast<const Value *>(b + (code[u] >> A_BITS));
    }
#pragma unroll
    for (int u = 0; u < N; ++u) sum = add_product(sum, a_value[u], b_value[u]);
}

/* The sum of entry e of this lane's row. */
template <typename Value>
__device__ Value sum_entry(const run_memory<Value> &memory, int e, const char *a, const char *b)
{
    Value sum = zero<Value>();
    const uint32_t list = memory.lists[e];
    const uint4 *codes = reinterpret_cast<const uint4 *>(memory.codes) + (list >> COUNT_BITS);
    for (int left = (int)(list % (1u << COUNT_BITS)); left > 0; left -= AT_ONCE, ++codes) {
        const uint4 four = *codes;
        const uint32_t code[AT_ONCE] = {four.x, four.y, four.z, four.w};
        if (left >= 4)
            add_products<4>(code, a, b, sum);
        else if (left == 3)
            add_products<3>(code, a, b, sum);
        else if (left == 2)
            add_products<2>(code, a, b, sum);
        else
            add_products<1>(code, a, b, sum);
    }
    return sum;
}

/* Does rows first, first + 1, ... of the run, whose values have been loaded. The whole block calls it. */
template <typename Value>
__device__ void do_tile(const run_place &place, run_memory<Value> &memory, const numbers<Value> &number, int first,
                        int rows, const Value *a, const Value *b)
{
    const int warp = (int)threadIdx.x / 32, lane = lane_in_warp(), row = min(lane, rows - 1);
    Value *const sums = memory.sums[warp];
    const char *const a_row = reinterpret_cast<const char *>(a + row * (place.a_length | 1));
    const char *const b_row = reinterpret_cast<const char *>(b + row * place.pitch);
    for (int begin = warp * CHUNK; begin < place.n; begin += WARPS * CHUNK) {
        const int count = min(place.n - begin, (int)CHUNK);
        for (int x = 0; x < count; ++x) sums[lane * (CHUNK + 1) + x] = sum_entry(memory, begin + x, a_row, b_row);
        __syncwarp();
        const int x = lane % CHUNK;
        const int32_t column = x < count ? memory.columns[begin + x] + first : 0;
        for (int r = lane / CHUNK; r < rows && x < count; r += 32 / CHUNK) {
            const int at = place.c_begin + (first + r) * place.n + begin + x;
            number.c_columns[at] = column + r;
            number.c_values[at] = sums[r * (CHUNK + 1) + x];
        }
        __syncwarp();
    }
}

template <typename Value>
__global__ void __launch_bounds__(THREADS, RESIDENT)
    fill_runs_kernel(patterns<int32_t> pattern, numbers<Value> number, const shifted_run *runs, const uint32_t *count)
{
    extern __shared__ int4 shared[];
    auto &memory = *reinterpret_cast<run_memory<Value> *>(shared);
    Value *const a = reinterpret_cast<Value *>(reinterpret_cast<char *>(shared) + memory_bytes<Value>());
    for (uint32_t x = blockIdx.x; x < *count; x += gridDim.x) {
        const run_place place = place_run(pattern, runs[x]);
        const shifted_run &run = place.run;
        for (int s = (int)threadIdx.x; s < SLOTS; s += THREADS) memory.made.keys[s] = NO_COLUMN;
        memory.made.named[threadIdx.x] = 0;
        if (threadIdx.x == 0) memory.made.listed = 0;
        __syncthreads();
        Value *const b = a + run.tile_rows * (place.a_length | 1);
        for (int first = 0; first < run.rows; first += run.tile_rows) {
            const int rows = min(run.tile_rows, run.rows - first);
            ask_for_values(place, number, first, rows, a, b);
            if (first == 0) make_codes(pattern, place, memory);
            __pipeline_wait_prior(0);
            __syncthreads();
            do_tile(place, memory, number, first, rows, a, b);
            __syncthreads();
        }
    }
}

/* Codes address no more, whatever the device has. */
int dynamic_bytes(const cuda_product &product)
{
    const int there =
        std::min(product.cuda->multiprocessor_shared_bytes / RESIDENT - 1024, product.cuda->block_shared_bytes);
    return std::min(there, 1 << (32 - A_BITS));
}

} // namespace

int32_t shifted_room(const cuda_product &product)
{
    return with_common_value(product, [&](auto value) {
        using Value = decltype(value);
        return (int32_t)((dynamic_bytes(product) - memory_bytes<Value>()) / (int)sizeof(Value));
    });
}

spg_status fill_runs(cuda_product &product, const shifted_rows &rows)
{
    return with_common_value(product, [&](auto value) {
        using Value = decltype(value);
        const char *what = "filling, class shifted";
        auto *kernel = fill_runs_kernel<Value>;
        const spg_status status = allow_shared(product.context, what, kernel, product.cuda->block_shared_bytes);
        if (status != SPG_OK) return status;
        kernel<<<(unsigned int)(product.cuda->multiprocessors * RESIDENT), THREADS, dynamic_bytes(product),
                 product.cuda->stream>>>(patterns_of<int32_t>(product), numbers_of<Value>(product), rows.runs,
                                         rows.counts);
        return spg_cuda_check_launch(product.context, what);
    });
}

} // namespace spg
