/* Philox blocks of consecutive counters: sixteen at a time in AVX-512 lanes, if available. */
#include "../vector.h"
#include "random.h"

#if SPG_HAVE_AVX512
#include <immintrin.h>

enum { LANES = 8, AT_ONCE = 2 * LANES };

/* Eight blocks. A word is in the lower half of its lane; the upper half is never used as a factor. */
typedef struct lanes {
    __m512i c0, c1, c2, c3;
} lanes;

SPG_AVX512 static inline lanes begin_lanes(uint64_t low, uint64_t high)
{
    __m512i counter = _mm512_add_epi64(_mm512_set1_epi64((long long)low), _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0));
    __m512i stream = _mm512_set1_epi64((long long)high);
    return (lanes){counter, _mm512_srli_epi64(counter, 32), stream, _mm512_srli_epi64(stream, 32)};
}

SPG_AVX512 static inline void round_of(lanes *c, __m512i key0, __m512i key1)
{
    __m512i p0 = _mm512_mul_epu32(c->c0, _mm512_set1_epi64(0xD2511F53));
    __m512i p1 = _mm512_mul_epu32(c->c2, _mm512_set1_epi64(0xCD9E8D57));
    c->c0 = _mm512_ternarylogic_epi64(_mm512_srli_epi64(p1, 32), c->c1, key0, 0x96); /* xor of three */
    c->c2 = _mm512_ternarylogic_epi64(_mm512_srli_epi64(p0, 32), c->c3, key1, 0x96);
    c->c1 = p1;
    c->c3 = p0;
}

SPG_AVX512 static inline void end_lanes(const lanes *c, uint64_t *halves)
{
    const __m512i lower = _mm512_set1_epi64(UINT32_MAX);
    const __m512i first_four = _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0);
    const __m512i last_four = _mm512_set_epi64(15, 7, 14, 6, 13, 5, 12, 4);
    __m512i half0 = _mm512_or_si512(_mm512_and_si512(c->c0, lower), _mm512_slli_epi64(c->c1, 32));
    __m512i half1 = _mm512_or_si512(_mm512_and_si512(c->c2, lower), _mm512_slli_epi64(c->c3, 32));
    _mm512_storeu_si512(halves, _mm512_permutex2var_epi64(half0, first_four, half1));
    _mm512_storeu_si512(halves + LANES, _mm512_permutex2var_epi64(half0, last_four, half1));
}

SPG_AVX512 static void sixteen_blocks(uint64_t key, uint64_t low, uint64_t high, uint64_t *halves)
{
    lanes a = begin_lanes(low, high), b = begin_lanes(low + LANES, high);
    uint32_t key0 = (uint32_t)key, key1 = (uint32_t)(key >> 32);
    for (int round = 0; round < 10; ++round) {
        __m512i k0 = _mm512_set1_epi64(key0), k1 = _mm512_set1_epi64(key1);
        round_of(&a, k0, k1);
        round_of(&b, k0, k1);
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    end_lanes(&a, halves);
    end_lanes(&b, halves + (ptrdiff_t)2 * LANES);
}
#else
enum { AT_ONCE = 1 };

static void sixteen_blocks(uint64_t key, uint64_t low, uint64_t high, uint64_t *halves)
{
    (void)key, (void)low, (void)high, (void)halves;
}
#endif

void spg_host_blocks(uint64_t key, uint64_t low, uint64_t high, int count, uint64_t *halves)
{
    int b = 0;
    if (spg_host_vector_level() >= SPG_VECTOR_AVX512)
        for (; b + AT_ONCE <= count; b += AT_ONCE)
            sixteen_blocks(key, low + (uint64_t)b, high, halves + (ptrdiff_t)2 * b);
    for (; b < count; ++b) {
        spg_philox_block block = spg_philox(key, low + (uint64_t)b, high);
        halves[2 * b] = spg_philox_half(&block, 0);
        halves[2 * b + 1] = spg_philox_half(&block, 1);
    }
}
