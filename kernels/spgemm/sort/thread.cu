/* The thread class: rows of up to THREAD_MOST products, a thread each, sorted by a network in its registers (sections
 * 3.2 to 3.4 of the paper). See rows.cuh; any operands.
 *
 * In: a row_set. Out: lengths, or columns and values. Invariant: threads share nothing. A thread's columns, later its
 * values, are in shared memory by number, one bank a lane. */
#include "../rows.cuh"
#include "expand.cuh"
#include "sort.cuh"

#include <algorithm>

namespace spg
{
namespace
{

enum { THREADS = 128, WARPS = THREADS / WARP, NUMBER_BITS = 5, HEAD = 1 << NUMBER_BITS };
static_assert(THREAD_MOST == 1 << NUMBER_BITS && THREAD_MOST == 32, "the network's size");

/* A warp's shared memory: `order` of the sorted products (filling only), then columns or values. */
template <bool Filling> constexpr int order_bytes() { return Filling ? THREAD_MOST * WARP : 0; }
constexpr int slot_of(int product, int lane) { return product * WARP + lane; }

template <bool Filling> int warp_bytes(size_t value_bytes)
{
    return order_bytes<Filling>() + THREAD_MOST * WARP * (int)std::max(value_bytes, sizeof(uint32_t));
}

/* The sorted keys of a row of `products` columns. The whole warp calls it; no row of the warp has more than `most`. */
template <typename Key>
__device__ void sort_columns(const uint32_t *columns, int lane, int products, int most, Key (&keys)[THREAD_MOST])
{
#pragma unroll
    for (int p = 0; p < THREAD_MOST; ++p)
        keys[p] = p < products ? (Key)columns[slot_of(p, lane)] << NUMBER_BITS | (Key)p : no_key<Key>;
    sort_row_in_thread(keys, most);
}

/* Fills the products of a row by number, then its entries in order. */
template <typename Offset, typename Value>
__device__ __forceinline__ void fill_values(const patterns<Offset> &pattern, const numbers<Value> &all,
                                            const span<Offset> &row, const uint8_t *order, Value *values, int lane,
                                            Value *c_values)
{
    unsigned int none_found = 0;
    int products =
        expand_by_thread<false>(pattern, row, THREAD_MOST, none_found, [&](int p, Offset a_entry, Offset b_entry) {
            values[slot_of(p, lane)] = multiply(all.a_values[a_entry], all.b_values[b_entry]);
        }).products;
    Value sum = zero<Value>();
    for (int p = 0; p < products; ++p) {
        int next = order[slot_of(p, lane)];
        if (p > 0 && (next & HEAD) != 0) {
            *c_values++ = sum;
            sum = zero<Value>();
        }
        sum = add(sum, values[slot_of(next & (HEAD - 1), lane)]);
    }
    if (products > 0) *c_values = sum;
}

/* The entries of a row from its sorted keys: counted, or their columns written, and the order of its products. */
template <typename Key> __device__ int count_columns(const Key (&keys)[THREAD_MOST], int products)
{
    int length = products > 0;
#pragma unroll
    for (int p = 1; p < THREAD_MOST; ++p)
        length += p < products && keys[p] >> NUMBER_BITS != keys[p - 1] >> NUMBER_BITS;
    return length;
}
template <typename Key>
__device__ void write_columns(const Key (&keys)[THREAD_MOST], int products, uint8_t *order, int lane,
                              int32_t *c_columns)
{
#pragma unroll
    for (int p = 0; p < THREAD_MOST; ++p) {
        if (p >= products) continue;
        bool head = p == 0 || keys[p] >> NUMBER_BITS != keys[p - 1] >> NUMBER_BITS;
        if (head) *c_columns++ = (int32_t)(keys[p] >> NUMBER_BITS);
        order[slot_of(p, lane)] = (uint8_t)((keys[p] & (HEAD - 1)) | (head ? HEAD : 0));
    }
}

/* Blocks a multiprocessor for which registers must leave room; 0: any number. */
template <bool Filling, typename Key> constexpr int RESIDENT = !Filling ? 0 : sizeof(Key) == 4 ? 5 : 4;

/* bytes: of a warp. */
template <bool Filling, typename Offset, typename Key>
__global__ void __launch_bounds__(THREADS, (RESIDENT<Filling, Key>))
    row_kernel(const __grid_constant__ patterns<Offset> pattern, const __grid_constant__ row_set rows,
               const __grid_constant__ any_numbers all, const int bytes)
{
    extern __shared__ __align__(16) unsigned char shared[];
    uint8_t *order = shared + threadIdx.x / WARP * bytes;
    uint32_t *columns = reinterpret_cast<uint32_t *>(order + order_bytes<Filling>());
    int lane = lane_in_warp();
    counts found{};
    int32_t count = row_count(rows);
    for (int64_t tile = (int64_t)blockIdx.x * THREADS; tile < count; tile += (int64_t)gridDim.x * THREADS) {
        int64_t at = tile + threadIdx.x;
        int32_t i = at < count ? row_at(rows, (int32_t)at) : -1;
        span<Offset> row{0, 0};
        if (i >= 0) row = Filling ? a_row(pattern, i) : checked_a_row(pattern, i, found.faults);
        const expansion expanded =
            expand_by_thread<!Filling>(pattern, row, THREAD_MOST, found.faults, [&](int p, Offset, Offset b_entry) {
                columns[slot_of(p, lane)] = column_of_b<!Filling>(pattern, b_entry, found.faults);
            });
        const int products = expanded.products;
        Key keys[THREAD_MOST];
        sort_columns(columns, lane, products, (int)__reduce_max_sync(ALL_LANES, (unsigned)products), keys);
        if constexpr (Filling) {
            const Offset begin = i >= 0 ? pattern.c_offsets[i] : 0;
            write_columns(keys, products, order, lane, all.c_columns + begin);
            __syncwarp();
            if (!all.pattern_only)
                with_numbers(all, [&](auto typed) {
                    fill_values(pattern, typed, row, order, reinterpret_cast<decltype(typed.c_values)>(columns), lane,
                                typed.c_values + begin);
                });
            __syncwarp();
        } else if (i >= 0)
            record_row(pattern, i, expanded.fits, count_columns(keys, products), products, found);
    }
    if (!Filling) add_counts(pattern.counters, found);
}

template <bool Filling> spg_status launch(cuda_product &product, const row_set &rows, const char *what)
{
    const size_t value_bytes = Filling && !product.pattern_only ? spg_type_size(product.A->value_type) : 0;
    const int bytes = warp_bytes<Filling>(value_bytes);
    const class_launch shape{what, 1, THREADS, WARPS * bytes,
                             WARPS * warp_bytes<Filling>(Filling ? sizeof(complex<double>) : 0)};
    return with_offset_type(product.offset_type, [&](auto offset) {
        using Offset = decltype(offset);
        const bool fits = product.B->cols <= (int64_t)1 << (32 - NUMBER_BITS); /* any column, with a number */
        return launch_class(product, rows, shape,
                            fits ? row_kernel<Filling, Offset, uint32_t> : row_kernel<Filling, Offset, uint64_t>,
                            bytes);
    });
}

} // namespace

spg_status do_rows_thread(cuda_product &product, const row_set &rows, bool filling)
{
    return filling ? launch<true>(product, rows, "filling rows by threads")
                   : launch<false>(product, rows, "counting rows by threads");
}

} // namespace spg
