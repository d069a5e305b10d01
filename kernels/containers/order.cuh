/* Stable orders of entries by key, and what is moved with them. Values are not sorted but fetched by the resulting
 * order, so that one sort serves all types. Private. */
#ifndef SPG_KERNELS_CONTAINERS_ORDER_CUH
#define SPG_KERNELS_CONTAINERS_ORDER_CUH

#include "entries.cuh"

namespace spg
{

/* Keys and the entries they belong to. After the sort, `spare_keys` and `spare_order` are free. */
template <typename Key, typename Index> struct key_order {
    Key *keys, *spare_keys;
    Index *order, *spare_order;
    Key *both_keys; /* its halves are keys and spare_keys, in either order */

    entry_order view() const { return {order, sizeof(Index) == 8}; }
};

template <typename Key, typename Index>
spg_status allocate_order(workspace &work, int64_t count, const char *what, key_order<Key, Index> *order)
{
    spg_status status = work.take(2 * count, what, &order->both_keys);
    if (status == SPG_OK) status = work.take(2 * count, what, &order->order);
    order->keys = order->both_keys;
    order->spare_keys = order->both_keys + count;
    order->spare_order = order->order + count;
    return status;
}

/* Sorts `keys`, all below 2^bits, and sets `order`. Defined in order.cu for (uint32_t, uint32_t), (uint64_t, uint32_t)
 * and (uint64_t, uint64_t). */
template <typename Key, typename Index>
spg_status sort_order(workspace &work, int64_t count, int bits, const char *what, key_order<Key, Index> *order);

/* Calls function(Index{}) with a type that can number `count` entries. */
template <typename Function> spg_status with_index_type(int64_t count, Function &&function)
{
    return count <= (int64_t)UINT32_MAX ? function(uint32_t{}) : function(uint64_t{});
}

/* to[k] = from[order[k]] for elements of a value type. */
spg_status fetch_values(spg_context *context, spg_type type, int64_t count, const void *from, entry_order order,
                        void *to);

/* Places of a matrix as keys: row, then column. */
struct place_code {
    int row_bits, column_bits;

    int bits() const { return row_bits + column_bits; }
    __host__ __device__ uint64_t key(int64_t row, int32_t column) const
    {
        return (uint64_t)row << column_bits | (uint32_t)column;
    }
    __host__ __device__ int32_t row(uint64_t key) const { return (int32_t)(key >> column_bits); }
    __host__ __device__ int32_t column(uint64_t key) const
    {
        return (int32_t)(key & (((uint64_t)1 << column_bits) - 1));
    }
};

/* Bits of the numbers below `limit`, at least one. */
inline int bits_below(int64_t limit)
{
    int bits = 1;
    while (bits < 63 && (int64_t)1 << bits < limit) ++bits;
    return bits;
}

inline place_code code_of(int64_t rows, int64_t cols) { return {bits_below(rows), bits_below(cols)}; }

/* Writes sorted places to their matrix: columns, and row_indices unless NULL, from the sorted keys; the values through
 * the memory of the keys, which is then free. */
template <typename Index>
spg_status store_order(spg_context *context, const key_order<uint64_t, Index> &order, place_code code, int64_t count,
                       spg_type type, int32_t *row_indices, int32_t *columns, void *values)
{
    const uint64_t *keys = order.keys;
    spg_status status = for_each(context, count, "storing sorted entries", [=] __device__(int64_t k) {
        columns[k] = code.column(keys[k]);
        if (row_indices != nullptr) row_indices[k] = code.row(keys[k]);
    });
    if (status == SPG_OK) status = fetch_values(context, type, count, values, order.view(), order.both_keys);
    int64_t bytes = spg_array_bytes(count, spg_type_size(type));
    return status == SPG_OK ? spg_cuda_copy_on_device(context, values, order.both_keys, bytes) : status;
}

/* Whether the triples are in the order of their places, or, without columns, of their rows. Waits. */
spg_status are_in_order(spg_context *context, const int32_t *rows, const int32_t *columns, int64_t count,
                        bool *in_order);

} // namespace spg

#endif
