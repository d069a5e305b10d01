/* The parts of a value as doubles. Private. */
#ifndef SPG_KERNELS_OPERATIONS_PARTS_CUH
#define SPG_KERNELS_OPERATIONS_PARTS_CUH

#include "../values.cuh"

#include "operations/modulus.h"

namespace spg
{

template <typename Real> __device__ inline double re_of(Real a) { return a; }
template <typename Real> __device__ inline double im_of(Real) { return 0; }
template <typename Real> __device__ inline double re_of(complex<Real> a) { return a.re; }
template <typename Real> __device__ inline double im_of(complex<Real> a) { return a.im; }

template <typename Value> __device__ inline double modulus_of(Value a) { return spg_modulus(re_of(a), im_of(a)); }

} // namespace spg

#endif
