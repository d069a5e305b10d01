/* Inner products and steps of conjugate gradients of several vectors. Rows are summed by a fixed number of blocks of
 * threads, then over these, in an order that depends on the number of rows alone. Never waits. */
#include "blocks.cuh"

namespace spg
{

namespace amg
{

namespace
{

/* A block of threads has LANES rows at a time, `width` threads each. */
enum { LANES = 16, ROWS_A_THREAD = 8, MOST_SUM_BLOCKS = 512 };

unsigned int sum_blocks(int64_t n)
{
    const int64_t blocks = (n + LANES * ROWS_A_THREAD - 1) / (LANES * ROWS_A_THREAD);
    return (unsigned int)(blocks < 1 ? 1 : blocks < MOST_SUM_BLOCKS ? blocks : (int64_t)MOST_SUM_BLOCKS);
}

/* The sums of a block's lanes, in lane 0. All threads call it. */
__device__ double combine_lanes_of_block(double sum, int width)
{
    __shared__ double sums[LANES * SPG_AMG_MOST_WIDTH];
    const int lane = (int)threadIdx.x / width;
    __syncthreads();
    sums[threadIdx.x] = sum;
    for (int lanes = LANES / 2; lanes > 0; lanes /= 2) {
        __syncthreads();
        if (lane < lanes) sums[threadIdx.x] += sums[threadIdx.x + lanes * width];
    }
    return sums[threadIdx.x];
}

/* Calls terms.end(vector, the sum of terms(k) over the vector's elements k) in one thread for each, after
 * terms.begin(vector) in all. */
template <typename Terms>
__global__ __launch_bounds__(LANES *SPG_AMG_MOST_WIDTH) void sum_columns(int64_t n, int width, Terms terms,
                                                                         double *partials, unsigned int *ticket)
{
    __shared__ bool is_last;
    wait_and_trigger();
    const int lane = (int)threadIdx.x / width, vector = (int)threadIdx.x % width;
    terms.begin(vector);
    double sum = 0;
    for (int64_t row = (int64_t)blockIdx.x * LANES + lane; row < n; row += (int64_t)gridDim.x * LANES)
        sum += terms(row * width + vector);
    sum = combine_lanes_of_block(sum, width);
    if (lane == 0) {
        partials[blockIdx.x * width + vector] = sum;
        __threadfence();
    }
    __syncthreads();
    if (threadIdx.x == 0) is_last = atomicAdd(ticket, 1u) == gridDim.x - 1;
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    sum = 0;
    for (unsigned int b = (unsigned int)lane; b < gridDim.x; b += LANES)
        sum += *(volatile const double *)(partials + b * width + vector);
    sum = combine_lanes_of_block(sum, width);
    if (lane == 0) terms.end(vector, sum);
    if (threadIdx.x == 0) *ticket = 0;
}

template <typename Terms>
spg_status queue_sums(spg_context *context, const spg_amg_shape &shape, void *workspace, const char *what,
                      const Terms &terms)
{
    return launch_programmatic(context, spg_cuda_of(context)->stream, what, sum_blocks(shape.n),
                               (unsigned int)(LANES * shape.width), 0, sum_columns<Terms>, shape.n, shape.width, terms,
                               static_cast<double *>(workspace), ticket_of(context));
}

template <typename Value> struct dot_terms {
    const Value *x, *y;
    double *results;

    __device__ void begin(int) {}
    __device__ double operator()(int64_t k) const { return (double)x[k] * (double)y[k]; }
    __device__ void end(int vector, double sum) const { results[vector] = sum; }
};

template <typename Value> struct step_terms {
    const Value *p, *q;
    Value *x, *r;
    uint32_t active;
    spg_amg_many_scalars *scalars;
    Value alpha;
    bool moves;

    __device__ void begin(int vector)
    {
        const double rz = scalars->rz[vector], pq = scalars->pq[vector], quotient = rz / pq;
        moves = (active >> vector & 1u) != 0 && rz > 0 && pq > 0 && isfinite(quotient);
        alpha = (Value)quotient;
    }

    __device__ double operator()(int64_t k) const
    {
        Value residual = r[k];
        if (moves) {
            x[k] += alpha * p[k];
            r[k] = residual -= alpha * q[k];
        }
        return (double)residual * (double)residual;
    }

    __device__ void end(int vector, double sum) const
    {
        scalars->rr[vector] = sum;
        scalars->rz_before[vector] = scalars->rz[vector];
    }
};

} // namespace

} // namespace amg

} // namespace spg

int64_t spg_cuda_many_dot_bytes(int64_t n, int width)
{
    return (int64_t)spg::amg::sum_blocks(n) * width * (int64_t)sizeof(double);
}

spg_status spg_cuda_many_dot(spg_context *context, const spg_amg_shape *shape, const void *x, const void *y,
                             void *workspace, double *results)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::with_real_type(shape->type, [&](auto value) {
        using Value = decltype(value);
        const spg::amg::dot_terms<Value> terms = {static_cast<const Value *>(x), static_cast<const Value *>(y),
                                                  results};
        return spg::amg::queue_sums(context, *shape, workspace, "dot products of several vectors", terms);
    });
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_many_cg_step(spg_context *context, const spg_amg_shape *shape, uint32_t active,
                                 spg_amg_many_scalars *scalars, const spg_amg_cg_vectors *vectors, void *workspace)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::with_real_type(shape->type, [&](auto value) {
        using Value = decltype(value);
        const spg::amg::step_terms<Value> terms = {static_cast<const Value *>(vectors->p),
                                                   static_cast<const Value *>(vectors->q),
                                                   static_cast<Value *>(vectors->x),
                                                   static_cast<Value *>(vectors->r),
                                                   active,
                                                   scalars,
                                                   (Value)0,
                                                   false};
        return spg::amg::queue_sums(context, *shape, workspace, "steps of conjugate gradients", terms);
    });
    spg_cuda_leave(context);
    return status;
}
