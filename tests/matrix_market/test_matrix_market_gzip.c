/* Files packed by gzip: read and written as others are, and refused by name and fault if their packing is damaged. */
#define _XOPEN_SOURCE 700
#include "matrix_market_oracle.h"
#include "test_support.h"

#include "matrices_for_tests.h"
#include "scratch.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define SOURCE TINY "complex_hermitian.mtx"

/* A folder, a file in it, and the file SOURCE, plain and packed. */
typedef struct fixture {
    char folder[TEST_PATH], path[TEST_PATH + 32];
    spg_context *context;
    char *text, *packed;
    size_t size, packed_size;
} fixture;

static void put_file(const char *path, const char *mode, const char *bytes, size_t size)
{
    FILE *file = fopen(path, mode);
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Packs by zlib's own writer; mode "ab" adds a part. */
static void pack(const char *path, const char *mode, const char *bytes, size_t size)
{
    gzFile file = gzopen(path, mode);
    assert_non_null(file);
    if (size > 0) assert_int_equal(gzwrite(file, bytes, (unsigned)size), (int)size);
    assert_int_equal(gzclose(file), Z_OK);
}

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    test_new_folder(f->folder);
    snprintf(f->path, sizeof f->path, "%s/matrix.mtx.gz", f->folder);
    f->context = oracle_context();
    f->text = oracle_load(SOURCE, &f->size);
    pack(f->path, "wb", f->text, f->size);
    f->packed = oracle_load(f->path, &f->packed_size);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    spg_context_destroy(f->context);
    test_remove_folder(f->folder);
    free(f->text);
    free(f->packed);
    free(f);
    return 0;
}

static void assert_reads(const fixture *f, const char *path)
{
    spg_csr matrix;
    if (spg_read_matrix_market(f->context, path, &matrix) != SPG_OK) fail_msg("%s", spg_context_message(f->context));
    oracle_assert_file(SOURCE, &matrix);
    spg_csr_free(f->context, &matrix);
}

static void assert_refused(const fixture *f, spg_status expected, const char *fault)
{
    spg_csr matrix;
    int64_t held = -1;
    assert_int_equal(spg_read_matrix_market(f->context, f->path, &matrix), expected);
    test_assert_message(f->context, "matrix.mtx.gz: ");
    test_assert_message(f->context, fault);
    test_assert_zeroed(&matrix, sizeof matrix);
    spg_context_memory(f->context, &held, NULL);
    assert_int_equal(held, 0);
}

static void a_packed_file_is_read_whatever_its_name(void **state)
{
    const fixture *f = *state;
    char other[sizeof f->path];
    assert_reads(f, f->path);
    snprintf(other, sizeof other, "%s/plain.mtx", f->folder);
    assert_int_equal(rename(f->path, other), 0);
    assert_reads(f, other);
    put_file(f->path, "wb", f->text, f->size); /* plain, and named .gz */
    assert_reads(f, f->path);
}

static void parts_one_after_another_are_one_file(void **state)
{
    const fixture *f = *state;
    for (size_t at = 0; at <= f->size; ++at) {
        pack(f->path, "wb", f->text, at);
        pack(f->path, "ab", NULL, 0);
        pack(f->path, "ab", f->text + at, f->size - at);
        assert_reads(f, f->path);
    }
    static const char zeros[1000];
    put_file(f->path, "ab", zeros, sizeof zeros);
    assert_reads(f, f->path);
}

static void a_file_that_unpacks_to_far_more_is_read(void **state)
{
    enum { LINES = 200000 };
    const fixture *f = *state;
    gzFile file = gzopen(f->path, "wb");
    assert_non_null(file);
    assert_true(gzputs(file, "%%MatrixMarket matrix coordinate real general\n") > 0);
    for (int k = 0; k < LINES; ++k) assert_true(gzputs(file, "% nothing\n") > 0);
    assert_true(gzputs(file, "2 2 1\n2 1 7\n") > 0);
    assert_int_equal(gzclose(file), Z_OK);
    spg_csr matrix;
    assert_int_equal(spg_read_matrix_market(f->context, f->path, &matrix), SPG_OK);
    assert_int_equal(matrix.nnz, 1);
    assert_true(((const double *)matrix.values)[0] == 7.0);
    spg_csr_free(f->context, &matrix);
}

static void a_truncated_file_is_refused_wherever_it_ends(void **state)
{
    const fixture *f = *state;
    char place[64];
    for (size_t length = 2; length < f->packed_size; ++length) {
        put_file(f->path, "wb", f->packed, length);
        snprintf(place, sizeof place, "byte %zu of %zu", length, length);
        assert_refused(f, SPG_ERROR_FORMAT, "its gzip data are incomplete");
        test_assert_message(f->context, place);
    }
    put_file(f->path, "wb", f->packed, f->packed_size); /* also in a second part */
    put_file(f->path, "ab", f->packed, f->packed_size - 1);
    assert_refused(f, SPG_ERROR_FORMAT, "its gzip data are incomplete");
}

/* Some bytes of the header say nothing of the text: time, system and the packer's effort. */
static void a_damaged_byte_is_noticed_wherever_it_is(void **state)
{
    const fixture *f = *state;
    enum { HEADER = 10 };
    for (size_t k = 2; k < f->packed_size; ++k) {
        if (k >= 3 && k < HEADER) continue; /* flags may ask for more of a header, or be of no meaning */
        char *damaged = malloc(f->packed_size);
        assert_non_null(damaged);
        memcpy(damaged, f->packed, f->packed_size);
        damaged[k] = (char)(damaged[k] ^ 0x55);
        put_file(f->path, "wb", damaged, f->packed_size);
        free(damaged);
        assert_refused(f, SPG_ERROR_FORMAT, "its gzip data are ");
    }
}

static void what_follows_the_packed_text_is_refused(void **state)
{
    const fixture *f = *state;
    put_file(f->path, "ab", "more", 4);
    assert_refused(f, SPG_ERROR_FORMAT, "its gzip data are followed by something else");
    put_file(f->path, "wb", f->packed, f->packed_size);
    put_file(f->path, "ab", "\x1f\x8c", 2);
    assert_refused(f, SPG_ERROR_FORMAT, "its gzip data are damaged");
}

static void a_missing_file_and_a_faulty_text_are_refused_as_others_are(void **state)
{
    const fixture *f = *state;
    assert_int_equal(unlink(f->path), 0);
    assert_refused(f, SPG_ERROR_IO, "No such file");
    static const char text[] = "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 x 1\n";
    spg_csr matrix;
    pack(f->path, "wb", text, sizeof text - 1);
    assert_int_equal(spg_read_matrix_market(f->context, f->path, &matrix), SPG_ERROR_FORMAT);
    test_assert_message(f->context, "matrix.mtx.gz, line 3: the column index 'x'");
    pack(f->path, "wb", NULL, 0);
    assert_int_equal(spg_read_matrix_market(f->context, f->path, &matrix), SPG_ERROR_FORMAT);
    test_assert_message(f->context, "empty");
}

/* zlib unpacks it to the bytes of the file that is written plain. */
static void a_path_that_ends_in_gz_is_written_packed(void **state)
{
    const fixture *f = *state;
    static const spg_type types[] = {SPG_F64, SPG_C32};
    char plain[sizeof f->path];
    snprintf(plain, sizeof plain, "%s/plain.mtx", f->folder);
    for (size_t t = 0; t < 2; ++t) {
        spg_csr matrix;
        test_random_csr(f->context, (test_matrix){300, 200, 9, SPG_I32, types[t]}, 5, 0, &matrix);
        assert_int_equal(spg_write_matrix_market(f->context, plain, &matrix), SPG_OK);
        assert_int_equal(spg_write_matrix_market(f->context, f->path, &matrix), SPG_OK);
        spg_csr_free(f->context, &matrix);
        size_t size = 0, packed_size = 0;
        char *text = oracle_load(plain, &size), *packed = oracle_load(f->path, &packed_size);
        assert_true(packed_size < size);
        assert_memory_equal(packed, "\x1f\x8b", 2);
        char *unpacked = malloc(size + 1);
        assert_non_null(unpacked);
        gzFile file = gzopen(f->path, "rb");
        assert_int_equal(gzread(file, unpacked, (unsigned)size + 1), (int)size);
        assert_int_equal(gzclose(file), Z_OK);
        assert_memory_equal(unpacked, text, size);
        free(text);
        free(packed);
        free(unpacked);
        spg_csr read;
        assert_int_equal(spg_read_matrix_market(f->context, f->path, &read), SPG_OK);
        spg_csr_free(f->context, &read);
    }
}

static void a_name_as_long_as_the_system_allows_is_written(void **state)
{
    const fixture *f = *state;
    enum { LONGEST = 255 };
    char name[LONGEST + 1] = "", path[sizeof f->folder + sizeof name + 1];
    memset(name, 'a', LONGEST);
    snprintf(path, sizeof path, "%s/%s", f->folder, name);
    spg_csr matrix;
    assert_int_equal(spg_read_matrix_market(f->context, SOURCE, &matrix), SPG_OK);
    for (int k = 0; k < 2; ++k) /* a new file, and one that is replaced */
        if (spg_write_matrix_market(f->context, path, &matrix) != SPG_OK)
            fail_msg("%s", spg_context_message(f->context));
    spg_csr_free(f->context, &matrix);
    assert_reads(f, path);
}

static void what_cannot_be_written_packed_leaves_the_old_file(void **state)
{
    const fixture *f = *state;
    double values[] = {1, INFINITY};
    int32_t offsets[] = {0, 2}, columns[] = {0, 1};
    const spg_csr matrix = {1, 2, 2, SPG_I32, SPG_F64, SPG_PLACE_HOST, offsets, columns, values};
    assert_int_equal(spg_write_matrix_market(f->context, f->path, &matrix), SPG_ERROR_FORMAT);
    assert_reads(f, f->path);
    values[1] = 2;
    assert_int_equal(unlink(f->path), 0);
    assert_int_equal(symlink("/dev/full", f->path), 0);
    assert_int_equal(spg_write_matrix_market(f->context, f->path, &matrix), SPG_ERROR_IO);
    test_assert_message(f->context, "matrix.mtx.gz: cannot be written: No space left");
}

static void assert_dense_comes_back(const fixture *f, const spg_dense *matrix, const double *expected)
{
    spg_dense read;
    if (spg_write_matrix_market_dense(f->context, f->path, matrix) != SPG_OK)
        fail_msg("%s", spg_context_message(f->context));
    assert_int_equal(spg_read_matrix_market_dense(f->context, f->path, &read), SPG_OK);
    const bool complex_values = matrix->value_type == SPG_C32 || matrix->value_type == SPG_C64;
    assert_int_equal(read.rows, matrix->rows);
    assert_int_equal(read.cols, matrix->cols);
    assert_int_equal(read.value_type, complex_values ? SPG_C64 : SPG_F64);
    const size_t parts = (size_t)(matrix->rows * matrix->cols) * (complex_values ? 2 : 1);
    if (parts > 0) assert_memory_equal(read.values, expected, parts * sizeof(double));
    spg_dense_free(f->context, &read);
    test_assert_zeroed(&read, sizeof read);
}

static void dense_matrices_come_back(void **state)
{
    const fixture *f = *state;
    double wide[] = {1.0 / 3.0, -0.0, 3, 1e-310, -5.5, 1.7e308};
    float narrow[] = {1.5F, 0.1F, -3, 1e-40F, 2, 7};
    double widened[6];
    for (int k = 0; k < 6; ++k) widened[k] = (double)narrow[k];
    assert_dense_comes_back(f, &(spg_dense){3, 2, SPG_F64, wide}, wide);
    assert_dense_comes_back(f, &(spg_dense){1, 3, SPG_C64, wide}, wide);
    assert_dense_comes_back(f, &(spg_dense){6, 1, SPG_F32, narrow}, widened);
    assert_dense_comes_back(f, &(spg_dense){3, 1, SPG_C32, narrow}, widened);
    assert_dense_comes_back(f, &(spg_dense){0, 4, SPG_F64, NULL}, NULL);
    const spg_dense no_rows = {0, INT64_MAX, SPG_F64, NULL}; /* written at once */
    assert_int_equal(spg_write_matrix_market_dense(f->context, f->path, &no_rows), SPG_OK);
}

static void a_dense_matrix_that_cannot_be_written_is_refused(void **state)
{
    const fixture *f = *state;
    double values[] = {1, NAN};
    static const struct {
        int64_t rows, cols;
        spg_type type;
        bool values;
        spg_status status;
        const char *says;
    } cases[] = {{1, 2, SPG_F64, true, SPG_ERROR_FORMAT, "matrix.mtx.gz: the value at row 0, column 1 is not finite"},
                 {-1, 2, SPG_F64, true, SPG_ERROR_ARGUMENT, "-1 x 2"},
                 {1, -2, SPG_F64, true, SPG_ERROR_ARGUMENT, "1 x -2"},
                 {1, 2, SPG_I32, true, SPG_ERROR_ARGUMENT, "values of type i32"},
                 {1, 2, SPG_F64, false, SPG_ERROR_ARGUMENT, "values is NULL"}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        const spg_dense matrix = {cases[k].rows, cases[k].cols, cases[k].type, cases[k].values ? values : NULL};
        assert_int_equal(spg_write_matrix_market_dense(f->context, f->path, &matrix), cases[k].status);
        test_assert_message(f->context, cases[k].says);
    }
    const spg_dense matrix = {1, 1, SPG_F64, values};
    assert_int_equal(spg_write_matrix_market_dense(NULL, f->path, &matrix), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_write_matrix_market_dense(f->context, NULL, &matrix), SPG_ERROR_ARGUMENT);
    test_assert_message(f->context, "path is NULL");
    assert_int_equal(spg_write_matrix_market_dense(f->context, f->path, NULL), SPG_ERROR_ARGUMENT);
    test_assert_message(f->context, "matrix is NULL");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_packed_file_is_read_whatever_its_name),
        TEST(parts_one_after_another_are_one_file),
        TEST(a_file_that_unpacks_to_far_more_is_read),
        TEST(a_truncated_file_is_refused_wherever_it_ends),
        TEST(a_damaged_byte_is_noticed_wherever_it_is),
        TEST(what_follows_the_packed_text_is_refused),
        TEST(a_missing_file_and_a_faulty_text_are_refused_as_others_are),
        TEST(a_path_that_ends_in_gz_is_written_packed),
        TEST(a_name_as_long_as_the_system_allows_is_written),
        TEST(what_cannot_be_written_packed_leaves_the_old_file),
        TEST(dense_matrices_come_back),
        TEST(a_dense_matrix_that_cannot_be_written_is_refused),
    };
    oracle_enter_tree();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
