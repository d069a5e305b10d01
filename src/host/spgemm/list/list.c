/* See list.h. A short list is sorted by a network, a longer one by radix, on the bits needed. */
#include "list.h"

#include "host/spgemm/sort/network.h"

enum { NETWORK_FEWEST = 16 };

/* By radix, with keys of 64 bits: the column above the position. */
static void sort_by_radix(spg_worker *worker, int n, int32_t *sorted, uint16_t *order)
{
    const int32_t *columns = worker->list_columns;
    for (int i = 0; i < n; i++) worker->keys[i] = (uint64_t)columns[i] << POSITION_BITS | (uint64_t)i;
    worker->keys = spg_sort_keys(worker->keys, &worker->keys_spare, n, POSITION_BITS);
    for (int i = 0; i < n; i++) {
        sorted[i] = (int32_t)(worker->keys[i] >> POSITION_BITS);
        order[i] = (uint16_t)(worker->keys[i] & (MAX_LIST - 1));
    }
}

/* By a network, with keys of 32 bits. False if the columns are too far apart for that. */
static bool sort_short_list(spg_worker *worker, int n, int32_t *sorted, uint16_t *order)
{
    const int32_t *columns = worker->list_columns;
    uint32_t *keys = (uint32_t *)(void *)worker->keys;
    int32_t base = 0;
    if (worker->shared->product->B->cols > NETWORK_COLUMNS) {
        int32_t last = columns[0];
        base = columns[0];
        for (int i = 1; i < n; i++) {
            base = columns[i] < base ? columns[i] : base;
            last = columns[i] > last ? columns[i] : last;
        }
        if (last - base >= NETWORK_COLUMNS) return false;
    }
    for (int i = 0; i < n; i++) keys[i] = (uint32_t)(columns[i] - base) << NETWORK_NUMBER_BITS | (uint32_t)i;
    if (worker->shared->vector >= SPG_VECTOR_AVX512)
        spg_sort_by_network_avx512(keys, n, keys);
    else
        spg_sort_by_network_avx2(keys, n, keys);
    for (int i = 0; i < n; i++) {
        sorted[i] = (int32_t)(keys[i] >> NETWORK_NUMBER_BITS) + base;
        order[i] = (uint16_t)(keys[i] & (NETWORK_KEYS - 1));
    }
    return true;
}

const uint16_t *spg_sort_list(spg_worker *worker, int n, int32_t *sorted)
{
    uint16_t *order = worker->list_order;
    const spg_vector_level vector = worker->shared->vector;
    if (n <= NETWORK_FEWEST || n > spg_most_network_keys(vector) || vector == SPG_VECTOR_NONE ||
        !sort_short_list(worker, n, sorted, order))
        sort_by_radix(worker, n, sorted, order);
    return order;
}
