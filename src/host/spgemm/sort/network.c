/* Bitonic sorting networks for 16, 32, 64, 128 or 256 keys of 32 bits in AVX-512 registers (Batcher, 1968). No branch
 * depends on the keys, so shuffled meshes cost no more than grids. */
#include "network.h"

#include "host/vector.h"

#if SPG_HAVE_AVX512
#include "network_avx512.h"

#define DEFINE_SORT_KEYS(size, registers)                                                                              \
    SPG_AVX512 static void sort_##size##_keys(const uint32_t *keys, int count, uint32_t *sorted)                       \
    {                                                                                                                  \
        const __m512i largest = _mm512_set1_epi32(-1);                                                                 \
        __m512i r[registers];                                                                                          \
        _Pragma("GCC unroll 16") for (int i = 0; i < (registers); i++) r[i] =                                          \
            _mm512_mask_loadu_epi32(largest, first_lanes(count - 16 * i), keys + 16 * i);                              \
        sort_registers(r, registers);                                                                                  \
        _Pragma("GCC unroll 16") for (int i = 0; i < (registers); i++) _mm512_storeu_si512(sorted + 16 * i, r[i]);     \
    }

DEFINE_SORT_KEYS(16, 1)
DEFINE_SORT_KEYS(32, 2)
DEFINE_SORT_KEYS(64, 4)
DEFINE_SORT_KEYS(128, 8)
DEFINE_SORT_KEYS(256, 16)

SPG_AVX512 void spg_sort_by_network_avx512(const uint32_t *keys, int count, uint32_t *sorted)
{
    switch (spg_network_size(count)) {
    case 16: sort_16_keys(keys, count, sorted); break;
    case 32: sort_32_keys(keys, count, sorted); break;
    case 64: sort_64_keys(keys, count, sorted); break;
    case 128: sort_128_keys(keys, count, sorted); break;
    default: sort_256_keys(keys, count, sorted); break;
    }
}
#else
void spg_sort_by_network_avx512(const uint32_t *keys, int count, uint32_t *sorted)
{
    (void)keys, (void)count, (void)sorted;
}
#endif
