/* Method list, filling pass, for short rows: a thread adds the products of its row into an unsorted list of columns and
 * sums in registers.
 *
 * Input: A, B and C's row offsets. Output: columns and values of the rows that fits_list accepts and that have at most
 * WIDTH entries; others are skipped. Invariant: used slots come first, the newest column in the first slot; an unused
 * slot holds FREE_SLOT, which equals no column and exceeds all. A slot's sum starts from +0 and takes its products in
 * storage order. Nothing is moved at the end: the number of smaller columns is the rank of a slot's entry in the row of
 * C.
 *
 * A warp takes WARP_ROWS neighbouring rows. Their part of C is contiguous: it is staged in shared memory and written in
 * order, unless it is too long or has a row that is skipped. Chosen by product_fill.cu for products with short rows. No
 * counterpart in the paper. */
#include "../../launch.cuh"
#include "../rows.cuh"

namespace spg
{

namespace
{

/* If neighbouring rows name scattered rows of B, a block takes more rows, so that active rows are neighbours, and
 * writes C directly, which leaves all memory to L1 (spgemm_bench, H100, the filling pass: tri2d A*P 0.21 ms this way,
 * 0.30 with 256 rows through shared memory; fd2d5 A*P 0.104 and 0.077). */
enum { THREADS = 256, SCATTERED_THREADS = 512, WARP_ROWS = 32 };
enum { RANK_BITS = 4, WORD_RANKS = 8 }; /* ranks in a 32-bit word */
constexpr int32_t FREE_SLOT = INT32_MAX;
static_assert(LIST_MOST <= 1 << RANK_BITS && LIST_MOST <= 2 * WORD_RANKS, "two words hold the ranks of a list");

/* Without values the sums are unused. */
template <typename Value, int WIDTH> struct row_list {
    int32_t columns[WIDTH];
    Value sums[WIDTH];

    __device__ inline void clear()
    {
#pragma unroll
        for (int w = 0; w < WIDTH; ++w) {
            columns[w] = FREE_SLOT;
            sums[w] = zero<Value>();
        }
    }
    __device__ inline void add_entry(int32_t column, Value product)
    {
        bool found = false;
#pragma unroll
        for (int w = 0; w < WIDTH; ++w) {
            bool here = columns[w] == column;
            if constexpr (has_values<Value>)
                if (here) sums[w] = add(sums[w], product);
            found |= here;
        }
        if (found) return;
#pragma unroll
        for (int w = WIDTH - 1; w > 0; --w) {
            columns[w] = columns[w - 1];
            sums[w] = sums[w - 1];
        }
        columns[0] = column;
        if constexpr (has_values<Value>) sums[0] = add(zero<Value>(), product);
    }
};

/* Adds all products of a row of A that has entries. Loads the bounds of the next row of B, and the column of A after
 * that, before it goes through the present row. */
template <typename Offset, typename Value, int WIDTH>
__device__ inline void add_row(const patterns<Offset> &pattern, const numbers<Value> &number, span<Offset> a,
                               row_list<Value, WIDTH> &list)
{
    span<Offset> next = b_row(pattern, pattern.a_columns[a.begin]);
    int32_t column_after = a.begin + 1 < a.end ? pattern.a_columns[a.begin + 1] : 0;
#pragma unroll 1
    for (Offset k = a.begin; k < a.end; ++k) {
        const span<Offset> b = next;
        Value a_value{}, product{};
        if constexpr (has_values<Value>) a_value = number.a_values[k];
        if (k + 1 < a.end) next = b_row(pattern, column_after);
        if (k + 2 < a.end) column_after = pattern.a_columns[k + 2];
#pragma unroll 1
        for (Offset q = b.begin; q < b.end; ++q) {
            if constexpr (has_values<Value>) product = multiply(a_value, number.b_values[q]);
            list.add_entry(pattern.b_columns[q], product);
        }
    }
}

/* The rank of each slot's entry in its row: WORD_RANKS ranks a word. */
struct list_ranks {
    uint32_t words[2];
    __device__ inline uint32_t of(int slot) const
    {
        return words[slot / WORD_RANKS] >> slot % WORD_RANKS * RANK_BITS & ((1u << RANK_BITS) - 1);
    }
};

/* Compares every pair of slots once. Initially each slot's rank counts all slots before it. */
template <int WIDTH> __device__ inline list_ranks rank_columns(const int32_t (&columns)[WIDTH])
{
    list_ranks ranks{{0x76543210u, 0xfedcba98u}};
#pragma unroll
    for (int early = 0; early < WIDTH; ++early) {
#pragma unroll
        for (int late = early + 1; late < WIDTH; ++late) {
            if (columns[late] > columns[early]) continue;
            ranks.words[early / WORD_RANKS] += 1u << early % WORD_RANKS * RANK_BITS;
            ranks.words[late / WORD_RANKS] -= 1u << late % WORD_RANKS * RANK_BITS;
        }
    }
    return ranks;
}

template <typename Value, int WIDTH>
__device__ inline void store(const row_list<Value, WIDTH> &list, int n, int32_t *columns, Value *values)
{
    const list_ranks ranks = rank_columns(list.columns);
#pragma unroll
    for (int w = 0; w < WIDTH; ++w) {
        if (w >= n) break;
        const uint32_t k = ranks.of(w);
        columns[k] = list.columns[w];
        if constexpr (has_values<Value>) values[k] = list.sums[w];
    }
}

template <typename Value> constexpr int value_bytes = has_values<Value> ? (int)sizeof(Value) : 0;

/* Fills a warp's rows; the lane's own is row i. `room` entries of C fit at `staged`, values before columns. */
template <typename Offset, typename Value, int WIDTH>
__device__ inline void fill_tile(const patterns<Offset> &pattern, const numbers<Value> &number, uint32_t i,
                                 char *staged, int room)
{
    const uint32_t rows = (uint32_t)pattern.rows;
    bool left_alone = false;
    Offset c_begin = pattern.c_offsets[min(i, rows)], c_end = c_begin;
    int n = 0;
    row_list<Value, WIDTH> list;
    list.clear();
    if (i < rows) {
        c_end = pattern.c_offsets[i + 1];
        const span<Offset> a = a_row(pattern, (int32_t)i);
        left_alone = c_end - c_begin > WIDTH || !fits_list((Offset)(c_end - c_begin), (Offset)(a.end - a.begin));
        if (c_end > c_begin && !left_alone) {
            n = (int)(c_end - c_begin);
            add_row(pattern, number, a, list);
        }
    }
    const Offset begin = __shfl_sync(~0u, c_begin, 0), end = __shfl_sync(~0u, c_end, 31);
    if (__any_sync(~0u, left_alone) || end - begin > room) {
        Value *c_values = nullptr;
        if constexpr (has_values<Value>) c_values = number.c_values + c_begin;
        store(list, n, number.c_columns + c_begin, c_values);
        return;
    }
    const int count = (int)(end - begin), k = (int)(c_begin - begin), lane = threadIdx.x % 32;
    auto *values = reinterpret_cast<Value *>(staged);
    auto *columns = reinterpret_cast<int32_t *>(staged + (size_t)room * value_bytes<Value>);
    store(list, n, columns + k, values + k);
    __syncwarp();
    for (int e = lane; e < count; e += 32) {
        number.c_columns[begin + e] = columns[e];
        if constexpr (has_values<Value>) number.c_values[begin + e] = values[e];
    }
    __syncwarp();
}

template <typename Offset, typename Value, int WIDTH>
__global__ void __launch_bounds__(SCATTERED_THREADS)
    fill_lists(patterns<Offset> pattern, numbers<Value> number, int room)
{
    extern __shared__ uint4 shared[];
    wait_and_trigger();
    char *staged =
        reinterpret_cast<char *>(shared) + threadIdx.x / 32 * (size_t)room * (value_bytes<Value> + sizeof(int32_t));
    fill_tile<Offset, Value, WIDTH>(pattern, number, blockIdx.x * blockDim.x + threadIdx.x, staged, room);
}

/* Entries of C that a warp stages: slightly more than its mean; an even number, for alignment. */
int room_for(const cuda_product &product, int width)
{
    const int64_t mean = product.C->nnz / product.C->rows + 2;
    return (int)(mean < width ? mean : width) * WARP_ROWS;
}

template <typename Offset, typename Value, int WIDTH> spg_status launch(const cuda_product &product, bool scattered)
{
    auto *kernel = fill_lists<Offset, Value, WIDTH>;
    const int room = scattered ? 0 : room_for(product, WIDTH), entry = value_bytes<Value> + (int)sizeof(int32_t);
    constexpr int most_bytes = THREADS * WIDTH * (value_bytes<Value> + (int)sizeof(int32_t));
    if (most_bytes > 48 * 1024) {
        spg_status status = allow_shared(product.context, "shared memory for lists", kernel, most_bytes);
        if (status != SPG_OK) return status;
    }
    const int threads = scattered ? SCATTERED_THREADS : THREADS;
    const auto blocks = (unsigned int)((product.A->rows + threads - 1) / threads);
    return launch_programmatic(product.context, product.cuda->stream, "filling rows by lists", blocks, threads,
                               threads / WARP_ROWS * room * entry, kernel, patterns_of<Offset>(product),
                               numbers_of<Value>(product), room);
}

template <int... WIDTHS> struct widths {
};
/* The commonest types have more widths, so that registers fit the rows. */
template <typename Offset, typename Value> struct widths_of {
    using type = widths<8, LIST_MOST>;
};
template <> struct widths_of<int32_t, double> {
    using type = widths<4, 6, 8, 10, 13, LIST_MOST>;
};
template <> struct widths_of<int32_t, float> {
    using type = widths<6, 10, LIST_MOST>;
};

/* Launches the narrowest list that holds the longest row. */
template <typename Offset, typename Value, int WIDTH, int... WIDER>
spg_status launch_narrowest(const cuda_product &product, int longest, bool scattered, widths<WIDTH, WIDER...>)
{
    if constexpr (sizeof...(WIDER) > 0)
        if (longest > WIDTH) return launch_narrowest<Offset, Value>(product, longest, scattered, widths<WIDER...>{});
    return launch<Offset, Value, WIDTH>(product, scattered);
}

} // namespace

spg_status fill_rows_list(cuda_product &product, int longest, bool scattered)
{
    if (product.C->nnz == 0) return SPG_OK;
    return with_types(product, [&](auto offset, auto value) {
        using Offset = decltype(offset);
        using Value = decltype(value);
        return launch_narrowest<Offset, Value>(product, longest, scattered, typename widths_of<Offset, Value>::type{});
    });
}

} // namespace spg
