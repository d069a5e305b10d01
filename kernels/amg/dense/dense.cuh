/* The dense coarse operator on the device: an explicit inverse, or pseudo-inverse, that a solve multiplies by. Private.
 *
 * All in doubles: of floats' rounding, only that of the operator's entries is left. Work on it is fused where it pays:
 * no other kernel has to repeat its bits. */
#ifndef SPG_KERNELS_AMG_DENSE_DENSE_CUH
#define SPG_KERNELS_AMG_DENSE_DENSE_CUH

#include "../rows.cuh"

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
    int32_t *nullity;    /* of each component, at its first row: columns of N in its rows */
    int32_t *indefinite; /* one: not 0 if what is inverted is not symmetric and positive definite; by pivots */
    int32_t *infinite;   /* one: not 0 if a value is not finite */
    int32_t *deflated;   /* one: not 0 if N has columns */
    int32_t *singular;   /* one: not 0 if pivots say that the operator is singular beside N */
    int32_t *label;      /* of each row: the first row of its connected component; -1: in none, for its row and column
                            are zero, and it is in no candidate */
    int candidates;
    double *candidate; /* four of n x candidates, column-major: the candidates in A's unknowns, and the next three */
    double roundings;  /* that null vectors may leave, of a row's magnitudes */
    bool is_deflated;  /* *deflated, as of the creation or when last settled */
    double *panels;    /* two, of padded rows by DENSE_PAD columns */
    double *vectors;   /* of the pseudo-inverse, n x n: the rotations; NULL with pivots */

    /* N, orthonormal in each component, in the unknowns of S A S; the same span in A's, orthonormal there; images of
     * candidates, and scratch. */
    __device__ double *null() const { return candidate + n * candidates; }
    __device__ double *null_of_A() const { return candidate + 2 * n * candidates; }
    __device__ double *images() const { return candidate + 3 * n * candidates; }

    /* Whether its row or column holds a value that is not zero. */
    __device__ bool is_used(int64_t row) const { return row_used[row] != 0 || column_used[row] != 0; }

    __device__ bool is_in_candidates(int64_t row) const
    {
        bool is_in = false;
        for (int c = 0; c < candidates; ++c) is_in = is_in || candidate[c * n + row] != 0;
        return is_in;
    }

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

/* Words from spg_amg_dense.indefinite on: what the work that is queued finds out. */
enum { DENSE_FLAGS = 4 };

/* The pair of a step that worker `pair` takes, of `players` (even) by the rule of a tournament: the last stays, the
 * others go round. */
__device__ inline void find_pair(int step, int pair, int players, int *first, int *second)
{
    int round = players - 1;
    *first = pair == 0 ? players - 1 : (step + pair) % round;
    *second = pair == 0 ? step : (step + round - pair) % round;
}

/* Writes candidates of the source, read now, to those of the operator. Queued, as are the next three. */
spg_status keep_candidates(spg_context *context, const spg_amg_dense_source &source, const spg_amg_dense &dense);

/* Finds N, where labels are there. */
spg_status find_null_space(spg_context *context, const spg_csr &A, const spg_amg_dense &dense);

/* tableau += N N^T, and inverse -= N N^T. */
spg_status add_null_space(spg_context *context, const spg_amg_dense &dense);
spg_status subtract_null_space(spg_context *context, const spg_amg_dense &dense);

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
