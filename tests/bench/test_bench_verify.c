/* The bench's oracle: right results pass, and every way to be wrong is caught. */
#include "matrices_for_tests.h"
#include "test_support.h"
#include "verify.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static spg_context *context;
static spg_csr A, B, C;
static oracle *truth;

static void make_product(spg_type offset_type, spg_type value_type)
{
    test_random_csr(context, (test_matrix){300, 200, 5.0, offset_type, value_type}, 1, 0, &A);
    test_random_csr(context, (test_matrix){200, 250, 4.0, offset_type, value_type}, 2, 0, &B);
    assert_int_equal(spgemm_csr(context, &A, &B, &C), SPG_OK);
    assert_int_equal(oracle_create(context, &A, &B, 2, &truth), SPG_OK);
    assert_true(C.nnz > 1000);
}

static void free_product(void)
{
    oracle_destroy(truth);
    truth = NULL;
    spg_csr_free(context, &A);
    spg_csr_free(context, &B);
    spg_csr_free(context, &C);
}

static int set_up(void **state)
{
    (void)state;
    spg_config config = spg_config_default();
    config.place = SPG_PLACE_HOST;
    return spg_context_create(&config, &context) == SPG_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    free_product();
    spg_context_destroy(context);
    return 0;
}

static csr_view view_of(const spg_csr *matrix)
{
    return (csr_view){.rows = matrix->rows,
                      .cols = matrix->cols,
                      .nnz = matrix->nnz,
                      .offset_type = matrix->offset_type,
                      .column_type = SPG_I32,
                      .value_type = matrix->value_type,
                      .row_offsets = matrix->row_offsets,
                      .columns = matrix->columns,
                      .values = matrix->values};
}

static verdict check(bool sorted)
{
    const csr_view view = view_of(&C);
    verdict result;
    assert_int_equal(oracle_check(context, truth, &view, sorted, &result), SPG_OK);
    return result;
}

static void assert_caught(const char *words)
{
    const verdict result = check(true);
    assert_false(result.right);
    if (strstr(result.fault, words) == NULL) fail_msg("'%s' lacks '%s'", result.fault, words);
}

/* The first row of C with two entries or more. */
static int64_t long_row(void)
{
    for (int64_t i = 0; i < C.rows; i++)
        if (row_offset(&C, i + 1) - row_offset(&C, i) >= 2) return i;
    fail_msg("no row of two entries");
    return 0;
}

static void right_products_of_every_type_are_accepted(void **state)
{
    (void)state;
    for (spg_type value_type = SPG_F32; value_type <= SPG_C64; value_type++) {
        for (spg_type offset_type = SPG_I32; offset_type <= SPG_I64; offset_type++) {
            make_product(offset_type, value_type);
            const verdict result = check(true);
            if (!result.right) fail_msg("%s: %s", spg_type_name(value_type), result.fault);
            assert_true(result.max_error <= 1.0);
            assert_int_equal(oracle_nnz(truth), C.nnz);
            free_product();
        }
    }
}

static void the_oracle_counts_the_products(void **state)
{
    (void)state;
    make_product(SPG_I32, SPG_F64);
    spgemm_stats stats;
    assert_int_equal(spgemm_last_stats(context, &stats), SPG_OK);
    assert_int_equal(oracle_products(truth), stats.products);
}

static void values_are_those_of_a_product_done_by_hand(void **state)
{
    (void)state;
    /* [1 2; 0 3] * [4 0; 5 -1] = [14 -2; 15 -3] */
    int32_t a_offsets[] = {0, 2, 3}, a_columns[] = {0, 1, 1}, b_offsets[] = {0, 1, 3}, b_columns[] = {0, 0, 1};
    double a_values[] = {1, 2, 3}, b_values[] = {4, 5, -1};
    int32_t offsets[] = {0, 2, 4}, columns[] = {0, 1, 0, 1};
    double right[] = {14, -2, 15, -3}, wrong[] = {14, -2, 15, -3.0000000001};
    const spg_csr left = {2, 2, 3, SPG_I32, SPG_F64, SPG_PLACE_HOST, a_offsets, a_columns, a_values};
    const spg_csr other = {2, 2, 3, SPG_I32, SPG_F64, SPG_PLACE_HOST, b_offsets, b_columns, b_values};
    csr_view view = {2, 2, 4, SPG_I32, SPG_I32, SPG_F64, offsets, columns, right, SPG_PLACE_HOST};
    verdict result;
    assert_int_equal(oracle_create(context, &left, &other, 1, &truth), SPG_OK);
    assert_int_equal(oracle_products(truth), 5);
    assert_int_equal(oracle_check(context, truth, &view, true, &result), SPG_OK);
    assert_true(result.right);
    view.values = wrong;
    assert_int_equal(oracle_check(context, truth, &view, true, &result), SPG_OK);
    assert_false(result.right);
    assert_non_null(strstr(result.fault, "row 1, column 1"));
}

static void entries_that_cancel_must_stay(void **state)
{
    (void)state;
    int32_t a_offsets[] = {0, 2}, a_columns[] = {0, 1}, b_offsets[] = {0, 1, 2}, b_columns[] = {0, 0};
    double a_values[] = {1, -1}, b_values[] = {1, 1}, zero[] = {0};
    int32_t kept[] = {0, 1}, dropped[] = {0, 0}, columns[] = {0};
    const spg_csr left = {1, 2, 2, SPG_I32, SPG_F64, SPG_PLACE_HOST, a_offsets, a_columns, a_values};
    const spg_csr other = {2, 1, 2, SPG_I32, SPG_F64, SPG_PLACE_HOST, b_offsets, b_columns, b_values};
    csr_view view = {1, 1, 1, SPG_I32, SPG_I32, SPG_F64, kept, columns, zero, SPG_PLACE_HOST};
    verdict result;
    assert_int_equal(oracle_create(context, &left, &other, 1, &truth), SPG_OK);
    assert_int_equal(oracle_check(context, truth, &view, true, &result), SPG_OK);
    assert_true(result.right);
    view.row_offsets = dropped;
    view.nnz = 0;
    assert_int_equal(oracle_check(context, truth, &view, true, &result), SPG_OK);
    assert_false(result.right);
}

/* A bound 1000 times wider would let this pass: the errors of a row are a few eps of its values. */
static void a_value_off_by_a_few_hundred_eps_is_caught(void **state)
{
    (void)state;
    make_product(SPG_I32, SPG_F64);
    double *values = C.values;
    int64_t largest = 0;
    for (int64_t k = 0; k < C.nnz; k++)
        if (fabs(values[k]) > fabs(values[largest])) largest = k;
    values[largest] *= 1.0 + 400.0 * DBL_EPSILON;
    assert_caught("the value is wrong");
    assert_true(check(true).max_error > 1.0);
}

static void a_value_that_is_no_number_is_caught(void **state)
{
    (void)state;
    make_product(SPG_I32, SPG_C64);
    ((double *)C.values)[2 * (C.nnz / 2) + 1] = NAN;
    assert_caught("the value is wrong");
}

static void a_missing_entry_is_caught(void **state)
{
    (void)state;
    make_product(SPG_I32, SPG_F64);
    int32_t *offsets = C.row_offsets;
    for (int64_t i = long_row() + 1; i <= C.rows; i++) offsets[i]--;
    C.nnz--;
    assert_caught("entries, not as many");
}

static void an_entry_of_another_column_is_caught(void **state)
{
    (void)state;
    make_product(SPG_I32, SPG_F64);
    const int64_t row = long_row(), k = row_offset(&C, row);
    const int32_t column = C.columns[k];
    int32_t free_column = 0;
    for (int64_t other = k; other < row_offset(&C, row + 1); other++)
        if (C.columns[other] == free_column) free_column++;
    C.columns[k] = free_column;
    assert_int_not_equal(free_column, column);
    assert_caught("not in the oracle");
}

static void a_column_there_twice_is_caught(void **state)
{
    (void)state;
    make_product(SPG_I32, SPG_F64);
    const int64_t k = row_offset(&C, long_row());
    C.columns[k + 1] = C.columns[k];
    ((double *)C.values)[k + 1] = ((double *)C.values)[k];
    assert_caught("or there twice");
}

static void a_column_out_of_range_is_caught(void **state)
{
    (void)state;
    make_product(SPG_I32, SPG_F64);
    C.columns[C.nnz - 1] = (int32_t)C.cols;
    assert_caught("not in the oracle");
    C.columns[C.nnz - 1] = -1;
    assert_caught("not in the oracle");
}

static void columns_out_of_order_are_caught_where_order_is_promised(void **state)
{
    (void)state;
    make_product(SPG_I32, SPG_F64);
    const int64_t k = row_offset(&C, long_row());
    const int32_t column = C.columns[k];
    const double value = ((double *)C.values)[k];
    C.columns[k] = C.columns[k + 1];
    ((double *)C.values)[k] = ((double *)C.values)[k + 1];
    C.columns[k + 1] = column;
    ((double *)C.values)[k + 1] = value;
    assert_caught("not in order");
    assert_true(check(false).right);
}

static void offsets_that_fall_or_end_elsewhere_are_caught(void **state)
{
    (void)state;
    make_product(SPG_I64, SPG_F32);
    int64_t *offsets = C.row_offsets;
    const int64_t row = long_row(), kept = offsets[row + 1];
    offsets[row + 1] = offsets[row] - 1;
    assert_caught("the offsets fall");
    offsets[row + 1] = kept;
    C.nnz--;
    assert_caught("from 0 to nnz");
}

static void another_shape_or_type_is_caught(void **state)
{
    (void)state;
    make_product(SPG_I32, SPG_F64);
    C.cols++;
    assert_caught("shape");
    C.cols--;
    C.value_type = SPG_F32;
    assert_caught("type");
    C.value_type = SPG_F64;
}

static void products_without_rows_or_entries_are_accepted(void **state)
{
    (void)state;
    const int64_t sizes[][3] = {{0, 3, 2}, {3, 0, 2}, {3, 2, 0}, {0, 0, 0}, {5, 5, 5}};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        assert_int_equal(spg_csr_alloc(context, sizes[k][0], sizes[k][1], 0, SPG_I32, SPG_F64, &A), SPG_OK);
        assert_int_equal(spg_csr_alloc(context, sizes[k][1], sizes[k][2], 0, SPG_I32, SPG_F64, &B), SPG_OK);
        assert_int_equal(spgemm_csr(context, &A, &B, &C), SPG_OK);
        assert_int_equal(oracle_create(context, &A, &B, 2, &truth), SPG_OK);
        assert_true(check(true).right);
        free_product();
    }
}

/* Sums that overflow: in double, and in float where the oracle's do not. */
static void infinite_sums_are_accepted_where_sums_overflow(void **state)
{
    (void)state;
    for (spg_type value_type = SPG_F32; value_type <= SPG_C64; value_type++) {
        const bool is_single = value_type == SPG_F32 || value_type == SPG_C32;
        const double large = is_single ? 1e30 : 1e300;
        test_random_csr(context, (test_matrix){60, 60, 5.0, SPG_I32, value_type}, 1, 0, &A);
        for (int64_t k = 0; k < A.nnz * (value_type >= SPG_C32 ? 2 : 1); k++)
            if (is_single)
                ((float *)A.values)[k] *= (float)large;
            else
                ((double *)A.values)[k] *= large;
        assert_int_equal(spg_csr_copy(context, &A, &B), SPG_OK);
        assert_int_equal(spgemm_csr(context, &A, &B, &C), SPG_OK);
        assert_int_equal(oracle_create(context, &A, &B, 2, &truth), SPG_OK);
        const verdict result = check(true);
        if (!result.right) fail_msg("%s: %s", spg_type_name(value_type), result.fault);
        memset(C.values, 0, (size_t)C.nnz * spg_type_size(value_type));
        if (is_single) assert_caught("the value is wrong"); /* the oracle's sums are finite */
        free_product();
    }
}

/* C = R*(A*B), with a random R. */
static void make_galerkin_product(spg_type value_type)
{
    spg_csr R, AB;
    test_random_csr(context, (test_matrix){300, 200, 5.0, SPG_I32, value_type}, 1, 0, &A);
    test_random_csr(context, (test_matrix){200, 250, 4.0, SPG_I64, value_type}, 2, 0, &B);
    test_random_csr(context, (test_matrix){40, 300, 6.0, SPG_I32, value_type}, 3, 0, &R);
    assert_int_equal(spgemm_csr(context, &A, &B, &AB), SPG_OK);
    assert_int_equal(spgemm_csr(context, &R, &AB, &C), SPG_OK);
    assert_int_equal(oracle_create_galerkin(context, &R, &A, &B, 2, &truth), SPG_OK);
    spg_csr_free(context, &R);
    spg_csr_free(context, &AB);
}

static void right_galerkin_products_of_every_type_are_accepted(void **state)
{
    (void)state;
    for (spg_type value_type = SPG_F32; value_type <= SPG_C64; value_type++) {
        make_galerkin_product(value_type);
        const verdict result = check(true);
        if (!result.right) fail_msg("%s: %s", spg_type_name(value_type), result.fault);
        assert_int_equal(oracle_nnz(truth), C.nnz);
        free_product();
    }
}

static void a_galerkin_product_off_by_a_few_thousand_eps_is_caught(void **state)
{
    (void)state;
    make_galerkin_product(SPG_F64);
    double *values = C.values;
    values[C.nnz / 2] += 1e4 * DBL_EPSILON * fabs(values[C.nnz / 2]) + 1e-10;
    assert_caught("the value is wrong");
}

static void galerkin_products_are_counted_in_both_products(void **state)
{
    (void)state;
    /* R = [1 1], A = [1 2; 0 3], P = [1; 1]: three products, then two; C = [6] */
    int32_t r_offsets[] = {0, 2}, columns[] = {0, 1, 1}, a_offsets[] = {0, 2, 3}, p_offsets[] = {0, 1, 2};
    int32_t zeros[] = {0, 0};
    double ones[] = {1, 1}, a_values[] = {1, 2, 3}, six = 6;
    const spg_csr R = {1, 2, 2, SPG_I32, SPG_F64, SPG_PLACE_HOST, r_offsets, columns, ones};
    const spg_csr middle = {2, 2, 3, SPG_I32, SPG_F64, SPG_PLACE_HOST, a_offsets, columns, a_values};
    const spg_csr P = {2, 1, 2, SPG_I32, SPG_F64, SPG_PLACE_HOST, p_offsets, zeros, ones};
    int32_t offsets[] = {0, 1};
    const csr_view view = {1, 1, 1, SPG_I32, SPG_I32, SPG_F64, offsets, zeros, &six, SPG_PLACE_HOST};
    verdict result;
    assert_int_equal(oracle_create_galerkin(context, &R, &middle, &P, 1, &truth), SPG_OK);
    assert_int_equal(oracle_products(truth), 5);
    assert_int_equal(oracle_check(context, truth, &view, true, &result), SPG_OK);
    assert_true(result.right);
    six = 6.00000001;
    assert_int_equal(oracle_check(context, truth, &view, true, &result), SPG_OK);
    assert_false(result.right);
}

static void one_bit_of_difference_is_not_the_same_bits(void **state)
{
    (void)state;
    make_product(SPG_I32, SPG_F64);
    spg_csr copy;
    assert_int_equal(spg_csr_copy(context, &C, &copy), SPG_OK);
    const csr_view left = view_of(&C), right = view_of(&copy);
    assert_true(same_bits(&left, &right));
    ((unsigned char *)copy.values)[8 * (copy.nnz / 3)] ^= 1;
    assert_false(same_bits(&left, &right));
    spg_csr_free(context, &copy);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(right_products_of_every_type_are_accepted),
        TEST(the_oracle_counts_the_products),
        TEST(values_are_those_of_a_product_done_by_hand),
        TEST(entries_that_cancel_must_stay),
        TEST(a_value_off_by_a_few_hundred_eps_is_caught),
        TEST(a_value_that_is_no_number_is_caught),
        TEST(a_missing_entry_is_caught),
        TEST(an_entry_of_another_column_is_caught),
        TEST(a_column_there_twice_is_caught),
        TEST(a_column_out_of_range_is_caught),
        TEST(columns_out_of_order_are_caught_where_order_is_promised),
        TEST(offsets_that_fall_or_end_elsewhere_are_caught),
        TEST(another_shape_or_type_is_caught),
        TEST(products_without_rows_or_entries_are_accepted),
        TEST(infinite_sums_are_accepted_where_sums_overflow),
        TEST(right_galerkin_products_of_every_type_are_accepted),
        TEST(a_galerkin_product_off_by_a_few_thousand_eps_is_caught),
        TEST(galerkin_products_are_counted_in_both_products),
        TEST(one_bit_of_difference_is_not_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
