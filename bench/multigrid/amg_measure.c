#include "amg_measure.h"

#include "amg_many.h"
#include "amg_verify.h"
#include "device.h"
#include "load.h"
#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int compare_doubles(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

double median(double *ms, int count)
{
    qsort(ms, (size_t)count, sizeof *ms, compare_doubles);
    return count % 2 == 1 ? ms[count / 2] : 0.5 * (ms[count / 2 - 1] + ms[count / 2]);
}

static bool is_on_device(const amg_system *system) { return spg_context_place(system->context) == SPG_PLACE_DEVICE; }

static spg_status wait_for(const amg_system *system)
{
    return is_on_device(system) ? device_wait(system->host) : SPG_OK;
}

static spg_amg_options hierarchy_options(const amg_system *system, const amg_options *chosen)
{
    spg_amg_options settings = chosen->hierarchy;
    settings.block_size = system->block_size;
    settings.candidates = system->candidates;
    settings.candidate_values = system->candidates > 0 ? system->candidate_values.column.values : NULL;
    return settings;
}

/* From an idle place to its end of work. *peak, unless NULL: the most bytes held meanwhile, beside those before. */
static spg_status set_up(const amg_system *system, const spg_amg_options *settings, spg_amg **amg, double *ms,
                         int64_t *peak)
{
    int64_t before, most;
    spg_status status = wait_for(system);
    spg_context_memory_reset(system->context);
    spg_context_memory(system->context, &before, NULL);
    const double start = now_ms();
    if (status == SPG_OK)
        status = forward_status(system->host, system->context,
                                spg_amg_setup(system->context, &system->A_here, settings, amg));
    if (status == SPG_OK) status = wait_for(system);
    *ms = now_ms() - start;
    spg_context_memory(system->context, NULL, &most);
    if (peak != NULL) *peak = most - before;
    return status;
}

static spg_status take_sizes(const amg_system *system, const spg_amg *amg, amg_findings *found)
{
    found->levels = spg_amg_levels(amg);
    spg_status status = SPG_OK;
    for (int l = 0; status == SPG_OK && l < found->levels && l < MOST_LEVELS; l++) {
        spg_amg_level_view view;
        status = forward_status(system->host, system->context, spg_amg_level(amg, l, &view));
        if (status == SPG_OK) found->level[l] = (level_size){view.A.rows, view.A.nnz};
        if (status == SPG_OK && l == 0) found->candidates = view.candidates;
    }
    return status;
}

static void take_verdict(const amg_verdict *verdict, amg_findings *found)
{
    if (verdict->max_error > found->max_error) found->max_error = verdict->max_error;
    if (verdict->right || !found->verified) return;
    found->verified = false;
    snprintf(found->fault, sizeof found->fault, "%s", verdict->fault);
}

/* By a Krylov method of spg/krylov.h, with a cycle as preconditioner. */
static spg_status solve_by_krylov(const amg_system *system, const amg_options *chosen, spg_amg *amg, void *x,
                                  amg_findings *found)
{
    const spg_operator A = spg_csr_operator(&system->A_here), M = spg_amg_operator(amg);
    spg_krylov_options settings = spg_krylov_options_default();
    spg_krylov_result result;
    settings.method = chosen->krylov;
    settings.restart = chosen->restart;
    settings.tolerance = chosen->solve.tolerance;
    settings.max_iterations = chosen->solve.max_iterations;
    settings.history = found->history;
    const spg_status status = spg_krylov_solve(system->context, &A, &M, system->b.column.values, x, &settings, &result);
    found->solved = (spg_amg_solve_result){.iterations = result.iterations,
                                           .converged = result.converged,
                                           .initial_residual = result.initial_residual,
                                           .residual = result.residual,
                                           .relative_residual = result.relative_residual,
                                           .seconds = result.seconds,
                                           .stagnated = result.stagnated};
    if (result.iterations > 0)
        found->solved.convergence_factor = pow(result.residual / result.initial_residual, 1.0 / result.iterations);
    return status;
}

/* A x = b from x = 0. A solve that ends otherwise than by convergence is no failure of the bench. */
static spg_status solve(const amg_system *system, const amg_options *chosen, spg_amg *amg, place_vector *x, double *ms,
                        amg_findings *found)
{
    spg_status status = vector_create(system->host, system->context, system->A.value_type, system->A.rows, NULL, x);
    if (status == SPG_OK) status = wait_for(system);
    if (status != SPG_OK) return status;
    spg_amg_solve_options settings = chosen->solve;
    settings.history = found->history;
    const double start = now_ms();
    if (chosen->by_krylov)
        status = solve_by_krylov(system, chosen, amg, x->column.values, found);
    else
        status =
            spg_amg_solve(system->context, amg, system->b.column.values, x->column.values, &settings, &found->solved);
    *ms = now_ms() - start;
    if (status == SPG_ERROR_NOT_CONVERGED || status == SPG_ERROR_BREAKDOWN || status == SPG_ERROR_INDEFINITE ||
        status == SPG_ERROR_INCOMPATIBLE) {
        snprintf(found->fault, sizeof found->fault, "%s: %s", spg_status_name(status),
                 spg_context_message(system->context));
        return SPG_OK;
    }
    return forward_status(system->host, system->context, status);
}

/* The first hierarchy and solve, judged. Its times are those of a cold start. */
static spg_status verify(amg_system *system, const amg_options *chosen, amg_findings *found)
{
    const spg_amg_options settings = hierarchy_options(system, chosen);
    spg_amg *amg = NULL;
    place_vector x = {0};
    amg_verdict verdict = {.right = true};
    double ms;
    progress("%s: set-up", system->name);
    spg_status status = set_up(system, &settings, &amg, &ms, NULL);
    if (status == SPG_OK) status = take_sizes(system, amg, found);
    progress("%s: verifying the hierarchy", system->name);
    if (status == SPG_OK) status = verify_hierarchy(system, amg, settings.restriction, &verdict);
    if (status == SPG_OK) take_verdict(&verdict, found);
    progress("%s: solving", system->name);
    if (status == SPG_OK && verdict.right) status = solve(system, chosen, amg, &x, &ms, found);
    if (status == SPG_OK && verdict.right && found->solved.converged) {
        status = verify_solution(system, &x, &found->solved, &verdict);
        if (status == SPG_OK) take_verdict(&verdict, found);
    }
    vector_free(system->context, &x);
    spg_amg_destroy(amg);
    return status;
}

static spg_status time_setup_and_solve(amg_system *system, const amg_options *chosen, amg_findings *found)
{
    const spg_amg_options settings = hierarchy_options(system, chosen);
    double *setup_ms = calloc((size_t)chosen->reps, sizeof *setup_ms), ms;
    double *solve_ms = calloc((size_t)chosen->reps, sizeof *solve_ms);
    spg_status status = SPG_OK;
    if (setup_ms == NULL || solve_ms == NULL)
        status = spg_context_fail(system->host, SPG_ERROR_MEMORY, "no memory for times");
    for (int rep = -chosen->warmup; status == SPG_OK && rep < chosen->reps; rep++) {
        spg_amg *amg = NULL;
        place_vector x = {0};
        progress("%s: timing, repetition %d of %d", system->name, rep + 1, chosen->reps);
        status = set_up(system, &settings, &amg, &ms, &found->peak_bytes);
        if (status == SPG_OK && rep >= 0) setup_ms[rep] = ms;
        if (status == SPG_OK) status = solve(system, chosen, amg, &x, &ms, found);
        if (status == SPG_OK && rep >= 0) solve_ms[rep] = ms;
        vector_free(system->context, &x);
        spg_amg_destroy(amg);
    }
    if (status == SPG_OK) {
        found->setup_ms = median(setup_ms, chosen->reps);
        found->setup_min_ms = setup_ms[0];
        found->setup_max_ms = setup_ms[chosen->reps - 1];
        found->solve_ms = median(solve_ms, chosen->reps);
    }
    free(setup_ms);
    free(solve_ms);
    return status;
}

static void print_line(void *user, const char *line) { fprintf(user, "  %s\n", line); }

/* A set-up of which each step waits for its end, after the others have warmed up what there is to warm. */
static spg_status time_steps(const amg_system *system, const amg_options *chosen, double bandwidth, amg_findings *found)
{
    spg_amg_options settings = hierarchy_options(system, chosen);
    spg_amg *amg = NULL;
    double ms;
    settings.timing = 1;
    spg_status status = set_up(system, &settings, &amg, &ms, NULL);
    if (status == SPG_OK)
        status = forward_status(system->host, system->context, spg_amg_summarise(amg, &found->summary));
    if (status == SPG_OK) status = amg_limits(system, chosen, amg, bandwidth, found->limits_ms);
    progress_clear();
    if (status == SPG_OK && chosen->shows_levels)
        status = forward_status(system->host, system->context, spg_amg_print(amg, print_line, stdout));
    spg_amg_destroy(amg);
    return status;
}

static spg_status update(const amg_system *system, spg_amg *amg, const spg_csr *A, double *ms)
{
    spg_status status = wait_for(system);
    const double start = now_ms();
    if (status == SPG_OK)
        status = forward_status(system->host, system->context, spg_amg_update(system->context, amg, A));
    if (status == SPG_OK) status = wait_for(system);
    *ms = now_ms() - start;
    return status;
}

/* To values that vary, or with vary 0 to 3/2 of the values and back, in turn; what the last leaves is verified again.
 */
static spg_status time_updates(amg_system *system, const amg_options *chosen, amg_findings *found)
{
    const spg_amg_options settings = hierarchy_options(system, chosen);
    double *all_ms = calloc((size_t)chosen->updates, sizeof *all_ms), ms;
    spg_csr scaled = {0};
    spg_amg *amg = NULL;
    amg_verdict verdict;
    spg_status status =
        all_ms != NULL ? SPG_OK : spg_context_fail(system->host, SPG_ERROR_MEMORY, "no memory for times");
    if (status == SPG_OK) status = scale_values(system, chosen->vary, &scaled);
    if (status == SPG_OK) status = set_up(system, &settings, &amg, &ms, NULL);
    if (status == SPG_OK) status = update(system, amg, &system->A_here, &found->first_update_ms);
    for (int k = 0; status == SPG_OK && k < chosen->updates; k++) {
        progress("%s: update %d of %d", system->name, k + 1, chosen->updates);
        const bool goes_back = k % 2 == 1 && chosen->vary == 0;
        status = update(system, amg, goes_back ? &system->A_here : &scaled, &all_ms[k]);
    }
    if (status == SPG_OK) found->update_ms = median(all_ms, chosen->updates);
    if (status == SPG_OK) status = verify_hierarchy(system, amg, settings.restriction, &verdict);
    if (status == SPG_OK) take_verdict(&verdict, found);
    spg_amg_destroy(amg);
    spg_csr_free(system->context, &scaled);
    free(all_ms);
    return status;
}

/* With a hierarchy of its own. */
static spg_status measure_many(amg_system *system, const amg_options *chosen, amg_findings *found)
{
    const spg_amg_options settings = hierarchy_options(system, chosen);
    spg_amg *amg = NULL;
    double ms;
    progress("%s: %d right-hand sides", system->name, chosen->right_hand_sides);
    spg_status status = set_up(system, &settings, &amg, &ms, NULL);
    if (status == SPG_OK) status = amg_measure_many(system, chosen, amg, found);
    spg_amg_destroy(amg);
    return status;
}

spg_status amg_measure(amg_system *system, const amg_options *chosen, double bandwidth, amg_findings *found)
{
    *found = (amg_findings){.rows = system->A.rows,
                            .nnz = system->A.nnz,
                            .block_size = system->block_size,
                            .candidates = system->candidates,
                            .verified = true};
    snprintf(found->matrix, sizeof found->matrix, "%s", system->name);
    found->history = calloc((size_t)chosen->solve.max_iterations + 1, sizeof *found->history);
    if (found->history == NULL) return spg_context_fail(system->host, SPG_ERROR_MEMORY, "no memory for a history");
    spg_status status = verify(system, chosen, found);
    const load_mark mark = load_now();
    if (status == SPG_OK && found->verified) status = time_setup_and_solve(system, chosen, found);
    if (status == SPG_OK && !is_on_device(system)) found->cores_taken = cores_taken_since(&mark);
    if (status == SPG_OK) status = time_steps(system, chosen, bandwidth, found);
    if (status == SPG_OK && found->verified && chosen->updates > 0) status = time_updates(system, chosen, found);
    if (status == SPG_OK && found->verified && chosen->right_hand_sides > 0)
        status = measure_many(system, chosen, found);
    progress_clear();
    if (status != SPG_OK) amg_findings_free(found);
    return status;
}

void amg_findings_free(amg_findings *found)
{
    free(found->history);
    found->history = NULL;
}
