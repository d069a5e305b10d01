/* Vector operations of cycles and solves. Sums are taken by a fixed number of blocks, then over the blocks in a fixed
 * order, so that results repeat bit for bit. Never waits. */
#include "rows.cuh"

namespace spg
{

namespace amg
{

namespace
{

constexpr int64_t SUM_BLOCKS = 512;
enum { ELEMENTS_A_THREAD = 4 };

/* Depends only on the number of elements, so that the order of the sum does too. */
unsigned int sum_blocks(int64_t n)
{
    int64_t blocks = (n + THREADS * ELEMENTS_A_THREAD - 1) / (THREADS * ELEMENTS_A_THREAD);
    return (unsigned int)(blocks < 1 ? 1 : blocks < SUM_BLOCKS ? blocks : SUM_BLOCKS);
}

/* *result = the sum of term(i), 0 <= i < n. */
template <typename Term>
__global__ __launch_bounds__(THREADS) void sum_terms(int64_t n, Term term, double *partials, unsigned int *ticket,
                                                     double *result)
{
    int64_t step = (int64_t)gridDim.x * THREADS, i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    double sums[ELEMENTS_A_THREAD] = {};
    for (; i + (ELEMENTS_A_THREAD - 1) * step < n; i += ELEMENTS_A_THREAD * step) {
#pragma unroll
        for (int e = 0; e < ELEMENTS_A_THREAD; ++e) sums[e] += term(i + e * step);
    }
    for (; i < n; i += step) sums[0] += term(i);
    double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    if (combine_grid(sum, 0.0, plus(), partials, ticket) && threadIdx.x == 0) *result = sum;
}

static_assert(ELEMENTS_A_THREAD == 4, "sum_terms adds four sums");

template <typename Term>
spg_status queue_sum(spg_context *context, int64_t n, void *workspace, double *result, const char *what, Term term)
{
    sum_terms<<<sum_blocks(n), THREADS, 0, spg_cuda_of(context)->stream>>>(n, term, static_cast<double *>(workspace),
                                                                           ticket_of(context), result);
    return spg_cuda_check_launch(context, what);
}

template <typename Value>
spg_status queue_axpby(spg_context *context, int64_t n, double alpha, const void *x_vector, double beta, void *y_vector)
{
    const Value *x = static_cast<const Value *>(x_vector), a = (Value)alpha, b = (Value)beta;
    Value *y = static_cast<Value *>(y_vector);
    if (beta == 0) return for_each(context, n, "a scaled vector", [=] __device__(int64_t i) { y[i] = a * x[i]; });
    return for_each(context, n, "a sum of vectors", [=] __device__(int64_t i) { y[i] = a * x[i] + b * y[i]; });
}

template <typename Value>
spg_status queue_dot(spg_context *context, int64_t n, const void *x_vector, const void *y_vector, void *workspace,
                     double *result)
{
    const Value *x = static_cast<const Value *>(x_vector), *y = static_cast<const Value *>(y_vector);
    return queue_sum(context, n, workspace, result, "a dot product",
                     [=] __device__(int64_t i) { return (double)x[i] * (double)y[i]; });
}

/* If the step is not a valid step of conjugate gradients, the caller sees it from rz and pq, and the vectors are
 * unchanged. */
template <typename Value>
spg_status queue_cg_step(spg_context *context, int64_t n, const double *rz, const double *pq,
                         const spg_amg_cg_vectors &vectors, void *workspace, double *rr)
{
    const Value *p = static_cast<const Value *>(vectors.p), *q = static_cast<const Value *>(vectors.q);
    Value *x = static_cast<Value *>(vectors.x), *r = static_cast<Value *>(vectors.r);
    return queue_sum(context, n, workspace, rr, "a step of conjugate gradients", [=] __device__(int64_t i) {
        double alpha = *rz / *pq;
        Value residual = r[i];
        if (*rz > 0 && *pq > 0 && isfinite(alpha)) {
            x[i] += (Value)alpha * p[i];
            r[i] = residual -= (Value)alpha * q[i];
        }
        return (double)residual * (double)residual;
    });
}

template <typename Value>
spg_status queue_cg_direction(spg_context *context, int64_t n, const double *rz, const double *rz_before,
                              const void *z_vector, void *p_vector)
{
    const Value *z = static_cast<const Value *>(z_vector);
    Value *p = static_cast<Value *>(p_vector);
    return for_each(context, n, "a direction of conjugate gradients", [=] __device__(int64_t i) {
        double beta = *rz / *rz_before;
        p[i] = isfinite(beta) && beta != 0 ? z[i] + (Value)beta * p[i] : z[i];
    });
}

} // namespace

} // namespace amg

} // namespace spg

spg_status spg_cuda_axpby(spg_context *context, spg_type type, int64_t n, double alpha, const void *x, double beta,
                          void *y)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::with_real_type(
        type, [&](auto value) { return spg::amg::queue_axpby<decltype(value)>(context, n, alpha, x, beta, y); });
    spg_cuda_leave(context);
    return status;
}

int64_t spg_cuda_dot_bytes(spg_type type, int64_t n)
{
    (void)type;
    return (int64_t)spg::amg::sum_blocks(n) * (int64_t)sizeof(double);
}

spg_status spg_cuda_dot(spg_context *context, spg_type type, int64_t n, const void *x, const void *y, void *workspace,
                        double *result)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::with_real_type(
        type, [&](auto value) { return spg::amg::queue_dot<decltype(value)>(context, n, x, y, workspace, result); });
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_cg_step(spg_context *context, spg_type type, int64_t n, const double *rz, const double *pq,
                            const spg_amg_cg_vectors *vectors, void *workspace, double *rr)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::with_real_type(type, [&](auto value) {
        return spg::amg::queue_cg_step<decltype(value)>(context, n, rz, pq, *vectors, workspace, rr);
    });
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_cg_direction(spg_context *context, spg_type type, int64_t n, const double *rz,
                                 const double *rz_before, const void *z, void *p)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::with_real_type(type, [&](auto value) {
        return spg::amg::queue_cg_direction<decltype(value)>(context, n, rz, rz_before, z, p);
    });
    spg_cuda_leave(context);
    return status;
}
