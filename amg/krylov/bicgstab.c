/* BiCGStab (van der Vorst, SIAM J. Sci. Stat. Comput. 13, 1992), preconditioned from the right. */
#include "krylov.h"

#include <math.h>

enum { R, SHADOW, P, V, T, MP, MS };

/* A step of BiCG along M p: r becomes s. *rho: shadow . r, 0 if the step cannot be done. */
static spg_status step_along_p(spg_krylov *run, double *rho, double *alpha)
{
    const void *const shadow = spg_krylov_vector(run, SHADOW);
    const void *const v = spg_krylov_vector(run, V);
    void *const p = spg_krylov_vector(run, P), *const mp = spg_krylov_vector(run, MP);
    double product = 0;
    spg_status status = spg_krylov_precondition(run, p, mp);
    if (status == SPG_OK) status = spg_krylov_multiply(run, mp, spg_krylov_vector(run, V));
    if (status == SPG_OK) status = spg_krylov_dots(run, 1, &shadow, &v, &product);
    if (status != SPG_OK) return status;
    *alpha = *rho / product;
    if (!isfinite(*alpha)) {
        *rho = 0;
        return SPG_OK;
    }
    status = spg_krylov_axpby(run, *alpha, mp, 1, run->x);
    return status == SPG_OK ? spg_krylov_axpby(run, -*alpha, v, 1, spg_krylov_vector(run, R)) : status;
}

/* The step that makes the residual least along M s, and what the next iteration needs: r . r and shadow . r. */
static spg_status step_along_s(spg_krylov *run, double *omega, double found[2])
{
    void *const r = spg_krylov_vector(run, R), *const t = spg_krylov_vector(run, T);
    void *const ms = spg_krylov_vector(run, MS);
    const void *const left[] = {t, t}, *const right[] = {r, t};
    const void *const norms[] = {r, spg_krylov_vector(run, SHADOW)}, *const of[] = {r, r};
    double products[2] = {0, 0};
    spg_status status = spg_krylov_precondition(run, r, ms);
    if (status == SPG_OK) status = spg_krylov_multiply(run, ms, t);
    if (status == SPG_OK) status = spg_krylov_dots(run, 2, left, right, products);
    if (status != SPG_OK) return status;
    *omega = products[1] > 0 ? products[0] / products[1] : 0;
    status = spg_krylov_axpby(run, *omega, ms, 1, run->x);
    if (status == SPG_OK) status = spg_krylov_axpby(run, -*omega, t, 1, r);
    return status == SPG_OK ? spg_krylov_dots(run, 2, norms, of, found) : status;
}

/* Ends where shadow . r or omega vanish: then a restart takes another shadow. */
spg_status spg_krylov_bicgstab(spg_krylov *run)
{
    void *const r = spg_krylov_vector(run, R), *const p = spg_krylov_vector(run, P);
    void *const v = spg_krylov_vector(run, V);
    const void *const residual = r;
    double rho = 0, alpha = 0, omega = 0, found[2];
    spg_status status = spg_krylov_axpby(run, 1, r, 0, spg_krylov_vector(run, SHADOW));
    if (status == SPG_OK) status = spg_krylov_axpby(run, 1, r, 0, p);
    if (status == SPG_OK) status = spg_krylov_dots(run, 1, &residual, &residual, &rho);
    while (status == SPG_OK && spg_krylov_goes_on(run)) {
        status = step_along_p(run, &rho, &alpha);
        if (status != SPG_OK || rho == 0) break;
        status = step_along_s(run, &omega, found);
        if (status == SPG_OK) status = spg_krylov_note(run, sqrt(found[0]));
        const double beta = found[1] / rho * (alpha / omega);
        rho = found[1];
        if (status != SPG_OK || !isfinite(beta) || beta == 0) break;
        status = spg_krylov_axpby(run, -omega, v, 1, p);
        if (status == SPG_OK) status = spg_krylov_axpby(run, 1, r, beta, p);
    }
    return status;
}
