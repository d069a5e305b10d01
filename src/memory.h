/* All memory of the library: allocated through the context, counted, at the context's place. Private.
 *
 * Call these from one thread at a time. */
#ifndef SPG_SRC_MEMORY_H
#define SPG_SRC_MEMORY_H

#include "context.h"

/* *memory = bytes of uninitialised memory; NULL for 0 bytes. On the host it is 64-byte aligned, unless it comes from an
 * allocator of the caller's. On failure *memory is NULL and the message says how many bytes were asked for `what`. */
spg_status spg_allocate(spg_context *context, int64_t bytes, const char *what, void **memory);

/* bytes: as allocated. NULL is allowed. */
void spg_release(spg_context *context, void *memory, int64_t bytes);

/* As both above, but always on the host: for what a context of any place keeps to itself. */
spg_status spg_allocate_on_host(spg_context *context, int64_t bytes, const char *what, void **memory);
void spg_release_on_host(spg_context *context, void *memory, int64_t bytes);

/* Begins and ends watching releases for this; nothing is known at first. */
void spg_begin_watch(spg_context *context, spg_watch *watch);
void spg_end_watch(spg_context *context, spg_watch *watch);

/* Bytes of an array; INT64_MAX, which no allocation grants, if they are too many to count. count is not negative. */
static inline int64_t spg_array_bytes(int64_t count, size_t size)
{
    return count <= INT64_MAX / (int64_t)size ? count * (int64_t)size : INT64_MAX;
}

/* Of the three arrays of a CSR matrix. */
int64_t spg_csr_bytes(const spg_csr *matrix);

/* MEMORY if a call that takes `bytes` beside its result passes the context's workspace_limit. */
spg_status spg_check_workspace(spg_context *context, int64_t bytes, const char *what);

/* As spg_allocate, for what a call takes beside its result: with `held` bytes that it has taken already, within the
 * limit. Given back by spg_release. */
spg_status spg_allocate_workspace(spg_context *context, int64_t held, int64_t bytes, const char *what, void **memory);

/* As spg_allocate_workspace, for what a call can do without: within half of what the limit leaves, the rest being for
 * what it needs. NULL, and no message, where that is not to be had. */
void *spg_allocate_spare(spg_context *context, int64_t held, int64_t bytes);

/* How many of `most` equal pieces of workspace the limit leaves room for, at least 1. */
int spg_pieces_within_limit(const spg_context *context, int64_t held, int64_t piece_bytes, int most);

/* Room for results whose size is bounded but not yet known: on the host address space, of which only what is written
 * costs memory; on a device memory, all of which stays taken. False where the context has an allocator of its own, or
 * if so much is not to be had; use an exact allocation then. A reservation is not counted until it is trimmed. */
bool spg_reserve(spg_context *context, int64_t bytes, void **memory);

/* Makes a reservation an allocation of `bytes` (at most what was reserved), which keep their contents: give it back by
 * spg_release(.., bytes). Returns where it lies now: small ones move; NULL for 0 bytes. */
void *spg_trim(spg_context *context, void *memory, int64_t bytes);

/* Gives a reservation back that was not trimmed. */
void spg_cancel_reservation(spg_context *context, void *memory);

/* Frees what is kept for reuse. */
void spg_release_kept(spg_context *context);

#endif
