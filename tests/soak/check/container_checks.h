/* The calls on CSR and COO matrices, and what each must give. */
#ifndef SPG_SOAK_CONTAINER_CHECKS_H
#define SPG_SOAK_CONTAINER_CHECKS_H

#include "containers.h"
#include "place_under_soak.h"
#include "transcript.h"

/* A case at a place. */
typedef struct soak_containers {
    soak_place p;
    const spg_csr *host;
    spg_coo shuffled; /* on the host: its entries in any order */
    spg_csr csr;      /* both at the place */
    spg_coo coo;
    void *x; /* at the place */
    size_t x_bytes, y_bytes;
    const void *alpha, *beta; /* NULL, or on the host */
    soak_transcript *told;
} soak_containers;

/* What a call made, or zeroed. */
typedef struct soak_outputs {
    spg_csr csr;
    spg_coo coo;
} soak_outputs;

typedef struct soak_container_call {
    const char *name;
    spg_status (*run)(soak_containers *k, soak_outputs *o);
    test_entry *(*expected)(
        const soak_containers *k); /* the entries, in order; of spg_csr_from_coo before they add up */
    bool of_coo;                   /* entries index k->shuffled */
} soak_container_call;

enum { SOAK_CONTAINER_CALLS = 10 };
extern const soak_container_call soak_container_calls[SOAK_CONTAINER_CALLS];

/* Whether the outputs, at the place, are what the call must give, bit for bit. */
bool soak_is_right_container(soak_containers *k, const soak_container_call *of, const soak_outputs *o);

#endif
