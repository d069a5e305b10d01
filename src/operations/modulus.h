/* Moduli of entries, the same bits on every backend: no step is fused, and none overflows but the last. Private. */
#ifndef SPG_SRC_OPERATIONS_MODULUS_H
#define SPG_SRC_OPERATIONS_MODULUS_H

#include "inline.h"

#include <math.h>
#include <stdbool.h>

/* |re + i*im|; NaN if a part is NaN. */
SPG_INLINE double spg_modulus(double re, double im)
{
    const double a = fabs(re), b = fabs(im), most = a > b ? a : b, least = a > b ? b : a;
    if (a != a || b != b) return a + b;
    if (least == 0 || most > 1.7976931348623157e308) return most;
    const double ratio = least / most;
    return most * sqrt(1 + ratio * ratio);
}

/* |a - b|, 0 for equal infinities. */
SPG_INLINE double spg_distance(double a_re, double a_im, double b_re, double b_im)
{
    return spg_modulus(a_re == b_re ? 0 : a_re - b_re, a_im == b_im ? 0 : a_im - b_im);
}

/* |a - b| / max(|a|, |b|) of finite numbers that differ, scaled so that nothing overflows; infinite or NaN if a part
 * is. */
SPG_INLINE double spg_relative_distance(double a_re, double a_im, double b_re, double b_im)
{
    const bool large = fabs(a_re) > 1e300 || fabs(a_im) > 1e300 || fabs(b_re) > 1e300 || fabs(b_im) > 1e300;
    const double scale = large ? 0.125 : 1;
    const double distance = spg_distance(scale * a_re, scale * a_im, scale * b_re, scale * b_im);
    const double a = spg_modulus(scale * a_re, scale * a_im), b = spg_modulus(scale * b_re, scale * b_im);
    return distance <= 1.7976931348623157e308 ? distance / (a > b ? a : b) : distance;
}

#endif
