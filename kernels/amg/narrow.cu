/* Vectors of doubles in floats, and back. Never waits. */
#include "rows.cuh"

#include "amg/units.h"

spg_status spg_cuda_narrow(spg_context *context, int64_t n, spg_squares u, const double *x, float *y)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::for_each(context, n, "a vector in floats",
                           [=] __device__(int64_t i) { y[i] = (float)(x[i] * (1 / spg_unit_of_squares(u, 0))); });
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_widen(spg_context *context, int64_t n, spg_squares u, spg_squares v, const float *x, double *y)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::for_each(context, n, "a vector in doubles", [=] __device__(int64_t i) {
        y[i] = (double)x[i] * (spg_unit_of_squares(u, 0) / spg_unit_of_squares(v, 0));
    });
    spg_cuda_leave(context);
    return status;
}
