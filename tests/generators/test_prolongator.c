/* Prolongators against their definition, written out densely; their bits; and what is refused. */
#include "fault.h"
#include "generator_support.h"
#include "matrices_for_tests.h"
#include "test_support.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

static spg_csr prolongate(const spg_csr *A)
{
    spg_csr P;
    if (generate_prolongator(context, A, &P) != SPG_OK) fail_msg("%s", spg_context_message(context));
    return P;
}

/* aggregates[i] by the rule of generators.h, the rest joining their first neighbour of the first pass. */
static int64_t aggregate_by_definition(const spg_csr *A, int64_t *aggregates)
{
    int64_t count = 0, n = A->rows;
    for (int64_t i = 0; i < n; i++) aggregates[i] = -1;
    for (int64_t i = 0; i < n; i++) {
        bool is_free = aggregates[i] < 0;
        for (int64_t k = test_offset(A, i); k < test_offset(A, i + 1); k++)
            is_free = is_free && aggregates[A->columns[k]] < 0;
        for (int64_t k = test_offset(A, i); is_free && k < test_offset(A, i + 1); k++)
            aggregates[A->columns[k]] = count;
        if (is_free) aggregates[i] = count++;
    }
    int64_t *first_pass = calloc((size_t)n + 1, sizeof *first_pass);
    assert_non_null(first_pass);
    for (int64_t i = 0; i < n; i++) first_pass[i] = aggregates[i];
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = test_offset(A, i); k < test_offset(A, i + 1) && aggregates[i] < 0; k++)
            aggregates[i] = first_pass[A->columns[k]];
    free(first_pass);
    return count;
}

typedef struct dense_row {
    bool *is_entry;
    double complex *values;
    double scale; /* of rounding errors */
} dense_row;

/* Row i of P, in columns 0..count-1, which are cleared first. */
static void prolongate_by_definition(const spg_csr *A, const int64_t *aggregates, int64_t count, int64_t i,
                                     dense_row *row)
{
    double complex diagonal = 0.0;
    double size = 0.0;
    for (int64_t a = 0; a < count; a++) row->is_entry[a] = false, row->values[a] = 0.0;
    for (int64_t k = test_offset(A, i); k < test_offset(A, i + 1); k++) {
        double complex value = real_part(A, k) + imaginary_part(A, k) * I;
        row->is_entry[aggregates[A->columns[k]]] = true;
        row->values[aggregates[A->columns[k]]] += value;
        if (A->columns[k] == i) diagonal += value;
        size += cabs(value);
    }
    double complex factor = diagonal != 0.0 ? 2.0 / 3.0 / diagonal : 0.0;
    for (int64_t a = 0; a < count; a++) row->values[a] *= -factor;
    row->is_entry[aggregates[i]] = true;
    row->values[aggregates[i]] += 1.0;
    row->scale = 1.0 + size * cabs(factor) * (double)(test_offset(A, i + 1) - test_offset(A, i) + 4);
}

static void assert_is_prolongator(const spg_csr *A, const spg_csr *P)
{
    int64_t *aggregates = calloc((size_t)A->rows + 1, sizeof *aggregates);
    assert_non_null(aggregates);
    int64_t count = aggregate_by_definition(A, aggregates), entries = 0;
    dense_row row = {calloc((size_t)count + 1, sizeof(bool)), calloc((size_t)count + 1, sizeof(double complex)), 0.0};
    assert_true(row.is_entry != NULL && row.values != NULL);
    assert_int_equal(P->rows, A->rows);
    assert_int_equal(P->cols, count);
    assert_int_equal(P->value_type, A->value_type);
    assert_int_equal(P->offset_type, A->offset_type);
    assert_int_equal(spg_csr_check(context, P), SPG_OK);
    bool is_single = A->value_type == SPG_F32 || A->value_type == SPG_C32;
    for (int64_t i = 0; i < A->rows; i++) {
        prolongate_by_definition(A, aggregates, count, i, &row);
        for (int64_t a = 0; a < count; a++) {
            if (!row.is_entry[a]) continue;
            assert_true(entries < test_offset(P, i + 1) && P->columns[entries] == a);
            double complex value = real_part(P, entries) + imaginary_part(P, entries) * I;
            double bound = 8.0 * DBL_EPSILON * row.scale + (is_single ? FLT_EPSILON * cabs(row.values[a]) : 0.0);
            assert_true(cabs(value - row.values[a]) <= bound);
            entries++;
        }
        assert_int_equal(entries, test_offset(P, i + 1));
    }
    free(row.values);
    free(row.is_entry);
    free(aggregates);
}

static void prolongators_of_generated_matrices_follow_the_definition(void **state)
{
    (void)state;
    static const int64_t sizes[] = {0, 1, 2, 7};
    for (int g = 0; g < BASE_NAMES; g++)
        for (size_t s = 0; s < LENGTH(sizes); s++)
            for (size_t t = 0; t < LENGTH(value_types); t++) {
                spg_csr A = make_sized(base_names[g].name, sizes[s], 11, value_types[t]), P = prolongate(&A);
                assert_is_prolongator(&A, &P);
                spg_csr_free(context, &P);
                spg_csr_free(context, &A);
            }
}

/* Rows without entries, without a diagonal, with one that is zero or negative; 64-bit offsets. */
static void prolongators_of_any_square_matrix_follow_the_definition(void **state)
{
    (void)state;
    static const unsigned flags[] = {0, TEST_UNSORTED, TEST_DUPLICATES | TEST_UNSORTED | TEST_INTEGER};
    for (uint64_t seed = 0; seed < 60; seed++) {
        spg_csr A;
        test_random_csr(
            context,
            (test_matrix){150, 150, (double)(seed % 12), seed % 2 == 0 ? SPG_I32 : SPG_I64, value_types[seed / 2 % 4]},
            seed, flags[seed % LENGTH(flags)], &A);
        spg_csr P = prolongate(&A);
        assert_is_prolongator(&A, &P);
        spg_csr_free(context, &P);
        spg_csr_free(context, &A);
    }
}

/* (I - w D^-1 A) T 1 = 1 - w D^-1 A 1. */
static void rows_that_sum_to_zero_interpolate_constants_exactly(void **state)
{
    (void)state;
    static const char *const names[] = {"fd2d5:30", "fe2d9:30",  "fd3d7:9",   "fe3d27:9", "tri2d:70",
                                        "tet3d:17", "elast3d:8", "econ:5000", "rmat9"};
    for (size_t i = 0; i < LENGTH(names); i++) {
        spg_csr A = make(names[i], 1, SPG_F64), P = prolongate(&A);
        for (int64_t row = 0; row < A.rows; row++) {
            double sum = 0.0, diagonal = 0.0, interpolated = 0.0;
            for (int64_t k = test_offset(&A, row); k < test_offset(&A, row + 1); k++) {
                sum += real_part(&A, k);
                if (A.columns[k] == row) diagonal = real_part(&A, k);
            }
            for (int64_t k = test_offset(&P, row); k < test_offset(&P, row + 1); k++) interpolated += real_part(&P, k);
            assert_true(fabs(interpolated - (1.0 - 2.0 / 3.0 * sum / diagonal)) < 1e-12);
        }
        spg_csr_free(context, &P);
        spg_csr_free(context, &A);
    }
}

static void default_sizes_have_known_aggregates(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t aggregates, nnz;
    } known[] = {{"fd2d5", 175104, 2619476}, {"fd3d7", 129684, 3737992}, {"tri2d", 99991, 2564007},
                 {"elast3d", 900, 277446},   {"econ", 19858, 1043531},   {"rmat16", 27204, 165625}};
    for (size_t i = 0; i < LENGTH(known); i++) {
        spg_csr A = make(known[i].name, 1, SPG_F32), P = prolongate(&A);
        assert_int_equal(P.cols, known[i].aggregates);
        assert_int_equal(P.nnz, known[i].nnz);
        spg_csr_free(context, &P);
        spg_csr_free(context, &A);
    }
}

static void fixed_seeds_give_fixed_bits(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t f64, c32;
    } known[] = {
        {"fd2d5:17", 0x4771408d02f6104e, 0x86c2a917bc996614},
        {"fe2d9:17", 0xf753be8782a359b9, 0x376f84c1c316ffaa},
        {"fd3d7:7", 0xfb790d13fb4911b4, 0x4cf33a836059a82f},
        {"fe3d27:7", 0x642a193513a8d2c5, 0x5aef8db7b6a6ad32},
        {"tri2d:70", 0x6771dd63da36fbdf, 0xff7da022c209ff3d},
        {"tet3d:18", 0x778813f1d81c0394, 0xfeb3a024ace16e57},
        {"elast3d:5", 0xf9fc1b72b1c33f67, 0xf152655d16de5d4f},
        {"econ:5000", 0x583a0864745480d6, 0x6288dcad918461e1},
        {"rmat9", 0x2fb1de44e5c52b14, 0xc42da41b7e846e62},
        {"random:700", 0x045b226f02ed1fe6, 0x43d57bd9e9aca62b},
        {"arrow:40", 0xdea7fad971245881, 0xfd808da7eda2fee4},
        {"empty:5", 0xe25c6e7682c9477d, 0x07a20d60824e899d},
        {"hypersparse:3000", 0xa262c58c824157ef, 0xbf999db55233c178},

    };
    for (size_t i = 0; i < LENGTH(known); i++) {
        uint64_t sums[2];
        for (int type = 0; type < 2; type++) {
            spg_csr A = make(known[i].name, 1, type == 0 ? SPG_F64 : SPG_C32), P = prolongate(&A);
            sums[type] = checksum(&P);
            spg_csr_free(context, &P);
            spg_csr_free(context, &A);
        }
        if (sums[0] != known[i].f64 || sums[1] != known[i].c32)
            fail_msg("%s: 0x%016llx, 0x%016llx", known[i].name, (unsigned long long)sums[0],
                     (unsigned long long)sums[1]);
    }
}

static void complex_diagonals_as_large_and_small_as_doubles_get_are_divided_by(void **state)
{
    (void)state;
    static const double scales[] = {1.0, 1e-300, 1e300};
    for (size_t i = 0; i < LENGTH(scales); i++) {
        int32_t offsets[] = {0, 1}, columns[] = {0};
        double values[] = {3.0 * scales[i], 4.0 * scales[i]};
        spg_csr A = {.rows = 1,
                     .cols = 1,
                     .nnz = 1,
                     .offset_type = SPG_I32,
                     .value_type = SPG_C64,
                     .place = SPG_PLACE_HOST,
                     .row_offsets = offsets,
                     .columns = columns,
                     .values = values};
        spg_csr P = prolongate(&A);
        assert_true(fabs(real_part(&P, 0) - 1.0 / 3.0) < 1e-15 && fabs(imaginary_part(&P, 0)) < 1e-15);
        spg_csr_free(context, &P);
    }
}

static void matrices_that_have_no_prolongator_are_refused(void **state)
{
    (void)state;
    spg_csr P, oblong, broken = make("fd2d5:4", 1, SPG_F64);
    test_random_csr(context, (test_matrix){4, 5, 2.0, SPG_I32, SPG_F64}, 1, 0, &oblong);
    assert_int_equal(generate_prolongator(context, &oblong, &P), SPG_ERROR_SHAPE);
    test_assert_message(context, "4 x 5");
    test_assert_zeroed(&P, sizeof P);
    broken.columns[7] = 16;
    assert_int_equal(generate_prolongator(context, &broken, &P), SPG_ERROR_FORMAT);
    test_assert_zeroed(&P, sizeof P);
    assert_int_equal(generate_prolongator(context, NULL, &P), SPG_ERROR_ARGUMENT);
    assert_int_equal(generate_prolongator(context, &broken, NULL), SPG_ERROR_ARGUMENT);
    assert_int_equal(generate_prolongator(NULL, &broken, &P), SPG_ERROR_ARGUMENT);
    spg_csr_free(context, &broken);
    spg_csr_free(context, &oblong);
}

static void a_refused_allocation_leaves_nothing_behind(void **state)
{
    (void)state;
    test_allocator memory;
    spg_context *faulty = test_faulty_context(&memory, 1, 0);
    spg_csr A = make("rmat6", 1, SPG_F64), P;
    for (int64_t k = 1;; k++) {
        test_fail_at(&memory, k);
        spg_status status = generate_prolongator(faulty, &A, &P);
        if (!test_failed(&memory)) break;
        assert_int_equal(status, SPG_ERROR_MEMORY);
        assert_int_equal(test_live(&memory), 0);
        test_assert_zeroed(&P, sizeof P);
    }
    spg_csr_free(faulty, &P);
    spg_context_destroy(faulty);
    for (int64_t k = 1;; k++) {
        fail_malloc_at(k);
        spg_status status = generate_prolongator(context, &A, &P);
        if (!malloc_failed()) break;
        assert_int_equal(status, SPG_ERROR_MEMORY);
        assert_int_equal(live_mallocs(), 0);
        test_assert_zeroed(&P, sizeof P);
    }
    fail_malloc_at(0);
    spg_csr_free(context, &P);
    spg_csr_free(context, &A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prolongators_of_generated_matrices_follow_the_definition),
        cmocka_unit_test(prolongators_of_any_square_matrix_follow_the_definition),
        cmocka_unit_test(rows_that_sum_to_zero_interpolate_constants_exactly),
        cmocka_unit_test(default_sizes_have_known_aggregates),
        cmocka_unit_test(fixed_seeds_give_fixed_bits),
        cmocka_unit_test(complex_diagonals_as_large_and_small_as_doubles_get_are_divided_by),
        cmocka_unit_test(matrices_that_have_no_prolongator_are_refused),
        cmocka_unit_test(a_refused_allocation_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, create_context, destroy_context);
}
