/* The device's table of operations. */
#include "cuda_operations.h"

const spg_operations_backend spg_cuda_operations = {
    .add = spg_cuda_add,
    .scale = spg_cuda_scale,
    .diagonal = spg_cuda_diagonal,
    .select = spg_cuda_select,
    .drop = spg_cuda_drop,
    .compare = spg_cuda_compare,
    .spmm = spg_cuda_spmm,
    .real_form_pattern = spg_cuda_real_form_pattern,
    .real_form_values = spg_cuda_real_form_values,
};
