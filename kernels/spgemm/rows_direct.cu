/* Counting and filling, class direct: columns are found by their place in a window, not by a search.
 *
 * Input: rows; rows of B that ascend strictly, which counting checks. Output: counting, c_offsets[i] = length of row i;
 * filling, columns and values. A group of lanes marks the columns of its row as bytes of a window, packs them to words
 * of bits, each with the number of columns before it, and so has every column's place in C's row: sums are dense, and
 * sorted for free. Invariant: a place's sum has the products of its column in storage order, for the warp is
 * synchronised between entries of A. A row wider than the window is done in several. Chosen by route.cu for rows of
 * narrow span; takes the place of the paper's sort (section 3.3). */
#include "groups.cuh"

namespace spg
{
namespace
{

/* width: columns of the window, a multiple of 128. most: entries of C's longest row that is filled. */
struct direct_shape : group_shape {
    int width, most;
};

constexpr uint32_t NONE = UINT32_MAX;

/* A group's memory: a word of bits and the columns before it; then, at different times, a byte for every column of the
 * window, the columns of C's row, its sums. Counting has the bytes alone. */
struct direct_memory {
    uint2 *words;
    int4 *rest;
};
int direct_bytes(int words_bytes, int rest_bytes) { return (words_bytes + rest_bytes + 127) / 128 * 128 + 32; }

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

template <typename Group> __device__ inline int count_marks(const Group &group, const marked_window &window)
{
    unsigned int count = 0;
    for (int i = group.lane; i < (int)window.width / 16; i += Group::lanes) {
        const uint4 marks = reinterpret_cast<const uint4 *>(window.marks)[i];
        const unsigned int pairs = marks.x + marks.y + marks.z + marks.w;
        count += pairs * 0x01010101u >> 24;
    }
    return group.sum((int)count);
}

template <typename Offset, int R, int Lanes, bool Pieces>
__global__ __launch_bounds__(GROUP_THREADS, 6) void count_direct_kernel(const direct_shape shape,
                                                                        const patterns<Offset> pattern,
                                                                        const row_set set)
{
    extern __shared__ int4 shared[];
    const lane_group<Lanes> group;
    uint8_t *const marks = reinterpret_cast<uint8_t *>(shared + group.in_block * (shape.group_bytes / 16));
    counts found{};
    const auto bounds = [&](int32_t column) {
        const span<Offset> b = checked_b_row(pattern, column, found.faults);
        return b_rows<Offset>{b.begin, b.end - b.begin <= pattern.cols ? (int)(b.end - b.begin) : 0};
    };
    for_each_unit(group, row_count(set), shape, [&](int32_t first, int unit_rows) {
        for (int done = 0; __any_sync(~0u, done < unit_rows);) {
            const int32_t i = done < unit_rows ? row_at(set, first + done) : 0;
            const row_bundle<Offset, R> bundle = bundle_rows<Offset, R>(
                pattern, group, unit_rows - done, [&](int r) { return checked_a_row(pattern, i + r, found.faults); });
            unsigned long long products = 0;
            int length = 0;
            const column_span columns = find_span(pattern, group, bundle.row[0], products, bounds);
            for_each_window<Pieces, true>(
                pattern, group, marks, shape.width, columns, bundle.row[0], found.faults, bounds,
                [&](const marked_window &window, bool) { length += count_marks(group, window); });
            record(pattern, group, i, bundle.rows, length, (Offset)(bundle.row[0].end - bundle.row[0].begin), products,
                   found);
            done += bundle.rows;
        }
    });
    tally_groups(pattern.tally, found);
}

/* Four marks as bits. */
__device__ inline uint32_t pack_marks(uint32_t marks) { return marks * 0x01020408u >> 24; }

/* Packs the marks to words of bits and the columns before each; returns how many columns there are. */
template <typename Group>
__device__ inline int pack_window(const Group &group, const marked_window &window, uint2 *words)
{
    int before = 0;
    for (int w = group.lane; __any_sync(~0u, w < (int)window.width / 32 + group.lane); w += Group::lanes) {
        uint32_t bits = 0;
        if (w < (int)window.width / 32) {
            const uint4 *marks = reinterpret_cast<const uint4 *>(window.marks) + 2 * w;
            const uint4 low = marks[0], high = marks[1];
            bits = pack_marks(low.x) | pack_marks(low.y) << 4 | pack_marks(low.z) << 8 | pack_marks(low.w) << 12 |
                   pack_marks(high.x) << 16 | pack_marks(high.y) << 20 | pack_marks(high.z) << 24 |
                   pack_marks(high.w) << 28;
        }
        const int mine = __popc(bits);
        int sum = mine;
#pragma unroll
        for (int step = 1; step < Group::lanes; step *= 2) {
            const int other = __shfl_up_sync(~0u, sum, step, Group::lanes);
            if (group.lane >= step) sum += other;
        }
        if (w < (int)window.width / 32) words[w] = uint2{bits, (uint32_t)(before + sum - mine)};
        before += __shfl_sync(~0u, sum, Group::lanes - 1, Group::lanes);
    }
    __syncwarp();
    return before;
}

/* Fills the rows of a bundle, a window at a time. R: rows of A at most. */
template <typename Offset, typename Value, int R, typename Group> struct direct_fill {
    static constexpr bool has_values = !std::is_same<Value, none>::value;
    static constexpr int U = STEPS_AT_ONCE, G = Group::lanes;
    const patterns<Offset> &pattern;
    const numbers<Value> &number;
    const Group &group;
    const direct_memory memory;
    const int most;
    row_bundle<Offset, R> bundle;
    Offset begin[R]; /* of the window's entries in C's rows */
    Value a[R];      /* of this lane's entry of A */

    __device__ void write_columns(const marked_window &window, int length) const
    {
        int32_t *const list = reinterpret_cast<int32_t *>(memory.rest);
        for (int w = group.lane; w < (int)window.width / 32; w += G) {
            const uint2 word = memory.words[w];
            int at = (int)word.y;
            for (uint32_t bits = word.x; bits != 0; bits &= bits - 1)
                list[at++] = (int32_t)(window.base + 32 * w + __ffs((int)bits) - 1);
        }
        __syncwarp();
        for (int x = group.lane; x < length; x += G)
#pragma unroll
            for (int r = 0; r < R; r++)
                if (r == 0 || r < bundle.rows) number.c_columns[begin[r] + x] = list[x];
        __syncwarp();
    }

    /* Places in C's row of this lane's columns, -1 where it has none in the window, and B's values. */
    __device__ void find_places(const marked_window &window, const Offset (&first)[U], const int (&length)[U],
                                int (&place)[U], Value (&b)[U]) const
    {
        int32_t column[U];
#pragma unroll
        for (int u = 0; u < U; u++) {
            const bool live = group.lane < length[u];
            column[u] = live ? pattern.b_columns[first[u] + group.lane] : NO_COLUMN;
            b[u] = live ? number.b_values[first[u] + group.lane] : Value{};
        }
#pragma unroll
        for (int u = 0; u < U; u++) {
            const uint32_t at = (uint32_t)column[u] - window.base;
            place[u] = -1;
            if (group.lane < length[u] && at < window.width) {
                const uint2 word = memory.words[at / 32];
                place[u] = (int)word.y + __popc(word.x & ~(~0u << (at & 31)));
            }
        }
    }

    template <bool Pieces> __device__ void add_row(const marked_window &window, span<Offset> row)
    {
        Value *const sums = reinterpret_cast<Value *>(memory.rest);
        const auto steps = [&](int j, const Offset(&first)[U], const int(&length)[U], int, auto same) {
            int place[U];
            Value b[U], factor[R];
            find_places(window, first, length, place, b);
#pragma unroll
            for (int u = 0; u < U; u++) {
#pragma unroll
                for (int r = 0; r < R; r++)
                    if (u == 0 || !same.value) factor[r] = shuffle<G>(a[r], same.value ? j : j + u);
                if (place[u] >= 0)
#pragma unroll
                    for (int r = 0; r < R; r++)
                        if (r == 0 || r < bundle.rows) {
                            Value *const sum = sums + r * most + place[u];
                            *sum = add_product(*sum, factor[r], b[u]);
                        }
                if (!same.value) __syncwarp();
            }
            if (same.value) __syncwarp();
        };
        const auto bounds = [&](int32_t column) {
            const span<Offset> b = b_row(pattern, column);
            return b_rows<Offset>{b.begin, (int)(b.end - b.begin)};
        };
        for_each_batch(pattern, group, row, bounds,
                       [&](const b_rows<Offset> &b, Offset entry, bool valid, int entries) {
#pragma unroll
                           for (int r = 0; r < R; r++)
                               a[r] = valid && (r == 0 || r < bundle.rows)
                                          ? number.a_values[entry - bundle.row[0].begin + bundle.row[r].begin]
                                          : Value{};
                           for_each_step<Pieces>(group, b, entries, steps);
                           return false;
                       });
    }

    /* The window's columns and values, when they are marked; live: the group's row has any. */
    template <bool Pieces> __device__ void fill_window(const marked_window &window, bool live)
    {
        const int length = pack_window(group, window, memory.words);
        write_columns(window, length);
        if constexpr (has_values) {
            Value *const sums = reinterpret_cast<Value *>(memory.rest);
            for (int x = group.lane; x < length; x += G)
#pragma unroll
                for (int r = 0; r < R; r++)
                    if (r == 0 || r < bundle.rows) sums[r * most + x] = zero<Value>();
            __syncwarp();
            add_row<Pieces>(window, live ? bundle.row[0] : span<Offset>{0, 0});
            for (int x = group.lane; x < length; x += G)
#pragma unroll
                for (int r = 0; r < R; r++)
                    if (r == 0 || r < bundle.rows) number.c_values[begin[r] + x] = sums[r * most + x];
        }
#pragma unroll
        for (int r = 0; r < R; r++) begin[r] += length;
    }
};

/* Registers are to leave room for so many blocks. */
template <typename Value, int R> constexpr int resident_blocks() { return R == 1 && sizeof(Value) <= 8 ? 6 : 4; }

template <typename Offset, typename Value, int R, int Lanes, bool Pieces>
__global__ __launch_bounds__(GROUP_THREADS, resident_blocks<Value, R>()) void fill_direct_kernel(
    const direct_shape shape, const patterns<Offset> pattern, const numbers<Value> number, const row_set set)
{
    extern __shared__ int4 shared[];
    const lane_group<Lanes> group;
    int4 *const mine = shared + group.in_block * (shape.group_bytes / 16);
    direct_fill<Offset, Value, R, lane_group<Lanes>> fill{
        pattern, number, group, {reinterpret_cast<uint2 *>(mine), mine + shape.width / 64}, shape.most, {}, {}, {}};
    unsigned int faults = 0;
    const auto bounds = [&](int32_t column) {
        const span<Offset> b = b_row(pattern, column);
        return b_rows<Offset>{b.begin, (int)(b.end - b.begin)};
    };
    for_each_unit(group, row_count(set), shape, [&](int32_t first, int unit_rows) {
        for (int done = 0; __any_sync(~0u, done < unit_rows);) {
            const int32_t i = done < unit_rows ? row_at(set, first + done) : 0;
            fill.bundle = bundle_rows<Offset, R>(pattern, group, unit_rows - done, [&](int r) {
                fill.begin[r] = pattern.c_offsets[i + r];
                const Offset held = pattern.c_offsets[i + r + 1] - fill.begin[r];
                return held > 0 && held <= shape.most ? a_row(pattern, i + r) : span<Offset>{0, 0};
            });
            unsigned long long products = 0;
            const column_span columns = find_span(pattern, group, fill.bundle.row[0], products, bounds);
            for_each_window<Pieces, false>(
                pattern, group, reinterpret_cast<uint8_t *>(fill.memory.rest), shape.width, columns, fill.bundle.row[0],
                faults, bounds,
                [&](const marked_window &window, bool live) { fill.template fill_window<Pieces>(window, live); });
            done += fill.bundle.rows;
        }
    });
}

/* Lanes of a group: few where rows of B are short, but many where windows are large. */
direct_shape direct_shape_of(const cuda_product &product, const row_set &rows, int span, int together)
{
    const double b_row = mean_b_row(product);
    const int width = ((span < 1 ? 1 : span < DIRECT_MOST_SPAN ? span : DIRECT_MOST_SPAN) + 31 + 127) / 128 * 128;
    const int least = width <= 1024 ? 8 : width <= 4096 ? 16 : 32, wanted = b_row <= 8 ? 8 : b_row <= 16 ? 16 : 32;
    const int lanes = wanted > least ? wanted : least;
    return {{lanes, rows.rows == nullptr ? together : 1, 0, 1, lanes == 32 && b_row > 32}, width, 0};
}

template <typename Offset, int R>
spg_status launch_count(cuda_product &product, const row_set &rows, int span, int together)
{
    direct_shape shape = direct_shape_of(product, rows, span, together);
    shape.group_bytes = direct_bytes(0, shape.width);
    return with_group_shape(shape, [&](auto lanes, auto pieces) {
        return launch_groups(product, rows, shape, "counting, class direct",
                             count_direct_kernel<Offset, R, lanes.value, pieces.value>, patterns_of<Offset>(product),
                             rows);
    });
}

template <typename Offset, typename Value, int R>
spg_status launch_fill(cuda_product &product, const row_set &rows, int span, int longest, int together)
{
    const int entry_bytes = std::is_same<Value, none>::value ? 4 : (int)sizeof(Value) * together;
    direct_shape shape = direct_shape_of(product, rows, span, together);
    shape.most = longest < DIRECT_MOST ? (longest + 3) / 4 * 4 : (int)DIRECT_MOST;
    const int list_bytes = 4 * shape.most, sums_bytes = entry_bytes * shape.most;
    const int rest_bytes = sums_bytes > list_bytes ? sums_bytes : list_bytes;
    shape.group_bytes = direct_bytes(shape.width / 4, rest_bytes > shape.width ? rest_bytes : shape.width);
    return with_group_shape(shape, [&](auto lanes, auto pieces) {
        return launch_groups(product, rows, shape, "filling, class direct",
                             fill_direct_kernel<Offset, Value, R, lanes.value, pieces.value>,
                             patterns_of<Offset>(product), numbers_of<Value>(product), rows);
    });
}

} // namespace

spg_status count_rows_direct(cuda_product &product, const row_set &rows, int span, int together)
{
    if (rows.rows != nullptr) together = 1;
    return with_offset_type(product.offset_type, [&](auto offset) {
        using Offset = decltype(offset);
        if (together == 1) return launch_count<Offset, 1>(product, rows, span, 1);
        return launch_count<Offset, MOST_TOGETHER>(product, rows, span, together);
    });
}

spg_status fill_rows_direct(cuda_product &product, const row_set &rows, int span, int longest, int together)
{
    if (rows.rows != nullptr) together = 1;
    return with_types(product, [&](auto offset, auto value) {
        using Offset = decltype(offset);
        using Value = decltype(value);
        if (together == 1) return launch_fill<Offset, Value, 1>(product, rows, span, longest, 1);
        return launch_fill<Offset, Value, MOST_TOGETHER>(product, rows, span, longest, together);
    });
}

} // namespace spg
