/* Singular Hermitian systems. */
#include "amg_complex.h"
#include "matrices_for_tests.h"

#include <math.h>
#include <stdlib.h>

/* A closed grid in a gauge, set up with the gauge as its candidate or without it. */
typedef struct closed_grid {
    test_system system;
    double complex *gauge;
    void *gauge_here;
} closed_grid;

static void open_grid(const char *name, spg_type type, bool knows, closed_grid *grid)
{
    spg_csr A = test_gauged(name, true, type, &grid->gauge);
    void *cast = calloc((size_t)A.rows, sizeof(double complex));
    assert_non_null(cast);
    for (int64_t i = 0; i < A.rows; i++) test_set_complex(cast, type, i, grid->gauge[i]);
    grid->gauge_here = test_lend(cast, (size_t)A.rows * spg_type_size(type));
    free(cast);
    spg_amg_options options = test_several_levels();
    options.max_coarse = 100;
    options.candidates = knows ? 1 : 0;
    options.candidate_values = knows ? grid->gauge_here : NULL;
    test_system_begin(&A, &options, 2, &grid->system);
}

static void close_grid(closed_grid *grid)
{
    test_give_back(grid->gauge_here, grid->system.bytes);
    test_system_end(&grid->system);
    free(grid->gauge);
}

/* The part of a vector in the null space, which the gauge spans. */
static double complex share(const closed_grid *grid, const double complex *x)
{
    double complex sum = 0;
    for (int64_t i = 0; i < grid->system.A.rows; i++) sum += conj(grid->gauge[i]) * x[i];
    return sum / (double)grid->system.A.rows;
}

/* Random values with this share of the gauge. */
static void send_right_hand_side(closed_grid *grid, double complex with)
{
    double complex *b = test_random_complex(9, grid->system.A.rows);
    const double complex has = share(grid, b);
    for (int64_t i = 0; i < grid->system.A.rows; i++) b[i] += (with - has) * grid->gauge[i];
    test_send_complex(&grid->system, b, grid->system.b);
    free(b);
}

static void a_closed_grid_in_a_gauge_is_singular_and_solved(void **state)
{
    (void)state;
    const char *const names[] = {"fd2d5:40", "fe3d27:9"};
    for (int c = 0; c < 2; c++)
        for (spg_type type = SPG_C32; type <= SPG_C64; type++) {
            closed_grid grid;
            spg_amg_summary summary;
            open_grid(names[c], type, true, &grid);
            assert_int_equal(spg_amg_summarise(grid.system.amg, &summary), SPG_OK);
            assert_true(summary.singular && summary.symmetric && summary.levels >= 2);
            send_right_hand_side(&grid, 0);
            assert_true(test_system_solve(&grid.system, NULL, SPG_OK).iterations <= 20);
            send_right_hand_side(&grid, 0.5 * I);
            test_system_solve(&grid.system, NULL, SPG_ERROR_INCOMPATIBLE);
            spg_amg_solve_options options = spg_amg_solve_options_default();
            options.nullspace = SPG_AMG_NULLSPACE_CANDIDATES;
            assert_true(test_system_solve(&grid.system, &options, SPG_OK).iterations <= 20);
            double complex *x = test_fetch_complex(&grid.system, grid.system.x);
            assert_true(cabs(share(&grid, x)) < (type == SPG_C32 ? 1e-3 : 1e-9));
            free(x);
            close_grid(&grid);
        }
}

/* Without the gauge as a candidate: what is projected out is the vector given and i times it. */
static void a_null_vector_given_is_removed_with_i_times_it(void **state)
{
    (void)state;
    closed_grid grid;
    open_grid("fd2d5:20", SPG_C64, true, &grid);
    spg_amg_solve_options options = spg_amg_solve_options_default();
    options.nullspace = SPG_AMG_NULLSPACE_GIVEN;
    options.null_vectors = 1;
    options.null_values = grid.gauge_here;
    send_right_hand_side(&grid, 0.25 + 0.5 * I);
    const spg_amg_solve_result result = test_system_solve(&grid.system, &options, SPG_OK);
    assert_true(result.iterations <= 20);
    double complex *x = test_fetch_complex(&grid.system, grid.system.x);
    double complex *y = test_complex_product(&grid.system.A, x), *b = test_fetch_complex(&grid.system, grid.system.b);
    assert_true(cabs(share(&grid, x)) < 1e-10);
    for (int64_t i = 0; i < grid.system.A.rows; i++) {
        b[i] -= (0.25 + 0.5 * I) * grid.gauge[i];
        y[i] -= b[i];
    }
    const int64_t n = grid.system.A.rows;
    assert_true(test_complex_norm(y, n) <= 1.01e-8 * test_complex_norm(b, n));
    free(x);
    free(y);
    free(b);
    options.null_vectors = 17;
    assert_int_equal(spg_amg_solve(grid.system.context, grid.system.amg, grid.system.b, grid.system.x, &options, NULL),
                     SPG_ERROR_ARGUMENT);
    test_assert_message(grid.system.context, "null_vectors is 17, not from 1 to 16");
    close_grid(&grid);
}

/* A closed grid without a gauge, of complex type. */
static void the_constant_of_a_complex_matrix_has_two_parts(void **state)
{
    (void)state;
    test_system system;
    spg_csr A = test_generate("magnet2d:30:0", SPG_C64);
    for (int64_t i = 0; i < A.rows; i++)
        for (int64_t k = test_offset(&A, i); k < test_offset(&A, i + 1); k++)
            if (A.columns[k] == i)
                test_set_complex(A.values, SPG_C64, k, (double)(test_offset(&A, i + 1) - test_offset(&A, i) - 1));
    test_system_begin(&A, NULL, 1, &system);
    double complex *b = test_random_complex(4, A.rows);
    test_send_complex(&system, b, system.b);
    test_system_solve(&system, NULL, SPG_ERROR_INCOMPATIBLE);
    spg_amg_solve_options options = spg_amg_solve_options_default();
    options.nullspace = SPG_AMG_NULLSPACE_CONSTANT;
    assert_true(test_system_solve(&system, &options, SPG_OK).iterations <= 20);
    double complex *x = test_fetch_complex(&system, system.x), sum = 0;
    for (int64_t i = 0; i < A.rows; i++) sum += x[i];
    assert_true(cabs(sum) < 1e-8);
    free(b);
    free(x);
    test_system_end(&system);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_closed_grid_in_a_gauge_is_singular_and_solved),
        cmocka_unit_test(a_null_vector_given_is_removed_with_i_times_it),
        cmocka_unit_test(the_constant_of_a_complex_matrix_has_two_parts),
    };
    return TEST_RUN_HERE(argc, argv, "multigrid: singular complex matrices", tests);
}
