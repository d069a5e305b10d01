/* The paper's method (Dalton, Bell, Olson, section 3): rows are analysed and permuted by class, and each class is
 * expanded, sorted and contracted by its kernel. Any operands. Private. */
#ifndef SPG_KERNELS_SPGEMM_SORT_PAPER_CUH
#define SPG_KERNELS_SPGEMM_SORT_PAPER_CUH

#include "../rows.cuh"

namespace spg
{

struct paper_rows {
    products_of_rows products;
    held_memory permutation;
    int64_t class_rows[SPG_ROW_CLASSES];
    unsigned int faults; /* of the operands; if not 0, nothing was counted */
};

/* Counting and filling kernels as in rows.cuh, for all rows. Counting waits for the analysis. */
spg_status count_rows_paper(cuda_product &product, paper_rows *rows);

/* Counts without a wait: the class sizes reach the host with the counters, which the caller posts. Rows of class global
 * are counted by windows of columns, because the host would have to plan slices of them. may_count_unsorted: false if
 * the workspace limit leaves little room. */
bool may_count_unsorted(const cuda_product &product);
spg_status count_rows_unsorted(cuda_product &product, paper_rows *rows);

/* After either of them. */
spg_status fill_rows_paper(cuda_product &product, paper_rows *rows);

} // namespace spg

#endif
