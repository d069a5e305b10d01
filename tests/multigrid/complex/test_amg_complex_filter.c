/* Prolongators of complex matrices, smoothed by A without its weak entries. */
#include "amg_complex.h"
#include "amg_reference.h"
#include "matrices_for_tests.h"

#include "amg/amg_backend.h"
#include "context.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- One filtered operator ---- */

enum { NODES = 24, A_ROW = 7, AGGREGATES = NODES / 4, ALONE = 6, LIGHT = 9 };

/* Complex rows of A_ROW entries, not sorted, some of one column; entries of graph columns are strong. */
typedef struct few_rows {
    int32_t offsets[NODES + 1], columns[NODES * A_ROW];
    double complex values[NODES * A_ROW], v[NODES];
    spg_csr A, F; /* the real forms, on the host; F without values */
    int32_t aggregate_of[NODES];
    double *T, *coarse; /* of v: T is v over coarse; zero where a node is in no aggregate */
} few_rows;

static bool is_strong(int64_t i, int64_t j) { return i == j || (i + j) % 3 == 0; }

/* Row LIGHT has so small a diagonal that nothing can be added to it; node ALONE is in no aggregate. */
static void draw_rows(few_rows *rows)
{
    double complex *random = test_random_complex(8, (int64_t)NODES * A_ROW);
    for (int i = 0; i <= NODES; i++) rows->offsets[i] = i * A_ROW;
    for (int k = 0; k < NODES * A_ROW; k++) {
        const int i = k / A_ROW, e = k % A_ROW;
        rows->columns[k] = (i + (int[]){5, 20, 0, 3, 1, 3, 8}[e]) % NODES;
        rows->values[k] = e == 2 ? (i == LIGHT ? 1e-3 : 12 + I) : random[k];
    }
    free(random);
    random = test_random_complex(9, NODES);
    for (int i = 0; i < NODES; i++) rows->v[i] = i == ALONE ? 0 : random[i] / cabs(random[i]) * (1 + i % 3);
    free(random);
}

/* The graph as the real form of a matrix without values of use. */
static spg_csr strong_pattern(const few_rows *rows)
{
    int32_t offsets[NODES + 1] = {0}, columns[NODES * A_ROW];
    double complex values[NODES * A_ROW] = {0};
    for (int i = 0; i < NODES; i++) {
        offsets[i + 1] = offsets[i];
        for (int j = 0; j < NODES; j++)
            for (int k = rows->offsets[i]; k < rows->offsets[i + 1]; k++)
                if (rows->columns[k] == j && is_strong(i, j)) {
                    columns[offsets[i + 1]++] = j;
                    break;
                }
    }
    const spg_csr graph = {NODES, NODES, offsets[NODES], SPG_I32, SPG_C64, SPG_PLACE_HOST, offsets, columns, values};
    spg_csr F;
    assert_int_equal(spg_csr_real_form(test_host(), &graph, &F), SPG_OK);
    return F;
}

static void make_rows(few_rows *rows)
{
    draw_rows(rows);
    const spg_csr A = {NODES,          NODES,         NODES * A_ROW, SPG_I32,     SPG_C64,
                       SPG_PLACE_HOST, rows->offsets, rows->columns, rows->values};
    assert_int_equal(spg_csr_real_form(test_host(), &A, &rows->A), SPG_OK);
    rows->F = strong_pattern(rows);
    rows->T = calloc(4 * NODES, sizeof *rows->T);
    rows->coarse = calloc(4 * AGGREGATES, sizeof *rows->coarse);
    assert_true(rows->T != NULL && rows->coarse != NULL);
    for (int g = 0; g < AGGREGATES; g++) rows->coarse[2 * g] = rows->coarse[2 * AGGREGATES + 2 * g + 1] = 1 << g % 3;
    for (int i = 0; i < NODES; i++) {
        const double complex t = rows->v[i] / (1 << i / 4 % 3);
        rows->aggregate_of[i] = i == ALONE ? SPG_AMG_NO_AGGREGATE : i / 4;
        rows->T[4 * i] = rows->T[4 * i + 3] = creal(t);
        rows->T[4 * i + 2] = cimag(t);
        rows->T[4 * i + 1] = -cimag(t);
    }
}

static void free_rows(few_rows *rows)
{
    spg_csr_free(test_host(), &rows->A);
    spg_csr_free(test_host(), &rows->F);
    free(rows->T);
    free(rows->coarse);
}

static void filter_at_place(few_rows *rows)
{
    spg_context *context = test_context_at_place(2);
    spg_csr A, F;
    test_to_place(context, &rows->A, &A);
    test_to_place(context, &rows->F, &F);
    const size_t T_bytes = 4 * NODES * sizeof *rows->T, coarse_bytes = 4 * AGGREGATES * sizeof *rows->coarse;
    void *T = test_lend(rows->T, T_bytes), *coarse = test_lend(rows->coarse, coarse_bytes);
    int32_t *aggregate_of = test_lend(rows->aggregate_of, sizeof rows->aggregate_of);
    const spg_amg_aggregates of = {NODES, AGGREGATES, 2, 2, aggregate_of};
    assert_int_equal(context->backend->amg->filter_pairs(context, &A, &of, T, coarse, &F), SPG_OK);
    test_fetch(F.values, (size_t)F.nnz * sizeof(double), rows->F.values);
    test_give_back(T, T_bytes);
    test_give_back(coarse, coarse_bytes);
    test_give_back(aggregate_of, sizeof rows->aggregate_of);
    spg_csr_free(context, &A);
    spg_csr_free(context, &F);
    spg_context_destroy(context);
}

/* F_ij by complex arithmetic. */
static double complex expected_entry(const few_rows *rows, int i, int j)
{
    double complex sum = 0, dropped = 0;
    for (int k = rows->offsets[i]; k < rows->offsets[i + 1]; k++) {
        const int column = rows->columns[k];
        if (column == j) sum += rows->values[k];
        if (!is_strong(i, column)) dropped += rows->values[k] * rows->v[column];
    }
    return i == j && i != LIGHT && i != ALONE ? sum + dropped / rows->v[i] : sum;
}

static void what_is_dropped_keeps_its_product_with_the_candidate(void **state)
{
    (void)state;
    few_rows rows;
    make_rows(&rows);
    filter_at_place(&rows);
    const spg_csr *F = &rows.F;
    const double *values = F->values;
    int checked = 0;
    for (int i = 0; i < NODES; i++) {
        const int64_t begin = test_offset(F, 2 * i), length = test_offset(F, 2 * i + 1) - begin;
        for (int64_t k = begin; k < begin + length; k += 2) {
            const double complex expected = expected_entry(&rows, i, F->columns[k] / 2);
            const double block[4] = {values[k], -values[k + 1], values[k + length + 1], values[k + length]};
            for (int part = 0; part < 4; part++)
                assert_true(fabs(block[part] - (part % 2 ? cimag(expected) : creal(expected))) <= 1e-14);
            checked++;
        }
    }
    assert_true(checked >= 2 * NODES && 4 * checked == F->nnz && F->nnz < rows.A.nnz);
    free_rows(&rows);
}

/* ---- Hierarchies ---- */

static spg_amg_options filtering(const double complex *candidate, int64_t n)
{
    spg_amg_options options = test_several_levels();
    options.theta = 0.08;
    options.filter = 1;
    options.max_coarse *= 2;
    options.spectral_steps = 60;
    options.candidates = 1;
    options.candidate_values = test_lend(candidate, (size_t)n * sizeof *candidate);
    return options;
}

static spg_amg_level_view level_of(const test_system *system, int level)
{
    spg_amg_level_view view;
    assert_int_equal(spg_amg_level(system->amg, level, &view), SPG_OK);
    return view;
}

/* A real matrix in complex numbers, with a constant for the candidate. */
static spg_csr without_phases(const char *name, double complex **ones)
{
    spg_csr A = test_generate(name, SPG_C64), L = test_generate(name, SPG_F64);
    assert_int_equal(A.nnz, L.nnz);
    for (int64_t k = 0; k < A.nnz; k++) test_set_complex(A.values, SPG_C64, k, test_real(&L, k));
    *ones = calloc((size_t)A.rows, sizeof **ones);
    assert_non_null(*ones);
    for (int64_t i = 0; i < A.rows; i++) (*ones)[i] = 1;
    spg_csr_free(test_host(), &L);
    return A;
}

/* Iterations of a real hierarchy, whose filter goes by sums of rows. */
static int real_iterations(const char *name, spg_strength strength)
{
    test_system system;
    const spg_csr L = test_generate(name, SPG_F64);
    spg_amg_options options = test_several_levels();
    options.theta = strength == SPG_STRENGTH_CLASSICAL ? 0.25 : 0.08;
    options.filter = 1;
    options.strength = strength;
    options.spectral_steps = 60;
    test_system_begin(&L, &options, 2, &system);
    const int iterations = test_system_solve(&system, NULL, SPG_OK).iterations;
    test_system_end(&system);
    return iterations;
}

/* But for the estimates of rho, which start from random vectors. */
static void assert_same_operators(spg_csr one_here, spg_csr other_here)
{
    spg_csr one, other;
    test_to_host(test_lender(), &one_here, &one);
    test_to_host(test_lender(), &other_here, &other);
    assert_int_equal(one.nnz, other.nnz);
    assert_memory_equal(one.columns, other.columns, (size_t)one.nnz * sizeof *one.columns);
    double largest = 0, difference = 0;
    for (int64_t k = 0; k < one.nnz; k++) {
        largest = fmax(largest, fabs(test_real(&one, k)));
        difference = fmax(difference, fabs(test_real(&one, k) - test_real(&other, k)));
    }
    assert_true(difference <= 1e-3 * largest);
    spg_csr_free(test_host(), &one);
    spg_csr_free(test_host(), &other);
}

/* On coarser levels rounding may decide which entries are weak. */
static void phases_change_no_filtered_operator_and_no_iteration(void **state)
{
    (void)state;
    const char *const names[] = {"stretch2d:60", "layers3d:14", "aniso2d:60:1e-3:45"};
    for (int c = 0; c < 6; c++) {
        const char *name = names[c / 2];
        const spg_strength strength = c % 2 ? SPG_STRENGTH_CLASSICAL : SPG_STRENGTH_SYMMETRIC;
        double complex *candidates[2];
        const spg_csr A[2] = {without_phases(name, &candidates[0]), test_gauged(name, false, SPG_C64, &candidates[1])};
        test_system systems[2];
        int iterations[2];
        for (int s = 0; s < 2; s++) {
            spg_amg_options options = filtering(candidates[s], A[s].rows);
            options.strength = strength;
            options.theta = strength == SPG_STRENGTH_CLASSICAL ? 0.25 : 0.08;
            test_system_begin(&A[s], &options, 2, &systems[s]);
            test_send_complex(&systems[s], candidates[s], systems[s].b);
            iterations[s] = test_system_solve(&systems[s], NULL, SPG_OK).iterations;
            test_give_back((void *)options.candidate_values, systems[s].bytes);
            free(candidates[s]);
        }
        assert_true(spg_amg_levels(systems[0].amg) >= 3);
        const spg_amg_level_view a = level_of(&systems[0], 0), b = level_of(&systems[1], 0);
        assert_true(a.P.nnz == b.P.nnz && a.weak == b.weak && a.weak > 0);
        assert_same_operators(level_of(&systems[0], 1).A, level_of(&systems[1], 1).A);
        const int real = real_iterations(name, strength);
        if (abs(iterations[0] - iterations[1]) > 1 || abs(iterations[0] - real) > 1)
            fail_msg("%s: %d and %d iterations, not %d", name, iterations[0], iterations[1], real);
        test_system_end(&systems[0]);
        test_system_end(&systems[1]);
    }
}

/* Where a row of A times the candidate is zero, P keeps the candidate. */
static void a_filtered_prolongator_keeps_the_candidate(void **state)
{
    (void)state;
    double complex *gauge;
    const spg_csr A = test_gauged("stretch2d:40", true, SPG_C64, &gauge);
    const spg_amg_options options = filtering(gauge, A.rows);
    test_system system;
    test_system_begin(&A, &options, 2, &system);
    const spg_amg_level_view fine = level_of(&system, 0), next = level_of(&system, 1);
    assert_true(fine.weak > 0 && fine.left_out == 0 && fine.is_smoothed);
    spg_csr P;
    test_to_host(test_lender(), &fine.P, &P);
    double *coarse = malloc((size_t)P.cols * sizeof *coarse);
    assert_non_null(coarse);
    test_fetch(next.candidate_values, (size_t)P.cols * sizeof *coarse, coarse);
    for (int64_t i = 0; i < P.rows; i++) {
        double sum = 0;
        for (int64_t k = test_offset(&P, i); k < test_offset(&P, i + 1); k++)
            sum += test_real(&P, k) * coarse[P.columns[k]];
        assert_true(fabs(sum - (i % 2 ? cimag(gauge[i / 2]) : creal(gauge[i / 2]))) <= 1e-9);
    }
    free(coarse);
    free(gauge);
    spg_csr_free(test_host(), &P);
    test_give_back((void *)options.candidate_values, system.bytes);
    test_system_end(&system);
}

static void an_update_makes_the_filtered_prolongators_of_a_fresh_setup(void **state)
{
    (void)state;
    for (int narrow = 0; narrow < 2; narrow++) {
        double complex *gauge;
        const spg_csr A = test_gauged("stretch2d:40", false, SPG_C64, &gauge);
        spg_csr B, B_here;
        assert_int_equal(spg_csr_copy(test_host(), &A, &B), SPG_OK);
        for (int64_t k = 0; k < 2 * B.nnz; k++) ((double *)B.values)[k] *= 4;
        spg_amg_options options = filtering(gauge, A.rows);
        options.precision = narrow ? SPG_AMG_PRECISION_F32 : SPG_AMG_PRECISION_OF_A;
        test_system system, fresh;
        test_system_begin(&A, &options, 2, &system);
        test_system_begin(&B, &options, 2, &fresh);
        test_to_place(system.context, &B, &B_here);
        assert_int_equal(spg_amg_update(system.context, system.amg, &B_here), SPG_OK);
        const spg_amg_level_view a = level_of(&system, 0), b = level_of(&fresh, 0);
        assert_true(a.P.nnz == b.P.nnz && a.weak == b.weak && a.weak > 0);
        spg_csr one, other;
        test_to_host(test_lender(), &a.P, &one);
        test_to_host(test_lender(), &b.P, &other);
        assert_memory_equal(one.columns, other.columns, (size_t)one.nnz * sizeof *one.columns);
        for (int64_t k = 0; k < one.nnz; k++)
            assert_true(fabs(test_element(one.values, one.value_type, k) -
                             test_element(other.values, other.value_type, k)) <= (narrow ? 1e-5 : 1e-12));
        spg_csr_free(test_host(), &one);
        spg_csr_free(test_host(), &other);
        spg_csr_free(system.context, &system.A_here); /* the old matrix is no longer used */
        system.A_here = B_here;
        test_system_solve(&system, NULL, SPG_OK);
        test_give_back((void *)options.candidate_values, system.bytes);
        test_system_end(&system);
        test_system_end(&fresh);
        free(gauge);
    }
}

static void a_filter_makes_fewer_entries_and_iterations_where_couplings_are_weak(void **state)
{
    (void)state;
    for (int narrow = 0; narrow < 2; narrow++) {
        double complexities[2];
        int iterations[2];
        for (int filters = 0; filters < 2; filters++) {
            double complex *gauge;
            const spg_csr A = test_gauged("stretch2d:72", false, SPG_C64, &gauge);
            spg_amg_summary summary;
            test_system system;
            spg_amg_options options = filtering(gauge, A.rows);
            options.filter = filters;
            options.precision = narrow ? SPG_AMG_PRECISION_F32 : SPG_AMG_PRECISION_OF_A;
            test_system_begin(&A, &options, 2, &system);
            assert_int_equal(spg_amg_summarise(system.amg, &summary), SPG_OK);
            complexities[filters] = summary.operator_complexity;
            iterations[filters] = test_system_solve(&system, NULL, SPG_OK).iterations;
            test_give_back((void *)options.candidate_values, (size_t)A.rows * sizeof *gauge);
            test_system_end(&system);
            free(gauge);
        }
        assert_true(complexities[1] < 1.8 && complexities[1] < complexities[0]);
        if (iterations[1] > 30 || iterations[1] >= iterations[0])
            fail_msg("%d iterations with a filter, %d without", iterations[1], iterations[0]);
    }
}

/* Also of a matrix that is not Hermitian: upwind differences, and phases that do not come from a gauge. */
static void solves_with_filtered_operators_give_what_lapack_does(void **state)
{
    (void)state;
    const char *const names[] = {"magnet2d:20", "magnet3d:7:3", "conv2d:20"};
    for (int c = 0; c < 3; c++) {
        const spg_csr A = test_generate(names[c], SPG_C64);
        spg_amg_options options = test_several_levels();
        options.theta = 0.08;
        options.filter = 1;
        options.strength = c == 2 ? SPG_STRENGTH_CLASSICAL : SPG_STRENGTH_SYMMETRIC;
        test_system system;
        test_system_begin(&A, &options, 2, &system);
        int64_t weak = 0;
        for (int l = 0; l < spg_amg_levels(system.amg); l++) weak += level_of(&system, l).weak;
        assert_true(weak > 0);
        double complex *b = test_random_complex(3, A.rows), *expected = test_dense_solution(&A, b);
        test_send_complex(&system, b, system.b);
        const spg_operator by = spg_csr_operator(&system.A_here), M = spg_amg_operator(system.amg);
        spg_krylov_options solving = spg_krylov_options_default();
        solving.method = SPG_KRYLOV_FGMRES;
        solving.tolerance = 1e-10;
        assert_int_equal(spg_krylov_solve(system.context, &by, &M, system.b, system.x, &solving, NULL), SPG_OK);
        double complex *x = test_fetch_complex(&system, system.x);
        for (int64_t i = 0; i < A.rows; i++)
            assert_true(cabs(x[i] - expected[i]) <= 1e-7 * test_complex_norm(expected, A.rows));
        free(b);
        free(x);
        free(expected);
        test_system_end(&system);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_dropped_keeps_its_product_with_the_candidate),
        cmocka_unit_test(phases_change_no_filtered_operator_and_no_iteration),
        cmocka_unit_test(a_filtered_prolongator_keeps_the_candidate),
        cmocka_unit_test(an_update_makes_the_filtered_prolongators_of_a_fresh_setup),
        cmocka_unit_test(a_filter_makes_fewer_entries_and_iterations_where_couplings_are_weak),
        cmocka_unit_test(solves_with_filtered_operators_give_what_lapack_does),
    };
    return TEST_RUN_HERE(argc, argv, "multigrid: filters of complex matrices", tests);
}
