/* COO to CSR: distributes triples to their rows, sorts the rows and sums triples of the same row and column; each step
 * keeps the storage order. If nothing is to be summed, the sorted entries are the result. */
#include "csr_sort.h"
#include "distribute.h"
#include "host/by_type.h"
#include "host/host.h"
#include "host/work.h"
#include "memory.h"

#include "argument.h"

#define TEMPLATE "host/containers/csr_from_coo.inc.h"
#include "host/for_each_value_type.h"

typedef void sum_function(const spg_csr *sorted, int64_t first, int64_t last, int64_t to, const spg_csr *out);

enum { MOST_PARTS = 256 };

/* Parts of the rows, and where the entries of each part begin after duplicates are summed. */
typedef struct contraction {
    const spg_csr *sorted;
    spg_csr *matrix; /* the result */
    spg_threads threads;
    int64_t parts;
    int64_t *begins; /* parts + 1 */
    int64_t used;    /* bytes that sorting took beside the sorted entries */
} contraction;

static int64_t count_places(const spg_csr *sorted, int64_t first, int64_t last)
{
    int64_t places = 0;
    for (int64_t i = first; i < last; ++i) {
        int64_t begin = spg_offset_at(sorted, i), end = spg_offset_at(sorted, i + 1);
        places += begin < end;
        for (int64_t k = begin + 1; k < end; ++k) places += sorted->columns[k] != sorted->columns[k - 1];
    }
    return places;
}

static void count_parts(const void *data, spg_range parts)
{
    const contraction *plan = data;
    for (int64_t p = parts.begin; p < parts.end; ++p)
        plan->begins[p + 1] = count_places(plan->sorted, spg_host_first_row(plan->sorted, p, plan->parts),
                                           spg_host_first_row(plan->sorted, p + 1, plan->parts));
}

static void plan_contraction(const spg_context *context, contraction *plan)
{
    const spg_csr *sorted = plan->sorted;
    plan->threads = spg_host_threads(context, sorted->nnz + sorted->rows);
    plan->parts = spg_host_parts(plan->threads);
    if (plan->parts > MOST_PARTS) plan->parts = MOST_PARTS;
    spg_parallel(plan->threads, plan->parts, 1, count_parts, plan);
    for (int64_t p = 0; p < plan->parts; ++p) plan->begins[p + 1] += plan->begins[p];
}

typedef struct offsets_job {
    const spg_csr *from, *to;
} offsets_job;

static void convert_offsets(const void *data, spg_range offsets)
{
    const offsets_job *job = data;
    for (int64_t i = offsets.begin; i < offsets.end; ++i) spg_set_offset(job->to, i, spg_offset_at(job->from, i));
}

/* Nothing to sum: hands over the columns and values, and converts the offsets. */
static spg_status adopt(spg_context *context, spg_csr *sorted, spg_type offset_type, spg_csr *matrix)
{
    spg_status status = spg_csr_alloc(context, sorted->rows, sorted->cols, 0, offset_type, sorted->value_type, matrix);
    if (status != SPG_OK) return status;
    spg_parallel(spg_host_threads(context, sorted->rows), sorted->rows + 1, 0, convert_offsets,
                 &(offsets_job){sorted, matrix});
    matrix->nnz = sorted->nnz;
    matrix->columns = sorted->columns;
    matrix->values = sorted->values;
    sorted->columns = NULL;
    sorted->values = NULL;
    return SPG_OK;
}

static void sum_parts(const void *data, spg_range parts)
{
    static sum_function *const sum_rows[4] = BY_VALUE_TYPE(sum_rows);
    const contraction *plan = data;
    const spg_csr *sorted = plan->sorted;
    sum_rows[sorted->value_type](sorted, spg_host_first_row(sorted, parts.begin, plan->parts),
                                 spg_host_first_row(sorted, parts.end, plan->parts), plan->begins[parts.begin],
                                 plan->matrix);
}

static spg_status sum_places(spg_context *context, const contraction *plan, spg_type offset_type)
{
    const spg_csr *sorted = plan->sorted;
    spg_status status =
        spg_check_workspace(context, spg_csr_bytes(sorted) + plan->used, "summing triples of the same place");
    if (status != SPG_OK) return status;
    status = spg_csr_alloc(context, sorted->rows, sorted->cols, plan->begins[plan->parts], offset_type,
                           sorted->value_type, plan->matrix);
    if (status != SPG_OK) return status;
    spg_parallel(plan->threads, plan->parts, 1, sum_parts, plan);
    return SPG_OK;
}

static spg_status contract(spg_context *context, spg_csr *sorted, int64_t used, spg_type offset_type, spg_csr *matrix)
{
    int64_t begins[MOST_PARTS + 1] = {0};
    contraction plan = {.sorted = sorted, .matrix = matrix, .begins = begins, .used = used};
    plan_contraction(context, &plan);
    int64_t places = begins[plan.parts];
    spg_status status = spg_check_offset_range(context, places, offset_type, "matrix");
    if (status != SPG_OK) return status;
    return places == sorted->nnz ? adopt(context, sorted, offset_type, matrix)
                                 : sum_places(context, &plan, offset_type);
}

/* matrix->offset_type is the type asked for. */
spg_status spg_host_csr_from_coo(spg_context *context, const spg_coo *source, spg_csr *matrix)
{
    spg_type offset_type = matrix->offset_type;
    int64_t held = spg_array_bytes(source->rows + 1, sizeof(int64_t));
    spg_status status = spg_check_workspace(context, held, "the offsets of unsummed rows");
    if (status != SPG_OK) return status;
    spg_csr sorted; /* with 64-bit offsets: there may be more triples than distinct entries */
    status = spg_csr_alloc(context, source->rows, source->cols, source->nnz, SPG_I64, source->value_type, &sorted);
    if (status != SPG_OK) return status;
    /* The unsummed entries are the result, or workspace if triples are to be summed. */
    const int64_t beside = spg_csr_bytes(&sorted) - held;
    int64_t used;
    spg_host_entries entries = {.keys = source->row_indices, .partners = source->columns, .values = source->values};
    status = spg_host_distribute(context, &entries, held + beside, &sorted);
    if (status == SPG_OK) status = spg_host_sort_rows_beside(context, &sorted, held, beside, &used);
    if (status == SPG_OK) status = contract(context, &sorted, used, offset_type, matrix);
    spg_csr_free(context, &sorted);
    return status;
}
