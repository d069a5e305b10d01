/* Method long_rows, first and second stage: the length of a row of C, then its columns. In: patterns of A and B. Out:
 * C's lengths, or, given offsets, its columns.
 *
 * A block takes a row, lays the products of as many entries of A as it has threads end to end, and its warps set the
 * columns' bits in shared memory, in any order, because a set has none. Columns beyond the bitmap's range need another
 * pass over the row. Rows with many entries of A start first. Rows that hold a large part of A are split: blocks take
 * chunks of the row and OR their columns into a bitmap in global memory, and the last block counts or writes the
 * row. */
#include "../driver/counters.cuh"
#include "mark.cuh"

namespace spg
{

namespace
{

enum {
    SMALL_BLOCK = 128, /* threads, by the size of the bitmap */
    /* Replaces a small block if rows of B are long, or if all rows are heavy because others are done by bitmap
     * (spgemm_bench, H100, rmat16 A*P: counting 95 us, 170 without; filling 57 and 142). */
    LONG_BLOCK = 512,
    LARGE_BLOCK = 1024,
    LIST_THREADS = 256
};

/* Work handed out by tickets: chunks of split rows and whole heavy rows, then the other rows. */
struct split_rows {
    uint32_t *ticket, *chunks, *rows; /* counters; if they exceed the arrays, the list is not used */
    uint32_t *done;                   /* finished chunks of each split row */
    uint32_t *bitmaps;                /* of each split row, over all columns */
    int4 *list;                       /* chunks: row, number of the split row or -1, number of the chunk, chunks of the
                                       * row */
    int64_t chunk_entries, heavy_entries;
    uint32_t most_rows, most_chunks;
    int64_t bitmap_words;
};

struct bitmap_shape {
    int32_t range_words; /* a multiple of UNIT_WORDS */
    int32_t ranges;
};

/* The row that a block works on. */
template <typename Offset> struct row_work {
    int32_t row;
    span<Offset> entries; /* of A, in this chunk */
    int32_t slot, chunks; /* slot < 0: not split */
};

/* Takes the next ticket; false if no work is left. All threads call it. */
template <typename Offset, b_order Order>
__device__ inline bool take_work(const patterns<Offset> &pattern, const row_set &rows, const split_rows &split,
                                 uint32_t chunks, bool splits, row_work<Offset> &work, counts &found)
{
    __shared__ uint32_t dealt;
    for (;;) {
        if (threadIdx.x == 0) dealt = atomicAdd(split.ticket, 1u);
        __syncthreads();
        uint32_t ticket = dealt;
        __syncthreads();
        if (ticket >= (int64_t)chunks + row_count(rows)) return false;
        bool is_chunk = ticket < chunks;
        int4 chunk = is_chunk ? split.list[ticket] : make_int4(row_at(rows, (int32_t)(ticket - chunks)), -1, 0, 1);
        span<Offset> row =
            Order == b_order::known ? a_row(pattern, chunk.x) : checked_a_row(pattern, chunk.x, found.faults);
        if (chunk.y >= 0) {
            row.begin += (Offset)(chunk.z * split.chunk_entries);
            if (row.end - row.begin > split.chunk_entries) row.end = row.begin + (Offset)split.chunk_entries;
        } else if (splits && !is_chunk && row.end - row.begin > split.heavy_entries) {
            continue; /* it is in the list */
        }
        work = {chunk.x, row, chunk.y, chunk.w};
        return true;
    }
}

/* Finds the columns of a chunk or row, range by range, and the row's length; false if another block finishes the
 * row. */
template <bool Fills, typename Offset, b_order Order>
__device__ inline bool find_columns(const patterns<Offset> &pattern, const block_memory<Offset> &memory,
                                    const bitmap_shape &shape, const split_rows &split, const row_work<Offset> &work,
                                    int32_t *c_columns, int64_t &length, counts &found)
{
    const int64_t range = (int64_t)shape.range_words * 32;
    length = 0;
    uint32_t *whole = work.slot >= 0 ? split.bitmaps + work.slot * split.bitmap_words : nullptr;
    for (int32_t r = 0; r < shape.ranges; ++r) {
        int64_t low = r * range, high = low + range < pattern.cols ? low + range : pattern.cols;
        mark_columns<Offset, Order>(pattern, memory, work.entries, low, high, found);
        if (whole != nullptr)
            merge_bitmap(memory.bitmap, shape.range_words, whole + r * (int64_t)shape.range_words);
        else
            length += close_bitmap<Fills>(memory.bitmap, shape.range_words, (int32_t)low, c_columns + length);
        __syncthreads();
    }
    if (whole == nullptr) return true;
    if (!chunk_is_last(&split.done[work.slot], (uint32_t)work.chunks)) return false;
    for (int32_t r = 0; r < shape.ranges; ++r) {
        for (int32_t k = threadIdx.x; k < shape.range_words; k += blockDim.x)
            memory.bitmap[k] = __ldcg(&whole[r * (int64_t)shape.range_words + k]);
        __syncthreads();
        length += close_bitmap<Fills>(memory.bitmap, shape.range_words, (int32_t)(r * range), c_columns + length);
    }
    return true;
}

template <bool Fills, typename Offset, b_order Order>
__global__ void __launch_bounds__(LARGE_BLOCK, 1)
    window_pattern(patterns<Offset> pattern, int32_t *c_columns, row_set rows, split_rows split, bitmap_shape shape)
{
    extern __shared__ __align__(16) unsigned char shared[];
    /* Faulty offsets of B, which the analysis has reported, could make this run without end. */
    if (Order == b_order::any && __syncthreads_or(is_malformed(pattern.counters)) != 0) return;
    block_memory<Offset> memory;
    memory.deltas = reinterpret_cast<Offset *>(shared);
    memory.starts = reinterpret_cast<uint32_t *>(memory.deltas + blockDim.x);
    memory.bitmap = memory.starts + blockDim.x;
    for (int32_t k = threadIdx.x; k < shape.range_words; k += blockDim.x) memory.bitmap[k] = 0;
    bool splits = *split.rows <= split.most_rows && *split.chunks <= split.most_chunks;
    uint32_t chunks = splits ? *split.chunks : 0;
    counts found{};
    row_work<Offset> work;
    while (take_work<Offset, Order>(pattern, rows, split, chunks, splits, work, found)) {
        int32_t *columns = Fills ? c_columns + pattern.c_offsets[work.row] : nullptr;
        int64_t length;
        const bool is_whole =
            find_columns<Fills, Offset, Order>(pattern, memory, shape, split, work, columns, length, found);
        if (Fills || !is_whole || threadIdx.x != 0) continue;
        pattern.c_offsets[work.row] = (Offset)length;
        found.add_row((unsigned int)length, 0);
        span<Offset> row = checked_a_row(pattern, work.row, found.faults);
        if (!fits_list((Offset)length, row.end - row.begin)) ++found.long_rows;
    }
    if (Fills) return;
    __syncwarp();
    add_counts(pattern.counters, found);
    if (found.long_rows > 0) atomicAdd(&pattern.counters->long_rows, found.long_rows);
}

/* Lists chunks and heavy rows, and clears the bitmaps of split rows. */
template <typename Offset>
__global__ void __launch_bounds__(LIST_THREADS) list_chunks(patterns<Offset> pattern, row_set rows, split_rows split)
{
    int32_t count = row_count(rows);
    if (count == 0) return;
    int64_t first = blockIdx.x * (int64_t)blockDim.x + threadIdx.x, stride = (int64_t)gridDim.x * blockDim.x;
    auto *quads = reinterpret_cast<uint4 *>(split.bitmaps);
    for (int64_t k = first; k < split.most_rows * split.bitmap_words / 4; k += stride)
        quads[k] = make_uint4(0, 0, 0, 0);
    for (int64_t k = first; k < count; k += stride) {
        int32_t i = row_at(rows, (int32_t)k);
        unsigned int faults = 0;
        span<Offset> row = checked_a_row(pattern, i, faults);
        int64_t length = row.end - row.begin;
        if (length <= split.heavy_entries) continue;
        int32_t slot = -1, chunks = 1;
        if (length > split.chunk_entries) {
            slot = (int32_t)atomicAdd(split.rows, 1u);
            if ((uint32_t)slot >= split.most_rows) continue; /* overlapping offsets of A: the list is not used */
            chunks = (int32_t)((length + split.chunk_entries - 1) / split.chunk_entries);
        }
        uint32_t at = atomicAdd(split.chunks, (uint32_t)chunks);
        for (int32_t n = 0; n < chunks; ++n)
            if (at + n < split.most_chunks) split.list[at + n] = make_int4(i, slot, n, chunks);
    }
}

template <bool Fills, typename Offset, b_order Order>
spg_status launch(cuda_product &product, const row_set &rows, const split_rows &split, const bitmap_shape &shape,
                  int threads)
{
    const patterns<Offset> pattern = patterns_of<Offset>(product);
    cudaStream_t stream = product.cuda->stream;
    int64_t quads = split.most_rows * split.bitmap_words / 4;
    int lists = grid_for(product, rows.count > quads ? rows.count : quads, 1, LIST_THREADS);
    list_chunks<Offset><<<lists, LIST_THREADS, 0, stream>>>(pattern, rows, split);
    spg_status status = spg_cuda_check_launch(product.context, "listing chunks of rows");
    int64_t bytes = (int64_t)threads * (sizeof(Offset) + 4) + (int64_t)shape.range_words * 4;
    int blocks = 0;
    auto kernel = window_pattern<Fills, Offset, Order>;
    if (status == SPG_OK) status = blocks_that_fill(product, kernel, threads, bytes, &blocks);
    if (status != SPG_OK) return status;
    kernel<<<blocks, threads, bytes, stream>>>(pattern, product.C->columns, rows, split, shape);
    return spg_cuda_check_launch(product.context, Fills ? "columns of long rows" : "counting long rows");
}

/* Equal ranges that fit in shared memory together with a batch. */
bitmap_shape shape_for(const cuda_product &product)
{
    int64_t units = product.B->cols / (32 * UNIT_WORDS) + 1;
    int64_t room = product.cuda->block_shared_bytes - LARGE_BLOCK * 12 - 2048; /* minus static and reserved shared
                                                                                * memory */
    int64_t most = room / (4 * UNIT_WORDS);
    int64_t ranges = (units + most - 1) / most, each = (units + ranges - 1) / ranges;
    return {(int32_t)(each * UNIT_WORDS), (int32_t)((units + each - 1) / each)};
}

/* Bytes for bitmaps of split rows: at most half of what the workspace limit leaves. */
int64_t split_room(const cuda_product &product)
{
    int64_t limit = product.context->config.workspace_limit, left = (limit - product.held_bytes) / 2;
    if (limit == 0 || left > SPLIT_BYTES) return SPLIT_BYTES;
    return left > 0 ? left : 0;
}

template <bool Fills, b_order Order> spg_status run_pattern(cuda_product &product, const row_set &rows, bool heavy)
{
    if (rows.count == 0) return SPG_OK;
    bitmap_shape shape = shape_for(product);
    const bool long_rows = heavy || product.B->nnz / SPLIT_LONG_B > product.B->rows;
    const bool is_small = shape.range_words * 4 <= SMALL_BITMAP;
    const int threads = !is_small ? LARGE_BLOCK : long_rows ? LONG_BLOCK : SMALL_BLOCK;
    split_rows split{};
    split.bitmap_words = (int64_t)shape.range_words * shape.ranges;
    int64_t slots = split_room(product) / (split.bitmap_words * 4 + 16);
    if (slots > SPLIT_ROWS) slots = SPLIT_ROWS;
    /* This keeps the rows above chunk_entries fewer than the slots; the last chunk of each may be small. */
    split.chunk_entries = slots > 0 ? product.A->nnz / slots : INT64_MAX;
    const int64_t least = is_small && long_rows ? SPLIT_LONG : SPLIT_LEAST;
    if (split.chunk_entries < least) split.chunk_entries = least;
    int64_t most_heavy = slots * HEAVY_ROWS, chunks = product.A->nnz / split.chunk_entries + slots + most_heavy;
    split.heavy_entries = most_heavy > 0 ? product.A->nnz / most_heavy : INT64_MAX;
    if (split.heavy_entries < HEAVY_LEAST) split.heavy_entries = HEAVY_LEAST;
    split.most_rows = (uint32_t)slots;
    split.most_chunks = (uint32_t)chunks;

    int64_t zeroed = 16 + slots * 16;
    int64_t bytes = zeroed + slots * split.bitmap_words * 4 + chunks * (int64_t)sizeof(int4);
    scoped_workspace block(product);
    spg_status status = block.take(bytes, "bitmaps of long rows");
    if (status != SPG_OK) return status;
    split.ticket = block.as<uint32_t>();
    split.chunks = split.ticket + 1;
    split.rows = split.ticket + 2;
    split.done = split.ticket + 4;
    split.bitmaps = split.done + slots * 4;
    split.list = reinterpret_cast<int4 *>(split.bitmaps + slots * split.bitmap_words);
    status = spg_cuda_zero_bytes(product.context, split.ticket, zeroed);
    if (status != SPG_OK) return status;
    return with_offset_type(product.offset_type, [&](auto offset) {
        return launch<Fills, decltype(offset), Order>(product, rows, split, shape, threads);
    });
}

} // namespace

spg_status count_window_columns(cuda_product &product, const row_set &rows)
{
    return run_pattern<false, b_order::checked>(product, rows, false);
}

spg_status count_columns_in_any_order(cuda_product &product, const row_set &rows)
{
    return run_pattern<false, b_order::any>(product, rows, true);
}

spg_status fill_columns_in_any_order(cuda_product &product, const row_set &rows)
{
    return run_pattern<true, b_order::any>(product, rows, true);
}

spg_status fill_window_columns(cuda_product &product, const row_set &rows, bool heavy)
{
    return run_pattern<true, b_order::known>(product, rows, heavy);
}

} // namespace spg
