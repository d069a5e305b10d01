/* Random numbers in batches. Private. */
#ifndef SPG_SRC_HOST_SAMPLING_RANDOM_H
#define SPG_SRC_HOST_SAMPLING_RANDOM_H

#include "../work.h"
#include "philox.h"

#include "spg/sampling.h"

enum { SPG_BATCH = 256 };

static inline int64_t spg_host_batches(int64_t count) { return (count + SPG_BATCH - 1) / SPG_BATCH; }

static inline int spg_host_batch_size(int64_t batch, int64_t count)
{
    int64_t rest = count - batch * SPG_BATCH;
    return rest < SPG_BATCH ? (int)rest : SPG_BATCH;
}

/* Both halves of the blocks of counters {low, high}, {low + 1, high}, ... */
void spg_host_blocks(uint64_t key, uint64_t low, uint64_t high, int count, uint64_t *halves);

/* Numbers from random->first + first on. */
void spg_host_numbers(const spg_random *random, uint64_t first, int count, uint64_t *bits);

#endif
