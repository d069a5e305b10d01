/* Vector operations of cycles and solves. Sums are taken by a fixed number of blocks, then over the blocks in a fixed
 * order, so that results repeat bit for bit. Never waits. */
#include "rows.cuh"

#include "amg/units.h"

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

/* Calls terms.end(the sum of terms(i), 0 <= i < n) in one thread, after terms.begin() in each; nothing where that says
 * in all of them that no sum is wanted. */
template <typename Terms>
__global__ __launch_bounds__(THREADS) void sum_terms(int64_t n, Terms terms, double *partials, unsigned int *ticket)
{
    wait_and_trigger();
    if (!terms.begin()) return;
    int64_t step = (int64_t)gridDim.x * THREADS, i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    double sums[ELEMENTS_A_THREAD] = {};
    for (; i + (ELEMENTS_A_THREAD - 1) * step < n; i += ELEMENTS_A_THREAD * step) {
#pragma unroll
        for (int e = 0; e < ELEMENTS_A_THREAD; ++e) sums[e] += terms(i + e * step);
    }
    for (; i < n; i += step) sums[0] += terms(i);
    double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    if (combine_grid(sum, 0.0, plus(), partials, ticket) && threadIdx.x == 0) terms.end(sum);
}

static_assert(ELEMENTS_A_THREAD == 4, "sum_terms adds four sums");

template <typename Terms>
spg_status queue_sum(spg_context *context, int64_t n, void *workspace, const char *what, const Terms &terms)
{
    return launch_programmatic(context, spg_cuda_of(context)->stream, what, sum_blocks(n), THREADS, 0, sum_terms<Terms>,
                               n, terms, static_cast<double *>(workspace), ticket_of(context));
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
spg_status queue_times_i(spg_context *context, int64_t n, const void *x_vector, void *y_vector)
{
    const Value *x = static_cast<const Value *>(x_vector);
    Value *y = static_cast<Value *>(y_vector);
    return for_each(context, n, "a vector times i", [=] __device__(int64_t k) {
        y[2 * k] = -x[2 * k + 1];
        y[2 * k + 1] = x[2 * k];
    });
}

template <typename Value> struct dot_terms {
    const Value *x, *y;
    double *result;

    __device__ bool begin() { return true; }
    __device__ double operator()(int64_t i) const { return (double)x[i] * (double)y[i]; }
    __device__ void end(double sum) const { *result = sum; }
};

struct again_terms {
    const double *x, *sum;
    double *again;
    double scaling;

    __device__ bool begin()
    {
        scaling = spg_rescaling_of_squares(*sum);
        return scaling != 1;
    }

    __device__ double operator()(int64_t i) const
    {
        const double scaled = scaling * x[i];
        return scaled * scaled;
    }

    __device__ void end(double of_scaled) const { *again = of_scaled; }
};

/* Also posts the scalars to the host. */
template <typename Value> struct step_terms {
    const Value *p, *q;
    Value *x, *r;
    double target;
    spg_amg_cg_scalars *scalars;
    volatile spg_posted_step *post;
    unsigned int number;
    Value alpha;
    bool moves;

    __device__ bool begin()
    {
        const double rz = scalars->rz, pq = scalars->pq, quotient = rz / pq;
        moves = scalars->has_ended == 0 && rz > 0 && pq > 0 && isfinite(quotient);
        alpha = (Value)quotient;
        return true;
    }

    __device__ double operator()(int64_t i) const
    {
        Value residual = r[i];
        if (moves) {
            x[i] += alpha * p[i];
            r[i] = residual -= alpha * q[i];
        }
        return (double)residual * (double)residual;
    }

    __device__ void end(double sum) const
    {
        scalars->rr = sum;
        scalars->rz_before = scalars->rz;
        if (!moves || sqrt(sum) <= target) scalars->has_ended = 1;
        post->rr = sum;
        post->pq = scalars->pq;
        post->rz = scalars->rz;
        __threadfence_system();
        post->number = number;
    }
};

template <typename Value>
spg_status queue_step(spg_context *context, int64_t n, double target, spg_amg_cg_scalars *scalars,
                      const spg_amg_cg_vectors &vectors, void *workspace, unsigned int number)
{
    spg_posted_step *const posts = spg_cuda_of(context)->device_steps;
    const step_terms<Value> terms = {static_cast<const Value *>(vectors.p),
                                     static_cast<const Value *>(vectors.q),
                                     static_cast<Value *>(vectors.x),
                                     static_cast<Value *>(vectors.r),
                                     target,
                                     scalars,
                                     &posts[number % SPG_POSTED_STEPS],
                                     number,
                                     (Value)0,
                                     false};
    return queue_sum(context, n, workspace, "a step of conjugate gradients", terms);
}

template <typename Value>
spg_status queue_direction(spg_context *context, int64_t n, const spg_amg_cg_scalars *scalars, const void *z_vector,
                           void *p_vector)
{
    const Value *z = static_cast<const Value *>(z_vector);
    Value *p = static_cast<Value *>(p_vector);
    return for_each(context, n, "a direction of conjugate gradients", [=] __device__(int64_t i) {
        double beta = scalars->rz / scalars->rz_before;
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

spg_status spg_cuda_times_i(spg_context *context, spg_type type, int64_t n, const void *x, void *y)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::with_real_type(
        type, [&](auto value) { return spg::amg::queue_times_i<decltype(value)>(context, n, x, y); });
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
    status = spg::amg::with_real_type(type, [&](auto value) {
        using Value = decltype(value);
        const spg::amg::dot_terms<Value> terms = {static_cast<const Value *>(x), static_cast<const Value *>(y), result};
        return spg::amg::queue_sum(context, n, workspace, "a dot product", terms);
    });
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_sum_again(spg_context *context, int64_t n, const double *x, const double *sum, void *workspace,
                              double *again)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    const spg::amg::again_terms terms = {x, sum, again, 1};
    status = spg::amg::queue_sum(context, n, workspace, "a sum of scaled squares", terms);
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_cg_step(spg_context *context, spg_type type, int64_t n, double target, spg_amg_cg_scalars *scalars,
                            const spg_amg_cg_vectors *vectors, void *workspace, unsigned int *number)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    *number = ++spg_cuda_of(context)->steps_queued;
    status = spg::amg::with_real_type(type, [&](auto value) {
        return spg::amg::queue_step<decltype(value)>(context, n, target, scalars, *vectors, workspace, *number);
    });
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_cg_read(spg_context *context, const spg_amg_cg_scalars *scalars, unsigned int number,
                            spg_amg_cg_scalars *read)
{
    (void)scalars;
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    const spg_posted_step *post = &spg_cuda_of(context)->steps[number % SPG_POSTED_STEPS];
    status = spg_cuda_poll(context, &post->number, ~0u, number);
    if (status == SPG_OK) *read = (spg_amg_cg_scalars){post->rr, post->pq, post->rz, 0, 0};
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_cg_direction(spg_context *context, spg_type type, int64_t n, const spg_amg_cg_scalars *scalars,
                                 const void *z, void *p)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::with_real_type(
        type, [&](auto value) { return spg::amg::queue_direction<decltype(value)>(context, n, scalars, z, p); });
    spg_cuda_leave(context);
    return status;
}
