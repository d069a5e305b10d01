/* Filling, class direct: columns are found by their place in a window, not by a search.
 *
 * Input: rows whose lengths are known. Output: columns and values. The marks of a window are packed to words of bits,
 * each with the number of columns before it, and so every column has its place in C's row: sums are dense, and sorted
 * for free. Entries of A that name a run of equal rows of B are added by one reading of the sums. Invariant: a place's
 * sum has the products of its column in storage order, for the warp is synchronised between runs. Chosen by route.cu
 * for rows of narrow span; takes the place of the paper's sort (section 3.3). */
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

/* Packs the marks to words of bits and the columns before each; returns how many columns there are. */
template <typename Group>
__device__ inline int pack_window(const Group &group, const marked_window &window, uint2 *words)
{
    int before = 0;
    for (int w = group.lane; __any_sync(~0u, w < (int)window.width / 32 + group.lane); w += Group::lanes) {
        uint32_t bits = 0;
        if (w < (int)window.width / 32) {
            const uint4 *marks = reinterpret_cast<const uint4 *>(window.marks) + 2 * w;
            bits = pack_marks(marks[0]) | pack_marks(marks[1]) << 16;
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
    static constexpr int U = steps_at_once<R, Group>(), G = Group::lanes;
    const patterns<Offset> &pattern;
    const numbers<Value> &number;
    const Group &group;
    const direct_memory memory;
    Value *factors; /* of a batch of entries of A, by entry and row */
    const int most;
    row_bundle<Offset, R> bundle;
    Offset begin[R]; /* of the window's entries in C's rows */

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
    __device__ void find_places(const marked_window &window, const group_step<Offset> (&step)[U], int (&place)[U],
                                Value (&b)[U][R]) const
    {
        int32_t column[U];
#pragma unroll
        for (int u = 0; u < U; u++) {
            const bool live = group.lane < step[u].length;
            column[u] = live ? pattern.b_columns[step[u].first + group.lane] : NO_COLUMN;
#pragma unroll
            for (int q = 0; q < R; q++)
                b[u][q] = live && q < step[u].run
                              ? number.b_values[step[u].first + (Offset)q * step[u].row + group.lane]
                              : Value{};
        }
#pragma unroll
        for (int u = 0; u < U; u++) {
            const uint32_t at = (uint32_t)column[u] - window.base;
            place[u] = -1;
            if (group.lane < step[u].length && at < window.width) {
                const uint2 word = memory.words[at / 32];
                place[u] = (int)word.y + __popc(word.x & ~(~0u << (at & 31)));
            }
        }
    }

    /* Adds a step's products: those of a run by one reading of the sums. */
    template <typename Factors>
    __device__ void add_step(const group_step<Offset> &step, const Factors &factor, int place,
                             const Value (&b)[R]) const
    {
        if (place < 0) return;
        Value *const sums = reinterpret_cast<Value *>(memory.rest) + place;
        Value sum[R];
#pragma unroll
        for (int r = 0; r < R; r++)
            if (r == 0 || r < bundle.rows) sum[r] = sums[r * most];
#pragma unroll
        for (int q = 0; q < R; q++)
            if (q == 0 || q < step.run)
#pragma unroll
                for (int r = 0; r < R; r++) sum[r] = add_product(sum[r], factor[q * R + r], b[q]);
#pragma unroll
        for (int r = 0; r < R; r++)
            if (r == 0 || r < bundle.rows) sums[r * most] = sum[r];
    }

    /* This lane's entry of A, of all rows. */
    __device__ void load_factors(Offset entry, bool valid, Value (&a)[R]) const
    {
#pragma unroll
        for (int r = 0; r < R; r++)
            a[r] = valid && (r == 0 || r < bundle.rows)
                       ? number.a_values[entry - bundle.row[0].begin + bundle.row[r].begin]
                       : Value{};
    }

    template <bool Pieces>
    __device__ void add_row(const direct_shape &shape, const marked_window &window, span<Offset> row)
    {
        const auto steps = [&](const auto &step, int, auto same) {
            int place[U];
            Value b[U][R];
            find_places(window, step, place, b);
            if constexpr (Pieces && sizeof(Value) <= 8) { /* the run is the same: its factors are read once */
                Value factor[R * R];
#pragma unroll
                for (int x = 0; x < R * R; x++)
                    if (x < step[0].run * R) factor[x] = factors[step[0].head * R + x];
#pragma unroll
                for (int u = 0; u < U; u++) add_step(step[u], factor, place[u], b[u]);
            } else {
#pragma unroll
                for (int u = 0; u < U; u++) {
                    add_step(step[u], factors + step[u].head * R, place[u], b[u]);
                    if (!same.value) __syncwarp();
                }
            }
            if (same.value) __syncwarp();
        };
        const auto bounds = [&](int32_t column) {
            const span<Offset> b = b_row(pattern, column);
            return b_rows<Offset>{b.begin, (int)(b.end - b.begin)};
        };
        const bool takes = R == 1 || group.lane < shape.batch;
        Value a[R];
        load_factors(row.begin + group.lane, takes && row.begin + group.lane < row.end, a);
        for_each_entries<R>(pattern, group, shape, row, bounds, [&](const entry_batch<Offset> &batch) {
#pragma unroll
            for (int r = 0; r < R; r++)
                if (batch.valid) factors[group.lane * R + r] = a[r];
            const Offset next = batch.entry + (R == 1 ? G : shape.batch);
            load_factors(next, takes && next < row.end, a);
            __syncwarp();
            for_each_step<U, Pieces>(group, batch, steps);
        });
    }

    /* The window's columns and values, when they are marked; live: the group's row has any. */
    template <bool Pieces>
    __device__ void fill_window(const direct_shape &shape, const marked_window &window, bool live)
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
            add_row<Pieces>(shape, window, live ? bundle.row[0] : span<Offset>{0, 0});
            for (int x = group.lane; x < length; x += G)
#pragma unroll
                for (int r = 0; r < R; r++)
                    if (r == 0 || r < bundle.rows) number.c_values[begin[r] + x] = sums[r * most + x];
        }
#pragma unroll
        for (int r = 0; r < R; r++) begin[r] += length;
    }
};

/* Registers are to leave room for so many blocks (spgemm_bench, H100: elast3d A*P fills in 0.092 ms with 5, 0.134 with
 * 4, 0.098 with 6). With pieces, shared memory leaves no room for more than 4. */
template <typename Value, int R, bool Pieces> constexpr int resident_blocks()
{
    return sizeof(Value) > 8 || (R > 1 && Pieces) ? 4 : R > 1 ? 5 : 6;
}

template <typename Offset, typename Value, int R, int Lanes, bool Pieces>
__global__ __launch_bounds__(GROUP_THREADS, resident_blocks<Value, R, Pieces>()) void fill_direct_kernel(
    const direct_shape shape, const patterns<Offset> pattern, const numbers<Value> number, const row_set set)
{
    extern __shared__ int4 shared[];
    const lane_group<Lanes> group;
    int4 *const mine = shared + group.in_block * (shape.group_bytes / 16);
    direct_fill<Offset, Value, R, lane_group<Lanes>> fill{pattern,
                                                          number,
                                                          group,
                                                          {reinterpret_cast<uint2 *>(mine), mine + shape.width / 64},
                                                          reinterpret_cast<Value *>(mine + shape.factors / 16),
                                                          shape.most,
                                                          {},
                                                          {}};
    unsigned int faults = 0;
    const auto bounds = [&](int32_t column) {
        const span<Offset> b = b_row(pattern, column);
        return b_rows<Offset>{b.begin, (int)(b.end - b.begin)};
    };
    for_each_unit(group, row_count(set), shape, [&](int32_t first, int unit_rows) {
        for (int done = 0; __any_sync(~0u, done < unit_rows);) {
            const int32_t i = done < unit_rows ? row_at(set, first + done) : 0;
            const auto row = [&](int r) {
                fill.begin[r] = pattern.c_offsets[i + r];
                const Offset held = pattern.c_offsets[i + r + 1] - fill.begin[r];
                return held > 0 && held <= shape.most ? a_row(pattern, i + r) : span<Offset>{0, 0};
            };
            column_span columns{NONE, 0};
            if (R > 1 && shape.units != nullptr && done == 0 && unit_rows == shape.together) {
                const uint2 unit = shape.units[first / shape.together];
                columns = {unit.x, unit.y};
            }
            if (R > 1 && __all_sync(~0u, columns.first != NONE || unit_rows == 0)) {
                fill.bundle.rows = unit_rows;
#pragma unroll
                for (int r = 0; r < R; r++) fill.bundle.row[r] = r < unit_rows ? row(r) : span<Offset>{0, 0};
            } else {
                fill.bundle = bundle_rows<Offset, R>(pattern, group, unit_rows - done, row);
                unsigned long long products = 0;
                columns = find_span<R>(pattern, group, shape, fill.bundle.row[0], products, bounds);
            }
            for_each_window<R, Pieces, false>(pattern, group, shape, reinterpret_cast<uint8_t *>(fill.memory.rest),
                                              columns, fill.bundle.row[0], faults, bounds,
                                              [&](const marked_window &window, bool live) {
                                                  fill.template fill_window<Pieces>(shape, window, live);
                                              });
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
    const int factor_bytes = std::is_same<Value, none>::value ? 0 : (int)sizeof(Value) * R * shape.lanes;
    shape.factors = shape.width / 4 + ((rest_bytes > shape.width ? rest_bytes : shape.width) + 15) / 16 * 16;
    shape.group_bytes = direct_bytes(shape.factors, factor_bytes);
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
