/* Shared by the passes over the prolongator's pattern and its values. Private. */
#ifndef SPG_KERNELS_AMG_PROLONGATOR_PROLONGATOR_CUH
#define SPG_KERNELS_AMG_PROLONGATOR_PROLONGATOR_CUH

#include "../rows.cuh"

namespace spg
{

namespace amg
{

/* Divides by an invariant number through a product with its inverse, in 32 bits. Exact for numbers below 2^31 (Granlund
 * and Montgomery, Division by Invariant Integers using Multiplication, PLDI 1994). */
struct divider {
    uint32_t by, factor;
    int shift; /* -1: the divisor is 1 */

    explicit divider(int number) : by((uint32_t)number), factor(0), shift(-1)
    {
        if (number == 1) return;
        int bits = 1;
        while (((uint64_t)1 << bits) < by) ++bits;
        factor = (uint32_t)((((uint64_t)1 << (31 + bits)) + by - 1) / by);
        shift = bits - 1;
    }
    __device__ int32_t quotient(int32_t number) const
    {
        return shift < 0 ? number : (int32_t)(__umulhi((uint32_t)number, factor) >> shift);
    }
};

/* The aggregate of an unknown, -1: none; without aggregates, its node. */
struct aggregate_view {
    const int32_t *aggregate_of;
    divider nodes;

    explicit aggregate_view(const spg_amg_aggregates &aggregates)
        : aggregate_of(aggregates.aggregate_of), nodes(aggregates.block_size)
    {
    }
    explicit aggregate_view(int block_size) : aggregate_of(nullptr), nodes(block_size) {}
    __device__ int32_t operator[](int64_t unknown) const
    {
        int32_t node = nodes.quotient((int32_t)unknown);
        return aggregate_of != nullptr ? aggregate_of[node] : node;
    }
};

} // namespace amg

} // namespace spg

#endif
