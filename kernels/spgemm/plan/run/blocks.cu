/* Values of rows of block matrices by a plan: a thread computes an entry of C, or two neighbours, in several equal
 * rows.
 *
 * Input: windows of entries with their codes, the runs of A's entries that these name (plan/windows.cuh), and the
 * values of A and B. Output: the windows' values of C. As in plan/run/entries.cu, a block does a window, and a warp 32
 * entries with similar numbers of products. But a code stands for a run of A's entries in each of the rows, and if
 * columns come in pairs, for two entries of C. So each loaded value of A serves two products, and two neighbours of B,
 * loaded together, serve all rows. A's values are in shared memory run by run, in the order of use. Sums grow in
 * storage order, in registers. Chosen by plan/classes.cu. */
#include "../../../launch.cuh"
#include "../plan.cuh"

namespace spg
{

namespace
{

/* Ahead: pieces whose values of B are in flight together. Then the threads of a block, and the blocks for which
 * registers must leave room. With one row a thread, entries are few and long, and latency dominates; also with three
 * rows of six, because A's values leave room for few warps. (amg_bench, H100, an update of solid3d:40.) */
template <int Ahead> constexpr int threads_of = Ahead == 2 ? 128 : 96;
template <int Ahead, typename Value>
constexpr int LEAST_BLOCKS = sizeof(Value) > 8 ? (Ahead == 2 ? 3 : 4)
                             : Ahead > 2       ? 4
                             : Ahead == 2      ? 5
                                               : 8;

/* Neighbours in a row of B or C. */
template <int Width, typename Value>
struct alignas(Width * sizeof(Value) < 16 ? Width * sizeof(Value) : 16) neighbours {
    Value of[Width];
};

template <int Width, typename Value>
__device__ inline neighbours<Width, Value> load_neighbours(const Value *from, bool are_aligned)
{
    if (are_aligned) return *reinterpret_cast<const neighbours<Width, Value> *>(from);
    neighbours<Width, Value> values;
#pragma unroll
    for (int k = 0; k < Width; k++) values.of[k] = from[k];
    return values;
}

template <int Width, typename Value>
__device__ inline void store_neighbours(Value *to, const neighbours<Width, Value> &values, bool are_aligned)
{
    if (are_aligned) {
        *reinterpret_cast<neighbours<Width, Value> *>(to) = values;
        return;
    }
#pragma unroll
    for (int k = 0; k < Width; k++) to[k] = values.of[k];
}

/* A's values of one piece of a run, in the thread's rows. */
template <int Rows, typename Value> struct alignas(Rows > 1 ? 16 : sizeof(Value)) a_piece {
    Value of[piece_values(Rows, sizeof(Value))];
};

/* Code t of `count`, counted from the first one's word; `none` beyond the last. */
template <typename Code> __device__ inline Code code_at(const uint32_t *codes, int t, int count)
{
    if (t >= count) return code_form<Code>::none;
    if constexpr (sizeof(Code) == 2)
        return reinterpret_cast<const uint16_t *>(codes + t / 2 * PLAN_TILE)[t % 2];
    else if constexpr (sizeof(Code) == 4)
        return codes[t * PLAN_TILE];
    else
        return (Code)codes[2 * t * PLAN_TILE] | (Code)codes[(2 * t + 1) * PLAN_TILE] << 32;
}

/* The data for the sums of a window. */
template <typename Value> struct window_parts {
    const Value *a;      /* its runs, in shared memory */
    const uint2 *starts; /* by run: the begin and the length of its first row of B */
    const Value *b;
    int pitch; /* from a run of `a` to the next */
    int run_length;
    bool aligned;
};

/* One code's piece of a run, and the values of B for it. */
template <int Rows, int Width, typename Code, typename Value> struct run_piece {
    Code code;
    neighbours<Width, Value> b[PLAN_PIECE];

    __device__ void load(Code coded, int first, int shift, const window_parts<Value> &of)
    {
        code = coded;
        /* Replaces `none` by the first run, which exists. */
        const Code known = code == code_form<Code>::none ? (Code)0 : code;
        const uint2 start = of.starts[known >> shift];
        const uint32_t at = known & (((Code)1 << shift) - 1);
#pragma unroll
        for (int v = 0; v < PLAN_PIECE; v++) {
            const int64_t k = start.x + (int64_t)min(first + v, of.run_length - 1) * start.y + at;
            b[v] = load_neighbours<Width>(of.b + k * Width, of.aligned);
        }
    }
    __device__ void add(int first, int shift, const window_parts<Value> &of,
                        neighbours<Width, Value> (&sums)[Rows]) const
    {
        if (code == code_form<Code>::none) return;
        const Value *from = of.a + (int)(code >> shift) * of.pitch;
        if (first > 0) from += piece_values(Rows, sizeof(Value));
        const a_piece<Rows, Value> a = *reinterpret_cast<const a_piece<Rows, Value> *>(from);
#pragma unroll
        for (int v = 0; v < PLAN_PIECE; v++) {
            if (first + v >= of.run_length) continue;
#pragma unroll
            for (int j = 0; j < Rows; j++)
#pragma unroll
                for (int k = 0; k < Width; k++)
                    sums[j].of[k] = add_product(sums[j].of[k], a.of[v * Rows + j], b[v].of[k]);
        }
    }
};

/* The sums of an entry: its codes are `words` words, at a stride of the tile's width. Values of B are loaded while
 * earlier ones are added. */
template <int Ahead, int Rows, int Width, typename Code, typename Value>
__device__ inline void sum_runs(const uint32_t *codes, int words, int shift, const window_parts<Value> &of,
                                neighbours<Width, Value> (&sums)[Rows])
{
    constexpr int COUNT = Ahead;
    const int all = words * code_form<Code>::products / code_form<Code>::words;
    const int twice = of.run_length > PLAN_PIECE; /* a code has two pieces */
    Code next[COUNT];
    run_piece<Rows, Width, Code, Value> now[COUNT], after[COUNT];
#pragma unroll
    for (int u = 0; u < COUNT; u++) {
        const Code code = code_at<Code>(codes, u >> twice, all);
        after[u].load(code, (u & twice) * PLAN_PIECE, shift, of);
    }
#pragma unroll
    for (int u = 0; u < COUNT; u++) next[u] = code_at<Code>(codes, (COUNT + u) >> twice, all);
    for (int t = 0; t < all << twice; t += COUNT) {
#pragma unroll
        for (int u = 0; u < COUNT; u++) now[u] = after[u];
#pragma unroll
        for (int u = 0; u < COUNT; u++)
            if (t + COUNT < all << twice) after[u].load(next[u], ((t + COUNT + u) & twice) * PLAN_PIECE, shift, of);
#pragma unroll
        for (int u = 0; u < COUNT; u++) next[u] = code_at<Code>(codes, (t + 2 * COUNT + u) >> twice, all);
#pragma unroll
        for (int u = 0; u < COUNT; u++) now[u].add(((t + u) & twice) * PLAN_PIECE, shift, of, sums);
    }
}

/* The same, if A's runs did not fit in shared memory. */
template <int Rows, int Width, typename Value>
__device__ inline void sum_unstaged_runs(const plan_windows &of, const plan_window &window, const uint32_t *codes,
                                         int words, int row, const Value *a_values, const Value *b_values,
                                         neighbours<Width, Value> (&sums)[Rows])
{
    const int last = min(Rows, of.equal_rows - row) - 1;
    const int all = window.code_bytes == 2 ? 2 * words : window.code_bytes == 4 ? words : words / 2;
    for (int t = 0; t < all; t++) {
        uint64_t code = 0;
        bool is_none = false;
        if (window.code_bytes == 2)
            code = code_at<uint16_t>(codes, t, all), is_none = code == UINT16_MAX;
        else if (window.code_bytes == 4)
            code = code_at<uint32_t>(codes, t, all), is_none = code == UINT32_MAX;
        else
            code = code_at<uint64_t>(codes, t, all), is_none = code == UINT64_MAX;
        if (is_none) continue;
        const plan_run run = of.runs[window.a_begin + (int64_t)(code >> window.shift)];
        const uint64_t at = code & (((uint64_t)1 << window.shift) - 1);
        const Value *a = a_values + run.a_begin + (int64_t)row * run.a_length;
        for (int v = 0; v < of.run_length; v++) {
            const int64_t k = (int64_t)(run.b_begin + (uint64_t)v * run.b_length + at);
            const neighbours<Width, Value> b = load_neighbours<Width>(b_values + k * Width, false);
#pragma unroll
            for (int j = 0; j < Rows; j++)
#pragma unroll
                for (int u = 0; u < Width; u++)
                    sums[j].of[u] = add_product(sums[j].of[u], a[(int64_t)min(j, last) * run.a_length + v], b.of[u]);
        }
    }
}

/* Prefetches all codes of the window's first tiles while A is staged. */
template <int THREADS>
__device__ inline void prefetch_all_codes(const plan_window &window, const uint32_t *tile_begins, int tiles)
{
    const int lines = (int)(((int64_t)tile_begins[tiles] * PLAN_TILE + 31) / 32);
    for (int k = threadIdx.x; k < lines; k += THREADS)
        asm volatile("prefetch.global.L2 [%0];" ::"l"(window.codes + (int64_t)k * 32));
}

/* Stages A's values of the window's runs, in the block's rows, which begin at `row` of the equal ones, and where the
 * runs' rows of B begin. */
template <int THREADS, int Rows, typename Value>
__device__ inline void stage_runs(const plan_windows &of, const plan_window &window, int row, const Value *a_values,
                                  Value *staged_a, uint2 *staged_starts)
{
    const plan_run *runs = of.runs + window.a_begin;
    const uint32_t inverse =
        UINT32_MAX / (uint32_t)of.run_length + 1; /* exact for everything that fits in shared memory */
    const int last = min(Rows, of.equal_rows - row) - 1;
    constexpr int PIECE = piece_values(Rows, sizeof(Value));
    for (int e = threadIdx.x; e < window.staged_count * of.run_length; e += THREADS) {
        const int r = (int)__umulhi((uint32_t)e, inverse), v = e - r * of.run_length;
        const plan_run run = runs[r];
        const Value *from = a_values + run.a_begin + (int64_t)row * run.a_length + v;
        Value *to = staged_a + r * of.pitch + v * Rows;
        if (v >= PLAN_PIECE) to += PIECE - PLAN_PIECE * Rows;
#pragma unroll
        for (int j = 0; j < Rows; j++) to[j] = from[(int64_t)min(j, last) * run.a_length];
        if (v == 0) staged_starts[r] = make_uint2(run.b_begin, run.b_length);
    }
}

template <int Ahead, int Rows, int Width, typename Value>
__global__ void __launch_bounds__(threads_of<Ahead>, (LEAST_BLOCKS<Ahead, Value>))
    plan_blocks_kernel(plan_windows of, bool are_aligned, const int32_t *symmetric, const Value *__restrict__ a_values,
                       const Value *__restrict__ b_values, Value *__restrict__ c_values, bool may_overlap)
{
    wait_and_trigger(may_overlap);
    extern __shared__ __align__(16) unsigned char shared[];
    __shared__ int next_tile;
    uint2 *staged_starts = reinterpret_cast<uint2 *>(shared);
    Value *staged_a = reinterpret_cast<Value *>(staged_starts + of.most_staged);
    const int64_t w = of.order != nullptr ? of.order[blockIdx.x] : blockIdx.x;
    const plan_window window = of.windows[w];
    const int count = skips_below(symmetric) ? window.upper : window.count;
    if (count == 0) return;
    const uint32_t *tile_begins = of.tile_begins + w * (PLAN_WINDOW_TILES + 1);
    const int tiles = (count + PLAN_TILE - 1) / PLAN_TILE;
    const int row = (int)blockIdx.y * Rows, rows = min(Rows, of.equal_rows - row), lane = threadIdx.x % 32;
    prefetch_all_codes<threads_of<Ahead>>(window, tile_begins, tiles);
    if (threadIdx.x == 0) next_tile = threads_of<Ahead> / 32;
    stage_runs<threads_of<Ahead>, Rows>(of, window, row, a_values, staged_a, staged_starts);
    __syncthreads();
    const window_parts<Value> parts = {staged_a, staged_starts, b_values, of.pitch, of.run_length, are_aligned};
    for (int tile = threadIdx.x / 32; tile < tiles;) {
        const int at = tile * PLAN_TILE + lane;
        if (at < count) {
            const uint32_t begin = tile_begins[tile];
            const int words = (int)(tile_begins[tile + 1] - begin);
            const uint32_t *codes = window.codes + (int64_t)begin * PLAN_TILE + lane;
            neighbours<Width, Value> sums[Rows] = {};
            if (window.staged_count == 0)
                sum_unstaged_runs<Rows, Width>(of, window, codes, words, row, a_values, b_values, sums);
            else if (window.code_bytes == 2)
                sum_runs<Ahead, Rows, Width, uint16_t>(codes, words, window.shift, parts, sums);
            else
                sum_runs<Ahead, Rows, Width, uint32_t>(codes, words, window.shift, parts, sums);
            const int place = window.order == PLAN_ORDER_KEPT ? at : of.places[w * of.width + at];
            const int64_t stride = (int64_t)(of.strides[w * of.width + at] >> 16);
            Value *c = c_values + (window.c_begin + place) * Width + row * stride;
#pragma unroll
            for (int j = 0; j < Rows; j++)
                if (j < rows) store_neighbours(c + j * stride, sums[j], are_aligned);
        }
        __syncwarp();
        if (lane == 0) tile = atomicAdd(&next_tile, 1);
        tile = __shfl_sync(~0u, tile, 0);
    }
}

template <int Ahead, int Rows, int Width, typename Value>
spg_status launch(spg_context *context, cudaStream_t stream, const plan_windows &windows, const plan_values &values)
{
    const size_t bytes = (size_t)windows.most_staged * (windows.pitch * sizeof(Value) + sizeof(uint2));
    const uintptr_t places = reinterpret_cast<uintptr_t>(values.b) | reinterpret_cast<uintptr_t>(values.c);
    const bool are_aligned = places % alignof(neighbours<Width, Value>) == 0;
    const unsigned int parts = (unsigned int)((windows.equal_rows + Rows - 1) / Rows);
    return launch_programmatic(context, stream, "a plan's blocks", dim3((unsigned int)windows.count, parts),
                               threads_of<Ahead>, bytes, plan_blocks_kernel<Ahead, Rows, Width, Value>, windows,
                               are_aligned, values.symmetric, static_cast<const Value *>(values.a),
                               static_cast<const Value *>(values.b), static_cast<Value *>(values.c),
                               values.may_overlap);
}

template <int Width, typename Value>
spg_status launch_rows(spg_context *context, cudaStream_t stream, const plan_windows &windows,
                       const plan_values &values)
{
    if (windows.rows_per_thread == 1) return launch<4, 1, Width, Value>(context, stream, windows, values);
    return windows.equal_rows > PLAN_BLOCK_ROWS
               ? launch<2, PLAN_BLOCK_ROWS, Width, Value>(context, stream, windows, values)
               : launch<1, PLAN_BLOCK_ROWS, Width, Value>(context, stream, windows, values);
}

} // namespace

spg_status run_blocks(spg_context *context, cudaStream_t stream, const plan_windows &windows, const plan_values &values)
{
    return with_value_type(values.type, [&](auto value) {
        using Value = decltype(value);
        return windows.entry_width == 1 ? launch_rows<1, Value>(context, stream, windows, values)
                                        : launch_rows<2, Value>(context, stream, windows, values);
    });
}

} // namespace spg
