/* See container_calls.h. */
#include "container_calls.h"

#include <stdlib.h>
#include <string.h>

static spg_status csr_alloc(spg_context *context, container_inputs *in, container_outputs *out)
{
    return spg_csr_alloc(context, in->csr.rows, 300, in->csr.nnz, SPG_I64, SPG_C64, &out->csr);
}

static spg_status csr_copy(spg_context *context, container_inputs *in, container_outputs *out)
{
    return spg_csr_copy(context, &in->csr, &out->csr);
}

static spg_status csr_check(spg_context *context, container_inputs *in, container_outputs *out)
{
    (void)out;
    return spg_csr_check(context, &in->csr);
}

static spg_status csr_sort(spg_context *context, container_inputs *in, container_outputs *out)
{
    (void)out;
    return spg_csr_sort(context, &in->csr);
}

static spg_status csr_transpose(spg_context *context, container_inputs *in, container_outputs *out)
{
    return spg_csr_transpose(context, &in->csr, &out->csr);
}

static spg_status csr_spmv(spg_context *context, container_inputs *in, container_outputs *out)
{
    (void)out;
    return spg_csr_spmv(context, NULL, &in->csr, in->x, NULL, in->y);
}

static spg_status csr_from_coo(spg_context *context, container_inputs *in, container_outputs *out)
{
    return spg_csr_from_coo(context, &in->coo, SPG_I32, &out->csr);
}

static spg_status coo_alloc(spg_context *context, container_inputs *in, container_outputs *out)
{
    return spg_coo_alloc(context, in->coo.rows, 300, in->coo.nnz, SPG_C64, &out->coo);
}

static spg_status coo_transpose(spg_context *context, container_inputs *in, container_outputs *out)
{
    return spg_coo_transpose(context, &in->coo, &out->coo);
}

static spg_status coo_spmv(spg_context *context, container_inputs *in, container_outputs *out)
{
    (void)out;
    return spg_coo_spmv(context, NULL, &in->coo, in->x, NULL, in->y);
}

static spg_status coo_from_csr(spg_context *context, container_inputs *in, container_outputs *out)
{
    return spg_coo_from_csr(context, &in->csr, &out->coo);
}

static spg_status csr_add(spg_context *context, container_inputs *in, container_outputs *out)
{
    const double alpha = 3;
    return spg_csr_add(context, &alpha, &in->csr, NULL, &in->csr, &out->csr);
}

static spg_status csr_scale(spg_context *context, container_inputs *in, container_outputs *out)
{
    (void)out;
    return spg_csr_scale(context, in->y, in->x, &in->csr);
}

static spg_status csr_diagonal(spg_context *context, container_inputs *in, container_outputs *out)
{
    (void)out;
    return spg_csr_diagonal(context, &in->csr, in->y);
}

static spg_status csr_permute(spg_context *context, container_inputs *in, container_outputs *out)
{
    return spg_csr_permute(context, &in->csr, NULL, in->columns, &out->csr);
}

static spg_status csr_extract(spg_context *context, container_inputs *in, container_outputs *out)
{
    const spg_indices rows = {0, 30, in->columns + 270}, columns = {0, 200, in->columns};
    return spg_csr_extract(context, &in->csr, &rows, &columns, &out->csr);
}

static spg_status csr_drop(spg_context *context, container_inputs *in, container_outputs *out)
{
    const spg_drop_rule rule = {0.1, 0.5, 1};
    return spg_csr_drop(context, &in->csr, &rule, &out->csr);
}

static spg_status csr_compare(spg_context *context, container_inputs *in, container_outputs *out)
{
    return spg_csr_compare(context, &in->csr, &in->csr, &out->difference);
}

static spg_status coo_sort(spg_context *context, container_inputs *in, container_outputs *out)
{
    (void)out;
    return spg_coo_sort(context, &in->coo);
}

/* Those that change their input come last. */
const container_call test_container_calls[TEST_CONTAINER_CALLS] = {
    {"spg_csr_alloc", csr_alloc},     {"spg_csr_copy", csr_copy},
    {"spg_csr_check", csr_check},     {"spg_csr_transpose", csr_transpose},
    {"spg_csr_spmv", csr_spmv},       {"spg_csr_from_coo", csr_from_coo},
    {"spg_coo_alloc", coo_alloc},     {"spg_coo_transpose", coo_transpose},
    {"spg_coo_spmv", coo_spmv},       {"spg_coo_from_csr", coo_from_csr},
    {"spg_csr_add", csr_add},         {"spg_csr_diagonal", csr_diagonal},
    {"spg_csr_permute", csr_permute}, {"spg_csr_extract", csr_extract},
    {"spg_csr_drop", csr_drop},       {"spg_csr_compare", csr_compare},
    {"spg_csr_scale", csr_scale},     {"spg_csr_sort", csr_sort},
    {"spg_coo_sort", coo_sort},
};

void test_open_inputs(spg_context *context, int64_t rows, double mean, container_inputs *inputs)
{
    unsigned flags = TEST_UNSORTED | TEST_DUPLICATES;
    spg_csr csr;
    spg_coo coo;
    test_random_csr(test_host(), (test_matrix){rows, 300, mean, SPG_I32, SPG_F64}, 7, flags, &csr);
    test_random_coo(test_host(), rows, 300, mean, SPG_F64, 8, flags, &coo);
    test_to_place(context, &csr, &inputs->csr);
    test_coo_to_place(context, &coo, &inputs->coo);
    spg_csr_free(test_host(), &csr);
    spg_coo_free(test_host(), &coo);
    void *zeros = test_array(rows + 300, sizeof(double));
    inputs->x = test_lend(zeros, 300 * sizeof(double));
    inputs->y = test_lend(zeros, (size_t)rows * sizeof(double));
    free(zeros);
    int32_t columns[300];
    for (int j = 0; j < 300; ++j) columns[j] = 299 - j;
    inputs->columns = test_lend(columns, sizeof columns);
}

void test_close_inputs(spg_context *context, container_inputs *inputs)
{
    test_give_back(inputs->x, 300 * sizeof(double));
    test_give_back(inputs->y, (size_t)inputs->csr.rows * sizeof(double));
    test_give_back(inputs->columns, 300 * sizeof *inputs->columns);
    spg_csr_free(context, &inputs->csr);
    spg_coo_free(context, &inputs->coo);
}

spg_status test_run_container_call(spg_context *context, const container_call *call, container_inputs *inputs)
{
    container_outputs outputs;
    memset(&outputs, 0, sizeof outputs);
    spg_status status = call->run(context, inputs, &outputs);
    if (status == SPG_OK) {
        spg_csr_free(context, &outputs.csr);
        spg_coo_free(context, &outputs.coo);
        return status;
    }
    if (status != SPG_ERROR_MEMORY || strstr(spg_context_message(context), " bytes") == NULL)
        fail_msg("%s: %s: %s", call->name, spg_status_name(status), spg_context_message(context));
    test_assert_zeroed(&outputs, sizeof outputs);
    return status;
}
