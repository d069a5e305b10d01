/* The Galerkin product's inside, which the hierarchy shares. Private to amg/. */
#ifndef SPG_AMG_GALERKIN_H
#define SPG_AMG_GALERKIN_H

#include "amg_backend.h"

struct spg_galerkin_plan {
    spg_context *context;
    bool transposes;     /* R is made here, P^T */
    bool keeps_symmetry; /* R is P^T, made here or by the caller */
    spg_csr R;           /* P^T if `transposes`, else zeroed */
    int64_t *map;        /* likewise: where R's values come from */
    spg_csr AP;
    spgemm_plan *AP_plan, *RAP_plan;
    int32_t *symmetric; /* at the place: A is */
    spg_galerkin_stats stats;
};

/* C = R*A*P, with R given. is_transpose: R is P^T, so that C is symmetric where A is. */
spg_status spg_galerkin_multiply(spg_context *context, const spg_csr *R, bool is_transpose, const spg_csr *A,
                                 const spg_csr *P, spg_csr *C, spg_galerkin_stats *stats);

/* As spg_galerkin_plan_create; with is_transpose, R is given in each run and is P^T, renewed by the caller. */
spg_status spg_galerkin_plan_make(spg_context *context, const spg_csr *R, bool is_transpose, const spg_csr *A,
                                  const spg_csr *P, spg_galerkin_plan **plan);

#endif
