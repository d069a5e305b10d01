/* The table over all matrices and products, with geometric means. */
#ifndef SPG_BENCH_SUMMARY_H
#define SPG_BENCH_SUMMARY_H

#include "measure.h"

#include <stdio.h>

typedef struct summary_row {
    char matrix[64];
    product_kind product;
    double spg_ms, plan_ms, peer_ms, plan_peer_ms, limit_ms; /* 0: not measured */
    const char *peer;                                        /* the fastest */
    double work_share;                                       /* spg's workspace / bytes of C */
    bool verified;
} summary_row;

typedef struct summary {
    summary_row *rows;
    int count, room;
} summary;

/* A row for which there is no memory is left out. */
void summary_add(summary *all, const problem *task, const findings *found, double limit_ms);

/* Nothing for a single row. */
void summary_print(FILE *stream, const summary *all);
void summary_free(summary *all);

#endif
