/* Eigenvalues of the tridiagonal matrix from Lanczos. Private. */
#ifndef SPG_KERNELS_AMG_SMOOTHER_RITZ_CUH
#define SPG_KERNELS_AMG_SMOOTHER_RITZ_CUH

#include "../rows.cuh"

#include "amg/lanczos.h"

#include <cfloat>

namespace spg
{

namespace amg
{

enum { MOST_TESTED = 32 }; /* steps after which an update tests whether its estimate has settled */

__device__ inline float quotient(float a, float b) { return __fdividef(a, b); }
__device__ inline double quotient(double a, double b) { return a / b; }
__device__ inline float least_number(float) { return FLT_MIN; }
__device__ inline double least_number(double) { return DBL_MIN; }

/* Whether all eigenvalues of the tridiagonal matrix are below x (Sturm). */
template <typename Real>
__device__ inline bool is_above_all(const Real *diagonal, const Real *subdiagonal, int steps, Real x)
{
    bool is_above = true;
    Real pivot = 1;
    for (int s = 0; s < steps; ++s) {
        Real coupling = s > 0 ? subdiagonal[s - 1] * subdiagonal[s - 1] : 0;
        pivot = diagonal[s] - x - quotient(coupling, pivot);
        if (pivot == 0) pivot = -least_number(x);
        is_above = is_above && pivot < 0;
    }
    return is_above;
}

/* Narrows the bounds of the largest eigenvalue, by Lanes neighbouring lanes: each tests a point between the bounds; the
 * part between two points remains. */
template <int Lanes, typename Real>
__device__ inline void narrow(const Real *diagonal, const Real *subdiagonal, int steps, Real &low, Real &high)
{
    const int lane = lane_in_warp() % Lanes, shift = lane_in_warp() - lane;
    const Real part = (high - low) / (Lanes + 1);
    const bool is_above = is_above_all(diagonal, subdiagonal, steps, low + part * (Real)(lane + 1));
    const unsigned int above = __ballot_sync(ALL_LANES, is_above) >> shift & ALL_LANES >> (WARP - Lanes);
    const int points = above == 0 ? Lanes : __ffs((int)above) - 1; /* points below the eigenvalue */
    if (points < Lanes) high = low + part * (Real)(points + 1);
    low += part * (Real)points;
}

/* By one warp, to 2^-45 of the distance of its bounds. */
__device__ inline double largest_ritz_value(const double *diagonal, const double *subdiagonal, int steps)
{
    double low = -DBL_MAX, high = -DBL_MAX;
    for (int s = 0; s < steps; ++s) { /* above every diagonal entry and within Gershgorin's discs */
        double radius = (s > 0 ? subdiagonal[s - 1] : 0) + (s + 1 < steps ? subdiagonal[s] : 0);
        low = fmax(low, diagonal[s]);
        high = fmax(high, diagonal[s] + radius);
    }
    for (int round = 0; round < 9; ++round) narrow<WARP>(diagonal, subdiagonal, steps, low, high);
    return high;
}

/* An update's tridiagonal matrix, in shared memory and in floats. least and most: bounds of the largest Ritz value. */
struct ritz_values {
    float diagonal[MOST_TESTED + 1], subdiagonal[MOST_TESTED + 1], least, most;
    double settled, open; /* the settled part of the radius, and the weight of the last Ritz value in the rest */
};

/* Adds step s to an update's estimate (amg/lanczos.h): it takes a share of what earlier steps left open. One warp calls
 * it: one half finds the current Ritz value, the other that after another step like s. Steps wait for it, so it goes
 * only to the precision of floats: 17^5 parts of the interval between the bounds. coupling: of step s with the next. */
__device__ inline void settle(ritz_values &values, int s, float diagonal, float coupling)
{
    const float before = s > 0 ? values.subdiagonal[s - 1] : 0;
    float low = s > 0 ? fmaxf(values.least, diagonal) : diagonal;
    float high = fmaxf(s > 0 ? values.most : diagonal, diagonal + before + coupling);
    __syncwarp();
    if (lane_in_warp() == 0) {
        values.diagonal[s] = values.diagonal[s + 1] = diagonal;
        values.subdiagonal[s] = coupling;
        values.least = low;
        values.most = high;
    }
    __syncwarp();
    if (s == 0) return;
    const int steps = s + 1 + lane_in_warp() / (WARP / 2);
    for (int round = 0; round < 5; ++round) narrow<WARP / 2>(values.diagonal, values.subdiagonal, steps, low, high);
    const float middle = low + (high - low) / 2;
    const float now = __shfl_sync(ALL_LANES, middle, 0), next = __shfl_sync(ALL_LANES, middle, WARP / 2);
    if (lane_in_warp() != 0) return;
    const double growth = (double)next - (double)now;
    const double share = values.open * spg_amg_settled_share(growth, (double)next);
    values.settled += share * ((double)next + SPG_AMG_STILL_TO_COME * growth);
    values.open -= share;
}

} // namespace amg

} // namespace spg

#endif
