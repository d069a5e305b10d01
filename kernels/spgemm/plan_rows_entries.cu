/* Numbers of rows of C by a plan: a thread an entry.
 *
 * Input: windows of entries with their codes (plan.cuh) and the values of A and B. Output: the windows' values of C.
 * A block does a window, a warp 32 entries of about as many products each; a thread adds the products of its entry in
 * storage order, in a register. The values and references of the window's part of A lie in shared memory where they
 * fit, for neighbouring lanes want them from everywhere in it; sums of sorted windows pass through it to be written
 * side by side. Chosen by plan_classes.cu. */
#include "plan.cuh"

namespace spg
{

namespace
{

/* LEAST_BLOCKS leaves registers for the products that are on their way at once. */
enum { THREADS = 256, LEAST_BLOCKS = 5, WARPS = THREADS / 32, PRODUCTS_AT_ONCE = 4 };

/* Codes of 2, 4 or 8 bytes: words of a product, products of a word, and what stands for none. */
template <typename Code> struct code_form {
    static constexpr int words = sizeof(Code) == 8 ? 2 : 1, products = sizeof(Code) == 2 ? 2 : 1;
    static constexpr Code none = (Code) ~(Code)0;
};

template <int Words> __device__ inline void load_words(uint32_t (&words)[Words], const uint32_t *codes, int left)
{
#pragma unroll
    for (int u = 0; u < Words; u++) words[u] = u < left ? __ldcs(codes + u * 32) : ~0u;
}

/* The sum of one entry: its codes are `words` words, 32 apart. */
template <typename Code, typename Start, typename Value>
__device__ inline Value sum_entry(const uint32_t *codes, int words, int shift, const Value *a, const Start *b_begins,
                                  const Value *__restrict__ b_values)
{
    using form = code_form<Code>;
    constexpr int COUNT = PRODUCTS_AT_ONCE, WORDS = COUNT * form::words / form::products;
    const Code mask = (Code)(((Code)1 << shift) - 1);
    Value sum = zero<Value>();
    uint32_t next[WORDS];
    load_words(next, codes, words);
    for (int w = 0; w < words; w += WORDS) {
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
        load_words(next, codes, words - w - WORDS);
        Start start[COUNT];
        Value a_value[COUNT], b_value[COUNT];
#pragma unroll
        for (int u = 0; u < COUNT; u++) {
            /* In place of none: the first entry, which is there. */
            const Code known = code[u] == form::none ? (Code)0 : code[u];
            a_value[u] = a[known >> shift];
            start[u] = b_begins[known >> shift] + (Start)(known & mask);
        }
#pragma unroll
        for (int u = 0; u < COUNT; u++) {
            b_value[u] = b_values[start[u]];
        }
#pragma unroll
        for (int u = 0; u < COUNT; u++) {
            const Value more = add_product(sum, a_value[u], b_value[u]);
            if (code[u] != form::none) sum = more;
        }
    }
    return sum;
}

template <typename Start, typename Value>
__device__ inline Value sum_any(int code_bytes, const uint32_t *codes, int words, int shift, const Value *a,
                                const Start *b_begins, const Value *b_values)
{
    if (code_bytes == 2) return sum_entry<uint16_t>(codes, words, shift, a, b_begins, b_values);
    if (code_bytes == 4) return sum_entry<uint32_t>(codes, words, shift, a, b_begins, b_values);
    return sum_entry<uint64_t>(codes, words, shift, a, b_begins, b_values);
}

template <typename Start, typename Value>
__device__ inline void sum_window(const plan_window &window, const uint32_t *tile_begins, const uint16_t *places,
                                  const Value *a, const Start *b_begins, const Value *b_values, Value *out,
                                  Value *c_values)
{
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, tiles = (window.count + 31) / 32;
    for (int k = 0; k < tiles; k += WARPS) {
        /* Back and forth, as tiles get shorter. */
        const int tile = k / WARPS % 2 == 0 ? k + warp : k + WARPS - 1 - warp, at = tile * 32 + lane;
        if (at >= window.count) continue;
        const uint32_t begin = tile_begins[tile];
        const int words = (int)(tile_begins[tile + 1] - begin);
        const uint32_t *codes = window.codes + (int64_t)begin * 32 + lane;
        const Value sum = sum_any(window.code_bytes, codes, words, window.shift, a, b_begins, b_values);
        const int place = window.order == PLAN_ORDER_KEPT ? at : places[at];
        if (window.order == PLAN_ORDER_SORTED)
            out[place] = sum;
        else
            c_values[window.c_begin + place] = sum;
    }
}

template <typename Start, typename Value>
__global__ void __launch_bounds__(THREADS, LEAST_BLOCKS)
    plan_entries_kernel(plan_windows of, const Value *__restrict__ a_values, const Value *__restrict__ b_values,
                        Value *__restrict__ c_values)
{
    extern __shared__ __align__(16) unsigned char shared[];
    Value *out = reinterpret_cast<Value *>(shared), *near_a = out + PLAN_WINDOW;
    Start *near_begins = reinterpret_cast<Start *>(near_a + of.near_most);
    const plan_window window = of.windows[blockIdx.x];
    const uint32_t *tile_begins = of.tile_begins + (int64_t)blockIdx.x * (PLAN_WINDOW_TILES + 1);
    const uint16_t *places = of.places + (int64_t)blockIdx.x * PLAN_WINDOW;
    const Value *a = a_values + window.a_begin;
    const Start *b_begins = static_cast<const Start *>(of.b_begins) + window.a_begin;
    if (window.near_count > 0) {
        for (int e = threadIdx.x; e < window.near_count; e += THREADS) {
            near_a[e] = a[e];
            near_begins[e] = b_begins[e];
        }
        __syncthreads();
        sum_window(window, tile_begins, places, near_a, near_begins, b_values, out, c_values);
    } else {
        sum_window(window, tile_begins, places, a, b_begins, b_values, out, c_values);
    }
    if (window.order != PLAN_ORDER_SORTED) return;
    __syncthreads();
    for (int s = threadIdx.x; s < window.count; s += THREADS) c_values[window.c_begin + s] = out[s];
}

template <typename Start, typename Value>
spg_status launch(spg_context *context, const plan_windows &windows, const void *a_values, const void *b_values,
                  void *c_values)
{
    const size_t bytes = PLAN_WINDOW * sizeof(Value) + (size_t)windows.near_most * (sizeof(Value) + sizeof(Start));
    plan_entries_kernel<Start, Value><<<(unsigned int)windows.count, THREADS, bytes, spg_cuda_of(context)->stream>>>(
        windows, static_cast<const Value *>(a_values), static_cast<const Value *>(b_values),
        static_cast<Value *>(c_values));
    return spg_cuda_check_launch(context, "a plan's entries");
}

} // namespace

spg_status run_windows(spg_context *context, const plan_windows &windows, spg_type type, const void *a_values,
                       const void *b_values, void *c_values)
{
    if (windows.count == 0) return SPG_OK;
    return with_value_type(type, [&](auto value) {
        using Value = decltype(value);
        return windows.narrow ? launch<uint32_t, Value>(context, windows, a_values, b_values, c_values)
                              : launch<int64_t, Value>(context, windows, a_values, b_values, c_values);
    });
}

} // namespace spg
