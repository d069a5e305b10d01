/* Powers of two that keep multigrid's numbers from under- and overflowing: multiplying by them changes no bits. For the
 * host and for kernels. Private. */
#ifndef SPG_SRC_AMG_UNITS_H
#define SPG_SRC_AMG_UNITS_H

#include "inline.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* Whether squares under- or overflowed, or nearly did, in the computation of a norm. */
SPG_INLINE bool spg_is_extreme(double norm) { return !(norm >= 0x1p-450 && norm <= 0x1p450); }

/* The power of two at or below a finite magnitude, within 2^1000 of 1; 1 for none. */
SPG_INLINE double spg_unit_of(double magnitude)
{
    if (!(magnitude > 0)) return 1;
    const int exponent = ilogb(magnitude);
    return ldexp(1.0, exponent < -1000 ? -1000 : exponent > 1000 ? 1000 : exponent);
}

/* What numbers, whose squares have this sum, are multiplied by before their squares are summed again: 1 unless the
 * squares under- or overflowed, or nearly did. */
SPG_INLINE double spg_rescaling_of_squares(double sum)
{
    return sum > DBL_MAX ? 0x1p-600 : sum < 0x1p-900 ? 0x1p600 : 1;
}

/* Sums of squares of vectors, and those of the vectors times spg_rescaling_of_squares of each sum, which are known only
 * where that is not 1; NULL: it is 1 for all. */
typedef struct spg_squares {
    const double *sums, *again;
} spg_squares;

/* The unit of vector j: the power of two at or below the root of its sum of squares; 1 if that is no number. */
SPG_INLINE double spg_unit_of_squares(spg_squares of, int j)
{
    const double sum = of.sums[j], scaling = of.again != NULL ? spg_rescaling_of_squares(sum) : 1;
    if (scaling != 1) return spg_unit_of(sqrt(of.again[j]) / scaling);
    return sum <= DBL_MAX ? spg_unit_of(sqrt(sum)) : 1;
}

/* The power of two whose square is 1/magnitude, within a factor of 2; products of two are finite. */
SPG_INLINE double spg_scaling_of(double magnitude)
{
    if (!(magnitude > 0)) return 1;
    int exponent;
    frexp(fmin(magnitude, DBL_MAX), &exponent);
    const int half = exponent / 2 - (exponent % 2 < 0);
    return ldexp(1.0, half > 500 ? -500 : half < -500 ? 500 : -half);
}

#endif
