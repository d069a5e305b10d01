/* The values of the smoothed prolongator: P = T - relaxation/rho D^-1 (A T), in one pass over A.
 *
 * In: A, T by rows, the aggregates, and P's pattern. Out: P's values. A group of lanes takes a row: each lane one
 * candidate and some of A's entries, which it sums for some of the aggregates of P's row at a time, in registers; rows
 * of P with more go over A's row again. Lanes of the candidates of an entry are neighbours, so that they read A
 * together; lanes of a candidate combine their sums in a tree. Rows of A with very many entries are left to their
 * block. Nothing waits. */
#include "prolongator.cuh"

#include "../values.cuh"

namespace spg
{

namespace amg
{

namespace
{

enum { FEW_SUMS = 4, MANY_SUMS = 8, LONG_ROW = 1024 };
enum { ENTRIES_A_LANE = 4, BUSY_THREADS = 1024 }; /* of a multiprocessor; amg_bench, H100 */
enum { WINDOW = 2048 };                           /* entries of P that a block sums at a time */

template <typename Value> struct values_job {
    matrix_view<Value> A;
    aggregate_view aggregates;
    const Value *T, *inverse;
    double relaxation;
    const double *rho;
    numbers_view offsets; /* of P */
    const int32_t *columns;
    Value *values;
    int candidates, lanes; /* lanes: of each candidate; all of a row are within a warp */
    divider by_candidates;

    __device__ double scale() const { return relaxation != 0 ? relaxation / *rho : 0; }
    __device__ bool is_long(int64_t row) const
    {
        return relaxation != 0 && A.offsets[row + 1] - A.offsets[row] > LONG_ROW;
    }
};

/* ---- a group of lanes a row ---- */

template <int Sums, typename Value>
__device__ void sum_entries(const values_job<Value> &job, int64_t begin, int length, int candidate, int lane,
                            const int32_t (&aggregates)[Sums], Value (&sums)[Sums])
{
    const int lanes = job.lanes;
    const int32_t *columns = job.A.columns + begin;
    const Value *values = job.A.values + begin, *T = job.T + candidate;
    for (int k = lane; k < length; k += ENTRIES_IN_FLIGHT * lanes) {
        int32_t found[ENTRIES_IN_FLIGHT];
        Value products[ENTRIES_IN_FLIGHT];
#pragma unroll
        for (int u = 0; u < ENTRIES_IN_FLIGHT; ++u) {
            bool reads = k + u * lanes < length;
            found[u] = reads ? columns[k + u * lanes] : -1;
            products[u] = reads ? values[k + u * lanes] : (Value)0;
        }
#pragma unroll
        for (int u = 0; u < ENTRIES_IN_FLIGHT; ++u) {
            if (found[u] >= 0) products[u] *= T[(int64_t)found[u] * job.candidates];
            found[u] = found[u] >= 0 ? job.aggregates[found[u]] : -1;
        }
#pragma unroll
        for (int u = 0; u < ENTRIES_IN_FLIGHT; ++u)
#pragma unroll
            for (int t = 0; t < Sums; ++t)
                if (found[u] >= 0 && found[u] == aggregates[t]) sums[t] += products[u];
    }
}

/* By all lanes of a row, which are those of `group`; lane: of the candidate's, of which the first stores. The row has
 * at most LONG_ROW entries. */
template <int Sums, typename Value>
__device__ void fill_row(const values_job<Value> &job, double scale, int64_t row, int candidate, int lane,
                         unsigned int group)
{
    const int k = job.candidates;
    const int64_t begin = job.A.offsets[row], first = job.offsets[row];
    const int length = (int)(job.A.offsets[row + 1] - begin), count = (int)(job.offsets[row + 1] - first);
    const int32_t *columns = job.columns + first;
    Value *values = job.values + first;
    for (int p = candidate; p < count; p += Sums * k) {
        int32_t aggregates[Sums];
        Value sums[Sums] = {};
#pragma unroll
        for (int t = 0; t < Sums; ++t)
            aggregates[t] = p + t * k < count ? job.by_candidates.quotient(columns[p + t * k]) : -1;
        if (scale != 0) sum_entries(job, begin, length, candidate, lane, aggregates, sums);
        for (int step = job.lanes / 2; step > 0; step /= 2)
#pragma unroll
            for (int t = 0; t < Sums; ++t) sums[t] += __shfl_down_sync(group, sums[t], step * k);
        if (lane != 0) continue;
        const int32_t own = job.aggregates[row];
        const Value of_row = job.T[row * k + candidate], factor = (Value)(scale * (double)job.inverse[row]);
#pragma unroll
        for (int t = 0; t < Sums; ++t) {
            if (aggregates[t] < 0) continue;
            Value value = aggregates[t] == own ? of_row : (Value)0;
            values[p + t * k] = scale != 0 ? value - factor * sums[t] : value;
        }
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

/* Entry p of P, of row `row`, from the sum of its products. */
template <typename Value>
__device__ void put_value(const values_job<Value> &job, double scale, int64_t row, int64_t p, Value sum)
{
    int32_t column = job.columns[p], aggregate = job.by_candidates.quotient(column);
    int32_t candidate = column - aggregate * job.candidates;
    Value value = aggregate == job.aggregates[row] ? job.T[row * job.candidates + candidate] : (Value)0;
    job.values[p] = scale != 0 ? value - (Value)(scale * (double)job.inverse[row]) * sum : value;
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

/* The rows of A that are too long for groups of lanes, `rows` at a time. */
template <typename Value> __device__ void fill_long_rows(const values_job<Value> &job, double scale, int rows)
{
    __shared__ Value sums[WINDOW];
    __shared__ int32_t long_rows[THREADS];
    __shared__ int long_count;
    for (int64_t first = (int64_t)blockIdx.x * rows; first < job.A.rows; first += (int64_t)gridDim.x * rows) {
        int64_t row = first + threadIdx.x;
        if (threadIdx.x == 0) long_count = 0;
        __syncthreads();
        if ((int)threadIdx.x < rows && row < job.A.rows && job.is_long(row))
            long_rows[atomicAdd(&long_count, 1)] = (int32_t)row;
        __syncthreads();
        for (int at = 0; at < long_count; ++at) fill_row_by_block(job, scale, long_rows[at], sums);
        __syncthreads();
    }
}

template <int Sums, typename Value> __global__ __launch_bounds__(THREADS, 4) void fill_values(values_job<Value> job)
{
    const double scale = job.scale();
    const int width = job.candidates * job.lanes, warp_rows = WARP / width, rows = THREADS / WARP * warp_rows;
    const int of_warp = lane_in_warp() / width, of_row = lane_in_warp() % width;
    const unsigned int lanes = width < WARP ? (1u << width) - 1 : ALL_LANES;
    bool sees_long = false;
    int64_t row = (int64_t)blockIdx.x * rows + (int)threadIdx.x / WARP * warp_rows + of_warp;
    for (; of_warp < warp_rows && row < job.A.rows; row += (int64_t)gridDim.x * rows) {
        sees_long = sees_long || job.is_long(row);
        if (!job.is_long(row))
            fill_row<Sums>(job, scale, row, of_row % job.candidates, of_row / job.candidates, lanes << of_warp * width);
    }
    if (__syncthreads_or(sees_long)) fill_long_rows(job, scale, rows);
}

/* Lanes to a candidate of a row: as few as give all multiprocessors work, for they combine their sums; no more than
 * have entries, and all of a row within a warp. */
int lanes_of_candidate(const spg_context *context, const spg_csr &A, int candidates)
{
    const int64_t wanted = (int64_t)spg_cuda_of(context)->multiprocessors * BUSY_THREADS;
    int most = lanes_for(A.rows, A.nnz, ENTRIES_A_LANE), lanes = 1;
    while (lanes < most && 2 * lanes * candidates <= WARP && A.rows * candidates * lanes < wanted) lanes *= 2;
    return lanes;
}

template <typename Value> spg_status queue_fill(spg_context *context, const values_job<Value> &job, int64_t nnz)
{
    if (nnz == 0) return SPG_OK;
    unsigned int blocks = blocks_for_groups(context, job.A.rows, WARP / (WARP / (job.candidates * job.lanes)));
    cudaStream_t stream = spg_cuda_of(context)->stream;
    if (nnz <= job.A.rows * job.candidates * (FEW_SUMS - 1)) /* few rows of P have more aggregates */
        fill_values<FEW_SUMS><<<blocks, THREADS, 0, stream>>>(job);
    else
        fill_values<MANY_SUMS><<<blocks, THREADS, 0, stream>>>(job);
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
                                           spg::amg::lanes_of_candidate(context, *A, aggregates->candidates),
                                           spg::amg::divider(aggregates->candidates)};
        return spg::amg::queue_fill(context, job, P->nnz);
    });
    spg_cuda_leave(context);
    return status;
}
