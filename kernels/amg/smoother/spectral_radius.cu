/* The spectral radius of D^-1 A by Lanczos in the inner product of D, in which D^-1 A is symmetric if A is.
 *
 * In: A, the inverse of D, a seed, and for an update the vector to continue from. Out: *rho in device memory, and for a
 * set-up its Ritz vector. Each step is one pass over A and one sum over all rows. u_s is stored as t and u_(s-1), with
 * u_s = t - alpha u_(s-1) and alpha from the step before, and formed when it is read; so a pass multiplies it and
 * writes the next t. Its norm follows from the step before, by the products of t and u_(s-1); this does not need A to
 * be symmetric. All steps are one cooperative kernel: blocks write their shares of the sums to memory, synchronise, and
 * each adds all shares in the same order, so that all continue identically. Never waits. */
#include "../../launch.cuh"
#include "ritz.cuh"

#include "amg/random.h"

#include <cooperative_groups.h>

namespace spg
{

namespace amg
{

namespace
{

namespace cg = cooperative_groups;

enum { MOST_BLOCKS = 1024, ALIGNMENT = 64 };
enum { ENTRIES_A_LANE = 8 };
enum { FEWEST_ENTRIES_A_LANE = 2 }; /* of matrices that leave multiprocessors idle */
enum { SUMS = 4 };

/* u = t - alpha before; alpha is stored elsewhere. */
template <typename Entry> struct alignas(2 * sizeof(Entry)) couple {
    Entry t, before;

    __device__ Entry at(Entry alpha) const { return t - alpha * before; }
};

/* Entry: of the vectors. */
template <typename Value, typename Entry> struct lanczos {
    matrix_view<Value> A;
    int lanes, steps;
    bool settles;             /* also from random bits */
    const int32_t *symmetric; /* NULL, or if it is 0, no steps are made */
    const Value *inverse;
    couple<Entry> *here, *next;
    uint64_t seed;
    double *diagonal, *subdiagonal; /* of the tridiagonal matrix */
    double *shares;                 /* of the blocks: two sets, used alternately */
    double *rho;
    spg_amg_spectrum known; /* NULL vector: nothing is known or kept */
    double *weights;        /* of the basis in the Ritz vector; before that, the vectors' scales */

    __device__ bool starts_warm() const { return known.vector != nullptr && known.basis == nullptr && *known.rho != 0; }
    __device__ void keep(int step, int64_t row, double entry) const /* of D^1/2 u */
    {
        known.basis[step * A.rows + row] = (float)entry;
    }
};

/* The coefficients of a step, the same in all threads: u_s = here.at(alpha); beta_square: (u_s, u_s) / (u_(s-1),
 * u_(s-1)); scale: makes u_s approximately a unit vector. */
struct recurrence {
    double alpha = 0, beta_square = 0, scale = 1;
};

/* Combines the values of all blocks, in all threads of all of them. */
template <int Count, typename Operator>
__device__ void combine_all(cg::grid_group &grid, double (&values)[Count], Operator combine, double *shares, int *turn)
{
    __shared__ double parts[Count][MEETING_THREADS / WARP], all[Count];
    const int warp = (int)threadIdx.x / WARP, lane = lane_in_warp();
    double *mine = shares + (*turn)++ % 2 * (SUMS * MOST_BLOCKS);
#pragma unroll
    for (int c = 0; c < Count; ++c) {
        values[c] = reduce(values[c], combine);
        if (lane == 0) parts[c][warp] = values[c];
    }
    __syncthreads();
    if (warp < Count) {
        double value = reduce(parts[warp][lane], combine);
        if (lane == 0) mine[warp * MOST_BLOCKS + (int)blockIdx.x] = value;
    }
    grid.sync();
    if (warp < Count) {
        double value = 0;
        for (int b = lane; b < (int)gridDim.x; b += WARP)
            value = combine(value, *(volatile const double *)(mine + warp * MOST_BLOCKS + b));
        value = reduce(value, combine);
        if (lane == 0) all[warp] = value;
    }
    __syncthreads();
#pragma unroll
    for (int c = 0; c < Count; ++c) values[c] = all[c];
}

/* u_0 = D^-1/2 x, with x from random bits, plus the known vector if there is one: the random part supplies what it
 * lacks. */
template <typename Value, typename Entry> __device__ void start(const lanczos<Value, Entry> &job, bool is_warm)
{
    const int64_t step = (int64_t)gridDim.x * MEETING_THREADS;
    for (int64_t i = (int64_t)blockIdx.x * MEETING_THREADS + threadIdx.x; i < job.A.rows; i += step) {
        double inverse = (double)job.inverse[i];
        double x = spg_amg_random_unit(job.seed, (uint64_t)i);
        if (is_warm) x += (double)job.known.vector[i];
        job.here[i] = {inverse > 0 && x != 0 ? (Entry)(x * sqrt(inverse)) : (Entry)0, (Entry)0};
    }
}

struct row_range {
    int64_t begin;
    int length;
};

template <typename Value> __device__ row_range range_of(const matrix_view<Value> &A, int64_t row)
{
    if (row >= A.rows) return {0, 0};
    const int64_t begin = A.offsets[row];
    return {begin, (int)(A.offsets[row + 1] - begin)};
}

/* The row's product with u, in all lanes of its group. A lane loads several entries before it uses the first. Tiles of
 * rows in shared memory (row_sums.cuh) would need more registers than threads of such large blocks have: they gained on
 * long rows what they lost on short ones (amg_bench, H100). */
template <typename Value, typename Entry>
__device__ Value multiply_row_by_couples(const matrix_view<Value> &A, row_range range, int lane, int lanes,
                                         const couple<Entry> *here, Entry alpha)
{
    const int32_t *columns_of_row = A.columns + range.begin;
    const Value *values_of_row = A.values + range.begin;
    Value sum = 0;
    for (int k = lane; k < range.length; k += ENTRIES_A_LANE * lanes) {
        int32_t columns[ENTRIES_A_LANE];
        Value values[ENTRIES_A_LANE];
#pragma unroll
        for (int e = 0; e < ENTRIES_A_LANE; ++e) {
            bool reads = k + e * lanes < range.length;
            columns[e] = reads ? columns_of_row[k + e * lanes] : -1;
            values[e] = reads ? values_of_row[k + e * lanes] : (Value)0;
        }
#pragma unroll
        for (int e = 0; e < ENTRIES_A_LANE; ++e)
            if (columns[e] >= 0) sum += values[e] * (Value)here[columns[e]].at(alpha);
    }
    return combine_lanes(sum, lanes, plus());
}

/* Computes `next` from `here`. sums: this thread's share of (u, u), (u, D^-1 A u), (t, t) and (t, u) in the inner
 * product of D, with t of the next. A negative inverse makes them NaN: then D gives no inner product. */
template <typename Value, typename Entry>
__device__ void pass(const lanczos<Value, Entry> &job, int step, const couple<Entry> *here, couple<Entry> *next,
                     recurrence by, double (&sums)[SUMS])
{
    const Entry alpha = (Entry)by.alpha;
    const int groups = MEETING_THREADS / job.lanes, group = (int)threadIdx.x / job.lanes;
    const int lane = (int)threadIdx.x % job.lanes;
    const int64_t stride = (int64_t)gridDim.x * groups;
    row_range ahead = range_of(job.A, (int64_t)blockIdx.x * groups + group);
    for (int64_t first = (int64_t)blockIdx.x * groups; first < job.A.rows; first += stride) {
        const row_range range = ahead;
        const int64_t row = first + group;
        const bool leads = row < job.A.rows && lane == 0;
        const couple<Entry> own = leads ? here[row] : couple<Entry>{0, 0};
        const double inverse = leads ? (double)job.inverse[row] : 0;
        ahead = range_of(job.A, row + stride);
        const double y = (double)multiply_row_by_couples(job.A, range, lane, job.lanes, here, alpha);
        if (!leads) continue;
        const double u = (double)own.at(alpha), t = inverse * y - by.beta_square * (double)own.before;
        next[row] = {(Entry)(by.scale * t), (Entry)(by.scale * u)};
        if (job.known.basis != nullptr) job.keep(step, row, inverse > 0 ? u / sqrt(inverse) : 0);
        if (inverse == 0) continue;
        const double weight = inverse > 0 ? 1 / inverse : (double)NAN;
        sums[0] += weight * u * u;
        sums[1] += u * y;
        sums[2] += weight * t * t;
        sums[3] += weight * t * u;
    }
}

/* Whether steps end here. All threads of a block call it. */
__device__ bool is_settled(ritz_values &values, bool is_warm, int s, double diagonal, double coupling)
{
    if (threadIdx.x < WARP) settle(values, is_warm, s, diagonal, coupling);
    __syncthreads();
    const bool ends = values.open == 0;
    __syncthreads();
    return ends;
}

/* Returns the number of rows of the tridiagonal matrix; 0 if the recurrence broke down. */
template <typename Value, typename Entry>
__device__ int iterate(const lanczos<Value, Entry> &job, cg::grid_group &grid, int *turn, ritz_values &values)
{
    const bool is_warm = job.starts_warm(), settles = is_warm || job.settles;
    const bool tells = blockIdx.x == 0 && threadIdx.x == 0;
    couple<Entry> *here = job.here, *next = job.next;
    recurrence by;
    double spread = 0;
    start(job, is_warm);
    grid.sync();
    for (int s = 0; s < job.steps; ++s) {
        double sums[SUMS] = {};
        pass(job, s, here, next, by, sums);
        combine_all(grid, sums, plus(), job.shares, turn);
        if (!(sums[0] > 0)) return 0;
        const double diagonal = sums[1] / sums[0];
        if (tells) {
            job.diagonal[s] = diagonal;
            job.weights[s] = 1 / sqrt(sums[0]);
        }
        if (s + 1 == job.steps) return isfinite(diagonal) ? job.steps : 0;
        const double square = (sums[2] - 2 * diagonal * sums[3]) / sums[0] + diagonal * diagonal;
        if (!isfinite(diagonal) || !isfinite(square)) return 0;
        const double coupling = square > 0 ? sqrt(square) : 0;
        spread = fmax(spread, fabs(diagonal) + coupling);
        if (tells) job.subdiagonal[s] = coupling;
        if (spg_amg_is_invariant(coupling, spread, sizeof(Entry) == sizeof(float))) return s + 1;
        if (settles && s < MOST_TESTED && is_settled(values, is_warm, s, diagonal, coupling)) return s + 1;
        by = {diagonal, square, 1 / (by.scale * coupling * sqrt(sums[0]))};
        couple<Entry> *read = here;
        here = next;
        next = read;
    }
    return 0;
}

/* This thread's share of the largest sum of magnitudes of a row of D^-1 A. */
template <typename Value, typename Entry> __device__ double sum_rows(const lanczos<Value, Entry> &job)
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

template <typename Value, typename Entry>
__global__ __launch_bounds__(MEETING_THREADS) void find_radius(lanczos<Value, Entry> job)
{
    cg::grid_group grid = cg::this_grid();
    int turn = 0;
    double radius[1] = {0};
    __shared__ ritz_values values;
    if (threadIdx.x == 0) {
        values.settled = 0;
        values.open = 1;
    }
    const bool is_bound = job.steps == 0 || (job.symmetric != nullptr && *job.symmetric == 0);
    const int steps = is_bound ? 0 : iterate(job, grid, &turn, values);
    if (steps == 0) {
        radius[0] = sum_rows(job);
        combine_all(grid, radius, maximum(), job.shares, &turn);
    }
    trigger_next_kernel();
    if (blockIdx.x != 0 || threadIdx.x >= WARP) return;
    __syncwarp();
    if (steps > 0) radius[0] = values.settled;
    if (steps > 0 && values.open > 0)
        radius[0] += values.open * largest_ritz_value(job.diagonal, job.subdiagonal, steps);
    if (threadIdx.x != 0) return;
    *job.rho = radius[0] > 0 && isfinite(radius[0]) ? radius[0] : 1;
    if (job.known.basis == nullptr) return;
    spg_amg_weigh_basis(job.diagonal, job.subdiagonal, steps, job.steps, radius[0], job.weights);
    *job.known.rho = steps > 0 ? *job.rho : 0;
}

/* Computes the Ritz vector of a set-up. */
template <typename Value, typename Entry>
spg_status combine_basis(spg_context *context, const lanczos<Value, Entry> &job)
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

int64_t vector_bytes(const spg_csr &A) /* of couples */
{
    return (2 * A.rows * (int64_t)spg_type_size(A.value_type) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* More lanes than the entries need if rows are too few to keep all threads busy. */
int lanes_of_row(const spg_context *context, const spg_csr &A)
{
    const int64_t threads = (int64_t)spg_cuda_of(context)->multiprocessors * MEETING_THREADS;
    const int most = lanes_for(A.rows, A.nnz, FEWEST_ENTRIES_A_LANE);
    int lanes = lanes_for(A.rows, A.nnz, ENTRIES_A_LANE);
    while (lanes < most && 2 * lanes * A.rows <= threads) lanes *= 2;
    return lanes;
}

template <typename Value, typename Entry> spg_status launch(spg_context *context, lanczos<Value, Entry> job)
{
    spg_cuda *cuda = spg_cuda_of(context);
    int most = 0;
    cudaError_t error =
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&most, find_radius<Value, Entry>, MEETING_THREADS, 0);
    if (error != cudaSuccess) return spg_cuda_check(context, error, "the spectral radius");
    most = most * cuda->multiprocessors < MOST_BLOCKS ? most * cuda->multiprocessors : MOST_BLOCKS;
    unsigned int wanted = blocks_for_groups(context, job.A.rows, job.lanes, MEETING_THREADS);
    void *arguments[] = {&job};
    error = cudaLaunchCooperativeKernel((const void *)find_radius<Value, Entry>,
                                        dim3(wanted < (unsigned int)most ? wanted : (unsigned int)most),
                                        dim3(MEETING_THREADS), arguments, 0, cuda->stream);
    return spg_cuda_check(context, error, "the spectral radius");
}

template <typename Value, typename Entry>
spg_status queue_radius(spg_context *context, const spg_csr &A, const void *inverse, const spg_amg_radius &by,
                        void *workspace, const spg_amg_spectrum *known, double *rho)
{
    char *at = static_cast<char *>(workspace);
    int64_t bytes = vector_bytes(A);
    lanczos<Value, Entry> job = {};
    job.A = view_of<Value>(A);
    job.lanes = lanes_of_row(context, A);
    job.steps = by.steps;
    job.settles = by.settles;
    job.symmetric = by.symmetric;
    job.inverse = static_cast<const Value *>(inverse);
    job.here = reinterpret_cast<couple<Entry> *>(at);
    job.next = reinterpret_cast<couple<Entry> *>(at + bytes);
    job.seed = by.seed;
    job.shares = reinterpret_cast<double *>(at + 2 * bytes);
    job.diagonal = job.shares + 2 * SUMS * MOST_BLOCKS;
    job.subdiagonal = job.diagonal + by.steps;
    job.weights = job.subdiagonal + by.steps;
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
    return 2 * spg::amg::vector_bytes(*A) +
           (2 * spg::amg::SUMS * spg::amg::MOST_BLOCKS + 3 * (int64_t)steps) * (int64_t)sizeof(double);
}

spg_status spg_cuda_spectral_radius(spg_context *context, const spg_csr *A, const void *inverse,
                                    const spg_amg_radius *by, void *workspace, const spg_amg_spectrum *known,
                                    double *rho)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::with_real_type(A->value_type, [&](auto value) {
        using Value = decltype(value);
        return known != nullptr && known->basis == nullptr
                   ? spg::amg::queue_radius<Value, float>(context, *A, inverse, *by, workspace, known, rho)
                   : spg::amg::queue_radius<Value, Value>(context, *A, inverse, *by, workspace, known, rho);
    });
    spg_cuda_leave(context);
    return status;
}
