/* Real forms of complex matrices, against plain loops, bit for bit. */
#include "containers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static spg_type part_type(spg_type type) { return type == SPG_C32 ? SPG_F32 : SPG_F64; }

/* Part k of complex values. */
static double part(const spg_csr *A, int64_t k) { return test_element(A->values, part_type(A->value_type), k); }

/* The real form by its definition: row 2i has re, -im for each entry of row i, row 2i + 1 im, re. */
static spg_csr reference(const spg_csr *A, spg_type offset_type)
{
    const spg_type type = part_type(A->value_type);
    spg_csr R;
    assert_int_equal(spg_csr_alloc(test_host(), 2 * A->rows, 2 * A->cols, 4 * A->nnz, offset_type, type, &R), SPG_OK);
    int64_t at = 0;
    for (int64_t row = 0; row < R.rows; row++) {
        for (int64_t k = test_offset(A, row / 2); k < test_offset(A, row / 2 + 1); k++) {
            const double re = part(A, 2 * k), im = part(A, 2 * k + 1);
            R.columns[at] = 2 * A->columns[k];
            R.columns[at + 1] = 2 * A->columns[k] + 1;
            test_set_element(R.values, type, at++, row % 2 == 0 ? re : im + 0.0);
            test_set_element(R.values, type, at++, row % 2 == 0 ? 0.0 - im : re);
        }
        if (R.offset_type == SPG_I64)
            ((int64_t *)R.row_offsets)[row + 1] = at;
        else
            ((int32_t *)R.row_offsets)[row + 1] = (int32_t)at;
    }
    return R;
}

static void check_form(spg_context *context, const spg_csr *matrix)
{
    if (matrix->value_type != SPG_C32 && matrix->value_type != SPG_C64) return;
    spg_csr here, form, turned, expected = reference(matrix, matrix->offset_type);
    test_to_place(context, matrix, &here);
    assert_int_equal(spg_csr_real_form(context, &here, &form), SPG_OK);
    test_assert_fetched_csr(&form, &expected);
    spg_csr_free(context, &here);
    spg_csr_free(test_host(), &expected);

    assert_int_equal(spg_csr_copy(test_host(), matrix, &turned), SPG_OK);
    test_random_values(11, 0, matrix->value_type, matrix->nnz, turned.values);
    expected = reference(&turned, matrix->offset_type);
    test_to_place(context, &turned, &here);
    assert_int_equal(spg_csr_real_form_values(context, &here, &form), SPG_OK);
    test_assert_fetched_csr(&form, &expected);
    spg_csr_free(context, &here);
    spg_csr_free(context, &form);
    spg_csr_free(test_host(), &turned);
    spg_csr_free(test_host(), &expected);
}

static void an_entry_becomes_a_block_and_new_values_go_to_the_same_places(void **state)
{
    (void)state;
    test_for_each_csr(check_form);
}

/* x and y are read and written as they lie, as complex and as real vectors. */
static void check_product(spg_context *context, const spg_csr *matrix)
{
    if (matrix->value_type != SPG_C64) return;
    const size_t x_bytes = (size_t)matrix->cols * 16, y_bytes = (size_t)matrix->rows * 16;
    double *x = test_array(matrix->cols, 16), *one = test_array(matrix->rows, 16),
           *other = test_array(matrix->rows, 16);
    test_random_values(3, 0, SPG_C64, matrix->cols, x);
    void *here_x = test_lend(x, x_bytes), *here_y = test_lend(one, y_bytes);
    spg_csr here, form;
    test_to_place(context, matrix, &here);
    assert_int_equal(spg_csr_real_form(context, &here, &form), SPG_OK);
    assert_int_equal(spg_csr_spmv(context, NULL, &here, here_x, NULL, here_y), SPG_OK);
    test_fetch(here_y, y_bytes, one);
    assert_int_equal(spg_csr_spmv(context, NULL, &form, here_x, NULL, here_y), SPG_OK);
    test_fetch(here_y, y_bytes, other);
    for (int64_t i = 0; i < 2 * matrix->rows; i++) {
        const double terms = 2.0 * (double)(test_offset(matrix, i / 2 + 1) - test_offset(matrix, i / 2));
        assert_true(fabs(one[i] - other[i]) <= 2.3e-16 * 2 * terms * (terms + 1));
    }
    spg_csr_free(context, &here);
    spg_csr_free(context, &form);
    test_give_back(here_x, x_bytes);
    test_give_back(here_y, y_bytes);
    free(x);
    free(one);
    free(other);
}

static void its_products_are_the_complex_ones(void **state)
{
    (void)state;
    test_for_each_csr(check_product);
}

/* With zeros of both signs. */
static void that_of_a_hermitian_matrix_is_symmetric_bit_for_bit(void **state)
{
    (void)state;
    int32_t offsets[] = {0, 2, 4}, columns[] = {0, 1, 0, 1};
    double values[] = {2, -0.0, 1, 0.0, 1, 0.0, 3, 0.0}, found[16];
    const double expected[16] = {2, 0, 1, 0, 0, 2, 0, 1, 1, 0, 3, 0, 0, 1, 0, 3};
    const spg_csr A = spg_csr_view(2, 2, 4, SPG_I32, SPG_C64, SPG_PLACE_HOST, offsets, columns, values);
    spg_context *context = test_context_at_place(1);
    spg_csr here, form, back;
    test_to_place(context, &A, &here);
    assert_int_equal(spg_csr_real_form(context, &here, &form), SPG_OK);
    test_to_host(context, &form, &back);
    memcpy(found, back.values, sizeof found);
    assert_memory_equal(found, expected, sizeof found);
    spg_csr_free(context, &here);
    spg_csr_free(context, &form);
    spg_csr_free(test_host(), &back);
    spg_context_destroy(context);
}

/* A row of 2^29 entries of one column: four times as many do not fit 32 bits. */
static void offsets_become_wide_where_32_bits_do_not_suffice(void **state)
{
    (void)state;
    test_require_large(30);
    const int64_t nnz = INT64_C(1) << 29;
    spg_context *context = test_context_at_place(2);
    spg_csr A, here, form;
    assert_int_equal(spg_csr_alloc(test_host(), 1, 1, nnz, SPG_I32, SPG_C32, &A), SPG_OK);
    ((int32_t *)A.row_offsets)[1] = (int32_t)nnz;
    memset(A.columns, 0, (size_t)nnz * sizeof *A.columns);
    memset(A.values, 0, (size_t)nnz * 8);
    test_to_place(context, &A, &here);
    spg_csr_free(test_host(), &A);
    assert_int_equal(spg_csr_real_form(context, &here, &form), SPG_OK);
    int64_t offsets[3];
    test_fetch(form.row_offsets, sizeof offsets, offsets);
    assert_true(form.offset_type == SPG_I64 && offsets[1] == 2 * nnz && offsets[2] == 4 * nnz);
    assert_int_equal(spg_csr_check(context, &form), SPG_OK);
    spg_csr_free(context, &form);
    spg_csr_free(context, &here);
    spg_context_destroy(context);
}

static void refuse(spg_context *context, spg_status status, spg_status expected, const char *text)
{
    assert_int_equal(status, expected);
    test_assert_message(context, text);
}

static void other_types_sizes_and_overlaps_are_refused(void **state)
{
    (void)state;
    spg_context *context = test_context_at_place(1);
    spg_csr real, one, two, form, here, here_two, made;
    test_random_csr(test_host(), (test_matrix){5, 6, 3, SPG_I32, SPG_F64}, 1, 0, &real);
    test_random_csr(test_host(), (test_matrix){5, 6, 3, SPG_I32, SPG_C64}, 1, 0, &one);
    test_random_csr(test_host(), (test_matrix){6, 5, 3, SPG_I32, SPG_C64}, 1, 0, &two);
    test_to_place(context, &one, &here);
    test_to_place(context, &two, &here_two);
    assert_int_equal(spg_csr_real_form(context, &here, &form), SPG_OK);
    memset(&made, 0xff, sizeof made);
    spg_csr here_real;
    test_to_place(context, &real, &here_real);
    refuse(context, spg_csr_real_form(context, &here_real, &made), SPG_ERROR_ARGUMENT, "matrix holds f64");
    test_assert_zeroed(&made, sizeof made);
    refuse(context, spg_csr_real_form(context, &here, &here), SPG_ERROR_ARGUMENT, "real_form");
    refuse(context, spg_csr_real_form_values(context, &here_real, &form), SPG_ERROR_ARGUMENT, "matrix holds f64");
    refuse(context, spg_csr_real_form_values(context, &here_two, &form), SPG_ERROR_SHAPE, "real_form is 10 x 12");
    refuse(context, spg_csr_real_form_values(context, &here, &here), SPG_ERROR_ARGUMENT, "the parts of matrix are f64");
    made = form;
    made.values = here.values;
    refuse(context, spg_csr_real_form_values(context, &here, &made), SPG_ERROR_ARGUMENT, "overlap");
    spg_csr wide = here;
    wide.cols = INT64_C(1) << 30;
    refuse(context, spg_csr_real_form(context, &wide, &made), SPG_ERROR_ARGUMENT, "columns");
    assert_int_equal(spg_csr_real_form(NULL, &here, &made), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_csr_real_form_values(NULL, &here, &form), SPG_ERROR_ARGUMENT);
    one.columns[0] = 6;
    spg_csr bad;
    test_to_place(context, &one, &bad);
    refuse(context, spg_csr_real_form(context, &bad, &made), SPG_ERROR_FORMAT, "column 6");
    spg_csr *const held[] = {&form, &here, &here_two, &here_real, &bad};
    for (int k = 0; k < 5; k++) spg_csr_free(context, held[k]);
    spg_csr_free(test_host(), &real);
    spg_csr_free(test_host(), &one);
    spg_csr_free(test_host(), &two);
    spg_context_destroy(context);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_entry_becomes_a_block_and_new_values_go_to_the_same_places),
        cmocka_unit_test(its_products_are_the_complex_ones),
        cmocka_unit_test(that_of_a_hermitian_matrix_is_symmetric_bit_for_bit),
        cmocka_unit_test(offsets_become_wide_where_32_bits_do_not_suffice),
        cmocka_unit_test(other_types_sizes_and_overlaps_are_refused),
    };
    return TEST_RUN_HERE(argc, argv, "operations: real forms", tests);
}
