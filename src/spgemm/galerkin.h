/* The members of the Galerkin product, shared with the hierarchy. Private to amg/. */
#ifndef SPG_SRC_SPGEMM_GALERKIN_H
#define SPG_SRC_SPGEMM_GALERKIN_H

#include "amg/amg_backend.h"
#include "plan.h"

struct spg_galerkin_plan {
    spg_context *context;
    bool transposes; /* R is P^T, made here */
    spg_plan_operands operands;
    spg_csr R;    /* P^T if `transposes`, else zeroed */
    int64_t *map; /* if `transposes`: the source of each of R's values */
    spg_csr AP;   /* its values; the other arrays are its plan's */
    spgemm_plan *AP_plan, *RAP_plan;
    int32_t *symmetric; /* if `transposes`, at the place: whether A is symmetric */
    spg_galerkin_stats stats;
};

/* The input of C = R*A*P, R = Q^T. */
typedef struct spg_galerkin_operands {
    const spg_csr *A, *P;
    const spg_csr *Q; /* NULL: P */
    bool checks;      /* check P; A*P checks A */
    int64_t *map;     /* NULL, or receives for each entry of R its entry of Q */
    /* A flag at the place: if it is 1, the entries of C below the diagonal are copied from those above it. */
    int32_t *symmetric;
    bool finds; /* the flag is set here, and R is workspace; else the host already knows it */
    /* 0, or the most entries that C may have: if it would have more, C is left zeroed and *gives_up, initially false,
     * is set. */
    int64_t most;
    bool *gives_up;
    spg_csr *AP; /* NULL, or receives A*P, zeroed if C is not made */
    /* NULL, or P itself, if its rows are sorted and Q is P: freed while R is multiplied by A*P, then made of R again,
     * with the same bits. It may be zeroed if C is not made. */
    spg_csr *lent;
} spg_galerkin_operands;

/* R, unless it exists, and C = R*A*P. After a failure R may exist. stats: must be zeroed. */
spg_status spg_galerkin_multiply(spg_context *context, const spg_galerkin_operands *of, spg_csr *R, spg_csr *C,
                                 spg_galerkin_stats *stats);

/* The matrix whose transpose is R. */
static inline const spg_csr *spg_galerkin_restricts(const spg_galerkin_operands *of)
{
    return of->Q != NULL ? of->Q : of->P;
}

/* Only R. */
spg_status spg_galerkin_transpose(spg_context *context, const spg_galerkin_operands *of, spg_csr *R,
                                  spg_galerkin_stats *stats);

/* SHAPE, ARGUMENT or PLACE if these are not operands of R*A*P in this context; R may be NULL. */
spg_status spg_galerkin_check(spg_context *context, const spg_csr *R, const spg_csr *A, const spg_csr *P);

/* Restates the failure of a product in the caller's terms: the product calls its operands A and B. */
spg_status spg_galerkin_explain_AP(spg_context *context, spg_status status);
spg_status spg_galerkin_explain_RAP(spg_context *context, spg_status status);

/* Products that are already computed, which makes a plan cheaper. Zeroed: not computed. */
typedef struct spg_galerkin_products {
    spg_known_product AP; /* taken over, also after a failure */
    const spg_csr *C;     /* its arrays stay until the plan is destroyed */
    spgemm_stats RAP;
} spg_galerkin_products;

/* As spg_galerkin_plan_create, with R given. Runs make the product symmetric if the flag is 1; NULL: never. known:
 * NULL, or for a hierarchy, whose plans are never checked, products already computed. A device may still read the
 * operands' patterns; see spg_galerkin_plan_wait. */
spg_status spg_galerkin_plan_make(spg_context *context, const spg_csr *R, const spg_csr *A, const spg_csr *P,
                                  const int32_t *symmetric, spg_galerkin_products *known, spg_galerkin_plan **plan);

/* Waits until the plan is made. */
spg_status spg_galerkin_plan_wait(const spg_galerkin_plan *plan);

/* New values in R, from those of Q, and in C, which has the plan's pattern. Checks only what the backend checks as it
 * reads. Uses the operands A, P, Q, map and symmetric. inverse: NULL or, for real types, receives the inverse of C's
 * diagonal. */
spg_status spg_galerkin_plan_compute(spg_galerkin_plan *plan, const spg_galerkin_operands *of, spg_csr *R, spg_csr *C,
                                     void *inverse);

#endif
