/* Multinomial counts: their definition, for the host and for kernels. Private.
 *
 * Row i of n draws has the tree of its weights (sampling/sums.h, with SCALE, without a lead). Its root is node 1 and
 * has all n; the children of node k are 2k and 2k + 1. The left child of a node gets a binomial number of the node's
 * draws (sampling/binomial.h, by the key of row i and the node's number), with a probability of its share in the sum of
 * both children; the right child gets the rest. A leaf's draws are its item's count. So a count depends on the row's
 * weights, n and number, on nothing else, and subtrees can be split by different threads. */
#ifndef SPG_SRC_SAMPLING_MULTINOMIAL_H
#define SPG_SRC_SAMPLING_MULTINOMIAL_H

#include "binomial.h"

/* Different from the keys of draws, of sections (sampling/binomial.h) and of walks. */
SPG_INLINE uint64_t spg_multinomial_key(const spg_random *random, int64_t row)
{
    spg_philox_block block = spg_philox(~random->seed, random->first + (uint64_t)row, ~random->stream);
    return spg_philox_half(&block, 1);
}

/* How many of a node's draws the left child gets. A child without weight gets none. */
SPG_INLINE int64_t spg_multinomial_left(int64_t count, double left, double right, uint64_t key, uint64_t node)
{
    if (!(left > 0)) return 0;
    if (!(right > 0)) return count;
    return spg_binomial(count, left, right, key, node);
}

#endif
