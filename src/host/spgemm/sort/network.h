/* Sorting networks for short rows (network.c). Private. */
#ifndef SPG_SRC_HOST_SPGEMM_SORT_NETWORK_H
#define SPG_SRC_HOST_SPGEMM_SORT_NETWORK_H

#include "host/vector.h"

#include <stddef.h>
#include <stdint.h>

enum { NETWORK_NUMBER_BITS = 8, NETWORK_KEYS = 1 << NETWORK_NUMBER_BITS };

/* The number of columns that fit a key above the number of an entry. */
enum { NETWORK_COLUMNS = 1 << (32 - NETWORK_NUMBER_BITS) };

/* The number of keys sorted by the network for `count` <= NETWORK_KEYS keys. */
static inline int spg_network_size(int count)
{
    return count <= 16 ? 16 : count <= 32 ? 32 : count <= 64 ? 64 : count <= 128 ? 128 : 256;
}

/* The most keys of a network; with AVX2, more would not fit the registers. */
static inline int spg_most_network_keys(spg_vector_level level)
{
    return level >= SPG_VECTOR_AVX512 ? NETWORK_KEYS : NETWORK_KEYS / 2;
}

/* sorted = the `count` keys in order, then the largest key, up to spg_network_size(count) keys. May be the same array.
 * Only at that level. */
void spg_sort_by_network_avx512(const uint32_t *keys, int count, uint32_t *sorted);
void spg_sort_by_network_avx2(const uint32_t *keys, int count, uint32_t *sorted);

#endif
