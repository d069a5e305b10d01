/* One object a line for each matrix, product and implementation. */
#include "json_fields.h"
#include "report.h"

static void put_measurement(FILE *stream, const machine *here, const options *chosen, const problem *task,
                            const findings *found, const measurement *of)
{
    const bool timed = of->outcome == OUTCOME_VERIFIED;
    fputc('{', stream);
    put_string(stream, "matrix", task->matrix);
    put_string(stream, "product", product_name(task->product));
    put_string(stream, "implementation", of->implementation->name);
    put_string(stream, "place", here->place == SPG_PLACE_DEVICE ? "device" : "host");
    put_string(stream, "device", here->description);
    put_string(stream, "type", spg_type_name(task->A.value_type));
    put_integer(stream, "threads", of->threads);
    put_integer(stream, "rows", task->product == PRODUCT_RAP ? task->R.rows : task->A.rows);
    put_integer(stream, "cols", task->B.cols);
    put_integer(stream, "nnz_a", task->A.nnz);
    put_integer(stream, "nnz_b", task->B.nnz);
    put_integer(stream, "products", task->products);
    put_integer(stream, "nnz_c", found->nnz_c);
    put_number(stream, "contraction", found->nnz_c > 0, (double)task->products / (double)found->nnz_c);
    put_number(stream, "ms_median", timed, of->median_ms);
    put_number(stream, "ms_min", timed, of->min_ms);
    put_number(stream, "ms_max", timed, of->max_ms);
    put_integer(stream, "reps", timed ? chosen->reps : 0);
    if (timed && of->has_stats)
        put_integer(stream, "work_bytes", of->stats.all.workspace_bytes);
    else
        put_number(stream, "work_bytes", false, 0.0);
    const bool phases = has_phases(of);
    put_number(stream, "analysis_ms", phases, of->stats.all.analysis_ms);
    put_number(stream, "expand_sort_ms", phases, of->stats.all.expand_sort_ms);
    put_number(stream, "contract_ms", phases, of->stats.all.contract_ms);
    put_number(stream, "assemble_ms", phases, of->stats.all.assemble_ms);
    if (task->product == PRODUCT_RAP) {
        put_number(stream, "AP_ms", phases && of->stats.AP_ms > 0.0, of->stats.AP_ms);
        put_number(stream, "RAP_ms", phases && of->stats.RAP_ms > 0.0, of->stats.RAP_ms);
        put_number(stream, "RAP_limit_ms", here->bandwidth > 0.0, last_product_limit_ms(here, task, found));
    }
    put_number(stream, "limit_ms", here->bandwidth > 0.0, memory_limit_ms(here, task, found));
    put_number(stream, "max_error", of->outcome == OUTCOME_VERIFIED || of->outcome == OUTCOME_WRONG, of->max_error);
    fprintf(stream, "\"verified\": %s}\n", timed ? "true" : "false");
}

bool report_json(FILE *stream, const machine *here, const options *chosen, const problem *task, const findings *found)
{
    for (int k = 0; k < found->count; k++)
        if (found->of[k].outcome != OUTCOME_ABSENT) put_measurement(stream, here, chosen, task, found, &found->of[k]);
    return fflush(stream) == 0 && !ferror(stream);
}
