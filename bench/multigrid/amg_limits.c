#include "amg_limits.h"

#include "problem.h"

/* Of a spectral radius, in the mean, where the steps are not given (amg/lanczos.h). */
enum { SETTLED_STEPS = 9 };

static double pattern_bytes(double rows, double nnz, spg_type offset_type)
{
    return (rows + 1) * (double)spg_type_size(offset_type) + nnz * (double)sizeof(int32_t);
}

/* Graph, aggregates, tentative prolongator. given: there are candidates to be read. */
static void add_aggregation(const spg_amg_level_view *level, double coarse_rows, bool given, double theta,
                            double bytes[AMG_STEPS])
{
    const spg_csr *A = &level->A;
    const double rows = (double)A->rows, nnz = (double)A->nnz, b = level->block_size, k = level->candidates;
    const double value = (double)spg_type_size(A->value_type), indices = (double)level->nodes * sizeof(int32_t);
    const double graph = pattern_bytes((double)level->nodes, nnz / (b * b), A->offset_type);
    const double read = theta > 0 ? (double)csr_bytes(A) : pattern_bytes(rows, nnz, A->offset_type);
    if (theta > 0 || level->block_size > 1) bytes[AMG_STRENGTH] += read + graph;
    bytes[AMG_AGGREGATE] += graph + indices;
    bytes[AMG_TENTATIVE] += indices + k * value * ((given ? 2 : 1) * rows + coarse_rows);
}

/* Smoothed prolongator, restriction and Galerkin product; AP: bytes of A*P. */
static void add_products(const spg_amg_level_view *level, const spg_csr *coarse, double AP, const amg_options *chosen,
                         bool unsymmetric, double bytes[AMG_STEPS])
{
    const double A = (double)csr_bytes(&level->A), P = (double)csr_bytes(&level->P), R = (double)csr_bytes(&level->R);
    const double vector = (double)level->A.rows * (double)spg_type_size(level->A.value_type);
    const bool smoothed = chosen->hierarchy.prolongator_relaxation != 0;
    const bool of_transpose = unsymmetric && chosen->hierarchy.restriction == SPG_RESTRICTION_PETROV_GALERKIN;
    const double steps = chosen->hierarchy.spectral_steps > 0 ? chosen->hierarchy.spectral_steps : SETTLED_STEPS;
    bytes[AMG_SPECTRAL_RADIUS] += unsymmetric ? A + vector : steps * (A + 2 * vector);
    bytes[AMG_SMOOTH] += (smoothed ? A : 0) + level->candidates * vector + P;
    if (of_transpose && smoothed) bytes[AMG_SMOOTH] += A + level->candidates * vector + R;
    bytes[AMG_TRANSPOSE] += P + R;
    bytes[AMG_AP] += A + P + AP;
    bytes[AMG_RAP] += R + AP + (double)csr_bytes(coarse);
}

/* A level that has a coarser one. */
static spg_status add_level(const amg_system *system, const amg_options *chosen, const spg_amg *amg, int number,
                            double bytes[AMG_STEPS])
{
    spg_amg_level_view level, next;
    spg_amg_summary summary;
    spg_csr AP = {0};
    spg_status status = spg_amg_summarise(amg, &summary);
    if (status == SPG_OK) status = spg_amg_level(amg, number, &level);
    if (status == SPG_OK) status = spg_amg_level(amg, number + 1, &next);
    if (status == SPG_OK) status = spgemm_csr(system->context, &level.A, &level.P, &AP);
    if (status != SPG_OK) return forward_status(system->host, system->context, status);
    add_aggregation(&level, (double)next.A.rows, number > 0 || system->candidates > 0, chosen->hierarchy.theta, bytes);
    add_products(&level, &next.A, (double)csr_bytes(&AP), chosen, summary.unsymmetric != 0, bytes);
    spg_csr_free(system->context, &AP);
    return SPG_OK;
}

spg_status amg_limits(const amg_system *system, const amg_options *chosen, const spg_amg *amg, double bandwidth,
                      double limits_ms[AMG_STEPS])
{
    spg_status status = SPG_OK;
    for (int step = 0; step < AMG_STEPS; step++) limits_ms[step] = 0.0;
    if (!(bandwidth > 0.0)) return SPG_OK;
    limits_ms[AMG_SYMMETRY] = (double)csr_bytes(&system->A);
    for (int l = 0; status == SPG_OK && l + 1 < spg_amg_levels(amg); l++)
        status = add_level(system, chosen, amg, l, limits_ms);
    for (int step = 0; step < AMG_STEPS; step++) limits_ms[step] *= 1e3 / bandwidth;
    return status;
}
