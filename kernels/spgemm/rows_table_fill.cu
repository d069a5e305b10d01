/* Filling, class table: the products of a row of C summed at the slots of their columns, then sorted by column.
 *
 * Input: rows, their lengths and places in c_offsets; others than 1 to table_holds(slots) entries are left alone.
 * Output: columns and values. Invariant: a slot's sum has the products of its column in storage order, for between two
 * steps, and between the two rows of B of one step, the warp is synchronised. Chosen by route.cu. Contraction while
 * expanding takes the place of the paper's sort (section 3.3). */
#include "table.cuh"

#include <climits>

namespace spg
{
namespace
{

enum { MOST_RANKED = 64, CHUNK = 256 }; /* entries that a warp sorts by ranks; that it sorts at a time by a network */
static_assert(table_holds(512) <= 2 * CHUNK && table_holds(TABLE_MOST) <= 3 * CHUNK && 3 * CHUNK <= TABLE_MOST,
              "chunks lie within the list");

/* A group's shared memory. The list has the columns by the order in which they were found; slots_found their slots.
 * order: of the row's entry x, its slot. */
template <typename Value> struct fill_memory {
    static constexpr int value_bytes = std::is_same<Value, none>::value ? 0 : (int)sizeof(Value);
    static constexpr int slot_bytes(int together) { return together * value_bytes + 4 + 4 + 2 + 2; }
    Value *sums;
    int32_t *columns, *list;
    uint16_t *slots_found, *order;

    __device__ fill_memory(int4 *memory, const table_shape &shape)
        : sums(reinterpret_cast<Value *>(memory)),
          columns(reinterpret_cast<int32_t *>(reinterpret_cast<char *>(memory) +
                                              shape.together * shape.slots * value_bytes)),
          list(columns + shape.slots), slots_found(reinterpret_cast<uint16_t *>(list + shape.slots)),
          order(slots_found + shape.slots)
    {
    }
};

/* Finds or makes the slot of each lane's column; a new one's sums are zero. */
template <typename Value, int R>
__device__ inline int find_slots(const table_group &group, column_table &table, const fill_memory<Value> &memory,
                                 const table_step<Value, R> &step, int rows, int &found)
{
    bool inserted = false;
    int slot = 0;
    if (step.live) slot = table.find_or_insert(step.column, inserted);
    const unsigned others = __ballot_sync(~0u, inserted) & group.mask;
    if (inserted) {
        const int x = found + __popc(others & ((1u << (threadIdx.x & 31)) - 1));
        memory.list[x] = step.column;
        memory.slots_found[x] = (uint16_t)slot;
        if constexpr (!std::is_same<Value, none>::value)
#pragma unroll
            for (int r = 0; r < R; r++)
                if (r == 0 || r < rows) memory.sums[r * table.slots + slot] = zero<Value>();
    }
    found += __popc(others);
    __syncwarp();
    return slot;
}

template <typename Value, int R>
__device__ inline void add_to_slot(Value *sums, int slots, const table_step<Value, R> &step, int slot, int rows)
{
#pragma unroll
    for (int r = 0; r < R; r++)
        if (r == 0 || r < rows) sums[r * slots + slot] = add_product(sums[r * slots + slot], step.a[r], step.b);
}

/* Expands and contracts a row, or rows with equal columns in A. Returns how many columns were found. */
template <typename Value, int R, typename Expansion>
__device__ inline int contract_row(const table_group &group, column_table &table, const fill_memory<Value> &memory,
                                   Expansion &row)
{
    int found = 0;
    for_each_step<Expansion, Value, R>(row, [&](const table_step<Value, R> &step) {
        const int slot = find_slots(group, table, memory, step, row.rows, found);
        if constexpr (!std::is_same<Value, none>::value) {
            if (step.live && !step.later) add_to_slot(memory.sums, table.slots, step, slot, row.rows);
            __syncwarp();
            if (step.live && step.later) add_to_slot(memory.sums, table.slots, step, slot, row.rows);
        }
    });
    __syncwarp();
    return found;
}

/* order[x] for a list of any length, by counting the lesser columns of the list; it ends in INT_MAX up to a multiple
 * of 4. A lane does `Each` entries at a time. */
template <int Each, typename Memory>
__device__ inline void rank_list(const table_group &group, const Memory &memory, int length)
{
    for (int begin = group.lane; begin < length; begin += Each * group.lanes) {
        int32_t column[Each];
        int rank[Each];
#pragma unroll
        for (int e = 0; e < Each; e++) {
            const int x = begin + e * group.lanes;
            column[e] = x < length ? memory.list[x] : 0;
            rank[e] = 0;
        }
        for (int x = 0; x < length; x += 4) {
            const int4 other = *reinterpret_cast<const int4 *>(memory.list + x);
#pragma unroll
            for (int e = 0; e < Each; e++)
                rank[e] +=
                    (other.x < column[e]) + (other.y < column[e]) + (other.z < column[e]) + (other.w < column[e]);
        }
#pragma unroll
        for (int e = 0; e < Each; e++) {
            const int x = begin + e * group.lanes;
            if (x < length) memory.order[rank[e]] = memory.slots_found[x];
        }
    }
}

__device__ inline void order_pair(int32_t &a, int32_t &b, bool up)
{
    const int32_t least = min(a, b), most = max(a, b);
    a = up ? least : most;
    b = up ? most : least;
}

/* 32*E columns, lane l's from l*E, by a bitonic network: inside the lanes first, then across ever more of them. */
template <int E> __device__ inline void sort_in_registers(int32_t (&column)[E], int lane)
{
#pragma unroll
    for (int size = 2; size <= E; size *= 2)
#pragma unroll
        for (int step = size / 2; step > 0; step /= 2)
#pragma unroll
            for (int e = 0; e < E; e++)
                if ((e & step) == 0)
                    order_pair(column[e], column[e | step], size < E ? (e & size) == 0 : (lane & 1) == 0);
#pragma unroll 1
    for (int lanes = 2; lanes <= 32; lanes *= 2) {
        const bool up = (lane & lanes) == 0 || lanes == 32;
#pragma unroll 1
        for (int step = lanes / 2; step > 0; step /= 2) {
            const bool least = ((lane & step) == 0) == up;
#pragma unroll
            for (int e = 0; e < E; e++) {
                const int32_t other = __shfl_xor_sync(~0u, column[e], step);
                column[e] = least ? min(column[e], other) : max(column[e], other);
            }
        }
#pragma unroll
        for (int step = E / 2; step > 0; step /= 2)
#pragma unroll
            for (int e = 0; e < E; e++)
                if ((e & step) == 0) order_pair(column[e], column[e | step], up);
    }
}

/* Sorts a chunk of a list, of up to 32*E entries, where a group is a warp; INT_MAX fills the chunk up. */
template <int E> __device__ inline void sort_chunk(int32_t *chunk, int length, int lane)
{
    int32_t column[E];
    int4 *mine = reinterpret_cast<int4 *>(chunk + lane * E);
#pragma unroll
    for (int e = 0; e < E; e += 4) {
        const int4 four = mine[e / 4];
        const int rest = length - lane * E - e;
        column[e] = rest > 0 ? four.x : INT_MAX;
        column[e + 1] = rest > 1 ? four.y : INT_MAX;
        column[e + 2] = rest > 2 ? four.z : INT_MAX;
        column[e + 3] = rest > 3 ? four.w : INT_MAX;
    }
    sort_in_registers(column, lane);
    __syncwarp();
#pragma unroll
    for (int e = 0; e < E; e += 4) mine[e / 4] = int4{column[e], column[e + 1], column[e + 2], column[e + 3]};
    __syncwarp();
}

/* How many columns of a sorted chunk are less. */
__device__ inline int rank_in_chunk(const int32_t *chunk, int32_t column)
{
    int rank = 0;
#pragma unroll
    for (int step = CHUNK / 2; step > 0; step /= 2)
        if (chunk[rank + step - 1] < column) rank += step;
    return rank + (chunk[rank] < column);
}

/* As rank_list, where a group is a warp: chunks sorted in registers, ranks by searches in the others. */
template <typename Memory>
__device__ inline void sort_list(const table_group &group, const column_table &table, const Memory &memory, int length)
{
    if (length <= CHUNK / 2)
        sort_chunk<CHUNK / 64>(memory.list, length, group.lane);
    else
        for (int chunk = 0; chunk < length; chunk += CHUNK)
            sort_chunk<CHUNK / 32>(memory.list + chunk, length - chunk, group.lane);
    for (int x = group.lane; x < length; x += 32) {
        const int32_t column = memory.list[x];
        int rank = x % CHUNK;
        for (int chunk = 0; chunk < length; chunk += CHUNK)
            if (chunk != x / CHUNK * CHUNK) rank += rank_in_chunk(memory.list + chunk, column);
        memory.order[rank] = (uint16_t)table.find(column);
    }
}

template <bool Wide, typename Memory>
__device__ inline void order_entries(const table_group &group, const column_table &table, const Memory &memory,
                                     int length)
{
    if (Wide && length > MOST_RANKED)
        sort_list(group, table, memory, length);
    else {
        if (group.lane < (-length & 3)) memory.list[length + group.lane] = INT_MAX;
        __syncwarp();
        if (__any_sync(~0u, length > 2 * group.lanes))
            rank_list<4>(group, memory, length);
        else
            rank_list<2>(group, memory, length);
    }
    __syncwarp();
}

/* Writes the row, or the rows of a bundle, and empties the slots. */
template <typename Offset, typename Value, int R>
__device__ inline void write_rows(const patterns<Offset> &pattern, const numbers<Value> &number,
                                  const table_group &group, column_table &table, const fill_memory<Value> &memory,
                                  int32_t first_row, int rows, int length)
{
    Offset begin[R];
#pragma unroll
    for (int r = 0; r < R; r++) begin[r] = r < rows ? pattern.c_offsets[first_row + r] : 0;
    for (int x = group.lane; x < length; x += group.lanes) {
        const int slot = memory.order[x];
        const int32_t column = table.columns[slot];
        table.columns[slot] = NO_COLUMN;
#pragma unroll
        for (int r = 0; r < R; r++)
            if (r == 0 || r < rows) {
                number.c_columns[begin[r] + x] = column;
                if constexpr (!std::is_same<Value, none>::value)
                    number.c_values[begin[r] + x] = memory.sums[r * table.slots + slot];
            }
    }
    __syncwarp();
}

/* The entries of A for a row; none for a row that is not this kernel's. */
template <typename Offset>
__device__ inline span<Offset> a_row_if_held(const patterns<Offset> &pattern, int32_t i, int slots)
{
    const Offset length = pattern.c_offsets[i + 1] - pattern.c_offsets[i];
    return length > 0 && length <= table_holds(slots) ? a_row(pattern, i) : span<Offset>{0, 0};
}

/* Blocks that a multiprocessor is to hold: all that the registers leave room for, and one or two registers fewer where
 * that lets one more in. */
template <typename Value, int R> constexpr int resident_blocks() { return R == 1 && sizeof(Value) <= 8 ? 7 : 3; }

/* Wide: a group is a warp. */
template <typename Offset, typename Value, int R, bool Wide>
__global__ __launch_bounds__(TABLE_THREADS, resident_blocks<Value, R>()) void fill_table_kernel(
    const patterns<Offset> pattern, const numbers<Value> number, const row_set set, const table_shape shape)
{
    extern __shared__ int4 shared[];
    const table_group group(shape);
    const fill_memory<Value> memory(shared + group.in_block * (shape.group_bytes / 16), shape);
    column_table table(memory.columns, shape);
    const Value *a_values = nullptr, *b_values = nullptr;
    if constexpr (!std::is_same<Value, none>::value) a_values = number.a_values, b_values = number.b_values;
    expansion<Offset, Value, R, false> row(pattern, a_values, b_values, group, 0);
    table.clear(group);
    const int32_t count = row_count(set);
    const int groups = (int)blockDim.x / group.lanes;
    for (int64_t first = ((int64_t)blockIdx.x * groups + group.in_block) * shape.together;
         __any_sync(~0u, first < count); first += (int64_t)gridDim.x * groups * shape.together) {
        const int unit_rows = first >= count                   ? 0
                              : count - first < shape.together ? (int)(count - first)
                                                               : shape.together;
        for (int done = 0; __any_sync(~0u, done < unit_rows);) {
            const int32_t i = done < unit_rows ? row_at(set, (int32_t)first + done) : 0;
            row_bundle<Offset, R> bundle = bundle_rows<Offset, R>(
                pattern, group, unit_rows - done, [&](int r) { return a_row_if_held(pattern, i + r, shape.slots); });
            row.begin(bundle);
            __syncwarp();
            const int length = contract_row<Value, R>(group, table, memory, row);
            order_entries<Wide>(group, table, memory, length);
            write_rows<Offset, Value, R>(pattern, number, group, table, memory, i, bundle.rows, length);
            done += bundle.rows;
        }
    }
}

template <typename Offset, typename Value, int R>
spg_status launch_fill(cuda_product &product, const row_set &rows, const table_shape &shape)
{
    const char *name = "filling, class table";
    if (shape.lanes == 32)
        return launch_table(product, rows, shape, name, fill_table_kernel<Offset, Value, R, true>,
                            patterns_of<Offset>(product), numbers_of<Value>(product), rows, shape);
    return launch_table(product, rows, shape, name, fill_table_kernel<Offset, Value, R, false>,
                        patterns_of<Offset>(product), numbers_of<Value>(product), rows, shape);
}

} // namespace

spg_status fill_rows_table(cuda_product &product, const row_set &rows, int slots, int together)
{
    return with_types(product, [&](auto offset, auto value) {
        using Offset = decltype(offset);
        using Value = decltype(value);
        const int sums = rows.rows == nullptr ? together : 1;
        const table_shape shape = table_shape_of(rows, slots, together, fill_memory<Value>::slot_bytes(sums));
        if constexpr (!std::is_same<Value, none>::value)
            if (shape.together == 1) return launch_fill<Offset, Value, 1>(product, rows, shape);
        return launch_fill<Offset, Value, MOST_TOGETHER>(product, rows, shape);
    });
}

} // namespace spg
