/* Codes of products, as windows of a plan hold them (plan_windows.cuh). Private to plan_rows_entries.cu and
 * plan_rows_blocks.cu. */
#ifndef SPG_KERNELS_SPGEMM_PLAN_CODES_CUH
#define SPG_KERNELS_SPGEMM_PLAN_CODES_CUH

#include "plan.cuh"

namespace spg
{

/* Codes of 2, 4 or 8 bytes: words of a product, products of a word, and what stands for none. */
template <typename Code> struct code_form {
    static constexpr int words = sizeof(Code) == 8 ? 2 : 1, products = sizeof(Code) == 2 ? 2 : 1;
    static constexpr Code none = (Code) ~(Code)0;
};

/* Code t of `count`, from the first one's word, in a tile of so many entries; none beyond the last. */
template <typename Code> __device__ inline Code code_at(const uint32_t *codes, int tile, int t, int count)
{
    if (t >= count) return code_form<Code>::none;
    if constexpr (sizeof(Code) == 2)
        return reinterpret_cast<const uint16_t *>(codes + t / 2 * tile)[t % 2];
    else if constexpr (sizeof(Code) == 4)
        return codes[t * tile];
    else
        return (Code)codes[2 * t * tile] | (Code)codes[(2 * t + 1) * tile] << 32;
}

/* The first codes of this warp's first two tiles, to come while A is staged. */
template <int THREADS>
__device__ inline void ask_for_codes(const plan_window &window, int count, const uint32_t *tile_begins)
{
    const int lane = threadIdx.x % 32;
    if (lane >= 2) return;
    const int tile = lane == 0 ? threadIdx.x / 32 : 2 * THREADS / 32 - 1 - threadIdx.x / 32;
    if (tile * 32 >= count) return;
    asm volatile("prefetch.global.L2 [%0];" ::"l"(window.codes + (int64_t)tile_begins[tile] * 32));
}

} // namespace spg

#endif
