/* The state of a product on the device between its stages, and the functions that count and fill its rows (product.cu,
 * product_rows.cu, product_fill.cu). Private. */
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
    spg_counters found;                /* posted by the counting kernels */
    unsigned int longest_overflow_row; /* entries of C */
    held_memory wide_a_offsets, wide_b_offsets;
    length_sums sums;
    products_of_rows binned;
    paper_rows paper;
    kept_rows kept;
    bool kept_too_long; /* rows were longer than kept rows may be, so that the fallback filled all */
    shifted_rows shifted;
    reserved_arrays reserved;
    half_shape shape;
    half_rows half;
};

/* Counts all rows by the chosen path and waits; the counts go to state->found. */
spg_status count_rows(cuda_state *state);

/* Whether the counters cover every row of C. */
bool all_counted(const cuda_state *state);

/* Counts the rows that they do not cover: the listed overflow rows; or all rows, binned, if some are not listed. Waits
 * once more. */
spg_status count_rows_missing(cuda_state *state);

/* INTERNAL if a row of C was not counted, or was counted twice. */
spg_status check_counts(cuda_state *state);

/* Counts again by methods that take any rows: B turned out to be unsorted, and there was no sample. Waits once more. A
 * sample finds unsorted rows, so after one this happens only if offsets of B are invalid. */
spg_status count_unsorted(cuda_state *state);

/* Fills the rows that the one pass of hash_thread counted but did not write. */
spg_status fill_rows_left(cuda_state *state);

/* Fills C's arrays with all rows; their lengths have been scanned. */
spg_status fill_rows(cuda_state *state);

/* The row methods as the product calls them: two functions a path (route/route.cuh), listed in product_rows.cu. A count
 * function counts the rows of C and waits; its counts go to state->found. A fill function fills C's arrays; lengths
 * have been scanned. Where one cannot have what it needs, it names another path in state->chosen.rows and returns OK;
 * then that path's function is called. */

/* product_count.cu */
spg_status count_short_rows(cuda_state *state);
spg_status count_kept_rows(cuda_state *state);
spg_status count_half_rows(cuda_state *state);
spg_status count_shifted_rows(cuda_state *state);
spg_status count_uniform_rows(cuda_state *state);
spg_status count_binned_rows(cuda_state *state);
spg_status count_unsorted_b(cuda_state *state);
spg_status count_by_limits(cuda_state *state);

/* Posts the counters of kernels that held all rows, scans the lengths meanwhile, and waits. */
spg_status post_scan_and_wait(cuda_state *state);

/* product_fill.cu */
spg_status fill_short_rows(cuda_state *state);
spg_status fill_kept_rows(cuda_state *state);
spg_status fill_half_rows(cuda_state *state);
spg_status fill_shifted_rows(cuda_state *state);
spg_status fill_uniform_rows(cuda_state *state);
spg_status fill_binned_rows(cuda_state *state);
spg_status fill_by_limits(cuda_state *state);

} // namespace spg

#endif
