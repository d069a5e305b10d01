/* Coarsening that is not worth its while: graphs of a power law, whose coarse operators fill up, and matrices whose
 * nodes hardly come together. What decides is told. */
#include "amg_reference.h"
#include "fault.h"

#include <stdlib.h>
#include <string.h>

typedef struct told {
    int lines;
    char last[256];
} told;

static void hear(void *user, const char *line)
{
    told *to = user;
    if (strstr(line, "multigrid, level") != line) return;
    to->lines++;
    strncpy(to->last, line, sizeof to->last - 1);
}

/* The Laplacian of a graph, and a little more on the diagonal: each node comes with `each` edges, to ends of earlier
 * edges at random, so that degrees follow a power law (Barabasi, Albert). In test_host(). */
static spg_csr power_law(int32_t n, int each)
{
    const int64_t most = (int64_t)each * n;
    int32_t *from = malloc((size_t)most * 4), *to = malloc((size_t)most * 4);
    double *degree = calloc((size_t)n, sizeof *degree);
    assert_true(from != NULL && to != NULL && degree != NULL);
    uint64_t seed = 7;
    int64_t edges = 0;
    for (int32_t i = 1; i < n; i++) {
        const int64_t before = edges;
        for (int e = 0; e < each && e < i; e++) {
            const int64_t end = before > 0 ? (int64_t)(test_random(&seed) % (uint64_t)(2 * before)) : 0;
            const int32_t other = before == 0 ? 0 : end % 2 == 0 ? from[end / 2] : to[end / 2];
            bool is_new = other != i;
            for (int64_t k = before; k < edges; k++) is_new = is_new && to[k] != other;
            if (!is_new) continue;
            from[edges] = i, to[edges++] = other;
            degree[i]++, degree[other]++;
        }
    }
    spg_coo triples;
    spg_csr A;
    assert_int_equal(spg_coo_alloc(test_host(), n, n, 2 * edges + n, SPG_F64, &triples), SPG_OK);
    double *values = triples.values;
    int64_t at = 0;
    for (int64_t k = 0; k < edges; k++) {
        triples.row_indices[at] = triples.columns[at + 1] = from[k];
        triples.row_indices[at + 1] = triples.columns[at] = to[k];
        values[at] = values[at + 1] = -1;
        at += 2;
    }
    for (int32_t i = 0; i < n; i++, at++)
        triples.row_indices[at] = triples.columns[at] = i, values[at] = degree[i] + 1e-3;
    assert_int_equal(spg_csr_from_coo(test_host(), &triples, SPG_I32, &A), SPG_OK);
    spg_coo_free(test_host(), &triples);
    free(from), free(to), free(degree);
    return A;
}

/* What was built of A (which is freed), how it solves A x = 1, and what was told. */
static spg_amg_summary build(spg_csr A, const spg_amg_options *options, int *iterations, int *is_smoothed, told *log)
{
    spg_config config = test_config();
    spg_amg_summary summary;
    spg_amg_level_view view;
    spg_amg_solve_result result;
    memset(log, 0, sizeof *log);
    config.log = hear, config.log_user = log, config.threads = 2;
    test_system system = {.context = test_context_of(&config), .A = A};
    system.bytes = (size_t)A.rows * sizeof(double);
    void *zeros = calloc((size_t)A.rows, sizeof(double));
    assert_non_null(zeros);
    system.b = test_lend(zeros, system.bytes), system.x = test_lend(zeros, system.bytes);
    free(zeros);
    test_to_place(system.context, &A, &system.A_here);
    assert_int_equal(spg_amg_setup(system.context, &system.A_here, options, &system.amg), SPG_OK);
    for (int repeat = 0; repeat < 2; repeat++) {
        test_system_reset(&system);
        result = test_system_solve(&system, NULL, SPG_OK);
        if (repeat == 0) *iterations = result.iterations;
        assert_in_range(result.iterations, 1, *iterations + 2);
        assert_int_equal(spg_amg_update(system.context, system.amg, &system.A_here), SPG_OK);
    }
    assert_int_equal(spg_amg_summarise(system.amg, &summary), SPG_OK);
    assert_int_equal(spg_amg_level(system.amg, 0, &view), SPG_OK);
    *is_smoothed = view.is_smoothed;
    test_system_end(&system);
    return summary;
}

static void operators_that_would_fill_up_come_from_prolongators_not_smoothed(void **state)
{
    (void)state;
    int iterations, is_smoothed;
    told log;
    spg_amg_options options = spg_amg_options_default();
    assert_true(options.max_coarse == 500 && options.max_levels == 20 && options.max_complexity == 3);
    options.max_coarse = 100;
    spg_amg_summary summary = build(power_law(4000, 4), &options, &iterations, &is_smoothed, &log);
    assert_true(summary.operator_complexity < 2 && summary.levels >= 2 && !is_smoothed);
    assert_int_equal(summary.end, SPG_AMG_END_SMALL);
    assert_in_range(iterations, 1, 25);
    assert_true(log.lines >= 1 && strstr(log.last, "would pass max_complexity, which is 3") != NULL);
    options.max_complexity = 0;
    summary = build(power_law(4000, 4), &options, &iterations, &is_smoothed, &log);
    assert_true(summary.operator_complexity > 3 && is_smoothed && log.lines == 0);
}

static void coarsening_ends_where_even_that_would_pass_the_limit(void **state)
{
    (void)state;
    int iterations, is_smoothed;
    told log;
    spg_amg_options options = spg_amg_options_default();
    options.max_coarse = 100;
    options.max_complexity = 1.05;
    const spg_amg_summary summary = build(power_law(6000, 4), &options, &iterations, &is_smoothed, &log);
    assert_true(summary.levels == 1 && summary.end == SPG_AMG_END_COMPLEXITY && log.lines == 2);
    assert_non_null(strstr(log.last, "pass max_complexity, which is 1.05; it is the last"));
}

/* Else the second level is smoothed, and its operator takes half of what is left. */
static void below_hubs_operators_keep_to_a_complexity_of_two(void **state)
{
    (void)state;
    int iterations, is_smoothed;
    told log;
    spg_amg_options options = spg_amg_options_default();
    options.max_coarse = 100;
    spg_amg_summary summary = build(power_law(8000, 2), &options, &iterations, &is_smoothed, &log);
    assert_true(summary.operator_complexity < 2 && summary.end == SPG_AMG_END_SMALL && log.lines == 2);
    assert_non_null(strstr(log.last, "would pass a complexity of 2, kept to below a level with hubs"));
    options.max_complexity = 2; /* or less, which holds for all levels */
    const double complexity = summary.operator_complexity;
    summary = build(power_law(8000, 2), &options, &iterations, &is_smoothed, &log);
    assert_true(summary.operator_complexity == complexity && log.lines == 2);
    assert_non_null(strstr(log.last, "would pass max_complexity, which is 2"));
    options.max_complexity = 3;
    options.theta = 0.08; /* a level of short rows that is not smoothed says nothing of those below */
    summary = build(test_generate("stretch2d:300", SPG_F64), &options, &iterations, &is_smoothed, &log);
    assert_true(summary.operator_complexity > 2.4 && log.lines >= 1);
    assert_null(strstr(log.last, "hubs"));
}

static void grids_are_not_touched_by_the_limits(void **state)
{
    (void)state;
    const char *const names[] = {"fd2d5:60", "fe2d9:60", "fd3d7:20", "fe3d27:16", "tri2d:60", "tet3d:14"};
    for (size_t m = 0; m < sizeof names / sizeof *names; m++) {
        int iterations, is_smoothed;
        told log;
        const spg_amg_summary summary = build(test_generate(names[m], SPG_F64), NULL, &iterations, &is_smoothed, &log);
        assert_true(summary.levels >= 2 && summary.end == SPG_AMG_END_SMALL && is_smoothed && log.lines == 0);
    }
}

static void what_ends_coarsening_is_told(void **state)
{
    (void)state;
    int iterations, is_smoothed;
    told log;
    spg_amg_options options = spg_amg_options_default();
    options.theta = 0.25; /* each of six neighbours is a sixth of the diagonal */
    spg_amg_summary summary = build(test_generate("fd3d7:12", SPG_F64), &options, &iterations, &is_smoothed, &log);
    assert_true(summary.levels == 1 && summary.end == SPG_AMG_END_UNCOUPLED && log.lines == 1);
    assert_non_null(strstr(log.last, "level 0 of 1728 rows: no node has a strong neighbour at theta 0.25"));
    options.theta = 0;
    options.least_coarsening = 50;
    summary = build(test_generate("fd3d7:12", SPG_F64), &options, &iterations, &is_smoothed, &log);
    assert_true(summary.levels == 1 && summary.end == SPG_AMG_END_SLOW && log.lines == 1);
    assert_non_null(strstr(log.last, "least_coarsening is 50; it is the last"));
    options.least_coarsening = 1.1;
    options.max_levels = 1;
    summary = build(test_generate("fd3d7:12", SPG_F64), &options, &iterations, &is_smoothed, &log);
    assert_true(summary.levels == 1 && summary.end == SPG_AMG_END_LEVELS && log.lines == 1);
    assert_non_null(strstr(log.last, "max_levels is 1; it is the last"));
}

/* A hierarchy's first two levels, and its summary; the arrays of the views are gone. */
typedef struct outcome {
    spg_amg_summary summary;
    spg_amg_level_view first, next;
} outcome;

/* Of A on the host with options whose candidates, if any, are random. */
static outcome set_up(const spg_csr *A, const spg_amg_options *options)
{
    spg_amg_options here = *options;
    outcome found = {0};
    spg_csr A_here;
    spg_amg *amg;
    uint64_t seed = 3;
    const int64_t numbers = A->rows * options->candidates;
    double *candidates = calloc((size_t)numbers + 1, sizeof *candidates);
    assert_non_null(candidates);
    for (int64_t k = 0; k < numbers; k++) candidates[k] = (double)(test_random(&seed) % 1000) - 500;
    here.candidate_values = numbers > 0 ? test_lend(candidates, (size_t)numbers * sizeof *candidates) : NULL;
    spg_context *context = test_context_at_place(2);
    test_to_place(context, A, &A_here);
    assert_int_equal(spg_amg_setup(context, &A_here, &here, &amg), SPG_OK);
    assert_int_equal(spg_amg_summarise(amg, &found.summary), SPG_OK);
    assert_int_equal(spg_amg_level(amg, 0, &found.first), SPG_OK);
    if (found.summary.levels > 1) assert_int_equal(spg_amg_level(amg, 1, &found.next), SPG_OK);
    spg_amg_destroy(amg);
    spg_csr_free(context, &A_here);
    spg_context_destroy(context);
    if (numbers > 0) test_give_back((void *)here.candidate_values, (size_t)numbers * sizeof *candidates);
    free(candidates);
    return found;
}

/* Of the next level's entries by those of the first, each in blocks of a node. */
static double growth(const outcome *of)
{
    const double of_first = (double)of->first.block_size * of->first.block_size;
    const double of_next = (double)of->next.block_size * of->next.block_size;
    return (double)of->next.A.nnz / of_next / ((double)of->first.A.nnz / of_first);
}

/* Smoothed, the next operator may take half of what is left of max_complexity, and else all of it. */
static void entries_count_by_blocks_of_nodes_against_the_limit(void **state)
{
    (void)state;
    const struct {
        const char *name;
        int block_size, candidates;
    } cases[] = {{"fd3d7:14", 1, 0}, {"elast3d:8", 3, 0}, {"elast3d:8", 3, 5}, {"fd2d5:40", 1, 3}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        spg_csr A = test_generate(cases[c].name, SPG_F64);
        spg_amg_options options = spg_amg_options_default();
        options.block_size = cases[c].block_size, options.candidates = cases[c].candidates;
        options.max_coarse = 10, options.max_levels = 2;
        for (int smoothed = 0; smoothed < 2; smoothed++) {
            options.max_complexity = 0;
            options.prolongator_relaxation = smoothed ? 4.0 / 3 : 0;
            outcome free_of_it = set_up(&A, &options);
            assert_true(free_of_it.summary.levels == 2 && free_of_it.first.is_smoothed == smoothed);
            const double needed = (smoothed ? 2 : 1) * growth(&free_of_it);
            options.max_complexity = 1 + 1.001 * needed;
            const outcome within = set_up(&A, &options);
            options.max_complexity = 1 + 0.999 * needed;
            const outcome past = set_up(&A, &options);
            assert_true(within.summary.levels == 2 && within.first.is_smoothed == smoothed);
            if (smoothed)
                assert_true(past.summary.levels == 2 && !past.first.is_smoothed);
            else
                assert_true(past.summary.levels == 1 && past.summary.end == SPG_AMG_END_COMPLEXITY);
        }
        spg_csr_free(test_host(), &A);
    }
}

static void operators_of_at_most_max_coarse_rows_are_always_made(void **state)
{
    (void)state;
    spg_csr A = test_generate("fd3d7:14", SPG_F64);
    spg_amg_options options = spg_amg_options_default();
    options.max_coarse = 10, options.max_levels = 2;
    const int64_t rows = set_up(&A, &options).next.A.rows;
    for (int k = 0; k < 2; k++) {
        options.max_complexity = k == 0 ? 1 : 0.5; /* the first operator leaves nothing, or less */
        options.max_coarse = rows;
        const outcome made = set_up(&A, &options);
        assert_true(made.summary.levels == 2 && made.summary.end == SPG_AMG_END_SMALL && made.first.is_smoothed);
        options.max_coarse = rows - 1;
        const outcome left = set_up(&A, &options);
        assert_true(left.summary.levels == 1 && left.summary.end == SPG_AMG_END_COMPLEXITY);
    }
    spg_csr_free(test_host(), &A);
}

/* Cliques of four nodes, and as many nodes alone; each node two unknowns. In test_host(). */
static spg_csr cliques_and_loners(int cliques, int loners)
{
    enum { OF = 4, BLOCK = 2, MOST = 10000 };
    static int32_t rows[MOST], columns[MOST];
    static double values[MOST];
    const int nodes = OF * cliques + loners;
    int count = 0;
    for (int i = 0; i < nodes; i++)
        for (int j = i < OF * cliques ? i - i % OF : i; j < (i < OF * cliques ? i - i % OF + OF : i + 1); j++)
            for (int k = 0; k < BLOCK * BLOCK; k++, count++) {
                const double coupled = k / BLOCK == k % BLOCK ? 1 : i < OF * cliques ? 0.25 : 0;
                assert_true(count < MOST);
                rows[count] = BLOCK * i + k / BLOCK, columns[count] = BLOCK * j + k % BLOCK;
                values[count] = coupled * (i == j ? 6 : -1);
            }
    return test_from_triples(BLOCK * nodes, count, rows, columns, values, SPG_F64);
}

/* 80 cliques are as many aggregates, of two unknowns each for eight, whatever nodes are alone. */
static void least_coarsening_counts_unknowns_in_aggregates(void **state)
{
    (void)state;
    spg_csr A = cliques_and_loners(80, 50), without = cliques_and_loners(80, 0);
    spg_amg_options options = spg_amg_options_default();
    options.block_size = 2, options.max_coarse = 10, options.max_levels = 2;
    options.least_coarsening = 4;
    const outcome enough = set_up(&A, &options);
    assert_true(enough.first.left_out == 50 && enough.summary.levels == 2 && enough.next.A.rows == 160);
    options.least_coarsening = 4 * (1 + 1e-12);
    outcome slow = set_up(&A, &options);
    assert_true(slow.summary.levels == 1 && slow.summary.end == SPG_AMG_END_SLOW);
    options.least_coarsening = 1;
    options.candidates = 8; /* as many as a clique has unknowns */
    slow = set_up(&without, &options);
    assert_true(slow.summary.levels == 1 && slow.summary.end == SPG_AMG_END_SLOW);
    options.candidates = 7;
    assert_int_equal(set_up(&without, &options).summary.levels, 2);
    spg_csr_free(test_host(), &A);
    spg_csr_free(test_host(), &without);
}

static void failures_on_the_way_leave_nothing(void **state)
{
    (void)state;
    test_allocator memory;
    const double limits[] = {3, 1.05};
    spg_csr A = power_law(1500, 4);
    for (int c = 0; c < 2; c++) {
        spg_context *context = test_faulty_context(&memory, 2, 0);
        spg_amg_options options = spg_amg_options_default();
        spg_csr here;
        test_to_place(context, &A, &here);
        const int64_t before = test_live(&memory);
        options.max_coarse = 50;
        options.max_complexity = limits[c];
        options.prepare_update = 1;
        for (int64_t k = 1;; k++) {
            spg_amg *amg;
            test_fail_at(&memory, k);
            const spg_status status = spg_amg_setup(context, &here, &options, &amg);
            spg_amg_destroy(amg);
            if (!test_failed(&memory)) break;
            assert_true(status == SPG_ERROR_MEMORY || test_did_without(&memory, status));
            assert_int_equal(test_live(&memory), before);
        }
        test_fail_at(&memory, 0);
        spg_csr_free(context, &here);
        spg_context_destroy(context);
    }
    spg_csr_free(test_host(), &A);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_that_would_fill_up_come_from_prolongators_not_smoothed),
        cmocka_unit_test(coarsening_ends_where_even_that_would_pass_the_limit),
        cmocka_unit_test(below_hubs_operators_keep_to_a_complexity_of_two),
        cmocka_unit_test(grids_are_not_touched_by_the_limits),
        cmocka_unit_test(what_ends_coarsening_is_told),
        cmocka_unit_test(entries_count_by_blocks_of_nodes_against_the_limit),
        cmocka_unit_test(operators_of_at_most_max_coarse_rows_are_always_made),
        cmocka_unit_test(least_coarsening_counts_unknowns_in_aggregates),
        cmocka_unit_test(failures_on_the_way_leave_nothing),
    };
    return TEST_RUN_HERE(argc, argv, "amg limits", tests);
}
