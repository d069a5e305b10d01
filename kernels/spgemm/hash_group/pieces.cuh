/* Shared by the one-pass kernels with tables (hash_group/one_pass.cu, symmetric_half/one_pass.cu): pieces of rows of B,
 * listed in shared memory for the lanes, and tables of sums whose columns are listed before they are sorted.
 * Private. */
#ifndef SPG_KERNELS_SPGEMM_HASH_GROUP_PIECES_CUH
#define SPG_KERNELS_SPGEMM_HASH_GROUP_PIECES_CUH

#include "../driver/groups.cuh"

namespace spg
{

/* Blocks a multiprocessor for which registers must leave room. */
template <typename Offset, typename Value> constexpr int resident_blocks()
{
    return sizeof(Value) <= 8 ? (sizeof(Offset) == 4 ? 8 : 7) : 5;
}

/* Products of an entry of A: a times entries begin, begin + 1, ... of B. */
template <typename Offset, typename Value> struct alignas(16) b_piece {
    Value a;
    Offset begin;
    int length;
};

/* Loads it in whole vectors. */
template <typename Offset, typename Value>
__device__ inline b_piece<Offset, Value> load_piece(const b_piece<Offset, Value> *from)
{
    using listed = b_piece<Offset, Value>;
    union {
        int4 words[sizeof(listed) / 16];
        listed all;
    } piece;
#pragma unroll
    for (int w = 0; w < (int)(sizeof(listed) / 16); w++) piece.words[w] = reinterpret_cast<const int4 *>(from)[w];
    return piece.all;
}

/* Lists the columns that a group's table holds, and their slots; returns their number. mine: mask of the group's lanes;
 * below: of those before this one. The whole warp calls it. */
template <int Lanes>
__device__ inline int list_columns(const int32_t *keys, int slots, int lane, unsigned int mine, unsigned int below,
                                   int32_t *columns, uint16_t *places)
{
    int count = 0;
    for (int begin = 0; begin < slots; begin += Lanes) {
        const int32_t column = keys[begin + lane];
        const unsigned int which = __ballot_sync(~0u, column != NO_COLUMN);
        const int x = count + __popc(which & below);
        if (column != NO_COLUMN) columns[x] = column, places[x] = (uint16_t)(begin + lane);
        count += __popc(which & mine);
    }
    return count;
}

} // namespace spg

#endif
