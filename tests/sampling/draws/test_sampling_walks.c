/* Walks: their steps are draws from the rows of their nodes, those of second order have the shares that node2vec gives
 * them, they end at sinks, and they are the same on every place. */
#include "alias_support.h"
#include "statistics.h"

#include "matrices_for_tests.h"

#include <math.h>

/* A graph at the place under test and on the host, with sinks: empty rows, and rows of zeros. */
typedef struct graph {
    spg_csr host, here;
} graph;

enum { NODES = 500 };

static void open_graph(int64_t nodes, const int64_t *lengths, graph *g)
{
    int64_t nnz = 0, offset = 0;
    uint64_t state = 9;
    for (int64_t i = 0; i < nodes; ++i) nnz += lengths[i];
    assert_int_equal(spg_csr_alloc(test_host(), nodes, nodes, nnz, SPG_I64, SPG_F64, &g->host), SPG_OK);
    for (int64_t i = 0; i < nodes; ++i) {
        for (int64_t k = 0; k < lengths[i]; ++k) { /* ascending, spread over all nodes */
            g->host.columns[offset + k] =
                (int32_t)((k * nodes + (int64_t)(test_random(&state) % 1000) * nodes / 1000) / lengths[i]);
            ((double *)g->host.values)[offset + k] = i % 50 == 7 ? 0 : 0.25 + (double)(test_random(&state) % 8);
        }
        offset += lengths[i];
        ((int64_t *)g->host.row_offsets)[i + 1] = offset;
    }
    test_to_place(test_lender(), &g->host, &g->here);
}

static void open_any_graph(bool sinks, graph *g)
{
    static int64_t lengths[NODES];
    for (int i = 0; i < NODES; ++i) lengths[i] = sinks && i % 40 == 3 ? 0 : 1 + i * 7 % 23;
    open_graph(NODES, lengths, g);
}

static void close_graph(graph *g)
{
    spg_csr_free(test_lender(), &g->here);
    spg_csr_free(test_host(), &g->host);
}

static spg_alias *open_table(spg_context *context, const graph *g, int resolution)
{
    const spg_draw_options options = {.empty_rows = 1};
    assert_int_equal(spg_context_set_draw_options(context, &options), SPG_OK);
    return test_build_alias(context, test_is_on_host(context) ? &g->host : &g->here, SPG_ALIAS_AUTO, resolution);
}

static void walk(spg_context *context, const spg_alias *alias, int64_t walkers, const int32_t *starts, int64_t steps,
                 const spg_random *random, const spg_walk_options *options, int32_t *walks)
{
    const size_t bytes = (size_t)(walkers * (steps + 1)) * sizeof *walks;
    int32_t *here = test_take(context, walks, bytes);
    int32_t *starts_here = starts != NULL ? test_take(context, starts, (size_t)walkers * sizeof *starts) : NULL;
    if (spg_alias_walk(context, alias, walkers, starts_here, steps, random, options, here) != SPG_OK)
        fail_msg("%s", spg_context_message(context));
    test_bring(context, here, bytes, walks);
    int32_t *spare = malloc((size_t)walkers * sizeof *spare);
    if (starts != NULL) test_bring(context, starts_here, (size_t)walkers * sizeof *starts, spare);
    free(spare);
}

enum { WALKERS = 150, STEPS = 37 };

static void a_step_is_the_draw_of_its_number_from_its_nodes_row(void **state)
{
    static int32_t walks[WALKERS * (STEPS + 1)];
    static int32_t starts[WALKERS];
    (void)state;
    for (int w = 0; w < WALKERS; ++w) starts[w] = w * 7 % NODES;
    starts[20] = -1;
    for (int what = 0; what < 4; ++what) {
        const spg_random random = {1, 2, (uint64_t)what};
        graph g;
        open_any_graph(true, &g);
        spg_context *host = test_context_number(3);
        spg_alias *on_host = open_table(host, &g, what % 2);
        for (int k = 0; k < TEST_CONTEXTS; ++k) {
            spg_context *context = test_context_number(k);
            spg_alias *alias = open_table(context, &g, what % 2);
            int64_t ended = 0;
            memset(walks, 0x33, sizeof walks);
            walk(context, alias, WALKERS, what < 2 ? starts : NULL, STEPS, &random, NULL, walks);
            for (int w = 0; w < WALKERS; ++w) {
                const int32_t *nodes = walks + (ptrdiff_t)w * (STEPS + 1);
                assert_int_equal(nodes[0], what < 2 ? starts[w] : w);
                for (int step = 0; step < STEPS; ++step) {
                    const spg_random of_step = {1, 2, random.first + (uint64_t)(w * STEPS + step)};
                    int32_t expected = 0;
                    assert_int_equal(spg_alias_draw_rows(host, on_host, 1, nodes + step, &of_step, &expected), SPG_OK);
                    assert_int_equal(nodes[step + 1], expected);
                }
                ended += nodes[STEPS] == -1;
            }
            assert_true(ended > 10 && ended < WALKERS);
            spg_alias_destroy(alias);
            spg_context_destroy(context);
        }
        spg_alias_destroy(on_host);
        spg_context_destroy(host);
        close_graph(&g);
    }
}

static void walks_are_the_same_everywhere_and_however_they_are_split(void **state)
{
    static const spg_walk_options biases[] = {{0, 0}, {1, 1}, {0.5, 2}, {4, 0.25}, {0, 8}, {1024, 1}};
    static int32_t expected[WALKERS * (STEPS + 1)], walks[WALKERS * (STEPS + 1)];
    const int64_t first_part = 71;
    (void)state;
    for (int b = 0; b < 6; ++b)
        for (int k = 0; k < TEST_CONTEXTS; ++k) {
            graph g;
            const spg_random random = {5, 6, 7}, later = {5, 6, 7 + (uint64_t)(first_part * STEPS)};
            int32_t starts[WALKERS];
            open_any_graph(b % 2 == 0, &g);
            for (int w = 0; w < WALKERS; ++w) starts[w] = w * 3;
            spg_context *context = test_context_number(k);
            spg_alias *alias = open_table(context, &g, SPG_ALIAS_COMPACT);
            walk(context, alias, WALKERS, starts, STEPS, &random, &biases[b], walks);
            if (k == 0) memcpy(expected, walks, sizeof walks);
            assert_memory_equal(walks, expected, sizeof walks);
            walk(context, alias, first_part, starts, STEPS, &random, &biases[b], walks);
            walk(context, alias, WALKERS - first_part, starts + first_part, STEPS, &later, &biases[b],
                 walks + first_part * (STEPS + 1));
            assert_memory_equal(walks, expected, sizeof walks);
            if (b == 1) { /* 1 and 1 is no bias */
                walk(context, alias, WALKERS, starts, STEPS, &random, NULL, walks);
                assert_memory_equal(walks, expected, sizeof walks);
            }
            spg_alias_destroy(alias);
            spg_context_destroy(context);
            close_graph(&g);
        }
}

/* ---- Shares of steps of second order ---------------------------------------------------------------------------- */

enum { FEW = 6, FEW_STEPS = 4000, FEW_WALKERS = 40 };

/* Weights of edges; 0: none. Not symmetric: 2 -> 4 has no way back. */
static const double edges[FEW][FEW] = {{0, 3, 1, 2, 0, 0}, {3, 0, 2, 0, 1, 0}, {1, 2, 0, 0, 4, 1},
                                       {2, 0, 0, 1, 0, 2}, {0, 1, 0, 0, 0, 5}, {0, 0, 1, 2, 5, 0}};

static void open_few(graph *g)
{
    int64_t at = 0;
    assert_int_equal(spg_csr_alloc(test_host(), FEW, FEW, 18, SPG_I64, SPG_F64, &g->host), SPG_OK);
    for (int i = 0; i < FEW; ++i) {
        for (int j = 0; j < FEW; ++j) {
            if (edges[i][j] == 0) continue;
            g->host.columns[at] = j;
            ((double *)g->host.values)[at++] = edges[i][j];
        }
        ((int64_t *)g->host.row_offsets)[i + 1] = at;
    }
    assert_int_equal(at, 18);
    test_to_place(test_lender(), &g->host, &g->here);
}

/* The draws after `previous` and `node` in all walks. */
static int64_t gather(const int32_t *walks, int32_t previous, int32_t node, int32_t *draws)
{
    int64_t count = 0;
    for (int64_t w = 0; w < FEW_WALKERS; ++w)
        for (int64_t k = 2; k <= FEW_STEPS; ++k) {
            const int32_t *at = walks + w * (FEW_STEPS + 1) + k;
            if (at[-2] == previous && at[-1] == node) draws[count++] = at[0];
        }
    return count;
}

static void steps_of_second_order_have_their_shares(void **state)
{
    static const spg_walk_options biases[] = {{0.25, 4}, {4, 0.5}, {8, 8}, {0.5, 0}, {0, 0.125}};
    static int32_t walks[FEW_WALKERS * (FEW_STEPS + 1)], draws[FEW_WALKERS * FEW_STEPS];
    int32_t starts[FEW_WALKERS];
    (void)state;
    for (int w = 0; w < FEW_WALKERS; ++w) starts[w] = w % FEW;
    for (int b = 0; b < 5; ++b) {
        graph g;
        const double p = biases[b].p > 0 ? biases[b].p : 1, q = biases[b].q > 0 ? biases[b].q : 1;
        const spg_random random = {17, (uint64_t)b, 0};
        int pairs = 0;
        open_few(&g);
        spg_context *context = test_context_at_place(2);
        spg_alias *alias = open_table(context, &g, SPG_ALIAS_EXACT);
        walk(context, alias, FEW_WALKERS, starts, FEW_STEPS, &random, &biases[b], walks);
        for (int t = 0; t < FEW; ++t)
            for (int v = 0; v < FEW; ++v) {
                double shares[FEW];
                const int64_t count = gather(walks, t, v, draws);
                if (edges[t][v] == 0) assert_int_equal(count, 0);
                if (count < 1000) continue;
                for (int x = 0; x < FEW; ++x) shares[x] = edges[v][x] * (x == t ? 1 / p : edges[t][x] > 0 ? 1 : 1 / q);
                const chi_square test = test_chi_square(FEW, shares, count, draws);
                if (!(fabs(test.z) < 4)) fail_msg("p %g, q %g, from %d by %d: z is %g", p, q, t, v, test.z);
                ++pairs;
            }
        assert_true(pairs >= 15);
        spg_alias_destroy(alias);
        spg_context_destroy(context);
        close_graph(&g);
    }
}

/* ---- Refusals --------------------------------------------------------------------------------------------------- */

static void wrong_arguments_are_refused_by_name(void **state)
{
    const spg_random random = {1, 2, 3};
    const double wrong[] = {-1, NAN, 1e-4, 2000, INFINITY};
    int32_t starts[] = {0, 3, NODES, 1}, walks[4 * 3] = {0};
    graph g;
    (void)state;
    open_any_graph(false, &g);
    spg_context *c = test_context_at_place(2);
    spg_alias *alias;
    for (int64_t k = 0; k < g.host.nnz; ++k) ((double *)g.host.values)[k] = 1;
    test_send(g.host.values, (size_t)g.host.nnz * sizeof(double), g.here.values);
    alias = test_build_alias(c, &g.here, 0, 0);
    int32_t *s = test_take(c, starts, sizeof starts), *to = test_take(c, walks, sizeof walks);
#define REFUSED(status, words, call)                                                                                   \
    assert_int_equal(call, status);                                                                                    \
    test_assert_message(c, words)
    assert_int_equal(spg_alias_walk(NULL, alias, 1, s, 2, &random, NULL, to), SPG_ERROR_ARGUMENT);
    REFUSED(SPG_ERROR_ARGUMENT, "alias is NULL", spg_alias_walk(c, NULL, 1, s, 2, &random, NULL, to));
    REFUSED(SPG_ERROR_ARGUMENT, "walkers is -1", spg_alias_walk(c, alias, -1, s, 2, &random, NULL, to));
    REFUSED(SPG_ERROR_ARGUMENT, "steps is -2", spg_alias_walk(c, alias, 1, s, -2, &random, NULL, to));
    REFUSED(SPG_ERROR_ARGUMENT, "random is NULL", spg_alias_walk(c, alias, 1, s, 2, NULL, NULL, to));
    REFUSED(SPG_ERROR_ARGUMENT, "walks is NULL", spg_alias_walk(c, alias, 1, s, 2, &random, NULL, NULL));
    REFUSED(SPG_ERROR_ARGUMENT, "without starts it must be at most 500",
            spg_alias_walk(c, alias, NODES + 1, NULL, 2, &random, NULL, to));
    REFUSED(SPG_ERROR_OVERFLOW, "more than memory can hold",
            spg_alias_walk(c, alias, (int64_t)1 << 40, s, (int64_t)1 << 40, &random, NULL, to));
    REFUSED(SPG_ERROR_ARGUMENT, "starts: entry 2: node 500 lies outside [0, 500)",
            spg_alias_walk(c, alias, 4, s, 2, &random, NULL, to));
    for (int k = 0; k < 5; ++k) {
        const spg_walk_options by_p = {wrong[k], 0}, by_q = {0, wrong[k]};
        REFUSED(SPG_ERROR_ARGUMENT, "options: p is", spg_alias_walk(c, alias, 2, s, 2, &random, &by_p, to));
        REFUSED(SPG_ERROR_ARGUMENT, "options: q is", spg_alias_walk(c, alias, 2, s, 2, &random, &by_q, to));
    }
    assert_int_equal(spg_alias_walk(c, alias, 0, NULL, 2, &random, NULL, NULL), SPG_OK);
    spg_alias_destroy(alias);
    spg_csr other = g.here;
    other.columns = NULL;
    alias = test_build_alias(c, &other, 0, 0);
    REFUSED(SPG_ERROR_ARGUMENT, "without columns", spg_alias_walk(c, alias, 1, s, 2, &random, NULL, to));
    spg_alias_destroy(alias);
    other = g.here;
    other.cols = NODES + 1;
    alias = test_build_alias(c, &other, 0, 0);
    REFUSED(SPG_ERROR_ARGUMENT, "501 columns and 500 rows", spg_alias_walk(c, alias, 1, s, 2, &random, NULL, to));
    spg_alias_destroy(alias);
    int32_t *columns = g.host.columns + test_offset(&g.host, 6), two[] = {columns[1], columns[0]};
    test_send(two, sizeof two, g.here.columns + test_offset(&g.host, 6));
    alias = test_build_alias(c, &g.here, 0, 0);
    assert_int_equal(spg_alias_walk(c, alias, 2, s, 2, &random, NULL, to), SPG_OK); /* of first order */
    REFUSED(SPG_ERROR_FORMAT, "alias: row 6: columns do not ascend",
            spg_alias_walk(c, alias, 2, s, 2, &random, &(spg_walk_options){2, 0}, to));
    spg_alias_destroy(alias);
    test_bring(c, s, sizeof starts, starts);
    test_bring(c, to, sizeof walks, walks);
    spg_context_destroy(c);
    close_graph(&g);
}

/* Walks name nodes by 32 bits, while a graph may have more rows. */
static void walkers_without_starts_are_as_many_as_nodes_have_names(void **state)
{
    const spg_random random = {1, 2, 3};
    const int64_t names = (int64_t)INT32_MAX + 1;
    graph g;
    (void)state;
    open_any_graph(true, &g);
    spg_context *c = test_context_at_place(2);
    spg_alias *alias = open_table(c, &g, 0);
    spg_alias large = *alias; /* of its rows only the number is read */
    large.rows = names + 1;
    REFUSED(SPG_ERROR_ARGUMENT, "walkers is 2147483649; without starts it must be at most 2147483648",
            spg_alias_walk(c, &large, names + 1, NULL, 0, &random, NULL, NULL));
    REFUSED(SPG_ERROR_ARGUMENT, "walks is NULL", spg_alias_walk(c, &large, names, NULL, 0, &random, NULL, NULL));
    spg_alias_destroy(alias);
    spg_context_destroy(c);
    close_graph(&g);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_is_the_draw_of_its_number_from_its_nodes_row),
        cmocka_unit_test(walks_are_the_same_everywhere_and_however_they_are_split),
        cmocka_unit_test(steps_of_second_order_have_their_shares),
        cmocka_unit_test(wrong_arguments_are_refused_by_name),
        cmocka_unit_test(walkers_without_starts_are_as_many_as_nodes_have_names),
    };
    return TEST_RUN_HERE(argc, argv, "sampling_walks", tests);
}
