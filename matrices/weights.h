/* Weights of discrete distributions, the same on every machine: a function of the item, its row and a seed. */
#ifndef SPG_MATRICES_WEIGHTS_H
#define SPG_MATRICES_WEIGHTS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum weights_family {
    WEIGHTS_UNIFORM,   /* random in (0, 1] */
    WEIGHTS_POWER_LAW, /* rank^-exponent, ranks shuffled */
    WEIGHTS_HEAVY,     /* 1 or 2; a random share, `exponent`, of the items has 2 */
    /* Binder and Keller's Table 1, item i of n. */
    WEIGHTS_I20,   /* ((i + 1) / n)^20 */
    WEIGHTS_MOD32, /* ((i mod 32 + 1) / 32)^25 */
    WEIGHTS_MOD64, /* ((i mod 64 + 1) / 64)^35 */
    WEIGHTS_SPIKES /* four items have a fifth each; all others share the last fifth evenly */
} weights_family;

typedef struct weights_rule {
    weights_family family;
    double exponent;
    uint64_t seed;
} weights_rule;

/* uniform, powerlaw:A (powerlaw: A = 1), heavy:SHARE, i20, mod32, mod64, spikes. False: none of them. */
bool weights_named(const char *name, uint64_t seed, weights_rule *rule);

/* The names, for messages. */
extern const char weights_names[];

/* The weight of item `item` in a row of `items` items. */
double weight_of(const weights_rule *rule, int64_t row, int64_t item, int64_t items);

/* The image of i under the permutation of [0, n) given by `key`. */
int64_t permuted(uint64_t key, int64_t i, int64_t n);

/* Lengths of rows, with a probability of about length^-1.5 on [1, longest]. */
int64_t ragged_length(uint64_t seed, int64_t row, int64_t longest);

/* In (0, 1], 53 bits. */
double random_share(uint64_t key, uint64_t counter);

#endif
