/* Method hash_group, filling pass: sums the products of a row of C at the slots of their columns, then sorts by column.
 *
 * Input: rows and c_offsets; rows outside 1 to table_holds(slots) entries are skipped. Output: columns and values.
 * Invariant: a slot's sum takes its products in storage order, because the warp is synchronised between entries of A.
 * Sums of empty slots are zero. Chosen by product_fill.cu and route/binned_rows.cu. Contraction while expanding
 * replaces the paper's sort (section 3.3). */
#include "sort_columns.cuh"

namespace spg
{
namespace
{

/* A group's shared memory: sums by slot, the table, and its columns packed. */
template <typename Value> struct fill_memory {
    static constexpr int value_bytes = std::is_same<Value, none>::value ? 0 : (int)sizeof(Value);
    static constexpr int slot_bytes = value_bytes + 4 + 4;
    Value *sums;
    int32_t *columns, *list;

    __device__ fill_memory(int4 *memory, const table_shape &shape)
        : sums(reinterpret_cast<Value *>(memory)),
          columns(reinterpret_cast<int32_t *>(reinterpret_cast<char *>(memory) + shape.slots * value_bytes)),
          list(columns + shape.slots)
    {
    }
};

/* The state of a group while it contracts a row. */
template <typename Offset, typename Value, typename Group> struct contraction {
    static constexpr bool has_values = !std::is_same<Value, none>::value;
    static constexpr int U = STEPS_AT_ONCE, G = Group::lanes;
    const patterns<Offset> &pattern;
    const Value *a_values, *b_values;
    const Group &group;
    column_table &table;
    Value *sums;
    Value a; /* of this lane's entry of A */

    __device__ void add(int source, bool live, int slot, Value b)
    {
        if constexpr (has_values) {
            const Value factor = shuffle<G>(a, source);
            if (live) sums[slot] = add_product(sums[slot], factor, b);
            __syncwarp();
        }
    }

    /* Adds the entries of a row of B beyond the first of each lane. */
    __device__ void add_rest(int source, Offset first, int length)
    {
        for (int p = group.lane + G; __any_sync(~0u, p < length); p += G) {
            const bool live = p < length;
            int slot[1];
            Value b{};
            const int32_t column[1] = {live ? pattern.b_columns[first + p] : NO_COLUMN};
            if constexpr (has_values)
                if (live) b = b_values[first + p];
            table.place(column, slot);
            add(source, live, slot[0], b);
        }
    }

    /* U steps: lane l takes entry first[u] + l of B's row if l < length[u], for entry source + u of A, or with Pieces
     * all for entry source. Longer: some rows of B are longer than the group. */
    template <bool Pieces, bool Longer>
    __device__ void take_steps(int source, const Offset (&first)[U], const int (&length)[U])
    {
        int32_t column[U];
        int slot[U];
        Value b[U];
#pragma unroll
        for (int u = 0; u < U; u++) {
            const bool live = group.lane < length[u];
            column[u] = live ? pattern.b_columns[first[u] + group.lane] : NO_COLUMN;
            if constexpr (has_values) b[u] = live ? b_values[first[u] + group.lane] : Value{};
        }
        table.place(column, slot);
#pragma unroll
        for (int u = 0; u < U; u++) {
            add(Pieces ? source : source + u, group.lane < length[u], slot[u], b[u]);
            if (Longer) add_rest(source + u, first[u], length[u]);
        }
    }

    template <bool Pieces> __device__ void take_row(span<Offset> row)
    {
        const auto bounds = [&](int32_t column) { return b_bounds(pattern, column); };
        for_each_batch(pattern, group, row, bounds,
                       [&](const b_rows<Offset> &b, Offset entry, bool valid, int entries) {
                           if constexpr (has_values) a = valid ? a_values[entry] : Value{};
                           const bool longer = !Pieces && __any_sync(~0u, b.length > G);
                           for (int j = 0; j < entries; j += Pieces ? 1 : U) take_entries<Pieces>(b, j, longer);
                           return false;
                       });
    }

    /* Takes the rows of B of entries j to j + U - 1 of the batch; with Pieces, of entry j alone. */
    template <bool Pieces> __device__ void take_entries(const b_rows<Offset> &b, int j, bool longer)
    {
        Offset first[U];
        int length[U];
        if (!Pieces) {
#pragma unroll
            for (int u = 0; u < U; u++) {
                first[u] = __shfl_sync(~0u, b.begin, j + u, G);
                length[u] = __shfl_sync(~0u, b.length, j + u, G);
            }
            if (longer)
                take_steps<false, true>(j, first, length);
            else
                take_steps<false, false>(j, first, length);
            return;
        }
        const Offset begin = __shfl_sync(~0u, b.begin, j, G);
        const int all = __shfl_sync(~0u, b.length, j, G);
        for (int base = 0; __any_sync(~0u, base < all); base += U * G) {
#pragma unroll
            for (int u = 0; u < U; u++) first[u] = begin + base + u * G, length[u] = all - base - u * G;
            take_steps<true, false>(j, first, length);
        }
    }
};

/* Packs the columns of a row in slot order, padded with INT_MAX to a multiple of 4. */
template <typename Group, typename Value>
__device__ inline void pack_columns(const Group &group, const fill_memory<Value> &memory, int slots, int length)
{
    const int4 *columns = reinterpret_cast<const int4 *>(memory.columns);
    int mine = 0;
    for (int i = group.lane; i < slots / 4; i += Group::lanes) {
        const int4 four = columns[i];
        mine += (four.x >= 0) + (four.y >= 0) + (four.z >= 0) + (four.w >= 0);
    }
    __syncwarp();
    int x = mine;
#pragma unroll
    for (int step = 1; step < Group::lanes; step *= 2) {
        const int before = __shfl_up_sync(~0u, x, step, Group::lanes);
        if (group.lane >= step) x += before;
    }
    x -= mine;
    for (int i = group.lane; i < slots / 4; i += Group::lanes) {
        const int4 four = columns[i];
        if (four.x >= 0) memory.list[x++] = four.x;
        if (four.y >= 0) memory.list[x++] = four.y;
        if (four.z >= 0) memory.list[x++] = four.z;
        if (four.w >= 0) memory.list[x++] = four.w;
    }
    if (group.lane < (-length & 3)) memory.list[length + group.lane] = INT_MAX;
    __syncwarp();
}

/* Where the row of C is written. */
template <typename Offset, typename Value> struct row_writer {
    const numbers<Value> &number;
    Value *sums;
    Offset begin;

    /* Writes an entry and zeroes its sum. */
    __device__ void write(int rank, int32_t column, int slot) const
    {
        number.c_columns[begin + rank] = column;
        if constexpr (!std::is_same<Value, none>::value) {
            number.c_values[begin + rank] = sums[slot];
            sums[slot] = zero<Value>();
        }
    }
};

/* Writes a list of any length; ranks each column by counting the smaller ones. A lane ranks `Each` entries at a
 * time. */
template <int Each, typename Group, typename Writer>
__device__ inline void write_by_ranks(const Group &group, const column_table &table, const int32_t *list, int length,
                                      const Writer &writer)
{
    for (int begin = group.lane; begin < length; begin += Each * Group::lanes) {
        int32_t column[Each];
        int rank[Each];
#pragma unroll
        for (int e = 0; e < Each; e++) {
            const int x = begin + e * Group::lanes;
            column[e] = x < length ? list[x] : NO_COLUMN;
            rank[e] = 0;
        }
        add_lesser(list, length, column, rank);
#pragma unroll
        for (int e = 0; e < Each; e++)
            if (column[e] != NO_COLUMN) writer.write(rank[e], column[e], table.find(column[e]));
    }
}

/* As write_by_ranks, if a group is a warp: sorts chunks in registers and ranks by searches in the other chunks. */
template <typename Group, typename Writer>
__device__ inline void write_sorted(const Group &group, const column_table &table, int32_t *list, int length,
                                    const Writer &writer)
{
    if (length <= CHUNK / 2)
        sort_chunk<CHUNK / 64, 32>(list, length, group.lane);
    else
        for (int chunk = 0; chunk < length; chunk += CHUNK)
            sort_chunk<CHUNK / 32, 32>(list + chunk, length - chunk, group.lane);
    for (int x = group.lane; x < length; x += 32) {
        const int32_t column = list[x];
        int rank = x % CHUNK;
        for (int chunk = 0; chunk < length; chunk += CHUNK)
            if (chunk != x / CHUNK * CHUNK) rank += rank_in_chunk(list + chunk, column);
        writer.write(rank, column, table.find(column));
    }
}

/* As write_by_ranks, for lists up to E entries a lane: sorted in registers, with far fewer instructions. */
template <int E, typename Group, typename Writer>
__device__ inline void write_sorted_at_once(const Group &group, const column_table &table, int32_t *list, int length,
                                            const Writer &writer)
{
    sort_chunk<E, Group::lanes>(list, length, group.lane);
    for (int x = group.lane; x < length; x += Group::lanes) writer.write(x, list[x], table.find(list[x]));
}

/* Writes the row and empties the table. */
template <typename Group, typename Value, typename Writer>
__device__ inline void write_row(const Group &group, column_table &table, const fill_memory<Value> &memory, int length,
                                 const Writer &writer)
{
    pack_columns(group, memory, table.slots, length);
    if (Group::lanes == 32 && length > MOST_RANKED)
        write_sorted(group, table, memory.list, length, writer);
    else if (Group::lanes == 16 && __any_sync(~0u, length > 32) && !__any_sync(~0u, length > 64))
        write_sorted_at_once<4>(group, table, memory.list, length, writer);
    else if (__any_sync(~0u, length > 2 * Group::lanes))
        write_by_ranks<4>(group, table, memory.list, length, writer);
    else
        write_by_ranks<2>(group, table, memory.list, length, writer);
    __syncwarp();
    table.clear(group);
    __syncwarp();
}

/* Blocks a multiprocessor for which registers must leave room. */
template <typename Offset, typename Value> constexpr int resident_blocks()
{
    return sizeof(Value) > 8 ? 5 : sizeof(Offset) == 4 ? 8 : 7;
}

template <typename Offset, typename Value, int Lanes, bool Pieces>
__global__ __launch_bounds__(GROUP_THREADS, resident_blocks<Offset, Value>()) void fill_table_kernel(
    const table_shape shape, const patterns<Offset> pattern, const numbers<Value> number, const row_set set)
{
    extern __shared__ int4 shared[];
    const lane_group<Lanes> group;
    const fill_memory<Value> memory(shared + group.in_block * (shape.group_bytes / 16), shape);
    column_table table{memory.columns, shape.slots, shape.shift};
    contraction<Offset, Value, lane_group<Lanes>> sum{pattern, nullptr, nullptr, group, table, memory.sums, {}};
    if constexpr (sum.has_values) {
        sum.a_values = number.a_values, sum.b_values = number.b_values;
        for (int s = group.lane; s < shape.slots; s += Lanes) memory.sums[s] = zero<Value>();
    }
    table.clear(group);
    __syncwarp();
    for_each_row_group(group, row_count(set), shape, [&](int32_t first, int rows_in_group) {
        const int32_t i = rows_in_group > 0 ? row_at(set, first) : 0;
        const Offset begin = pattern.c_offsets[i], held = pattern.c_offsets[i + 1] - begin;
        const bool mine = rows_in_group > 0 && held > 0 && held <= table_holds(shape.slots);
        sum.template take_row<Pieces>(mine ? a_row(pattern, i) : span<Offset>{0, 0});
        __syncwarp();
        write_row(group, table, memory, mine ? (int)held : 0, row_writer<Offset, Value>{number, memory.sums, begin});
    });
}

} // namespace

spg_status fill_rows_hash_group(cuda_product &product, const row_set &rows, int slots)
{
    return with_types(product, [&](auto offset, auto value) {
        using Offset = decltype(offset);
        using Value = decltype(value);
        const table_shape shape = table_shape_of(product, slots, fill_memory<Value>::slot_bytes);
        return with_group_shape(shape, [&](auto lanes, auto pieces) {
            return launch_groups(product, rows, shape, "filling, class hash_group",
                                 fill_table_kernel<Offset, Value, lanes.value, pieces.value>,
                                 patterns_of<Offset>(product), numbers_of<Value>(product), rows);
        });
    });
}

} // namespace spg
