/* When coarsening no longer pays off: too few nodes are aggregated, or operators become too dense. */
#include "amg.h"

#include <stdarg.h>
#include <stdio.h>

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static void
log_limit(const spg_amg *amg, const spg_level *level, const char *format, ...)
{
    const spg_config *config = &amg->context->config;
    char what[192], line[256];
    va_list arguments;
    if (config->log == NULL) return;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    snprintf(line, sizeof line, "multigrid, level %d of %lld rows: %s", (int)(level - amg->level),
             (long long)level->rows, what);
    config->log(config->log_user, line);
}

bool spg_amg_stalls(spg_amg *amg, const spg_level *level)
{
    const spg_amg_aggregates *of = &level->aggregates;
    const int64_t coupled = (of->nodes - level->left_out) * of->block_size, next = of->aggregates * of->candidates;
    if (of->aggregates == 0) {
        amg->end = SPG_AMG_END_UNCOUPLED;
        log_limit(amg, level, "no node has a strong neighbour at theta %g; it is the last", amg->options.theta);
        return true;
    }
    if (next < level->rows && (double)next * amg->options.least_coarsening <= (double)coupled) return false;
    amg->end = SPG_AMG_END_SLOW;
    log_limit(amg, level, "the next would have %lld for %lld, and least_coarsening is %g; it is the last",
              (long long)next, (long long)coupled, amg->options.least_coarsening);
    return true;
}

/* The entries of each block of a level. */
static double block_entries(const spg_level *level)
{
    return (double)level->aggregates.block_size * level->aggregates.block_size;
}

int64_t spg_amg_most_entries(const spg_amg *amg, const spg_level *next, bool is_smoothed)
{
    const spg_level *first = amg->level;
    double left = amg->options.max_complexity * (double)first->nnz / block_entries(first);
    if (left == 0 || next->rows <= amg->options.max_coarse) return 0;
    for (const spg_level *level = first; level < next; ++level) left -= (double)level->nnz / block_entries(level);
    left *= is_smoothed ? block_entries(next) / 2 : block_entries(next);
    return left < 1 ? 1 : left < 0x1p62 ? (int64_t)left : INT64_MAX;
}

void spg_amg_log_unsmoothed(const spg_amg *amg, const spg_level *level)
{
    log_limit(amg, level,
              "its prolongator is not smoothed, or the next operator would pass max_complexity, which is %g",
              amg->options.max_complexity);
}

void spg_amg_log_too_many_entries(const spg_amg *amg, const spg_level *level)
{
    log_limit(amg, level, "the next operator would pass max_complexity, which is %g; it is the last",
              amg->options.max_complexity);
}

void spg_amg_log_most_levels(const spg_amg *amg)
{
    log_limit(amg, &amg->level[amg->levels - 1], "max_levels is %d; it is the last", amg->options.max_levels);
}
