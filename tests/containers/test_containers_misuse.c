/* Every wrong argument is a status and a message that names it; outputs are zeroed, inputs left alone. */
#include "containers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The arrays of a small sound matrix of each kind, and of vectors. */
typedef struct arrays {
    int32_t offsets[4], rows[4], columns[4];
    double values[4], x[3], y[3], both[6];
} arrays;

/* The matrices view arrays at the place, which take what `host` holds by upload(). */
typedef struct sound {
    arrays host;
    arrays *here;
    double *x, *y; /* at the place */
    spg_csr csr;
    spg_coo coo;
    spg_context *context;
} sound;

static void upload(const sound *s) { test_send(&s->host, sizeof s->host, s->here); }

static int set_up(void **state)
{
    sound *s = test_array(1, sizeof *s);
    const int32_t offsets[] = {0, 2, 2, 4}, rows[] = {0, 0, 2, 2}, columns[] = {0, 2, 1, 2};
    memcpy(s->host.offsets, offsets, sizeof offsets);
    memcpy(s->host.rows, rows, sizeof rows);
    memcpy(s->host.columns, columns, sizeof columns);
    arrays *here = s->here = test_lend(&s->host, sizeof s->host);
    s->x = here->x;
    s->y = here->y;
    s->csr = (spg_csr){3, 3, 4, SPG_I32, SPG_F64, test_place(), here->offsets, here->columns, here->values};
    s->coo = (spg_coo){3, 3, 4, SPG_F64, test_place(), here->rows, here->columns, here->values};
    s->context = test_context_at_place(2);
    *state = s;
    return 0;
}

static int tear_down(void **state)
{
    sound *s = *state;
    spg_context_destroy(s->context);
    test_give_back(s->here, sizeof s->host);
    free(s);
    return 0;
}

static void assert_refused(const sound *s, spg_status status, spg_status expected, const char *word)
{
    const char *message = spg_context_message(s->context);
    if (status != expected)
        fail_msg("%s, expected %s: %s", spg_status_name(status), spg_status_name(expected), message);
    if (strstr(message, word) == NULL) fail_msg("'%s' does not name '%s'", message, word);
}

/* Every call that takes a CSR matrix refuses this one; no output is left undefined. */
static void assert_csr_refused(const sound *s, const spg_csr *matrix, spg_status expected, const char *word)
{
    spg_csr made;
    spg_coo coo;
    upload(s);
    memset(&made, 0xff, sizeof made);
    memset(&coo, 0xff, sizeof coo);
    assert_refused(s, spg_csr_check(s->context, matrix), expected, word);
    assert_refused(s, spg_csr_transpose(s->context, matrix, &made), expected, word);
    test_assert_zeroed(&made, sizeof made);
    assert_refused(s, spg_coo_from_csr(s->context, matrix, &coo), expected, word);
    test_assert_zeroed(&coo, sizeof coo);
    spg_csr in_place;
    if (matrix != NULL) in_place = *matrix;
    assert_refused(s, spg_csr_sort(s->context, matrix != NULL ? &in_place : NULL), expected, word);
    if (expected == SPG_ERROR_FORMAT) return; /* contents are not looked at by the others */
    memset(&made, 0xff, sizeof made);
    assert_refused(s, spg_csr_copy(s->context, matrix, &made), expected, word);
    test_assert_zeroed(&made, sizeof made);
    assert_refused(s, spg_csr_spmv(s->context, NULL, matrix, s->x, NULL, s->y), expected, word);
}

static void assert_coo_refused(const sound *s, const spg_coo *matrix, spg_status expected, const char *word)
{
    spg_csr csr;
    spg_coo made;
    upload(s);
    memset(&csr, 0xff, sizeof csr);
    memset(&made, 0xff, sizeof made);
    assert_refused(s, spg_coo_check(s->context, matrix), expected, word);
    assert_refused(s, spg_csr_from_coo(s->context, matrix, SPG_I32, &csr), expected, word);
    test_assert_zeroed(&csr, sizeof csr);
    assert_refused(s, spg_coo_spmv(s->context, NULL, matrix, s->x, NULL, s->y), expected, word);
    spg_coo in_place;
    if (matrix != NULL) in_place = *matrix;
    assert_refused(s, spg_coo_sort(s->context, matrix != NULL ? &in_place : NULL), expected, word);
    if (expected == SPG_ERROR_FORMAT) return;
    assert_refused(s, spg_coo_copy(s->context, matrix, &made), expected, word);
    test_assert_zeroed(&made, sizeof made);
    memset(&made, 0xff, sizeof made);
    assert_refused(s, spg_coo_transpose(s->context, matrix, &made), expected, word);
    test_assert_zeroed(&made, sizeof made);
}

static void a_csr_argument_that_cannot_be_is_refused_by_its_fault(void **state)
{
    const sound *s = *state;
    spg_csr m = s->csr;
    assert_csr_refused(s, NULL, SPG_ERROR_ARGUMENT, "NULL");
    m.rows = -1, assert_csr_refused(s, &m, SPG_ERROR_ARGUMENT, "negative size"), m = s->csr;
    m.cols = -1, assert_csr_refused(s, &m, SPG_ERROR_ARGUMENT, "negative size"), m = s->csr;
    m.nnz = -1, assert_csr_refused(s, &m, SPG_ERROR_ARGUMENT, "negative size"), m = s->csr;
    m.cols = (int64_t)INT32_MAX + 1, assert_csr_refused(s, &m, SPG_ERROR_ARGUMENT, "2147483648 columns"), m = s->csr;
    m.rows = 0, assert_csr_refused(s, &m, SPG_ERROR_ARGUMENT, "4 entries in a matrix of 0 x 3"), m = s->csr;
    m.offset_type = SPG_F32, assert_csr_refused(s, &m, SPG_ERROR_ARGUMENT, "offset_type 0"), m = s->csr;
    m.value_type = SPG_I64, assert_csr_refused(s, &m, SPG_ERROR_ARGUMENT, "value_type 5"), m = s->csr;
    m.value_type = (spg_type)77, assert_csr_refused(s, &m, SPG_ERROR_ARGUMENT, "value_type 77"), m = s->csr;
    m.place = SPG_PLACE_AUTO, assert_csr_refused(s, &m, SPG_ERROR_ARGUMENT, "place 2"), m = s->csr;
    m.place = test_place_elsewhere(), assert_csr_refused(s, &m, SPG_ERROR_PLACE, "lie"), m = s->csr;
    m.row_offsets = NULL, assert_csr_refused(s, &m, SPG_ERROR_ARGUMENT, "row_offsets is NULL"), m = s->csr;
    m.columns = NULL, assert_csr_refused(s, &m, SPG_ERROR_ARGUMENT, "columns is NULL"), m = s->csr;
    m.values = NULL, assert_csr_refused(s, &m, SPG_ERROR_ARGUMENT, "values is NULL"), m = s->csr;
    m.nnz = (int64_t)INT32_MAX + 1, assert_csr_refused(s, &m, SPG_ERROR_OVERFLOW, "2147483648 entries");
}

static void a_coo_argument_that_cannot_be_is_refused_by_its_fault(void **state)
{
    const sound *s = *state;
    spg_coo m = s->coo;
    assert_coo_refused(s, NULL, SPG_ERROR_ARGUMENT, "NULL");
    m.rows = -1, assert_coo_refused(s, &m, SPG_ERROR_ARGUMENT, "negative size"), m = s->coo;
    m.cols = -1, assert_coo_refused(s, &m, SPG_ERROR_ARGUMENT, "negative size"), m = s->coo;
    m.nnz = -1, assert_coo_refused(s, &m, SPG_ERROR_ARGUMENT, "negative size"), m = s->coo;
    m.rows = (int64_t)1 << 40, assert_coo_refused(s, &m, SPG_ERROR_ARGUMENT, "1099511627776 rows"), m = s->coo;
    m.cols = (int64_t)1 << 40, assert_coo_refused(s, &m, SPG_ERROR_ARGUMENT, "1099511627776 columns"), m = s->coo;
    m.cols = 0, assert_coo_refused(s, &m, SPG_ERROR_ARGUMENT, "4 entries in a matrix of 3 x 0"), m = s->coo;
    m.value_type = SPG_I32, assert_coo_refused(s, &m, SPG_ERROR_ARGUMENT, "value_type 4"), m = s->coo;
    m.place = (spg_place)-1, assert_coo_refused(s, &m, SPG_ERROR_ARGUMENT, "place -1"), m = s->coo;
    m.place = test_place_elsewhere(), assert_coo_refused(s, &m, SPG_ERROR_PLACE, "lie"), m = s->coo;
    m.row_indices = NULL, assert_coo_refused(s, &m, SPG_ERROR_ARGUMENT, "row_indices is NULL"), m = s->coo;
    m.columns = NULL, assert_coo_refused(s, &m, SPG_ERROR_ARGUMENT, "columns is NULL"), m = s->coo;
    m.values = NULL, assert_coo_refused(s, &m, SPG_ERROR_ARGUMENT, "values is NULL");
}

static void unsound_csr_contents_are_refused_with_the_first_row_at_fault(void **state)
{
    sound *s = *state;
    s->host.offsets[0] = 1, assert_csr_refused(s, &s->csr, SPG_ERROR_FORMAT, "row 0: row_offsets begin at 1");
    s->host.offsets[0] = 0;
    s->host.offsets[1] = -2, assert_csr_refused(s, &s->csr, SPG_ERROR_FORMAT, "row 0: row_offsets fall from 0 to -2");
    s->host.offsets[1] = 3, assert_csr_refused(s, &s->csr, SPG_ERROR_FORMAT, "row 1: row_offsets fall from 3 to 2");
    s->host.offsets[1] = 9, assert_csr_refused(s, &s->csr, SPG_ERROR_FORMAT, "row 0: row_offsets reach 9, nnz is 4");
    s->host.offsets[1] = 2;
    s->host.offsets[3] = 3, assert_csr_refused(s, &s->csr, SPG_ERROR_FORMAT, "row 2: row_offsets end at 3, nnz is 4");
    s->host.offsets[3] = 4;
    s->host.columns[2] = 3, assert_csr_refused(s, &s->csr, SPG_ERROR_FORMAT, "row 2: column 3 lies outside [0, 3)");
    s->host.columns[1] = -1, assert_csr_refused(s, &s->csr, SPG_ERROR_FORMAT, "row 0: column -1 lies outside [0, 3)");
    s->host.offsets[2] = 99, assert_csr_refused(s, &s->csr, SPG_ERROR_FORMAT, "row 0: column -1");
    s->host.columns[1] = 2, assert_csr_refused(s, &s->csr, SPG_ERROR_FORMAT, "row 1: row_offsets reach 99");
}

static void the_offsets_of_a_matrix_without_rows_begin_at_zero(void **state)
{
    sound *s = *state;
    s->csr.rows = s->csr.nnz = 0;
    assert_int_equal(spg_csr_check(s->context, &s->csr), SPG_OK);
    s->host.offsets[0] = 7;
    assert_csr_refused(s, &s->csr, SPG_ERROR_FORMAT, "row 0: row_offsets begin at 7");
}

static void the_first_fault_of_a_large_matrix_is_found_by_any_number_of_threads(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; ++threads) {
        spg_context *context = test_context_at_place(threads);
        spg_csr m, here;
        test_random_csr(test_host(), (test_matrix){50000, 4000, 3, SPG_I64, SPG_F32}, 3, 0, &m);
        int64_t *offsets = m.row_offsets;
        m.columns[offsets[41000]] = 4000;
        m.columns[offsets[49000]] = -7;
        offsets[45001] = offsets[45000] - 1;
        test_to_place(context, &m, &here);
        assert_int_equal(spg_csr_check(context, &here), SPG_ERROR_FORMAT);
        int64_t row = 41000; /* whose own entries may be none: then the column is that of the next row with entries */
        while (offsets[row + 1] == offsets[row]) ++row;
        char expected[64];
        snprintf(expected, sizeof expected, "row %lld: column 4000 lies outside [0, 4000)", (long long)row);
        assert_string_equal(spg_context_message(context), expected);
        spg_csr_free(context, &here);
        spg_csr_free(test_host(), &m);
        spg_context_destroy(context);
    }
}

static void unsound_triples_are_refused_with_the_first_one(void **state)
{
    sound *s = *state;
    s->host.columns[3] = 3, assert_coo_refused(s, &s->coo, SPG_ERROR_FORMAT, "triple 3: column 3 lies outside [0, 3)");
    s->host.rows[1] = -4, assert_coo_refused(s, &s->coo, SPG_ERROR_FORMAT, "triple 1: row -4 lies outside [0, 3)");
    s->host.columns[0] = -1,
    assert_coo_refused(s, &s->coo, SPG_ERROR_FORMAT, "triple 0: column -1 lies outside [0, 3)");
    s->host.rows[0] = 8, assert_coo_refused(s, &s->coo, SPG_ERROR_FORMAT, "triple 0: row 8 lies outside [0, 3)");
}

static void sizes_and_types_that_cannot_be_are_not_allocated(void **state)
{
    const sound *s = *state;
    spg_context *c = s->context;
    spg_csr m;
    spg_coo t;
    const int64_t many = INT64_MAX;
    assert_refused(s, spg_csr_alloc(c, -1, 2, 0, SPG_I32, SPG_F64, &m), SPG_ERROR_ARGUMENT, "negative size");
    assert_refused(s, spg_csr_alloc(c, 2, 1 + (int64_t)INT32_MAX, 0, SPG_I32, SPG_F64, &m), SPG_ERROR_ARGUMENT,
                   "columns");
    assert_refused(s, spg_csr_alloc(c, 2, 2, 1, SPG_F32, SPG_F64, &m), SPG_ERROR_ARGUMENT, "offset_type");
    assert_refused(s, spg_csr_alloc(c, 2, 2, 1, SPG_I32, SPG_I32, &m), SPG_ERROR_ARGUMENT, "value_type");
    assert_refused(s, spg_csr_alloc(c, 2, 2, 1 + (int64_t)INT32_MAX, SPG_I32, SPG_F64, &m), SPG_ERROR_OVERFLOW,
                   "2147483648 entries");
    assert_refused(s, spg_csr_alloc(c, many, 2, 1, SPG_I64, SPG_F64, &m), SPG_ERROR_MEMORY, "row offsets");
    assert_refused(s, spg_csr_alloc(c, many / 8, 2, 1, SPG_I64, SPG_F64, &m), SPG_ERROR_MEMORY, "row offsets");
    assert_refused(s, spg_csr_alloc(c, 2, 2, many, SPG_I64, SPG_F64, &m), SPG_ERROR_MEMORY, "columns");
    test_assert_zeroed(&m, sizeof m);
    assert_refused(s, spg_csr_alloc(c, 2, 2, 1, SPG_I32, SPG_F64, NULL), SPG_ERROR_ARGUMENT, "matrix is NULL");
    assert_refused(s, spg_coo_alloc(c, 2, -2, 1, SPG_F64, &t), SPG_ERROR_ARGUMENT, "negative size");
    assert_refused(s, spg_coo_alloc(c, 1 + (int64_t)INT32_MAX, 2, 1, SPG_F64, &t), SPG_ERROR_ARGUMENT, "rows");
    assert_refused(s, spg_coo_alloc(c, 2, 2, 1, SPG_I64, &t), SPG_ERROR_ARGUMENT, "value_type");
    assert_refused(s, spg_coo_alloc(c, 2, 2, many, SPG_F64, &t), SPG_ERROR_MEMORY, "row indices");
    test_assert_zeroed(&t, sizeof t);
    assert_refused(s, spg_coo_alloc(c, 2, 2, 1, SPG_F64, NULL), SPG_ERROR_ARGUMENT, "matrix is NULL");
    int64_t bytes;
    spg_context_memory(c, &bytes, NULL);
    assert_int_equal(bytes, 0);
}

static void an_output_that_is_null_or_the_input_is_refused_and_the_input_kept(void **state)
{
    sound *s = *state;
    spg_context *c = s->context;
    spg_csr csr = s->csr;
    spg_coo coo = s->coo;
    assert_refused(s, spg_csr_copy(c, &csr, NULL), SPG_ERROR_ARGUMENT, "copy is NULL");
    assert_refused(s, spg_csr_copy(c, &csr, &csr), SPG_ERROR_ARGUMENT, "copy is the same");
    assert_refused(s, spg_csr_transpose(c, &csr, NULL), SPG_ERROR_ARGUMENT, "transpose is NULL");
    assert_refused(s, spg_csr_transpose(c, &csr, &csr), SPG_ERROR_ARGUMENT, "transpose is the same");
    assert_refused(s, spg_coo_copy(c, &coo, NULL), SPG_ERROR_ARGUMENT, "copy is NULL");
    assert_refused(s, spg_coo_copy(c, &coo, &coo), SPG_ERROR_ARGUMENT, "copy is the same");
    assert_refused(s, spg_coo_transpose(c, &coo, NULL), SPG_ERROR_ARGUMENT, "transpose is NULL");
    assert_refused(s, spg_coo_transpose(c, &coo, &coo), SPG_ERROR_ARGUMENT, "transpose is the same");
    assert_refused(s, spg_csr_from_coo(c, &coo, SPG_I32, NULL), SPG_ERROR_ARGUMENT, "matrix is NULL");
    assert_refused(s, spg_coo_from_csr(c, &csr, NULL), SPG_ERROR_ARGUMENT, "matrix is NULL");
    assert_memory_equal(&csr, &s->csr, sizeof csr);
    assert_memory_equal(&coo, &s->coo, sizeof coo);
    memset(&csr, 0xff, sizeof csr);
    assert_refused(s, spg_csr_from_coo(c, &coo, SPG_F64, &csr), SPG_ERROR_ARGUMENT, "offset_type 1");
    test_assert_zeroed(&csr, sizeof csr);
}

static void vectors_that_are_null_or_overlap_are_refused(void **state)
{
    sound *s = *state;
    spg_context *c = s->context;
    assert_refused(s, spg_csr_spmv(c, NULL, &s->csr, NULL, NULL, s->y), SPG_ERROR_ARGUMENT, "x is NULL");
    assert_refused(s, spg_csr_spmv(c, NULL, &s->csr, s->x, NULL, NULL), SPG_ERROR_ARGUMENT, "y is NULL");
    assert_refused(s, spg_csr_spmv(c, NULL, &s->csr, s->x, NULL, s->x + 2), SPG_ERROR_ARGUMENT, "overlap");
    assert_refused(s, spg_coo_spmv(c, NULL, &s->coo, NULL, NULL, s->y), SPG_ERROR_ARGUMENT, "x is NULL");
    assert_refused(s, spg_coo_spmv(c, NULL, &s->coo, s->x, NULL, NULL), SPG_ERROR_ARGUMENT, "y is NULL");
    assert_refused(s, spg_coo_spmv(c, NULL, &s->coo, s->x, NULL, s->x), SPG_ERROR_ARGUMENT, "overlap");
    assert_refused(s, spg_csr_spmv(c, NULL, &s->csr, s->x, NULL, s->csr.values), SPG_ERROR_ARGUMENT, "the values of");
    assert_refused(s, spg_csr_spmv(c, NULL, &s->csr, s->x, NULL, s->csr.row_offsets), SPG_ERROR_ARGUMENT, "overlap");
    assert_refused(s, spg_coo_spmv(c, NULL, &s->coo, s->x, NULL, s->coo.values), SPG_ERROR_ARGUMENT, "the values of");
    assert_refused(s, spg_coo_spmv(c, NULL, &s->coo, s->x, NULL, s->coo.columns), SPG_ERROR_ARGUMENT, "overlap");
    double *both = s->here->both;
    assert_int_equal(spg_csr_spmv(c, NULL, &s->csr, both, NULL, both + 3), SPG_OK); /* side by side */
    assert_int_equal(spg_csr_spmv(c, NULL, &s->csr, both + 3, NULL, both), SPG_OK);
    s->csr.cols = s->csr.nnz = 0;
    memset(s->host.offsets, 0, sizeof s->host.offsets);
    upload(s);
    assert_int_equal(spg_csr_spmv(c, NULL, &s->csr, NULL, NULL, s->y), SPG_OK);
    s->csr.rows = 0;
    assert_int_equal(spg_csr_spmv(c, NULL, &s->csr, NULL, NULL, NULL), SPG_OK);
}

static void more_rows_than_columns_can_number_are_refused(void **state)
{
    sound *s = *state;
    spg_csr transpose;
    spg_coo coo;
    s->csr.rows = (int64_t)INT32_MAX + 1; /* refused before any offset is read */
    assert_refused(s, spg_csr_transpose(s->context, &s->csr, &transpose), SPG_ERROR_ARGUMENT, "2147483648 rows");
    assert_refused(s, spg_coo_from_csr(s->context, &s->csr, &coo), SPG_ERROR_ARGUMENT, "2147483648 rows");
}

static void a_call_without_a_context_is_refused(void **state)
{
    sound *s = *state;
    spg_csr csr;
    spg_coo coo;
    memset(&csr, 0xff, sizeof csr);
    memset(&coo, 0xff, sizeof coo);
    assert_int_equal(spg_csr_alloc(NULL, 1, 1, 1, SPG_I32, SPG_F64, &csr), SPG_ERROR_ARGUMENT);
    test_assert_zeroed(&csr, sizeof csr);
    assert_int_equal(spg_csr_copy(NULL, &s->csr, &csr), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_csr_transpose(NULL, &s->csr, &csr), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_csr_from_coo(NULL, &s->coo, SPG_I32, &csr), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_csr_check(NULL, &s->csr), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_csr_sort(NULL, &s->csr), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_csr_spmv(NULL, NULL, &s->csr, s->x, NULL, s->y), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_coo_alloc(NULL, 1, 1, 1, SPG_F64, &coo), SPG_ERROR_ARGUMENT);
    test_assert_zeroed(&coo, sizeof coo);
    assert_int_equal(spg_coo_copy(NULL, &s->coo, &coo), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_coo_transpose(NULL, &s->coo, &coo), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_coo_from_csr(NULL, &s->csr, &coo), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_coo_check(NULL, &s->coo), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_coo_sort(NULL, &s->coo), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_coo_spmv(NULL, NULL, &s->coo, s->x, NULL, s->y), SPG_ERROR_ARGUMENT);
    spg_csr_free(NULL, &s->csr);
    spg_coo_free(NULL, &s->coo);
    assert_ptr_equal(s->csr.row_offsets, s->here->offsets);
}

static void arrays_of_another_place_are_not_freed(void **state)
{
    sound *s = *state;
    s->csr.place = s->coo.place = test_place_elsewhere();
    spg_csr_free(s->context, &s->csr);
    assert_ptr_equal(s->csr.row_offsets, s->here->offsets);
    test_assert_message(s->context, "device");
    spg_coo_free(s->context, &s->coo);
    assert_ptr_equal(s->coo.row_indices, s->here->rows);
}

/* A matrix at the place of the context, but for one array; nothing crashes. */
static void arrays_that_lie_elsewhere_than_their_place_says_are_refused(void **state)
{
    sound *s = *state;
    if (test_place() == SPG_PLACE_HOST) skip();
    spg_csr m = s->csr;
    m.row_offsets = s->host.offsets, assert_csr_refused(s, &m, SPG_ERROR_PLACE, "row_offsets"), m = s->csr;
    m.columns = s->host.columns, assert_csr_refused(s, &m, SPG_ERROR_PLACE, "columns"), m = s->csr;
    m.values = s->host.values, assert_csr_refused(s, &m, SPG_ERROR_PLACE, "values");
    spg_coo t = s->coo;
    t.row_indices = s->host.rows, assert_coo_refused(s, &t, SPG_ERROR_PLACE, "row_indices"), t = s->coo;
    t.columns = s->host.columns, assert_coo_refused(s, &t, SPG_ERROR_PLACE, "columns"), t = s->coo;
    t.values = s->host.values, assert_coo_refused(s, &t, SPG_ERROR_PLACE, "values");
    spg_context *c = s->context;
    double *x = s->host.x, *y = s->host.y;
    assert_refused(s, spg_csr_spmv(c, NULL, &s->csr, x, NULL, s->y), SPG_ERROR_PLACE, "x does not lie on the device");
    assert_refused(s, spg_csr_spmv(c, NULL, &s->csr, s->x, NULL, y), SPG_ERROR_PLACE, "y does not lie on the device");
    assert_refused(s, spg_coo_spmv(c, NULL, &s->coo, x, NULL, s->y), SPG_ERROR_PLACE, "x does not lie on the device");
    assert_refused(s, spg_coo_spmv(c, NULL, &s->coo, s->x, NULL, y), SPG_ERROR_PLACE, "y does not lie on the device");
}

static void arrays_on_a_device_that_are_said_to_lie_on_the_host_are_refused(void **state)
{
    sound *s = *state;
    if (test_place() == SPG_PLACE_HOST) skip();
    spg_context *host = test_host();
    spg_csr m = s->csr, copy;
    spg_coo t = s->coo, triples;
    m.place = t.place = SPG_PLACE_HOST;
    assert_int_equal(spg_csr_check(host, &m), SPG_ERROR_PLACE);
    assert_int_equal(spg_csr_copy(host, &m, &copy), SPG_ERROR_PLACE);
    assert_int_equal(spg_csr_sort(host, &m), SPG_ERROR_PLACE);
    assert_int_equal(spg_coo_check(host, &t), SPG_ERROR_PLACE);
    assert_int_equal(spg_coo_copy(host, &t, &triples), SPG_ERROR_PLACE);
    assert_int_equal(spg_coo_copy(s->context, &t, &triples), SPG_ERROR_PLACE);
    m = (spg_csr){3, 3, 4, SPG_I32, SPG_F64, SPG_PLACE_HOST, s->host.offsets, s->host.columns, s->host.values};
    assert_int_equal(spg_csr_spmv(host, NULL, &m, s->x, NULL, s->host.y), SPG_ERROR_PLACE);
    assert_int_equal(spg_csr_spmv(host, NULL, &m, s->host.x, NULL, s->y), SPG_ERROR_PLACE);
    assert_int_equal(spg_csr_spmv(host, NULL, &m, s->host.x, NULL, s->host.y), SPG_OK);
    assert_int_equal(spg_csr_check(host, &s->csr), SPG_ERROR_PLACE);
}

#define MISUSE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        MISUSE(a_csr_argument_that_cannot_be_is_refused_by_its_fault),
        MISUSE(a_coo_argument_that_cannot_be_is_refused_by_its_fault),
        MISUSE(unsound_csr_contents_are_refused_with_the_first_row_at_fault),
        MISUSE(the_offsets_of_a_matrix_without_rows_begin_at_zero),
        MISUSE(the_first_fault_of_a_large_matrix_is_found_by_any_number_of_threads),
        MISUSE(unsound_triples_are_refused_with_the_first_one),
        MISUSE(sizes_and_types_that_cannot_be_are_not_allocated),
        MISUSE(an_output_that_is_null_or_the_input_is_refused_and_the_input_kept),
        MISUSE(vectors_that_are_null_or_overlap_are_refused),
        MISUSE(more_rows_than_columns_can_number_are_refused),
        MISUSE(a_call_without_a_context_is_refused),
        MISUSE(arrays_of_another_place_are_not_freed),
        MISUSE(arrays_that_lie_elsewhere_than_their_place_says_are_refused),
        MISUSE(arrays_on_a_device_that_are_said_to_lie_on_the_host_are_refused),
    };
    return TEST_RUN_HERE(argc, argv, "containers: misuse", tests);
}
