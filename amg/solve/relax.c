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

spg_amg_relaxation spg_amg_sweep_step(const spg_amg *amg, const spg_level *level, int step)
{
    const spg_amg_options *options = &amg->options;
    spg_amg_relaxation sweep = {.inverse = level->inverse, .rho = level->rho, .step = -1};
    switch (options->smoother) {
    case SPG_SMOOTHER_L1_JACOBI:
        sweep.inverse = level->l1_inverse;
        sweep.rho = NULL;
        sweep.scale = 1;
        break;
    case SPG_SMOOTHER_CHEBYSHEV:
        sweep.ratio = options->chebyshev_ratio;
        sweep.step = step;
        break;
    default: sweep.scale = options->relaxation; break;
    }
    return sweep;
}

/* Step `step` of a sweep from `from` (NULL: zero) to `to`. */
static spg_status relax(const spg_amg *amg, const spg_level *level, int step, const void *b, const void *from, void *to)
{
    spg_amg_relaxation sweep = spg_amg_sweep_step(amg, level, step);
    sweep.b = b;
    sweep.x = from;
    sweep.d = level->d;
    sweep.y = to;
    return amg->backend->relax(amg->context, &level->A, &sweep);
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
