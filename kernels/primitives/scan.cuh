/* The exclusive scan of numbers in place, where sums of consecutive ones are known already. Private. */
#ifndef SPG_KERNELS_PRIMITIVES_SCAN_CUH
#define SPG_KERNELS_PRIMITIVES_SCAN_CUH

#include "../launch.cuh"
#include "warp.cuh"

#include <type_traits>

namespace spg
{

enum { SCAN_THREADS = 512, SCAN_EACH = 4, SCAN_ROWS = SCAN_THREADS * SCAN_EACH };

/* Loads SCAN_EACH lengths a thread from row i on, 0 beyond the end. */
template <typename Offset>
__device__ inline void load_lengths(const Offset *lengths, int64_t i, int64_t end,
                                    std::make_unsigned_t<Offset> (&length)[SCAN_EACH])
{
#pragma unroll
    for (int n = 0; n < SCAN_EACH; ++n) length[n] = i + n < end ? lengths[i + n] : 0;
}

/* A block scans the numbers of `parts` of the sums, starting from the sums before them. May wrap around, as the offsets
 * do. */
template <typename Offset>
__global__ void __launch_bounds__(SCAN_THREADS, 4)
    scan_with_sums(Offset *lengths, int64_t rows, const long long *sums, int count, int64_t rows_each, int parts)
{
    using sum_type = std::make_unsigned_t<Offset>;
    constexpr int WARPS = SCAN_THREADS / 32;
    __shared__ sum_type before_of[WARPS], total_of[WARPS];
    wait_and_trigger();
    const int first = (int)blockIdx.x * parts, past = min(first + parts, count);
    const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
    const int64_t end = min(past * rows_each, rows);
    int64_t i = first * rows_each + (int64_t)threadIdx.x * SCAN_EACH;
    sum_type length[SCAN_EACH], before = 0;
    load_lengths(lengths, i, end, length);
    for (int k = (int)threadIdx.x; k < first; k += SCAN_THREADS) before += (sum_type)sums[k];
    before = reduce<32>(before, plus{});
    if (lane == 0) before_of[warp] = before;
    before = 0;
    for (bool is_first = true;; is_first = false) {
        sum_type own = 0;
#pragma unroll
        for (int n = 0; n < SCAN_EACH; ++n) own += length[n];
        const sum_type through = inclusive_scan(own, plus{});
        if (lane == 31) total_of[warp] = through;
        __syncthreads();
        sum_type to = before + through - own;
#pragma unroll
        for (int w = 0; w < WARPS; ++w) {
            const sum_type total = total_of[w], more = is_first ? before_of[w] : 0;
            to += (w < warp ? total : 0) + more;
            before += total + more;
        }
#pragma unroll
        for (int n = 0; n < SCAN_EACH; ++n) {
            if (i + n < end) lengths[i + n] = (Offset)to;
            to += length[n];
        }
        i += SCAN_ROWS;
        if (i - (int64_t)threadIdx.x * SCAN_EACH >= end) break;
        load_lengths(lengths, i, end, length);
        __syncthreads();
    }
    if (past == count && threadIdx.x == 0) lengths[rows] = (Offset)before;
}

} // namespace spg

#endif
