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
 * TARGET. u * sum below is spg_target: rounded as usual, but where sums are so small that this could be a denormal
 * number, cut off to one. For then weights and their sums are exact, whole numbers of the least denormal, and a target
 * that is rounded up to one of them would fall to the item after it.
 *
 * DRAW BY THE TREE (method AUTO of rows): over the row's items stands the tree; before those of a row of more than
 * SPG_SHORT_ROW items stand lead = (the row's offset) % I items of +0, I = 4 for float and 2 for double, so that reads
 * of 16 bytes bring whole nodes. target = u * root, base = +0, from the root down: to the right
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
 * LANE DRAW (LDA, AUTO): w[k] as above, u = spg_uniform_f64 of number w. Topics are cut into pieces of 1024, the last
 * one shorter. The items of a piece are dealt to L = spg_lanes lanes, 16 bytes of them at a time (I = 4 floats or 2
 * doubles): item k of the piece goes to lane k / I % L. Sums within a piece are of the type: q, a lane's running sums,
 * its items in ascending order, the last of which is s[l]; and S, the scan of these: from S = s on, for d = 1, 2, 4 ...
 * below L, S[l] = S[l-d] + S[l] of all l >= d at once. A piece's sum is S[L-1] as double, P[p] = P[p-1] + it in double
 * (P[-1] = 0). target = u * P[last], or if that isn't less than P[last], the largest double below that. It lies in the
 * first piece with target < P[p]: rest = target - P[p-1]; in the first lane of it with s > 0 and rest < S[l], or if
 * there is none, in the last one with s > 0; in the first item of this with r < q, where r is rest - (S[l] - s[l]) as
 * the type (a denormal one is cut off, too), but at least 0, and if it isn't less than s[l], the largest number of the
 * type below s[l]. So items follow
 * each other lane by lane, a fixed permutation: each has its share of u, though not in ascending order. (By the tree,
 * in ascending order, the z-step takes about twice as long.) A product that is negative or NaN, an infinite sum and a
 * sum of 0 are faults of the word. */
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

enum { SPG_SHORT_ROW = 8 };

/* Lanes of the lane draw, and its other sizes. */
enum { SPG_LANE_BYTES = 16, SPG_LANE_PIECE = 1024, SPG_MOST_LANES = 32 };

SPG_INLINE int spg_lanes(int64_t topics, int bytes_a_topic)
{
    int64_t bytes = topics * bytes_a_topic;
    return bytes <= 1024 ? 8 : bytes <= 2048 ? 16 : SPG_MOST_LANES;
}

/* How many items of +0 stand before a row that begins at entry `begin`. */
SPG_INLINE int spg_row_lead(int64_t begin, int64_t items, int bytes_an_item)
{
    return items > SPG_SHORT_ROW ? (int)(begin % (SPG_LANE_BYTES / bytes_an_item)) : 0;
}

/* u * sum; see TARGET. */
SPG_INLINE double spg_target_f64(double u, double sum)
{
    double large, target;
    if (!(sum < 0x1p-960)) return u * sum;
    large = u * (sum * 0x1p512);
    target = large * 0x1p-512;
    return target * 0x1p512 > large ? target - 0x1p-1074 : target;
}
SPG_INLINE float spg_target_f32(float u, float sum)
{
    float large, target;
    if (!(sum < 0x1p-100f)) return u * sum;
    large = u * (sum * 0x1p64f);
    target = large * 0x1p-64f;
    return target * 0x1p64f > large ? target - 0x1p-149f : target;
}

/* A number, which is not negative, as of the type. */
SPG_INLINE double spg_rest_f64(double rest) { return rest; }
SPG_INLINE float spg_rest_f32(double rest)
{
    const float rounded = (float)rest;
    return rounded <= 0x1p-126f && rounded > 0 && (double)rounded > rest ? rounded - 0x1p-149f : rounded;
}

/* One step down the tree. */
SPG_INLINE int spg_goes_right(double target, double base, double left, double right)
{
    return target >= base + left && right > 0;
}

#endif
