/* Conjugate gradients, and flexible ones (Notay, Flexible Conjugate Gradients, SIAM J. Sci. Comput. 22, 2000), which
 * make each direction conjugate to the last one whatever M does. */
#include "krylov.h"

#include <math.h>

enum { R, Z, P, Q };

static spg_status check(const spg_krylov *run, double rz, double pq)
{
    const int iteration = run->result.iterations + 1;
    if (!isfinite(rz) || !isfinite(pq))
        return spg_context_fail(run->context, SPG_ERROR_BREAKDOWN, "iteration %d: r.Mr is %.3g and p.Ap is %.3g",
                                iteration, rz, pq);
    if (rz < 0)
        return spg_context_fail(run->context, SPG_ERROR_INDEFINITE,
                                "iteration %d: r.Mr is %.3g; the preconditioner M is not positive definite", iteration,
                                rz);
    if (rz == 0) return spg_context_fail(run->context, SPG_ERROR_BREAKDOWN, "iteration %d: r.Mr is 0", iteration);
    if (pq <= 0)
        return spg_context_fail(run->context, SPG_ERROR_INDEFINITE,
                                "iteration %d: p.Ap is %.3g; A is not positive definite, or not symmetric: FGMRES and "
                                "BiCGStab take any A",
                                iteration, pq);
    return SPG_OK;
}

spg_status spg_krylov_cg(spg_krylov *run)
{
    void *const r = spg_krylov_vector(run, R), *const z = spg_krylov_vector(run, Z);
    void *const p = spg_krylov_vector(run, P), *const q = spg_krylov_vector(run, Q);
    const void *const left[] = {r, r, z}, *const right[] = {r, z, q};
    const bool flexible = run->options.method == SPG_KRYLOV_FCG;
    double rz = 0, beta = 0, found[3];
    spg_status status = spg_krylov_precondition(run, r, z);
    if (status == SPG_OK) status = spg_krylov_dots(run, 1, left + 1, right + 1, &rz);
    while (status == SPG_OK && spg_krylov_goes_on(run)) {
        double pq = 0;
        status = spg_krylov_axpby(run, 1, z, beta, p);
        if (status == SPG_OK) status = spg_krylov_multiply(run, p, q);
        const void *const direction = p, *const product = q;
        if (status == SPG_OK) status = spg_krylov_dots(run, 1, &direction, &product, &pq);
        if (status == SPG_OK) status = check(run, rz, pq);
        if (status != SPG_OK) break;
        const double alpha = rz / pq;
        status = spg_krylov_axpby(run, alpha, p, 1, run->x);
        if (status == SPG_OK) status = spg_krylov_axpby(run, -alpha, q, 1, r);
        if (status == SPG_OK) status = spg_krylov_precondition(run, r, z);
        if (status == SPG_OK) status = spg_krylov_dots(run, flexible ? 3 : 2, left, right, found);
        if (status != SPG_OK) break;
        /* The last residual is r + alpha q, so that z . (r - last) = -alpha z . q. */
        beta = flexible ? -alpha * found[2] / rz : found[1] / rz;
        rz = found[1];
        status = spg_krylov_note(run, sqrt(found[0]));
    }
    return status;
}
