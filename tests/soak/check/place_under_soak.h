/* A context under test at a place, by a case's settings, and what a call on it must leave behind. */
#ifndef SPG_SOAK_PLACE_UNDER_SOAK_H
#define SPG_SOAK_PLACE_UNDER_SOAK_H

#include "soak.h"

#include "fault.h"
#include "place.h"

typedef struct soak_place {
    const soak_case *of;
    spg_place place;
    const char *name; /* of where */
    spg_context *context;
    test_allocator memory;      /* the caller's allocator, where the settings ask for one */
    int64_t held_bytes, blocks; /* before the last call */
} soak_place;

typedef enum soak_outcome {
    SOAK_DONE,
    SOAK_REFUSED, /* rightly, for want of memory; nothing is left */
    SOAK_WRONG    /* a fault is recorded */
} soak_outcome;

bool soak_open(const soak_case *c, const soak_where *where, soak_place *p);

/* False after soak_fault: the context holds memory, or the allocator was not given all back. */
bool soak_close(soak_place *p);

/* A matrix of the case at the place (freed by soak_give_back), and one that the context made, in test_host(). False
 * after soak_fault. Operands on the host are the case's own arrays. */
bool soak_lend(soak_place *p, const spg_csr *host, spg_csr *here);
void soak_give_back(soak_place *p, spg_csr *here);
bool soak_fetch(soak_place *p, const spg_csr *here, spg_csr *host);

/* Likewise bytes; never NULL. */
void *soak_lend_bytes(soak_place *p, const void *host, size_t bytes);
void soak_fetch_bytes(soak_place *p, const void *here, size_t bytes, void *host);
void soak_give_back_bytes(soak_place *p, void *here, size_t bytes);

/* Before a call: what is held. */
void soak_before(soak_place *p);

/* After it: whether its status is right. One that is not OK must have left nothing: no memory, an output of zeros (of
 * `bytes`; may be NULL), a message. */
soak_outcome soak_after(soak_place *p, const char *call, spg_status status, const void *output, size_t bytes);

/* After a call on a malformed operand, which must be refused, or may be where it is no danger. SOAK_DONE: it was not.
 */
soak_outcome soak_after_damage(soak_place *p, const char *call, spg_status status, bool must, const void *output,
                               size_t bytes);

/* The next call's allocation number settings.fail_at is refused, until soak_disarm. */
void soak_arm(soak_place *p);
void soak_disarm(soak_place *p);

#endif
