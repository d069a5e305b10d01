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

/* The entries of a matrix by their columns, each as its row in the upper 32 bits and its number in the lower, in any
 * order. */
struct column_lists {
    uint64_t *entries;
    int64_t capacity;  /* of the room of each column; 0: none, and lists lie one after another, as in the transpose */
    uint32_t *numbers; /* of each entry among those of its column */
    largest_post post; /* how many entries the longest column has, or MALFORMED */
};
enum : unsigned int { MALFORMED = UINT32_MAX };

/* Queues counting, with room for it also listing, and the scan of the offsets. Fewer than UINT32_MAX entries. checks:
 * the matrix may be malformed. */
spg_status begin_lists(workspace &work, const spg_csr &matrix, bool checks, const transpose_parts &parts,
                       column_lists *lists);

/* Waits for the length of the longest column; MALFORMED: there is no transpose. */
spg_status wait_for_longest(spg_context *context, const column_lists &lists, unsigned int *longest);

/* Lists what was counted alone, or has not found room. */
spg_status complete_lists(spg_context *context, const spg_csr &matrix, const transpose_parts &parts,
                          unsigned int longest, column_lists *lists);

/* Puts the lists in order, and fills the other parts from them. longest: at most MOST_LISTED. */
enum { MOST_LISTED = 8192 };
spg_status write_lists(workspace &work, const spg_csr &matrix, const transpose_parts &parts, const column_lists &lists,
                       unsigned int longest);

} // namespace spg

#endif
