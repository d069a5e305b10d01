/* When an update's estimate of a spectral radius has settled. For the host and for kernels. Private. */
#ifndef SPG_SRC_AMG_SETTLE_H
#define SPG_SRC_AMG_SETTLE_H

#include "inline.h"

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

#endif
