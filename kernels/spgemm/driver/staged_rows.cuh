/* How filling kernels with a thread a row write C: CHUNK entries of every row of a warp are staged in shared memory and
 * written in order. Private. */
#ifndef SPG_KERNELS_SPGEMM_DRIVER_STAGED_ROWS_CUH
#define SPG_KERNELS_SPGEMM_DRIVER_STAGED_ROWS_CUH

#include "../product.cuh"

namespace spg
{

enum { CHUNK = 8, CHUNK_ROWS = 32 / CHUNK };

/* Staged entries of C: [k][row]. The strides keep both a chunk's k-th entries and a row's entries free of bank
 * conflicts. */
enum { COLUMN_STRIDE = 36 };
template <typename Value> struct staged_entries {
    Value values[CHUNK][32 + 16 / sizeof(Value)];
    int32_t columns[CHUNK][COLUMN_STRIDE];
};
template <> struct staged_entries<none> {
    int32_t columns[CHUNK][COLUMN_STRIDE];
};

/* Writes up to CHUNK entries of each of a warp's rows, from the k-th of its n on. The lane's own row begins at entry
 * `begin` + `own` of C. */
template <typename Offset, typename Value>
__device__ inline void write_chunk(const staged_entries<Value> &staged, const numbers<Value> &number, Offset begin,
                                   int own, int n, int k)
{
    const int entry = threadIdx.x % CHUNK;
#pragma unroll
    for (int first = 0; first < 32; first += CHUNK_ROWS) {
        const int row = first + (int)threadIdx.x % 32 / CHUNK;
        const int to = __shfl_sync(~0u, own, row) + k + entry;
        if (k + entry >= __shfl_sync(~0u, n, row)) continue;
        number.c_columns[begin + to] = staged.columns[entry][row];
        if constexpr (has_values<Value>) number.c_values[begin + to] = staged.values[entry][row];
    }
}

} // namespace spg

#endif
