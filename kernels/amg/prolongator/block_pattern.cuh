/* Which blocks rows name: the pattern of the smoothed prolongator, and of strong connections between nodes of several
 * unknowns. Private.
 *
 * A row of the result stands for consecutive rows of a matrix. It holds the names of the unknowns of their columns and,
 * if asked for, of its own first one: ascending, without duplicates, each as `candidates` columns. */
#ifndef SPG_KERNELS_AMG_PROLONGATOR_BLOCK_PATTERN_CUH
#define SPG_KERNELS_AMG_PROLONGATOR_BLOCK_PATTERN_CUH

#include "prolongator.cuh"

namespace spg
{

namespace amg
{

struct block_rows {
    int64_t count, nnz;   /* rows of the result; entries of the matrix */
    numbers_view offsets; /* of the matrix */
    const int32_t *columns;
    int rows_each; /* rows of the matrix in one of the result */
    aggregate_view names;
    bool own, neighbours; /* which unknowns are named */
    int candidates;
};

/* What counting passes on to writing: the lengths of rows, and the names of rows that a thread has listed, number t of
 * row i at [t * count + i]. NULL if rows are not listed or the workspace limit leaves no room; then they are named
 * again. */
struct block_lists {
    int32_t *lengths, *names;
};

/* Computes the lists, the sum of the lengths and, unless longest_row is NULL, the largest. Waits. */
spg_status count_blocks(workspace &work, const block_rows &rows, block_lists *lists, int64_t *nnz,
                        int64_t *longest_row = nullptr);

/* Writes the offsets and the columns (NULL if there are none). */
spg_status write_blocks(spg_context *context, const block_rows &rows, const block_lists &lists, spg_type offset_type,
                        void *offsets, int32_t *columns);

} // namespace amg

} // namespace spg

#endif
