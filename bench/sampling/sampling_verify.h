/* Whether draws follow their weights, by chi-square tests of all of them. */
#ifndef SPG_BENCH_SAMPLING_VERIFY_H
#define SPG_BENCH_SAMPLING_VERIFY_H

#include "chi_square.h"
#include "sampler.h"

typedef struct sampling_verdict {
    bool right;
    bool tested; /* test holds a chi-square test, which may have no degree of freedom; stratified draws are held to
                    their bounds instead */
    chi_square test;
    double max_error; /* stratified: how far a count is from its share, over the most that it may be */
    char fault[160];  /* unless right */
} sampling_verdict;

/* The task's draws, just made. Fails only for want of memory or of the device. */
spg_status verify_draws(const sampling_problem *task, sampling_verdict *verdict);

/* topics[w] for every `stride`-th word; arrays of lda and topics on the host. */
spg_status verify_topics(spg_context *errors, const spg_lda *lda, const int32_t *topics, int64_t stride, uint64_t seed,
                         sampling_verdict *verdict);

#endif
