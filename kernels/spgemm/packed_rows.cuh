/* Rows of B packed to 32 bytes each: one sector a visit in place of three (packed_rows.cu). Private. */
#ifndef SPG_KERNELS_SPGEMM_PACKED_ROWS_CUH
#define SPG_KERNELS_SPGEMM_PACKED_ROWS_CUH

#include "product.cuh"

namespace spg
{

/* A row of B of up to PACKED_MOST entries whose columns span less than 2^16: where it begins, its first column and its
 * length, and by how much the others lie beyond the first, two of them a word. In place of the length may stand what
 * keeps a row from being packed. Short rows do without `more`. */
struct alignas(16) packed_half {
    uint32_t begin, first_and_length, beyond[2];
};
struct packed_row {
    packed_half half;
    uint32_t more[4];
};
enum {
    PACKED_MOST = 12,
    PACKED_SHORT = 5,
    PACKED_LENGTH_BITS = 4,
    PACKED_UNSORTED = 13, /* columns do not ascend strictly */
    PACKED_FAULT = 14,    /* offsets or columns out of range */
    PACKED_NOT = 15 /* too long or too wide: its columns, unchecked, are in B, and `beyond` begins with its length */
};
static_assert(sizeof(packed_row) == 32, "a sector");

__device__ inline packed_half load_half(const packed_row *rows, int32_t j)
{
    const uint4 low = __ldg(reinterpret_cast<const uint4 *>(rows + j));
    return {low.x, low.y, {low.z, low.w}};
}
/* With `more` if it is wanted, and else with anything. */
__device__ inline packed_row complete(const packed_half &half, bool wanted, const packed_row *rows, int32_t j)
{
    packed_row row;
    row.half = half;
    asm("{ .reg .pred wanted; setp.ne.b32 wanted, %5, 0; @wanted ld.global.nc.v4.b32 {%0, %1, %2, %3}, [%4]; }"
        : "=r"(row.more[0]), "=r"(row.more[1]), "=r"(row.more[2]), "=r"(row.more[3])
        : "l"(rows[j].more), "r"((int)wanted));
    return row;
}

__device__ inline int length_of(const packed_half &half)
{
    return (int)(half.first_and_length % (1u << PACKED_LENGTH_BITS));
}
__device__ inline uint32_t first_of(const packed_half &half) { return half.first_and_length >> PACKED_LENGTH_BITS; }
/* By how much column q of a row lies beyond its first; q is known when compiling. */
__device__ inline uint32_t beyond_first(const packed_row &row, int q)
{
    if (q == 0) return 0;
    const uint32_t word = q < PACKED_SHORT ? row.half.beyond[(q - 1) / 2] : row.more[(q - PACKED_SHORT) / 2];
    return q % 2 != 0 ? word & 0xffff : word >> 16;
}

} // namespace spg

#endif
