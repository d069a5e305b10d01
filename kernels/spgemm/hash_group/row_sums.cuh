/* How a group of lanes contracts a row in one pass over its products, for rows kept whole (hash_group/one_pass.cu) and
 * from the diagonal on (symmetric_half/one_pass.cu): a hash table of columns and sums in shared memory. Private.
 *
 * Entries of A are cut into pieces of Piece products. The group takes several pieces at a time: it loads and looks up
 * their columns together and adds their products in order, so that a slot's sum takes its products in storage order. */
#ifndef SPG_KERNELS_SPGEMM_HASH_GROUP_ROW_SUMS_CUH
#define SPG_KERNELS_SPGEMM_HASH_GROUP_ROW_SUMS_CUH

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

/* Products of an entry of A: a times entries begin, begin + 1, ... of B. */
template <typename Offset, typename Value> struct alignas(16) b_piece {
    Value a;
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
    int slots, shift; /* shift: from a hash to four slots */
};

constexpr int pieces_listed(int lanes) { return 2 * lanes; } /* at a time */

/* The groups of a warp begin at different banks. */
template <typename Offset, typename Value> sums_shape sums_shape_of(int lanes, int slots)
{
    sums_shape shape{};
    shape.lanes = lanes, shape.together = 1, shape.tile_steps = 1, shape.pieces = false;
    shape.slots = slots, shape.shift = 34;
    for (int left = slots; left > 1; left /= 2) shape.shift--;
    const int bytes =
        pieces_listed(lanes) * (int)sizeof(b_piece<Offset, Value>) + slots * (4 + (int)sizeof(Value) + 4 + 2);
    shape.group_bytes = (bytes + 15) / 16 * 16 + 16;
    return shape;
}

/* A group's current row; the whole warp calls its functions. Piece: the lanes that take an entry of A. Upper: entries
 * of B before column i are skipped, and rows of B are assumed to ascend; else their order and columns are checked. */
template <typename Offset, typename Value, int Lanes, int Piece, bool Upper> struct row_sums {
    static constexpr int STEPS = 4;                /* whose columns and values are loaded together */
    static constexpr int TOGETHER = Lanes / Piece; /* pieces of a step */
    static constexpr int ROUND = STEPS * TOGETHER;
    static constexpr int EACH = Lanes == 8 ? 4 : 2; /* columns a lane that are ranked together */
    static constexpr int PIECES = pieces_listed(Lanes);
    using listed = b_piece<Offset, Value>;
    static_assert(Lanes % ROUND == 0, "the entries of a batch are whole rounds");

    const patterns<Offset> &pattern;
    const Value *a_values, *b_values;
    const lane_group<Lanes> &group;
    const int slots, shift;
    const unsigned int mine, below; /* masks of the group's lanes, and of those before this one */
    listed *const pieces;
    Value *const sums; /* by slot */
    int32_t *const keys;
    int32_t *const columns; /* packed columns of the table, and their slots */
    uint16_t *const places;
    int32_t i;
    bool full;                   /* a column or a row of B of this lane did not fit */
    unsigned long long products; /* of this lane */
    counts &found;

    /* The tables of all groups are in `memory`; this group's is emptied. */
    __device__ row_sums(const patterns<Offset> &rows, const numbers<Value> &number, const lane_group<Lanes> &lanes,
                        const sums_shape &shape, int4 *memory, counts &counters)
        : pattern(rows), a_values(number.a_values), b_values(number.b_values), group(lanes), slots(shape.slots),
          shift(shape.shift), mine((~0u >> (32 - Lanes)) << (threadIdx.x & 31u & ~(Lanes - 1u))),
          below(mine & lanes_below()),
          pieces(reinterpret_cast<listed *>(reinterpret_cast<char *>(memory) + group.in_block * shape.group_bytes)),
          sums(reinterpret_cast<Value *>(pieces + PIECES)), keys(reinterpret_cast<int32_t *>(sums + slots)),
          columns(keys + slots), places(reinterpret_cast<uint16_t *>(columns + slots)), i(0), full(false), products(0),
          found(counters)
    {
        clear();
        __syncwarp();
    }

    /* Empties the table; the caller synchronises. */
    __device__ void clear() const
    {
        for (int s = group.lane; s < slots; s += Lanes) keys[s] = NO_COLUMN, sums[s] = zero<Value>();
    }

    /* Finds the columns and sums of row `number` of C; `row`: its entries of A. Returns the number of columns. */
    __device__ int take_row(int32_t number, span<Offset> row)
    {
        i = number;
        full = false;
        products = 0;
        Offset entry = row.begin + group.lane;
        int32_t column = entry < row.end ? pattern.a_columns[entry] : NO_COLUMN;
        Value a = entry < row.end ? a_values[entry] : Value{};
        while (true) {
            const Offset left = row.end - entry + group.lane;
            const int entries = (int)__reduce_max_sync(~0u, left <= 0 ? 0u : left < Lanes ? (unsigned)left : Lanes);
            if (entries == 0) return list_columns();
            b_rows<Offset> b{0, 0};
            if (entry < row.end) b = row_of_b(column);
            const Value factor = a;
            entry += Lanes;
            if (entry < row.end) column = pattern.a_columns[entry], a = a_values[entry];
            take_entries(factor, b, entries);
            if (group.any(full)) row.end = row.begin;
        }
    }

    /* Sorts the row by counting the smaller columns, and empties the table. begin(e, column) comes first for each
     * column, and may set it to NO_COLUMN, which leaves it out; then write(e, rank, column, sum). e < EACH: the
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
                write(e, rank[e], column[e], sums[slot]);
                keys[slot] = NO_COLUMN;
                sums[slot] = zero<Value>();
            }
        }
        __syncwarp();
    }

  private:
    /* The first of the four slots that a column hashes to. The column is in the first of them that was free, or further
     * on. */
    __device__ int first_slot(int32_t column) const { return (int)((uint32_t)column * COLUMN_FACTOR >> shift) * 4; }
    __device__ int4 four_from(int slot) const { return *reinterpret_cast<const int4 *>(keys + slot); }

    /* Searches for columns not found in their first four slots; a column in no slot takes the first empty one. In a
     * full table it takes any: its row is an overflow row. */
    __device__ void place(bool pending, int32_t column, int &slot)
    {
        if (pending) {
            slot = first_slot(column);
            const int4 keyed = four_from(slot);
            const bool x = keyed.x != NO_COLUMN && keyed.x != column,
                       y = x && keyed.y != NO_COLUMN && keyed.y != column,
                       z = y && keyed.z != NO_COLUMN && keyed.z != column,
                       w = z && keyed.w != NO_COLUMN && keyed.w != column;
            slot += x + y + z + w;
            slot &= slots - 1;
        }
        for (int tries = slots; tries > 0 && __any_sync(~0u, pending); tries--) {
            if (!pending) continue;
            const int32_t before = atomicCAS(keys + slot, (int32_t)NO_COLUMN, column);
            pending = before != NO_COLUMN && before != column;
            slot = (slot + pending) & (slots - 1);
        }
        __syncwarp();
        full = full || pending;
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
                const int number = round + u * TOGETHER + which;
                const listed from = load_piece(pieces + number);
                live[u] = number < count && where < from.length;
                const Offset entry = from.begin + where;
                column[u] = live[u] ? pattern.b_columns[entry] : 0;
                value[u] = live[u] ? b_values[entry] : Value{};
            }
            __syncwarp(); /* keeps the compiler from loading values only after the columns have arrived */
#pragma unroll
            for (int u = 0; u < STEPS; u++) {
                if (!Upper) check(live[u], where, column[u]);
                slot[u] = live[u] ? first_slot(column[u]) : 0;
                const int4 keyed = four_from(slot[u]);
                const int32_t sought = column[u];
                const int at = keyed.x == sought ? 0 : keyed.y == sought ? 1 : keyed.z == sought ? 2 : 3;
                held[u] = !live[u] || at < 3 || keyed.w == sought;
                slot[u] += at;
            }
#pragma unroll
            for (int u = 0; u < STEPS; u++) {
                const Value product = multiply(pieces[round + u * TOGETHER + which].a, value[u]);
                if (__any_sync(~0u, !held[u])) {
                    place(!held[u], column[u], slot[u]);
                    live[u] = live[u] && !full;
                }
                Value *const sum = sums + slot[u];
#pragma unroll
                for (int turn = 0; turn < TOGETHER; turn++) {
                    if (live[u] && (TOGETHER == 1 || which == turn)) *sum = spg::add(*sum, product);
                    __syncwarp();
                }
            }
        }
    }

    /* Adds the products of one entry of A a lane: a times the row b of B. */
    __device__ void take_entries(Value a, b_rows<Offset> b, int entries)
    {
        if (!__any_sync(~0u, b.length > Piece)) {
            pieces[group.lane] = {a, b.begin, b.length};
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
                pieces[next - from] = {a, b.begin, min(b.length, Piece)};
                if (!Upper && next > through - own && pattern.b_columns[b.begin] <= pattern.b_columns[b.begin - 1])
                    found.faults |= SPG_FAULT_B_UNSORTED;
            }
            __syncwarp();
            take_pieces(all - from, min(most - from, PIECES));
            __syncwarp();
        }
    }

    /* The row of B of an entry of A; Upper: from column i on. A row too long for any table is not read. */
    __device__ b_rows<Offset> row_of_b(int32_t column)
    {
        const span<Offset> b = checked_b_row(pattern, column, found.faults);
        Offset begin = b.begin, end = b.end;
        while (Upper && begin < end) {
            const Offset middle = begin + (end - begin) / 2;
            if (pattern.b_columns[middle] < i)
                begin = middle + 1;
            else
                end = middle;
        }
        products += (unsigned long long)(b.end - b.begin);
        const bool fits = b.end - begin <= slots;
        full = full || !fits;
        return {begin, fits ? (int)(b.end - begin) : 0};
    }

    /* Lists the columns of the table and their slots, padded to a multiple of four; returns their number. */
    __device__ int list_columns()
    {
        int count = 0;
        for (int begin = 0; begin < slots; begin += Lanes) {
            const int32_t column = keys[begin + group.lane];
            const unsigned int which = __ballot_sync(~0u, column != NO_COLUMN);
            const int x = count + __popc(which & below);
            if (column != NO_COLUMN) columns[x] = column, places[x] = (uint16_t)(begin + group.lane);
            count += __popc(which & mine);
        }
        if (group.lane < (-count & 3)) columns[count + group.lane] = INT_MAX;
        __syncwarp();
        return count;
    }
};

} // namespace spg

#endif
