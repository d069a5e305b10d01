/* The command line of amg_bench. */
#ifndef SPG_BENCH_AMG_OPTIONS_H
#define SPG_BENCH_AMG_OPTIONS_H

#include "problem.h"

typedef struct amg_options {
    spg_place place;
    int threads; /* 0: as many as the context takes, which stands here once there is one */
    spg_type type;
    spg_amg_options hierarchy; /* without candidates */
    bool block_size_given;
    spg_amg_solve_options solve;
    bool by_krylov; /* solve by spg/krylov.h, with these two and the tolerance and limit of `solve` */
    spg_krylov_method krylov;
    int restart;
    int right_hand_sides;       /* also solved at once and one after the other; 0: none */
    const char *nullspace_path; /* NULL: none */
    int updates;                /* 0: update is not measured */
    double vary;                /* updates are to values that differ so much more; 0: to 3/2 of them and back */
    int reps, warmup;           /* reps -1: the place's default */
    uint64_t matrix_seed;
    bool lenient; /* with files of matrices */
    bool shows_levels, shows_history;
    const char *peers;     /* the list of --peers; NULL: none */
    const char *json_path; /* NULL: none */
    const char *const *matrices;
    int matrix_count;
} amg_options;

/* Parses argv. HELP: the help has been printed to stdout. ERROR: a message has been printed to stderr. */
options_result amg_options_parse(int argc, char **argv, amg_options *chosen);

/* Once it is known where to measure. */
void amg_options_settle(amg_options *chosen, spg_place place);

/* As on the command line. */
const char *aggregation_name(spg_aggregation aggregation);
const char *strength_name(spg_strength strength);
const char *restriction_name(spg_restriction restriction);
const char *smoother_name(spg_smoother smoother);
const char *method_name(const amg_options *chosen);

#endif
