/* The pattern of the smoothed prolongator: row i has the aggregates of its own node and of its neighbours', ascending.
 * T has one block a row, so A*T needs no product: A's columns are replaced by their aggregates. */
#include "block_pattern.cuh"

namespace spg
{

namespace amg
{

namespace
{

spg_status make_pattern(spg_context *context, const spg_csr &A, const spg_amg_aggregates &aggregates, bool smooth,
                        spg_csr *P, int64_t *longest_row)
{
    workspace work(context);
    block_rows rows = {A.rows, A.nnz,  offsets_of(A),        A.columns, 1, aggregate_view(aggregates),
                       true,   smooth, aggregates.candidates};
    block_lists lists;
    int64_t nnz = 0;
    spg_status status = count_blocks(work, rows, &lists, &nnz, longest_row);
    if (status == SPG_OK) status = spg_check_offset_range(context, nnz, A.offset_type, "P");
    if (status == SPG_OK)
        status = spg_csr_alloc(context, A.rows, aggregates.aggregates * aggregates.candidates, nnz, A.offset_type,
                               A.value_type, P);
    if (status != SPG_OK) return status;
    status = write_blocks(context, rows, lists, P->offset_type, P->row_offsets, P->columns);
    if (status != SPG_OK) spg_csr_free(context, P);
    return status;
}

} // namespace

} // namespace amg

} // namespace spg

spg_status spg_cuda_prolongator_pattern(spg_context *context, const spg_csr *A, const spg_amg_aggregates *aggregates,
                                        bool smooth, spg_csr *P, int64_t *longest_row)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::make_pattern(context, *A, *aggregates, smooth, P, longest_row);
    spg_cuda_leave(context);
    return status;
}
