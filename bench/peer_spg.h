/* spg's own forms: the one-shot product, the plan, and each row class forced. */
#ifndef SPG_BENCH_PEER_SPG_H
#define SPG_BENCH_PEER_SPG_H

#include "peer.h"

extern const peer peer_spg, peer_spg_plan, peer_spg_thread, peer_spg_warp, peer_spg_cta, peer_spg_global,
    peer_spg_reference;

#endif
