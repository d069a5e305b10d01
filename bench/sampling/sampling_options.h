/* The command line of sampling_bench. */
#ifndef SPG_BENCH_SAMPLING_OPTIONS_H
#define SPG_BENCH_SAMPLING_OPTIONS_H

#include "options.h"
#include "spg/sampling.h"

/* Bits of sampling_options.parts, of --paper alias. */
enum { PART_BUILD = 1, PART_SPLIT = 2, PART_TRANSFER = 4, PART_DRAW = 8 };

typedef enum sampling_paper { PAPER_NONE, PAPER_BUTTERFLY, PAPER_FOREST, PAPER_ALIAS } sampling_paper;

/* Bits of sampling_options.methods. */
enum { METHOD_BUTTERFLY = 1, METHOD_ALIAS = 2, METHOD_FOREST = 4, METHOD_CUTPOINT = 8 };

/* What is measured in place of draws. */
typedef enum sampling_task { TASK_NONE, TASK_COUNTS, TASK_SUBSET, TASK_WALK, TASK_REBUILD } sampling_task;

typedef struct sampling_options {
    int methods;
    const char *weights;        /* a family's name or a file's */
    int64_t items, rows, draws; /* 0: what fits the rest */
    bool ragged;                /* rows of 1 to `items` items */
    spg_place place;
    int threads; /* 0: as many as the context takes, which stands here once there is one */
    spg_type type;
    bool grouped;
    bool stratified, given; /* uniforms: stratified, made as they are used or in an array before */
    spg_alias_options alias;
    spg_alias_sampler sampler;
    double cells;
    sampling_task task;
    int task_size;    /* of TASK_SUBSET: k; of TASK_WALK: steps */
    double p, q;      /* of TASK_WALK; 1: no bias */
    int topics, step; /* of latent Dirichlet allocation, 0: none; of --paper butterfly */
    sampling_paper paper;
    int parts;         /* of it, 0: all */
    const char *peers; /* none, all or a list */
    int reps, warmup;  /* -1: the place's default */
    uint64_t seed;
    const char *json_path; /* NULL: none */
} sampling_options;

options_result sampling_options_parse(int argc, char **argv, sampling_options *chosen);

/* Once it is known where to measure. */
void sampling_options_settle(sampling_options *chosen, spg_place place);

/* Whether --peers asks for the peer of this name. */
bool wants_peer(const sampling_options *chosen, const char *name);

const char *alias_builder_name(spg_alias_builder builder);
const char *alias_split_name(spg_alias_split split);
const char *alias_sampler_name(spg_alias_sampler sampler);
const char *butterfly_method_name(spg_butterfly_method method);

#endif
