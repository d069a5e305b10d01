/* Memory of a hierarchy, included in its byte count and in those of its levels. */
#include "amg.h"

#include "memory.h"

#include <string.h>

void spg_amg_count(spg_amg *amg, spg_level *level, int64_t bytes)
{
    amg->bytes += bytes;
    if (level != NULL) level->bytes += bytes;
}

spg_status spg_amg_take(spg_amg *amg, spg_level *level, int64_t bytes, const char *what, void **memory)
{
    spg_status status = spg_allocate(amg->context, bytes, what, memory);
    if (status == SPG_OK) spg_amg_count(amg, level, bytes);
    return status;
}

void spg_amg_give(spg_amg *amg, spg_level *level, void *memory, int64_t bytes)
{
    if (memory == NULL) return;
    spg_release(amg->context, memory, bytes);
    spg_amg_count(amg, level, -bytes);
}

spg_status spg_amg_take_on_host(spg_amg *amg, int64_t bytes, const char *what, void **memory)
{
    spg_status status = spg_allocate_on_host(amg->context, bytes, what, memory);
    if (status != SPG_OK) return status;
    memset(*memory, 0, (size_t)bytes);
    spg_amg_count(amg, NULL, bytes);
    return SPG_OK;
}

void spg_amg_give_on_host(spg_amg *amg, void *memory, int64_t bytes)
{
    if (memory == NULL) return;
    spg_release_on_host(amg->context, memory, bytes);
    spg_amg_count(amg, NULL, -bytes);
}

int64_t spg_amg_vector_bytes(const spg_amg *amg, int64_t n) { return n * (int64_t)spg_type_size(amg->value_type); }

int64_t spg_amg_system_bytes(const spg_amg *amg)
{
    return amg->system.rows * (int64_t)spg_type_size(amg->system.value_type);
}

void spg_amg_free_matrix(spg_amg *amg, spg_level *level, spg_csr *matrix)
{
    if (matrix->row_offsets == NULL) return;
    spg_amg_count(amg, level, -spg_csr_bytes(matrix));
    spg_csr_free(amg->context, matrix);
}

void spg_amg_destroy_level(spg_amg *amg, spg_level *level)
{
    const int64_t vector = spg_amg_vector_bytes(amg, level->rows), k = level->aggregates.candidates;
    spg_galerkin_plan_destroy(level->plan);
    spg_amg_give(amg, level, level->transpose_map,
                 spg_array_bytes(spg_amg_restricts(level)->nnz, sizeof *level->transpose_map));
    spg_amg_give(amg, level, level->aggregates.aggregate_of, level->aggregates.nodes * (int64_t)sizeof(int32_t));
    spg_amg_give(amg, level, level->T, vector * k);
    spg_amg_give(amg, level, level->candidates, vector * k);
    spg_amg_give(amg, level, level->inverse, vector);
    spg_amg_give(amg, level, level->l1_inverse, vector);
    spg_amg_give(amg, level, level->spectrum.vector, level->rows * (int64_t)sizeof *level->spectrum.vector);
    spg_amg_free_matrix(amg, level, &level->F);
    spg_amg_give(amg, level, level->F_inverse, vector);
    spg_amg_free_restriction(amg, level);
    spg_amg_free_matrix(amg, level, &level->P);
    spg_amg_free_matrix(amg, level, &level->R);
    if (level != amg->level) spg_amg_free_matrix(amg, level, &level->A);
    memset(level, 0, sizeof *level);
}
