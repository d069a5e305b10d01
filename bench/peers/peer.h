/* What is measured: an implementation of C = A*B, be it spg in one of its forms or another library. */
#ifndef SPG_BENCH_PEER_H
#define SPG_BENCH_PEER_H

#include "problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The settings that every implementation gets alike. */
typedef struct peer_settings {
    spg_place place; /* the host or a device */
    int threads;
    int64_t workspace_limit, keep_bytes; /* spg's only */
    bool phases;                         /* spg on a device: the stats are to have times, which slow products down */
} peer_settings;

/* A result by rows, in the implementation's own index types, where it left it. */
typedef struct csr_view {
    int64_t rows, cols, nnz;
    spg_type offset_type, column_type; /* SPG_I32 or SPG_I64 */
    spg_type value_type;
    const void *row_offsets, *columns, *values;
    spg_place place;
} csr_view;

/* Of R*A*P the statistics are those of both products together, and each one's time, where phases are timed. */
typedef struct peer_stats {
    spgemm_stats all;
    double AP_ms, RAP_ms;
} peer_stats;

/* Timed is multiply: the allocation of C and of any workspace, the product complete (on a device, multiply need only
 * queue it). On the host release is timed, too. Everything else happens outside the timing. Functions that fail leave a
 * message in `errors`. */
typedef struct peer {
    const char *name;
    const char *about;     /* for people: its version, or what it does */
    bool is_spg;           /* spg's own: promises the same bits from run to run and from form to form */
    bool sorted;           /* promises sorted rows */
    bool threaded;         /* uses peer_settings.threads, else one thread */
    bool plan;             /* numbers only, into an existing C */
    spg_place works_at;    /* HOST, DEVICE, or AUTO for both */
    spg_row_limits limits; /* spg: -1 each, or those that force a class */
    bool (*supports)(spg_type value_type);
    spg_status (*prepare)(const struct peer *self, spg_context *errors, const peer_settings *settings,
                          const problem *task, void **state);
    spg_status (*multiply)(void *state);
    spg_status (*view)(void *state, csr_view *view);     /* of the result, until release */
    void (*release)(void *state);                        /* the result */
    spg_status (*stats)(void *state, peer_stats *stats); /* of the last multiply; NULL: none kept */
    double (*plan_ms)(void *state);                      /* of making the plan and its first run; NULL: no plan */
    void (*cleanup)(void *state);                        /* the state; NULL is allowed */
} peer;

/* The times of the stages, together. */
static inline double phases_ms(const spgemm_stats *stats)
{
    return stats->analysis_ms + stats->expand_sort_ms + stats->contract_ms + stats->assemble_ms;
}

/* Every implementation of this build: entry k, or NULL past the end. spg's forms come first. */
const peer *peer_at(int k);
const peer *peer_by_name(const char *name);

extern const peer peer_cxsparse, peer_graphblas, peer_mkl, peer_eigen;
extern const peer peer_cusparse_default, peer_cusparse_alg1, peer_cusparse_alg2, peer_cusparse_alg3,
    peer_cusparse_reuse, peer_cusparse_again;

#ifdef __cplusplus
}
#endif

#endif
