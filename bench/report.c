#include "report.h"

#include "format.h"

#include <math.h>
#include <string.h>

enum { BAR_WIDTH = 48 };

double memory_limit_ms(const problem *task, const findings *found, double bandwidth)
{
    if (!(bandwidth > 0.0)) return 0.0;
    return (double)(csr_bytes(&task->A) + csr_bytes(&task->B) + found->bytes_c) / bandwidth * 1e3;
}

void report_head(FILE *stream, const spg_context *context, const options *chosen, double bandwidth)
{
    fprintf(stream, "spg %d.%d.%d  %s\n", SPG_VERSION_MAJOR, SPG_VERSION_MINOR, SPG_VERSION_PATCH,
            spg_context_describe(context));
    fprintf(stream, "copy bandwidth %.1f GB/s (read and written, %d thread%s); median of %d after %d to warm up\n",
            bandwidth * 1e-9, chosen->threads, chosen->threads == 1 ? "" : "s", chosen->reps, chosen->warmup);
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
    fprintf(stream, "\n%s  %lld x %lld, %lld entries (%s), rows of %lld to %lld, mean %.1f; %s\n", name,
            (long long)A->rows, (long long)A->cols, (long long)A->nnz, spg_type_name(A->value_type), (long long)least,
            (long long)most, mean, bytes_text(csr_bytes(A)).s);
}

static void put_bar(FILE *stream, double share, char mark, int width)
{
    int length = (int)lround(share * width);
    if (share > 0.0 && length == 0) length = 1;
    for (int k = 0; k < length; k++) fputc(mark, stream);
}

static double ratio(int64_t above, int64_t below) { return below > 0 ? (double)above / (double)below : 0.0; }

static void report_analysis(FILE *stream, const problem *task, const findings *found)
{
    const spgemm_analysis *analysis = &found->analysis;
    fprintf(stream, "\n  %s * %s", "A", task->product == PRODUCT_AP ? "P" : "A");
    if (task->product == PRODUCT_AP)
        fprintf(stream, "   P %lld x %lld, %lld entries", (long long)task->B.rows, (long long)task->B.cols,
                (long long)task->B.nnz);
    fprintf(stream, "\n  %lld products -> %lld entries (%s); expansion %.2f, contraction %.2f (rows: %.1f to %.1f)\n",
            (long long)task->products, (long long)found->nnz_c, bytes_text(found->bytes_c).s,
            ratio(task->products, task->A.nnz), ratio(task->products, found->nnz_c), analysis->contraction.min,
            analysis->contraction.max);
}

static void report_classes(FILE *stream, const findings *found, int64_t rows)
{
    static const char *const names[SPG_ROW_CLASSES] = {"empty", "thread", "warp", "CTA", "global"};
    const spgemm_analysis *analysis = &found->analysis;
    fprintf(stream, "  rows by products: %.0f to %.0f, mean %.1f\n", analysis->row_products.min,
            analysis->row_products.max, analysis->row_products.mean);
    for (int k = 0; k < SPG_ROW_CLASSES; k++) {
        if (analysis->class_rows[k] == 0) continue;
        const double share = ratio(analysis->class_rows[k], rows);
        fprintf(stream, "    %-7s %9lld  %5.1f%%  ", names[k], (long long)analysis->class_rows[k], 100.0 * share);
        put_bar(stream, share, '#', BAR_WIDTH);
        fputc('\n', stream);
    }
}

static void report_phases(FILE *stream, const measurement *of)
{
    static const char *const names[] = {"analysis", "expand+sort", "contract", "assemble"};
    static const char marks[] = "aecs";
    const spgemm_stats *stats = &of->stats;
    const double ms[] = {stats->analysis_ms, stats->expand_sort_ms, stats->contract_ms, stats->assemble_ms};
    double total = 0.0;
    for (int k = 0; k < 4; k++) total += ms[k];
    if (!(total > 0.0)) return;
    fprintf(stream, "  phases of %-9s", of->implementation->name);
    for (int k = 0; k < 4; k++)
        fprintf(stream, "%s%s %s ms (%.0f%%)", k > 0 ? ", " : " ", names[k], ms_text(ms[k]).s, 100.0 * ms[k] / total);
    fputs("\n    ", stream);
    for (int k = 0; k < 4; k++) put_bar(stream, ms[k] / total, marks[k], 88);
    fputc('\n', stream);
}

static void report_measurement(FILE *stream, const problem *task, const findings *found, const measurement *of,
                               double limit)
{
    fprintf(stream, "  %-13s %3d", of->implementation->name, of->threads);
    if (of->outcome != OUTCOME_VERIFIED) {
        static const char *const words[] = {"", "WRONG", "FAILED", "not run"};
        fprintf(stream, "  %s: %s\n", words[of->outcome], of->fault);
        return;
    }
    const measurement *best = fastest_peer(found);
    const double flops = (is_complex_type(task->A.value_type) ? 8.0 : 2.0) * (double)task->products;
    char range[2 * sizeof(text) + 8];
    snprintf(range, sizeof range, "[%s .. %s]", ms_text(of->min_ms).s, ms_text(of->max_ms).s);
    fprintf(stream, " %8s %-18s %9s %8s %8.2f %9s   %s %.1g\n", ms_text(of->median_ms).s, range,
            ratio_text(best != NULL ? best->median_ms / of->median_ms : 0.0).s,
            ratio_text(limit > 0.0 ? of->median_ms / limit : 0.0).s, flops / of->median_ms * 1e-6,
            of->has_stats ? bytes_text(of->stats.workspace_bytes).s : "-", "yes", of->max_error);
}

void report_product(FILE *stream, const problem *task, const findings *found, double bandwidth)
{
    const double limit = memory_limit_ms(task, found, bandwidth);
    report_analysis(stream, task, found);
    if (!found->consistent)
        fprintf(stream, "  WRONG: the analysis counts %lld products\n", (long long)found->analysis.products);
    report_classes(stream, found, task->A.rows);
    for (int k = 0; k < found->count; k++)
        if (found->of[k].outcome == OUTCOME_VERIFIED && found->of[k].has_stats) report_phases(stream, &found->of[k]);
    fprintf(stream, "  %-13s %3s %8s %-18s %9s %8s %8s %9s   %s\n", "", "thr", "ms", "[min .. max]", "best peer",
            "limit", "GFLOP/s", "workspace", "verified, error");
    for (int k = 0; k < found->count; k++) report_measurement(stream, task, found, &found->of[k], limit);
    fprintf(stream, "  %-13s %3s %8s\n", "memory limit", "", ms_text(limit).s);
}
