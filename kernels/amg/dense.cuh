/* The dense coarse operator on the device: an explicit inverse, or pseudo-inverse, that a solve multiplies by. Private.
 *
 * All in doubles: of floats' rounding, only that of the operator's entries is left. Work on it is fused where it pays:
 * no other kernel has to repeat its bits. */
#ifndef SPG_KERNELS_AMG_DENSE_CUH
#define SPG_KERNELS_AMG_DENSE_CUH

#include "rows.cuh"

/* The tableau is padded to whole panels by unknowns of their own, with a one on the diagonal. So are unknowns whose row
 * and column are zero throughout, which candidates that depend on others leave: their solution is zero, as by the
 * pseudo-inverse. */
struct spg_amg_dense {
    int64_t n, padded; /* rows of the operator, and of the tableau */
    spg_type type;
    double least_share; /* of the largest pivot or singular value, but of `least` at least: this counts as zero */
    double least;       /* 1 where a restriction made the operator, else 0 */
    double *scaling;    /* S, of each row and column: the tableau takes S A S; see spg_amg_backend.dense_create */
    double *tableau;    /* padded x padded: S A S, and by pivots then its inverse, rows and columns permuted */
    double *inverse;    /* of S A S: n x n, row-major */
    double *pivots;     /* magnitudes; or squares of singular values, and then reciprocals of those kept */
    int32_t *row_of;    /* of each column of the tableau: the row of its pivot */
    int32_t *column_of; /* of each row: the column that it was the pivot of; -1 before */
    int32_t *row_used;  /* not 0: the row has values that are not zero */
    int32_t *column_used;
    int32_t *indefinite; /* one: not 0 if the operator is not symmetric and positive definite; by pivots */
    double *panels;      /* two, of padded rows by DENSE_PAD columns */
    double *vectors;     /* of the pseudo-inverse, n x n: the rotations; NULL with pivots */

    /* Of the tableau: column-major for pivots, row-major for rotations. */
    __device__ double *entry(int64_t row, int64_t column) const
    {
        return tableau + (vectors == nullptr ? column * padded + row : row * padded + column);
    }
};

namespace spg
{

namespace amg
{

enum { DENSE_PAD = 32 };

/* Writes the tableau's inverse to `inverse`, or sets *indefinite; the tableau stays. Queued. */
spg_status invert_definite(spg_context *context, const spg_amg_dense &dense);

/* Where *indefinite is set: turns the tableau into its inverse by pivots, and writes it to `inverse`. Queued. */
spg_status invert_by_pivots(spg_context *context, const spg_amg_dense &dense);

/* Writes the pseudo-inverse of the n x n operator that lies in the tableau, row-major, rows of `padded` values, to
 * `inverse`. Waits. */
spg_status invert_by_rotations(spg_context *context, const spg_amg_dense &dense);

} // namespace amg

} // namespace spg

#endif
