/* How sums of weights are formed and searched: one definition for every place, so that draws are the same bits.
 * Private.
 *
 * TREE SUM. Over the items of a row in storage order stands a complete binary tree: the node (h, k) covers the items
 * k * 2^h ... (k+1) * 2^h - 1 of the row, counted from its first; a leaf (h = 0) is an item's weight as double; an item
 * past the row's end is +0; every other node is its left child plus its right one, rounded. The row's sum is the root,
 * of the smallest h with 2^h >= items. Padding by zeros changes no bit, so threads may take any aligned blocks of a
 * power of two, in any arrangement: lanes adding by xor-shuffles of 1, 2, 4, ..., 16 bytes a load, tiles, blocks.
 *
 * SCALE. Where the sum is infinite, all of it is done again with each weight times SPG_SCALE_DOWN; `scale` is 1 or
 * that. A float is converted to double first and never needs it.
 *
 * DRAW BY THE TREE (methods AUTO of rows and of LDA): target = u * root, base = +0, from the root down: to the right
 * child, with base = base + left, if target >= base + left and right > 0; else to the left one. The leaf is the item:
 * monotone in u, never of weight zero. u is a double: spg_uniform_f64 of number i, or uniforms[i] converted.
 *
 * SEQUENTIAL DRAW (PLAIN, TRANSPOSED): sums p[0] = w[0], p[j] = p[j-1] + w[j]; target = u * p[last]; the first j with
 * target < p[j]; if there is none, the last j of weight > 0.
 *
 * TABLE DRAW (TABLE): the first r = items % 32 items are the remnant, summed as above (sum = +0 where r = 0); then come
 * blocks of 32, each with its tree sum B[b] (5 levels): P[b] = P[b-1] + B[b], from P[-1] = the remnant's sum.
 * target = u * P[last]. In the remnant, the first j with target < p[j], if any. Else in the first block with
 * target < P[b], or if there is none, in the last block with B[b] > 0, or if there is none of those either, the
 * remnant's last item. In a block the search goes down with low = P[b-1] and high = P[b]: at a node whose children
 * cover s = 16, 8, 4, 2, 1 items, mid = low + left if (lane & s) == 0, else high - right (the table of the paper holds
 * just one of the two); to the left with high = mid if target < mid, else to the right with low = mid. lane = the row's
 * (LDA: the document's) number % 32. Should the item found have weight 0, the next one of weight > 0 in the row is
 * taken, or if there is none, the last one.
 *
 * Rows: both in double, u as above, SCALE applies. LDA, PLAIN, TRANSPOSED and TABLE: all in the type of theta and phi,
 * as in the paper: w[k] = theta * phi rounded, u = spg_uniform_f32 or _f64 of number w.
 *
 * LDA, AUTO: the tree over w[k] = theta * phi rounded to their type; the nodes of h = 1 and 2 are rounded to that type
 * as well (float: four items a 16-byte load), those above are sums in double. u = spg_uniform_f64. An infinite sum, or
 * a product that is negative or NaN, is a fault of the word; so is a sum of 0. */
#ifndef SPG_SRC_SAMPLING_SUMS_H
#define SPG_SRC_SAMPLING_SUMS_H

#include "philox.h"

#define SPG_SCALE_DOWN 0x1p-64

/* The smallest h with 2^h >= items; 0 for none. */
SPG_INLINE int spg_levels(int64_t items)
{
    int h = 0;
    while (((uint64_t)1 << h) < (uint64_t)items) ++h;
    return h;
}

/* One step down the tree. */
SPG_INLINE int spg_goes_right(double target, double base, double left, double right)
{
    return target >= base + left && right > 0;
}

#endif
