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

/* The position of the last of `count` ascending columns, fewer than 2^30, that is at most `column`; 0 if there is none.
 * The same steps for all rows of a length, so that lanes stay together and searches overlap. */
__device__ inline int last_at_most(const int32_t *columns, int count, int32_t column)
{
    int at = 0;
    for (int step = count > 1 ? 1 << (31 - __clz(count - 1)) : 0; step > 0; step /= 2) {
        const int next = at + step;
        if (next < count && columns[next] <= column) at = next;
    }
    return at;
}

} // namespace spg

#endif
