/* Arithmetic of the four value types. Every product and every sum is rounded, never fused, so that each kernel gives
 * the bits of the host's loop. A complex product is computed from four real ones. Private. */
#ifndef SPG_KERNELS_VALUES_CUH
#define SPG_KERNELS_VALUES_CUH

#include "device.h"

namespace spg
{

template <typename Real> struct alignas(2 * sizeof(Real)) complex {
    Real re, im;
};

__device__ inline float multiply(float a, float b) { return __fmul_rn(a, b); }
__device__ inline double multiply(double a, double b) { return __dmul_rn(a, b); }
__device__ inline float add(float a, float b) { return __fadd_rn(a, b); }
__device__ inline double add(double a, double b) { return __dadd_rn(a, b); }
__device__ inline float subtract(float a, float b) { return __fsub_rn(a, b); }
__device__ inline double subtract(double a, double b) { return __dsub_rn(a, b); }

template <typename Real> __device__ inline complex<Real> multiply(complex<Real> a, complex<Real> b)
{
    return {subtract(multiply(a.re, b.re), multiply(a.im, b.im)), add(multiply(a.re, b.im), multiply(a.im, b.re))};
}
template <typename Real> __device__ inline complex<Real> add(complex<Real> a, complex<Real> b)
{
    return {add(a.re, b.re), add(a.im, b.im)};
}

/* sum + a*b. */
template <typename Value> __device__ inline Value add_product(Value sum, Value a, Value b)
{
    return add(sum, multiply(a, b));
}

/* Every sum starts from +0, so that no result is -0. */
template <typename Value> __device__ __host__ inline Value zero() { return Value{}; }

/* Calls function(Value{}) with the C++ type of a value type, or function(Offset{}) with that of an offset type. */
template <typename Function> spg_status with_value_type(spg_type type, Function &&function)
{
    switch (type) {
    case SPG_F32: return function(float{});
    case SPG_C32: return function(complex<float>{});
    case SPG_C64: return function(complex<double>{});
    default: return function(double{});
    }
}
template <typename Function> spg_status with_offset_type(spg_type type, Function &&function)
{
    return type == SPG_I64 ? function(int64_t{}) : function(int32_t{});
}

} // namespace spg

#endif
