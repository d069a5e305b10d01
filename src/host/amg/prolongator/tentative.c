/* The tentative prolongator: the candidates, restricted to each aggregate and made orthonormal there by modified
 * Gram-Schmidt (Vanek, Mandel, Brezina 1996, section 5.2). The coefficients are the coarse candidates. */
#define REAL_ONLY
#include "amg/numerics.h"
#include "amg/units.h"
#include "host/amg/host_amg.h"
#include "host/by_type.h"
#include "host/work.h"
#include "memory.h"

#include <math.h>
#include <string.h>

typedef struct tentative_job {
    const spg_amg_aggregates *aggregates;
    const void *fine;
    void *T, *coarse;
    int64_t *begins;  /* for each aggregate, its first member; one more than aggregates */
    int32_t *members; /* nodes, aggregate after aggregate, ascending */
    int64_t largest;  /* unknowns of the largest aggregate */
    double *columns;  /* largest*k for each thread */
} tentative_job;

#define TEMPLATE "host/amg/prolongator/tentative.inc.h"
#include "host/for_each_value_type.h"

/* Sorts the nodes by aggregate, stably. */
static void list_members(tentative_job *job)
{
    const spg_amg_aggregates *aggregates = job->aggregates;
    const int64_t count = aggregates->aggregates;
    const int32_t *aggregate_of = aggregates->aggregate_of;
    int64_t *next = job->begins + 1; /* the position of an aggregate's next node; at the end, the aggregate's end */
    memset(job->begins, 0, (size_t)(count + 1) * sizeof *job->begins);
    for (int64_t i = 0; i < aggregates->nodes; ++i)
        if (aggregate_of[i] >= 0) ++next[aggregate_of[i]];
    for (int64_t a = 0, at = 0; a < count; ++a) {
        const int64_t size = next[a];
        job->largest = size * aggregates->block_size > job->largest ? size * aggregates->block_size : job->largest;
        next[a] = at;
        at += size;
    }
    for (int64_t i = 0; i < aggregates->nodes; ++i)
        if (aggregate_of[i] >= 0) job->members[next[aggregate_of[i]]++] = (int32_t)i;
}

static spg_status fit(spg_context *context, spg_type type, tentative_job *job, spg_threads threads, int64_t held)
{
    static spg_work *const fit_aggregates[2] = BY_REAL_VALUE_TYPE(fit_aggregates);
    const int64_t piece = job->largest * job->aggregates->candidates * (int64_t)sizeof(double);
    const int64_t count = job->aggregates->aggregates;
    threads.count = spg_pieces_within_limit(context, held, piece, threads.count);
    spg_status status =
        spg_allocate_workspace(context, held, threads.count * piece, "aggregates", (void **)&job->columns);
    if (status != SPG_OK) return status;
    spg_parallel(threads, count, 0, fit_aggregates[type], job);
    spg_release(context, job->columns, threads.count * piece);
    return SPG_OK;
}

spg_status spg_host_tentative(spg_context *context, spg_type type, const spg_amg_aggregates *aggregates,
                              const void *fine, void *T, void *coarse)
{
    tentative_job job = {.aggregates = aggregates, .fine = fine, .T = T, .coarse = coarse};
    const int64_t rows = aggregates->nodes * aggregates->block_size, k = aggregates->candidates;
    const int64_t bytes = (aggregates->aggregates + 1) * 8 + aggregates->nodes * 4;
    const spg_threads threads = spg_host_threads(context, rows * k);
    spg_status status = spg_allocate_workspace(context, 0, bytes, "aggregates", (void **)&job.begins);
    if (status != SPG_OK) return status;
    job.members = (int32_t *)(void *)(job.begins + aggregates->aggregates + 1);
    if (rows > 0) memset(T, 0, (size_t)(rows * k) * spg_type_size(type));
    list_members(&job);
    status = fit(context, type, &job, threads, bytes);
    spg_release(context, job.begins, bytes);
    return status;
}
