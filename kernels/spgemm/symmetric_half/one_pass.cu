/* Symmetric half, counting and filling in one pass: computes only the entries on and above the diagonal of a product
 * with a symmetric pattern, about half of the products. A group of lanes a row contracts into a hash table in shared
 * memory, sorts, and keeps its row in workspace. It records each entry above the diagonal for the row of its mirror
 * image (symmetric_half/place.cu).
 *
 * Input: rows; rows of B that ascend. Output: c_offsets[i] = length of row i from the diagonal on, and the kept rows.
 * Entries of a row of B before column i are skipped; bisection finds the first to use. The products of several entries
 * of A are looked up together and added in order, so that a slot's sum takes its products in storage order. Chosen by
 * the caller of the product, who knows that its pattern is symmetric (R*(A*P) of a symmetric A). Replaces the paper's
 * sort (section 3.3). */
#include "half_rows.cuh"

#include "../../launch.cuh"
#include "../../primitives/warp.cuh"
#include "../driver/counters.cuh"
#include "../hash_group/pieces.cuh"
#include "../hash_group/table.cuh"

#include <algorithm>
#include <climits>
#include <cstring>

namespace spg
{
namespace
{

enum {
    STEPS = 4,      /* whose columns and values are loaded together */
    LONG_GROUPS = 8 /* groups a multiprocessor that take long rows */
};

struct table_sizes : group_shape {
    int slots, shift; /* shift: from a hash to four slots */
};

/* A group's current row; the whole warp calls its functions. Piece: the lanes that take an entry of A. Long: the rows
 * are those listed as long. */
template <typename Offset, typename Value, int Lanes, int Piece, bool Long> struct half_row {
    static constexpr int TOGETHER = Lanes / Piece; /* pieces of a step */
    static constexpr int ROUND = STEPS * TOGETHER;
    static constexpr int EACH = Lanes == 8 ? 4 : 2; /* columns a lane that are ranked together */
    static constexpr int PIECES = 2 * Lanes;        /* listed at a time */
    using listed = b_piece<Offset, Value>;
    static_assert(Lanes % ROUND == 0, "the entries of a batch are whole rounds");

    const patterns<Offset> &pattern;
    const Value *a_values, *b_values;
    const half_view<Value> &kept;
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

    __device__ half_row(const patterns<Offset> &rows, const numbers<Value> &number, const half_view<Value> &to,
                        const lane_group<Lanes> &lanes, const table_sizes &sizes, char *memory, counts &counters)
        : pattern(rows), a_values(number.a_values), b_values(number.b_values), kept(to), group(lanes),
          slots(sizes.slots), shift(sizes.shift), mine((~0u >> (32 - Lanes)) << (threadIdx.x & 31u & ~(Lanes - 1u))),
          below(mine & lanes_below()), pieces(reinterpret_cast<listed *>(memory)),
          sums(reinterpret_cast<Value *>(pieces + PIECES)), keys(reinterpret_cast<int32_t *>(sums + slots)),
          columns(keys + slots), places(reinterpret_cast<uint16_t *>(columns + slots)), i(0), full(false), products(0),
          found(counters)
    {
    }

    __device__ void clear()
    {
        for (int s = group.lane; s < slots; s += Lanes) keys[s] = NO_COLUMN, sums[s] = zero<Value>();
        __syncwarp();
    }

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

    /* Adds the products of the group's listed pieces; `most`: the maximum over the groups of the warp. */
    __device__ void take_pieces(int count, int most)
    {
        const int where = group.lane % Piece, which = group.lane / Piece;
        for (int round = 0; round < most; round += ROUND) {
            int32_t column[STEPS];
            Value value[STEPS];
            bool live[STEPS], found[STEPS];
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
                slot[u] = live[u] ? first_slot(column[u]) : 0;
                const int4 keyed = four_from(slot[u]);
                const int32_t sought = column[u];
                const int at = keyed.x == sought ? 0 : keyed.y == sought ? 1 : keyed.z == sought ? 2 : 3;
                found[u] = !live[u] || at < 3 || keyed.w == sought;
                slot[u] += at;
            }
#pragma unroll
            for (int u = 0; u < STEPS; u++) {
                const Value product = multiply(pieces[round + u * TOGETHER + which].a, value[u]);
                if (__any_sync(~0u, !found[u])) {
                    place(!found[u], column[u], slot[u]);
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
        int first = through - own;
        for (int from = 0; from < most; from += PIECES) {
            for (; b.length > 0 && first < from + PIECES; first++, b.begin += Piece, b.length -= Piece)
                pieces[first - from] = {a, b.begin, min(b.length, Piece)};
            __syncwarp();
            take_pieces(all - from, min(most - from, PIECES));
            __syncwarp();
        }
    }

    /* The row of B of an entry of A, from column i on. A row too long for any table is not read. */
    __device__ b_rows<Offset> row_from_diagonal(int32_t column)
    {
        const span<Offset> b = checked_b_row(pattern, column, found.faults);
        Offset begin = b.begin, end = b.end;
        while (begin < end) {
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

    /* Finds the columns and sums of a row. */
    __device__ void take_row(span<Offset> row)
    {
        Offset entry = row.begin + group.lane;
        int32_t column = entry < row.end ? pattern.a_columns[entry] : NO_COLUMN;
        Value a = entry < row.end ? a_values[entry] : Value{};
        full = false;
        products = 0;
        while (true) {
            const Offset left = row.end - entry + group.lane;
            const int entries = (int)__reduce_max_sync(~0u, left <= 0 ? 0u : left < Lanes ? (unsigned)left : Lanes);
            if (entries == 0) return;
            b_rows<Offset> b{0, 0};
            if (entry < row.end) b = row_from_diagonal(column);
            const Value factor = a;
            entry += Lanes;
            if (entry < row.end) column = pattern.a_columns[entry], a = a_values[entry];
            take_entries(factor, b, entries);
            if (group.any(full)) row.end = row.begin;
        }
    }

    /* Lists the columns of the table and their slots, padded to a multiple of four; returns their number. */
    __device__ int list_row()
    {
        const int count = list_columns<Lanes>(keys, slots, group.lane, mine, below, columns, places);
        if (group.lane < (-count & 3)) columns[count + group.lane] = INT_MAX;
        __syncwarp();
        return count;
    }

    /* Something does not fit: all rows will be counted another way. */
    __device__ void give_up() const { atomicAdd(&pattern.counters->overflow, 1u); }

    /* Sorts the row into workspace, ranking columns by counting the smaller ones, records its images, and empties the
     * table. */
    __device__ void write(int count)
    {
        for (int begin = group.lane; begin < count; begin += EACH * Lanes) {
            int32_t column[EACH];
            int rank[EACH], number[EACH];
#pragma unroll
            for (int e = 0; e < EACH; e++) {
                const bool listed = begin + Lanes * e < count;
                column[e] = listed ? columns[begin + Lanes * e] : NO_COLUMN, rank[e] = 0;
                if (listed && (uint32_t)column[e] >= (uint32_t)pattern.rows)
                    found.faults |= SPG_FAULT_B, column[e] = NO_COLUMN;
                number[e] = column[e] > i ? atomicAdd(kept.lower_counts + column[e], 1) : -1;
            }
            add_lesser(columns, count, column, rank);
#pragma unroll
            for (int e = 0; e < EACH; e++) {
                if (column[e] == NO_COLUMN) continue;
                const int slot = places[begin + Lanes * e];
                const int64_t to = Long ? kept.place_of(i, rank[e]) : (int64_t)i * kept.stride + rank[e];
                kept.columns[to] = column[e];
                kept.values[to] = sums[slot];
                keys[slot] = NO_COLUMN;
                sums[slot] = zero<Value>();
            }
#pragma unroll
            for (int e = 0; e < EACH; e++) {
                if (column[e] != NO_COLUMN) found.nnz += number[e] >= 0 ? 2 : 1;
                const uint32_t code = (uint32_t)i << kept.bits | (uint32_t)rank[e];
                if (number[e] >= 0 && !kept.note_image(column[e], number[e], code)) give_up();
            }
        }
        __syncwarp();
    }

    /* Lists a row that does not fit, if it can still be done as a long row. */
    __device__ void leave()
    {
        const unsigned int number = Long ? kept.most_long : atomicAdd(&pattern.counters->long_half_rows, 1u);
        if (number >= (unsigned int)kept.most_long) {
            give_up();
            return;
        }
        kept.long_rows[number] = i;
        kept.second[i] = kept.rows + (int32_t)number;
    }

    __device__ void do_row(int32_t number, bool valid)
    {
        i = Long && valid ? kept.long_rows[number] : number;
        take_row(valid ? checked_a_row(pattern, i, found.faults) : span<Offset>{0, 0});
        const int count = list_row();
        const bool is_full = group.any(full), fits = count <= (Long ? 2 : 1) * kept.stride && !is_full;
        if (__any_sync(~0u, !fits)) {
            if (!fits)
                for (int s = group.lane; s < slots; s += Lanes) keys[s] = NO_COLUMN, sums[s] = zero<Value>();
            if (!fits && group.lane == 0) leave();
            __syncwarp();
        }
        write(fits ? count : 0);
        if (fits) found.products += products;
        if (!valid || group.lane != 0) return;
        pattern.c_offsets[i] = (Offset)(fits ? count : 0);
        if (fits) ++found.rows;
    }
};

/* Posts the counters if no long rows are listed; otherwise the kernel for these posts them. */
template <typename Offset, typename Value, int Lanes, int Piece, bool Long>
__global__ __launch_bounds__(GROUP_THREADS, resident_blocks<Offset, Value>()) void half_kernel(
    const table_sizes sizes, const patterns<Offset> pattern, const numbers<Value> number, const half_view<Value> kept,
    spg_mailbox *mailbox, unsigned int post)
{
    extern __shared__ int4 shared[];
    const lane_group<Lanes> group;
    int32_t rows = pattern.rows;
    if (Long) wait_for_previous_kernel();
    trigger_next_kernel();
    if (Long) {
        const unsigned int longs = *const_cast<volatile unsigned int *>(&pattern.counters->long_half_rows);
        if (longs == 0) return;
        rows = (int32_t)min(longs, (unsigned int)kept.most_long);
    }
    counts found{};
    half_row<Offset, Value, Lanes, Piece, Long> row(
        pattern, number, kept, group, sizes, reinterpret_cast<char *>(shared) + group.in_block * sizes.group_bytes,
        found);
    row.clear();
    for_each_row_group(group, rows, sizes, [&](int32_t first, int valid) { row.do_row(first, valid > 0); });
    __syncwarp();
    add_counts(pattern.counters, found.nnz, found.products, 0, found.rows, found.faults);
    __syncthreads();
    if (threadIdx.x < 32)
        send_counters_if_last(pattern.counters, mailbox, post, Long ? nullptr : &pattern.counters->long_half_rows);
}

template <typename Offset, typename Value, int Lanes, int Piece, bool Long = false>
spg_status launch(cuda_product &product, const half_rows &kept, unsigned int post, int slots, int64_t row_count)
{
    table_sizes sizes{};
    sizes.lanes = Lanes, sizes.together = 1, sizes.tile_steps = 1, sizes.pieces = false;
    sizes.slots = slots, sizes.shift = 34;
    for (int left = sizes.slots; left > 1; left /= 2) sizes.shift--;
    /* The groups of a warp begin at different banks. */
    sizes.group_bytes =
        2 * Lanes * (int)sizeof(b_piece<Offset, Value>) + sizes.slots * (4 + (int)sizeof(Value) + 4 + 2);
    sizes.group_bytes = (sizes.group_bytes + 15) / 16 * 16 + 16;
    const row_set rows{nullptr, (int32_t)row_count, nullptr, nullptr};
    return launch_groups<Long>(product, rows, sizes, "counting, class symmetric half",
                               half_kernel<Offset, Value, Lanes, Piece, Long>, patterns_of<Offset>(product),
                               numbers_of<Value>(product), view_of<Value>(kept), product.cuda->device_mailbox, post);
}

/* Launches the kernel for the listed long rows; only the device knows how many there are. */
template <typename Offset, typename Value>
spg_status launch_long(cuda_product &product, const half_rows &kept, unsigned int post)
{
    const int64_t most = std::min((int64_t)kept.view.most_long, (int64_t)LONG_GROUPS * product.cuda->multiprocessors);
    int slots = kept.shape.slots;
    while (half_holds(slots) < 2 * kept.shape.stride) slots *= 2;
    return launch<Offset, Value, 32, 8, true>(product, kept, post, slots, most);
}

} // namespace

spg_status count_rows_half(cuda_product &product, const half_rows &kept, unsigned int post, length_sums *sums)
{
    spg_status status = with_offset_type(product.offset_type, [&](auto offset) {
        using Offset = decltype(offset);
        return with_value_type(product.A->value_type, [&](auto value) {
            using Value = decltype(value);
            const int lanes = kept.shape.lanes, slots = kept.shape.slots;
            const int64_t rows = product.A->rows;
            spg_status launched = lanes == 32  ? launch<Offset, Value, 32, 8>(product, kept, post, slots, rows)
                                  : lanes == 4 ? launch<Offset, Value, 4, 4>(product, kept, post, slots, rows)
                                               : launch<Offset, Value, 8, 8>(product, kept, post, slots, rows);
            return launched == SPG_OK ? launch_long<Offset, Value>(product, kept, post) : launched;
        });
    });
    return status == SPG_OK ? add_lower_lengths(product, kept, sums) : status;
}

} // namespace spg
