/* What the table kernels (rows_table_count.cu, rows_table_fill.cu) share.
 * Private.
 *
 * A group of lanes does one row of C. Its table, in shared memory, is
 * open-addressing, keyed by column. Entries of A are taken in storage order,
 * the lanes across the row of B that each names, so that no two lanes of a
 * group meet at a column. The groups of a warp keep in step: all loops are the
 * warp's, and a group whose row has ended idles. */
#ifndef SPG_KERNELS_SPGEMM_TABLE_CUH
#define SPG_KERNELS_SPGEMM_TABLE_CUH

#include "rows.cuh"

namespace spg
{

enum {
    TABLE_THREADS = 128,  /* a block, unless its tables would not fit */
    TABLE_TILE_STEPS = 4, /* rows a group does before its block moves on:
                             neighbours share rows of B in L1 */
    STEPS_AT_ONCE = 4,    /* steps, a row of B or a piece of one each, whose entries
                             are asked for together */
    MOST_TOGETHER = 3,
    NO_COLUMN = -1 /* in an empty slot */
};

/* How a kernel is launched. lanes: of a group; pieces: rows of B are longer
 * than those. shift: 32 - log2(slots). */
struct table_shape {
    int slots, shift, lanes, together, group_bytes; /* bytes of shared memory */
    int tile_steps;
    bool pieces;
};

/* Lanes of a group: few where rows of B are short, for lanes beyond a row of B
 * idle, but many where tables are large, for few groups leave room for few
 * warps. */
inline int table_lanes(int slots, double b_row)
{
    const int least = slots <= 128 ? 8 : slots <= 256 ? 16 : 32, most = slots <= 32 ? 8 : slots <= 64 ? 16 : 32;
    const int wanted = b_row <= 8 ? 8 : b_row <= 16 ? 16 : 32;
    return wanted < least ? least : wanted > most ? most : wanted;
}

/* With `slot_bytes` a slot. The groups of a warp begin at different banks. */
inline table_shape table_shape_of(const cuda_product &product, const row_set &rows, int slots, int together,
                                  int slot_bytes)
{
    const double b_row = product.B->rows > 0 ? (double)product.B->nnz / (double)product.B->rows : 0;
    int shift = 32;
    for (int left = slots; left > 1; left /= 2) shift--;
    const int lanes = table_lanes(slots, b_row);
    return {slots,
            shift,
            lanes,
            rows.rows == nullptr ? together : 1,
            (slots * slot_bytes + 127) / 128 * 128 + 32,
            1,
            lanes == 32 && b_row > 32};
}

/* The lanes that work on one row. */
template <int Lanes> struct table_group {
    static constexpr int lanes = Lanes;
    int lane, in_block; /* in the group; number of the group */

    __device__ table_group() : lane((int)threadIdx.x % Lanes), in_block((int)threadIdx.x / Lanes) {}
    __device__ bool any(bool what) const
    {
        if (Lanes == 32) return __any_sync(~0u, what);
        const unsigned mask = (~0u >> (32 - Lanes)) << (threadIdx.x & 31u & ~(Lanes - 1u));
        return (__ballot_sync(~0u, what) & mask) != 0;
    }
    __device__ int sum(int value) const
    {
#pragma unroll
        for (int step = Lanes / 2; step > 0; step /= 2) value += __shfl_xor_sync(~0u, value, step);
        return value;
    }
};

/* A group's table of columns. */
struct column_table {
    int32_t *columns; /* by slot */
    int slots, shift;

    template <typename Group> __device__ void clear(const Group &group)
    {
        const int4 empty{NO_COLUMN, NO_COLUMN, NO_COLUMN, NO_COLUMN};
        for (int i = group.lane; i < slots / 4; i += Group::lanes) reinterpret_cast<int4 *>(columns)[i] = empty;
    }
    /* The upper bits of the product: the lower ones let columns of a grid
     * collide. */
    __device__ int first_slot(int32_t column) const { return (int)((uint32_t)column * 0x9E3779B1u >> shift); }
    __device__ int32_t at(int slot) const { return *static_cast<volatile int32_t *>(columns + slot); }

    __device__ int find(int32_t column) const
    {
        int slot = first_slot(column);
        while (columns[slot] != column) slot = (slot + 1) & (slots - 1);
        return slot;
    }
    /* The slot of a column, made if there is none; `found` was at its first,
     * `slot`. A full table has no end to it. */
    __device__ int find_or_insert(int32_t column, int slot, int32_t found)
    {
        while (true) {
            if (found == NO_COLUMN) found = atomicCAS(columns + slot, NO_COLUMN, column);
            if (found == NO_COLUMN || found == column) return slot;
            slot = (slot + 1) & (slots - 1);
            found = at(slot);
        }
    }
    /* Whether the column was inserted; `full` if it could not be. */
    __device__ bool insert(int32_t column, int slot, int32_t found, bool &full)
    {
        for (int tries = 0; tries < slots; tries++) {
            if (found == NO_COLUMN) found = atomicCAS(columns + slot, NO_COLUMN, column);
            if (found == NO_COLUMN) return true;
            if (found == column) return false;
            slot = (slot + 1) & (slots - 1);
            found = at(slot);
        }
        full = true;
        return false;
    }
};

template <int Lanes, typename Value> __device__ inline Value shuffle(Value value, int lane)
{
    return __shfl_sync(~0u, value, lane, Lanes);
}
template <int Lanes, typename Real> __device__ inline complex<Real> shuffle(complex<Real> value, int lane)
{
    return {shuffle<Lanes>(value.re, lane), shuffle<Lanes>(value.im, lane)};
}

/* Neighbouring rows with equal columns in A, done as one; or a single row. */
template <typename Offset, int R> struct row_bundle {
    span<Offset> row[R];
    int rows;
};

/* Rows of B, one a lane, that a group's next entries of A name. */
template <typename Offset> struct b_rows {
    Offset begin;
    int length;
};

/* Calls batch(rows of B, entry of A that this lane's comes from and whether
 * there is one, entries of the warp's longest batch) for a group's lanes of
 * entries at a time, by the whole warp, until its groups' rows have ended. The
 * columns of A are asked for a batch ahead. bounds(column) is the row of B;
 * batch returns whether the group gives up its row. */
template <typename Group, typename Offset, typename Bounds, typename Batch>
__device__ inline void for_each_batch(const patterns<Offset> &pattern, const Group &group, span<Offset> row,
                                      Bounds &&bounds, Batch &&batch)
{
    Offset entry = row.begin + group.lane;
    int32_t column = entry < row.end ? pattern.a_columns[entry] : NO_COLUMN;
    while (true) {
        const Offset left = row.end - entry + group.lane;
        const int entries = __reduce_max_sync(~0u, left <= 0 ? 0 : left < Group::lanes ? (int)left : Group::lanes);
        if (entries == 0) return;
        const bool valid = entry < row.end;
        b_rows<Offset> b{0, 0};
        if (valid) b = bounds(column);
        const Offset next = entry + Group::lanes;
        if (next < row.end) column = pattern.a_columns[next];
        if (batch(b, entry, valid, entries)) row.end = row.begin;
        entry = next;
    }
}

/* The next rows that a group does, of `rows` (0: none) that follow each other:
 * all if their columns in A are equal, else the first; row(r) is where the r-th
 * lies in A. Called by the whole warp. */
template <typename Offset, int R, typename Group, typename Row>
__device__ inline row_bundle<Offset, R> bundle_rows(const patterns<Offset> &pattern, const Group &group, int rows,
                                                    Row &&row)
{
    row_bundle<Offset, R> bundle;
    bool equal = true;
#pragma unroll
    for (int r = 0; r < R; r++) {
        bundle.row[r] = r < rows ? row(r) : span<Offset>{0, 0};
        equal =
            equal && (r >= rows || bundle.row[r].end - bundle.row[r].begin == bundle.row[0].end - bundle.row[0].begin);
    }
    bundle.rows = rows > 0 ? rows : 0;
    if constexpr (R > 1) {
        const Offset length = bundle.row[0].end - bundle.row[0].begin;
        for (Offset e = group.lane; rows > 1 && equal && e < length; e += Group::lanes) {
            const int32_t column = pattern.a_columns[bundle.row[0].begin + e];
#pragma unroll
            for (int r = 1; r < R; r++)
                equal = equal && (r >= rows || pattern.a_columns[bundle.row[r].begin + e] == column);
        }
        __syncwarp();
        if (group.any(!equal)) bundle.rows = rows > 0 ? 1 : 0;
    }
    return bundle;
}

/* Calls each(number in the set of the first row, rows) for the units that a
 * group does, `together` rows or the last rows each, by the whole warp: rows is
 * 0 for a group that has none. A block takes tiles of neighbouring units. */
template <typename Group, typename Each>
__device__ inline void for_each_unit(const Group &group, int32_t count, const table_shape &shape, Each &&each)
{
    const int groups = (int)blockDim.x / Group::lanes;
    const int64_t step = (int64_t)groups * shape.together, tile = step * shape.tile_steps;
    for (int64_t begin = (int64_t)blockIdx.x * tile; begin < count; begin += (int64_t)gridDim.x * tile)
        for (int64_t at = begin; at < begin + tile && at < count; at += step) {
            const int64_t first = at + (int64_t)group.in_block * shape.together, left = count - first;
            each((int32_t)first, left <= 0 ? 0 : left < shape.together ? (int)left : shape.together);
        }
}

/* Threads of a block whose groups' tables fit in shared memory; 0 if not one
 * warp's do. */
inline int table_block_threads(const cuda_product &product, const table_shape &shape)
{
    const int fit = product.cuda->block_shared_bytes / (shape.group_bytes * (32 / shape.lanes));
    return fit < TABLE_THREADS / 32 ? fit * 32 : TABLE_THREADS;
}

/* Queues a kernel over the units of `rows`: as many blocks as are resident at a
 * time. kernel(shape, arguments...). */
template <typename... Parameters, typename... Arguments>
spg_status launch_table(cuda_product &product, const row_set &rows, table_shape shape, const char *name,
                        void (*kernel)(table_shape, Parameters...), Arguments... arguments)
{
    const int64_t units = ((int64_t)rows.count + shape.together - 1) / shape.together;
    if (units == 0) return SPG_OK;
    const int threads = table_block_threads(product, shape), groups = threads / shape.lanes;
    const int bytes = groups * shape.group_bytes;
    if (threads == 0) return spg_context_fail(product.context, SPG_ERROR_DEVICE, "%s: too little shared memory", name);
    int resident = 0;
    /* The most there is, always: the limit is the process's, and contexts on
     * other threads launch too. */
    cudaError_t error =
        cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                             product.cuda->block_shared_bytes);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, (size_t)bytes);
    spg_status status = spg_cuda_check(product.context, error, name);
    if (status != SPG_OK) return status;
    const int64_t most = (int64_t)(resident > 0 ? resident : 1) * product.cuda->multiprocessors;
    const int64_t steps = (units + groups - 1) / groups;
    shape.tile_steps = steps >= 4 * TABLE_TILE_STEPS * most ? TABLE_TILE_STEPS : 1;
    const int64_t tiles = (steps + shape.tile_steps - 1) / shape.tile_steps;
    kernel<<<(unsigned)(tiles < most ? tiles : most), threads, bytes, product.cuda->stream>>>(shape, arguments...);
    return spg_cuda_check_launch(product.context, name);
}

/* Calls function(lanes, pieces), integral constants, with the template
 * parameters of a shape. */
template <typename Function> spg_status with_table_shape(const table_shape &shape, Function &&function)
{
    using std::integral_constant;
    if (shape.pieces) return function(integral_constant<int, 32>{}, integral_constant<bool, true>{});
    if (shape.lanes == 32) return function(integral_constant<int, 32>{}, integral_constant<bool, false>{});
    if (shape.lanes == 16) return function(integral_constant<int, 16>{}, integral_constant<bool, false>{});
    return function(integral_constant<int, 8>{}, integral_constant<bool, false>{});
}

} // namespace spg

#endif
