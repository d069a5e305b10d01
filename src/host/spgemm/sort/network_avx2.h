/* The networks of network_avx2.c, to be inlined. Private; include only if SPG_HAVE_AVX2. */
#ifndef SPG_SRC_HOST_SPGEMM_SORT_NETWORK_AVX2_H
#define SPG_SRC_HOST_SPGEMM_SORT_NETWORK_AVX2_H

#include "host/vector.h"

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#define AVX2_INLINE SPG_AVX2 static inline __attribute__((always_inline))

/* One comparator step within a register: the lanes in `greater` keep the larger key of each pair. */
#define EXCHANGE(keys, partners, greater)                                                                              \
    _mm256_blend_epi32(_mm256_min_epu32(keys, partners), _mm256_max_epu32(keys, partners), greater)

AVX2_INLINE __m256i reverse_lanes(__m256i keys)
{
    return _mm256_permutevar8x32_epi32(keys, _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0));
}

/* The last steps of every merge: partners 4, 2 and 1 lanes away. */
AVX2_INLINE __m256i merge_within_4(__m256i keys)
{
    keys = EXCHANGE(keys, _mm256_shuffle_epi32(keys, 0x4E), 0xCC);
    return EXCHANGE(keys, _mm256_shuffle_epi32(keys, 0xB1), 0xAA);
}

AVX2_INLINE __m256i merge_within_8(__m256i keys)
{
    return merge_within_4(EXCHANGE(keys, _mm256_permute4x64_epi64(keys, 0x4E), 0xF0));
}

AVX2_INLINE __m256i sort_8(__m256i keys)
{
    keys = EXCHANGE(keys, _mm256_shuffle_epi32(keys, 0xB1), 0xAA);
    keys = EXCHANGE(keys, _mm256_shuffle_epi32(keys, 0x1B), 0xCC);
    keys = EXCHANGE(keys, _mm256_shuffle_epi32(keys, 0xB1), 0xAA);
    return merge_within_4(EXCHANGE(keys, reverse_lanes(keys), 0xF0));
}

/* Sorts `registers` (a power of two, a constant after inlining) registers of 8 keys as one sequence. */
AVX2_INLINE void sort_registers(__m256i *keys, const int registers)
{
#pragma GCC unroll 16
    for (int i = 0; i < registers; i++) keys[i] = sort_8(keys[i]);
#pragma GCC unroll 4
    for (int run = 1; run < registers; run *= 2) { /* sorted runs of `run` registers become runs twice as long */
#pragma GCC unroll 8
        for (int first = 0; first < registers; first += 2 * run) {
#pragma GCC unroll 8
            for (int i = 0; i < run; i++) { /* the second run is read from its end */
                const __m256i partner = reverse_lanes(keys[first + 2 * run - 1 - i]);
                const __m256i larger = _mm256_max_epu32(keys[first + i], partner);
                keys[first + i] = _mm256_min_epu32(keys[first + i], partner);
                keys[first + 2 * run - 1 - i] = larger;
            }
        }
#pragma GCC unroll 4
        for (int apart = run / 2; apart > 0; apart /= 2) {
#pragma GCC unroll 16
            for (int i = 0; i < registers; i++)
                if ((i & apart) == 0) {
                    const __m256i larger = _mm256_max_epu32(keys[i], keys[i + apart]);
                    keys[i] = _mm256_min_epu32(keys[i], keys[i + apart]);
                    keys[i + apart] = larger;
                }
        }
#pragma GCC unroll 16
        for (int i = 0; i < registers; i++) keys[i] = merge_within_8(keys[i]);
    }
}

/* Keys 8 * i to 8 * i + 7; the largest key in place of those from `count` on. */
AVX2_INLINE __m256i load_8(const uint32_t *keys, int i, int count)
{
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i present = _mm256_cmpgt_epi32(_mm256_set1_epi32(count - 8 * i), lanes);
    const __m256i loaded = _mm256_maskload_epi32((const int *)(const void *)(keys + 8 * (ptrdiff_t)i), present);
    return _mm256_or_si256(loaded, _mm256_xor_si256(present, _mm256_set1_epi32(-1)));
}

/* columns = the `count` columns given, in order, each once; returns how many. `registers`: 2 or 4, for up to 16 or 32
 * columns. */
AVX2_INLINE int sort_columns(const int32_t *given, int count, int32_t *columns, const int registers)
{
    __m256i r[4];
    int32_t sorted[33];
    int n = 0;
#pragma GCC unroll 4
    for (int i = 0; i < registers; i++) r[i] = load_8((const uint32_t *)given, i, count);
    sort_registers(r, registers);
#pragma GCC unroll 4
    for (int i = 0; i < registers; i++) _mm256_storeu_si256((__m256i *)(void *)(sorted + 8 * (ptrdiff_t)i), r[i]);
    sorted[count] = -1;
    for (int i = 0; i < count; i++) {
        columns[n] = sorted[i];
        n += sorted[i] != sorted[i + 1];
    }
    return n;
}

#endif
