/* The dense coarse operator on the device: an explicit inverse or pseudo-inverse; a solve is a product with it.
 * Private.
 *
 * All in doubles: only the rounding of the operator's entries to floats remains. Arithmetic is fused where it pays,
 * because no other kernel has to repeat its bits. */
#ifndef SPG_KERNELS_AMG_DENSE_DENSE_CUH
#define SPG_KERNELS_AMG_DENSE_DENSE_CUH

#include "../rows.cuh"

/* The tableau is padded to whole panels by separate unknowns with a one on the diagonal. Unknowns whose row and column
 * are all zero, which dependent candidates leave, are treated likewise: their solution is zero, as with the
 * pseudo-inverse. */
struct spg_amg_dense {
    int64_t n, padded; /* rows of the operator, and of the tableau */
    spg_type type;
    double least_share; /* fraction of the largest pivot or singular value, at least `least`, below which one counts as
                         * zero */
    double least;       /* 1 if a restriction made the operator, else 0 */
    double *scaling;    /* S, by row and column: the tableau takes S A S; see spg_amg_backend.dense_create */
    double *tableau;    /* padded x padded: S A S; with pivots later its inverse, rows and columns permuted */
    double *inverse;    /* of S A S: n x n, row-major */
    double *pivots;     /* magnitudes; or squares of singular values, later reciprocals of those kept */
    int32_t *row_of;    /* by column of the tableau: the row of its pivot */
    int32_t *column_of; /* by row: the column that it was the pivot of; -1 before */
    int32_t *row_used;  /* not 0: the row has nonzero values */
    int32_t *column_used;
    int32_t *nullity;    /* by component, at its first row: columns of N in its rows */
    int32_t *indefinite; /* one word: not 0 if the matrix to invert is not symmetric and positive definite, so that
                          * pivots are needed */
    int32_t *infinite;   /* one word: not 0 if a value is not finite */
    int32_t *deflated;   /* one word: not 0 if N has columns */
    int32_t *singular;   /* one word: not 0 if pivots show A singular apart from N, or rotations did not settle */
    int32_t *label;      /* by row: the first row of its connected component; -1: in none, because its row and column
                          * are zero, and it is in no candidate */
    int candidates;
    double *candidate; /* four of n x candidates, column-major: the candidates in A's unknowns, and the three arrays
                        * below */
    double roundings;  /* that null vectors may leave, relative to a row's magnitudes */
    bool is_deflated;  /* *deflated, at creation or when last read */
    double *panels;    /* two, of padded rows by DENSE_PAD columns */
    double *vectors;   /* of the pseudo-inverse, n x n: the rotations; NULL with pivots */

    /* N, orthonormal in each component, in the unknowns of S A S; the same span in A's unknowns, orthonormal there;
     * images of candidates, and scratch. */
    __device__ double *null() const { return candidate + n * candidates; }
    __device__ double *null_of_A() const { return candidate + 2 * n * candidates; }
    __device__ double *images() const { return candidate + 3 * n * candidates; }

    /* Whether its row or column holds a nonzero value. */
    __device__ bool is_used(int64_t row) const { return row_used[row] != 0 || column_used[row] != 0; }

    __device__ bool is_in_candidates(int64_t row) const
    {
        bool is_in = false;
        for (int c = 0; c < candidates; ++c) is_in = is_in || candidate[c * n + row] != 0;
        return is_in;
    }

    /* An entry of the tableau: column-major for pivots, row-major for rotations. */
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

/* Words from spg_amg_dense.indefinite on: what the queued work finds. */
enum { DENSE_FLAGS = 4 };

/* The pair that worker `pair` takes in a step, among `players` (even) in a round-robin tournament: the last stays, the
 * others rotate. */
__device__ inline void find_pair(int step, int pair, int players, int *first, int *second)
{
    int round = players - 1;
    *first = pair == 0 ? players - 1 : (step + pair) % round;
    *second = pair == 0 ? step : (step + round - pair) % round;
}

/* Copies the source's candidates, read now, to the operator's. Queued, like the next three. */
spg_status keep_candidates(spg_context *context, const spg_amg_dense_source &source, const spg_amg_dense &dense);

/* Finds N; labels must be there. */
spg_status find_null_space(spg_context *context, const spg_csr &A, const spg_amg_dense &dense);

/* tableau += N N^T, and inverse -= N N^T. */
spg_status add_null_space(spg_context *context, const spg_amg_dense &dense);
spg_status subtract_null_space(spg_context *context, const spg_amg_dense &dense);

/* Writes the tableau's inverse to `inverse`, or sets *indefinite; the tableau is unchanged. Queued. */
spg_status invert_definite(spg_context *context, const spg_amg_dense &dense);

/* If *indefinite is set: inverts the tableau in place with pivots, and writes the result to `inverse`. Queued. */
spg_status invert_by_pivots(spg_context *context, const spg_amg_dense &dense);

/* Writes the pseudo-inverse of the n x n operator in the tableau (row-major, rows of `padded` values) to `inverse`.
 * Waits. */
spg_status invert_by_rotations(spg_context *context, const spg_amg_dense &dense);

} // namespace amg

} // namespace spg

#endif
