/* What is measured: an implementation of C = A*B, be it spg in one of its forms or another library. */
#ifndef SPG_BENCH_PEER_H
#define SPG_BENCH_PEER_H

#include "problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The settings that every implementation gets alike. */
typedef struct peer_settings {
    spg_place place;
    int threads;
    int64_t workspace_limit, keep_bytes; /* spg's only */
} peer_settings;

/* A result by rows, in the implementation's own index types. */
typedef struct csr_view {
    int64_t rows, cols, nnz;
    spg_type offset_type, column_type; /* SPG_I32 or SPG_I64 */
    spg_type value_type;
    const void *row_offsets, *columns, *values;
} csr_view;

/* Timed is multiply followed by release: the allocation of C and of any workspace, the product complete, C given back.
 * Everything else happens outside the timing. Functions that fail leave a message in `errors`. */
typedef struct peer {
    const char *name;
    const char *about;     /* for people: its version, or what it does */
    bool is_spg;           /* spg's own: promises the same bits from run to run and from form to form */
    bool sorted;           /* promises sorted rows */
    bool threaded;         /* uses peer_settings.threads, else one thread */
    bool plan;             /* spg: numbers only, into an existing C */
    spg_row_limits limits; /* spg: -1 each, or those that force a class */
    bool (*supports)(spg_type value_type);
    spg_status (*prepare)(const struct peer *self, spg_context *errors, const peer_settings *settings,
                          const problem *task, void **state);
    spg_status (*multiply)(void *state);
    spg_status (*view)(void *state, csr_view *view);       /* of the result, until release */
    void (*release)(void *state);                          /* the result */
    spg_status (*stats)(void *state, spgemm_stats *stats); /* of the last multiply; NULL: none kept */
    void (*cleanup)(void *state);                          /* the state; NULL is allowed */
} peer;

/* Every implementation of this build: entry k, or NULL past the end. spg's forms come first. */
const peer *peer_at(int k);
const peer *peer_by_name(const char *name);

extern const peer peer_cxsparse, peer_graphblas, peer_eigen;

#ifdef __cplusplus
}
#endif

#endif
