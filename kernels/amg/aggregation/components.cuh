/* Connected components by trees of labels: each row leads to a lower one of its component, or to itself. Private. */
#ifndef SPG_KERNELS_AMG_AGGREGATION_COMPONENTS_CUH
#define SPG_KERNELS_AMG_AGGREGATION_COMPONENTS_CUH

#include <cstdint>

namespace spg
{

namespace amg
{

/* The lowest row that `row` is known to be connected to. Trees lead to lower rows, and only their ends change, so that
 * a way may be cut short while others follow it. */
__device__ inline int32_t first_row_of(int32_t *label, int32_t row)
{
    volatile int32_t *up = label;
    for (int32_t next = up[row]; next != row; next = up[row]) {
        const int32_t beyond = up[next];
        if (beyond != next) up[row] = beyond;
        row = next;
    }
    return row;
}

/* Once all are connected; leaves what is between alone, for others may have written it. */
__device__ inline void put_label(int32_t *label, int32_t row, bool has_label)
{
    volatile int32_t *up = label;
    int32_t first = row;
    while (has_label && up[first] != first) first = up[first];
    up[row] = has_label ? first : -1;
}

/* Makes two rows of one component (Jaiganesh and Burtscher, A High-Performance Connected Components Implementation for
 * GPUs, 2018). Whatever the order, a component's end is its lowest row. */
__device__ inline void connect(int32_t *label, int32_t row, int32_t column)
{
    int32_t a = first_row_of(label, row), b = first_row_of(label, column);
    while (a != b) {
        const int32_t high = a > b ? a : b, low = a > b ? b : a;
        if (atomicCAS(label + high, high, low) == high) return;
        a = first_row_of(label, high);
        b = first_row_of(label, low);
    }
}

} // namespace amg

} // namespace spg

#endif
