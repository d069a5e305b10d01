/* Builds, verifies and times hierarchies of algebraic multigrid, and solves with them. */
#include "amg_peer_report.h"
#include "amg_report.h"
#include "bandwidth.h"
#include "device.h"
#include "program.h"
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bench {
    amg_options *chosen;
    spg_context *host, *context; /* of the inputs; where hierarchies are built, which may be the same */
    char description[160];
    double bandwidth; /* of copies, bytes a second */
    FILE *json;
    amg_findings *all; /* of the matrices so far, for the table */
    int count;
    const amg_peer *peers[MOST_AMG_PEERS];
    int peer_count;
    amg_peer_findings *of_peers; /* peer_count for each of the matrices so far */
    bool right;
} bench;

/* Prints the context's message, after what it is about unless it begins so; the run goes on with the next matrix. */
static void complain(bench *run, const char *what)
{
    const char *message = spg_context_message(run->host);
    const bool says_so = strncmp(message, what, strlen(what)) == 0;
    progress_clear();
    fflush(stdout);
    fprintf(stderr, "amg_bench: %s%s%s\n", says_so ? "" : what, says_so ? "" : ": ", message);
    run->right = false;
}

/* The peers on the system that spg has solved. */
static spg_status run_peers(bench *run, const amg_system *system, const amg_findings *own)
{
    spg_status status = SPG_OK;
    amg_peer_findings *found = run->of_peers + (size_t)run->count * (size_t)run->peer_count;
    for (int k = 0; status == SPG_OK && k < run->peer_count; k++, found++) {
        status = amg_peer_measure(run->peers[k], system, run->chosen, found);
        if (status != SPG_OK) break;
        amg_peer_report_findings(stdout, own, found);
        fflush(stdout);
        run->right = run->right && found->verified;
        if (run->json != NULL && !amg_peer_report_json(run->json, run->description, run->chosen, found))
            status = spg_context_fail(run->host, SPG_ERROR_IO, "%s: cannot be written", run->chosen->json_path);
    }
    return status;
}

static void run_matrix(bench *run, const char *argument)
{
    amg_system system;
    amg_findings *found = &run->all[run->count];
    progress("%s: loading", argument);
    if (system_load(run->host, run->context, run->chosen, argument, &system) != SPG_OK) {
        complain(run, argument);
        return;
    }
    progress_clear();
    amg_report_matrix(stdout, &system);
    spg_status status = amg_measure(&system, run->chosen, run->bandwidth, found);
    if (status == SPG_OK) {
        amg_report_findings(stdout, run->chosen, found);
        fflush(stdout);
        run->right = run->right && found->verified && found->solved.converged &&
                     (found->right_hand_sides == 0 || found->many_converged);
        if (run->json != NULL && !amg_report_json(run->json, run->description, run->chosen, found))
            status = spg_context_fail(run->host, SPG_ERROR_IO, "%s: cannot be written", run->chosen->json_path);
        if (status == SPG_OK) status = run_peers(run, &system, found);
        run->count++;
    }
    if (status != SPG_OK) complain(run, argument);
    system_free(&system);
}

static spg_status create_contexts(bench *run)
{
    const int threads = run->chosen->threads;
    spg_status status = open_context(run->chosen->place, threads, &run->context);
    if (status != SPG_OK) return status;
    amg_options_settle(run->chosen, spg_context_place(run->context));
    run->chosen->threads = spg_context_threads(run->context);
    snprintf(run->description, sizeof run->description, "%s", spg_context_describe(run->context));
    run->host = run->context;
    if (run->chosen->place == SPG_PLACE_HOST) return SPG_OK;
    return open_context(SPG_PLACE_HOST, threads, &run->host);
}

static bool start(bench *run)
{
    if (run->chosen->place != SPG_PLACE_HOST) device_start();
    if (create_contexts(run) != SPG_OK) return false;
    if (!amg_peers_choose(run->chosen->peers, run->chosen->place, run->peers, &run->peer_count)) return false;
    const size_t matrices = (size_t)run->chosen->matrix_count;
    run->all = calloc(matrices, sizeof *run->all);
    run->of_peers = calloc(matrices * (size_t)run->peer_count + 1, sizeof *run->of_peers);
    if (run->all == NULL || run->of_peers == NULL) {
        fputs("amg_bench: no memory\n", stderr);
        return false;
    }
    if (!open_record(run->chosen->json_path, &run->json)) return false;
    progress("measuring the copy bandwidth");
    run->bandwidth =
        run->chosen->place == SPG_PLACE_DEVICE ? device_copy_bandwidth() : copy_bandwidth(run->chosen->threads);
    progress_clear();
    return true;
}

static void finish(bench *run)
{
    const bool has_table = run->count > 1 || (run->count > 0 && run->peer_count > 0);
    if (has_table) amg_report_table_head(stdout);
    for (int k = 0; k < run->count; k++) {
        if (has_table) amg_report_table_row(stdout, &run->all[k]);
        for (int p = 0; has_table && p < run->peer_count; p++) {
            const amg_peer_findings *found = &run->of_peers[k * run->peer_count + p];
            if (found->peer != NULL) amg_peer_report_table_row(stdout, found);
        }
        amg_findings_free(&run->all[k]);
    }
    free(run->all);
    free(run->of_peers);
    if (!close_record(run->json, run->chosen->json_path)) run->right = false;
    if (run->host != run->context) spg_context_destroy(run->host);
    spg_context_destroy(run->context);
}

int main(int argc, char **argv)
{
    amg_options chosen;
    const options_result parsed = amg_options_parse(argc, argv, &chosen);
    if (parsed != OPTIONS_RUN) return parsed == OPTIONS_HELP ? exit_status(true) : 2;
    bench run = {.chosen = &chosen, .right = true};
    if (start(&run)) {
        amg_report_head(stdout, run.description, &chosen);
        for (int k = 0; k < run.peer_count; k++) amg_peer_report_head(stdout, run.peers[k]);
        for (int k = 0; k < chosen.matrix_count; k++) run_matrix(&run, chosen.matrices[k]);
    } else {
        run.right = false;
    }
    const bool anything = run.count > 0;
    finish(&run);
    return exit_status(run.right && anything);
}
