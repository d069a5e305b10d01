/* A lower bound of the entries of P^T*A*P, without the product: see amg/amg_backend.h. A group of lanes takes a row of
 * A and raises the numbers of the columns of its row of P; a maximum does not depend on the order. WAITS. */
#include "../counts.cuh"
#include "prolongator.cuh"

namespace spg
{

namespace amg
{

namespace
{

struct bounding {
    int64_t rows, cols; /* of P */
    numbers_view A_offsets, P_offsets;
    const int32_t *A_columns, *P_columns;
    int32_t *longest; /* for each column of P */
    spg_counters *counters;
};

__global__ __launch_bounds__(THREADS) void raise_columns(bounding job, int lanes)
{
    for_each_row(job.rows, lanes, [&](int64_t row, int lane) {
        int32_t longest = 0;
        const int64_t end = row >= 0 ? job.A_offsets[row + 1] : 0;
        for (int64_t k = row >= 0 ? job.A_offsets[row] + lane : 0; k < end; k += lanes) {
            const int64_t j = job.A_columns[k];
            longest = max(longest, (int32_t)(job.P_offsets[j + 1] - job.P_offsets[j]));
        }
        longest = combine_lanes(longest, lanes, maximum());
        const int64_t P_end = row >= 0 ? job.P_offsets[row + 1] : 0;
        for (int64_t k = row >= 0 ? job.P_offsets[row] + lane : 0; k < P_end; k += lanes) {
            int32_t *most = job.longest + job.P_columns[k];
            if (*(volatile const int32_t *)most < longest) atomicMax(most, longest);
        }
    });
}

__global__ __launch_bounds__(THREADS) void add_columns(bounding job)
{
    unsigned long long sum = 0;
    const int64_t step = (int64_t)gridDim.x * THREADS;
    for (int64_t g = (int64_t)blockIdx.x * THREADS + threadIdx.x; g < job.cols; g += step)
        sum += (unsigned long long)job.longest[g];
    sum = reduce(sum, plus());
    if (lane_in_warp() == 0 && sum > 0) atomicAdd(&job.counters->nnz, sum);
}

spg_status queue_bound(spg_context *context, const bounding &job, int64_t nnz)
{
    cudaStream_t stream = spg_cuda_of(context)->stream;
    const char *what = "a bound of entries";
    spg_status status =
        spg_cuda_check(context, cudaMemsetAsync(job.longest, 0, (size_t)job.cols * sizeof *job.longest, stream), what);
    if (status != SPG_OK || job.rows == 0) return status;
    const int lanes = lanes_for(job.rows, nnz, 1);
    raise_columns<<<blocks_for_groups(context, job.rows, lanes), THREADS, 0, stream>>>(job, lanes);
    status = spg_cuda_check_launch(context, what);
    if (status != SPG_OK) return status;
    add_columns<<<blocks_for_groups(context, job.cols, 1), THREADS, 0, stream>>>(job);
    return spg_cuda_check_launch(context, what);
}

spg_status find_bound(spg_context *context, const spg_csr &A, const spg_csr &P, int64_t *least)
{
    workspace work(context);
    spg_counters counts = {};
    bounding job = {P.rows,    P.cols,    offsets_of(A), offsets_of(P),
                    A.columns, P.columns, nullptr,       spg_cuda_of(context)->counters};
    spg_status status = work.take(P.cols, "a bound of entries", &job.longest);
    if (status == SPG_OK) status = clear_counts(context);
    if (status == SPG_OK) status = queue_bound(context, job, A.nnz);
    if (status == SPG_OK) status = take_counts(context, &counts);
    if (status == SPG_OK) *least = (int64_t)counts.nnz;
    return status;
}

} // namespace

} // namespace amg

} // namespace spg

spg_status spg_cuda_least_coarse_entries(spg_context *context, const spg_csr *A, const spg_csr *P, int64_t *least)
{
    *least = 0;
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::find_bound(context, *A, *P, least);
    spg_cuda_leave(context);
    return status;
}
