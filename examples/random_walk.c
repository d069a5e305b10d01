/* Random walks on a weighted graph. One call builds an alias table for each vertex, and one call makes all the walks.
 * On an undirected graph, walkers visit a vertex in proportion to its weight, the sum over its edges.
 *
 * Build it: cc -std=c11 random_walk.c $(pkg-config --cflags --libs spg) -lm */
#include <spg/sampling.h>
#include <spg/spg.h>

#include <stdio.h>
#include <stdlib.h>

enum { SCALE = 10, VERTICES = 1 << SCALE, EDGES = 8 * VERTICES, WALKERS = 20000, FIRST = 30, STEPS = 100, SHOWN = 5 };
enum { NODES = FIRST + STEPS + 1 }; /* of a walk, with its start */

/* On failure, prints the call and the reason, and jumps to the clean-up. */
#define TRY(call)                                                                                                      \
    if ((status = (call)) != SPG_OK) {                                                                                 \
        fprintf(stderr, "%s: %s: %s\n", #call, spg_status_name(status), spg_context_message(context));                 \
        goto done;                                                                                                     \
    }

/* Draws an edge by R-MAT (Chakrabarti, Zhan, Faloutsos 2004): each bit of its two ends falls into one of four quadrants
 * with probabilities 0.57, 0.19, 0.19 and 0.05. `uniforms` has SCALE numbers. */
static void draw_edge(const double *uniforms, int32_t *from, int32_t *to)
{
    *from = *to = 0;
    for (int bit = 0; bit < SCALE; bit++) {
        const double u = uniforms[bit];
        *from = 2 * *from + (u >= 0.76);
        *to = 2 * *to + ((u >= 0.57 && u < 0.76) || u >= 0.95);
    }
}

static void put(spg_coo *graph, int64_t *at, int32_t from, int32_t to, double weight)
{
    graph->row_indices[*at] = from;
    graph->columns[*at] = to;
    ((double *)graph->values)[(*at)++] = weight;
}

/* Adds every edge in both directions, and a light ring through all vertices, so that no row is empty and every vertex
 * can be reached. */
static void fill(const double *uniforms, spg_coo *graph)
{
    int64_t at = 0;
    for (int32_t e = 0; e < EDGES; e++) {
        const double *own = uniforms + (int64_t)e * (SCALE + 1);
        int32_t from, to;
        draw_edge(own, &from, &to);
        put(graph, &at, from, to, 0.5 + own[SCALE]);
        put(graph, &at, to, from, 0.5 + own[SCALE]);
    }
    for (int32_t v = 0; v < VERTICES; v++) {
        put(graph, &at, v, (v + 1) % VERTICES, 0.1);
        put(graph, &at, (v + 1) % VERTICES, v, 0.1);
    }
}

/* Returns half the sum of the distances between shares of visits and shares of weight. */
static double compare(const spg_csr *graph, const int64_t *visits, int64_t all_visits)
{
    const int32_t *offsets = graph->row_offsets;
    const double *values = graph->values;
    double total = 0, distance = 0;
    for (int64_t k = 0; k < graph->nnz; k++) total += values[k];
    for (int32_t v = 0; v < VERTICES; v++) {
        double weight = 0;
        for (int32_t k = offsets[v]; k < offsets[v + 1]; k++) weight += values[k];
        const double expected = weight / total, seen = (double)visits[v] / (double)all_visits;
        distance += (seen > expected ? seen - expected : expected - seen) / 2;
        if (v < SHOWN)
            printf("vertex %d: %.3f %% of the visits, %.3f %% of the weight\n", v, 100 * seen, 100 * expected);
    }
    return distance;
}

int main(void)
{
    spg_config config = spg_config_default();
    config.place = SPG_PLACE_HOST;
    spg_context *context;
    spg_status status = spg_context_create(&config, &context);
    if (status != SPG_OK) return EXIT_FAILURE;

    spg_coo edges = {0};
    spg_csr graph = {0};
    spg_alias *tables = NULL;
    double *uniforms = malloc(sizeof *uniforms * EDGES * (SCALE + 1)), distance = 1;
    int32_t *starts = calloc(WALKERS, sizeof *starts); /* all walks start at vertex 0 */
    int32_t *walks = calloc((size_t)WALKERS * NODES, sizeof *walks);
    int64_t *visits = calloc(VERTICES, sizeof *visits);
    if (uniforms == NULL || starts == NULL || walks == NULL || visits == NULL) goto done;

    spg_random random = {.seed = 1, .stream = 0};
    TRY(spg_random_uniforms(context, &random, (int64_t)EDGES * (SCALE + 1), SPG_F64, uniforms));
    TRY(spg_coo_alloc(context, VERTICES, VERTICES, 2 * EDGES + 2 * VERTICES, SPG_F64, &edges));
    fill(uniforms, &edges);
    TRY(spg_csr_from_coo(context, &edges, SPG_I32, &graph));
    TRY(spg_alias_build(context, &graph, NULL, &tables));

    random.stream = 1; /* other random numbers than those of the edges */
    TRY(spg_alias_walk(context, tables, WALKERS, starts, FIRST + STEPS, &random, NULL, walks));
    for (int w = 0; w < WALKERS; w++)
        for (int k = FIRST + 1; k < NODES; k++) /* earlier steps still depend on the start */
            visits[walks[(int64_t)w * NODES + k]]++;
    distance = compare(&graph, visits, (int64_t)STEPS * WALKERS);
    printf("%d walkers, %d steps: visits are %.2f %% off the weights\n", WALKERS, STEPS, 100 * distance);

done:
    free(visits);
    free(walks);
    free(starts);
    free(uniforms);
    spg_alias_destroy(tables);
    spg_csr_free(context, &graph);
    spg_coo_free(context, &edges);
    spg_context_destroy(context);
    if (fflush(stdout) != 0) status = SPG_ERROR_IO; /* a full disk, for example */
    return status == SPG_OK && distance < 0.02 ? EXIT_SUCCESS : EXIT_FAILURE;
}
