/* Spreading consecutive values onto the lanes of a mask, and other helpers of the AVX-512 kernels. Private; include
 * only if SPG_HAVE_AVX512. */
#ifndef SPG_SRC_HOST_SPGEMM_LANES_H
#define SPG_SRC_HOST_SPGEMM_LANES_H

#include "../vector.h"

#include <immintrin.h>
#include <stdint.h>

#define LANES_INLINE SPG_AVX512 static inline __attribute__((always_inline))

/* A mask of the first `count` lanes: none below 0, all from 16 on. */
LANES_INLINE __mmask16 first_lanes(int64_t count)
{
    return (__mmask16)_bzhi_u32(0xFFFF, count < 16 ? count > 0 ? (unsigned)count : 0 : 16);
}

/* Byte i: the number of lanes of the mask below lane i; only for lanes of the mask. The instructions that expand are
 * several times slower than this and a permutation (AMD Zen 4). */
LANES_INLINE __m128i ranks_of_lanes(unsigned mask)
{
    const uint64_t bytes = _pdep_u64(mask & 0xFF, 0x0101010101010101u) * 0xFF;
    return _mm_cvtsi64_si128((long long)_pdep_u64(0x0706050403020100u, bytes));
}

/* values[0], values[1], ... on the lanes of the mask, in order. `readable`: how many values may be read, if fewer than
 * 8. The other lanes are undefined. */
LANES_INLINE __m512d spread_f64(__mmask8 mask, const double *values, int64_t readable)
{
    const __m512d dense =
        readable >= 8 ? _mm512_loadu_pd(values) : _mm512_maskz_loadu_pd((__mmask8)first_lanes(readable), values);
    return _mm512_permutexvar_pd(_mm512_cvtepu8_epi64(ranks_of_lanes(mask)), dense);
}

LANES_INLINE __m512 spread_f32(__mmask16 mask, const float *values, int64_t readable)
{
    const __m512 dense =
        readable >= 16 ? _mm512_loadu_ps(values) : _mm512_maskz_loadu_ps(first_lanes(readable), values);
    const __m128i below = _mm_set1_epi8((char)_mm_popcnt_u32(mask & 0xFF));
    const __m128i ranks = _mm_unpacklo_epi64(ranks_of_lanes(mask), _mm_add_epi8(ranks_of_lanes(mask >> 8), below));
    return _mm512_permutexvar_ps(_mm512_cvtepu8_epi32(ranks), dense);
}

#endif
