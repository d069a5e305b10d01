/* The row methods as the product calls them: two functions a path (route/route.cuh), listed in product_rows.cu.
 * Private.
 *
 * A count function counts the rows of C and waits; its counts go to state->found. A fill function fills C's arrays;
 * lengths have been scanned. Where one cannot have what it needs, it names another path in state->chosen.rows and
 * returns OK; then that path's function is called. */
#ifndef SPG_KERNELS_SPGEMM_ROW_METHODS_CUH
#define SPG_KERNELS_SPGEMM_ROW_METHODS_CUH

#include "product_state.cuh"

namespace spg
{

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
