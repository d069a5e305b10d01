/* The public call of multinomial counts: checks, and dispatch to the backend. */
#include "backend.h"
#include "check.h"

spg_status spg_multinomial_draw(spg_context *context, const spg_csr *weights, int64_t n, const int64_t *trials,
                                const spg_random *random, int64_t *counts)
{
    if (context == NULL) return SPG_ERROR_ARGUMENT;
    spg_status status = spg_check_samples_here(context);
    if (status == SPG_OK) status = spg_check_weights(context, weights);
    if (status == SPG_OK && trials == NULL) status = spg_check_count(context, n, "n");
    if (status == SPG_OK && trials != NULL)
        status = spg_check_array(context, weights->rows, trials, sizeof *trials, "trials");
    if (status == SPG_OK) status = spg_check_random(context, random, NULL);
    if (status == SPG_OK) status = spg_check_array(context, weights->nnz, counts, sizeof *counts, "counts");
    if (status != SPG_OK || weights->rows == 0) return status;
    const spg_call_array arrays[] = {{counts, weights->nnz, sizeof *counts, "counts"},
                                     {trials, weights->rows, sizeof *trials, "trials"}};
    status = spg_check_apart(context, weights, 1, 2, arrays);
    if (status != SPG_OK) return status;
    return context->backend->sampling->multinomial_draws(context, weights, n, trials, random, counts);
}
