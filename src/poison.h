/* Gaps between the parts of one block, guarded by AddressSanitizer if it is built in: it then reports an overrun of a
 * part, even within the block. Private. */
#ifndef SPG_SRC_POISON_H
#define SPG_SRC_POISON_H

#if defined(__SANITIZE_ADDRESS__)
#define SPG_HAS_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SPG_HAS_ADDRESS_SANITIZER 1
#endif
#endif

#ifdef SPG_HAS_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
enum { SPG_GAP_BYTES = 64 };
#define SPG_POISON(memory, bytes) __asan_poison_memory_region(memory, (size_t)(bytes))
/* Before the block is freed: its next owner may use all of it. */
#define SPG_UNPOISON(memory, bytes) __asan_unpoison_memory_region(memory, (size_t)(bytes))
#else
enum { SPG_GAP_BYTES = 0 };
#define SPG_POISON(memory, bytes) ((void)(memory), (void)(bytes))
#define SPG_UNPOISON(memory, bytes) ((void)(memory), (void)(bytes))
#endif

#endif
