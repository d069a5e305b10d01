/* Hierarchies: what must hold on every level of any. */
#include "amg_reference.h"
#include "generators.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 2 };

static bool is_alone(const spg_csr *A, int block_size, int64_t node)
{
    for (int64_t k = test_offset(A, node * block_size); k < test_offset(A, (node + 1) * block_size); k++)
        if (A->columns[k] / block_size != node) return false;
    return true;
}

/* Each node of a symmetric pattern is in one aggregate, or alone, by theta at least; no aggregate is empty. */
static void check_aggregates(const test_level *level, double theta)
{
    const spg_amg_level_view *view = &level->view;
    int64_t *members = calloc((size_t)view->aggregates + 1, sizeof *members);
    assert_non_null(members);
    for (int64_t i = 0; i < view->nodes; i++) {
        const int32_t aggregate = level->aggregate_of[i];
        assert_true(aggregate >= -1 && aggregate < view->aggregates);
        if (aggregate >= 0)
            members[aggregate]++;
        else
            assert_true(theta > 0 || is_alone(&level->A, view->block_size, i));
    }
    for (int64_t a = 0; a < view->aggregates; a++) assert_true(members[a] > 0);
    free(members);
}

/* P's rows name the aggregates of the nodes of A's rows, blocks of candidates each. */
static void check_pattern(const test_level *level, bool smooth)
{
    const spg_amg_level_view *view = &level->view;
    const int64_t k = view->candidates, blocks = view->aggregates;
    char *named = calloc((size_t)blocks + 1, 1);
    assert_non_null(named);
    for (int64_t i = 0; i < level->A.rows; i++) {
        memset(named, 0, (size_t)blocks);
        const int32_t own = level->aggregate_of[i / view->block_size];
        if (own >= 0) named[own] = 1;
        for (int64_t e = test_offset(&level->A, i); smooth && e < test_offset(&level->A, i + 1); e++) {
            const int32_t aggregate = level->aggregate_of[level->A.columns[e] / view->block_size];
            if (aggregate >= 0) named[aggregate] = 1;
        }
        int64_t at = test_offset(&level->P, i);
        for (int64_t a = 0; a < blocks; a++)
            for (int64_t c = 0; named[a] && c < k; c++) assert_int_equal(level->P.columns[at++], a * k + c);
        assert_int_equal(at, test_offset(&level->P, i + 1));
    }
    free(named);
}

/* T, whose columns are orthonormal, from the aggregates and the candidates: P = T where it is not smoothed. */
static void check_candidates_kept(const test_level *level, const test_level *next, const double *fine, double epsilon)
{
    const int64_t n = level->A.rows, m = next->A.rows, k = level->view.candidates;
    double *P = test_dense(&level->P);
    for (int64_t i = 0; i < n; i++) {
        if (level->aggregate_of[i / level->view.block_size] < 0) continue;
        for (int64_t c = 0; c < k; c++) {
            double sum = 0;
            for (int64_t j = 0; j < m; j++) {
                const int64_t at = c * m + j;
                sum += P[i * m + j] * (level->A.value_type == SPG_F32 ? (double)((float *)next->candidates)[at]
                                                                      : ((double *)next->candidates)[at]);
            }
            const double value = fine != NULL ? fine[c * n + i] : i % level->view.block_size == c;
            assert_true(fabs(sum - value) <= epsilon);
        }
    }
    for (int64_t g = 0; g < m; g++)
        for (int64_t h = 0; h <= g; h++) {
            double sum = 0;
            for (int64_t i = 0; i < n; i++) sum += P[i * m + g] * P[i * m + h];
            assert_true(fabs(sum - (g == h)) <= epsilon || (g == h && sum == 0)); /* a dependent candidate */
        }
    free(P);
}

/* P = T - relaxation / rho D^-1 A T by dense loops, with the T of the same hierarchy unsmoothed. */
static void check_smoothing(const test_level *level, const spg_csr *T, double relaxation, double epsilon)
{
    const int64_t n = level->A.rows, m = T->cols;
    double *A = test_dense(&level->A), *t = test_dense(T), *P = test_dense(&level->P);
    for (int64_t i = 0; i < n; i++)
        for (int64_t g = 0; g < m; g++) {
            double sum = 0;
            for (int64_t j = 0; j < n; j++) sum += A[i * n + j] * t[j * m + g];
            sum *= A[i * n + i] != 0 ? relaxation / level->view.rho / A[i * n + i] : 0;
            assert_true(fabs(P[i * m + g] - (t[i * m + g] - sum)) <= epsilon);
        }
    free(A), free(t), free(P);
}

/* A grid, some of whose rows lack their diagonal or all entries, or one whose first row and column couple it to all
 * others weakly. */
static spg_csr changed_grid(bool lacks_entries, spg_type type)
{
    spg_csr A = test_generate("fd2d5:30", SPG_F64);
    const int64_t room = A.nnz + 2 * A.rows;
    int32_t *rows = malloc((size_t)room * 4), *columns = malloc((size_t)room * 4);
    double *values = malloc((size_t)room * 8);
    assert_true(rows != NULL && columns != NULL && values != NULL);
    int64_t count = 0;
    for (int64_t i = 0; i < A.rows; i++) {
        for (int64_t k = test_offset(&A, i); k < test_offset(&A, i + 1); k++) {
            if (lacks_entries && A.columns[k] == i && i % 5 == 0) continue;
            if (lacks_entries && (A.columns[k] % 50 == 7 || i % 50 == 7)) continue;
            rows[count] = (int32_t)i, columns[count] = A.columns[k], values[count++] = test_real(&A, k);
        }
        if (lacks_entries) continue;
        rows[count] = 0, columns[count] = (int32_t)i, values[count++] = 1e-3;
        rows[count] = (int32_t)i, columns[count] = 0, values[count++] = 1e-3;
    }
    spg_csr changed = test_from_triples(A.rows, count, rows, columns, values, type);
    free(rows), free(columns), free(values);
    spg_csr_free(test_host(), &A);
    return changed;
}

/* Matrices small enough for dense loops, and some that are no grids. */
static spg_csr small_matrix(int which, spg_type type)
{
    const char *const names[] = {"fd2d5:18", "fd3d7:7", "tri2d:15", "elast3d:5"};
    return which < 4    ? test_generate(names[which], type)
           : which == 4 ? test_symmetric(400, 5, type, 11)
                        : changed_grid(which == 5, type);
}

enum { SMALL_MATRICES = 7 };

static spg_amg_options small_options(int which)
{
    spg_amg_options options = spg_amg_options_default();
    options.max_coarse = 4;
    options.max_complexity = 0; /* rows may be as dense as they come */
    options.join_leftovers = which % 2 != 0 || which == 6;
    options.block_size = which == 3 ? 3 : 1;
    if (which == 6) options.theta = 0.1; /* so that aggregates, and the first row of P, are many */
    if (test_place() == SPG_PLACE_HOST && which == 2) options.aggregation = SPG_AGGREGATION_STANDARD;
    return options;
}

static void coarse_operators_are_triple_products_and_symmetric(void **state)
{
    (void)state;
    const spg_type types[] = {SPG_F64, SPG_F32};
    for (int which = 0; which < SMALL_MATRICES; which++)
        for (int t = 0; t < 2; t++) {
            const spg_csr A = small_matrix(which, types[t]);
            const spg_amg_options options = small_options(which);
            test_system system;
            test_hierarchy hierarchy;
            test_system_begin(&A, &options, THREADS, &system);
            test_fetch_hierarchy(&system, &hierarchy);
            assert_true(hierarchy.levels >= 2);
            for (int l = 0; l + 1 < hierarchy.levels; l++) {
                const test_level *level = &hierarchy.level[l];
                check_aggregates(level, options.theta);
                check_pattern(level, true);
                test_assert_transpose(&level->P, &level->R);
                test_assert_triple_product(&level->A, &level->P, &hierarchy.level[l + 1].A);
                test_assert_symmetric(&hierarchy.level[l + 1].A);
            }
            test_free_hierarchy(&hierarchy);
            test_system_end(&system);
        }
}

static void prolongators_that_are_not_smoothed_keep_the_candidates(void **state)
{
    (void)state;
    const spg_type types[] = {SPG_F64, SPG_F32};
    for (int which = 0; which < SMALL_MATRICES; which++)
        for (int t = 0; t < 2; t++) {
            const spg_csr A = small_matrix(which, types[t]);
            spg_amg_options options = small_options(which);
            options.prolongator_relaxation = 0;
            options.max_levels = 2;
            test_system system;
            test_hierarchy hierarchy;
            test_system_begin(&A, &options, THREADS, &system);
            test_fetch_hierarchy(&system, &hierarchy);
            assert_int_equal(hierarchy.levels, 2);
            check_pattern(&hierarchy.level[0], false);
            check_candidates_kept(&hierarchy.level[0], &hierarchy.level[1], NULL, t == 0 ? 1e-13 : 1e-5);
            test_free_hierarchy(&hierarchy);
            test_system_end(&system);
        }
}

/* Rigid-body modes: six candidates of three unknowns a node, some of which depend on others in small aggregates. */
static void rigid_body_modes_are_kept_on_two_levels(void **state)
{
    (void)state;
    const spg_csr A = test_generate("solid3d:6", SPG_F64);
    const size_t count = 6 * (size_t)A.rows;
    double *modes = malloc(count * sizeof *modes);
    assert_non_null(modes);
    assert_int_equal(generate_rigid_body_modes(test_host(), "solid3d:6", SPG_F64, modes), SPG_OK);
    spg_amg_options options = spg_amg_options_default();
    void *here = test_lend(modes, count * sizeof *modes);
    options.block_size = 3;
    options.candidates = 6;
    options.candidate_values = here;
    options.prolongator_relaxation = 0;
    options.max_coarse = 6;
    test_system system;
    test_hierarchy hierarchy;
    test_system_begin(&A, &options, THREADS, &system);
    test_give_back(here, count * sizeof *modes); /* read during setup only */
    test_fetch_hierarchy(&system, &hierarchy);
    assert_true(hierarchy.levels >= 3);
    check_candidates_kept(&hierarchy.level[0], &hierarchy.level[1], modes, 1e-11);
    check_candidates_kept(&hierarchy.level[1], &hierarchy.level[2], hierarchy.level[1].candidates, 1e-11);
    assert_int_equal(hierarchy.level[1].view.block_size, 6);
    test_assert_triple_product(&hierarchy.level[1].A, &hierarchy.level[1].P, &hierarchy.level[2].A);
    test_free_hierarchy(&hierarchy);
    test_system_end(&system);
    free(modes);
}

static void smoothed_prolongators_are_tentative_ones_less_a_damped_step(void **state)
{
    (void)state;
    for (int which = 0; which < SMALL_MATRICES; which++) {
        spg_amg_options options = small_options(which);
        options.max_levels = 2;
        test_system system;
        test_hierarchy smoothed, tentative;
        spg_csr A = small_matrix(which, SPG_F64);
        test_system_begin(&A, &options, THREADS, &system);
        test_fetch_hierarchy(&system, &smoothed);
        test_system_end(&system);
        options.prolongator_relaxation = 0;
        A = small_matrix(which, SPG_F64);
        test_system_begin(&A, &options, THREADS, &system);
        test_fetch_hierarchy(&system, &tentative);
        check_smoothing(&smoothed.level[0], &tentative.level[0].P, 4.0 / 3.0, 1e-12);
        test_system_end(&system);
        test_free_hierarchy(&smoothed);
        test_free_hierarchy(&tentative);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coarse_operators_are_triple_products_and_symmetric),
        cmocka_unit_test(prolongators_that_are_not_smoothed_keep_the_candidates),
        cmocka_unit_test(rigid_body_modes_are_kept_on_two_levels),
        cmocka_unit_test(smoothed_prolongators_are_tentative_ones_less_a_damped_step),
    };
    return TEST_RUN_HERE(argc, argv, "amg levels", tests);
}
