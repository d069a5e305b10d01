/* Filling by sorting, for short rows: a thread sorts the products of its row of C.
 *
 * Input: A, B and C's row offsets; rows of up to SORTED_MOST products. Output: columns and values. A thread reads each
 * row of B once, all of it, in pairs of entries. (A merge returns to every row of B for every column, and finds it in
 * L1 only if few rows are active.) Products are in shared memory by number, in storage order. A key is a column and a
 * number: a network in registers sorts the keys, so that the products of a column are consecutive and in the order of
 * addition. Entries of C replace the products and are written in order. Chosen by product_fill.cu if rows of B are long
 * and scattered and contract little. The network is that of the paper's class for few products (section 3.3). */
#include "../../launch.cuh"
#include "../../primitives/loads.cuh"
#include "../../primitives/sort.cuh"
#include "../rows.cuh"

namespace spg
{

namespace
{

/* A warp's shared memory and registers allow 14 to 16 warps on a multiprocessor. */
enum { THREADS = 64, WARPS = THREADS / 32, RESIDENT = 8 };
enum { NUMBER_BITS = 6 };
constexpr uint32_t NUMBERS = 1u << NUMBER_BITS, NO_KEY = ~0u << NUMBER_BITS; /* after all keys, with number 0 */
static_assert((int)SORTED_MOST < (int)NUMBERS && (1ll << 32) / NUMBERS > SORTED_COLUMNS, "a column and a number");

/* A warp's memory: [number][row], so that each lane's products are in its own bank; then entries of C. */
template <typename Value> struct sorted_rows {
    uint32_t keys[SORTED_MOST * 32];
    Value products[SORTED_MOST * 32];
};

template <typename Value>
__device__ inline void keep(sorted_rows<Value> &memory, bool wanted, int number, int32_t column, Value product)
{
    if (!wanted) return;
    const int at = number * 32 + (int)threadIdx.x % 32;
    memory.keys[at] = (uint32_t)column << NUMBER_BITS | (uint32_t)number;
    memory.products[at] = product;
}

/* A row of B in slots from entry `begin`, which is even; slots `low` to `high` - 1 are read in pairs. place: the
 * product number of slot 0. */
struct paired_row {
    int32_t begin;
    int place, low, high;
};
enum { SLOTS = 8 }; /* whose entries are loaded together */

template <typename Value>
__device__ inline void take_slots(const patterns<int32_t> &pattern, const numbers<Value> &number, const paired_row &row,
                                  int from, Value a, sorted_rows<Value> &memory)
{
    int2 column[SLOTS / 2];
    complex<Value> value[SLOTS / 2];
#pragma unroll
    for (int n = 0; n < SLOTS / 2; ++n) {
        const int slot = from + 2 * n;
        const bool wanted = slot + 1 >= row.low && slot < row.high;
        column[n] = pair_if(wanted, pattern.b_columns + row.begin + slot);
        value[n] = pair_if(wanted, number.b_values + row.begin + slot);
    }
#pragma unroll
    for (int n = 0; n < SLOTS / 2; ++n) {
        const int slot = from + 2 * n, at = row.place + slot;
        keep(memory, slot >= row.low && slot < row.high, at, column[n].x, multiply(a, value[n].re));
        keep(memory, slot + 1 >= row.low && slot + 1 < row.high, at + 1, column[n].y, multiply(a, value[n].im));
    }
}

/* Stores the products of a row of A and returns their number. Loads the next row of B before it goes through the
 * present one. A whole warp calls it. */
template <typename Value>
__device__ inline int expand_row(const patterns<int32_t> &pattern, const numbers<Value> &number, span<int32_t> a,
                                 sorted_rows<Value> &memory)
{
    const int length = a.end - a.begin, longest = __reduce_max_sync(~0u, length);
    const int32_t *a_columns = pattern.a_columns + a.begin;
    int products = 0;
    int32_t column = load_if(0 < length, a_columns, 0);
    span<int32_t> next{load_if(0 < length, pattern.b_offsets + column, 0),
                       load_if(0 < length, pattern.b_offsets + column + 1, 0)};
    Value next_value = value_if(0 < length, number.a_values + a.begin);
    column = load_if(1 < length, a_columns + 1, 0);
#pragma unroll 1
    for (int k = 0; k < longest; ++k) {
        const span<int32_t> b = next;
        const Value value = next_value;
        next = {load_if(k + 1 < length, pattern.b_offsets + column, 0),
                load_if(k + 1 < length, pattern.b_offsets + column + 1, 0)};
        next_value = value_if(k + 1 < length, number.a_values + a.begin + k + 1);
        column = load_if(k + 2 < length, a_columns + k + 2, 0);
        const int before = b.begin % 2, slots = before + b.end - b.begin;
        const bool is_last_alone = b.end == pattern.b_nnz && slots % 2 != 0; /* the pair would reach beyond B */
        const paired_row row{b.begin - before, products - before, before, slots - is_last_alone};
        take_slots(pattern, number, row, 0, value, memory);
        for (int from = SLOTS; from < row.high; from += SLOTS) take_slots(pattern, number, row, from, value, memory);
        if (is_last_alone && b.begin < b.end)
            keep(memory, true, row.place + slots - 1, pattern.b_columns[b.end - 1],
                 multiply(value, number.b_values[b.end - 1]));
        products += b.end - b.begin;
    }
    return products;
}

/* Sorts a lane's products and sums those of each column; writes the entries to the warp's entries from `to` on. A whole
 * warp calls it. */
template <typename Value> __device__ inline void sort_row(sorted_rows<Value> &memory, int products, int to)
{
    constexpr int N = SORTED_MOST;
    const int lane = (int)threadIdx.x % 32;
    uint32_t key[N];
    Value product[N], sum = zero<Value>();
#pragma unroll
    for (int p = 0; p < N; ++p) key[p] = p < products ? memory.keys[p * 32 + lane] : NO_KEY;
    sort_in_thread<0, N>(key);
#pragma unroll
    for (int p = 0; p < N; ++p) product[p] = memory.products[key[p] % NUMBERS * 32 + lane];
    __syncwarp();
#pragma unroll
    for (int p = 0; p < N; ++p) {
        const uint32_t column = key[p] >> NUMBER_BITS, next = (p + 1 < N ? key[(p + 1) % N] : NO_KEY) >> NUMBER_BITS;
        sum = add(sum, product[p]);
        if (column == next) continue;
        memory.keys[to] = column;
        memory.products[to] = sum;
        sum = zero<Value>();
        ++to;
    }
    __syncwarp();
}

/* A row a thread. There are fewer than 2^31 rows, and the tile after the last one begins below 2^32. */
template <typename Value>
__global__ void __launch_bounds__(THREADS, RESIDENT)
    fill_sorted(const __grid_constant__ patterns<int32_t> pattern, const __grid_constant__ numbers<Value> number)
{
    extern __shared__ uint4 shared[];
    wait_and_trigger();
    auto &memory = reinterpret_cast<sorted_rows<Value> *>(shared)[threadIdx.x / 32];
    const uint32_t rows = (uint32_t)pattern.rows, i = blockIdx.x * THREADS + threadIdx.x, lane = threadIdx.x % 32;
    const int32_t c_begin = pattern.c_offsets[min(i, rows)], begin = __shfl_sync(~0u, c_begin, 0);
    const int32_t entries = pattern.c_offsets[min(i - lane + 32, rows)] - begin;
    const int products =
        expand_row(pattern, number, i < rows ? a_row(pattern, (int32_t)i) : span<int32_t>{0, 0}, memory);
    sort_row(memory, products, c_begin - begin);
#pragma unroll 4
    for (int e = (int)lane; e < entries; e += 32) {
        number.c_columns[begin + e] = (int32_t)memory.keys[e];
        number.c_values[begin + e] = memory.products[e];
    }
}

} // namespace

bool may_sort_rows(const cuda_product &product, unsigned int most_products)
{
    const spg_csr *B = product.B;
    if (!has_common_types(product) || B->cols > SORTED_COLUMNS || most_products > SORTED_MOST) return false;
    const auto columns = reinterpret_cast<uintptr_t>(B->columns), values = reinterpret_cast<uintptr_t>(B->values);
    return columns % (2 * sizeof(int32_t)) == 0 && values % (2 * spg_type_size(B->value_type)) == 0;
}

spg_status fill_rows_sorted(cuda_product &product)
{
    if (product.C->nnz == 0) return SPG_OK;
    const auto blocks = (unsigned int)((product.A->rows + THREADS - 1) / THREADS);
    return with_common_value(product, [&](auto value) {
        using Value = decltype(value);
        constexpr int bytes = WARPS * (int)sizeof(sorted_rows<Value>);
        static_assert(bytes <= 48 * 1024, "what every device allows");
        return launch_programmatic(product.context, product.cuda->stream, "filling rows by sorting", blocks, THREADS,
                                   bytes, fill_sorted<Value>, patterns_of<int32_t>(product),
                                   numbers_of<Value>(product));
    });
}

} // namespace spg
