/* Class global, sorting and contraction: keys are sorted by CUB on just the bits they use, runs of equal keys are
 * summed.
 *
 * In: the keys of a slice's products in storage order and, if values are wanted, that order. Out: the lengths of its
 * rows of C (count_heads), or their columns and values (place_rows, contract). The sort is stable and one thread sums a
 * run from begin to end, so every sum is in storage order, as on the host. Dalton, Bell, Olson, sections 3.1 (Algorithm
 * 1) and 3.2. */
#include "global.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

#include <algorithm>

namespace spg
{
namespace
{

struct is_head {
    global_keys keys;
    __device__ bool operator()(uint32_t k) const { return k == 0 || key_at(keys, k) != key_at(keys, (int64_t)k - 1); }
};

template <typename Key> cub::DoubleBuffer<Key> keys_of(const global_products &products)
{
    return {static_cast<Key *>(products.halves[products.current]), static_cast<Key *>(spare_of(products))};
}

/* Sorts; with temporary = NULL returns the bytes that CUB needs. */
template <typename Key>
cudaError_t sort_keys(void *temporary, size_t &bytes, global_products *products, cudaStream_t stream)
{
    cub::DoubleBuffer<Key> keys = keys_of<Key>(*products);
    const int bits = std::max(products->keys.row_bits + products->keys.column_bits, 1), count = (int)products->count;
    cudaError_t error;
    if (products->order_at > 0) {
        char *spare = static_cast<char *>(spare_of(*products));
        cub::DoubleBuffer<uint32_t> order(order_of(*products),
                                          reinterpret_cast<uint32_t *>(spare + products->order_at));
        error = cub::DeviceRadixSort::SortPairs(temporary, bytes, keys, order, count, 0, bits, stream);
    } else {
        error = cub::DeviceRadixSort::SortKeys(temporary, bytes, keys, count, 0, bits, stream);
    }
    /* Keys and order switch halves together. */
    if (temporary != nullptr && keys.selector == 1) products->current = 1 - products->current;
    return error;
}

cudaError_t sort_either(void *temporary, size_t &bytes, global_products *products, cudaStream_t stream)
{
    return products->keys.wide ? sort_keys<uint64_t>(temporary, bytes, products, stream)
                               : sort_keys<uint32_t>(temporary, bytes, products, stream);
}

cudaError_t select_heads(void *temporary, size_t &bytes, const global_products &products, cudaStream_t stream)
{
    return cub::DeviceSelect::If(temporary, bytes, thrust::counting_iterator<uint32_t>(0), products.heads,
                                 products.head_count, (int)products.count, is_head{products.keys}, stream);
}

/* The number of ascending heads before product k. */
__device__ int64_t heads_before(const uint32_t *heads, uint32_t count, int64_t k)
{
    return first_that(0u, count, [=](uint32_t head) { return heads[head] >= k; });
}

/* A slice has whole rows, so every row with products begins with a head. */
template <typename Offset>
__global__ void __launch_bounds__(GLOBAL_BLOCK)
    count_heads_kernel(patterns<Offset> pattern, global_slice slice, const uint32_t *heads, const uint32_t *head_count)
{
    counts found{};
    const uint32_t count = *head_count;
    for (int64_t r = (int64_t)blockIdx.x * GLOBAL_BLOCK + threadIdx.x; r < slice.rows;
         r += (int64_t)gridDim.x * GLOBAL_BLOCK) {
        const int64_t begin = slice.products[r] - slice.products[0], end = slice.products[r + 1] - slice.products[0];
        const int64_t length =
            end > begin ? heads_before(heads, count, end) - heads_before(heads, count, begin) : (int64_t)0;
        pattern.c_offsets[row_at(slice.set, slice.first + (int32_t)r)] = (Offset)length;
        found.add_row((unsigned int)length, (unsigned long long)(end - begin));
    }
    add_counts(pattern.counters, found);
}

template <typename Offset>
__global__ void __launch_bounds__(GLOBAL_BLOCK)
    place_rows_kernel(patterns<Offset> pattern, global_slice slice, const uint32_t *heads, const uint32_t *head_count,
                      int64_t *bases)
{
    const uint32_t count = *head_count;
    for (int64_t r = (int64_t)blockIdx.x * GLOBAL_BLOCK + threadIdx.x; r < slice.rows;
         r += (int64_t)gridDim.x * GLOBAL_BLOCK)
        bases[r] = (int64_t)pattern.c_offsets[row_at(slice.set, slice.first + (int32_t)r)] -
                   heads_before(heads, count, slice.products[r] - slice.products[0]);
}

/* The run of products with key j, added to `sum` one after the other. */
template <typename Value>
__device__ Value add_run(const global_products &products, uint32_t count, int64_t j, const uint32_t *order,
                         const Value *expanded, Value sum)
{
    const int64_t end = j + 1 < count ? products.heads[j + 1] : products.count;
#pragma unroll 4
    for (int64_t k = products.heads[j]; k < end; ++k) sum = add(sum, expanded[order[k]]);
    return sum;
}

template <typename Value>
__global__ void __launch_bounds__(GLOBAL_BLOCK)
    contract_kernel(numbers<Value> number, global_products products, const uint32_t *order, const Value *expanded)
{
    const uint32_t count = *products.head_count;
    const uint64_t column_mask = ((uint64_t)1 << products.keys.column_bits) - 1;
    for (int64_t j = (int64_t)blockIdx.x * GLOBAL_BLOCK + threadIdx.x; j < count;
         j += (int64_t)gridDim.x * GLOBAL_BLOCK) {
        const uint64_t key = key_at(products.keys, products.heads[j]);
        const int64_t to = products.bases[key >> products.keys.column_bits] + j;
        number.c_columns[to] = (int32_t)(key & column_mask);
        if constexpr (has_values<Value>)
            number.c_values[to] = add_run(products, count, j, order, expanded, zero<Value>());
    }
}

template <typename Offset, typename Value>
__global__ void __launch_bounds__(GLOBAL_BLOCK)
    add_to_row_kernel(patterns<Offset> pattern, numbers<Value> number, global_slice slice, global_products products,
                      const uint32_t *order, const Value *expanded)
{
    const uint32_t count = *products.head_count;
    const int32_t i = row_at(slice.set, slice.first);
    const Offset c_begin = pattern.c_offsets[i], c_end = pattern.c_offsets[i + 1];
    for (int64_t j = (int64_t)blockIdx.x * GLOBAL_BLOCK + threadIdx.x; j < count;
         j += (int64_t)gridDim.x * GLOBAL_BLOCK) {
        const auto column = (int32_t)key_at(products.keys, products.heads[j]);
        const Offset to = first_that(c_begin, c_end, [&](Offset k) { return number.c_columns[k] >= column; });
        number.c_values[to] = add_run(products, count, j, order, expanded, number.c_values[to]);
    }
}

} // namespace

void lay_out_products(const cuda_product &product, bool counting, int64_t count, int32_t rows, part_taker *parts,
                      global_products *products)
{
    const bool ordered = !counting && !product.pattern_only;
    const int64_t value = ordered ? (int64_t)spg_type_size(product.A->value_type) : 0;
    const int64_t keys = part_bytes(count * (products->keys.wide ? 8 : 4));
    const int64_t half = std::max(keys + (ordered ? part_bytes(count * 4) : 0), count * value);
    products->count = count;
    products->current = 0;
    products->order_at = ordered ? keys : 0;
    for (void *&side : products->halves) parts->take(half, &side);
    parts->take_array(ordered ? count : 0, &products->heads);
    parts->take_array(1, &products->head_count);
    parts->take_array(rows, &products->bases);
    products->keys.data = products->halves[0];
}

int64_t bytes_per_product(const cuda_product &product, bool counting)
{
    if (counting || product.pattern_only) return 16;
    return 2 * std::max((int64_t)12, (int64_t)spg_type_size(product.A->value_type)) + 4;
}

spg_status temporary_bytes_within(cuda_product &product, bool counting, int64_t bytes, int64_t *temporary)
{
    const int64_t count = std::min<int64_t>(bytes / bytes_per_product(product, counting), 1 << 30);
    size_t most = 0;
    spg_status status = scan_bytes(product, bytes / ENTRY_BYTES, &most);
    for (int row_bits = 1; status == SPG_OK && row_bits <= 31; row_bits += 30) {
        global_products products;
        products.keys = {nullptr, row_bits > 1, row_bits, 31};
        part_taker nothing{nullptr, 0};
        lay_out_products(product, counting, count, 1, &nothing, &products);
        size_t sorting = 0;
        status = sort_bytes(product, products, &sorting);
        most = std::max(most, sorting);
    }
    *temporary = (int64_t)most;
    return status;
}

spg_status sort_bytes(cuda_product &product, const global_products &products, size_t *bytes)
{
    size_t sorting = 0, selecting = 0;
    global_products copy = products;
    cudaError_t error = sort_either(nullptr, sorting, &copy, nullptr);
    if (error == cudaSuccess) error = select_heads(nullptr, selecting, products, nullptr);
    *bytes = std::max(sorting, selecting);
    return spg_cuda_check(product.context, error, "sizing the sort of a slice");
}

spg_status sort_products(cuda_product &product, global_products *products)
{
    size_t bytes = products->temporary.bytes;
    cudaError_t error = sort_either(products->temporary.memory, bytes, products, product.cuda->stream);
    products->keys.data = products->halves[products->current];
    if (products->order_at == 0) products->heads = static_cast<uint32_t *>(spare_of(*products));
    return spg_cuda_check(product.context, error, "the sort of a slice");
}

spg_status find_heads(cuda_product &product, const global_products &products)
{
    size_t bytes = products.temporary.bytes;
    return spg_cuda_check(product.context,
                          select_heads(products.temporary.memory, bytes, products, product.cuda->stream),
                          "the heads of a slice");
}

spg_status count_heads(cuda_product &product, const global_slice &slice, const global_products &products)
{
    const int blocks = grid_for(product, slice.rows, 1, GLOBAL_BLOCK);
    return launch_typed(product, "the lengths of a slice", [&](auto offset, cudaStream_t stream) {
        count_heads_kernel<<<blocks, GLOBAL_BLOCK, 0, stream>>>(patterns_of<decltype(offset)>(product), slice,
                                                                products.heads, products.head_count);
    });
}

spg_status place_rows(cuda_product &product, const global_slice &slice, const global_products &products)
{
    const int blocks = grid_for(product, slice.rows, 1, GLOBAL_BLOCK);
    return launch_typed(product, "the places of a slice", [&](auto offset, cudaStream_t stream) {
        place_rows_kernel<<<blocks, GLOBAL_BLOCK, 0, stream>>>(patterns_of<decltype(offset)>(product), slice,
                                                               products.heads, products.head_count, products.bases);
    });
}

spg_status contract(cuda_product &product, const global_products &products)
{
    const int blocks = grid_for(product, products.count, 1, GLOBAL_BLOCK);
    auto launch = [&](auto value) {
        using Value = decltype(value);
        const uint32_t *order = products.order_at > 0 ? order_of(products) : nullptr;
        contract_kernel<<<blocks, GLOBAL_BLOCK, 0, product.cuda->stream>>>(
            numbers_of<Value>(product), products, order, static_cast<const Value *>(spare_of(products)));
        return spg_cuda_check_launch(product.context, "the contraction of a slice");
    };
    return product.pattern_only ? launch(none{}) : with_value_type(product.A->value_type, launch);
}

spg_status add_to_row(cuda_product &product, const global_slice &slice, const global_products &products)
{
    const int blocks = grid_for(product, products.count, 1, GLOBAL_BLOCK);
    return with_value_types(product, [&](auto offset, auto value) {
        using Value = decltype(value);
        add_to_row_kernel<<<blocks, GLOBAL_BLOCK, 0, product.cuda->stream>>>(
            patterns_of<decltype(offset)>(product), numbers_of<Value>(product), slice, products, order_of(products),
            static_cast<const Value *>(spare_of(products)));
        return spg_cuda_check_launch(product.context, "the sums of a long row");
    });
}

} // namespace spg
