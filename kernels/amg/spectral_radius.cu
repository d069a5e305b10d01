/* The spectral radius of D^-1 A by Lanczos in the inner product of D, where D^-1 A is symmetric if A is.
 *
 * In: A, the inverse of D, a seed, and of an update the vector to go on from. Out: *rho in device memory, and of a
 * set-up its Ritz vector. Two passes a step: y = A v with v . y, then the next vector with its norm; vectors stay
 * unscaled: their scale goes where they are read. All steps are one cooperative kernel: blocks leave their shares of a
 * sum in memory, meet, and add all shares up, each for itself and in the same order, so that all go on alike. Nothing
 * waits. */
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
enum { MOST_TESTED = 32 };   /* of steps after which an update asks whether its estimate has settled */
enum { ENTRIES_A_LANE = 8 }; /* amg_bench, H100 */

template <typename Value> struct lanczos {
    matrix_view<Value> A;
    int lanes, steps;
    const Value *inverse;
    Value *v, *before, *y; /* v and before unscaled; y scaled */
    uint64_t seed;
    double *diagonal, *subdiagonal; /* of the tridiagonal matrix */
    double *shares;                 /* of the blocks: two sets, used in turn */
    double *rho;
    spg_amg_spectrum known; /* vector nullptr: nothing is known or kept */
    double *weights;        /* of the basis in the Ritz vector; before, the vectors' scales */

    __device__ bool starts_warm() const { return known.vector != nullptr && known.basis == nullptr && *known.rho != 0; }
    __device__ void keep(int step, int64_t row, double entry) const /* of D^1/2 v */
    {
        known.basis[step * A.rows + row] = (float)entry;
    }
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

/* v = D^-1/2 x, x from random bits, or what is known and half as much of them, for what is not known; before = 0; the
 * square of v in the norm of D. A negative inverse makes it a NaN: D is no inner product then. */
template <typename Value> __device__ double start(const lanczos<Value> &job, bool is_warm)
{
    double sum = 0;
    for_each_index(job.A.rows, [&](int64_t i) {
        double inverse = (double)job.inverse[i];
        double x = spg_amg_random_unit(job.seed, (uint64_t)i);
        if (is_warm) x = (double)job.known.vector[i] + x / 2;
        if (!(inverse > 0)) x = 0;
        Value value = x != 0 ? (Value)(x * sqrt(inverse)) : (Value)0;
        job.v[i] = value;
        job.before[i] = 0;
        if (job.known.basis != nullptr) job.keep(0, i, x);
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

/* before = D^-1 y - v_factor v - before_factor before, which is the next v, of this step; its square in the norm of D.
 */
template <typename Value>
__device__ double advance(const lanczos<Value> &job, int step, const Value *v, Value *before, double v_factor,
                          double before_factor)
{
    double sum = 0;
    for_each_index(job.A.rows, [&](int64_t i) {
        double inverse = (double)job.inverse[i];
        double next = inverse * (double)job.y[i] - v_factor * (double)v[i] - before_factor * (double)before[i];
        before[i] = (Value)next;
        if (job.known.basis != nullptr) job.keep(step, i, inverse > 0 ? next / sqrt(inverse) : 0);
        if (inverse != 0) sum += next * next / inverse;
    });
    return sum;
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

/* Whether the largest Ritz value of steps 0 to s is about what it was before s; by all threads of a block. coupling: of
 * step s with the one before. */
__device__ bool settles(int s, double diagonal, double coupling, double *estimate)
{
    __shared__ double diagonals[MOST_TESTED], couplings[MOST_TESTED], found;
    if (threadIdx.x < WARP) {
        if (threadIdx.x == 0) {
            diagonals[s] = diagonal;
            if (s > 0) couplings[s - 1] = coupling;
        }
        __syncwarp();
        double value = isfinite(diagonal) ? largest_ritz_value(diagonals, couplings, s + 1) : diagonal;
        if (threadIdx.x == 0) found = value;
    }
    __syncthreads();
    const double before = *estimate;
    *estimate = found;
    __syncthreads();
    return s >= 2 && *estimate - before <= SPG_AMG_SETTLED * *estimate;
}

/* Returns how many rows of the tridiagonal matrix were made; 0 where the recurrence broke down. */
template <typename Value> __device__ int iterate(const lanczos<Value> &job, cg::grid_group &grid, int *turn)
{
    const bool is_warm = job.starts_warm(), tells = blockIdx.x == 0 && threadIdx.x == 0;
    Value *v = job.v, *before = job.before;
    double norm = sqrt(combine_all(grid, start(job, is_warm), plus(), job.shares, turn));
    double v_scale = 1 / norm, before_scale = 0, coupling = 0, spread = 0, estimate = 0;
    if (!(norm > 0)) return 0;
    for (int s = 0; s < job.steps; ++s) {
        double diagonal = combine_all(grid, multiply(job, v, v_scale), plus(), job.shares, turn);
        if (tells) {
            job.diagonal[s] = diagonal;
            job.weights[s] = v_scale;
        }
        if (s + 1 == job.steps) return isfinite(diagonal) ? job.steps : 0;
        if (is_warm && s < MOST_TESTED && settles(s, diagonal, coupling, &estimate)) return s + 1;
        double square = advance(job, s + 1, v, before, diagonal * v_scale, coupling * before_scale);
        coupling = sqrt(combine_all(grid, square, plus(), job.shares, turn));
        if (!isfinite(diagonal) || !isfinite(coupling)) return 0;
        spread = fmax(spread, fabs(diagonal) + coupling);
        if (tells) job.subdiagonal[s] = coupling;
        if (coupling <= 1e-7 * spread) return s + 1; /* invariant space */
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

/* By one thread: the eigenvector of rho from the tridiagonal matrix's rows, from the first on, as weights of the
 * unscaled vectors, which make a vector as long as the first of them. rho is the largest eigenvalue: all entries are
 * positive, and nothing cancels. */
template <typename Value> __device__ void weigh_basis(const lanczos<Value> &job, int steps, double rho)
{
    double before = 0, here = 1, square = 0;
    const double length = 1 / job.weights[0];
    for (int s = 0; s < job.steps; ++s) {
        job.weights[s] = s < steps ? job.weights[s] * here : 0;
        if (s < steps) square += here * here;
        if (s + 1 >= steps) continue;
        const double coupling = s > 0 ? job.subdiagonal[s - 1] : 0;
        const double next = ((rho - job.diagonal[s]) * here - coupling * before) / job.subdiagonal[s];
        before = here;
        here = next;
    }
    for (int s = 0; s < steps; ++s) job.weights[s] *= length / sqrt(square);
}

template <typename Value> __global__ __launch_bounds__(MEETING_THREADS) void find_radius(lanczos<Value> job)
{
    cg::grid_group grid = cg::this_grid();
    int turn = 0, steps = iterate(job, grid, &turn);
    double radius = steps != 0 ? 0 : combine_all(grid, sum_rows(job), maximum(), job.shares, &turn);
    if (blockIdx.x != 0 || threadIdx.x >= WARP) return;
    __syncwarp();
    if (steps > 0) radius = largest_ritz_value(job.diagonal, job.subdiagonal, steps);
    if (threadIdx.x != 0) return;
    *job.rho = radius > 0 && isfinite(radius) ? radius : 1;
    if (job.known.basis == nullptr) return;
    weigh_basis(job, steps, radius);
    *job.known.rho = steps > 0 ? *job.rho : 0;
}

/* The Ritz vector of a set-up. */
template <typename Value> spg_status combine_basis(spg_context *context, const lanczos<Value> &job)
{
    const spg_amg_spectrum known = job.known;
    const double *weights = job.weights;
    const int64_t rows = job.A.rows;
    const int steps = job.steps;
    return for_each(context, rows, "a Ritz vector", [=] __device__(int64_t i) {
        double sum = 0;
        for (int s = 0; s < steps; ++s)
            if (weights[s] != 0) sum += weights[s] * (double)known.basis[s * rows + i];
        known.vector[i] = (float)sum;
    });
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
                        void *workspace, const spg_amg_spectrum *known, double *rho)
{
    char *at = static_cast<char *>(workspace);
    int64_t bytes = vector_bytes(A);
    lanczos<Value> job = {};
    job.A = view_of<Value>(A);
    job.lanes = lanes_for(A.rows, A.nnz, ENTRIES_A_LANE);
    job.steps = steps;
    job.inverse = static_cast<const Value *>(inverse);
    job.v = reinterpret_cast<Value *>(at);
    job.before = reinterpret_cast<Value *>(at + bytes);
    job.y = reinterpret_cast<Value *>(at + 2 * bytes);
    job.seed = seed;
    job.shares = reinterpret_cast<double *>(at + 3 * bytes);
    job.diagonal = job.shares + 2 * MOST_BLOCKS;
    job.subdiagonal = job.diagonal + steps;
    job.weights = job.subdiagonal + steps;
    job.rho = rho;
    if (known != nullptr) job.known = *known;
    spg_status status = launch(context, job);
    return status == SPG_OK && job.known.basis != nullptr ? combine_basis(context, job) : status;
}

} // namespace

} // namespace amg

} // namespace spg

int64_t spg_cuda_spectral_bytes(const spg_csr *A, int steps)
{
    return 3 * spg::amg::vector_bytes(*A) + (2 * spg::amg::MOST_BLOCKS + 3 * (int64_t)steps) * (int64_t)sizeof(double);
}

spg_status spg_cuda_spectral_radius(spg_context *context, const spg_csr *A, const void *inverse, int steps,
                                    uint64_t seed, void *workspace, const spg_amg_spectrum *known, double *rho)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::with_real_type(A->value_type, [&](auto value) {
        return spg::amg::queue_radius<decltype(value)>(context, *A, inverse, steps, seed, workspace, known, rho);
    });
    spg_cuda_leave(context);
    return status;
}
