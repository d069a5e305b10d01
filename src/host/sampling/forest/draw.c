/* Draws by monotone inversion. */
#include "host/sampling/host_sampling.h"
#include "host/sampling/random.h"
#include "host/sampling/row_numbers.h"
#include "host/work.h"
#include "row.h"
#include "sampling/faults.h"

/* A call; outputs that are not wanted are NULL. */
typedef struct forest_call {
    const spg_forest *forest;
    int64_t count;
    int64_t row; /* if rows is NULL */
    const int32_t *rows;
    const spg_random *random;
    const spg_strata *strata; /* if the draws are stratified */
    const double *uniforms;
    int32_t *draws, *loads;
    double *probabilities, *remapped;
} forest_call;

static int32_t search(const forest_view *view, uint64_t v, int32_t *loads)
{
    return view->nodes != NULL ? spg_search_tree(view, v, loads) : spg_search_guide(view, v, loads);
}

static void draw_one(const forest_call *call, int64_t i, uint64_t v, const forest_view *view, int64_t begin)
{
    int32_t loads = 0, item = search(view, v, &loads);
    if (call->loads != NULL) call->loads[i] = loads;
    const int32_t *columns = call->forest->columns != NULL ? call->forest->columns + begin : NULL;
    if (call->draws != NULL) call->draws[i] = spg_name_of_found(columns, item);
    if (call->probabilities == NULL && call->remapped == NULL) return;
    uint64_t bound = spg_bound_of(view, item), next = spg_bound_of(view, (int64_t)item + 1);
    if (call->probabilities != NULL) call->probabilities[i] = spg_forest_share(bound, next);
    if (call->remapped != NULL) call->remapped[i] = spg_forest_remap(bound, next, v);
}

/* Uniforms in units of 2^-63. */
static void fill_numbers(const forest_call *call, int64_t first, int size, uint64_t *numbers)
{
    if (call->uniforms != NULL) {
        for (int k = 0; k < size; ++k) numbers[k] = spg_forest_uniform(call->uniforms[first + k]);
        return;
    }
    spg_host_numbers(call->random, (uint64_t)first, size, numbers);
    for (int k = 0; k < size; ++k)
        numbers[k] =
            call->strata != NULL ? spg_stratified(call->strata, (uint64_t)(first + k), numbers[k]) : numbers[k] >> 1;
}

/* A draw from no row. */
static void draw_nothing(const forest_call *call, int64_t i)
{
    if (call->loads != NULL) call->loads[i] = 0;
    if (call->draws != NULL) call->draws[i] = SPG_NO_ITEM;
    if (call->probabilities != NULL) call->probabilities[i] = 0;
    if (call->remapped != NULL) call->remapped[i] = 0;
}

static void draw_batch(const forest_call *call, int64_t first, int size)
{
    uint64_t numbers[SPG_BATCH];
    int64_t row = call->row;
    forest_view view = spg_forest_row(call->forest, row);
    fill_numbers(call, first, size, numbers);
    for (int k = 0; k < size; ++k) {
        if (call->rows != NULL && call->rows[first + k] == SPG_NO_ITEM) {
            draw_nothing(call, first + k);
            continue;
        }
        if (call->rows != NULL && call->rows[first + k] != row) {
            row = call->rows[first + k];
            view = spg_forest_row(call->forest, row);
        }
        draw_one(call, first + k, numbers[k], &view, call->forest->offsets[row]);
    }
}

/* Stratified draws of only the items: a number is made only if a bound lies in its stratum. */
static void draw_strata(const forest_call *call, int64_t first, int size)
{
    const spg_random *random = call->random;
    const forest_view view = spg_forest_row(call->forest, call->row);
    const int32_t *columns = call->forest->columns;
    if (columns != NULL) columns += call->forest->offsets[call->row];
    int32_t loads = 0, item = search(&view, spg_stratum_begin(call->strata, (uint64_t)first), &loads);
    uint64_t next = spg_bound_of(&view, (int64_t)item + 1);
    for (int64_t i = first; i < first + size; ++i) {
        if (next < spg_stratum_begin(call->strata, (uint64_t)i + 1)) {
            uint64_t number = spg_random_number(random->seed, random->stream, random->first + (uint64_t)i);
            item = search(&view, spg_stratified(call->strata, (uint64_t)i, number), &loads);
            next = spg_bound_of(&view, (int64_t)item + 1);
        }
        call->draws[i] = spg_name_of_found(columns, item);
    }
}

typedef struct uniforms_job {
    const double *uniforms;
    atomic_llong *first;
} uniforms_job;

static void find_bad_uniform(const void *data, spg_range range)
{
    const uniforms_job *job = data;
    for (int64_t i = range.begin; i < range.end; ++i) {
        if (job->uniforms[i] >= 0 && job->uniforms[i] < 1) continue;
        spg_lower(job->first, i);
        return;
    }
}

static int64_t first_bad_uniform(const spg_context *context, const double *uniforms, int64_t count)
{
    atomic_llong first = count;
    spg_parallel(spg_host_threads(context, count), count, 0, find_bad_uniform, &(uniforms_job){uniforms, &first});
    return first;
}

static void draw_batches(const void *data, spg_range batches)
{
    const forest_call *call = data;
    const bool items_alone = call->strata != NULL && call->probabilities == NULL && call->remapped == NULL;
    for (int64_t b = batches.begin; b < batches.end; ++b)
        (items_alone ? draw_strata : draw_batch)(call, b * SPG_BATCH, spg_host_batch_size(b, call->count));
}

static spg_status draw_all(spg_context *context, const forest_call *call)
{
    int64_t count = call->count, rows = call->forest->rows;
    if (call->rows != NULL) {
        int64_t odd = spg_host_first_bad_row(context, call->rows, count, rows, call->forest->empty_rows);
        if (odd < count) return spg_fail_row_number(context, odd, call->rows[odd], rows);
    }
    if (call->uniforms != NULL && !context->draw_options.trusted) {
        int64_t odd = first_bad_uniform(context, call->uniforms, count);
        if (odd < count) return spg_fail_uniform(context, odd, call->uniforms[odd]);
    }
    spg_parallel(spg_host_threads(context, count), spg_host_batches(count), 0, draw_batches, call);
    return SPG_OK;
}

spg_status spg_host_forest_draws(spg_context *context, const spg_forest *forest, int64_t count, const int32_t *rows,
                                 const spg_random *random, const double *uniforms, int32_t *draws,
                                 spg_forest_details details)
{
    const forest_call call = {.forest = forest,
                              .count = count,
                              .rows = rows,
                              .random = random,
                              .uniforms = uniforms,
                              .draws = draws,
                              .probabilities = details.probabilities,
                              .remapped = details.remapped};
    return draw_all(context, &call);
}

spg_status spg_host_forest_strata(spg_context *context, const spg_forest *forest, int64_t row, int64_t count,
                                  const spg_random *random, int32_t *draws, spg_forest_details details)
{
    const spg_strata strata = spg_strata_of((uint64_t)count);
    const forest_call call = {.forest = forest,
                              .count = count,
                              .row = row,
                              .random = random,
                              .strata = &strata,
                              .draws = draws,
                              .probabilities = details.probabilities,
                              .remapped = details.remapped};
    return draw_all(context, &call);
}

spg_status spg_host_forest_loads(spg_context *context, const spg_forest *forest, int64_t count, const int32_t *rows,
                                 const double *uniforms, int32_t *loads)
{
    const forest_call call = {.forest = forest, .count = count, .rows = rows, .uniforms = uniforms, .loads = loads};
    return draw_all(context, &call);
}
