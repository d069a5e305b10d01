/* What makes transposes. Private. */
#ifndef SPG_KERNELS_CONTAINERS_TRANSPOSE_CUH
#define SPG_KERNELS_CONTAINERS_TRANSPOSE_CUH

#include "entries.cuh"
#include "post.cuh"

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

/* Columns whose entries are counted. */
struct column_counts {
    uint32_t *numbers; /* of each entry among those of its column */
    largest_post post; /* how many entries the longest column has, or MALFORMED */
};
enum : unsigned int { MALFORMED = UINT32_MAX };

/* Queues the count, and the scan of the offsets. Fewer than UINT32_MAX entries. checks: the matrix may be malformed. */
spg_status begin_counts(workspace &work, const spg_csr &matrix, bool checks, const transpose_parts &parts,
                        column_counts *counts);

/* Waits for the length of the longest column; MALFORMED: there is no transpose. */
spg_status wait_for_longest(spg_context *context, const column_counts &counts, unsigned int *longest);

/* Lists for every row of the transpose its entries in any order, each as its row in the matrix in the upper 32 bits and
 * its number in the lower. entries has room for them. */
spg_status list_by_column(spg_context *context, const spg_csr &matrix, const transpose_parts &parts,
                          const column_counts &counts, uint64_t *entries);

/* Puts the lists in order, and fills the other parts from them. longest: at most MOST_LISTED. */
enum { MOST_LISTED = 8192 };
spg_status write_lists(workspace &work, const spg_csr &matrix, const transpose_parts &parts, const uint64_t *entries,
                       unsigned int longest);

} // namespace spg

#endif
