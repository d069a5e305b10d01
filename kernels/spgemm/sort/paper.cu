/* The paper's method (sort/paper.cuh). A row goes to the class of its limit (section 3.1), or to the next class that
 * can hold it. If one class has all rows, they stay in natural order; otherwise they are permuted by class. */
#include "paper.cuh"

#include "../analysis/row_bins.cuh"
#include "../assemble/assemble.cuh"
#include "../driver/counters.cuh"
#include "../long_rows/long_rows.cuh"

#include <algorithm>

namespace spg
{

namespace
{

/* Limits within what the kernels hold. */
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
    __device__ int operator()(int32_t i) const { return spg_classify(row_products[i], &limits); }
};

/* The rows of a class other than empty and global. */
spg_status do_class(cuda_product &product, int row_class, const row_set &rows, bool filling)
{
    return row_class == SPG_ROW_THREAD ? do_rows_thread(product, rows, filling)
           : row_class == SPG_ROW_WARP ? do_rows_warp(product, rows, filling)
                                       : do_rows_cta(product, rows, filling);
}

spg_status do_all_classes(cuda_product &product, const paper_rows &rows, bool filling)
{
    const int32_t *permutation = static_cast<const int32_t *>(rows.permutation.memory);
    int64_t begin = 0;
    for (int c = 0; c < SPG_ROW_CLASSES; ++c) {
        row_set set{permutation != nullptr ? permutation + begin : nullptr, (int32_t)rows.class_rows[c], nullptr,
                    nullptr};
        begin += set.count;
        if (set.count == 0 || c == SPG_ROW_EMPTY) continue;
        spg_status status = c == SPG_ROW_GLOBAL ? do_rows_global(product, set, rows.products.memory, filling)
                                                : do_class(product, c, set, filling);
        if (status != SPG_OK) return status;
    }
    return SPG_OK;
}

spg_status analyse_and_wait(cuda_product &product, const spg_row_limits &limits, paper_rows *rows, spg_counters *found)
{
    spg_status status = analyse_rows(product, limits, &rows->products);
    unsigned int post = ++product.cuda->posts;
    if (status == SPG_OK) status = post_counters(product, post);
    if (status == SPG_OK) status = spg_cuda_wait_for_counters(product.context, post, found);
    return status;
}

/* The permutation, followed by where each class begins and how many rows it has. */
spg_status permute(cuda_product &product, const spg_row_limits &limits, paper_rows *rows)
{
    rows->permutation.bytes = (product.A->rows + 2 * SPG_ROW_CLASSES) * (int64_t)sizeof(int32_t);
    spg_status status =
        take_workspace(product, rows->permutation.bytes, "the rows by class", &rows->permutation.memory);
    if (status != SPG_OK) return status;
    row_class_by_products row_class{rows->products.memory, limits};
    int32_t *const permutation = static_cast<int32_t *>(rows->permutation.memory);
    uint32_t *const begins = reinterpret_cast<uint32_t *>(permutation + product.A->rows);
    return bin_rows(product, {nullptr, (int32_t)product.A->rows, nullptr}, row_class, SPG_ROW_CLASSES, permutation,
                    begins);
}

bool is_of_one_class(const cuda_product &product, const paper_rows &rows)
{
    for (int64_t count : rows.class_rows)
        if (count == product.A->rows) return true;
    return false;
}

} // namespace

spg_status count_rows_paper(cuda_product &product, paper_rows *rows)
{
    spg_row_limits limits = clamp_limits(product.context);
    spg_counters found;
    spg_status status = analyse_and_wait(product, limits, rows, &found);
    if (status != SPG_OK) return status;
    for (int c = 0; c < SPG_ROW_CLASSES; ++c) rows->class_rows[c] = (int64_t)found.class_rows[c];
    rows->faults = found.faults & (SPG_FAULT_A | SPG_FAULT_B);
    status = zero_lengths(product);
    if (status != SPG_OK || rows->faults != 0) return status;
    if (!is_of_one_class(product, *rows)) status = permute(product, limits, rows);
    return status == SPG_OK ? do_all_classes(product, *rows, false) : status;
}

bool may_count_unsorted(const cuda_product &product)
{
    const int64_t limit = product.context->config.workspace_limit, left = (limit - product.held_bytes) / 2;
    const int64_t bytes = product.A->rows * (int64_t)(sizeof(int64_t) + sizeof(int32_t));
    return limit == 0 || bytes + GLOBAL_LEAST <= left;
}

spg_status count_rows_unsorted(cuda_product &product, paper_rows *rows)
{
    spg_row_limits limits = clamp_limits(product.context);
    spg_status status = analyse_rows(product, limits, &rows->products);
    if (status == SPG_OK) status = forget_products(product);
    if (status == SPG_OK) status = zero_lengths(product);
    if (status == SPG_OK) status = permute(product, limits, rows);
    const int32_t *permutation = static_cast<const int32_t *>(rows->permutation.memory);
    const uint32_t *begins = reinterpret_cast<const uint32_t *>(permutation + product.A->rows);
    for (int c = SPG_ROW_THREAD; c < SPG_ROW_CLASSES && status == SPG_OK; ++c) {
        const row_set set{permutation, (int32_t)product.A->rows, begins + SPG_ROW_CLASSES + c, begins + c};
        status = c == SPG_ROW_GLOBAL ? count_columns_in_any_order(product, set) : do_class(product, c, set, false);
    }
    return status;
}

spg_status fill_rows_paper(cuda_product &product, paper_rows *rows) { return do_all_classes(product, *rows, true); }

} // namespace spg
