/* Fills short rows: a thread adds its row's products into a list of columns and sums in registers, not sorted.
 *
 * Input: A, B and C's row offsets; output: columns and values of the rows that fits_list takes and that have at most
 * WIDTH entries; others are left alone. Invariant of a list: the slots in use come first, the youngest column in the
 * first of them; a slot not in use holds NO_COLUMN, which equals no column and is greater than all. A slot's sum starts
 * from +0 with its first product and takes the others as they come, in storage order. In the end nothing is moved: how
 * many columns are less than a slot's says where in C's row its entry goes.
 *
 * Where rows of C are long enough, a block lays out its part of C, which is contiguous, in shared memory and writes it
 * in whole lines; short ones, and those of a block that leaves a row alone, are written by their threads. Chosen by
 * route.cu, for products whose rows are short. No counterpart in the paper. */
#include "rows.cuh"

#include <type_traits>

namespace spg
{

namespace
{

enum { THREADS = 256 };
enum { STAGED_FROM = 6 };               /* mean entries of C a row from which C goes through shared memory */
enum { RANK_BITS = 4, WORD_RANKS = 8 }; /* ranks in 32 bits */
constexpr int32_t NO_COLUMN = INT32_MAX;
static_assert(LIST_MOST <= 1 << RANK_BITS && LIST_MOST <= 2 * WORD_RANKS, "two words hold the ranks of a list");

/* Bytes of shared memory for `count` elements of which the first lies up to 15 bytes after a multiple of 16. */
constexpr size_t staged_bytes(size_t count, size_t size) { return (count * size + 31) / 16 * 16; }

template <typename Value, int WIDTH> struct row_list {
    int32_t columns[WIDTH];
    Value sums[WIDTH];

    __device__ inline void clear()
    {
#pragma unroll
        for (int w = 0; w < WIDTH; ++w) {
            columns[w] = NO_COLUMN;
            sums[w] = zero<Value>();
        }
    }
    __device__ inline void add_entry(int32_t column, Value a, Value b)
    {
        bool found = false;
        const Value product = multiply(a, b);
#pragma unroll
        for (int w = 0; w < WIDTH; ++w) {
            bool here = columns[w] == column;
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
        sums[0] = add(zero<Value>(), product);
    }
};

template <int WIDTH> struct row_list<none, WIDTH> {
    int32_t columns[WIDTH];

    __device__ inline void clear()
    {
#pragma unroll
        for (int w = 0; w < WIDTH; ++w) columns[w] = NO_COLUMN;
    }
    __device__ inline void add_entry(int32_t column, none, none)
    {
        bool found = false;
#pragma unroll
        for (int w = 0; w < WIDTH; ++w) found |= columns[w] == column;
        if (found) return;
#pragma unroll
        for (int w = WIDTH - 1; w > 0; --w) columns[w] = columns[w - 1];
        columns[0] = column;
    }
};

/* The values as the loops see them; none of either for a pattern. */
template <typename Value> struct operand_values {
    const Value *a, *b;
    __device__ explicit operand_values(const numbers<Value> &number) : a(number.a_values), b(number.b_values) {}
    template <typename Offset> __device__ Value of_a(Offset k) const { return a[k]; }
    template <typename Offset> __device__ Value of_b(Offset k) const { return b[k]; }
};
template <> struct operand_values<none> {
    __device__ explicit operand_values(const numbers<none> &) {}
    template <typename Offset> __device__ none of_a(Offset) const { return {}; }
    template <typename Offset> __device__ none of_b(Offset) const { return {}; }
};

/* All products of a row of A that has entries. The bounds of the next row of B, and the column of A after that, are
 * asked for before the present row is gone through. */
template <typename Offset, typename Value, int WIDTH>
__device__ inline void add_row(const patterns<Offset> &pattern, const operand_values<Value> &values, span<Offset> a,
                               row_list<Value, WIDTH> &list)
{
    span<Offset> next = b_row(pattern, pattern.a_columns[a.begin]);
    int32_t column_after = a.begin + 1 < a.end ? pattern.a_columns[a.begin + 1] : 0;
#pragma unroll 1
    for (Offset k = a.begin; k < a.end; ++k) {
        const span<Offset> b = next;
        const Value a_value = values.of_a(k);
        if (k + 1 < a.end) next = b_row(pattern, column_after);
        if (k + 2 < a.end) column_after = pattern.a_columns[k + 2];
#pragma unroll 1
        for (Offset q = b.begin; q < b.end; ++q) list.add_entry(pattern.b_columns[q], a_value, values.of_b(q));
    }
}

/* Where in its row each slot's entry goes: WORD_RANKS ranks a word. */
struct list_ranks {
    uint32_t words[2];
    __device__ inline uint32_t of(int slot) const
    {
        return words[slot / WORD_RANKS] >> slot % WORD_RANKS * RANK_BITS & ((1u << RANK_BITS) - 1);
    }
};

/* Every pair of slots is compared once. As it starts, each slot's rank counts all slots before it. */
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
        if constexpr (!std::is_same_v<Value, none>) values[k] = list.sums[w];
    }
}

/* Elements of `to` before the block's first that share its 16 bytes. */
template <typename T> __device__ inline int lead_of(const T *to)
{
    return (int)(reinterpret_cast<uintptr_t>(to) % 16 / sizeof(T));
}

/* Copies to[0, count) by whole lines of 16 bytes. In `staged` it begins at lead_of(to). */
template <typename T> __device__ inline void copy_out(T *to, const void *staged, int count)
{
    constexpr int EACH = 16 / sizeof(T);
    const int lead = lead_of(to), end = lead + count;
    T *lines = to - lead;
    for (int line = threadIdx.x; line * EACH < end; line += THREADS) {
        const int first = line * EACH;
        if (first >= lead && first + EACH <= end) {
            reinterpret_cast<uint4 *>(lines)[line] = static_cast<const uint4 *>(staged)[line];
            continue;
        }
#pragma unroll 1
        for (int k = max(first, lead); k < min(first + EACH, end); ++k) lines[k] = static_cast<const T *>(staged)[k];
    }
}

template <typename Value> __device__ inline Value *values_at(const numbers<Value> &number, int64_t k)
{
    return number.c_values + k;
}
__device__ inline none *values_at(const numbers<none> &, int64_t) { return nullptr; }

/* A block's THREADS rows; `staged`: through shared memory. */
template <typename Offset, typename Value, int WIDTH>
__global__ void __launch_bounds__(THREADS) fill_lists(patterns<Offset> pattern, numbers<Value> number, bool staged)
{
    extern __shared__ uint4 lines[];
    const uint32_t first = blockIdx.x * THREADS, i = first + threadIdx.x, rows = (uint32_t)pattern.rows;
    bool left_alone = false;
    Offset c_begin = 0;
    int n = 0;
    row_list<Value, WIDTH> list;
    list.clear();
    if (i < rows) {
        c_begin = pattern.c_offsets[i];
        const Offset length = pattern.c_offsets[i + 1] - c_begin;
        const span<Offset> a = a_row(pattern, (int32_t)i);
        left_alone = length > WIDTH || !fits_list(length, a.end - a.begin);
        if (length > 0 && !left_alone) {
            n = (int)length;
            add_row(pattern, operand_values<Value>(number), a, list);
        }
    }
    if (!staged || __syncthreads_or(left_alone)) {
        store(list, n, number.c_columns + c_begin, values_at(number, c_begin));
        return;
    }
    const Offset begin = pattern.c_offsets[first];
    const int count = (int)(pattern.c_offsets[min(first + THREADS, rows)] - begin), k = (int)(c_begin - begin);
    int32_t *to_columns = number.c_columns + begin;
    Value *to_values = values_at(number, begin);
    auto *columns = reinterpret_cast<int32_t *>(lines);
    auto *values = reinterpret_cast<Value *>(lines + staged_bytes(THREADS * WIDTH, sizeof(int32_t)) / sizeof(uint4));
    int value_lead = 0;
    if constexpr (!std::is_same_v<Value, none>) value_lead = lead_of(to_values);
    store(list, n, columns + lead_of(to_columns) + k, values + value_lead + k);
    __syncthreads();
    copy_out(to_columns, columns, count);
    if constexpr (!std::is_same_v<Value, none>) copy_out(to_values, values, count);
}

template <typename Offset, typename Value, int WIDTH> spg_status launch(const cuda_product &product)
{
    constexpr size_t value_bytes = std::is_same_v<Value, none> ? 0 : sizeof(Value);
    constexpr size_t most_bytes =
        staged_bytes(THREADS * WIDTH, sizeof(int32_t)) + staged_bytes(THREADS * WIDTH, value_bytes);
    const bool staged = product.C->nnz / STAGED_FROM >= product.C->rows;
    auto *kernel = fill_lists<Offset, Value, WIDTH>;
    if (most_bytes > 48 * 1024 && staged) {
        spg_status status = spg_cuda_check(
            product.context, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)most_bytes),
            "shared memory for lists");
        if (status != SPG_OK) return status;
    }
    const auto blocks = (unsigned int)((product.A->rows + THREADS - 1) / THREADS);
    kernel<<<blocks, THREADS, staged ? most_bytes : 0, product.cuda->stream>>>(patterns_of<Offset>(product),
                                                                               numbers_of<Value>(product), staged);
    return spg_cuda_check_launch(product.context, "filling rows by lists");
}

template <int... WIDTHS> struct widths {
};
/* The commonest types have widths of their own, so that the registers fit the rows. */
template <typename Offset, typename Value> struct widths_of {
    using type = widths<8, LIST_MOST>;
};
template <> struct widths_of<int32_t, double> {
    using type = widths<4, 6, 8, 10, 13, LIST_MOST>;
};
template <> struct widths_of<int32_t, float> {
    using type = widths<6, 10, LIST_MOST>;
};

/* By the narrowest list that holds the longest row. */
template <typename Offset, typename Value, int WIDTH, int... WIDER>
spg_status launch_narrowest(const cuda_product &product, int longest, widths<WIDTH, WIDER...>)
{
    if constexpr (sizeof...(WIDER) > 0)
        if (longest > WIDTH) return launch_narrowest<Offset, Value>(product, longest, widths<WIDER...>{});
    return launch<Offset, Value, WIDTH>(product);
}

} // namespace

spg_status fill_rows_list(cuda_product &product, int longest)
{
    if (product.C->nnz == 0) return SPG_OK;
    return with_types(product, [&](auto offset, auto value) {
        using Offset = decltype(offset);
        using Value = decltype(value);
        return launch_narrowest<Offset, Value>(product, longest, typename widths_of<Offset, Value>::type{});
    });
}

} // namespace spg
