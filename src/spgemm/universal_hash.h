/* Hashing with random keys, modulo the prime 2^61 - 1, for the host and for kernels. Private.
 *
 * A sum of numbers below the prime, each times a key of its own, is the same for two sequences that differ with a
 * probability of 1 / 2^61; the value of a polynomial at a random place, whose coefficients are the numbers, with one of
 * that times their count (Carter, Wegman: Universal classes of hash functions, 1979). This holds for whatever numbers,
 * where nobody who chooses them knows the keys. */
#ifndef SPG_SRC_SPGEMM_UNIVERSAL_HASH_H
#define SPG_SRC_SPGEMM_UNIVERSAL_HASH_H

#include "inline.h"

#include <stdint.h>

#define SPG_HASH_PRIME (((uint64_t)1 << 61) - 1)

__extension__ typedef unsigned __int128 spg_wide;

/* Of x below 2^124. */
SPG_INLINE uint64_t spg_hash_remainder(spg_wide x)
{
    const spg_wide folded = (x & SPG_HASH_PRIME) + (x >> 61);
    const uint64_t rest = (uint64_t)(folded & SPG_HASH_PRIME) + (uint64_t)(folded >> 61);
    return rest >= SPG_HASH_PRIME ? rest - SPG_HASH_PRIME : rest;
}

/* A key from 64 random bits: as good as uniform. */
SPG_INLINE uint64_t spg_hash_key(uint64_t random) { return spg_hash_remainder(random & SPG_HASH_PRIME); }

#endif
