/* Memory of the host, where the caller has no allocator. Large blocks are mapped, aligned to huge pages and advised to
 * use them: page faults on C cost a product more than any choice of kernel does. Freed blocks are kept, so that the
 * next result's pages are already present; a reservation takes over a smaller block's pages by growing that block. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* mremap */
#endif
#include "host_blocks.h"

#include "poison.h"

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

/* Precedes every block. In kept blocks it is also the list node. */
typedef struct spg_kept_block {
    int64_t mapped_bytes; /* including this header; 0: from aligned_alloc */
    int64_t small_bytes;  /* of a block from aligned_alloc, with this header */
    int list;             /* of such a block: that which keeps it; -1: none */
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
    const int64_t most = context->config.keep_bytes - context->kept_small_bytes;
    if (block->mapped_bytes > most) {
        unmap_block(block);
        return;
    }
    while (context->kept_bytes + block->mapped_bytes > most) unmap_oldest_kept(context);
    offer_pages(block);
    context->kept_bytes += block->mapped_bytes;
    block->next = context->kept;
    context->kept = block;
}

static void unmap_all_kept(spg_context *context)
{
    while (context->kept != NULL) unmap_block(unlink_kept(context, &context->kept));
}
#else
static void *allocate_mapped(spg_context *context, int64_t bytes)
{
    (void)context, (void)bytes;
    return NULL;
}
static void release_mapped(spg_context *context, block_header *block) { (void)context, (void)block; }
static void unmap_all_kept(spg_context *context) { (void)context; }
#endif

/* ---- Smaller blocks ---- */

/* From this size on, since malloc gives pages back to the system when so much is free at the end of its heap, and the
 * next result pays for them again. Each power of two has SIZES_EACH sizes, to which blocks are rounded up: so any kept
 * block of a size will do. At most MOST_SMALL bytes are kept. */
enum { SMALLEST_KEPT = 32 << 10, SIZES_EACH = 8, MOST_SMALL = 32 << 20 };

/* The list for blocks of this many bytes, which are rounded up to its size; -1 if there is none. */
static int list_for(int64_t *bytes)
{
    if (*bytes < SMALLEST_KEPT) return -1;
    int list = 0;
    int64_t power = SMALLEST_KEPT;
    for (; power * 2 <= *bytes; power *= 2) list += SIZES_EACH;
    const int64_t step = power / SIZES_EACH, steps = (*bytes - power + step - 1) / step;
    *bytes = power + steps * step;
    return list + (int)steps < SPG_KEPT_SIZES ? list + (int)steps : -1;
}

static void *allocate_small(spg_context *context, int64_t bytes)
{
    bytes = round_up(bytes + HEADER_BYTES, HEADER_BYTES);
    const int list = list_for(&bytes);
    block_header *block = list >= 0 ? context->kept_small[list] : NULL;
    if (block != NULL) {
        context->kept_small[list] = block->next;
        context->kept_small_bytes -= block->small_bytes;
        SPG_UNPOISON(memory_of(block), bytes - HEADER_BYTES);
        return memory_of(block);
    }
    block = aligned_alloc(HEADER_BYTES, (size_t)bytes);
    if (block == NULL) return NULL;
    *block = (block_header){.small_bytes = bytes, .list = list};
    return memory_of(block);
}

static void release_small(spg_context *context, block_header *block)
{
    const int64_t kept = context->kept_small_bytes + block->small_bytes;
    if (block->list < 0 || kept > MOST_SMALL || context->kept_bytes + kept > context->config.keep_bytes) {
        free(block);
        return;
    }
    SPG_POISON(memory_of(block), block->small_bytes - HEADER_BYTES);
    block->next = context->kept_small[block->list];
    context->kept_small[block->list] = block;
    context->kept_small_bytes = kept;
}

static void free_all_small(spg_context *context)
{
    for (int list = 0; list < SPG_KEPT_SIZES; list++)
        for (block_header *block; (block = context->kept_small[list]) != NULL;) {
            context->kept_small[list] = block->next;
            SPG_UNPOISON(memory_of(block), block->small_bytes - HEADER_BYTES);
            free(block);
        }
    context->kept_small_bytes = 0;
}

/* ---- All ---- */

void *spg_host_block_take(spg_context *context, int64_t bytes)
{
    return HAVE_MAPPING && bytes >= SMALLEST_MAPPED ? allocate_mapped(context, bytes) : allocate_small(context, bytes);
}

void spg_host_block_give(spg_context *context, void *memory)
{
    block_header *block = header_of(memory);
    if (block->mapped_bytes > 0)
        release_mapped(context, block);
    else
        release_small(context, block);
}

bool spg_release_kept(spg_context *context)
{
    const bool has_any = context->kept_bytes + context->kept_small_bytes > 0;
    unmap_all_kept(context);
    free_all_small(context);
    return has_any;
}

/* ---- Reservations ---- */

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

void *spg_host_block_reserve(spg_context *context, int64_t bytes)
{
    if (bytes > ((int64_t)1 << 44)) return NULL;
    const int64_t mapped = round_up(bytes + HEADER_BYTES, HUGE_PAGE);
    block_header *block = take_kept(context, mapped, INT64_MAX);
    if (block == NULL) block = map_reservation(context, mapped);
    return block != NULL ? memory_of(block) : NULL;
}

/* A copy in a small block, in place of a reservation; NULL if there is no memory for it. */
static void *move_to_small(spg_context *context, void *memory, int64_t bytes)
{
    void *small = allocate_small(context, bytes);
    if (small == NULL) return NULL;
    memcpy(small, memory, (size_t)bytes);
    release_mapped(context, header_of(memory));
    return small;
}

void *spg_host_block_trim(spg_context *context, void *memory, int64_t bytes)
{
    block_header *block = header_of(memory);
    if (bytes == 0) {
        release_mapped(context, block);
        return NULL;
    }
    void *small = bytes < SMALLEST_MAPPED ? move_to_small(context, memory, bytes) : NULL;
    if (small != NULL) return small;
    const int64_t mapped = round_up(bytes + HEADER_BYTES, HUGE_PAGE);
    if (mapped < block->mapped_bytes) {
        munmap((char *)block + mapped, (size_t)(block->mapped_bytes - mapped));
        block->mapped_bytes = mapped;
    }
    return memory;
}
#else
void *spg_host_block_reserve(spg_context *context, int64_t bytes)
{
    (void)context, (void)bytes;
    return NULL;
}

void *spg_host_block_trim(spg_context *context, void *memory, int64_t bytes)
{
    (void)context, (void)bytes;
    return memory; /* nothing is reserved */
}
#endif
