/* Rows of B packed to 32 bytes each: one sector a visit in place of three (hash_thread/packed_rows.cu). Private. */
#ifndef SPG_KERNELS_SPGEMM_HASH_THREAD_PACKED_ROWS_CUH
#define SPG_KERNELS_SPGEMM_HASH_THREAD_PACKED_ROWS_CUH

#include "../product.cuh"

namespace spg
{

/* A row of B of up to PACKED_MOST entries whose columns span less than 2^16: where it begins, its first column and its
 * length, and by how much its columns lie beyond the first, two of them a word. In place of the length may stand what
 * keeps a row from being packed. */
struct packed_row {
    uint32_t begin, first_and_length, beyond[6];
};
enum {
    PACKED_MOST = 12,
    PACKED_LENGTH_BITS = 4,
    PACKED_UNSORTED = 13, /* columns do not ascend strictly */
    PACKED_FAULT = 14,    /* offsets or columns out of range */
    PACKED_NOT = 15 /* too long, too wide or no whole pairs of values: its columns, unchecked, are in B, and `beyond`
                     * begins with its length */
};
static_assert(sizeof(packed_row) == 32, "a sector");

__device__ inline packed_row load_packed(const packed_row *rows, int32_t j)
{
    const uint4 *from = reinterpret_cast<const uint4 *>(rows + j);
    const uint4 low = __ldg(from), high = __ldg(from + 1);
    return {low.x, low.y, {low.z, low.w, high.x, high.y, high.z, high.w}};
}

__device__ inline int length_of(const packed_row &row)
{
    return (int)(row.first_and_length % (1u << PACKED_LENGTH_BITS));
}
/* Column q of a row; q is known when compiling. */
__device__ inline uint32_t column_of(const packed_row &row, int q)
{
    const uint32_t word = row.beyond[q / 2];
    return (row.first_and_length >> PACKED_LENGTH_BITS) + (q % 2 == 0 ? word & 0xffff : word >> 16);
}

} // namespace spg

#endif
