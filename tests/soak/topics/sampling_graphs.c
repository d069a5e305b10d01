/* Graphs with sinks: tables of rows of nothing, tables that are given new weights, walks. See sampling.h. */
#include "sampling.h"

#include "chance.h"
#include "host_matrix.h"

#include <stdlib.h>
#include <string.h>

/* A graph on the host and at the place; a row may be empty or all zeros. */
typedef struct graph {
    spg_csr host, here;
} graph;

static double draw_edge_weight(uint64_t *state, bool is_sink)
{
    const double u = chance_unit(state);
    return is_sink || chance_of(state, 15) ? 0 : chance_of(state, 10) ? 1e-30 * u : 0.1 + u;
}

static void draw_edge_weights(uint64_t *state, spg_csr *host)
{
    for (int64_t v = 0; v < host->rows; v++) {
        const bool is_sink = chance_of(state, 10);
        for (int64_t e = soak_offset(host, v); e < soak_offset(host, v + 1); e++)
            ((double *)host->values)[e] = draw_edge_weight(state, is_sink);
    }
}

/* Columns ascend in each row, as walks of second order need. */
static spg_csr draw_graph(uint64_t *state)
{
    const int64_t nodes = chance_log(state, 1, 300), degree = chance_log(state, 1, nodes);
    int64_t *offsets = soak_array(nodes + 1, sizeof *offsets), nnz = 0;
    int32_t *columns = soak_array(nodes * nodes, sizeof *columns);
    for (int64_t v = 0; v < nodes; v++) {
        if (!chance_of(state, 10))
            for (int64_t u = 0; u < nodes; u++)
                if (chance_below(state, nodes) < degree) columns[nnz++] = (int32_t)u;
        offsets[v + 1] = nnz;
    }
    spg_csr host = {.rows = nodes,
                    .cols = nodes,
                    .nnz = nnz,
                    .offset_type = SPG_I64,
                    .value_type = SPG_F64,
                    .place = SPG_PLACE_HOST,
                    .row_offsets = offsets,
                    .columns = columns,
                    .values = soak_array(nnz, sizeof(double))};
    draw_edge_weights(state, &host);
    return host;
}

static bool open_graph(soak_sampler *s, graph *g)
{
    g->host = draw_graph(&s->state);
    return soak_lend(&s->p, &g->host, &g->here);
}

static void close_graph(soak_sampler *s, graph *g)
{
    soak_give_back(&s->p, &g->here);
    free(g->host.row_offsets);
    free(g->host.columns);
    free(g->host.values);
}

/* Whether a step from `from` to `to` is one that the graph has. */
static bool is_step(const spg_csr *host, int32_t from, int32_t to)
{
    bool is_sink = true, found = false;
    for (int64_t e = from < 0 ? 0 : soak_offset(host, from); from >= 0 && e < soak_offset(host, from + 1); e++) {
        if (!(soak_weight(host, e) > 0)) continue;
        is_sink = false;
        found |= host->columns[e] == to;
    }
    return is_sink ? to == -1 : found;
}

/* Tells a draw from each node and from none. *draws: count of them. */
static bool draw_from_nodes(soak_sampler *s, const graph *g, const spg_alias *alias, const char *name, int64_t count,
                            int32_t *draws)
{
    const size_t bytes = (size_t)count * sizeof(int32_t);
    int32_t *nodes = soak_array(count, sizeof *nodes), *here = soak_room(s, count);
    for (int64_t d = 0; d < count; d++) nodes[d] = (int32_t)(d % (g->host.rows + 1)) - 1;
    int32_t *nodes_here = soak_lend_bytes(&s->p, nodes, bytes);
    soak_before(&s->p);
    const spg_status status = spg_alias_draw_rows(s->p.context, alias, count, nodes_here, &s->random, here);
    const soak_outcome outcome = soak_after(&s->p, name, status, NULL, 0);
    soak_bring(s, here, count, draws);
    soak_give_back_bytes(&s->p, nodes_here, bytes);
    bool right = outcome != SOAK_WRONG;
    for (int64_t d = 0; outcome == SOAK_DONE && right && d < count; d++)
        if (!is_step(&g->host, nodes[d], draws[d]))
            right = soak_fault("%s: %s: from row %d to %d", s->p.name, name, (int)nodes[d], (int)draws[d]);
    if (outcome == SOAK_DONE)
        soak_tell(s->told, name, draws, bytes);
    else
        soak_tell_nothing(s->told, name);
    free(nodes);
    return right;
}

static bool walk(soak_sampler *s, const graph *g, const spg_alias *alias, bool second_order)
{
    const char *name = second_order ? "spg_alias_walk, second order" : "spg_alias_walk";
    const int64_t walkers = chance_log(&s->state, 1, 300), steps = chance_below(&s->state, 40);
    const int64_t count = walkers * (steps + 1);
    const spg_walk_options bias = {second_order ? 0.25 + 4 * chance_unit(&s->state) : 0, second_order ? 2 : 1};
    int32_t *starts = soak_array(walkers, sizeof *starts), *walks = soak_array(count, sizeof *walks);
    for (int64_t w = 0; w < walkers; w++) starts[w] = (int32_t)chance_below(&s->state, g->host.rows + 1) - 1;
    int32_t *here = soak_room(s, count),
            *starts_here = soak_lend_bytes(&s->p, starts, (size_t)walkers * sizeof *starts);
    soak_before(&s->p);
    const spg_status status = spg_alias_walk(s->p.context, alias, walkers, starts_here, steps, &s->random, &bias, here);
    const soak_outcome outcome = soak_after(&s->p, name, status, NULL, 0);
    soak_bring(s, here, count, walks);
    soak_give_back_bytes(&s->p, starts_here, (size_t)walkers * sizeof *starts);
    bool right = outcome != SOAK_WRONG;
    for (int64_t w = 0; outcome == SOAK_DONE && right && w < walkers; w++) {
        const int32_t *of = walks + w * (steps + 1);
        if (of[0] != starts[w]) right = soak_fault("%s: %s: walk %lld starts elsewhere", s->p.name, name, (long long)w);
        for (int64_t k = 0; right && k < steps; k++)
            if (!is_step(&g->host, of[k], of[k + 1]))
                right = soak_fault("%s: %s: walk %lld, step %lld: from %d to %d", s->p.name, name, (long long)w,
                                   (long long)k, (int)of[k], (int)of[k + 1]);
    }
    if (outcome == SOAK_DONE)
        soak_tell(s->told, name, walks, (size_t)count * sizeof *walks);
    else
        soak_tell_nothing(s->told, name);
    free(starts);
    free(walks);
    return right;
}

/* New weights for all rows, or for every third one. */
static soak_outcome rebuild(soak_sampler *s, const graph *g, spg_alias *alias, bool some)
{
    const int64_t most = (g->host.rows + 2) / 3;
    int32_t *rows = soak_array(most, sizeof *rows);
    for (int64_t k = 0; k < most; k++) rows[k] = (int32_t)(3 * k);
    int32_t *here = soak_lend_bytes(&s->p, rows, (size_t)most * sizeof *rows);
    soak_before(&s->p);
    const spg_status status = spg_alias_rebuild(s->p.context, alias, &g->here, some ? most : 0, some ? here : NULL);
    const soak_outcome outcome = soak_after(&s->p, "spg_alias_rebuild", status, NULL, 0);
    soak_give_back_bytes(&s->p, here, (size_t)most * sizeof *rows);
    free(rows);
    return outcome;
}

/* Changes the weights of all nodes, or of every third. */
static bool change_weights(soak_sampler *s, graph *g, bool some)
{
    const size_t bytes = (size_t)g->host.nnz * sizeof(double);
    double *before = soak_array(g->host.nnz, sizeof *before), *values = g->host.values;
    memcpy(before, values, bytes);
    draw_edge_weights(&s->state, &g->host);
    for (int64_t v = 0; some && v < g->host.rows; v++)
        for (int64_t e = soak_offset(&g->host, v); v % 3 != 0 && e < soak_offset(&g->host, v + 1); e++)
            values[e] = before[e];
    free(before);
    soak_give_back(&s->p, &g->here);
    return soak_lend(&s->p, &g->host, &g->here);
}

/* A rebuilt table draws what a new one does. */
static bool is_as_new(soak_sampler *s, const graph *g, const spg_alias *rebuilt, const spg_alias_options *options)
{
    const int64_t count = 3 * g->host.rows + 7;
    int32_t *by_rebuilt = soak_array(count, sizeof *by_rebuilt), *by_new = soak_array(count, sizeof *by_new);
    spg_alias *fresh = NULL;
    bool right = draw_from_nodes(s, g, rebuilt, "draws after a rebuild", count, by_rebuilt);
    soak_before(&s->p);
    const spg_status status = spg_alias_build(s->p.context, &g->here, options, &fresh);
    const soak_outcome outcome = soak_after(&s->p, "spg_alias_build", status, (const void *)&fresh, sizeof fresh);
    right = right && outcome != SOAK_WRONG;
    if (right && outcome == SOAK_DONE) {
        right = draw_from_nodes(s, g, fresh, "draws after a build", count, by_new);
        if (right && memcmp(by_rebuilt, by_new, (size_t)count * sizeof *by_new) != 0)
            right = soak_fault("%s: a rebuilt table draws otherwise than a new one", s->p.name);
    } else {
        soak_tell_nothing(s->told, "draws after a build");
    }
    if (outcome == SOAK_DONE) spg_alias_destroy(fresh);
    free(by_rebuilt);
    free(by_new);
    return right;
}

/* A refused allocation leaves a table that draws nothing until all of it is rebuilt: *some becomes false. */
static bool try_refusal(soak_sampler *s, const graph *g, spg_alias *alias, bool *some)
{
    if (s->p.of->settings.fail_at <= 0) return true;
    soak_arm(&s->p);
    const soak_outcome armed = rebuild(s, g, alias, *some);
    soak_disarm(&s->p);
    if (armed != SOAK_REFUSED) return armed == SOAK_DONE;
    int32_t *here = soak_room(s, 1), unused;
    const spg_status status = spg_alias_draw(s->p.context, alias, 0, 1, &s->random, NULL, here);
    soak_bring(s, here, 1, &unused);
    *some = false;
    return status == SPG_ERROR_ARGUMENT || soak_fault("%s: a table draws after a rebuild that failed", s->p.name);
}

static bool use_table(soak_sampler *s, graph *g, spg_alias *alias, const spg_alias_options *options)
{
    const int64_t count = 2 * g->host.rows + 3;
    bool some = chance_of(&s->state, 50);
    int32_t *draws = soak_array(count, sizeof *draws);
    bool right = draw_from_nodes(s, g, alias, "draws from nodes", count, draws) && walk(s, g, alias, false) &&
                 walk(s, g, alias, true);
    free(draws);
    right = right && change_weights(s, g, some) && try_refusal(s, g, alias, &some);
    const soak_outcome outcome = right ? rebuild(s, g, alias, some) : SOAK_WRONG;
    if (outcome == SOAK_DONE) return is_as_new(s, g, alias, options);
    soak_tell_nothing(s->told, "draws after a rebuild");
    soak_tell_nothing(s->told, "draws after a build");
    return outcome == SOAK_REFUSED;
}

bool soak_sample_graphs(soak_sampler *s)
{
    static const char *const names[] = {"draws from nodes", "spg_alias_walk", "spg_alias_walk, second order",
                                        "draws after a rebuild", "draws after a build"};
    const spg_draw_options sinks = {.empty_rows = 1};
    const spg_alias_options options = {.builder = (spg_alias_builder)chance_below(&s->state, 4),
                                       .resolution = (spg_alias_resolution)chance_below(&s->state, 2)};
    spg_alias *alias = NULL;
    graph g;
    bool right = open_graph(s, &g);
    const uint64_t state = s->state;
    if (!right) return false;
    spg_context_set_draw_options(s->p.context, &sinks);
    soak_before(&s->p);
    const spg_status status = spg_alias_build(s->p.context, &g.here, &options, &alias);
    const soak_outcome outcome = soak_after(&s->p, "spg_alias_build", status, (const void *)&alias, sizeof alias);
    right = outcome != SOAK_WRONG;
    if (outcome == SOAK_DONE) {
        right = use_table(s, &g, alias, &options);
        spg_alias_destroy(alias);
    } else {
        for (int k = 0; k < 5; k++) soak_tell_nothing(s->told, names[k]);
    }
    spg_context_set_draw_options(s->p.context, NULL);
    close_graph(s, &g);
    s->state = state + 1;
    return right;
}
