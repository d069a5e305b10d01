/* Functions that make transposes. Private. */
#ifndef SPG_KERNELS_CONTAINERS_TRANSPOSE_CUH
#define SPG_KERNELS_CONTAINERS_TRANSPOSE_CUH

#include "entries.cuh"
#include "post.cuh"

namespace spg
{

/* The parts of a transpose; all but the offsets are NULL if not wanted. map[k]: the entry of the matrix that entry k of
 * the transpose comes from. */
struct transpose_parts {
    spg_type offset_type;
    void *offsets; /* zeroed before */
    int32_t *columns;
    void *values;
    int64_t *map;
};

/* Fills the parts of the transpose of a valid matrix that has entries. held: bytes of workspace that the caller has
 * taken. Waits. */
spg_status write_transpose(spg_context *context, int64_t held, const spg_csr &matrix, const transpose_parts &parts);

/* The counts of entries by column. */
struct column_counts {
    uint32_t *numbers;         /* by entry: its number in its column */
    largest_post post;         /* the entries of the longest column, or MALFORMED */
    unsigned int most_written; /* if no column is longer, the kernel that counts writes the whole transpose */
};
enum : unsigned int { MALFORMED = UINT32_MAX };

/* Queues the count, and the scan of the offsets. Fewer than UINT32_MAX entries. checks: the matrix may be malformed.
 * entries has room for all. */
spg_status begin_counts(workspace &work, const spg_csr &matrix, bool checks, const transpose_parts &parts,
                        uint64_t *entries, column_counts *counts);

/* Small matrices: one kernel counts, scans, and writes the transpose if no column is long (transpose_at_once.cu). Its
 * counts have room for the numbers. */
bool is_transposed_at_once(const spg_context *context, const spg_csr &matrix);
spg_status transpose_at_once(spg_context *context, const spg_csr &matrix, bool checks, const transpose_parts &parts,
                             uint64_t *entries, column_counts *counts);

/* Waits for the length of the longest column; MALFORMED: there is no transpose. */
spg_status wait_for_longest(spg_context *context, const column_counts &counts, unsigned int *longest);

/* Lists the entries of every row of the transpose in any order: the row in the matrix in the upper 32 bits, the entry's
 * number in the lower. */
spg_status list_by_column(spg_context *context, const spg_csr &matrix, const transpose_parts &parts,
                          const column_counts &counts, uint64_t *entries);

/* Orders the lists, and fills the other parts from them. longest: at most MOST_LISTED. */
enum { MOST_LISTED = 8192 };
spg_status write_lists(workspace &work, const spg_csr &matrix, const transpose_parts &parts, const uint64_t *entries,
                       unsigned int longest);

} // namespace spg

#endif
