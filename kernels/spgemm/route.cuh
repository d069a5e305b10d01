/* How the rows of a product are done. Private. */
#ifndef SPG_KERNELS_SPGEMM_ROUTE_CUH
#define SPG_KERNELS_SPGEMM_ROUTE_CUH

#include "rows.cuh"

namespace spg
{

enum class path {
    nothing,    /* there are no products */
    short_rows, /* a thread a row, in natural order: merged to count, listed to fill */
    alike_rows, /* one size of table for all, in natural order */
    mixed_rows, /* binned by their work */
    paper       /* the paper's classes: for forced limits, and for rows of B that do not ascend */
};

struct route {
    path rows;
    bool merge;   /* where rows are alike: counted by merging, else by a table */
    int slots;    /* of the counting table */
    int together; /* neighbouring rows of A that are alike */
};

/* Decides from sizes that the host knows or, where rows are not short on average, from a sample of rows, for which it
 * waits. */
spg_status choose_route(cuda_product &product, route *chosen);

/* The smallest table for rows of up to `length` entries; 0 if none is large enough. */
int table_for(int64_t length);

} // namespace spg

#endif
