/* Decoupled look-back: blocks learn from each other, while they run, the sums of what other blocks have (Merrill,
 * Garland: Single-pass parallel prefix scan with decoupled look-back, 2016). A tile publishes its own sum (AGGREGATE)
 * as soon as it has it, and the sum of all tiles up to and including it (PREFIX) once it knows what comes before.
 * Blocks take tile numbers as they start, so none waits for a tile that has not begun. Private. */
#ifndef SPG_KERNELS_PRIMITIVES_LOOK_BACK_CUH
#define SPG_KERNELS_PRIMITIVES_LOOK_BACK_CUH

#include "warp.cuh"

#include <cstdint>

namespace spg
{

/* In device memory, zeroed before the launch: the number of the next tile, then a word for each tile: a sum, and in its
 * lowest bits the kind (INVALID: not published yet). */
struct look_back {
    unsigned long long *words;
    enum : unsigned long long { INVALID = 0, AGGREGATE = 1, PREFIX = 2 };
    enum { KIND_BITS = 2, AT_ONCE = 4 };

    static int64_t words_for(int64_t tiles) { return tiles + 1; }

    __device__ static unsigned long long pack(long long sum, unsigned long long kind)
    {
        return (unsigned long long)sum << KIND_BITS | kind;
    }
    __device__ static long long sum_in(unsigned long long word) { return (long long)word >> KIND_BITS; }
    __device__ static unsigned long long kind_of(unsigned long long word) { return word % (1u << KIND_BITS); }
    __device__ unsigned long long read(int64_t tile) const
    {
        if (tile < 0) return pack(0, PREFIX);
        return *const_cast<const volatile unsigned long long *>(words + 1 + tile);
    }
    __device__ uint32_t take_tile() const { return (uint32_t)atomicAdd(words, 1ull); }
    __device__ void publish(int64_t tile, long long sum, unsigned long long kind) const
    {
        *const_cast<volatile unsigned long long *>(words + 1 + tile) = pack(sum, tile == 0 ? PREFIX : kind);
    }

    /* The sum of all tiles before `tile`, which has published its own. A whole warp calls it. Each lane loads AT_ONCE
     * words together. */
    __device__ long long before(int64_t tile) const
    {
        long long sum = 0;
        for (int64_t past = tile; past > 0; past -= 32 * AT_ONCE) {
            unsigned long long word[AT_ONCE];
#pragma unroll
            for (int n = 0; n < AT_ONCE; ++n) word[n] = read(past - 1 - lane_in_warp() - 32 * n);
#pragma unroll
            for (int n = 0; n < AT_ONCE; ++n) {
                unsigned int through;
                while (true) {
                    through = __ballot_sync(~0u, kind_of(word[n]) == PREFIX);
                    const unsigned int invalid = __ballot_sync(~0u, kind_of(word[n]) == INVALID);
                    if ((invalid & (through - 1) & ~through) == 0)
                        break; /* no tile is missing back to the nearest
                                * PREFIX */
                    word[n] = read(past - 1 - lane_in_warp() - 32 * n);
                }
                const int last = through != 0 ? __ffs((int)through) - 1 : 31;
                if (lane_in_warp() <= last) sum += sum_in(word[n]);
                if (through != 0) return reduce(sum, plus{});
            }
        }
        return reduce(sum, plus{});
    }
};

} // namespace spg

#endif
