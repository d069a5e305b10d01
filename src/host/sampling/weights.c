/* See weights.h. */
#include "weights.h"

#include "../host.h"
#include "memory.h"
#include "sampling_faults.h"

/* Length of the longest row; *odd = the first row that is empty or longer than items can be numbered, else rows. */
static int64_t longest_row(const spg_context *context, const spg_csr *weights, int64_t *odd)
{
    int64_t longest = 0, first = weights->rows;
#pragma omp parallel for num_threads(spg_host_threads(context, weights->rows)) reduction(max                           \
                                                                                         : longest) reduction(min      \
                                                                                                              : first)
    for (int64_t i = 0; i < weights->rows; ++i) {
        int64_t items = spg_offset_at(weights, i + 1) - spg_offset_at(weights, i);
        if (items > longest) longest = items;
        if ((items == 0 || items > INT32_MAX) && i < first) first = i;
    }
    *odd = first;
    return longest;
}

/* What is wrong with a row of proper length: its first such weight, or that all are zero. */
static spg_weight_fault row_fault(const spg_csr *weights, int64_t row, int64_t *item)
{
    int64_t begin = spg_offset_at(weights, row), end = spg_offset_at(weights, row + 1);
    bool zeros = true;
    for (int64_t k = begin; k < end; ++k) {
        double weight = spg_weight_at(weights->values, weights->value_type, k);
        spg_weight_fault fault = spg_weight_kind(weight);
        *item = k - begin;
        if (fault != SPG_WEIGHT_SOUND) return fault;
        zeros &= weight == 0;
    }
    return zeros ? SPG_WEIGHT_ZEROS : SPG_WEIGHT_SOUND;
}

spg_status spg_host_fail_weights(spg_context *context, const spg_csr *weights, int64_t row)
{
    for (int64_t i = 0; i <= row && i < weights->rows; ++i) {
        int64_t begin = spg_offset_at(weights, i), items = spg_offset_at(weights, i + 1) - begin, item = 0;
        spg_weight_fault fault = items > INT32_MAX ? SPG_WEIGHT_LONG
                                 : items == 0      ? SPG_WEIGHT_EMPTY
                                                   : row_fault(weights, i, &item);
        if (fault == SPG_WEIGHT_SOUND) continue;
        double weight = items > 0 ? spg_weight_at(weights->values, weights->value_type, begin + item) : 0;
        return spg_fail_weight(context, fault, i, items, item, weight);
    }
    return spg_context_fail(context, SPG_ERROR_INTERNAL, "weights: no fault found up to row %lld", (long long)row);
}

spg_status spg_host_open_weights(spg_context *context, const spg_csr *weights, int64_t *longest)
{
    int64_t odd = 0;
    spg_status status = spg_host_csr_check(context, weights);
    if (status != SPG_OK) return status;
    *longest = longest_row(context, weights, &odd);
    return odd < weights->rows ? spg_host_fail_weights(context, weights, odd) : SPG_OK;
}

static void copy_offsets(const spg_context *context, const spg_csr *weights, int64_t *offsets)
{
#pragma omp parallel for num_threads(spg_host_threads(context, weights->rows))
    for (int64_t i = 0; i <= weights->rows; ++i) offsets[i] = spg_offset_at(weights, i);
}

spg_status spg_host_copy_shape(spg_context *context, const spg_csr *weights, int64_t **offsets, int32_t **columns)
{
    int64_t column_bytes = spg_array_bytes(weights->nnz, sizeof **columns);
    void *memory = NULL;
    spg_status status =
        spg_allocate(context, spg_array_bytes(weights->rows + 1, sizeof **offsets), "row offsets", &memory);
    *offsets = memory;
    if (status != SPG_OK) return status;
    copy_offsets(context, weights, *offsets);
    if (weights->columns == NULL) return SPG_OK;
    status = spg_allocate(context, column_bytes, "columns", &memory);
    *columns = memory;
    if (status == SPG_OK) spg_host_copy(context, *columns, weights->columns, column_bytes);
    return status;
}

static bool is_for_team(const spg_csr *weights, int64_t row)
{
    return spg_offset_at(weights, row + 1) - spg_offset_at(weights, row) > SPG_TEAM_ITEMS;
}

int64_t spg_host_build_rows(const spg_csr *weights, spg_build_row *build, const void *table, int threads, int team,
                            int64_t thread_room, void *room)
{
    int64_t bad = weights->rows, parts = spg_host_parts(threads), for_team = 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic) reduction(min : bad) reduction(+ : for_team)
    for (int64_t p = 0; p < parts; ++p) {
        int64_t last = spg_host_first_row(weights, p + 1, parts);
        for (int64_t i = spg_host_first_row(weights, p, parts); i < last; ++i) {
            if (is_for_team(weights, i))
                ++for_team;
            else if (i < bad && !build(weights, table, i, 1, (char *)room + thread_room * spg_host_thread()))
                bad = i;
        }
    }
    for (int64_t i = 0; for_team > 0 && i < bad; ++i)
        if (is_for_team(weights, i) && !build(weights, table, i, team, (char *)room + thread_room * threads)) bad = i;
    return bad;
}
