/* How a thread of hash_thread finds the columns of its row of C and sums its products by column, and how a warp writes
 * its rows. Private. */
#ifndef SPG_KERNELS_SPGEMM_HASH_THREAD_SUMS_CUH
#define SPG_KERNELS_SPGEMM_HASH_THREAD_SUMS_CUH

#include "../../primitives/loads.cuh"
#include "../../primitives/sort.cuh"
#include "../driver/staged_rows.cuh"
#include "table.cuh"

namespace spg
{

/* A warp's memory: its tables, which later hold staged entries, and `longest` sums a lane. */
template <typename Value> constexpr int warp_bytes(int longest)
{
    return (int)sizeof(table_memory) + longest * 32 * (int)sizeof(Value);
}

/* The sums of a thread's row of C. Columns numbered `most` and above are added to sum `most`, which belongs to no row.
 * Without values, columns are only counted. */
template <typename Value> struct thread_sums {
    thread_table table;
    Value *first; /* this lane's sums, at a stride of 32 */
    uint32_t most;

    /* Adds the first `live` of N products. Their columns are all different, so they can be added together. */
    template <int N> __device__ void add(const uint32_t (&column)[N], int live, Value a, const Value (&b)[N])
    {
        uint32_t number[N];
        table.numbers_of(column, live, number);
        if constexpr (has_values<Value>) add_to(number, live, a, b);
    }

  private:
    template <int N> __device__ void add_to(uint32_t (&number)[N], int live, Value a, const Value (&b)[N])
    {
        Value sum[N];
#pragma unroll
        for (int n = 0; n < N; ++n)
            if (n < live) number[n] = min(number[n], most);
#pragma unroll
        for (int n = 0; n < N; ++n)
            if (n < live) sum[n] = first[number[n] * 32];
#pragma unroll
        for (int n = 0; n < N; ++n)
            if (n < live) first[number[n] * 32] = add_product(sum[n], a, b[n]);
    }
};

/* Adds a row of B that is not packed. */
template <typename Value>
__device__ void add_unpacked(const patterns<int32_t> &pattern, const numbers<Value> &number, const packed_row &row,
                             Value a, thread_sums<Value> &sums)
{
    for (uint32_t q = row.begin; q < row.begin + row.beyond[0]; ++q) {
        const uint32_t column[1] = {(uint32_t)pattern.b_columns[q]};
        Value b[1] = {};
        if constexpr (has_values<Value>) b[0] = number.b_values[q];
        sums.add(column, 1, a, b);
    }
}

/* The values of a packed row of B, loaded in pairs: rows of neighbouring threads are far apart, so a load costs L1 a
 * line a thread, however little of it is used. */
template <typename Value> struct paired_values {
    const Value *b;
    int length;
    bool odd;
    complex<Value> last;

    __device__ paired_values(const numbers<Value> &number, const packed_row &row, int entries)
        : b(number.b_values + row.begin), length(entries), odd(reinterpret_cast<uintptr_t>(b) / sizeof(Value) % 2 != 0)
    {
        b -= odd;
        last = pair_if(length > 0, b);
    }

    /* Those from q on. */
    __device__ void load(int q, Value (&value)[B_AT_ONCE])
    {
        complex<Value> next[B_AT_ONCE / 2];
#pragma unroll
        for (int p = 0; p < B_AT_ONCE / 2; ++p) next[p] = pair_if(q + 2 * p + 2 < length + odd, b + q + 2 * p + 2);
#pragma unroll
        for (int n = 0; n < B_AT_ONCE; n += 2) {
            value[n] = odd ? last.im : last.re;
            value[n + 1] = odd ? next[n / 2].re : last.im;
            last = next[n / 2];
        }
    }
};

template <> struct paired_values<none> {
    __device__ paired_values(const numbers<none> &, const packed_row &, int) {}
    __device__ void load(int, none (&)[B_AT_ONCE]) {}
};

/* Adds the products of an entry of A with the row of B that it names. A whole warp calls it. */
template <typename Value>
__device__ void add_entry(const patterns<int32_t> &pattern, const numbers<Value> &number, const packed_row &row,
                          Value a, thread_sums<Value> &sums, thread_found &found)
{
    int length = length_of(row);
    if (length > PACKED_MOST) {
        if (check_unpacked(pattern, row, found)) add_unpacked(pattern, number, row, a, sums);
        length = 0;
    }
    found.products += (unsigned int)length;
    const int most = __reduce_max_sync(~0u, length);
    paired_values<Value> values(number, row, length);
#pragma unroll
    for (int q = 0; q < PACKED_MOST; q += B_AT_ONCE) {
        if (q >= most) break;
        uint32_t column[B_AT_ONCE];
        Value value[B_AT_ONCE];
        values.load(q, value);
#pragma unroll
        for (int n = 0; n < B_AT_ONCE; ++n) column[n] = column_of(row, q + n);
        sums.add(column, length - q, a, value);
    }
}

/* Adds all products of a row of A, which may be empty. A whole warp calls it. */
template <typename Value>
__device__ void add_row(const patterns<int32_t> &pattern, const numbers<Value> &number, const packed_row *packed,
                        span<int32_t> a, thread_sums<Value> &sums, thread_found &found)
{
    const int length = a.end - a.begin, longest = __reduce_max_sync(~0u, length);
    int32_t columns[A_AT_ONCE];
    Value values[A_AT_ONCE];
    const auto load = [&](int k) {
#pragma unroll
        for (int n = 0; n < A_AT_ONCE; ++n) {
            columns[n] = load_if(k + n < length, pattern.a_columns + a.begin + k + n, 0);
            if constexpr (has_values<Value>) values[n] = value_if(k + n < length, number.a_values + a.begin + k + n);
        }
    };
    load(0);
    packed_row next = checked_packed(pattern, packed, length > 0, columns[0], found);
#pragma unroll 1
    for (int k = 0; k < longest; ++k) {
        const packed_row row = next;
        const Value value = values[0];
#pragma unroll
        for (int n = 0; n + 1 < A_AT_ONCE; ++n) columns[n] = columns[n + 1], values[n] = values[n + 1];
        if ((k + 1) % A_AT_ONCE == 0) load(k + 1);
        next = checked_packed(pattern, packed, k + 1 < length, columns[0], found);
        add_entry(pattern, number, row, value, sums, found);
    }
}

/* Sums and counts row i; returns its length, 0 unless found.fits. A whole warp calls it. */
template <typename Value>
__device__ int32_t count_row(const patterns<int32_t> &pattern, const numbers<Value> &number, const packed_row *packed,
                             uint32_t i, thread_sums<Value> &sums, thread_found &found)
{
    const bool active = i < (uint32_t)pattern.rows;
    span<int32_t> a{0, 0};
    if (active) a = checked_a_row(pattern, (int32_t)i, found.faults);
    if (a.end - a.begin > HASH_THREAD_MOST_A) {
        found.fits = false;
        a.end = a.begin;
    }
    add_row(pattern, number, packed, a, sums, found);
    if (sums.table.taken > HASH_THREAD_MOST) found.fits = false;
    return found.fits ? (int32_t)sums.table.taken : 0;
}

/* Compacts the keys of a table, at a stride of 32, where the table was. A whole warp calls it, because lists interleave
 * across lanes. */
__device__ inline void pack_keys(table_memory &memory, thread_table &table)
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

/* Where a warp's rows go: lane 0's row begins at entry `begin` of C, this lane's (n entries) at `begin` + `own`. */
struct rows_place {
    int32_t begin;
    int own, n;
};

/* Sorts up to N entries of each of a warp's rows (n: this lane's) and writes them where place() says. */
template <int N, typename Value, typename Sums, typename Place>
__device__ void write_rows(const numbers<Value> &number, table_memory &memory, const Sums &sums, int n, Place &&place)
{
    uint32_t key[N];
    const uint32_t *list = reinterpret_cast<const uint32_t *>(memory) + threadIdx.x % 32;
#pragma unroll
    for (int e = 0; e < N; ++e) key[e] = e < n ? list[e * 32] : EMPTY;
    sort_in_thread<0, N>(key);
    const rows_place to = place();
    auto &staged = reinterpret_cast<staged_entries<Value> &>(memory);
    static_assert(sizeof staged <= sizeof memory, "the table makes room");
#pragma unroll
    for (int e = 0; e < N; e += CHUNK) {
        if (!__any_sync(~0u, e < to.n)) break;
        __syncwarp();
#pragma unroll
        for (int x = e; x < e + CHUNK; ++x) {
            if (x >= to.n) continue;
            staged.columns[x - e][threadIdx.x % 32] = (int32_t)(key[x] >> NUMBER_BITS);
            staged.values[x - e][threadIdx.x % 32] = sums.first[key[x] % NUMBERS * 32];
        }
        __syncwarp();
        write_chunk(staged, number, to.begin, to.own, to.n, e);
    }
}

/* The same, by the network for rows of up to `most` entries, the same for the whole warp. */
template <typename Value, typename Sums, typename Place>
__device__ void write_rows(const numbers<Value> &number, table_memory &memory, const Sums &sums, int n, int most,
                           Place &&place)
{
    if (most <= NUMBERS / 2)
        write_rows<NUMBERS / 2>(number, memory, sums, n, place);
    else
        write_rows<NUMBERS>(number, memory, sums, n, place);
}

} // namespace spg

#endif
