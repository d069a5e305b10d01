/* The route: how the rows of a product are done. Private. */
#ifndef SPG_KERNELS_SPGEMM_ROUTE_ROUTE_CUH
#define SPG_KERNELS_SPGEMM_ROUTE_ROUTE_CUH

#include "../assemble/reserved.cuh"
#include "../rows.cuh"

namespace spg
{

enum class path {
    nothing,      /* no products */
    short_rows,   /* a thread a row, in natural order: counted by merging, filled by lists */
    kept_rows,    /* counted and filled in one pass, kept in workspace */
    half_rows,    /* one pass, symmetric half: only entries from the diagonal on (symmetric_half/half_rows.cuh) */
    shifted_rows, /* counted and filled by runs of shifted rows (shifted/runs.cuh) */
    uniform_rows, /* one kernel for all rows, in natural order */
    binned_rows,  /* binned by work */
    unsorted_b,   /* the paper's classes, because rows of B do not ascend */
    paper         /* the paper's classes, because limits are forced */
};
inline bool takes_any(path rows) { return rows == path::unsorted_b || rows == path::paper; }

struct route {
    path rows;
    /* For uniform rows: */
    bool merge;   /* count by merging, or by hash tables of threads */
    bool bitmap;  /* else count, and fill, by bitmap windows of `span` columns */
    int slots;    /* else count by a hash table with this many slots */
    int span;     /* columns from a row's first to its last */
    int together; /* neighbouring rows of A with the same columns */
    int longest;  /* entries of the longest row of C in the sample */
    /* For kept and shifted rows: */
    path fallback;               /* used if these paths cannot be */
    int kept_slots, kept_stride; /* slots of a row's table; expected maximum of entries of a row of C */
};

/* Decides from sizes that the host knows. If rows are not short on average, decides from a sample of rows and the order
 * of B's rows, and waits for these. `reserved` is allocated if the route is one-pass into reserved arrays. */
spg_status choose_route(cuda_product &product, route *chosen, reserved_arrays *reserved);

/* analysis/sample.cu. Looks at `samples` rows and at the order of all columns of B, and waits for the result. Faults of
 * the operands are left for the counting kernels to report. */
spg_status take_sample(cuda_product &product, int32_t samples, spg_sample *found);

/* Whether rows with `entries` entries of C in all are uniform: the longest is close enough to the mean for one
 * kernel. */
inline bool are_uniform(unsigned int longest, unsigned long long entries, int64_t rows)
{
    return longest <= 6 * (double)entries / (double)rows + 16;
}

/* The smallest table for rows of up to `length` entries; 0 if none is large enough. */
int table_for(int64_t length);

} // namespace spg

#endif
