/* Rows counted and filled in one pass over their products, and kept in workspace until C is allocated
 * (hash_group/passes.cu). Private. */
#ifndef SPG_KERNELS_SPGEMM_HASH_GROUP_KEPT_ROWS_CUH
#define SPG_KERNELS_SPGEMM_HASH_GROUP_KEPT_ROWS_CUH

#include "../rows.cuh"

namespace spg
{

/* In workspace: row i of C, sorted, from i * stride on, if it has at most `stride` entries. memory = NULL: none. slots:
 * of a row's table, a power of two from KEPT_LEAST to KEPT_MOST; counting makes rows that it does not hold overflow
 * rows. */
struct kept_rows {
    void *memory;
    int64_t bytes;
    int slots, stride;
    void *values;
    int32_t *columns;
};

/* Takes the workspace; if it is unavailable, kept->memory stays NULL. */
void take_kept_rows(cuda_product &product, int slots, int stride, kept_rows *kept);

/* Natural order, all rows. */
spg_status count_rows_kept(cuda_product &product, const kept_rows &kept);

/* Copies the kept rows to C; skips the others. */
spg_status copy_kept_rows(cuda_product &product, const kept_rows &kept);

} // namespace spg

#endif
