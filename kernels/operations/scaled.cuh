/* A number from the host that may be left out. Private. */
#ifndef SPG_KERNELS_OPERATIONS_SCALED_CUH
#define SPG_KERNELS_OPERATIONS_SCALED_CUH

#include "../values.cuh"

namespace spg
{

template <typename Value> struct optional_scale {
    Value by;
    bool is_there;

    explicit optional_scale(const void *scale) : by(zero<Value>()), is_there(scale != nullptr)
    {
        if (is_there) by = *static_cast<const Value *>(scale);
    }
    __device__ Value operator()(Value value) const { return is_there ? multiply(by, value) : value; }
};

} // namespace spg

#endif
