/* Windows of marked columns, which counting and filling of class direct stand on (rows_direct_*.cu). Private.
 *
 * A group of lanes marks the columns of its row of C as bytes of a window in shared memory; a row wider than the window
 * is done in several. */
#ifndef SPG_KERNELS_SPGEMM_DIRECT_CUH
#define SPG_KERNELS_SPGEMM_DIRECT_CUH

#include "groups.cuh"

namespace spg
{

/* width: columns of the window, a multiple of 128. most: entries of C's longest row that is filled. */
struct direct_shape : group_shape {
    int width, most;
};

constexpr uint32_t NONE = UINT32_MAX;

/* The columns of a row that a group marks; all unsigned, so that one compare tells what lies in the window. */
struct marked_window {
    uint8_t *marks;
    uint32_t base, width, next; /* next: the least column seen beyond the window */

    template <typename Group> __device__ void clear(const Group &group)
    {
        for (int i = group.lane; i < (int)width / 16; i += Group::lanes)
            reinterpret_cast<int4 *>(marks)[i] = int4{0, 0, 0, 0};
    }
    __device__ void mark(int32_t column)
    {
        const uint32_t at = (uint32_t)column - base;
        if (at < width)
            marks[at] = 1;
        else if ((uint32_t)column > base && (uint32_t)column < next)
            next = (uint32_t)column;
    }
};

/* The first and the last column of a row of C. */
struct column_span {
    uint32_t first, last; /* first = NONE: no columns */
};

template <typename Group, typename Offset, typename Bounds>
__device__ inline column_span find_span(const patterns<Offset> &pattern, const Group &group, span<Offset> row,
                                        unsigned long long &products, Bounds &&bounds)
{
    column_span found{NONE, 0};
    for_each_batch(pattern, group, row, bounds, [&](const b_rows<Offset> &b, Offset, bool, int) {
        products += (unsigned)b.length;
        if (b.length == 0) return false;
        const uint32_t first = (uint32_t)pattern.b_columns[b.begin];
        const uint32_t last = (uint32_t)pattern.b_columns[b.begin + b.length - 1];
        if (first < (uint32_t)pattern.cols) found.first = min(found.first, first);
        if (last < (uint32_t)pattern.cols) found.last = max(found.last, last);
        return false;
    });
    found.first = group.least(found.first);
    found.last = ~group.least(~found.last);
    return found;
}

/* Calls steps(entry of the batch, first[U], length[U], base) for a batch, by the whole warp: lane l takes entry
 * first[u] + l of B's row if l < length[u], where u is an entry of A, or with integral_constant true the u-th piece
 * from `base` of the row of one. */
template <bool Pieces, typename Group, typename Offset, typename Steps>
__device__ inline void for_each_step(const Group &, const b_rows<Offset> &b, int entries, Steps &&steps)
{
    constexpr int U = STEPS_AT_ONCE, G = Group::lanes;
    Offset first[U];
    int length[U];
    if (Pieces || __any_sync(~0u, b.length > G)) {
        for (int j = 0; j < entries; j++) {
            const Offset begin = __shfl_sync(~0u, b.begin, j, G);
            const int all = __shfl_sync(~0u, b.length, j, G);
            for (int base = 0; __any_sync(~0u, base < all); base += U * G) {
#pragma unroll
                for (int u = 0; u < U; u++) first[u] = begin + base + u * G, length[u] = all - base - u * G;
                steps(j, first, length, base, std::integral_constant<bool, true>{});
            }
        }
        return;
    }
    if constexpr (!Pieces)
        for (int j = 0; j < entries; j += U) {
#pragma unroll
            for (int u = 0; u < U; u++) {
                first[u] = __shfl_sync(~0u, b.begin, j + u, G);
                length[u] = __shfl_sync(~0u, b.length, j + u, G);
            }
            steps(j, first, length, 0, std::integral_constant<bool, false>{});
        }
}

/* Marks the columns of a row, checking them if Check. */
template <bool Pieces, bool Check, typename Offset, typename Group, typename Bounds>
__device__ inline void mark_row(const patterns<Offset> &pattern, const Group &group, marked_window &window,
                                span<Offset> row, unsigned int &faults, Bounds &&bounds)
{
    constexpr int U = STEPS_AT_ONCE;
    bool unsorted = false, outside = false;
    const auto steps = [&](int, const Offset(&first)[U], const int(&length)[U], int base, auto same) {
        int32_t column[U], left[U];
#pragma unroll
        for (int u = 0; u < U; u++) {
            const bool live = group.lane < length[u];
            column[u] = live ? pattern.b_columns[first[u] + group.lane] : NO_COLUMN;
            left[u] = NO_COLUMN;
            if (Check && same.value && live && group.lane == 0 && (base > 0 || u > 0))
                left[u] = pattern.b_columns[first[u] - 1];
        }
#pragma unroll
        for (int u = 0; u < U; u++) {
            const bool live = group.lane < length[u];
            bool inside = live;
            if (Check) {
                const int32_t before = __shfl_up_sync(~0u, column[u], 1, Group::lanes);
                unsorted = unsorted || (live && column[u] <= (group.lane > 0 ? before : left[u]));
                inside = live && (uint32_t)column[u] < (uint32_t)pattern.cols;
                outside = outside || inside != live;
            }
            if (inside) window.mark(column[u]);
        }
    };
    for_each_batch(pattern, group, row, bounds, [&](const b_rows<Offset> &b, Offset, bool, int entries) {
        for_each_step<Pieces>(group, b, entries, steps);
        return false;
    });
    if (Check) faults |= (unsorted ? SPG_FAULT_B_UNSORTED : 0) | (outside ? SPG_FAULT_B : 0);
}

/* Calls each(window, whether this group's row has any columns in it) for the windows of a row, by the whole warp, when
 * its columns are marked. */
template <bool Pieces, bool Check, typename Offset, typename Group, typename Bounds, typename Each>
__device__ inline void for_each_window(const patterns<Offset> &pattern, const Group &group, uint8_t *marks, int width,
                                       column_span columns, span<Offset> row, unsigned int &faults, Bounds &&bounds,
                                       Each &&each)
{
    uint32_t begin = columns.first;
    while (__any_sync(~0u, begin != NONE)) {
        const bool live = begin != NONE;
        marked_window window{marks, begin & ~31u, 0, NONE};
        if (live) window.width = min((uint32_t)width, ((columns.last - window.base) | 127u) + 1);
        window.clear(group);
        __syncwarp();
        mark_row<Pieces, Check>(pattern, group, window, live ? row : span<Offset>{0, 0}, faults, bounds);
        __syncwarp();
        each(window, live);
        __syncwarp();
        begin = group.least(window.next);
    }
}

/* Bytes of a group: the groups of a warp begin at different banks. */
inline int direct_bytes(int words_bytes, int rest_bytes) { return (words_bytes + rest_bytes + 127) / 128 * 128 + 32; }

/* Lanes of a group: few where rows of B are short, but many where windows are large. */
inline direct_shape direct_shape_of(const cuda_product &product, const row_set &rows, int span, int together)
{
    const double b_row = mean_b_row(product);
    const int width = ((span < 1 ? 1 : span < DIRECT_MOST_SPAN ? span : DIRECT_MOST_SPAN) + 31 + 127) / 128 * 128;
    const int least = width <= 1024 ? 8 : width <= 4096 ? 16 : 32, wanted = b_row <= 8 ? 8 : b_row <= 16 ? 16 : 32;
    const int lanes = wanted > least ? wanted : least;
    return {{lanes, rows.rows == nullptr ? together : 1, 0, 1, lanes == 32 && b_row > 32}, width, 0};
}

} // namespace spg

#endif
