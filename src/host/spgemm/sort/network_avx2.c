/* The networks of network.c for 16, 32, 64 or 128 keys in AVX2 registers of 8. */
#include "network.h"

#if SPG_HAVE_AVX2
#include <immintrin.h>

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

#define DEFINE_SORT_KEYS(size, registers)                                                                              \
    SPG_AVX2 static void sort_##size##_keys(const uint32_t *keys, int count, uint32_t *sorted)                         \
    {                                                                                                                  \
        __m256i r[registers];                                                                                          \
        _Pragma("GCC unroll 16") for (int i = 0; i < (registers); i++) r[i] = load_8(keys, i, count);                  \
        sort_registers(r, registers);                                                                                  \
        _Pragma("GCC unroll 16") for (int i = 0; i < (registers); i++)                                                 \
            _mm256_storeu_si256((__m256i *)(void *)(sorted + 8 * (ptrdiff_t)i), r[i]);                                 \
    }

DEFINE_SORT_KEYS(16, 2)
DEFINE_SORT_KEYS(32, 4)
DEFINE_SORT_KEYS(64, 8)
DEFINE_SORT_KEYS(128, 16)

SPG_AVX2 void spg_sort_by_network_avx2(const uint32_t *keys, int count, uint32_t *sorted)
{
    switch (spg_network_size(count)) {
    case 16: sort_16_keys(keys, count, sorted); break;
    case 32: sort_32_keys(keys, count, sorted); break;
    case 64: sort_64_keys(keys, count, sorted); break;
    default: sort_128_keys(keys, count, sorted); break;
    }
}
#else
void spg_sort_by_network_avx2(const uint32_t *keys, int count, uint32_t *sorted)
{
    (void)keys, (void)count, (void)sorted;
}
#endif
