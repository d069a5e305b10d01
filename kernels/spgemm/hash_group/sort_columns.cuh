/* Sorts the columns that a table holds (hash_group/passes.cu). Private. */
#ifndef SPG_KERNELS_SPGEMM_HASH_GROUP_SORT_COLUMNS_CUH
#define SPG_KERNELS_SPGEMM_HASH_GROUP_SORT_COLUMNS_CUH

#include "../../primitives/sort.cuh"
#include "../driver/groups.cuh"
#include "../route/tuned.cuh"

#include <climits>

namespace spg
{

enum {
    MOST_RANKED = 64, /* entries that a warp sorts by ranks */
    CHUNK = 256       /* entries that it sorts at a time by a network */
};
static_assert(table_holds(512) <= 2 * CHUNK && table_holds(TABLE_MOST) <= 3 * CHUNK && 3 * CHUNK <= TABLE_MOST,
              "chunks lie within the list");

/* Sorts a chunk of up to G*E entries of a list by G lanes, padded with INT_MAX. */
template <int E, int G> __device__ inline void sort_chunk(int32_t *chunk, int length, int lane)
{
    int32_t column[E];
    int4 *mine = reinterpret_cast<int4 *>(chunk + lane * E);
#pragma unroll
    for (int e = 0; e < E; e += 4) {
        const int4 four = mine[e / 4];
        const int rest = length - lane * E - e;
        column[e] = rest > 0 ? four.x : INT_MAX;
        column[e + 1] = rest > 1 ? four.y : INT_MAX;
        column[e + 2] = rest > 2 ? four.z : INT_MAX;
        column[e + 3] = rest > 3 ? four.w : INT_MAX;
    }
    sort_in_registers<E, G>(column, lane);
    __syncwarp();
#pragma unroll
    for (int e = 0; e < E; e += 4) mine[e / 4] = int4{column[e], column[e + 1], column[e + 2], column[e + 3]};
    __syncwarp();
}

/* The number of smaller columns in a sorted chunk. */
__device__ inline int rank_in_chunk(const int32_t *chunk, int32_t column)
{
    int rank = 0;
#pragma unroll
    for (int step = CHUNK / 2; step > 0; step /= 2)
        if (chunk[rank + step - 1] < column) rank += step;
    return rank + (chunk[rank] < column);
}

} // namespace spg

#endif
