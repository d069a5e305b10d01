/* Eigenvalues of the tridiagonal matrix that Lanczos makes. Private. */
#ifndef SPG_KERNELS_AMG_RITZ_CUH
#define SPG_KERNELS_AMG_RITZ_CUH

#include "rows.cuh"

#include <cfloat>

namespace spg
{

namespace amg
{

enum { MOST_TESTED = 32 }; /* of steps after which an update asks whether its estimate has settled */

/* Shares of themselves that eigenvalues are found to: where that decides whether to go on, and at the end. */
constexpr float TESTED_TO = 1.0f / 65536;
constexpr double FOUND_TO = 1.0 / ((int64_t)1 << 40);

__device__ inline float least_number(float) { return FLT_MIN; }
__device__ inline double least_number(double) { return DBL_MIN; }

/* How many eigenvalues of the tridiagonal matrix lie below x (Sturm). */
template <typename Real>
__device__ inline int eigenvalues_below(const Real *diagonal, const Real *subdiagonal, int steps, Real x)
{
    int below = 0;
    Real pivot = 1;
    for (int s = 0; s < steps; ++s) {
        Real coupling = s > 0 ? subdiagonal[s - 1] * subdiagonal[s - 1] : 0;
        pivot = diagonal[s] - x - coupling / pivot;
        if (pivot == 0) pivot = -least_number(x);
        below += pivot < 0;
    }
    return below;
}

/* By one warp: each lane tries a point between the bounds, until these are within a share `tolerance` of each other. */
template <typename Real>
__device__ inline Real largest_ritz_value(const Real *diagonal, const Real *subdiagonal, int steps, Real tolerance)
{
    Real low = -1 / least_number(Real(0)), high = low;
    for (int s = 0; s < steps; ++s) { /* above every diagonal entry and within Gershgorin's discs */
        Real radius = (s > 0 ? subdiagonal[s - 1] : 0) + (s + 1 < steps ? subdiagonal[s] : 0);
        low = low < diagonal[s] ? diagonal[s] : low;
        high = high < diagonal[s] + radius ? diagonal[s] + radius : high;
    }
    for (;;) {
        Real point = low + (high - low) * ((Real)(lane_in_warp() + 1) / (WARP + 1));
        bool is_between = point > low && point < high;
        bool is_above = is_between && eigenvalues_below(diagonal, subdiagonal, steps, point) == steps;
        if (!__any_sync(ALL_LANES, is_between) || high - low <= tolerance * high) return high;
        Real least_above = reduce(is_above ? point : high, minimum());
        Real most_below = reduce(is_between && !is_above ? point : low, maximum());
        high = least_above;
        low = most_below < high ? most_below : low;
    }
}

/* Whether the largest Ritz value of steps 0 to s is about what it was before s, and *settled where it goes; by all
 * threads of a block. coupling: of step s with the one before. In floats, and no nearer than it takes: the steps wait
 * for it. */
__device__ inline bool settles(int s, double diagonal, double coupling, float *estimate, double *settled)
{
    __shared__ float diagonals[MOST_TESTED], couplings[MOST_TESTED], found;
    if (threadIdx.x < WARP) {
        if (threadIdx.x == 0) {
            diagonals[s] = (float)diagonal;
            if (s > 0) couplings[s - 1] = (float)coupling;
        }
        __syncwarp();
        float value = isfinite(diagonal) && s > 0 ? largest_ritz_value(diagonals, couplings, s + 1, TESTED_TO) : 0;
        if (threadIdx.x == 0) found = value;
    }
    __syncthreads();
    const float before = *estimate;
    *estimate = found;
    __syncthreads();
    if (s < 2 || !(*estimate - before <= (float)SPG_AMG_SETTLED * *estimate)) return false;
    *settled = (double)(*estimate + SPG_AMG_STILL_TO_COME * (*estimate - before));
    return true;
}

} // namespace amg

} // namespace spg

#endif
