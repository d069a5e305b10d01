/* Looks at a sample of rows, and at the order of B's columns (route/route.cuh).
 *
 * In: A and B, unchecked. Out: the counters' sample (device.h), posted. A warp looks at one row: its length, its
 * products, the columns that they span, and whether the following rows are like it. It counts its row of C in a table
 * in shared memory, unless the row has too many products. These warps mostly wait for memory. Meanwhile further blocks,
 * on otherwise idle multiprocessors, read all columns of B (primitives/row_order.cuh): 10 MB, 3 us at the bandwidth of
 * an H100, fit into that time. A larger B takes longer than the sample, but far less than a product that reads it. If
 * B's offsets are invalid, the counting kernels refuse them. */
#include "../../primitives/row_order.cuh"
#include "../driver/counters.cuh"
#include "../hash_group/table.cuh"
#include "../route/route.cuh"

#include <algorithm>

namespace spg
{

namespace
{

enum {
    SAMPLE_THREADS = 128,
    SAMPLE_SLICES = 3,             /* entries of A a lane, loaded together */
    SAMPLE_AT_ONCE = 4,            /* products a lane whose columns are loaded together */
    SAMPLE_SLOTS = 2 * TABLE_MOST, /* half of them empty, so that searches stay short */
    SAMPLE_SLOTS_LOG = 11
};
static_assert(SAMPLE_SLOTS == 1 << SAMPLE_SLOTS_LOG, "the slots of the table that rows are counted in");

/* Sample row k of n, at a varying place in its share of the rows: rows at equal distances may all be at the edge of a
 * grid. It begins at a multiple of 6, so that pairs and triples are whole. */
__device__ int32_t sample_row(int32_t k, int32_t samples, int32_t rows)
{
    const uint32_t within = ((uint32_t)k * 0x9e3779b1u >> 8) % (uint32_t)(rows / samples);
    return (int32_t)((int64_t)k * rows / samples + within) / 6 * 6;
}

/* Row i of the sample and the two after it; rows beyond the last are empty. */
template <typename Offset>
__device__ void load_rows(const patterns<Offset> &pattern, int32_t i, span<Offset> (&row)[MOST_TOGETHER])
{
    unsigned int faults = 0; /* discarded: the counting kernel finds them again */
#pragma unroll
    for (int r = 0; r < MOST_TOGETHER; r++)
        row[r] = i + r < pattern.rows ? checked_a_row(pattern, i + r, faults) : span<Offset>{0, 0};
}

/* What a row of C needs, and what row i of A has in common with the rows after it. */
struct row_needs {
    unsigned int products, first, last; /* columns */
    bool pair, triple, shifted;         /* shifted: each column of the next row is one more */
};

/* Inserts the columns of a row of C with few products, those of 32 entries of A. A whole warp calls it. */
template <typename Offset>
__device__ void insert_columns(const patterns<Offset> &pattern, column_table &table, span<Offset> b)
{
    constexpr int N = SAMPLE_AT_ONCE;
    const int length = (int)(b.end - b.begin), through = inclusive_scan(length, plus{}), before = through - length;
    const int all = __shfl_sync(~0u, through, 31);
    for (int base = 0; base < all; base += N * 32) {
        int32_t column[N];
#pragma unroll
        for (int n = 0; n < N; n++) {
            const int p = min(base + n * 32 + lane_in_warp(), all - 1), entry = lane_of_place(through, p);
            const Offset begin = __shfl_sync(~0u, b.begin, entry);
            column[n] = pattern.b_columns[begin + (p - __shfl_sync(~0u, before, entry))];
        }
        int slot; /* a column without a slot in a full table also makes the row too long */
#pragma unroll
        for (int n = 0; n < N; n++)
            if (__any_sync(~0u, !table.is_near(column[n], slot))) table.insert(true, column[n], slot);
    }
}

/* A block's sums over the sample. */
struct sample_sums {
    unsigned int products, pairs, triples, shifted, uncounted, nnz, too_long, most_a_length, most_span, most_products,
        longest;
};

/* Loads columns of a row of A, some a lane from entry k on, and compares them with those of the following rows: the
 * same, or one more. */
template <typename Offset>
__device__ void compare_rows(const patterns<Offset> &pattern, const span<Offset> (&row)[MOST_TOGETHER], Offset k,
                             int32_t (&column)[SAMPLE_SLICES], row_needs &needs)
{
    int32_t second[SAMPLE_SLICES], third[SAMPLE_SLICES];
#pragma unroll
    for (int s = 0; s < SAMPLE_SLICES; s++) {
        const Offset e = k + 32 * s + (int)threadIdx.x % 32;
        const bool valid = e < row[0].end - row[0].begin;
        column[s] = valid ? pattern.a_columns[row[0].begin + e] : NO_COLUMN;
        second[s] = valid && (needs.pair || needs.shifted) ? pattern.a_columns[row[1].begin + e] : column[s];
        third[s] = valid && needs.triple ? pattern.a_columns[row[2].begin + e] : column[s];
    }
#pragma unroll
    for (int s = 0; s < SAMPLE_SLICES; s++) {
        needs.pair = needs.pair && second[s] == column[s];
        needs.triple = needs.triple && third[s] == column[s];
        needs.shifted = needs.shifted && second[s] == column[s] + (column[s] != NO_COLUMN);
    }
}

/* Looks at one row. Assumes that rows of B ascend. Of a long row of A only a part is read, and scaled up: the longest
 * row of rmat16 took 0.17 ms. A whole warp calls it. */
template <typename Offset>
__device__ void sample_one(const patterns<Offset> &pattern, int32_t i, column_table &table, sample_sums &sums)
{
    unsigned int faults = 0;
    span<Offset> row[MOST_TOGETHER];
    load_rows(pattern, i, row);
    const Offset a_length = row[0].end - row[0].begin;
    const bool as_next = a_length > 0 && a_length == row[1].end - row[1].begin;
    row_needs needs{0, UINT32_MAX, 0, as_next, a_length > 0 && a_length == row[2].end - row[2].begin, as_next};
    const unsigned int apart = (unsigned int)(a_length / SAMPLE_ENTRIES) + 1;
    table.clear(lane_group<32>());
    __syncwarp();
    for (int64_t at = 0; at < a_length; at += (int64_t)(32 * SAMPLE_SLICES) * apart) {
        const Offset k = (Offset)at;
        int32_t column[SAMPLE_SLICES];
        span<Offset> b[SAMPLE_SLICES];
        compare_rows(pattern, row, k, column, needs);
#pragma unroll
        for (int s = 0; s < SAMPLE_SLICES; s++) {
            const bool valid = k + 32 * s + (int)threadIdx.x % 32 < a_length;
            b[s] = valid ? checked_b_row(pattern, column[s], faults) : span<Offset>{0, 0};
        }
#pragma unroll
        for (int s = 0; s < SAMPLE_SLICES; s++) {
            if (k + 32 * s >= a_length) break;
            const unsigned int most = (unsigned int)min((int64_t)(b[s].end - b[s].begin), (int64_t)1 << 20);
            const int64_t products = (int64_t)__reduce_add_sync(~0u, most) * apart;
            needs.products = (unsigned int)min(needs.products + products, (int64_t)1 << 26);
            if (b[s].begin < b[s].end) {
                const int32_t first = pattern.b_columns[b[s].begin], last = pattern.b_columns[b[s].end - 1];
                needs.first = min(needs.first, (unsigned int)first);
                needs.last = max(needs.last, (unsigned int)last);
            }
            if (apart == 1 && needs.products <= SAMPLE_PRODUCTS) insert_columns(pattern, table, b[s]);
        }
    }
    const unsigned int length = (unsigned int)table.taken(lane_group<32>());
    const bool pair = __all_sync(~0u, needs.pair), triple = pair && __all_sync(~0u, needs.triple),
               shifted = __all_sync(~0u, needs.shifted);
    const unsigned int first = __reduce_min_sync(~0u, needs.first), last = __reduce_max_sync(~0u, needs.last);
    if (threadIdx.x % 32 != 0) return;
    const bool counted = apart == 1 && needs.products <= SAMPLE_PRODUCTS,
               fits = length <= (unsigned int)table_holds(TABLE_MOST);
    atomicAdd(&sums.products, needs.products);
    atomicMax(&sums.most_products, needs.products);
    atomicMax(&sums.most_a_length, (unsigned int)min((int64_t)a_length, (int64_t)INT32_MAX));
    atomicMax(&sums.most_span, last >= first ? last - first + 1 : 0);
    if (pair) atomicAdd(&sums.pairs, 1u);
    if (triple) atomicAdd(&sums.triples, 1u);
    if (shifted) atomicAdd(&sums.shifted, 1u);
    if (!counted) atomicAdd(&sums.uncounted, 1u);
    if (counted && !fits) atomicAdd(&sums.too_long, 1u);
    if (counted && fits) atomicAdd(&sums.nnz, length);
    if (fits) atomicMax(&sums.longest, length);
}

__device__ void add_sums(spg_sample *sample, const sample_sums &sums)
{
    atomicAdd(&sample->products, (unsigned long long)sums.products);
    atomicAdd(&sample->nnz, (unsigned long long)sums.nnz);
    atomicMax(&sample->longest_a, sums.most_a_length);
    atomicMax(&sample->most_span, sums.most_span);
    atomicMax(&sample->most_products, sums.most_products);
    atomicMax(&sample->longest_row, sums.longest);
    if (sums.pairs > 0) atomicAdd(&sample->pairs, sums.pairs);
    if (sums.triples > 0) atomicAdd(&sample->triples, sums.triples);
    if (sums.shifted > 0) atomicAdd(&sample->shifted, sums.shifted);
    if (sums.uncounted > 0) atomicAdd(&sample->uncounted, sums.uncounted);
    if (sums.too_long > 0) atomicAdd(&sample->too_long, sums.too_long);
}

/* Looks at the rows of a sample, a warp each, and counts those of C with few products in a table. Adds block by block,
 * because a thousand additions to one address would take longer than the rest. Thread 0 adds. */
template <typename Offset> __device__ void look_at_rows(const patterns<Offset> &pattern, int32_t samples)
{
    __shared__ int4 slots[SAMPLE_THREADS / 32][SAMPLE_SLOTS / 4];
    __shared__ sample_sums sums;
    const int warp = (int)threadIdx.x / 32;
    if (threadIdx.x == 0) sums = {};
    __syncthreads();
    const int32_t k = (int32_t)blockIdx.x * (SAMPLE_THREADS / 32) + warp;
    column_table table(reinterpret_cast<int32_t *>(slots[warp]), SAMPLE_SLOTS);
    if (k < samples) sample_one(pattern, sample_row(k, samples, pattern.rows), table, sums);
    __syncthreads();
    if (threadIdx.x == 0) add_sums(&pattern.counters->sample, sums);
}

/* Counts descents within rows of B: block number `block` of `blocks`. Thread 0 adds. */
template <typename Offset> __device__ void look_at_b(const patterns<Offset> &pattern, int block, int blocks)
{
    constexpr int WARPS = SAMPLE_THREADS / 32;
    __shared__ unsigned long long found[WARPS];
    const int warp = (int)threadIdx.x / 32;
    const row_pattern_view<Offset> b{pattern.b_offsets, pattern.b_columns, pattern.b_nnz, pattern.inner};
    const unsigned long long own =
        reduce(descents_within_rows(b, (int64_t)block * WARPS + warp, (int64_t)blocks * WARPS), plus{});
    if (threadIdx.x % 32 == 0) found[warp] = own;
    __syncthreads();
    if (threadIdx.x > 0) return;
    unsigned long long sum = 0;
    for (int w = 0; w < WARPS; w++) sum += found[w];
    if (sum != 0) atomicAdd(&pattern.counters->sample.b_descents, sum);
}

/* The blocks of the sample come first, because they take longest; the others look at B. The last block to end posts the
 * results. */
template <typename Offset>
__global__ void __launch_bounds__(SAMPLE_THREADS)
    sample_rows(const patterns<Offset> pattern, int32_t samples, int sample_blocks, spg_mailbox *mailbox,
                unsigned int post)
{
    const int block = (int)blockIdx.x;
    if (block < sample_blocks)
        look_at_rows(pattern, samples);
    else
        look_at_b(pattern, block - sample_blocks, (int)gridDim.x - sample_blocks);
    if (threadIdx.x < 32) send_counters_if_last(pattern.counters, mailbox, post);
}

/* As many blocks as have something to read, up to B_BLOCKS a multiprocessor. */
int blocks_for_b(const cuda_product &product)
{
    const int64_t fours = product.B->nnz / (4 * FOURS_AT_ONCE), rows = product.B->rows / BEGINNINGS_AT_ONCE;
    const int64_t blocks = std::max(fours, rows) / SAMPLE_THREADS + 1;
    return (int)std::min(blocks, (int64_t)B_BLOCKS * product.cuda->multiprocessors);
}

} // namespace

spg_status take_sample(cuda_product &product, int32_t samples, spg_sample *sample)
{
    const unsigned int post = ++product.cuda->posts;
    const int sample_blocks = (samples + SAMPLE_THREADS / 32 - 1) / (SAMPLE_THREADS / 32);
    const int blocks = sample_blocks + blocks_for_b(product);
    spg_status status = launch_typed(product, "sample_rows", [&](auto offset, cudaStream_t stream) {
        sample_rows<<<blocks, SAMPLE_THREADS, 0, stream>>>(patterns_of<decltype(offset)>(product), samples,
                                                           sample_blocks, product.cuda->device_mailbox, post);
    });
    spg_counters found;
    if (status == SPG_OK) status = spg_cuda_wait_for_counters(product.context, post, &found);
    if (status == SPG_OK) *sample = found.sample;
    return status;
}

} // namespace spg
