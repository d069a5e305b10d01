/* FGMRES (Saad, A Flexible Inner-Outer Preconditioned GMRES Algorithm, SIAM J. Sci. Comput. 14, 1993): one cycle of
 * `restart` iterations. Vectors are made orthogonal by two rounds of classical Gram-Schmidt, each a pass for all inner
 * products and one for all subtractions. The small system stays at the place. */
#include "krylov.h"

#include <float.h>
#include <math.h>

int64_t spg_fgmres_numbers(int restart) { return ((int64_t)restart + 2) * (restart + 6); }

spg_amg_small_system spg_fgmres_system(int restart, double *numbers)
{
    const int stride = restart + 2;
    double *const rest = numbers + (int64_t)stride * restart;
    return (spg_amg_small_system){.columns = numbers,
                                  .cosines = rest,
                                  .sines = rest + stride,
                                  .sides = rest + 2 * stride,
                                  .first = rest + 3 * stride,
                                  .second = rest + 4 * stride,
                                  .weights = rest + 5 * stride,
                                  .stride = stride};
}

static void *basis(const spg_krylov *run, int j) { return spg_krylov_vector(run, j); }

/* Of vector j, M v_j. */
static int preconditioned(const spg_krylov *run, int j) { return run->options.restart + 1 + j; }

/* One round: subtracts from vector j + 1 its parts along the vectors before it. parts also receives the square of
 * vector j + 1 before, if asked for. */
static spg_status subtract_parts(const spg_krylov *run, int j, bool with_square, double *parts)
{
    void *const w = basis(run, j + 1);
    const spg_status status =
        spg_krylov_dots(run, spg_krylov_vectors(run, 0, 1, with_square ? j + 2 : j + 1), w, parts);
    const spg_amg_combination less = {spg_krylov_vectors(run, 0, 1, j + 1), parts, -1, NULL};
    return status == SPG_OK ? spg_krylov_combine(run, less, w) : status;
}

/* Column j: A M v_j in the basis, and the next vector of the basis. */
static spg_status queue(spg_krylov *run, int j)
{
    const spg_amg_small_system *const small = &run->small;
    void *const w = basis(run, j + 1), *const z = spg_krylov_vector(run, preconditioned(run, j));
    const spg_amg_combination unit = {{0}, NULL, 1, &run->scalars->scale};
    spg_status status = spg_krylov_precondition(run, basis(run, j), z);
    if (status == SPG_OK) status = spg_krylov_multiply(run, z, w);
    if (status == SPG_OK) status = subtract_parts(run, j, true, small->first);
    if (status == SPG_OK) status = subtract_parts(run, j, false, small->second);
    if (status == SPG_OK) status = spg_krylov_dot(run, w, w, &small->second[j + 1]);
    if (status == SPG_OK) status = spg_krylov_advance(run, SPG_AMG_FGMRES_COLUMN, j);
    return status == SPG_OK ? spg_krylov_combine(run, unit, w) : status;
}

/* x += the combination of `count` preconditioned vectors that makes the residual least. */
static spg_status add_correction(const spg_krylov *run, int count)
{
    const spg_status status = spg_krylov_advance(run, SPG_AMG_FGMRES_SOLVE, count);
    const spg_amg_combination more = {spg_krylov_vectors(run, preconditioned(run, 0), 1, count), run->small.weights, 1,
                                      NULL};
    return status == SPG_OK ? spg_krylov_combine(run, more, run->x) : status;
}

/* How many columns may be used: not a last one whose residual is no number, which is then not counted either. first:
 * the residual before all of them. */
static int sound_columns(spg_krylov *run, double first, const spg_amg_krylov_scalars *told)
{
    const int done = (int)told->done;
    if (done == 0 || isfinite(run->result.residual)) return done;
    run->result.iterations--;
    run->result.residual = done > 1 ? told->residuals[(done - 2) % SPG_AMG_MOST_UNREAD] : first;
    return done - 1;
}

/* Vector 0 becomes a unit vector. A float cannot hold the inverse of a denormal norm: then in two steps. */
static spg_status normalise(const spg_krylov *run, double norm)
{
    void *const r = basis(run, 0);
    const double larger = run->type == SPG_F32 && norm < (double)FLT_MIN ? 0x1p64 : 1;
    const spg_status status = larger > 1 ? spg_krylov_axpby(run, larger, r, 0, r) : SPG_OK;
    return status == SPG_OK ? spg_krylov_axpby(run, 1 / (norm * larger), r, 0, r) : status;
}

spg_status spg_krylov_fgmres(spg_krylov *run)
{
    const double first = run->result.residual;
    spg_amg_krylov_scalars told = {0};
    spg_status status = spg_krylov_advance(run, SPG_AMG_KRYLOV_BEGIN, 0);
    if (status == SPG_OK) status = normalise(run, first);
    if (status == SPG_OK) status = spg_krylov_iterate(run, run->options.restart, queue, &told);
    const int count = sound_columns(run, first, &told);
    const spg_status added = count > 0 ? add_correction(run, count) : SPG_OK;
    return status != SPG_OK ? status : added;
}
