/* A plan is for its own patterns alone: spgemm_plan_check refuses anything else with SHAPE, and on the host a run does
 * as well. A refused run never leaves half a result. On a device a run takes patterns on trust; it refuses other sizes
 * and types, and stays within the arrays whatever they hold. What it is run into: test_product_plan_result.c. */
#include "planned.h"

#include <string.h>

enum { M = TEST_PLANNED_M, K = TEST_PLANNED_K, N = TEST_PLANNED_N };

/* A refused C has its pattern, and values that are either as they were or all zero. */
static void check_refused_result(const test_planned *p)
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

static void check_refusal(const test_planned *p, spg_status status, const char *name)
{
    const char *message = spg_context_message(p->context);
    if (status != SPG_ERROR_SHAPE)
        fail_msg("%s (%s) for another pattern of %s", spg_status_name(status), message, name);
    if (strstr(message, name) == NULL) fail_msg("\"%s\" does not name %s", message, name);
}

/* These operands, on the host, must be refused by a check, and by runs both for a zeroed C and for one with a result.
 * `name` must be named. */
static void refuse_sizes(test_planned *p, const spg_csr *host_A, const spg_csr *host_B, const char *name)
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
static void refuse(test_planned *p, const spg_csr *host_A, const spg_csr *host_B, const char *name)
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
    test_planned p;
    test_open_plan(&p, SPG_I32);
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
    test_close_plan(&p);
}

static void two_columns_exchanged_or_shifted_are_refused(void **state)
{
    (void)state; /* what a sum or an exclusive-or of the columns would not notice */
    test_planned p;
    test_open_plan(&p, SPG_I32);
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
    test_close_plan(&p);
}

static void one_row_boundary_moved_is_refused(void **state)
{
    (void)state;
    for (int t = 0; t < TEST_OFFSET_TYPES; ++t) {
        test_planned p;
        test_open_plan(&p, test_offset_types[t]);
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
        test_close_plan(&p);
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

static void open_plan_of_long_rows(test_planned *p, bool last_is_long)
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
    test_plan_operands(p);
    test_free_pattern(&a);
    test_free_pattern(&b);
}

static void one_other_column_is_refused_in_every_row_however_long(void **state)
{
    (void)state;
    for (int last_is_long = 0; last_is_long < 2; ++last_is_long) {
        test_planned p;
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
        test_close_plan(&p);
    }
}

static void one_boundary_moved_is_refused_beside_every_row_however_long(void **state)
{
    (void)state;
    for (int last_is_long = 0; last_is_long < 2; ++last_is_long) {
        test_planned p;
        open_plan_of_long_rows(&p, last_is_long);
        for (int64_t row = 1; row <= MANY_ROWS; ++row) { /* the last one stands before no row */
            const int64_t offset = test_offset(&p.A, row);
            for (int by = -1; by <= 1; by += 2) {
                set_offset(&p.A, row, offset + by);
                refuse(&p, &p.A, &p.B, "A");
            }
            set_offset(&p.A, row, offset);
        }
        test_close_plan(&p);
    }
}

static void malformed_operands_are_refused_and_never_followed(void **state)
{
    (void)state;
    test_planned p;
    test_open_plan(&p, SPG_I32);
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
    test_close_plan(&p);
}

static void other_sizes_and_types_are_refused(void **state)
{
    (void)state;
    test_planned p;
    test_open_plan(&p, SPG_I32);
    spg_csr other;
    test_random_csr(test_host(), (test_matrix){M, K, 7, SPG_I32, SPG_F64}, 30, 0, &other); /* another nnz */
    refuse_sizes(&p, &other, &p.B, "A");
    spg_csr_free(test_host(), &other);
    test_random_csr(test_host(), (test_matrix){K, N, 7, SPG_I32, SPG_F64}, 31, 0, &other);
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
    test_random_csr(test_host(), (test_matrix){M, K, 6, SPG_I32, SPG_F32}, 3, 0, &single_A);
    test_random_csr(test_host(), (test_matrix){K, N, 6, SPG_I32, SPG_F32}, 4, 0, &single_B);
    refuse_sizes(&p, &single_A, &single_B, "A");
    refuse_sizes(&p, &single_A, &p.B, "A");
    refuse_sizes(&p, &p.A, &single_B, "B");
    spg_csr_free(test_host(), &single_A);
    spg_csr_free(test_host(), &single_B);
    test_close_plan(&p);
}

static void the_plans_own_patterns_pass_the_check(void **state)
{
    (void)state;
    for (int t = 0; t < TEST_OFFSET_TYPES; ++t) {
        test_planned p;
        test_open_plan(&p, test_offset_types[t]);
        spg_csr A, B, *const operands[] = {&p.A, &p.B};
        for (int k = 0; k < 2; ++k) memset(operands[k]->values, 0xff, (size_t)operands[k]->nnz * 8); /* not read */
        test_to_place(p.context, &p.A, &A);
        test_to_place(p.context, &p.B, &B);
        if (spgemm_plan_check(p.plan, &A, &B) != SPG_OK) fail_msg("%s", spg_context_message(p.context));
        check_refused_result(&p); /* and nothing is written */
        spg_csr_free(p.context, &A);
        spg_csr_free(p.context, &B);
        test_close_plan(&p);
    }
}

static void null_arguments_and_aliases_are_refused(void **state)
{
    (void)state;
    test_planned p;
    test_open_plan(&p, SPG_I32);
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
    test_close_plan(&p);
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
    };
    return TEST_RUN_HERE(argc, argv, "product plan refusal", tests);
}
