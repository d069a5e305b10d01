/* All memory of the library: allocated through the context, counted, at the context's place. Private.
 *
 * Call these functions from one thread at a time. */
#ifndef SPG_SRC_MEMORY_H
#define SPG_SRC_MEMORY_H

#include "context.h"

/* *memory = bytes of uninitialised memory; NULL for 0 bytes. On the host it is 64-byte aligned, unless a caller's
 * allocator provides it. On failure *memory is NULL, and the message says how many bytes were asked for, for `what`. */
spg_status spg_allocate(spg_context *context, int64_t bytes, const char *what, void **memory);

/* bytes: as given to spg_allocate. NULL is allowed. */
void spg_release(spg_context *context, void *memory, int64_t bytes);

/* The same, but always on the host: for a context's own data, whatever its place. */
spg_status spg_allocate_on_host(spg_context *context, int64_t bytes, const char *what, void **memory);
void spg_release_on_host(spg_context *context, void *memory, int64_t bytes);

/* Start and stop watching releases for this watch; at the start it is not known. */
void spg_begin_watch(spg_context *context, spg_watch *watch);
void spg_end_watch(spg_context *context, spg_watch *watch);

/* Bytes of an array, or INT64_MAX, which no allocation can satisfy, if that overflows. count is not negative. */
static inline int64_t spg_array_bytes(int64_t count, size_t size)
{
    return count <= INT64_MAX / (int64_t)size ? count * (int64_t)size : INT64_MAX;
}

/* Bytes of the three arrays. */
int64_t spg_csr_bytes(const spg_csr *matrix);

/* MEMORY if a call that needs `bytes` besides its result exceeds the context's workspace_limit. */
spg_status spg_check_workspace(spg_context *context, int64_t bytes, const char *what);

/* As spg_allocate, for memory besides a call's result: MEMORY if these bytes and the `held` bytes that the call has
 * already allocated exceed the limit. Free it with spg_release. */
spg_status spg_allocate_workspace(spg_context *context, int64_t held, int64_t bytes, const char *what, void **memory);

/* As spg_allocate_workspace, for optional memory: at most half of what the limit leaves, since the rest is needed.
 * NULL, without a message, if that is not available. */
void *spg_allocate_spare(spg_context *context, int64_t held, int64_t bytes);

/* How many of `most` equal pieces of workspace fit within the limit, at least 1. */
int spg_pieces_within_limit(const spg_context *context, int64_t held, int64_t piece_bytes, int most);

/* Reserves memory for a result of bounded but still unknown size. On the host this is address space, and only written
 * pages cost memory; on a device it is memory, all of it. False if the context has a caller's allocator or a bound on
 * all it holds, or if so much is not available; use an exact allocation then. A reservation is counted only after
 * spg_trim. */
bool spg_reserve(spg_context *context, int64_t bytes, void **memory);

/* Turns a reservation into an allocation of `bytes` (at most what was reserved) with the same contents; free it with
 * spg_release(.., bytes). Returns its address, which changes for small ones; NULL for 0 bytes. */
void *spg_trim(spg_context *context, void *memory, int64_t bytes);

/* Frees a reservation that was not trimmed. */
void spg_cancel_reservation(spg_context *context, void *memory);

#endif
