/* Arrays at the place of a context. */
#ifndef SPG_BENCH_SAMPLING_ARRAYS_H
#define SPG_BENCH_SAMPLING_ARRAYS_H

#include "spg/sampling.h"

/* Uninitialised. MEMORY: none; *array is NULL then. */
spg_status array_allocate(spg_context *context, int64_t count, int64_t size, void **array);
void array_free(const spg_context *context, void *array);

/* From and to the host. */
spg_status array_put(spg_context *context, void *to, const void *from, int64_t bytes);
spg_status array_get(spg_context *context, void *to, const void *from, int64_t bytes);

/* *there = `from` itself on the host, else a new array with its content; array_unlend frees the latter. */
spg_status array_lend(spg_context *context, const void *from, int64_t bytes, void **there);
void array_unlend(const spg_context *context, void *there);

#endif
