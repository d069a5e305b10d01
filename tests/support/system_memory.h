/* Fault injection beneath the default allocator: the system's own memory, refused in turn. A program that links this
 * must send the library's calls here by -Wl,--wrap= of mmap, munmap, mremap, aligned_alloc, free and calloc. */
#ifndef SPG_TESTS_SYSTEM_MEMORY_H
#define SPG_TESTS_SYSTEM_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* From now on the k-th call is refused and, with `onwards`, every later one; k = 0: none is. */
void system_memory_fail_at(int64_t k, bool onwards);

/* Calls since then. */
int64_t system_memory_calls(void);

/* Bytes that are mapped, and blocks of aligned_alloc that are not freed. */
int64_t system_memory_mapped(void);
int64_t system_memory_blocks(void);

#endif
