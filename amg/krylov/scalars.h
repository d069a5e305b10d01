/* What the scalars of Krylov methods do between sums. For the host and for a kernel of one thread. Private. */
#ifndef SPG_AMG_KRYLOV_SCALARS_H
#define SPG_AMG_KRYLOV_SCALARS_H

#include "amg/krylov/krylov_backend.h"
#include "inline.h"

#include <math.h>
#include <string.h>

/* Counts an iteration. It is the last if its residual is within tolerance, or not finite. */
SPG_INLINE void spg_amg_count_iteration(spg_amg_krylov_scalars *s, double residual, double target)
{
    s->residuals[s->done % SPG_AMG_MOST_UNREAD] = residual;
    s->done++;
    if (!(residual > target) || !isfinite(residual)) s->end = SPG_AMG_ENDED;
}

/* ---- Flexible conjugate gradients ---- */

/* After a step of conjugate gradients and the next z = M r: how the next direction is made. The last residual is
 * r + alpha q, so that z . (r - last) = -alpha z . q. The next step is as long as if p . r = z . r, which holds for the
 * next p if it does for the last and nothing is left of r along that: but for rounding, which in the end is all that
 * r and p consist of. Then the method ends, since such a step may lead away. */
SPG_INLINE void spg_amg_fcg_turn(spg_amg_krylov_scalars *s, double target)
{
    const double rz = s->cg.rz_before, pq = s->cg.pq, alpha = rz / pq;
    if (!(rz > 0 && pq > 0 && isfinite(alpha))) {
        s->end = SPG_AMG_NO_STEP;
        s->failed_rz = rz;
        s->failed_pq = pq;
        return;
    }
    spg_amg_count_iteration(s, sqrt(s->cg.rr), target);
    s->beta = -alpha * s->products[1] / rz;
    s->cg.rz = s->products[0];
    if (fabs(s->beta * s->left) > 0.5 * fabs(s->cg.rz)) s->end = SPG_AMG_ENDED;
    s->cg.has_ended = s->end != SPG_AMG_GOES_ON;
}

/* ---- BiCGStab ---- */

SPG_INLINE void spg_amg_bicgstab_alpha(spg_amg_krylov_scalars *s)
{
    s->steps[0] = s->rho / s->shadow_v;
    s->steps[1] = 0;
    if (isfinite(s->steps[0])) return;
    s->steps[0] = 0;
    s->end = SPG_AMG_NO_STEP;
}

SPG_INLINE void spg_amg_bicgstab_omega(spg_amg_krylov_scalars *s)
{
    s->steps[1] = s->least[1] > 0 ? s->least[0] / s->least[1] : 0;
}

/* p = r + beta (p - omega v); ends where shadow . r or omega vanish. Steps that follow an end are 0. */
SPG_INLINE void spg_amg_bicgstab_turn(spg_amg_krylov_scalars *s, double target)
{
    const double beta = s->after[1] / s->rho * (s->steps[0] / s->steps[1]);
    s->rho = s->after[1];
    s->keep = beta;
    spg_amg_count_iteration(s, sqrt(s->after[0]), target);
    if (!isfinite(beta) || beta == 0) s->end = SPG_AMG_ENDED;
    if (s->end != SPG_AMG_GOES_ON) s->steps[0] = s->steps[1] = 0;
}

/* ---- FGMRES ---- */

/* Turns column j into one of a triangle by the rotations so far and a new one. Returns the residual: the last side; NaN
 * if the column is not finite. */
SPG_INLINE double spg_amg_rotate_column(const spg_amg_small_system *small, double *column, int j)
{
    double upper = column[0];
    for (int k = 0; k < j; k++) {
        const double lower = column[k + 1];
        column[k] = small->cosines[k] * upper + small->sines[k] * lower;
        upper = small->cosines[k] * lower - small->sines[k] * upper;
    }
    const double length = hypot(upper, column[j + 1]);
    small->cosines[j] = length > 0 ? upper / length : 1;
    small->sines[j] = length > 0 ? column[j + 1] / length : 0;
    column[j] = length;
    small->sides[j + 1] = -small->sines[j] * small->sides[j];
    small->sides[j] *= small->cosines[j];
    return isfinite(length) ? fabs(small->sides[j + 1]) : NAN;
}

/* The column of A M v_j in the basis. It is the last if nothing is left of the vector, for x can be exact then. */
SPG_INLINE void spg_amg_fgmres_column(const spg_amg_krylov_step *step)
{
    spg_amg_krylov_scalars *const s = step->scalars;
    const spg_amg_small_system *const small = &step->small;
    const int j = step->column;
    double *const column = small->columns + (int64_t)j * small->stride;
    for (int k = 0; k <= j; k++) column[k] = small->first[k] + small->second[k];
    column[j + 1] = sqrt(small->second[j + 1]);
    const bool is_last = !(column[j + 1] > step->epsilon * sqrt(small->first[j + 1]));
    s->scale = is_last ? 1 : 1 / column[j + 1];
    spg_amg_count_iteration(s, spg_amg_rotate_column(small, column, j), step->target);
    if (is_last) s->end = SPG_AMG_ENDED;
}

/* The weights of `count` vectors that make the residual least. */
SPG_INLINE void spg_amg_fgmres_solve(const spg_amg_small_system *small, int count)
{
    for (int k = count - 1; k >= 0; k--) {
        double side = small->sides[k];
        for (int j = k + 1; j < count; j++) side -= small->columns[(int64_t)j * small->stride + k] * small->weights[j];
        const double pivot = small->columns[(int64_t)k * small->stride + k];
        small->weights[k] = pivot != 0 ? side / pivot : 0;
    }
}

/* ---- K-cycle ---- */

/* A direction that makes so small an angle with the first that rounding may have made it: the square of its sine. */
#define SPG_AMG_LEAST_ANGLE 0x1p-20

/* first: of the first correction's test vector with the right-hand side and with the correction's image. A first step
 * that cannot be done is the correction as it is, as in a V-cycle. */
SPG_INLINE void spg_amg_k_first(spg_amg_krylov_scalars *s)
{
    const double weight = s->first[0] / s->first[1];
    s->weights[0] = s->first[1] > 0 && isfinite(weight) ? weight : 1;
    s->weights[1] = 0;
}

/* second: of the second correction's test vector with the residual, with the image of the first correction and with its
 * own. The step is along the part of the second correction that is conjugate to the first. */
SPG_INLINE void spg_amg_k_second(spg_amg_krylov_scalars *s)
{
    const double shared = s->second[1] / s->first[1], rest = s->second[2] - shared * s->second[1];
    const double weight = s->second[0] / rest;
    if (!(s->first[1] > 0 && rest > SPG_AMG_LEAST_ANGLE * s->second[2] && isfinite(weight))) return;
    s->weights[1] = weight;
    s->weights[0] -= shared * weight;
}

/* ---- All ---- */

SPG_INLINE void spg_amg_krylov_begin(const spg_amg_krylov_step *step)
{
    spg_amg_krylov_scalars none;
    memset(&none, 0, sizeof none);
    *step->scalars = none;
    step->scalars->one = 1;
    if (step->small.columns != NULL) step->small.sides[0] = step->residual;
}

/* Moves that follow an end change nothing, but that which solves the small system. */
SPG_INLINE void spg_amg_krylov_advance(const spg_amg_krylov_step *step)
{
    spg_amg_krylov_scalars *const s = step->scalars;
    if (step->move == SPG_AMG_KRYLOV_BEGIN) spg_amg_krylov_begin(step);
    if (step->move == SPG_AMG_FGMRES_SOLVE) spg_amg_fgmres_solve(&step->small, step->column);
    if (s->end != SPG_AMG_GOES_ON) return;
    switch (step->move) {
    case SPG_AMG_FCG_TURN: spg_amg_fcg_turn(s, step->target); break;
    case SPG_AMG_BICGSTAB_ALPHA: spg_amg_bicgstab_alpha(s); break;
    case SPG_AMG_BICGSTAB_OMEGA: spg_amg_bicgstab_omega(s); break;
    case SPG_AMG_BICGSTAB_TURN: spg_amg_bicgstab_turn(s, step->target); break;
    case SPG_AMG_FGMRES_COLUMN: spg_amg_fgmres_column(step); break;
    case SPG_AMG_K_FIRST: spg_amg_k_first(s); break;
    case SPG_AMG_K_SECOND: spg_amg_k_second(s); break;
    default: break;
    }
}

#endif
