/* Kept rows, filling pass: copies the rows that counting kept in workspace to C, which has been allocated since
 * (hash_group/kept_rows.cuh).
 *
 * Input: c_offsets and the kept rows. Output: columns and values of rows up to kept.stride entries. */
#include "kept_rows.cuh"

#include "../../primitives/parts.cuh"

#include <algorithm>

namespace spg
{
namespace
{

enum { COPY_THREADS = 256, COPY_LANES = 16 };

int64_t most_to_keep(const cuda_product &product)
{
    const int64_t entry = (int64_t)(sizeof(int32_t) + spg_type_size(product.A->value_type));
    return std::max<int64_t>(KEPT_ANYWAY, KEPT_OF_OPERANDS * entry * (product.A->nnz + product.B->nnz));
}

template <typename Offset, typename Value>
__global__ void __launch_bounds__(COPY_THREADS)
    copy_rows(const Offset *c_offsets, int32_t rows, int stride, const int32_t *columns, const Value *values,
              int32_t *c_columns, Value *c_values)
{
    const int64_t i = ((int64_t)blockIdx.x * COPY_THREADS + threadIdx.x) / COPY_LANES;
    if (i >= rows) return;
    const Offset begin = c_offsets[i], length = c_offsets[i + 1] - begin;
    if (length > stride) return;
    const int64_t from = i * stride;
    for (int x = (int)threadIdx.x % COPY_LANES; x < length; x += COPY_LANES) {
        c_columns[begin + x] = columns[from + x];
        c_values[begin + x] = values[from + x];
    }
}

} // namespace

void take_kept_rows(cuda_product &product, int slots, int stride, kept_rows *kept)
{
    const int64_t entries = product.A->rows * (int64_t)stride;
    const int64_t values_bytes = part_bytes(entries * (int64_t)spg_type_size(product.A->value_type));
    const int64_t bytes = values_bytes + entries * (int64_t)sizeof(int32_t);
    *kept = {};
    if (bytes > most_to_keep(product)) return;
    kept->memory = take_spare_workspace(product, bytes);
    if (kept->memory == nullptr) return;
    kept->bytes = bytes;
    kept->slots = slots;
    kept->stride = stride;
    kept->values = kept->memory;
    kept->columns = reinterpret_cast<int32_t *>(static_cast<char *>(kept->memory) + values_bytes);
}

spg_status copy_kept_rows(cuda_product &product, const kept_rows &kept)
{
    const int32_t rows = (int32_t)product.C->rows;
    const int64_t blocks = ((int64_t)rows * COPY_LANES + COPY_THREADS - 1) / COPY_THREADS;
    return with_value_types(product, [&](auto offset, auto value) {
        using Value = decltype(value);
        copy_rows<<<(unsigned)blocks, COPY_THREADS, 0, product.cuda->stream>>>(
            static_cast<const decltype(offset) *>(product.C->row_offsets), rows, kept.stride, kept.columns,
            static_cast<const Value *>(kept.values), product.C->columns, static_cast<Value *>(product.C->values));
        return spg_cuda_check_launch(product.context, "copy_rows");
    });
}

} // namespace spg
