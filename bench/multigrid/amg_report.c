#include "amg_report.h"

#include "format.h"
#include "json_fields.h"

#include <string.h>

static const double notable_cores = 0.15;

static const char *join_text(const spg_amg_options *settings)
{
    if (settings->aggregation != SPG_AGGREGATION_MIS2) return "";
    return settings->join_leftovers ? ", leftovers joined" : ", leftovers out";
}

void amg_report_head(FILE *stream, const char *description, const amg_options *chosen)
{
    const spg_amg_options *settings = &chosen->hierarchy;
    fprintf(stream, "%s\nspg %s, %s\n", description, spg_version(), spg_type_name(chosen->type));
    fprintf(stream, "aggregation %s%s, theta %g%s,\n", aggregation_name(settings->aggregation), join_text(settings),
            settings->theta, settings->strength == SPG_STRENGTH_CLASSICAL ? " of the row's largest" : "");
    fprintf(stream, "prolongators %s%s%s,\nat most %lld rows solved densely, seed %llu\n",
            settings->prolongator_relaxation > 0 ? "smoothed" : "as they are",
            settings->filter ? " by filtered operators" : "",
            settings->restriction == SPG_RESTRICTION_TRANSPOSE ? "" : ", R by A^T", (long long)settings->max_coarse,
            (unsigned long long)settings->seed);
    if (settings->precision == SPG_AMG_PRECISION_F32) fputs("the hierarchy in f32, ", stream);
    fprintf(stream, "smoother %s", smoother_name(settings->smoother));
    if (settings->smoother == SPG_SMOOTHER_CHEBYSHEV) fprintf(stream, " of degree %d", settings->chebyshev_degree);
    fprintf(stream, ", %d + %d sweeps%s, %s to %g%s;\nmedians of %d after %d to warm up\n", settings->pre_sweeps,
            settings->post_sweeps, settings->cycle == SPG_CYCLE_K ? ", K-cycles" : "", method_name(chosen),
            chosen->solve.tolerance,
            chosen->solve.nullspace != SPG_AMG_NULLSPACE_NONE ? " with the null space projected" : "", chosen->reps,
            chosen->warmup);
}

void amg_report_matrix(FILE *stream, const amg_system *system)
{
    fprintf(stream, "\n%s   %lld rows, %lld entries (%s)", system->name, (long long)system->A.rows,
            (long long)system->A.nnz, bytes_text(csr_bytes(&system->A)).s);
    if (system->block_size > 1) fprintf(stream, ", %d a node", system->block_size);
    if (system->candidates > 0) fprintf(stream, ", %d candidates", system->candidates);
    fputc('\n', stream);
}

/* Without a second level symmetry is looked for, but there is no product. */
static double galerkin_seconds(const spg_amg_summary *summary)
{
    const spg_amg_timings *setup = &summary->setup;
    return summary->levels > 1 ? setup->transpose + setup->AP + setup->RAP + setup->symmetry : 0.0;
}

static double share(double part, double whole) { return whole > 0.0 ? 100.0 * part / whole : 0.0; }

/* Seconds of a step, by its name in JSON. */
typedef struct timed_step {
    const char *name;
    double seconds;
} timed_step;

static void steps_of(const spg_amg_timings *setup, timed_step steps[AMG_STEPS])
{
    steps[AMG_STRENGTH] = (timed_step){"strength", setup->strength};
    steps[AMG_AGGREGATE] = (timed_step){"aggregate", setup->aggregate};
    steps[AMG_TENTATIVE] = (timed_step){"tentative", setup->tentative};
    steps[AMG_SPECTRAL_RADIUS] = (timed_step){"spectral_radius", setup->spectral_radius};
    steps[AMG_SMOOTH] = (timed_step){"smooth", setup->smooth};
    steps[AMG_TRANSPOSE] = (timed_step){"transpose", setup->transpose};
    steps[AMG_AP] = (timed_step){"AP", setup->AP};
    steps[AMG_RAP] = (timed_step){"RAP", setup->RAP};
    steps[AMG_SYMMETRY] = (timed_step){"symmetry", setup->symmetry};
}

/* The steps beside the least time that memory lets them take. */
static void report_limits(FILE *stream, const amg_findings *found)
{
    timed_step steps[AMG_STEPS];
    steps_of(&found->summary.setup, steps);
    fprintf(stream, "  %-15s %10s %10s %8s\n", "step", "ms", "limit ms", "x limit");
    for (int k = 0; k < AMG_STEPS; k++) {
        const double ms = 1e3 * steps[k].seconds, limit = found->limits_ms[k];
        fprintf(stream, "  %-15s %10s %10s %8s\n", steps[k].name, ms_text(ms).s, limit > 0.0 ? ms_text(limit).s : "-",
                limit > 0.0 ? ratio_text(ms / limit).s : "-");
    }
}

/* The time of all right-hand sides at once over that of one alone. */
static double cost_of_many(const amg_findings *found)
{
    return found->at_once_ms * found->right_hand_sides / found->singly_ms;
}

static void report_times(FILE *stream, const amg_options *chosen, const amg_findings *found)
{
    const spg_amg_timings *setup = &found->summary.setup;
    fprintf(stream, "  set-up %s ms (%s-%s): Galerkin %.0f%%, levels below 10^4 rows %.0f%%\n",
            ms_text(found->setup_ms).s, ms_text(found->setup_min_ms).s, ms_text(found->setup_max_ms).s,
            share(galerkin_seconds(&found->summary), setup->total), share(setup->small_levels, setup->total));
    if (found->update_ms > 0.0)
        fprintf(stream, "  update %s ms, %s as fast as set-up; first%s, %s ms\n", ms_text(found->update_ms).s,
                ratio_text(found->setup_ms / found->update_ms).s,
                chosen->hierarchy.prepare_update ? "" : ", with plans", ms_text(found->first_update_ms).s);
    fprintf(stream, "  solve  %s ms, %s ms an iteration\n", ms_text(found->solve_ms).s,
            found->solved.iterations > 0 ? ms_text(found->solve_ms / found->solved.iterations).s : "-");
    if (found->at_once_ms > 0.0)
        fprintf(stream, "  %d right-hand sides: %s ms, singly %s ms; %s one (%d iterations%s)\n",
                found->right_hand_sides, ms_text(found->at_once_ms).s, ms_text(found->singly_ms).s,
                ratio_text(cost_of_many(found)).s, found->many_iterations, found->many_converged ? "" : ", not all");
    if (found->cores_taken > notable_cores)
        fprintf(stream, "  disturbed: other processes kept %.1f cores busy meanwhile\n", found->cores_taken);
}

/* Why there are no more levels. */
static void report_end(FILE *stream, const amg_options *chosen, const amg_findings *found)
{
    const spg_amg_options *settings = &chosen->hierarchy;
    fputs("  coarsening ended: ", stream);
    switch (found->summary.end) {
    case SPG_AMG_END_SMALL:
        fprintf(stream, "few rows are left (--max-coarse %lld)\n", (long long)settings->max_coarse);
        break;
    case SPG_AMG_END_LEVELS:
        fprintf(stream, "there are enough levels (--max-levels %d)\n", settings->max_levels);
        break;
    case SPG_AMG_END_UNCOUPLED:
        fprintf(stream, "no node of level %d has a strong neighbour (--theta %g)\n", found->levels - 1,
                settings->theta);
        break;
    case SPG_AMG_END_SLOW:
        fprintf(stream, "levels shrink too little (--least-coarsening %g)\n", settings->least_coarsening);
        break;
    case SPG_AMG_END_COMPLEXITY:
        fprintf(stream, "operators grow too dense (--max-complexity %g)\n", settings->max_complexity);
        break;
    }
}

static const char *end_name(spg_amg_end end)
{
    static const char *const names[] = {"small", "levels", "uncoupled", "slow", "complexity"};
    return names[end];
}

void amg_report_findings(FILE *stream, const amg_options *chosen, const amg_findings *found)
{
    if (!chosen->shows_levels)
        fprintf(stream, "  %d levels, operator complexity %.3f, grid complexity %.3f, %s held\n", found->levels,
                found->summary.operator_complexity, found->summary.grid_complexity, bytes_text(found->summary.bytes).s);
    fprintf(stream, "  set-up holds %s at its peak, beside the matrix\n", bytes_text(found->peak_bytes).s);
    report_end(stream, chosen, found);
    for (int k = 0; chosen->shows_history && k <= found->solved.iterations; k++)
        fprintf(stream, "  %4d  %.6e\n", k, found->history[k]);
    if (!found->verified) {
        fprintf(stream, "  WRONG: %s\n", found->fault);
        return;
    }
    fprintf(stream, "  %d iterations, residual %.2e of b, %.3f an iteration: %s\n", found->solved.iterations,
            found->solved.relative_residual, found->solved.convergence_factor,
            found->solved.converged ? "converged" : found->fault);
    if (chosen->shows_levels) report_limits(stream, found);
    report_times(stream, chosen, found);
}

void amg_report_table_head(FILE *stream)
{
    fputs("\nlv: levels. op.cx: operator complexity. its: iterations.\n", stream);
    fprintf(stream, "%-12s %10s %2s %6s %9s %9s %4s %8s %s\n", "Summary", "rows", "lv", "op.cx", "set-up ms",
            "update ms", "its", "solve ms", "right");
}

void amg_report_table_row(FILE *stream, const amg_findings *found)
{
    fprintf(stream, "%-12.12s %10lld %2d %6.3f %9s %9s %4d %8s %s\n", found->matrix, (long long)found->rows,
            found->levels, found->summary.operator_complexity, found->verified ? ms_text(found->setup_ms).s : "-",
            found->update_ms > 0.0 ? ms_text(found->update_ms).s : "-", found->solved.iterations,
            found->verified ? ms_text(found->solve_ms).s : "-",
            !found->verified          ? "NO"
            : found->solved.converged ? "yes"
                                      : "unconverged");
}

/* ---- JSON ---- */

static void put_options(FILE *stream, const amg_options *chosen, const amg_findings *found)
{
    const spg_amg_options *settings = &chosen->hierarchy;
    const bool has_join = settings->aggregation == SPG_AGGREGATION_MIS2;
    put_string(stream, "aggregation", aggregation_name(settings->aggregation));
    if (has_join) put_string(stream, "join", settings->join_leftovers ? "on" : "off");
    put_number(stream, "theta", true, settings->theta);
    put_string(stream, "strength", strength_name(settings->strength));
    if (settings->filter) put_string(stream, "filter", "yes");
    put_string(stream, "restriction", restriction_name(settings->restriction));
    if (settings->precision == SPG_AMG_PRECISION_F32) put_string(stream, "precision", "f32");
    put_integer(stream, "block_size", found->block_size);
    put_integer(stream, "candidates", found->candidates);
    put_number(stream, "prolongator_relaxation", true, settings->prolongator_relaxation);
    put_integer(stream, "max_coarse", settings->max_coarse);
    put_number(stream, "least_coarsening", true, settings->least_coarsening);
    put_number(stream, "max_complexity", true, settings->max_complexity);
    if (settings->prepare_update) put_string(stream, "prepare_update", "yes");
    put_integer(stream, "seed", (int64_t)settings->seed);
    put_string(stream, "smoother", smoother_name(settings->smoother));
    if (settings->smoother == SPG_SMOOTHER_CHEBYSHEV) {
        put_integer(stream, "degree", settings->chebyshev_degree);
        put_number(stream, "ratio", true, settings->chebyshev_ratio);
    }
    put_integer(stream, "sweeps", settings->pre_sweeps);
    if (settings->cycle == SPG_CYCLE_K) put_string(stream, "cycle", "k");
    put_string(stream, "method", method_name(chosen));
    if (chosen->by_krylov && chosen->krylov == SPG_KRYLOV_FGMRES) put_integer(stream, "restart", chosen->restart);
    put_number(stream, "tolerance", true, chosen->solve.tolerance);
    if (chosen->solve.nullspace != SPG_AMG_NULLSPACE_NONE) put_string(stream, "nullspace_projection", "candidates");
}

static void put_levels(FILE *stream, const amg_findings *found)
{
    fputs("\"levels\": [", stream);
    for (int l = 0; l < found->levels && l < MOST_LEVELS; l++)
        fprintf(stream, "%s{\"rows\": %lld, \"nnz\": %lld}", l > 0 ? ", " : "", (long long)found->level[l].rows,
                (long long)found->level[l].nnz);
    fputs("], ", stream);
    put_number(stream, "operator_complexity", true, found->summary.operator_complexity);
    put_number(stream, "grid_complexity", true, found->summary.grid_complexity);
    put_integer(stream, "bytes", found->summary.bytes);
    put_integer(stream, "peak_bytes", found->peak_bytes);
    put_string(stream, "coarsening_end", end_name(found->summary.end));
}

/* Each step's time, and its limit where it has one. */
static void put_steps(FILE *stream, bool timed, const amg_findings *found)
{
    timed_step steps[AMG_STEPS];
    char name[40];
    steps_of(&found->summary.setup, steps);
    for (int k = 0; k < AMG_STEPS; k++) {
        snprintf(name, sizeof name, "%s_ms", steps[k].name);
        put_number(stream, name, timed, 1e3 * steps[k].seconds);
    }
    for (int k = 0; k < AMG_STEPS; k++) {
        snprintf(name, sizeof name, "%s_limit_ms", steps[k].name);
        put_number(stream, name, found->limits_ms[k] > 0.0, found->limits_ms[k]);
    }
}

static void put_times(FILE *stream, const amg_options *chosen, const amg_findings *found)
{
    const bool timed = found->verified;
    const spg_amg_timings *setup = &found->summary.setup;
    put_number(stream, "setup_ms", timed, found->setup_ms);
    put_number(stream, "setup_min_ms", timed, found->setup_min_ms);
    put_number(stream, "setup_max_ms", timed, found->setup_max_ms);
    put_steps(stream, timed, found);
    put_number(stream, "coarse_ms", timed, 1e3 * setup->coarse);
    put_number(stream, "plans_ms", timed && chosen->hierarchy.prepare_update, 1e3 * setup->plans);
    put_number(stream, "small_levels_ms", timed, 1e3 * setup->small_levels);
    put_number(stream, "setup_by_steps_ms", timed, 1e3 * setup->total);
    put_number(stream, "galerkin_ms", timed, 1e3 * galerkin_seconds(&found->summary));
    put_number(stream, "first_update_ms", found->update_ms > 0.0, found->first_update_ms);
    put_number(stream, "update_ms", found->update_ms > 0.0, found->update_ms);
    put_number(stream, "update_vary", found->update_ms > 0.0, chosen->vary);
}

bool amg_report_json(FILE *stream, const char *description, const amg_options *chosen, const amg_findings *found)
{
    fputc('{', stream);
    put_string(stream, "matrix", found->matrix);
    put_string(stream, "implementation", "spg");
    put_string(stream, "place", chosen->place == SPG_PLACE_DEVICE ? "device" : "host");
    put_string(stream, "device", description);
    put_string(stream, "type", spg_type_name(chosen->type));
    put_integer(stream, "threads", chosen->place == SPG_PLACE_DEVICE ? 1 : chosen->threads);
    put_integer(stream, "rows", found->rows);
    put_integer(stream, "nnz", found->nnz);
    put_options(stream, chosen, found);
    put_levels(stream, found);
    put_times(stream, chosen, found);
    put_integer(stream, "iterations", found->solved.iterations);
    put_number(stream, "solve_ms", found->verified, found->solve_ms);
    put_number(stream, "residual", true, found->solved.relative_residual);
    put_number(stream, "convergence_factor", true, found->solved.convergence_factor);
    if (found->right_hand_sides > 0) {
        put_integer(stream, "rhs", found->right_hand_sides);
        put_integer(stream, "rhs_iterations", found->many_iterations);
        put_number(stream, "rhs_at_once_ms", found->at_once_ms > 0.0, found->at_once_ms);
        put_number(stream, "rhs_singly_ms", found->at_once_ms > 0.0, found->singly_ms);
    }
    put_integer(stream, "reps", found->verified ? chosen->reps : 0);
    put_number(stream, "max_error", true, found->max_error);
    fprintf(stream, "\"converged\": %s, \"verified\": %s}\n", found->solved.converged ? "true" : "false",
            found->verified ? "true" : "false");
    return fflush(stream) == 0 && !ferror(stream);
}
