/* The networks of network.c for 16, 32, 64 or 128 keys in AVX2 registers of 8. */
#include "network.h"

#if SPG_HAVE_AVX2
#include "network_avx2.h"

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
