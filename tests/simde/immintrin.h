/* The AVX-512 intrinsics of the library in plain C, by SIMDe and, where its release in Debian 12 lacks one, below: so
 * that tests run those kernels on any processor (CMake option SPG_SIMDE). It stands in for the compiler's header. */
#ifndef SPG_TESTS_SIMDE_IMMINTRIN_H
#define SPG_TESTS_SIMDE_IMMINTRIN_H

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>

#include <stdint.h>
#include <string.h>

typedef int _MM_PERM_ENUM;
typedef simde__mmask8 __mmask8;
typedef simde__mmask16 __mmask16;

static inline uint32_t spg_simde_bzhi(uint32_t value, unsigned bits)
{
    return bits < 32 ? value & ((1u << bits) - 1) : value;
}

static inline uint64_t spg_simde_pdep(uint64_t value, uint64_t mask)
{
    uint64_t result = 0;
    for (; mask != 0; mask &= mask - 1, value >>= 1)
        if (value & 1) result |= mask & (~mask + 1);
    return result;
}

#define _bzhi_u32 spg_simde_bzhi
#define _pdep_u64 spg_simde_pdep
#undef _mm_popcnt_u32
#define _mm_popcnt_u32(value) __builtin_popcount(value)

/* NAME(mask, from): lanes of the mask read, the others zero or, with MASK, those of `source`. */
#define SPG_SIMDE_LOAD(name, vector, element, count)                                                                   \
    static inline vector spg_simde_mask_##name(vector source, unsigned mask, const void *from)                         \
    {                                                                                                                  \
        element lanes[count];                                                                                          \
        memcpy(lanes, &source, sizeof lanes);                                                                          \
        for (int i = 0; i < (count); i++)                                                                              \
            if (mask >> i & 1) memcpy(&lanes[i], (const element *)from + i, sizeof(element));                          \
        memcpy(&source, lanes, sizeof lanes);                                                                          \
        return source;                                                                                                 \
    }                                                                                                                  \
    static inline vector spg_simde_maskz_##name(unsigned mask, const void *from)                                       \
    {                                                                                                                  \
        vector zero;                                                                                                   \
        memset(&zero, 0, sizeof zero);                                                                                 \
        return spg_simde_mask_##name(zero, mask, from);                                                                \
    }                                                                                                                  \
    static inline void spg_simde_store_##name(void *to, unsigned mask, vector source)                                  \
    {                                                                                                                  \
        element lanes[count];                                                                                          \
        memcpy(lanes, &source, sizeof lanes);                                                                          \
        for (int i = 0; i < (count); i++)                                                                              \
            if (mask >> i & 1) memcpy((element *)to + i, &lanes[i], sizeof(element));                                  \
    }
SPG_SIMDE_LOAD(epi32_16, simde__m512i, int32_t, 16)
SPG_SIMDE_LOAD(epi32_8, simde__m256i, int32_t, 8)
SPG_SIMDE_LOAD(pd_8, simde__m512d, double, 8)
SPG_SIMDE_LOAD(ps_16, simde__m512, float, 16)
SPG_SIMDE_LOAD(ps_8, simde__m256, float, 8)
SPG_SIMDE_LOAD(epi32_4, simde__m128i, int32_t, 4)
SPG_SIMDE_LOAD(pd_4, simde__m256d, double, 4)

#undef _mm512_mask_loadu_epi32
#define _mm512_mask_loadu_epi32 spg_simde_mask_epi32_16
#undef _mm256_maskz_loadu_epi32
#define _mm256_maskz_loadu_epi32 spg_simde_maskz_epi32_8
#undef _mm512_maskz_loadu_pd
#define _mm512_maskz_loadu_pd spg_simde_maskz_pd_8
#undef _mm512_maskz_loadu_ps
#define _mm512_maskz_loadu_ps spg_simde_maskz_ps_16
#undef _mm256_maskz_loadu_ps
#define _mm256_maskz_loadu_ps spg_simde_maskz_ps_8
#undef _mm_maskz_loadu_epi32
#define _mm_maskz_loadu_epi32 spg_simde_maskz_epi32_4
#undef _mm256_maskz_loadu_pd
#define _mm256_maskz_loadu_pd spg_simde_maskz_pd_4
#undef _mm512_mask_storeu_pd
#define _mm512_mask_storeu_pd spg_simde_store_pd_8
#undef _mm512_mask_storeu_ps
#define _mm512_mask_storeu_ps spg_simde_store_ps_16

static inline __mmask8 spg_simde_cmpgt_epu32(simde__m256i a, simde__m256i b)
{
    uint32_t of_a[8], of_b[8];
    unsigned mask = 0;
    memcpy(of_a, &a, sizeof of_a);
    memcpy(of_b, &b, sizeof of_b);
    for (int i = 0; i < 8; i++) mask |= (unsigned)(of_a[i] > of_b[i]) << i;
    return (__mmask8)mask;
}
#undef _mm256_cmpgt_epu32_mask
#define _mm256_cmpgt_epu32_mask spg_simde_cmpgt_epu32

/* Each lane of the result from the lanes of the operands, as EXPRESSION of i says. */
#define SPG_SIMDE_LANES(name, result, to, lanes_to, operand, from, lanes_from, expression)                             \
    static inline result spg_simde_##name(operand source, int control)                                                 \
    {                                                                                                                  \
        from a[lanes_from];                                                                                            \
        to r[lanes_to];                                                                                                \
        result made;                                                                                                   \
        (void)control;                                                                                                 \
        memcpy(a, &source, sizeof a);                                                                                  \
        for (int i = 0; i < (lanes_to); i++) r[i] = (to)(expression);                                                  \
        memcpy(&made, r, sizeof made);                                                                                 \
        return made;                                                                                                   \
    }
SPG_SIMDE_LANES(cvtepi32_epi64, simde__m512i, int64_t, 8, simde__m256i, int32_t, 8, a[i])
SPG_SIMDE_LANES(cvtepu8_epi32, simde__m512i, int32_t, 16, simde__m128i, uint8_t, 16, a[i])
SPG_SIMDE_LANES(cvtepu8_epi64, simde__m512i, int64_t, 8, simde__m128i, uint8_t, 16, a[i])
SPG_SIMDE_LANES(permutex_epi64, simde__m512i, int64_t, 8, simde__m512i, int64_t, 8,
                a[i / 4 * 4 + (control >> i % 4 * 2 & 3)])
SPG_SIMDE_LANES(shuffle_epi32, simde__m512i, int32_t, 16, simde__m512i, int32_t, 16,
                a[i / 4 * 4 + (control >> i % 4 * 2 & 3)])

#undef _mm512_cvtepi32_epi64
#define _mm512_cvtepi32_epi64(source) spg_simde_cvtepi32_epi64(source, 0)
#undef _mm512_cvtepu8_epi32
#define _mm512_cvtepu8_epi32(source) spg_simde_cvtepu8_epi32(source, 0)
#undef _mm512_cvtepu8_epi64
#define _mm512_cvtepu8_epi64(source) spg_simde_cvtepu8_epi64(source, 0)
#undef _mm512_permutex_epi64
#define _mm512_permutex_epi64 spg_simde_permutex_epi64
#undef _mm512_shuffle_epi32
#define _mm512_shuffle_epi32(source, control) spg_simde_shuffle_epi32(source, (int)(control))

/* Quarters of a, a, b, b, each by two bits. */
static inline simde__m512i spg_simde_shuffle_i64x2(simde__m512i a, simde__m512i b, int control)
{
    int64_t from[2][8], to[8];
    memcpy(from[0], &a, sizeof a);
    memcpy(from[1], &b, sizeof b);
    for (int i = 0; i < 8; i++) to[i] = from[i / 4][(control >> i / 2 * 2 & 3) * 2 + i % 2];
    memcpy(&a, to, sizeof a);
    return a;
}
#undef _mm512_shuffle_i64x2
#define _mm512_shuffle_i64x2 spg_simde_shuffle_i64x2

static inline simde__m512i spg_simde_i32gather_epi64(simde__m256i places, const void *base, int scale)
{
    int32_t at[8];
    int64_t lanes[8];
    simde__m512i made;
    memcpy(at, &places, sizeof at);
    for (int i = 0; i < 8; i++) memcpy(&lanes[i], (const char *)base + (int64_t)at[i] * scale, sizeof lanes[i]);
    memcpy(&made, lanes, sizeof made);
    return made;
}
#undef _mm512_i32gather_epi64
#define _mm512_i32gather_epi64 spg_simde_i32gather_epi64

#define SPG_SIMDE_AT_LEAST(count, vector)                                                                              \
    static inline unsigned spg_simde_at_least_##count(vector a, vector b)                                              \
    {                                                                                                                  \
        uint32_t x[count], y[count];                                                                                   \
        unsigned mask = 0;                                                                                             \
        memcpy(x, &a, sizeof x);                                                                                       \
        memcpy(y, &b, sizeof y);                                                                                       \
        for (int i = 0; i < (count); i++) mask |= (unsigned)(x[i] >= y[i]) << i;                                       \
        return mask;                                                                                                   \
    }
SPG_SIMDE_AT_LEAST(8, simde__m256i)
SPG_SIMDE_AT_LEAST(16, simde__m512i)
#undef _mm256_cmpge_epu32_mask
#define _mm256_cmpge_epu32_mask(a, b) ((simde__mmask8)spg_simde_at_least_8(a, b))
#undef _mm512_mask_cmpge_epu32_mask
#define _mm512_mask_cmpge_epu32_mask(mask, a, b) ((simde__mmask16)((mask)&spg_simde_at_least_16(a, b)))

static inline simde__m512i spg_simde_i64gather_epi64(simde__m512i places, const void *base, int scale)
{
    int64_t at[8], lanes[8];
    memcpy(at, &places, sizeof at);
    for (int i = 0; i < 8; i++) memcpy(&lanes[i], (const char *)base + at[i] * scale, sizeof lanes[i]);
    memcpy(&places, lanes, sizeof lanes);
    return places;
}
#undef _mm512_i64gather_epi64
#define _mm512_i64gather_epi64 spg_simde_i64gather_epi64

static inline simde__mmask8 spg_simde_cmpeq_epi32(simde__m256i a, simde__m256i b)
{
    int32_t x[8], y[8];
    unsigned mask = 0;
    memcpy(x, &a, sizeof x);
    memcpy(y, &b, sizeof y);
    for (int i = 0; i < 8; i++) mask |= (unsigned)(x[i] == y[i]) << i;
    return (simde__mmask8)mask;
}
#undef _mm256_cmpeq_epi32_mask
#define _mm256_cmpeq_epi32_mask spg_simde_cmpeq_epi32

/* The register that begins `lanes` lanes of `bytes` bytes after the beginning of `low`, which `high` follows. */
static inline simde__m512i spg_simde_alignr(simde__m512i high, simde__m512i low, int lanes, int bytes)
{
    char both[2 * sizeof low];
    memcpy(both, &low, sizeof low);
    memcpy(both + sizeof low, &high, sizeof high);
    memcpy(&low, both + lanes * bytes, sizeof low);
    return low;
}
#undef _mm512_alignr_epi32
#define _mm512_alignr_epi32(high, low, lanes) spg_simde_alignr(high, low, lanes, 4)
#undef _mm512_alignr_epi64
#define _mm512_alignr_epi64(high, low, lanes) spg_simde_alignr(high, low, lanes, 8)

#endif
