/* Every allocation of the reader and the writer, refused in turn, ends in a status and leaves nothing behind. */
#define _XOPEN_SOURCE 700
#include "matrix_market_oracle.h"
#include "test_support.h"

#include "fault.h"
#include "matrices_for_tests.h"
#include "scratch.h"

#include <SuiteSparse_config.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* Calls of malloc, calloc and realloc by the reader and by CHOLMOD since the k-th was chosen to fail, 0: none fails;
 * blocks that are not freed yet; and the most bytes that one was to have. The linker leads the reader's calls here. */
static int64_t system_calls, system_fails_at, system_live, system_largest;

static bool system_refuses(size_t bytes)
{
    if ((int64_t)bytes > system_largest) system_largest = (int64_t)bytes;
    if (++system_calls != system_fails_at) return false;
    errno = ENOMEM;
    return true;
}

static void system_fail_at(int64_t k)
{
    system_calls = 0;
    system_fails_at = k;
}

static bool system_failed(void) { return system_fails_at > 0 && system_calls >= system_fails_at; }

static void *counted(void *memory, bool is_new)
{
    system_live += memory != NULL && is_new;
    return memory;
}

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
void __real_free(void *memory);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
void __wrap_free(void *memory);

void *__wrap_malloc(size_t bytes) { return system_refuses(bytes) ? NULL : counted(__real_malloc(bytes), true); }

void *__wrap_calloc(size_t count, size_t bytes)
{
    return system_refuses(count * bytes) ? NULL : counted(__real_calloc(count, bytes), true);
}

void *__wrap_realloc(void *memory, size_t bytes)
{
    bool is_new = memory == NULL;
    return system_refuses(bytes) ? NULL : counted(__real_realloc(memory, bytes), is_new);
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    return counted(__real_aligned_alloc(alignment, bytes), true);
}

void __wrap_free(void *memory)
{
    system_live -= memory != NULL;
    __real_free(memory);
}

/* `counted` has what it allocates counted by `memory`; that takes it from malloc, so `plain` is for refusals there. */
typedef struct fixture {
    test_allocator memory;
    spg_context *counted, *plain;
    char folder[TEST_PATH], path[TEST_PATH + 16];
} fixture;

static int set_up(void **state)
{
    fixture *f = __real_calloc(1, sizeof *f);
    assert_non_null(f);
    test_new_folder(f->folder);
    snprintf(f->path, sizeof f->path, "%s/matrix.mtx", f->folder);
    f->counted = test_faulty_context(&f->memory, 2, 0);
    spg_config config = spg_config_default();
    config.place = SPG_PLACE_HOST;
    config.keep_bytes = 0; /* what is released goes back to malloc */
    if (spg_context_create(&config, &f->plain) != SPG_OK) return -1;
#if SUITESPARSE_MAIN_VERSION >= 7
    SuiteSparse_config_malloc_func_set(__wrap_malloc);
    SuiteSparse_config_calloc_func_set(__wrap_calloc);
    SuiteSparse_config_realloc_func_set(__wrap_realloc);
    SuiteSparse_config_free_func_set(__wrap_free);
#else
    SuiteSparse_config.malloc_func = __wrap_malloc;
    SuiteSparse_config.calloc_func = __wrap_calloc;
    SuiteSparse_config.realloc_func = __wrap_realloc;
    SuiteSparse_config.free_func = __wrap_free;
#endif
    *state = f;
    return 0;
}

/* Allocations of the one context and bytes of the other that have not been released. */
static int64_t live(const fixture *f)
{
    int64_t bytes = -1;
    spg_context_memory(f->plain, &bytes, NULL);
    return bytes + test_live(&f->memory);
}

static int tear_down(void **state)
{
    fixture *f = *state;
    system_fail_at(0);
    test_fail_at(&f->memory, 0);
    assert_int_equal(live(f), 0);
    spg_context_destroy(f->counted);
    spg_context_destroy(f->plain);
    unlink(f->path);
    assert_int_equal(rmdir(f->folder), 0);
    __real_free(f);
    return 0;
}

static const char *const paths[] = {TINY "complex_hermitian.mtx", TINY "duplicates.mtx", TINY "special_values.mtx",
                                    TINY "array_real_symmetric.mtx", TINY "demo.mtx"};
enum { PATHS = sizeof paths / sizeof paths[0] };

static void assert_refused(const fixture *f, const spg_context *context, spg_status status, const void *result,
                           size_t size)
{
    assert_int_equal(status, SPG_ERROR_MEMORY);
    assert_true(strlen(spg_context_message(context)) > 0);
    test_assert_zeroed(result, size);
    assert_int_equal(live(f), 0);
}

static void every_allocation_of_the_context_may_fail_while_reading(void **state)
{
    fixture *f = *state;
    for (int p = 0; p < PATHS; ++p)
        for (int64_t k = 1;; ++k) {
            spg_csr matrix;
            test_fail_at(&f->memory, k);
            spg_status status = spg_read_matrix_market(f->counted, paths[p], &matrix);
            if (!test_failed(&f->memory)) {
                assert_int_equal(status, SPG_OK);
                assert_true(k > 6);
                spg_csr_free(f->counted, &matrix);
                break;
            }
            assert_refused(f, f->counted, status, &matrix, sizeof matrix);
        }
}

static void every_allocation_of_the_context_may_fail_while_reading_dense(void **state)
{
    fixture *f = *state;
    for (int64_t k = 1;; ++k) {
        spg_dense matrix;
        test_fail_at(&f->memory, k);
        spg_status status = spg_read_matrix_market_dense(f->counted, TINY "array_complex_hermitian.mtx", &matrix);
        if (!test_failed(&f->memory)) {
            assert_int_equal(status, SPG_OK);
            assert_int_equal(test_live(&f->memory), 1);
            spg_dense_free(f->counted, &matrix);
            break;
        }
        assert_refused(f, f->counted, status, &matrix, sizeof matrix);
    }
}

/* CHOLMOD does without some of what it asks for: then the matrix must be right. */
static void every_allocation_outside_the_context_may_fail_while_reading(void **state)
{
    fixture *f = *state;
    for (int p = 0; p < PATHS; ++p) {
        int64_t refused = 0, before = system_live;
        for (int64_t k = 1;; ++k) {
            spg_csr matrix;
            system_fail_at(k);
            spg_status status = spg_read_matrix_market(f->plain, paths[p], &matrix);
            bool failed = system_failed();
            system_fail_at(0);
            if (status != SPG_OK) {
                ++refused;
                assert_true(failed);
                assert_int_equal(system_live, before);
                assert_refused(f, f->plain, status, &matrix, sizeof matrix);
                continue;
            }
            oracle_assert_file(paths[p], &matrix);
            spg_csr_free(f->plain, &matrix);
            assert_int_equal(system_live, before);
            if (!failed) break;
        }
        assert_true(refused >= 3);
    }
}

static void every_allocation_outside_the_context_may_fail_while_unpacking(void **state)
{
    fixture *f = *state;
    size_t size = 0;
    char *text = oracle_load(TINY "demo.mtx", &size);
    gzFile packed = gzopen(f->path, "wb");
    assert_int_equal(gzwrite(packed, text, (unsigned)size), (int)size);
    assert_int_equal(gzclose(packed), Z_OK);
    free(text);
    const int64_t before = system_live;
    int64_t refused = 0;
    for (int64_t k = 1;; ++k) {
        spg_csr matrix;
        system_fail_at(k);
        spg_status status = spg_read_matrix_market(f->plain, f->path, &matrix);
        bool failed = system_failed();
        system_fail_at(0);
        if (status == SPG_OK) {
            oracle_assert_file(TINY "demo.mtx", &matrix);
            spg_csr_free(f->plain, &matrix);
        } else {
            ++refused;
            assert_refused(f, f->plain, status, &matrix, sizeof matrix);
        }
        assert_int_equal(system_live, before);
        if (!failed) break;
    }
    assert_true(refused >= 4); /* one more than without unpacking */
}

static void the_text_of_a_file_takes_its_bytes_and_little_more(void **state)
{
    enum { LINES = 10000, MORE = 64 };
    fixture *f = *state;
    spg_csr matrix;
    FILE *file = fopen(f->path, "w");
    assert_non_null(file);
    fputs("%%MatrixMarket matrix coordinate real general\n", file);
    for (int line = 0; line < LINES; ++line) fputs("% nothing\n", file);
    fputs("1 1 1\n1 1 2\n", file);
    const long bytes = ftell(file);
    assert_int_equal(fclose(file), 0);
    system_largest = 0;
    assert_int_equal(spg_read_matrix_market(f->plain, f->path, &matrix), SPG_OK);
    assert_in_range(system_largest, bytes, bytes + MORE);
    spg_csr_free(f->plain, &matrix);
}

static int files_in(const char *folder)
{
    int count = 0;
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    while (readdir(entries) != NULL) ++count;
    closedir(entries);
    return count - 2;
}

static void every_allocation_may_fail_while_writing(void **state)
{
    fixture *f = *state;
    spg_csr matrix;
    assert_int_equal(spg_read_matrix_market(f->plain, TINY "demo.mtx", &matrix), SPG_OK);
    int64_t before = live(f);
    for (int64_t k = 1;; ++k) {
        system_fail_at(k);
        spg_status status = spg_write_matrix_market(f->plain, f->path, &matrix);
        bool failed = system_failed();
        system_fail_at(0);
        if (!failed) {
            assert_int_equal(status, SPG_OK);
            assert_true(k > 1);
            break;
        }
        assert_int_equal(status, SPG_ERROR_MEMORY);
        assert_int_equal(live(f), before);
        assert_int_equal(files_in(f->folder), 0);
    }
    spg_csr_free(f->plain, &matrix);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_allocation_of_the_context_may_fail_while_reading, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_allocation_of_the_context_may_fail_while_reading_dense, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(every_allocation_outside_the_context_may_fail_while_reading, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_allocation_outside_the_context_may_fail_while_unpacking, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_text_of_a_file_takes_its_bytes_and_little_more, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_allocation_may_fail_while_writing, set_up, tear_down),
    };
    oracle_enter_tree();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
