#include "paper.h"

#include "format.h"
#include "report.h"

#include <math.h>
#include <stdlib.h>

static void take_phases(const findings *found, const char *name, bool *has, double ms[PAPER_PHASES])
{
    const measurement *of = find_measurement(found, name);
    *has = of != NULL && has_phases(of);
    if (!*has) return;
    ms[0] = of->stats.all.analysis_ms;
    ms[1] = of->stats.all.expand_sort_ms;
    ms[2] = of->stats.all.contract_ms;
    ms[3] = of->stats.all.assemble_ms;
}

void paper_add(paper_tables *tables, const problem *task, const findings *found)
{
    if (tables->count == tables->room) {
        const int room = 2 * tables->room + 16;
        paper_row *rows = realloc(tables->rows, (size_t)room * sizeof *rows);
        if (rows == NULL) return;
        tables->rows = rows;
        tables->room = room;
    }
    const measurement *best = fastest_peer(found, false);
    paper_row row = {.product = task->product,
                     .reference_ms = median_of(found, "spg-reference"),
                     .optimised_ms = median_of(found, "spg-paper"),
                     .automatic_ms = median_of(found, "spg"),
                     .peer_ms = best != NULL ? best->median_ms : 0.0,
                     .peer = best != NULL ? best->implementation->name : "-"};
    snprintf(row.matrix, sizeof row.matrix, "%s", task->matrix);
    take_phases(found, "spg-paper", &row.has_phases[0], row.phases_ms[0]);
    take_phases(found, "spg", &row.has_phases[1], row.phases_ms[1]);
    tables->rows[tables->count++] = row;
}

static void print_phases_of(FILE *stream, const paper_row *row, int method)
{
    double total = 0.0;
    if (!row->has_phases[method]) return;
    for (int k = 0; k < PAPER_PHASES; k++) total += row->phases_ms[method][k];
    fprintf(stream, "%-12.12s %-9s", row->matrix, method == 0 ? "optimised" : "automatic");
    for (int k = 0; k < PAPER_PHASES; k++)
        fprintf(stream, "  %7s %3.0f%%", ms_text(row->phases_ms[method][k]).s,
                100.0 * row->phases_ms[method][k] / total);
    fputc('\n', stream);
}

static const char *title_of(product_kind product)
{
    static const char *const titles[PRODUCT_KINDS] = {"C = A*P", "C = A*A", "C = R*A*P"};
    return titles[product];
}

static void print_phases(FILE *stream, const paper_tables *tables, product_kind product)
{
    fprintf(stream, "\n%s, time (ms) and percentage in each phase (Table 10)\n%-22s  %12s  %12s  %12s  %12s\n",
            title_of(product), "", "analysis", "expand, sort", "contract", "assemble");
    for (int r = 0; r < tables->count; r++) {
        if (tables->rows[r].product != product) continue;
        for (int method = 0; method < 2; method++) print_phases_of(stream, &tables->rows[r], method);
    }
}

enum { METHODS = 3 };

/* Over the reference; 0 where one was not measured. */
static void speedups_of(const paper_row *row, double speedups[METHODS])
{
    const double ms[METHODS] = {row->optimised_ms, row->automatic_ms, row->peer_ms};
    for (int k = 0; k < METHODS; k++)
        speedups[k] = ms[k] > 0.0 && row->reference_ms > 0.0 ? row->reference_ms / ms[k] : 0.0;
}

static const char *ms_or_dash(double ms, text *held)
{
    *held = ms_text(ms);
    return ms > 0.0 ? held->s : "-";
}

static void print_speedups(FILE *stream, const paper_tables *tables, product_kind product)
{
    double sums[METHODS] = {0.0}, logs[METHODS] = {0.0}, speedups[METHODS];
    int counts[METHODS] = {0};
    fprintf(stream, "\n%s, ms and speed-up over the reference method (%s)\n%-9s %7s %7s %6s %7s %6s %7s %6s %s\n",
            title_of(product),
            product == PRODUCT_AP   ? "Tables 11 and 13"
            : product == PRODUCT_AA ? "Table 14"
                                    : "not in the paper",
            "", "refer.", "optim.", "", "autom.", "", "peer", "", "which");
    for (int r = 0; r < tables->count; r++) {
        const paper_row *row = &tables->rows[r];
        if (row->product != product) continue;
        text held[4];
        speedups_of(row, speedups);
        fprintf(stream, "%-9.9s %7s %7s %6s %7s %6s %7s %6s %s\n", row->matrix, ms_or_dash(row->reference_ms, &held[0]),
                ms_or_dash(row->optimised_ms, &held[1]), ratio_text(speedups[0]).s,
                ms_or_dash(row->automatic_ms, &held[2]), ratio_text(speedups[1]).s, ms_or_dash(row->peer_ms, &held[3]),
                ratio_text(speedups[2]).s, row->peer);
        for (int k = 0; k < METHODS; k++) {
            if (!(speedups[k] > 0.0)) continue;
            sums[k] += speedups[k];
            logs[k] += log(speedups[k]);
            counts[k]++;
        }
    }
    static const char *const labels[] = {"average", "geo. mean"};
    for (int line = 0; line < 2; line++) {
        double means[METHODS];
        for (int k = 0; k < METHODS; k++)
            means[k] = counts[k] == 0 ? 0.0 : line == 0 ? sums[k] / counts[k] : exp(logs[k] / counts[k]);
        fprintf(stream, "%-9s %7s %7s %6s %7s %6s %7s %6s\n", labels[line], "", "", ratio_text(means[0]).s, "",
                ratio_text(means[1]).s, "", ratio_text(means[2]).s);
    }
}

static bool has_product(const paper_tables *tables, product_kind product)
{
    for (int r = 0; r < tables->count; r++)
        if (tables->rows[r].product == product) return true;
    return false;
}

void paper_print(FILE *stream, const paper_tables *tables)
{
    for (int k = 0; k < PRODUCT_KINDS; k++)
        if (has_product(tables, (product_kind)k)) print_phases(stream, tables, (product_kind)k);
    for (int k = 0; k < PRODUCT_KINDS; k++)
        if (has_product(tables, (product_kind)k)) print_speedups(stream, tables, (product_kind)k);
    fputs("\nreference, optimised: the paper's methods, the second by its row classes and\n"
          "limits. automatic: the classes that spg chooses. peer: the fastest peer.\n"
          "Dalton, Bell and Olson report an average of 3.1 for optimised over reference in\n"
          "A*P.\n",
          stream);
}

void paper_free(paper_tables *tables)
{
    free(tables->rows);
    *tables = (paper_tables){0};
}
