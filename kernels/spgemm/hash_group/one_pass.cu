/* Kept rows, counting and filling in one pass: a warp a row contracts into a hash table in shared memory, sorts, and
 * keeps its row of C in workspace. After C is allocated, the kept rows are copied (hash_group/kept_rows.cu).
 *
 * Input: rows; checks that rows of B ascend strictly. Output: c_offsets[i] = length of row i; a row longer than
 * table_holds becomes an overflow row. Rows up to `stride` entries are kept. Entries of A are cut into pieces of Lanes
 * products. The warp takes several pieces at a time: it loads and looks up their columns together and adds their
 * products in order, so that a slot's sum takes its products in storage order. Chosen by route/route.cu for many
 * products per entry of C, where expanding again costs more than copying. Replaces the paper's sort (section 3.3). */
#include "kept_rows.cuh"

#include "../../primitives/warp.cuh"
#include "pieces.cuh"
#include "table.cuh"

#include <climits>

namespace spg
{
namespace
{

enum {
    STEPS = 4,   /* whose columns and values are loaded together */
    PIECES = 64, /* listed at a time */
    EACH = 2     /* columns a lane that are ranked together */
};

struct kept_shape : group_shape {
    int slots, shift; /* shift: from a hash to a pair of slots */
    int stride;
};

/* A warp's current row. */
template <typename Offset, typename Value, int Lanes> struct kept_row {
    static constexpr int TOGETHER = 32 / Lanes; /* pieces of a step */
    static constexpr int ROUND = STEPS * TOGETHER;
    using listed = b_piece<Offset, Value>;

    const patterns<Offset> &pattern;
    const Value *a_values, *b_values;
    const int slots, shift;
    const int lane;
    const unsigned int below; /* mask of the lanes before this one */
    listed *const pieces;
    int32_t *const keys; /* by slot */
    Value *const sums;
    unsigned int faults;
    bool full; /* a column or a row of B of this lane did not fit */

    __device__ kept_row(const patterns<Offset> &rows, const Value *a, const Value *b, const kept_shape &shape,
                        char *memory)
        : pattern(rows), a_values(a), b_values(b), slots(shape.slots), shift(shape.shift), lane((int)threadIdx.x % 32),
          below((1u << lane) - 1), pieces(reinterpret_cast<listed *>(memory)),
          keys(reinterpret_cast<int32_t *>(pieces + PIECES + ROUND)), sums(reinterpret_cast<Value *>(keys + slots)),
          faults(0), full(false)
    {
    }

    __device__ void clear()
    {
        for (int s = lane; s < slots; s += 32) keys[s] = NO_COLUMN, sums[s] = zero<Value>();
        __syncwarp();
    }

    /* Adds a step's products, one a lane. A column that is not in its pair of slots is searched from there on, and
     * takes the first empty slot. In a full table it takes any: its row is an overflow row. */
    __device__ void add(bool live, int32_t column, Value product)
    {
        const int pair = (int)((uint32_t)column * COLUMN_FACTOR >> shift);
        const int2 keyed = reinterpret_cast<const int2 *>(keys)[pair];
        const bool second = keyed.y == column;
        int slot = 2 * pair + second;
        int32_t found = !live || second ? column : keyed.x;
        for (int tries = slots; tries > 0 && __any_sync(~0u, found != column); tries--) {
            if (found == column) continue;
            const int32_t before = atomicCAS(keys + slot, (int32_t)NO_COLUMN, column);
            found = before == NO_COLUMN ? column : before;
            slot = (slot + (found != column)) & (slots - 1);
        }
        __syncwarp();
        full = full || found != column;
        Value *const sum = sums + slot;
#pragma unroll
        for (int turn = 0; turn < TOGETHER; turn++) {
            if (live && (TOGETHER == 1 || lane / Lanes == turn)) *sum = spg::add(*sum, product);
            __syncwarp();
        }
    }

    /* The packed columns of the table; their slots. */
    __device__ int32_t *columns() const { return reinterpret_cast<int32_t *>(sums + slots); }
    __device__ uint16_t *places() const { return reinterpret_cast<uint16_t *>(columns() + slots); }

    /* Adds the products of the listed pieces; empty pieces pad the list to a multiple of a round. */
    __device__ void take_pieces(int listed_pieces)
    {
        const int place = lane % Lanes;
        const int32_t beyond = INT_MAX - Lanes + place; /* columns of idle lanes ascend too */
        uint32_t greatest = 0;
        bool unsorted = false;
        const listed *mine = pieces + lane / Lanes;
        for (int round = 0; round < listed_pieces && !__any_sync(~0u, full); round += ROUND, mine += ROUND) {
            int32_t column[STEPS];
            Value product[STEPS];
            bool live[STEPS];
#pragma unroll
            for (int u = 0; u < STEPS; u++) {
                const listed from = load_piece(mine + u * TOGETHER);
                live[u] = place < from.length;
                const Offset entry = from.begin + place;
                column[u] = live[u] ? pattern.b_columns[entry] : beyond;
                product[u] = multiply(from.a, live[u] ? b_values[entry] : Value{});
            }
#pragma unroll
            for (int u = 0; u < STEPS; u++) {
                const int32_t before = __shfl_up_sync(~0u, column[u], 1, Lanes);
                unsorted = unsorted || column[u] <= before;
                if (live[u]) greatest = max(greatest, (uint32_t)column[u]);
                add(live[u], column[u], product[u]);
            }
        }
        faults |=
            (unsorted && place > 0 ? SPG_FAULT_B_UNSORTED : 0) | (greatest >= (uint32_t)pattern.cols ? SPG_FAULT_B : 0);
    }

    /* Lists a lane's pieces that are numbers `from` to from + PIECES - 1 of the warp's; `first` is the number of its
     * first. */
    __device__ void list_pieces(Value a, Offset begin, int length, int first, int from)
    {
#pragma unroll 1
        for (int p = first; length > 0 && p < from + PIECES; p++, begin += Lanes, length -= Lanes) {
            if (p < from) continue;
            pieces[p - from] = {a, begin, min(length, Lanes)};
            if (p > first && pattern.b_columns[begin] <= pattern.b_columns[begin - 1]) faults |= SPG_FAULT_B_UNSORTED;
        }
    }

    /* Adds the products of one entry of A a lane, with the row of B of `length` entries from `begin` on. */
    __device__ void take_entries(Value a, Offset begin, int length)
    {
        const bool longer = __any_sync(~0u, length > Lanes);
        const unsigned int some = __ballot_sync(~0u, length > 0);
        int first = __popc(some & below), all = __popc(some);
        if (longer) {
            const int mine = (length + Lanes - 1) / Lanes, through = inclusive_scan(mine, plus{});
            all = __shfl_sync(~0u, through, 31);
            first = through - mine;
        }
        for (int from = 0; from < all; from += PIECES) {
            if (longer)
                list_pieces(a, begin, length, first, from);
            else if (length > 0)
                pieces[first] = {a, begin, length};
            const int here = min(all - from, (int)PIECES);
            if (lane < ROUND) pieces[here + lane] = {Value{}, 0, 0};
            __syncwarp();
            take_pieces(here);
            __syncwarp();
        }
    }

    /* The row of B of an entry of A (there must be one). A row too long for any table is not read. */
    __device__ b_rows<Offset> row_of(int32_t column)
    {
        const span<Offset> b = checked_b_row(pattern, column, faults);
        const bool fits = b.end - b.begin <= slots;
        full = full || !fits;
        return {b.begin, fits ? (int)(b.end - b.begin) : 0};
    }

    /* Finds the columns and sums of a row; returns this lane's share of the products. */
    __device__ unsigned long long take_row(span<Offset> row)
    {
        unsigned long long products = 0;
        Offset entry = row.begin + lane;
        int32_t column = entry < row.end ? pattern.a_columns[entry] : NO_COLUMN;
        Value a = entry < row.end ? a_values[entry] : Value{};
        full = false;
        for (Offset left = row.end - row.begin; left > 0 && !__any_sync(~0u, full); left -= 32) {
            b_rows<Offset> b{0, 0};
            if (entry < row.end) b = row_of(column);
            const Value factor = a;
            entry += 32;
            if (entry < row.end) column = pattern.a_columns[entry], a = a_values[entry];
            products += (unsigned)b.length;
            take_entries(factor, b.begin, b.length);
        }
        return products;
    }

    /* Sorts the row into `to`, if `keep`, and empties the table. */
    __device__ void write(int count, int32_t *to_columns, Value *to_values, bool keep)
    {
        if (lane < (-count & 3)) columns()[count + lane] = INT_MAX;
        __syncwarp();
        if (count <= 32)
            write_ranked<1>(count, to_columns, to_values, keep);
        else
            write_ranked<EACH>(count, to_columns, to_values, keep);
        __syncwarp();
    }

    /* Ranks the list's columns by counting the smaller ones, N a lane at a time. */
    template <int N> __device__ void write_ranked(int count, int32_t *to_columns, Value *to_values, bool keep)
    {
        for (int begin = lane; begin < count; begin += N * 32) {
            int32_t column[N];
            int rank[N];
#pragma unroll
            for (int e = 0; e < N; e++)
                column[e] = begin + 32 * e < count ? columns()[begin + 32 * e] : NO_COLUMN, rank[e] = 0;
            add_lesser(columns(), count, column, rank);
#pragma unroll
            for (int e = 0; e < N; e++)
                if (column[e] != NO_COLUMN) {
                    const int slot = places()[begin + 32 * e];
                    if (keep) to_columns[rank[e]] = column[e], to_values[rank[e]] = sums[slot];
                    keys[slot] = NO_COLUMN;
                    sums[slot] = zero<Value>();
                }
        }
    }
};

template <typename Offset, typename Value, int Lanes>
__device__ inline void do_row(const kept_shape &shape, const patterns<Offset> &pattern, const lane_group<32> &group,
                              kept_row<Offset, Value, Lanes> &once, int32_t i, int32_t *columns, Value *values,
                              counts &found)
{
    const span<Offset> row = checked_a_row(pattern, i, found.faults);
    const unsigned long long products = once.take_row(row);
    const int count =
        list_columns<32>(once.keys, once.slots, once.lane, ~0u, once.below, once.columns(), once.places());
    const bool fits = count <= table_holds(shape.slots) && !__any_sync(~0u, once.full);
    const int64_t at = (int64_t)i * shape.stride;
    if (fits)
        once.write(count, columns + at, values + at, count <= shape.stride);
    else
        once.clear();
    if (!fits) {
        if (group.lane == 0) leave_row(pattern, i);
        return;
    }
    if (group.lane == 0) pattern.c_offsets[i] = (Offset)count;
    found.products += products;
    found.nnz += (unsigned)count;
    found.rows++;
    found.longest = max(found.longest, (unsigned)count);
}

template <typename Offset, typename Value, int Lanes>
__global__ __launch_bounds__(GROUP_THREADS,
                             resident_blocks<Offset, Value>()) void kept_kernel(const kept_shape shape,
                                                                                const patterns<Offset> pattern,
                                                                                const numbers<Value> number,
                                                                                int32_t *columns, Value *values)
{
    extern __shared__ int4 shared[];
    const lane_group<32> group;
    counts found{};
    kept_row<Offset, Value, Lanes> once(pattern, number.a_values, number.b_values, shape,
                                        reinterpret_cast<char *>(shared) + group.in_block * shape.group_bytes);
    once.clear();
    const int warps = (int)blockDim.x / 32;
    const unsigned int rows = (unsigned)pattern.rows, tile = (unsigned)(warps * shape.tile_steps);
    for (unsigned int begin = blockIdx.x * tile + group.in_block; begin < rows; begin += gridDim.x * tile)
        for (unsigned int i = begin; i < begin + tile && i < rows; i += warps)
            do_row(shape, pattern, group, once, (int32_t)i, columns, values, found);
    if (group.lane != 0) found.nnz = found.rows = 0;
    __syncwarp();
    add_counts(pattern.counters, found.nnz, found.products, found.longest, found.rows, found.faults | once.faults);
}

inline int piece_lanes(const cuda_product &product) { return mean_b_row(product) <= 8 ? 8 : 16; }

template <typename Offset, typename Value> kept_shape shape_for(const cuda_product &product, const kept_rows &kept)
{
    kept_shape shape{};
    shape.lanes = 32, shape.together = 1, shape.tile_steps = 1, shape.pieces = false;
    shape.slots = kept.slots, shape.stride = kept.stride, shape.shift = 33;
    for (int left = kept.slots; left > 1; left /= 2) shape.shift--;
    const int lanes = piece_lanes(product);
    const int pieces = PIECES + STEPS * (32 / lanes), slot_bytes = 4 + (int)sizeof(Value) + 4 + 2;
    shape.group_bytes = pieces * (int)sizeof(b_piece<Offset, Value>) + kept.slots * slot_bytes;
    return shape;
}

template <typename Offset, typename Value> spg_status launch(cuda_product &product, const kept_rows &kept)
{
    const kept_shape shape = shape_for<Offset, Value>(product, kept);
    const row_set rows{nullptr, (int32_t)product.A->rows, nullptr, nullptr};
    const auto with_lanes = [&](auto lanes) {
        return launch_groups(product, rows, shape, "counting, class kept", kept_kernel<Offset, Value, lanes.value>,
                             patterns_of<Offset>(product), numbers_of<Value>(product), kept.columns,
                             static_cast<Value *>(kept.values));
    };
    if (piece_lanes(product) == 8) return with_lanes(std::integral_constant<int, 8>{});
    return with_lanes(std::integral_constant<int, 16>{});
}

} // namespace

spg_status count_rows_kept(cuda_product &product, const kept_rows &kept)
{
    return with_offset_type(product.offset_type, [&](auto offset) {
        return with_value_type(product.A->value_type,
                               [&](auto value) { return launch<decltype(offset), decltype(value)>(product, kept); });
    });
}

} // namespace spg
