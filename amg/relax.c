/* Smoothing: sweeps of the smoother that the options name. */
#include "cycle.h"

static int steps_of(const spg_amg *amg, int sweeps)
{
    return amg->options.smoother == SPG_SMOOTHER_CHEBYSHEV ? sweeps * amg->options.chebyshev_degree : sweeps;
}

int spg_amg_sweep_turns(const spg_amg *amg, int sweeps, bool from_zero)
{
    const int steps = steps_of(amg, sweeps);
    return from_zero && steps > 0 ? steps - 1 : steps;
}

/* Step `step` of a sweep from `from` (NULL: zero) to `to`. */
static spg_status relax(const spg_amg *amg, const spg_level *level, int step, const void *b, const void *from, void *to)
{
    const spg_amg_options *options = &amg->options;
    switch (options->smoother) {
    case SPG_SMOOTHER_L1_JACOBI:
        return amg->backend->jacobi(amg->context, &level->A, level->l1_inverse, 1, NULL, b, from, to);
    case SPG_SMOOTHER_CHEBYSHEV:
        return amg->backend->chebyshev(amg->context, &level->A, level->inverse, level->rho, options->chebyshev_ratio,
                                       step, b, from, level->d, to);
    default:
        return amg->backend->jacobi(amg->context, &level->A, level->inverse, options->relaxation, level->rho, b, from,
                                    to);
    }
}

spg_status spg_amg_sweep(const spg_amg *amg, const spg_level *level, const void *b, int sweeps, spg_amg_iterate *x)
{
    const int steps = steps_of(amg, sweeps), degree = steps_of(amg, 1);
    spg_status status = SPG_OK;
    for (int k = 0; status == SPG_OK && k < steps; k++) {
        if (x->is_zero) {
            status = relax(amg, level, 0, b, NULL, x->now);
            x->is_zero = false;
            continue;
        }
        void *const to = x->next;
        status = relax(amg, level, k % degree, b, x->now, to);
        x->next = x->now;
        x->now = to;
    }
    return status;
}
