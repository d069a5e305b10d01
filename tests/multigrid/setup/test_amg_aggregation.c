/* Aggregation beside plain code: greedy selection in the order of keys, which rounds in parallel must amount to where
 * the graph is symmetric. Strength of connection: test_amg_strength.c. */
#include "amg/random.h"
#include "amg_graph.h"

#include <stdio.h>
#include <string.h>

typedef struct keyed {
    uint64_t key;
    int32_t node;
} keyed;

static int by_descending_key(const void *a, const void *b)
{
    const keyed *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? 1 : -1;
    return x->node < y->node ? 1 : -1;
}

/* Marks what lies within two steps of a node through allowed nodes. */
static void mark_around(const graph *g, const char *allowed, int32_t node, char *taken)
{
    taken[node] = 1;
    for (int64_t k = g->offsets[node]; k < g->offsets[node + 1]; k++) {
        const int32_t near = g->columns[k];
        if (!allowed[near]) continue;
        taken[near] = 1;
        for (int64_t m = g->offsets[near]; m < g->offsets[near + 1]; m++)
            if (allowed[g->columns[m]]) taken[g->columns[m]] = 1;
    }
}

/* roots[] = 1 for the candidates that greedy selection takes, in descending order of keys. */
static void select_greedily(const graph *g, uint64_t seed, const char *allowed, const char *candidates, char *roots)
{
    keyed *order = malloc((size_t)g->nodes * sizeof *order + 1);
    char *taken = calloc((size_t)g->nodes + 1, 1);
    assert_true(order != NULL && taken != NULL);
    for (int32_t i = 0; i < g->nodes; i++) order[i] = (keyed){spg_amg_random(seed, (uint64_t)i) >> 33, i};
    qsort(order, (size_t)g->nodes, sizeof *order, by_descending_key);
    memset(roots, 0, (size_t)g->nodes);
    for (int64_t k = 0; k < g->nodes; k++) {
        const int32_t i = order[k].node;
        if (!candidates[i] || taken[i]) continue;
        roots[i] = 1;
        mark_around(g, allowed, i, taken);
    }
    free(order);
    free(taken);
}

static int32_t number_roots(const graph *g, const char *roots, int32_t first, int32_t *aggregate_of)
{
    for (int64_t i = 0; i < g->nodes; i++)
        if (roots[i]) aggregate_of[i] = first++;
    return first;
}

/* Nodes in none that may join the largest number among marked neighbours, as these stood before. */
static void join_largest(const graph *g, const char *may_join, const char *marked, int32_t *aggregate_of)
{
    int32_t *before = malloc((size_t)g->nodes * 4 + 1);
    assert_non_null(before);
    memcpy(before, aggregate_of, (size_t)g->nodes * 4);
    for (int64_t i = 0; i < g->nodes; i++)
        for (int64_t k = g->offsets[i]; may_join[i] && before[i] < 0 && k < g->offsets[i + 1]; k++) {
            const int32_t j = g->columns[k];
            if (marked[j] && before[j] > aggregate_of[i]) aggregate_of[i] = before[j];
        }
    free(before);
}

static bool is_alone(const graph *g, int64_t i)
{
    for (int64_t k = g->offsets[i]; k < g->offsets[i + 1]; k++)
        if (g->columns[k] != i) return false;
    return true;
}

static int32_t rings_greedily(const graph *g, uint64_t seed, int32_t *aggregate_of, char *allowed, char *candidates,
                              char *roots)
{
    for (int64_t i = 0; i < g->nodes; i++) candidates[i] = allowed[i] && !is_alone(g, i), aggregate_of[i] = -1;
    select_greedily(g, seed, allowed, candidates, roots);
    const int32_t count = number_roots(g, roots, 0, aggregate_of);
    join_largest(g, allowed, roots, aggregate_of);
    for (int64_t i = 0; i < g->nodes; i++) roots[i] = aggregate_of[i] >= 0;
    join_largest(g, allowed, roots, aggregate_of);
    return count;
}

/* The aggregate that most neighbours of a node are in, of several the lowest. */
static int32_t most_frequent(const graph *g, const int32_t *aggregate_of, int64_t i)
{
    int32_t best = -1;
    int64_t most = 0;
    for (int64_t k = g->offsets[i]; k < g->offsets[i + 1]; k++) {
        const int32_t aggregate = aggregate_of[g->columns[k]];
        int64_t count = 0;
        for (int64_t m = g->offsets[i]; m < g->offsets[i + 1]; m++) count += aggregate_of[g->columns[m]] == aggregate;
        if (aggregate >= 0 && (count > most || (count == most && aggregate < best))) best = aggregate, most = count;
    }
    return best;
}

/* A number is how many aggregates have an earlier first node. */
static void number_by_first_nodes(const graph *g, int32_t count, int32_t *aggregate_of)
{
    int32_t *first = malloc((size_t)count * sizeof *first + 1), *before = calloc((size_t)g->nodes + 1, sizeof *before);
    assert_true(first != NULL && before != NULL);
    for (int64_t i = g->nodes - 1; i >= 0; i--)
        if (aggregate_of[i] >= 0) first[aggregate_of[i]] = (int32_t)i;
    for (int32_t a = 0; a < count; a++) before[first[a] + 1] = 1;
    for (int64_t i = 0; i < g->nodes; i++) before[i + 1] += before[i];
    for (int64_t i = 0; i < g->nodes; i++)
        if (aggregate_of[i] >= 0) aggregate_of[i] = before[first[aggregate_of[i]]];
    free(first);
    free(before);
}

static int32_t phases_greedily(const graph *g, uint64_t seed, int32_t *aggregate_of, char *allowed, char *candidates,
                               char *roots)
{
    char *company = malloc((size_t)g->nodes + 1);
    assert_non_null(company);
    memcpy(company, allowed, (size_t)g->nodes);
    for (int64_t i = 0; i < g->nodes; i++) candidates[i] = company[i], aggregate_of[i] = -1;
    select_greedily(g, seed, allowed, candidates, roots);
    int32_t count = number_roots(g, roots, 0, aggregate_of);
    join_largest(g, company, roots, aggregate_of);
    for (int64_t i = 0; i < g->nodes; i++) allowed[i] = company[i] && aggregate_of[i] < 0;
    for (int64_t i = 0; i < g->nodes; i++) {
        int free_neighbours = 0;
        for (int64_t k = g->offsets[i]; k < g->offsets[i + 1]; k++)
            free_neighbours += g->columns[k] != i && allowed[g->columns[k]];
        candidates[i] = allowed[i] && free_neighbours >= 2;
    }
    select_greedily(g, seed, allowed, candidates, roots);
    count = number_roots(g, roots, count, aggregate_of);
    join_largest(g, company, roots, aggregate_of);
    int32_t *joined = malloc((size_t)g->nodes * 4 + 1);
    assert_non_null(joined);
    for (int64_t i = 0; i < g->nodes; i++)
        joined[i] = aggregate_of[i] >= 0 ? aggregate_of[i] : most_frequent(g, aggregate_of, i);
    for (int64_t i = 0; i < g->nodes; i++)
        if (company[i]) aggregate_of[i] = joined[i] >= 0 ? joined[i] : count++;
    free(joined), free(company);
    number_by_first_nodes(g, count, aggregate_of);
    return count;
}

/* company[i]: a value that is not zero couples row i to another one strongly. Returns how many are not. */
static int64_t find_company(const spg_csr *A, const graph *g, char *company)
{
    int64_t isolated = A->rows;
    for (int64_t i = 0; i < A->rows; i++) {
        company[i] = 0;
        for (int64_t k = test_offset(A, i); k < test_offset(A, i + 1); k++)
            if (A->columns[k] != i && test_real(A, k) != 0 && !is_alone(g, i)) company[i] = 1;
        isolated -= company[i];
    }
    return isolated;
}

/* allowed: which nodes are. asks: the backend is told that the graph is symmetric. */
static void check_mis2(const char *name, const spg_csr *A, uint64_t seed, int join, double theta, int threads,
                       bool asks)
{
    spg_context *context = test_context_at_place(threads);
    spg_csr here;
    spg_amg_graph strong;
    test_to_place(context, A, &here);
    assert_int_equal(context->backend->amg->strength(context, &here, 1, SPG_STRENGTH_SYMMETRIC, theta, &strong),
                     SPG_OK);
    assert_true(strong.borrowed == (theta == 0));
    graph g = strength(context, A, 1, theta);
    const size_t n = (size_t)g.nodes;
    int32_t *expected = malloc(n * 4 + 4), *found = calloc(n + 1, 4), *found_here = test_lend(found, n * 4);
    char *allowed = calloc(n + 1, 1), *candidates = calloc(n + 1, 1), *roots = calloc(n + 1, 1);
    int64_t aggregates, left_out;
    int32_t flag = -1, *symmetric = test_lend(&flag, sizeof flag);
    assert_int_equal(context->backend->amg->find_symmetry(context, &here, symmetric), SPG_OK);
    test_fetch(symmetric, sizeof flag, &flag);
    assert_int_equal(flag, 1);
    if (asks) strong.symmetric = symmetric;
    const int64_t isolated = find_company(A, &g, allowed);
    uint8_t *isolated_here = test_lend(roots, n + 1);
    strong.isolated = isolated_here;
    assert_int_equal(context->backend->amg->find_isolated(context, &here, 1, 1, &strong, isolated_here), SPG_OK);
    assert_true(expected != NULL && allowed != NULL && candidates != NULL && roots != NULL);
    const int32_t count = join ? phases_greedily(&g, seed, expected, allowed, candidates, roots)
                               : rings_greedily(&g, seed, expected, allowed, candidates, roots);
    assert_int_equal(
        context->backend->amg->aggregate_mis2(context, &strong, seed, join, found_here, &aggregates, &left_out),
        SPG_OK);
    test_give_back(isolated_here, n + 1);
    if (left_out < isolated || (join && left_out > isolated))
        fail_msg("%s: %d nodes left out, of which %d have to be", name, (int)left_out, (int)isolated);
    test_fetch(found_here, n * 4, found);
    if (aggregates != count) fail_msg("%s: %d aggregates, not %d", name, (int)aggregates, (int)count);
    for (size_t i = 0; i < n; i++)
        if (found[i] != expected[i]) fail_msg("%s: node %d is in %d, not %d", name, (int)i, found[i], expected[i]);
    test_give_back(found_here, n * 4);
    test_give_back(symmetric, sizeof flag);
    if (!strong.borrowed) {
        spg_csr owned = {.rows = strong.nodes, .cols = strong.nodes, .nnz = strong.nnz, .value_type = SPG_F32};
        owned.offset_type = strong.offset_type, owned.place = here.place;
        owned.row_offsets = strong.row_offsets, owned.columns = strong.columns;
        spg_csr_free(context, &owned);
    }
    free(expected), free(found), free(allowed), free(candidates), free(roots);
    free_graph(&g);
    spg_csr_free(context, &here);
    spg_context_destroy(context);
}

static void mis2_takes_the_roots_that_greedy_selection_takes(void **state)
{
    (void)state;
    const char *const names[] = {"fd2d5:70", "fe2d9:40", "fd3d7:17", "tri2d:50", "fe3d27:12", "empty:20"};
    for (size_t m = 0; m < sizeof names / sizeof *names; m++)
        for (int join = 0; join < 2; join++) {
            spg_csr A = test_generate(names[m], SPG_F64);
            check_mis2(names[m], &A, 7 * m, join, 0, (int)m % 3 + 1, false);
            check_mis2(names[m], &A, 7 * m, join, 0, 1, true);
            spg_csr_free(test_host(), &A);
        }
    for (int join = 0; join < 2; join++)
        for (uint64_t seed = 0; seed < 20; seed++) { /* sparse: chains and nodes that stand alone */
            spg_csr A = test_symmetric(300 + (int64_t)seed, 1 + (double)seed / 4, SPG_F64, seed);
            for (int asks = 0; asks < 2; asks++) {
                check_mis2("a random graph", &A, seed, join, 0, 2, asks);
                check_mis2("a random graph's strong part", &A, seed, join, 0.07, 2, asks);
            }
            spg_csr_free(test_host(), &A);
        }
}

static bool is_on_side(int64_t i, int64_t side)
{
    return i / side == 0 || i / side == side - 1 || i % side == 0 || i % side == side - 1;
}

/* Zeros stay in rows and columns of the sides, in the middle a row whose values are zero. */
static void isolated_nodes_are_passed_by(void **state)
{
    (void)state;
    const char *const names[] = {"fd2d5:30", "fe2d9:30"};
    for (size_t m = 0; m < sizeof names / sizeof *names; m++)
        for (int join = 0; join < 2; join++)
            for (int asks = 0; asks < 2; asks++) {
                spg_csr A = test_generate(names[m], SPG_F64);
                for (int64_t i = 0; i < A.rows; i++)
                    for (int64_t k = test_offset(&A, i); k < test_offset(&A, i + 1); k++)
                        if (A.columns[k] != i &&
                            (is_on_side(i, 30) || is_on_side(A.columns[k], 30) || i == 455 || A.columns[k] == 455))
                            ((double *)A.values)[k] = 0;
                check_mis2(names[m], &A, 5 + m, join, 0, 2, asks);
                spg_csr_free(test_host(), &A);
            }
}

/* Nodes in cliques of `size`, of which the last may be smaller. */
static spg_csr cliques(int64_t nodes, int64_t size)
{
    spg_csr A;
    const int64_t last = nodes % size, nnz = nodes / size * size * size + last * last;
    assert_int_equal(spg_csr_alloc(test_host(), nodes, nodes, nnz, SPG_I32, SPG_F64, &A), SPG_OK);
    int32_t *offsets = A.row_offsets, k = 0;
    for (int64_t i = 0; i < nodes; offsets[++i] = k)
        for (int64_t j = i / size * size; j < nodes && j < (i / size + 1) * size; j++) {
            A.columns[k] = (int32_t)j;
            ((double *)A.values)[k++] = i == j ? (double)size : -1;
        }
    return A;
}

/* All nodes are neighbours of the one in the middle. */
static spg_csr star(int64_t nodes)
{
    spg_csr A;
    const int32_t middle = (int32_t)nodes / 2;
    assert_int_equal(spg_csr_alloc(test_host(), nodes, nodes, 3 * nodes - 2, SPG_I32, SPG_F64, &A), SPG_OK);
    int32_t *offsets = A.row_offsets, k = 0;
    for (int32_t i = 0; i < nodes; offsets[++i] = k)
        for (int32_t j = 0; j < nodes; j++)
            if (j == i || j == middle || i == middle) {
                A.columns[k] = j;
                ((double *)A.values)[k++] = i == j ? 2 : -1;
            }
    return A;
}

static void check_all_ways(const char *name, spg_csr A)
{
    for (int way = 0; way < 4; way++) check_mis2(name, &A, 3, way % 2, 0, 2, way / 2);
    spg_csr_free(test_host(), &A);
}

/* On a device, one block, one cluster of blocks or the whole grid has the graph, by its size. */
static void mis2_is_the_same_for_graphs_of_every_size(void **state)
{
    (void)state;
    const int sides[] = {1, 2, 5, 6, 22, 23, 31, 32, 33, 45, 46, 64, 65, 90, 91, 127, 128, 129, 181, 182, 256, 257};
    for (size_t k = 0; k < sizeof sides / sizeof *sides; k++) {
        char name[32];
        snprintf(name, sizeof name, "fd2d5:%d", sides[k]);
        check_all_ways(name, test_generate(name, SPG_F64));
    }
    check_all_ways("no node", cliques(0, 1));
    check_all_ways("one node", cliques(1, 1));
    check_all_ways("isolated nodes", cliques(3000, 1));
    check_all_ways("isolated nodes", cliques(40000, 1));
    check_all_ways("a clique", cliques(2, 2));
    check_all_ways("a clique", cliques(100, 100));
    check_all_ways("a clique", cliques(1100, 1100));
    check_all_ways("cliques", cliques(5000, 7));
    check_all_ways("a star", star(2000));
    check_all_ways("a star", star(9000));
}

static void mis2_of_a_graph_that_is_not_symmetric_ends_in_aggregates(void **state)
{
    (void)state;
    for (int join = 0; join < 2; join++)
        for (uint64_t seed = 0; seed < 20; seed++) {
            spg_context *context = test_context_at_place(2);
            spg_csr A, here;
            test_random_csr(test_host(), (test_matrix){500, 500, 3, SPG_I32, SPG_F64}, seed,
                            TEST_UNSORTED | TEST_DUPLICATES, &A);
            test_to_place(context, &A, &here);
            spg_amg_graph strong;
            int64_t aggregates, left_out;
            int32_t found[500], *found_here = test_lend(found, sizeof found);
            assert_int_equal(context->backend->amg->strength(context, &here, 1, SPG_STRENGTH_SYMMETRIC, 0, &strong),
                             SPG_OK);
            assert_int_equal(
                context->backend->amg->aggregate_mis2(context, &strong, seed, join, found_here, &aggregates, &left_out),
                SPG_OK);
            test_fetch(found_here, sizeof found, found);
            assert_in_range(aggregates, 1, 500);
            for (int i = 0; i < 500; i++) assert_true(found[i] >= (join ? 0 : -1) && found[i] < aggregates);
            test_give_back(found_here, sizeof found);
            spg_csr_free(context, &here);
            spg_csr_free(test_host(), &A);
            spg_context_destroy(context);
        }
}

static void seeds_change_aggregates_and_nothing_else_does(void **state)
{
    (void)state;
    test_hierarchy hierarchies[3];
    for (int h = 0; h < 3; h++) {
        const spg_csr A = test_generate("fd2d5:40", SPG_F64);
        spg_amg_options options = spg_amg_options_default();
        options.seed = h == 2 ? 12345 : 0;
        test_system system;
        test_system_begin(&A, &options, h + 1, &system);
        test_fetch_hierarchy(&system, &hierarchies[h]);
        test_system_end(&system);
    }
    test_assert_same_hierarchy(&hierarchies[0], &hierarchies[1]);
    const size_t bytes = (size_t)hierarchies[0].level[0].view.nodes * 4;
    assert_memory_not_equal(hierarchies[0].level[0].aggregate_of, hierarchies[2].level[0].aggregate_of, bytes);
    for (int h = 0; h < 3; h++) test_free_hierarchy(&hierarchies[h]);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mis2_takes_the_roots_that_greedy_selection_takes),
        cmocka_unit_test(mis2_is_the_same_for_graphs_of_every_size),
        cmocka_unit_test(isolated_nodes_are_passed_by),
        cmocka_unit_test(mis2_of_a_graph_that_is_not_symmetric_ends_in_aggregates),
        cmocka_unit_test(seeds_change_aggregates_and_nothing_else_does),
    };
    return TEST_RUN_HERE(argc, argv, "amg aggregation", tests);
}
