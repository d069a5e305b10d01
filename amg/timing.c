/* Seconds of the steps of setup. */
#include "amg.h"

#include "clock.h"

/* Reads something back, since all queued work has then ended. */
static double now(const spg_amg *amg)
{
    const spg_context *context = amg->context;
    double ignored;
    if (amg->options.timing && context->config.place != SPG_PLACE_HOST)
        context->backend->copy_bytes(amg->context, &ignored, SPG_PLACE_HOST, amg->rho, context->config.place,
                                     sizeof ignored);
    return spg_seconds();
}

void spg_amg_start_timing(spg_amg *amg) { amg->mark = now(amg); }

void spg_amg_end_step(spg_amg *amg, const spg_level *level, double *step)
{
    const double end = now(amg), seconds = end - amg->mark;
    amg->mark = end;
    *step += seconds;
    if (level != NULL && level->rows < SPG_AMG_SMALL_ROWS) amg->timings.small_levels += seconds;
}
