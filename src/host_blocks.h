/* Blocks of host memory, from the system or kept from earlier calls of a context. Private; memory.h counts them. */
#ifndef SPG_SRC_HOST_BLOCKS_H
#define SPG_SRC_HOST_BLOCKS_H

#include "context.h"

/* Uninitialised, aligned to 64 bytes; NULL if out of memory. bytes > 0. */
void *spg_host_block_take(spg_context *context, int64_t bytes);

/* Keeps the block, within spg_config.keep_bytes, or frees it. Also a reservation. */
void spg_host_block_give(spg_context *context, void *memory);

/* Address space, of which only written pages cost memory; NULL if there is none. See spg_reserve and spg_trim. */
void *spg_host_block_reserve(spg_context *context, int64_t bytes);
void *spg_host_block_trim(spg_context *context, void *memory, int64_t bytes);

/* Frees the blocks kept for reuse; whether there were any. */
bool spg_release_kept(spg_context *context);

#endif
