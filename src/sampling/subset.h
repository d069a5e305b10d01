/* Draws without replacement: the definition of their keys, for the host and for kernels. Private.
 *
 * The item of entry e of the matrix has the number random.first + e, of which spg_exponential makes an exponential
 * number E. Its key is E over its weight (Efraimidis, Spirakis 2006, in the logarithm): in order of their keys, and of
 * equal keys in storage order, items come as if drawn one by one, each from those not yet drawn. A draw from a row is
 * its k least keys. The key of weight 0 is SPG_SUBSET_NONE; it is not drawn. */
#ifndef SPG_SRC_SAMPLING_SUBSET_H
#define SPG_SRC_SAMPLING_SUBSET_H

#include "logarithm.h"

#define SPG_SUBSET_NONE UINT64_MAX

/* The number that -log(1 - v) is made from, in (0, 1), with a relative precision of 2^-53 at its lower end. */
SPG_INLINE double spg_subset_uniform(uint64_t bits) { return ((double)bits + 0.5) * 0x1p-64; }

/* Exponential with mean 1, for a number of 64 bits; not below spg_subset_uniform, but for rounding. */
SPG_INLINE double spg_exponential(uint64_t bits)
{
    double v = spg_subset_uniform(bits);
    if (bits >> 63 == 0) return spg_twice_atanh(v / (2 - v));
    return -spg_natural_log(spg_subset_uniform(~bits));
}

/* The bits of e / weight as a double of 12 bits of exponent, so that neither end is reached by any weight: keys are
 * compared as whole numbers. */
SPG_INLINE uint64_t spg_subset_key_of(double e, double weight)
{
    union {
        double value;
        uint64_t bits;
    } ratio;
    int exponent = 2048;
    if (!(weight > 0)) return SPG_SUBSET_NONE;
    if (weight < 0x1p-1022) {
        weight *= 0x1p64;
        exponent += 64;
    }
    exponent += spg_exponent(e) - spg_exponent(weight);
    ratio.value = e * spg_power_of_two(-spg_exponent(e)) / (weight * spg_power_of_two(-spg_exponent(weight)));
    exponent += spg_exponent(ratio.value); /* -1 or 0 */
    return (uint64_t)exponent << 52 | (ratio.bits & (((uint64_t)1 << 52) - 1));
}

SPG_INLINE uint64_t spg_subset_key(uint64_t bits, double weight)
{
    return spg_subset_key_of(spg_exponential(bits), weight);
}

#endif
