/* Random choices, the same on every machine. */
#ifndef SPG_SOAK_CHANCE_H
#define SPG_SOAK_CHANCE_H

#include "matrices_for_tests.h"

#include <math.h>
#include <stdbool.h>

static inline uint64_t chance_mix(uint64_t a, uint64_t b)
{
    uint64_t state = a ^ (b * 0x9e3779b97f4a7c15u + 0x7f4a7c15u);
    return test_random(&state);
}

static inline double chance_unit(uint64_t *state) { return (double)(test_random(state) >> 11) * 0x1p-53; }

/* From 0 to n - 1; 0 where n is not positive. */
static inline int64_t chance_below(uint64_t *state, int64_t n)
{
    uint64_t bits = test_random(state);
    return n > 0 ? (int64_t)(bits % (uint64_t)n) : 0;
}

static inline int64_t chance_between(uint64_t *state, int64_t least, int64_t most)
{
    return least + chance_below(state, most - least + 1);
}

/* Numbers of each magnitude alike. */
static inline int64_t chance_log(uint64_t *state, int64_t least, int64_t most)
{
    double low = (double)least, high = (double)most + 1;
    int64_t drawn = (int64_t)(low * pow(high / low, chance_unit(state)));
    return drawn < least ? least : drawn > most ? most : drawn;
}

/* Whether an event of so many percent happens. */
static inline bool chance_of(uint64_t *state, int percent) { return chance_below(state, 100) < percent; }

#endif
