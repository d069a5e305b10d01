/* A window: sums of neighbouring entries of a row of C, in a warp's shared memory, and how a column finds its own.
 *
 * The slot of a column is its rank among the window's: a map has a bit for each column of the window's range, and the
 * rank of the first of every 16. Where the range is too wide, it is cut into equal buckets that know their first and
 * last entry, and binary search tells. Every product has a slot, for C's pattern is exact. Private. */
#ifndef SPG_KERNELS_SPGEMM_WINDOW_MAP_CUH
#define SPG_KERNELS_SPGEMM_WINDOW_MAP_CUH

#include "window.cuh"

namespace spg
{

enum {
    SLOTS_8 = 1024, /* of a window; values up to 8 bytes */
    SLOTS_16 = 512, /* complex double */
    MAP_WORDS = 2048,
    MAP_COLUMNS = 16 * MAP_WORDS,
    BUCKETS = 1024,
    BATCH = 64, /* entries of A looked up together */
    BATCH_EACH = BATCH / 32
};
static_assert(BATCH % 32 == 0, "lanes take equal shares of a batch");
static_assert(SLOTS_8 <= 32768, "slots are numbered in 16 bits");
static_assert(SLOTS_8 + BUCKETS <= MAP_WORDS, "columns and buckets take the map's place");

template <typename Value> constexpr int slots_of() { return sizeof(Value) > 8 ? SLOTS_16 : SLOTS_8; }

template <typename Offset, typename Value> constexpr int64_t shared_bytes_of()
{
    return (int64_t)(slots_of<Value>() + BATCH) * sizeof(Value) + BATCH * (sizeof(Offset) + 4) + MAP_WORDS * 4 +
           slots_of<Value>();
}

/* A window at work. */
template <typename Offset, typename Value> struct window {
    Value *sums, *batch_values; /* slots; BATCH */
    Offset *deltas;
    uint32_t *starts;
    uint32_t *map;    /* bits of 16 columns, and 65536 * the rank of the first; or columns and buckets */
    uint8_t *tags;    /* slots */
    int entries;      /* of C in it */
    int bucket_shift; /* from column to bucket; 0: mapped */
    int32_t first_column, last_column;
    bool first, last;
    __device__ int32_t *columns() const { return reinterpret_cast<int32_t *>(map); }
    __device__ uint32_t *buckets() const { return map + SLOTS_8; } /* first entry, and 65536 * (last entry + 1) */
};

template <typename Offset, typename Value> __device__ inline window<Offset, Value> lay_out(unsigned char *shared)
{
    constexpr int slots = slots_of<Value>();
    window<Offset, Value> w{};
    w.sums = reinterpret_cast<Value *>(shared);
    w.map = reinterpret_cast<uint32_t *>(w.sums + slots);
    w.batch_values = reinterpret_cast<Value *>(w.map + MAP_WORDS);
    w.deltas = reinterpret_cast<Offset *>(w.batch_values + BATCH);
    w.starts = reinterpret_cast<uint32_t *>(w.deltas + BATCH);
    w.tags = reinterpret_cast<uint8_t *>(w.starts + BATCH);
    return w;
}

template <typename Offset, typename Value>
__device__ inline void fill_map(const window<Offset, Value> &w, const int32_t *c_columns)
{
    constexpr int EACH = 4;
    int lane = threadIdx.x % 32, quads = (w.last_column - w.first_column) / 64 + 1;
    auto *map = reinterpret_cast<uint4 *>(w.map);
    for (int k = lane; k < quads; k += 32) map[k] = make_uint4(0, 0, 0, 0);
    __syncwarp();
    for (int begin = lane; begin < w.entries; begin += 32 * EACH) {
        int32_t places[EACH], before[EACH];
#pragma unroll
        for (int u = 0; u < EACH; ++u) {
            int j = begin + 32 * u;
            places[u] = before[u] = -16;
            if (j < w.entries) places[u] = c_columns[j] - w.first_column;
            if (j < w.entries && j > 0) before[u] = c_columns[j - 1] - w.first_column;
        }
#pragma unroll
        for (int u = 0; u < EACH; ++u) {
            uint32_t rank = places[u] / 16 != before[u] / 16 ? (uint32_t)(begin + 32 * u) << 16 : 0;
            if (places[u] >= 0) atomicAdd(&w.map[places[u] / 16], rank + (1u << places[u] % 16));
        }
    }
}

template <typename Offset, typename Value>
__device__ inline void fill_buckets(const window<Offset, Value> &w, const int32_t *c_columns)
{
    int lane = threadIdx.x % 32;
    for (int j = lane; j < w.entries; j += 32) w.columns()[j] = c_columns[j];
    __syncwarp();
    auto *halves = reinterpret_cast<uint16_t *>(w.buckets());
    for (int j = lane; j < w.entries; j += 32) {
        auto bucket = [&](int k) { return (w.columns()[k] - w.first_column) >> w.bucket_shift; };
        int own = bucket(j);
        if (j == 0 || bucket(j - 1) != own) halves[2 * own] = (uint16_t)j;
        if (j == w.entries - 1 || bucket(j + 1) != own) halves[2 * own + 1] = (uint16_t)(j + 1);
    }
}

/* Reads the window's columns and zeroes its sums. */
template <typename Offset, typename Value>
__device__ inline void open_window(window<Offset, Value> &w, const int32_t *c_columns)
{
    w.first_column = c_columns[0];
    w.last_column = c_columns[w.entries - 1];
    uint32_t furthest = (uint32_t)(w.last_column - w.first_column);
    w.bucket_shift = 0;
    if (furthest >= MAP_COLUMNS)
        while ((furthest >> w.bucket_shift) >= BUCKETS) ++w.bucket_shift;
    for (int j = threadIdx.x % 32; j < w.entries; j += 32) w.sums[j] = zero<Value>();
    if (w.bucket_shift == 0)
        fill_map(w, c_columns);
    else
        fill_buckets(w, c_columns);
    __syncwarp();
}

/* The slot of the window's first column + place. */
template <typename Offset, typename Value> __device__ inline int slot_of(const window<Offset, Value> &w, int32_t place)
{
    if (w.bucket_shift == 0) {
        uint32_t word = w.map[place / 16];
        return (int)(word >> 16) + __popc(word & ((1u << place % 16) - 1));
    }
    uint32_t bounds = w.buckets()[place >> w.bucket_shift];
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
