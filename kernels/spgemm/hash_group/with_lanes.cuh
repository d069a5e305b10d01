/* Lanes of a group for counting and filling by tables. Private. */
#ifndef SPG_KERNELS_SPGEMM_HASH_GROUP_WITH_LANES_CUH
#define SPG_KERNELS_SPGEMM_HASH_GROUP_WITH_LANES_CUH

#include "../driver/groups.cuh"

namespace spg
{

/* Lanes of a group: few for short rows of B, because lanes beyond a row of B idle; many for large tables, because few
 * groups leave room for few warps. */
inline int table_lanes(int slots, double b_row)
{
    const int least = slots <= 128 ? 8 : slots <= 256 ? 16 : 32, most = slots <= 32 ? 8 : slots <= 64 ? 16 : 32;
    const int wanted = b_row <= 8 ? 8 : b_row <= 16 ? 16 : 32;
    return wanted < least ? least : wanted > most ? most : wanted;
}

/* Calls function(lanes, piece), integral constants: the lanes of a group, and those that take an entry of A. */
template <typename Function> spg_status with_lanes(const cuda_product &product, int slots, Function &&function)
{
    using std::integral_constant;
    const double b_row = mean_b_row(product);
    const int lanes = table_lanes(slots, b_row);
    if (lanes == 8) return function(integral_constant<int, 8>{}, integral_constant<int, 8>{});
    if (lanes == 16) return function(integral_constant<int, 16>{}, integral_constant<int, 16>{});
    if (b_row <= 8) return function(integral_constant<int, 32>{}, integral_constant<int, 8>{});
    return function(integral_constant<int, 32>{}, integral_constant<int, 16>{});
}

} // namespace spg

#endif
