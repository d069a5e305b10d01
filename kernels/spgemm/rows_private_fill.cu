/* Filling, class private: a thread adds the products of its row of C up by columns in a table of its own.
 *
 * Input: A, the packed rows of B, B, and C's row offsets; rows of more than PRIVATE_MOST entries are left alone.
 * Output: columns and values. Invariant: sums stand in the order in which their columns came, each from +0 with the
 * products of its column in storage order; the table knows which is whose. In the end the keys, column and number, are
 * sorted by a network in registers, and CHUNK entries of every row of a warp are laid out where the table was and
 * written in order. Chosen by product_rows.cu as counting is. Contraction while expanding takes the place of the
 * paper's sort (section 3.3). */
#include "../launch.cuh"
#include "merge.cuh"
#include "network.cuh"
#include "private_table.cuh"
#include "staged.cuh"

#include <algorithm>

namespace spg
{

namespace
{

/* Blocks are small, for their memory, and no more of them are resident, for what shared memory they leave is L1's
 * (spgemm_bench, H100, the filling pass with registers for 8 and for 10 of them, A*P: fe3d27 0.51 and 0.64 ms, tet3d
 * 0.45 and 0.46). */
enum { THREADS = 64, WARPS = THREADS / 32, RESIDENT = 8 };

/* A warp's memory: tables, which make room for entries on their way, and `longest` sums a lane. */
template <typename Value> constexpr int warp_bytes(int longest)
{
    return (int)sizeof(table_memory) + longest * 32 * (int)sizeof(Value);
}

/* What a thread adds up its row of C with. */
template <typename Value> struct private_sums {
    private_table table;
    Value *first; /* of this lane's sums, 32 apart */

    /* Adds the first `live` of N products. Their columns are all different, so they are added together. */
    template <int N> __device__ void add(const uint32_t (&column)[N], int live, Value a, const Value (&b)[N])
    {
        uint32_t number[N];
        Value sum[N];
        table.numbers_of(column, live, number);
#pragma unroll
        for (int n = 0; n < N; ++n)
            if (n < live) sum[n] = first[number[n] * 32];
#pragma unroll
        for (int n = 0; n < N; ++n)
            if (n < live) first[number[n] * 32] = add_product(sum[n], a, b[n]);
    }
};

/* A row of B that is not packed. */
template <typename Value>
__device__ void add_unpacked(const patterns<int32_t> &pattern, const numbers<Value> &number, const packed_row &row,
                             Value a, private_sums<Value> &sums)
{
    for (uint32_t q = row.begin; q < row.begin + row.beyond[0]; ++q) {
        const uint32_t column[1] = {(uint32_t)pattern.b_columns[q]};
        const Value b[1] = {number.b_values[q]};
        sums.add(column, 1, a, b);
    }
}

/* Two values, which lie as the parts of a complex one do; anything if they are not wanted. */
template <typename Value> __device__ complex<Value> pair_if(bool wanted, const Value *from)
{
    return value_if(wanted, reinterpret_cast<const complex<Value> *>(from));
}

/* The products of an entry of A and the row of B that it names; by a whole warp. Values of B come by pairs: rows of
 * neighbouring threads lie apart, so that a load takes L1 a line a thread, however little of it is wanted. */
template <typename Value>
__device__ void add_entry(const patterns<int32_t> &pattern, const numbers<Value> &number, const packed_row &row,
                          Value a, private_sums<Value> &sums)
{
    int length = length_of(row);
    if (length > PACKED_MOST) {
        add_unpacked(pattern, number, row, a, sums);
        length = 0;
    }
    const int most = __reduce_max_sync(~0u, length);
    const Value *b = number.b_values + row.begin;
    const bool odd = reinterpret_cast<uintptr_t>(b) / sizeof(Value) % 2 != 0;
    b -= odd;
    complex<Value> last = pair_if(length > 0, b);
#pragma unroll
    for (int q = 0; q < PACKED_MOST; q += B_AT_ONCE) {
        if (q >= most) break;
        uint32_t column[B_AT_ONCE];
        Value value[B_AT_ONCE];
        complex<Value> next[B_AT_ONCE / 2];
#pragma unroll
        for (int p = 0; p < B_AT_ONCE / 2; ++p) next[p] = pair_if(q + 2 * p + 2 < length + odd, b + q + 2 * p + 2);
#pragma unroll
        for (int n = 0; n < B_AT_ONCE; n += 2) {
            value[n] = odd ? last.im : last.re;
            value[n + 1] = odd ? next[n / 2].re : last.im;
            last = next[n / 2];
        }
#pragma unroll
        for (int n = 0; n < B_AT_ONCE; ++n) column[n] = column_of(row, q + n);
        sums.add(column, length - q, a, value);
    }
}

/* All products of a row of A, which may be empty; by a whole warp. */
template <typename Value>
__device__ void add_row(const patterns<int32_t> &pattern, const numbers<Value> &number, const packed_row *packed,
                        span<int32_t> a, private_sums<Value> &sums)
{
    const int length = a.end - a.begin, longest = __reduce_max_sync(~0u, length);
    int32_t columns[A_AT_ONCE];
    Value values[A_AT_ONCE];
    const auto load = [&](int k) {
#pragma unroll
        for (int n = 0; n < A_AT_ONCE; ++n) {
            columns[n] = load_if(k + n < length, pattern.a_columns + a.begin + k + n, 0);
            values[n] = value_if(k + n < length, number.a_values + a.begin + k + n);
        }
    };
    load(0);
    packed_row next{};
    if (length > 0) next = load_packed(packed, columns[0]);
#pragma unroll 1
    for (int k = 0; k < longest; ++k) {
        const packed_row row = next;
        const Value value = values[0];
#pragma unroll
        for (int n = 0; n + 1 < A_AT_ONCE; ++n) columns[n] = columns[n + 1], values[n] = values[n + 1];
        if ((k + 1) % A_AT_ONCE == 0) load(k + 1);
        next = packed_row{};
        if (k + 1 < length) next = load_packed(packed, columns[0]);
        add_entry(pattern, number, row, value, sums);
    }
}

/* Keys of a table one behind the other, 32 apart, where the table was; by a whole warp, for lists lie across lanes. */
__device__ void pack_keys(table_memory &memory, private_table &table)
{
    uint32_t *list = reinterpret_cast<uint32_t *>(memory) + threadIdx.x % 32;
    constexpr int AT_ONCE = 4;
#pragma unroll 1
    for (int b = 0; b < BUCKETS; b += AT_ONCE) {
        uint2 keys[AT_ONCE];
#pragma unroll
        for (int n = 0; n < AT_ONCE; ++n) keys[n] = table.at((b + n) * table.APART);
        __syncwarp();
#pragma unroll
        for (int n = 0; n < AT_ONCE; ++n) {
            if (keys[n].x != EMPTY) *list = keys[n].x, list += 32;
            if (keys[n].y != EMPTY) *list = keys[n].y, list += 32;
        }
    }
    __syncwarp();
}

/* Sorts up to N entries of each of a warp's rows, and writes them. */
template <int N, typename Value>
__device__ void write_rows(const numbers<Value> &number, table_memory &memory, const private_sums<Value> &sums,
                           int32_t begin, int own, int n)
{
    uint32_t key[N];
    const uint32_t *list = reinterpret_cast<const uint32_t *>(memory) + threadIdx.x % 32;
#pragma unroll
    for (int e = 0; e < N; ++e) key[e] = e < n ? list[e * 32] : EMPTY;
    sort_keys<1, 1>(key);
    auto &staged = reinterpret_cast<staged_entries<Value> &>(memory);
    static_assert(sizeof staged <= sizeof memory, "the table makes room");
#pragma unroll
    for (int e = 0; e < N; e += CHUNK) {
        if (!__any_sync(~0u, e < n)) break;
        __syncwarp();
#pragma unroll
        for (int x = e; x < e + CHUNK; ++x) {
            if (x >= n) continue;
            staged.columns[x - e][threadIdx.x % 32] = (int32_t)(key[x] >> NUMBER_BITS);
            staged.values[x - e][threadIdx.x % 32] = sums.first[key[x] % NUMBERS * 32];
        }
        __syncwarp();
        write_chunk(staged, number, begin, own, n, e);
    }
}

template <typename Value>
__global__ void __launch_bounds__(THREADS, RESIDENT)
    fill_private(patterns<int32_t> pattern, numbers<Value> number, const packed_row *packed, int longest)
{
    extern __shared__ uint2 shared[];
    take_turn();
    char *memory = reinterpret_cast<char *>(shared) + threadIdx.x / 32 * warp_bytes<Value>(longest);
    auto &tables = *reinterpret_cast<table_memory *>(memory);
    private_sums<Value> sums{private_table(tables),
                             reinterpret_cast<Value *>(memory + sizeof tables) + threadIdx.x % 32};
    const uint32_t rows = (uint32_t)pattern.rows, i = blockIdx.x * THREADS + threadIdx.x;
    const int32_t c_begin = pattern.c_offsets[min(i, rows)], c_end = pattern.c_offsets[min(i + 1, rows)];
    const int32_t begin = __shfl_sync(~0u, c_begin, 0);
    const int n = c_end - c_begin <= longest ? c_end - c_begin : 0, most = __reduce_max_sync(~0u, n);
    sums.table.clear();
    for (int e = 0; e < most; ++e) sums.first[e * 32] = zero<Value>();
    add_row(pattern, number, packed, n > 0 ? a_row(pattern, (int32_t)i) : span<int32_t>{0, 0}, sums);
    __syncwarp();
    pack_keys(tables, sums.table);
    if (most <= NUMBERS / 2)
        write_rows<NUMBERS / 2>(number, tables, sums, begin, c_begin - begin, n);
    else
        write_rows<NUMBERS>(number, tables, sums, begin, c_begin - begin, n);
}

template <typename Value> spg_status launch(const cuda_product &product, int longest)
{
    static_assert(WARPS * warp_bytes<Value>(PRIVATE_MOST) <= 48 * 1024, "what every device allows");
    const int bytes = WARPS * warp_bytes<Value>(longest);
    const auto blocks = (unsigned int)((product.A->rows + THREADS - 1) / THREADS);
    return launch_in_turn(product.context, product.cuda->stream, "filling, class private", blocks, THREADS, bytes,
                          fill_private<Value>, patterns_of<int32_t>(product), numbers_of<Value>(product),
                          static_cast<const packed_row *>(product.packed.memory), longest);
}

} // namespace

spg_status fill_rows_private(cuda_product &product, int longest)
{
    longest = std::min(longest, (int)PRIVATE_MOST);
    if (product.A->value_type == SPG_F32) return launch<float>(product, longest);
    return launch<double>(product, longest);
}

} // namespace spg
