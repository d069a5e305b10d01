/* The members of a plan. Private. */
#ifndef SPG_SRC_SPGEMM_PLAN_H
#define SPG_SRC_SPGEMM_PLAN_H

#include "backend.h"

/* Whose the operands of a plan are. */
typedef enum spg_plan_operands {
    SPG_OPERANDS_GIVEN,   /* the caller's: a device keeps fingerprints to check them by */
    SPG_OPERANDS_OWN,     /* the library's own */
    SPG_OPERANDS_OF_LEVEL /* those of a level, whose many plans must not take long to make */
} spg_plan_operands;

struct spgemm_plan {
    spg_context *context;
    spg_csr A, B;         /* what the operands must look like: sizes and types, no arrays */
    spg_csr C;            /* the pattern: offsets and columns, no values */
    bool borrows_pattern; /* C's arrays are another matrix's, which outlives the plan */
    spgemm_stats stats;
    /* For a product that must be symmetric if this flag at the place is 1; NULL: for others. A
     * run may leave entries of C below the diagonal uncomputed; they are then copied from above it. */
    const int32_t *symmetric;
    spg_images images; /* of C */
    void *state;       /* private to the backend */
    /* The offsets and columns of the result whose pattern the last run wrote or compared: a run into it only writes
     * values. */
    spg_watch last_result;
    /* Set if a run may overlap with the call before. That call must not touch what the run reads or writes, and the run
     * writes only data that earlier calls have finished with. */
    bool may_overlap;
    spg_plan_operands operands;
};

/* A product already computed, so that a plan can be made of it without computing it again. */
typedef struct spg_known_product {
    spg_csr C;
    bool is_borrowed; /* C's arrays stay their owner's, who keeps them until the plan is destroyed */
    spgemm_stats stats;
} spg_known_product;

/* As spgemm_plan_create, for a Galerkin plan. symmetric: as above; images are stored only if it is 1 now. known: NULL,
 * or A*B, whose C the plan takes over, or borrows; it is then zeroed, also on failure. The plan may still be in the
 * making on a device when this returns: the operands must not change on other streams before the caller has waited. */
spg_status spg_plan_create_inner(spg_context *context, const spg_csr *A, const spg_csr *B, spg_plan_operands operands,
                                 const int32_t *symmetric, spg_known_product *known, spgemm_plan **plan);

/* Bytes of C's arrays, unless they are borrowed. */
int64_t spg_plan_pattern_bytes(const spgemm_plan *plan);

int64_t spg_images_bytes(const spg_images *images);
void spg_images_free(spg_context *context, spg_images *images);

/* Checks of the operands that need no arrays; the names are for messages. */
spg_status spg_plan_check_operands(const spgemm_plan *plan, const spg_csr *A, const char *A_name, const spg_csr *B,
                                   const char *B_name);

/* ARGUMENT if the values of C, which has the plan's shape, overlap an array of this operand. */
spg_status spg_plan_check_result(const spgemm_plan *plan, const spg_csr *C, const spg_csr *operand, const char *name);

#endif
