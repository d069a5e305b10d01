/* Method hash_group: a group of lanes a row contracts into a hash table in shared memory while it expands. Chosen by
 * route/route.cu; contraction while expanding replaces the paper's sort (section 3.3).
 *
 * Counting. Input: rows; checks that rows of B ascend strictly. Output: c_offsets[i] = length of row i; a row longer
 * than table_holds becomes an overflow row. Invariant: a search of a full table ends, and its row is an overflow row.
 *
 * Filling. Input: rows and c_offsets; rows outside 1 to table_holds(slots) entries are skipped. Output: columns and
 * values: products are summed at the slots of their columns, then sorted by column.
 *
 * One pass. A warp a row counts like the first, fills like the second, and keeps its row of C in workspace if it has up
 * to `stride` entries. After C is allocated, the kept rows are copied. For many products per entry of C,
 * where expanding again costs more than copying. */
#include "../../primitives/parts.cuh"
#include "../../primitives/sort.cuh"
#include "kept_rows.cuh"
#include "row_sums.cuh"

#include <algorithm>
#include <climits>

namespace spg
{
namespace
{

/* Lanes of a group: few for short rows of B, because lanes beyond a row of B idle; many for large tables, because few
 * groups leave room for few warps. */
int table_lanes(int slots, double b_row)
{
    const int least = slots <= 128 ? 8 : slots <= 256 ? 16 : 32, most = slots <= 32 ? 8 : slots <= 64 ? 16 : 32;
    const int wanted = b_row <= 8 ? 8 : b_row <= 16 ? 16 : 32;
    return wanted < least ? least : wanted > most ? most : wanted;
}

/* Calls function(lanes, piece), integral constants: the lanes of a group, and those that take an entry of A. */
template <typename Function> spg_status with_lanes(const cuda_product &product, int slots, Function &&function)
{
    using std::integral_constant;
    const double b_row = mean_b_row(product);
    const int lanes = table_lanes(slots, b_row);
    if (lanes == 8) return function(integral_constant<int, 8>{}, integral_constant<int, 8>{});
    if (lanes == 16) return function(integral_constant<int, 16>{}, integral_constant<int, 16>{});
    if (b_row <= 8) return function(integral_constant<int, 32>{}, integral_constant<int, 8>{});
    return function(integral_constant<int, 32>{}, integral_constant<int, 16>{});
}

/* Blocks a multiprocessor for which registers must leave room. */
template <typename Offset> constexpr int resident_blocks() { return sizeof(Offset) == 4 ? 8 : 6; }

template <typename Offset, int Lanes, int Piece>
__global__ __launch_bounds__(GROUP_THREADS,
                             resident_blocks<Offset>()) void count_table_kernel(const sums_shape shape,
                                                                                const patterns<Offset> pattern,
                                                                                const row_set set)
{
    extern __shared__ int4 shared[];
    const lane_group<Lanes> group;
    counts found{};
    const numbers<none> number{};
    row_sums<Offset, none, Lanes, Piece, reads::checked> sums(pattern, number, group, shape.slots,
                                                              shape.memory_of(group, shared), found);
    for_each_row_group(group, row_count(set), shape, [&](int32_t first, int rows) {
        const int32_t i = rows > 0 ? row_at(set, first) : 0;
        const span<Offset> row = rows > 0 ? checked_a_row(pattern, i, found.faults) : span<Offset>{0, 0};
        sums.take_row(i, row);
        const int length = sums.table.taken(group);
        const bool fits = !group.any(sums.full) && length <= table_holds(shape.slots);
        record(pattern, group, {i, rows, fits, length, sums.products}, (Offset)(row.end - row.begin), found);
        sums.clear();
        __syncwarp();
    });
    add_counts_of_groups(pattern.counters, found);
}

enum {
    MOST_RANKED = 64, /* entries that a warp sorts by ranks */
    CHUNK = 256       /* entries that it sorts at a time by a network */
};
static_assert(table_holds(512) <= 2 * CHUNK && table_holds(TABLE_MOST) <= 3 * CHUNK && 3 * CHUNK <= TABLE_MOST,
              "chunks lie within the list");

/* Sorts a chunk of up to G*E entries of a list by G lanes, padded with INT_MAX. */
template <int E, int G> __device__ inline void sort_chunk(int32_t *chunk, int length, int lane)
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
    sort_in_registers<E, G>(column, lane);
    __syncwarp();
#pragma unroll
    for (int e = 0; e < E; e += 4) mine[e / 4] = int4{column[e], column[e + 1], column[e + 2], column[e + 3]};
    __syncwarp();
}

/* The number of smaller columns in a sorted chunk. */
__device__ inline int rank_in_chunk(const int32_t *chunk, int32_t column)
{
    int rank = 0;
#pragma unroll
    for (int step = CHUNK / 2; step > 0; step /= 2)
        if (chunk[rank + step - 1] < column) rank += step;
    return rank + (chunk[rank] < column);
}

/* Where a row of C is written. */
template <typename Offset, typename Value, typename Sums> struct row_writer {
    const numbers<Value> &number;
    const Sums &sums;
    Offset begin;

    __device__ void write(int rank, int32_t column, int slot) const
    {
        number.c_columns[begin + rank] = column;
        if constexpr (has_values<Value>) number.c_values[begin + rank] = sums.sums[slot];
    }
};

/* Writes a row of more than MOST_RANKED entries by a warp: sorts chunks in registers and ranks by searches in the other
 * chunks. */
template <typename Sums, typename Writer> __device__ inline void write_sorted(Sums &sums, int length, const Writer &to)
{
    int32_t *const list = sums.columns;
    const int lane = sums.group.lane;
    if (length <= CHUNK / 2)
        sort_chunk<CHUNK / 64, 32>(list, length, lane);
    else
        for (int chunk = 0; chunk < length; chunk += CHUNK)
            sort_chunk<CHUNK / 32, 32>(list + chunk, length - chunk, lane);
    for (int x = lane; x < length; x += 32) {
        const int32_t column = list[x];
        int rank = x % CHUNK;
        for (int chunk = 0; chunk < length; chunk += CHUNK)
            if (chunk != x / CHUNK * CHUNK) rank += rank_in_chunk(list + chunk, column);
        to.write(rank, column, sums.table.find(column));
    }
    __syncwarp();
    sums.clear();
}

/* Writes rows of up to 64 entries by 16 lanes each: sorted in registers, with far fewer instructions than by ranks. */
template <typename Sums, typename Writer>
__device__ inline void write_sorted_at_once(Sums &sums, int length, const Writer &to)
{
    sort_chunk<4, 16>(sums.columns, length, sums.group.lane);
    for (int x = sums.group.lane; x < length; x += 16) to.write(x, sums.columns[x], sums.table.find(sums.columns[x]));
    __syncwarp();
    sums.clear();
}

/* Writes the row and empties the table. */
template <int Lanes, typename Sums, typename Writer>
__device__ inline void write_row(Sums &sums, int length, const Writer &to)
{
    if (Lanes == 32 && length > MOST_RANKED)
        write_sorted(sums, length, to);
    else if (Lanes == 16 && __any_sync(~0u, length > 32) && !__any_sync(~0u, length > 64))
        write_sorted_at_once(sums, length, to);
    else
        sums.write(
            length, [](int, int32_t) {},
            [&](int, int rank, int32_t column, int slot) { to.write(rank, column, slot); });
    __syncwarp();
}

template <typename Offset, typename Value, int Lanes, int Piece>
__global__ __launch_bounds__(GROUP_THREADS, blocks_of_sums<Offset, Value>()) void fill_table_kernel(
    const sums_shape shape, const patterns<Offset> pattern, const numbers<Value> number, const row_set set)
{
    extern __shared__ int4 shared[];
    const lane_group<Lanes> group;
    counts found{};
    using row_of_sums = row_sums<Offset, Value, Lanes, Piece, reads::trusted>;
    row_of_sums sums(pattern, number, group, shape.slots, shape.memory_of(group, shared), found);
    for_each_row_group(group, row_count(set), shape, [&](int32_t first, int rows) {
        const int32_t i = rows > 0 ? row_at(set, first) : 0;
        const Offset begin = pattern.c_offsets[i], held = pattern.c_offsets[i + 1] - begin;
        const bool mine = rows > 0 && held > 0 && held <= table_holds(shape.slots);
        sums.take_row(i, mine ? a_row(pattern, i) : span<Offset>{0, 0});
        const int length = sums.list_columns();
        write_row<Lanes>(sums, length, row_writer<Offset, Value, row_of_sums>{number, sums, begin});
    });
}

template <typename Offset, typename Value, int Piece>
__global__ __launch_bounds__(GROUP_THREADS,
                             blocks_of_sums<Offset, Value>()) void kept_kernel(const sums_shape shape,
                                                                               const patterns<Offset> pattern,
                                                                               const numbers<Value> number, int stride,
                                                                               int32_t *columns, Value *values)
{
    extern __shared__ int4 shared[];
    const lane_group<32> group;
    counts found{};
    row_sums<Offset, Value, 32, Piece, reads::checked> sums(pattern, number, group, shape.slots,
                                                            shape.memory_of(group, shared), found);
    for_each_row_group(group, pattern.rows, shape, [&](int32_t i, int rows) {
        if (rows == 0) return;
        const span<Offset> row = checked_a_row(pattern, i, found.faults);
        sums.take_row(i, row);
        const int count = sums.list_columns();
        const bool fits = count <= table_holds(shape.slots) && !group.any(sums.full), keep = count <= stride;
        const int64_t begin = (int64_t)i * stride;
        if (!fits) sums.clear();
        const auto each = [&](int, int rank, int32_t column, int slot) {
            if (keep) columns[begin + rank] = column, values[begin + rank] = sums.sums[slot];
        };
        sums.write(
            fits ? count : 0, [](int, int32_t) {}, each);
        record(pattern, group, {i, rows, fits, count, sums.products}, (Offset)(row.end - row.begin), found);
    });
    add_counts_of_groups(pattern.counters, found);
}

enum { COPY_THREADS = 256, COPY_LANES = 16 };

int64_t most_to_keep(const cuda_product &product)
{
    const int64_t entry = (int64_t)(sizeof(int32_t) + spg_type_size(product.A->value_type));
    return std::max<int64_t>(KEPT_ANYWAY, KEPT_OF_OPERANDS * entry * (product.A->nnz + product.B->nnz));
}

/* Copies rows of up to `stride` entries. */
template <typename Offset, typename Value>
__global__ void __launch_bounds__(COPY_THREADS)
    copy_rows(const Offset *c_offsets, int32_t rows, int stride, const int32_t *columns, const Value *values,
              int32_t *c_columns, Value *c_values)
{
    const int64_t i = ((int64_t)blockIdx.x * COPY_THREADS + threadIdx.x) / COPY_LANES;
    if (i >= rows) return;
    const Offset begin = c_offsets[i], length = c_offsets[i + 1] - begin;
    if (length > stride) return;
    const int64_t from = i * stride;
    for (int x = (int)threadIdx.x % COPY_LANES; x < length; x += COPY_LANES) {
        c_columns[begin + x] = columns[from + x];
        c_values[begin + x] = values[from + x];
    }
}

} // namespace

spg_status count_rows_hash_group(cuda_product &product, const row_set &rows, int slots)
{
    return with_offset_type(product.offset_type, [&](auto offset) {
        using Offset = decltype(offset);
        return with_lanes(product, slots, [&](auto lanes, auto piece) {
            return launch_groups(product, rows, sums_shape_of<Offset, none>(lanes.value, slots, COUNTED_SLOT_BYTES),
                                 "counting, class hash_group", count_table_kernel<Offset, lanes.value, piece.value>,
                                 patterns_of<Offset>(product), rows);
        });
    });
}

spg_status fill_rows_hash_group(cuda_product &product, const row_set &rows, int slots)
{
    return with_types(product, [&](auto offset, auto value) {
        using Offset = decltype(offset);
        using Value = decltype(value);
        return with_lanes(product, slots, [&](auto lanes, auto piece) {
            return launch_groups(
                product, rows, sums_shape_of<Offset, Value>(lanes.value, slots, listed_slot_bytes<Value>),
                "filling, class hash_group", fill_table_kernel<Offset, Value, lanes.value, piece.value>,
                patterns_of<Offset>(product), numbers_of<Value>(product), rows);
        });
    });
}

spg_status count_rows_kept(cuda_product &product, const kept_rows &kept)
{
    return with_value_types(product, [&](auto offset, auto value) {
        using Offset = decltype(offset);
        using Value = decltype(value);
        const auto shape = sums_shape_of<Offset, Value>(32, kept.slots, listed_slot_bytes<Value>);
        return launch_groups(product, all_rows(product), shape, "counting, kept rows",
                             mean_b_row(product) <= 8 ? kept_kernel<Offset, Value, 8> : kept_kernel<Offset, Value, 16>,
                             patterns_of<Offset>(product), numbers_of<Value>(product), kept.stride, kept.columns,
                             static_cast<Value *>(kept.values));
    });
}

void take_kept_rows(cuda_product &product, int slots, int stride, kept_rows *kept)
{
    const int64_t entries = product.A->rows * (int64_t)stride;
    const int64_t values_bytes = part_bytes(entries * (int64_t)spg_type_size(product.A->value_type));
    const int64_t bytes = values_bytes + entries * (int64_t)sizeof(int32_t);
    *kept = {};
    if (bytes > most_to_keep(product)) return;
    kept->memory = take_spare_workspace(product, bytes);
    if (kept->memory == nullptr) return;
    kept->bytes = bytes;
    kept->slots = slots;
    kept->stride = stride;
    kept->values = kept->memory;
    kept->columns = reinterpret_cast<int32_t *>(static_cast<char *>(kept->memory) + values_bytes);
}

spg_status copy_kept_rows(cuda_product &product, const kept_rows &kept)
{
    const int32_t rows = (int32_t)product.C->rows;
    const int64_t blocks = ((int64_t)rows * COPY_LANES + COPY_THREADS - 1) / COPY_THREADS;
    return with_value_types(product, [&](auto offset, auto value) {
        using Value = decltype(value);
        copy_rows<<<(unsigned)blocks, COPY_THREADS, 0, product.cuda->stream>>>(
            static_cast<const decltype(offset) *>(product.C->row_offsets), rows, kept.stride, kept.columns,
            static_cast<const Value *>(kept.values), product.C->columns, static_cast<Value *>(product.C->values));
        return spg_cuda_check_launch(product.context, "copy_rows");
    });
}

} // namespace spg
