/* Operands of Galerkin products, for their tests. */
#ifndef SPG_TESTS_AMG_GALERKIN_H
#define SPG_TESTS_AMG_GALERKIN_H

#include "amg_reference.h"

static inline spg_csr random_matrix(int64_t rows, int64_t cols, double mean, spg_type offset_type, spg_type type,
                                    uint64_t seed, unsigned flags)
{
    spg_csr matrix;
    test_random_csr(test_host(), (test_matrix){rows, cols, mean, offset_type, type}, seed, flags, &matrix);
    return matrix;
}

/* The operands at the place. */
typedef struct galerkin {
    spg_context *context;
    spg_csr R, A, P;
    bool has_R;
} galerkin;

static inline void begin(spg_context *context, const spg_csr *R, const spg_csr *A, const spg_csr *P, galerkin *g)
{
    *g = (galerkin){.context = context, .has_R = R != NULL};
    if (R != NULL) test_to_place(context, R, &g->R);
    test_to_place(context, A, &g->A);
    test_to_place(context, P, &g->P);
}

static inline void end(galerkin *g)
{
    if (g->has_R) spg_csr_free(g->context, &g->R);
    spg_csr_free(g->context, &g->A);
    spg_csr_free(g->context, &g->P);
}

/* R*A*P by the call under test; R may be NULL; all on the host. */
static inline spg_csr multiply(spg_context *context, const spg_csr *R, const spg_csr *A, const spg_csr *P)
{
    galerkin g;
    spg_csr C, host;
    begin(context, R, A, P, &g);
    if (spg_galerkin(context, R != NULL ? &g.R : NULL, &g.A, &g.P, &C) != SPG_OK)
        fail_msg("%s", spg_context_message(context));
    test_to_host(context, &C, &host);
    spg_csr_free(context, &C);
    end(&g);
    return host;
}

/* Of test_host(); each may be NULL. */
static inline void free_all(spg_csr *a, spg_csr *b, spg_csr *c, spg_csr *d, spg_csr *e)
{
    spg_csr *all[] = {a, b, c, d, e};
    for (int k = 0; k < 5; k++)
        if (all[k] != NULL) spg_csr_free(test_host(), all[k]);
}

#endif
