/* Solves of several right-hand sides at once, beside those of one. */
#ifndef SPG_SOAK_MANY_CHECKS_H
#define SPG_SOAK_MANY_CHECKS_H

#include "place_under_soak.h"
#include "transcript.h"

typedef struct soak_many {
    soak_place *p;
    const spg_csr *host; /* A */
    spg_amg *amg;
    uint64_t seed;
    double tolerance;
    bool told_bits; /* the solutions are told, to be the same bit for bit */
    soak_transcript *told;
} soak_many;

/* Solves a drawn number of right-hand sides in a drawn layout. Residuals are those of the solutions, nothing between
 * the vectors is touched, and one of them gets the same bits alone. *status: how the call ended. False after
 * soak_fault. */
bool soak_solves_many(const soak_many *of, spg_status *status);

/* With K-cycles, which take one right-hand side. */
bool soak_refuses_many(const soak_many *of);

#endif
