/* GSL (Galassi and others): Walker's alias method, one thread, by the Tausworthe generator, its fastest good one. */
#include "sampler.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <stdlib.h>

typedef struct gsl_state {
    gsl_ran_discrete_t *table;
    gsl_rng *generator;
} gsl_state;

static void destroy(const sampling_problem *task, void *memory)
{
    gsl_state *state = memory;
    (void)task;
    if (state == NULL) return;
    if (state->table != NULL) gsl_ran_discrete_free(state->table);
    if (state->generator != NULL) gsl_rng_free(state->generator);
    free(state);
}

/* GSL takes doubles; a conversion of floats counts, since its user would have to make it. */
static spg_status build(const sampling_problem *task, void **memory)
{
    const size_t items = (size_t)task->host.nnz;
    const double *weights = task->host.values;
    double *converted = NULL;
    gsl_state *state = calloc(1, sizeof *state);
    *memory = state;
    if (task->host.value_type == SPG_F32 && (converted = malloc(items * sizeof *converted)) != NULL) {
        const float *values = task->host.values;
        for (size_t k = 0; k < items; k++) converted[k] = (double)values[k];
        weights = converted;
    }
    const bool ready = state != NULL && (task->host.value_type == SPG_F64 || converted != NULL);
    if (ready) {
        state->generator = gsl_rng_alloc(gsl_rng_taus2);
        state->table = gsl_ran_discrete_preproc(items, weights);
    }
    free(converted);
    if (ready && state->generator != NULL && state->table != NULL) return SPG_OK;
    return spg_context_fail(task->context, SPG_ERROR_MEMORY, "GSL: no memory");
}

static spg_status draw(const sampling_problem *task, void *memory)
{
    const gsl_state *state = memory;
    gsl_rng_set(state->generator, (unsigned long)task->random.seed);
    for (int64_t k = 0; k < task->count; k++)
        task->draws[k] = (int32_t)gsl_ran_discrete(state->generator, state->table);
    return SPG_OK;
}

static int64_t table_bytes(const sampling_problem *task) { return task->host.nnz * 16; }

const sampler sampler_gsl = {"gsl", false, false, SPG_PLACE_HOST, 0, build, draw, destroy, table_bytes};
