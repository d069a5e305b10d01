/* The hash function of column tables: the first slot to look in. Private. */
#ifndef SPG_KERNELS_SPGEMM_DRIVER_COLUMN_HASH_CUH
#define SPG_KERNELS_SPGEMM_DRIVER_COLUMN_HASH_CUH

#include <cstdint>

namespace spg
{

/* The hash is the upper bits of the column times this factor; with the lower bits, columns of a grid collide. Of 24 odd
 * factors, this one takes the fewest rounds of searches, slot by slot and four columns at a time, over the grids of
 * matrices/ in several sizes (2.2, 4.5 at worst; 3.3 and 6.8 with 2^32 times the golden ratio). */
constexpr uint32_t COLUMN_FACTOR = 0x3037B871u;

} // namespace spg

#endif
