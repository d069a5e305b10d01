/* Formulas and bounds of multigrid that every place goes by. For the host and for kernels. Private. */
#ifndef SPG_AMG_NUMERICS_H
#define SPG_AMG_NUMERICS_H

#include "inline.h"
#include "units.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* The distance from 1 to the next number of the values' type. */
SPG_INLINE double spg_amg_epsilon(bool in_floats) { return in_floats ? (double)FLT_EPSILON : DBL_EPSILON; }

/* The factor of row and column i when a matrix is compared with its transpose: a power of two by which the diagonal
 * becomes about 1, so that a difference counts beside its own rows. 0 without a diagonal; and for a row of only a
 * diagonal, above 0, as boundary rows that were kept: their columns couple others to numbers that are known, which
 * changes no eigenvalue of D^-1 A. */
SPG_INLINE double spg_amg_symmetric_scale(double diagonal, bool has_others)
{
    return diagonal < 0 || (diagonal > 0 && has_others) ? spg_scaling_of(fabs(diagonal)) : 0;
}

/* ---- Strength of connection, with numbers whose products and squares may under- or overflow ---- */

/* sqrt(a*b) of magnitudes. */
SPG_INLINE double spg_amg_geometric_mean(double a, double b)
{
    const double product = a * b;
    if ((product >= DBL_MIN && product <= DBL_MAX) || !(a > 0 && b > 0)) return sqrt(product);
    const double u = spg_scaling_of(a), v = spg_scaling_of(b);
    return sqrt((a * u * u) * (b * v * v)) / (u * v);
}

/* A power of two by which a node's entries are multiplied before they are squared. `largest`: the largest magnitude in
 * its diagonal block; by the classical measure, that in its rows beside this block. */
SPG_INLINE double spg_amg_node_scale(double largest, bool is_classical)
{
    return is_classical ? 1 / spg_unit_of(largest) : spg_scaling_of(largest);
}

/* That of the entries of a block, which changes neither side of a comparison more than the other. */
SPG_INLINE double spg_amg_block_scale(double scale_of_row, double scale_of_column, bool is_classical)
{
    return is_classical ? scale_of_row : scale_of_row * scale_of_column;
}

/* The part of a right-hand side that its rounding hides: a residual of less can be found no more. */
SPG_INLINE double spg_amg_hidden_part(bool in_floats) { return spg_amg_epsilon(in_floats) / 16; }

/* Where inner products of residuals may vanish because the system is solved as far as rounding lets it be. */
SPG_INLINE double spg_amg_nearly_hidden_part(bool in_floats) { return 1e3 * spg_amg_epsilon(in_floats); }

/* What is left of a column after Gram-Schmidt, beside the column: a column of which no more is left depends on those
 * before it. */
SPG_INLINE double spg_amg_least_rest(bool in_floats) { return in_floats ? 1e-5 : 1e-10; }

/* Of the largest pivot or singular value of a dense matrix, what another must pass to count as not zero. */
SPG_INLINE double spg_amg_least_share(int64_t rows, bool in_floats)
{
    return (double)(rows > 64 ? rows : 64) * spg_amg_epsilon(in_floats);
}

/* What is added to a row's diagonal for the weak entries that a filter drops, whose sum is `dropped`: that sum, unless
 * it would leave less than a thousandth of the diagonal or change its sign. So the filtered diagonal can be inverted,
 * also in a row without any strong neighbour, and no row of D^-1 F consists of rounding errors. */
#define SPG_AMG_LEAST_LUMPED 1e-3

SPG_INLINE double spg_amg_lump(double diagonal, double dropped)
{
    const double lumped = diagonal > 0 ? diagonal + dropped : -(diagonal + dropped);
    return lumped > SPG_AMG_LEAST_LUMPED * fabs(diagonal) ? dropped : 0;
}

/* ---- Where entries of A go in the operator that a filter makes of it ---- */

/* Whether a row's columns ascend; repeated ones may be there. */
SPG_INLINE bool spg_amg_ascends(const int32_t *columns, int64_t count)
{
    for (int64_t e = 1; e < count; ++e)
        if (columns[e - 1] > columns[e]) return false;
    return true;
}

/* The entry among the `count` kept ones of a row, which are part of A's row in its order, that takes A's next entry:
 * entry `next`, up to which all were taken, if it has this column; else the first that has it. -1 if none does. */
SPG_INLINE int64_t spg_amg_find_kept(const int32_t *kept, int64_t count, int64_t next, bool ascends, int32_t column)
{
    if (next < count && kept[next] == column) return next;
    if (!ascends) {
        for (int64_t e = 0; e < count; ++e)
            if (kept[e] == column) return e;
        return -1;
    }
    if ((next == 0 || kept[next - 1] < column) && (next == count || column < kept[next])) return -1;
    int64_t low = 0, high = count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (kept[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && kept[low] == column ? low : -1;
}

/* ---- Smoothers ---- */

/* y = x + coefficient D^-1 r + keep d. */
typedef struct spg_amg_chebyshev_step {
    double coefficient, keep; /* keep 0: d is not read */
} spg_amg_chebyshev_step;

/* Step k, from 0, of Chebyshev's recurrence over [1.1 rho/ratio, 1.1 rho] (Saad: Iterative Methods for Sparse Linear
 * Systems, algorithm 12.1). */
SPG_INLINE spg_amg_chebyshev_step spg_amg_chebyshev(double rho, double ratio, int step)
{
    const double top = 1.1 * rho, bottom = top / ratio, centre = (top + bottom) / 2, half = (top - bottom) / 2;
    double before = 0, s = half / centre;
    spg_amg_chebyshev_step by = {1 / centre, 0};
    if (step == 0) return by;
    for (int k = 0; k < step; ++k) {
        before = s;
        s = 1 / (2 * centre / half - before);
    }
    by.coefficient = 2 * s / half;
    by.keep = s * before;
    return by;
}

/* The numbers of a sweep: of Jacobi's if `step` is negative, scaled by `scale` over rho; else of Chebyshev's. */
SPG_INLINE spg_amg_chebyshev_step spg_amg_smoother_step(double rho, double scale, double ratio, int step)
{
    const spg_amg_chebyshev_step jacobi = {scale / rho, 0};
    return step < 0 ? jacobi : spg_amg_chebyshev(rho, ratio, step);
}

/* The rotation that makes columns x and y orthogonal (one-sided Jacobi; Golub, Van Loan: Matrix Computations, section
 * 8.6). xx, yy, xy: their products. */
typedef struct spg_amg_rotation {
    double cosine, sine;
    bool turns; /* false: they are orthogonal already */
} spg_amg_rotation;

SPG_INLINE spg_amg_rotation spg_amg_rotation_of(double xx, double yy, double xy)
{
    spg_amg_rotation by = {1, 0, false};
    if (!(fabs(xy) > 8 * DBL_EPSILON * sqrt(xx) * sqrt(yy))) return by;
    const double zeta = (yy - xx) / (2 * xy);
    const double tangent = copysign(1.0, zeta) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    by.cosine = 1 / sqrt(1 + tangent * tangent);
    by.sine = by.cosine * tangent;
    by.turns = true;
    return by;
}

#endif
