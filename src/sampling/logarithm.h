/* Logarithm and exponential in plain arithmetic, each operation rounded, for the host and for kernels: library
 * functions differ in their last bits between places. Private. */
#ifndef SPG_SRC_SAMPLING_LOGARITHM_H
#define SPG_SRC_SAMPLING_LOGARITHM_H

#include "alias.h"

/* A number in (0, 1), both ends excluded. */
SPG_INLINE double spg_open_uniform(uint64_t bits) { return ((double)(bits >> 12) + 0.5) * 0x1p-52; }

/* 2 * atanh(s) for |s| <= 1/3. */
SPG_INLINE double spg_twice_atanh(double s)
{
    double square = s * s, sum = 0;
    for (int k = 35; k >= 1; k -= 2) sum = sum * square + 1.0 / k;
    return 2 * s * sum;
}

/* log(x) of a positive normal number. */
SPG_INLINE double spg_natural_log(double x)
{
    int e = spg_exponent(x);
    double m = e > 1000 ? x * 0x1p-1000 * spg_power_of_two(1000 - e) : x * spg_power_of_two(-e); /* in [1, 2) */
    if (m > 1.4142135623730951) {
        m *= 0.5;
        ++e;
    }
    double f = m - 1;
    return e * 0x1.62e42feep-1 + (e * 0x1.a39ef35793c76p-33 + spg_twice_atanh(f / (2 + f)));
}

/* exp(-y) for 0 <= y < 100. */
SPG_INLINE double spg_exp_of_minus(double y)
{
    int k = (int)(y * 1.4426950408889634 + 0.5);
    double r = (k * 0x1.62e42feep-1 - y) + k * 0x1.a39ef35793c76p-33, sum = 1; /* within log(2) / 2 */
    for (int i = 16; i >= 1; --i) sum = 1 + sum * r / i;
    return sum * spg_power_of_two(-k);
}

#endif
