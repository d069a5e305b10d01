/* Products, residuals, smoothing sweeps and dense solves of several vectors at once: each entry of a matrix is read for
 * all of them. Never waits. */
#include "../dense/dense.cuh"
#include "blocks.cuh"

#include "amg/numerics.h"

namespace spg
{

namespace amg
{

namespace
{

/* Calls finish(row, vector, the row's product with that vector), after finish.begin() in each thread. */
template <typename Offset, typename Value, typename Finish>
__global__ __launch_bounds__(THREADS) void sum_rows(matrix_view<Value> A, block_shares shares, const Value *x,
                                                    Finish finish)
{
    wait_and_trigger();
    finish.begin();
    const Offset *offsets = static_cast<const Offset *>(A.offsets.memory);
    const int64_t row = shares.row();
    const bool has_row = row < A.rows;
    const Offset end = has_row ? offsets[row + 1] : 0;
    Value sum = 0;
#pragma unroll 4
    for (Offset k = has_row ? offsets[row] + shares.part() : 0; k < end; k += shares.parts())
        sum += A.values[k] * x[((int64_t)A.columns[k] << shares.width_bits) + shares.vector()];
    sum = combine_parts(shares, sum);
    if (has_row && shares.part() == 0) finish(row, (row << shares.width_bits) + shares.vector(), sum);
}

template <typename Value, typename Finish>
spg_status queue_rows(spg_context *context, const spg_csr &A, int width, const void *x, const char *what,
                      const Finish &finish)
{
    if (A.rows == 0) return SPG_OK;
    const block_shares shares = share_block(A.rows, A.nnz, width);
    const auto kernel = A.offset_type == SPG_I32 ? sum_rows<int32_t, Value, Finish> : sum_rows<int64_t, Value, Finish>;
    return launch_programmatic(context, spg_cuda_of(context)->stream, what, blocks_for_block(A.rows, shares), THREADS,
                               0, kernel, view_of<Value>(A), shares, static_cast<const Value *>(x), finish);
}

template <typename Value> struct product {
    Value *y;
    bool adds;

    __device__ void begin() {}
    __device__ void operator()(int64_t, int64_t k, Value sum) const { y[k] = adds ? y[k] + sum : sum; }
};

template <typename Value> struct residual {
    const Value *b;
    Value *r;

    __device__ void begin() {}
    __device__ void operator()(int64_t, int64_t k, Value sum) const { r[k] = b[k] - sum; }
};

/* y = x + step, where step = coefficient .* inverse .* (b - A x) [+ keep d, and then d = step]. */
template <typename Value> struct block_sweep {
    const Value *inverse, *b, *x; /* x NULL: zero */
    Value *d, *y;                 /* d NULL: no direction is kept */
    const double *rho;            /* NULL: 1 */
    double scale, ratio;          /* scale: Jacobi's, divided by rho; ratio: Chebyshev's */
    int step;                     /* of Chebyshev's recurrence; -1: Jacobi */
    Value coefficient, keep;

    __device__ void begin()
    {
        __shared__ spg_amg_chebyshev_step shared;
        if (threadIdx.x == 0) {
            const double of = rho != nullptr ? *rho : 1;
            shared = step < 0 ? spg_amg_chebyshev_step{scale / of, 0} : spg_amg_chebyshev(of, ratio, step);
        }
        __syncthreads();
        coefficient = (Value)shared.coefficient;
        keep = (Value)shared.keep;
    }

    __device__ void operator()(int64_t row, int64_t k, Value sum) const
    {
        Value change = coefficient * inverse[row] * (b[k] - sum);
        if (keep != 0) change = keep * d[k] + change;
        if (d != nullptr) d[k] = change;
        y[k] = x != nullptr ? x[k] + change : change;
    }
};

template <typename Value>
__global__ __launch_bounds__(THREADS) void relax_from_zero(int64_t count, int width_bits, block_sweep<Value> sweep)
{
    wait_and_trigger();
    sweep.begin();
    const int64_t step = (int64_t)gridDim.x * THREADS;
    for (int64_t k = (int64_t)blockIdx.x * THREADS + threadIdx.x; k < count; k += step)
        sweep(k >> width_bits, k, (Value)0);
}

template <typename Value>
spg_status queue_sweep(spg_context *context, const spg_csr &A, int width, const spg_amg_relaxation &of)
{
    const char *const what = "a smoothing sweep of several vectors";
    const block_sweep<Value> sweep = {static_cast<const Value *>(of.inverse),
                                      static_cast<const Value *>(of.b),
                                      static_cast<const Value *>(of.x),
                                      static_cast<Value *>(of.d),
                                      static_cast<Value *>(of.y),
                                      of.rho,
                                      of.scale,
                                      of.ratio,
                                      of.step,
                                      (Value)0,
                                      (Value)0};
    if (of.x != nullptr) return queue_rows<Value>(context, A, width, of.x, what, sweep);
    if (A.rows == 0) return SPG_OK;
    return launch_programmatic(context, spg_cuda_of(context)->stream, what, blocks_for_groups(context, A.rows, width),
                               THREADS, 0, relax_from_zero<Value>, A.rows * width, bits_of(width), sweep);
}

template <typename Value>
__global__ __launch_bounds__(THREADS) void solve_dense(int64_t n, block_shares shares, const double *matrix,
                                                       const double *scaling, const Value *b, Value *x)
{
    wait_and_trigger();
    const int64_t row = shares.row();
    double sum = 0;
#pragma unroll 4
    for (int64_t k = row < n ? shares.part() : n; k < n; k += shares.parts())
        sum += matrix[row * n + k] * (scaling[k] * (double)b[(k << shares.width_bits) + shares.vector()]);
    sum = combine_parts(shares, sum);
    if (row < n && shares.part() == 0) x[(row << shares.width_bits) + shares.vector()] = (Value)(scaling[row] * sum);
}

} // namespace

} // namespace amg

} // namespace spg

spg_status spg_cuda_many_multiply(spg_context *context, const spg_csr *A, int width, const void *x, bool adds, void *y)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::with_real_type(A->value_type, [&](auto value) {
        using Value = decltype(value);
        return spg::amg::queue_rows<Value>(context, *A, width, x, "a product with several vectors",
                                           spg::amg::product<Value>{static_cast<Value *>(y), adds});
    });
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_many_residual(spg_context *context, const spg_csr *A, int width, const void *b, const void *x,
                                  void *r)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::with_real_type(A->value_type, [&](auto value) {
        using Value = decltype(value);
        return spg::amg::queue_rows<Value>(
            context, *A, width, x, "residuals of several vectors",
            spg::amg::residual<Value>{static_cast<const Value *>(b), static_cast<Value *>(r)});
    });
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_many_relax(spg_context *context, const spg_csr *A, int width, const spg_amg_relaxation *sweep)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::with_real_type(
        A->value_type, [&](auto value) { return spg::amg::queue_sweep<decltype(value)>(context, *A, width, *sweep); });
    spg_cuda_leave(context);
    return status;
}

int64_t spg_cuda_many_dense_bytes(const spg_amg_dense *dense, int width)
{
    (void)dense;
    (void)width;
    return 0;
}

spg_status spg_cuda_many_dense_solve(spg_context *context, spg_amg_dense *dense, int width, const void *b, void *x,
                                     void *workspace)
{
    (void)workspace;
    if (dense->n == 0) return SPG_OK;
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    const spg::amg::block_shares shares = spg::amg::share_block(dense->n, dense->n * dense->n, width);
    status = spg::amg::with_real_type(dense->type, [&](auto value) {
        using Value = decltype(value);
        return spg::launch_programmatic(
            context, spg_cuda_of(context)->stream, "a dense solve of several vectors",
            spg::amg::blocks_for_block(dense->n, shares), spg::amg::THREADS, 0, spg::amg::solve_dense<Value>, dense->n,
            shares, static_cast<const double *>(dense->inverse), static_cast<const double *>(dense->scaling),
            static_cast<const Value *>(b), static_cast<Value *>(x));
    });
    spg_cuda_leave(context);
    return status;
}
