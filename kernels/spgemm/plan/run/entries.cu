/* Values of rows of C by a plan: a thread an entry.
 *
 * Input: windows of entries with their codes (plan/plan.cuh) and the values of A and B. Output: the windows' values of
 * C. A block does a window, a warp 32 entries with similar numbers of products. A thread adds the products of its entry
 * in storage order, in a register. The values and references of the window's part of A are in shared memory if they
 * fit, because neighbouring lanes need them from everywhere in it. Sums of sorted windows pass through shared memory,
 * so that writes are coalesced. If rows of A have the same columns, a thread does their entries together, with one code
 * and one value of B for all. The first blocks do long entries, a warp each. Chosen by plan/classes.cu. */
#include "../../../launch.cuh"
#include "../../../primitives/warp.cuh"
#include "../plan.cuh"

namespace spg
{

namespace
{

/* LEAST_BLOCKS leaves registers for the products in flight (spgemm_bench, H100: 4 to 7 tried). With equal rows done
 * together, a third of a window has entries of leaders: six tiles. */
enum { PRODUCTS_AT_ONCE = 4 };
template <typename Value> constexpr int LONG_AT_ONCE = sizeof(Value) <= 8 ? 4 : 2;
template <int Rows> constexpr int threads_of = Rows > 1 ? 192 : 256;
template <int Rows, typename Value> constexpr int LEAST_BLOCKS = Rows == 1 && sizeof(Value) <= 8 ? 6 : 5;

template <int Words> __device__ inline void load_words(uint32_t (&words)[Words], const uint32_t *codes, int left)
{
#pragma unroll
    for (int u = 0; u < Words; u++) words[u] = u < left ? __ldcs(codes + u * 32) : ~0u;
}

/* The data for the sums of one entry and of those of equal rows. */
template <typename Value> struct entry_data {
    const uint32_t *codes; /* 32 words apart */
    int words, shift;
    int stride, equal_rows; /* from a row's values of A to those of the next */
    const Value *a;         /* of the window; also b_begins */
    const uint32_t *b_begins;
    const Value *b_values;
};

template <bool Direct, typename Code, int COUNT, int Rows, typename Value>
__device__ inline void sum_entry(const entry_data<Value> &of, Value (&sums)[Rows])
{
    const uint32_t *codes = of.codes;
    using form = code_form<Code>;
    constexpr int WORDS = COUNT * form::words / form::products;
    const Code mask = (Code)(((Code)1 << of.shift) - 1);
    uint32_t next[WORDS];
    load_words(next, codes, of.words);
    for (int w = 0; w < of.words; w += WORDS) {
        Code code[COUNT];
#pragma unroll
        for (int u = 0; u < COUNT; u++) {
            if constexpr (sizeof(Code) == 2)
                code[u] = (Code)(next[u / 2] >> (16 * (u % 2)));
            else if constexpr (sizeof(Code) == 4)
                code[u] = next[u];
            else
                code[u] = (Code)next[2 * u] | (Code)next[2 * u + 1] << 32;
        }
        codes += WORDS * 32;
        load_words(next, codes, of.words - w - WORDS);
        uint32_t start[COUNT];
        Value a_value[COUNT][Rows], b_value[COUNT];
#pragma unroll
        for (int u = 0; u < COUNT; u++) {
            /* Replaces `none` by the first entry, which exists. */
            const Code known = code[u] == form::none ? (Code)0 : code[u];
            const Value *first = of.a + (known >> of.shift);
            start[u] = (uint32_t)(known & mask);
            if (!Direct) start[u] += of.b_begins[known >> of.shift];
#pragma unroll
            for (int j = 0; j < Rows; j++) a_value[u][j] = first[min(j, of.equal_rows - 1) * of.stride];
        }
#pragma unroll
        for (int u = 0; u < COUNT; u++) b_value[u] = of.b_values[start[u]];
#pragma unroll
        for (int u = 0; u < COUNT; u++) {
#pragma unroll
            for (int j = 0; j < Rows; j++) {
                const Value more = add_product(sums[j], a_value[u][j], b_value[u]);
                if (code[u] != form::none) sums[j] = more;
            }
        }
    }
}

/* For tiles of one or two products, makes room for no more. */
template <bool Direct, typename Code, int Rows, typename Value>
__device__ inline void sum_some(const entry_data<Value> &of, Value (&sums)[Rows])
{
    constexpr int COUNT = sizeof(Value) * Rows > 24 ? 2 : PRODUCTS_AT_ONCE, FEW = sizeof(Code) == 4 ? 1 : 2;
    if (of.words <= FEW * code_form<Code>::words / code_form<Code>::products)
        sum_entry<Direct, Code, FEW>(of, sums);
    else
        sum_entry<Direct, Code, COUNT>(of, sums);
}

template <int Rows, typename Value>
__device__ inline void sum_any(const plan_window &window, const entry_data<Value> &of, Value (&sums)[Rows])
{
    if (window.direct)
        sum_some<true, uint32_t>(of, sums);
    else if (window.code_bytes == 2)
        sum_some<false, uint16_t>(of, sums);
    else if (window.code_bytes == 4)
        sum_some<false, uint32_t>(of, sums);
    else
        sum_some<false, uint64_t>(of, sums);
}

/* The lists of all windows, as used for one. */
struct window_lists {
    const uint32_t *tile_begins, *strides;
    const uint16_t *places;
    int equal_rows;
};

/* Whether sums pass through shared memory: every entry between the first and the last is in the window. */
__device__ inline bool is_gathered(const plan_window &window, int count)
{
    return window.order == PLAN_ORDER_SORTED && count == window.count;
}

/* Sums the first `count` entries of the window. */
template <int Rows, typename Value>
__device__ inline void sum_window(const plan_window &window, int count, const window_lists &lists, const Value *a,
                                  const uint32_t *b_begins, const Value *b_values, Value *out, Value *c_values)
{
    constexpr int WARPS = threads_of<Rows> / 32;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, tiles = (count + 31) / 32;
    for (int k = 0; k < tiles; k += WARPS) {
        /* Back and forth, because tiles get shorter. */
        const int tile = k / WARPS % 2 == 0 ? k + warp : k + WARPS - 1 - warp, at = tile * 32 + lane;
        if (at >= count) continue;
        const uint32_t begin = lists.tile_begins[tile], stride = Rows > 1 ? lists.strides[at] : 0;
        const entry_data<Value> data = {window.codes + (int64_t)begin * 32 + lane,
                                        (int)(lists.tile_begins[tile + 1] - begin),
                                        window.shift,
                                        (int)(stride & 0xffff),
                                        lists.equal_rows,
                                        a,
                                        b_begins,
                                        b_values};
        Value sums[Rows];
#pragma unroll
        for (int j = 0; j < Rows; j++) sums[j] = zero<Value>();
        sum_any(window, data, sums);
        const int place = window.order == PLAN_ORDER_KEPT ? at : lists.places[at];
        if (Rows == 1 && is_gathered(window, count)) {
            out[place] = sums[0];
            continue;
        }
        Value *c = c_values + window.c_begin + place;
        c[0] = sums[0];
#pragma unroll
        for (int j = 1; j < Rows; j++)
            if (stride != 0 && j < lists.equal_rows) c[(int64_t)j * (stride >> 16)] = sums[j];
    }
}

/* Prefetches the first codes of this warp's first two tiles while A is staged. */
template <int THREADS>
__device__ inline void prefetch_codes(const plan_window &window, int count, const window_lists &lists)
{
    const int lane = threadIdx.x % 32;
    if (lane >= 2) return;
    const int tile = lane == 0 ? threadIdx.x / 32 : 2 * THREADS / 32 - 1 - threadIdx.x / 32;
    if (tile * 32 >= count) return;
    asm volatile("prefetch.global.L2 [%0];" ::"l"(window.codes + (int64_t)lists.tile_begins[tile] * 32));
}

/* 32 * LONG_AT_ONCE products at a time: a lane multiplies some, and all lanes add all of them, in storage order. */
template <typename Value>
__device__ inline void sum_long_entry(const plan_long_entry &entry, const Value *a_values, const Value *b_values,
                                      Value *c_values)
{
    const int lane = threadIdx.x % 32;
    const Value *a = a_values + entry.a_begin;
    Value sum = zero<Value>();
    for (int64_t first = 0; first < entry.count; first += 32 * LONG_AT_ONCE<Value>) {
        Value product[LONG_AT_ONCE<Value>];
#pragma unroll
        for (int u = 0; u < LONG_AT_ONCE<Value>; u++) {
            const int64_t k = min(first + u * 32 + lane, (int64_t)entry.count - 1);
            const uint2 at = entry.products[k];
            product[u] = multiply(a[at.x], b_values[at.y]);
        }
#pragma unroll
        for (int u = 0; u < LONG_AT_ONCE<Value>; u++) {
            const int count = (int)min(entry.count - first - u * 32, (int64_t)32);
#pragma unroll 8
            for (int from = 0; from < count; from++) sum = add(sum, from_lane(product[u], from));
        }
    }
    if (lane == 0) c_values[entry.c_at] = sum;
}

template <int Rows, typename Value>
__global__ void __launch_bounds__(threads_of<Rows>, (LEAST_BLOCKS<Rows, Value>))
    plan_entries_kernel(plan_windows of, unsigned int long_blocks, const int32_t *symmetric,
                        const Value *__restrict__ a_values, const Value *__restrict__ b_values,
                        Value *__restrict__ c_values, bool may_overlap)
{
    constexpr int THREADS = threads_of<Rows>;
    wait_and_trigger(may_overlap);
    const bool leaves = skips_below(symmetric);
    if (blockIdx.x < long_blocks) {
        const int64_t at = (int64_t)blockIdx.x * (THREADS / 32) + threadIdx.x / 32;
        if (at < of.long_count && !(leaves && of.long_entries[at].below))
            sum_long_entry(of.long_entries[at], a_values, b_values, c_values);
        return;
    }
    /* If rows go together, only A's values are staged, and C's are written directly. */
    constexpr bool GATHERS = Rows == 1;
    extern __shared__ __align__(16) unsigned char shared[];
    Value *out = reinterpret_cast<Value *>(shared), *staged_a = out + (GATHERS ? PLAN_WINDOW : 0);
    uint32_t *staged_begins = reinterpret_cast<uint32_t *>(staged_a + of.most_staged);
    const int64_t at = blockIdx.x - long_blocks, w = of.order != nullptr ? of.order[at] : at;
    const plan_window window = of.windows[w];
    const int count = leaves ? window.upper : window.count;
    if (count == 0) return;
    const window_lists lists = {of.tile_begins + w * (PLAN_WINDOW_TILES + 1),
                                Rows > 1 ? of.strides + w * of.width : nullptr, of.places + w * of.width,
                                of.equal_rows};
    const Value *a = a_values + window.a_begin;
    const uint32_t *b_begins = of.b_begins + window.a_begin;
    prefetch_codes<THREADS>(window, count, lists);
    if (window.staged_count > 0) {
        for (int e = threadIdx.x; e < window.staged_count; e += THREADS) {
            staged_a[e] = a[e];
            if (GATHERS && !window.direct) staged_begins[e] = b_begins[e];
        }
        __syncthreads();
        sum_window<Rows>(window, count, lists, staged_a, GATHERS ? staged_begins : b_begins, b_values, out, c_values);
    } else {
        sum_window<Rows>(window, count, lists, a, b_begins, b_values, out, c_values);
    }
    if (!GATHERS || !is_gathered(window, count)) return;
    __syncthreads();
    for (int s = threadIdx.x; s < count; s += THREADS) c_values[window.c_begin + s] = out[s];
}

template <int Rows, typename Value>
spg_status launch(spg_context *context, cudaStream_t stream, const plan_windows &windows, const plan_values &values)
{
    constexpr int THREADS = threads_of<Rows>, WARPS = THREADS / 32;
    const size_t bytes = (Rows == 1 ? PLAN_WINDOW * sizeof(Value) : 0) +
                         (size_t)windows.most_staged * (sizeof(Value) + (Rows == 1 ? sizeof(uint32_t) : 0));
    const unsigned int long_blocks = (unsigned int)((windows.long_count + WARPS - 1) / WARPS);
    return launch_programmatic(context, stream, "a plan's entries", long_blocks + (unsigned int)windows.count, THREADS,
                               bytes, plan_entries_kernel<Rows, Value>, windows, long_blocks, values.symmetric,
                               static_cast<const Value *>(values.a), static_cast<const Value *>(values.b),
                               static_cast<Value *>(values.c), values.may_overlap);
}

} // namespace

spg_status run_windows(spg_context *context, cudaStream_t stream, const plan_windows &windows,
                       const plan_values &values)
{
    if (windows.run_length > 1) return windows.count > 0 ? run_blocks(context, stream, windows, values) : SPG_OK;
    return with_value_type(values.type, [&](auto value) {
        using Value = decltype(value);
        return windows.equal_rows == 1 ? launch<1, Value>(context, stream, windows, values)
                                       : launch<PLAN_MOST_EQUAL_ROWS, Value>(context, stream, windows, values);
    });
}

} // namespace spg
