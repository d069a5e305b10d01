/* Method merge, filling pass: a thread merges the rows of B that its row of A names, with their heads in registers.
 *
 * Input: A, B and C's row offsets; rows of A up to FILL_MERGE_MOST_A entries. Output: columns and values. Invariant:
 * each head is the first column of its row of B that is not taken yet, so the least head is the next column of C. Heads
 * equal to it give their products in the order of A's row, which is storage order because no row of B has a column
 * twice. Nothing is searched or sorted, and rows of C may have any length.
 *
 * CHUNK entries of every row of a warp are staged in shared memory and written in order. A merge returns to its rows of
 * B until it ends, so speed depends on how many of them L1 holds. If they are long or scattered, few rows are active at
 * a time, neighbours on one multiprocessor. Chosen by product_fill.cu for products with short rows. No counterpart in
 * the paper. */
#include "../../launch.cuh"
#include "../driver/staged_rows.cuh"
#include "heads.cuh"

namespace spg
{

namespace
{

/* Threads of a block, and whether a multiprocessor has only one block, which loops over tiles of rows with a stride of
 * the grid (spgemm_bench, H100, the filling pass: tri2d A*P 0.16 ms with one of 512 threads, 0.19 with any number;
 * tri2d A*A 0.57 with one of 320, 0.61 with one of 384; fe2d9 A*A 0.50 with one of 384, 0.44 with any number, where
 * registers allow one at a time; fd3d7 A*P 0.13 with 256, 0.14 with 128 or 768). */
struct fill_shape {
    int threads;
    bool one;
};
constexpr fill_shape SHAPE{256, false}, SCATTERED_SHAPE{512, true};
constexpr fill_shape LONG_B_SHAPE{384, false}, LONG_B_SCATTERED_SHAPE{320, true};

/* Launch bounds, which bound the registers: FEW_THREADS gives each thread more of them, MANY_THREADS is for rows of B
 * that are neither long nor scattered. */
enum { FEW_THREADS = 512, MANY_THREADS = 768 };

/* The rows of B that a thread merges, and the entries of A that name them. */
template <int HEADS, typename Offset, typename Value> struct merged_rows {
    uint32_t heads[HEADS];
    Offset at[HEADS], end[HEADS];
    Value a[HEADS];
};

template <int HEADS, typename Offset, typename Value>
__device__ inline void begin_rows(const patterns<Offset> &pattern, const numbers<Value> &number, span<Offset> a,
                                  merged_rows<HEADS, Offset, Value> &rows)
{
    const int length = (int)(a.end - a.begin);
    int32_t columns[HEADS];
#pragma unroll
    for (int k = 0; k < HEADS; ++k) columns[k] = load_if(k < length, pattern.a_columns + a.begin + k, 0);
#pragma unroll
    for (int k = 0; k < HEADS; ++k) {
        rows.at[k] = load_if(k < length, pattern.b_offsets + columns[k], 0);
        rows.end[k] = load_if(k < length, pattern.b_offsets + columns[k] + 1, 0);
        if constexpr (has_values<Value>) rows.a[k] = value_if(k < length, number.a_values + a.begin + k);
    }
#pragma unroll
    for (int k = 0; k < HEADS; ++k)
        rows.heads[k] = (uint32_t)load_if(rows.at[k] < rows.end[k], pattern.b_columns + rows.at[k], (int32_t)NO_HEAD);
}

/* The sum of the products whose heads equal `column`; these heads advance. */
template <int HEADS, typename Offset, typename Value>
__device__ inline Value take_column(const patterns<Offset> &pattern, const numbers<Value> &number,
                                    merged_rows<HEADS, Offset, Value> &rows, uint32_t column)
{
    uint32_t taken = 0;
    Value b[HEADS], sum{};
#pragma unroll
    for (int k = 0; k < HEADS; ++k) {
        const bool takes = rows.heads[k] == column;
        if constexpr (has_values<Value>) b[k] = value_if(takes, number.b_values + rows.at[k]);
        taken |= takes ? 1u << k : 0u;
        step_if_taken(rows.heads[k], rows.at[k], rows.end[k], column, pattern.b_columns);
    }
    if constexpr (has_values<Value>)
#pragma unroll
        for (int k = 0; k < HEADS; ++k)
            if (taken >> k & 1) sum = add_product(sum, rows.a[k], b[k]);
    return sum;
}

/* Fills a warp's rows; the lane's own is row i. */
template <int HEADS, typename Offset, typename Value>
__device__ inline void fill_rows(const patterns<Offset> &pattern, const numbers<Value> &number, uint32_t i,
                                 staged_entries<Value> &staged)
{
    const uint32_t rows = (uint32_t)pattern.rows;
    const Offset c_begin = pattern.c_offsets[min(i, rows)], c_end = pattern.c_offsets[min(i + 1, rows)];
    const Offset begin = __shfl_sync(~0u, c_begin, 0);
    const int n = (int)(c_end - c_begin), longest = __reduce_max_sync(~0u, n);
    span<Offset> a{0, 0};
    if (i < rows) a = a_row(pattern, (int32_t)i);
    merged_rows<HEADS, Offset, Value> merged;
    begin_rows(pattern, number, a, merged);
    for (int k = 0; k < longest; k += CHUNK) {
        const int steps = min(longest - k, (int)CHUNK);
#pragma unroll 1
        for (int step = 0; step < steps; ++step) {
            /* A row that has ended takes a column that no head has. */
            const uint32_t column = min(least(merged.heads), NO_HEAD - 1);
            const Value sum = take_column(pattern, number, merged, column);
            staged.columns[step][threadIdx.x % 32] = (int32_t)column;
            if constexpr (has_values<Value>) staged.values[step][threadIdx.x % 32] = sum;
        }
        __syncwarp();
        write_chunk(staged, number, begin, (int)(c_begin - begin), n, k);
        __syncwarp();
    }
}

/* A row a thread. There are fewer than 2^31 rows, and the tile after the last one begins below 2^32. */
template <int HEADS, int MOST_THREADS, typename Offset, typename Value>
__global__ void __launch_bounds__(MOST_THREADS) fill_by_merging(patterns<Offset> pattern, numbers<Value> number)
{
    extern __shared__ uint4 shared[];
    wait_and_trigger();
    auto &staged = reinterpret_cast<staged_entries<Value> *>(shared)[threadIdx.x / 32];
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i / 32 * 32 < (uint32_t)pattern.rows;
         i += gridDim.x * blockDim.x)
        fill_rows<HEADS>(pattern, number, i, staged);
}

template <int HEADS, int MOST_THREADS, typename Offset, typename Value>
spg_status launch(const cuda_product &product, fill_shape shape)
{
    auto *kernel = fill_by_merging<HEADS, MOST_THREADS, Offset, Value>;
    constexpr int most_bytes = FEW_THREADS / 32 * (int)sizeof(staged_entries<Value>);
    spg_status status = allow_shared(product.context, "shared memory for merging", kernel, most_bytes);
    if (status != SPG_OK) return status;
    const int64_t tiles = (product.A->rows + shape.threads - 1) / shape.threads;
    const int64_t blocks = shape.one && tiles > product.cuda->multiprocessors ? product.cuda->multiprocessors : tiles;
    return launch_programmatic(product.context, product.cuda->stream, "filling rows by merging", (unsigned int)blocks,
                               shape.threads, shape.threads / 32 * sizeof(staged_entries<Value>), kernel,
                               patterns_of<Offset>(product), numbers_of<Value>(product));
}

/* The commonest types have kernels for fewer heads and for more threads at a time. */
template <typename Offset, typename Value>
spg_status launch_for(const cuda_product &product, int longest_a, bool many_threads, fill_shape shape)
{
    constexpr int MOST_A = FILL_MERGE_MOST_A;
    if constexpr (std::is_same_v<Offset, int32_t> && std::is_same_v<Value, double>) {
        if (many_threads && longest_a <= 7) return launch<7, MANY_THREADS, Offset, Value>(product, shape);
        if (many_threads) return launch<MOST_A, MANY_THREADS, Offset, Value>(product, shape);
        if (longest_a <= 7) return launch<7, FEW_THREADS, Offset, Value>(product, shape);
        return launch<MOST_A, FEW_THREADS, Offset, Value>(product, shape);
    }
    return launch<MOST_A, FEW_THREADS, Offset, Value>(product, shape);
}

} // namespace

spg_status fill_rows_merge(cuda_product &product, int longest_a, bool scattered)
{
    if (product.C->nnz == 0) return SPG_OK;
    const bool long_b = product.B->nnz / FILL_MERGE_SHORT_B > product.B->rows;
    const fill_shape for_long = scattered ? LONG_B_SCATTERED_SHAPE : LONG_B_SHAPE;
    const fill_shape for_short = scattered ? SCATTERED_SHAPE : SHAPE, shape = long_b ? for_long : for_short;
    return with_types(product, [&](auto offset, auto value) {
        return launch_for<decltype(offset), decltype(value)>(product, longest_a, !long_b && !scattered, shape);
    });
}

} // namespace spg
