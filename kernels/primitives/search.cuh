/* Binary search, for any user. */
#ifndef SPG_KERNELS_PRIMITIVES_SEARCH_CUH
#define SPG_KERNELS_PRIMITIVES_SEARCH_CUH

namespace spg
{

/* The least k of [low, high) for which holds(k); high if there is none. holds must be false up to some k, then true. */
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

} // namespace spg

#endif
