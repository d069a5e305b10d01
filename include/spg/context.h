/* The context: where work is done, with which threads, stream and memory, and the last error message.
 *
 * One context serves one host thread at a time; contexts share nothing mutable. */
#ifndef SPG_CONTEXT_H
#define SPG_CONTEXT_H

#include "spg/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Made by spg_context_create. Every call that works or allocates takes one. */
typedef struct spg_context spg_context;

/* A caller's allocator. Give both functions or neither. allocate returns NULL on failure; host memory must be aligned
 * for any type (64 bytes make the kernels fastest). release gets what allocate returned, and its bytes. */
typedef struct spg_allocator {
    void *user; /* passed to both functions */
    /* Returns memory of so many bytes at a place, on a device usable by work queued on stream from now on. */
    void *(*allocate)(void *user, size_t bytes, spg_place place, void *stream);
    /* Takes it back; on a device work queued on stream before may still use it. */
    void (*release)(void *user, void *memory, size_t bytes, spg_place place, void *stream);
} spg_allocator;

/* Called with one line of text, without its newline, during a call: it must return, and not use the call's context. */
typedef void (*spg_log)(void *user, const char *line);

/* The largest number of products that a row of each class may need (Dalton, Bell, Olson, section 3.1). A row of more
 * than `cta` products is of class global. -1 keeps the default of the place; 0 leaves the class empty. */
typedef struct spg_row_limits {
    int64_t thread; /* of class thread */
    int64_t warp;   /* of class warp */
    int64_t cta;    /* of class CTA */
} spg_row_limits;

/* Fill with spg_config_default() and change what you need. Each comment gives the default.
 *
 * Host threads. Creating a context counts the cores that the process may use: those of its affinity mask, limited by
 * the quotas of its control groups (cgroups version 1 and 2; 1.5 cores count as 2). A call uses only as many threads as
 * pay off; small work runs on one. The context starts its own threads with the first work that needs them. They inherit
 * the affinity of the calling thread, block all signals and end with the context. If a thread cannot be started, work
 * runs on fewer. Threads that wait, between calls or within one, spin for at most about 20 microseconds and then sleep.
 * After fork the child's context starts threads of its own; fork while no other thread uses the context. No result
 * depends on the threads. */
typedef struct spg_config {
    spg_place place; /* SPG_PLACE_AUTO */
    int device;      /* ordinal of the GPU; -1: the current one */
    int threads; /* most host threads, up to 4096, and never more than the process may use (see above); 0: as many as it
                    may use, or OMP_NUM_THREADS if that is set and less */
    void *stream; /* cudaStream_t; NULL: the default stream. With cudaStreamPerThread, which is another stream in each
                     thread, only the thread that creates the context may use it. */
    spg_allocator allocator; /* zeroed: malloc and mmap on the host, the stream-ordered pool on a device */
    int64_t workspace_limit; /* bytes a call may allocate besides its result; 0: no limit */
    int64_t keep_bytes; /* freed bytes kept for the next result: on the host, the system may reclaim them when it needs
                           memory; on a device, the stream-ordered pool holds them; 2 GiB; 0: none */
    spg_row_limits row_limits; /* -1 each */
    int oversubscribe; /* not 0: use `threads` threads even if the process may use fewer cores. Slower; for tests, and
                          for systems where cores are counted wrongly; 0 */
    int timing;     /* not 0: on a device, products and alias tables of one row time their stages, and so wait for their
                       end; 0 */
    spg_log log;    /* NULL: no log */
    void *log_user; /* passed to log; NULL */
} spg_config;

/* The defaults that the comments of spg_config give. */
SPG_API spg_config spg_config_default(void);

/* config may be NULL for the defaults. On failure *context is NULL, and config->log, if set, gets the reason. ARGUMENT:
 * a member of config is out of range. PLACE: a device was asked for, but the machine has none or this build has no
 * device backend. */
SPG_API spg_status spg_context_create(const spg_config *config, spg_context **context);

/* Frees the context and what it keeps. Destroy everything made with this context first: matrices by spg_csr_free or
 * spg_coo_free; plans, hierarchies and tables by their own _destroy. NULL is allowed, as in all of these. */
SPG_API void spg_context_destroy(spg_context *context);

/* The message of the last call that failed: the argument, row or line at fault, or the bytes asked for. "" if none
 * failed. Valid until the next call on this context. Calls that only read, such as spgemm_last_stats, leave no
 * message. */
SPG_API const char *spg_context_message(const spg_context *context);

/* Where this context works: SPG_PLACE_HOST or SPG_PLACE_DEVICE. To move a matrix, call spg_csr_copy or spg_coo_copy
 * with a context of the target place. */
SPG_API spg_place spg_context_place(const spg_context *context);

/* The most host threads that its work uses. */
SPG_API int spg_context_threads(const spg_context *context);

/* One readable line: the place, its threads or GPU, and the instruction set in use. Owned by the context. */
SPG_API const char *spg_context_describe(const spg_context *context);

/* Bytes that this context's allocations hold now, and their peak since spg_context_memory_reset was last called;
 * without the freed blocks that it keeps (spg_config.keep_bytes). */
SPG_API void spg_context_memory(const spg_context *context, int64_t *current_bytes, int64_t *peak_bytes);
/* Sets the peak to the bytes held now. */
SPG_API void spg_context_memory_reset(spg_context *context);

/* Changes spg_config.workspace_limit of an existing context. ARGUMENT: negative. */
SPG_API spg_status spg_context_set_workspace_limit(spg_context *context, int64_t bytes);
/* Changes spg_config.row_limits of an existing context. ARGUMENT: NULL, or a limit below -1. */
SPG_API spg_status spg_context_set_row_limits(spg_context *context, const spg_row_limits *limits);

/* For code built on spg, such as readers and solvers: stores a printf-style message as the context's own and returns
 * `status`, so that a caller can write `return spg_context_fail(context, SPG_ERROR_IO, ...)`. */
SPG_API spg_status spg_context_fail(spg_context *context, spg_status status, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

#ifdef __cplusplus
}
#endif

#endif
