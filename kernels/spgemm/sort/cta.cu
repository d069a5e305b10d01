/* The CTA class: rows of up to CTA_MOST products, a block each, sorted by CUB's block radix sort on the bits that the
 * row's columns span (sections 3.2 to 3.4 of the paper). See rows.cuh; any operands.
 *
 * In: a row_set. Out: lengths, or columns and values. Invariant: blocks share nothing. Shared memory holds in turn the
 * row's columns by number, the sort's storage and the sorted keys; when filling, then the permutation, heads and values
 * by number, which are expanded when the columns are no longer needed. */
#include "../rows.cuh"
#include "expand.cuh"
#include "sort.cuh"

#include <algorithm>

namespace spg
{
namespace
{

enum { THREADS = CTA_THREADS, WARPS = THREADS / WARP, FEW_KEYS = 4, MOST_KEYS = CTA_MOST / THREADS };
enum { WORDS = CTA_MOST / WARP }; /* one bit a product */
static_assert(MOST_KEYS == 16 && CTA_MOST == MOST_KEYS * THREADS, "contract_row has a case for each size");
static_assert((int)WORDS <= (int)THREADS, "a thread a word");

/* Wide = true if 32 bits may not hold a row's column span and a product's number. It is a separate kernel, because
 * 64-bit keys take twice the registers and shared memory. */
bool may_be_wide(const cuda_product &product) { return product.B->cols > ((int64_t)1 << 32) / CTA_MOST; }

/* Columns by number, with a gap after every 32, so that the threads' runs begin in different banks. */
__host__ __device__ constexpr int column_slot(int p) { return p + p / 32; }

/* What stays in shared memory throughout. */
struct alignas(128) small_state {
    block_scan::TempStorage scan;
    uint32_t least[WARPS], greatest[WARPS];
    counts found; /* of thread 0; not in registers, because the sort needs all of them */
};

/* Parts of the dynamic shared memory, in bytes from its start: the sources, then what is used in turn. While a row is
 * sorted, the flag words come after everything else. */
struct layout {
    int stage, words, values, total;
};

/* order[] and heads[] reuse the memory of the sorted keys. */
constexpr int PERMUTATION_BYTES = 2 * CTA_MOST * (int)sizeof(uint16_t);

template <typename Key> constexpr int stage_bytes()
{
    size_t sort = std::max(sizeof(typename block_sort<Key, THREADS, FEW_KEYS>::TempStorage),
                           sizeof(typename block_sort<Key, THREADS, MOST_KEYS>::TempStorage));
    size_t columns = (size_t)column_slot(CTA_MOST) * sizeof(uint32_t), keys = (size_t)CTA_MOST * sizeof(Key);
    return (int)((std::max(sort, std::max(columns, keys)) + 15) / 16 * 16);
}

template <bool Filling, typename Offset> layout layout_for(const cuda_product &product)
{
    int stage = (int)(sizeof(block_sources<Offset>) + 15) / 16 * 16;
    int words = stage + (may_be_wide(product) ? stage_bytes<uint64_t>() : stage_bytes<uint32_t>());
    int total = words + 2 * WORDS * (int)sizeof(uint32_t), values = stage + PERMUTATION_BYTES;
    if (Filling && !product.pattern_only)
        total = std::max(total, values + CTA_MOST * (int)spg_type_size(product.A->value_type));
    return {stage, words, values, total};
}

/* A block's shared memory by name. */
struct block_room {
    small_state *small;
    unsigned char *stage; /* in turn: columns, sort storage, keys, permutation */
    uint32_t *words, *word_entries;
    __device__ uint32_t *columns() const { return reinterpret_cast<uint32_t *>(stage); }
    __device__ uint16_t *order() const { return reinterpret_cast<uint16_t *>(stage); }
    __device__ uint16_t *heads() const { return order() + CTA_MOST; }
};

/* Sorts and contracts a row of up to THREADS * K products; all threads get its number of entries. When filling, columns
 * go to c_columns, order and heads to shared memory. Key k of a thread has index k * THREADS + thread, so that a warp
 * has 32 neighbours, and their head flags make one word. */
template <bool Filling, typename Key, int K>
__device__ int contract_row(const expanded_row &row, const block_room &room, int32_t *c_columns)
{
    int thread = threadIdx.x, lane = lane_in_warp(), warp = thread / WARP, bits = max(bits_of(row.span), 1);
    Key keys[K];
#pragma unroll
    for (int k = 0; k < K; ++k) {
        int p = thread * K + k;
        keys[k] = p < row.products ? (Key)p << bits | (Key)(room.columns()[column_slot(p)] - row.least) : no_key<Key>;
    }
    __syncthreads();
    sort_in_block<THREADS>(keys, bits, room.stage);
    __syncthreads();
    Key *sorted = reinterpret_cast<Key *>(room.stage), column_bits = ((Key)1 << bits) - 1;
#pragma unroll
    for (int k = 0; k < K; ++k) sorted[k * THREADS + thread] = keys[k];
    if (thread < WORDS) room.words[thread] = 0;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < K; ++k) {
        int place = k * THREADS + thread;
        bool head =
            place < row.products && (place == 0 || ((keys[k] ^ sorted[place - (place > 0)]) & column_bits) != 0);
        unsigned int word = __ballot_sync(ALL_LANES, head);
        if (lane == 0) room.words[k * WARPS + warp] = word;
    }
    __syncthreads();
    uint32_t before, entries;
    block_scan(room.small->scan).ExclusiveSum(thread < WORDS ? __popc(room.words[thread]) : 0u, before, entries);
    if (thread < WORDS) room.word_entries[thread] = before;
    __syncthreads();
    if constexpr (Filling) {
#pragma unroll
        for (int k = 0; k < K; ++k) {
            int place = k * THREADS + thread;
            if (place >= row.products) continue;
            unsigned int word = room.words[k * WARPS + warp];
            room.order()[place] = (uint16_t)(keys[k] >> bits);
            if ((word >> lane & 1) == 0) continue;
            int entry = (int)room.word_entries[k * WARPS + warp] + __popc(word & lanes_below());
            room.heads()[entry] = (uint16_t)place;
            c_columns[entry] = (int32_t)(row.least + (uint32_t)(keys[k] & column_bits));
        }
        __syncthreads();
    }
    return (int)entries;
}

/* As contract_row, with the fewest and narrowest keys that hold the row. */
template <bool Filling, bool Wide>
__device__ int contract_row(const expanded_row &row, const block_room &room, int32_t *c_columns)
{
    if constexpr (Wide)
        if (bits_of(row.span) + bits_of((uint32_t)row.products - 1) > 32)
            return contract_row<Filling, uint64_t, MOST_KEYS>(row, room, c_columns);
    if (row.products <= FEW_KEYS * THREADS) return contract_row<Filling, uint32_t, FEW_KEYS>(row, room, c_columns);
    return contract_row<Filling, uint32_t, MOST_KEYS>(row, room, c_columns);
}

template <bool Checked, typename Offset>
__device__ expanded_row expand_columns(const patterns<Offset> &pattern, const span<Offset> &row,
                                       block_sources<Offset> &sources, const block_room &room, unsigned int &faults)
{
    uint32_t least = ~0u, greatest = 0, *columns = room.columns();
    const expansion expanded = expand_by_block<Checked>(
        pattern, row, CTA_MOST, sources, room.small->scan, faults, [&](int p, Offset, Offset b_entry) {
            uint32_t column = column_of_b<Checked>(pattern, b_entry, faults);
            columns[column_slot(p)] = column;
            least = min(least, column);
            greatest = max(greatest, column);
        });
    least = __reduce_min_sync(ALL_LANES, least);
    greatest = __reduce_max_sync(ALL_LANES, greatest);
    if (lane_in_warp() == 0) {
        room.small->least[threadIdx.x / WARP] = least;
        room.small->greatest[threadIdx.x / WARP] = greatest;
    }
    __syncthreads();
    for (int w = 0; w < WARPS; ++w) {
        least = min(least, room.small->least[w]);
        greatest = max(greatest, room.small->greatest[w]);
    }
    return {expanded, least, greatest - least};
}

__device__ block_room room_of(small_state &small, unsigned char *shared, const layout &parts)
{
    uint32_t *words = reinterpret_cast<uint32_t *>(shared + parts.words);
    return {&small, shared + parts.stage, words, words + WORDS};
}

/* Fills the products of a row by number, then its entries, a thread each. */
template <typename Offset, typename Value>
__device__ __forceinline__ void fill_values(const patterns<Offset> &pattern, const numbers<Value> &all,
                                            const span<Offset> &row, block_sources<Offset> &sources,
                                            const block_room &room, int entries, Value *values, Value *c_values)
{
    unsigned int none_found = 0;
    const int products = expand_by_block<false>(pattern, row, CTA_MOST, sources, room.small->scan, none_found,
                                                [&](int p, Offset a_entry, Offset b_entry) {
                                                    values[p] = multiply(all.a_values[a_entry], all.b_values[b_entry]);
                                                })
                             .products;
    const uint16_t *order = room.order();
    auto number_at = [=](int place) { return order[place]; };
    sum_entries(room.heads(), entries, products, values, number_at, (int)threadIdx.x, THREADS, c_values);
}

template <bool Filling, typename Offset, bool Wide>
__global__ void __launch_bounds__(THREADS, Wide ? 1 : 2)
    row_kernel(const __grid_constant__ patterns<Offset> pattern, const __grid_constant__ row_set rows,
               const __grid_constant__ any_numbers all, const __grid_constant__ layout parts)
{
    extern __shared__ __align__(16) unsigned char shared[];
    __shared__ small_state small;
    block_sources<Offset> &sources = *reinterpret_cast<block_sources<Offset> *>(shared);
    block_room room = room_of(small, shared, parts);
    unsigned int faults = 0;
    if (!Filling && threadIdx.x == 0) small.found = {};
    int32_t count = row_count(rows);
    for (int64_t at = blockIdx.x; at < count; at += gridDim.x) {
        int32_t i = row_at(rows, (int32_t)at);
        span<Offset> a = Filling ? a_row(pattern, i) : checked_a_row(pattern, i, faults);
        Offset begin = Filling ? pattern.c_offsets[i] : 0;
        expanded_row row = expand_columns<!Filling>(pattern, a, sources, room, faults);
        int length = row.products > 0 ? contract_row<Filling, Wide>(row, room, all.c_columns + begin) : 0;
        if (Filling && row.products > 0 && !all.pattern_only)
            with_numbers(all, [&](auto typed) {
                fill_values(pattern, typed, a, sources, room, length,
                            reinterpret_cast<decltype(typed.c_values)>(shared + parts.values), typed.c_values + begin);
            });
        __syncthreads();
        if (!Filling && threadIdx.x == 0) record_row(pattern, i, row.fits, length, row.products, small.found);
    }
    if (Filling) return;
    __syncthreads(); // the compiler lets every thread load what thread 0 has summed
    counts found{0, 0, 0, 0, 0, faults};
    if (threadIdx.x == 0)
        found = {small.found.nnz, small.found.products, small.found.longest, small.found.rows, 0, faults};
    add_counts(pattern.counters, found);
}

template <bool Filling> spg_status launch(cuda_product &product, const row_set &rows, const char *what)
{
    return with_offset_type(product.offset_type, [&](auto offset) {
        using Offset = decltype(offset);
        const layout parts = layout_for<Filling, Offset>(product);
        const class_launch shape{what, THREADS, THREADS, parts.total,
                                 product.cuda->block_shared_bytes - (int)sizeof(small_state)};
        return launch_class(
            product, rows, shape,
            may_be_wide(product) ? row_kernel<Filling, Offset, true> : row_kernel<Filling, Offset, false>, parts);
    });
}

} // namespace

spg_status do_rows_cta(cuda_product &product, const row_set &rows, bool filling)
{
    return filling ? launch<true>(product, rows, "filling rows by blocks")
                   : launch<false>(product, rows, "counting rows by blocks");
}

} // namespace spg
