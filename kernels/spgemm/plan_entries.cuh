/* What the stages of making a plan's windows share (plan_entries.cu, plan_windows.cu). Private. */
#ifndef SPG_KERNELS_SPGEMM_PLAN_ENTRIES_CUH
#define SPG_KERNELS_SPGEMM_PLAN_ENTRIES_CUH

#include "../primitives/search.cuh"
#include "plan.cuh"

namespace spg
{

/* Some rows, with their entries of A and of C and their products. Entries of C are counted from c_begin; of pairs of
 * columns (`wide` of plan_windows is 2) pairs and their products are counted. */
struct entry_slice {
    int64_t row_begin, row_end, a_begin, a_count, c_begin, c_count, products;
    uint32_t *rows;                  /* of each entry of A, from row_begin */
    int64_t *starts;                 /* [e]: products of the slice before those of its entry e of A; a_count + 1 */
    uint32_t *keys;                  /* of each product, its entry of C; ascending */
    uint32_t *order;                 /* and its number, which ascends in each entry of C */
    uint32_t *run_begins, *run_ends; /* of each entry of C, its products */
    uint16_t *ranks;                 /* its place in its window's order, or LONG_RANK: then
                                      its products begin at run_ends in the slice's long ones */
};

/* Of all slices so far, on the device. */
struct entry_totals {
    unsigned int near_most;          /* as of plan_windows */
    unsigned long long long_entries; /* rows together each; without chains */
    unsigned long long chains;
    unsigned long long long_products; /* of this slice */
};

/* Where the runs of a row begin that leads a group of blocks. Every group leaves as many places as it has runs, so that
 * none overlap. */
__device__ inline int64_t first_run(const plan_patterns &of, const plan_windows &windows, int64_t row)
{
    return (of.a[row] - of.a[0]) / (windows.deep * windows.together);
}

enum { LONG_RANK = 0xffff };

/* plan_windows.cu: adds the slice's windows to the plan's; before holds the products before each row. Waits. */
spg_status add_windows(plan_maker &maker, const entry_slice &slice, const int64_t *before, entry_totals *totals);
/* The order of all windows. Waits. */
spg_status order_windows(plan_maker &maker);

} // namespace spg

#endif
