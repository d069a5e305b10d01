/* Pieces of rows of B, which kernels of one pass list in shared memory for their lanes (rows_once.cu, rows_upper.cu).
 * Private. */
#ifndef SPG_KERNELS_SPGEMM_B_PIECE_CUH
#define SPG_KERNELS_SPGEMM_B_PIECE_CUH

namespace spg
{

/* Products of an entry of A: a times entries begin, begin + 1, ... of B. */
template <typename Offset, typename Value> struct alignas(16) b_piece {
    Value a;
    Offset begin;
    int length;
};

/* By whole vectors. */
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

} // namespace spg

#endif
