/* What a context holds. Private to the library. */
#ifndef SPG_SRC_CONTEXT_H
#define SPG_SRC_CONTEXT_H

#include "spg/spg.h"

#include <stdbool.h>

struct spg_backend;
struct spg_kept_block;
struct spg_pool;

/* Addresses that are known by who keeps this in a context's list: what lies there is what was seen, until the context
 * releases the memory that holds one of them, which may be another's then. */
typedef struct spg_watch {
    const void *arrays[2]; /* NULL: none */
    bool is_known;
    struct spg_watch *next;
} spg_watch;

struct spg_context {
    spg_config config;                 /* place resolved, threads at least 1 */
    const struct spg_backend *backend; /* the table of config.place */
    void *backend_state;               /* its own part */
    struct spg_pool *pool;             /* the threads of the host */
    struct spg_kept_block *kept;       /* freed host blocks held for reuse (memory.c) */
    int64_t kept_bytes;
    int64_t current_bytes, peak_bytes; /* of live allocations */
    spg_watch *watches;
    bool has_last_stats;
    spgemm_stats last_stats;
    bool has_last_galerkin;
    spg_galerkin_stats last_galerkin;
    char description[160];
    char message[512];
};

/* The limits to use: those given, else the context's, with each -1 replaced by the backend's default. */
spg_row_limits spg_resolve_row_limits(const spg_context *context, const spg_row_limits *limits);

#endif
