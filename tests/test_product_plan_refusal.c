/* A plan is for its own patterns alone: spgemm_plan_check refuses anything else with SHAPE, and on the host a run does
 * as well. A refused run never leaves half a result. On a device a run takes patterns on trust; it refuses other sizes
 * and types, and stays within the arrays whatever they hold. */
#include "fault.h"
#include "products.h"

#include <stdio.h>
#include <string.h>

enum { M = 120, K = 100, N = 80 };

typedef struct planned {
    spg_context *context;
    spg_csr A, B;           /* on the host, for a test to change */
    spg_csr here_A, here_B; /* the plan's operands */
    spg_csr C, before;
    spgemm_plan *plan;
} planned;

/* Of p->A and p->B. */
static void plan_operands(planned *p)
{
    spg_config config = test_config();
    config.threads = 3;
    p->context = test_context_of(&config);
    test_to_place(p->context, &p->A, &p->here_A);
    test_to_place(p->context, &p->B, &p->here_B);
    p->C = (spg_csr){0};
    assert_int_equal(spgemm_plan_create(p->context, &p->here_A, &p->here_B, &p->plan), SPG_OK);
    assert_int_equal(spgemm_plan_run(p->plan, &p->here_A, &p->here_B, &p->C), SPG_OK);
    test_to_host(p->context, &p->C, &p->before);
}

static void open_plan(planned *p, spg_type offset_type)
{
    test_random_csr(test_host(), M, K, 6, offset_type, SPG_F64, 3, 0, &p->A);
    test_random_csr(test_host(), K, N, 6, offset_type, SPG_F64, 4, 0, &p->B);
    plan_operands(p);
}

static void close_plan(planned *p)
{
    spgemm_plan_destroy(p->plan);
    spg_csr_free(p->context, &p->C);
    spg_csr_free(p->context, &p->here_A);
    spg_csr_free(p->context, &p->here_B);
    int64_t current = 0;
    spg_context_memory(p->context, &current, NULL);
    assert_int_equal(current, 0);
    spg_csr_free(test_host(), &p->A);
    spg_csr_free(test_host(), &p->B);
    spg_csr_free(test_host(), &p->before);
    spg_context_destroy(p->context);
}

/* A refused C has its pattern, and values that are either as they were or all zero. */
static void check_refused_result(const planned *p)
{
    spg_csr back;
    test_to_host(p->context, &p->C, &back);
    const double *values = back.values;
    int64_t zeros = 0;
    for (int64_t k = 0; k < back.nnz; ++k) zeros += values[k] == 0;
    if (zeros == back.nnz) memcpy(back.values, p->before.values, (size_t)back.nnz * sizeof *values);
    test_assert_same_csr(&back, &p->before);
    spg_csr_free(test_host(), &back);
}

static void check_refusal(const planned *p, spg_status status, const char *name)
{
    const char *message = spg_context_message(p->context);
    if (status != SPG_ERROR_SHAPE)
        fail_msg("%s (%s) for another pattern of %s", spg_status_name(status), message, name);
    if (strstr(message, name) == NULL) fail_msg("\"%s\" does not name %s", message, name);
}

/* These operands, on the host, must be refused by a check, and by runs both for a zeroed C and for one with a result.
 * `name` must be named. */
static void refuse_sizes(planned *p, const spg_csr *host_A, const spg_csr *host_B, const char *name)
{
    spg_csr A, B, none = {0};
    test_to_place(p->context, host_A, &A);
    test_to_place(p->context, host_B, &B);
    const spg_csr same = p->C;
    check_refusal(p, spgemm_plan_check(p->plan, &A, &B), name);
    for (int k = 0; k < 2; ++k) check_refusal(p, spgemm_plan_run(p->plan, &A, &B, k ? &p->C : &none), name);
    test_assert_zeroed(&none, sizeof none);
    assert_memory_equal(&same, &p->C, sizeof same);
    check_refused_result(p);
    spg_csr_free(p->context, &A);
    spg_csr_free(p->context, &B);
}

/* These, of the plan's sizes, must be refused by a check, and by runs where those compare patterns. Elsewhere a run
 * leaves C's pattern alone, and the next on the right operands is right. */
static void refuse(planned *p, const spg_csr *host_A, const spg_csr *host_B, const char *name)
{
    if (test_place() == SPG_PLACE_HOST) {
        refuse_sizes(p, host_A, host_B, name);
        return;
    }
    spg_csr A, B, back;
    test_to_place(p->context, host_A, &A);
    test_to_place(p->context, host_B, &B);
    check_refusal(p, spgemm_plan_check(p->plan, &A, &B), name);
    assert_int_equal(spgemm_plan_run(p->plan, &A, &B, &p->C), SPG_OK);
    assert_int_equal(spgemm_plan_run(p->plan, &p->here_A, &p->here_B, &p->C), SPG_OK);
    test_to_host(p->context, &p->C, &back);
    test_assert_same_csr(&back, &p->before);
    spg_csr_free(test_host(), &back);
    spg_csr_free(p->context, &A);
    spg_csr_free(p->context, &B);
}

static void set_offset(spg_csr *matrix, int64_t row, int64_t offset)
{
    if (matrix->offset_type == SPG_I64)
        ((int64_t *)matrix->row_offsets)[row] = offset;
    else
        ((int32_t *)matrix->row_offsets)[row] = (int32_t)offset;
}

static void one_other_column_is_refused(void **state)
{
    (void)state;
    planned p;
    open_plan(&p, SPG_I32);
    for (int b = 0; b < 2; ++b) {
        spg_csr *matrix = b ? &p.B : &p.A;
        const int64_t entries[] = {0, 1, matrix->nnz / 2, matrix->nnz - 2, matrix->nnz - 1};
        for (int e = 0; e < 5; ++e) {
            int32_t saved = matrix->columns[entries[e]];
            for (int bit = 0; bit < 4; ++bit) {
                matrix->columns[entries[e]] = (saved ^ (1 << bit)) % (int32_t)matrix->cols;
                refuse(&p, &p.A, &p.B, b ? "B" : "A");
            }
            matrix->columns[entries[e]] = saved;
        }
    }
    close_plan(&p);
}

static void two_columns_exchanged_or_shifted_are_refused(void **state)
{
    (void)state; /* what a sum or an exclusive-or of the columns would not notice */
    planned p;
    open_plan(&p, SPG_I32);
    for (int b = 0; b < 2; ++b) {
        spg_csr *matrix = b ? &p.B : &p.A;
        for (int64_t k = 0; k + 1 < matrix->nnz; k += 37) {
            int32_t *columns = matrix->columns, first = columns[k], second = columns[k + 1];
            if (first != second) {
                columns[k] = second, columns[k + 1] = first;
                refuse(&p, &p.A, &p.B, b ? "B" : "A");
            }
            if (first > 0 && second + 1 < matrix->cols) {
                columns[k] = first - 1, columns[k + 1] = second + 1;
                refuse(&p, &p.A, &p.B, b ? "B" : "A");
            }
            columns[k] = first, columns[k + 1] = second;
        }
    }
    close_plan(&p);
}

static void one_row_boundary_moved_is_refused(void **state)
{
    (void)state;
    for (int t = 0; t < TEST_OFFSET_TYPES; ++t) {
        planned p;
        open_plan(&p, test_offset_types[t]);
        for (int b = 0; b < 2; ++b) {
            spg_csr *matrix = b ? &p.B : &p.A;
            for (int64_t row = 1; row < matrix->rows; row += 23) {
                int64_t saved = test_offset(matrix, row);
                if (saved < test_offset(matrix, row + 1)) {
                    set_offset(matrix, row, saved + 1);
                    refuse(&p, &p.A, &p.B, b ? "B" : "A");
                }
                if (saved > test_offset(matrix, row - 1)) {
                    set_offset(matrix, row, saved - 1);
                    refuse(&p, &p.A, &p.B, b ? "B" : "A");
                }
                set_offset(matrix, row, saved);
            }
        }
        close_plan(&p);
    }
}

/* Rows of A that the host takes in many parts, some of them too long for one. */
enum { LONG_K = 11000, MANY_ROWS = 30 };
static const int64_t long_rows[] = {9, 10, 20, MANY_ROWS - 1};

static bool is_long(int64_t row, bool last_is_long)
{
    for (int l = 0; l < 4; ++l)
        if (row == long_rows[l]) return row != MANY_ROWS - 1 || last_is_long;
    return false;
}

static void open_plan_of_long_rows(planned *p, bool last_is_long)
{
    test_pattern a = {0}, b = {0};
    uint64_t random = 5;
    for (int64_t row = 0; row < MANY_ROWS; ++row) {
        test_add_random(&a, &random, is_long(row, last_is_long) ? 9000 : 300 + row, 0, LONG_K, true);
        test_end_row(&a);
    }
    for (int64_t row = 0; row < LONG_K; ++row) {
        test_add(&b, row % N);
        test_end_row(&b);
    }
    test_matrix_of(&a, LONG_K, SPG_I32, SPG_F64, 1, 0, &p->A);
    test_matrix_of(&b, N, SPG_I32, SPG_F64, 2, 0, &p->B);
    plan_operands(p);
    test_free_pattern(&a);
    test_free_pattern(&b);
}

static void one_other_column_is_refused_in_every_row_however_long(void **state)
{
    (void)state;
    for (int last_is_long = 0; last_is_long < 2; ++last_is_long) {
        planned p;
        open_plan_of_long_rows(&p, last_is_long);
        for (int64_t row = 0; row < MANY_ROWS; ++row) {
            const int64_t begin = test_offset(&p.A, row), end = test_offset(&p.A, row + 1);
            const int64_t entries[] = {begin, (begin + end) / 2, end - 1};
            for (int e = 0; e < 3; ++e) {
                int32_t *column = &p.A.columns[entries[e]];
                *column ^= 1;
                refuse(&p, &p.A, &p.B, "A");
                *column ^= 1;
            }
        }
        close_plan(&p);
    }
}

static void one_boundary_moved_is_refused_beside_every_row_however_long(void **state)
{
    (void)state;
    for (int last_is_long = 0; last_is_long < 2; ++last_is_long) {
        planned p;
        open_plan_of_long_rows(&p, last_is_long);
        for (int64_t row = 1; row <= MANY_ROWS; ++row) { /* the last one stands before no row */
            const int64_t offset = test_offset(&p.A, row);
            for (int by = -1; by <= 1; by += 2) {
                set_offset(&p.A, row, offset + by);
                refuse(&p, &p.A, &p.B, "A");
            }
            set_offset(&p.A, row, offset);
        }
        close_plan(&p);
    }
}

static void malformed_operands_are_refused_and_never_followed(void **state)
{
    (void)state;
    planned p;
    open_plan(&p, SPG_I32);
    const int32_t wrong[] = {-1, INT32_MIN, INT32_MAX, 1000};
    for (int b = 0; b < 2; ++b) {
        spg_csr *matrix = b ? &p.B : &p.A;
        for (int w = 0; w < 4; ++w) {
            int32_t saved = matrix->columns[20];
            matrix->columns[20] = wrong[w];
            refuse(&p, &p.A, &p.B, b ? "B" : "A");
            matrix->columns[20] = saved;
            for (int last = 0; last < 2; ++last) {
                const int64_t row = last ? matrix->rows : 30;
                saved = (int32_t)test_offset(matrix, row);
                set_offset(matrix, row, wrong[w]);
                refuse(&p, &p.A, &p.B, b ? "B" : "A");
                set_offset(matrix, row, saved);
            }
        }
    }
    close_plan(&p);
}

static void other_sizes_and_types_are_refused(void **state)
{
    (void)state;
    planned p;
    open_plan(&p, SPG_I32);
    spg_csr other;
    test_random_csr(test_host(), M, K, 7, SPG_I32, SPG_F64, 30, 0, &other); /* another nnz */
    refuse_sizes(&p, &other, &p.B, "A");
    spg_csr_free(test_host(), &other);
    test_random_csr(test_host(), K, N, 7, SPG_I32, SPG_F64, 31, 0, &other);
    refuse_sizes(&p, &p.A, &other, "B");
    spg_csr_free(test_host(), &other);
    other = p.B;
    other.cols += 1; /* fits A still */
    refuse_sizes(&p, &p.A, &other, "B");
    other = p.A;
    other.rows -= 1;
    other.nnz = test_offset(&p.A, other.rows);
    refuse_sizes(&p, &other, &p.B, "A");
    spg_csr single_A, single_B;
    test_random_csr(test_host(), M, K, 6, SPG_I32, SPG_F32, 3, 0, &single_A);
    test_random_csr(test_host(), K, N, 6, SPG_I32, SPG_F32, 4, 0, &single_B);
    refuse_sizes(&p, &single_A, &single_B, "A");
    refuse_sizes(&p, &single_A, &p.B, "A");
    refuse_sizes(&p, &p.A, &single_B, "B");
    spg_csr_free(test_host(), &single_A);
    spg_csr_free(test_host(), &single_B);
    close_plan(&p);
}

static void the_plans_own_patterns_pass_the_check(void **state)
{
    (void)state;
    for (int t = 0; t < TEST_OFFSET_TYPES; ++t) {
        planned p;
        open_plan(&p, test_offset_types[t]);
        spg_csr A, B, *const operands[] = {&p.A, &p.B};
        for (int k = 0; k < 2; ++k) memset(operands[k]->values, 0xff, (size_t)operands[k]->nnz * 8); /* not read */
        test_to_place(p.context, &p.A, &A);
        test_to_place(p.context, &p.B, &B);
        if (spgemm_plan_check(p.plan, &A, &B) != SPG_OK) fail_msg("%s", spg_context_message(p.context));
        check_refused_result(&p); /* and nothing is written */
        spg_csr_free(p.context, &A);
        spg_csr_free(p.context, &B);
        close_plan(&p);
    }
}

static void null_arguments_and_aliases_are_refused(void **state)
{
    (void)state;
    planned p;
    open_plan(&p, SPG_I32);
    spg_csr *A = &p.here_A, *B = &p.here_B;
    const spg_csr same_A = *A, same_B = *B;
    assert_int_equal(spgemm_plan_run(p.plan, NULL, B, &p.C), SPG_ERROR_ARGUMENT);
    assert_int_equal(spgemm_plan_run(p.plan, A, NULL, &p.C), SPG_ERROR_ARGUMENT);
    assert_int_equal(spgemm_plan_run(p.plan, A, B, NULL), SPG_ERROR_ARGUMENT);
    assert_int_equal(spgemm_plan_run(p.plan, A, B, A), SPG_ERROR_ARGUMENT);
    assert_int_equal(spgemm_plan_run(p.plan, A, B, B), SPG_ERROR_ARGUMENT);
    assert_int_equal(spgemm_plan_check(NULL, A, B), SPG_ERROR_ARGUMENT);
    assert_int_equal(spgemm_plan_check(p.plan, NULL, B), SPG_ERROR_ARGUMENT);
    assert_int_equal(spgemm_plan_check(p.plan, A, NULL), SPG_ERROR_ARGUMENT);
    assert_memory_equal(A, &same_A, sizeof *A);
    assert_memory_equal(B, &same_B, sizeof *B);
    close_plan(&p);
}

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
    planned p;
    open_plan(&p, SPG_I32);
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
    close_plan(&p);
}

/* Runs into a copy of the result with one other column; it must be refused, or made right. */
static void run_into_other_pattern(planned *p, int64_t k)
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
    planned p;
    open_plan(&p, SPG_I32);
    for (int64_t k = 0; k < p.before.nnz; k += p.before.nnz / 7) run_into_other_pattern(&p, k);
    close_plan(&p);
}

/* The same at the very addresses of a result that the plan filled, or that it filled and the caller gave back. */
static void a_result_where_an_old_one_lay_never_comes_back_wrong(void **state)
{
    (void)state;
    planned p;
    open_plan(&p, SPG_I32);
    for (int64_t k = 0; k < p.before.nnz; k += p.before.nnz / 7) {
        spg_csr_free(p.context, &p.C); /* what is allocated next lies there */
        run_into_other_pattern(&p, k);
        assert_int_equal(spgemm_plan_run(p.plan, &p.here_A, &p.here_B, &p.C), SPG_OK);
    }
    close_plan(&p);
}

/* That it isn't compared shows by a column that is changed where it lies: this is on trust, as told in spgemm.h. */
static void the_last_result_is_known_whatever_else_is_freed(void **state)
{
    (void)state;
    planned p;
    open_plan(&p, SPG_I32);
    spg_csr other;
    test_random_csr(p.context, 300, 300, 6, SPG_I32, SPG_F64, 3, 0, &other);
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
    close_plan(&p);
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
            test_random_csr(context, 3000, 2000, 6, SPG_I32, SPG_F64, 3, TEST_UNSORTED, &A);
            test_random_csr(context, 2000, 1500, 9, SPG_I32, SPG_F64, 4, TEST_DUPLICATES, &B);
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
        cmocka_unit_test(one_other_column_is_refused),
        cmocka_unit_test(two_columns_exchanged_or_shifted_are_refused),
        cmocka_unit_test(one_row_boundary_moved_is_refused),
        cmocka_unit_test(one_other_column_is_refused_in_every_row_however_long),
        cmocka_unit_test(one_boundary_moved_is_refused_beside_every_row_however_long),
        cmocka_unit_test(malformed_operands_are_refused_and_never_followed),
        cmocka_unit_test(other_sizes_and_types_are_refused),
        cmocka_unit_test(the_plans_own_patterns_pass_the_check),
        cmocka_unit_test(null_arguments_and_aliases_are_refused),
        cmocka_unit_test(a_result_whose_values_are_an_operands_arrays_is_refused),
        cmocka_unit_test(a_result_of_another_shape_is_refused),
        cmocka_unit_test(a_result_of_another_pattern_never_comes_back_wrong),
        cmocka_unit_test(a_result_where_an_old_one_lay_never_comes_back_wrong),
        cmocka_unit_test(the_last_result_is_known_whatever_else_is_freed),
        cmocka_unit_test(a_run_into_an_old_result_allocates_nothing),
    };
    return TEST_RUN_HERE(argc, argv, "product plan refusal", tests);
}
