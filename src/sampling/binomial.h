/* Exact binomial numbers, of up to 2^63 - 1 trials, and the splitting of draws among sections: for the host and for
 * kernels. Private.
 *
 * Rows 0 ... n - 1 of an alias table lie in sections of SPG_SECTION rows. A node [a, b) of sections holds `count`
 * draws, and its middle is a + (b - a) / 2. The left child gets a binomial number of them; the probability is the share
 * of its rows in the node's rows. The right child gets the rest. The root [0, sections) is node 1 and holds all draws;
 * the children of node k are 2k and 2k + 1. A node's number depends only on the key, on k and on its count. So each
 * thread can go from the root to its own section by itself, and finds its first output position on the way.
 *
 * Binomial numbers: for n * p >= 10 by transformed rejection (algorithm BTRS of Hoermann, "The generation of binomial
 * random variates", 1993), else by inversion. A number is kept as its distance from the mean, and its probability is
 * computed as in Loader, "Fast and accurate computation of binomial probabilities" (2000). So neither loses digits
 * where counts are large. */
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

/* log(k!) less (k + 1/2) * log(k) - k + log(2 * pi) / 2, for k >= 1. */
SPG_INLINE double spg_stirling_rest(double k)
{
    if (k > 10) {
        double square = 1 / (k * k);
        return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 * square) * square) / k;
    }
    switch ((int)k) {
    case 1: return 0.08106146679532726;
    case 2: return 0.04134069595540929;
    case 3: return 0.02767792568499834;
    case 4: return 0.02079067210376509;
    case 5: return 0.01664469118982119;
    case 6: return 0.01387612882307075;
    case 7: return 0.01189670994589177;
    case 8: return 0.01041126526197209;
    case 9: return 0.009255462182712733;
    default: return 0.008330563433362871;
    }
}

/* (1 - p)^n, for p <= 1/2 and n * p < 10. */
SPG_INLINE double spg_no_success(double n, double p)
{
    double power = 1, square = 1 - p;
    if (n >= 64) return spg_exp_of_minus(n * spg_twice_atanh(p / (2 - p)));
    for (int left = (int)n; left > 0; left >>= 1) {
        if (left & 1) power *= square;
        square *= square;
    }
    return power;
}

/* n * p < 10, p <= 1/2: adds the terms of the distribution one by one. Beyond 200 they are below 1e-150. */
SPG_INLINE int64_t spg_binomial_by_inversion(double n, double p, double u)
{
    double odds = p / (1 - p), term = spg_no_success(n, p);
    double most = n < 200 ? n : 200, k = 0;
    while (u > term && k < most) {
        u -= term;
        k += 1;
        term *= ((n + 1) / k - 1) * odds;
    }
    return (int64_t)k;
}

/* x * log(x / mean) - (x - mean), for x = mean + off > 0: without cancellation where x is near its mean. */
SPG_INLINE double spg_deviance(double x, double mean, double off)
{
    double ratio = off / (x + mean), square = ratio * ratio, sum = 0;
    if (square > 1.0 / 9) return x * spg_natural_log(x / mean) - off;
    if (square > 0x1p-14)
        for (int k = 35; k >= 11; k -= 2) sum = sum * square + 1.0 / k;
    for (int k = 9; k >= 3; k -= 2) sum = sum * square + 1.0 / k;
    return off * ratio + x * (2 * ratio * square * sum);
}

/* A binomial distribution of p <= 1/2. Its mean count * p is `whole` + `rest`, rest in [0, 1): so numbers near it are
 * told apart for any count. */
typedef struct spg_binomial_law {
    int64_t count, whole;
    double p, rest;
} spg_binomial_law;

/* The logarithm of the probability of whole + step (Loader 2000). */
SPG_INLINE double spg_binomial_log(const spg_binomial_law *law, int64_t step)
{
    int64_t k = law->whole + step;
    double n = (double)law->count, x = (double)k, y = (double)(law->count - k), off = (double)step - law->rest;
    double mean = (double)law->whole + law->rest, mean_of_rest = (double)(law->count - law->whole) - law->rest;
    if (k == 0) return -(n * spg_twice_atanh(law->p / (2 - law->p)));
    if (k == law->count) return n * spg_natural_log(law->p);
    return (spg_stirling_rest(n) - spg_stirling_rest(x) - spg_stirling_rest(y)) -
           (spg_deviance(x, mean, off) + spg_deviance(y, mean_of_rest, -off)) -
           0.5 * spg_natural_log(x / n * y * 6.283185307179586);
}

/* count * p >= 10, p <= 1/2. Attempt t uses the two numbers of the block of counter {node, t}. */
SPG_INLINE int64_t spg_binomial_by_rejection(int64_t count, double p, uint64_t key, uint64_t node)
{
    double mean = (double)count * p, deviation = sqrt(mean * (1 - p)), b = 1.15 + 2.53 * deviation;
    double a = -0.0873 + 0.0248 * b + 0.01 * p, certain = 0.92 - 4.2 / b, alpha = (2.83 + 5.1 / b) * deviation;
    spg_binomial_law law = {count, (int64_t)mean, p, 0};
    law.rest = mean - (double)law.whole;
    for (uint64_t t = 0;; ++t) {
        spg_philox_block block = spg_philox(key, node, t);
        double v = spg_open_uniform(spg_philox_half(&block, 0));
        double u = spg_open_uniform(spg_philox_half(&block, 1)) - 0.5, rest = 0.5 - fabs(u);
        double step = floor((2 * a / rest + b) * u + law.rest + 0.5);
        if (!(step >= -(double)law.whole && step < 0x1p62) || (int64_t)step > count - law.whole) continue;
        int64_t k = law.whole + (int64_t)step;
        if (rest >= 0.07 && v <= certain) return k; /* the result of the test below, at less cost */
        double log_of_mode = spg_binomial_log(&law, law.rest + p >= 1);
        if (spg_natural_log(v * alpha / (a / (rest * rest) + b)) <= spg_binomial_log(&law, (int64_t)step) - log_of_mode)
            return k;
    }
}

/* How many of `count` trials go left, each with probability left / (left + right), from number `node` of the key. left
 * and right are above 0, their sum is finite. */
SPG_INLINE int64_t spg_binomial(int64_t count, double left, double right, uint64_t key, uint64_t node)
{
    int flipped = left > right;
    double p = (flipped ? right : left) / (left + right), n = (double)count;
    int64_t successes;
    if (count == 0) return 0;
    if (n * p >= 10) {
        successes = spg_binomial_by_rejection(count, p, key, node);
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
    return spg_binomial(node->count, (double)spg_rows_of_sections(node->a, middle, n),
                        (double)spg_rows_of_sections(middle, node->b, n), key, node->number);
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
