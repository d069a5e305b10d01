/* A window: sums of consecutive entries of a row of C in a block's shared memory, and how a column finds its sum.
 * Private.
 *
 * The slot of a column is its rank among the window's columns. A map has a bit for each column of the window's range,
 * and the rank of the first of every 16. If the range is too wide, it is divided into equal buckets that hold their
 * first and last entry, and binary search finds the column. Every product has a slot, because C's pattern is exact. */
#ifndef SPG_KERNELS_SPGEMM_LONG_ROWS_SLOTS_CUH
#define SPG_KERNELS_SPGEMM_LONG_ROWS_SLOTS_CUH

#include "long_rows.cuh"

namespace spg
{

/* The capacity of a window. Slots have 16-bit numbers. If C has more columns than a map, the map's memory holds columns
 * and a power of two of buckets instead. */
struct window_shape {
    int slots, map_words, buckets;
};

/* The current window. */
template <typename Value> struct window {
    Value *sums;
    uint32_t *map;     /* a bit for each of 16 columns, and 65536 * the rank of the first; or columns */
    uint32_t *buckets; /* first entry, and 65536 * (last entry + 1) */
    int entries;       /* of C in the window */
    int bucket_shift;  /* from column to bucket; 0: the map is used */
    int32_t first_column, last_column;
    bool whole; /* the window is its whole row */
    __device__ int32_t *columns() const { return reinterpret_cast<int32_t *>(map); }
};

template <typename Value> window_shape window_shape_for(int64_t cols)
{
    const int slots = SUMS_BYTES / (int)sizeof(Value);
    const int64_t words = (cols + 63) / 64 * 4;
    static_assert(SUMS_BYTES / sizeof(Value) <= MAP_MOST, "columns take the map's place");
    if (words <= MAP_MOST) return {slots, (int)words, 1};
    return {slots, MAP_MOST + slots, MAP_MOST};
}

template <typename Value> __device__ inline void fill_map(const window<Value> &w, const int32_t *c_columns)
{
    constexpr int EACH = 4;
    const int step = (int)blockDim.x, quads = (w.last_column - w.first_column) / 64 + 1;
    auto *map = reinterpret_cast<uint4 *>(w.map);
    for (int k = (int)threadIdx.x; k < quads; k += step) map[k] = make_uint4(0, 0, 0, 0);
    __syncthreads();
    for (int begin = (int)threadIdx.x; begin < w.entries; begin += step * EACH) {
        int32_t places[EACH], before[EACH];
#pragma unroll
        for (int u = 0; u < EACH; ++u) {
            int j = begin + step * u;
            places[u] = before[u] = -16;
            if (j < w.entries) places[u] = c_columns[j] - w.first_column;
            if (j < w.entries && j > 0) before[u] = c_columns[j - 1] - w.first_column;
        }
#pragma unroll
        for (int u = 0; u < EACH; ++u) {
            uint32_t rank = places[u] / 16 != before[u] / 16 ? (uint32_t)(begin + step * u) << 16 : 0;
            if (places[u] >= 0) atomicAdd(&w.map[places[u] / 16], rank + (1u << places[u] % 16));
        }
    }
}

template <typename Value> __device__ inline void fill_buckets(const window<Value> &w, const int32_t *c_columns)
{
    for (int j = (int)threadIdx.x; j < w.entries; j += (int)blockDim.x) w.columns()[j] = c_columns[j];
    __syncthreads();
    auto *halves = reinterpret_cast<uint16_t *>(w.buckets);
    for (int j = (int)threadIdx.x; j < w.entries; j += (int)blockDim.x) {
        auto bucket = [&](int k) { return (w.columns()[k] - w.first_column) >> w.bucket_shift; };
        int own = bucket(j);
        if (j == 0 || bucket(j - 1) != own) halves[2 * own] = (uint16_t)j;
        if (j == w.entries - 1 || bucket(j + 1) != own) halves[2 * own + 1] = (uint16_t)(j + 1);
    }
}

/* Reads the window's columns and zeroes its sums. All threads of the block call it. */
template <typename Value>
__device__ inline void open_window(window<Value> &w, const window_shape &shape, const int32_t *c_columns)
{
    w.first_column = c_columns[0];
    w.last_column = c_columns[w.entries - 1];
    uint32_t furthest = (uint32_t)(w.last_column - w.first_column);
    w.bucket_shift = 0;
    if (furthest >= 16u * MAP_MOST)
        while ((furthest >> w.bucket_shift) >= (uint32_t)shape.buckets) ++w.bucket_shift;
    for (int j = (int)threadIdx.x; j < w.entries; j += (int)blockDim.x) w.sums[j] = zero<Value>();
    if (w.bucket_shift == 0)
        fill_map(w, c_columns);
    else
        fill_buckets(w, c_columns);
    __syncthreads();
}

/* The slot of column `place` of the window, counted from its first. */
template <typename Value> __device__ inline int slot_of(const window<Value> &w, int32_t place)
{
    if (w.bucket_shift == 0) {
        uint32_t word = w.map[place / 16];
        return (int)(word >> 16) + __popc(word & ((1u << place % 16) - 1));
    }
    uint32_t bounds = w.buckets[place >> w.bucket_shift];
    int low = (int)(bounds & 0xffff), high = (int)(bounds >> 16);
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (w.columns()[middle] - w.first_column <= place)
            low = middle;
        else
            high = middle;
    }
    return low;
}

} // namespace spg

#endif
