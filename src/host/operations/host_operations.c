/* The host's table of operations, and what they share. */
#include "host_operations.h"
#include "host/containers/csr_sort.h"
#include "host/work.h"
#include "memory.h"

#include <string.h>

const spg_operations_backend spg_host_operations = {
    .add = spg_host_add,
    .scale = spg_host_scale,
    .diagonal = spg_host_diagonal,
    .select = spg_host_select,
    .drop = spg_host_drop,
    .compare = spg_host_compare,
    .spmm = spg_host_spmm,
    .real_form_pattern = spg_host_real_form_pattern,
    .real_form_values = spg_host_real_form_values,
    .real_form_check = spg_host_real_form_check,
};

typedef struct building {
    spg_row_function *function;
    const void *job;
    const spg_csr *matrix;
    size_t value_size;
} building;

/* The number of entries goes where the end of the row will be. */
static void count_rows(const void *data, spg_range rows)
{
    const building *of = data;
    for (int64_t i = rows.begin; i < rows.end; ++i)
        spg_set_offset(of->matrix, i + 1, of->function(of->job, i, NULL, NULL));
}

static void fill_rows(const void *data, spg_range rows)
{
    const building *of = data;
    for (int64_t i = rows.begin; i < rows.end; ++i) {
        const int64_t to = spg_offset_at(of->matrix, i);
        if (to == spg_offset_at(of->matrix, i + 1)) continue;
        of->function(of->job, i, of->matrix->columns + to, (char *)of->matrix->values + (size_t)to * of->value_size);
    }
}

/* Turns numbers of entries into offsets. The sum may be past what the offsets can hold: then they are not used. */
static int64_t add_up(const spg_csr *matrix)
{
    int64_t sum = 0;
    for (int64_t i = 1; i <= matrix->rows; ++i) {
        sum += spg_offset_at(matrix, i);
        spg_set_offset(matrix, i, sum);
    }
    return sum;
}

spg_status spg_host_assemble_rows(spg_context *context, int64_t entries, spg_row_function *function, const void *job,
                                  spg_csr *matrix)
{
    const spg_csr of = *matrix;
    spg_status status = spg_csr_alloc(context, of.rows, of.cols, 0, of.offset_type, of.value_type, matrix);
    if (status != SPG_OK) return status;
    const spg_threads threads = spg_host_threads(context, entries + of.rows);
    const building made = {function, job, matrix, spg_type_size(of.value_type)};
    spg_parallel(threads, of.rows, 0, count_rows, &made);
    status = spg_allocate_entries(context, add_up(matrix), matrix);
    if (status == SPG_OK) spg_parallel(threads, of.rows, 0, fill_rows, &made);
    return status;
}

spg_status spg_host_sorted_rows(spg_context *context, const spg_csr *matrix, int64_t held, spg_host_sorted *sorted)
{
    *sorted = (spg_host_sorted){.rows = *matrix};
    if (spg_host_rows_ascend(context, matrix)) return SPG_OK;
    const int64_t bytes = spg_csr_bytes(matrix);
    spg_csr copy;
    spg_status status = spg_check_workspace(context, held + bytes, "sorting a copy of an operand");
    if (status == SPG_OK) status = spg_csr_copy(context, matrix, &copy);
    if (status != SPG_OK) return status;
    status = spg_host_sort_rows(context, &copy, held + bytes);
    if (status == SPG_OK)
        *sorted = (spg_host_sorted){copy, bytes};
    else
        spg_csr_free(context, &copy);
    return status;
}

void spg_host_free_sorted(spg_context *context, spg_host_sorted *sorted)
{
    if (sorted->copy_bytes > 0) spg_csr_free(context, &sorted->rows);
}
