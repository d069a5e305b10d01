/* What a smoothed prolongator must be. */
#ifndef SPG_SOAK_PROLONGATORS_H
#define SPG_SOAK_PROLONGATORS_H

#include "soak.h"

/* One unknown a node, one candidate; all on the host. */
typedef struct soak_smoothing {
    const spg_csr *A, *P;
    const int32_t *aggregate_of;
    const void *candidate;        /* of this level; NULL for ones */
    const void *coarse_candidate; /* of the next */
    double omega;                 /* relaxation / rho */
} soak_smoothing;

/* Whether P = (I - omega D^-1 A) T carries the coarse candidate to what it must: T times it is this level's candidate
 * on nodes in aggregates, and zero on others. To rounding. */
bool soak_is_smoothed(const soak_smoothing *s, const char *what);

#endif
