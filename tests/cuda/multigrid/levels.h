/* A level of multigrid on both sides (sides.h), of many matrices, and what its stages are given by those before. */
#ifndef SPG_TESTS_CUDA_LEVELS_H
#define SPG_TESTS_CUDA_LEVELS_H

#include "sides.h"

extern const spg_type real_types[2];

typedef struct sample {
    const char *name;
    int block_size;
    int unknowns; /* that each row of the named matrix becomes; 0: as it is */
} sample;
enum { SAMPLES = 26 };
extern const sample samples[SAMPLES];

typedef struct level {
    side sides[SIDES];
    char where[128];
    spg_type type;
    spg_csr A, here[SIDES];
    spg_amg_graph graph[SIDES];
    spg_amg_aggregates aggregates[SIDES];
} level;

void open_level(level *l, const sample *of, spg_type type);
void close_level(level *l);

/* Bytes of n values of the level's type. */
int64_t real_bytes(const level *l, int64_t n);

/* Fail the test unless `count` bytes are the same, or n values agree to `tolerance`. */
void assert_same_bytes(const level *l, void *const there[SIDES], int64_t count, const char *what);
void assert_near(const level *l, void *const there[SIDES], int64_t n, double tolerance, const char *what);

void drop_both(const level *l, void *const there[SIDES], int64_t count);

void find_graphs(level *l, int block_size, spg_strength measure, double theta);
void free_graphs(level *l);

/* With `asks` the device is told whether the graph is symmetric. */
void find_aggregates(level *l, int block_size, uint64_t seed, bool join_leftovers, bool asks);
void free_aggregates(level *l);

#endif
