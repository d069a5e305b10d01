#include "report.h"

#include "format.h"

#include <math.h>
#include <string.h>

static const double notable_cores = 0.15;
enum { CLASS_BAR = 40, PHASES = 4, LINE_WIDTH = 80 };

double memory_limit_ms(const machine *here, const problem *task, const findings *found)
{
    if (!(here->bandwidth > 0.0)) return 0.0;
    return (double)(csr_bytes(&task->A) + csr_bytes(&task->B) + found->bytes_c) / here->bandwidth * 1e3;
}

double last_product_limit_ms(const machine *here, const problem *task, const findings *found)
{
    if (!(here->bandwidth > 0.0)) return 0.0;
    return (double)(csr_bytes(&task->R) + csr_bytes(&task->AP) + found->bytes_c) / here->bandwidth * 1e3;
}

void report_head(FILE *stream, const machine *here, const options *chosen)
{
    fprintf(stream, "%s\nspg %s; copies at %s/s; medians of %d after %d to warm up\n", here->description, spg_version(),
            bytes_text((int64_t)here->bandwidth).s, chosen->reps, chosen->warmup);
}

void report_matrix(FILE *stream, const char *name, const spg_csr *A)
{
    int64_t least = A->rows > 0 ? INT64_MAX : 0, most = 0;
    for (int64_t i = 0; i < A->rows; i++) {
        const int64_t length = row_offset(A, i + 1) - row_offset(A, i);
        if (length < least) least = length;
        if (length > most) most = length;
    }
    const double mean = A->rows > 0 ? (double)A->nnz / (double)A->rows : 0.0;
    char size[128];
    const int width =
        snprintf(size, sizeof size, "%lld x %lld, %lld entries (%s, %s)", (long long)A->rows, (long long)A->cols,
                 (long long)A->nnz, spg_type_name(A->value_type), bytes_text(csr_bytes(A)).s);
    const bool fits = strlen(name) + 3 + (size_t)width <= LINE_WIDTH;
    fprintf(stream, "\n%s%s%s\n  rows of %lld to %lld entries, mean %.1f\n", name, fits ? "   " : "\n  ", size,
            (long long)least, (long long)most, mean);
}

static void put_bar(FILE *stream, double share)
{
    int length = (int)lround(share * CLASS_BAR);
    if (share > 0.0 && length == 0) length = 1;
    for (int k = 0; k < length; k++) fputc('#', stream);
}

static double ratio(int64_t above, int64_t below) { return below > 0 ? (double)above / (double)below : 0.0; }

static void report_analysis(FILE *stream, const problem *task, const findings *found)
{
    const spgemm_analysis *analysis = &found->analysis;
    fprintf(stream, "\n  %s", product_text(task->product));
    if (task->product != PRODUCT_AA)
        fprintf(stream, "   P %lld x %lld, %lld entries (%s)", (long long)task->B.rows, (long long)task->B.cols,
                (long long)task->B.nnz, bytes_text(csr_bytes(&task->B)).s);
    if (task->product == PRODUCT_RAP)
        fprintf(stream, "\n  R = P^T, A*P %lld entries; of R*(A*P):", (long long)task->AP.nnz);
    fputc('\n', stream);
    const int64_t left = task->product == PRODUCT_RAP ? task->R.nnz : task->A.nnz;
    fprintf(stream, "  %s products -> C %s entries (%s)\n  expansion %.2f, contraction %.2f",
            count_text(analysis->products).s, count_text(found->nnz_c).s, bytes_text(found->bytes_c).s,
            ratio(analysis->products, left), ratio(analysis->products, found->nnz_c));
    if (analysis->contraction.max > 0.0) /* else there is no C, or none of spg's to compare rows with */
        fprintf(stream, " (rows %.1f to %.1f)", analysis->contraction.min, analysis->contraction.max);
    fputc('\n', stream);
    fprintf(stream, "  products of a row: %s to %s, mean %.1f\n", count_text((int64_t)analysis->row_products.min).s,
            count_text((int64_t)analysis->row_products.max).s, analysis->row_products.mean);
    if (!found->consistent) fprintf(stream, "  WRONG: the analysis counts %lld products\n", (long long)task->products);
}

static const char *const class_names[SPG_ROW_CLASSES] = {"empty", "thread", "warp", "CTA", "global"};

static void report_classes(FILE *stream, const findings *found, int64_t rows)
{
    fputs("  row class        rows  share of all rows\n", stream);
    for (int k = 0; k < SPG_ROW_CLASSES; k++) {
        const int64_t count = found->analysis.class_rows[k];
        const double share = ratio(count, rows);
        if (count == 0) continue;
        fprintf(stream, "    %-8s %11lld  %5.1f%%  ", class_names[k], (long long)count, 100.0 * share);
        put_bar(stream, share);
        fputc('\n', stream);
    }
}

/* The classes above are the paper's; a device's kernels may share the rows out in another way. */
static void report_rows_taken(FILE *stream, const findings *found, int64_t rows)
{
    const measurement *spg = find_measurement(found, "spg");
    if (spg == NULL || spg->outcome != OUTCOME_VERIFIED || !spg->has_stats) return;
    fputs("  by the paper's limits; spg's kernels took\n", stream);
    const char *before = "    ";
    for (int k = 0; k < SPG_ROW_CLASSES; k++) {
        const int64_t count = spg->stats.all.class_rows[k];
        if (count == 0) continue;
        fprintf(stream, "%s%.1f%% as %s", before, 100.0 * ratio(count, rows), class_names[k]);
        before = ", ";
    }
    fputc('\n', stream);
}

bool has_phases(const measurement *of)
{
    const spgemm_stats *stats = &of->stats.all;
    return of->outcome == OUTCOME_VERIFIED && of->has_stats && phases_ms(stats) > 0.0;
}

static void report_phases_of(FILE *stream, const measurement *of)
{
    const spgemm_stats *stats = &of->stats.all;
    const double ms[PHASES] = {stats->analysis_ms, stats->expand_sort_ms, stats->contract_ms, stats->assemble_ms};
    const double total = phases_ms(stats);
    fprintf(stream, "    %-14s", of->implementation->name);
    for (int k = 0; k < PHASES; k++) fprintf(stream, "  %7s %3.0f%%", ms_text(ms[k]).s, 100.0 * ms[k] / total);
    fputc('\n', stream);
}

static void report_phases(FILE *stream, const findings *found)
{
    int count = 0;
    for (int k = 0; k < found->count; k++) {
        if (!has_phases(&found->of[k])) continue;
        if (count++ == 0)
            fprintf(stream, "  %-16s  %12s  %12s  %12s  %12s\n", "phase, ms", "analysis", "expand+sort", "contract",
                    "assemble");
        report_phases_of(stream, &found->of[k]);
    }
}

/* Of R*A*P: its products alone, the second beside the limit of reading R and A*P and writing C. */
static void report_products_apart(FILE *stream, const machine *here, const problem *task, const findings *found)
{
    const double limit = last_product_limit_ms(here, task, found);
    for (int k = 0; k < found->count; k++) {
        const measurement *of = &found->of[k];
        if (!has_phases(of) || !(of->stats.RAP_ms > 0.0)) continue;
        fprintf(stream, "  %-16s A*P alone %s ms, R*(A*P) alone %s ms", of->implementation->name,
                ms_text(of->stats.AP_ms).s, ms_text(of->stats.RAP_ms).s);
        if (limit > 0.0) fprintf(stream, ", %s limit", ratio_text(of->stats.RAP_ms / limit).s);
        fputc('\n', stream);
    }
}

static void report_measurement(FILE *stream, const findings *found, const measurement *of, double limit)
{
    fprintf(stream, "  %-16s %3d", of->implementation->name, of->threads);
    if (of->outcome != OUTCOME_VERIFIED) {
        static const char *const words[] = {"", "WRONG", "FAILED", "not run"};
        fprintf(stream, "  %s: %s\n", words[of->outcome], of->fault);
        return;
    }
    const measurement *best = fastest_peer(found, of->implementation->plan);
    char range[2 * sizeof(text) + 8];
    snprintf(range, sizeof range, "%s-%s", ms_text(of->min_ms).s, ms_text(of->max_ms).s);
    fprintf(stream, " %7s %-13s %7s %7s %8s %7.2g\n", ms_text(of->median_ms).s, range,
            ratio_text(best != NULL ? best->median_ms / of->median_ms : 0.0).s,
            ratio_text(limit > 0.0 ? of->median_ms / limit : 0.0).s,
            of->has_stats ? bytes_text(of->stats.all.workspace_bytes).s : "-", of->max_error);
}

static void report_plan(FILE *stream, const findings *found)
{
    const measurement *of = find_measurement(found, "spg-plan");
    if (of == NULL || of->outcome != OUTCOME_VERIFIED || !of->has_stats) return;
    fprintf(stream, "  the plan keeps %s; making it and its first run took %s ms\n",
            bytes_text(of->stats.all.plan_bytes).s, ms_text(of->plan_ms).s);
}

void report_product(FILE *stream, const machine *here, const problem *task, const findings *found)
{
    const double limit = memory_limit_ms(here, task, found);
    report_analysis(stream, task, found);
    const int64_t rows = task->product == PRODUCT_RAP ? task->R.rows : task->A.rows;
    report_classes(stream, found, rows);
    if (here->place == SPG_PLACE_DEVICE) report_rows_taken(stream, found, rows);
    report_phases(stream, found);
    if (task->product == PRODUCT_RAP) report_products_apart(stream, here, task, found);
    fprintf(stream, "  %-16s %3s %7s %-13s %7s %7s %8s %7s\n", "implementation", "thr", "ms", "min-max", "x peer",
            "x limit", "memory", "error");
    for (int k = 0; k < found->count; k++) report_measurement(stream, found, &found->of[k], limit);
    if (limit > 0.0) fprintf(stream, "  %-20s %7s\n", "memory limit", ms_text(limit).s);
    report_plan(stream, found);
    if (found->cores_taken > notable_cores)
        fprintf(stream, "  disturbed: other processes kept %.1f cores busy meanwhile\n", found->cores_taken);
}

void report_legend(FILE *stream, const options *chosen)
{
    static const char *const timed[] = {
        "\nms: median time of allocating C, the product and freeing C, the implementations\n"
        "in turn.\n",
        "\nms: median time of allocating C and workspace and the product, from an idle\n"
        "device to its end of work; one implementation after the other. Phases come from\n"
        "other repetitions, for measuring them costs time; expand+sort is the pass over\n"
        "the products that counts C's entries, contract the pass that computes them.\n"};
    fputs(timed[chosen->place == SPG_PLACE_DEVICE], stream);
    fputs("x peer: times as fast as the fastest peer (a plan: as the fastest peer that has\n"
          "one, if there is one). x limit: times the time of reading A and B and writing C\n"
          "at copy bandwidth. memory: taken beside C. error: largest difference from\n"
          "CXSparse's result, as a part of the one allowed: 4*k*eps*sum|a||b| for an entry\n"
          "of k products. All results with a time are right.\n",
          stream);
    if (chosen->products[PRODUCT_RAP])
        fputs("R*A*P: the transpose of P and both products, each made anew; of its plan,\n"
              "numbers only. B is P.\n",
              stream);
    for (int k = 0; k < chosen->implementation_count; k++)
        fprintf(stream, "  %-16s %s\n", chosen->implementations[k]->name, chosen->implementations[k]->about);
}
