/* Every misuse is refused with its status and a message that names what is wrong; nothing is computed, C is zeroed. */
#include "products.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

typedef struct misuse {
    spg_context *context;
    spg_csr A, B;           /* on the host, sound: 200 x 150 and 150 x 120 */
    spg_csr here_A, here_B; /* the same at the context's place */
} misuse;

static void open_misuse(misuse *m, spg_type offset_type)
{
    spg_config config = test_config();
    config.threads = 3;
    m->context = test_context_of(&config);
    test_random_csr(test_host(), (test_matrix){200, 150, 8, offset_type, SPG_F64}, 5, TEST_UNSORTED, &m->A);
    test_random_csr(test_host(), (test_matrix){150, 120, 8, offset_type, SPG_F64}, 6, 0, &m->B);
    test_to_place(m->context, &m->A, &m->here_A);
    test_to_place(m->context, &m->B, &m->here_B);
}

static void close_misuse(misuse *m)
{
    int64_t current = 0;
    spg_csr_free(m->context, &m->here_A);
    spg_csr_free(m->context, &m->here_B);
    spg_context_memory(m->context, &current, NULL);
    assert_int_equal(current, 0);
    spg_csr_free(test_host(), &m->A);
    spg_csr_free(test_host(), &m->B);
    spg_context_destroy(m->context);
}

static bool names(const char *message, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = strstr(message, name); at != NULL; at = strstr(at + 1, name))
        if ((at == message || !isalnum((unsigned char)at[-1])) && !isalnum((unsigned char)at[length])) return true;
    return false;
}

/* The call's status, and that C is zeroed (when there is one) and no memory is held. The message must name all of
 * `first` and `second` (NULL: no matter). */
static void refuse(misuse *m, const spg_csr *A, const spg_csr *B, spg_status expected, const char *first,
                   const char *second)
{
    spg_csr C;
    memset(&C, 0x5a, sizeof C);
    spg_status status = spgemm_csr(m->context, A, B, &C);
    const char *message = spg_context_message(m->context);
    if (status != expected)
        fail_msg("%s (%s), expected %s", spg_status_name(status), message, spg_status_name(expected));
    if ((first != NULL && !names(message, first)) || (second != NULL && !names(message, second)))
        fail_msg("\"%s\" does not name %s and %s", message, first, second);
    test_assert_zeroed(&C, sizeof C);
    spgemm_plan *plan = (spgemm_plan *)(void *)&C;
    status = spgemm_plan_create(m->context, A, B, &plan);
    if (status != expected) fail_msg("plan: %s, expected %s", spg_status_name(status), spg_status_name(expected));
    assert_null(plan);
    assert_true(first == NULL || names(spg_context_message(m->context), first));
}

/* Both at the context's place. */
static void refuse_copies(misuse *m, const spg_csr *A, const spg_csr *B, spg_status expected, const char *first,
                          const char *second)
{
    spg_csr here_A, here_B;
    test_to_place(m->context, A, &here_A);
    test_to_place(m->context, B, &here_B);
    refuse(m, &here_A, &here_B, expected, first, second);
    spg_csr_free(m->context, &here_A);
    spg_csr_free(m->context, &here_B);
}

static void null_arguments_are_refused_by_name(void **state)
{
    (void)state;
    misuse m;
    open_misuse(&m, SPG_I32);
    const spg_csr A = m.here_A, B = m.here_B;
    spg_csr C;
    memset(&C, 0x5a, sizeof C);
    assert_int_equal(spgemm_csr(NULL, &A, &B, &C), SPG_ERROR_ARGUMENT);
    refuse(&m, NULL, &B, SPG_ERROR_ARGUMENT, "A", NULL);
    refuse(&m, &A, NULL, SPG_ERROR_ARGUMENT, "B", NULL);
    refuse(&m, NULL, NULL, SPG_ERROR_ARGUMENT, NULL, NULL);
    assert_int_equal(spgemm_csr(m.context, &A, &B, NULL), SPG_ERROR_ARGUMENT);
    assert_true(names(spg_context_message(m.context), "C"));
    spgemm_plan *plan = NULL;
    assert_int_equal(spgemm_plan_create(NULL, &A, &B, &plan), SPG_ERROR_ARGUMENT);
    assert_null(plan);
    assert_int_equal(spgemm_plan_create(m.context, &A, &B, NULL), SPG_ERROR_ARGUMENT);
    assert_int_equal(spgemm_plan_run(NULL, &A, &B, &C), SPG_ERROR_ARGUMENT);
    spgemm_stats stats;
    assert_int_equal(spgemm_plan_stats(NULL, &stats), SPG_ERROR_ARGUMENT);
    assert_int_equal(spgemm_last_stats(NULL, &stats), SPG_ERROR_ARGUMENT);
    assert_int_equal(spgemm_last_stats(m.context, NULL), SPG_ERROR_ARGUMENT);
    spgemm_plan_destroy(NULL);
    close_misuse(&m);
}

static void null_arrays_are_refused_by_name(void **state)
{
    (void)state;
    misuse m;
    open_misuse(&m, SPG_I32);
    const spg_csr A = m.here_A, B = m.here_B;
    for (int k = 0; k < 3; ++k) {
        spg_csr broken_A = A, broken_B = B;
        if (k == 0) broken_A.row_offsets = NULL, broken_B.row_offsets = NULL;
        if (k == 1) broken_A.columns = NULL, broken_B.columns = NULL;
        if (k == 2) broken_A.values = NULL, broken_B.values = NULL;
        refuse(&m, &broken_A, &B, SPG_ERROR_ARGUMENT, "A", NULL);
        refuse(&m, &A, &broken_B, SPG_ERROR_ARGUMENT, "B", NULL);
    }
    close_misuse(&m);
}

static void sizes_and_types_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    misuse m;
    open_misuse(&m, SPG_I32);
    const spg_csr A = m.here_A, B = m.here_B;
    spg_csr narrow;
    refuse(&m, &A, &A, SPG_ERROR_SHAPE, "A", "B");
    refuse(&m, &B, &A, SPG_ERROR_SHAPE, "A", "B");
    assert_int_equal(spg_csr_alloc(m.context, 150, 10, 0, SPG_I32, SPG_F32, &narrow), SPG_OK);
    refuse(&m, &A, &narrow, SPG_ERROR_ARGUMENT, NULL, NULL);
    for (int v = 0; v < TEST_VALUE_TYPES; ++v) {
        narrow.value_type = test_value_types[v];
        if (test_value_types[v] != SPG_F64) refuse(&m, &A, &narrow, SPG_ERROR_ARGUMENT, NULL, NULL);
    }
    narrow.value_type = SPG_F32;
    spg_csr_free(m.context, &narrow);
    for (int k = 0; k < 7; ++k) {
        spg_csr broken = A;
        if (k == 0) broken.rows = -1;
        if (k == 1) broken.cols = -150;
        if (k == 2) broken.nnz = -1;
        if (k == 3) broken.value_type = SPG_I32;
        if (k == 4) broken.offset_type = SPG_F64;
        if (k == 5) broken.value_type = (spg_type)77;
        if (k == 6) broken.place = SPG_PLACE_AUTO;
        refuse(&m, &broken, &B, SPG_ERROR_ARGUMENT, "A", NULL);
        broken = B;
        if (k == 0) broken.cols = (int64_t)1 << 31;
        if (k == 1) broken.cols = -1;
        if (k == 2) broken.nnz = INT64_MIN;
        if (k == 3) broken.value_type = SPG_I64;
        if (k == 4) broken.offset_type = (spg_type)-1;
        if (k == 5) broken.rows = INT64_MIN;
        if (k == 6) broken.place = (spg_place)9;
        refuse(&m, &A, &broken, SPG_ERROR_ARGUMENT, "B", NULL);
    }
    close_misuse(&m);
}

/* By the sizes alone, before a byte of the arrays is read: they are far smaller here. */
static void rows_and_columns_that_a_device_cannot_number_are_refused_with_both_sizes(void **state)
{
    (void)state;
    if (test_place() == SPG_PLACE_HOST) skip();
    misuse m;
    open_misuse(&m, SPG_I32);
    spg_csr tall_A = m.here_A, wide_A = m.here_A, tall_B = m.here_B;
    tall_A.rows = wide_A.cols = tall_B.rows = INT32_MAX;
    refuse(&m, &tall_A, &m.here_B, SPG_ERROR_UNSUPPORTED, "A", "2147483647 x 150");
    refuse(&m, &wide_A, &tall_B, SPG_ERROR_UNSUPPORTED, "A", "200 x 2147483647");
    close_misuse(&m);
}

static void arrays_elsewhere_than_the_context_are_refused(void **state)
{
    (void)state;
    misuse m;
    open_misuse(&m, SPG_I32);
    const spg_csr A = m.here_A, B = m.here_B;
    spg_csr elsewhere_A = A, elsewhere_B = B;
    elsewhere_A.place = elsewhere_B.place = test_place() == SPG_PLACE_HOST ? SPG_PLACE_DEVICE : SPG_PLACE_HOST;
    refuse(&m, &elsewhere_A, &B, SPG_ERROR_PLACE, "A", NULL);
    refuse(&m, &A, &elsewhere_B, SPG_ERROR_PLACE, "B", NULL);
    close_misuse(&m);
}

/* One array of an operand on the host, in a context on a device: nothing crashes. */
static void arrays_that_lie_elsewhere_than_their_place_says_are_refused(void **state)
{
    (void)state;
    if (test_place() == SPG_PLACE_HOST) skip();
    misuse m;
    open_misuse(&m, SPG_I32);
    spg_csr A = m.here_A, B = m.here_B;
    for (int k = 0; k < 3; ++k) {
        spg_csr broken_A = A, broken_B = B;
        if (k == 0) broken_A.row_offsets = m.A.row_offsets, broken_B.row_offsets = m.B.row_offsets;
        if (k == 1) broken_A.columns = m.A.columns, broken_B.columns = m.B.columns;
        if (k == 2) broken_A.values = m.A.values, broken_B.values = m.B.values;
        refuse(&m, &broken_A, &B, SPG_ERROR_PLACE, "A", NULL);
        refuse(&m, &A, &broken_B, SPG_ERROR_PLACE, "B", NULL);
    }
    int64_t products = 0;
    spgemm_analysis analysis;
    assert_int_equal(spgemm_analyse(m.context, &A, &B, NULL, NULL, &products, &analysis), SPG_ERROR_PLACE);
    A.place = B.place = SPG_PLACE_HOST; /* arrays on the device, in a context on the host */
    spg_csr C;
    assert_int_equal(spgemm_csr(test_host(), &A, &m.B, &C), SPG_ERROR_PLACE);
    assert_int_equal(spgemm_csr(test_host(), &m.A, &B, &C), SPG_ERROR_PLACE);
    close_misuse(&m);
}

static void set_offset(spg_csr *matrix, int64_t row, int64_t offset)
{
    if (matrix->offset_type == SPG_I64)
        ((int64_t *)matrix->row_offsets)[row] = offset;
    else
        ((int32_t *)matrix->row_offsets)[row] = (int32_t)offset;
}

/* Puts `offset` at offsets[at] of A, then of B, and demands a message that names the matrix and the row. */
static void refuse_offset(misuse *m, int64_t at, int64_t offset, int64_t row)
{
    char text[32];
    snprintf(text, sizeof text, "row %lld", (long long)row);
    for (int b = 0; b < 2; ++b) {
        spg_csr *broken = b ? &m->B : &m->A;
        int64_t saved = test_offset(broken, at);
        set_offset(broken, at, offset);
        refuse_copies(m, &m->A, &m->B, SPG_ERROR_FORMAT, b ? "B" : "A", text);
        set_offset(broken, at, saved);
    }
}

static void broken_offsets_are_refused_with_their_matrix_and_row(void **state)
{
    (void)state;
    for (int t = 0; t < TEST_OFFSET_TYPES; ++t) {
        misuse m;
        open_misuse(&m, test_offset_types[t]);
        int64_t most = test_offset_types[t] == SPG_I64 ? INT64_MAX : INT32_MAX;
        refuse_offset(&m, 0, 1, 0);
        refuse_offset(&m, 0, -1, 0);
        refuse_offset(&m, 0, -most, 0);
        refuse_offset(&m, 77, most, 76); /* past nnz */
        refuse_offset(&m, 77, 100000, 76);
        refuse_offset(&m, 77, -5, 76); /* falls, below 0 */
        refuse_offset(&m, 77, -most, 76);
        refuse_offset(&m, 77, 0, 76); /* falls */
        for (int b = 0; b < 2; ++b) { /* the end is not nnz */
            spg_csr *broken = b ? &m.B : &m.A;
            int64_t rows = broken->rows, end = broken->nnz;
            set_offset(broken, rows, end + 1);
            refuse_copies(&m, &m.A, &m.B, SPG_ERROR_FORMAT, b ? "B" : "A", "row");
            set_offset(broken, rows, test_offset(broken, rows - 1));
            if (test_offset(broken, rows) != end) refuse_copies(&m, &m.A, &m.B, SPG_ERROR_FORMAT, b ? "B" : "A", "row");
            set_offset(broken, rows, end);
        }
        refuse_copies(&m, &m.A, &m.A, SPG_ERROR_SHAPE, NULL, NULL);
        close_misuse(&m);
    }
}

/* No kernel has an entry to multiply then. */
static void operands_beside_one_without_entries_are_checked_too(void **state)
{
    (void)state;
    for (int b = 0; b < 2; ++b) {
        misuse m;
        open_misuse(&m, SPG_I32);
        spg_csr *empty = b ? &m.B : &m.A, *other = b ? &m.A : &m.B;
        spg_csr_free(test_host(), empty);
        test_random_csr(test_host(), (test_matrix){b ? 150 : 200, b ? 120 : 150, 0, SPG_I32, SPG_F64}, 7, 0, empty);
        assert_int_equal(empty->nnz, 0);
        set_offset(empty, 20, 3);
        refuse_copies(&m, &m.A, &m.B, SPG_ERROR_FORMAT, b ? "B" : "A", "row");
        set_offset(empty, 20, 0);
        if (b) { /* of B, a row that no entry of A names need not be read */
            const int32_t column = other->columns[5];
            other->columns[5] = (int32_t)other->cols;
            refuse_copies(&m, &m.A, &m.B, SPG_ERROR_FORMAT, "A", "row");
            other->columns[5] = column;
        }
        close_misuse(&m);
    }
}

static void columns_out_of_range_are_refused_with_their_matrix_and_row(void **state)
{
    (void)state;
    misuse m;
    open_misuse(&m, SPG_I32);
    const int32_t wrong[2][6] = {{-1, INT32_MIN, 150, 151, 1 << 20, INT32_MAX},
                                 {-1, INT32_MIN, 120, 121, 1 << 20, INT32_MAX}};
    for (int b = 0; b < 2; ++b) {
        spg_csr *broken = b ? &m.B : &m.A;
        const int64_t entries[] = {0, broken->nnz / 2, broken->nnz - 1};
        for (int e = 0; e < 3; ++e) {
            int64_t row = 0;
            while (test_offset(broken, row + 1) <= entries[e]) ++row;
            char text[32];
            snprintf(text, sizeof text, "row %lld", (long long)row);
            int32_t saved = broken->columns[entries[e]];
            for (int w = 0; w < 6; ++w) {
                broken->columns[entries[e]] = wrong[b][w];
                refuse_copies(&m, &m.A, &m.B, SPG_ERROR_FORMAT, b ? "B" : "A", text);
            }
            broken->columns[entries[e]] = saved;
        }
    }
    close_misuse(&m);
}

/* Rows of so few products that each class can do all of them. */
static void every_class_refuses_a_column_out_of_range(void **state)
{
    (void)state;
    for (int l = 0; l < TEST_LIMITS; ++l) {
        misuse m;
        open_misuse(&m, SPG_I32);
        spg_csr *matrices[] = {&m.A, &m.B};
        for (int k = 0; k < 2; ++k) spg_csr_free(test_host(), matrices[k]);
        assert_int_equal(spg_context_set_row_limits(m.context, &test_limit_sets[l].limits), SPG_OK);
        test_random_csr(test_host(), (test_matrix){200, 1500, 2.5, SPG_I32, SPG_F64}, 5, TEST_UNSORTED, &m.A);
        test_random_csr(test_host(), (test_matrix){1500, 120, 2.5, SPG_I32, SPG_F64}, 6, 0, &m.B);
        const int64_t ends[] = {m.A.nnz / 5, m.A.nnz / 2, m.A.nnz - 1};
        for (int e = 0; e < 3; ++e) {
            int64_t k = ends[e];
            while (test_offset(&m.B, m.A.columns[k]) == test_offset(&m.B, m.A.columns[k] + (int64_t)1)) --k;
            int32_t *entries[] = {&m.A.columns[k], &m.B.columns[test_offset(&m.B, m.A.columns[k] + (int64_t)1) - 1]};
            for (int b = 0; b < 2; ++b) {
                const int32_t saved = *entries[b];
                *entries[b] = b ? 120 : 1500;
                refuse_copies(&m, &m.A, &m.B, SPG_ERROR_FORMAT, b ? "B" : "A", NULL);
                *entries[b] = saved;
            }
        }
        close_misuse(&m);
    }
}

static void operands_of_a_refused_call_are_left_as_they_were(void **state)
{
    (void)state;
    misuse m;
    open_misuse(&m, SPG_I32);
    spg_csr A = m.here_A, B = m.here_B, back;
    const spg_csr same_A = A, same_B = B;
    assert_int_equal(spgemm_csr(m.context, &A, &B, &A), SPG_ERROR_ARGUMENT); /* C is A */
    assert_int_equal(spgemm_csr(m.context, &A, &B, &B), SPG_ERROR_ARGUMENT);
    assert_memory_equal(&A, &same_A, sizeof A);
    assert_memory_equal(&B, &same_B, sizeof B);
    test_to_host(m.context, &A, &back);
    test_assert_same_csr(&back, &m.A);
    spg_csr_free(test_host(), &back);
    close_misuse(&m);
}

static void a_context_works_on_after_every_refusal(void **state)
{
    (void)state;
    misuse m;
    open_misuse(&m, SPG_I64);
    spg_csr expected, C;
    test_reference_product(&m.A, &m.B, &expected);
    int32_t saved = m.A.columns[17];
    m.A.columns[17] = -4;
    refuse_copies(&m, &m.A, &m.B, SPG_ERROR_FORMAT, "A", NULL);
    m.A.columns[17] = saved;
    test_multiply(m.context, &m.A, &m.B, &C);
    test_assert_same_product(&C, &expected, "after a refusal");
    spg_csr_free(test_host(), &C);
    spg_csr_free(test_host(), &expected);
    close_misuse(&m);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_arguments_are_refused_by_name),
        cmocka_unit_test(null_arrays_are_refused_by_name),
        cmocka_unit_test(sizes_and_types_that_do_not_fit_are_refused),
        cmocka_unit_test(rows_and_columns_that_a_device_cannot_number_are_refused_with_both_sizes),
        cmocka_unit_test(arrays_elsewhere_than_the_context_are_refused),
        cmocka_unit_test(arrays_that_lie_elsewhere_than_their_place_says_are_refused),
        cmocka_unit_test(broken_offsets_are_refused_with_their_matrix_and_row),
        cmocka_unit_test(operands_beside_one_without_entries_are_checked_too),
        cmocka_unit_test(columns_out_of_range_are_refused_with_their_matrix_and_row),
        cmocka_unit_test(every_class_refuses_a_column_out_of_range),
        cmocka_unit_test(operands_of_a_refused_call_are_left_as_they_were),
        cmocka_unit_test(a_context_works_on_after_every_refusal),
    };
    return TEST_RUN_HERE(argc, argv, "product misuse", tests);
}
