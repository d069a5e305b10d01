/* Binary search. */
#ifndef SPG_KERNELS_PRIMITIVES_SEARCH_CUH
#define SPG_KERNELS_PRIMITIVES_SEARCH_CUH

#include <cstdint>

namespace spg
{

/* The least k of [low, high) with holds(k); high if there is none. holds must be false up to some k, then true. */
template <typename Index, typename Predicate>
__host__ __device__ inline Index first_that(Index low, Index high, Predicate holds)
{
    while (low < high) {
        Index middle = low + (high - low) / 2;
        if (holds(middle))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The largest e in [begin, end) with ascending[e] <= k; ascending[begin] <= k must hold. A step takes fewer
 * instructions than one of first_that. */
__device__ inline int64_t last_at_most(const int64_t *ascending, int64_t begin, int64_t end, int64_t k)
{
    while (end - begin > 1) {
        const int64_t middle = begin + (end - begin) / 2;
        if (ascending[middle] <= k)
            begin = middle;
        else
            end = middle;
    }
    return begin;
}

} // namespace spg

#endif
