/* The paper's Tables 10, 11, 13 and 14 on the matrices at hand: the optimised and the reference method and a peer, and
 * what spg chooses by itself. */
#ifndef SPG_BENCH_PAPER_H
#define SPG_BENCH_PAPER_H

#include "measure.h"

#include <stdio.h>

enum { PAPER_PHASES = 4 };

typedef struct paper_row {
    char matrix[64];
    product_kind product;
    double reference_ms, optimised_ms, automatic_ms, peer_ms; /* 0: not measured */
    const char *peer;                                         /* the fastest */
    bool has_phases[2];                                       /* of the optimised and the automatic method */
    double phases_ms[2][PAPER_PHASES];
} paper_row;

typedef struct paper_tables {
    paper_row *rows;
    int count, room;
} paper_tables;

/* A row for which there is no memory is left out. */
void paper_add(paper_tables *tables, const problem *task, const findings *found);
void paper_print(FILE *stream, const paper_tables *tables);
void paper_free(paper_tables *tables);

#endif
