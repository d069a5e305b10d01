#include "weights.h"

#include "random_bits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char weights_names[] = "uniform, powerlaw[:A], heavy:SHARE, i20, mod32, mod64, spikes";

enum { STREAM_WEIGHTS = 101, STREAM_RANKS, STREAM_LENGTHS };

static const struct {
    const char *name;
    weights_family family;
} plain[] = {{"uniform", WEIGHTS_UNIFORM}, {"i20", WEIGHTS_I20},       {"mod32", WEIGHTS_MOD32},
             {"mod64", WEIGHTS_MOD64},     {"spikes", WEIGHTS_SPIKES}, {"powerlaw", WEIGHTS_POWER_LAW}};

/* "prefix:NUMBER" with a number from 0 to `most`. */
static bool number_after(const char *name, const char *prefix, double most, double *number)
{
    const size_t length = strlen(prefix);
    char *end = NULL;
    if (strncmp(name, prefix, length) != 0) return false;
    *number = strtod(name + length, &end);
    return end != name + length && *end == '\0' && *number >= 0.0 && *number <= most;
}

bool weights_named(const char *name, uint64_t seed, weights_rule *rule)
{
    *rule = (weights_rule){.exponent = 1.0, .seed = seed};
    for (size_t k = 0; k < sizeof plain / sizeof *plain; k++) {
        if (strcmp(name, plain[k].name) == 0) {
            rule->family = plain[k].family;
            return true;
        }
    }
    if (number_after(name, "powerlaw:", 64.0, &rule->exponent)) {
        rule->family = WEIGHTS_POWER_LAW;
        return true;
    }
    rule->family = WEIGHTS_HEAVY;
    return number_after(name, "heavy:", 1.0, &rule->exponent);
}

double random_share(uint64_t key, uint64_t counter)
{
    return (double)((random_bits(key, counter) >> 11) + 1) * 0x1p-53;
}

/* Four rounds of a Feistel network on the smallest even number of bits that hold n, repeated until the result is below
 * n. */
int64_t permuted(uint64_t key, int64_t i, int64_t n)
{
    int half = 1;
    while (half < 31 && (INT64_C(1) << (2 * half)) < n) half++;
    const uint64_t mask = (UINT64_C(1) << half) - 1;
    do {
        uint64_t left = (uint64_t)i >> half, right = (uint64_t)i & mask;
        for (uint64_t round = 0; round < 4; round++) {
            const uint64_t mixed = (left ^ random_bits(key + round, right)) & mask;
            left = right;
            right = mixed;
        }
        i = (int64_t)((left << half) | right);
    } while (i >= n);
    return i;
}

/* Uses only products: pow differs between machines in the last bit. */
static double power(double x, int exponent)
{
    double result = 1.0;
    for (; exponent > 0; exponent /= 2, x *= x)
        if (exponent % 2 != 0) result *= x;
    return result;
}

static double power_law(double rank, double exponent)
{
    if (exponent == 0.5) return 1.0 / sqrt(rank);
    if (exponent == floor(exponent)) return 1.0 / power(rank, (int)exponent);
    return pow(rank, -exponent);
}

static double spike(int64_t item, int64_t items)
{
    for (int64_t k = 1; k < 8; k += 2)
        if (item == k * items / 8) return 0.2;
    return items > 4 ? 0.2 / (double)(items - 4) : 0.2;
}

double weight_of(const weights_rule *rule, int64_t row, int64_t item, int64_t items)
{
    const uint64_t key = random_key(rule->seed, STREAM_WEIGHTS) + ((uint64_t)row << 34);
    switch (rule->family) {
    case WEIGHTS_POWER_LAW: {
        const uint64_t ranks = random_key(rule->seed, STREAM_RANKS) + ((uint64_t)row << 3);
        return power_law((double)(permuted(ranks, item, items) + 1), rule->exponent);
    }
    case WEIGHTS_HEAVY: return random_share(key, (uint64_t)item) <= rule->exponent ? 2.0 : 1.0;
    case WEIGHTS_I20: return power((double)(item + 1) / (double)items, 20);
    case WEIGHTS_MOD32: return power((double)(item % 32 + 1) / 32.0, 25);
    case WEIGHTS_MOD64: return power((double)(item % 64 + 1) / 64.0, 35);
    case WEIGHTS_SPIKES: return spike(item, items);
    default: return random_share(key, (uint64_t)item);
    }
}

int64_t ragged_length(uint64_t seed, int64_t row, int64_t longest)
{
    /* Inverts 1 - length^-0.5, cut off at the longest. */
    const double least = 1.0 / sqrt((double)longest + 1.0);
    const double u = least + (1.0 - least) * random_share(random_key(seed, STREAM_LENGTHS), (uint64_t)row);
    const int64_t length = (int64_t)(1.0 / (u * u));
    return length < longest ? length : longest;
}
