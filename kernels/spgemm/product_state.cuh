/* What the stages of a product on the device keep between them, and how its rows are counted and filled (product.cu,
 * product_rows.cu). Private. */
#ifndef SPG_KERNELS_SPGEMM_PRODUCT_STATE_CUH
#define SPG_KERNELS_SPGEMM_PRODUCT_STATE_CUH

#include "assemble/reserved.cuh"
#include "hash_group/kept_rows.cuh"
#include "route/binned_rows.cuh"
#include "route/route.cuh"
#include "shifted/runs.cuh"
#include "sort/paper.cuh"
#include "symmetric_half/half_rows.cuh"

namespace spg
{

struct cuda_state {
    cuda_product run;
    route chosen;
    spg_counters found;                /* by the counting kernels */
    unsigned int longest_overflow_row; /* entries of C */
    void *wide_a_offsets, *wide_b_offsets;
    length_sums sums;
    products_of_rows binned;
    paper_rows paper;
    kept_rows kept;
    shifted_rows shifted;
    reserved_arrays reserved;
    half_shape shape;
    half_rows half;
};

/* All rows, by the path that was chosen, into state->found; waits for the counts. */
spg_status count_rows(cuda_state *state);

/* Whether the counters have every row of C. */
bool all_counted(const cuda_state *state);

/* The rows that are not: overflow rows of short rows, for which no sample was asked; or, where overflow rows were more
 * than could be listed, all rows by size. Waits once more. */
spg_status count_rows_missing(cuda_state *state);

/* INTERNAL if a row of C was not counted, or one twice. */
spg_status check_counts(cuda_state *state);

/* Once more, by classes that take any rows, where rows of B do not ascend and no sample was asked; waits once more.
 * After a sample, which tells, only where offsets of B cannot be. */
spg_status count_unsorted(cuda_state *state);

/* Where class hash_thread went ahead, the rows that it counted and left. */
spg_status fill_rows_left(cuda_state *state);

/* All rows, whose lengths are scanned, into C's arrays. */
spg_status fill_rows(cuda_state *state);

} // namespace spg

#endif
