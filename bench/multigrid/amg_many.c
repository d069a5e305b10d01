#include "amg_many.h"

#include "amg_verify.h"
#include "device.h"
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>

/* Vectors one after the other, in one place_vector. */
typedef struct many {
    amg_system *system;
    const amg_options *chosen;
    spg_amg *amg;
    place_vector B, X;
    spg_amg_solve_result *results;
    double *at_once_ms, *singly_ms;
} many;

static void many_free(many *of)
{
    vector_free(of->system->context, &of->B);
    vector_free(of->system->context, &of->X);
    free(of->results);
    free(of->at_once_ms);
    free(of->singly_ms);
}

static spg_status many_create(many *of)
{
    const amg_system *system = of->system;
    const int count = of->chosen->right_hand_sides, reps = of->chosen->reps;
    of->results = calloc((size_t)count, sizeof *of->results);
    of->at_once_ms = calloc((size_t)reps, sizeof *of->at_once_ms);
    of->singly_ms = calloc((size_t)reps, sizeof *of->singly_ms);
    if (of->results == NULL || of->at_once_ms == NULL || of->singly_ms == NULL)
        return spg_context_fail(system->host, SPG_ERROR_MEMORY, "no memory for results");
    const bool is_image = of->chosen->solve.nullspace != SPG_AMG_NULLSPACE_NONE;
    return make_right_hand_sides(of->system, count, is_image, &of->B);
}

static void *column_of(const many *of, const place_vector *vectors, int j)
{
    const int64_t bytes = of->system->A.rows * (int64_t)spg_type_size(of->system->A.value_type);
    return (char *)vectors->column.values + j * bytes;
}

/* X = 0, and an idle place. */
static spg_status begin(many *of)
{
    const amg_system *system = of->system;
    vector_free(system->context, &of->X);
    spg_status status = vector_create(system->host, system->context, system->A.value_type,
                                      system->A.rows * of->chosen->right_hand_sides, NULL, &of->X);
    const bool waits = status == SPG_OK && spg_context_place(system->context) == SPG_PLACE_DEVICE;
    return waits ? device_wait(system->host) : status;
}

/* A solve that does not converge is no failure of the bench. */
static spg_status passed_on(const many *of, spg_status status)
{
    if (status == SPG_ERROR_NOT_CONVERGED) return SPG_OK;
    return forward_status(of->system->host, of->system->context, status);
}

static spg_status solve_at_once(many *of, double *ms)
{
    const int64_t rows = of->system->A.rows;
    spg_status status = begin(of);
    const double start = now_ms();
    if (status == SPG_OK)
        status = passed_on(of, spg_amg_solve_many(of->system->context, of->amg, of->chosen->right_hand_sides,
                                                  SPG_COLUMN_MAJOR, of->B.column.values, rows, of->X.column.values,
                                                  rows, &of->chosen->solve, of->results));
    *ms = now_ms() - start;
    return status;
}

static spg_status solve_singly(many *of, double *ms)
{
    spg_status status = begin(of);
    const double start = now_ms();
    for (int j = 0; j < of->chosen->right_hand_sides && status == SPG_OK; j++)
        status = passed_on(of, spg_amg_solve(of->system->context, of->amg, column_of(of, &of->B, j),
                                             column_of(of, &of->X, j), &of->chosen->solve, NULL));
    *ms = now_ms() - start;
    return status;
}

/* Each solution, by its true residual; the iterations of the slowest. */
static spg_status verify(const many *of, amg_findings *found)
{
    double *B = NULL, *X = NULL;
    amg_verdict verdict = {.right = true};
    spg_status status = vector_fetch(of->system->host, &of->B, &B);
    if (status == SPG_OK) status = vector_fetch(of->system->host, &of->X, &X);
    for (int j = 0; j < of->chosen->right_hand_sides && status == SPG_OK && verdict.right; j++) {
        const int64_t begin = j * of->system->A.rows;
        const spg_amg_solve_result *result = &of->results[j];
        verify_residual(&of->system->A, B + begin, X + begin, result->residual, &verdict);
        if (!verdict.right) snprintf(found->fault, sizeof found->fault, "right-hand side %d: %s", j, verdict.fault);
        if (result->iterations > found->many_iterations) found->many_iterations = result->iterations;
        found->many_converged = found->many_converged && result->converged;
    }
    found->verified = found->verified && verdict.right;
    free(B);
    free(X);
    return status;
}

static spg_status time_both(many *of, amg_findings *found)
{
    const int reps = of->chosen->reps;
    spg_status status = SPG_OK;
    for (int rep = 0; rep < reps && status == SPG_OK; rep++) {
        progress("%s: %d right-hand sides, repetition %d of %d", of->system->name, of->chosen->right_hand_sides,
                 rep + 1, reps);
        status = solve_at_once(of, &of->at_once_ms[rep]);
        if (status == SPG_OK) status = solve_singly(of, &of->singly_ms[rep]);
    }
    if (status != SPG_OK) return status;
    found->at_once_ms = median(of->at_once_ms, reps);
    found->singly_ms = median(of->singly_ms, reps);
    return SPG_OK;
}

spg_status amg_measure_many(amg_system *system, const amg_options *chosen, spg_amg *amg, amg_findings *found)
{
    many of = {.system = system, .chosen = chosen, .amg = amg};
    double ms;
    found->right_hand_sides = chosen->right_hand_sides;
    found->many_converged = true;
    spg_status status = many_create(&of);
    if (status == SPG_OK) status = solve_at_once(&of, &ms);
    if (status == SPG_OK) status = verify(&of, found);
    if (status == SPG_OK && found->verified) status = time_both(&of, found);
    many_free(&of);
    return status;
}
