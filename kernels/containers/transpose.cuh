/* What makes transposes. Private. */
#ifndef SPG_KERNELS_CONTAINERS_TRANSPOSE_CUH
#define SPG_KERNELS_CONTAINERS_TRANSPOSE_CUH

#include "entries.cuh"

namespace spg
{

/* The parts of a transpose, all but the offsets NULL where they are not wanted. map[k]: which entry of the matrix entry
 * k of the transpose is. */
struct transpose_parts {
    spg_type offset_type;
    void *offsets; /* zeroed before */
    int32_t *columns;
    void *values;
    int64_t *map;
};

/* Fills the parts of the transpose of a sound matrix with entries. held: bytes of workspace that the caller has taken.
 * Waits. */
spg_status write_transpose(spg_context *context, int64_t held, const spg_csr &matrix, const transpose_parts &parts);

/* Lists for every row of the transpose its entries in any order, each as its row in the matrix in the upper 32 bits and
 * its number in the lower, and scans the offsets. *longest: the length of the longest row. At most UINT32_MAX entries;
 * entries has room for them. Waits for the count. */
spg_status list_by_column(workspace &work, const spg_csr &matrix, const transpose_parts &parts, uint64_t *entries,
                          int64_t *longest);

/* Puts the rows of lists in order, and fills the other parts from them. longest: at most MOST_LISTED. */
enum { MOST_LISTED = 8192 };
spg_status write_lists(workspace &work, const spg_csr &matrix, const transpose_parts &parts, const uint64_t *entries,
                       int64_t longest);

} // namespace spg

#endif
