/* Verifies and times one peer on one system. */
#ifndef SPG_BENCH_AMG_PEER_MEASURE_H
#define SPG_BENCH_AMG_PEER_MEASURE_H

#include "amg_peer.h"

/* Times in milliseconds. */
typedef struct amg_peer_findings {
    char matrix[64];
    const amg_peer *peer;
    int64_t rows, nnz;
    amg_peer_sizes sizes;
    double setup_ms, setup_min_ms, setup_max_ms, solve_ms;
    int iterations;
    double residual; /* over the right-hand side, of the solution that came back, by the bench's own loops */
    bool verified;   /* that residual keeps to the tolerance */
    char fault[256]; /* unless verified: what the peer gave instead */
} amg_peer_findings;

/* What a peer cannot do, and a residual over the tolerance, are in the findings; nothing of such a peer is timed. Fails
 * for want of memory, and where a device fails. */
spg_status amg_peer_measure(const amg_peer *peer, const amg_system *system, const amg_options *chosen,
                            amg_peer_findings *found);

#endif
