/* Operations on blocks of vectors that need no sum over rows. Never waits. */
#include "blocks.cuh"

#include "amg/units.h"

namespace spg
{

namespace amg
{

namespace
{

template <typename Value>
spg_status queue_load(spg_context *context, const spg_amg_shape &shape, const spg_amg_columns &from, void *block)
{
    const Value *values = static_cast<const Value *>(from.values);
    Value *to = static_cast<Value *>(block);
    const int64_t row_step = from.row_step, column_step = from.column_step;
    const int count = from.count;
    return for_each_element(context, shape.n, shape.width, "several vectors",
                            [=] __device__(int64_t row, int vector, int64_t k) {
                                to[k] = vector < count ? values[row * row_step + vector * column_step] : (Value)0;
                            });
}

template <typename Value>
spg_status queue_store(spg_context *context, const spg_amg_shape &shape, const void *block, const spg_amg_columns &to)
{
    const Value *from = static_cast<const Value *>(block);
    Value *values = static_cast<Value *>(to.values);
    const int64_t row_step = to.row_step, column_step = to.column_step;
    const int count = to.count;
    return for_each_element(context, shape.n, shape.width, "several vectors",
                            [=] __device__(int64_t row, int vector, int64_t k) {
                                if (vector < count) values[row * row_step + vector * column_step] = from[k];
                            });
}

template <typename Value>
spg_status queue_combine(spg_context *context, const spg_amg_shape &shape, const spg_amg_factors &alpha,
                         const void *x_block, const spg_amg_factors &beta, void *y_block)
{
    const Value *x = static_cast<const Value *>(x_block);
    Value *y = static_cast<Value *>(y_block);
    return for_each_element(context, shape.n, shape.width, "sums of several vectors",
                            [=] __device__(int64_t, int vector, int64_t k) {
                                const Value a = (Value)alpha.of[vector], b = (Value)beta.of[vector];
                                if (b == 0)
                                    y[k] = a * x[k];
                                else if (a == 0)
                                    y[k] = b * y[k];
                                else
                                    y[k] = a * x[k] + b * y[k];
                            });
}

template <typename Value>
spg_status queue_direction(spg_context *context, const spg_amg_shape &shape, uint32_t starts,
                           const spg_amg_many_scalars *scalars, const void *z_block, void *p_block)
{
    const Value *z = static_cast<const Value *>(z_block);
    Value *p = static_cast<Value *>(p_block);
    return for_each_element(context, shape.n, shape.width, "directions of conjugate gradients",
                            [=] __device__(int64_t, int vector, int64_t k) {
                                const double beta = scalars->rz[vector] / scalars->rz_before[vector];
                                const bool keeps = (starts >> vector & 1u) == 0 && isfinite(beta) && beta != 0;
                                p[k] = keeps ? z[k] + (Value)beta * p[k] : z[k];
                            });
}

} // namespace

} // namespace amg

} // namespace spg

spg_status spg_cuda_many_load(spg_context *context, const spg_amg_shape *shape, const spg_amg_columns *from,
                              void *block)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::with_real_type(
        shape->type, [&](auto value) { return spg::amg::queue_load<decltype(value)>(context, *shape, *from, block); });
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_many_store(spg_context *context, const spg_amg_shape *shape, const void *block,
                               const spg_amg_columns *to)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::with_real_type(
        shape->type, [&](auto value) { return spg::amg::queue_store<decltype(value)>(context, *shape, block, *to); });
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_many_combine(spg_context *context, const spg_amg_shape *shape, const spg_amg_factors *alpha,
                                 const void *x, const spg_amg_factors *beta, void *y)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::with_real_type(shape->type, [&](auto value) {
        return spg::amg::queue_combine<decltype(value)>(context, *shape, *alpha, x, *beta, y);
    });
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_many_cg_direction(spg_context *context, const spg_amg_shape *shape, uint32_t starts,
                                      const spg_amg_many_scalars *scalars, const void *z, void *p)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::with_real_type(shape->type, [&](auto value) {
        return spg::amg::queue_direction<decltype(value)>(context, *shape, starts, scalars, z, p);
    });
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_many_narrow(spg_context *context, int64_t n, int width, spg_squares u, const double *x, float *y)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::for_each_element(context, n, width, "vectors in floats",
                                        [=] __device__(int64_t, int vector, int64_t k) {
                                            y[k] = (float)(x[k] * (1 / spg_unit_of_squares(u, vector)));
                                        });
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_many_widen(spg_context *context, const spg_amg_shape *shape, spg_squares u, spg_squares v,
                               const float *x, double *y)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::for_each_element(
        context, shape->n, shape->width, "vectors in doubles", [=] __device__(int64_t, int vector, int64_t k) {
            y[k] = (double)x[k] * (spg_unit_of_squares(u, vector) / spg_unit_of_squares(v, 0));
        });
    spg_cuda_leave(context);
    return status;
}
