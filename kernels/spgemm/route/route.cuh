/* How the rows of a product are done. Private. */
#ifndef SPG_KERNELS_SPGEMM_ROUTE_ROUTE_CUH
#define SPG_KERNELS_SPGEMM_ROUTE_ROUTE_CUH

#include "../assemble/reserved.cuh"
#include "../rows.cuh"

namespace spg
{

enum class path {
    nothing,      /* there are no products */
    short_rows,   /* a thread a row, in natural order: merged to count, listed to fill */
    kept_rows,    /* counted and filled in one pass */
    half_rows,    /* likewise, those of a symmetric pattern from the diagonal on (symmetric_half/half_rows.cuh) */
    shifted_rows, /* likewise counted and filled by runs of rows (shifted/runs.cuh) */
    uniform_rows, /* one kernel for all, in natural order */
    binned_rows,  /* binned by their work */
    unsorted_b,   /* the paper's classes, for rows of B that do not ascend */
    paper         /* likewise, for forced limits */
};
inline bool takes_any(path rows) { return rows == path::unsorted_b || rows == path::paper; }

struct route {
    path rows;
    /* Where rows are alike: */
    bool merge;   /* counted by merging, or by tables of the threads' own */
    bool bitmap;  /* else counted, and then filled as well, by windows of `span` columns */
    int slots;    /* else counted by a table of so many slots */
    int span;     /* columns from a row's first to its last */
    int together; /* neighbouring rows of A that have the same columns */
    int longest;  /* entries of a row of C in the sample */
    /* Where rows are done once or by runs: */
    path fallback;               /* if they cannot be */
    int kept_slots, kept_stride; /* of a row's table; entries of C that a row is expected to have at most */
};

/* Decides from sizes that the host knows or, where rows are not short on average, from a sample of rows and whether
 * those of B ascend, for which it waits. `ahead` is taken where rows are done so. */
spg_status choose_route(cuda_product &product, route *chosen, reserved_arrays *reserved);

/* Whether rows of so many entries of C in all are alike: the longest is not far from the mean, so that one kernel
 * serves all. */
inline bool are_uniform(unsigned int longest, unsigned long long entries, int64_t rows)
{
    return longest <= 6 * (double)entries / (double)rows + 16;
}

/* The smallest table for rows of up to `length` entries; 0 if none is large enough. */
int table_for(int64_t length);

} // namespace spg

#endif
