/* Exact binomial numbers and the splitting of draws among sections: for the host and for kernels. Private.
 *
 * Rows 0 ... n - 1 of an alias table lie in sections of SPG_SECTION rows. A node [a, b) of sections holds `count`
 * draws, and its middle is a + (b - a) / 2. The left child gets a binomial number of them; the probability is the share
 * of its rows in the node's rows. The right child gets the rest. The root [0, sections) is node 1 and holds all draws;
 * the children of node k are 2k and 2k + 1. A node's number depends only on the key, on k and on its count. So each
 * thread can go from the root to its own section by itself, and finds its first output position on the way.
 *
 * Binomial numbers: for n * p >= 10 by transformed rejection (algorithm BTRS of Hoermann, "The generation of binomial
 * random variates", 1993), else by inversion. */
#ifndef SPG_SRC_SAMPLING_BINOMIAL_H
#define SPG_SRC_SAMPLING_BINOMIAL_H

#include "alias.h"
#include "logarithm.h"

#include <math.h>

/* The key of a grouped call's splitting: different from the key of the draws, so that the two share no numbers. */
SPG_INLINE uint64_t spg_split_key(uint64_t seed, uint64_t stream, uint64_t first)
{
    spg_philox_block block = spg_philox(~seed, first, stream);
    return spg_philox_half(&block, 0);
}

/* The remainder of Stirling's formula for log(k!). */
SPG_INLINE double spg_stirling_rest(double k)
{
    if (k > 9) {
        double next = 1 / (k + 1), square = next * next;
        return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 * square) * square) * next;
    }
    switch ((int)k) {
    case 0: return 0.08106146679532726;
    case 1: return 0.04134069595540929;
    case 2: return 0.02767792568499834;
    case 3: return 0.02079067210376509;
    case 4: return 0.01664469118982119;
    case 5: return 0.01387612882307075;
    case 6: return 0.01189670994589177;
    case 7: return 0.01041126526197209;
    case 8: return 0.009255462182712733;
    default: return 0.008330563433362871;
    }
}

/* n * p < 10, p <= 1/2: adds the terms of the distribution one by one. Beyond 200 they are below 1e-150. */
SPG_INLINE int64_t spg_binomial_by_inversion(double n, double p, double u)
{
    double odds = p / (1 - p), term = spg_exp_of_minus(n * spg_twice_atanh(p / (2 - p)));
    double most = n < 200 ? n : 200, k = 0;
    while (u > term && k < most) {
        u -= term;
        k += 1;
        term *= ((n + 1) / k - 1) * odds;
    }
    return (int64_t)k;
}

/* log of the probability of k over that of the mode, less what BTRS moves to the other side. */
SPG_INLINE double spg_binomial_log_ratio(double n, double odds, double mode, double k)
{
    double above_mode = n - mode + 1, above = n - k + 1;
    return (mode + 0.5) * spg_natural_log((mode + 1) / (odds * above_mode)) +
           (n + 1) * spg_natural_log(above_mode / above) + (k + 0.5) * spg_natural_log(odds * above / (k + 1)) +
           ((spg_stirling_rest(mode) + spg_stirling_rest(n - mode)) -
            (spg_stirling_rest(k) + spg_stirling_rest(n - k)));
}

/* n * p >= 10, p <= 1/2. Attempt t uses the two numbers of the block of counter {node, t}. */
SPG_INLINE int64_t spg_binomial_by_rejection(double n, double p, uint64_t key, uint64_t node)
{
    double odds = p / (1 - p), deviation = sqrt(n * p * (1 - p)), b = 1.15 + 2.53 * deviation;
    double a = -0.0873 + 0.0248 * b + 0.01 * p, centre = n * p + 0.5, certain = 0.92 - 4.2 / b;
    double alpha = (2.83 + 5.1 / b) * deviation, mode = floor((n + 1) * p);
    for (uint64_t t = 0;; ++t) {
        spg_philox_block block = spg_philox(key, node, t);
        double v = spg_open_uniform(spg_philox_half(&block, 0));
        double u = spg_open_uniform(spg_philox_half(&block, 1)) - 0.5, rest = 0.5 - fabs(u);
        double k = floor((2 * a / rest + b) * u + centre);
        if (!(k >= 0 && k <= n)) continue;
        if (rest >= 0.07 && v <= certain) return (int64_t)k; /* the result of the test below, at less cost */
        if (spg_natural_log(v * alpha / (a / (rest * rest) + b)) <= spg_binomial_log_ratio(n, odds, mode, k))
            return (int64_t)k;
    }
}

/* The number of successes in `count` trials of probability part / whole, from number `node` of the key. 0 < part <
 * whole; count at most 2^53. */
SPG_INLINE int64_t spg_binomial(int64_t count, int64_t part, int64_t whole, uint64_t key, uint64_t node)
{
    int flipped = part > whole - part;
    double p = (double)(flipped ? whole - part : part) / (double)whole, n = (double)count;
    int64_t successes;
    if (count == 0) return 0;
    if (n * p >= 10) {
        successes = spg_binomial_by_rejection(n, p, key, node);
    } else {
        spg_philox_block block = spg_philox(key, node, 0);
        successes = spg_binomial_by_inversion(n, p, spg_open_uniform(spg_philox_half(&block, 0)));
    }
    return flipped ? count - successes : successes;
}

/* The number of sections of a table of n rows. */
SPG_INLINE int64_t spg_sections(int64_t n) { return (n + SPG_SECTION - 1) / SPG_SECTION; }

/* The rows of sections [a, b) of a table of n rows. */
SPG_INLINE int64_t spg_rows_of_sections(int64_t a, int64_t b, int64_t n)
{
    int64_t end = b * SPG_SECTION;
    return (end < n ? end : n) - a * SPG_SECTION;
}

typedef struct spg_section_node {
    int64_t a, b;          /* sections */
    int64_t offset, count; /* its first output position and its number of draws */
    uint64_t number;
} spg_section_node;

SPG_INLINE spg_section_node spg_section_root(int64_t n, int64_t count)
{
    spg_section_node root = {0, spg_sections(n), 0, count, 1};
    return root;
}

/* How many draws the left child of a node of two or more sections gets. */
SPG_INLINE int64_t spg_left_count(const spg_section_node *node, int64_t n, uint64_t key)
{
    int64_t middle = node->a + (node->b - node->a) / 2;
    return spg_binomial(node->count, spg_rows_of_sections(node->a, middle, n),
                        spg_rows_of_sections(node->a, node->b, n), key, node->number);
}

SPG_INLINE spg_section_node spg_section_child(const spg_section_node *node, int64_t left_count, int right)
{
    int64_t middle = node->a + (node->b - node->a) / 2;
    spg_section_node child = {right ? middle : node->a, right ? node->b : middle,
                              node->offset + (right ? left_count : 0), right ? node->count - left_count : left_count,
                              node->number * 2 + (uint64_t)right};
    return child;
}

/* A section with its count and the position of its first draw, by descent from the root. */
SPG_INLINE spg_section_node spg_find_section(int64_t section, int64_t n, int64_t count, uint64_t key)
{
    spg_section_node node = spg_section_root(n, count);
    while (node.b - node.a > 1) {
        int right = section >= node.a + (node.b - node.a) / 2;
        int64_t left_count = spg_left_count(&node, n, key);
        node = spg_section_child(&node, left_count, right);
    }
    return node;
}

#endif
