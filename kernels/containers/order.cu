/* See order.cuh. Uses CUB's radix sort, which is stable, on only the bits that keys have. */
#include "order.cuh"

#include <cub/device/device_radix_sort.cuh>

namespace spg
{

template <typename Key, typename Index>
spg_status sort_order(workspace &work, int64_t count, int bits, const char *what, key_order<Key, Index> *order)
{
    if (count == 0) return SPG_OK;
    spg_context *context = work.context;
    Index *first_order = order->order;
    spg_status status = for_each(context, count, what, [=] __device__(int64_t k) { first_order[k] = (Index)k; });
    if (status != SPG_OK) return status;
    cub::DoubleBuffer<Key> keys(order->keys, order->spare_keys);
    cub::DoubleBuffer<Index> entries(order->order, order->spare_order);
    cudaStream_t stream = spg_cuda_of(context)->stream;
    size_t bytes = 0;
    cudaError_t error = cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, entries, (Index)count, 0, bits, stream);
    status = spg_cuda_check(context, error, what);
    char *temporary = nullptr;
    if (status == SPG_OK) status = work.take((int64_t)bytes, what, &temporary);
    if (status != SPG_OK) return status;
    error = cub::DeviceRadixSort::SortPairs(temporary, bytes, keys, entries, (Index)count, 0, bits, stream);
    *order = {keys.Current(), keys.Alternate(), entries.Current(), entries.Alternate(), order->both_keys};
    return spg_cuda_check(context, error, what);
}

template spg_status sort_order(workspace &, int64_t, int, const char *, key_order<uint32_t, uint32_t> *);
template spg_status sort_order(workspace &, int64_t, int, const char *, key_order<uint64_t, uint32_t> *);
template spg_status sort_order(workspace &, int64_t, int, const char *, key_order<uint64_t, uint64_t> *);

namespace
{

template <typename Element>
spg_status fetch(spg_context *context, int64_t count, const void *from, entry_order order, void *to)
{
    const Element *source = static_cast<const Element *>(from);
    Element *target = static_cast<Element *>(to);
    return for_each(context, count, "fetching values", [=] __device__(int64_t k) { target[k] = source[order[k]]; });
}

} // namespace

spg_status fetch_values(spg_context *context, spg_type type, int64_t count, const void *from, entry_order order,
                        void *to)
{
    switch (spg_type_size(type)) {
    case 4: return fetch<uint32_t>(context, count, from, order, to);
    case 8: return fetch<uint64_t>(context, count, from, order, to);
    default: return fetch<uint4>(context, count, from, order, to);
    }
}

spg_status are_in_order(spg_context *context, const int32_t *rows, const int32_t *columns, int64_t count,
                        bool *in_order)
{
    *in_order = true;
    if (count < 2) return SPG_OK;
    spg_report *shared = spg_cuda_of(context)->report, report;
    spg_status status = clear_report(context);
    if (status == SPG_OK)
        status = for_each(context, count - 1, "looking for triples out of order", [=] __device__(int64_t k) {
            bool falls = rows[k] > rows[k + 1];
            if (columns != nullptr && rows[k] == rows[k + 1]) falls = columns[k] > columns[k + 1];
            if (falls) report_first(&shared->first[0], k);
        });
    if (status == SPG_OK) status = read_report(context, &report);
    if (status == SPG_OK) *in_order = report.first[0] == NONE_FIRST;
    return status;
}

} // namespace spg
