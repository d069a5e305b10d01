/* Allocation: counts, limits and whose memory it is. */
#include "memory.h"

#include "backend.h"
#include "host_blocks.h"

static void count(spg_context *context, int64_t bytes)
{
    context->current_bytes += bytes;
    if (context->current_bytes > context->peak_bytes) context->peak_bytes = context->current_bytes;
}

static void *try_to_allocate(spg_context *context, int64_t bytes, spg_place place)
{
    const spg_allocator *own = &context->config.allocator;
    if (own->allocate != NULL) return own->allocate(own->user, (size_t)bytes, place, context->config.stream);
    if (place != SPG_PLACE_HOST) return context->backend->allocate(context, bytes);
    void *memory = spg_host_block_take(context, bytes);
    if (memory != NULL || !spg_release_kept(context)) return memory;
    return spg_host_block_take(context, bytes);
}

static bool exceeds_most(const spg_context *context, int64_t bytes)
{
    return context->most_bytes > 0 && bytes > context->most_bytes - context->current_bytes;
}

/* NULL for 0 bytes, or if out of memory. */
static void *allocate_and_count(spg_context *context, int64_t bytes, spg_place place)
{
    if (bytes <= 0 || bytes >= INT64_MAX / 4) return NULL;
    if (exceeds_most(context, bytes)) return NULL;
    void *memory = try_to_allocate(context, bytes, place);
    if (memory != NULL) count(context, bytes);
    return memory;
}

static spg_status allocate_at(spg_context *context, int64_t bytes, spg_place place, const char *what, void **memory)
{
    *memory = allocate_and_count(context, bytes, place);
    if (*memory != NULL || bytes == 0) return SPG_OK;
    if (exceeds_most(context, bytes))
        return spg_context_fail(context, SPG_ERROR_MEMORY,
                                "%s: %lld bytes of workspace are needed, the limit leaves %lld", what, (long long)bytes,
                                (long long)(context->most_bytes - context->current_bytes));
    if (place != SPG_PLACE_HOST && context->backend->is_captured(context))
        return spg_context_fail(context, SPG_ERROR_UNSUPPORTED,
                                "%s: %lld bytes asked while the stream is captured; call this once before the capture, "
                                "or not within one",
                                what, (long long)bytes);
    return spg_context_fail(context, SPG_ERROR_MEMORY, "no memory for %s: %lld bytes asked, %lld held", what,
                            (long long)bytes, (long long)context->current_bytes);
}

spg_status spg_allocate(spg_context *context, int64_t bytes, const char *what, void **memory)
{
    return allocate_at(context, bytes, context->config.place, what, memory);
}

spg_status spg_allocate_on_host(spg_context *context, int64_t bytes, const char *what, void **memory)
{
    return allocate_at(context, bytes, SPG_PLACE_HOST, what, memory);
}

spg_status spg_check_workspace(spg_context *context, int64_t bytes, const char *what)
{
    int64_t limit = context->config.workspace_limit;
    if (limit == 0 || bytes <= limit) return SPG_OK;
    return spg_context_fail(context, SPG_ERROR_MEMORY, "%s: %lld bytes of workspace are needed, the limit is %lld",
                            what, (long long)bytes, (long long)limit);
}

spg_status spg_allocate_workspace(spg_context *context, int64_t held, int64_t bytes, const char *what, void **memory)
{
    *memory = NULL;
    spg_status status = bytes > 0 ? spg_check_workspace(context, held + bytes, what) : SPG_OK;
    return status == SPG_OK ? spg_allocate(context, bytes, what, memory) : status;
}

void *spg_allocate_spare(spg_context *context, int64_t held, int64_t bytes)
{
    const int64_t limit = context->config.workspace_limit;
    if (limit > 0 && bytes > (limit - held) / 2) return NULL;
    return allocate_and_count(context, bytes, context->config.place);
}

int spg_pieces_within_limit(const spg_context *context, int64_t held, int64_t piece_bytes, int most)
{
    int64_t limit = context->config.workspace_limit;
    if (limit == 0 || piece_bytes == 0) return most;
    int64_t pieces = (limit - held) / piece_bytes;
    return pieces < 1 ? 1 : pieces < most ? (int)pieces : most;
}

void spg_begin_watch(spg_context *context, spg_watch *watch)
{
    *watch = (spg_watch){.next = context->watches};
    context->watches = watch;
}

void spg_end_watch(spg_context *context, spg_watch *watch)
{
    spg_watch **link = &context->watches;
    while (*link != NULL && *link != watch) link = &(*link)->next;
    if (*link != NULL) *link = watch->next;
}

static void forget_what_lies_in(spg_context *context, const void *memory, int64_t bytes)
{
    const uintptr_t begin = (uintptr_t)memory;
    for (spg_watch *watch = context->watches; watch != NULL; watch = watch->next)
        for (int k = 0; k < 2; k++)
            if ((uintptr_t)watch->arrays[k] - begin < (uintptr_t)bytes) watch->is_known = false;
}

static void release_at(spg_context *context, void *memory, int64_t bytes, spg_place place)
{
    if (memory == NULL) return;
    forget_what_lies_in(context, memory, bytes);
    const spg_allocator *own = &context->config.allocator;
    if (own->release != NULL)
        own->release(own->user, memory, (size_t)bytes, place, context->config.stream);
    else if (place != SPG_PLACE_HOST)
        context->backend->release(context, memory, bytes);
    else
        spg_host_block_give(context, memory);
    context->current_bytes -= bytes;
}

void spg_release(spg_context *context, void *memory, int64_t bytes)
{
    release_at(context, memory, bytes, context->config.place);
}

void spg_release_on_host(spg_context *context, void *memory, int64_t bytes)
{
    release_at(context, memory, bytes, SPG_PLACE_HOST);
}

bool spg_reserve(spg_context *context, int64_t bytes, void **memory)
{
    *memory = NULL;
    if (context->config.allocator.allocate != NULL || context->most_bytes > 0) return false;
    *memory = context->config.place != SPG_PLACE_HOST ? context->backend->allocate(context, bytes)
                                                      : spg_host_block_reserve(context, bytes);
    return *memory != NULL;
}

void *spg_trim(spg_context *context, void *memory, int64_t bytes)
{
    count(context, bytes);
    if (context->config.place == SPG_PLACE_HOST) return spg_host_block_trim(context, memory, bytes);
    if (bytes == 0) spg_cancel_reservation(context, memory);
    return bytes > 0 ? memory : NULL;
}

void spg_cancel_reservation(spg_context *context, void *memory)
{
    if (memory == NULL) return;
    if (context->config.place != SPG_PLACE_HOST)
        context->backend->release(context, memory, 0);
    else
        spg_host_block_give(context, memory);
}
