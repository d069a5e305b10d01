/* The networks of network.c, to be inlined. Private; include only if SPG_HAVE_AVX512. */
#ifndef SPG_SRC_HOST_SPGEMM_SORT_NETWORK_AVX512_H
#define SPG_SRC_HOST_SPGEMM_SORT_NETWORK_AVX512_H

#include "host/spgemm/lanes.h"

/* One comparator step within a register: the lanes in `greater` keep the larger key of each pair. */
LANES_INLINE __m512i exchange(__m512i keys, __m512i partners, __mmask16 greater)
{
    __m512i smaller = _mm512_min_epu32(keys, partners);
    return _mm512_mask_max_epu32(smaller, greater, keys, partners);
}

LANES_INLINE __m512i reverse_lanes(__m512i keys)
{
    const __m512i order = _mm512_set_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm512_permutexvar_epi32(order, keys);
}

/* The last steps of every merge: partners 4, 2 and 1 lanes away. */
LANES_INLINE __m512i merge_within_8(__m512i keys)
{
    keys = exchange(keys, _mm512_permutex_epi64(keys, 0x4E), 0xF0F0);
    keys = exchange(keys, _mm512_shuffle_epi32(keys, (_MM_PERM_ENUM)0x4E), 0xCCCC);
    return exchange(keys, _mm512_shuffle_epi32(keys, (_MM_PERM_ENUM)0xB1), 0xAAAA);
}

LANES_INLINE __m512i merge_within_16(__m512i keys)
{
    keys = exchange(keys, _mm512_shuffle_i64x2(keys, keys, 0x4E), 0xFF00);
    return merge_within_8(keys);
}

LANES_INLINE __m512i sort_16(__m512i keys)
{
    const __m512i reverse_8 = _mm512_set_epi32(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
    keys = exchange(keys, _mm512_shuffle_epi32(keys, (_MM_PERM_ENUM)0xB1), 0xAAAA);
    keys = exchange(keys, _mm512_shuffle_epi32(keys, (_MM_PERM_ENUM)0x1B), 0xCCCC);
    keys = exchange(keys, _mm512_shuffle_epi32(keys, (_MM_PERM_ENUM)0xB1), 0xAAAA);
    keys = exchange(keys, _mm512_permutexvar_epi32(reverse_8, keys), 0xF0F0);
    keys = exchange(keys, _mm512_shuffle_epi32(keys, (_MM_PERM_ENUM)0x4E), 0xCCCC);
    keys = exchange(keys, _mm512_shuffle_epi32(keys, (_MM_PERM_ENUM)0xB1), 0xAAAA);
    keys = exchange(keys, reverse_lanes(keys), 0xFF00);
    return merge_within_8(keys);
}

/* Sorts `registers` (a power of two, a constant after inlining) registers of 16 keys as one sequence. */
LANES_INLINE void sort_registers(__m512i *keys, const int registers)
{
#pragma GCC unroll 16
    for (int i = 0; i < registers; i++) keys[i] = sort_16(keys[i]);
#pragma GCC unroll 4
    for (int run = 1; run < registers; run *= 2) { /* sorted runs of `run` registers become runs twice as long */
#pragma GCC unroll 8
        for (int first = 0; first < registers; first += 2 * run) {
#pragma GCC unroll 8
            for (int i = 0; i < run; i++) { /* the second run is read from its end */
                __m512i partner = reverse_lanes(keys[first + 2 * run - 1 - i]);
                __m512i larger = _mm512_max_epu32(keys[first + i], partner);
                keys[first + i] = _mm512_min_epu32(keys[first + i], partner);
                keys[first + 2 * run - 1 - i] = larger;
            }
        }
#pragma GCC unroll 4
        for (int apart = run / 2; apart > 0; apart /= 2) {
#pragma GCC unroll 16
            for (int i = 0; i < registers; i++)
                if ((i & apart) == 0) {
                    __m512i larger = _mm512_max_epu32(keys[i], keys[i + apart]);
                    keys[i] = _mm512_min_epu32(keys[i], keys[i + apart]);
                    keys[i + apart] = larger;
                }
        }
#pragma GCC unroll 16
        for (int i = 0; i < registers; i++) keys[i] = merge_within_16(keys[i]);
    }
}

/* sorted = the `count` columns in order, each once, and 16 more that are undefined; returns how many. `registers`: 1 or
 * 2, for up to 16 or 32 columns. */
LANES_INLINE int sort_columns(const int32_t *columns, int count, int32_t *sorted, const int registers)
{
    const __m512i largest = _mm512_set1_epi32(-1);
    __m512i r[2], last = largest;
    int n = 0;
#pragma GCC unroll 2
    for (int i = 0; i < registers; i++)
        r[i] = _mm512_mask_loadu_epi32(largest, first_lanes(count - 16 * i), columns + 16 * i);
    sort_registers(r, registers);
#pragma GCC unroll 2
    for (int i = 0; i < registers; i++) {
        const __m512i before = _mm512_alignr_epi32(r[i], last, 15);
        const unsigned equal = _mm512_cmpeq_epi32_mask(r[i], before), none = _mm512_cmpeq_epi32_mask(r[i], largest);
        const __mmask16 heads = (__mmask16) ~(equal | none);
        last = r[i];
        _mm512_storeu_si512(sorted + n, _mm512_maskz_compress_epi32(heads, r[i]));
        n += _mm_popcnt_u32(heads);
    }
    return n;
}

#endif
