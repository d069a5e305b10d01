/* How many iterations conjugate gradients take to 1e-8 with each hierarchy: those that PyAMG 5 takes with the same
 * options, or that the method was measured to take where PyAMG has no such option. b = 1, x = 0. */
#include "amg_systems.h"
#include "generators.h"

#include <math.h>
#include <stdlib.h>

enum { THREADS = 2 };

typedef struct count {
    int iterations;
    double operator_complexity;
} count;

static count count_of(const spg_csr *A, const spg_amg_options *options)
{
    test_system system;
    spg_amg_summary summary;
    test_system_begin(A, options, THREADS, &system);
    assert_int_equal(spg_amg_summarise(system.amg, &summary), SPG_OK);
    const spg_amg_solve_result result = test_system_solve(&system, NULL, SPG_OK);
    assert_true(result.converged && result.relative_residual <= 1e-8);
    test_system_end(&system);
    return (count){result.iterations, summary.operator_complexity};
}

static count count_of_name(const char *name, const spg_amg_options *options)
{
    const spg_csr A = test_generate(name, SPG_F64);
    return count_of(&A, options);
}

static spg_amg_options standard(void)
{
    spg_amg_options options = spg_amg_options_default();
    options.aggregation = SPG_AGGREGATION_STANDARD;
    options.max_coarse = 10;
    return options;
}

static void skip_on_a_device(void)
{
    if (test_place() == SPG_PLACE_DEVICE) skip();
}

static void assert_count(const char *name, const spg_amg_options *options, int expected, double operator_complexity)
{
    const count found = count_of_name(name, options);
    if (abs(found.iterations - expected) > 1 || fabs(found.operator_complexity - operator_complexity) > 0.005)
        fail_msg("%s: %d iterations at operator complexity %.3f, not %d at %.3f", name, found.iterations,
                 found.operator_complexity, expected, operator_complexity);
}

static void standard_aggregation_takes_the_iterations_of_pyamg(void **state)
{
    (void)state;
    skip_on_a_device();
    const spg_amg_options options = standard();
    assert_count("fd2d5:64", &options, 15, 1.339);
    assert_count("fd2d5:128", &options, 14, 1.337);
    assert_count("fd2d5:256", &options, 17, 1.342);
    assert_count("fd2d5:500", &options, 14, 1.337);
    assert_count("fd3d7:16", &options, 14, 1.480);
    assert_count("fd3d7:32", &options, 15, 1.531);
    assert_count("fd3d7:64", &options, 17, 1.550);
    assert_count("fe2d9:256", &options, 12, 1.126);
    assert_count("fe3d27:32", &options, 10, 1.037);
    assert_count("fe3d27:64", &options, 11, 1.040);
}

static void unsmoothed_prolongators_take_the_iterations_of_pyamg(void **state)
{
    (void)state;
    skip_on_a_device();
    spg_amg_options options = standard();
    options.prolongator_relaxation = 0;
    assert_true(abs(count_of_name("fd2d5:64", &options).iterations - 47) <= 1);
    assert_true(abs(count_of_name("fd2d5:128", &options).iterations - 69) <= 2);
}

static void real_matrices_take_the_iterations_of_pyamg(void **state)
{
    (void)state;
    skip_on_a_device();
    spg_amg_options options = standard();
    spg_csr A = test_read_real("airfoil");
    assert_true(abs(count_of(&A, &options).iterations - 13) <= 1);
    A = test_read_real("unit_cube");
    assert_true(abs(count_of(&A, &options).iterations - 6) <= 1);
}

static void a_real_elastic_bar_takes_the_iterations_of_pyamg(void **state)
{
    (void)state;
    skip_on_a_device();
    spg_amg_options options = standard();
    const spg_csr A = test_read_real("bar");
    double *modes = test_read_real_dense("bar_nullspace", A.rows, 6);
    options.block_size = 3;
    options.candidates = 6;
    options.candidate_values = modes;
    assert_true(abs(count_of(&A, &options).iterations - 32) <= 1);
    free(modes);
}

static void mis2_takes_the_iterations_that_it_was_measured_to_take(void **state)
{
    (void)state;
    spg_amg_options options = spg_amg_options_default();
    options.join_leftovers = 0;
    const count plain = count_of_name("fd2d5:256", &options), large = count_of_name("fd2d5:1000", &options),
                cube = count_of_name("fd3d7:64", &options);
    assert_true(plain.iterations <= 31 && fabs(plain.operator_complexity - 1.33) < 0.02);
    assert_true(large.iterations <= 38 && fabs(large.operator_complexity - 1.33) < 0.02);
    assert_true(cube.iterations <= 20 && fabs(cube.operator_complexity - 1.43) < 0.02);
    assert_true(count_of_name("fe2d9:256", &options).iterations <= 23);
    assert_true(count_of_name("fe3d27:32", &options).iterations <= 15);
}

static void joining_leftovers_takes_fewer_iterations(void **state)
{
    (void)state;
    const spg_amg_options options = spg_amg_options_default();
    assert_true(count_of_name("fd2d5:256", &options).iterations <= 22);
    assert_true(count_of_name("fe2d9:256", &options).iterations <= 20);
    assert_true(count_of_name("fd3d7:32", &options).iterations <= 15);
}

/* Candidates in the order of the generator's unknowns, at the place. */
static int count_of_solid(const char *name, spg_smoother smoother)
{
    const spg_csr A = test_generate(name, SPG_F64);
    const size_t bytes = 6 * (size_t)A.rows * sizeof(double);
    double *modes = malloc(bytes);
    assert_non_null(modes);
    assert_int_equal(generate_rigid_body_modes(test_host(), name, SPG_F64, modes), SPG_OK);
    spg_amg_options options = spg_amg_options_default();
    void *here = test_lend(modes, bytes);
    options.block_size = 3;
    options.candidates = 6;
    options.candidate_values = here;
    options.max_coarse = 200;
    options.smoother = smoother;
    const int iterations = count_of(&A, &options).iterations;
    test_give_back(here, bytes);
    free(modes);
    return iterations;
}

static void elasticity_with_its_rigid_body_modes_does_not_get_harder_with_size(void **state)
{
    (void)state;
    assert_true(count_of_solid("solid3d:18", SPG_SMOOTHER_CHEBYSHEV) <=
                count_of_solid("solid3d:9", SPG_SMOOTHER_CHEBYSHEV) + 3);
    assert_true(count_of_solid("solid3d:18", SPG_SMOOTHER_CHEBYSHEV) <= 18);
}

static void every_smoother_converges_and_chebyshev_of_higher_degree_in_fewer_iterations(void **state)
{
    (void)state;
    spg_amg_options options = spg_amg_options_default();
    const int jacobi = count_of_name("fd3d7:24", &options).iterations;
    options.smoother = SPG_SMOOTHER_L1_JACOBI;
    assert_true(count_of_name("fd3d7:24", &options).iterations <= 2 * jacobi);
    options.smoother = SPG_SMOOTHER_CHEBYSHEV;
    options.chebyshev_ratio = 10;
    const int second = count_of_name("fd3d7:24", &options).iterations;
    options.chebyshev_degree = 4;
    const int fourth = count_of_name("fd3d7:24", &options).iterations;
    assert_true(second < jacobi && fourth < second);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(standard_aggregation_takes_the_iterations_of_pyamg),
        cmocka_unit_test(unsmoothed_prolongators_take_the_iterations_of_pyamg),
        cmocka_unit_test(real_matrices_take_the_iterations_of_pyamg),
        cmocka_unit_test(a_real_elastic_bar_takes_the_iterations_of_pyamg),
        cmocka_unit_test(mis2_takes_the_iterations_that_it_was_measured_to_take),
        cmocka_unit_test(joining_leftovers_takes_fewer_iterations),
        cmocka_unit_test(elasticity_with_its_rigid_body_modes_does_not_get_harder_with_size),
        cmocka_unit_test(every_smoother_converges_and_chebyshev_of_higher_degree_in_fewer_iterations),
    };
    return TEST_RUN_HERE(argc, argv, "amg counts", tests);
}
