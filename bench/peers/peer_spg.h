/* spg's own forms: the one-shot product, the plan, the paper's classes with the paper's limits, and each class forced.
 */
#ifndef SPG_BENCH_PEER_SPG_H
#define SPG_BENCH_PEER_SPG_H

#include "peer.h"

extern const peer peer_spg, peer_spg_plan, peer_spg_paper, peer_spg_thread, peer_spg_warp, peer_spg_cta,
    peer_spg_global, peer_spg_reference;

/* The limits of section 3.1. */
extern const spg_row_limits paper_limits;

#endif
