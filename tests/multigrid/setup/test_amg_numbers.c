/* Set-up stages that give numbers, by themselves, beside plain loops: diagonals, spectral radii, maps of transposes. */
#include "amg/amg_backend.h"
#include "amg_reference.h"
#include "generators.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const spg_type types[] = {SPG_F64, SPG_F32};

static double element(const void *values, spg_type type, int64_t k)
{
    return type == SPG_F32 ? (double)((const float *)values)[k] : ((const double *)values)[k];
}

/* Of the diagonal, of rows' magnitudes, or of the diagonal as updates ask for it. */
typedef enum inverse_way { DIAGONAL, L1, WITH_SYMMETRY, WAYS } inverse_way;

/* The inverses that the place gives, on the host; malloc'ed. */
static void *inverses(spg_context *context, const spg_csr *A, inverse_way way)
{
    const spg_amg_backend *backend = context->backend->amg;
    spg_csr here;
    const size_t bytes = (size_t)A->rows * spg_type_size(A->value_type);
    void *inverse = calloc(1, bytes + 8), *inverse_here = test_lend(inverse, bytes);
    test_to_place(context, A, &here);
    int32_t flag = -1, *flag_here = test_lend(&flag, sizeof flag);
    if (way == WITH_SYMMETRY)
        assert_int_equal(backend->find_symmetry_and_inverse(context, &here, flag_here, inverse_here), SPG_OK);
    else
        assert_int_equal(backend->inverse_diagonal(context, &here, way == L1, inverse_here), SPG_OK);
    test_fetch(inverse_here, bytes, inverse);
    test_fetch(flag_here, sizeof flag, &flag);
    assert_int_equal(flag, way == WITH_SYMMETRY ? 0 : -1); /* none of these matrices is symmetric */
    test_give_back(inverse_here, bytes);
    test_give_back(flag_here, sizeof flag);
    spg_csr_free(context, &here);
    return inverse;
}

static void inverses_are_those_of_the_sums_of_diagonal_entries(void **state)
{
    (void)state;
    for (int t = 0; t < 2; t++)
        for (int way = DIAGONAL; way < WAYS; way++) {
            spg_context *context = test_context_at_place(2);
            spg_csr A;
            test_random_csr(test_host(), (test_matrix){60, 60, 20, t ? SPG_I64 : SPG_I32, types[t]}, 5,
                            TEST_UNSORTED | TEST_DUPLICATES, &A);
            const double epsilon = 60 * (t ? FLT_EPSILON : DBL_EPSILON);
            void *inverse = inverses(context, &A, (inverse_way)way);
            int repeated = 0, missing = 0;
            for (int64_t i = 0; i < 60; i++) {
                double sum = 0, magnitudes = 0;
                int entries = 0;
                for (int64_t k = test_offset(&A, i); k < test_offset(&A, i + 1); k++) {
                    if (A.columns[k] == i) sum += test_real(&A, k), entries++;
                    magnitudes += fabs(test_real(&A, k));
                }
                repeated += entries > 1, missing += entries == 0;
                const double expected = entries == 0 ? 0 : 1 / (way == L1 ? magnitudes : sum);
                const double bound = epsilon * fabs(expected) * (1 + magnitudes * fabs(expected));
                assert_true(fabs(element(inverse, types[t], i) - expected) <= bound);
            }
            assert_true(repeated > 0 && missing > 0);
            free(inverse);
            spg_csr_free(test_host(), &A);
            spg_context_destroy(context);
        }
}

static void inverses_that_are_not_finite_are_zero(void **state)
{
    (void)state;
    const int32_t rows[] = {0, 1, 1, 2, 3}, columns[] = {0, 1, 2, 2, 1};
    const double values[] = {0, 1e-310, 1, -4, 7};
    spg_csr A = test_from_triples(4, 5, rows, columns, values, SPG_F64);
    spg_context *context = test_context_at_place(1);
    double *plain = inverses(context, &A, DIAGONAL), *l1 = inverses(context, &A, L1);
    double *with_symmetry = inverses(context, &A, WITH_SYMMETRY);
    const double expected[] = {0, 0, -0.25, 0}, expected_l1[] = {0, 1, 0.25, 0};
    for (int i = 0; i < 4; i++)
        assert_true(plain[i] == expected[i] && l1[i] == expected_l1[i] && with_symmetry[i] == expected[i]);
    free(with_symmetry);
    free(plain);
    free(l1);
    spg_csr_free(test_host(), &A);
    spg_context_destroy(context);
}

/* One row has more entries than all others together, of which two or none are on the diagonal. */
static void inverses_of_a_row_far_longer_than_the_others(void **state)
{
    (void)state;
    enum { ROWS = 700, LONG = 300, LENGTH = 2 * ROWS, ENTRIES = ROWS - 1 + LENGTH };
    static int32_t offsets[ROWS + 1], columns[ENTRIES];
    static double values[ENTRIES];
    const spg_csr A = {ROWS, ROWS, ENTRIES, SPG_I32, SPG_F64, SPG_PLACE_HOST, offsets, columns, values};
    for (int on = 0; on < 2; on++) {
        for (int32_t i = 0, n = 0; i < ROWS; offsets[++i] = n)
            for (int32_t k = 0; k < (i == LONG ? LENGTH : 1); k++, n++) {
                const bool is_aside = i == LONG && !(on && (k == 5 || k == LENGTH - 1));
                columns[n] = is_aside ? LONG + 1 : i;
                values[n] = i == LONG ? 2 : 8;
            }
        spg_context *context = test_context_at_place(1);
        for (int way = DIAGONAL; way < WAYS; way++) {
            double *found = inverses(context, &A, (inverse_way)way);
            const double of_the_long_one = !on ? 0 : way == L1 ? 1.0 / (2 * LENGTH) : 0.25;
            for (int i = 0; i < ROWS; i++) assert_true(found[i] == (i == LONG ? of_the_long_one : 0.125));
            free(found);
        }
        spg_context_destroy(context);
    }
}

/* What is known of a spectrum, on the host. */
typedef struct known_spectrum {
    float *vector;
    double rho;
} known_spectrum;

/* With the inverse of the diagonal as the place makes it. known: NULL, or what is kept or gone on from. */
static double find_spectral_radius(spg_context *context, const spg_csr *A, int steps, uint64_t seed,
                                   known_spectrum *known, bool keeps)
{
    const spg_amg_radius by = {.steps = steps, .seed = seed};
    const spg_amg_backend *backend = context->backend->amg;
    spg_csr here;
    test_to_place(context, A, &here);
    const int64_t room = backend->spectral_bytes(&here, steps);
    const size_t bytes = (size_t)A->rows * spg_type_size(A->value_type);
    void *inverse = inverses(context, A, DIAGONAL), *inverse_here = test_lend(inverse, bytes);
    void *garbage = malloc((size_t)room + 1);
    assert_non_null(garbage);
    memset(garbage, 0xff, (size_t)room);
    void *workspace = test_lend(garbage, (size_t)room);
    double rho = -1, *rho_here = test_lend(&rho, sizeof rho);
    const size_t vector_bytes = (size_t)A->rows * sizeof(float), basis_bytes = (size_t)steps * vector_bytes;
    float *basis = calloc((size_t)steps, vector_bytes + 1);
    spg_amg_spectrum there = {0};
    if (known != NULL)
        there = (spg_amg_spectrum){.vector = test_lend(known->vector, vector_bytes),
                                   .rho = test_lend(&known->rho, sizeof known->rho),
                                   .basis = keeps ? test_lend(basis, basis_bytes) : NULL};
    assert_int_equal(
        backend->spectral_radius(context, &here, inverse_here, &by, workspace, known != NULL ? &there : NULL, rho_here),
        SPG_OK);
    test_fetch(rho_here, sizeof rho, &rho);
    if (known != NULL) {
        test_fetch(there.vector, vector_bytes, known->vector);
        test_fetch(there.rho, sizeof known->rho, &known->rho);
        test_give_back(there.vector, vector_bytes);
        test_give_back(there.rho, sizeof known->rho);
        if (keeps) test_give_back(there.basis, basis_bytes);
    }
    free(basis);
    test_give_back(rho_here, sizeof rho);
    test_give_back(workspace, (size_t)room);
    test_give_back(inverse_here, bytes);
    free(inverse);
    free(garbage);
    spg_csr_free(context, &here);
    return rho;
}

static double spectral_radius(spg_context *context, const spg_csr *A, int steps, uint64_t seed)
{
    return find_spectral_radius(context, A, steps, seed, NULL, false);
}

static void enough_steps_find_the_spectral_radius_to_rounding(void **state)
{
    (void)state;
    for (int t = 0; t < 2; t++) {
        spg_context *context = test_context_at_place(2);
        spg_csr A = test_generate("fd2d5:12", types[t]);
        const double truth = 1 + cos(acos(-1) / 13), rho = spectral_radius(context, &A, 60, 3);
        assert_true(fabs(rho - truth) <= (t ? 1e-5 : 1e-10));
        for (int64_t i = 0; i < A.rows; i++) /* rows and columns scaled: D^-1 A is similar to what it was */
            for (int64_t k = test_offset(&A, i); k < test_offset(&A, i + 1); k++) {
                const double factor = (double)(1 + i % 3) * (double)(1 + A.columns[k] % 3);
                if (t)
                    ((float *)A.values)[k] *= (float)factor;
                else
                    ((double *)A.values)[k] *= factor;
            }
        assert_true(fabs(spectral_radius(context, &A, 60, 3) - truth) <= (t ? 1e-5 : 1e-10));
        spg_csr_free(test_host(), &A);
        spg_context_destroy(context);
    }
}

static void where_lanczos_does_not_apply_the_largest_row_sum_bounds_the_radius(void **state)
{
    (void)state;
    spg_context *context = test_context_at_place(2);
    spg_csr A = test_generate("fd2d5:30", SPG_F64);
    for (int64_t k = 0; k < A.nnz; k++) ((double *)A.values)[k] *= -1;
    assert_true(fabs(spectral_radius(context, &A, 15, 0) - 2) < 1e-14); /* negative definite */
    for (int64_t k = 0; k < A.nnz; k++) ((double *)A.values)[k] *= -1;
    for (int64_t k = test_offset(&A, 465); k < test_offset(&A, 466); k++)
        if (A.columns[k] == 465) ((double *)A.values)[k] = -0.5;
    assert_true(fabs(spectral_radius(context, &A, 15, 0) - 9) < 1e-13); /* one row's diagonal is negative */
    spg_csr_free(test_host(), &A);
    A = test_generate("empty:20", SPG_F64);
    assert_true(spectral_radius(context, &A, 15, 0) == 1);
    spg_csr_free(test_host(), &A);
    spg_context_destroy(context);
}

/* Products of the first step have squares past the range of doubles: the step's own estimate is worth nothing. */
static void where_a_square_overflows_the_largest_row_sum_bounds_the_radius(void **state)
{
    (void)state;
    const int32_t rows[] = {0, 0, 1, 1, 2}, columns[] = {0, 1, 0, 1, 2};
    const double values[] = {4, 1e200, 1e200, 4, 4};
    spg_csr A = test_from_triples(3, 5, rows, columns, values, SPG_F64);
    spg_context *context = test_context_at_place(2);
    for (uint64_t seed = 0; seed < 8; seed++)
        assert_true(fabs(spectral_radius(context, &A, 15, seed) / 0.25e200 - 1) < 1e-14);
    spg_csr_free(test_host(), &A);
    spg_context_destroy(context);
}

static void a_map_of_a_transpose_gathers_its_values(void **state)
{
    (void)state;
    const spg_type all[] = {SPG_F32, SPG_F64, SPG_C32, SPG_C64};
    spg_context *context = test_context_at_place(3);
    const spg_amg_backend *backend = context->backend->amg;
    for (int t = 0; t < 4; t++) {
        spg_csr A, here, transpose, turned, back;
        test_random_csr(test_host(), (test_matrix){3000, 700, 12, t % 2 ? SPG_I64 : SPG_I32, all[t]}, 8,
                        TEST_UNSORTED | TEST_DUPLICATES, &A);
        assert_int_equal(spg_csr_transpose(test_host(), &A, &transpose), SPG_OK);
        spg_csr blank;
        assert_int_equal(spg_csr_copy(test_host(), &transpose, &blank), SPG_OK);
        const size_t map_bytes = (size_t)A.nnz * 8;
        memset(blank.values, 0, (size_t)A.nnz * spg_type_size(all[t]));
        int64_t *zeros = calloc(1, map_bytes), *map = test_lend(zeros, map_bytes);
        test_to_place(context, &A, &here);
        test_to_place(context, &blank, &turned);
        assert_int_equal(backend->transpose_map(context, &here, &turned, map), SPG_OK);
        assert_int_equal(backend->gather_values(context, &here, map, &turned), SPG_OK);
        test_to_host(context, &turned, &back);
        test_assert_same_csr(&back, &transpose);
        test_give_back(map, map_bytes);
        free(zeros);
        spg_csr_free(context, &here);
        spg_csr_free(context, &turned);
        spg_csr_free(test_host(), &A);
        spg_csr_free(test_host(), &transpose);
        spg_csr_free(test_host(), &blank);
        spg_csr_free(test_host(), &back);
    }
    spg_context_destroy(context);
}

static known_spectrum room_for_spectrum(const spg_csr *A)
{
    known_spectrum known = {.vector = calloc((size_t)A->rows, sizeof(float)), .rho = -1};
    assert_non_null(known.vector);
    return known;
}

static void an_invariant_space_ends_the_steps(void **state)
{
    (void)state;
    const int32_t rows[] = {0, 0, 1, 1, 2}, columns[] = {0, 1, 0, 1, 2};
    const double values[] = {2, 1, 1, 2, 5}; /* D^-1 A: 1.5, 0.5 and 1 */
    spg_csr A = test_from_triples(3, 5, rows, columns, values, SPG_F64);
    spg_context *context = test_context_at_place(2);
    assert_true(fabs(spectral_radius(context, &A, 100, 1) - 1.5) < 1e-6);
    known_spectrum known = room_for_spectrum(&A);
    assert_true(fabs(find_spectral_radius(context, &A, 100, 1, &known, true) - 1.5) < 1e-6);
    for (int i = 0; i < 3; i++) assert_true(isfinite(known.vector[i]));
    assert_true(fabs(find_spectral_radius(context, &A, 100, 1, &known, false) - 1.5) < 1e-5); /* by floats, it may be */
    free(known.vector);
    spg_csr_free(test_host(), &A);
    spg_context_destroy(context);
}

/* A grid and, before it, a row that has no entries and a row without a diagonal: as of the grid alone. */
static void rows_without_a_diagonal_do_not_count(void **state)
{
    (void)state;
    spg_csr A = test_generate("fd2d5:12", SPG_F64), B;
    const int64_t ahead = 2;
    assert_int_equal(spg_csr_alloc(test_host(), A.rows + ahead, A.rows + ahead, A.nnz + 1, SPG_I64, SPG_F64, &B),
                     SPG_OK);
    int64_t *offsets = B.row_offsets;
    offsets[0] = offsets[1] = 0;
    B.columns[0] = 0;
    ((double *)B.values)[0] = 1;
    for (int64_t i = 0; i <= A.rows; i++) offsets[i + ahead] = 1 + test_offset(&A, i);
    for (int64_t k = 0; k < A.nnz; k++) {
        B.columns[k + 1] = A.columns[k] + (int32_t)ahead;
        ((double *)B.values)[k + 1] = test_real(&A, k);
    }
    spg_context *context = test_context_at_place(2);
    const double truth = 1 + cos(acos(-1) / 13), rho = spectral_radius(context, &B, 60, 3);
    assert_true(fabs(rho - truth) <= 1e-10);
    spg_csr_free(test_host(), &A);
    spg_csr_free(test_host(), &B);
    spg_context_destroy(context);
}

/* Of the same matrix, few steps from the vector find what many more from random bits do. */
static void a_known_vector_is_gone_on_from(void **state)
{
    (void)state;
    const char *const names[] = {"fd3d7:13", "fd2d5:40", "fe3d27:12", "tri2d:30"};
    for (int run = 0; run < 8; run++) {
        spg_context *context = test_context_at_place(2);
        spg_csr A = test_generate(names[run / 2], types[run % 2]);
        known_spectrum known = room_for_spectrum(&A);
        const double rho = spectral_radius(context, &A, 15, 0);
        assert_true(find_spectral_radius(context, &A, 15, 0, &known, true) == rho && known.rho == rho);
        const double again = find_spectral_radius(context, &A, 15, 0, &known, false);
        if (!(again >= 0.995 * rho && spectral_radius(context, &A, 4, 0) < 0.99 * again))
            fail_msg("%s: %.17g from the known vector, %.17g before it", names[run / 2], again, rho);
        assert_true(known.rho == rho && find_spectral_radius(context, &A, 15, 0, &known, false) == again);
        free(known.vector);
        spg_csr_free(test_host(), &A);
        spg_context_destroy(context);
    }
}

/* No vector is made where Lanczos does not apply, and what lies in its place is not gone on from. */
static void nothing_is_known_where_lanczos_does_not_apply(void **state)
{
    (void)state;
    spg_context *context = test_context_at_place(2);
    spg_csr A = test_generate("fd2d5:30", SPG_F64);
    known_spectrum known = room_for_spectrum(&A);
    const double rho = spectral_radius(context, &A, 15, 0);
    for (int64_t k = 0; k < A.nnz; k++) ((double *)A.values)[k] *= -1;
    assert_true(find_spectral_radius(context, &A, 15, 0, &known, true) == 2 && known.rho == 0);
    for (int64_t k = 0; k < A.nnz; k++) ((double *)A.values)[k] *= -1;
    const double again = find_spectral_radius(context, &A, 15, 0, &known, false); /* by floats, it may be */
    assert_true(fabs(again - rho) <= 1e-5 * rho && known.rho == 0);
    free(known.vector);
    spg_csr_free(test_host(), &A);
    spg_context_destroy(context);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inverses_are_those_of_the_sums_of_diagonal_entries),
        cmocka_unit_test(inverses_that_are_not_finite_are_zero),
        cmocka_unit_test(inverses_of_a_row_far_longer_than_the_others),
        cmocka_unit_test(enough_steps_find_the_spectral_radius_to_rounding),
        cmocka_unit_test(rows_without_a_diagonal_do_not_count),
        cmocka_unit_test(a_known_vector_is_gone_on_from),
        cmocka_unit_test(nothing_is_known_where_lanczos_does_not_apply),
        cmocka_unit_test(an_invariant_space_ends_the_steps),
        cmocka_unit_test(where_lanczos_does_not_apply_the_largest_row_sum_bounds_the_radius),
        cmocka_unit_test(where_a_square_overflows_the_largest_row_sum_bounds_the_radius),
        cmocka_unit_test(a_map_of_a_transpose_gathers_its_values),
    };
    return TEST_RUN_HERE(argc, argv, "amg numbers", tests);
}
