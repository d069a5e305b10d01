#include "amg_peer_report.h"

#include "format.h"
#include "json_fields.h"

#include <string.h>

void amg_peer_report_head(FILE *stream, const amg_peer *peer)
{
    fprintf(stream, "%s %s: %s\n", peer->name, peer->version(), peer->settings);
}

void amg_peer_report_findings(FILE *stream, const amg_findings *own, const amg_peer_findings *found)
{
    const amg_peer_sizes *sizes = &found->sizes;
    if (!found->verified) {
        fprintf(stream, "  %s: %s\n", found->peer->name, found->fault);
        return;
    }
    fprintf(stream, "  %s: %d iterations, residual %.2e of b", found->peer->name, found->iterations, found->residual);
    if (sizes->levels > 0) fprintf(stream, ", %d levels, complexity %.3f", sizes->levels, sizes->operator_complexity);
    fprintf(stream, "\n    set-up %s ms (%s-%s), solve %s ms", ms_text(found->setup_ms).s,
            ms_text(found->setup_min_ms).s, ms_text(found->setup_max_ms).s, ms_text(found->solve_ms).s);
    const double own_ms = own->setup_ms + own->solve_ms;
    if (own->verified && own_ms > 0.0)
        fprintf(stream, "; together %s spg's", ratio_text((found->setup_ms + found->solve_ms) / own_ms).s);
    fputc('\n', stream);
}

void amg_peer_report_table_row(FILE *stream, const amg_peer_findings *found)
{
    const bool has_sizes = found->sizes.levels > 0;
    char levels[16] = "-", complexity[16] = "-";
    if (has_sizes) snprintf(levels, sizeof levels, "%d", found->sizes.levels);
    if (has_sizes) snprintf(complexity, sizeof complexity, "%.3f", found->sizes.operator_complexity);
    fprintf(stream, "  %-20.20s %2s %6s %9s %9s %4d %8s %s\n", found->peer->name, levels, complexity,
            found->verified ? ms_text(found->setup_ms).s : "-", "-", found->iterations,
            found->verified ? ms_text(found->solve_ms).s : "-", found->verified ? "yes" : "NO");
}

bool amg_peer_report_json(FILE *stream, const char *description, const amg_options *chosen,
                          const amg_peer_findings *found)
{
    const amg_peer *peer = found->peer;
    const bool sized = found->sizes.levels > 0;
    fputc('{', stream);
    put_string(stream, "matrix", found->matrix);
    put_string(stream, "implementation", peer->name);
    put_string(stream, "version", peer->version());
    put_string(stream, "settings", peer->settings);
    put_string(stream, "place", chosen->place == SPG_PLACE_DEVICE ? "device" : "host");
    put_string(stream, "device", description);
    put_string(stream, "type", spg_type_name(chosen->type));
    put_integer(stream, "threads", 1);
    put_integer(stream, "rows", found->rows);
    put_integer(stream, "nnz", found->nnz);
    put_string(stream, "aggregation", peer->aggregation);
    put_string(stream, "smoother", peer->smoother);
    put_string(stream, "method", "cg");
    put_number(stream, "tolerance", true, chosen->solve.tolerance);
    put_number(stream, "level_count", sized, found->sizes.levels);
    put_number(stream, "operator_complexity", sized, found->sizes.operator_complexity);
    put_number(stream, "grid_complexity", sized, found->sizes.grid_complexity);
    put_number(stream, "setup_ms", found->verified, found->setup_ms);
    put_number(stream, "setup_min_ms", found->verified, found->setup_min_ms);
    put_number(stream, "setup_max_ms", found->verified, found->setup_max_ms);
    put_integer(stream, "iterations", found->iterations);
    put_number(stream, "solve_ms", found->verified, found->solve_ms);
    put_number(stream, "residual", true, found->residual);
    put_integer(stream, "reps", found->verified ? chosen->reps : 0);
    fprintf(stream, "\"verified\": %s}\n", found->verified ? "true" : "false");
    return fflush(stream) == 0 && !ferror(stream);
}
