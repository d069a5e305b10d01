/* Residuals and smoothing sweeps: the product of each row with x, and what follows from it, in one kernel.
 *
 * In: A, its inverse diagonal, b, x, and rho in device memory. Out: r or y (and the direction of Chebyshev's
 * recurrence). Never waits. */
#include "../rows.cuh"

#include "amg/numerics.h"

namespace spg
{

namespace amg
{

namespace
{

enum { BLOCKS_HELD = 4 };

/* Resident blocks a multiprocessor: as many as keep all of a tile in registers (amg_bench, H100: floats by 6 take 6
 * percent less on fe3d27 than by 4; doubles by 5 the same). */
template <typename Value> constexpr int blocks_held = sizeof(Value) == sizeof(float) ? 6 : BLOCKS_HELD;

/* One sweep: y = x + step, where step = coefficient .* inverse .* (b - A x) [+ keep d, and then d = step]. */
template <typename Value> struct sweep {
    const Value *inverse, *b, *x; /* x NULL: zero */
    Value *d, *y;                 /* d NULL: no direction is kept */
    const double *rho;            /* NULL: 1 */
    double scale, ratio;          /* scale: Jacobi's, divided by rho; ratio: Chebyshev's */
    int step;                     /* of Chebyshev's recurrence; -1: Jacobi */
};

using factors = spg_amg_chebyshev_step;

template <typename Value> __device__ factors factors_of(const sweep<Value> &job)
{
    double rho = job.rho != nullptr ? *job.rho : 1;
    if (job.step < 0) return {job.scale / rho, 0};
    return spg_amg_chebyshev(rho, job.ratio, job.step);
}

/* The same in every thread of a block. */
template <typename Value> __device__ factors block_factors(const sweep<Value> &job)
{
    __shared__ factors shared;
    if (threadIdx.x == 0) shared = factors_of(job);
    __syncthreads();
    return shared;
}

template <typename Value>
__device__ void move(const sweep<Value> &job, const factors &by, int64_t row, Value x, Value residual)
{
    Value step = (Value)by.coefficient * job.inverse[row] * residual;
    if (by.keep != 0) step = (Value)by.keep * job.d[row] + step;
    if (job.d != nullptr) job.d[row] = step;
    job.y[row] = x + step;
}

template <typename Offset, typename Value>
__global__ __launch_bounds__(THREADS, blocks_held<Value>) void relax(matrix_view<Value> A, row_shares shares,
                                                                     sweep<Value> job)
{
    __shared__ row_tile<Value> tiles[THREADS / WARP];
    wait_and_trigger();
    factors by = block_factors(job);
    for_each_product<Offset>(A, shares, tiles[threadIdx.x / WARP], job.x,
                             [&](int64_t row, Value product) { move(job, by, row, job.x[row], job.b[row] - product); });
}

template <typename Value> __global__ __launch_bounds__(THREADS) void relax_from_zero(int64_t rows, sweep<Value> job)
{
    wait_and_trigger();
    factors by = block_factors(job);
    int64_t step = (int64_t)gridDim.x * THREADS;
    for (int64_t row = (int64_t)blockIdx.x * THREADS + threadIdx.x; row < rows; row += step)
        move(job, by, row, (Value)0, job.b[row]);
}

template <typename Offset, typename Value>
__global__ __launch_bounds__(THREADS, blocks_held<Value>) void find_residual(matrix_view<Value> A, row_shares shares,
                                                                             const Value *b, const Value *x, Value *r)
{
    __shared__ row_tile<Value> tiles[THREADS / WARP];
    wait_and_trigger();
    for_each_product<Offset>(A, shares, tiles[threadIdx.x / WARP], x,
                             [&](int64_t row, Value product) { r[row] = b[row] - product; });
}

/* Keeps every multiprocessor busy with the rows of a coarse level. */
row_shares shares_of(const spg_context *context, const spg_csr &A)
{
    const spg_cuda *cuda = spg_cuda_of(context);
    return share_rows_among_lanes(A.rows, A.nnz, (int64_t)cuda->multiprocessors * BLOCKS_HELD * (THREADS / WARP));
}

template <typename Value> spg_status queue_sweep(spg_context *context, const spg_csr &A, const sweep<Value> &job)
{
    if (A.rows == 0) return SPG_OK;
    cudaStream_t stream = spg_cuda_of(context)->stream;
    const row_shares shares = shares_of(context, A);
    const unsigned int blocks = blocks_for_shares(A.rows, shares, THREADS);
    const char *const what = "a smoothing sweep";
    if (job.x == nullptr)
        return launch_programmatic(context, stream, what, blocks_for_groups(context, A.rows, 1), THREADS, 0,
                                   relax_from_zero<Value>, A.rows, job);
    const auto kernel = A.offset_type == SPG_I32 ? relax<int32_t, Value> : relax<int64_t, Value>;
    return launch_programmatic(context, stream, what, blocks, THREADS, 0, kernel, view_of<Value>(A), shares, job);
}

template <typename Value> sweep<Value> sweep_of(const spg_amg_relaxation &of)
{
    return {static_cast<const Value *>(of.inverse),
            static_cast<const Value *>(of.b),
            static_cast<const Value *>(of.x),
            static_cast<Value *>(of.d),
            static_cast<Value *>(of.y),
            of.rho,
            of.scale,
            of.ratio,
            of.step};
}

template <typename Value>
spg_status queue_residual(spg_context *context, const spg_csr &A, const void *b, const void *x, void *r)
{
    if (A.rows == 0) return SPG_OK;
    const row_shares shares = shares_of(context, A);
    const auto kernel = A.offset_type == SPG_I32 ? find_residual<int32_t, Value> : find_residual<int64_t, Value>;
    return launch_programmatic(context, spg_cuda_of(context)->stream, "a residual",
                               blocks_for_shares(A.rows, shares, THREADS), THREADS, 0, kernel, view_of<Value>(A),
                               shares, static_cast<const Value *>(b), static_cast<const Value *>(x),
                               static_cast<Value *>(r));
}

} // namespace

} // namespace amg

} // namespace spg

spg_status spg_cuda_residual(spg_context *context, const spg_csr *A, const void *b, const void *x, void *r)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::with_real_type(
        A->value_type, [&](auto value) { return spg::amg::queue_residual<decltype(value)>(context, *A, b, x, r); });
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_relax(spg_context *context, const spg_csr *A, const spg_amg_relaxation *of)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::with_real_type(A->value_type, [&](auto value) {
        return spg::amg::queue_sweep(context, *A, spg::amg::sweep_of<decltype(value)>(*of));
    });
    spg_cuda_leave(context);
    return status;
}
