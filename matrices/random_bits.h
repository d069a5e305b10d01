/* Random bits as a function of a key and a counter, using only integer arithmetic: the same on every machine, in any
 * order. The key plus a multiple of an odd constant goes through the output function of SplitMix64 (Steele, Lea, Flood:
 * Fast Splittable Pseudorandom Number Generators, OOPSLA 2014). Private to matrices/. */
#ifndef SPG_MATRICES_RANDOM_BITS_H
#define SPG_MATRICES_RANDOM_BITS_H

#include <stdint.h>

static inline uint64_t mix_bits(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static inline uint64_t random_bits(uint64_t key, uint64_t counter)
{
    return mix_bits(key + (counter + 1) * UINT64_C(0x9E3779B97F4A7C15));
}

/* The key for one purpose (`stream`), so that a generator uses different bits for each purpose. */
static inline uint64_t random_key(uint64_t seed, uint64_t stream)
{
    return random_bits(mix_bits(seed) ^ stream, stream);
}

/* In [0, n), 0 < n < 2^32, from the upper half of 64 random bits; probabilities differ by less than n / 2^32. */
static inline int64_t random_below(uint64_t bits, int64_t n) { return (int64_t)(((bits >> 32) * (uint64_t)n) >> 32); }

/* The weight of the pair (a, b), both below 2^31: a multiple of 1/256 in [0.5, 1.5), so that sums of weights are exact.
 */
static inline double random_weight(uint64_t key, int64_t a, int64_t b)
{
    return (double)(128 + (random_bits(key, ((uint64_t)a << 31) + (uint64_t)b) >> 56)) / 256.0;
}

#endif
