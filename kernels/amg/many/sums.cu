/* Inner products and steps of conjugate gradients of several vectors. Rows are summed by a fixed number of blocks of
 * threads, then over these, in an order that depends on the number of rows alone. Never waits. */
#include "blocks.cuh"

#include "amg/units.h"

namespace spg
{

namespace amg
{

namespace
{

/* A block of threads has GROUPS rows at a time, `width` threads each. */
enum { GROUPS = 16, ROWS_A_THREAD = 8, MOST_BLOCKS = 512 };
static_assert((int)MOST_BLOCKS <= (int)MOST_SUM_BLOCKS, "the workspace has room for all sums");

unsigned int sum_blocks(int64_t n)
{
    const int64_t blocks = (n + GROUPS * ROWS_A_THREAD - 1) / (GROUPS * ROWS_A_THREAD);
    return (unsigned int)(blocks < 1 ? 1 : blocks < MOST_BLOCKS ? blocks : (int64_t)MOST_BLOCKS);
}

/* Calls terms.end(vector, the sum of terms(k) over the vector's elements k) in one thread for each, after
 * terms.begin(vector) in all; nothing unless terms.is_wanted(width), which is the same in all. */
template <typename Terms>
__global__ __launch_bounds__(GROUPS *SPG_AMG_MOST_WIDTH) void sum_columns(int64_t n, int width, Terms terms,
                                                                          grid_sums of)
{
    wait_and_trigger();
    if (!terms.is_wanted(width)) return;
    const int group = (int)threadIdx.x / width, vector = (int)threadIdx.x % width;
    terms.begin(vector);
    double sum[1] = {0};
    for (int64_t row = (int64_t)blockIdx.x * GROUPS + group; row < n; row += (int64_t)gridDim.x * GROUPS)
        sum[0] += terms(row * width + vector);
    combine_blocks(sum, width, of, [&](int of_vector, double all) { terms.end(of_vector, all); });
}

template <typename Terms>
spg_status queue_sums(spg_context *context, const spg_amg_shape &shape, void *workspace, const char *what,
                      const Terms &terms)
{
    return launch_programmatic(context, spg_cuda_of(context)->stream, what, sum_blocks(shape.n),
                               (unsigned int)(GROUPS * shape.width), 0, sum_columns<Terms>, shape.n, shape.width, terms,
                               sums_in(context, workspace));
}

template <typename Value> struct dot_terms {
    const Value *x, *y;
    double *results;

    __device__ bool is_wanted(int) const { return true; }
    __device__ void begin(int) {}
    __device__ double operator()(int64_t k) const { return (double)x[k] * (double)y[k]; }
    __device__ void end(int vector, double sum) const { results[vector] = sum; }
};

struct again_terms {
    const double *x, *sums;
    double *again;
    double scaling;

    __device__ bool is_wanted(int width) const
    {
        bool is_wanted = false;
        for (int vector = 0; vector < width; ++vector)
            is_wanted = is_wanted || spg_rescaling_of_squares(sums[vector]) != 1;
        return is_wanted;
    }

    __device__ void begin(int vector) { scaling = spg_rescaling_of_squares(sums[vector]); }

    __device__ double operator()(int64_t k) const
    {
        const double scaled = scaling * x[k];
        return scaled * scaled;
    }

    __device__ void end(int vector, double sum) const { again[vector] = sum; }
};

template <typename Value> struct step_terms {
    const Value *p, *q;
    Value *x, *r;
    uint32_t active;
    spg_amg_many_scalars *scalars;
    Value alpha;
    bool moves;

    __device__ bool is_wanted(int) const { return true; }

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
    (void)n;
    return (int64_t)spg::amg::MOST_SUM_BLOCKS * width * (int64_t)sizeof(double);
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

spg_status spg_cuda_many_sum_again(spg_context *context, int64_t n, int width, const double *x, const double *sums,
                                   void *workspace, double *again)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    const spg_amg_shape shape = {SPG_F64, n, width};
    const spg::amg::again_terms terms = {x, sums, again, 1};
    status = spg::amg::queue_sums(context, shape, workspace, "sums of scaled squares", terms);
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
