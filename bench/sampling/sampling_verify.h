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

/* Draws from distributions of their own, each by a random place in the drawn item's interval: cells of [0, 1), or one
 * of these. Right draws fill cells evenly. */
enum { OF_NO_ITEM = -1, OF_WEIGHT_ZERO = -2 };
int64_t cells_for(int64_t count);
/* `drawn` is the item's weight, `before` that of the items before it; share: in (0, 1], random. */
int32_t cell_of(double before, double drawn, double total, double share, int64_t cells);
/* Of a draw from a row of weights on the host. */
int32_t cell_of_row(const spg_csr *weights, int64_t row, int32_t draw, double share, int64_t cells);
spg_status judge_cells(spg_context *errors, const int32_t *cell_of_draw, int64_t count, int64_t cells,
                       sampling_verdict *verdict);

#endif
