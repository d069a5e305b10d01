/* What a plan is run into: a result of another shape, or that lies in an operand's arrays, is refused; one of another
 * pattern never comes back wrong; and an old one costs no allocation. */
#include "fault.h"
#include "planned.h"

#include <string.h>

/* Whatever struct they stand in. */
static void a_result_whose_values_are_an_operands_arrays_is_refused(void **state)
{
    (void)state;
    spg_context *context = test_context_at_place(2);
    spg_csr host, A, C = {0}, apart = {0}, again = {0};
    spgemm_plan *plan;
    assert_int_equal(spg_csr_alloc(test_host(), 2, 2, 4, SPG_I32, SPG_F64, &host), SPG_OK);
    for (int k = 0; k < 4; ++k) host.columns[k] = k % 2, ((double *)host.values)[k] = k + 1;
    for (int k = 0; k <= 2; ++k) ((int32_t *)host.row_offsets)[k] = 2 * k;
    test_to_place(context, &host, &A);
    assert_int_equal(spgemm_plan_create(context, &A, &A, &plan), SPG_OK);
    assert_int_equal(spgemm_plan_run(plan, &A, &A, &C), SPG_OK);
    assert_int_equal(spgemm_plan_run(plan, &A, &A, &apart), SPG_OK);
    const spg_csr view = C; /* a square of the pattern that its factors have */
    spg_csr shifted = C;
    shifted.values = (double *)A.values + 1;
    assert_int_equal(spgemm_plan_run(plan, &view, &A, &C), SPG_ERROR_ARGUMENT);
    test_assert_message(context, "C's values and the values of A overlap");
    assert_int_equal(spgemm_plan_run(plan, &A, &view, &C), SPG_ERROR_ARGUMENT);
    test_assert_message(context, "of B overlap");
    assert_int_equal(spgemm_plan_run(plan, &A, &A, &shifted), SPG_ERROR_ARGUMENT);
    shifted.values = A.columns;
    assert_int_equal(spgemm_plan_run(plan, &A, &A, &shifted), SPG_ERROR_ARGUMENT);
    test_assert_message(context, "columns of A");
    assert_int_equal(spgemm_plan_run(plan, &view, &view, &apart), SPG_OK);
    test_to_host(context, &apart, &again);
    const double fourth[] = {199, 290, 435, 634};
    assert_memory_equal(again.values, fourth, sizeof fourth);
    spg_csr_free(test_host(), &again);
    spg_csr_free(test_host(), &host);
    spgemm_plan_destroy(plan);
    spg_csr_free(context, &A);
    spg_csr_free(context, &C);
    spg_csr_free(context, &apart);
    spg_context_destroy(context);
}

static void a_result_of_another_shape_is_refused(void **state)
{
    (void)state;
    test_planned p;
    test_open_plan(&p, SPG_I32);
    for (int k = 0; k < 6; ++k) {
        spg_csr C = p.C;
        if (k == 0) C.rows -= 1;
        if (k == 1) C.cols += 1;
        if (k == 2) C.nnz -= 1;
        if (k == 3) C.value_type = SPG_F32;
        if (k == 4) C.offset_type = SPG_I64;
        if (k == 5) C.rows = C.cols = 1, C.nnz = 0;
        if (k == 4) C.row_offsets = p.here_A.values; /* never read */
        const spg_csr same = C;
        assert_int_equal(spgemm_plan_run(p.plan, &p.here_A, &p.here_B, &C), SPG_ERROR_SHAPE);
        assert_memory_equal(&C, &same, sizeof C);
    }
    /* Sizes without arrays, and arrays without sizes: neither is the zeroed struct that a run fills. */
    spg_csr sizes = p.C, arrays = p.C;
    sizes.row_offsets = sizes.values = NULL, sizes.columns = NULL;
    arrays.rows = arrays.cols = arrays.nnz = 0;
    assert_int_equal(spgemm_plan_run(p.plan, &p.here_A, &p.here_B, &sizes), SPG_ERROR_ARGUMENT);
    assert_int_equal(spgemm_plan_run(p.plan, &p.here_A, &p.here_B, &arrays), SPG_ERROR_SHAPE);
    assert_true(sizes.row_offsets == NULL && arrays.values == p.C.values);
    test_close_plan(&p);
}

/* Runs into a copy of the result with one other column; it must be refused, or made right. */
static void run_into_other_pattern(test_planned *p, int64_t k)
{
    spg_csr other, C, back;
    assert_int_equal(spg_csr_copy(test_host(), &p->before, &other), SPG_OK);
    other.columns[k] ^= 1;
    test_to_place(p->context, &other, &C);
    spg_status status = spgemm_plan_run(p->plan, &p->here_A, &p->here_B, &C);
    test_to_host(p->context, &C, &back);
    if (status == SPG_OK)
        test_assert_same_csr(&back, &p->before);
    else
        assert_int_equal(status, SPG_ERROR_SHAPE);
    spg_csr_free(test_host(), &back);
    spg_csr_free(test_host(), &other);
    spg_csr_free(p->context, &C);
}

static void a_result_of_another_pattern_never_comes_back_wrong(void **state)
{
    (void)state;
    test_planned p;
    test_open_plan(&p, SPG_I32);
    for (int64_t k = 0; k < p.before.nnz; k += p.before.nnz / 7) run_into_other_pattern(&p, k);
    test_close_plan(&p);
}

/* The same at the very addresses of a result that the plan filled, or that it filled and the caller gave back. */
static void a_result_where_an_old_one_lay_never_comes_back_wrong(void **state)
{
    (void)state;
    test_planned p;
    test_open_plan(&p, SPG_I32);
    for (int64_t k = 0; k < p.before.nnz; k += p.before.nnz / 7) {
        spg_csr_free(p.context, &p.C); /* what is allocated next lies there */
        run_into_other_pattern(&p, k);
        assert_int_equal(spgemm_plan_run(p.plan, &p.here_A, &p.here_B, &p.C), SPG_OK);
    }
    test_close_plan(&p);
}

/* That it isn't compared shows by a column that is changed where it lies: this is on trust, as told in spgemm.h. */
static void the_last_result_is_known_whatever_else_is_freed(void **state)
{
    (void)state;
    test_planned p;
    test_open_plan(&p, SPG_I32);
    spg_csr other;
    test_random_csr(p.context, (test_matrix){300, 300, 6, SPG_I32, SPG_F64}, 3, 0, &other);
    spg_csr_free(p.context, &other);
    const int32_t changed = p.before.columns[0] ^ 1;
    test_send(&changed, sizeof changed, p.C.columns);
    assert_int_equal(spgemm_plan_run(p.plan, &p.here_A, &p.here_B, &p.C), SPG_OK);
    spg_csr last = p.C; /* its columns freed, and another's now */
    spg_csr_free(p.context, &(spg_csr){0, 0, last.nnz, SPG_I32, SPG_F64, last.place, NULL, last.columns, NULL});
    assert_int_equal(spg_csr_copy(p.context, &p.before, &other), SPG_OK);
    last.columns = other.columns;
    test_send(&changed, sizeof changed, last.columns);
    assert_int_equal(spgemm_plan_run(p.plan, &p.here_A, &p.here_B, &last), SPG_ERROR_SHAPE);
    p.C.columns = NULL;
    spg_csr_free(p.context, &p.C);
    spg_csr_free(p.context, &other);
    test_close_plan(&p);
}

static void a_run_into_an_old_result_allocates_nothing(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads += 2)
        for (int l = 0; l < TEST_LIMITS; ++l) {
            test_allocator memory;
            spg_context *context = test_faulty_context(&memory, threads, 0);
            assert_int_equal(spg_context_set_row_limits(context, &test_limit_sets[l].limits), SPG_OK);
            spg_csr A, B, C = {0};
            spgemm_plan *plan;
            test_random_csr(context, (test_matrix){3000, 2000, 6, SPG_I32, SPG_F64}, 3, TEST_UNSORTED, &A);
            test_random_csr(context, (test_matrix){2000, 1500, 9, SPG_I32, SPG_F64}, 4, TEST_DUPLICATES, &B);
            assert_int_equal(spgemm_plan_create(context, &A, &B, &plan), SPG_OK);
            assert_int_equal(spgemm_plan_run(plan, &A, &B, &C), SPG_OK);
            test_fail_at(&memory, 1); /* counts from here, and refuses the first */
            assert_int_equal(spgemm_plan_run(plan, &A, &B, &C), SPG_OK);
            assert_int_equal(memory.allocations, 0);
            test_fail_at(&memory, 0);
            spgemm_plan_destroy(plan);
            spg_csr_free(context, &A);
            spg_csr_free(context, &B);
            spg_csr_free(context, &C);
            assert_int_equal(test_live(&memory), 0);
            spg_context_destroy(context);
        }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_result_whose_values_are_an_operands_arrays_is_refused),
        cmocka_unit_test(a_result_of_another_shape_is_refused),
        cmocka_unit_test(a_result_of_another_pattern_never_comes_back_wrong),
        cmocka_unit_test(a_result_where_an_old_one_lay_never_comes_back_wrong),
        cmocka_unit_test(the_last_result_is_known_whatever_else_is_freed),
        cmocka_unit_test(a_run_into_an_old_result_allocates_nothing),
    };
    return TEST_RUN_HERE(argc, argv, "product plan result", tests);
}
