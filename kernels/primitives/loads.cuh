/* Predicated loads from memory that nobody writes. Private.
 *
 * For loads that not every thread needs: branches instead would serialise the loads of a thread, which should be in
 * flight together. */
#ifndef SPG_KERNELS_PRIMITIVES_LOADS_CUH
#define SPG_KERNELS_PRIMITIVES_LOADS_CUH

#include "../values.cuh"

namespace spg
{

/* *from if `wanted`, else `otherwise`. */
__device__ inline int32_t load_if(bool wanted, const int32_t *from, int32_t otherwise)
{
    asm("{ .reg .pred wanted; setp.ne.b32 wanted, %2, 0; @wanted ld.global.nc.b32 %0, [%1]; }"
        : "+r"(otherwise)
        : "l"(from), "r"((int)wanted));
    return otherwise;
}
__device__ inline int64_t load_if(bool wanted, const int64_t *from, int64_t otherwise)
{
    asm("{ .reg .pred wanted; setp.ne.b32 wanted, %2, 0; @wanted ld.global.nc.b64 %0, [%1]; }"
        : "+l"(otherwise)
        : "l"(from), "r"((int)wanted));
    return otherwise;
}

/* *from if `wanted`, else undefined. */
__device__ inline float value_if(bool wanted, const float *from)
{
    float value;
    asm("{ .reg .pred wanted; setp.ne.b32 wanted, %2, 0; @wanted ld.global.nc.f32 %0, [%1]; }"
        : "=f"(value)
        : "l"(from), "r"((int)wanted));
    return value;
}
__device__ inline double value_if(bool wanted, const double *from)
{
    double value;
    asm("{ .reg .pred wanted; setp.ne.b32 wanted, %2, 0; @wanted ld.global.nc.f64 %0, [%1]; }"
        : "=d"(value)
        : "l"(from), "r"((int)wanted));
    return value;
}
__device__ inline complex<float> value_if(bool wanted, const complex<float> *from)
{
    complex<float> value;
    asm("{ .reg .pred wanted; setp.ne.b32 wanted, %3, 0; @wanted ld.global.nc.v2.f32 {%0, %1}, [%2]; }"
        : "=f"(value.re), "=f"(value.im)
        : "l"(from), "r"((int)wanted));
    return value;
}
__device__ inline complex<double> value_if(bool wanted, const complex<double> *from)
{
    complex<double> value;
    asm("{ .reg .pred wanted; setp.ne.b32 wanted, %3, 0; @wanted ld.global.nc.v2.f64 {%0, %1}, [%2]; }"
        : "=d"(value.re), "=d"(value.im)
        : "l"(from), "r"((int)wanted));
    return value;
}

/* Loads two entries, stored like the parts of a complex value; undefined unless `wanted`. */
template <typename Value> __device__ inline complex<Value> pair_if(bool wanted, const Value *from)
{
    return value_if(wanted, reinterpret_cast<const complex<Value> *>(from));
}
__device__ inline int2 pair_if(bool wanted, const int32_t *from)
{
    int2 pair;
    asm("{ .reg .pred wanted; setp.ne.b32 wanted, %3, 0; @wanted ld.global.nc.v2.b32 {%0, %1}, [%2]; }"
        : "=r"(pair.x), "=r"(pair.y)
        : "l"(from), "r"((int)wanted));
    return pair;
}

} // namespace spg

#endif
