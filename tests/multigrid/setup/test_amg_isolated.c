/* Matrices in pieces: rows with nothing but a diagonal, as codes of finite elements keep for boundary values, diagonal
 * matrices, and many small components. Coarse levels hold what is coupled, and nothing else. */
#include "amg_reference.h"
#include "generators.h"

#include <math.h>
#include <stdlib.h>

/* How the rows of boundary nodes are kept: what couples them is gone from rows and columns, is zero there, or is gone
 * from their rows alone. */
typedef enum kept { DROPPED, ZEROED, ROWS_ALONE, KINDS } kept;

static bool is_on_side(int64_t node, int64_t side)
{
    for (int d = 0; d < 3; d++, node /= side)
        if (node % side == 0 || node % side == side - 1) return true;
    return false;
}

/* A cube of side^3 nodes of `size` unknowns, whose boundary nodes are kept. */
static spg_csr keep_boundary(spg_csr A, int64_t side, int size, kept how)
{
    int32_t *offsets = A.row_offsets, to = 0;
    double *values = A.values;
    for (int64_t i = 0, begin = 0; i < A.rows; i++) {
        const int64_t end = offsets[i + 1];
        for (int64_t k = begin; k < end; k++) {
            const bool of_row = is_on_side(i / size, side), of_column = is_on_side(A.columns[k] / size, side);
            const bool is_cut = A.columns[k] != i && (of_row || (of_column && how != ROWS_ALONE));
            if (is_cut && how != ZEROED) continue;
            A.columns[to] = A.columns[k];
            values[to++] = is_cut ? 0 : values[k];
        }
        begin = end;
        offsets[i + 1] = to;
    }
    A.nnz = to;
    return A;
}

static void copy_fitting(spg_csr *A)
{
    spg_csr fitting;
    assert_int_equal(spg_csr_alloc(test_host(), A->rows, A->cols, A->nnz, A->offset_type, A->value_type, &fitting),
                     SPG_OK);
    for (int64_t i = 0; i <= A->rows; i++) ((int32_t *)fitting.row_offsets)[i] = ((int32_t *)A->row_offsets)[i];
    for (int64_t k = 0; k < A->nnz; k++) {
        fitting.columns[k] = A->columns[k];
        ((double *)fitting.values)[k] = ((double *)A->values)[k];
    }
    *A = fitting;
}

/* The same as a matrix of its own size. */
static spg_csr kept_cube(const char *name, int64_t side, int size, kept how)
{
    spg_csr whole = test_generate(name, SPG_F64), A = keep_boundary(whole, side, size, how);
    copy_fitting(&A);
    spg_csr_free(test_host(), &whole);
    return A;
}

/* Boundary nodes are in no aggregate, all others are, and the coarsest level is small. */
static void check_boundary(const test_system *system, int64_t side, int size, kept how, int64_t max_coarse)
{
    test_hierarchy hierarchy;
    test_fetch_hierarchy(system, &hierarchy);
    const test_level *level = &hierarchy.level[0];
    assert_true(hierarchy.levels >= 2);
    for (int64_t i = 0; i < level->view.nodes; i++) {
        assert_true((level->aggregate_of[i] == -1) == is_on_side(i, side));
        for (int u = 0; u < size && is_on_side(i, side); u++) {
            const int64_t row = i * size + u;
            const int64_t begin = test_offset(&level->P, row), end = test_offset(&level->P, row + 1);
            assert_true(how == ZEROED || begin == end);
            for (int64_t k = begin; k < end; k++) assert_true(test_real(&level->P, k) == 0);
        }
    }
    assert_true(hierarchy.level[hierarchy.levels - 1].A.rows <= max_coarse);
    test_free_hierarchy(&hierarchy);
}

static int solve(test_system *system, spg_amg_method method)
{
    spg_amg_solve_options options = spg_amg_solve_options_default();
    options.method = method;
    test_system_reset(system);
    return test_system_solve(system, &options, SPG_OK).iterations;
}

static spg_amg_options kind_of_options(int kind)
{
    spg_amg_options options = spg_amg_options_default();
    options.max_coarse = 60;
    options.join_leftovers = kind == 0;
    if (kind == 2 && test_place() == SPG_PLACE_HOST) options.aggregation = SPG_AGGREGATION_STANDARD;
    return options;
}

/* Of the cube's inside alone. */
static int solve_inside(const spg_amg_options *options, spg_amg_method method)
{
    const spg_csr A = test_generate("fd3d7:14", SPG_F64);
    test_system system;
    test_system_begin(&A, options, 2, &system);
    const int iterations = solve(&system, method);
    test_system_end(&system);
    return iterations;
}

static void kept_boundary_rows_are_in_no_aggregate(void **state)
{
    (void)state;
    for (int how = 0; how < KINDS; how++)
        for (int kind = 0; kind < 3; kind++) {
            const spg_amg_options options = kind_of_options(kind);
            const int alone = solve_inside(&options, SPG_AMG_STANDALONE) + 4;
            const spg_csr A = kept_cube("fd3d7:16", 16, 1, (kept)how);
            test_system system;
            test_system_begin(&A, &options, 2, &system);
            check_boundary(&system, 16, 1, (kept)how, 60);
            assert_in_range(solve(&system, SPG_AMG_STANDALONE), 1, alone);
            if (how != ROWS_ALONE)
                assert_in_range(solve(&system, SPG_AMG_CG), 1, solve_inside(&options, SPG_AMG_CG) + 2);
            assert_int_equal(spg_amg_update(system.context, system.amg, &system.A_here), SPG_OK);
            assert_in_range(solve(&system, SPG_AMG_STANDALONE), 1, alone);
            test_system_end(&system);
        }
}

static void kept_nodes_of_several_unknowns_are_in_no_aggregate(void **state)
{
    (void)state;
    for (int how = 0; how < ROWS_ALONE; how++) {
        spg_amg_options options = spg_amg_options_default();
        options.block_size = 3;
        options.max_coarse = 60;
        const spg_csr A = kept_cube("elast3d:9", 9, 3, (kept)how);
        test_system system;
        test_system_begin(&A, &options, 2, &system);
        check_boundary(&system, 9, 3, (kept)how, 60);
        test_system_end(&system);
    }
}

/* The values that zeros held the places of come back: the hierarchy was made without them, but still converges. */
static void zeros_that_an_update_fills_slow_the_solve_at_most(void **state)
{
    (void)state;
    const spg_csr A = kept_cube("fd3d7:12", 12, 1, ZEROED), whole = test_generate("fd3d7:12", SPG_F64);
    spg_csr whole_here;
    test_system system;
    test_system_begin(&A, NULL, 2, &system);
    test_to_place(system.context, &whole, &whole_here);
    assert_int_equal(spg_amg_update(system.context, system.amg, &whole_here), SPG_OK);
    assert_in_range(solve(&system, SPG_AMG_CG), 1, 60);
    spg_csr_free(test_host(), &system.A);
    system.A = whole;
    assert_true(test_system_residual(&system) <= 1e-7 * sqrt((double)whole.rows));
    spg_csr_free(system.context, &whole_here);
    test_system_end(&system);
}

/* blocks of `size` rows, each a chain, whose ends are held unless `is_free`. */
static spg_csr chains(int64_t blocks, int size, bool is_free)
{
    spg_csr A;
    const int64_t n = blocks * size;
    assert_int_equal(spg_csr_alloc(test_host(), n, n, 3 * n - 2 * blocks, SPG_I32, SPG_F64, &A), SPG_OK);
    int32_t *offsets = A.row_offsets, to = 0;
    double *values = A.values;
    for (int64_t i = 0; i < n; i++) {
        const int place = (int)(i % size);
        const double weight = 1 + (double)(i / size % 7) / 3;
        for (int64_t j = i - (place > 0); j <= i + (place < size - 1); j++) {
            A.columns[to] = (int32_t)j;
            values[to++] = j != i ? -weight : weight * (is_free ? (place > 0) + (place < size - 1) : 2);
        }
        offsets[i + 1] = to;
    }
    assert_int_equal(to, A.nnz);
    return A;
}

/* The last level is solved: by division or densely. */
static void assert_not_smoothed(const spg_amg *amg)
{
    spg_amg_summary summary;
    assert_int_equal(spg_amg_summarise(amg, &summary), SPG_OK);
    assert_int_equal(summary.smoothed, 0);
}

static void a_diagonal_matrix_is_one_level_and_one_step(void **state)
{
    (void)state;
    const spg_smoother smoothers[] = {SPG_SMOOTHER_JACOBI, SPG_SMOOTHER_L1_JACOBI, SPG_SMOOTHER_CHEBYSHEV};
    const int64_t sizes[] = {501, 4000, 20000};
    for (int s = 0; s < 3; s++)
        for (int m = 0; m < TEST_METHODS; m++) {
            spg_amg_options options = spg_amg_options_default();
            options.smoother = smoothers[s];
            const spg_csr A = chains(sizes[s], 1, false);
            test_system system;
            test_system_begin(&A, &options, 2, &system);
            assert_int_equal(spg_amg_levels(system.amg), 1);
            assert_not_smoothed(system.amg);
            assert_int_equal(solve(&system, test_methods[m]), 1);
            assert_int_equal(spg_amg_update(system.context, system.amg, &system.A_here), SPG_OK);
            assert_int_equal(solve(&system, test_methods[m]), 1);
            assert_true(test_system_residual(&system) <= 1e-12 * sqrt((double)A.rows));
            test_system_end(&system);
        }
}

/* The last of them come to one unknown each, which is solved by division; others leave on the way. */
static void many_components_come_to_a_diagonal(void **state)
{
    (void)state;
    const int sizes[] = {2, 5, 40};
    for (int s = 0; s < 3; s++) {
        const spg_csr A = chains(6000, sizes[s], false);
        test_system system;
        spg_amg_level_view last;
        test_system_begin(&A, NULL, 2, &system);
        assert_int_equal(spg_amg_level(system.amg, spg_amg_levels(system.amg) - 1, &last), SPG_OK);
        assert_true(last.A.nnz == last.A.rows && last.A.rows <= 6000);
        assert_in_range(solve(&system, SPG_AMG_CG), 1, 30);
        test_system_end(&system);
    }
}

/* Singular ones, of two lengths: the short ones come to an unknown before the others do. What is left of them is
 * nothing but roundings; b has sum zero in each. */
static void components_that_are_singular_by_themselves_are_left_where_they_end(void **state)
{
    (void)state;
    for (int size = 6; size <= 60; size += 54) {
        const spg_csr A = chains(1200, size, true);
        spg_amg_options options = spg_amg_options_default();
        options.max_coarse = 10;
        test_system system;
        test_system_begin(&A, &options, 2, &system);
        double *b = calloc((size_t)A.rows, sizeof *b);
        assert_non_null(b);
        for (int64_t i = 0; i + 1 < A.rows; i += size / 2) b[i] = i % size == 0 ? 1 : -1;
        for (int repeat = 0; repeat < 2; repeat++) {
            test_system_reset(&system);
            test_send(b, system.bytes, system.b);
            assert_in_range(test_system_solve(&system, NULL, SPG_OK).iterations, 1, 25);
            double *x = test_system_fetch(&system, system.x), most = 0;
            for (int64_t i = 0; i < A.rows; i++) most = fmax(most, fabs(x[i]));
            assert_true(most < 10 * size);
            free(x);
            assert_int_equal(spg_amg_update(system.context, system.amg, &system.A_here), SPG_OK);
        }
        free(b);
        test_system_end(&system);
    }
}

/* Pairs of rows, and as many rows without entries: as many entries as rows, none of them strong. The same without what
 * couples the pairs is diagonal. */
static void weak_couplings_do_not_make_a_diagonal(void **state)
{
    (void)state;
    const int64_t n = 6000;
    for (int coupled = 0; coupled < 2; coupled++) {
        spg_amg_options options = spg_amg_options_default();
        spg_amg_summary summary;
        spg_csr A;
        test_system system;
        assert_int_equal(spg_csr_alloc(test_host(), n, n, n, SPG_I32, SPG_F64, &A), SPG_OK);
        for (int64_t i = 0; i < n; i++) {
            ((int32_t *)A.row_offsets)[i + 1] = (int32_t)(coupled == 0 ? i + 1 : i < n / 2 ? 2 * i + 2 : n);
            A.columns[i] = (int32_t)(coupled == 0 ? i : i / 4 * 2 + i % 2);
            ((double *)A.values)[i] = coupled == 0 || i / 2 % 2 == i % 2 ? 1 : -0.5;
        }
        options.theta = 0.9;
        test_system_begin(&A, &options, 2, &system);
        assert_int_equal(spg_amg_summarise(system.amg, &summary), SPG_OK);
        assert_int_equal(summary.end, SPG_AMG_END_UNCOUPLED);
        assert_int_equal(summary.smoothed, coupled);
        test_system_end(&system);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_boundary_rows_are_in_no_aggregate),
        cmocka_unit_test(kept_nodes_of_several_unknowns_are_in_no_aggregate),
        cmocka_unit_test(zeros_that_an_update_fills_slow_the_solve_at_most),
        cmocka_unit_test(a_diagonal_matrix_is_one_level_and_one_step),
        cmocka_unit_test(many_components_come_to_a_diagonal),
        cmocka_unit_test(weak_couplings_do_not_make_a_diagonal),
        cmocka_unit_test(components_that_are_singular_by_themselves_are_left_where_they_end),
    };
    return TEST_RUN_HERE(argc, argv, "amg isolated", tests);
}
