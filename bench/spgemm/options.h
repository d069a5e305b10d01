/* The command line of spgemm_bench. */
#ifndef SPG_BENCH_OPTIONS_H
#define SPG_BENCH_OPTIONS_H

#include "spg/spg.h"

#include <stdbool.h>

typedef enum product_kind { PRODUCT_AP, PRODUCT_AA, PRODUCT_RAP, PRODUCT_KINDS } product_kind;

enum { MAX_IMPLEMENTATIONS = 24 };

struct peer;

typedef struct options {
    bool products[PRODUCT_KINDS];
    spg_place place;
    int threads; /* 0: as many as the context takes, which stands here once there is one */
    spg_type type;
    bool type_given;
    const struct peer *implementations[MAX_IMPLEMENTATIONS]; /* spg's first */
    int implementation_count;
    bool paper;              /* the paper's tables */
    bool all_peers;          /* peers were not named: those of another place are left out */
    int reps, warmup;        /* -1: the place's default */
    int64_t workspace_limit; /* 0: none */
    int64_t keep_bytes;      /* -1: the place's default */
    uint64_t seed;
    bool lenient;          /* with files */
    const char *json_path; /* NULL: none */
    const char *const *matrices;
    int matrix_count;
} options;

typedef enum options_result { OPTIONS_RUN, OPTIONS_HELP, OPTIONS_ERROR } options_result;

/* Once it is known where to measure: the place, and what was left to it. */
void options_settle(options *chosen, spg_place place);

/* Parses argv. HELP: the help has been printed to stdout. ERROR: a message has been printed to stderr. */
options_result options_parse(int argc, char **argv, options *chosen);

#endif
