/* Shared by the methods that give a row of C to a group of lanes. Private.
 *
 * Entries of A are taken in storage order; the lanes spread over the row of B that each entry names, so no two lanes of
 * a group have the same column. The groups of a warp run in step: all loops are the warp's, and a group whose row has
 * ended idles. */
#ifndef SPG_KERNELS_SPGEMM_DRIVER_GROUPS_CUH
#define SPG_KERNELS_SPGEMM_DRIVER_GROUPS_CUH

#include "../../launch.cuh"
#include "../../primitives/lanes.cuh"
#include "../rows.cuh"

namespace spg
{

enum {
    GROUP_THREADS = 128,  /* a block, unless its groups' memory does not fit */
    GROUP_TILE_STEPS = 4, /* rows that a group does before its block moves on: neighbours share rows of B in L1 */
    COLUMNS_AT_ONCE = 4,  /* of a row, compared by a lane at a time */
    MOST_TOGETHER = 3,
    NO_COLUMN = -1
};

/* The launch of a kernel. lanes: of a group; pieces: rows of B are longer than the group. */
struct group_shape {
    int lanes, together, group_bytes; /* bytes of shared memory */
    int tile_steps;
    bool pieces;
    int rounds = 1; /* blocks per resident block; with several, blocks of other kernels get in between */

    template <typename Group> __device__ int4 *memory_of(const Group &group, int4 *shared) const
    {
        return shared + group.in_block * (group_bytes / 16);
    }
};

inline double mean_b_row(const cuda_product &product)
{
    return product.B->rows > 0 ? (double)product.B->nnz / (double)product.B->rows : 0;
}

/* Neighbouring rows with equal columns in A, done as one; or one row. */
template <typename Offset, int R> struct row_bundle {
    span<Offset> row[R];
    int rows;
};

/* Rows of B, one a lane, named by the next entries of A of a group. */
template <typename Offset> struct b_rows {
    Offset begin;
    int length;
};

/* The row of B of an entry of A; the operands have been checked. */
template <typename Offset> __device__ inline b_rows<Offset> b_bounds(const patterns<Offset> &pattern, int32_t column)
{
    const span<Offset> b = b_row(pattern, column);
    return {b.begin, (int)(b.end - b.begin)};
}

/* The next rows of a group, from `rows` (0: none) consecutive ones: all if their columns in A are equal, else the
 * first. row(r) is the r-th row's range in A. The whole warp calls it. */
template <typename Offset, int R, typename Group, typename Row>
__device__ inline row_bundle<Offset, R> bundle_rows(const patterns<Offset> &pattern, const Group &group, int rows,
                                                    Row &&row)
{
    constexpr int N = COLUMNS_AT_ONCE;
    row_bundle<Offset, R> bundle;
#pragma unroll
    for (int r = 0; r < R; r++) bundle.row[r] = r < rows ? row(r) : span<Offset>{0, 0};
    bundle.rows = rows > 0 ? rows : 0;
    const Offset length = bundle.row[0].end - bundle.row[0].begin;
    bool equal = true;
#pragma unroll
    for (int r = 1; r < R; r++) equal = equal && (r >= rows || bundle.row[r].end - bundle.row[r].begin == length);
    if (R > 1 && rows > 1 && equal)
        for (Offset first = group.lane; first < length; first += N * Group::lanes) {
            int32_t column[R][N];
#pragma unroll
            for (int n = 0; n < N; n++)
#pragma unroll
                for (int r = 0; r < R; r++) {
                    const Offset e = first + n * Group::lanes;
                    const Offset begin = r < rows ? bundle.row[r].begin : bundle.row[0].begin;
                    column[r][n] = e < length ? pattern.a_columns[begin + e] : NO_COLUMN;
                }
#pragma unroll
            for (int n = 0; n < N; n++)
#pragma unroll
                for (int r = 1; r < R; r++) equal = equal && column[r][n] == column[0][n];
        }
    __syncwarp();
    if (R > 1 && group.any(!equal)) bundle.rows = rows > 0 ? 1 : 0;
    return bundle;
}

enum { COMPARING_THREADS = 256, COMPARING_LANES = 8 }; /* a group of so many lanes compares two rows */

/* Whether the columns of a row are those of the row before, plus Step, and below `cols`, and each(column) holds for all
 * of them. Not for an empty row. The whole warp calls it. */
template <int Step, typename Offset, typename Each>
__device__ inline bool is_like_before(const int32_t *columns, span<Offset> row, span<Offset> before, int32_t cols,
                                      Each &&each)
{
    constexpr int N = COLUMNS_AT_ONCE, G = COMPARING_LANES;
    const lane_group<G> group;
    const Offset length = row.end - row.begin;
    bool is = length > 0 && before.end - before.begin == length;
    for (Offset first = group.lane; __any_sync(~0u, is && first < length); first += G * N) {
        int32_t column[N], other[N];
        bool here = true;
#pragma unroll
        for (int n = 0; n < N; ++n) {
            const Offset k = first + n * G;
            const bool wanted = is && k < length;
            column[n] = wanted ? columns[row.begin + k] : Step;
            other[n] = wanted ? columns[before.begin + k] : 0;
        }
#pragma unroll
        for (int n = 0; n < N; ++n)
            here = here && (uint32_t)(column[n] - Step) < (uint32_t)(cols - Step) && other[n] == column[n] - Step;
#pragma unroll
        for (int n = 0; n < N; ++n)
            if (is && here && first + n * G < length) here = here && each(column[n]);
        is = !group.any(!(is && here));
    }
    return is;
}

/* marks[j]: whether row j of B is the row before in this way; false if their offsets are invalid. */
template <typename Offset, int Step>
__global__ void __launch_bounds__(COMPARING_THREADS) compare_with_before(patterns<Offset> pattern, uint8_t *marks)
{
    const int64_t j = ((int64_t)blockIdx.x * COMPARING_THREADS + threadIdx.x) / COMPARING_LANES;
    unsigned int faults = 0; /* discarded: found again when the row is counted */
    span<Offset> row{0, 0}, before{0, 0};
    if (j > 0 && j < pattern.inner) {
        row = checked_b_row(pattern, (int32_t)j, faults);
        before = checked_b_row(pattern, (int32_t)j - 1, faults);
    }
    const bool is = is_like_before<Step>(pattern.b_columns, row, before, pattern.cols, [](int32_t) { return true; });
    if (j < pattern.inner && threadIdx.x % COMPARING_LANES == 0) marks[j] = is;
}

template <typename Offset, int Step> spg_status mark_rows_like_before(cuda_product &product, uint8_t *marks)
{
    const int64_t blocks = (product.B->rows * COMPARING_LANES + COMPARING_THREADS - 1) / COMPARING_THREADS;
    compare_with_before<Offset, Step>
        <<<(unsigned int)blocks, COMPARING_THREADS, 0, product.cuda->stream>>>(patterns_of<Offset>(product), marks);
    return spg_cuda_check_launch(product.context, "comparing rows of B");
}

/* Calls each(number of the first row in the set, rows) for the units of a group: `together` rows, or the last few. rows
 * = 0 for a group without a unit. A block takes tiles of neighbouring units. The whole warp calls it. */
template <typename Group, typename Each>
__device__ inline void for_each_row_group(const Group &group, int32_t count, const group_shape &shape, Each &&each)
{
    const int groups = (int)blockDim.x / Group::lanes;
    const int64_t step = (int64_t)groups * shape.together, tile = step * shape.tile_steps;
    for (int64_t begin = (int64_t)blockIdx.x * tile; begin < count; begin += (int64_t)gridDim.x * tile)
        for (int64_t at = begin; at < begin + tile && at < count; at += step) {
            const int64_t first = at + (int64_t)group.in_block * shape.together, left = count - first;
            each((int32_t)first, left <= 0 ? 0 : left < shape.together ? (int)left : shape.together);
        }
}

/* What a group found of `rows` rows with the same columns, from first_row on. fits: they were counted whole; otherwise
 * they become overflow rows. products: this lane's share of one row's. */
struct counted_rows {
    int32_t first_row;
    int rows;
    bool fits;
    int length;
    unsigned long long products;
};

/* a_length: entries of A of one of these rows. All lanes call it. */
template <typename Offset, typename Group>
__device__ inline void record(const patterns<Offset> &pattern, const Group &group, const counted_rows &counted,
                              Offset a_length, counts &found)
{
    const auto &[first_row, rows, fits, length, products] = counted;
    if (rows == 0) return;
    if (!fits) {
        if (group.lane < rows) leave_row(pattern, first_row + group.lane);
        return;
    }
    found.products += products * (unsigned)rows;
    if (group.lane < rows) pattern.c_offsets[first_row + group.lane] = (Offset)length;
    if (group.lane != 0) return;
    found.rows += (unsigned)rows;
    found.nnz += (unsigned long long)length * (unsigned)rows;
    found.longest = (unsigned)length > found.longest ? (unsigned)length : found.longest;
    if (!fits_list((Offset)length, a_length)) found.long_rows += (unsigned)rows;
}

/* All threads of a block call it. */
__device__ inline void add_counts_of_groups(spg_counters *counters, const counts &found)
{
    __syncwarp();
    add_counts(counters, found);
    const unsigned int long_rows = __reduce_add_sync(~0u, found.long_rows);
    if (threadIdx.x % 32 == 0 && long_rows > 0) atomicAdd(&counters->long_rows, long_rows);
}

/* Threads of a block whose groups fit in shared memory; 0 if not even one warp's do. */
inline int group_block_threads(const cuda_product &product, const group_shape &shape)
{
    const int fit = product.cuda->block_shared_bytes / (shape.group_bytes * (32 / shape.lanes));
    return fit < GROUP_THREADS / 32 ? fit * 32 : GROUP_THREADS;
}

/* The grid of a kernel over the units of `rows`: as many blocks as are resident at a time, times shape.rounds. blocks =
 * 0: no unit. */
struct group_grid {
    unsigned int blocks;
    int threads, bytes;
};

template <typename Shape, typename... Parameters>
spg_status grid_of_groups(cuda_product &product, const row_set &rows, Shape &shape, const char *name,
                          void (*kernel)(Shape, Parameters...), group_grid *grid)
{
    const int64_t row_groups = ((int64_t)rows.count + shape.together - 1) / shape.together;
    *grid = {};
    if (row_groups == 0) return SPG_OK;
    const int threads = group_block_threads(product, shape), groups = threads / shape.lanes;
    const int bytes = groups * shape.group_bytes;
    if (threads == 0) return spg_context_fail(product.context, SPG_ERROR_DEVICE, "%s: too little shared memory", name);
    int resident = 0;
    spg_status status = allow_shared(product.context, name, kernel, product.cuda->block_shared_bytes);
    if (status == SPG_OK) status = resident_blocks_of(product.context, name, kernel, threads, bytes, &resident);
    if (status != SPG_OK) return status;
    const int64_t most = (int64_t)(resident > 0 ? resident : 1) * product.cuda->multiprocessors * shape.rounds;
    const int64_t steps = (row_groups + groups - 1) / groups;
    shape.tile_steps = steps >= 4 * GROUP_TILE_STEPS * most ? GROUP_TILE_STEPS : 1;
    const int64_t tiles = (steps + shape.tile_steps - 1) / shape.tile_steps;
    *grid = {(unsigned int)(tiles < most ? tiles : most), threads, bytes};
    return SPG_OK;
}

/* Queues kernel(shape, arguments...). InTurn: by programmatic dependent launch (launch.cuh). */
template <bool InTurn = false, typename Shape, typename... Parameters, typename... Arguments>
spg_status launch_groups(cuda_product &product, const row_set &rows, Shape shape, const char *name,
                         void (*kernel)(Shape, Parameters...), Arguments... arguments)
{
    group_grid grid;
    spg_status status = grid_of_groups(product, rows, shape, name, kernel, &grid);
    if (status != SPG_OK || grid.blocks == 0) return status;
    if constexpr (InTurn)
        return launch_programmatic(product.context, product.cuda->stream, name, grid.blocks, (unsigned int)grid.threads,
                                   (size_t)grid.bytes, kernel, shape, arguments...);
    kernel<<<grid.blocks, grid.threads, grid.bytes, product.cuda->stream>>>(shape, arguments...);
    return spg_cuda_check_launch(product.context, name);
}

/* Calls function(lanes, pieces), integral constants, with the template
 * parameters of a shape. */
template <typename Function> spg_status with_group_shape(const group_shape &shape, Function &&function)
{
    using std::integral_constant;
    if (shape.pieces) return function(integral_constant<int, 32>{}, integral_constant<bool, true>{});
    if (shape.lanes == 32) return function(integral_constant<int, 32>{}, integral_constant<bool, false>{});
    if (shape.lanes == 16) return function(integral_constant<int, 16>{}, integral_constant<bool, false>{});
    return function(integral_constant<int, 8>{}, integral_constant<bool, false>{});
}

} // namespace spg

#endif
