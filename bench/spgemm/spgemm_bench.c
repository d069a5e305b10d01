/* Verifies and times C = A*B on matrices from files and generators: spg beside other libraries. */
#include "bandwidth.h"
#include "device.h"
#include "generators.h"
#include "options.h"
#include "paper.h"
#include "program.h"
#include "progress.h"
#include "report.h"
#include "summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bench {
    options *chosen;
    spg_context *context; /* of the inputs, on the host */
    machine here;
    FILE *json;
    summary results;
    paper_tables paper; /* where asked for */
    bool right;
} bench;

/* Prints the context's message; the run goes on with the next product. */
static void complain(bench *run, const char *what)
{
    progress_clear();
    fflush(stdout);
    fprintf(stderr, "spgemm_bench: %s: %s\n", what, spg_context_message(run->context));
    run->right = false;
}

/* P, and for R*A*P what verification needs beside it, made once on the host. */
static spg_status prepare_problem(bench *run, problem *task)
{
    spg_context *context = run->context;
    spgemm_analysis analysis;
    spg_status status = task->product == PRODUCT_AA ? SPG_OK : generate_prolongator(context, &task->A, &task->B);
    if (status == SPG_OK) status = spgemm_analyse(context, &task->A, &task->B, NULL, NULL, NULL, &analysis);
    if (status == SPG_OK) task->products = analysis.products;
    if (status != SPG_OK || task->product != PRODUCT_RAP) return status;
    status = spg_csr_transpose(context, &task->B, &task->R);
    if (status == SPG_OK) status = spgemm_csr(context, &task->A, &task->B, &task->AP);
    if (status == SPG_OK) status = spgemm_analyse(context, &task->R, &task->AP, NULL, NULL, NULL, &analysis);
    if (status == SPG_OK) task->products += analysis.products;
    return status;
}

static void free_problem(bench *run, problem *task)
{
    if (task->product != PRODUCT_AA) spg_csr_free(run->context, &task->B);
    spg_csr_free(run->context, &task->R);
    spg_csr_free(run->context, &task->AP);
}

static void run_product(bench *run, const char *name, product_kind product, const spg_csr *A)
{
    problem task = {.matrix = name, .product = product, .A = *A};
    findings found = {0};
    if (product == PRODUCT_AA) task.B = *A;
    progress("%s %s: preparing", name, product_name(product));
    spg_status status = prepare_problem(run, &task);
    if (status == SPG_OK) status = measure(run->context, run->chosen, &task, &found);
    if (status == SPG_OK) {
        report_product(stdout, &run->here, &task, &found);
        fflush(stdout);
        if (run->json != NULL && !report_json(run->json, &run->here, run->chosen, &task, &found))
            status = spg_context_fail(run->context, SPG_ERROR_IO, "%s: cannot be written", run->chosen->json_path);
        summary_add(&run->results, &task, &found, memory_limit_ms(&run->here, &task, &found));
        if (run->chosen->paper) paper_add(&run->paper, &task, &found);
        run->right = run->right && all_verified(&found);
    }
    if (status != SPG_OK) complain(run, name);
    findings_free(&found);
    free_problem(run, &task);
}

static void run_matrix(bench *run, const char *argument)
{
    char name[64];
    spg_csr A;
    progress("%s: loading", argument);
    if (load_matrix(run->context, run->chosen, argument, &A, name, sizeof name) != SPG_OK) {
        complain(run, "no matrix");
        return;
    }
    progress_clear();
    report_matrix(stdout, name, &A);
    for (int k = 0; k < PRODUCT_KINDS; k++) {
        const product_kind product = (product_kind)k;
        const char *obstacle = product_obstacle(product, &A);
        if (!run->chosen->products[k]) continue;
        if (obstacle != NULL)
            printf("\n  %s skipped: %s\n", product_name(product), obstacle);
        else
            run_product(run, name, product, &A);
    }
    spg_csr_free(run->context, &A);
}

/* A context of the place that the options ask for, to learn what it is, and how many threads it takes. */
static spg_status describe_place(options *chosen, machine *here)
{
    spg_context *context = NULL;
    const spg_status status = open_context(chosen->place, chosen->threads, &context);
    if (status == SPG_OK) {
        chosen->threads = spg_context_threads(context);
        here->place = spg_context_place(context);
        snprintf(here->description, sizeof here->description, "%s", spg_context_describe(context));
    }
    spg_context_destroy(context);
    return status;
}

static bool start(bench *run)
{
    if (run->chosen->place != SPG_PLACE_HOST) device_start();
    spg_status status = describe_place(run->chosen, &run->here);
    options_settle(run->chosen, run->here.place);
    if (status == SPG_OK) status = open_context(SPG_PLACE_HOST, run->chosen->threads, &run->context);
    if (status != SPG_OK) return false;
    if (!open_record(run->chosen->json_path, &run->json)) return false;
    progress("measuring the copy bandwidth");
    run->here.bandwidth =
        run->here.place == SPG_PLACE_DEVICE ? device_copy_bandwidth() : copy_bandwidth(run->chosen->threads);
    progress_clear();
    return true;
}

int main(int argc, char **argv)
{
    options chosen;
    const options_result parsed = options_parse(argc, argv, &chosen);
    if (parsed != OPTIONS_RUN) return parsed == OPTIONS_HELP ? exit_status(true) : 2;
    bench run = {.chosen = &chosen, .right = true};
    if (start(&run)) {
        report_head(stdout, &run.here, &chosen);
        for (int k = 0; k < chosen.matrix_count; k++) run_matrix(&run, chosen.matrices[k]);
        if (run.results.count > 0) report_legend(stdout, &chosen);
        summary_print(stdout, &run.results);
        if (chosen.paper) paper_print(stdout, &run.paper);
    } else {
        run.right = false;
    }
    const bool anything = run.results.count > 0;
    summary_free(&run.results);
    paper_free(&run.paper);
    if (!close_record(run.json, chosen.json_path)) run.right = false;
    spg_context_destroy(run.context);
    return exit_status(run.right && anything);
}
