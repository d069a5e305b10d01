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

enum { MOST_TESTED = 32 }; /* steps after which the estimate is tested for having settled */

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

/* The tridiagonal matrix, in shared memory. least and most: bounds of the largest Ritz value. */
struct ritz_values {
    double diagonal[MOST_TESTED + 1], subdiagonal[MOST_TESTED + 1];
    float in_floats[2][MOST_TESTED + 1], least, most; /* the same */
    double settled, open; /* the settled part of the radius, and the weight of the last Ritz value in the rest */
};

/* Adds row s, and to be tried the next one like it. */
__device__ inline void add_row(ritz_values &values, int s, double diagonal, double coupling)
{
    values.diagonal[s] = values.diagonal[s + 1] = diagonal;
    values.subdiagonal[s] = coupling;
    values.in_floats[0][s] = values.in_floats[0][s + 1] = (float)diagonal;
    values.in_floats[1][s] = (float)coupling;
}

enum { ROUNDINGS = 4096 }; /* of a largest Ritz value by floats, at most */
/* The largest eigenvalue to the precision of doubles, from that of floats: Newton's method on the characteristic
 * polynomial of the matrix over `by_floats`, whose three-term recurrence divides by nothing. */
__device__ inline double refine(const ritz_values &values, int steps, float by_floats)
{
    const double unit = 1 / (double)by_floats;
    double x = 1;
    for (int round = 0; round < 3; ++round) {
        double before = 0, here = 1, slope_before = 0, slope = 0;
        for (int s = 0; s < steps; ++s) {
            const double entry = unit * values.diagonal[s] - x, coupling = s > 0 ? unit * values.subdiagonal[s - 1] : 0;
            const double next = entry * here - coupling * coupling * before;
            const double slope_next = entry * slope - here - coupling * coupling * slope_before;
            before = here, here = next;
            slope_before = slope, slope = slope_next;
        }
        x -= here / slope;
    }
    return fabs(x - 1) < ROUNDINGS * (double)FLT_EPSILON ? x * (double)by_floats : (double)by_floats;
}

/* Adds step s to the estimate (amg/lanczos.h): it takes a share of what earlier steps left open. One warp calls it: one
 * half finds the current Ritz value, the other that after another step like s. Steps wait for it, so it goes to the
 * precision of floats, 17^5 parts of the interval between the bounds; from random bits, where host and device agree to
 * rounding, to that of doubles where the step may take a share. coupling: of step s with the next. */
__device__ inline void settle(ritz_values &values, bool is_warm, int s, double diagonal, double coupling)
{
    const float entry = (float)diagonal, before = s > 0 ? values.in_floats[1][s - 1] : 0;
    float low = s > 0 ? fmaxf(values.least, entry) : entry;
    float high = fmaxf(s > 0 ? values.most : entry, entry + before + (float)coupling);
    __syncwarp();
    if (lane_in_warp() == 0) {
        add_row(values, s, diagonal, coupling);
        values.least = low;
        values.most = high;
    }
    __syncwarp();
    const spg_amg_settling by = spg_amg_settling_of(is_warm);
    if (s < by.first) return;
    const int steps = s + 1 + lane_in_warp() / (WARP / 2);
    for (int round = 0; round < 5; ++round)
        narrow<WARP / 2>(values.in_floats[0], values.in_floats[1], steps, low, high);
    const float middle = low + (high - low) / 2;
    double now = (double)__shfl_sync(ALL_LANES, middle, 0), next = (double)__shfl_sync(ALL_LANES, middle, WARP / 2);
    if (!is_warm && next - now <= 1.1 * by.unsettled * next) {
        const double refined = refine(values, steps, middle);
        now = __shfl_sync(ALL_LANES, refined, 0);
        next = __shfl_sync(ALL_LANES, refined, WARP / 2);
    }
    if (lane_in_warp() != 0) return;
    const double share = values.open * spg_amg_settled_share(by, next - now, next);
    values.settled += share * (next + by.still_to_come * (next - now));
    values.open -= share;
}

} // namespace amg

} // namespace spg

#endif
