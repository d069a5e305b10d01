/* The function table of the host backend. */
#include "amg/amg_backend.h"
#include "host.h"
#include "operations/host_operations.h"
#include "sampling/host_sampling.h"
#include "vector.h"
#include "work.h"

#include <stdio.h>
#include <string.h>

static void describe(const spg_context *context, char *text, size_t size)
{
    int threads = context->config.threads;
    static const char *const levels[] = {"portable code", "AVX2", "AVX-512"};
    snprintf(text, size, "host, %d thread%s, %s", threads, threads == 1 ? "" : "s", levels[spg_host_vector_level()]);
}

static spg_status copy_bytes(spg_context *context, void *to, spg_place to_place, const void *from, spg_place from_place,
                             int64_t bytes)
{
#ifdef SPG_WITH_CUDA
    if (to_place == SPG_PLACE_HOST && from_place == SPG_PLACE_DEVICE)
        return spg_cuda_copy_to_host(context, to, from, bytes);
#endif
    if (to_place != SPG_PLACE_HOST || from_place != SPG_PLACE_HOST)
        return spg_context_fail(context, SPG_ERROR_PLACE, "a context on the host cannot copy between these places");
    spg_host_copy(context, to, from, bytes);
    return SPG_OK;
}

static spg_status zero_bytes(spg_context *context, void *memory, int64_t bytes)
{
    (void)context;
    if (bytes > 0) memset(memory, 0, (size_t)bytes);
    return SPG_OK;
}

/* All threads work on the current call, so there is no side stream. */
static spg_status begin_side_stream(spg_context *context, bool *is_forked)
{
    (void)context;
    *is_forked = false;
    return SPG_OK;
}

/* The limits of the paper's GPU (section 3.3), used on the host as well: they describe rows there too. */
static const spg_backend backend = {
    .place = SPG_PLACE_HOST,
    .default_limits = {32, 736, 6144},
    .describe = describe,
    .copy_bytes = copy_bytes,
    .zero_bytes = zero_bytes,
    .begin_side_stream = begin_side_stream,
    .csr_check = spg_host_csr_check,
    .csr_sort = spg_host_csr_sort,
    .csr_transpose = spg_host_csr_transpose,
    .csr_transpose_begin = spg_host_csr_transpose_begin,
    .csr_transpose_end = spg_host_csr_transpose_end,
    .csr_spmv = spg_host_csr_spmv,
    .csr_from_coo = spg_host_csr_from_coo,
    .coo_check = spg_host_coo_check,
    .coo_sort = spg_host_coo_sort,
    .coo_spmv = spg_host_coo_spmv,
    .coo_from_csr = spg_host_coo_from_csr,
    .product_analysis = spg_host_product_analysis,
    .product_begin = spg_host_product_begin,
    .product_multiply = spg_host_product_multiply,
    .product_assemble = spg_host_product_assemble,
    .product_end = spg_host_product_end,
    .plan_create = spg_host_plan_create,
    .plan_allocate_result = spg_host_plan_allocate_result,
    .plan_compare_result = spg_host_plan_compare_result,
    .plan_check = spg_host_plan_check,
    .plan_run = spg_host_plan_run,
    .plan_destroy = spg_host_plan_destroy,
    .operations = &spg_host_operations,
    .amg = &spg_host_amg_backend,
    .sampling = &spg_host_sampling,
};

const spg_backend *spg_host_backend(void) { return &backend; }
