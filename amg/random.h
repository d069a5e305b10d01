/* Random bits as a function of a seed and an index, the same at every place and at any number of threads: the output
 * function of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014). Private. */
#ifndef SPG_SRC_AMG_RANDOM_H
#define SPG_SRC_AMG_RANDOM_H

#include <stdint.h>

/* constexpr in C++, so that kernels may call them. */
#ifdef __cplusplus
#define SPG_AMG_FUNCTION constexpr
#else
#define SPG_AMG_FUNCTION static inline
#endif

SPG_AMG_FUNCTION uint64_t spg_amg_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

SPG_AMG_FUNCTION uint64_t spg_amg_random(uint64_t seed, uint64_t index)
{
    return spg_amg_mix(spg_amg_mix(seed) + (index + 1) * UINT64_C(0x9E3779B97F4A7C15));
}

/* A multiple of 2^-52 in [-1, 1): entry `index` of the start vector of Lanczos. */
SPG_AMG_FUNCTION double spg_amg_random_unit(uint64_t seed, uint64_t index)
{
    return (double)(spg_amg_random(~seed, index) >> 11) * (1.0 / 4503599627370496.0) - 1.0;
}

#endif
