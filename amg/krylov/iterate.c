/* Iterations between which the host looks at their residuals. */
#include "krylov.h"

#include <math.h>

/* Waits, and stores the residuals of the iterations after the first `known`. */
static spg_status look(spg_krylov *run, int64_t known, spg_amg_krylov_scalars *told)
{
    spg_status status = spg_krylov_read(run, run->scalars, sizeof *told, told);
    for (int64_t k = known; status == SPG_OK && k < told->done; k++)
        status = spg_krylov_note(run, told->residuals[k % SPG_AMG_MOST_UNREAD]);
    return status;
}

/* Of the iterations still needed if the residual goes on to fall as it did, those begun before the host looks again: a
 * later one may fall faster. Of 59 solves with 1632 iterations, 81 were begun in vain and 527 times the host looked; 76
 * and 545 with a half, 85 and 515 with all. No bench measures this; the solves are those of test_amg_krylov_at_once. */
#define SHARE_AT_ONCE 0.75

static int expected(const spg_krylov *run, int most)
{
    const spg_krylov_result *result = &run->result;
    const double fall = log(result->initial_residual / result->residual) / result->iterations;
    if (!(fall > 0)) return most;
    const double share = SHARE_AT_ONCE * log(result->residual / spg_krylov_target(run)) / fall;
    return share < 1 ? 1 : share < most ? (int)share : most;
}

/* How many iterations are begun at once. A monitor may end any. The first is alone, since M may be the inverse; from
 * one look to the next the number at most doubles. */
static int next_at_once(spg_krylov *run, int most)
{
    const int left = run->options.max_iterations - run->result.iterations;
    int count = run->options.monitor != NULL ? 1 : run->backend->krylov->at_once;
    if (count > 2 * run->at_once) count = 2 * run->at_once;
    run->at_once = count = run->result.iterations == 0 ? 1 : expected(run, count);
    if (count > left) count = left;
    return count < most ? count : most;
}

spg_status spg_krylov_iterate(spg_krylov *run, int most, spg_krylov_iteration *queue, spg_amg_krylov_scalars *told)
{
    spg_status status = SPG_OK;
    int begun = 0;
    *told = (spg_amg_krylov_scalars){0};
    while (status == SPG_OK && told->end == SPG_AMG_GOES_ON && begun < most && spg_krylov_goes_on(run)) {
        const int known = begun, count = next_at_once(run, most - begun);
        for (; begun < known + count && status == SPG_OK; begun++) status = queue(run, begun);
        const spg_status looked = look(run, known, told);
        if (looked != SPG_OK) status = looked;
    }
    return status;
}
