/* What sampling_bench measures: a way to draw from one distribution, or once from each of many. */
#ifndef SPG_BENCH_SAMPLER_H
#define SPG_BENCH_SAMPLER_H

#include "sampling_options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Distributions and what is to be drawn from them. */
typedef struct sampling_problem {
    const sampling_options *chosen;
    spg_context *context; /* at the place of measuring */
    char name[64];        /* of the weights */
    bool many;            /* one draw from each row; otherwise all draws from row 0 */
    bool stratified;      /* the numbers drawn by ascend, one in each of `count` equal parts of [0, 1) */
    spg_csr host, here;   /* the weights; columns are NULL where items are named by their places */
    spg_csr *file;        /* what owns `host`, if it was read */
    int64_t count;        /* draws */
    spg_random random;
    int32_t *draws, *rows; /* at the place: results; 0, 1, 2, ... or NULL */
    double *uniforms;      /* at the place, or NULL: those of random */
} sampling_problem;

/* Timed are build (memory for the table included) and draw; on a device they need only queue their work. Functions that
 * fail leave a message in the problem's context. */
typedef struct sampler {
    const char *name;
    bool is_spg, threaded;
    spg_place works_at;                                              /* HOST, DEVICE, or AUTO for both */
    int method;                                                      /* a METHOD_ bit; 0: a peer */
    spg_status (*build)(const sampling_problem *task, void **state); /* NULL: draws come straight from the weights */
    spg_status (*draw)(const sampling_problem *task, void *state);
    void (*destroy)(const sampling_problem *task, void *state);
    int64_t (*table_bytes)(const sampling_problem *task); /* the least that a table of this kind holds; NULL: none */
} sampler;

/* Every sampler of this build: entry k, or NULL past the end. */
const sampler *sampler_at(int k);

/* Whether the options and the problem ask for it. */
bool sampler_wanted(const sampler *candidate, const sampling_problem *task);

extern const sampler sampler_std, sampler_gsl, sampler_search;

#ifdef __cplusplus
}
#endif

#endif
