/* A set of columns, or other numbers, as a bitmap in a block's shared memory: merged with the bitmaps of other blocks,
 * counted, and written in ascending order. A bitmap is cleared when it has been processed. Private. */
#ifndef SPG_KERNELS_PRIMITIVES_BITMAP_CUH
#define SPG_KERNELS_PRIMITIVES_BITMAP_CUH

#include "warp.cuh"

namespace spg
{

enum {
    GROUP_WORDS = 32,             /* that a warp writes at once */
    UNIT_WORDS = 4 * GROUP_WORDS, /* that it counts at once; bitmaps are multiples of it */
    DENSE_GROUP = 256             /* entries among a group's 1024 columns from which it is written word by word */
};

/* Sets a bit of a word in shared memory. Most are set already, and a read costs less than an atomic. */
__device__ inline void set_bit(uint32_t *word, uint32_t bit)
{
    if ((*static_cast<volatile uint32_t *>(word) & bit) == 0) atomicOr(word, bit);
}

/* ORs the bitmap of a range into a whole bitmap in global memory, and clears it. */
__device__ inline void merge_bitmap(uint32_t *bitmap, int32_t words, uint32_t *whole)
{
    for (int32_t k = threadIdx.x; k < words; k += blockDim.x) {
        uint32_t bits = bitmap[k];
        if (bits == 0) continue;
        atomicOr(&whole[k], bits);
        bitmap[k] = 0;
    }
}

/* Whether this block is the last of `chunks` to OR its chunk into the whole bitmap. All threads call it. */
__device__ inline bool chunk_is_last(uint32_t *done, uint32_t chunks)
{
    __shared__ uint32_t before;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) before = atomicAdd(done, 1u);
    __syncthreads();
    bool last = before == chunks - 1;
    __threadfence();
    return last;
}

/* Writes the columns of one group of words; `bits` is the lane's word. In a sparse group each lane writes its word; a
 * dense group is written word by word, so that neighbouring lanes write neighbouring columns. */
__device__ inline void write_group(uint32_t bits, int32_t first_column, uint32_t entries, int32_t *c_columns)
{
    int lane = threadIdx.x % 32;
    uint32_t own = __popc(bits), at = inclusive_scan(own, plus{}) - own;
    if (entries < DENSE_GROUP) {
        for (int32_t column = first_column + 32 * lane; bits != 0; bits &= bits - 1)
            c_columns[at++] = column + __ffs(bits) - 1;
        return;
    }
    for (int word = 0; word < GROUP_WORDS; ++word) {
        uint32_t its_bits = __shfl_sync(~0u, bits, word), its_at = __shfl_sync(~0u, at, word);
        if (its_bits >> lane & 1)
            c_columns[its_at + __popc(its_bits & ((1u << lane) - 1))] = first_column + 32 * word + lane;
    }
}

/* Counts the bits of a range and clears them; with Filling, also writes their columns to c_columns. All threads call it
 * and get the count. */
template <bool Filling>
__device__ inline uint32_t close_bitmap(uint32_t *bitmap, int32_t words, int32_t first_column, int32_t *c_columns)
{
    __shared__ uint32_t counts[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    int32_t units = words / UNIT_WORDS, share = (units + warps - 1) / warps;
    int32_t first = min(warp * share, units), end = min(first + share, units);
    auto *quads = reinterpret_cast<uint4 *>(bitmap);
    uint32_t own = 0;
    for (int32_t unit = first; unit < end; ++unit) {
        uint4 bits = quads[unit * 32 + lane];
        own += __popc(bits.x) + __popc(bits.y) + __popc(bits.z) + __popc(bits.w);
        if (!Filling) quads[unit * 32 + lane] = make_uint4(0, 0, 0, 0);
    }
    own = __reduce_add_sync(~0u, own);
    if (lane == 0) counts[warp] = own;
    __syncthreads();
    uint32_t count = lane < warps ? counts[lane] : 0;
    uint32_t all = __reduce_add_sync(~0u, count), at = __reduce_add_sync(~0u, lane < warp ? count : 0u);
    if (Filling && own > 0) {
        for (int32_t unit = first; unit < end; ++unit) {
            uint4 some = quads[unit * 32 + lane];
            if (!__any_sync(~0u, (some.x | some.y | some.z | some.w) != 0)) continue;
            for (int32_t group = unit * (UNIT_WORDS / GROUP_WORDS); group < (unit + 1) * (UNIT_WORDS / GROUP_WORDS);
                 ++group) {
                uint32_t bits = bitmap[group * GROUP_WORDS + lane],
                         entries = __reduce_add_sync(~0u, (uint32_t)__popc(bits));
                bitmap[group * GROUP_WORDS + lane] = 0;
                write_group(bits, first_column + group * (32 * GROUP_WORDS), entries, c_columns + at);
                at += entries;
            }
        }
    }
    __syncthreads(); /* the bitmap is clear and the counts have been read */
    return all;
}

} // namespace spg

#endif
