/* A batch of a window's products: the products of consecutive entries of A laid end to end and cut into steps of 32,
 * one a lane (section 3.2 of the paper). Private. */
#ifndef SPG_KERNELS_SPGEMM_LONG_ROWS_BATCH_CUH
#define SPG_KERNELS_SPGEMM_LONG_ROWS_BATCH_CUH

#include "slots.cuh"

namespace spg
{

enum {
    WINDOW_THREADS = 128,
    WINDOW_WARPS = WINDOW_THREADS / 32,
    TOGETHER = 4,      /* steps that a warp takes at a time */
    BATCH_STEPS = 512, /* steps laid out together */
    EACH_MOST = 4,     /* entries of A that a thread looks up together */
    BATCH_ENTRIES = EACH_MOST * WINDOW_THREADS
};
static_assert(BATCH_STEPS % TOGETHER == 0 && TOGETHER == 4, "steps are read by fours");
static_assert(SUMS_BYTES / sizeof(float) <= 32 * BATCH_STEPS, "a row of B in a window is not longer than a batch");

/* The steps of a batch, in storage order, and the entries of A that have products in them. */
template <typename Offset, typename Value> struct batch_memory {
    Value *a;         /* by entry */
    Offset *deltas;   /* product p of the batch is at deltas[its entry] + p in B */
    uint4 *begins;    /* by step: mask of the lanes, except the first, where another entry begins */
    ushort4 *entries; /* by step: the entry of the first lane */
};

template <typename Offset, typename Value> int64_t shared_bytes_of(const window_shape &shape)
{
    return shape.slots * (int64_t)sizeof(Value) + shape.map_words * 4 + BATCH_STEPS * 6 +
           BATCH_ENTRIES * (int64_t)(sizeof(Value) + sizeof(Offset));
}

/* Narrows rows of B to the window: from the first position whose column is not below the window's first to the first
 * whose column is above its last. All rows are searched together, because each search waits for memory at every
 * step. */
template <int EACH, typename Offset, typename Value>
__device__ inline void search_rows(const window<Value> &w, const int32_t *b_columns, span<Offset> (&rows)[EACH])
{
    int32_t found[2 * EACH], left[2 * EACH], most = 0;
#pragma unroll
    for (int q = 0; q < 2 * EACH; ++q) {
        found[q] = 0;
        left[q] = (int32_t)(rows[q / 2].end - rows[q / 2].begin);
        most = max(most, left[q]);
    }
    for (; most > 0; most /= 2) {
        int32_t columns[2 * EACH];
#pragma unroll
        for (int q = 0; q < 2 * EACH; ++q)
            if (left[q] > 0) columns[q] = b_columns[rows[q / 2].begin + (found[q] + left[q] / 2)];
#pragma unroll
        for (int q = 0; q < 2 * EACH; ++q) {
            if (left[q] <= 0) continue;
            const int32_t half = left[q] / 2;
            const bool less = q % 2 == 0 ? columns[q] < w.first_column : columns[q] <= w.last_column;
            if (less) found[q] += half + 1;
            left[q] = less ? left[q] - half - 1 : half;
        }
    }
#pragma unroll
    for (int e = 0; e < EACH; ++e)
        rows[e] = {rows[e].begin + (Offset)found[2 * e], rows[e].begin + (Offset)found[2 * e + 1]};
}

/* Lays out the products of entries of A from `at` on, EACH a thread, as many as fit. All threads call it. */
template <int EACH, typename Offset, typename Value>
__device__ inline laid_entries lay_batch(const window<Value> &w, const batch_memory<Offset, Value> &memory,
                                         const patterns<Offset> &pattern, const Value *a_values, Offset at, Offset end)
{
    static_assert(BATCH_ENTRIES * (int64_t)(SUMS_BYTES / sizeof(float)) <= (1 << LAID_BITS) - 1, "units of a batch");
    static_assert((uint64_t)BATCH_ENTRIES << LAID_BITS < 1ull << 32, "entries of a batch");
    const auto narrow = [&](span<Offset>(&rows)[EACH]) {
        for (int k = (int)threadIdx.x; k < BATCH_STEPS / TOGETHER; k += WINDOW_THREADS)
            memory.begins[k] = make_uint4(0, 0, 0, 0);
        if (!w.whole) search_rows(w, pattern.b_columns, rows);
    };
    const auto place = [&](uint32_t entry, uint32_t first, uint32_t last, span<Offset> row) {
        memory.deltas[entry] = row.begin - (Offset)first;
        if (first % 32 != 0) atomicOr(reinterpret_cast<uint32_t *>(memory.begins) + first / 32, 1u << first % 32);
        for (uint32_t step = (first + 31) / 32; 32 * step < last; ++step)
            reinterpret_cast<uint16_t *>(memory.entries)[step] = (uint16_t)entry;
    };
    return lay_entries<EACH, WINDOW_WARPS, 1, 32 * BATCH_STEPS>(pattern, a_values, memory.a, at, end, narrow, place);
}

} // namespace spg

#endif
