/* Prolongators smoothed by A without its weak entries. */
#include "amg_graph.h"
#include "generators.h"

#include <math.h>
#include <string.h>

static spg_amg_options filtering(double theta)
{
    spg_amg_options options = test_several_levels();
    options.theta = theta;
    options.filter = 1;
    return options;
}

/* F's values at the place under test, by the backend, for a pattern on the host. */
static void filter(spg_context *context, const spg_csr *A, spg_csr *F)
{
    spg_csr A_here, F_here;
    test_to_place(context, A, &A_here);
    test_to_place(context, F, &F_here);
    assert_int_equal(context->backend->amg->filter_values(context, &A_here, &F_here), SPG_OK);
    test_fetch(F_here.values, (size_t)F->nnz * spg_type_size(F->value_type), F->values);
    spg_csr_free(context, &A_here);
    spg_csr_free(context, &F_here);
}

static void weak_entries_are_added_to_the_diagonal(void **state)
{
    (void)state;
    /* Row 3 would lose its diagonal, and row 4 its sign; row 5 has none. Rows are not sorted. */
    int32_t offsets[] = {0, 3, 6, 8, 10, 12, 14}, columns[] = {1, 0, 2, 0, 2, 1, 2, 0, 0, 3, 4, 1, 0, 2};
    double values[] = {-0.25, 4, -3, -0.25, -3, 4, 2, -3, -2, 2, 1, -3, 5, -1};
    int32_t kept_offsets[] = {0, 2, 4, 6, 7, 8, 9}, kept_columns[] = {0, 2, 2, 1, 2, 0, 3, 4, 0};
    double kept[9] = {0};
    const double expected[] = {3.75, -3, -3, 3.75, 2, -3, 2, 1, 5};
    const spg_csr A = {6, 6, 14, SPG_I32, SPG_F64, SPG_PLACE_HOST, offsets, columns, values};
    spg_csr F = {6, 6, 9, SPG_I32, SPG_F64, SPG_PLACE_HOST, kept_offsets, kept_columns, kept};
    spg_context *context = test_context_at_place(2);
    filter(context, &A, &F);
    assert_memory_equal(kept, expected, sizeof expected);
    spg_context_destroy(context);
}

/* Strong copies of a column before, after and between weak ones; rows are sorted but for the last two. */
static void all_copies_of_a_kept_column_are_kept(void **state)
{
    (void)state;
    enum { ROWS = 5, WIDTH = 6, COLS = 5 };
    int32_t columns[ROWS * WIDTH] = {0,       1, 1, 2, 3, 4, /* */ 1, 2, 2, 2, 3, 3, /* */ 0, 0, 1, 2, 2, 4,
                                     /* */ 1, 0, 1, 3, 0, 2, /* */ 4, 2, 3, 3, 2, 0};
    double values[ROWS * WIDTH] = {
        8,           -0.125, -2,     -3, -0.25, -4,     /* */ 8, -2,   -0.5, -2, -0.0, -0.25,
        /* */ -2,    -0.125, -0.125, 8,  1,     -3,
        /* */ -0.25, -2,     -3,     8,  -0.5,  -0.125, /* */ 8, -0.5, -2,   -3, -4,   -0.125};
    int32_t offsets[ROWS + 1], kept_offsets[ROWS + 1] = {0, 4, 7, 11, 14, 18};
    int32_t kept_columns[] = {0, 1, 2, 4, /* */ 1, 2, 2, /* */ 0, 2, 2, 4, /* */ 0, 1, 3, /* */ 4, 3, 3, 2};
    double kept[18];
    const double expected[] = {7.75,       -2.125, -3,    -4,          /* */ 7.75, -4, -0.5, /* */ -2.125, 7.875, 1, -3,
                               /* */ -2.5, -3.25,  7.875, /* */ 7.875, -2,         -3, -4.5};
    const spg_csr A = {ROWS, COLS, ROWS * WIDTH, SPG_I32, SPG_F64, SPG_PLACE_HOST, offsets, columns, values};
    spg_csr F = {ROWS, COLS, 18, SPG_I32, SPG_F64, SPG_PLACE_HOST, kept_offsets, kept_columns, kept};
    spg_context *context = test_context_at_place(2);
    for (int i = 0; i <= ROWS; i++) offsets[i] = i * WIDTH;
    for (int k = 0; k < 18; k++) kept[k] = NAN;
    filter(context, &A, &F);
    for (int k = 0; k < 18; k++)
        if (kept[k] != expected[k]) fail_msg("entry %d: %g, not %g", k, kept[k], expected[k]);
    spg_context_destroy(context);
}

/* Each entry beside the diagonal in two parts, the first a small or a large share: beside each other, or the second
 * parts at the row's end. */
static spg_csr in_parts(const spg_csr *A, double share, bool apart)
{
    spg_csr B;
    const int64_t nnz = 2 * A->nnz - A->rows;
    assert_int_equal(spg_csr_alloc(test_host(), A->rows, A->cols, nnz, SPG_I32, SPG_F64, &B), SPG_OK);
    int32_t *offsets = B.row_offsets;
    double *values = B.values;
    for (int64_t i = 0; i < A->rows; i++) {
        const int64_t length = test_offset(A, i + 1) - test_offset(A, i);
        int32_t at = offsets[i], late = offsets[i] + (int32_t)length;
        for (int64_t k = test_offset(A, i); k < test_offset(A, i + 1); k++) {
            const double value = test_real(A, k), part = A->columns[k] == i ? value : value * share;
            B.columns[at] = A->columns[k];
            values[at++] = part;
            if (A->columns[k] == i) continue;
            int32_t *second = apart ? &late : &at;
            B.columns[*second] = A->columns[k];
            values[(*second)++] = value - part;
        }
        offsets[i + 1] = offsets[i] + 2 * (int32_t)length - 1;
    }
    return B;
}

static void repeated_columns_give_the_prolongator_of_their_sums(void **state)
{
    (void)state;
    const spg_amg_options options = filtering(0.08);
    const spg_csr A = test_generate("stretch2d:40", SPG_F64);
    test_system whole;
    test_hierarchy expected;
    test_system_begin(&A, &options, 2, &whole);
    test_fetch_hierarchy(&whole, &expected);
    for (int run = 0; run < 4; run++) {
        const spg_csr B = in_parts(&A, run % 2 ? 1.0 / 64 : 63.0 / 64, run / 2);
        test_system parts;
        test_hierarchy found;
        test_system_begin(&B, &options, 2, &parts);
        test_fetch_hierarchy(&parts, &found);
        const spg_csr *P = &expected.level[0].P, *Q = &found.level[0].P;
        assert_int_equal(P->nnz, Q->nnz);
        assert_memory_equal(P->columns, Q->columns, (size_t)P->nnz * sizeof *P->columns);
        for (int64_t k = 0; k < P->nnz; k++)
            if (!(fabs(test_real(P, k) - test_real(Q, k)) <= 1e-3))
                fail_msg("run %d, entry %lld: %g, not %g", run, (long long)k, test_real(Q, k), test_real(P, k));
        test_free_hierarchy(&found);
        test_system_end(&parts);
    }
    test_free_hierarchy(&expected);
    test_system_end(&whole);
}

/* Each aggregate in a row of P has a strong neighbour of the row, and each strong neighbour's aggregate is there. */
static void check_pattern(const spg_csr *A, const test_level *level, double theta)
{
    spg_context *context = test_context_at_place(2);
    graph strong = strength(context, A, 1, theta);
    assert_int_equal(level->view.weak, A->nnz - strong.nnz);
    bool *is_there = calloc((size_t)level->P.cols + 1, sizeof *is_there);
    assert_non_null(is_there);
    for (int64_t i = 0; i < A->rows; i++) {
        int64_t there = 0;
        for (int64_t k = strong.offsets[i]; k < strong.offsets[i + 1]; k++) {
            const int32_t aggregate = level->aggregate_of[strong.columns[k]];
            if (aggregate < 0 || is_there[aggregate]) continue;
            is_there[aggregate] = true;
            there++;
        }
        assert_int_equal(test_offset(&level->P, i + 1) - test_offset(&level->P, i), there);
        for (int64_t k = test_offset(&level->P, i); k < test_offset(&level->P, i + 1); k++) {
            assert_true(is_there[level->P.columns[k]]);
            is_there[level->P.columns[k]] = false;
        }
    }
    free(is_there);
    free_graph(&strong);
    spg_context_destroy(context);
}

/* P times the coarse candidate is 1 where A's row sums to zero. */
static void check_constants(const spg_csr *A, const test_level *level, const test_level *next)
{
    const double *coarse = next->candidates;
    int64_t checked = 0;
    for (int64_t i = 0; i < A->rows; i++) {
        double sum = 0, product = 0;
        for (int64_t k = test_offset(A, i); k < test_offset(A, i + 1); k++) sum += test_real(A, k);
        for (int64_t k = test_offset(&level->P, i); k < test_offset(&level->P, i + 1); k++)
            product += test_real(&level->P, k) * coarse[level->P.columns[k]];
        if (fabs(sum) > 1e-12) continue;
        assert_true(fabs(product - 1) <= 1e-9);
        checked++;
    }
    assert_true(checked > A->rows / 2);
}

static void a_filtered_prolongator_names_strong_neighbours_only_and_keeps_constants(void **state)
{
    (void)state;
    const char *const names[] = {"stretch2d:40", "layers3d:14"};
    for (int m = 0; m < 2; m++) {
        const spg_csr A = test_generate(names[m], SPG_F64);
        const spg_amg_options options = filtering(0.08);
        test_system system;
        test_hierarchy found;
        test_system_begin(&A, &options, 2, &system);
        test_fetch_hierarchy(&system, &found);
        assert_true(found.levels >= 3 && found.level[0].view.weak > 0);
        check_pattern(&system.A, &found.level[0], 0.08);
        check_constants(&system.A, &found.level[0], &found.level[1]);
        for (int l = 0; l + 1 < found.levels; l++)
            test_assert_triple_product(&found.level[l].A, &found.level[l].P, &found.level[l + 1].A);
        test_free_hierarchy(&found);
        test_system_end(&system);
    }
}

/* D A D, with powers of two in D: the same strong entries and aggregates. */
static void scale(const spg_csr *A)
{
    double *values = A->values;
    for (int64_t i = 0; i < A->rows; i++)
        for (int64_t k = test_offset(A, i); k < test_offset(A, i + 1); k++)
            values[k] *= (i % 3 == 0 ? 2 : 1) * (A->columns[k] % 3 == 0 ? 2 : 1);
}

static void an_update_makes_the_filtered_prolongator_of_a_fresh_setup(void **state)
{
    (void)state;
    const spg_amg_options options = filtering(0.08);
    const spg_csr A = test_generate("stretch2d:40", SPG_F64), B = test_generate("stretch2d:40", SPG_F64);
    test_system system, other;
    test_hierarchy expected, found;
    spg_csr B_here;
    scale(&B);
    test_system_begin(&A, &options, 2, &system);
    test_system_begin(&B, &options, 2, &other);
    test_to_place(system.context, &B, &B_here);
    assert_int_equal(spg_amg_update(system.context, system.amg, &B_here), SPG_OK);
    test_fetch_hierarchy(&system, &found);
    test_fetch_hierarchy(&other, &expected);
    const test_level *a = &expected.level[0], *b = &found.level[0];
    assert_int_equal(a->P.nnz, b->P.nnz);
    assert_memory_equal(a->P.columns, b->P.columns, (size_t)a->P.nnz * sizeof *a->P.columns);
    assert_memory_equal(a->P.values, b->P.values, (size_t)a->P.nnz * sizeof(double));
    spg_csr_free(system.context, &B_here);
    test_free_hierarchy(&expected);
    test_free_hierarchy(&found);
    test_system_end(&system);
    test_system_end(&other);
}

static void a_filter_makes_fewer_entries_and_iterations_where_couplings_are_weak(void **state)
{
    (void)state;
    const struct {
        const char *name;
        int most;
        double complexity;
    } cases[] = {{"stretch2d:128", 30, 1.8}, {"layers3d:24", 20, 2.1}};
    for (int c = 0; c < 2; c++) {
        int iterations[2];
        for (int filters = 0; filters < 2; filters++) {
            const spg_csr A = test_generate(cases[c].name, SPG_F64);
            spg_amg_options options = spg_amg_options_default();
            test_system system;
            spg_amg_summary summary;
            options.theta = 0.08;
            options.filter = filters;
            test_system_begin(&A, &options, 2, &system);
            assert_int_equal(spg_amg_summarise(system.amg, &summary), SPG_OK);
            iterations[filters] = test_system_solve(&system, NULL, SPG_OK).iterations;
            assert_true(!filters || summary.operator_complexity < cases[c].complexity);
            test_system_end(&system);
        }
        if (iterations[1] > cases[c].most || iterations[1] >= iterations[0])
            fail_msg("%s: %d iterations with a filter, %d without", cases[c].name, iterations[1], iterations[0]);
    }
}

static void a_filter_without_weak_entries_or_with_nodes_of_several_unknowns_is_refused(void **state)
{
    (void)state;
    const struct {
        int filter, block_size;
        double theta;
        spg_status status;
        const char *says;
    } cases[] = {{2, 1, 0.1, SPG_ERROR_ARGUMENT, "filter is 2"},
                 {1, 1, 0, SPG_ERROR_ARGUMENT, "use a theta such as 0.08"},
                 {1, 2, 0.1, SPG_ERROR_UNSUPPORTED, "block_size 2"}};
    const spg_csr A = test_generate("fd2d5:10", SPG_F64);
    test_system system;
    test_system_begin(&A, NULL, 1, &system);
    for (int c = 0; c < 3; c++) {
        spg_amg_options options = spg_amg_options_default();
        spg_amg *amg = NULL;
        options.filter = cases[c].filter;
        options.block_size = cases[c].block_size;
        options.theta = cases[c].theta;
        assert_int_equal(spg_amg_setup(system.context, &system.A_here, &options, &amg), cases[c].status);
        assert_non_null(strstr(spg_context_message(system.context), cases[c].says));
    }
    test_system_end(&system);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weak_entries_are_added_to_the_diagonal),
        cmocka_unit_test(all_copies_of_a_kept_column_are_kept),
        cmocka_unit_test(repeated_columns_give_the_prolongator_of_their_sums),
        cmocka_unit_test(a_filtered_prolongator_names_strong_neighbours_only_and_keeps_constants),
        cmocka_unit_test(an_update_makes_the_filtered_prolongator_of_a_fresh_setup),
        cmocka_unit_test(a_filter_makes_fewer_entries_and_iterations_where_couplings_are_weak),
        cmocka_unit_test(a_filter_without_weak_entries_or_with_nodes_of_several_unknowns_is_refused),
    };
    return TEST_RUN_HERE(argc, argv, "amg filter", tests);
}
