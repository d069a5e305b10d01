/* The inverse of a dense operator that is symmetric and positive definite, without pivoting.
 *
 * Symmetric sweeps, BLOCK unknowns at a time (Beaton, The Use of Special Matrix Operators in Statistical Calculus,
 * 1964). D is the diagonal block of the swept unknowns and C their columns. Every other entry A becomes A - C D^-1 C^T,
 * C becomes C D^-1, and D becomes -D^-1; after all sweeps the tableau is -A^-1. Only tiles on and below the diagonal
 * are stored, in the memory of the inverse. A block of threads takes a tile, and inverts D itself; C is read from where
 * the previous launch wrote it. If the tableau is not symmetric, or a pivot not positive, a flag is set, and the
 * tableau as loaded is left for the inversion with pivots. One launch a sweep; never waits. */
#include "dense.cuh"

#include <cfloat>

namespace spg
{

namespace amg
{

namespace
{

enum {
    BLOCK = DENSE_PAD,
    COLUMNS = BLOCK * WARP / THREADS
}; /* COLUMNS: columns of a tile that a thread has in its
    * row */

static_assert((int)BLOCK == (int)WARP, "a lane a row of a tile");

/* Matrices of a block, by columns. Pivots are exchanged in pairs: the two columns, double-buffered, because one copy is
 * read while the next is written. */
struct sweep_memory {
    alignas(16) double pairs[2][2][BLOCK];
    alignas(16) double swept[BLOCK][BLOCK];     /* -D^-1, then C D^-1, if they are factors */
    alignas(16) double of_row[BLOCK][BLOCK];    /* C in the tile's rows */
    alignas(16) double of_column[BLOCK][BLOCK]; /* and in its columns */
};

/* A thread's position and values in a tile: row lane, COLUMNS columns from `column` on. */
struct tile_part {
    int row, column;
    double a[COLUMNS];

    __device__ tile_part() : row(lane_in_warp()), column((int)threadIdx.x / WARP * COLUMNS) {}
};

/* Sweeps pivots t and t + 1 of D = {{p, q}, {q, s}}, whose columns are x and y. */
__device__ inline bool sweep_pair(tile_part &part, const double *x, const double *y, int t, double *pivots)
{
    const double p = x[t], q = x[t + 1], s = y[t + 1];
    const double determinant = fma(p, s, -q * q);
    const double in_x = fma(x[part.row], s, -y[part.row] * q), in_y = fma(y[part.row], p, -x[part.row] * q);
    const double reciprocal = 1 / determinant;
    const bool is_first = part.row == t, is_pivot = is_first || part.row == t + 1;
    const double of_x = is_first ? s * reciprocal : is_pivot ? -q * reciprocal : -in_x * reciprocal;
    const double of_y = is_first ? -q * reciprocal : is_pivot ? p * reciprocal : -in_y * reciprocal;
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c) {
        const int column = part.column + c;
        const double sum = fma(of_x, x[column], fma(of_y, y[column], is_pivot ? 0.0 : part.a[c]));
        const double in_pair = column == t ? of_x : of_y;
        part.a[c] = column == t || column == t + 1 ? -in_pair : sum;
    }
    if (pivots != nullptr && threadIdx.x == 0) pivots[t] = p, pivots[t + 1] = determinant / p;
    return p > 0 && determinant >= DBL_MIN && determinant <= DBL_MAX;
}

/* Replaces D by -D^-1; false if D is not positive definite. pivots: NULL, or where to store them. */
__device__ inline bool sweep_block(sweep_memory &memory, tile_part &part, double *pivots)
{
    bool is_definite = true;
#pragma unroll 1
    for (int first = 0; first < BLOCK; first += COLUMNS)
#pragma unroll
        for (int c = 0; c < COLUMNS; c += 2) {
            double(&pair)[2][BLOCK] = memory.pairs[c / 2 % 2];
            if (part.column == first) pair[0][part.row] = part.a[c], pair[1][part.row] = part.a[c + 1];
            __syncthreads();
            is_definite = sweep_pair(part, pair[0], pair[1], first + c, pivots) && is_definite;
        }
    return is_definite;
}

/* part - left right^T; matrices by columns. */
__device__ inline void subtract_product(tile_part &part, const double (&left)[BLOCK][BLOCK],
                                        const double (&right)[BLOCK][BLOCK])
{
#pragma unroll 8
    for (int k = 0; k < BLOCK; ++k) {
        const double factor = -left[k][part.row];
#pragma unroll
        for (int c = 0; c < COLUMNS; ++c) part.a[c] = fma(factor, right[k][part.column + c], part.a[c]);
    }
}

__device__ inline void keep(double (&matrix)[BLOCK][BLOCK], const tile_part &part)
{
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c) matrix[part.column + c][part.row] = part.a[c];
}

struct sweep {
    spg_amg_dense dense;
    int swept, blocks;     /* the current sweep, and the number of sweeps */
    const double *columns; /* C, padded rows by columns; for the first sweep, the tableau itself */
    double *next;          /* where C of the next sweep is written */

    __device__ const double *of_block(int block) const { return columns + block * BLOCK; }

    /* An entry of the tableau, as loaded or as sweeps have left it; unknowns of the padding are separate from all
     * others. */
    __device__ double entry(int64_t row, int64_t column) const
    {
        if (swept == 0) return *dense.entry(row, column);
        return row < dense.n && column < dense.n ? dense.inverse[column * dense.n + row] : row == column ? 1 : 0;
    }

    __device__ void load_columns(double (&matrix)[BLOCK][BLOCK], int block, const tile_part &part) const
    {
#pragma unroll
        for (int c = 0; c < COLUMNS; ++c)
            matrix[part.column + c][part.row] = of_block(block)[(part.column + c) * dense.padded + part.row];
    }

    /* Writes the tile's values; after the last sweep, those of the inverse on both sides of the diagonal. */
    __device__ void put(int i, int j, const tile_part &part) const
    {
        const int64_t row = i * BLOCK + part.row, n = dense.n;
#pragma unroll
        for (int c = 0; c < COLUMNS; ++c) {
            const int64_t column = j * BLOCK + part.column + c;
            if (row >= n || column >= n) continue;
            if (swept + 1 < blocks) {
                dense.inverse[column * n + row] = part.a[c];
                continue;
            }
            const bool is_used = dense.row_used[row] != 0 && dense.row_used[column] != 0;
            const double value = is_used ? -part.a[c] : 0;
            dense.inverse[column * n + row] = value;
            if (i != j) dense.inverse[row * n + column] = value;
        }
        const int of = swept + 1;
#pragma unroll
        for (int c = 0; c < COLUMNS; ++c) {
            const int64_t column = part.column + c;
            if (j == of) next[column * dense.padded + row] = part.a[c];
            if (i == of && j != of) next[part.row * dense.padded + j * BLOCK + column] = part.a[c];
        }
    }
};

/* Tile (i, j), i >= j, with number `tile`. */
__device__ inline void find_tile(int tile, int *i, int *j)
{
    *i = (int)((sqrtf(8.0f * (float)tile + 1) - 1) / 2);
    while (*i * (*i + 1) / 2 > tile) --*i;
    while ((*i + 1) * (*i + 2) / 2 <= tile) ++*i;
    *j = tile - *i * (*i + 1) / 2;
}

__global__ __launch_bounds__(THREADS) void sweep_tiles(sweep job)
{
    __shared__ sweep_memory memory;
    const spg_amg_dense &dense = job.dense;
    const int32_t indefinite = *dense.indefinite;
    tile_part part, tile;
    int i, j;
    find_tile((int)blockIdx.x, &i, &j);
    bool is_symmetric = true;
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c) {
        const int64_t row = i * BLOCK + part.row, column = j * BLOCK + part.column + c;
        tile.a[c] = job.entry(row, column);
        if (job.swept == 0) is_symmetric = is_symmetric && tile.a[c] == *dense.entry(column, row);
        part.a[c] = job.of_block(job.swept)[(part.column + c) * dense.padded + part.row];
    }
    job.load_columns(memory.of_row, i, part);
    job.load_columns(memory.of_column, j, part);
    if (__syncthreads_or(indefinite)) return;
    const bool is_diagonal = i == job.swept && j == job.swept;
    const bool is_definite = sweep_block(memory, part, is_diagonal ? dense.pivots + job.swept * BLOCK : nullptr);
    if (!is_symmetric || (is_diagonal && !is_definite)) *dense.indefinite = 1;
    if (!is_diagonal && i != job.swept) { /* C D^-1 */
        keep(memory.swept, part);
        __syncthreads();
#pragma unroll
        for (int c = 0; c < COLUMNS; ++c) part.a[c] = 0;
        subtract_product(part, memory.of_row, memory.swept);
        __syncthreads();
    }
    if (!is_diagonal && j != job.swept) {
        keep(memory.swept, part);
        __syncthreads();
        if (i == job.swept)
#pragma unroll
            for (int c = 0; c < COLUMNS; ++c) tile.a[c] = 0;
        subtract_product(tile, memory.swept, memory.of_column);
        part = tile;
    }
    job.put(i, j, part);
}

} // namespace

spg_status invert_definite(spg_context *context, const spg_amg_dense &dense)
{
    const int blocks = (int)(dense.padded / BLOCK);
    const int64_t panel = dense.padded * BLOCK;
    sweep job = {dense, 0, blocks, dense.tableau, nullptr};
    for (; job.swept < blocks; ++job.swept) {
        job.next = dense.panels + job.swept % 2 * panel;
        sweep_tiles<<<blocks *(blocks + 1) / 2, THREADS, 0, spg_cuda_of(context)->stream>>>(job);
        job.columns = job.next;
    }
    return spg_cuda_check_launch(context, "a dense inverse");
}

} // namespace amg

} // namespace spg
