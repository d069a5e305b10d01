/* How the bitmap method fills a window of C's rows after its columns are marked (bitmap/passes.cu).
 * Private. */
#ifndef SPG_KERNELS_SPGEMM_BITMAP_FILL_WINDOW_CUH
#define SPG_KERNELS_SPGEMM_BITMAP_FILL_WINDOW_CUH

#include "window.cuh"

namespace spg
{

/* A group's memory: a word of bits with the number of columns before it; then, one after the other, the window's marks,
 * the columns of the row of C, its sums. */
struct bitmap_memory {
    uint2 *words;
    int4 *rest;
};

/* Packs the window's columns into words of bits, with the number of columns before each; returns the number of columns.
 * bits_of(w): word w. */
template <typename Group, typename Bits>
__device__ inline int pack_window(const Group &group, const marked_window &window, uint2 *words, Bits &&bits_of)
{
    int before = 0;
    for (int w = group.lane; __any_sync(~0u, w < (int)window.width / 32 + group.lane); w += Group::lanes) {
        const uint32_t bits = w < (int)window.width / 32 ? bits_of(w) : 0;
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

/* Fills the rows of a bundle, one window at a time. R: the most rows of A. */
template <typename Offset, typename Value, int R, typename Group> struct bitmap_fill {
    static constexpr int U = steps_at_once<R, Group>(), G = Group::lanes;
    const patterns<Offset> &pattern;
    const numbers<Value> &number;
    const Group &group;
    const bitmap_memory memory;
    Value *factors; /* of a batch of entries of A, by entry and row */
    const int most;
    row_bundle<Offset, R> bundle;
    Offset begin[R]; /* of the window's entries in C's rows */

    /* mine: the group's memory. */
    __device__ bitmap_fill(const patterns<Offset> &rows, const numbers<Value> &values, const Group &lanes,
                           const bitmap_shape &shape, int4 *mine)
        : pattern(rows), number(values), group(lanes), memory{reinterpret_cast<uint2 *>(mine), mine + shape.width / 64},
          factors(reinterpret_cast<Value *>(mine + shape.factors / 16)), most(shape.most), bundle{}, begin{}
    {
    }

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

    /* A lane's columns in a step, and B's values in the rows of its runs. */
    struct step_entries {
        int32_t column[U];
        Value b[U][R];
    };

    __device__ void load_entries(const group_step<Offset> (&step)[U], step_entries &entries) const
    {
#pragma unroll
        for (int u = 0; u < U; u++) {
            const bool live = group.lane < step[u].length;
            entries.column[u] = live ? pattern.b_columns[step[u].first + group.lane] : NO_COLUMN;
#pragma unroll
            for (int q = 0; q < R; q++)
                entries.b[u][q] = live && q < step[u].run
                                      ? number.b_values[step[u].first + (Offset)q * step[u].row + group.lane]
                                      : Value{};
        }
    }

    /* Indices in the row of C of this lane's columns, -1 if the window has none. */
    __device__ void find_places(const marked_window &window, const group_step<Offset> (&step)[U],
                                const int32_t (&column)[U], int (&place)[U]) const
    {
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

    /* Adds a step's products; those of a run share one read of the sums. */
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

    /* Loads this lane's entry of A, of all rows. */
    __device__ void load_factors(Offset entry, bool valid, Value (&a)[R]) const
    {
#pragma unroll
        for (int r = 0; r < R; r++)
            a[r] = valid && (r == 0 || r < bundle.rows)
                       ? number.a_values[entry - bundle.row[0].begin + bundle.row[r].begin]
                       : Value{};
    }

    template <bool Pieces>
    __device__ void add_row(const bitmap_shape &shape, const marked_window &window, span<Offset> row)
    {
        const auto load = [&](const auto &step, int, auto, step_entries &entries) { load_entries(step, entries); };
        const auto use = [&](const auto &step, int, auto same, const step_entries &entries) {
            int place[U];
            find_places(window, step, entries.column, place);
            if constexpr (Pieces && sizeof(Value) <= 8) { /* the same run: its factors are read once */
                Value factor[R * R];
#pragma unroll
                for (int x = 0; x < R * R; x++)
                    if (x < step[0].run * R) factor[x] = factors[step[0].head * R + x];
#pragma unroll
                for (int u = 0; u < U; u++) add_step(step[u], factor, place[u], entries.b[u]);
            } else {
#pragma unroll
                for (int u = 0; u < U; u++) {
                    add_step(step[u], factors + step[u].head * R, place[u], entries.b[u]);
                    if (!same.value) __syncwarp();
                }
            }
            if (same.value) __syncwarp();
        };
        const auto bounds = [&](int32_t column) { return b_bounds(pattern, column); };
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
            for_each_step<step_entries, U, Pieces>(group, batch, load, use);
        });
    }

    /* Sums the products whose columns are in the window; `length`: number of these columns. */
    template <bool Pieces>
    __device__ void add_window(const bitmap_shape &shape, const marked_window &window, int length, span<Offset> row)
    {
        Value *const sums = reinterpret_cast<Value *>(memory.rest);
        for (int x = group.lane; x < length; x += G)
#pragma unroll
            for (int r = 0; r < R; r++)
                if (r == 0 || r < bundle.rows) sums[r * most + x] = zero<Value>();
        __syncwarp();
        add_row<Pieces>(shape, window, row);
    }

    __device__ void write_values(int length) const
    {
        const Value *const sums = reinterpret_cast<const Value *>(memory.rest);
        for (int x = group.lane; x < length; x += G)
#pragma unroll
            for (int r = 0; r < R; r++)
                if (r == 0 || r < bundle.rows) number.c_values[begin[r] + x] = sums[r * most + x];
    }

    /* Writes the window's columns and values; live: the group's row has some. */
    template <bool Pieces>
    __device__ void fill_window(const bitmap_shape &shape, const marked_window &window, bool live)
    {
        const int length =
            pack_window(group, window, memory.words, [&](int w) { return marks_word<Group>(window.marks, w); });
        write_columns(window, length);
        if constexpr (has_values<Value>) {
            add_window<Pieces>(shape, window, length, live ? bundle.row[0] : span<Offset>{0, 0});
            write_values(length);
        }
#pragma unroll
        for (int r = 0; r < R; r++) begin[r] += length;
    }
};

/* Sets the memory of a group, for windows of shape.width columns and rows of up to shape.most entries. */
template <typename Value, int R> void set_fill_bytes(bitmap_shape &shape, int together)
{
    const int entry_bytes = !has_values<Value> ? 4 : (int)sizeof(Value) * together;
    const int list_bytes = 4 * shape.most, sums_bytes = entry_bytes * shape.most;
    const int rest_bytes = sums_bytes > list_bytes ? sums_bytes : list_bytes;
    const int marked_bytes = mark_bytes(shape.lanes, shape.width);
    const int factor_bytes = !has_values<Value> ? 0 : (int)sizeof(Value) * R * shape.lanes;
    shape.factors = shape.width / 4 + ((rest_bytes > marked_bytes ? rest_bytes : marked_bytes) + 15) / 16 * 16;
    shape.group_bytes = bitmap_bytes(shape.factors, factor_bytes);
}

} // namespace spg

#endif
