/* Products of the rows of a matrix with several vectors whose elements of a row lie side by side. Private.
 *
 * A group of neighbouring lanes takes a row, or a part of one; each lane has a pack of neighbouring vectors, so that a
 * warp reads whole rows of X. All lanes of a group read the same entries of A, which so are read from memory once for
 * all vectors of the group: a batch of entries, then their rows of X, all of them in flight together. */
#ifndef SPG_KERNELS_CONTAINERS_ROW_VECTORS_CUH
#define SPG_KERNELS_CONTAINERS_ROW_VECTORS_CUH

#include "../values.cuh"
#include "entries.cuh"

namespace spg
{

enum { GROUP_THREADS = 256, MOST_ROW_GROUPS = 32, ROW_BATCH = 4 };

/* Elements of neighbouring vectors in one row. */
template <typename Value, int Length> struct alignas(Length * sizeof(Value)) pack {
    Value of[Length];
};

/* The length of a pack of 16 bytes, the most that a lane reads at once. */
template <typename Value> constexpr int FULL_PACK = sizeof(Value) < 16 ? 16 / (int)sizeof(Value) : 1;

template <int Length, typename Value> __device__ inline pack<Value, Length> *pack_at(Value *element)
{
    return reinterpret_cast<pack<Value, Length> *>(element);
}
template <int Length, typename Value> __device__ inline const pack<Value, Length> *pack_at(const Value *element)
{
    return reinterpret_cast<const pack<Value, Length> *>(element);
}

/* How the threads of a block share rows: 2^part_bits groups of 2^lane_bits lanes have a row. A block has
 * MOST_ROW_GROUPS groups if those are no more than GROUP_THREADS threads. */
struct row_groups {
    int lane_bits, part_bits;

    __host__ __device__ int lanes() const { return 1 << lane_bits; }
    __host__ __device__ int parts() const { return 1 << part_bits; }
    __host__ __device__ int threads() const
    {
        return MOST_ROW_GROUPS << lane_bits < GROUP_THREADS ? MOST_ROW_GROUPS << lane_bits : (int)GROUP_THREADS;
    }
    __host__ __device__ int rows() const { return threads() >> (lane_bits + part_bits); } /* of a block */
    __device__ int lane() const { return (int)threadIdx.x & (lanes() - 1); }
    __device__ int part() const { return (int)threadIdx.x >> lane_bits & (parts() - 1); }
    __device__ int64_t first_row() const
    {
        return (int64_t)blockIdx.x * rows() + ((int)threadIdx.x >> (lane_bits + part_bits));
    }
};

/* The least power of two that is not below `count`, as its logarithm. */
inline int bits_of(int64_t count)
{
    int bits = 0;
    while ((int64_t)1 << bits < count) ++bits;
    return bits;
}

/* Blocks for all rows, at most so many; where parts share rows, `most` must be enough for all of them. */
inline unsigned int blocks_for_rows(int64_t rows, const row_groups &groups, int64_t most)
{
    const int64_t blocks = (rows + groups.rows() - 1) / groups.rows();
    return (unsigned int)(blocks < most ? blocks : most);
}

/* Weights of entries: their values. Others read a factor with the row of X. */
template <typename Value> struct plain_weights {
    __device__ int read(int32_t) const { return 0; }
    __device__ Value operator()(Value value, int) const { return value; }
};

/* Adds weight * row of X, for a batch of entries from these on, unless Whole only the first `left`, of which there is
 * one at least. All reads are queued before the first is used: none depends on a condition, so places beyond the last
 * entry read that entry again. */
template <bool Whole, int Length, typename Value, typename Weights>
__device__ inline void add_batch(int left, const int32_t *columns, const Value *values, const char *X,
                                 int32_t row_bytes, const Weights &weights, pack<Value, Length> &sum)
{
    const int count = Whole ? (int)ROW_BATCH : left;
    int32_t column[ROW_BATCH];
    Value value[ROW_BATCH];
    decltype(weights.read(0)) factor[ROW_BATCH];
    pack<Value, Length> x[ROW_BATCH];
#pragma unroll
    for (int e = 0; e < ROW_BATCH; ++e) column[e] = columns[e < count ? e : count - 1];
#pragma unroll
    for (int e = 0; e < ROW_BATCH; ++e) {
        x[e] = *reinterpret_cast<const pack<Value, Length> *>(X + (int64_t)column[e] * row_bytes);
        factor[e] = weights.read(column[e]);
    }
#pragma unroll
    for (int e = 0; e < ROW_BATCH; ++e) value[e] = values[e < count ? e : count - 1];
#pragma unroll
    for (int e = 0; e < ROW_BATCH; ++e) {
        const Value weight = weights(value[e], factor[e]);
#pragma unroll
        for (int u = 0; u < Length; ++u) {
            const Value next = add_product(sum.of[u], weight, x[e].of[u]);
            if (e < count) sum.of[u] = next;
        }
    }
}

/* Adds weight * row of X over the entries of a row from `begin` on, a batch at a time, `reach` entries apart. */
template <int Length, typename Value, typename Weights>
__device__ inline void add_row(int64_t begin, int64_t end, int reach, const int32_t *columns, const Value *values,
                               const char *X, int32_t row_bytes, const Weights &weights, pack<Value, Length> &sum)
{
    int64_t left = end - begin;
    columns += begin;
    values += begin;
    asm("" : "+l"(X)); /* one address, not recomputed from its parts for each entry */
    __builtin_assume(__isGlobal(X));
#pragma unroll 1
    for (; left >= ROW_BATCH; left -= reach, columns += reach, values += reach)
        add_batch<true>(ROW_BATCH, columns, values, X, row_bytes, weights, sum);
    if (left > 0) add_batch<false>((int)left, columns, values, X, row_bytes, weights, sum);
}

/* Calls each(row, sum of weight * row of X over its entries) for every row of a group, in all its lanes. Sums are in
 * storage order, never fused: each vector gets the bits of spg_csr_spmv. X: at this lane's pack of row 0; its rows are
 * row_bytes apart. Offsets: by []. */
template <int Length, typename Value, typename Weights, typename Each>
__device__ inline void for_each_product_row(int64_t rows, const numbers_view &offsets, const int32_t *columns,
                                            const Value *values, const row_groups &groups, const Value *X,
                                            int32_t row_bytes, const Weights &weights, Each &&each)
{
    const char *const bytes = reinterpret_cast<const char *>(X);
    const int64_t step = (int64_t)gridDim.x * groups.rows();
    int64_t row = groups.first_row(), next_begin = row < rows ? offsets[row] : 0,
            next_end = row < rows ? offsets[row + 1] : 0;
    while (row < rows) {
        const int64_t next = row + step, begin = next_begin, end = next_end;
        pack<Value, Length> sum = {};
        if (next < rows) {
            next_begin = offsets[next];
            next_end = offsets[next + 1];
        }
        add_row(begin, end, ROW_BATCH, columns, values, bytes, row_bytes, weights, sum);
        each(row, sum);
        row = next;
    }
}

} // namespace spg

#endif
