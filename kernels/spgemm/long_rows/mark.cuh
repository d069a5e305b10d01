/* How a block sets the bits of a row's columns in shared memory: it lays the products of as many entries of A as it has
 * threads end to end, and its warps set bits in any order. Columns beyond the bitmap's range need another pass over the
 * row. Private. */
#ifndef SPG_KERNELS_SPGEMM_LONG_ROWS_MARK_CUH
#define SPG_KERNELS_SPGEMM_LONG_ROWS_MARK_CUH

#include "../../primitives/bitmap.cuh"
#include "long_rows.cuh"

namespace spg
{

enum { STEPS_TOGETHER = 4 };                   /* steps of 32 products whose loads are in flight together */
constexpr uint64_t BATCH_PRODUCTS = INT32_MAX; /* so that products are numbered in 32 bits */
constexpr int LENGTH_BITS = 48;                /* bits of a sum of lengths; the bits above count entries */

/* Rows of B: checked to ascend strictly; or in any order with repeated columns, so that every range reads whole rows;
 * or known to ascend, when filling. */
enum class b_order { checked, any, known };

/* Shared memory of a block. */
template <typename Offset> struct block_memory {
    Offset *deltas;
    uint32_t *bitmap, *starts;
};

/* Lays the products of entries of A from `at` on end to end; returns the number of entries taken; 0: the first has more
 * than BATCH_PRODUCTS, which only a row of B with repeated columns has. Only products in columns [low, high) belong to
 * the range. All threads call it. */
template <typename Offset, b_order Order>
__device__ inline int lay_batch(const patterns<Offset> &pattern, const block_memory<Offset> &memory, Offset at,
                                Offset end, int64_t low, int64_t high, flat_products<Offset> &flat, counts &found)
{
    __shared__ uint64_t total;
    span<Offset> row{0, 0};
    Offset skipped = 0, length = 0;
    if (end - at > (Offset)threadIdx.x) {
        int32_t a_column = pattern.a_columns[at + (Offset)threadIdx.x];
        row = Order == b_order::known ? b_row(pattern, a_column) : checked_b_row(pattern, a_column, found.faults);
        if (Order == b_order::checked && row.end - row.begin > pattern.cols) {
            found.faults |= SPG_FAULT_B_UNSORTED;
            row.end = row.begin;
        }
        length = row.end - row.begin;
        const int32_t *columns = pattern.b_columns + row.begin;
        const auto first_from = [&](int64_t column) {
            return first_that(0, (int32_t)length, [&](int32_t k) { return columns[k] >= column; });
        };
        if (Order != b_order::any && low > 0) skipped = first_from(low);
        if (Order != b_order::any && high < pattern.cols) length = first_from(high);
        /* The ranges thus partition the row, and an unsorted row shows in one of them. */
        if (Order == b_order::checked && length < skipped) found.faults |= SPG_FAULT_B_UNSORTED;
        length = length > skipped ? length - skipped : 0;
    }
    uint64_t own = (uint64_t)length | (uint64_t)(length > 0) << LENGTH_BITS;
    uint64_t sum = inclusive_block_sum<32>(own), products = sum & ((1ull << LENGTH_BITS) - 1);
    bool taken = products <= BATCH_PRODUCTS;
    if (taken && length > 0) {
        int entry = (int)(sum >> LENGTH_BITS) - 1;
        uint32_t start = (uint32_t)(products - (uint64_t)length);
        memory.starts[entry] = start;
        memory.deltas[entry] = row.begin + skipped - (Offset)start;
    }
    if (Order != b_order::known && taken && low == 0) found.products += (unsigned long long)(row.end - row.begin);
    int entries = __syncthreads_count(taken);
    if ((int)threadIdx.x == entries - 1) total = sum;
    __syncthreads();
    flat = {memory.starts, memory.deltas, (int)(total >> LENGTH_BITS), (uint32_t)(total & ((1ull << LENGTH_BITS) - 1))};
    return entries;
}

/* Sets the bits of one batch: each warp takes an equal share of the products. */
template <typename Offset, b_order Order>
__device__ inline void set_bits(const patterns<Offset> &pattern, const flat_products<Offset> &flat, uint32_t *bitmap,
                                int64_t low, int64_t high, counts &found)
{
    uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    uint32_t stretch = ((flat.products + 31) / 32 + warps - 1) / warps * 32;
    uint32_t p = warp * stretch, end = p + stretch < flat.products ? p + stretch : flat.products;
    if (p >= end) return;
    int before = entry_before(flat, p);
    int32_t previous = -1; /* in lane 0: the column of product p - 1 */
    if (Order == b_order::checked && lane == 0 && p > 0)
        previous = pattern.b_columns[flat.deltas[before] + (Offset)(p - 1)];
    for (; p < end; p += 32 * STEPS_TOGETHER) {
        int32_t columns[STEPS_TOGETHER];
        uint32_t begins[STEPS_TOGETHER];
#pragma unroll
        for (int u = 0; u < STEPS_TOGETHER; ++u) {
            uint32_t own = p + 32 * u + lane;
            int entry = entry_of(flat, p + 32 * u, before, begins[u]);
            columns[u] = own < end ? pattern.b_columns[flat.deltas[entry] + (Offset)own] : -1;
        }
#pragma unroll
        for (int u = 0; u < STEPS_TOGETHER; ++u) {
            bool active = p + 32 * u + lane < end;
            if (Order == b_order::any) {
                if (active && (uint32_t)columns[u] >= (uint32_t)pattern.cols) found.faults |= SPG_FAULT_B;
                active = active && columns[u] >= low && columns[u] < high;
            }
            if (Order == b_order::checked) {
                int32_t left = __shfl_sync(~0u, columns[u], (lane + 31) % 32);
                if (active && (begins[u] >> lane & 1) == 0 && columns[u] <= (lane == 0 ? previous : left))
                    found.faults |= SPG_FAULT_B_UNSORTED;
                if (lane == 0) previous = left;
                bool within = columns[u] >= low && columns[u] < high;
                if (active && !within)
                    found.faults |= (uint32_t)columns[u] < (uint32_t)pattern.cols ? SPG_FAULT_B_UNSORTED : SPG_FAULT_B;
                active = active && within;
            }
            uint32_t place = (uint32_t)(columns[u] - (int32_t)low);
            if (active) set_bit(bitmap + place / 32, 1u << place % 32);
        }
    }
}

/* Sets the bits of a row of B that no batch holds. */
template <typename Offset>
__device__ inline void set_bits_of_row(const patterns<Offset> &pattern, Offset entry, uint32_t *bitmap, int64_t low,
                                       int64_t high, counts &found)
{
    const span<Offset> row = checked_b_row(pattern, pattern.a_columns[entry], found.faults);
    for (Offset k = row.begin + (Offset)threadIdx.x; k < row.end; k += (Offset)blockDim.x) {
        const int32_t column = pattern.b_columns[k];
        if ((uint32_t)column >= (uint32_t)pattern.cols) found.faults |= SPG_FAULT_B;
        if (column < low || column >= high) continue;
        const uint32_t place = (uint32_t)(column - (int32_t)low);
        set_bit(bitmap + place / 32, 1u << place % 32);
    }
    if (threadIdx.x == 0 && low == 0) found.products += (unsigned long long)(row.end - row.begin);
}

/* Sets the bits of the columns [low, high) that some entries of A have products in. All threads call it. */
template <typename Offset, b_order Order>
__device__ inline void mark_columns(const patterns<Offset> &pattern, const block_memory<Offset> &memory,
                                    span<Offset> entries, int64_t low, int64_t high, counts &found)
{
    for (Offset at = entries.begin; at < entries.end;) {
        flat_products<Offset> flat;
        Offset taken = lay_batch<Offset, Order>(pattern, memory, at, entries.end, low, high, flat, found);
        if (Order == b_order::any && taken == 0) {
            set_bits_of_row(pattern, at, memory.bitmap, low, high, found);
            taken = 1;
        } else {
            set_bits<Offset, Order>(pattern, flat, memory.bitmap, low, high, found);
        }
        __syncthreads();
        if (entries.end - at <= taken) break;
        at += taken;
    }
}

} // namespace spg

#endif
