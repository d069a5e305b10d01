/* Shared by the kernels for the smoothed prolongator's values: their job, and rows of A with very many entries, a block
 * a row. Private. */
#ifndef SPG_KERNELS_AMG_PROLONGATOR_VALUES_CUH
#define SPG_KERNELS_AMG_PROLONGATOR_VALUES_CUH

#include "prolongator.cuh"

#include "../../launch.cuh"
#include "../../values.cuh"

namespace spg
{

namespace amg
{

enum { WINDOW = 2048 }; /* entries of P that a block sums at a time */

template <typename Value> struct values_job {
    matrix_view<Value> A;
    aggregate_view aggregates;
    const Value *T, *inverse;
    double relaxation;
    const double *rho;
    numbers_view offsets; /* of P */
    const int32_t *columns;
    Value *values;
    int candidates, lanes; /* lanes: of each candidate; all lanes of a row are in one warp */
    int longest;           /* rows with more entries of A are done by the whole block */
    divider by_candidates;

    __device__ double scale() const { return relaxation != 0 ? relaxation / *rho : 0; }
    __device__ bool is_long(int64_t row) const
    {
        return relaxation != 0 && A.offsets[row + 1] - A.offsets[row] > longest;
    }
};

/* The position of `aggregate` among the `count` blocks of P's row from entry `first` on; -1: not there. */
template <typename Value>
__device__ int find_block(const values_job<Value> &job, int64_t first, int count, int32_t aggregate)
{
    int low = 0, high = count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (job.columns[first + (int64_t)middle * job.candidates] < aggregate * job.candidates)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && job.columns[first + (int64_t)low * job.candidates] == aggregate * job.candidates ? low : -1;
}

/* Writes entry p of P, in row `row`, from the sum of its products. */
template <typename Value>
__device__ void put_value(const values_job<Value> &job, double scale, int64_t row, int64_t p, Value sum)
{
    int32_t column = job.columns[p], aggregate = job.by_candidates.quotient(column);
    int32_t candidate = column - aggregate * job.candidates;
    Value value = aggregate == job.aggregates[row] ? job.T[row * job.candidates + candidate] : (Value)0;
    job.values[p] = scale != 0 ? value - (Value)(scale * (double)job.inverse[row]) * sum : value;
}

/* Takes entries of A tile by tile, each with its block of P's row; a thread adds to its own blocks. */
template <typename Value>
__device__ void sum_tile(const values_job<Value> &job, int64_t tile, int64_t end, int64_t first, int blocks,
                         Value *sums)
{
    __shared__ int32_t block_of[THREADS], columns[THREADS];
    int64_t k = tile + threadIdx.x;
    int32_t column = k < end ? job.A.columns[k] : 0, aggregate = k < end ? job.aggregates[column] : -1;
    columns[threadIdx.x] = column;
    block_of[threadIdx.x] = aggregate >= 0 ? find_block(job, first, blocks, aggregate) : -1;
    __syncthreads();
    for (int e = 0; e < THREADS; ++e) {
        if (block_of[e] < 0 || block_of[e] % THREADS != (int)threadIdx.x) continue;
        const Value *t = job.T + (int64_t)columns[e] * job.candidates, value = job.A.values[tile + e];
        for (int c = 0; c < job.candidates; ++c) sums[block_of[e] * job.candidates + c] += value * t[c];
    }
    __syncthreads();
}

template <typename Value>
__device__ void fill_row_by_block(const values_job<Value> &job, double scale, int64_t row, Value *sums)
{
    const int window = WINDOW / job.candidates * job.candidates;
    int64_t p_end = job.offsets[row + 1], end = job.A.offsets[row + 1];
    for (int64_t first = job.offsets[row]; first < p_end; first += window) {
        int count = (int)(p_end - first < window ? p_end - first : window);
        for (int s = (int)threadIdx.x; s < count; s += THREADS) sums[s] = 0;
        __syncthreads();
        for (int64_t tile = job.A.offsets[row]; tile < end; tile += THREADS)
            sum_tile(job, tile, end, first, count / job.candidates, sums);
        for (int s = (int)threadIdx.x; s < count; s += THREADS) put_value(job, scale, row, first + s, sums[s]);
        __syncthreads();
    }
}

/* Fills the rows of A too long for groups of lanes or a tile, `rows` at a time. sums: memory for WINDOW sums. */
template <typename Value>
__device__ void fill_long_rows(const values_job<Value> &job, double scale, int rows, Value *sums)
{
    __shared__ int32_t long_rows[THREADS];
    __shared__ int long_count;
    for (int64_t first = (int64_t)blockIdx.x * rows; first < job.A.rows; first += (int64_t)gridDim.x * rows)
        for (int part = 0; part < rows; part += THREADS) {
            int64_t row = first + part + threadIdx.x;
            if (threadIdx.x == 0) long_count = 0;
            __syncthreads();
            if (part + (int)threadIdx.x < rows && row < job.A.rows && job.is_long(row))
                long_rows[atomicAdd(&long_count, 1)] = (int32_t)row;
            __syncthreads();
            for (int at = 0; at < long_count; ++at) fill_row_by_block(job, scale, long_rows[at], sums);
            __syncthreads();
        }
}

/* The values for one candidate, by tiles of rows; nnz: of A. */
template <typename Value> spg_status queue_tiles(spg_context *context, values_job<Value> job, int64_t nnz);

/* The values for nodes of `unknowns` unknowns, by tiles of nodes. */
template <typename Value> bool fits_nodes(const values_job<Value> &job, int unknowns)
{
    return (unknowns == 3 || unknowns == 6) && job.candidates > 1 && unknowns * job.candidates <= THREADS &&
           job.A.rows * job.candidates <= INT32_MAX && job.relaxation != 0;
}
template <typename Value> spg_status queue_nodes(spg_context *context, const values_job<Value> &job, int unknowns);

} // namespace amg

} // namespace spg

#endif
