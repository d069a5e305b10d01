/* Sums over several vectors and the scalars of Krylov methods. y is read once for up to SPG_AMG_DOTS_AT_ONCE inner
 * products, and once for a whole combination. Sums are taken by a fixed number of blocks, then over the blocks in a
 * fixed order. One thread moves the scalars. Never waits. */
#include "rows.cuh"

#include "amg/krylov/scalars.h"

namespace spg
{

namespace amg
{

namespace
{

/* Products that a thread has in flight: several vectors, or several elements of few. */
enum { PRODUCTS_IN_FLIGHT = SPG_AMG_DOTS_AT_ONCE };

/* results[k] = vector k . y for k < count, Count or less. Vector k begins k * stride elements after the first. */
template <typename Value, int Count>
__global__ __launch_bounds__(THREADS) void sum_products(int64_t n, int count, const Value *first, int64_t stride,
                                                        const Value *y, double *results, double *partials,
                                                        unsigned int *ticket)
{
    constexpr int ELEMENTS = PRODUCTS_IN_FLIGHT / Count;
    __shared__ bool is_last;
    wait_and_trigger();
    const int64_t step = (int64_t)gridDim.x * THREADS;
    double sums[Count] = {};
    for (int64_t begin = (int64_t)blockIdx.x * THREADS + threadIdx.x; begin < n; begin += ELEMENTS * step) {
#pragma unroll
        for (int e = 0; e < ELEMENTS; ++e) {
            const int64_t i = begin + e * step;
            const double with = i < n ? (double)y[i] : 0;
#pragma unroll
            for (int k = 0; k < Count; ++k)
                if (k < count && i < n) sums[k] += (double)first[k * stride + i] * with;
        }
    }
#pragma unroll
    for (int k = 0; k < Count; ++k) {
        const double sum = combine_block(sums[k], 0.0, plus());
        if (threadIdx.x == 0) partials[k * gridDim.x + blockIdx.x] = sum;
    }
    if (threadIdx.x == 0) {
        __threadfence();
        is_last = atomicAdd(ticket, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    for (int k = 0; k < count; ++k) {
        double all = 0;
        for (unsigned int b = threadIdx.x; b < gridDim.x; b += THREADS)
            all += *(volatile const double *)(partials + k * gridDim.x + b);
        all = combine_block(all, 0.0, plus());
        if (threadIdx.x == 0) results[k] = all;
    }
    if (threadIdx.x == 0) *ticket = 0;
}

/* As many blocks as one inner product has. */
unsigned int blocks_for(int64_t n) { return (unsigned int)(spg_cuda_dot_bytes(SPG_F64, n) / (int64_t)sizeof(double)); }

template <typename Value, int Count>
spg_status queue_products(spg_context *context, int64_t n, const spg_amg_vectors &of, const void *y, void *workspace,
                          double *results)
{
    return launch_programmatic(context, spg_cuda_of(context)->stream, "inner products", blocks_for(n), THREADS, 0,
                               sum_products<Value, Count>, n, of.count, static_cast<const Value *>(of.first),
                               of.stride / (int64_t)sizeof(Value), static_cast<const Value *>(y), results,
                               static_cast<double *>(workspace), ticket_of(context));
}

template <typename Value>
spg_status queue_dots(spg_context *context, int64_t n, const spg_amg_vectors &of, const void *y, void *workspace,
                      double *results)
{
    spg_status status = SPG_OK;
    for (int begun = 0; status == SPG_OK && begun < of.count; begun += SPG_AMG_DOTS_AT_ONCE) {
        const int rest = of.count - begun;
        const spg_amg_vectors some = {static_cast<const char *>(of.first) + begun * of.stride, of.stride,
                                      rest < SPG_AMG_DOTS_AT_ONCE ? rest : SPG_AMG_DOTS_AT_ONCE};
        const auto queue = some.count <= 2   ? queue_products<Value, 2>
                           : some.count <= 4 ? queue_products<Value, 4>
                                             : queue_products<Value, SPG_AMG_DOTS_AT_ONCE>;
        status = queue(context, n, some, y, workspace, results + begun);
    }
    return status;
}

template <typename Value>
spg_status queue_combination(spg_context *context, int64_t n, const spg_amg_combination &by, void *y_vector)
{
    const Value *first = static_cast<const Value *>(by.of.first);
    const int64_t stride = by.of.stride / (int64_t)sizeof(Value);
    const int count = by.of.count;
    const double *coefficients = by.coefficients, *scale = by.scale, factor = by.factor;
    Value *y = static_cast<Value *>(y_vector);
    return for_each(context, n, "a combination of vectors", [=] __device__(int64_t i) {
        const Value keep = scale != nullptr ? (Value)*scale : (Value)1;
        Value sum = keep != 0 ? keep * y[i] : (Value)0;
#pragma unroll 4
        for (int k = 0; k < count; ++k) {
            const Value a = (Value)(factor * coefficients[k]);
            if (a != 0) sum += a * first[k * stride + i];
        }
        y[i] = sum;
    });
}

__global__ void move_scalars(spg_amg_krylov_step step)
{
    wait_and_trigger();
    spg_amg_krylov_advance(&step);
}

} // namespace

} // namespace amg

} // namespace spg

int64_t spg_cuda_krylov_dots_bytes(spg_type type, int64_t n)
{
    return SPG_AMG_DOTS_AT_ONCE * spg_cuda_dot_bytes(type, n);
}

spg_status spg_cuda_krylov_dots(spg_context *context, spg_type type, int64_t n, const spg_amg_vectors *of,
                                const void *y, void *workspace, double *results)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::with_real_type(type, [&](auto value) {
        return spg::amg::queue_dots<decltype(value)>(context, n, *of, y, workspace, results);
    });
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_krylov_combine(spg_context *context, spg_type type, int64_t n, const spg_amg_combination *by,
                                   void *y)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::with_real_type(
        type, [&](auto value) { return spg::amg::queue_combination<decltype(value)>(context, n, *by, y); });
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_krylov_advance(spg_context *context, const spg_amg_krylov_step *step)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::launch_programmatic(context, spg_cuda_of(context)->stream, "the scalars of a Krylov method", 1, 1, 0,
                                      spg::amg::move_scalars, *step);
    spg_cuda_leave(context);
    return status;
}
