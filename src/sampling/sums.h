/* How sums of weights are formed and searched: one definition for every place, so that draws have the same bits.
 * Private.
 *
 * TREE SUM. A complete binary tree over the items of a row in storage order: node (h, k) covers the items k * 2^h ...
 * (k+1) * 2^h - 1 of the row, counted from its first. A leaf (h = 0) is an item's weight as double; an item past the
 * row's end is +0. Every other node is the rounded sum of its left and right child. The row's sum is the root, for the
 * smallest h with 2^h >= items. Padding with zeros changes no bit, so threads may take any aligned blocks of a power of
 * two, in any arrangement: lanes that add by xor-shuffles of 1, 2, 4, ..., 16 bytes a load, tiles, blocks.
 *
 * SCALE. If the sum is infinite, everything is done again with each weight times SPG_SCALE_DOWN; `scale` is 1 or that.
 * A float is first converted to double and never needs it.
 *
 * TARGET. u * sum below is spg_target: rounded as usual, except that it is truncated if the sum is so small that the
 * product could be a denormal number. Weights and their sums are then exact multiples of the least denormal, and a
 * target rounded up to one of them would belong to the next item.
 *
 * DRAW BY THE TREE (method AUTO of rows): uses the tree over the row's items. In a row of more than SPG_SHORT_ROW
 * items, lead = (the row's offset) % I items of +0 precede them, I = 4 for float and 2 for double, so that reads of 16
 * bytes bring whole nodes. target = u * root, base = +0; from the root down: to the right child, with base = base +
 * left, if target >= base + left and right > 0; else to the left child. The leaf is the item: monotone in u, never of
 * weight zero. u is a double: spg_uniform_f64 of number i, or uniforms[i] converted.
 *
 * SEQUENTIAL DRAW (PLAIN, TRANSPOSED): sums p[0] = w[0], p[j] = p[j-1] + w[j]; target = u * p[last]; the first j with
 * target < p[j]; if there is none, the last j of weight > 0.
 *
 * TABLE DRAW (TABLE): the first r = items % 32 items are the remnant, summed as above (sum = +0 if r = 0). Blocks of 32
 * follow, each with its tree sum B[b] (5 levels): P[b] = P[b-1] + B[b], where P[-1] is the remnant's sum. target = u *
 * P[last]. The draw is in the remnant, at the first j with target < p[j], if any. Else it is in the first block with
 * target < P[b]; if there is none, in the last block with B[b] > 0; if there is none of those either, it is the
 * remnant's last item. In a block the search goes down with low = P[b-1] and high = P[b]: at a node whose children
 * cover s = 16, 8, 4, 2, 1 items, mid = low + left if (lane & s) == 0, else high - right (the paper's table holds just
 * one of the two); to the left with high = mid if target < mid, else to the right with low = mid. lane = the row's
 * (LDA: the document's) number % 32. If the item found has weight 0, the next item of the row with weight > 0 is taken;
 * if there is none, the last one.
 *
 * Rows: both in double, u as above, SCALE applies. LDA, PLAIN, TRANSPOSED and TABLE: all in the type of theta and phi,
 * as in the paper: w[k] = theta * phi rounded, u = spg_uniform_f32 or _f64 of number w.
 *
 * LANE DRAW (LDA, AUTO): w[k] as above, u = spg_uniform_f64 of number w. Topics are cut into pieces of 1024, the last
 * one shorter. The items of a piece are dealt to L = spg_lanes lanes, 16 bytes at a time (I = 4 floats or 2 doubles):
 * item k of the piece goes to lane k / I % L. Sums within a piece are of the type. q: a lane's running sums, over its
 * items in ascending order; s[l]: the last of them. S: the scan of s: starting with S = s, for d = 1, 2, 4 ... below L,
 * S[l] = S[l-d] + S[l] for all l >= d simultaneously. A piece's sum is S[L-1] as double; P[p] = P[p-1] + it in double
 * (P[-1] = 0). target = u * P[last] or, if that is not less than P[last], the largest double below P[last]. The draw is
 * in the first piece with target < P[p]: rest = target - P[p-1]. In the piece, it is in the first lane with s > 0 and
 * rest < S[l]; if there is none, in the last lane with s > 0. In the lane, it is the first item with r < q, where r is
 * rest - (S[l] - s[l]) as the type (truncated if denormal), at least 0 and, if it is not less than s[l], the largest
 * number of the type below s[l]. So the order of items is lane by lane, a fixed permutation: each has its share of u,
 * but not in ascending order. (By the tree, in ascending order, the z-step takes about twice as long.) A product that
 * is negative or NaN, an infinite sum and a sum of 0 are faults of the word. */
#ifndef SPG_SRC_SAMPLING_SUMS_H
#define SPG_SRC_SAMPLING_SUMS_H

#include "philox.h"

#define SPG_SCALE_DOWN 0x1p-64

/* The draw from a row that is empty or all zeros, where such rows are allowed. */
enum { SPG_NO_ITEM = -1 };

/* The smallest h with 2^h >= items; 0 for none. */
SPG_INLINE int spg_levels(int64_t items)
{
    int h = 0;
    while (((uint64_t)1 << h) < (uint64_t)items) ++h;
    return h;
}

enum { SPG_SHORT_ROW = 8 };

/* The sizes of the lane draw. */
enum { SPG_LANE_BYTES = 16, SPG_LANE_PIECE = 1024, SPG_MOST_LANES = 32 };

SPG_INLINE int spg_lanes(int64_t topics, int bytes_a_topic)
{
    int64_t bytes = topics * bytes_a_topic;
    return bytes <= 1024 ? 8 : bytes <= 2048 ? 16 : SPG_MOST_LANES;
}

/* The number of +0 items that precede a row that begins at entry `begin`. */
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

/* Converts a number, which is not negative, to the type. */
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
