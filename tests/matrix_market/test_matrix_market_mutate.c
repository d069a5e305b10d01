/* Damaged files are refused, or still mean what a naive reader sees in them. */
#include "matrix_market_oracle.h"
#include "test_support.h"

#include "matrices_for_tests.h"
#include "matrix_market/internal.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 1500, ROOM = 64 };

typedef struct mutation {
    spg_context *context;
    uint64_t random;
    int64_t accepted, refused;
} mutation;

static size_t below(mutation *m, size_t limit) { return limit > 0 ? (size_t)(test_random(&m->random) % limit) : 0; }

static void remove_span(char *text, size_t *size, size_t at, size_t length)
{
    if (length > *size - at) length = *size - at;
    memmove(text + at, text + at + length, *size - at - length);
    *size -= length;
}

static void insert(char *text, size_t *size, size_t at, const char *what, size_t length)
{
    memmove(text + at + length, text + at, *size - at);
    memcpy(text + at, what, length);
    *size += length;
}

/* Changes a few bytes. The text has room for ROOM more. */
static void damage(mutation *m, char *text, size_t *size)
{
    static const char *const bits[] = {"0", "1", "2", "9",       "-",    "+",  ".",  "e",   " ",     "\n",  "%",
                                       "x", "%", ",", "1 1 1\n", "\r\n", "\t", "e9", "nan", "1e308", "\n\n"};
    for (size_t times = 1 + below(m, 3); times > 0 && *size > 0; --times) {
        size_t at = below(m, *size);
        const char *bit = bits[below(m, sizeof bits / sizeof bits[0])];
        switch (below(m, 5)) {
        case 0: text[at] = (char)test_random(&m->random); break;
        case 1: text[at] = bit[0]; break;
        case 2: remove_span(text, size, at, 1 + below(m, 4)); break;
        case 3: insert(text, size, at, bit, strlen(bit)); break;
        default: *size = below(m, 8) == 0 ? at : *size; break;
        }
    }
}

static void read_damaged(mutation *m, const char *name, const char *text, size_t size)
{
    spg_csr matrix;
    spg_status status = matrix_market_read_text(m->context, name, text, size, &matrix);
    if (status == SPG_OK) {
        assert_int_equal(spg_csr_check(m->context, &matrix), SPG_OK);
        oracle_assert_text(text, size, &matrix);
        spg_csr_free(m->context, &matrix);
        ++m->accepted;
        return;
    }
    assert_true(status == SPG_ERROR_FORMAT || status == SPG_ERROR_OVERFLOW || status == SPG_ERROR_MEMORY);
    if (status != SPG_ERROR_MEMORY) {
        test_assert_message(m->context, name);
        test_assert_message(m->context, ", line ");
    }
    test_assert_zeroed(&matrix, sizeof matrix);
    ++m->refused;
}

static void damage_often(const char *path, const char *name, void *user)
{
    mutation *m = user;
    size_t whole = 0;
    if (strstr(name, "hypersparse") != NULL) return; /* CHOLMOD's workspace for it slows the rounds down */
    char *text = oracle_load(path, &whole);
    char *damaged = malloc(whole + ROOM);
    assert_non_null(damaged);
    for (int round = 0; round < ROUNDS && whole < 8192; ++round) {
        size_t size = whole;
        memcpy(damaged, text, whole);
        damage(m, damaged, &size);
        read_damaged(m, name, damaged, size);
    }
    free(damaged);
    free(text);
}

static void a_damaged_file_is_refused_or_read_as_a_naive_reader_does(void **state)
{
    (void)state;
    mutation m = {oracle_frugal_context(), 20, 0, 0};
    oracle_each_file(TINY, damage_often, &m);
    assert_true(m.accepted > 1000);
    assert_true(m.refused > 10000);
    int64_t current = -1;
    spg_context_memory(m.context, &current, NULL);
    assert_int_equal(current, 0);
    spg_context_destroy(m.context);
}

static void every_prefix_of_a_file_is_refused_or_read_as_a_naive_reader_does(void **state)
{
    (void)state;
    static const char *const paths[] = {TINY "real_general.mtx", TINY "complex_hermitian.mtx", TINY "crlf.mtx",
                                        TINY "array_real_symmetric.mtx"};
    mutation m = {oracle_frugal_context(), 21, 0, 0};
    for (size_t p = 0; p < sizeof paths / sizeof paths[0]; ++p) {
        size_t whole = 0;
        char *text = oracle_load(paths[p], &whole);
        for (size_t size = 0; size < whole; ++size) read_damaged(&m, "prefix", text, size);
        free(text);
    }
    assert_true(m.refused > 200);
    spg_context_destroy(m.context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_damaged_file_is_refused_or_read_as_a_naive_reader_does),
        cmocka_unit_test(every_prefix_of_a_file_is_refused_or_read_as_a_naive_reader_does),
    };
    oracle_enter_tree();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
