#include "summary.h"

#include "format.h"

#include <math.h>
#include <stdlib.h>

void summary_add(summary *all, const problem *task, const findings *found, double limit_ms)
{
    if (all->count == all->room) {
        const int room = 2 * all->room + 16;
        summary_row *rows = realloc(all->rows, (size_t)room * sizeof *rows);
        if (rows == NULL) return;
        all->rows = rows;
        all->room = room;
    }
    const measurement *best = fastest_peer(found, false), *best_plan = fastest_peer(found, true);
    const measurement *spg = find_measurement(found, "spg");
    summary_row row = {.product = task->product, .verified = all_verified(found)};
    snprintf(row.matrix, sizeof row.matrix, "%s", task->matrix);
    row.spg_ms = median_of(found, "spg");
    row.plan_ms = median_of(found, "spg-plan");
    row.peer_ms = best != NULL ? best->median_ms : 0.0;
    row.peer = best != NULL ? best->implementation->name : "-";
    row.plan_peer_ms = best_plan != NULL ? best_plan->median_ms : 0.0;
    row.limit_ms = limit_ms;
    if (spg != NULL && spg->has_stats && found->bytes_c > 0)
        row.work_share = (double)spg->stats.all.workspace_bytes / (double)found->bytes_c;
    all->rows[all->count++] = row;
}

/* above / below, or 0 if one was not measured. */
static double over(double above, double below) { return above > 0.0 && below > 0.0 ? above / below : 0.0; }

enum { RATIOS = 3 };

static void ratios_of(const summary_row *row, double ratios[RATIOS])
{
    ratios[0] = over(row->peer_ms, row->spg_ms);
    ratios[1] = over(row->plan_peer_ms, row->plan_ms);
    ratios[2] = over(row->spg_ms, row->limit_ms);
}

static void print_row(FILE *stream, const summary_row *row)
{
    double ratios[RATIOS];
    ratios_of(row, ratios);
    fprintf(stream, "%-12.12s %-3s %7s %7s %7s %-16s %7s %6s %6s\n", row->matrix, product_name(row->product),
            row->spg_ms > 0.0 ? ms_text(row->spg_ms).s : "-", row->plan_ms > 0.0 ? ms_text(row->plan_ms).s : "-",
            row->peer_ms > 0.0 ? ms_text(row->peer_ms).s : "-", row->peer, ratio_text(ratios[0]).s,
            ratio_text(ratios[1]).s, row->verified ? ratio_text(ratios[2]).s : "FAULT");
}

/* Of the rows of one product, or of all (PRODUCT_KINDS). */
static void print_means(FILE *stream, const summary *all, product_kind product, const char *label)
{
    double logs[RATIOS] = {0.0}, least[RATIOS];
    int counts[RATIOS] = {0}, rows = 0;
    for (int k = 0; k < RATIOS; k++) least[k] = INFINITY;
    for (int r = 0; r < all->count; r++) {
        double ratios[RATIOS];
        if (product != PRODUCT_KINDS && all->rows[r].product != product) continue;
        rows++;
        ratios_of(&all->rows[r], ratios);
        for (int k = 0; k < RATIOS; k++) {
            if (!(ratios[k] > 0.0)) continue;
            logs[k] += log(ratios[k]);
            counts[k]++;
            if (ratios[k] < least[k]) least[k] = ratios[k];
        }
    }
    if (rows < 2) return;
    fprintf(stream, "%-58s", label);
    for (int k = 0; k < RATIOS; k++)
        fprintf(stream, " %6s", ratio_text(counts[k] > 0 ? exp(logs[k] / counts[k]) : 0.0).s);
    fprintf(stream, "\n%-58s", "  least");
    for (int k = 0; k < RATIOS; k++) fprintf(stream, " %6s", ratio_text(least[k]).s);
    fputc('\n', stream);
}

void summary_print(FILE *stream, const summary *all)
{
    if (all->count < 2) return;
    fputs("\nspg, plan: times as fast as the fastest peer. limit: spg's time over the memory\n"
          "limit. FAULT: a result above was wrong, or failed.\n",
          stream);
    fprintf(stream, "%-12s %-3s %7s %7s %7s %-16s %7s %6s %6s\n", "Summary", "", "spg ms", "plan ms", "peer ms",
            "fastest peer", "spg", "plan", "limit");
    for (int r = 0; r < all->count; r++) print_row(stream, &all->rows[r]);
    if (all->count < 2) return;
    print_means(stream, all, PRODUCT_AP, "geometric mean, AP");
    print_means(stream, all, PRODUCT_AA, "geometric mean, AA");
    print_means(stream, all, PRODUCT_RAP, "geometric mean, RAP");
    print_means(stream, all, PRODUCT_KINDS, "geometric mean, all");
}

void summary_free(summary *all)
{
    free(all->rows);
    *all = (summary){0};
}
