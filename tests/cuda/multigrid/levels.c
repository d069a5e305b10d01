/* See levels.h. */
#include "levels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const spg_type real_types[2] = {SPG_F64, SPG_F32};

const sample samples[SAMPLES] = {{"fd2d5:40", 1, 0},   {"fe2d9:33", 1, 0},  {"fd3d7:14", 1, 0},    {"fe3d27:11", 1, 0},
                                 {"tri2d:30", 1, 0},   {"tet3d:9", 1, 0},   {"elast3d:7", 3, 0},   {"solid3d:6", 3, 0},
                                 {"econ:700", 1, 0},   {"rmat10", 1, 0},    {"arrow:3000", 1, 0},  {"ladder:800", 1, 0},
                                 {"fd2d5:40", 2, 0},   {"elast3d:7", 1, 0}, {"fe3d27:12", 32, 0},  {"empty:50", 1, 0},
                                 {"fd3d7:40", 1, 0},   {"rmat13", 1, 0},    {"arrow:20000", 1, 0}, {"fe2d9:150", 1, 0},
                                 {"solid3d:16", 3, 0}, {"fe3d27:12", 6, 0}, {"fd3d7:9", 3, 3},     {"fe3d27:9", 6, 6},
                                 {"rmat10", 3, 3},     {"arrow:700", 6, 6}};

void open_level(level *l, const sample *of, spg_type type)
{
    memset(l, 0, sizeof *l);
    open_sides(l->sides);
    l->type = type;
    if (of->unknowns == 0)
        generate(of->name, type, &l->A);
    else
        generate_blocks(of->name, type, of->unknowns, &l->A);
    snprintf(l->where, sizeof l->where, "%s, %s, %d unknowns a node", of->name, spg_type_name(type), of->block_size);
    for (int s = 0; s < SIDES; ++s) put_matrix(&l->sides[s], &l->A, &l->here[s]);
}

void close_level(level *l)
{
    for (int s = 0; s < SIDES; ++s) spg_csr_free(l->sides[s].context, &l->here[s]);
    spg_csr_free(test_host(), &l->A);
    close_sides(l->sides);
}

int64_t real_bytes(const level *l, int64_t n) { return n * (int64_t)spg_type_size(l->type); }

/* Both copies of `count` bytes on the host: result[HOST] and result[DEVICE], for free(). */
static void fetch(const level *l, void *const there[SIDES], int64_t count, void *result[SIDES])
{
    for (int s = 0; s < SIDES; ++s) {
        result[s] = malloc((size_t)count + 1);
        assert_non_null(result[s]);
        get(&l->sides[s], there[s], count, result[s]);
    }
}

void assert_same_bytes(const level *l, void *const there[SIDES], int64_t count, const char *what)
{
    void *result[SIDES];
    fetch(l, there, count, result);
    if (memcmp(result[HOST], result[DEVICE], (size_t)count) != 0) {
        int64_t k = 0;
        while (((char *)result[HOST])[k] == ((char *)result[DEVICE])[k]) ++k;
        fail_msg("%s: %s differ from byte %lld of %lld on", l->where, what, (long long)k, (long long)count);
    }
    free(result[HOST]);
    free(result[DEVICE]);
}

void assert_near(const level *l, void *const there[SIDES], int64_t n, double tolerance, const char *what)
{
    void *result[SIDES];
    char where[256];
    snprintf(where, sizeof where, "%s: %s", l->where, what);
    fetch(l, there, real_bytes(l, n), result);
    assert_values_agree(l->type, n, result[HOST], result[DEVICE], tolerance, where);
    free(result[HOST]);
    free(result[DEVICE]);
}

void drop_both(const level *l, void *const there[SIDES], int64_t count)
{
    for (int s = 0; s < SIDES; ++s) drop(&l->sides[s], there[s], count);
}

void find_graphs(level *l, int block_size, spg_strength measure, double theta)
{
    for (int s = 0; s < SIDES; ++s)
        assert_int_equal(
            l->sides[s].stages->strength(l->sides[s].context, &l->here[s], block_size, measure, theta, &l->graph[s]),
            SPG_OK);
}

void free_graphs(level *l)
{
    for (int s = 0; s < SIDES; ++s) {
        spg_amg_graph *graph = &l->graph[s];
        if (graph->borrowed) continue;
        drop(&l->sides[s], graph->row_offsets, (graph->nodes + 1) * (int64_t)spg_type_size(graph->offset_type));
        drop(&l->sides[s], graph->columns, graph->nnz * 4);
    }
}

void find_aggregates(level *l, int block_size, uint64_t seed, bool join_leftovers, bool asks)
{
    int32_t *symmetric = put(&l->sides[DEVICE], NULL, sizeof *symmetric);
    assert_int_equal(l->sides[DEVICE].stages->find_symmetry(l->sides[DEVICE].context, &l->here[DEVICE], symmetric),
                     SPG_OK);
    if (asks) l->graph[DEVICE].symmetric = symmetric;
    for (int s = 0; s < SIDES; ++s) {
        spg_amg_aggregates *aggregates = &l->aggregates[s];
        *aggregates = (spg_amg_aggregates){.nodes = l->graph[s].nodes, .block_size = block_size, .candidates = 1};
        aggregates->aggregate_of = put(&l->sides[s], NULL, aggregates->nodes * 4);
        int64_t left_out = 0;
        assert_int_equal(l->sides[s].stages->aggregate_mis2(l->sides[s].context, &l->graph[s], seed, join_leftovers,
                                                            aggregates->aggregate_of, &aggregates->aggregates,
                                                            &left_out),
                         SPG_OK);
    }
    l->graph[DEVICE].symmetric = NULL;
    drop(&l->sides[DEVICE], symmetric, sizeof *symmetric);
}

void free_aggregates(level *l)
{
    drop_both(l, (void *[]){l->aggregates[HOST].aggregate_of, l->aggregates[DEVICE].aggregate_of},
              l->aggregates[HOST].nodes * 4);
}
