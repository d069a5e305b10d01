/* Uniform numbers: Philox 4x32-10 (Salmon, Moraes, Dror, Shaw 2011), for the host and for kernels. Private.
 *
 * Number n of the sequence (seed, stream) is 64 bits: of the block of counter {n / 2, stream} and key seed, the first
 * two words (n even) or the last two (n odd), lower word first. A block is four words of 32 bits. n wraps at 2^64. */
#ifndef SPG_SRC_PHILOX_H
#define SPG_SRC_PHILOX_H

#include "inline.h"

#include <stdint.h>

enum { SPG_PHILOX_ROUNDS = 10 };

typedef struct spg_philox_block {
    uint32_t word[4];
} spg_philox_block;

/* Both words of a * b. */
SPG_INLINE uint64_t spg_wide_product(uint32_t a, uint32_t b)
{
#ifdef __CUDA_ARCH__
    /* Inline assembly: from a product of 64-bit numbers the compiler makes this instruction and an addition of zero, a
     * tenth of all the work. */
    uint64_t product;
    asm("mul.wide.u32 %0, %1, %2;" : "=l"(product) : "r"(a), "r"(b));
    return product;
#else
    return (uint64_t)a * b;
#endif
}

/* What is added to the two words of the key in each round. */
#define SPG_PHILOX_STEP_0 0x9E3779B9u
#define SPG_PHILOX_STEP_1 0xBB67AE85u

SPG_INLINE void spg_philox_round(spg_philox_block *block, uint32_t key0, uint32_t key1)
{
    uint32_t *c = block->word;
    uint64_t p0 = spg_wide_product(c[0], 0xD2511F53u), p1 = spg_wide_product(c[2], 0xCD9E8D57u);
    c[0] = (uint32_t)(p1 >> 32) ^ c[1] ^ key0;
    c[2] = (uint32_t)(p0 >> 32) ^ c[3] ^ key1;
    c[1] = (uint32_t)p1;
    c[3] = (uint32_t)p0;
}

SPG_INLINE spg_philox_block spg_philox(uint64_t key, uint64_t low, uint64_t high)
{
    spg_philox_block block = {{(uint32_t)low, (uint32_t)(low >> 32), (uint32_t)high, (uint32_t)(high >> 32)}};
    uint32_t key0 = (uint32_t)key, key1 = (uint32_t)(key >> 32);
    for (int round = 0; round < SPG_PHILOX_ROUNDS; ++round) {
        spg_philox_round(&block, key0, key1);
        key0 += SPG_PHILOX_STEP_0;
        key1 += SPG_PHILOX_STEP_1;
    }
    return block;
}

/* Half 0 or 1 of a block, as 64 bits. */
SPG_INLINE uint64_t spg_philox_half(const spg_philox_block *block, int half)
{
    return half == 0 ? block->word[0] | (uint64_t)block->word[1] << 32
                     : block->word[2] | (uint64_t)block->word[3] << 32;
}

SPG_INLINE uint64_t spg_random_number(uint64_t seed, uint64_t stream, uint64_t number)
{
    spg_philox_block block = spg_philox(seed, number >> 1, stream);
    return spg_philox_half(&block, (int)(number & 1));
}

/* As a number in [0, 1). */
SPG_INLINE double spg_uniform_f64(uint64_t bits) { return (double)(bits >> 11) * 0x1p-53; }
SPG_INLINE float spg_uniform_f32(uint64_t bits) { return (float)(bits >> 40) * 0x1p-24f; }

#endif
