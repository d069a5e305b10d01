/* Products, Galerkin products, and their plans within workspace limits. */
#include "matrices_for_tests.h"
#include "place.h"
#include "workspace_limits.h"

#include "spg/amg.h"

#include <stdlib.h>

/* A is square. */
typedef struct operands {
    spg_csr A, P, R;
} operands;

static spg_status product(spg_context *context, void *of, test_made *made)
{
    operands *o = of;
    return spgemm_csr(context, &o->A, &o->P, &made->csr);
}

static spg_status square(spg_context *context, void *of, test_made *made)
{
    operands *o = of;
    return spgemm_csr(context, &o->A, &o->A, &made->csr);
}

static spg_status plan(spg_context *context, void *of, test_made *made)
{
    operands *o = of;
    return spgemm_plan_create(context, &o->A, &o->P, (spgemm_plan **)&made->handle);
}

static spg_status plan_of_square(spg_context *context, void *of, test_made *made)
{
    operands *o = of;
    return spgemm_plan_create(context, &o->A, &o->A, (spgemm_plan **)&made->handle);
}

static spg_status galerkin(spg_context *context, void *of, test_made *made)
{
    operands *o = of;
    return spg_galerkin(context, NULL, &o->A, &o->P, &made->csr);
}

static spg_status galerkin_of_R(spg_context *context, void *of, test_made *made)
{
    operands *o = of;
    return spg_galerkin(context, &o->R, &o->A, &o->P, &made->csr);
}

static spg_status galerkin_plan(spg_context *context, void *of, test_made *made)
{
    operands *o = of;
    return spg_galerkin_plan_create(context, NULL, &o->A, &o->P, (spg_galerkin_plan **)&made->handle);
}

static spg_status galerkin_plan_of_R(spg_context *context, void *of, test_made *made)
{
    operands *o = of;
    return spg_galerkin_plan_create(context, &o->R, &o->A, &o->P, (spg_galerkin_plan **)&made->handle);
}

static void drop_matrix(spg_context *context, test_made *made) { spg_csr_free(context, &made->csr); }

static void drop_plan(spg_context *context, test_made *made)
{
    (void)context;
    spgemm_plan_destroy(made->handle);
}

static void drop_galerkin_plan(spg_context *context, test_made *made)
{
    (void)context;
    spg_galerkin_plan_destroy(made->handle);
}

static const test_limited_call calls[] = {{"A*P", product, drop_matrix},
                                          {"A*A", square, drop_matrix},
                                          {"a plan of A*P", plan, drop_plan},
                                          {"a plan of A*A", plan_of_square, drop_plan},
                                          {"P^T*A*P", galerkin, drop_matrix},
                                          {"R*A*P", galerkin_of_R, drop_matrix},
                                          {"a plan of P^T*A*P", galerkin_plan, drop_galerkin_plan},
                                          {"a plan of R*A*P", galerkin_plan_of_R, drop_galerkin_plan}};

/* Matrices in test_host(); frees them. */
static void hold_all_to_limits(spg_csr *A, spg_csr *P)
{
    spg_csr R;
    operands o;
    assert_int_equal(spg_csr_transpose(test_host(), P, &R), SPG_OK);
    const int most = test_place() == SPG_PLACE_HOST ? 3 : 1;
    for (int threads = test_is_short() ? most : 1; threads <= most; threads += 2) {
        spg_context *context = test_context_at_place(threads);
        test_to_place(context, A, &o.A);
        test_to_place(context, P, &o.P);
        test_to_place(context, &R, &o.R);
        for (size_t c = 0; c < sizeof calls / sizeof *calls; ++c) test_hold_to_limits(context, &calls[c], &o);
        spg_csr_free(context, &o.A);
        spg_csr_free(context, &o.P);
        spg_csr_free(context, &o.R);
        spg_context_destroy(context);
    }
    spg_csr_free(test_host(), A);
    spg_csr_free(test_host(), P);
    spg_csr_free(test_host(), &R);
}

static spg_csr random_matrix(int64_t rows, int64_t cols, double mean, spg_type offset_type, spg_type type,
                             unsigned flags)
{
    spg_csr matrix;
    const test_matrix of = {rows, cols, mean, offset_type, type};
    test_random_csr(test_host(), of, (uint64_t)(rows + cols) + (uint64_t)mean, flags, &matrix);
    return matrix;
}

/* Row i with lengths[i % kinds] entries, in ascending columns from a random one on. */
static spg_csr matrix_of_lengths(int64_t rows, int64_t cols, const int64_t *lengths, int64_t kinds, spg_type type)
{
    spg_csr matrix;
    uint64_t state = 5;
    int64_t nnz = 0;
    for (int64_t i = 0; i < rows; ++i) nnz += lengths[i % kinds];
    assert_int_equal(spg_csr_alloc(test_host(), rows, cols, nnz, SPG_I32, type, &matrix), SPG_OK);
    int32_t *offsets = matrix.row_offsets;
    for (int64_t i = 0; i < rows; ++i) {
        const int64_t length = lengths[i % kinds], step = cols / (length > 0 ? length : 1);
        offsets[i + 1] = offsets[i] + (int32_t)length;
        for (int64_t k = 0; k < length; ++k)
            matrix.columns[offsets[i] + k] = (int32_t)(k * step + (int64_t)(test_random(&state) % (uint64_t)step));
    }
    test_random_values(7, 0, type, nnz, matrix.values);
    return matrix;
}

static void matrices_without_entries(void **state)
{
    (void)state;
    static const int64_t sizes[][2] = {{1, 39}, {24, 39}, {500, 3}, {0, 5}, {3000, 700}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
        spg_csr A = random_matrix(sizes[k][0], sizes[k][0], 0, SPG_I64, SPG_C32, 0);
        spg_csr P = random_matrix(sizes[k][0], sizes[k][1], 0, SPG_I64, SPG_C32, 0);
        hold_all_to_limits(&A, &P);
    }
}

static void short_rows(void **state)
{
    (void)state;
    spg_csr A = random_matrix(2000, 2000, 4, SPG_I32, SPG_F64, 0), P = random_matrix(2000, 400, 2, SPG_I64, SPG_F64, 0);
    hold_all_to_limits(&A, &P);
}

static void unsorted_rows_with_repeated_columns(void **state)
{
    (void)state;
    const unsigned flags = TEST_UNSORTED | TEST_DUPLICATES;
    spg_csr A = random_matrix(300, 300, 20, SPG_I32, SPG_F32, flags);
    spg_csr P = random_matrix(300, 100, 9, SPG_I32, SPG_F32, flags);
    hold_all_to_limits(&A, &P);
}

static void a_few_long_rows(void **state)
{
    (void)state;
    static const int64_t lengths[] = {3, 5, 0, 2, 200, 1, 4, 4, 60, 2, 2, 400, 3, 33}, of_P[] = {1, 2, 1, 0, 40, 3};
    spg_csr A = matrix_of_lengths(560, 560, lengths, 14, SPG_F64), P = matrix_of_lengths(560, 150, of_P, 6, SPG_F64);
    hold_all_to_limits(&A, &P);
}

static void long_rows_of_complex_numbers(void **state)
{
    (void)state;
    static const int64_t lengths[] = {90, 40, 120}, of_P[] = {30, 70};
    spg_csr A = matrix_of_lengths(150, 150, lengths, 3, SPG_C64), P = matrix_of_lengths(150, 120, of_P, 2, SPG_C64);
    hold_all_to_limits(&A, &P);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_without_entries),
        cmocka_unit_test(short_rows),
        cmocka_unit_test(unsorted_rows_with_repeated_columns),
        cmocka_unit_test(a_few_long_rows),
        cmocka_unit_test(long_rows_of_complex_numbers),
    };
    return TEST_RUN_HERE(argc, argv, "product_limits", tests);
}
