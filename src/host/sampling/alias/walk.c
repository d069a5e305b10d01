/* Random walks (src/sampling/walk.h): a thread moves a batch of walkers in turn, so that their reads overlap. */
#include "sampling/walk.h"

#include "host/sampling/host_sampling.h"
#include "host/sampling/random.h"
#include "host/sampling/row_numbers.h"
#include "host/work.h"
#include "sampling/faults.h"

/* Numbers are made for some steps of each walker at a time. */
enum { WALKERS = 64, STEPS = 16 };

typedef struct walk_job {
    const spg_walk_call *call;
    spg_walk_graph graph;
    uint64_t key; /* of walks of second order */
} walk_job;

/* The walkers of a batch. */
typedef struct walk_batch {
    int64_t first;
    int count;
    int32_t node[WALKERS], previous[WALKERS]; /* previous: SPG_NO_ITEM before the first step */
    uint64_t numbers[WALKERS][STEPS];
} walk_batch;

static int32_t step_of(const walk_job *job, const walk_batch *batch, int w, int64_t step, uint64_t bits)
{
    const int32_t node = batch->node[w], previous = batch->previous[w];
    if (node < 0) return SPG_NO_ITEM;
    if (!job->call->second_order || previous < 0) return spg_walk_draw(&job->graph, node, bits);
    const uint64_t n = spg_walk_number(job->call, batch->first + w, step);
    return spg_walk_second(&job->graph, &job->call->bias, job->key, n, previous, node);
}

/* Steps [begin, end) of all walkers of a batch; at most STEPS. */
static void walk_on(const walk_job *job, walk_batch *batch, int64_t begin, int64_t end)
{
    const spg_walk_call *call = job->call;
    for (int w = 0; w < batch->count && (!call->second_order || begin == 0); ++w)
        spg_host_numbers(&call->random, (uint64_t)(batch->first + w) * (uint64_t)call->steps + (uint64_t)begin,
                         (int)(end - begin), batch->numbers[w]);
    for (int64_t k = begin; k < end; ++k)
        for (int w = 0; w < batch->count; ++w) {
            const int32_t next = step_of(job, batch, w, k, batch->numbers[w][k - begin]);
            batch->previous[w] = batch->node[w];
            batch->node[w] = next;
            call->walks[(batch->first + w) * (call->steps + 1) + k + 1] = next;
        }
}

static void walk_batches(const void *data, spg_range batches)
{
    const walk_job *job = data;
    const spg_walk_call *call = job->call;
    for (int64_t b = batches.begin; b < batches.end; ++b) {
        const int64_t left = call->walkers - b * WALKERS;
        walk_batch batch = {.first = b * WALKERS, .count = left < WALKERS ? (int)left : WALKERS};
        for (int w = 0; w < batch.count; ++w) {
            batch.node[w] = call->starts != NULL ? call->starts[batch.first + w] : (int32_t)(batch.first + w);
            batch.previous[w] = SPG_NO_ITEM;
            call->walks[(batch.first + w) * (call->steps + 1)] = batch.node[w];
        }
        for (int64_t k = 0; k < call->steps; k += STEPS)
            walk_on(job, &batch, k, k + STEPS < call->steps ? k + STEPS : call->steps);
    }
}

typedef struct order_job {
    const spg_alias *alias;
    atomic_llong *first;
} order_job;

static void find_descent(const void *data, spg_range rows)
{
    const order_job *job = data;
    const int32_t *columns = job->alias->columns;
    for (int64_t i = rows.begin; i < rows.end; ++i)
        for (int64_t k = job->alias->offsets[i] + 1; k < job->alias->offsets[i + 1]; ++k)
            if (columns[k] < columns[k - 1]) {
                spg_lower(job->first, i);
                return;
            }
}

static spg_status check_order(spg_context *context, const spg_alias *alias)
{
    atomic_llong first = alias->rows;
    spg_parallel(spg_host_threads(context, alias->nnz), alias->rows, 0, find_descent, &(order_job){alias, &first});
    return first < alias->rows ? spg_fail_row_order(context, first) : SPG_OK;
}

spg_status spg_host_alias_walks(spg_context *context, const spg_alias *alias, const spg_walk_call *call)
{
    if (call->starts != NULL) {
        int64_t odd = spg_host_first_bad_row(context, call->starts, call->walkers, alias->rows, alias->empty_rows);
        if (odd < call->walkers) return spg_fail_start(context, odd, call->starts[odd], alias->rows);
    }
    if (call->second_order && !context->draw_options.trusted) {
        spg_status status = check_order(context, alias);
        if (status != SPG_OK) return status;
    }
    const spg_walk_graph graph = {alias->offsets, alias->columns, alias->table, alias->resolution == SPG_ALIAS_EXACT};
    const walk_job job = {call, graph, spg_walk_key(call->random.seed, call->random.stream)};
    spg_parallel(spg_host_threads(context, call->walkers * call->steps), (call->walkers + WALKERS - 1) / WALKERS, 0,
                 walk_batches, &job);
    return SPG_OK;
}
