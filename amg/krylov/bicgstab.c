/* BiCGStab (van der Vorst, SIAM J. Sci. Stat. Comput. 13, 1992), preconditioned from the right. Scalars stay at the
 * place. */
#include "krylov.h"

enum { R, V, SHADOW, T, MP, MS, P };

/* A step of BiCG along M p: r becomes s. */
static spg_status step_along_p(spg_krylov *run)
{
    spg_amg_krylov_scalars *const s = run->scalars;
    void *const v = spg_krylov_vector(run, V), *const mp = spg_krylov_vector(run, MP);
    spg_status status = spg_krylov_precondition(run, spg_krylov_vector(run, P), mp);
    if (status == SPG_OK) status = spg_krylov_multiply(run, mp, v);
    if (status == SPG_OK) status = spg_krylov_dot(run, spg_krylov_vector(run, SHADOW), v, &s->shadow_v);
    if (status == SPG_OK) status = spg_krylov_advance(run, SPG_AMG_BICGSTAB_ALPHA, 0);
    if (status != SPG_OK) return status;
    const spg_amg_combination less = {spg_krylov_vectors(run, V, 0, 1), &s->steps[0], -1, NULL};
    return spg_krylov_combine(run, less, spg_krylov_vector(run, R));
}

/* The step that makes the residual least along M s, and what the next iteration needs: r . r and shadow . r. */
static spg_status step_along_s(spg_krylov *run)
{
    spg_amg_krylov_scalars *const s = run->scalars;
    void *const r = spg_krylov_vector(run, R), *const t = spg_krylov_vector(run, T);
    void *const ms = spg_krylov_vector(run, MS);
    spg_status status = spg_krylov_precondition(run, r, ms);
    if (status == SPG_OK) status = spg_krylov_multiply(run, ms, t);
    if (status == SPG_OK) status = spg_krylov_dots(run, spg_krylov_vectors(run, R, T - R, 2), t, s->least);
    if (status == SPG_OK) status = spg_krylov_advance(run, SPG_AMG_BICGSTAB_OMEGA, 0);
    const spg_amg_combination more = {spg_krylov_vectors(run, MP, MS - MP, 2), s->steps, 1, NULL};
    const spg_amg_combination less = {spg_krylov_vectors(run, T, 0, 1), &s->steps[1], -1, NULL};
    if (status == SPG_OK) status = spg_krylov_combine(run, more, run->x);
    if (status == SPG_OK) status = spg_krylov_combine(run, less, r);
    return status == SPG_OK ? spg_krylov_dots(run, spg_krylov_vectors(run, R, SHADOW - R, 2), r, s->after) : status;
}

static spg_status queue(spg_krylov *run, int number)
{
    spg_amg_krylov_scalars *const s = run->scalars;
    (void)number;
    spg_status status = step_along_p(run);
    if (status == SPG_OK) status = step_along_s(run);
    if (status == SPG_OK) status = spg_krylov_advance(run, SPG_AMG_BICGSTAB_TURN, 0);
    const spg_amg_combination less = {spg_krylov_vectors(run, V, 0, 1), &s->steps[1], -1, NULL};
    const spg_amg_combination direction = {spg_krylov_vectors(run, R, 0, 1), &s->one, 1, &s->keep};
    if (status == SPG_OK) status = spg_krylov_combine(run, less, spg_krylov_vector(run, P));
    return status == SPG_OK ? spg_krylov_combine(run, direction, spg_krylov_vector(run, P)) : status;
}

/* Ends where shadow . r or omega vanish: then a restart takes another shadow. */
spg_status spg_krylov_bicgstab(spg_krylov *run)
{
    void *const r = spg_krylov_vector(run, R);
    spg_amg_krylov_scalars told;
    spg_status status = spg_krylov_advance(run, SPG_AMG_KRYLOV_BEGIN, 0);
    if (status == SPG_OK) status = spg_krylov_axpby(run, 1, r, 0, spg_krylov_vector(run, SHADOW));
    if (status == SPG_OK) status = spg_krylov_axpby(run, 1, r, 0, spg_krylov_vector(run, P));
    if (status == SPG_OK) status = spg_krylov_dot(run, r, r, &run->scalars->rho);
    return status == SPG_OK ? spg_krylov_iterate(run, run->options.max_iterations, queue, &told) : status;
}
