/* What filters of real forms compute by, at every place. For the host and for kernels. Private. */
#ifndef SPG_AMG_COMPLEX_FILTER_H
#define SPG_AMG_COMPLEX_FILTER_H

#include "amg/numerics.h"

typedef struct spg_amg_number {
    double re, im;
} spg_amg_number;

/* The block of columns 2*node and 2*node + 1 in a row of `count` such blocks, ascending: where it begins, or -1. */
SPG_INLINE int64_t spg_amg_find_pair(const int32_t *columns, int64_t count, int32_t node)
{
    int64_t low = 0, high = count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (columns[2 * middle] < 2 * node)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && columns[2 * low] == 2 * node ? 2 * low : -1;
}

/* sum + a*v for an entry a of the first row of a block, (re, -im), in its first or in its second column. */
SPG_INLINE spg_amg_number spg_amg_add_product(spg_amg_number sum, double value, bool is_second, spg_amg_number v)
{
    sum.re += is_second ? value * v.im : value * v.re;
    sum.im += is_second ? -(value * v.re) : value * v.im;
    return sum;
}

/* What is added to the diagonal for weak entries whose products with the candidate v sum to `dropped`: dropped / v_i,
 * so that F*v = A*v. Zero if v_i is zero, if spg_amg_lump refuses the real part, or if it exceeds the diagonal, as
 * where v_i is far smaller than its neighbours. */
SPG_INLINE spg_amg_number spg_amg_lump_complex(spg_amg_number diagonal, spg_amg_number dropped, spg_amg_number v)
{
    const spg_amg_number none = {0, 0};
    const double unit = fmax(fabs(v.re), fabs(v.im));
    if (!(unit > 0)) return none;
    const double re = v.re / unit, im = v.im / unit, square = re * re + im * im;
    const spg_amg_number by = {dropped.re / unit, dropped.im / unit};
    const spg_amg_number lumped = {(by.re * re + by.im * im) / square, (by.im * re - by.re * im) / square};
    const double size = fmax(fabs(lumped.re), fabs(lumped.im));
    if (!(size <= fmax(fabs(diagonal.re), fabs(diagonal.im)))) return none;
    return spg_amg_lump(diagonal.re, lumped.re) == lumped.re ? lumped : none;
}

#endif
