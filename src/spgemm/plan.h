/* A plan's inside. Private. */
#ifndef SPG_SRC_SPGEMM_PLAN_H
#define SPG_SRC_SPGEMM_PLAN_H

#include "backend.h"

struct spgemm_plan {
    spg_context *context;
    spg_csr A, B; /* what they must look like: sizes and types, no arrays */
    spg_csr C;    /* the pattern: offsets and columns, no values */
    spgemm_stats stats;
    /* Of a product that is to be made symmetric where this flag at the place is 1; NULL: of none. Where images are
     * noted, a run may then leave entries of C below the diagonal, which are copied from above it. */
    const int32_t *symmetric;
    spg_images images; /* of C */
    void *state;       /* the backend's own */
    /* The result that holds C's pattern, written or compared by the last run: its offsets and columns. Its values alone
     * are renewed. */
    spg_watch last_result;
    /* Set where a run may go on beside the call before, which leaves alone what the run reads and writes, and writes
     * nothing else than what calls before it are done with. */
    bool is_beside;
};

/* A product that has been computed already, of which a plan may be made without another. */
typedef struct spg_known_product {
    spg_csr C;
    spgemm_stats stats;
} spg_known_product;

/* As spgemm_plan_create; symmetric: as above, and noted where it is 1 now. known: NULL, or A*B, whose C the plan takes
 * over; zeroed then, also after a failure. */
spg_status spg_plan_create(spg_context *context, const spg_csr *A, const spg_csr *B, const int32_t *symmetric,
                           spg_known_product *known, spgemm_plan **plan);

int64_t spg_images_bytes(const spg_images *images);
void spg_images_free(spg_context *context, spg_images *images);

/* All that can be told of operands without their arrays; the names are for messages. */
spg_status spg_plan_check_operands(const spgemm_plan *plan, const spg_csr *A, const char *A_name, const spg_csr *B,
                                   const char *B_name);

/* ARGUMENT if the values of C, which is of the plan's shape, lie where an array of this operand does. */
spg_status spg_plan_check_result(const spgemm_plan *plan, const spg_csr *C, const spg_csr *operand, const char *name);

#endif
