/* The Galerkin product's inside, which the hierarchy shares. Private to amg/. */
#ifndef SPG_SRC_SPGEMM_GALERKIN_H
#define SPG_SRC_SPGEMM_GALERKIN_H

#include "amg/amg_backend.h"
#include "plan.h"

struct spg_galerkin_plan {
    spg_context *context;
    bool transposes; /* R is made here, P^T */
    spg_csr R;       /* P^T if `transposes`, else zeroed */
    int64_t *map;    /* likewise: where R's values come from */
    spg_csr AP;
    spgemm_plan *AP_plan, *RAP_plan;
    int32_t *symmetric; /* likewise, at the place: whether A is */
    spg_galerkin_stats stats;
};

/* What C = P^T*A*P is made of. */
typedef struct spg_galerkin_operands {
    const spg_csr *A, *P;
    bool checks;  /* P is checked; A is by A*P */
    int64_t *map; /* NULL, or where to note what entry of P each of R is */
    /* A flag at the place; where it is 1, the entries of C below the diagonal are made those above it. */
    int32_t *symmetric;
    bool finds; /* it is set here, and R is workspace; else the host has been told it */
    /* 0, or the most entries that C may have: past them C is left zeroed and *gives_up set, which was false. */
    int64_t most;
    bool *gives_up;
    spg_csr *AP; /* NULL, or takes A*P, zeroed where C is not made */
} spg_galerkin_operands;

/* R = P^T, where that is not there yet, and C = R*A*P. After a failure R may be there. stats: zeroed. */
spg_status spg_galerkin_multiply(spg_context *context, const spg_galerkin_operands *of, spg_csr *R, spg_csr *C,
                                 spg_galerkin_stats *stats);

/* R alone. */
spg_status spg_galerkin_transpose(spg_context *context, const spg_galerkin_operands *of, spg_csr *R,
                                  spg_galerkin_stats *stats);

/* SHAPE, ARGUMENT or PLACE if these are no operands of R*A*P here; R may be NULL. */
spg_status spg_galerkin_check(spg_context *context, const spg_csr *R, const spg_csr *A, const spg_csr *P);

/* A product's failure, in the caller's terms: it calls its operands A and B. */
spg_status spg_galerkin_explain_AP(spg_context *context, spg_status status);
spg_status spg_galerkin_explain_RAP(spg_context *context, spg_status status);

/* Products that have been computed already, of which a plan is made sooner. Zeroed: those that have not. */
typedef struct spg_galerkin_products {
    spg_known_product AP; /* taken over, also after a failure */
    const spg_csr *C;
    spgemm_stats RAP;
} spg_galerkin_products;

/* spg_galerkin_plan_create with R given, of a product that runs make symmetric where the flag is 1, NULL: never.
 * known: NULL, or what is known. */
spg_status spg_galerkin_plan_make(spg_context *context, const spg_csr *R, const spg_csr *A, const spg_csr *P,
                                  const int32_t *symmetric, spg_galerkin_products *known, spg_galerkin_plan **plan);

/* New values in R, from those of P, and in C, which is of the plan's pattern: nothing is checked but what the backend
 * checks as it reads. Of the operands A, P, map and symmetric count. inverse: NULL, or of reals takes the inverse of
 * C's diagonal. */
spg_status spg_galerkin_plan_compute(spg_galerkin_plan *plan, const spg_galerkin_operands *of, spg_csr *R, spg_csr *C,
                                     void *inverse);

#endif
