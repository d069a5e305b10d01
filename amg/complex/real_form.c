/* Complex matrices. The hierarchy is that of the real form, whose vectors are the complex ones as they lie in memory.
 * A node has two unknowns where the complex matrix has one, and two candidates, v and i*v, where that has one. Blocks
 * [a, -b; b, a] are closed under sums, products and transposes (which conjugate), and v and i*v are orthogonal. So
 * prolongators and coarse operators consist of such blocks, up to rounding, and are the real forms of a complex
 * hierarchy. Inner products are the real parts of the complex ones, and those of conjugate gradients with a Hermitian
 * matrix are real: iterations are those of the complex method. */
#include "amg/amg.h"

#include "amg/numerics.h"
#include "argument.h"
#include "memory.h"
#include "operations/operations_backend.h"
#include "spg/operations.h"

#include <math.h>

const char *spg_amg_symmetric(const spg_amg *amg) { return amg->is_complex ? "Hermitian" : "symmetric"; }

/* ---- The system ---- */

spg_status spg_amg_take_system(spg_amg *amg)
{
    amg->system = amg->given;
    amg->is_complex = spg_is_complex(amg->given.value_type);
    if (!amg->is_complex) return SPG_OK;
    const spg_status status = spg_csr_real_form(amg->context, &amg->given, &amg->system);
    if (status == SPG_OK) spg_amg_count(amg, amg->level, spg_csr_bytes(&amg->system));
    return status;
}

void spg_amg_give_system(spg_amg *amg)
{
    if (amg->is_complex) spg_amg_free_matrix(amg, amg->level, &amg->system);
}

spg_status spg_amg_renew_system(spg_amg *amg, const spg_csr *A)
{
    amg->given = *A;
    if (amg->is_complex) return amg->context->backend->operations->real_form_values(amg->context, A, &amg->system);
    amg->system = *A;
    return SPG_OK;
}

spg_status spg_amg_take_pair_pattern(const spg_amg *amg, spg_level *level, const spg_amg_graph *graph)
{
    spg_context *context = amg->context;
    const spg_csr *A = &level->A;
    const spg_csr strong = {.rows = graph->nodes,
                            .cols = graph->nodes,
                            .nnz = graph->nnz,
                            .offset_type = graph->offset_type,
                            .value_type = amg->given.value_type,
                            .place = A->place,
                            .row_offsets = graph->row_offsets,
                            .columns = graph->columns};
    spg_status status =
        spg_csr_alloc(context, A->rows, A->cols, 4 * graph->nnz, A->offset_type, A->value_type, &level->F);
    return status == SPG_OK ? context->backend->operations->real_form_pattern(context, &strong, &level->F) : status;
}

/* ---- Vectors ---- */

spg_status spg_amg_put_pairs(const spg_amg *amg, int count, const void *vectors, void *pairs)
{
    const spg_type type = amg->system.value_type;
    const int64_t n = amg->system.rows, bytes = spg_amg_system_bytes(amg);
    spg_status status = SPG_OK;
    for (int64_t k = 0; k < count && status == SPG_OK; ++k) {
        const void *const from = (const char *)vectors + k * bytes;
        char *const to = (char *)pairs + 2 * k * bytes;
        status = amg->backend->axpby(amg->context, type, n, 1, from, 0, to);
        if (status == SPG_OK) status = amg->backend->times_i(amg->context, type, n / 2, from, to + bytes);
    }
    return status;
}

static int64_t candidate_bytes(const spg_amg *amg) { return amg->options.candidates * spg_amg_system_bytes(amg); }

spg_status spg_amg_pair_candidates(spg_amg *amg, const void **values)
{
    const void *const given = amg->options.candidate_values;
    void *pairs = NULL;
    *values = NULL;
    if (!amg->is_complex || given == NULL) return SPG_OK;
    spg_status status = spg_allocate(amg->context, candidate_bytes(amg), "candidates of the real form", &pairs);
    *values = pairs;
    return status == SPG_OK ? spg_amg_put_pairs(amg, amg->options.candidates / 2, given, pairs) : status;
}

void spg_amg_release_pairs(spg_amg *amg, const void *values)
{
    spg_release(amg->context, (void *)values, candidate_bytes(amg));
}

/* ---- The diagonal ---- */

static double part_at(const void *values, spg_type type, int64_t k)
{
    return type == SPG_F32 ? (double)((const float *)values)[k] : ((const double *)values)[k];
}

static void tell(const spg_amg *amg, const void *diagonal, double rounding)
{
    const spg_type type = spg_part_type(amg->given.value_type);
    for (int64_t i = 0; i < amg->given.rows; ++i) {
        const double re = part_at(diagonal, type, 2 * i), im = part_at(diagonal, type, 2 * i + 1);
        if (!(fabs(im) > rounding * fabs(re))) continue;
        spg_amg_log(amg->context,
                    "the diagonal of A is not real, first in row %lld with %.6g%+.6gi: smoothers divide by its real "
                    "parts",
                    (long long)i, re, im);
        return;
    }
}

spg_status spg_amg_tell_diagonal(const spg_amg *amg, double rounding)
{
    spg_context *context = amg->context;
    const int64_t bytes = spg_array_bytes(amg->given.rows, spg_type_size(amg->given.value_type));
    void *diagonal = NULL, *on_host = NULL;
    if (context->config.log == NULL || !amg->is_complex) return SPG_OK;
    spg_status status = spg_allocate(context, bytes, "a diagonal", &diagonal);
    if (status == SPG_OK) status = spg_allocate_on_host(context, bytes, "a diagonal", &on_host);
    if (status == SPG_OK) status = spg_csr_diagonal(context, &amg->given, diagonal);
    if (status == SPG_OK)
        status = context->backend->copy_bytes(context, on_host, SPG_PLACE_HOST, diagonal, context->config.place, bytes);
    if (status == SPG_OK) tell(amg, on_host, rounding);
    spg_release_on_host(context, on_host, bytes);
    spg_release(context, diagonal, bytes);
    return status;
}
