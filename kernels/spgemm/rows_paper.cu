/* The paper's method: see rows_paper.cuh. A row goes to the class that the limits say (section 3.1), or to the next one
 * that can hold it. Where one class has all rows they stay in natural order, else they are permuted by class. */
#include "rows_paper.cuh"

#include "row_bins.cuh"
#include "tally.cuh"

#include <algorithm>
#include <cstring>

namespace spg
{

namespace
{

/* What the kernels hold. */
spg_row_limits clamp_limits(const spg_context *context)
{
    spg_row_limits limits = spg_resolve_row_limits(context, nullptr);
    limits.thread = std::min<int64_t>(limits.thread, THREAD_MOST);
    limits.warp = std::min<int64_t>(limits.warp, WARP_MOST);
    limits.cta = std::min<int64_t>(limits.cta, CTA_MOST);
    return limits;
}

struct row_class_by_products {
    const int64_t *row_products;
    spg_row_limits limits;
    __device__ int operator()(int32_t i) const { return class_of_row(row_products[i], limits); }
};

typedef spg_status row_kernel(cuda_product &product, const row_set &rows);

/* Calls each class's kernel with its rows. */
spg_status for_each_class(cuda_product &product, const paper_rows &rows, row_kernel *const kernels[SPG_ROW_CLASSES],
                          spg_status (*global)(cuda_product &, const row_set &, const int64_t *))
{
    const int32_t *permutation = static_cast<const int32_t *>(rows.permutation);
    int64_t begin = 0;
    for (int c = 0; c < SPG_ROW_CLASSES; ++c) {
        row_set set{permutation != nullptr ? permutation + begin : nullptr, (int32_t)rows.class_rows[c], nullptr,
                    nullptr};
        begin += set.count;
        if (set.count == 0 || c == SPG_ROW_EMPTY) continue;
        spg_status status = c == SPG_ROW_GLOBAL ? global(product, set, static_cast<const int64_t *>(rows.row_products))
                                                : kernels[c](product, set);
        if (status != SPG_OK) return status;
    }
    return SPG_OK;
}

spg_status analyse(cuda_product &product, const spg_row_limits &limits, paper_rows *rows, spg_tally *found)
{
    rows->row_products_bytes = product.A->rows * (int64_t)sizeof(int64_t);
    spg_status status =
        take_workspace(product, rows->row_products_bytes, "the products of each row", &rows->row_products);
    if (status == SPG_OK) status = analyse_rows(product, limits, static_cast<int64_t *>(rows->row_products));
    unsigned int post = ++product.cuda->posts;
    if (status == SPG_OK) status = post_tally(product, post);
    if (status == SPG_OK) status = spg_cuda_wait_for_tally(product.context, post, found);
    return status;
}

/* The permutation, unless one class has all rows. */
spg_status permute(cuda_product &product, const spg_row_limits &limits, paper_rows *rows)
{
    for (int64_t count : rows->class_rows)
        if (count == product.A->rows) return SPG_OK;
    rows->permutation_bytes = product.A->rows * (int64_t)sizeof(int32_t);
    spg_status status = take_workspace(product, rows->permutation_bytes, "the rows by class", &rows->permutation);
    if (status != SPG_OK) return status;
    row_class_by_products row_class{static_cast<const int64_t *>(rows->row_products), limits};
    return bin_rows(product, row_class, SPG_ROW_CLASSES, static_cast<int32_t *>(rows->permutation), nullptr);
}

} // namespace

spg_status count_rows_paper(cuda_product &product, paper_rows *rows)
{
    spg_row_limits limits = clamp_limits(product.context);
    spg_tally found;
    spg_status status = analyse(product, limits, rows, &found);
    if (status != SPG_OK) return status;
    for (int c = 0; c < SPG_ROW_CLASSES; ++c) rows->class_rows[c] = (int64_t)found.class_rows[c];
    rows->faults = found.faults & (SPG_FAULT_A | SPG_FAULT_B);
    int64_t bytes = (product.C->rows + 1) * (int64_t)spg_type_size(product.offset_type);
    status = spg_cuda_zero_bytes(product.context, product.C->row_offsets, bytes); /* empty rows */
    if (status != SPG_OK || rows->faults != 0) return status;
    status = permute(product, limits, rows);
    row_kernel *const kernels[] = {nullptr, count_rows_thread, count_rows_warp, count_rows_cta, nullptr};
    return status == SPG_OK ? for_each_class(product, *rows, kernels, count_rows_global) : status;
}

spg_status fill_rows_paper(cuda_product &product, paper_rows *rows)
{
    row_kernel *const kernels[] = {nullptr, fill_rows_thread, fill_rows_warp, fill_rows_cta, nullptr};
    return for_each_class(product, *rows, kernels, fill_rows_global);
}

void release_paper(cuda_product &product, paper_rows *rows)
{
    give_workspace(product, rows->row_products, rows->row_products_bytes);
    give_workspace(product, rows->permutation, rows->permutation_bytes);
    memset(rows, 0, sizeof *rows);
}

} // namespace spg
