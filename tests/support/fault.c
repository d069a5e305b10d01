/* See fault.h. */
#include "fault.h"
#include "place.h"

#include <stdlib.h>
#include <string.h>

typedef struct test_block {
    struct test_block *next;
    void *memory;
    size_t bytes;
    spg_place place;
    void *stream;
} test_block;

enum { GUARD = 256, POISON = 0xa5 }; /* bytes behind a block that nobody may write */

/* Memory that holds something. On the host it is no more aligned than promised, so that no kernel leans on more. */
static void *poisoned(size_t bytes, spg_place place)
{
    void *memory = malloc(bytes + GUARD);
    assert_non_null(memory);
    memset(memory, POISON, bytes + GUARD);
    if (place == SPG_PLACE_HOST) return memory;
    void *on_device = test_lend(memory, bytes + GUARD);
    free(memory);
    return on_device;
}

static void assert_guarded(const char *memory, size_t bytes, spg_place place)
{
    unsigned char guard[GUARD];
    if (place == SPG_PLACE_HOST)
        memcpy(guard, memory + bytes, GUARD);
    else
        test_fetch(memory + bytes, GUARD, guard);
    for (int k = 0; k < GUARD; ++k)
        if (guard[k] != POISON) fail_msg("a block of %lld bytes was written past its end", (long long)bytes);
}

static void *allocate(void *user, size_t bytes, spg_place place, void *stream)
{
    test_allocator *self = user;
    if (++self->allocations == self->fail_at) return NULL;
    test_block *block = malloc(sizeof *block);
    void *memory = poisoned(bytes, place);
    assert_non_null(block);
    *block = (test_block){self->blocks, memory, bytes, place, stream};
    self->blocks = block;
    return memory;
}

static void release(void *user, void *memory, size_t bytes, spg_place place, void *stream)
{
    test_allocator *self = user;
    for (test_block **link = &self->blocks; *link != NULL; link = &(*link)->next) {
        test_block *block = *link;
        if (block->memory != memory) continue;
        assert_int_equal(block->bytes, bytes);
        assert_int_equal(block->place, place);
        assert_ptr_equal(block->stream, stream);
        *link = block->next;
        assert_guarded(memory, bytes, place);
        if (place == SPG_PLACE_HOST)
            free(memory);
        else
            test_give_back(memory, bytes + GUARD);
        free(block);
        return;
    }
    fail_msg("released what was never allocated, or twice");
}

spg_allocator test_allocator_hook(test_allocator *memory) { return (spg_allocator){memory, allocate, release}; }

spg_context *test_faulty_context(test_allocator *memory, int threads, int64_t workspace_limit)
{
    memset(memory, 0, sizeof *memory);
    spg_config config = spg_config_default();
    config.place = test_place();
    config.threads = threads;
    config.oversubscribe = 1;
    config.allocator = test_allocator_hook(memory);
    config.workspace_limit = workspace_limit;
    spg_context *context = NULL;
    assert_int_equal(spg_context_create(&config, &context), SPG_OK);
    return context;
}

void test_fail_at(test_allocator *memory, int64_t k)
{
    memory->allocations = 0;
    memory->fail_at = k;
}

bool test_failed(const test_allocator *memory) { return memory->fail_at > 0 && memory->allocations >= memory->fail_at; }

bool test_did_without(const test_allocator *memory, spg_status status)
{
    return test_failed(memory) && status == SPG_OK && test_place() == SPG_PLACE_DEVICE;
}

int64_t test_live(const test_allocator *memory)
{
    int64_t live = 0;
    for (const test_block *block = memory->blocks; block != NULL; block = block->next) ++live;
    return live;
}
