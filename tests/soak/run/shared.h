/* What the process that runs cases and the one that watches it share. */
#ifndef SPG_SOAK_SHARED_H
#define SPG_SOAK_SHARED_H

#include "soak.h"
#include "traits.h"

#include <stdatomic.h>

enum { SOAK_MOST_FAMILIES = 8, SOAK_FAULT_LENGTH = 2000 };

typedef struct soak_shared {
    _Atomic int64_t next[SOAK_MOST_FAMILIES];     /* the number of the family's next case */
    _Atomic int64_t cases[SOAK_MOST_FAMILIES];    /* ended without a fault */
    _Atomic int64_t spent_us[SOAK_MOST_FAMILIES]; /* in them */
    _Atomic int64_t longest_us[SOAK_MOST_FAMILIES], longest[SOAK_MOST_FAMILIES]; /* the case that took longest */
    _Atomic int64_t traits[SOAK_TRAIT_COUNT];
    _Atomic int family;            /* of the case that runs */
    _Atomic int64_t number;        /* its number */
    _Atomic int64_t begun_us;      /* when it began */
    _Atomic int64_t candidate;     /* while a case is shrunk: which candidate runs (shrink.h) */
    atomic_bool counts;            /* whether traits are counted */
    char fault[SOAK_FAULT_LENGTH]; /* "": none */
} soak_shared;

extern soak_shared *soak_common;

/* False if there is no memory. */
bool soak_share(void);

/* A clock that only goes on. */
int64_t soak_now_us(void);

#endif
