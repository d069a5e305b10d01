/* The public call of draws without replacement: checks, and dispatch to the backend. */
#include "backend.h"
#include "check.h"

spg_status spg_subset_draw(spg_context *context, const spg_csr *weights, int64_t k, const spg_random *random,
                           int32_t *draws)
{
    if (context == NULL) return SPG_ERROR_ARGUMENT;
    spg_status status = spg_check_samples_here(context);
    if (status == SPG_OK) status = spg_check_weights(context, weights);
    if (status == SPG_OK) status = spg_check_count(context, k, "k");
    if (status == SPG_OK) status = spg_check_random(context, random, NULL);
    if (status != SPG_OK) return status;
    if (k > INT32_MAX)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "k is %lld; no row has more than 2147483647 items",
                                (long long)k);
    if (k > 0 && weights->rows > INT64_MAX / (int64_t)sizeof *draws / k)
        return spg_context_fail(context, SPG_ERROR_OVERFLOW,
                                "%lld draws from each of %lld rows are more than memory "
                                "can hold",
                                (long long)k, (long long)weights->rows);
    status = spg_check_array(context, k * weights->rows, draws, sizeof *draws, "draws");
    const spg_call_array written = {draws, k * weights->rows, sizeof *draws, "draws"};
    if (status == SPG_OK) status = spg_check_apart(context, weights, 1, 1, &written);
    if (status != SPG_OK || k == 0 || weights->rows == 0) return status;
    return context->backend->sampling->subset_draws(context, weights, k, random, draws);
}
