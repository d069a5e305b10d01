/* Monotone inversion: the definition of bounds, guide tables and trees, for the host and for kernels. Private.
 *
 * BOUNDS. A row of n items has the tree sum W with `scale` (sampling/sums.h). q[i] = spg_forest_units: integers that
 * sum to about 2^62; C[i] = q[0] + ... + q[i-1], and Q is the sum of all, exact in 64 bits. The lower bound of item i,
 * in units of 2^-63, is bound[i] = spg_forest_bound(C[i], Q, spg_reciprocal(Q)): 0 for C = 0, 2^63 for C = Q,
 * ascending. A uniform number is v in [0, 2^63): the upper 63 bits of a number of `random`, or (uint64_t)(u * 2^63).
 * Its item is the last i with bound[i] <= v. This item never has weight zero, since the next bound is greater. An item
 * of less than 2^-63 of the row vanishes.
 *
 * GUIDE (CUTPOINT). A row has 2^k cells, k = spg_guide_bits(n, cells_per_item), and 2^k + 1 entries: entry g < 2^k is
 * the item of v = g << (63 - k), and the last entry is the row's last item with bound < 2^63. A row's guide begins at
 * guide_offsets[row], the number of entries of all rows before. A draw in cell g = v >> (63 - k) starts with low =
 * guide[g], high = guide[g + 1] and bisects while low < high: middle = (low + high + 1) / 2, low = middle if
 * bound[middle] <= v, else high = middle - 1. Each step is one load.
 *
 * TREES (RADIX). For each cell, low and high are as above, from the guide of CUTPOINT. guide[g] = ~low if high = low,
 * else the number of the root; the last entry is as above. Node i of a row is stored at item i's position. It holds
 * bound[i] and two children, each the number of a node or ~item: v < bound[i] goes to child[0], else to child[1]. Nodes
 * low + 1 ... high form the cell's tree. Node 0 and those after the last item with bound < 2^63 are in no tree and have
 * children ~0 and ~0.
 *
 * The root is low + 1, with children ~low and the tree of the leaves low + 1 ... high. The tree of leaves a ... b is ~a
 * for a = b. Else it is the node i, a < i <= b, for which spg_split_before holds against every other one, with the
 * trees of a ... i - 1 and i ... b as children: a radix tree, by the highest bit in which neighbouring bounds differ.
 *
 * REBALANCED: if some draw in the cell would visit more than SPG_FOREST_DEEPEST * spg_levels(high - low + 1) nodes, the
 * cell has the balanced tree instead: over leaves a ... b, starting with low ... high, node (a + b + 1) / 2; its root
 * is guide[g].
 *
 * NOTHING. A row that is empty or all zeros (empty_rows) has no distribution. Every entry of its guide names the item
 * SPG_FOREST_NOTHING: the entry itself or, for a cell of RADIX, ~entry. All its bounds are 2^63. So a search finds that
 * item at once; the draw is SPG_NO_ITEM, its share and remapped number are 0.
 *
 * The loads of a draw are the nodes visited.
 *
 * STRATA. `count` numbers, one in each of as many equal parts of [0, 2^63), ascending: number i is v =
 * spg_stratum_begin(i) + floor(x * spg_strata.width / 2^64), where x is number i of `random`. It is less than
 * spg_stratum_begin(i + 1). If no bound lies in a stratum, its draw does not depend on x. */
#ifndef SPG_SRC_SAMPLING_FOREST_H
#define SPG_SRC_SAMPLING_FOREST_H

#include "alias.h"

#define SPG_FOREST_TARGET 0x1p62

/* Deep branches that draws almost never reach make a radix tree fast elsewhere: some of the paper's distributions have
 * branches of 53 nodes, for 100 items. */
enum { SPG_FOREST_DEEPEST = 8 };
#define SPG_FOREST_END ((uint64_t)1 << 63)

/* No row has so many items. */
#define SPG_FOREST_NOTHING INT32_MAX

typedef struct spg_forest_node {
    uint64_t bound;
    int32_t child[2];
} spg_forest_node;

SPG_INLINE uint64_t spg_forest_units(double units) { return (uint64_t)(units + 0.5); }

/* floor(2^125 / total) + 1, by long division; 2^61 < total < 2^63. Rounded up, so that bounds that should be round
 * numbers, as for equal weights, are. */
SPG_INLINE uint64_t spg_reciprocal(uint64_t total)
{
    uint64_t quotient = 0, rest = (uint64_t)1 << 61; /* of 2^61 / total */
    for (int k = 0; k < 64; ++k) {
        rest <<= 1;
        quotient <<= 1;
        if (rest >= total) {
            rest -= total;
            quotient |= 1;
        }
    }
    return quotient + 1;
}

SPG_INLINE uint64_t spg_forest_bound(uint64_t sum, uint64_t total, uint64_t reciprocal)
{
    if (sum == total) return SPG_FOREST_END;
    return spg_multiply_high(sum, reciprocal) << 2 | sum * reciprocal >> 62;
}

/* 2^63 / count: the whole part and 64 more bits. 0 < count < 2^63. */
typedef struct spg_strata {
    uint64_t width, fraction;
} spg_strata;

SPG_INLINE spg_strata spg_strata_of(uint64_t count)
{
    spg_strata strata = {SPG_FOREST_END / count, 0};
    uint64_t rest = SPG_FOREST_END % count;
    for (int k = 0; k < 64; ++k) {
        rest <<= 1;
        strata.fraction <<= 1;
        if (rest >= count) {
            rest -= count;
            strata.fraction |= 1;
        }
    }
    return strata;
}

/* Where stratum i of count begins, 0 <= i <= count: rounded down, by less than 2. */
SPG_INLINE uint64_t spg_stratum_begin(const spg_strata *strata, uint64_t i)
{
    return i * strata->width + spg_multiply_high(i, strata->fraction);
}

SPG_INLINE uint64_t spg_stratified(const spg_strata *strata, uint64_t i, uint64_t number)
{
    return spg_stratum_begin(strata, i) + spg_multiply_high(number, strata->width);
}

/* The stratum that holds a bound in [0, 2^63); count if rounding puts the bound past all strata. */
SPG_INLINE uint64_t spg_stratum_of(const spg_strata *strata, uint64_t count, uint64_t bound)
{
    uint64_t i = spg_multiply_high(bound << 1, count);
    return spg_stratum_begin(strata, i + 1) <= bound ? i + 1 : i;
}

/* The smallest k with 2^k >= items * cells_per_item; at most 31. */
SPG_INLINE int spg_guide_bits(int64_t items, double cells_per_item)
{
    double cells = (double)items * cells_per_item;
    int k = 0;
    while (k < 31 && (double)((int64_t)1 << k) < cells) ++k;
    return k;
}

SPG_INLINE uint64_t spg_forest_uniform(double u) { return (uint64_t)(u * 0x1p63); }

/* Whether node i is above node j in a radix tree; before[x] = bound[x - 1]. */
SPG_INLINE int spg_split_before(uint64_t bound_before_i, uint64_t bound_i, int32_t i, uint64_t bound_before_j,
                                uint64_t bound_j, int32_t j)
{
    uint64_t differ_i = bound_before_i ^ bound_i, differ_j = bound_before_j ^ bound_j;
    if (differ_i != differ_j) return differ_i > differ_j;
    return ((i - 1) ^ i) > ((j - 1) ^ j);
}

/* The share of an item in its row, and the position of v in the item, in [0, 1). */
SPG_INLINE double spg_forest_share(uint64_t bound, uint64_t next) { return (double)(next - bound) * 0x1p-63; }

SPG_INLINE double spg_forest_remap(uint64_t bound, uint64_t next, uint64_t v)
{
    if (bound == next) return 0; /* a row of nothing */
    double remapped = (double)(v - bound) / (double)(next - bound);
    return remapped < 1 ? remapped : 1 - 0x1p-53;
}

#endif
