/* How a group of lanes contracts a row while it expands, in every pass of hash_group and for the symmetric half: a hash
 * table of columns and sums in shared memory. Private.
 *
 * Entries of A are cut into pieces of Piece products. The group takes several pieces at a time: it loads and looks up
 * their columns together and adds their products in order, so that a slot's sum takes its products in storage order. */
#ifndef SPG_KERNELS_SPGEMM_HASH_GROUP_ROW_SUMS_CUH
#define SPG_KERNELS_SPGEMM_HASH_GROUP_ROW_SUMS_CUH

#include "../../primitives/search.cuh"
#include "../../primitives/warp.cuh"
#include "../driver/groups.cuh"
#include "table.cuh"

#include <climits>

namespace spg
{

/* Blocks a multiprocessor for which registers must leave room. */
template <typename Offset, typename Value> constexpr int blocks_of_sums()
{
    return sizeof(Value) <= 8 ? (sizeof(Offset) == 4 ? 8 : 7) : 5;
}

/* A value that takes no room if there is none. */
template <typename Value> struct factor {
    Value a;
};
template <> struct factor<none> {
};
template <typename Value> __device__ inline factor<Value> factor_of(Value a) { return {a}; }
template <> __device__ inline factor<none> factor_of(none) { return {}; }

/* Products of an entry of A: its value times entries begin, begin + 1, ... of B. */
template <typename Offset, typename Value> struct alignas(16) b_piece : factor<Value> {
    Offset begin;
    int length;
};

/* Loads it in whole vectors. */
template <typename Offset, typename Value>
__device__ inline b_piece<Offset, Value> load_piece(const b_piece<Offset, Value> *from)
{
    using listed = b_piece<Offset, Value>;
    union {
        int4 words[sizeof(listed) / 16];
        listed all;
    } piece;
#pragma unroll
    for (int w = 0; w < (int)(sizeof(listed) / 16); w++) piece.words[w] = reinterpret_cast<const int4 *>(from)[w];
    return piece.all;
}

/* The launch of such a kernel. slots: of a table, a power of two. */
struct sums_shape : group_shape {
    int slots;
};

constexpr int pieces_listed(int lanes) { return 2 * lanes; } /* at a time */

/* Bytes of a slot: a column and its sum, and where the columns are listed another and a place. */
template <typename Value> constexpr int listed_slot_bytes = 4 + (has_values<Value> ? (int)sizeof(Value) : 0) + 4 + 2;
constexpr int COUNTED_SLOT_BYTES = 4;

/* Of a group's shared memory, a multiple of 16. The groups of a warp begin at different banks. */
template <typename Offset, typename Value> constexpr int sums_bytes(int lanes, int slots, int slot_bytes)
{
    const int bytes = pieces_listed(lanes) * (int)sizeof(b_piece<Offset, Value>) + slots * slot_bytes;
    return (bytes + 15) / 16 * 16 + 16;
}

template <typename Offset, typename Value> sums_shape sums_shape_of(int lanes, int slots, int slot_bytes)
{
    sums_shape shape{};
    shape.lanes = lanes, shape.together = 1, shape.tile_steps = 1, shape.pieces = false;
    shape.group_bytes = sums_bytes<Offset, Value>(lanes, slots, slot_bytes);
    shape.slots = slots;
    return shape;
}

/* Which entries of B are used, and whether they are checked. */
enum class reads {
    checked, /* all; their order and columns are checked */
    trusted, /* all */
    upper    /* those from column i on, of rows that ascend */
};

/* A group's current row; the whole warp calls its functions. Piece: the lanes that take an entry of A. Value = none:
 * only columns. */
template <typename Offset, typename Value, int Lanes, int Piece, reads Reads> struct row_sums {
    static constexpr int STEPS = 4;                /* whose columns and values are loaded together */
    static constexpr int TOGETHER = Lanes / Piece; /* pieces of a step */
    static constexpr int ROUND = STEPS * TOGETHER;
    static constexpr int EACH = Lanes == 8 ? 4 : 2; /* columns of a lane that are ranked together */
    static constexpr int PIECES = pieces_listed(Lanes);
    using listed = b_piece<Offset, Value>;
    static_assert(Lanes % ROUND == 0, "the entries of a batch are whole rounds");

    const patterns<Offset> &pattern;
    const numbers<Value> &number;
    const lane_group<Lanes> &group;
    const unsigned int mine, below; /* masks of the group's lanes, and of those before this one */
    listed *const pieces;
    Value *const sums; /* by slot */
    column_table table;
    int32_t *const columns; /* packed columns of the table, and their slots */
    uint16_t *const places;
    int32_t i;
    bool full;                   /* a column or a row of B of this lane did not fit */
    unsigned long long products; /* of this lane */
    counts &found;

    /* memory: sums_bytes of it, this group's. */
    __device__ row_sums(const patterns<Offset> &rows, const numbers<Value> &values, const lane_group<Lanes> &lanes,
                        int slots, int4 *memory, counts &counters)
        : pattern(rows), number(values), group(lanes),
          mine((~0u >> (32 - Lanes)) << (threadIdx.x & 31u & ~(Lanes - 1u))), below(mine & lanes_below()),
          pieces(reinterpret_cast<listed *>(memory)), sums(reinterpret_cast<Value *>(pieces + PIECES)),
          table(reinterpret_cast<int32_t *>(sums + (has_values<Value> ? slots : 0)), slots),
          columns(table.keys + slots), places(reinterpret_cast<uint16_t *>(columns + slots)), i(0), full(false),
          products(0), found(counters)
    {
        clear();
        __syncwarp();
    }

    /* Empties the table; the caller synchronises. */
    __device__ void clear()
    {
        table.clear(group);
        if constexpr (has_values<Value>)
            for (int s = group.lane; s < table.slots; s += Lanes) sums[s] = zero<Value>();
    }

    /* Finds the columns and sums of row `row_number` of C; `row`: its entries of A. */
    __device__ void take_row(int32_t row_number, span<Offset> row)
    {
        i = row_number;
        full = false;
        products = 0;
        Offset entry = row.begin + group.lane;
        int32_t column = entry < row.end ? pattern.a_columns[entry] : NO_COLUMN;
        Value a = a_value(entry, row.end);
        while (true) {
            const Offset left = row.end - entry + group.lane;
            const int entries = (int)__reduce_max_sync(~0u, left <= 0 ? 0u : left < Lanes ? (unsigned)left : Lanes);
            if (entries == 0) return;
            b_rows<Offset> b{0, 0};
            if (entry < row.end) b = row_of_b(column);
            const Value factor = a;
            entry += Lanes;
            if (entry < row.end) column = pattern.a_columns[entry], a = a_value(entry, row.end);
            take_entries(factor, b, entries);
            if (Reads != reads::trusted && group.any(full)) row.end = row.begin;
        }
    }

    /* Lists the columns of the table and their slots, padded to a multiple of four; returns their number. */
    __device__ int list_columns()
    {
        int count = 0;
        for (int begin = 0; begin < table.slots; begin += Lanes) {
            const int32_t column = table.keys[begin + group.lane];
            const unsigned int which = __ballot_sync(~0u, column != NO_COLUMN);
            const int x = count + __popc(which & below);
            if (column != NO_COLUMN) columns[x] = column, places[x] = (uint16_t)(begin + group.lane);
            count += __popc(which & mine);
        }
        if (group.lane < (-count & 3)) columns[count + group.lane] = INT_MAX;
        __syncwarp();
        return count;
    }

    /* Sorts the row by counting the smaller columns, and empties the table. begin(e, column) comes first for each
     * column, and may set it to NO_COLUMN, which leaves it out; then write(e, rank, column, slot). e < EACH: the
     * lane's column of those ranked together. */
    template <typename Begin, typename Write> __device__ void write(int count, Begin &&begin, Write &&write)
    {
        for (int first = group.lane; first < count; first += EACH * Lanes) {
            int32_t column[EACH];
            int rank[EACH];
#pragma unroll
            for (int e = 0; e < EACH; e++) {
                column[e] = first + Lanes * e < count ? columns[first + Lanes * e] : NO_COLUMN, rank[e] = 0;
                begin(e, column[e]);
            }
            add_lesser(columns, count, column, rank);
#pragma unroll
            for (int e = 0; e < EACH; e++) {
                if (column[e] == NO_COLUMN) continue;
                const int slot = places[first + Lanes * e];
                write(e, rank[e], column[e], slot);
                table.keys[slot] = NO_COLUMN;
                if constexpr (has_values<Value>) sums[slot] = zero<Value>();
            }
        }
        __syncwarp();
    }

  private:
    __device__ Value a_value(Offset entry, Offset end) const
    {
        if constexpr (has_values<Value>) return entry < end ? number.a_values[entry] : Value{};
        return {};
    }

    /* Checks the columns of a step. */
    __device__ void check(bool live, int where, int32_t column)
    {
        const int32_t before = __shfl_up_sync(~0u, column, 1, Piece);
        if (live && where > 0 && column <= before) found.faults |= SPG_FAULT_B_UNSORTED;
        if (live && (uint32_t)column >= (uint32_t)pattern.cols) found.faults |= SPG_FAULT_B;
    }

    /* Adds the products of the group's listed pieces; `most`: the maximum over the groups of the warp. */
    __device__ void take_pieces(int count, int most)
    {
        const int where = group.lane % Piece, which = group.lane / Piece;
        for (int round = 0; round < most; round += ROUND) {
            int32_t column[STEPS];
            Value value[STEPS];
            bool live[STEPS], held[STEPS];
            int slot[STEPS];
#pragma unroll
            for (int u = 0; u < STEPS; u++) {
                const int p = round + u * TOGETHER + which;
                const listed from = load_piece(pieces + p);
                live[u] = p < count && where < from.length;
                const Offset entry = from.begin + where;
                column[u] = live[u] ? pattern.b_columns[entry] : 0;
                if constexpr (has_values<Value>) value[u] = live[u] ? number.b_values[entry] : Value{};
            }
            __syncwarp(); /* keeps the compiler from loading values only after the columns have arrived */
#pragma unroll
            for (int u = 0; u < STEPS; u++) {
                if (Reads == reads::checked) check(live[u], where, column[u]);
                held[u] = !live[u] || table.is_near(column[u], slot[u]);
            }
#pragma unroll
            for (int u = 0; u < STEPS; u++) {
                if (__any_sync(~0u, !held[u])) {
                    full = table.insert(!held[u], column[u], slot[u]) || full;
                    live[u] = live[u] && !full;
                }
                if constexpr (has_values<Value>)
                    add(live[u], which, sums + slot[u], multiply(pieces[round + u * TOGETHER + which].a, value[u]));
            }
        }
    }

    /* Adds a step's products; those of different pieces may have the same column. */
    __device__ void add(bool live, int which, Value *sum, Value product)
    {
#pragma unroll
        for (int turn = 0; turn < TOGETHER; turn++) {
            if (live && (TOGETHER == 1 || which == turn)) *sum = spg::add(*sum, product);
            __syncwarp();
        }
    }

    /* Adds the products of one entry of A a lane: a times the row b of B. */
    __device__ void take_entries(Value a, b_rows<Offset> b, int entries)
    {
        if (!__any_sync(~0u, b.length > Piece)) {
            pieces[group.lane] = {factor_of(a), b.begin, b.length};
            __syncwarp();
            take_pieces(Lanes, entries);
            __syncwarp();
            return;
        }
        const int own = (b.length + Piece - 1) / Piece, through = inclusive_scan<Lanes>(own, plus{});
        const int all = __shfl_sync(~0u, through, Lanes - 1, Lanes), most = (int)__reduce_max_sync(~0u, (unsigned)all);
        int next = through - own;
        for (int from = 0; from < most; from += PIECES) {
            for (; b.length > 0 && next < from + PIECES; next++, b.begin += Piece, b.length -= Piece) {
                pieces[next - from] = {factor_of(a), b.begin, min(b.length, Piece)};
                if (Reads == reads::checked && next > through - own &&
                    pattern.b_columns[b.begin] <= pattern.b_columns[b.begin - 1])
                    found.faults |= SPG_FAULT_B_UNSORTED;
            }
            __syncwarp();
            take_pieces(all - from, min(most - from, PIECES));
            __syncwarp();
        }
    }

    /* The row of B of an entry of A; upper: from column i on. A row too long for any table is not read. */
    __device__ b_rows<Offset> row_of_b(int32_t column)
    {
        if (Reads == reads::trusted) return b_bounds(pattern, column);
        const span<Offset> b = checked_b_row(pattern, column, found.faults);
        Offset begin = b.begin;
        if (Reads == reads::upper)
            begin = first_that(b.begin, b.end, [&](Offset k) { return pattern.b_columns[k] >= i; });
        products += (unsigned long long)(b.end - b.begin);
        const bool fits = b.end - begin <= table.slots;
        full = full || !fits;
        return {begin, fits ? (int)(b.end - begin) : 0};
    }
};

} // namespace spg

#endif
