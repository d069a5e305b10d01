/* Checks shared by the public calls of sampling. Private. */
#ifndef SPG_SRC_SAMPLING_CHECK_H
#define SPG_SRC_SAMPLING_CHECK_H

#include "sampling_backend.h"

/* UNSUPPORTED if the backend of the context's place has no sampling. */
spg_status spg_check_samples_here(spg_context *context);

/* The struct and the place of its arrays; columns may be NULL. */
spg_status spg_check_weights(spg_context *context, const spg_csr *weights);

/* An array of `count` elements that a call reads or writes: not NULL if count > 0, and at the context's place. */
spg_status spg_check_array(spg_context *context, int64_t count, const void *array, size_t size, const char *name);

/* An array of a call, unless memory is NULL. */
typedef struct spg_call_array {
    const void *memory;
    int64_t count;
    size_t size; /* bytes of an element */
    const char *name;
} spg_call_array;

/* ARGUMENT if one of the first `outputs` arrays, which a call writes, overlaps another of the `count` or an array of
 * weights (NULL: none). */
spg_status spg_check_apart(spg_context *context, const spg_csr *weights, int outputs, int count,
                           const spg_call_array arrays[]);

spg_status spg_check_count(spg_context *context, int64_t count, const char *name);

/* random must not be NULL unless uniforms are given. */
spg_status spg_check_random(spg_context *context, const spg_random *random, const void *uniforms);

/* PLACE if a table or the like, made by the context `made`, is at the other place or on another device. */
spg_status spg_check_built_here(spg_context *context, const spg_context *made, const char *name);

/* Whether a table can be drawn from here: PLACE as above, ARGUMENT after a rebuild that failed. */
spg_status spg_check_alias(spg_context *context, const spg_alias *alias);

#endif
