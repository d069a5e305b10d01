/* When coarsening no longer pays off: too few nodes are aggregated, or operators become too dense. */
#include "amg.h"

#include <math.h>
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

/* The operators of a graph with hubs fill up, and each level that can be smoothed would take what the limit leaves. On
 * graphs of a power law this keeps complexities below 2, at no cost in iterations (amg_bench). Stretched grids, whose
 * levels may pass the limit too but whose rows stay short, gain by being smoothed. */
static double limit_of(const spg_amg *amg, const spg_level *next, bool is_smoothed)
{
    const double most = amg->options.max_complexity;
    if (!is_smoothed || most <= SPG_AMG_MOST_BELOW_HUBS) return most;
    for (const spg_level *level = amg->level; level + 1 < next; ++level)
        if (level->has_hubs) return SPG_AMG_MOST_BELOW_HUBS;
    return most;
}

int64_t spg_amg_most_entries(const spg_amg *amg, const spg_level *next, bool is_smoothed)
{
    const spg_level *first = amg->level;
    double left = limit_of(amg, next, is_smoothed) * (double)first->nnz / block_entries(first);
    if (left == 0 || next->rows <= amg->options.max_coarse) return 0;
    for (const spg_level *level = first; level < next; ++level) left -= (double)level->nnz / block_entries(level);
    left *= is_smoothed ? block_entries(next) / 2 : block_entries(next);
    return left < 1 ? 1 : left < 0x1p62 ? (int64_t)left : INT64_MAX;
}

/* Whether a row of P reaches nearly as many aggregates as an aggregate has nodes, on average. Where aggregates lie
 * together, as on grids, it reaches at most 0.6 times as many; on random graphs more (amg_bench). */
static bool reaches_far(const spg_level *level)
{
    const spg_amg_aggregates *of = &level->aggregates;
    const double rows = (double)level->P.rows, blocks = (double)level->P.nnz / of->candidates;
    return level->P.cols >= SPG_AMG_SAMPLED && blocks / rows >= 0.75 * (double)of->nodes / (double)of->aggregates;
}

/* Whether the mean length of the sampled rows, less three times its standard error, makes more entries than `most`: so
 * a few long rows in the sample decide nothing. */
static bool sample_exceeds(const int64_t *lengths, int64_t rows, int64_t most)
{
    double sum = 0, squares = 0;
    for (int s = 0; s < SPG_AMG_SAMPLED; ++s) {
        sum += (double)lengths[s];
        squares += (double)lengths[s] * (double)lengths[s];
    }
    const double mean = sum / SPG_AMG_SAMPLED, spread = squares / SPG_AMG_SAMPLED - mean * mean;
    const double error = sqrt((spread > 0 ? spread : 0) / (SPG_AMG_SAMPLED - 1));
    return (mean - 3 * error) * (double)rows > (double)most;
}

spg_status spg_amg_fills_up(const spg_amg *amg, spg_level *level, int64_t longest_row, bool *fills_up)
{
    const int64_t most = spg_amg_most_entries(amg, level + 1, true);
    const spg_csr *A = &level->A, *P = &level->P;
    int64_t least = 0, lengths[SPG_AMG_SAMPLED];
    spg_status status = SPG_OK;
    *fills_up = false;
    if (most == 0 || level->relaxation == 0 || spg_amg_makes_restriction(amg, level)) return SPG_OK;
    if ((double)P->cols * (double)longest_row > (double)most) /* else the bound is no more */
        status = amg->backend->least_coarse_entries(amg->context, A, P, &least);
    level->has_hubs = least > most;
    *fills_up = level->has_hubs;
    if (status != SPG_OK || *fills_up || !reaches_far(level)) return status;
    status = amg->backend->sample_coarse_rows(amg->context, A, P, lengths);
    *fills_up = status == SPG_OK && sample_exceeds(lengths, P->cols, most);
    return status;
}

void spg_amg_log_unsmoothed(const spg_amg *amg, const spg_level *level)
{
    const double limit = limit_of(amg, level + 1, true);
    if (limit < amg->options.max_complexity)
        log_limit(
            amg, level,
            "its prolongator is not smoothed, or the next operator would pass a complexity of %g, kept to below a "
            "level with hubs",
            limit);
    else
        log_limit(amg, level,
                  "its prolongator is not smoothed, or the next operator would pass max_complexity, which is %g",
                  limit);
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
