/* A part of a matrix: rows and columns by number, also a permutation of all of them. */
#include "host/containers/csr_sort.h"
#include "host/work.h"
#include "host_operations.h"
#include "memory.h"

#include <string.h>

typedef struct select_job {
    const spg_csr *matrix;
    const spg_indices *rows, *columns;
    const int32_t *column_map; /* where a column goes, -1: nowhere; NULL: columns is a range */
    size_t value_size;
} select_job;

static int64_t new_column(const select_job *job, int32_t column)
{
    if (job->column_map != NULL) return job->column_map[column];
    const int64_t at = column - job->columns->first;
    return at < job->columns->count ? at : -1;
}

static int64_t select_row(const void *data, int64_t row, int32_t *columns, void *values)
{
    const select_job *job = data;
    const spg_indices *rows = job->rows;
    const int64_t from = rows->indices != NULL ? rows->indices[row] : rows->first + row;
    const int64_t end = spg_offset_at(job->matrix, from + 1);
    int64_t count = 0;
    for (int64_t k = spg_offset_at(job->matrix, from); k < end; ++k) {
        const int64_t column = new_column(job, job->matrix->columns[k]);
        if (column < 0) continue;
        if (columns != NULL) {
            columns[count] = (int32_t)column;
            memcpy((char *)values + (size_t)count * job->value_size,
                   (const char *)job->matrix->values + (size_t)k * job->value_size, job->value_size);
        }
        ++count;
    }
    return count;
}

/* map[indices[k]] = k, and -1 elsewhere. Refuses an index that is named twice. */
static spg_status invert(spg_context *context, const spg_indices *of, int64_t limit, const char *name, int32_t *map)
{
    for (int64_t i = 0; i < limit; ++i) map[i] = -1;
    for (int64_t k = 0; k < of->count; ++k) {
        const int32_t index = of->indices[k];
        if (map[index] >= 0) return spg_fail_repeated(context, name, k, index, map[index]);
        map[index] = (int32_t)k;
    }
    return SPG_OK;
}

/* Refuses indices outside of [0, limit) and, if `map` is not NULL, those named twice. *map: workspace that the caller
 * frees; NULL for a range. */
static spg_status check_indices(spg_context *context, const spg_indices *of, int64_t limit, const char *name,
                                int32_t **map)
{
    if (of->indices == NULL) return SPG_OK;
    const int64_t k = spg_host_first_outside(context, of->indices, of->count, limit);
    if (k < of->count) return spg_fail_outside(context, name, k, of->indices[k], limit);
    if (map == NULL) return SPG_OK;
    void *memory;
    spg_status status =
        spg_allocate_workspace(context, 0, spg_array_bytes(limit, sizeof **map), "a map of indices", &memory);
    *map = memory;
    return status == SPG_OK ? invert(context, of, limit, name, *map) : status;
}

static spg_status check_rows(spg_context *context, const spg_csr *matrix, const spg_selection *selection)
{
    int32_t *map = NULL;
    spg_status status = check_indices(context, &selection->rows, matrix->rows, selection->rows_name,
                                      selection->distinct_rows ? &map : NULL);
    if (map != NULL) spg_release(context, map, spg_array_bytes(matrix->rows, sizeof *map));
    return status;
}

spg_status spg_host_select(spg_context *context, const spg_csr *matrix, const spg_selection *selection, spg_csr *part)
{
    int32_t *map = NULL;
    spg_status status = check_rows(context, matrix, selection);
    if (status == SPG_OK)
        status = check_indices(context, &selection->columns, matrix->cols, selection->columns_name, &map);
    if (status == SPG_OK) {
        const select_job job = {matrix, &selection->rows, &selection->columns, map, spg_type_size(matrix->value_type)};
        *part = (spg_csr){.rows = selection->rows.count,
                          .cols = selection->columns.count,
                          .offset_type = matrix->offset_type,
                          .value_type = matrix->value_type};
        status = spg_host_assemble_rows(context, matrix->nnz, select_row, &job, part);
    }
    if (map != NULL) spg_release(context, map, spg_array_bytes(matrix->cols, sizeof *map));
    if (status == SPG_OK) {
        status = spg_host_sort_rows(context, part, 0);
        if (status != SPG_OK) spg_csr_free(context, part);
    }
    return status;
}
