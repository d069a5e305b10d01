#include "amg_peer_measure.h"

#include "amg_measure.h"
#include "device.h"
#include "progress.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* What is at hand while one peer is measured. */
typedef struct peer_run {
    const amg_peer *peer;
    const amg_system *system;
    const amg_options *chosen;
    void *state;
    double *x; /* on the host */
    bool on_device;
} peer_run;

static spg_status wait_for(const peer_run *run) { return run->on_device ? device_wait(run->system->host) : SPG_OK; }

/* One set-up and one solve, each from an idle place to its end of work. */
static spg_status once(const peer_run *run, double *setup_ms, double *solve_ms, int *iterations)
{
    const amg_peer *peer = run->peer;
    spg_status status = wait_for(run);
    const double start = now_ms();
    if (status == SPG_OK) status = peer->set_up(run->state);
    if (status == SPG_OK) status = wait_for(run);
    *setup_ms = now_ms() - start;
    if (status == SPG_OK) status = peer->start(run->state);
    if (status == SPG_OK) status = wait_for(run);
    const double begin = now_ms();
    if (status == SPG_OK) status = peer->solve(run->state, iterations);
    if (status == SPG_OK) status = wait_for(run);
    *solve_ms = now_ms() - begin;
    return status;
}

/* |b - A*x| over |b|, and what rounding may add to it. */
static spg_status relative_residual(const amg_system *system, const double *x, double *relative, double *rounding)
{
    const spg_csr *A = &system->A;
    const double *values = A->values;
    double *b = NULL, residual = 0.0, size = 0.0, right_side = 0.0;
    const spg_status status = vector_fetch(system->host, &system->b, &b);
    if (status != SPG_OK) return status;
    for (int64_t i = 0; i < A->rows; i++) {
        double sum = b[i], magnitude = fabs(b[i]);
        for (int64_t k = row_offset(A, i); k < row_offset(A, i + 1); k++) {
            sum -= values[k] * x[A->columns[k]];
            magnitude += fabs(values[k] * x[A->columns[k]]);
        }
        residual += sum * sum;
        size += magnitude * magnitude;
        right_side += b[i] * b[i];
    }
    free(b);
    const double scale = right_side > 0.0 ? sqrt(right_side) : 1.0;
    *relative = sqrt(residual) / scale;
    *rounding = 16.0 * DBL_EPSILON * sqrt(size) / scale;
    return SPG_OK;
}

static spg_status verify(const peer_run *run, amg_peer_findings *found)
{
    double setup_ms, solve_ms, rounding = 0.0;
    progress("%s: %s, set-up and solve", run->system->name, run->peer->name);
    spg_status status = once(run, &setup_ms, &solve_ms, &found->iterations);
    if (status == SPG_OK) status = run->peer->take_sizes(run->state, &found->sizes);
    if (status == SPG_OK) status = run->peer->take_x(run->state, run->x);
    run->peer->discard(run->state);
    if (status == SPG_OK) status = relative_residual(run->system, run->x, &found->residual, &rounding);
    if (status != SPG_OK) return status;
    const double tolerance = run->chosen->solve.tolerance;
    found->verified = found->residual <= 1.01 * tolerance + rounding;
    if (!found->verified)
        snprintf(found->fault, sizeof found->fault, "after %d iterations the residual is %.2e of b, not %.0e",
                 found->iterations, found->residual, tolerance);
    return SPG_OK;
}

static spg_status time_it(const peer_run *run, amg_peer_findings *found)
{
    const int reps = run->chosen->reps;
    double *setup_ms = calloc((size_t)reps, sizeof *setup_ms), *solve_ms = calloc((size_t)reps, sizeof *solve_ms);
    spg_status status = SPG_OK;
    if (setup_ms == NULL || solve_ms == NULL)
        status = spg_context_fail(run->system->host, SPG_ERROR_MEMORY, "no memory for times");
    for (int rep = -run->chosen->warmup; status == SPG_OK && rep < reps; rep++) {
        double set_up, solve;
        progress("%s: %s, repetition %d of %d", run->system->name, run->peer->name, rep + 1, reps);
        status = once(run, &set_up, &solve, &found->iterations);
        run->peer->discard(run->state);
        if (rep < 0) continue;
        setup_ms[rep] = set_up;
        solve_ms[rep] = solve;
    }
    if (status == SPG_OK) {
        found->setup_ms = median(setup_ms, reps);
        found->setup_min_ms = setup_ms[0];
        found->setup_max_ms = setup_ms[reps - 1];
        found->solve_ms = median(solve_ms, reps);
    }
    free(setup_ms);
    free(solve_ms);
    return status;
}

/* Only memory and the device can fail the run; the rest is the peer's, and is told. */
static spg_status settle(const peer_run *run, spg_status status, amg_peer_findings *found)
{
    if (status == SPG_OK || status == SPG_ERROR_MEMORY || status == SPG_ERROR_DEVICE) return status;
    found->verified = false;
    snprintf(found->fault, sizeof found->fault, "%s: %s", spg_status_name(status),
             spg_context_message(run->system->host));
    return SPG_OK;
}

spg_status amg_peer_measure(const amg_peer *peer, const amg_system *system, const amg_options *chosen,
                            amg_peer_findings *found)
{
    peer_run run = {.peer = peer, .system = system, .chosen = chosen};
    *found = (amg_peer_findings){.peer = peer, .rows = system->A.rows, .nnz = system->A.nnz};
    snprintf(found->matrix, sizeof found->matrix, "%s", system->name);
    run.on_device = spg_context_place(system->context) == SPG_PLACE_DEVICE;
    run.x = calloc((size_t)(system->A.rows > 0 ? system->A.rows : 1), sizeof *run.x);
    if (run.x == NULL) return spg_context_fail(system->host, SPG_ERROR_MEMORY, "no memory for a solution");
    spg_status status = SPG_OK;
    if (system->A.value_type != SPG_F64)
        status = spg_context_fail(system->host, SPG_ERROR_UNSUPPORTED, "it has f64 only");
    progress("%s: %s, loading", system->name, peer->name);
    if (status == SPG_OK) status = peer->open(system->host, system, chosen, &run.state);
    if (status == SPG_OK) status = verify(&run, found);
    if (status == SPG_OK && found->verified) status = time_it(&run, found);
    peer->close(run.state);
    free(run.x);
    progress_clear();
    return settle(&run, status, found);
}
