/* Refusals of the operations name the argument, the entry and what would be right; outputs are zeroed. */
#include "containers.h"
#include "host/work.h"

#include <math.h>
#include <string.h>

/* A sound 3 x 4 matrix and one of another shape; arrays of indices and vectors. */
typedef struct sound {
    spg_context *context;
    spg_csr matrix, other;
    void *vector;
    int32_t *indices; /* 4 */
} sound;

enum { VECTOR_BYTES = 64 * sizeof(double), INDEX_BYTES = 4 * sizeof(int32_t) };

static int set_up(void **state)
{
    static sound s;
    memset(&s, 0, sizeof s);
    s.context = test_context_at_place(1);
    spg_csr matrix, other;
    test_random_csr(test_host(), (test_matrix){3, 4, 3, SPG_I32, SPG_F64}, 1, 0, &matrix);
    test_random_csr(test_host(), (test_matrix){4, 3, 3, SPG_I32, SPG_F64}, 2, 0, &other);
    test_to_place(s.context, &matrix, &s.matrix);
    test_to_place(s.context, &other, &s.other);
    spg_csr_free(test_host(), &matrix);
    spg_csr_free(test_host(), &other);
    const double zeros[64] = {0};
    s.vector = test_lend(zeros, VECTOR_BYTES);
    s.indices = test_lend((int32_t[]){0, 1, 2, 3}, INDEX_BYTES);
    *state = &s;
    return 0;
}

static int tear_down(void **state)
{
    sound *s = *state;
    test_give_back(s->vector, VECTOR_BYTES);
    test_give_back(s->indices, INDEX_BYTES);
    spg_csr_free(s->context, &s->matrix);
    spg_csr_free(s->context, &s->other);
    spg_context_destroy(s->context);
    return 0;
}

static void assert_refused(const sound *s, spg_status status, spg_status expected, const char *text)
{
    if (status != expected || strstr(spg_context_message(s->context), text) == NULL)
        fail_msg("%s: '%s'; expected %s: '%s'", spg_status_name(status), spg_context_message(s->context),
                 spg_status_name(expected), text);
}

static void send(sound *s, int32_t a, int32_t b, int32_t c, int32_t d)
{
    test_send((int32_t[]){a, b, c, d}, INDEX_BYTES, s->indices);
}

static void an_order_that_is_no_permutation_is_refused_by_its_entry(void **state)
{
    sound *s = *state;
    spg_csr made;
    memset(&made, 0xff, sizeof made);
    send(s, 0, 3, 1, 3);
    assert_refused(s, spg_csr_permute(s->context, &s->matrix, NULL, s->indices, &made), SPG_ERROR_ARGUMENT,
                   "column_order[3] is 3, as column_order[1] is");
    test_assert_zeroed(&made, sizeof made);
    send(s, 2, 3, 1, -1);
    assert_refused(s, spg_csr_permute(s->context, &s->matrix, NULL, s->indices, &made), SPG_ERROR_ARGUMENT,
                   "column_order[3] is -1, outside [0, 4)");
    assert_refused(s, spg_csr_permute(s->context, &s->matrix, s->indices, NULL, &made), SPG_ERROR_ARGUMENT,
                   "row_order[1] is 3, outside [0, 3)");
    send(s, 2, 2, 2, 0);
    assert_refused(s, spg_csr_permute(s->context, &s->matrix, s->indices, NULL, &made), SPG_ERROR_ARGUMENT,
                   "row_order[1] is 2, as row_order[0] is");
    assert_refused(s, spg_csr_permute(s->context, &s->matrix, NULL, NULL, &s->matrix), SPG_ERROR_ARGUMENT,
                   "permuted is the same");
}

static void a_part_outside_of_the_matrix_is_refused(void **state)
{
    sound *s = *state;
    spg_csr made;
    const spg_indices list = {0, 4, s->indices}, late = {2, 2, NULL}, before = {-1, 2, NULL}, none = {0, -1, NULL};
    send(s, 0, 0, 2, 3);
    assert_refused(s, spg_csr_extract(s->context, &s->matrix, &list, NULL, &made), SPG_ERROR_ARGUMENT,
                   "rows[3] is 3, outside [0, 3)");
    assert_refused(s, spg_csr_extract(s->context, &s->matrix, NULL, &list, &made), SPG_ERROR_ARGUMENT,
                   "columns[1] is 0, as columns[0] is");
    assert_refused(s, spg_csr_extract(s->context, &s->matrix, &late, NULL, &made), SPG_ERROR_ARGUMENT,
                   "rows: 2 from 2 on, outside [0, 3)");
    assert_refused(s, spg_csr_extract(s->context, &s->matrix, NULL, &before, &made), SPG_ERROR_ARGUMENT,
                   "columns: 2 from -1 on");
    assert_refused(s, spg_csr_extract(s->context, &s->matrix, &none, NULL, &made), SPG_ERROR_ARGUMENT,
                   "rows: count is -1");
    assert_refused(s, spg_csr_extract(s->context, &s->matrix, NULL, NULL, NULL), SPG_ERROR_ARGUMENT, "part is NULL");
}

/* A matrix has up to 2^63 rows, an index 31 bits. */
static void a_limit_above_all_indices_refuses_negative_ones_alone(void **state)
{
    (void)state;
    const int64_t limits[] = {INT32_MAX, INT64_C(1) << 31, 3000000000, INT64_C(1) << 32, INT64_MAX};
    const int32_t valid[] = {0, 5, INT32_MAX - 1}, negative[] = {-1, -2000000000, INT32_MIN};
    for (size_t l = 0; l < sizeof limits / sizeof *limits; l++) {
        assert_int_equal(spg_host_first_outside(test_host(), valid, 3, limits[l]), 3);
        for (int k = 0; k < 3; k++)
            assert_int_equal(spg_host_first_outside(test_host(), negative + k, 1, limits[l]), 0);
    }
    const int32_t largest = INT32_MAX;
    assert_int_equal(spg_host_first_outside(test_host(), &largest, 1, INT32_MAX), 0);
    assert_int_equal(spg_host_first_outside(test_host(), &largest, 1, (int64_t)INT32_MAX + 1), 1);
}

static void operands_that_do_not_match_are_refused(void **state)
{
    sound *s = *state;
    spg_csr made, f32 = s->matrix;
    spg_difference difference;
    memset(&difference, 0xff, sizeof difference);
    f32.value_type = SPG_F32;
    assert_refused(s, spg_csr_add(s->context, NULL, &s->matrix, NULL, &s->other, &made), SPG_ERROR_SHAPE,
                   "A is 3 x 4, B is 4 x 3");
    assert_refused(s, spg_csr_add(s->context, NULL, &s->matrix, NULL, &f32, &made), SPG_ERROR_ARGUMENT,
                   "different value types");
    assert_refused(s, spg_csr_add(s->context, NULL, &s->other, NULL, &s->matrix, &s->matrix), SPG_ERROR_ARGUMENT,
                   "C is the same");
    assert_refused(s, spg_csr_add(s->context, NULL, &s->other, NULL, NULL, &made), SPG_ERROR_ARGUMENT, "B is NULL");
    assert_refused(s, spg_csr_compare(s->context, &s->matrix, &s->other, &difference), SPG_ERROR_SHAPE,
                   "they must be the same");
    test_assert_zeroed(&difference, sizeof difference);
    assert_refused(s, spg_csr_compare(s->context, &s->matrix, &s->matrix, NULL), SPG_ERROR_ARGUMENT,
                   "difference is NULL");
}

static void contents_are_checked_under_the_name_of_the_argument(void **state)
{
    sound *s = *state;
    spg_csr made, here, broken;
    const spg_drop_rule rule = {0};
    test_to_host(s->context, &s->matrix, &broken);
    broken.columns[broken.nnz - 1] = 4;
    test_to_place(s->context, &broken, &here);
    assert_refused(s, spg_csr_add(s->context, NULL, &s->matrix, NULL, &here, &made), SPG_ERROR_FORMAT, "B: row ");
    assert_refused(s, spg_csr_scale(s->context, s->vector, NULL, &here), SPG_ERROR_FORMAT,
                   "column 4 lies outside [0, 4)");
    assert_refused(s, spg_csr_diagonal(s->context, &here, s->vector), SPG_ERROR_FORMAT, "matrix: row ");
    assert_refused(s, spg_csr_drop(s->context, &here, &rule, &made), SPG_ERROR_FORMAT, "matrix: row ");
    assert_refused(s, spg_csr_permute(s->context, &here, NULL, NULL, &made), SPG_ERROR_FORMAT, "matrix: row ");
    spg_csr_free(test_host(), &broken);
    spg_csr_free(s->context, &here);
}

static void a_rule_out_of_its_range_is_refused(void **state)
{
    sound *s = *state;
    spg_csr made;
    spg_drop_rule rule = {-1, 0, 0};
    assert_refused(s, spg_csr_drop(s->context, &s->matrix, &rule, &made), SPG_ERROR_ARGUMENT, "absolute is -1");
    rule = (spg_drop_rule){NAN, 0, 0};
    assert_refused(s, spg_csr_drop(s->context, &s->matrix, &rule, &made), SPG_ERROR_ARGUMENT, "it must be 0 or more");
    rule = (spg_drop_rule){0, 1.5, 0};
    assert_refused(s, spg_csr_drop(s->context, &s->matrix, &rule, &made), SPG_ERROR_ARGUMENT, "relative is 1.5");
    assert_refused(s, spg_csr_drop(s->context, &s->matrix, NULL, &made), SPG_ERROR_ARGUMENT, "rule is NULL");
}

static void arrays_that_are_null_or_overlap_are_refused(void **state)
{
    sound *s = *state;
    spg_context *c = s->context;
    double *v = s->vector;
    assert_refused(s, spg_csr_diagonal(c, &s->matrix, NULL), SPG_ERROR_ARGUMENT, "diagonal is NULL");
    assert_refused(s, spg_csr_diagonal(c, &s->matrix, s->matrix.values), SPG_ERROR_ARGUMENT, "overlap");
    assert_refused(s, spg_csr_scale(c, s->matrix.values, NULL, &s->matrix), SPG_ERROR_ARGUMENT, "row_factors overlaps");
    assert_refused(s, spg_csr_scale(c, NULL, s->matrix.values, &s->matrix), SPG_ERROR_ARGUMENT, "column_factors");
    assert_refused(s, spg_csr_spmm(c, NULL, &s->matrix, 2, SPG_ROW_MAJOR, v, 1, NULL, v + 20, 2), SPG_ERROR_ARGUMENT,
                   "x_stride is 1; it must be at least 2");
    assert_refused(s, spg_csr_spmm(c, NULL, &s->matrix, 2, SPG_COLUMN_MAJOR, v, 4, NULL, v + 20, 2), SPG_ERROR_ARGUMENT,
                   "y_stride is 2; it must be at least 3");
    assert_refused(s, spg_csr_spmm(c, NULL, &s->matrix, -1, SPG_ROW_MAJOR, v, 4, NULL, v + 20, 2), SPG_ERROR_ARGUMENT,
                   "count is -1");
    assert_refused(s, spg_csr_spmm(c, NULL, &s->matrix, 2, (spg_layout)7, v, 4, NULL, v + 20, 2), SPG_ERROR_ARGUMENT,
                   "layout 7");
    assert_refused(s, spg_csr_spmm(c, NULL, &s->matrix, 2, SPG_ROW_MAJOR, v, 2, NULL, v + 7, 2), SPG_ERROR_ARGUMENT,
                   "overlap");
    assert_int_equal(spg_csr_spmm(c, NULL, &s->matrix, 2, SPG_ROW_MAJOR, v, 2, NULL, v + 8, 2), SPG_OK);
    assert_refused(s, spg_csr_spmm(c, NULL, &s->matrix, INT64_MAX / 2, SPG_ROW_MAJOR, v, INT64_MAX, NULL, v, INT64_MAX),
                   SPG_ERROR_ARGUMENT, "overlap");
}

static void an_operation_without_a_context_is_refused(void **state)
{
    sound *s = *state;
    spg_csr made;
    spg_difference difference;
    const spg_drop_rule rule = {0};
    assert_int_equal(spg_csr_add(NULL, NULL, &s->matrix, NULL, &s->matrix, &made), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_csr_scale(NULL, NULL, NULL, &s->matrix), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_csr_diagonal(NULL, &s->matrix, s->vector), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_csr_permute(NULL, &s->matrix, NULL, NULL, &made), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_csr_extract(NULL, &s->matrix, NULL, NULL, &made), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_csr_drop(NULL, &s->matrix, &rule, &made), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_csr_compare(NULL, &s->matrix, &s->matrix, &difference), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_csr_spmm(NULL, NULL, &s->matrix, 1, SPG_ROW_MAJOR, s->vector, 1, NULL, s->vector, 1),
                     SPG_ERROR_ARGUMENT);
}

#define MISUSE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        MISUSE(an_order_that_is_no_permutation_is_refused_by_its_entry),
        MISUSE(a_part_outside_of_the_matrix_is_refused),
        MISUSE(a_limit_above_all_indices_refuses_negative_ones_alone),
        MISUSE(operands_that_do_not_match_are_refused),
        MISUSE(contents_are_checked_under_the_name_of_the_argument),
        MISUSE(a_rule_out_of_its_range_is_refused),
        MISUSE(arrays_that_are_null_or_overlap_are_refused),
        MISUSE(an_operation_without_a_context_is_refused),
    };
    return TEST_RUN_HERE(argc, argv, "operations: misuse", tests);
}
