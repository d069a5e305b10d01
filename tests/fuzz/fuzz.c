/* See fuzz.h. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* CHOLMOD's workspace follows the largest index: what it cannot have, it does without or reports. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "allocator_may_return_null=1:max_allocation_size_mb=256"; }

void fuzz_fail(const char *file, int line, const char *condition)
{
    fprintf(stderr, "%s:%d: not so: %s\n", file, line, condition);
    abort();
}

void fuzz_require_zeroed(const void *object, size_t bytes)
{
    const unsigned char *byte = object;
    for (size_t k = 0; k < bytes; ++k) REQUIRE(byte[k] == 0);
}

static void *allocate(void *user, size_t bytes, spg_place place, void *stream)
{
    (void)user, (void)place, (void)stream;
    return bytes <= (size_t)1 << 20 ? malloc(bytes) : NULL;
}

static void release(void *user, void *memory, size_t bytes, spg_place place, void *stream)
{
    (void)user, (void)bytes, (void)place, (void)stream;
    free(memory);
}

spg_context *fuzz_open_context(void)
{
    spg_config config = spg_config_default();
    config.place = SPG_PLACE_HOST;
    config.threads = 1;
    config.allocator = (spg_allocator){NULL, allocate, release};
    spg_context *context = NULL;
    REQUIRE(spg_context_create(&config, &context) == SPG_OK);
    return context;
}

void fuzz_close_context(spg_context *context)
{
    int64_t current = -1;
    spg_context_memory(context, &current, NULL);
    REQUIRE(current == 0);
    spg_context_destroy(context);
}
