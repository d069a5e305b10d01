/* Operands of Galerkin products, for their tests. */
#ifndef SPG_TESTS_AMG_GALERKIN_H
#define SPG_TESTS_AMG_GALERKIN_H

#include "amg_reference.h"

static inline spg_csr random_matrix(int64_t rows, int64_t cols, double mean, spg_type offset_type, spg_type type,
                                    uint64_t seed, unsigned flags)
{
    spg_csr matrix;
    test_random_csr(test_host(), rows, cols, mean, offset_type, type, seed, flags, &matrix);
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

#endif
