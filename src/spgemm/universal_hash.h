/* Hashing with random keys, modulo the prime 2^61 - 1, for the host and for kernels. Private.
 *
 * Two methods, both for numbers below the prime (Carter, Wegman: Universal classes of hash functions, 1979). The sum of
 * the numbers, each times its own key, is equal for two different sequences with probability 1 / 2^61. The value at a
 * random point of the polynomial whose coefficients are the numbers is equal with that probability times their count.
 * This holds for any numbers chosen without knowledge of the keys. */
#ifndef SPG_SRC_SPGEMM_UNIVERSAL_HASH_H
#define SPG_SRC_SPGEMM_UNIVERSAL_HASH_H

#include "inline.h"

#include <stdint.h>

#define SPG_HASH_PRIME (((uint64_t)1 << 61) - 1)

__extension__ typedef unsigned __int128 spg_wide;

/* x modulo the prime, for x below 2^124. */
SPG_INLINE uint64_t spg_hash_remainder(spg_wide x)
{
    const spg_wide folded = (x & SPG_HASH_PRIME) + (x >> 61);
    const uint64_t rest = (uint64_t)(folded & SPG_HASH_PRIME) + (uint64_t)(folded >> 61);
    return rest >= SPG_HASH_PRIME ? rest - SPG_HASH_PRIME : rest;
}

/* A key from 64 random bits: practically uniform. */
SPG_INLINE uint64_t spg_hash_key(uint64_t random) { return spg_hash_remainder(random & SPG_HASH_PRIME); }

#endif
