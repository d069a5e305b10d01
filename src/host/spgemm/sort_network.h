/* Sorting networks for short rows (sort_network.c). Private. */
#ifndef SPG_SRC_HOST_SPGEMM_SORT_NETWORK_H
#define SPG_SRC_HOST_SPGEMM_SORT_NETWORK_H

#include <stdint.h>

enum { NETWORK_NUMBER_BITS = 8, NETWORK_KEYS = 1 << NETWORK_NUMBER_BITS };

/* Columns that fit a key above the number of an entry. */
enum { NETWORK_COLUMNS = 1 << (32 - NETWORK_NUMBER_BITS) };

/* How many keys the network for `count` <= NETWORK_KEYS keys sorts. */
static inline int spg_network_size(int count)
{
    return count <= 16 ? 16 : count <= 32 ? 32 : count <= 64 ? 64 : count <= 128 ? 128 : 256;
}

/* Sorts `count` keys. There must be room for spg_network_size(count) + 15: what is behind the keys is overwritten. Only
 * where spg_vector_is_available(). */
void spg_sort_by_network(uint32_t *keys, int count);

#endif
