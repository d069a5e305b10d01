/* Blocks of vectors (amg/many_backend.h): neighbouring lanes have the vectors of a row, so that they read and
 * write neighbouring values. Private.
 *
 * Arithmetic and its order depend on the matrix and the number of rows alone, not on the width: each vector has the
 * same bits in any block. */
#ifndef SPG_KERNELS_AMG_MANY_BLOCKS_CUH
#define SPG_KERNELS_AMG_MANY_BLOCKS_CUH

#include "../rows.cuh"
#include "many_stages.h"

namespace spg
{

namespace amg
{

/* How threads share rows: a row has width * parts of them, all powers of two. */
struct block_shares {
    int width_bits, part_bits;

    __host__ __device__ int width() const { return 1 << width_bits; }
    __host__ __device__ int parts() const { return 1 << part_bits; }
    __device__ int vector() const { return (int)threadIdx.x & (width() - 1); }
    __device__ int part() const { return (int)threadIdx.x >> width_bits & (parts() - 1); }
    __host__ __device__ int rows() const { return THREADS >> (width_bits + part_bits); } /* of a block of threads */
    __device__ int64_t row() const
    {
        return (int64_t)blockIdx.x * rows() + ((int)threadIdx.x >> (width_bits + part_bits));
    }
};

inline int bits_of(int width)
{
    int bits = 0;
    while (1 << bits < width) ++bits;
    return bits;
}

/* Parts of a row are summed on their own where there are too few rows to occupy a device, or rows are long. */
inline block_shares share_block(int64_t rows, int64_t nnz, int width)
{
    constexpr int MOST_PART_BITS = 4, LEAST_ENTRIES = 4;
    constexpr int64_t ENOUGH = 1 << 14; /* rows times parts */
    const int64_t mean = rows > 0 ? nnz / rows : 0;
    block_shares shares = {bits_of(width), 0};
    while (shares.part_bits < MOST_PART_BITS && rows * shares.parts() < ENOUGH && mean / shares.parts() > LEAST_ENTRIES)
        ++shares.part_bits;
    return shares;
}

inline unsigned int blocks_for_block(int64_t rows, const block_shares &shares)
{
    return (unsigned int)((rows + shares.rows() - 1) / shares.rows());
}

/* The sums of a row's parts, in the threads of part 0. All threads of a block call it. */
template <typename Sum> __device__ inline Sum combine_parts(const block_shares &shares, Sum sum)
{
    __shared__ Sum sums[THREADS];
    if (shares.part_bits == 0) return sum;
    sums[threadIdx.x] = sum;
    for (int parts = shares.parts() / 2; parts > 0; parts /= 2) {
        __syncthreads();
        if (shares.part() < parts) sums[threadIdx.x] += sums[threadIdx.x + parts * shares.width()];
    }
    return sums[threadIdx.x];
}

/* Calls function(row, vector, index of the element) for all elements of a block, in any order. */
template <typename Function>
spg_status for_each_element(spg_context *context, int64_t n, int width, const char *what, Function function)
{
    const int bits = bits_of(width);
    return for_each(context, n * width, what,
                    [=] __device__(int64_t k) { function(k >> bits, (int)(k & ((1 << bits) - 1)), k); });
}

} // namespace amg

} // namespace spg

#endif
