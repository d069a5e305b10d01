/* What Lanczos goes by when it estimates a spectral radius: where it ends, and what vector it leaves to updates. For
 * the host and for kernels. Private. */
#ifndef SPG_AMG_LANCZOS_H
#define SPG_AMG_LANCZOS_H

#include "inline.h"

#include <math.h>
#include <stdbool.h>

/* Whether the space is invariant: what the last coupling leads to is roundings. Next to it the radius changes by the
 * coupling's square. spread: of the tridiagonal matrix so far. */
#define SPG_AMG_INVARIANT_F32 1e-3
#define SPG_AMG_INVARIANT_F64 1e-6

SPG_INLINE bool spg_amg_is_invariant(double coupling, double spread, bool in_floats)
{
    return coupling <= (in_floats ? SPG_AMG_INVARIANT_F32 : SPG_AMG_INVARIANT_F64) * spread;
}

/* After each step of an update's Lanczos, from the second on, another step like it is tried, with its diagonal entry
 * and the coupling that is known by then: it would let the estimate grow from `now` to `next`. `next` and three times
 * the growth, for what is still to come, is what the step says of the radius. It counts wholly where the growth is at
 * most 0.8 percent of `next`, not at all from 1.2 percent on, and in between for a share of what the steps before left
 * open: so roundings that let a step more be made change the radius by no more than roundings.
 *
 * Without shares, at 1 percent, 465 levels on the host (grids, meshes and solids with couplings that vary, jump by 10^4
 * or are anisotropic) had 42 more than 2 percent below 15 steps from random bits and none 3 above, in 3.9 steps on the
 * finest levels and 5.5 on others. Of 144 others, 13 were 2 percent below or 3 above without shares and 11 with them,
 * in 3.6 steps and 3.8. No bench counts this; test_amg_update holds some such levels to 4 percent. */
#define SPG_AMG_SETTLED (0.8 / 100)
#define SPG_AMG_UNSETTLED (1.2 / 100)
#define SPG_AMG_STILL_TO_COME 3

/* The share, from 0 to 1, that a step has of what is open. */
SPG_INLINE double spg_amg_settled_share(double growth, double next)
{
    if (!(next > 0)) return 0;
    const double share = (SPG_AMG_UNSETTLED * next - growth) / ((SPG_AMG_UNSETTLED - SPG_AMG_SETTLED) * next);
    return share >= 1 ? 1 : share > 0 ? share : 0;
}

/* Beyond a residual of the Ritz vector this small, beside the radius, are its last components: from there on Lanczos
 * may lose orthogonality and find the same vector again, as roundings have it. Components fade out between twice this
 * and this, so that roundings do not decide on one. */
#define SPG_AMG_LEAST_RESIDUAL 1e-3

SPG_INLINE double spg_amg_component_share(double residual, double rho)
{
    const double share = residual / (SPG_AMG_LEAST_RESIDUAL * rho) - 1;
    return share >= 1 ? 1 : share > 0 ? share : 0;
}

/* The eigenvector of the largest eigenvalue rho of the tridiagonal matrix's first `made` rows, from the first row on:
 * all components are positive, and nothing cancels. weights: of `steps` vectors; in: what makes each a unit vector;
 * out: with what they make a vector that is as long as the first of them. */
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
