/* The list of implementations that this build can measure. */
#include "peer.h"
#include "peer_spg.h"

#include <string.h>

static const peer *const all_peers[] = {&peer_spg,
                                        &peer_spg_plan,
                                        &peer_spg_paper,
                                        &peer_spg_thread,
                                        &peer_spg_warp,
                                        &peer_spg_cta,
                                        &peer_spg_global,
                                        &peer_spg_reference,
#ifdef SPG_BENCH_CUSPARSE
                                        &peer_cusparse_default,
                                        &peer_cusparse_alg1,
                                        &peer_cusparse_alg2,
                                        &peer_cusparse_alg3,
                                        &peer_cusparse_reuse,
                                        &peer_cusparse_again,
#endif
#ifdef SPG_BENCH_GRAPHBLAS
                                        &peer_graphblas,
#endif
#ifdef SPG_BENCH_MKL
                                        &peer_mkl,
#endif
#ifdef SPG_BENCH_CXSPARSE
                                        &peer_cxsparse,
#endif
#ifdef SPG_BENCH_EIGEN
                                        &peer_eigen,
#endif
                                        NULL};

const peer *peer_at(int k) { return all_peers[k]; }

const peer *peer_by_name(const char *name)
{
    for (int k = 0; all_peers[k] != NULL; k++)
        if (strcmp(all_peers[k]->name, name) == 0) return all_peers[k];
    return NULL;
}
