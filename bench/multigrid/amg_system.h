/* What amg_bench solves: a matrix and its candidates on the host and at the place, and vectors there. */
#ifndef SPG_BENCH_AMG_SYSTEM_H
#define SPG_BENCH_AMG_SYSTEM_H

#include "amg_options.h"

/* A vector at the context's place: the values of a matrix of one column, which spg can copy from place to place. */
typedef struct place_vector {
    spg_csr column;
} place_vector;

typedef struct amg_system {
    spg_context *host, *context; /* of the inputs; of the hierarchy, maybe on a device. Not owned */
    char name[64];
    spg_csr A;      /* on the host */
    spg_csr A_here; /* at the place: a view of A, or a copy */
    bool owns_A_here;
    int block_size, candidates; /* candidates 0: none given */
    place_vector candidate_values;
    place_vector b; /* ones; where a null space is projected, A times random numbers */
} amg_system;

/* Fails with a message in `host`. */
spg_status system_load(spg_context *host, spg_context *context, const amg_options *chosen, const char *argument,
                       amg_system *system);
void system_free(amg_system *system);

/* *vector = n values of the host; values NULL: zeros. */
spg_status vector_create(spg_context *host, spg_context *context, spg_type type, int64_t n, const void *values,
                         place_vector *vector);
/* *vectors = `count` right-hand sides of random numbers, one after the other; is_image: A times them. */
spg_status make_right_hand_sides(amg_system *system, int count, bool is_image, place_vector *vectors);
void vector_free(spg_context *context, place_vector *vector);

/* The values on the host, malloc'ed, in double; of complex ones both parts in turn. */
spg_status vector_fetch(spg_context *host, const place_vector *vector, double **values);

/* A matrix of the same pattern whose values are 3/2 of A's, at the place; freed by spg_csr_free there. Those off the
 * diagonal are smaller by up to the share `vary`, at random, a_ij as much as a_ji. */
spg_status scale_values(amg_system *system, double vary, spg_csr *scaled);

/* Passes a status of one context on, with its message, to another. */
spg_status forward_status(spg_context *to, spg_context *from, spg_status status);

#endif
