/* Which blocks rows name: the pattern of the smoothed prolongator, and of strong connections between nodes of several
 * unknowns. Private.
 *
 * A row of the result stands for some neighbouring rows of a matrix. It has the names of the unknowns that their
 * columns are, and where that is asked for of its own first one: ascending, each once, and each as `candidates`
 * columns. */
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
    int rows_each; /* of the matrix, in one of the result */
    aggregate_view names;
    bool own, neighbours; /* which unknowns are named */
    int candidates;
};

/* What counting leaves to writing: the lengths of rows, and the names of the rows that a thread has listed, number t of
 * row i at [t * count + i]. NULL where rows are not listed, or the workspace limit has no room for them: then they are
 * named once more. */
struct block_lists {
    int32_t *lengths, *names;
};

/* The lists, and the sum of the lengths. Waits. */
spg_status count_blocks(workspace &work, const block_rows &rows, block_lists *lists, int64_t *nnz);

/* Offsets by the lengths, and the columns; NULL if there are none. */
spg_status write_blocks(spg_context *context, const block_rows &rows, const block_lists &lists, spg_type offset_type,
                        void *offsets, int32_t *columns);

} // namespace amg

} // namespace spg

#endif
