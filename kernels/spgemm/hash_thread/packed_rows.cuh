/* Rows of B packed to 32 bytes each: a visit reads one sector instead of three (hash_thread/passes.cu).
 * Private. */
#ifndef SPG_KERNELS_SPGEMM_HASH_THREAD_PACKED_ROWS_CUH
#define SPG_KERNELS_SPGEMM_HASH_THREAD_PACKED_ROWS_CUH

#include "../product.cuh"

namespace spg
{

/* A row of B with up to PACKED_MOST entries whose columns span less than 2^16: where it begins, its first column and
 * its length, and the distances of its columns from the first, two a word. A special length says why a row is not
 * packed. */
struct packed_row {
    uint32_t begin, first_and_length, beyond[6];
};
enum {
    PACKED_MOST = 12,
    PACKED_LENGTH_BITS = 4,
    PACKED_UNSORTED = 13, /* columns do not ascend strictly */
    PACKED_FAULT = 14,    /* offsets or columns out of range */
    PACKED_NOT = 15       /* too long, too wide, or not in whole pairs of values: its columns are in B, unchecked, and
                           * `beyond` begins with its length */
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
/* Column q of a row; q is a compile-time constant. */
__device__ inline uint32_t column_of(const packed_row &row, int q)
{
    const uint32_t word = row.beyond[q / 2];
    return (row.first_and_length >> PACKED_LENGTH_BITS) + (q % 2 == 0 ? word & 0xffff : word >> 16);
}

} // namespace spg

#endif
