/* The null space of the dense operator within the span of its candidates, in each connected component. See
 * spg_amg_backend.dense_create and src/host/amg/dense/null_space.c, which does the same.
 *
 * A block of threads takes a component, the block with the number of its first row. The candidates, made orthonormal in
 * its rows, are rotated by Hestenes' one-sided Jacobi method until their images are orthogonal; each row of an image is
 * divided by the rounding error it may have. Images whose rows are then all at most 1 belong to N. In a component's
 * columns a thread reads and writes its own rows; in rotations, warps take pairs of columns. Queued; never waits. */
#include "dense.cuh"

#include "amg/numerics.h"

namespace spg
{

namespace amg
{

namespace
{

enum { MOST_SWEEPS = 30, WARPS = THREADS / WARP };

/* The value combined over the block, in all threads. */
template <typename Operator> __device__ inline double for_all(double value, double neutral, Operator combine)
{
    __shared__ double result;
    value = combine_block(value, neutral, combine);
    if (threadIdx.x == 0) result = value;
    __syncthreads();
    return result;
}

/* Calls body(row) for the rows of the component whose first row is `first`, `threads` threads at a time. */
template <typename Body>
__device__ inline void for_each_member(const spg_amg_dense &dense, int64_t first, int thread, int threads, Body body)
{
    for (int64_t i = first + thread; i < dense.n; i += threads)
        if (dense.label[i] == first) body(i);
}

__device__ inline double multiply_columns(const spg_amg_dense &dense, int64_t first, const double *x, const double *y)
{
    double sum = 0;
    for_each_member(dense, first, (int)threadIdx.x, THREADS, [&](int64_t i) { sum = fma(x[i], y[i], sum); });
    return for_all(sum, 0.0, plus());
}

__device__ inline void add_column(const spg_amg_dense &dense, int64_t first, double factor, const double *x, double *y)
{
    for_each_member(dense, first, (int)threadIdx.x, THREADS, [&](int64_t i) { y[i] = fma(factor, x[i], y[i]); });
}

__device__ inline void scale_column(const spg_amg_dense &dense, int64_t first, double divisor, double *x)
{
    for_each_member(dense, first, (int)threadIdx.x, THREADS, [&](int64_t i) { x[i] /= divisor; });
}

/* Makes column `before` orthogonal to those before it, with norm 1; false if nothing is left of it. A block calls
 * it. */
__device__ inline bool add_orthonormal(const spg_amg_dense &dense, int64_t first, double *columns, int before,
                                       double least)
{
    double *column = columns + before * dense.n, largest = 0;
    for_each_member(dense, first, (int)threadIdx.x, THREADS, [&](int64_t i) {
        const double size = fabs(column[i]);
        largest = size <= largest ? largest : size;
    });
    largest = for_all(largest, 0.0, maximum());
    if (!(largest > 0) || isinf(largest)) return false;
    scale_column(dense, first, largest, column);
    const double whole = sqrt(multiply_columns(dense, first, column, column));
#pragma unroll 1
    for (int k = 0; k < 2 * before; ++k) {
        const double *other = columns + k % before * dense.n;
        add_column(dense, first, -multiply_columns(dense, first, other, column), other, column);
    }
    const double norm = sqrt(multiply_columns(dense, first, column, column));
    if (!(norm > least * whole)) return false;
    scale_column(dense, first, norm, column);
    return true;
}

/* The candidates in the unknowns of S A S, orthonormal in each component; nullity: how many are left. */
__global__ __launch_bounds__(THREADS) void take_candidates(spg_amg_dense dense, double least)
{
    const int64_t first = blockIdx.x, n = dense.n;
    if (dense.label[first] != first) return;
    int taken = 0;
    for (int c = 0; c < dense.candidates; ++c) {
        const double *from = dense.candidate + c * n;
        double *to = dense.null() + taken * n;
        for_each_member(dense, first, (int)threadIdx.x, THREADS,
                        [&](int64_t i) { to[i] = from[i] / dense.scaling[i]; });
        if (add_orthonormal(dense, first, dense.null(), taken, least)) ++taken;
    }
    if (threadIdx.x == 0) dense.nullity[first] = taken;
}

__device__ inline double largest_at(const spg_amg_dense &dense, int64_t row, int taken)
{
    double most = 0;
    for (int c = 0; c < taken; ++c) most = fmax(most, fabs(dense.null()[c * dense.n + row]));
    return most;
}

/* A row's images divided by their possible rounding error; a warp a row. */
template <typename Value>
__global__ __launch_bounds__(THREADS) void weigh_rows(matrix_view<Value> A, spg_amg_dense dense, double eps)
{
    for_each_row(A.rows, WARP, [&](int64_t row, int lane) {
        const int32_t label = row >= 0 ? dense.label[row] : -1;
        const int taken = label >= 0 ? dense.nullity[label] : 0;
        const int64_t begin = taken > 0 ? A.offsets[row] : 0, end = taken > 0 ? A.offsets[row + 1] : 0;
        double of_row = 0;
        int entries = 0;
        for (int64_t k = begin + lane; k < end; k += WARP) {
            const int32_t column = A.columns[k];
            if ((uint32_t)column >= (uint32_t)A.rows) continue;
            const double value = (double)A.values[k] * (dense.scaling[row] * dense.scaling[column]);
            if (value == 0) continue;
            of_row = fma(fabs(value), largest_at(dense, column, taken), of_row);
            ++entries;
        }
        of_row = combine_lanes(of_row, WARP, plus());
        entries = combine_lanes(entries, WARP, plus());
        const double least = taken > 0 ? dense.least / 4 * largest_at(dense, row, taken) : 0;
        const double size = eps * (dense.roundings + entries) * fmax(of_row, least);
        for (int c = 0; c < taken; ++c) {
            const double *column_of_null = dense.null() + c * dense.n;
            double sum = 0;
            for (int64_t k = begin + lane; k < end; k += WARP) {
                const int32_t column = A.columns[k];
                if ((uint32_t)column >= (uint32_t)A.rows) continue;
                const double value = (double)A.values[k] * (dense.scaling[row] * dense.scaling[column]);
                if (value != 0) sum = fma(value, column_of_null[column], sum);
            }
            sum = combine_lanes(sum, WARP, plus());
            if (lane == 0) dense.images()[c * dense.n + row] = size > 0 ? sum / size : 0;
        }
        __syncwarp();
    });
}

__device__ inline void turn_columns(const spg_amg_dense &dense, int64_t first, double *x, double *y, double cosine,
                                    double sine)
{
    for_each_member(dense, first, lane_in_warp(), WARP, [&](int64_t i) {
        const double a = x[i], b = y[i];
        x[i] = cosine * a - sine * b;
        y[i] = sine * a + cosine * b;
    });
}

/* Rotates images p and q, and the columns they belong to, unless they are orthogonal already. A warp calls it. */
__device__ inline bool turn_pair(const spg_amg_dense &dense, int64_t first, int p, int q)
{
    double *x = dense.images() + p * dense.n, *y = dense.images() + q * dense.n;
    double xx = 0, yy = 0, xy = 0;
    for_each_member(dense, first, lane_in_warp(), WARP, [&](int64_t i) {
        xx = fma(x[i], x[i], xx);
        yy = fma(y[i], y[i], yy);
        xy = fma(x[i], y[i], xy);
    });
    xx = combine_lanes(xx, WARP, plus());
    yy = combine_lanes(yy, WARP, plus());
    xy = combine_lanes(xy, WARP, plus());
    const spg_amg_rotation by = spg_amg_rotation_of(xx, yy, xy);
    if (!by.turns) return false;
    turn_columns(dense, first, x, y, by.cosine, by.sine);
    turn_columns(dense, first, dense.null() + p * dense.n, dense.null() + q * dense.n, by.cosine, by.sine);
    return true;
}

/* Sweeps until one rotates nothing; steps of disjoint pairs, a warp a pair. */
__device__ inline void turn_all(const spg_amg_dense &dense, int64_t first, int taken)
{
    const int players = taken + taken % 2, warp = (int)threadIdx.x / WARP;
    bool turned = taken > 1;
    for (int sweep = 0; turned && sweep < MOST_SWEEPS; ++sweep) {
        turned = false;
        for (int step = 0; step < players - 1; ++step) {
            for (int pair = warp; pair < players / 2; pair += WARPS) {
                int p, q;
                find_pair(step, pair, players, &p, &q);
                if (p < taken && q < taken && turn_pair(dense, first, p, q)) turned = true;
            }
            __syncthreads();
        }
        turned = __syncthreads_or(turned);
    }
}

/* Computes N from the images, and the same span in A's own unknowns, orthonormal there. */
__global__ __launch_bounds__(THREADS) void find_null_columns(spg_amg_dense dense)
{
    const int64_t first = blockIdx.x, n = dense.n;
    if (dense.label[first] != first) return;
    const int taken = dense.nullity[first];
    int found = 0;
    turn_all(dense, first, taken);
    for (int c = 0; c < taken; ++c) {
        const double *image = dense.images() + c * n, *from = dense.null() + c * n;
        double *to = dense.null() + found * n, *of_A = dense.null_of_A() + found * n;
        bool is_null = true;
        for_each_member(dense, first, (int)threadIdx.x, THREADS,
                        [&](int64_t i) { is_null = is_null && fabs(image[i]) <= 1; });
        if (!__syncthreads_and(is_null)) continue;
        for_each_member(dense, first, (int)threadIdx.x, THREADS, [&](int64_t i) {
            to[i] = from[i];
            of_A[i] = from[i] * dense.scaling[i];
        });
        add_orthonormal(dense, first, dense.null_of_A(), found, 0);
        ++found;
    }
    __syncthreads();
    if (threadIdx.x != 0) return;
    dense.nullity[first] = found;
    if (found > 0) *dense.deflated = 1;
}

/* The entry of N N^T, except for unused unknowns, which the tableau handles separately. (row, column) and (column, row)
 * give the same bits. */
__device__ inline double null_entry(const spg_amg_dense &dense, int64_t row, int64_t column)
{
    const int32_t label = dense.label[row];
    double sum = 0;
    if (label < 0 || label != dense.label[column] || !dense.is_used(row)) return 0;
    for (int c = 0; c < dense.nullity[label]; ++c)
        sum = fma(dense.null()[c * dense.n + row], dense.null()[c * dense.n + column], sum);
    return sum;
}

template <typename Value>
__global__ __launch_bounds__(THREADS) void project_rows(spg_amg_dense dense, const Value *b, Value *x)
{
    const int64_t first = blockIdx.x, n = dense.n;
    if (dense.label[first] < 0 && threadIdx.x == 0) x[first] = 0;
    if (dense.label[first] != first) return;
    for_each_member(dense, first, (int)threadIdx.x, THREADS, [&](int64_t i) { dense.images()[i] = 0; });
    for (int c = 0; c < dense.nullity[first]; ++c) {
        const double *null = dense.null_of_A() + c * n;
        double share = 0;
        for_each_member(dense, first, (int)threadIdx.x, THREADS,
                        [&](int64_t i) { share = fma(null[i], (double)b[i], share); });
        add_column(dense, first, for_all(share, 0.0, plus()), null, dense.images());
    }
    for_each_member(dense, first, (int)threadIdx.x, THREADS, [&](int64_t i) { x[i] = (Value)dense.images()[i]; });
}

template <typename Value> spg_status keep(spg_context *context, const void *values, const spg_amg_dense &dense)
{
    const int64_t n = dense.n;
    const int count = dense.candidates;
    const Value *from = static_cast<const Value *>(values);
    double *to = dense.candidate;
    return for_each(context, n * count, "candidates", [=] __device__(int64_t k) {
        to[k] = from != nullptr ? (double)from[k] : k % n % count == k / n ? 1 : 0;
    });
}

} // namespace

spg_status keep_candidates(spg_context *context, const spg_amg_dense_source &source, const spg_amg_dense &dense)
{
    return with_real_type(dense.type,
                          [&](auto value) { return keep<decltype(value)>(context, source.candidate_values, dense); });
}

spg_status find_null_space(spg_context *context, const spg_csr &A, const spg_amg_dense &dense)
{
    cudaStream_t stream = spg_cuda_of(context)->stream;
    const unsigned int blocks = (unsigned int)dense.n;
    const bool is_single = dense.type == SPG_F32;
    if (dense.candidates == 0) return SPG_OK;
    take_candidates<<<blocks, THREADS, 0, stream>>>(dense, spg_amg_least_rest(is_single));
    const spg_status status = with_real_type(dense.type, [&](auto value) {
        using Value = decltype(value);
        weigh_rows<<<blocks_for_groups(context, dense.n, WARP), THREADS, 0, stream>>>(view_of<Value>(A), dense,
                                                                                      spg_amg_epsilon(is_single));
        return spg_cuda_check_launch(context, "a null space");
    });
    if (status != SPG_OK) return status;
    find_null_columns<<<blocks, THREADS, 0, stream>>>(dense);
    return spg_cuda_check_launch(context, "a null space");
}

spg_status add_null_space(spg_context *context, const spg_amg_dense &dense)
{
    const int64_t n = dense.n;
    if (dense.candidates == 0) return SPG_OK;
    return for_each(context, n * n, "a null space", [=] __device__(int64_t k) {
        if (*dense.deflated != 0) *dense.entry(k % n, k / n) += null_entry(dense, k % n, k / n);
    });
}

spg_status subtract_null_space(spg_context *context, const spg_amg_dense &dense)
{
    const int64_t n = dense.n;
    if (dense.candidates == 0) return SPG_OK;
    return for_each(context, n * n, "a null space", [=] __device__(int64_t k) {
        if (*dense.deflated != 0) dense.inverse[k] -= null_entry(dense, k / n, k % n);
    });
}

} // namespace amg

} // namespace spg

spg_status spg_cuda_dense_project(spg_context *context, spg_amg_dense *dense, const void *b, void *x)
{
    if (dense->n == 0) return SPG_OK;
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::with_real_type(dense->type, [&](auto value) {
        using Value = decltype(value);
        if (dense->candidates == 0)
            return spg_cuda_check(context,
                                  cudaMemsetAsync(x, 0, (size_t)dense->n * sizeof(Value), spg_cuda_of(context)->stream),
                                  "a null space");
        spg::amg::project_rows<<<(unsigned int)dense->n, spg::amg::THREADS, 0, spg_cuda_of(context)->stream>>>(
            *dense, static_cast<const Value *>(b), static_cast<Value *>(x));
        return spg_cuda_check_launch(context, "a null space");
    });
    spg_cuda_leave(context);
    return status;
}
