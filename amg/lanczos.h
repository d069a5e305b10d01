/* The rules of Lanczos for the spectral radius: when it stops, and what vector it leaves for updates. For the host and
 * for kernels. Private. */
#ifndef SPG_AMG_LANCZOS_H
#define SPG_AMG_LANCZOS_H

#include "inline.h"

#include <math.h>
#include <stdbool.h>

/* Whether the space is invariant, so that the direction after the last coupling is only rounding. The radius changes by
 * about the square of the coupling. spread: that of the tridiagonal matrix so far. */
#define SPG_AMG_INVARIANT_F32 1e-3
#define SPG_AMG_INVARIANT_F64 1e-6

SPG_INLINE bool spg_amg_is_invariant(double coupling, double spread, bool in_floats)
{
    return coupling <= (in_floats ? SPG_AMG_INVARIANT_F32 : SPG_AMG_INVARIANT_F64) * spread;
}

/* After each step, from number `first` on (0 is the first of all), a further step like it is tried, with its diagonal
 * entry and the coupling known by then: the estimate would grow from `now` to `next`. The step's own estimate is `next`
 * plus `still_to_come` times the growth. It has full weight if the growth is at most `settled` times `next`, none from
 * `unsettled` times on, and in between a share of what earlier steps left open. So if rounding causes a further step,
 * the radius changes only by rounding. */
typedef struct spg_amg_settling {
    int first;
    double settled, unsettled, still_to_come;
} spg_amg_settling;

/* SPG_AMG_MOST_STEPS: where the steps are not given.
 *
 * From random bits: the first steps may hide an eigenvalue apart from the rest, as of an arrow. 81 levels (grids,
 * graphs, jumps of 10^4, lognormal and anisotropic couplings) with 3 starts each took 9.3 steps in the mean. Against
 * the radius of 120 steps, 5 percent of the estimates were more than 1.4 percent low, the worst 4.0, and none was 1.5
 * high; of grids with one pair of strongly coupled nodes the worst was 9 percent low. 15 steps without a test: 1.8, 3.4
 * and 10 percent low.
 *
 * From the vector of set-up: without shares, at 1 percent, 465 levels on the host (grids, meshes and solids with
 * couplings that vary, jump by 10^4 or are anisotropic) took 3.9 steps on the finest levels and 5.5 on others. 42
 * results were more than 2 percent below those of 15 steps from random bits, and none was 3 percent above. Of 144 other
 * levels, 13 were 2 percent below or 3 above without shares and 11 with them, in 3.6 and 3.8 steps. No bench measures
 * either; test_amg_spectrum holds some such levels to 4 percent, test_amg_update to 5. */
enum { SPG_AMG_MOST_STEPS = 15 };
SPG_INLINE spg_amg_settling spg_amg_settling_of(bool starts_warm)
{
    const spg_amg_settling cold = {5, 0.4 / 100, 0.6 / 100, 4}, warm = {1, 0.8 / 100, 1.2 / 100, 3};
    return starts_warm ? warm : cold;
}

/* The share of a step, from 0 to 1, in what is still open. */
SPG_INLINE double spg_amg_settled_share(spg_amg_settling by, double growth, double next)
{
    if (!(next > 0)) return 0;
    const double share = (by.unsettled * next - growth) / ((by.unsettled - by.settled) * next);
    return share >= 1 ? 1 : share > 0 ? share : 0;
}

/* The vector's last components are those where the residual of the Ritz vector, relative to the radius, falls to this
 * value: beyond it Lanczos may lose orthogonality and, by rounding, find the same vector again. Components fade out
 * between twice this value and this value, so that rounding does not decide whether one is included. */
#define SPG_AMG_LEAST_RESIDUAL 1e-3

SPG_INLINE double spg_amg_component_share(double residual, double rho)
{
    const double share = residual / (SPG_AMG_LEAST_RESIDUAL * rho) - 1;
    return share >= 1 ? 1 : share > 0 ? share : 0;
}

/* The eigenvector for the largest eigenvalue rho of the first `made` rows of the tridiagonal matrix, computed from the
 * first row on: all components are positive, and nothing cancels. weights of `steps` vectors: on input, factors that
 * make each a unit vector; on output, factors of the sum, a vector as long as the first of them. */
SPG_INLINE void spg_amg_weigh_basis(const double *diagonal, const double *subdiagonal, int made, int steps, double rho,
                                    double *weights)
{
    double before = 0, here = 1, square = 0, kept = 0, share = 1;
    const double length = 1 / weights[0];
    for (int s = 0; s < steps; ++s) {
        if (s >= made) share = 0;
        weights[s] = share > 0 ? weights[s] * here * share : 0;
        square += here * here;
        kept += here * here * share * share;
        if (s + 1 >= made || share == 0) continue;
        share = fmin(share, spg_amg_component_share(subdiagonal[s] * here / sqrt(square), rho));
        const double coupling = s > 0 ? subdiagonal[s - 1] : 0;
        const double next = ((rho - diagonal[s]) * here - coupling * before) / subdiagonal[s];
        before = here;
        here = next;
    }
    for (int s = 0; s < made; ++s) weights[s] *= length / sqrt(kept);
}

#endif
