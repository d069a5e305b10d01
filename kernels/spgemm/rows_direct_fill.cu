/* Filling, class direct: columns are found by their place in a window, not by a search.
 *
 * Input: rows whose lengths are known. Output: columns and values. The marks of a window are packed to words of bits,
 * each with the number of columns before it, and so every column has its place in C's row: sums are dense, and sorted
 * for free. Invariant: a place's sum has the products of its column in storage order, for the warp is synchronised
 * between entries of A. Chosen by route.cu for rows of narrow span; takes the place of the paper's sort (section 3.3).
 */
#include "direct.cuh"

namespace spg
{
namespace
{

/* A group's memory: a word of bits and the columns before it; then, at different times, a byte for every column of the
 * window, the columns of C's row, its sums. */
struct direct_memory {
    uint2 *words;
    int4 *rest;
};

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
