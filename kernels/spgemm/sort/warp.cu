/* The warp class: rows of up to WARP_MOST products, a warp each, sorted across its registers (sections 3.2 to 3.4 of
 * the paper). See rows.cuh; any operands.
 *
 * In: a row_set. Out: lengths, or columns and values. Invariant: warps share nothing. A row's columns are expanded to
 * shared memory by number, sorted in registers with as many keys a lane as the row needs, and contracted to heads and a
 * permutation. Then the values are expanded over the columns and summed through the permutation. */
#include "../rows.cuh"
#include "expand.cuh"
#include "sort.cuh"

#include <algorithm>

namespace spg
{
namespace
{

enum { WARPS = 4, THREADS = WARPS * WARP, MOST_KEYS = WARP_MOST / WARP };
static_assert(MOST_KEYS == 32, "contract_row has a case for each size");

/* Wide = true if 32 bits may not hold a row's column span and a product's number. It is a separate kernel, because
 * 64-bit keys take twice the registers. */
bool may_be_wide(const cuda_product &product) { return product.B->cols > ((int64_t)1 << 32) / WARP_MOST; }

/* order[] by place, with two unused elements after each lane's, so that lanes use different banks. */
enum { ORDER_PLACES = WARP_MOST + 2 * WARP };

/* A warp's shared memory: this, when counting the sources alone; then `columns`, later reused for values. */
template <typename Offset> struct warp_room {
    warp_sources<Offset> sources;
    uint16_t order[ORDER_PLACES]; /* products by place */
    uint16_t heads[WARP_MOST];    /* places by entry */
};

/* Its bytes, and a warp's bytes in all. */
template <bool Filling, typename Offset> constexpr int room_bytes()
{
    return (int)((Filling ? sizeof(warp_room<Offset>) : sizeof(warp_sources<Offset>)) + 15) / 16 * 16;
}
template <bool Filling, typename Offset> int warp_bytes(size_t value_bytes)
{
    return room_bytes<Filling, Offset>() + WARP_MOST * (int)std::max(value_bytes, sizeof(uint32_t));
}

/* The columns of a row by number; where its pattern goes when filling, unused when counting. */
struct row_pattern {
    const uint32_t *columns;
    uint16_t *order, *heads;
    int32_t *c_columns;
    int keys_shift;     /* result: a lane has 1 << keys_shift places */
    unsigned int flags; /* result: for each of the lane's places, whether an entry begins there */
};

/* Sorts and contracts a row of up to 32 * K products; all lanes get its number of entries. */
template <bool Filling, typename Key, int K> __device__ int contract_row(const expanded_row &row, row_pattern &result)
{
    constexpr int NUMBER_BITS = 5 + (K >= 2) + (K >= 4) + (K >= 8) + (K >= 16) + (K >= 32);
    constexpr uint32_t NUMBERS = 1u << NUMBER_BITS;
    int lane = lane_in_warp();
    Key keys[K];
#pragma unroll
    for (int k = 0; k < K; ++k) {
        int p = k * WARP + lane;
        keys[k] = p < row.products ? (Key)(result.columns[p] - row.least) << NUMBER_BITS | (Key)p : no_key<Key>;
    }
    sort_in_warp(keys);
    unsigned int flags = head_flags(keys, NUMBER_BITS, row.products);
    int entries, entry = exclusive_scan(__popc(flags), 0, plus{}, &entries);
    if constexpr (Filling) {
        result.keys_shift = NUMBER_BITS - 5;
        result.flags = flags;
#pragma unroll
        for (int k = 0; k < K; ++k) {
            if (lane * K + k < row.products) result.order[lane * (K + 2) + k] = (uint16_t)(keys[k] & (NUMBERS - 1));
            if ((flags >> k & 1) != 0) result.heads[entry++] = (uint16_t)(lane * K + k);
        }
        __syncwarp();
        for (int j = lane; j < entries; j += WARP) {
            int place = result.heads[j];
            int product = result.order[place + 2 * (place >> result.keys_shift)];
            result.c_columns[j] = (int32_t)result.columns[product];
        }
    }
    return entries;
}

/* As contract_row, with the fewest keys a lane that hold the row, 32 bits wide if its columns allow it. */
template <bool Filling, bool Wide> __device__ int contract_row(const expanded_row &row, row_pattern &result)
{
    int bits = row.products <= WARP ? 5 : bits_of((uint32_t)row.products - 1);
    if constexpr (Wide)
        if (bits_of(row.span) + bits > 32)
            return row.products <= 128 ? contract_row<Filling, uint64_t, 4>(row, result)
                                       : contract_row<Filling, uint64_t, 32>(row, result);
    switch (bits) {
    case 5: return contract_row<Filling, uint32_t, 1>(row, result);
    case 6: return contract_row<Filling, uint32_t, 2>(row, result);
    case 7: return contract_row<Filling, uint32_t, 4>(row, result);
    case 8: return contract_row<Filling, uint32_t, 8>(row, result);
    case 9: return contract_row<Filling, uint32_t, 16>(row, result);
    default: return contract_row<Filling, uint32_t, 32>(row, result);
    }
}

template <bool Checked, typename Offset>
__device__ expanded_row expand_columns(const patterns<Offset> &pattern, const span<Offset> &row,
                                       warp_sources<Offset> &sources, uint32_t *columns, unsigned int &faults)
{
    uint32_t least = ~0u, greatest = 0;
    const expansion expanded =
        expand_by_warp<Checked>(pattern, row, WARP_MOST, sources, faults, [&](int p, Offset, Offset b_entry) {
            uint32_t column = column_of_b<Checked>(pattern, b_entry, faults);
            columns[p] = column;
            least = min(least, column);
            greatest = max(greatest, column);
        });
    least = __reduce_min_sync(ALL_LANES, least);
    greatest = __reduce_max_sync(ALL_LANES, greatest);
    __syncwarp();
    return {expanded, least, greatest - least};
}

/* Fills the products of a row by number, then its entries: with at most one product a lane, across the lanes; otherwise
 * an entry a lane. */
template <typename Offset, typename Value>
__device__ __forceinline__ void fill_values(const patterns<Offset> &pattern, const numbers<Value> &all,
                                            const span<Offset> &row, warp_room<Offset> &room, int entries,
                                            const row_pattern &found, Value *values, Value *c_values)
{
    unsigned int none_found = 0;
    int lane = lane_in_warp();
    const int products = expand_by_warp<false>(pattern, row, WARP_MOST, room.sources, none_found,
                                               [&](int p, Offset a_entry, Offset b_entry) {
                                                   values[p] = multiply(all.a_values[a_entry], all.b_values[b_entry]);
                                               })
                             .products;
    __syncwarp();
    auto order = [&](int place) { return room.order[place + 2 * (place >> found.keys_shift)]; };
    if (found.keys_shift == 0) {
        Value value = lane < products ? values[order(lane)] : zero<Value>();
        sum_entries_across(value, found.flags != 0, products, c_values);
    } else
        sum_entries(room.heads, entries, products, values, order, lane, WARP, c_values);
}

/* Blocks a multiprocessor for which registers must leave room. */
template <bool Filling, bool Wide> constexpr int RESIDENT = Wide ? 3 : Filling ? 4 : 5;

/* bytes: of a warp. */
template <bool Filling, typename Offset, bool Wide>
__global__ void __launch_bounds__(THREADS, (RESIDENT<Filling, Wide>))
    row_kernel(const __grid_constant__ patterns<Offset> pattern, const __grid_constant__ row_set rows,
               const __grid_constant__ any_numbers all, const int bytes)
{
    extern __shared__ __align__(16) unsigned char shared[];
    unsigned char *mine = shared + threadIdx.x / WARP * bytes;
    warp_room<Offset> &room = *reinterpret_cast<warp_room<Offset> *>(mine);
    uint32_t *columns = reinterpret_cast<uint32_t *>(mine + room_bytes<Filling, Offset>());
    counts found{};
    int32_t count = row_count(rows);
    for (int64_t at = (int64_t)blockIdx.x * WARPS + threadIdx.x / WARP; at < count; at += (int64_t)gridDim.x * WARPS) {
        int32_t i = row_at(rows, (int32_t)at);
        span<Offset> a = Filling ? a_row(pattern, i) : checked_a_row(pattern, i, found.faults);
        Offset begin = Filling ? pattern.c_offsets[i] : 0;
        expanded_row row = expand_columns<!Filling>(pattern, a, room.sources, columns, found.faults);
        if (Filling && row.products <= 0) continue;
        row_pattern result{columns, room.order, room.heads, all.c_columns + begin, 0, 0};
        int length = row.products > 0 ? contract_row<Filling, Wide>(row, result) : 0;
        __syncwarp();
        if constexpr (Filling) {
            if (!all.pattern_only)
                with_numbers(all, [&](auto typed) {
                    fill_values(pattern, typed, a, room, length, result,
                                reinterpret_cast<decltype(typed.c_values)>(columns), typed.c_values + begin);
                });
            __syncwarp();
        } else if (lane_in_warp() == 0)
            record_row(pattern, i, row.fits, length, row.products, found);
    }
    if (!Filling) add_counts(pattern.counters, found);
}

template <bool Filling> spg_status launch(cuda_product &product, const row_set &rows, const char *what)
{
    const size_t value_bytes = Filling && !product.pattern_only ? spg_type_size(product.A->value_type) : 0;
    return with_offset_type(product.offset_type, [&](auto offset) {
        using Offset = decltype(offset);
        const int bytes = warp_bytes<Filling, Offset>(value_bytes);
        const class_launch shape{what, WARP, THREADS, WARPS * bytes,
                                 WARPS * warp_bytes<Filling, Offset>(Filling ? sizeof(complex<double>) : 0)};
        return launch_class(
            product, rows, shape,
            may_be_wide(product) ? row_kernel<Filling, Offset, true> : row_kernel<Filling, Offset, false>, bytes);
    });
}

} // namespace

spg_status do_rows_warp(cuda_product &product, const row_set &rows, bool filling)
{
    return filling ? launch<true>(product, rows, "filling rows by warps")
                   : launch<false>(product, rows, "counting rows by warps");
}

} // namespace spg
