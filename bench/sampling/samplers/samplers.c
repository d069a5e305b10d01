/* The library's ways to draw, and the list of all. */
#include "sampler.h"

static spg_status draw_butterfly(const sampling_problem *task, spg_butterfly_method method)
{
    return spg_butterfly_draw(task->context, &task->here, method, &task->random, NULL, task->draws);
}

static spg_status draw_auto(const sampling_problem *task, void *state)
{
    (void)state;
    return draw_butterfly(task, SPG_BUTTERFLY_AUTO);
}

static spg_status draw_plain(const sampling_problem *task, void *state)
{
    (void)state;
    return draw_butterfly(task, SPG_BUTTERFLY_PLAIN);
}

static spg_status draw_transposed(const sampling_problem *task, void *state)
{
    (void)state;
    return draw_butterfly(task, SPG_BUTTERFLY_TRANSPOSED);
}

static spg_status draw_table(const sampling_problem *task, void *state)
{
    (void)state;
    return draw_butterfly(task, SPG_BUTTERFLY_TABLE);
}

static spg_status build_alias(const sampling_problem *task, void **state)
{
    spg_alias *alias = NULL;
    const spg_status status = spg_alias_build(task->context, &task->here, &task->chosen->alias, &alias);
    *state = alias;
    return status;
}

static spg_status draw_alias(const sampling_problem *task, void *state)
{
    const spg_alias_draw_options how = {task->chosen->sampler, task->chosen->grouped};
    if (task->many) return spg_alias_draw_rows(task->context, state, task->count, NULL, &task->random, task->draws);
    return spg_alias_draw(task->context, state, 0, task->count, &task->random, &how, task->draws);
}

static void destroy_alias(const sampling_problem *task, void *state)
{
    (void)task;
    spg_alias_destroy(state);
}

static int64_t alias_bytes(const sampling_problem *task)
{
    return task->here.nnz * (task->chosen->alias.resolution == SPG_ALIAS_EXACT ? 16 : 8);
}

static spg_status build_forest(const sampling_problem *task, spg_forest_method method, void **state)
{
    const spg_forest_options how = {method, task->chosen->cells};
    spg_forest *forest = NULL;
    const spg_status status = spg_forest_build(task->context, &task->here, &how, &forest);
    *state = forest;
    return status;
}

static spg_status build_radix(const sampling_problem *task, void **state)
{
    return build_forest(task, SPG_FOREST_RADIX, state);
}

static spg_status build_cutpoint(const sampling_problem *task, void **state)
{
    return build_forest(task, SPG_FOREST_CUTPOINT, state);
}

static spg_status draw_forest(const sampling_problem *task, void *state)
{
    if (task->stratified && task->uniforms == NULL)
        return spg_forest_draw_stratified(task->context, state, 0, task->count, &task->random, task->draws, NULL);
    return spg_forest_draw(task->context, state, task->count, task->rows, &task->random, task->uniforms, task->draws,
                           NULL);
}

static void destroy_forest(const sampling_problem *task, void *state)
{
    (void)task;
    spg_forest_destroy(state);
}

/* Bounds of 8 bytes and guide cells of 4, one for an item. */
static int64_t cutpoint_bytes(const sampling_problem *task) { return task->here.nnz * 12; }

/* The same with two children a node. */
static int64_t radix_bytes(const sampling_problem *task) { return task->here.nnz * 20; }

static const sampler own[] = {
    {"spg-butterfly", true, true, SPG_PLACE_AUTO, METHOD_BUTTERFLY, NULL, draw_auto, NULL, NULL},
    {"spg-butterfly-plain", true, true, SPG_PLACE_DEVICE, METHOD_BUTTERFLY, NULL, draw_plain, NULL, NULL},
    {"spg-butterfly-transposed", true, true, SPG_PLACE_DEVICE, METHOD_BUTTERFLY, NULL, draw_transposed, NULL, NULL},
    {"spg-butterfly-table", true, true, SPG_PLACE_DEVICE, METHOD_BUTTERFLY, NULL, draw_table, NULL, NULL},
    {"spg-alias", true, true, SPG_PLACE_AUTO, METHOD_ALIAS, build_alias, draw_alias, destroy_alias, alias_bytes},
    {"spg-forest", true, true, SPG_PLACE_AUTO, METHOD_FOREST, build_radix, draw_forest, destroy_forest, radix_bytes},
    {"spg-cutpoint", true, true, SPG_PLACE_AUTO, METHOD_CUTPOINT, build_cutpoint, draw_forest, destroy_forest,
     cutpoint_bytes}};
enum { OWN = sizeof own / sizeof *own };

static const sampler *const peers[] = {
#ifdef SPG_BENCH_STD
    &sampler_std,
#endif
#ifdef SPG_BENCH_GSL
    &sampler_gsl,
#endif
    &sampler_search};
enum { PEERS = sizeof peers / sizeof *peers };

const sampler *sampler_at(int k)
{
    if (k < OWN) return &own[k];
    return k < OWN + PEERS ? peers[k - OWN] : NULL;
}

bool sampler_wanted(const sampler *candidate, const sampling_problem *task)
{
    const sampling_options *chosen = task->chosen;
    if (candidate->works_at != SPG_PLACE_AUTO && candidate->works_at != chosen->place) return false;
    if (!candidate->is_spg) return !task->many && !task->stratified && wants_peer(chosen, candidate->name);
    const int usual = task->many ? METHOD_BUTTERFLY : METHOD_ALIAS | METHOD_CUTPOINT;
    if (candidate->method == METHOD_BUTTERFLY && !task->many) return false;
    if (candidate->method == METHOD_ALIAS && task->stratified) return false;
    return (candidate->method & (chosen->methods != 0 ? chosen->methods : usual)) != 0;
}
