/* The spectral radius of D^-1 A by Lanczos in the inner product of D, where D^-1 A is symmetric if A is.
 *
 * In: A, the inverse of D, a seed. Out: *rho in device memory. Two passes a step: y = A v with v . y, then the next
 * vector with its norm; vectors stay unscaled: their scale goes where they are read. All steps are one cooperative
 * kernel: blocks leave their shares of a sum in memory, meet, and add all shares up, each for itself and in the same
 * order, so that all go on alike. Nothing waits. */
#include "rows.cuh"

#include "amg_random.h"

#include <cfloat>
#include <cooperative_groups.h>

namespace spg
{

namespace amg
{

namespace
{

namespace cg = cooperative_groups;

enum { MOST_BLOCKS = 1024, ALIGNMENT = 64 };

template <typename Value> struct lanczos {
    matrix_view<Value> A;
    int lanes, steps;
    const Value *inverse;
    Value *v, *before, *y; /* v and before unscaled; y scaled */
    uint64_t seed;
    double *diagonal, *subdiagonal; /* of the tridiagonal matrix */
    double *shares;                 /* of the blocks: two sets, used in turn */
    double *rho;
};

/* All blocks' values combined, in all threads of all of them. */
template <typename Operator>
__device__ double combine_all(cg::grid_group &grid, double value, Operator combine, double *shares, int *turn)
{
    __shared__ double all;
    double *mine = shares + (*turn)++ % 2 * MOST_BLOCKS;
    value = combine_block<MEETING_THREADS>(value, 0.0, combine);
    if (threadIdx.x == 0) mine[blockIdx.x] = value;
    grid.sync();
    value = 0;
    for (unsigned int b = threadIdx.x; b < gridDim.x; b += MEETING_THREADS)
        value = combine(value, *(volatile const double *)(mine + b));
    value = combine_block<MEETING_THREADS>(value, 0.0, combine);
    if (threadIdx.x == 0) all = value;
    __syncthreads();
    return all;
}

template <typename Body> __device__ void for_each_index(int64_t count, Body body)
{
    int64_t step = (int64_t)gridDim.x * MEETING_THREADS;
    for (int64_t i = (int64_t)blockIdx.x * MEETING_THREADS + threadIdx.x; i < count; i += step) body(i);
}

/* v from random bits, before = 0; the square of v in the norm of D. A negative inverse makes it a NaN: D is no inner
 * product then. */
template <typename Value> __device__ double start(const lanczos<Value> &job)
{
    double sum = 0;
    for_each_index(job.A.rows, [&](int64_t i) {
        double inverse = (double)job.inverse[i];
        Value value = inverse != 0 ? (Value)spg_amg_random_unit(job.seed, (uint64_t)i) : (Value)0;
        job.v[i] = value;
        job.before[i] = 0;
        if (inverse != 0) sum += inverse > 0 ? (double)value * (double)value / inverse : (double)NAN;
    });
    return sum;
}

/* y = A v; v . y, both with v scaled. */
template <typename Value> __device__ double multiply(const lanczos<Value> &job, const Value *v, double scale)
{
    double sum = 0;
    for_each_row(job.A.rows, job.lanes, [&](int64_t row, int lane) {
        Value entries = multiply_row(job.A, row, lane, job.lanes, v);
        if (row < 0 || lane != 0) return;
        double product = scale * (double)entries;
        job.y[row] = (Value)product;
        sum += product * (scale * (double)v[row]);
    });
    return sum;
}

/* before = D^-1 y - v_factor v - before_factor before, which is the next v; its square in the norm of D. */
template <typename Value>
__device__ double advance(const lanczos<Value> &job, const Value *v, Value *before, double v_factor,
                          double before_factor)
{
    double sum = 0;
    for_each_index(job.A.rows, [&](int64_t i) {
        double inverse = (double)job.inverse[i];
        double next = inverse * (double)job.y[i] - v_factor * (double)v[i] - before_factor * (double)before[i];
        before[i] = (Value)next;
        if (inverse != 0) sum += next * next / inverse;
    });
    return sum;
}

/* Returns how many rows of the tridiagonal matrix were made; 0 where the recurrence broke down. */
template <typename Value> __device__ int iterate(const lanczos<Value> &job, cg::grid_group &grid, int *turn)
{
    Value *v = job.v, *before = job.before;
    double norm = sqrt(combine_all(grid, start(job), plus(), job.shares, turn));
    double v_scale = 1 / norm, before_scale = 0, coupling = 0, spread = 0;
    if (!(norm > 0)) return 0;
    for (int s = 0; s < job.steps; ++s) {
        double diagonal = combine_all(grid, multiply(job, v, v_scale), plus(), job.shares, turn);
        double square = advance(job, v, before, diagonal * v_scale, coupling * before_scale);
        coupling = sqrt(combine_all(grid, square, plus(), job.shares, turn));
        if (!isfinite(diagonal) || !isfinite(coupling)) return 0;
        spread = fmax(spread, fabs(diagonal) + coupling);
        if (blockIdx.x == 0 && threadIdx.x == 0) {
            job.diagonal[s] = diagonal;
            job.subdiagonal[s] = coupling;
        }
        if (s + 1 == job.steps || coupling <= 1e-7 * spread) return s + 1; /* invariant space */
        Value *next = before;
        before = v;
        v = next;
        before_scale = v_scale;
        v_scale = 1 / coupling;
    }
    return 0;
}

/* The largest sum of magnitudes of a row of D^-1 A, this thread's share. */
template <typename Value> __device__ double sum_rows(const lanczos<Value> &job)
{
    double most = 0;
    for_each_row(job.A.rows, job.lanes, [&](int64_t row, int lane) {
        double sum = 0;
        int64_t end = row >= 0 ? job.A.offsets[row + 1] : 0;
        for (int64_t k = row >= 0 ? job.A.offsets[row] + lane : 0; k < end; k += job.lanes)
            sum += fabs((double)job.A.values[k]);
        sum = combine_lanes(sum, job.lanes, plus());
        if (row >= 0) most = fmax(most, sum * fabs((double)job.inverse[row]));
    });
    return most;
}

/* How many eigenvalues of the tridiagonal matrix lie below x (Sturm). */
__device__ int eigenvalues_below(const double *diagonal, const double *subdiagonal, int steps, double x)
{
    int below = 0;
    double pivot = 1;
    for (int s = 0; s < steps; ++s) {
        double coupling = s > 0 ? subdiagonal[s - 1] * subdiagonal[s - 1] : 0;
        pivot = diagonal[s] - x - coupling / pivot;
        if (pivot == 0) pivot = -DBL_MIN;
        below += pivot < 0;
    }
    return below;
}

/* By one warp: each lane tries a point between the bounds. */
__device__ double largest_ritz_value(const double *diagonal, const double *subdiagonal, int steps)
{
    double low = -DBL_MAX, high = -DBL_MAX;
    for (int s = 0; s < steps; ++s) { /* above every diagonal entry and within Gershgorin's discs */
        double radius = (s > 0 ? subdiagonal[s - 1] : 0) + (s + 1 < steps ? subdiagonal[s] : 0);
        low = fmax(low, diagonal[s]);
        high = fmax(high, diagonal[s] + radius);
    }
    for (;;) {
        double point = low + (high - low) * ((double)(lane_in_warp() + 1) / (WARP + 1));
        bool is_between = point > low && point < high;
        bool is_above = is_between && eigenvalues_below(diagonal, subdiagonal, steps, point) == steps;
        if (!__any_sync(ALL_LANES, is_between)) return high;
        double least_above = reduce(is_above ? point : high, minimum());
        double most_below = reduce(is_between && !is_above ? point : low, maximum());
        high = least_above;
        low = most_below < high ? most_below : low;
    }
}

template <typename Value> __global__ __launch_bounds__(MEETING_THREADS) void find_radius(lanczos<Value> job)
{
    cg::grid_group grid = cg::this_grid();
    int turn = 0, steps = iterate(job, grid, &turn);
    double radius = steps > 0 ? 0 : combine_all(grid, sum_rows(job), maximum(), job.shares, &turn);
    if (blockIdx.x != 0 || threadIdx.x >= WARP) return;
    __syncwarp();
    if (steps > 0) radius = largest_ritz_value(job.diagonal, job.subdiagonal, steps);
    if (threadIdx.x == 0) *job.rho = radius > 0 && isfinite(radius) ? radius : 1;
}

int64_t vector_bytes(const spg_csr &A)
{
    return (A.rows * (int64_t)spg_type_size(A.value_type) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

template <typename Value> spg_status launch(spg_context *context, lanczos<Value> job)
{
    spg_cuda *cuda = spg_cuda_of(context);
    int most = 0;
    cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&most, find_radius<Value>, MEETING_THREADS, 0);
    if (error != cudaSuccess) return spg_cuda_check(context, error, "the spectral radius");
    most = most * cuda->multiprocessors < MOST_BLOCKS ? most * cuda->multiprocessors : MOST_BLOCKS;
    unsigned int wanted = blocks_for_groups(context, job.A.rows, job.lanes, MEETING_THREADS);
    void *arguments[] = {&job};
    error = cudaLaunchCooperativeKernel((const void *)find_radius<Value>,
                                        dim3(wanted < (unsigned int)most ? wanted : (unsigned int)most),
                                        dim3(MEETING_THREADS), arguments, 0, cuda->stream);
    return spg_cuda_check(context, error, "the spectral radius");
}

template <typename Value>
spg_status queue_radius(spg_context *context, const spg_csr &A, const void *inverse, int steps, uint64_t seed,
                        void *workspace, double *rho)
{
    char *at = static_cast<char *>(workspace);
    int64_t bytes = vector_bytes(A);
    lanczos<Value> job = {};
    job.A = view_of<Value>(A);
    job.lanes = lanes_for(A.rows, A.nnz, ENTRIES_IN_FLIGHT);
    job.steps = steps;
    job.inverse = static_cast<const Value *>(inverse);
    job.v = reinterpret_cast<Value *>(at);
    job.before = reinterpret_cast<Value *>(at + bytes);
    job.y = reinterpret_cast<Value *>(at + 2 * bytes);
    job.seed = seed;
    job.shares = reinterpret_cast<double *>(at + 3 * bytes);
    job.diagonal = job.shares + 2 * MOST_BLOCKS;
    job.subdiagonal = job.diagonal + steps;
    job.rho = rho;
    return launch(context, job);
}

} // namespace

} // namespace amg

} // namespace spg

int64_t spg_cuda_spectral_bytes(const spg_csr *A, int steps)
{
    return 3 * spg::amg::vector_bytes(*A) + (2 * spg::amg::MOST_BLOCKS + 2 * (int64_t)steps) * (int64_t)sizeof(double);
}

spg_status spg_cuda_spectral_radius(spg_context *context, const spg_csr *A, const void *inverse, int steps,
                                    uint64_t seed, void *workspace, double *rho)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::with_real_type(A->value_type, [&](auto value) {
        return spg::amg::queue_radius<decltype(value)>(context, *A, inverse, steps, seed, workspace, rho);
    });
    spg_cuda_leave(context);
    return status;
}
