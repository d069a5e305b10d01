/* Connected components by trees of labels: the label of each row is a lower row of its component, or the row itself.
 * Private. */
#ifndef SPG_KERNELS_AMG_AGGREGATION_COMPONENTS_CUH
#define SPG_KERNELS_AMG_AGGREGATION_COMPONENTS_CUH

#include <cstdint>

namespace spg
{

namespace amg
{

/* The lowest row that `row` is known to be connected to. Labels only lead to lower rows and only the ends of trees
 * change, so a path may be shortened while other threads follow it. */
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

/* Called after all rows are connected; does not change rows in between, because other threads may have written them. */
__device__ inline void put_label(int32_t *label, int32_t row, bool has_label)
{
    volatile int32_t *up = label;
    int32_t first = row;
    while (has_label && up[first] != first) first = up[first];
    up[row] = has_label ? first : -1;
}

/* Joins the components of two rows (Jaiganesh and Burtscher, A High-Performance Connected Components Implementation for
 * GPUs, 2018). In any order, the end of a component is its lowest row. */
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
