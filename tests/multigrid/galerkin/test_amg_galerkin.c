/* The Galerkin product: the bits of two products, exact where numbers are whole, symmetric where A is; and its plans.
 */
#include "amg_galerkin.h"
#include "fault.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

static const spg_type value_types[] = {SPG_F32, SPG_F64, SPG_C32, SPG_C64};

/* By two products and, with R NULL, a transpose, on the host. */
static spg_csr two_products(const spg_csr *R, const spg_csr *A, const spg_csr *P)
{
    spg_csr transpose = {0}, AP, C;
    if (R == NULL) assert_int_equal(spg_csr_transpose(test_host(), P, &transpose), SPG_OK);
    assert_int_equal(spgemm_csr(test_host(), A, P, &AP), SPG_OK);
    assert_int_equal(spgemm_csr(test_host(), R != NULL ? R : &transpose, &AP, &C), SPG_OK);
    spg_csr_free(test_host(), &AP);
    spg_csr_free(test_host(), &transpose);
    return C;
}

static void a_galerkin_product_has_the_bits_of_two_products(void **state)
{
    (void)state;
    const unsigned flags[] = {0, TEST_UNSORTED, TEST_DUPLICATES, TEST_UNSORTED | TEST_DUPLICATES};
    spg_context *context = test_context_at_place(2);
    for (int t = 0; t < 4; t++)
        for (int given = 0; given < 2; given++) {
            spg_csr A = random_matrix(211, 211, 6, SPG_I32, value_types[t], 1, flags[t]);
            spg_csr P = random_matrix(211, 60, 3, t % 2 ? SPG_I64 : SPG_I32, value_types[t], 2, flags[3 - t]);
            spg_csr R = random_matrix(60, 211, 4, SPG_I32, value_types[t], 3, flags[t]);
            spg_csr expected = two_products(given ? &R : NULL, &A, &P);
            spg_csr C = multiply(context, given ? &R : NULL, &A, &P);
            test_assert_same_csr(&C, &expected);
            free_all(&A, &P, &R, &expected, &C);
        }
    spg_context_destroy(context);
}

static void a_galerkin_product_of_whole_numbers_is_exact(void **state)
{
    (void)state;
    spg_context *context = test_context_at_place(2);
    spg_csr A = random_matrix(90, 90, 5, SPG_I32, SPG_F64, 4, TEST_INTEGER);
    spg_csr P = random_matrix(90, 20, 2, SPG_I32, SPG_F64, 5, TEST_INTEGER);
    spg_csr C = multiply(context, NULL, &A, &P);
    double *a = test_dense(&A), *p = test_dense(&P), *c = test_dense(&C);
    for (int g = 0; g < 20; g++)
        for (int h = 0; h < 20; h++) {
            double sum = 0;
            for (int i = 0; i < 90; i++)
                for (int j = 0; j < 90; j++) sum += p[i * 20 + g] * a[i * 90 + j] * p[j * 20 + h];
            assert_true(c[g * 20 + h] == sum);
        }
    free(a), free(p), free(c);
    free_all(&A, &P, &C, NULL, NULL);
    spg_context_destroy(context);
}

static void a_symmetric_operator_gives_a_symmetric_one_bit_for_bit(void **state)
{
    (void)state;
    spg_context *context = test_context_at_place(2);
    int unequal = 0;
    for (int t = 0; t < 2; t++) {
        spg_csr A = test_symmetric(300, 8, value_types[t], 6);
        spg_csr P = random_matrix(300, 70, 3, SPG_I32, value_types[t], 7, TEST_UNSORTED);
        spg_csr plain = two_products(NULL, &A, &P), C = multiply(context, NULL, &A, &P);
        test_assert_symmetric(&A);
        test_assert_symmetric(&C);
        const size_t size = spg_type_size(C.value_type);
        for (int64_t i = 0; i < C.rows; i++)
            for (int64_t k = test_offset(&C, i); k < test_offset(&C, i + 1); k++) {
                const bool same =
                    memcmp((char *)C.values + (size_t)k * size, (char *)plain.values + (size_t)k * size, size) == 0;
                if (C.columns[k] >= i) assert_true(same);
                unequal += !same;
            }
        test_assert_triple_product(&A, &P, &C);
        free_all(&A, &P, &plain, &C, NULL);
    }
    assert_true(unequal > 0); /* else the products would have done */
    spg_context_destroy(context);
}

/* A with one more entry, which may repeat a column. */
static spg_csr with_entry(const spg_csr *A, int64_t row, int32_t column, double value)
{
    spg_csr B;
    assert_int_equal(spg_csr_alloc(test_host(), A->rows, A->cols, A->nnz + 1, SPG_I32, SPG_F64, &B), SPG_OK);
    int64_t to = 0;
    for (int64_t i = 0; i < A->rows; i++) {
        bool is_due = i == row;
        for (int64_t k = test_offset(A, i); k < test_offset(A, i + 1) || is_due;) {
            const bool takes = is_due && (k == test_offset(A, i + 1) || A->columns[k] >= column);
            B.columns[to] = takes ? column : A->columns[k];
            ((double *)B.values)[to++] = takes ? value : ((double *)A->values)[k];
            if (takes)
                is_due = false;
            else
                k++;
        }
        ((int32_t *)B.row_offsets)[i + 1] = (int32_t)to;
    }
    return B;
}

static int32_t first_absent_column(const spg_csr *A, int64_t row)
{
    int32_t column = 0;
    for (int64_t k = test_offset(A, row); k < test_offset(A, row + 1) && A->columns[k] == column; k++) column++;
    return column;
}

static void an_operator_that_is_nearly_symmetric_is_not_made_so(void **state)
{
    (void)state;
    spg_context *context = test_context_at_place(2);
    spg_csr P = random_matrix(300, 70, 3, SPG_I32, SPG_F64, 7, 0), A = test_symmetric(300, 8, SPG_F64, 6);
    for (int fault = 0; fault < 5; fault++) {
        const int64_t last = A.nnz - 2; /* below the diagonal, in the last row */
        spg_csr B = fault == 2   ? with_entry(&A, 200, first_absent_column(&A, 200), 0.5) /* below the diagonal */
                    : fault == 3 ? with_entry(&A, 250, 250, 0.5)                          /* the diagonal again */
                                 : with_entry(&A, 10, 299, 0.5);                          /* above it */
        if (fault < 2) {
            spg_csr_free(test_host(), &B);
            assert_int_equal(spg_csr_copy(test_host(), &A, &B), SPG_OK);
        }
        if (fault == 0) ((double *)B.values)[last] *= 1 + DBL_EPSILON;
        if (fault == 1) B.columns[last] -= B.columns[last] - 1 == B.columns[last - 1] ? 0 : 1;
        spg_csr expected = two_products(NULL, &B, &P), C = multiply(context, NULL, &B, &P);
        test_assert_same_csr(&C, &expected);
        free_all(&B, &expected, &C, NULL, NULL);
    }
    free_all(&A, &P, NULL, NULL, NULL);
    spg_context_destroy(context);
}

static void a_restriction_given_is_taken_as_it_is(void **state)
{
    (void)state;
    spg_context *context = test_context_at_place(2);
    spg_csr A = test_symmetric(300, 8, SPG_F64, 6), P = random_matrix(300, 70, 3, SPG_I32, SPG_F64, 7, 0), R;
    assert_int_equal(spg_csr_transpose(test_host(), &P, &R), SPG_OK);
    spg_csr expected = two_products(&R, &A, &P), C = multiply(context, &R, &A, &P);
    test_assert_same_csr(&C, &expected);
    free_all(&A, &P, &R, &expected, &C);
    spg_context_destroy(context);
}

static void empty_operands_give_empty_products(void **state)
{
    (void)state;
    const int64_t sizes[][2] = {{0, 0}, {0, 5}, {7, 0}, {7, 4}};
    spg_context *context = test_context_at_place(2);
    for (int s = 0; s < 4; s++) {
        spg_csr A = random_matrix(sizes[s][0], sizes[s][0], 0, SPG_I32, SPG_F64, 1, 0);
        spg_csr P = random_matrix(sizes[s][0], sizes[s][1], s == 3 ? 2 : 0, SPG_I32, SPG_F64, 2, 0);
        spg_csr C = multiply(context, NULL, &A, &P);
        assert_true(C.rows == sizes[s][1] && C.cols == sizes[s][1] && C.nnz == 0);
        free_all(&A, &P, &C, NULL, NULL);
    }
    spg_context_destroy(context);
}

/* ---- Plans ---- */

static void renew(galerkin *g, spg_csr *R, spg_csr *A, spg_csr *P, uint64_t seed)
{
    end(g);
    if (R != NULL) test_random_values(seed, 0, R->value_type, R->nnz, R->values);
    test_random_values(seed + 1, 0, A->value_type, A->nnz, A->values);
    test_random_values(seed + 2, 0, P->value_type, P->nnz, P->values);
    begin(g->context, R, A, P, g);
}

static void run_and_compare(galerkin *g, spg_galerkin_plan *plan, const spg_csr *R, const spg_csr *A, const spg_csr *P,
                            spg_csr *C)
{
    spg_csr host;
    if (spg_galerkin_plan_run(plan, R != NULL ? &g->R : NULL, &g->A, &g->P, C) != SPG_OK)
        fail_msg("%s", spg_context_message(g->context));
    test_to_host(g->context, C, &host);
    spg_csr expected = multiply(g->context, R, A, P);
    test_assert_same_csr(&host, &expected);
    free_all(&host, &expected, NULL, NULL, NULL);
}

static void plan_runs_have_the_bits_of_the_product(void **state)
{
    (void)state;
    spg_context *context = test_context_at_place(2);
    for (int t = 0; t < 4; t++)
        for (int given = 0; given < 2; given++) {
            galerkin g;
            spg_csr A = random_matrix(211, 211, 6, SPG_I32, value_types[t], 1, TEST_UNSORTED);
            spg_csr P = random_matrix(211, 60, 3, SPG_I32, value_types[t], 2, TEST_DUPLICATES);
            spg_csr restriction = random_matrix(60, 211, 4, SPG_I64, value_types[t], 3, 0);
            spg_csr *R = given ? &restriction : NULL, C = {0}, other = {0};
            spg_galerkin_plan *plan;
            begin(context, R, &A, &P, &g);
            assert_int_equal(spg_galerkin_plan_create(context, given ? &g.R : NULL, &g.A, &g.P, &plan), SPG_OK);
            run_and_compare(&g, plan, R, &A, &P, &C);
            renew(&g, R, &A, &P, 50);
            run_and_compare(&g, plan, R, &A, &P, &C);
            run_and_compare(&g, plan, R, &A, &P, &other);
            spg_csr_free(context, &C);
            spg_csr_free(context, &other);
            spg_galerkin_plan_destroy(plan);
            end(&g);
            free_all(&A, &P, &restriction, NULL, NULL);
        }
    spg_context_destroy(context);
}

static void plan_runs_notice_when_the_operator_becomes_symmetric(void **state)
{
    (void)state;
    spg_context *context = test_context_at_place(2);
    galerkin g;
    spg_csr A = test_symmetric(300, 8, SPG_F64, 6), P = random_matrix(300, 70, 3, SPG_I32, SPG_F64, 7, 0), C = {0};
    spg_csr copy, host;
    assert_int_equal(spg_csr_copy(test_host(), &A, &copy), SPG_OK);
    test_random_values(9, 0, SPG_F64, copy.nnz, copy.values);
    spg_galerkin_plan *plan;
    begin(context, NULL, &copy, &P, &g);
    assert_int_equal(spg_galerkin_plan_create(context, NULL, &g.A, &g.P, &plan), SPG_OK);
    run_and_compare(&g, plan, NULL, &copy, &P, &C);
    end(&g);
    begin(context, NULL, &A, &P, &g);
    run_and_compare(&g, plan, NULL, &A, &P, &C);
    test_to_host(context, &C, &host);
    test_assert_symmetric(&host);
    spg_csr_free(context, &C);
    spg_galerkin_plan_destroy(plan);
    end(&g);
    free_all(&A, &P, &copy, &host, NULL);
    spg_context_destroy(context);
}

static void a_second_run_allocates_nothing_and_a_plan_tells_what_it_holds(void **state)
{
    (void)state;
    test_allocator memory;
    spg_context *context = test_faulty_context(&memory, 2, 0);
    spg_csr A = test_symmetric(300, 8, SPG_F64, 6), P = random_matrix(300, 70, 3, SPG_I32, SPG_F64, 7, 0), C = {0};
    galerkin g;
    begin(context, NULL, &A, &P, &g);
    int64_t before, after;
    spg_context_memory(context, &before, NULL);
    spg_galerkin_plan *plan;
    spg_galerkin_stats stats;
    assert_int_equal(spg_galerkin_plan_create(context, NULL, &g.A, &g.P, &plan), SPG_OK);
    assert_int_equal(spg_galerkin_plan_stats(plan, &stats), SPG_OK);
    spg_context_memory(context, &after, NULL);
    assert_int_equal(stats.plan_bytes, after - before);
    assert_int_equal(spg_galerkin_plan_run(plan, NULL, &g.A, &g.P, &C), SPG_OK);
    test_fail_at(&memory, 0);
    assert_int_equal(spg_galerkin_plan_run(plan, NULL, &g.A, &g.P, &C), SPG_OK);
    assert_int_equal(memory.allocations, 0);
    assert_true(stats.AP.products > 0 && stats.RAP.nnz == C.nnz);
    spg_csr_free(context, &C);
    spg_galerkin_plan_destroy(plan);
    end(&g);
    assert_int_equal(test_live(&memory), 0);
    free_all(&A, &P, NULL, NULL, NULL);
    spg_context_destroy(context);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_galerkin_product_has_the_bits_of_two_products),
        cmocka_unit_test(a_galerkin_product_of_whole_numbers_is_exact),
        cmocka_unit_test(a_symmetric_operator_gives_a_symmetric_one_bit_for_bit),
        cmocka_unit_test(an_operator_that_is_nearly_symmetric_is_not_made_so),
        cmocka_unit_test(a_restriction_given_is_taken_as_it_is),
        cmocka_unit_test(empty_operands_give_empty_products),
        cmocka_unit_test(plan_runs_have_the_bits_of_the_product),
        cmocka_unit_test(plan_runs_notice_when_the_operator_becomes_symmetric),
        cmocka_unit_test(a_second_run_allocates_nothing_and_a_plan_tells_what_it_holds),
    };
    return TEST_RUN_HERE(argc, argv, "amg galerkin", tests);
}
