/* The members of a context. Private. */
#ifndef SPG_SRC_CONTEXT_H
#define SPG_SRC_CONTEXT_H

#include "spg/sampling.h"
#include "spg/spg.h"

#include <stdbool.h>

struct spg_backend;
struct spg_kept_block;
struct spg_pool;

/* Watches two addresses, while it is in a context's list. The contents seen there are valid until the context releases
 * memory that contains one of them: then someone else may reuse it, and is_known becomes false. */
typedef struct spg_watch {
    const void *arrays[2]; /* NULL: none */
    bool is_known;
    struct spg_watch *next;
} spg_watch;

enum { SPG_KEPT_SIZES = 42 }; /* of host_blocks.c */

struct spg_context {
    spg_config config;                 /* place resolved, threads at least 1 */
    const struct spg_backend *backend; /* the function table of config.place */
    void *backend_state;               /* private to the backend */
    struct spg_pool *pool;             /* host threads */
    /* Freed host blocks held for reuse (host_blocks.c): large ones, and smaller ones by size. */
    struct spg_kept_block *kept, *kept_small[SPG_KEPT_SIZES];
    int64_t kept_bytes, kept_small_bytes;
    int64_t current_bytes, peak_bytes; /* of current allocations */
    int64_t most_bytes;                /* what they may be at present; 0: no bound */
    spg_watch *watches;
    spg_draw_options draw_options; /* of builds of tables, and draws */
    bool has_last_stats;
    spgemm_stats last_stats;
    bool has_last_galerkin;
    spg_galerkin_stats last_galerkin;
    char description[160];
    char message[512];
};

/* The limits in use: those given, or else the context's, with each -1 replaced by the backend's default. */
spg_row_limits spg_resolve_row_limits(const spg_context *context, const spg_row_limits *limits);

#endif
