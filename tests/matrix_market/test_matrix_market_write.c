/* What is written is read back bit for bit, and what cannot be written leaves nothing behind. */
#define _DEFAULT_SOURCE /* makedev */
#define _XOPEN_SOURCE 700
#include "matrix_market_oracle.h"
#include "test_support.h"

#include "matrices_for_tests.h"
#include "scratch.h"

#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* A new folder for each test, and a file's path in it. */
typedef struct folder {
    char name[TEST_PATH], path[TEST_PATH + 16];
} folder;

static folder open_folder(void)
{
    folder made;
    test_new_folder(made.name);
    snprintf(made.path, sizeof made.path, "%s/matrix.mtx", made.name);
    return made;
}

static int files_in(const folder *made)
{
    int count = 0;
    DIR *entries = opendir(made->name);
    assert_non_null(entries);
    while (readdir(entries) != NULL) ++count;
    closedir(entries);
    return count - 2;
}

static void close_folder(const folder *made)
{
    unlink(made->path);
    assert_int_equal(rmdir(made->name), 0);
}

static void write_or_fail(spg_context *context, const char *path, const spg_csr *matrix)
{
    if (spg_write_matrix_market(context, path, matrix) != SPG_OK) fail_msg("%s", spg_context_message(context));
}

static void read_or_fail(spg_context *context, const char *path, spg_csr *matrix)
{
    if (spg_read_matrix_market(context, path, matrix) != SPG_OK) fail_msg("%s", spg_context_message(context));
}

/* The same matrix with 32-bit offsets and values of f64 or c64, as reading returns it. */
static void widen(spg_context *context, const spg_csr *from, spg_csr *to)
{
    bool complex_values = from->value_type == SPG_C32 || from->value_type == SPG_C64;
    bool narrow = from->value_type == SPG_F32 || from->value_type == SPG_C32;
    assert_int_equal(
        spg_csr_alloc(context, from->rows, from->cols, from->nnz, SPG_I32, complex_values ? SPG_C64 : SPG_F64, to),
        SPG_OK);
    for (int64_t i = 0; i <= from->rows; ++i) ((int32_t *)to->row_offsets)[i] = (int32_t)test_offset(from, i);
    for (int64_t k = 0; k < from->nnz; ++k) to->columns[k] = from->columns[k];
    for (int64_t k = 0; k < from->nnz * (complex_values ? 2 : 1); ++k)
        ((double *)to->values)[k] =
            narrow ? (double)((const float *)from->values)[k] : ((const double *)from->values)[k];
}

static void assert_round_trip(spg_context *context, const char *path, const spg_csr *matrix)
{
    spg_csr expected, read;
    write_or_fail(context, path, matrix);
    read_or_fail(context, path, &read);
    widen(context, matrix, &expected);
    test_assert_same_csr(&read, &expected);
    spg_csr_free(context, &expected);
    spg_csr_free(context, &read);
}

static void random_matrices_of_every_type_come_back_bit_for_bit(void **state)
{
    (void)state;
    static const struct {
        int64_t rows, cols;
        double mean;
    } sizes[] = {{0, 0, 0}, {0, 5, 0}, {5, 0, 0}, {1, 1, 1}, {3, 40, 2}, {40, 3, 1}, {200, 300, 12}};
    spg_context *context = oracle_context();
    folder made = open_folder();
    for (spg_type type = SPG_F32; type <= SPG_C64; ++type)
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k)
            for (int wide = 0; wide < 2; ++wide) {
                spg_csr matrix;
                test_random_csr(
                    context, (test_matrix){sizes[k].rows, sizes[k].cols, sizes[k].mean, wide ? SPG_I64 : SPG_I32, type},
                    17 * k + 1, k % 2 ? TEST_INTEGER : 0, &matrix);
                assert_round_trip(context, made.path, &matrix);
                spg_csr_free(context, &matrix);
            }
    close_folder(&made);
    spg_context_destroy(context);
}

/* Every finite bit pattern is as likely: denormals, zeros of both signs, the largest numbers. */
static void any_finite_bits_come_back(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    spg_context *context = oracle_context();
    folder made = open_folder();
    for (spg_type type = SPG_F32; type <= SPG_C64; ++type) {
        spg_csr matrix;
        assert_int_equal(spg_csr_alloc(context, 1, COUNT, COUNT, SPG_I32, type, &matrix), SPG_OK);
        ((int32_t *)matrix.row_offsets)[1] = COUNT;
        for (int32_t k = 0; k < COUNT; ++k) matrix.columns[k] = k;
        uint64_t random = 5;
        bool narrow = type == SPG_F32 || type == SPG_C32;
        for (int k = 0; k < (type == SPG_F32 || type == SPG_F64 ? COUNT : 2 * COUNT); ++k) {
            uint64_t bits = test_random(&random);
            uint32_t few = (uint32_t)bits;
            double value = 0;
            float narrow_value = 0;
            memcpy(&value, &bits, sizeof value);
            memcpy(&narrow_value, &few, sizeof narrow_value);
            if (narrow) ((float *)matrix.values)[k] = isfinite(narrow_value) ? narrow_value : -0.0F;
            if (!narrow) ((double *)matrix.values)[k] = isfinite(value) ? value : -0.0;
        }
        assert_round_trip(context, made.path, &matrix);
        spg_csr_free(context, &matrix);
    }
    close_folder(&made);
    spg_context_destroy(context);
}

static void special_values_come_back(void **state)
{
    (void)state;
    static const char *const names[] = {"special_values.mtx", "special_complex_values.mtx", "explicit_zeros.mtx"};
    spg_context *context = oracle_context();
    folder made = open_folder();
    for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k) {
        char path[1024];
        snprintf(path, sizeof path, TINY "%s", names[k]);
        spg_csr matrix;
        read_or_fail(context, path, &matrix);
        assert_round_trip(context, made.path, &matrix);
        spg_csr_free(context, &matrix);
    }
    close_folder(&made);
    spg_context_destroy(context);
}

static void assert_contents(const char *path, const char *expected)
{
    size_t size = 0;
    char *text = oracle_load(path, &size);
    assert_string_equal(text, expected);
    free(text);
}

static void entries_are_written_as_stored(void **state)
{
    (void)state;
    int32_t offsets[] = {0, 3, 3, 4}, columns[] = {2, 0, 2, 1};
    float values[] = {1.5F, -2, 0.1F, 0};
    spg_csr matrix = {3, 3, 4, SPG_I32, SPG_F32, SPG_PLACE_HOST, offsets, columns, values};
    spg_context *context = oracle_context();
    folder made = open_folder();
    write_or_fail(context, made.path, &matrix);
    assert_contents(made.path, "%%MatrixMarket matrix coordinate real general\n3 3 4\n"
                               "1 3 1.5\n1 1 -2\n1 3 0.10000000149011612\n3 2 0\n");
    close_folder(&made);
    spg_context_destroy(context);
}

static const char small_text[] = "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 -3\n";

static void small_matrix(spg_context *context, spg_csr *matrix)
{
    read_or_fail(context, TINY "one_by_one.mtx", matrix);
}

static void an_existing_file_is_replaced(void **state)
{
    (void)state;
    spg_context *context = oracle_context();
    spg_csr large, small;
    folder made = open_folder();
    char left[sizeof made.path + 40]; /* as an interrupted process of the same number would leave it */
    snprintf(left, sizeof left, "%s/.spg.%ld.0.tmp", made.name, (long)getpid());
    assert_int_equal(mkfifo(left, 0600), 0);
    read_or_fail(context, TINY "demo.mtx", &large);
    small_matrix(context, &small);
    write_or_fail(context, made.path, &large);
    write_or_fail(context, made.path, &small);
    assert_contents(made.path, small_text);
    assert_int_equal(files_in(&made), 2);
    unlink(left);
    spg_csr_free(context, &large);
    spg_csr_free(context, &small);
    close_folder(&made);
    spg_context_destroy(context);
}

static void a_symbolic_link_is_written_through(void **state)
{
    (void)state;
    spg_context *context = oracle_context();
    spg_csr small;
    folder made = open_folder();
    char link[TEST_PATH + 16];
    struct stat about;
    snprintf(link, sizeof link, "%s/link.mtx", made.name);
    small_matrix(context, &small);
    assert_int_equal(symlink("matrix.mtx", link), 0);
    for (int exists = 0; exists < 2; ++exists) { /* at first it leads to nothing */
        write_or_fail(context, link, &small);
        assert_true(lstat(link, &about) == 0 && S_ISLNK(about.st_mode));
        assert_contents(made.path, small_text);
        assert_true(stat(made.path, &about) == 0 && (!exists || (about.st_mode & 0777) == 0600)); /* stays private */
        assert_int_equal(chmod(made.path, 0600), 0);
    }
    unlink(link);
    spg_csr_free(context, &small);
    close_folder(&made);
    spg_context_destroy(context);
}

static void assert_refused(spg_context *context, const char *path, const spg_csr *matrix, spg_status status,
                           const char *says)
{
    assert_int_equal(spg_write_matrix_market(context, path, matrix), status);
    test_assert_message(context, says);
}

static void a_file_that_cannot_be_opened_is_refused_with_its_name(void **state)
{
    (void)state;
    spg_context *context = oracle_context();
    spg_csr small;
    small_matrix(context, &small);
    assert_refused(context, "/none/such.mtx", &small, SPG_ERROR_IO, "/none/such.mtx: cannot be written: No such file");
    assert_refused(context, "", &small, SPG_ERROR_IO, "cannot be written");
    assert_refused(context, TINY, &small, SPG_ERROR_IO, "tiny/: cannot be written: Is a directory");
    spg_csr_free(context, &small);
    spg_context_destroy(context);
}

/* Root could lose the machine's /dev/full to a faulty writer: it gets one of its own in the folder. False if it cannot
 * have that. */
static bool full_device(const folder *made, char *path, size_t size)
{
    bool root = geteuid() == 0;
    snprintf(path, size, "%s%s", root ? made->name : "/dev", "/full");
    if (root && mknod(path, S_IFCHR | 0666, makedev(1, 7)) != 0) return false;
    FILE *file = fopen(path, "w"); /* folders may be mounted without devices */
    if (file != NULL) fclose(file);
    return file != NULL;
}

static void a_full_disk_is_reported_and_a_device_stays_one(void **state)
{
    (void)state;
    struct stat about;
    char path[TEST_PATH + 16];
    folder made = open_folder();
    spg_context *context = oracle_context();
    if (full_device(&made, path, sizeof path)) {
        spg_csr large, small;
        read_or_fail(context, TINY "demo.mtx", &large);
        small_matrix(context, &small);
        assert_refused(context, path, &large, SPG_ERROR_IO, "/full: cannot be written: No space left");
        assert_refused(context, path, &small, SPG_ERROR_IO, "/full: cannot be written: No space left");
        assert_int_equal(stat(path, &about), 0);
        assert_true(S_ISCHR(about.st_mode));
        spg_csr_free(context, &large);
        spg_csr_free(context, &small);
    } else {
        print_message("no device of its own to be had\n");
    }
    if (geteuid() == 0) unlink(path);
    close_folder(&made);
    spg_context_destroy(context);
}

static void *read_from_pipe(void *path)
{
    size_t size = 0;
    static char text[256];
    FILE *file = fopen(path, "rb");
    if (file != NULL) {
        size = fread(text, 1, sizeof text - 1, file);
        fclose(file);
    }
    text[size] = '\0';
    return text;
}

static void a_pipe_is_written_in_place(void **state)
{
    (void)state;
    spg_context *context = oracle_context();
    spg_csr small;
    folder made = open_folder();
    struct stat about;
    pthread_t reader;
    void *text = NULL;
    small_matrix(context, &small);
    assert_int_equal(mkfifo(made.path, 0600), 0);
    assert_int_equal(pthread_create(&reader, NULL, read_from_pipe, made.path), 0);
    write_or_fail(context, made.path, &small);
    pthread_join(reader, &text);
    assert_string_equal(text, small_text);
    assert_int_equal(stat(made.path, &about), 0);
    assert_true(S_ISFIFO(about.st_mode));
    assert_int_equal(files_in(&made), 1);
    spg_csr_free(context, &small);
    close_folder(&made);
    spg_context_destroy(context);
}

/* The limit on the size of files fails in the middle of the writing, as a full disk does. */
static void a_failed_write_leaves_the_old_file_and_no_other(void **state)
{
    (void)state;
    spg_context *context = oracle_context();
    spg_csr large, small;
    folder made = open_folder();
    read_or_fail(context, TINY "demo.mtx", &large);
    small_matrix(context, &small);
    write_or_fail(context, made.path, &small);
    struct rlimit before, few;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    few = before;
    few.rlim_cur = 8192;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &few), 0);
    spg_status status = spg_write_matrix_market(context, made.path, &large);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(status, SPG_ERROR_IO);
    test_assert_message(context, "matrix.mtx: cannot be written: File too large");
    assert_contents(made.path, small_text);
    assert_int_equal(files_in(&made), 1);
    spg_csr_free(context, &large);
    spg_csr_free(context, &small);
    close_folder(&made);
    spg_context_destroy(context);
}

static void what_the_format_cannot_hold_is_not_written(void **state)
{
    (void)state;
    const double bad[] = {(double)INFINITY, -(double)INFINITY, (double)NAN};
    spg_context *context = oracle_context();
    folder made = open_folder();
    int32_t offsets[] = {0, 1, 2}, columns[] = {0, 1};
    for (int k = 0; k < 3; ++k) {
        double values[] = {1, 2, 3, bad[k]};
        float narrow[] = {1, 2, 3, (float)bad[k]};
        spg_csr matrix = {2, 2, 2, SPG_I32, SPG_C64, SPG_PLACE_HOST, offsets, columns, values};
        assert_refused(context, made.path, &matrix, SPG_ERROR_FORMAT, "row 1, column 1 is not finite");
        matrix.value_type = SPG_C32;
        matrix.values = narrow;
        assert_refused(context, made.path, &matrix, SPG_ERROR_FORMAT, "row 1, column 1 is not finite");
    }
    double values[] = {1, 2};
    spg_csr matrix = {2, 2, 2, SPG_I32, SPG_F64, SPG_PLACE_HOST, offsets, columns, values};
    columns[1] = 2;
    assert_refused(context, made.path, &matrix, SPG_ERROR_FORMAT, "row 1");
    assert_int_equal(files_in(&made), 0);
    close_folder(&made);
    spg_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_matrices_of_every_type_come_back_bit_for_bit),
        cmocka_unit_test(any_finite_bits_come_back),
        cmocka_unit_test(special_values_come_back),
        cmocka_unit_test(entries_are_written_as_stored),
        cmocka_unit_test(an_existing_file_is_replaced),
        cmocka_unit_test(a_symbolic_link_is_written_through),
        cmocka_unit_test(a_file_that_cannot_be_opened_is_refused_with_its_name),
        cmocka_unit_test(a_full_disk_is_reported_and_a_device_stays_one),
        cmocka_unit_test(a_pipe_is_written_in_place),
        cmocka_unit_test(a_failed_write_leaves_the_old_file_and_no_other),
        cmocka_unit_test(what_the_format_cannot_hold_is_not_written),
    };
    oracle_enter_tree();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
