/* The thread class: rows of up to THREAD_MOST products, a thread each, sorted by a network in its registers (sections
 * 3.2 to 3.4 of the paper). See rows.cuh; any operands.
 *
 * In: a row_set. Out: lengths, or columns and values. Invariant: threads share nothing. A thread's columns, later its
 * values, are in shared memory by number, one bank a lane. */
#include "../rows.cuh"
#include "contract.cuh"
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
constexpr int ORDER_BYTES = THREAD_MOST * WARP;
constexpr int slot_of(int product, int lane) { return product * WARP + lane; }

int warp_bytes(bool filling, size_t value_bytes)
{
    if (!filling) return THREAD_MOST * WARP * (int)sizeof(uint32_t);
    return ORDER_BYTES + THREAD_MOST * WARP * (int)std::max(value_bytes, sizeof(uint32_t));
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

template <typename Offset, typename Key>
__global__ void __launch_bounds__(THREADS)
    count_kernel(const __grid_constant__ patterns<Offset> pattern, const __grid_constant__ row_set rows)
{
    __shared__ uint32_t all_columns[WARPS][THREAD_MOST * WARP];
    uint32_t *columns = all_columns[threadIdx.x / WARP];
    int lane = lane_in_warp();
    unsigned long long nnz = 0, all_products = 0;
    unsigned int longest = 0, rows_counted = 0, faults = 0;
    int32_t count = row_count(rows);
    for (int64_t tile = (int64_t)blockIdx.x * THREADS; tile < count; tile += (int64_t)gridDim.x * THREADS) {
        int64_t at = tile + threadIdx.x;
        int32_t i = at < count ? row_at(rows, (int32_t)at) : -1;
        span<Offset> row{0, 0};
        if (i >= 0) row = checked_a_row(pattern, i, faults);
        const expansion expanded =
            expand_by_thread<true>(pattern, row, THREAD_MOST, faults, [&](int p, Offset, Offset b_entry) {
                columns[slot_of(p, lane)] = column_of_b<true>(pattern, b_entry, faults);
            });
        const int held = expanded.products;
        Key keys[THREAD_MOST];
        sort_columns(columns, lane, held, (int)__reduce_max_sync(ALL_LANES, (unsigned)held), keys);
        int length = held > 0;
#pragma unroll
        for (int p = 1; p < THREAD_MOST; ++p)
            length += p < held && keys[p] >> NUMBER_BITS != keys[p - 1] >> NUMBER_BITS;
        if (i < 0) continue;
        if (!expanded.fits) {
            leave_row(pattern, i);
            continue;
        }
        pattern.c_offsets[i] = length;
        nnz += length;
        all_products += held;
        longest = max(longest, (unsigned)length);
        ++rows_counted;
    }
    add_counts(pattern.counters, nnz, all_products, longest, rows_counted, faults);
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

template <typename Offset, typename Key>
__global__ void __launch_bounds__(THREADS, sizeof(Key) == 4 ? 5 : 4)
    fill_kernel(const __grid_constant__ patterns<Offset> pattern, const __grid_constant__ row_set rows,
                const __grid_constant__ any_numbers all, int bytes)
{
    extern __shared__ __align__(16) unsigned char shared[];
    uint8_t *order = shared + threadIdx.x / WARP * bytes;
    uint32_t *columns = reinterpret_cast<uint32_t *>(order + ORDER_BYTES);
    int lane = lane_in_warp();
    unsigned int none_found = 0;
    int32_t count = row_count(rows);
    for (int64_t tile = (int64_t)blockIdx.x * THREADS; tile < count; tile += (int64_t)gridDim.x * THREADS) {
        int64_t at = tile + threadIdx.x;
        span<Offset> row{0, 0};
        Offset begin = 0;
        if (at < count) {
            int32_t i = row_at(rows, (int32_t)at);
            row = a_row(pattern, i);
            begin = pattern.c_offsets[i];
        }
        int products =
            expand_by_thread<false>(pattern, row, THREAD_MOST, none_found, [&](int p, Offset, Offset b_entry) {
                columns[slot_of(p, lane)] = column_of_b<false>(pattern, b_entry, none_found);
            }).products;
        Key keys[THREAD_MOST];
        sort_columns(columns, lane, products, (int)__reduce_max_sync(ALL_LANES, (unsigned)products), keys);
        int32_t *c_columns = all.c_columns + begin;
#pragma unroll
        for (int p = 0; p < THREAD_MOST; ++p) {
            if (p >= products) continue;
            bool head = p == 0 || keys[p] >> NUMBER_BITS != keys[p - 1] >> NUMBER_BITS;
            if (head) *c_columns++ = (int32_t)(keys[p] >> NUMBER_BITS);
            order[slot_of(p, lane)] = (uint8_t)((keys[p] & (HEAD - 1)) | (head ? HEAD : 0));
        }
        __syncwarp();
        if (!all.pattern_only)
            with_numbers(all, [&](auto typed) {
                fill_values(pattern, typed, row, order, reinterpret_cast<decltype(typed.c_values)>(columns), lane,
                            typed.c_values + begin);
            });
        __syncwarp();
    }
}

/* Calls function(Key{}) with keys wide enough for any column. */
template <typename Function> spg_status with_key(const cuda_product &product, Function function)
{
    return product.B->cols <= (int64_t)1 << (32 - NUMBER_BITS) ? function(uint32_t{}) : function(uint64_t{});
}

} // namespace

spg_status count_rows_thread(cuda_product &product, const row_set &rows)
{
    int blocks = grid_for(product, rows.count, 1, THREADS);
    return with_offset_type(product.offset_type, [&](auto offset) {
        return with_key(product, [&](auto key) {
            count_kernel<decltype(offset), decltype(key)>
                <<<blocks, THREADS, 0, product.cuda->stream>>>(patterns_of<decltype(offset)>(product), rows);
            return spg_cuda_check_launch(product.context, "counting rows by threads");
        });
    });
}

spg_status fill_rows_thread(cuda_product &product, const row_set &rows)
{
    int blocks = grid_for(product, rows.count, 1, THREADS);
    /* The limit belongs to the process, and another thread may be about to launch: sets the same for all types. */
    int most = WARPS * warp_bytes(true, sizeof(complex<double>));
    int bytes = warp_bytes(true, product.pattern_only ? 0 : spg_type_size(product.A->value_type));
    return with_offset_type(product.offset_type, [&](auto offset) {
        return with_key(product, [&](auto key) {
            auto *kernel = fill_kernel<decltype(offset), decltype(key)>;
            spg_status status = spg_cuda_check(
                product.context, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most),
                "shared memory for rows by threads");
            if (status != SPG_OK) return status;
            kernel<<<blocks, THREADS, WARPS * bytes, product.cuda->stream>>>(patterns_of<decltype(offset)>(product),
                                                                             rows, any_numbers_of(product), bytes);
            return spg_cuda_check_launch(product.context, "filling rows by threads");
        });
    });
}

} // namespace spg
