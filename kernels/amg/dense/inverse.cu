/* The inverse of a dense operator by Gauss-Jordan exchanges with row pivots, panel by panel, if inversion without
 * pivoting has failed.
 *
 * y = A x is exchanged for x = A^-1 y, one column's unknown against its pivot row at a time, in place and without
 * moving rows: entry (row_of[j], c) ends as the inverse's entry in row j and column row_of[c]. One block exchanges the
 * columns of a panel, held in registers; then all blocks apply the panel to strips of the other columns. The pivots are
 * those of LU with row pivoting, except for columns whose largest entries agree in their first 20 bits. The tableau is
 * column-major: neighbouring lanes have neighbouring rows. One cooperative kernel; never waits. */
#include "dense.cuh"

#include <cooperative_groups.h>

namespace spg
{

namespace amg
{

namespace
{

enum { PANEL_THREADS = 512, PANEL_WARPS = PANEL_THREADS / WARP, PANEL_VALUES = 32, STRIP = 8 };

/* Columns of a panel that are exchanged one by one before the others are updated. */
enum { FEW = 8 };

/* What a panel's block shares: each warp's best pivot, and what the best pivot's row holds in the few columns.
 * Double-buffered: one copy is read while the next is written. others: what the few pivots' rows hold in the other
 * columns. */
template <int Width> struct panel_memory {
    static constexpr int few = Width < FEW ? Width : FEW;
    uint32_t keys[2][PANEL_WARPS];
    int32_t rows[2][PANEL_WARPS];
    double values[2][PANEL_WARPS];
    alignas(16) double pivot_row[2][few];
    alignas(16) double others[few][Width > few ? Width - few : 1];
};

struct pivot {
    uint32_t key; /* grows with the pivot's magnitude; 0: none */
    int32_t row;
    double value;
};

/* The best of the block's pivots; among equals the first by warp and lane. */
template <int Width> __device__ inline pivot find_pivot(panel_memory<Width> &memory, int turn, const pivot &mine)
{
    uint32_t most = __reduce_max_sync(ALL_LANES, mine.key);
    int lane = lane_in_warp(), warp = (int)threadIdx.x / WARP, warps = (int)blockDim.x / WARP;
    if (lane == __ffs((int)__ballot_sync(ALL_LANES, mine.key == most)) - 1) {
        memory.keys[turn][warp] = mine.key;
        memory.rows[turn][warp] = mine.row;
        memory.values[turn][warp] = mine.value;
    }
    __syncthreads();
    uint32_t key = lane < warps ? memory.keys[turn][lane] : 0;
    most = __reduce_max_sync(ALL_LANES, key);
    int winner = __ffs((int)__ballot_sync(ALL_LANES, key == most)) - 1;
    return {most, memory.rows[turn][winner], memory.values[turn][winner]};
}

/* A thread's rows of a panel: Rows rows, the first is row threadIdx.x. pivot_of: for which of the few columns a row is
 * the pivot; -1: none. */
template <int Rows, int Width> struct panel_rows {
    double a[Rows][Width];
    bool used[Rows];
    int pivot_of[Rows];

    static __device__ int row(int r) { return (int)threadIdx.x + r * (int)blockDim.x; }
};

/* Exchanges column t of the few for the best of the rows left. */
template <int Rows, int Width>
__device__ inline void exchange_column(const spg_amg_dense &dense, panel_memory<Width> &memory,
                                       panel_rows<Rows, Width> &mine, int column, int t)
{
    constexpr int few = panel_memory<Width>::few;
    pivot best = {0, (int)threadIdx.x, 0};
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
        uint32_t key = mine.used[r] ? 0 : ((uint32_t)__double2hiint(mine.a[r][t]) & 0x7fffffffu) + 1;
        if (key > best.key) best = {key, mine.row(r), mine.a[r][t]};
    }
    best = find_pivot(memory, t & 1, best);
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
        if (mine.row(r) != best.row) continue;
#pragma unroll
        for (int c = 0; c < few; ++c) memory.pivot_row[t & 1][c] = mine.a[r][c];
        mine.used[r] = true;
        mine.pivot_of[r] = t;
        dense.row_of[column] = best.row;
        dense.column_of[best.row] = column;
        dense.pivots[column] = fabs(best.value);
    }
    double reciprocal = best.value != 0 ? 1 / best.value : 0; /* computed while other threads wait for the row */
    __syncthreads();
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
        bool is_pivot = mine.row(r) == best.row;
        double factor = is_pivot ? reciprocal : mine.a[r][t] * reciprocal;
#pragma unroll
        for (int c = 0; c < few; ++c)
            if (c != t) mine.a[r][c] = fma(-factor, memory.pivot_row[t & 1][c], is_pivot ? 0.0 : mine.a[r][c]);
        mine.a[r][t] = factor;
    }
}

/* Applies the exchanges of the few columns to the other columns. */
template <int Rows, int Width>
__device__ inline void apply_few(panel_memory<Width> &memory, panel_rows<Rows, Width> &mine)
{
    constexpr int few = panel_memory<Width>::few;
#pragma unroll
    for (int r = 0; r < Rows; ++r)
        if (mine.pivot_of[r] >= 0)
#pragma unroll
            for (int c = few; c < Width; ++c) memory.others[mine.pivot_of[r]][c - few] = mine.a[r][c];
    __syncthreads();
#pragma unroll
    for (int r = 0; r < Rows; ++r)
#pragma unroll
        for (int c = few; c < Width; ++c) {
            double sum = mine.pivot_of[r] >= 0 ? 0 : mine.a[r][c];
#pragma unroll
            for (int t = 0; t < few; ++t) sum = fma(-mine.a[r][t], memory.others[t][c - few], sum);
            mine.a[r][c] = sum;
        }
}

/* Rotates the columns by the few, so that the next few come first. */
template <int Rows, int Width> __device__ inline void turn_columns(panel_rows<Rows, Width> &mine)
{
    constexpr int few = panel_memory<Width>::few;
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
        double done[few];
#pragma unroll
        for (int c = 0; c < few; ++c) done[c] = mine.a[r][c];
#pragma unroll
        for (int c = 0; c + few < Width; ++c) mine.a[r][c] = mine.a[r][c + few];
#pragma unroll
        for (int c = 0; c < few; ++c) mine.a[r][Width - few + c] = done[c];
    }
}

/* Exchanges columns [first, first + Width) of the tableau. The loop is not unrolled: unrolled, its instructions exceed
 * the instruction cache. */
template <int Rows, int Width>
__device__ void exchange_panel(const spg_amg_dense &dense, panel_memory<Width> &memory, int first)
{
    constexpr int few = panel_memory<Width>::few;
    const int count = (int)dense.padded;
    double *panel = dense.tableau + (int64_t)first * count;
    panel_rows<Rows, Width> mine;
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
        const int row = mine.row(r);
        mine.used[r] = row >= count || dense.column_of[row] >= 0;
#pragma unroll
        for (int c = 0; c < Width; ++c) mine.a[r][c] = row < count ? panel[(int64_t)c * count + row] : 0;
    }
#pragma unroll 1
    for (int done = 0; done < Width; done += few) {
#pragma unroll
        for (int r = 0; r < Rows; ++r) mine.pivot_of[r] = -1;
#pragma unroll
        for (int t = 0; t < few; ++t) exchange_column(dense, memory, mine, first + done + t, t);
        if (few == Width) break;
        apply_few(memory, mine);
        turn_columns(mine);
    }
#pragma unroll
    for (int r = 0; r < Rows; ++r)
#pragma unroll
        for (int c = 0; c < Width; ++c)
            if (mine.row(r) < count) panel[(int64_t)c * count + mine.row(r)] = mine.a[r][c];
}

/* Applies a panel to STRIP other columns: reads what its pivots' rows hold there before it changes them. */
template <int Width>
__device__ void apply_panel(const spg_amg_dense &dense, double (&pivot_rows)[Width][STRIP], int first, int column)
{
    const int64_t count = dense.padded;
    if (column >= first && column + STRIP <= first + Width) return;
    double *strip = dense.tableau + column * count;
    const double *panel = dense.tableau + first * count;
    __syncthreads();
    for (int k = (int)threadIdx.x; k < Width * STRIP; k += (int)blockDim.x)
        pivot_rows[k / STRIP][k % STRIP] = strip[k % STRIP * count + dense.row_of[first + k / STRIP]];
    __syncthreads();
    for (int row = (int)threadIdx.x; row < count; row += (int)blockDim.x) {
        bool is_pivot = dense.column_of[row] >= first && dense.column_of[row] < first + Width;
        double sums[STRIP];
#pragma unroll
        for (int c = 0; c < STRIP; ++c) sums[c] = is_pivot ? 0 : strip[c * count + row];
#pragma unroll 8
        for (int t = 0; t < Width; ++t) {
            double factor = -panel[t * count + row];
#pragma unroll
            for (int c = 0; c < STRIP; ++c) sums[c] = fma(factor, pivot_rows[t][c], sums[c]);
        }
#pragma unroll
        for (int c = 0; c < STRIP; ++c)
            if (column + c < first || column + c >= first + Width) strip[c * count + row] = sums[c];
    }
}

/* All threads of the grid call it. */
__device__ inline void put_inverse(const spg_amg_dense &dense)
{
    const int64_t n = dense.n, step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; k < n * dense.padded; k += step) {
        int64_t j = k / dense.padded, c = k % dense.padded, column = dense.row_of[c];
        bool is_used = dense.row_used[j] != 0 || dense.column_used[j] != 0;
        if (column < n) dense.inverse[j * n + column] = is_used ? dense.tableau[c * dense.padded + dense.row_of[j]] : 0;
    }
}

template <int Rows> __global__ __launch_bounds__(PANEL_THREADS) void exchange_columns(spg_amg_dense dense)
{
    constexpr int width = PANEL_VALUES / Rows;
    static_assert(DENSE_PAD % width == 0 && DENSE_PAD % STRIP == 0, "whole panels and strips");
    __shared__ panel_memory<width> memory;
    __shared__ double pivot_rows[width][STRIP];
    const int count = (int)dense.padded;
    if (*dense.indefinite == 0) return;
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    for (int first = 0; first < count; first += width) {
        if (blockIdx.x == 0) exchange_panel<Rows, width>(dense, memory, first);
        grid.sync();
        for (int column = (int)blockIdx.x * STRIP; column < count; column += (int)gridDim.x * STRIP)
            apply_panel<width>(dense, pivot_rows, first, column);
        grid.sync();
    }
    put_inverse(dense);
}

template <int Rows> spg_status queue_exchange(spg_context *context, const spg_amg_dense &dense)
{
    spg_cuda *cuda = spg_cuda_of(context);
    const int rows = (int)dense.padded, threads = rows < PANEL_THREADS ? rows : PANEL_THREADS, strips = rows / STRIP;
    int most = 0;
    cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&most, exchange_columns<Rows>, threads, 0);
    if (error != cudaSuccess) return spg_cuda_check(context, error, "a dense inverse");
    most *= cuda->multiprocessors;
    spg_amg_dense of = dense;
    void *arguments[] = {&of};
    error = cudaLaunchCooperativeKernel((const void *)exchange_columns<Rows>, dim3(strips < most ? strips : most),
                                        dim3(threads), arguments, 0, cuda->stream);
    return spg_cuda_check(context, error, "a dense inverse");
}

} // namespace

spg_status invert_by_pivots(spg_context *context, const spg_amg_dense &dense)
{
    return dense.padded <= PANEL_THREADS       ? queue_exchange<1>(context, dense)
           : dense.padded <= 2 * PANEL_THREADS ? queue_exchange<2>(context, dense)
           : dense.padded <= 4 * PANEL_THREADS ? queue_exchange<4>(context, dense)
                                               : queue_exchange<8>(context, dense);
}

} // namespace amg

} // namespace spg
