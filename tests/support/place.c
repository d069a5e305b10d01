/* See place.h. */
#define _DEFAULT_SOURCE /* _SC_AVPHYS_PAGES */
#include "place.h"

#include "backend.h"
#include "memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static spg_place place_under_test = SPG_PLACE_HOST;
static spg_context *host_context, *lending_context;

bool test_asks_for_device(int argc, char **argv) { return argc > 1 && strcmp(argv[1], "device") == 0; }

spg_place test_place(void) { return place_under_test; }

spg_place test_place_elsewhere(void) { return place_under_test == SPG_PLACE_HOST ? SPG_PLACE_DEVICE : SPG_PLACE_HOST; }

spg_context *test_host(void) { return host_context; }

spg_context *test_lender(void) { return lending_context; }

spg_config test_config(void)
{
    spg_config config = spg_config_default();
    config.place = place_under_test;
    config.oversubscribe = 1; /* what more threads do, even where there are fewer cores */
    return config;
}

spg_context *test_context_of(const spg_config *config)
{
    spg_context *context = NULL;
    assert_int_equal(spg_context_create(config, &context), SPG_OK);
    return context;
}

spg_context *test_context_at_place(int threads)
{
    spg_config config = test_config();
    config.threads = threads;
    return test_context_of(&config);
}

bool test_open_place(spg_place place)
{
    place_under_test = place;
    spg_config config = spg_config_default();
    config.place = SPG_PLACE_HOST;
    config.threads = 1;
    config.keep_bytes = 0;
    if (spg_context_create(&config, &host_context) != SPG_OK) return false;
    config.place = place_under_test;
    return spg_context_create(&config, &lending_context) == SPG_OK;
}

bool test_close_place(void)
{
    int64_t on_host = 0, lent = 0;
    spg_context_memory(host_context, &on_host, NULL);
    spg_context_memory(lending_context, &lent, NULL);
    spg_context_destroy(lending_context);
    spg_context_destroy(host_context);
    host_context = lending_context = NULL;
    return on_host == 0 && lent == 0;
}

static int start(void **state)
{
    (void)state;
    return test_open_place(place_under_test) ? 0 : -1;
}

static int finish(void **state)
{
    (void)state;
    return test_close_place() ? 0 : -1;
}

static bool tests_are_over;

/* Libraries may end the program with success within a test: LAPACK does where an argument is wrong. */
static void fail_unless_tests_are_over(void)
{
    if (tests_are_over) return;
    fprintf(stderr, "the program ended within a test\n");
    _exit(EXIT_FAILURE);
}

int test_run_here(int argc, char **argv, const char *name, const struct CMUnitTest *tests, size_t count)
{
    if (test_asks_for_device(argc, argv)) place_under_test = SPG_PLACE_DEVICE;
    spg_config config = test_config();
    spg_context *probe = NULL;
    if (spg_context_create(&config, &probe) != SPG_OK) {
        printf("skipped: there is no %s here\n", place_under_test == SPG_PLACE_DEVICE ? "device" : "host backend");
        return 77;
    }
    spg_context_destroy(probe);
    atexit(fail_unless_tests_are_over);
    const int failed = _cmocka_run_group_tests(name, tests, count, start, finish);
    tests_are_over = true;
    return failed;
}

void test_require_large(int64_t gigabytes)
{
    const char *wanted = getenv("SPG_TEST_LARGE");
    const int64_t memory = (int64_t)sysconf(_SC_AVPHYS_PAGES) * sysconf(_SC_PAGESIZE);
    if (wanted == NULL || wanted[0] != '1' || memory < gigabytes << 30) skip();
}

bool test_is_short(void)
{
    const char *wanted = getenv("SPG_TEST_SHORT");
    return wanted != NULL && wanted[0] == '1';
}

void test_require_threads(void)
{
    spg_config config = spg_config_default();
    config.place = SPG_PLACE_HOST;
    config.threads = 3;
    config.oversubscribe = 1;
    spg_context *context = test_context_of(&config);
    const int threads = spg_context_threads(context);
    spg_context_destroy(context);
    if (threads == 3) return;
    print_message("SKIPPED: this build has no threads\n");
    skip();
}

void test_to_place(spg_context *context, const spg_csr *host, spg_csr *here)
{
    assert_int_equal(spg_csr_copy(context, host, here), SPG_OK);
}

void test_to_host(spg_context *context, const spg_csr *here, spg_csr *host)
{
    (void)context;
    assert_int_equal(spg_csr_copy(host_context, here, host), SPG_OK);
}

void test_coo_to_place(spg_context *context, const spg_coo *host, spg_coo *here)
{
    assert_int_equal(spg_coo_copy(context, host, here), SPG_OK);
}

void test_coo_to_host(spg_context *context, const spg_coo *here, spg_coo *host)
{
    (void)context;
    assert_int_equal(spg_coo_copy(host_context, here, host), SPG_OK);
}

static void copy(void *to, spg_place to_place, const void *from, spg_place from_place, size_t bytes)
{
    spg_context *context = lending_context;
    if (bytes == 0) return;
    assert_int_equal(context->backend->copy_bytes(context, to, to_place, from, from_place, (int64_t)bytes), SPG_OK);
}

void *test_lend(const void *host, size_t bytes)
{
    void *here = NULL;
    assert_int_equal(spg_allocate(lending_context, (int64_t)bytes, "a test", &here), SPG_OK);
    test_send(host, bytes, here);
    return here;
}

void test_fetch(const void *here, size_t bytes, void *host)
{
    copy(host, SPG_PLACE_HOST, here, place_under_test, bytes);
}

void test_send(const void *host, size_t bytes, void *here)
{
    copy(here, place_under_test, host, SPG_PLACE_HOST, bytes);
}

void test_give_back(void *here, size_t bytes) { spg_release(lending_context, here, (int64_t)bytes); }
