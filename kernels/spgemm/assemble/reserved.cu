/* Arrays for C that are allocated before its entries are counted (assemble/reserved.cuh). */
#include "reserved.cuh"

#include <algorithm>

namespace spg
{

namespace
{

/* Bytes of an entry of C. */
int64_t entry_bytes(const cuda_product &product)
{
    return (int64_t)spg_type_size(product.C->value_type) + (int64_t)sizeof(int32_t);
}

} // namespace

/* Under a workspace limit, all of it counts as workspace: C may turn out to have few entries. */
void reserve_arrays(cuda_product &product, int64_t room, int64_t words, reserved_arrays *reserved)
{
    const int64_t value_bytes = (int64_t)spg_type_size(product.C->value_type);
    const int64_t bytes = words * (int64_t)sizeof(unsigned long long), limit = product.context->config.workspace_limit;
    if (limit > 0 && room * entry_bytes(product) + bytes > (limit - product.held_bytes) / 2) return;
    if (!take_spare(product, bytes, reserved)) return;
    void *columns = nullptr;
    if (!spg_reserve(product.context, room * value_bytes, &reserved->values)) return;
    if (!spg_reserve(product.context, room * (int64_t)sizeof(int32_t), &columns)) {
        spg_cancel_reservation(product.context, reserved->values);
        reserved->values = nullptr;
        return;
    }
    reserved->columns = static_cast<int32_t *>(columns);
    reserved->room = room;
}

bool may_commit_reserved(const cuda_product &product, const reserved_arrays &reserved, unsigned long long nnz)
{
    if (nnz > (unsigned long long)reserved.room) return false;
    const int64_t limit = product.context->config.workspace_limit, spare = reserved.room - (int64_t)nnz;
    if (spare > (int64_t)nnz / RESERVED_MOST_SPARE + RESERVED_MORE_SPARE) return false;
    return limit == 0 ||
           spare * entry_bytes(product) <= (limit - product.held_bytes) / 2; /* rows left over need some too */
}

void commit_reserved(cuda_product &product, reserved_arrays *reserved)
{
    spg_csr *C = product.C;
    const auto value_bytes = (int64_t)spg_type_size(C->value_type);
    C->values = spg_trim(product.context, reserved->values, C->nnz * value_bytes);
    C->columns =
        static_cast<int32_t *>(spg_trim(product.context, reserved->columns, C->nnz * (int64_t)sizeof(int32_t)));
    const int64_t spare = (reserved->room - C->nnz) * entry_bytes(product);
    product.held_bytes += spare;
    product.most_held_bytes = std::max(product.most_held_bytes, product.held_bytes);
    reserved->values = nullptr;
    reserved->columns = nullptr;
}

void release_reserved(cuda_product &product, reserved_arrays *reserved)
{
    spg_cancel_reservation(product.context, reserved->values);
    spg_cancel_reservation(product.context, reserved->columns);
    give_workspace(product, reserved->memory, reserved->bytes);
    *reserved = {};
}

} // namespace spg
