/* Allocation. Large host blocks are mapped, aligned to huge pages and advised to use them: page faults on C cost a
 * product more than any choice of kernel does. Some freed blocks are kept, so that the next result's pages are already
 * present; a reservation takes over a smaller block's pages by growing that block. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* mremap */
#endif
#include "memory.h"

#include "backend.h"

#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#define HAVE_MAPPING 1
#else
#define HAVE_MAPPING 0
#endif

enum { HEADER_BYTES = 64, HUGE_PAGE = 2 << 20 };
enum { SMALLEST_MAPPED = HUGE_PAGE / 2 }; /* so that rounding up to huge pages at most doubles a block */
/* Smaller kept blocks are not offered to the system: pages that were offered must be marked as used again, one by one,
 * when they are written, and the system gains little from so few. */
enum { LARGEST_HELD = 32 << 20 };

/* Precedes every block of the default host allocator. In kept blocks it is also the list node. */
typedef struct spg_kept_block {
    int64_t mapped_bytes; /* including this header; 0: from aligned_alloc */
    bool may_grow;        /* mapped without reserving memory, so growing it reserves none either */
    struct spg_kept_block *next;
} block_header;

static block_header *header_of(void *memory) { return (block_header *)((char *)memory - HEADER_BYTES); }

static void *memory_of(block_header *header) { return (char *)header + HEADER_BYTES; }

static int64_t round_up(int64_t bytes, int64_t step) { return (bytes + step - 1) / step * step; }

#if HAVE_MAPPING
/* Maps bytes (a multiple of HUGE_PAGE) at a multiple of HUGE_PAGE: maps one page more and cuts off the ends. */
static void *map_range(int64_t bytes, bool may_grow)
{
    size_t asked = (size_t)bytes + HUGE_PAGE;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | (may_grow ? MAP_NORESERVE : 0);
    char *base = mmap(NULL, asked, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (base == MAP_FAILED) return NULL;
    size_t before = (HUGE_PAGE - (size_t)((uintptr_t)base % HUGE_PAGE)) % HUGE_PAGE;
    if (before > 0) munmap(base, before);
    munmap(base + before + bytes, HUGE_PAGE - before);
    madvise(base + before, (size_t)bytes, MADV_HUGEPAGE);
    return base + before;
}

static block_header *map_block(int64_t bytes, bool may_grow)
{
    block_header *block = map_range(bytes, may_grow);
    if (block == NULL) return NULL;
    block->mapped_bytes = bytes;
    block->may_grow = may_grow;
    return block;
}

static void unmap_block(block_header *block) { munmap(block, (size_t)block->mapped_bytes); }

/* Removes a block from the list of kept blocks. */
static block_header *unlink_kept(spg_context *context, block_header **link)
{
    block_header *block = *link;
    *link = block->next;
    context->kept_bytes -= block->mapped_bytes;
    return block;
}

/* Removes the smallest kept block of `bytes` to `at_most` bytes, if there is one. */
static block_header *take_kept(spg_context *context, int64_t bytes, int64_t at_most)
{
    block_header **best = NULL;
    for (block_header **link = &context->kept; *link != NULL; link = &(*link)->next)
        if ((*link)->mapped_bytes >= bytes && (*link)->mapped_bytes <= at_most &&
            (best == NULL || (*link)->mapped_bytes < (*best)->mapped_bytes))
            best = link;
    return best != NULL ? unlink_kept(context, best) : NULL;
}

static void *allocate_mapped(spg_context *context, int64_t bytes)
{
    int64_t mapped = round_up(bytes + HEADER_BYTES, HUGE_PAGE);
    block_header *block = take_kept(context, mapped, 2 * mapped);
    if (block == NULL) block = map_block(mapped, false);
    return block != NULL ? memory_of(block) : NULL;
}

static void unmap_oldest_kept(spg_context *context)
{
    block_header **link = &context->kept;
    while ((*link)->next != NULL) link = &(*link)->next;
    unmap_block(unlink_kept(context, link));
}

/* Lets the system reclaim the pages of a large kept block when it needs memory; until then they stay. The first page
 * holds the header and is not offered. */
static void offer_pages(block_header *block)
{
    if (block->mapped_bytes < LARGEST_HELD) return;
    madvise((char *)block + HUGE_PAGE, (size_t)(block->mapped_bytes - HUGE_PAGE), MADV_FREE);
}

static void release_mapped(spg_context *context, block_header *block)
{
    if (block->mapped_bytes > context->config.keep_bytes) {
        unmap_block(block);
        return;
    }
    while (context->kept_bytes + block->mapped_bytes > context->config.keep_bytes) unmap_oldest_kept(context);
    offer_pages(block);
    context->kept_bytes += block->mapped_bytes;
    block->next = context->kept;
    context->kept = block;
}

void spg_release_kept(spg_context *context)
{
    while (context->kept != NULL) {
        block_header *block = context->kept;
        context->kept = block->next;
        unmap_block(block);
    }
    context->kept_bytes = 0;
}
#else
static void *allocate_mapped(spg_context *context, int64_t bytes)
{
    (void)context, (void)bytes;
    return NULL;
}
static void release_mapped(spg_context *context, block_header *block) { (void)context, (void)block; }
void spg_release_kept(spg_context *context) { (void)context; }
#endif

static void *allocate_default(spg_context *context, int64_t bytes)
{
    if (HAVE_MAPPING && bytes >= SMALLEST_MAPPED) return allocate_mapped(context, bytes);
    block_header *block = aligned_alloc(HEADER_BYTES, (size_t)round_up(bytes + HEADER_BYTES, HEADER_BYTES));
    if (block == NULL) return NULL;
    block->mapped_bytes = 0;
    return memory_of(block);
}

static void release_default(spg_context *context, void *memory)
{
    block_header *block = header_of(memory);
    if (block->mapped_bytes > 0)
        release_mapped(context, block);
    else
        free(block);
}

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
    void *memory = allocate_default(context, bytes);
    if (memory != NULL || context->kept == NULL) return memory;
    spg_release_kept(context);
    return allocate_default(context, bytes);
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
        release_default(context, memory);
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

#if HAVE_MAPPING
/* Maps `mapped` bytes, whose first pages are those of the largest kept block that may grow. The block is moved and
 * grown in one step, into an aligned range: so it stays one mapping, and before Linux 6.17 only one mapping can be
 * moved. */
static block_header *map_reservation(spg_context *context, int64_t mapped)
{
    block_header **largest = NULL;
    for (block_header **link = &context->kept; *link != NULL; link = &(*link)->next)
        if ((*link)->may_grow && (largest == NULL || (*link)->mapped_bytes > (*largest)->mapped_bytes)) largest = link;
    if (largest == NULL) return map_block(mapped, true);
    void *range = map_range(mapped, true);
    if (range == NULL) return NULL;
    block_header *kept = unlink_kept(context, largest);
    size_t kept_bytes = (size_t)kept->mapped_bytes;
    if (mremap(kept, kept_bytes, (size_t)mapped, MREMAP_MAYMOVE | MREMAP_FIXED, range) == MAP_FAILED) {
        unmap_block(kept);
        munmap(range, (size_t)mapped);
        return NULL;
    }
    block_header *grown = range;
    grown->mapped_bytes = mapped;
    return grown;
}
#endif

bool spg_reserve(spg_context *context, int64_t bytes, void **memory)
{
    *memory = NULL;
    if (context->config.allocator.allocate != NULL || context->most_bytes > 0) return false;
    if (context->config.place != SPG_PLACE_HOST) {
        *memory = context->backend->allocate(context, bytes);
        return *memory != NULL;
    }
#if HAVE_MAPPING
    if (bytes > ((int64_t)1 << 44)) return false;
    int64_t mapped = round_up(bytes + HEADER_BYTES, HUGE_PAGE);
    block_header *block = take_kept(context, mapped, INT64_MAX);
    if (block == NULL) block = map_reservation(context, mapped);
    if (block != NULL) *memory = memory_of(block);
#else
    (void)context, (void)bytes;
#endif
    return *memory != NULL;
}

void *spg_trim(spg_context *context, void *memory, int64_t bytes)
{
    if (context->config.place != SPG_PLACE_HOST) {
        if (bytes == 0) spg_cancel_reservation(context, memory);
        count(context, bytes);
        return bytes > 0 ? memory : NULL;
    }
#if HAVE_MAPPING
    block_header *block = header_of(memory);
    if (bytes < SMALLEST_MAPPED) {
        void *small = bytes > 0 ? allocate_default(context, bytes) : NULL;
        if (small != NULL) memcpy(small, memory, (size_t)bytes);
        if (small != NULL || bytes == 0) {
            release_mapped(context, block);
            count(context, bytes);
            return small;
        }
    }
    int64_t mapped = round_up(bytes + HEADER_BYTES, HUGE_PAGE);
    if (mapped < block->mapped_bytes) {
        munmap((char *)block + mapped, (size_t)(block->mapped_bytes - mapped));
        block->mapped_bytes = mapped;
    }
#endif
    count(context, bytes);
    return memory;
}

void spg_cancel_reservation(spg_context *context, void *memory)
{
    if (memory == NULL) return;
    if (context->config.place != SPG_PLACE_HOST)
        context->backend->release(context, memory, 0);
    else
        release_default(context, memory);
}
