/* Unsymmetric systems: which count as such, the bound that damps them, and a restriction made from A^T. */
#include "amg_reference.h"

#include "spg/krylov.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static spg_amg_options petrov_galerkin(void)
{
    spg_amg_options options = test_several_levels();
    options.restriction = SPG_RESTRICTION_PETROV_GALERKIN;
    return options;
}

static int counts_as_unsymmetric(const test_system *system)
{
    spg_amg_summary summary;
    assert_int_equal(spg_amg_summarise(system->amg, &summary), SPG_OK);
    return summary.unsymmetric;
}

/* The largest row sum of |D^-1 A|. */
static double bound(const spg_csr *A)
{
    double most = 0;
    for (int64_t i = 0; i < A->rows; i++) {
        double sum = 0, diagonal = 0;
        for (int64_t k = test_offset(A, i); k < test_offset(A, i + 1); k++) {
            sum += fabs(test_real(A, k));
            if (A->columns[k] == i) diagonal = test_real(A, k);
        }
        most = fmax(most, sum / fabs(diagonal));
    }
    return most;
}

static void unsymmetric_levels_are_damped_by_their_largest_row_sum(void **state)
{
    (void)state;
    const char *const names[] = {"conv2d:40", "recirc2d:40:1e-3"};
    for (int m = 0; m < 2; m++)
        for (spg_type type = SPG_F32; type <= SPG_F64; type++) {
            test_system system;
            test_hierarchy found;
            test_system_of(names[m], type, &system);
            test_fetch_hierarchy(&system, &found);
            assert_int_equal(counts_as_unsymmetric(&system), 1);
            assert_true(found.levels >= 3);
            for (int l = 0; l + 1 < found.levels; l++) {
                const double expected = bound(&found.level[l].A), rho = found.level[l].view.rho;
                if (!(fabs(rho / expected - 1) <= (type == SPG_F32 ? 1e-5 : 1e-13)))
                    fail_msg("%s, level %d: %.17g, not %.17g", names[m], l, rho, expected);
            }
            test_free_hierarchy(&found);
            test_system_end(&system);
        }
}

static void what_differs_from_its_transpose_by_rounding_counts_as_symmetric(void **state)
{
    (void)state;
    const struct {
        double share; /* of the value of one entry that is added to it */
        int unsymmetric;
    } cases[] = {{0, 0}, {40 * DBL_EPSILON, 0}, {1000 * DBL_EPSILON, 1}, {1e-3, 1}};
    double rho[4];
    for (int c = 0; c < 4; c++) {
        const spg_csr A = test_generate("fd2d5:30", SPG_F64);
        const spg_amg_options options = petrov_galerkin();
        test_system system;
        test_hierarchy found;
        ((double *)A.values)[1] *= 1 + cases[c].share;
        test_system_begin(&A, &options, 2, &system);
        assert_int_equal(counts_as_unsymmetric(&system), cases[c].unsymmetric);
        test_fetch_hierarchy(&system, &found);
        if (!cases[c].unsymmetric) test_assert_transpose(&found.level[0].P, &found.level[0].R);
        rho[c] = found.level[0].view.rho;
        test_free_hierarchy(&found);
        test_system_end(&system);
    }
    assert_true(fabs(rho[1] - rho[0]) <= 1e-10 && rho[0] < 1.999); /* by Lanczos */
    assert_true(fabs(rho[2] - 2) <= 1e-10 && fabs(rho[3] - 2) <= 1e-3);
}

/* Rows 0, 7 and 100 hold only a diagonal, while their columns stay. */
static void kept_boundary_rows_do_not_make_a_matrix_unsymmetric(void **state)
{
    (void)state;
    for (spg_type type = SPG_F32; type <= SPG_F64; type++)
        for (int couples = 0; couples < 2; couples++) {
            const spg_csr A = test_generate("fd2d5:30", type);
            const spg_amg_options options = petrov_galerkin();
            test_system system;
            const int64_t rows[] = {0, 7, 100};
            for (int r = 0; r < 3; r++)
                for (int64_t k = test_offset(&A, rows[r]); k < test_offset(&A, rows[r] + 1); k++) {
                    const bool stays = A.columns[k] == rows[r] || (couples && r == 2 && A.columns[k] == 101);
                    if (!stays && type == SPG_F32) ((float *)A.values)[k] = 0;
                    if (!stays && type == SPG_F64) ((double *)A.values)[k] = 0;
                }
            test_system_begin(&A, &options, 2, &system);
            assert_int_equal(counts_as_unsymmetric(&system), couples);
            test_system_end(&system);
        }
}

/* T of level 0: the prolongator that is not smoothed. */
static void find_tentative(const char *name, spg_amg_options options, spg_csr *T)
{
    const spg_csr A = test_generate(name, SPG_F64);
    test_system system;
    spg_amg_level_view view;
    options.prolongator_relaxation = 0;
    test_system_begin(&A, &options, 2, &system);
    assert_int_equal(spg_amg_level(system.amg, 0, &view), SPG_OK);
    test_to_host(system.context, &view.P, T);
    test_system_end(&system);
}

/* Dense T^T (I - factor A D^-1), row-major. */
static double *restriction_by_definition(const spg_csr *A, const spg_csr *T, double factor)
{
    const int64_t n = A->rows, m = T->cols;
    double *R = calloc((size_t)(m * n) + 1, sizeof *R), *inverse = calloc((size_t)n, sizeof *inverse);
    assert_true(R != NULL && inverse != NULL);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = test_offset(A, i); k < test_offset(A, i + 1); k++)
            if (A->columns[k] == i) inverse[i] = 1 / test_real(A, k);
    for (int64_t i = 0; i < n; i++)
        for (int64_t t = test_offset(T, i); t < test_offset(T, i + 1); t++) {
            double *row = R + T->columns[t] * n;
            row[i] += test_real(T, t);
            for (int64_t k = test_offset(A, i); k < test_offset(A, i + 1); k++)
                row[A->columns[k]] -= factor * test_real(T, t) * test_real(A, k) * inverse[A->columns[k]];
        }
    free(inverse);
    return R;
}

static void assert_dense(const double *expected, const spg_csr *R)
{
    double *found = test_dense(R);
    for (int64_t k = 0; k < R->rows * R->cols; k++)
        if (!(fabs(found[k] - expected[k]) <= 1e-13))
            fail_msg("entry %lld: %g, not %g", (long long)k, found[k], expected[k]);
    free(found);
}

/* C = R A P, each entry within a small share of the largest. */
static void assert_product(const spg_csr *R, const spg_csr *A, const spg_csr *P, const spg_csr *C)
{
    spg_csr expected;
    assert_int_equal(spg_galerkin(test_host(), R, A, P, &expected), SPG_OK);
    assert_int_equal(expected.nnz, C->nnz);
    assert_memory_equal(expected.columns, C->columns, (size_t)C->nnz * sizeof *C->columns);
    for (int64_t k = 0; k < C->nnz; k++)
        if (!(fabs(test_real(C, k) - test_real(&expected, k)) <= 1e-12 * fabs(test_real(C, 0))))
            fail_msg("entry %lld: %g, not %g", (long long)k, test_real(C, k), test_real(&expected, k));
    spg_csr_free(test_host(), &expected);
}

/* Also with a filter, which R does not use. */
static void a_petrov_galerkin_restriction_is_that_of_the_definition(void **state)
{
    (void)state;
    const char *const name = "recirc2d:30";
    for (int filters = 0; filters < 2; filters++) {
        const spg_csr A = test_generate(name, SPG_F64);
        spg_amg_options options = petrov_galerkin();
        test_system system;
        test_hierarchy found;
        spg_csr T;
        if (filters) {
            options.strength = SPG_STRENGTH_CLASSICAL;
            options.theta = 0.25;
            options.filter = 1;
        }
        test_system_begin(&A, &options, 2, &system);
        test_fetch_hierarchy(&system, &found);
        find_tentative(name, options, &T);
        const test_level *level = &found.level[0];
        assert_true(found.levels >= 3 && level->view.is_smoothed && (level->view.weak > 0) == (filters == 1));
        double *expected = restriction_by_definition(&level->A, &T, options.prolongator_relaxation / level->view.rho);
        assert_dense(expected, &level->R);
        for (int l = 0; l + 1 < found.levels; l++)
            assert_product(&found.level[l].R, &found.level[l].A, &found.level[l].P, &found.level[l + 1].A);
        free(expected);
        spg_csr_free(test_host(), &T);
        test_free_hierarchy(&found);
        test_system_end(&system);
    }
}

/* Of the same wind in another diffusion, whose pattern and aggregates are the same. */
static void an_update_is_a_fresh_setup(void **state)
{
    (void)state;
    for (int prepare = 0; prepare < 2; prepare++) {
        const spg_csr A = test_generate("conv2d:40:0.01", SPG_F64), B = test_generate("conv2d:40:0.1", SPG_F64);
        spg_amg_options options = petrov_galerkin();
        test_system system, fresh;
        test_hierarchy found, expected;
        spg_csr B_here;
        options.prepare_update = prepare;
        test_system_begin(&A, &options, 2, &system);
        test_system_begin(&B, &options, 2, &fresh);
        test_to_place(system.context, &B, &B_here);
        for (int again = 0; again < 2; again++)
            assert_int_equal(spg_amg_update(system.context, system.amg, &B_here), SPG_OK);
        test_fetch_hierarchy(&system, &found);
        test_fetch_hierarchy(&fresh, &expected);
        test_assert_same_hierarchy(&found, &expected);
        spg_csr_free(system.context, &B_here);
        test_free_hierarchy(&found);
        test_free_hierarchy(&expected);
        test_system_end(&system);
        test_system_end(&fresh);
    }
}

static int solve(const char *name, spg_restriction restriction, double theta)
{
    const spg_csr A = test_generate(name, SPG_F64);
    spg_amg_options options = spg_amg_options_default();
    spg_krylov_options by = spg_krylov_options_default();
    spg_krylov_result result;
    test_system system;
    options.restriction = restriction;
    options.strength = SPG_STRENGTH_CLASSICAL;
    options.theta = theta;
    options.pre_sweeps = options.post_sweeps = 2;
    by.method = SPG_KRYLOV_FGMRES;
    test_system_begin(&A, &options, 2, &system);
    const spg_operator matrix = spg_csr_operator(&system.A_here), cycle = spg_amg_operator(system.amg);
    if (spg_krylov_solve(system.context, &matrix, &cycle, system.b, system.x, &by, &result) != SPG_OK)
        fail_msg("%s: %s", name, spg_context_message(system.context));
    assert_true(test_system_residual(&system) <= 1.01e-8 * sqrt((double)A.rows));
    test_system_end(&system);
    return result.iterations;
}

static void convection_takes_few_iterations_and_fewer_by_a_restriction_of_its_own(void **state)
{
    (void)state;
    const struct {
        const char *name;
        double theta;
        int most;
        bool gains; /* by R from A^T: where diffusion is strong there is nothing to gain */
    } cases[] = {
        {"conv2d:120:0.1", 0.25, 20, false}, {"conv2d:120:1e-4", 0, 25, true}, {"recirc2d:120", 0.25, 25, true}};
    for (int c = 0; c < 3; c++) {
        const int own = solve(cases[c].name, SPG_RESTRICTION_PETROV_GALERKIN, cases[c].theta);
        const int transpose = solve(cases[c].name, SPG_RESTRICTION_TRANSPOSE, cases[c].theta);
        if (own > cases[c].most || (cases[c].gains && own > 0.9 * transpose))
            fail_msg("%s: %d iterations, and %d with R = P^T", cases[c].name, own, transpose);
    }
}

static void an_unknown_restriction_is_refused(void **state)
{
    (void)state;
    const spg_csr A = test_generate("fd2d5:10", SPG_F64);
    test_system system;
    spg_amg_options options = spg_amg_options_default();
    spg_amg *amg = NULL;
    test_system_begin(&A, NULL, 1, &system);
    options.restriction = (spg_restriction)2;
    assert_int_equal(spg_amg_setup(system.context, &system.A_here, &options, &amg), SPG_ERROR_ARGUMENT);
    test_assert_message(system.context, "restriction is 2");
    test_system_end(&system);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unsymmetric_levels_are_damped_by_their_largest_row_sum),
        cmocka_unit_test(what_differs_from_its_transpose_by_rounding_counts_as_symmetric),
        cmocka_unit_test(kept_boundary_rows_do_not_make_a_matrix_unsymmetric),
        cmocka_unit_test(a_petrov_galerkin_restriction_is_that_of_the_definition),
        cmocka_unit_test(an_update_is_a_fresh_setup),
        cmocka_unit_test(convection_takes_few_iterations_and_fewer_by_a_restriction_of_its_own),
        cmocka_unit_test(an_unknown_restriction_is_refused),
    };
    return TEST_RUN_HERE(argc, argv, "amg unsymmetric", tests);
}
