/* See system_memory.h. */
#include "system_memory.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

enum { MOST_BLOCKS = 4096, HUGE_PAGE = 2 << 20 };

static struct {
    int64_t calls, fail_at;
    bool onwards, uneven;
    int64_t mapped;
    int64_t blocks;
    void *block[MOST_BLOCKS];
} memory;

void *__real_mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset);
int __real_munmap(void *address, size_t bytes);
void *__real_mremap(void *old, size_t old_bytes, size_t bytes, int flags, void *address);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void __real_free(void *block);
void *__wrap_mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset);
int __wrap_munmap(void *address, size_t bytes);
void *__wrap_mremap(void *old, size_t old_bytes, size_t bytes, int flags, void *address);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void __wrap_free(void *block);

static bool refused(void)
{
    ++memory.calls;
    return memory.fail_at > 0 && (memory.calls == memory.fail_at || (memory.onwards && memory.calls > memory.fail_at));
}

/* A mapping that begins a page after a multiple of a huge page. */
static void *map_unevenly(size_t bytes, int protection, int flags)
{
    char *base = __real_mmap(NULL, bytes + 2 * (size_t)HUGE_PAGE, protection, flags, -1, 0);
    if (base == MAP_FAILED) return base;
    const size_t before = HUGE_PAGE - (uintptr_t)base % HUGE_PAGE + (size_t)sysconf(_SC_PAGESIZE);
    __real_munmap(base, before);
    __real_munmap(base + before + bytes, 2 * (size_t)HUGE_PAGE - before);
    return base + before;
}

/* Some systems align what is large to huge pages, others do not: here every other mapping begins beside one, so that
 * what callers cut off before it is cut off. */
void *__wrap_mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset)
{
    if (refused()) return MAP_FAILED;
    memory.uneven = !memory.uneven && file == -1 && address == NULL;
    void *mapped = memory.uneven ? map_unevenly(bytes, protection, flags)
                                 : __real_mmap(address, bytes, protection, flags, file, offset);
    if (mapped != MAP_FAILED) memory.mapped += (int64_t)bytes;
    return mapped;
}

int __wrap_munmap(void *address, size_t bytes)
{
    memory.mapped -= (int64_t)bytes;
    return __real_munmap(address, bytes);
}

void *__wrap_mremap(void *old, size_t old_bytes, size_t bytes, int flags, void *address)
{
    if (refused()) return MAP_FAILED;
    void *moved = __real_mremap(old, old_bytes, bytes, flags, address);
    if (moved != MAP_FAILED) memory.mapped -= (int64_t)old_bytes; /* moved onto a mapping of the new size */
    return moved;
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    if (refused() || memory.blocks == MOST_BLOCKS) return NULL;
    void *block = __real_aligned_alloc(alignment, bytes);
    if (block != NULL) memory.block[memory.blocks++] = block;
    return block;
}

void __wrap_free(void *block)
{
    for (int64_t k = 0; k < memory.blocks && block != NULL; ++k)
        if (memory.block[k] == block) {
            memory.block[k] = memory.block[--memory.blocks];
            break;
        }
    __real_free(block);
}

void *__wrap_calloc(size_t count, size_t bytes) { return refused() ? NULL : __real_calloc(count, bytes); }

void system_memory_fail_at(int64_t k, bool onwards)
{
    memory.calls = 0;
    memory.fail_at = k;
    memory.onwards = onwards;
}

int64_t system_memory_calls(void) { return memory.calls; }

int64_t system_memory_mapped(void) { return memory.mapped; }

int64_t system_memory_blocks(void) { return memory.blocks; }
