/* Singular systems: which hierarchies show it, what is solved, and what a solve says of a right-hand side that has no
 * solution. */
#include "amg_systems.h"
#include "matrices_for_tests.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A's diagonal becomes what makes each row's sum `sum` times what it was without the diagonal. */
static void close_ends(spg_csr *A)
{
    for (int64_t i = 0; i < A->rows; i++) {
        double sum = 0;
        int64_t at = 0;
        for (int64_t k = test_offset(A, i); k < test_offset(A, i + 1); k++)
            if (A->columns[k] == i)
                at = k;
            else
                sum += test_element(A->values, A->value_type, k);
        test_set_element(A->values, A->value_type, at, -sum);
    }
}

static spg_csr neumann(const char *name, spg_type type)
{
    spg_csr A = test_generate(name, type);
    close_ends(&A);
    return A;
}

/* b of pseudo-random values, less their mean in each run of so many; of the system. */
static void send_right_hand_side(test_system *system, int64_t run, double mean)
{
    const int64_t n = system->A.rows;
    double *values = malloc((size_t)n * sizeof *values);
    void *b = calloc((size_t)n, sizeof(double));
    assert_true(values != NULL && b != NULL);
    test_random_values(7, 0, SPG_F64, n, values);
    for (int64_t first = 0; first < n; first += run) {
        const int64_t end = first + run < n ? first + run : n;
        double sum = 0;
        for (int64_t i = first; i < end; i++) sum += values[i];
        for (int64_t i = first; i < end; i++) values[i] += mean - sum / (double)(end - first);
    }
    for (int64_t i = 0; i < n; i++) test_set_element(b, system->A.value_type, i, values[i]);
    test_send(b, system->bytes, system->b);
    free(values);
    free(b);
}

static bool is_marked(const test_system *system)
{
    spg_amg_summary summary;
    assert_int_equal(spg_amg_summarise(system->amg, &summary), SPG_OK);
    return summary.singular != 0;
}

static spg_amg_solve_options to(double tolerance)
{
    spg_amg_solve_options options = spg_amg_solve_options_default();
    options.tolerance = tolerance;
    return options;
}

static void hierarchies_of_26_closed_grids_are_marked_and_solve_to_1e_12(void **state)
{
    (void)state;
    const char *const names[] = {"fd2d5", "fe2d9", "fd3d7", "fe3d27"};
    const spg_amg_solve_options options = to(1e-12);
    int grids = 0;
    for (int k = 0; k < 4; k++)
        for (int s = 0; s < (k < 2 ? 7 : 6); s++, grids++) {
            char name[32];
            test_system system;
            snprintf(name, sizeof name, "%s:%d", names[k], k < 2 ? 100 + 10 * s : 20 + s);
            const spg_csr A = neumann(name, SPG_F64);
            test_system_begin(&A, NULL, 2, &system);
            if (!is_marked(&system)) fail_msg("%s is not marked", name);
            send_right_hand_side(&system, A.rows, 0);
            const spg_amg_solve_result result = test_system_solve(&system, &options, SPG_OK);
            if (!(result.relative_residual <= 1e-12 && result.iterations <= 30))
                fail_msg("%s: %d iterations to %g", name, result.iterations, result.relative_residual);
            test_system_end(&system);
        }
    assert_int_equal(grids, 26);
}

/* With ends held, one row held, or each row held a little: nothing of it is null. */
static void regular_operators_are_not_marked(void **state)
{
    (void)state;
    const char *const names[] = {"fd2d5:100", "fd3d7:20", "fe3d27:20"};
    for (int k = 0; k < 3; k++)
        for (spg_type type = SPG_F32; type <= SPG_F64; type++)
            for (int held = 0; held < 3; held++) {
                test_system system;
                spg_csr A = test_generate(names[k], type);
                if (held > 0) close_ends(&A);
                for (int64_t i = 0; i < A.rows; i++)
                    for (int64_t e = test_offset(&A, i); held > 0 && e < test_offset(&A, i + 1); e++)
                        if (A.columns[e] == i && (held == 2 || i == A.rows / 2))
                            test_set_element(A.values, type, e,
                                             test_element(A.values, type, e) * (1 + (held == 1         ? 0.25
                                                                                     : type == SPG_F32 ? 1e-3
                                                                                                       : 1e-9)));
                test_system_begin(&A, NULL, 2, &system);
                if (is_marked(&system)) fail_msg("%s, %d: marked", names[k], held);
                test_system_end(&system);
            }
}

static void couplings_that_vary_and_floats_leave_a_closed_grid_marked(void **state)
{
    (void)state;
    for (spg_type type = SPG_F32; type <= SPG_F64; type++) {
        test_system system;
        spg_csr A = test_generate("fd2d5:150", type);
        for (int64_t i = 0; i < A.rows; i++)
            for (int64_t k = test_offset(&A, i); k < test_offset(&A, i + 1); k++) {
                const int64_t j = A.columns[k], pair = (i < j ? i : j) * 7919 + (i < j ? j : i);
                test_set_element(A.values, type, k, -pow(10, (double)(pair % 101) / 25));
            }
        close_ends(&A);
        test_system_begin(&A, NULL, 2, &system);
        assert_true(is_marked(&system));
        test_system_end(&system);
    }
}

/* Two grids that nothing connects, each singular. */
static spg_csr twice(const spg_csr *one)
{
    spg_csr A;
    const int64_t n = one->rows, nnz = one->nnz;
    assert_int_equal(spg_csr_alloc(test_host(), 2 * n, 2 * n, 2 * nnz, one->offset_type, one->value_type, &A), SPG_OK);
    for (int64_t i = 0; i <= 2 * n; i++)
        ((int32_t *)A.row_offsets)[i] = (int32_t)(i <= n ? test_offset(one, i) : nnz + test_offset(one, i - n));
    for (int64_t k = 0; k < 2 * nnz; k++) {
        A.columns[k] = one->columns[k % nnz] + (int32_t)(k < nnz ? 0 : n);
        test_set_element(A.values, A.value_type, k,
                         (k < nnz ? 1 : 1e3) * test_element(one->values, one->value_type, k % nnz));
    }
    return A;
}

static void each_component_has_a_null_space_of_its_own(void **state)
{
    (void)state;
    spg_csr one = neumann("fd2d5:60", SPG_F64), A = twice(&one);
    test_system system;
    spg_amg_solve_options options = to(1e-10);
    const spg_amg_options several = test_several_levels();
    test_system_begin(&A, &several, 2, &system);
    assert_true(is_marked(&system));
    send_right_hand_side(&system, A.rows, 0); /* of sum zero, but not in each half */
    test_system_solve(&system, &options, SPG_ERROR_INCOMPATIBLE);
    options.nullspace = SPG_AMG_NULLSPACE_CANDIDATES;
    assert_true(test_system_solve(&system, &options, SPG_OK).relative_residual <= 1e-10);
    double *x = test_system_fetch(&system, system.x), sums[2] = {0};
    for (int64_t i = 0; i < A.rows; i++) sums[i >= A.rows / 2] += x[i];
    assert_true(fabs(sums[0]) < 1e-6 && fabs(sums[1]) < 1e-6);
    free(x);
    options.nullspace = SPG_AMG_NULLSPACE_NONE;
    test_system_reset(&system);
    send_right_hand_side(&system, A.rows / 2, 0);
    assert_true(test_system_solve(&system, &options, SPG_OK).converged);
    test_system_end(&system);
    spg_csr_free(test_host(), &one);
}

static void a_right_hand_side_without_a_solution_is_told_and_x_left(void **state)
{
    (void)state;
    for (int m = 0; m < TEST_METHODS; m++)
        for (spg_type type = SPG_F32; type <= SPG_F64; type++) {
            test_system system;
            spg_amg_solve_options options = to(type == SPG_F32 ? 1e-3 : 1e-8);
            const spg_csr A = neumann("fd2d5:50", type);
            test_system_begin(&A, NULL, 2, &system);
            options.method = test_methods[m];
            send_right_hand_side(&system, A.rows, 0.1);
            const spg_amg_solve_result result = test_system_solve(&system, &options, SPG_ERROR_INCOMPATIBLE);
            test_assert_message(system.context, "null space");
            test_assert_message(system.context, "SPG_AMG_NULLSPACE_CANDIDATES");
            assert_true(!result.converged && result.iterations == 0);
            void *x = calloc(1, system.bytes);
            assert_non_null(x);
            test_fetch(system.x, system.bytes, x);
            test_assert_zeroed(x, system.bytes);
            free(x);
            send_right_hand_side(&system, A.rows, 0);
            assert_true(test_system_solve(&system, &options, SPG_OK).converged);
            test_system_end(&system);
        }
}

/* The residual of b without its part in the null space, and x's part in it. Null: even unknowns `even`, odd ones 1. */
static void assert_projected_solution(const test_system *system, double even, double residual)
{
    double *b = test_system_fetch(system, system->b), *x = test_system_fetch(system, system->x);
    double of_b = 0, of_x = 0, norm = 0, own = 0;
    const int64_t n = system->A.rows;
    for (int64_t i = 0; i < n; i++) {
        const double null = i % 2 == 0 ? even : 1;
        of_b += null * b[i], of_x += null * x[i], norm += x[i] * x[i], own += null * null;
    }
    for (int64_t i = 0; i < n; i++) b[i] -= of_b / own * (i % 2 == 0 ? even : 1);
    assert_true(fabs(test_residual(&system->A, b, x) - residual) < 1e-9);
    assert_true(fabs(of_x) <= 1e-9 * sqrt(own * norm));
    free(b);
    free(x);
}

static void the_constant_the_candidates_and_given_vectors_are_projected(void **state)
{
    (void)state;
    const spg_csr A = neumann("fd2d5:50", SPG_F64);
    const size_t n = (size_t)A.rows;
    test_system system;
    double *vectors = malloc(2 * n * sizeof *vectors);
    assert_non_null(vectors);
    for (size_t i = 0; i < 2 * n; i++) vectors[i] = i < n ? -3 : 5; /* the second depends on the first */
    void *given = test_lend(vectors, 2 * n * sizeof *vectors);
    test_system_begin(&A, NULL, 2, &system);
    for (int m = 0; m < TEST_METHODS; m++)
        for (int kind = SPG_AMG_NULLSPACE_CONSTANT; kind <= SPG_AMG_NULLSPACE_GIVEN; kind++)
            for (int again = 0; again < 2; again++) {
                spg_amg_solve_options options = to(1e-10);
                const bool is_given = kind == SPG_AMG_NULLSPACE_GIVEN;
                options.method = test_methods[m];
                options.nullspace = (spg_amg_nullspace)kind;
                options.null_vectors = is_given ? 2 : 0;
                options.null_values = is_given ? given : NULL;
                test_system_reset(&system); /* x is 0, and b nothing but null space */
                spg_amg_solve_result result = test_system_solve(&system, &options, SPG_OK);
                assert_true(result.iterations == 0 && result.residual == 0);
                send_right_hand_side(&system, A.rows, 0.7);
                test_send(vectors, system.bytes, system.x);
                result = test_system_solve(&system, &options, SPG_OK);
                assert_true(result.converged && result.relative_residual <= 1e-10);
                assert_projected_solution(&system, 1, result.residual);
            }
    test_system_end(&system);
    test_give_back(given, 2 * n * sizeof *vectors);
    free(vectors);
}

static void null_vectors_may_be_as_small_as_numbers_are(void **state)
{
    (void)state;
    const double sizes[] = {1e300, 1e-300, 1e-310, 1e-40, 1e30};
    for (int k = 0; k < 5; k++) {
        const spg_type type = k < 3 ? SPG_F64 : SPG_F32;
        const spg_csr A = neumann("fd2d5:20", type);
        double doubles[400];
        float floats[400];
        test_system system;
        for (int64_t i = 0; i < A.rows; i++) doubles[i] = sizes[k], floats[i] = k < 3 ? 1 : (float)sizes[k];
        test_system_begin(&A, NULL, 2, &system);
        void *given = test_lend(k < 3 ? (const void *)doubles : floats, system.bytes);
        spg_amg_solve_options options = spg_amg_solve_options_default();
        options.nullspace = SPG_AMG_NULLSPACE_GIVEN;
        options.null_vectors = 1;
        options.null_values = given;
        test_system_reset(&system); /* b is nothing but null space */
        assert_true(test_system_solve(&system, &options, SPG_OK).residual == 0);
        test_give_back(given, system.bytes);
        test_system_end(&system);
    }
}

/* Of two unknowns a node, both a closed grid's, the first less `even` times the second is held. The candidates span
 * both, and what is null: `even` in each first unknown, 1 in each second. */
static spg_csr half_held(const char *name, double even)
{
    const double weights[] = {1, even};
    spg_csr L = neumann(name, SPG_F64), A;
    const int64_t n = L.rows;
    assert_int_equal(spg_csr_alloc(test_host(), 2 * n, 2 * n, 4 * L.nnz, SPG_I32, SPG_F64, &A), SPG_OK);
    int32_t at = 0;
    for (int64_t i = 0; i < 2 * n; i++) {
        for (int64_t k = test_offset(&L, i / 2); k < test_offset(&L, i / 2 + 1); k++)
            for (int u = 0; u < 2; u++) {
                const double value = ((double *)L.values)[k],
                             held = L.columns[k] == i / 2 ? 0.5 * weights[u] * weights[i % 2] : 0;
                A.columns[at] = 2 * L.columns[k] + u;
                ((double *)A.values)[at++] = u == i % 2 ? 2 * value + held : value - held;
            }
        ((int32_t *)A.row_offsets)[i + 1] = at;
    }
    spg_csr_free(test_host(), &L);
    return A;
}

/* It comes of turning the candidates: of the first of them, or with a small `even` of the second. */
static void one_combination_of_several_candidates_is_found(void **state)
{
    (void)state;
    const double evens[] = {1, 0.25};
    for (int k = 0; k < 2; k++) {
        const spg_csr A = half_held("fd2d5:60", evens[k]);
        spg_amg_options hierarchy = spg_amg_options_default();
        spg_amg_solve_options options = to(1e-10);
        test_system system;
        hierarchy.block_size = 2;
        hierarchy.max_coarse = 100;
        test_system_begin(&A, &hierarchy, 2, &system);
        assert_true(spg_amg_levels(system.amg) > 1 && is_marked(&system));
        test_system_solve(&system, &options, SPG_ERROR_INCOMPATIBLE);
        send_right_hand_side(&system, A.rows, 1);
        options.nullspace = SPG_AMG_NULLSPACE_CANDIDATES;
        const spg_amg_solve_result result = test_system_solve(&system, &options, SPG_OK);
        assert_true(result.converged && result.iterations < 40);
        assert_projected_solution(&system, evens[k], result.residual);
        test_system_end(&system);
    }
}

/* On a device nothing waits in between, and nothing is told until the solve. */
static void updates_turn_regular_operators_singular_and_back(void **state)
{
    (void)state;
    for (int levels = 1; levels <= 20; levels += 19) {
        spg_csr A = test_generate("fd2d5:40", SPG_F64), closed = neumann("fd2d5:40", SPG_F64), closed_here;
        const spg_amg_solve_options options = to(1e-11);
        spg_amg_options hierarchy = spg_amg_options_default();
        test_system system;
        hierarchy.max_levels = levels;
        hierarchy.max_coarse = levels == 1 ? 2000 : 100;
        test_system_begin(&A, &hierarchy, 2, &system);
        test_to_place(system.context, &closed, &closed_here);
        for (int turn = 0; turn < 3; turn++) {
            assert_int_equal(spg_amg_update(system.context, system.amg, &closed_here), SPG_OK);
            test_system_reset(&system);
            test_system_solve(&system, &options, SPG_ERROR_INCOMPATIBLE);
            send_right_hand_side(&system, A.rows, 0);
            spg_amg_solve_result result = test_system_solve(&system, &options, SPG_OK);
            assert_true(result.converged && result.iterations < 30);
            assert_int_equal(spg_amg_update(system.context, system.amg, &system.A_here), SPG_OK);
            test_system_reset(&system);
            result = test_system_solve(&system, &options, SPG_OK);
            assert_true(result.converged && result.iterations < 30);
        }
        spg_csr_free(system.context, &closed_here);
        spg_csr_free(test_host(), &closed);
        test_system_end(&system);
    }
}

static void wrong_null_spaces_are_refused_by_name(void **state)
{
    (void)state;
    test_system system;
    test_system_of("fd2d5:30", SPG_F64, &system);
    const spg_amg_solve_options usual = spg_amg_solve_options_default();
    spg_amg_solve_options wrong[6] = {usual, usual, usual, usual, usual, usual};
    const char *const names[] = {"nullspace",   "null_vectors", "null_vectors",
                                 "null_values", "null_values",  "null_vectors"};
    wrong[0].nullspace = (spg_amg_nullspace)4;
    wrong[1].nullspace = SPG_AMG_NULLSPACE_GIVEN;
    wrong[2].nullspace = SPG_AMG_NULLSPACE_GIVEN, wrong[2].null_vectors = 33, wrong[2].null_values = system.b;
    wrong[3].nullspace = SPG_AMG_NULLSPACE_GIVEN, wrong[3].null_vectors = 1;
    wrong[4].nullspace = SPG_AMG_NULLSPACE_CONSTANT, wrong[4].null_values = system.b;
    wrong[5].null_vectors = 1;
    for (int k = 0; k < 6; k++) {
        assert_int_equal(spg_amg_solve(system.context, system.amg, system.b, system.x, &wrong[k], NULL),
                         SPG_ERROR_ARGUMENT);
        test_assert_message(system.context, names[k]);
    }
    test_system_end(&system);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hierarchies_of_26_closed_grids_are_marked_and_solve_to_1e_12),
        cmocka_unit_test(regular_operators_are_not_marked),
        cmocka_unit_test(couplings_that_vary_and_floats_leave_a_closed_grid_marked),
        cmocka_unit_test(each_component_has_a_null_space_of_its_own),
        cmocka_unit_test(a_right_hand_side_without_a_solution_is_told_and_x_left),
        cmocka_unit_test(the_constant_the_candidates_and_given_vectors_are_projected),
        cmocka_unit_test(null_vectors_may_be_as_small_as_numbers_are),
        cmocka_unit_test(one_combination_of_several_candidates_is_found),
        cmocka_unit_test(updates_turn_regular_operators_singular_and_back),
        cmocka_unit_test(wrong_null_spaces_are_refused_by_name),
    };
    return TEST_RUN_HERE(argc, argv, "amg null space", tests);
}
