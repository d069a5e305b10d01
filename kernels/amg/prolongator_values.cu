/* The values of the smoothed prolongator: P = T - relaxation/rho D^-1 (A T), in one pass over A.
 *
 * In: A, T by rows, the aggregates, and P's pattern. Out: P's values. A thread takes one candidate of a row, and sums
 * it for some of the aggregates of P's row at a time, in registers; rows of P with more go over A's row again. Threads
 * of the candidates of a row are neighbours, so that they read A together. Rows of A with very many entries are left to
 * their block. All sums go in the order of storage. Nothing waits. */
#include "prolongator.cuh"

#include "../values.cuh"

namespace spg
{

namespace amg
{

namespace
{

enum { SUMS = 8, LONG_ROW = 1024 };
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
    int candidates;
    divider by_candidates;

    __device__ double scale() const { return relaxation != 0 ? relaxation / *rho : 0; }
    __device__ bool is_long(int64_t row) const
    {
        return relaxation != 0 && A.offsets[row + 1] - A.offsets[row] > LONG_ROW;
    }
};

/* Entry p of P, of row `row`, from the sum of its products. */
template <typename Value>
__device__ void put_value(const values_job<Value> &job, double scale, int64_t row, int64_t p, Value sum)
{
    int32_t column = job.columns[p], aggregate = job.by_candidates.quotient(column);
    int32_t candidate = column - aggregate * job.candidates;
    Value value = aggregate == job.aggregates[row] ? job.T[row * job.candidates + candidate] : (Value)0;
    job.values[p] = scale != 0 ? value - (Value)(scale * (double)job.inverse[row]) * sum : value;
}

/* ---- a thread a row and candidate ---- */

template <typename Value>
__device__ void sum_entries(const values_job<Value> &job, int64_t row, int candidate, const int32_t (&aggregates)[SUMS],
                            Value (&sums)[SUMS])
{
    int64_t end = job.A.offsets[row + 1];
    for (int64_t k = job.A.offsets[row]; k < end; k += ENTRIES_IN_FLIGHT) {
        int32_t found[ENTRIES_IN_FLIGHT];
        Value products[ENTRIES_IN_FLIGHT];
#pragma unroll
        for (int u = 0; u < ENTRIES_IN_FLIGHT; ++u) {
            found[u] = k + u < end ? job.A.columns[k + u] : -1;
            products[u] = k + u < end ? job.A.values[k + u] : (Value)0;
        }
#pragma unroll
        for (int u = 0; u < ENTRIES_IN_FLIGHT; ++u) {
            if (found[u] >= 0) products[u] *= job.T[(int64_t)found[u] * job.candidates + candidate];
            found[u] = found[u] >= 0 ? job.aggregates[found[u]] : -1;
        }
#pragma unroll
        for (int u = 0; u < ENTRIES_IN_FLIGHT; ++u)
#pragma unroll
            for (int t = 0; t < SUMS; ++t)
                if (found[u] >= 0 && found[u] == aggregates[t]) sums[t] += products[u];
    }
}

template <typename Value>
__device__ void fill_row(const values_job<Value> &job, double scale, int64_t row, int candidate)
{
    const int k = job.candidates;
    int64_t end = job.offsets[row + 1];
    for (int64_t p = job.offsets[row] + candidate; p < end; p += SUMS * k) {
        int32_t aggregates[SUMS];
        Value sums[SUMS] = {};
#pragma unroll
        for (int t = 0; t < SUMS; ++t)
            aggregates[t] = p + t * k < end ? job.by_candidates.quotient(job.columns[p + t * k]) : -1;
        if (scale != 0) sum_entries(job, row, candidate, aggregates, sums);
#pragma unroll
        for (int t = 0; t < SUMS; ++t)
            if (p + t * k < end) put_value(job, scale, row, p + t * k, sums[t]);
    }
}

/* ---- very long rows of A: a block a row ---- */

/* Where aggregate `aggregate` stands among the blocks of P's row from entry `first` on; -1 if it is not one of `count`
 * there. */
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

/* Entries of A by the tile, each with its block of P's row: a thread adds to the blocks that are its own. */
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

template <typename Value> __global__ __launch_bounds__(THREADS) void fill_values(values_job<Value> job)
{
    __shared__ Value sums[WINDOW];
    __shared__ int32_t long_rows[THREADS];
    __shared__ int long_count;
    const double scale = job.scale();
    const int rows = THREADS / job.candidates, candidate = (int)threadIdx.x % job.candidates;
    for (int64_t first = (int64_t)blockIdx.x * rows; first < job.A.rows; first += (int64_t)gridDim.x * rows) {
        int64_t row = first + (int)threadIdx.x / job.candidates;
        if (threadIdx.x == 0) long_count = 0;
        __syncthreads();
        if ((int)threadIdx.x < rows * job.candidates && row < job.A.rows) {
            if (!job.is_long(row))
                fill_row(job, scale, row, candidate);
            else if (candidate == 0)
                long_rows[atomicAdd(&long_count, 1)] = (int32_t)row;
        }
        __syncthreads();
        for (int at = 0; at < long_count; ++at) fill_row_by_block(job, scale, long_rows[at], sums);
        __syncthreads();
    }
}

template <typename Value> spg_status queue_fill(spg_context *context, const values_job<Value> &job, int64_t nnz)
{
    if (nnz == 0) return SPG_OK;
    unsigned int blocks = blocks_for_groups(context, job.A.rows, job.candidates);
    fill_values<<<blocks, THREADS, 0, spg_cuda_of(context)->stream>>>(job);
    return spg_cuda_check_launch(context, "a prolongator's values");
}

} // namespace

} // namespace amg

} // namespace spg

spg_status spg_cuda_prolongator_values(spg_context *context, const spg_csr *A, const spg_amg_aggregates *aggregates,
                                       const void *T, const void *inverse, double relaxation, const double *rho,
                                       spg_csr *P)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::with_real_type(A->value_type, [&](auto value) {
        using Value = decltype(value);
        spg::amg::values_job<Value> job = {spg::amg::view_of<Value>(*A),
                                           spg::amg::aggregate_view(*aggregates),
                                           static_cast<const Value *>(T),
                                           static_cast<const Value *>(inverse),
                                           relaxation,
                                           rho,
                                           spg::offsets_of(*P),
                                           P->columns,
                                           static_cast<Value *>(P->values),
                                           aggregates->candidates,
                                           spg::amg::divider(aggregates->candidates)};
        return spg::amg::queue_fill(context, job, P->nnz);
    });
    spg_cuda_leave(context);
    return status;
}
