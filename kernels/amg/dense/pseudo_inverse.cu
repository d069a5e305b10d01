/* The pseudo-inverse of a singular dense operator, by Hestenes' one-sided Jacobi rotations of its rows.
 *
 * Pairs of rows are rotated until all rows are orthogonal: U A = S V^T. A sweep takes every pair once, in steps of
 * disjoint pairs, one pair a block and one launch a step. After each sweep the host checks whether any pair still had
 * to be rotated. The inverse is V S^-1 U, without the singular values that count as zero. Rows at rounding level are
 * not changed. */
#include "../counts.cuh"
#include "dense.cuh"

#include <cfloat>

namespace spg
{

namespace amg
{

namespace
{

enum { MOST_SWEEPS = 40, TILE = 16, SINGLE_BLOCK = 1 };

__device__ inline void turn(double *a, double *b, int64_t n, double cosine, double sine)
{
    for (int64_t k = threadIdx.x; k < n; k += THREADS) {
        double x = a[k], y = b[k];
        a[k] = cosine * x - sine * y;
        b[k] = sine * x + cosine * y;
    }
}

/* scale: the square of the operator's Frobenius norm. */
__global__ __launch_bounds__(THREADS) void turn_pairs(spg_amg_dense dense, int step, int players, double tolerance,
                                                      const double *scale, unsigned long long *turned)
{
    __shared__ double cosine, sine;
    __shared__ bool is_turned;
    int first, second;
    find_pair(step, (int)blockIdx.x, players, &first, &second);
    if (first >= dense.n || second >= dense.n) return;
    double *a = dense.tableau + first * dense.padded, *b = dense.tableau + second * dense.padded;
    double aa = 0, bb = 0, ab = 0;
    for (int64_t k = threadIdx.x; k < dense.n; k += THREADS) {
        aa = fma(a[k], a[k], aa);
        bb = fma(b[k], b[k], bb);
        ab = fma(a[k], b[k], ab);
    }
    aa = combine_block(aa, 0.0, plus());
    bb = combine_block(bb, 0.0, plus());
    ab = combine_block(ab, 0.0, plus());
    if (threadIdx.x == 0) {
        double nothing = DBL_EPSILON * DBL_EPSILON * *scale;
        is_turned = fabs(ab) > tolerance * sqrt(aa) * sqrt(bb) && aa > nothing && bb > nothing;
        if (is_turned) {
            double zeta = (bb - aa) / (2 * ab);
            double tangent = copysign(1.0, zeta) / (fabs(zeta) + sqrt(1 + zeta * zeta));
            cosine = 1 / sqrt(1 + tangent * tangent);
            sine = cosine * tangent;
            atomicAdd(turned, 1ull);
        }
    }
    __syncthreads();
    if (!is_turned) return;
    turn(a, b, dense.n, cosine, sine);
    turn(dense.vectors + first * dense.n, dense.vectors + second * dense.n, dense.n, cosine, sine);
}

/* pivots[i] = the square of row i's norm; one row a block. */
__global__ __launch_bounds__(THREADS) void square_rows(spg_amg_dense dense)
{
    const double *row = dense.tableau + (int64_t)blockIdx.x * dense.padded;
    double sum = 0;
    for (int64_t k = threadIdx.x; k < dense.n; k += THREADS) sum = fma(row[k], row[k], sum);
    sum = combine_block(sum, 0.0, plus());
    if (threadIdx.x == 0) dense.pivots[blockIdx.x] = sum;
}

/* *scale = the sum of the squares. With `reciprocals`, the squares become reciprocals, or 0 if they count as zero. */
__global__ __launch_bounds__(THREADS) void weigh_rows(spg_amg_dense dense, bool reciprocals, double *scale)
{
    __shared__ double most;
    double sum = 0, largest = 0;
    for (int64_t k = threadIdx.x; k < dense.n; k += THREADS) {
        sum += dense.pivots[k];
        largest = fmax(largest, dense.pivots[k]);
    }
    sum = combine_block(sum, 0.0, plus());
    largest = combine_block(largest, 0.0, maximum());
    if (threadIdx.x == 0) most = largest;
    if (threadIdx.x == 0 && !reciprocals) *scale = sum;
    __syncthreads();
    for (int64_t k = threadIdx.x; k < dense.n && reciprocals; k += THREADS) {
        double square = dense.pivots[k];
        dense.pivots[k] = sqrt(square) > dense.least_share * fmax(sqrt(most), dense.least) ? 1 / square : 0;
    }
}

/* inverse[i][j] = the sum over k of tableau[k][i] pivots[k] vectors[k][j]. */
__global__ __launch_bounds__(TILE *TILE) void multiply_factors(spg_amg_dense dense)
{
    __shared__ double left[TILE][TILE], right[TILE][TILE];
    int x = (int)threadIdx.x % TILE, y = (int)threadIdx.x / TILE;
    int64_t i = (int64_t)blockIdx.y * TILE, j = (int64_t)blockIdx.x * TILE;
    double sum = 0;
    for (int64_t k = 0; k < dense.n; k += TILE) {
        bool has_row = k + y < dense.n;
        left[y][x] =
            has_row && i + x < dense.n ? dense.tableau[(k + y) * dense.padded + i + x] * dense.pivots[k + y] : 0;
        right[y][x] = has_row && j + x < dense.n ? dense.vectors[(k + y) * dense.n + j + x] : 0;
        __syncthreads();
        for (int t = 0; t < TILE; ++t) sum = fma(left[t][y], right[t][x], sum);
        __syncthreads();
    }
    if (i + y < dense.n && j + x < dense.n) dense.inverse[(i + y) * dense.n + j + x] = sum;
}

/* Sweeps until no pair is rotated; BREAKDOWN if that never happens: *singular is then set again, so that the next call
 * finds the operator as it was. Waits once a sweep. */
spg_status sweep(spg_context *context, const spg_amg_dense &dense, const double *scale)
{
    spg_cuda *cuda = spg_cuda_of(context);
    int n = (int)dense.n, players = n + n % 2;
    double tolerance = 8 * DBL_EPSILON * sqrt((double)n);
    for (int sweeps = 0; sweeps < MOST_SWEEPS; ++sweeps) {
        for (int step = 0; step < players - 1; ++step)
            turn_pairs<<<players / 2, THREADS, 0, cuda->stream>>>(dense, step, players, tolerance, scale,
                                                                  &cuda->counters->nnz);
        spg_counters counts;
        spg_status status = spg_cuda_check_launch(context, "a pseudo-inverse");
        if (status == SPG_OK) status = take_counts(context, &counts);
        if (status != SPG_OK || counts.nnz == 0) return status;
    }
    int32_t *singular = dense.singular;
    spg_status status = for_each(context, 1, "a pseudo-inverse", [=] __device__(int64_t) { *singular = 1; });
    if (status != SPG_OK) return status;
    return spg_context_fail(context, SPG_ERROR_BREAKDOWN,
                            "the coarsest operator: its singular values did not settle in %d sweeps", (int)MOST_SWEEPS);
}

} // namespace

spg_status invert_by_rotations(spg_context *context, const spg_amg_dense &dense)
{
    cudaStream_t stream = spg_cuda_of(context)->stream;
    const int64_t n = dense.n;
    double *vectors = dense.vectors, *scale = dense.pivots + n;
    spg_status status = for_each(context, n * n, "a pseudo-inverse",
                                 [=] __device__(int64_t k) { vectors[k] = k / n == k % n ? 1 : 0; });
    if (status != SPG_OK) return status;
    square_rows<<<(unsigned int)n, THREADS, 0, stream>>>(dense);
    weigh_rows<<<SINGLE_BLOCK, THREADS, 0, stream>>>(dense, false, scale);
    status = sweep(context, dense, scale);
    if (status != SPG_OK) return status;
    square_rows<<<(unsigned int)n, THREADS, 0, stream>>>(dense);
    weigh_rows<<<SINGLE_BLOCK, THREADS, 0, stream>>>(dense, true, scale);
    unsigned int tiles = (unsigned int)((n + TILE - 1) / TILE);
    multiply_factors<<<dim3(tiles, tiles), TILE * TILE, 0, stream>>>(dense);
    return spg_cuda_check_launch(context, "a pseudo-inverse");
}

} // namespace amg

} // namespace spg
