/* Scans lengths into row offsets and allocates C (assemble/assemble.cuh). The scan has the type of the offsets. If the
 * sum does not fit, allocate_entries refuses it by the counters' 64-bit count before anything reads through the
 * offsets. */
#include "assemble.cuh"

#include "../../containers/entries.cuh"
#include "../../primitives/scan.cuh"
#include "../driver/counters.cuh"

#include <cub/device/device_scan.cuh>

#include <algorithm>

namespace spg
{

namespace
{

enum { THREADS = 256 };

template <typename Offset>
__global__ void __launch_bounds__(THREADS) difference(const Offset *offsets, int64_t rows, Offset *lengths)
{
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < rows) lengths[i] = offsets[i + 1] - offsets[i];
}

template <typename Offset>
__global__ void send_counters_alone(spg_counters *counters, spg_mailbox *mailbox, unsigned int number,
                                    Offset *last_length)
{
    send_counters(counters, mailbox, number);
    if (threadIdx.x == 0) *last_length = 0;
}

unsigned int blocks_for(int64_t count) { return (unsigned int)((count + THREADS - 1) / THREADS); }

} // namespace

static spg_status scan_all(cuda_product &product)
{
    return with_offset_type(product.offset_type, [&](auto offset) {
        auto *offsets = static_cast<decltype(offset) *>(product.C->row_offsets);
        cudaStream_t stream = product.cuda->stream;
        int64_t count = product.C->rows + 1;
        size_t bytes = 0;
        scoped_workspace block(product);
        cudaError_t error = cub::DeviceScan::ExclusiveSum(nullptr, bytes, offsets, offsets, count, stream);
        spg_status status = spg_cuda_check(product.context, error, "scanning row lengths");
        if (status == SPG_OK) status = block.take((int64_t)bytes, "scanning row lengths");
        if (status != SPG_OK) return status;
        error = cub::DeviceScan::ExclusiveSum(block.held.memory, bytes, offsets, offsets, count, stream);
        return spg_cuda_check(product.context, error, "scanning row lengths");
    });
}

spg_status post_counters(cuda_product &product, unsigned int number)
{
    const spg_cuda *cuda = product.cuda;
    return launch_typed(product, "sending counters", [&](auto offset, cudaStream_t stream) {
        auto *lengths = static_cast<decltype(offset) *>(product.C->row_offsets);
        send_counters_alone<<<1, 32, 0, stream>>>(cuda->product_counters, cuda->device_mailbox, number,
                                                  lengths + product.C->rows);
    });
}

spg_status take_sums(cuda_product &product, int64_t rows_each, int count, length_sums *sums)
{
    void *memory = nullptr;
    const int64_t bytes = count * (int64_t)sizeof(long long);
    spg_status status = take_workspace(product, bytes, "sums of row lengths", &memory);
    if (status == SPG_OK) *sums = {static_cast<long long *>(memory), bytes, rows_each, count};
    return status;
}

spg_status scan_lengths(cuda_product &product, length_sums *sums)
{
    if (sums->memory == nullptr) return scan_all(product);
    const int64_t parts = std::max<int64_t>(SCAN_ROWS / sums->rows_each, 1);
    const auto blocks = (unsigned int)((sums->count + parts - 1) / parts);
    return with_offset_type(product.offset_type, [&](auto offset) {
        const spg_status status = launch_programmatic(
            product.context, product.cuda->stream, "scanning row lengths", blocks, SCAN_THREADS, 0,
            scan_with_sums<decltype(offset)>, static_cast<decltype(offset) *>(product.C->row_offsets), product.C->rows,
            sums->memory, sums->count, sums->rows_each, (int)parts);
        release(product, sums);
        return status;
    });
}

spg_status zero_lengths(cuda_product &product)
{
    const int64_t bytes = (product.C->rows + 1) * (int64_t)spg_type_size(product.offset_type);
    return spg_cuda_zero_bytes(product.context, product.C->row_offsets, bytes);
}

spg_status restore_lengths(cuda_product &product)
{
    return with_offset_type(product.offset_type, [&](auto offset) {
        using Offset = decltype(offset);
        int64_t rows = product.C->rows, bytes = rows * (int64_t)sizeof(Offset);
        scoped_workspace block(product);
        spg_status status = block.take(bytes, "row lengths");
        if (status != SPG_OK) return status;
        difference<<<blocks_for(rows), THREADS, 0, product.cuda->stream>>>(
            static_cast<const Offset *>(product.C->row_offsets), rows, block.as<Offset>());
        status = spg_cuda_check_launch(product.context, "difference");
        if (status != SPG_OK) return status;
        return spg_cuda_copy_on_device(product.context, product.C->row_offsets, block.held.memory, bytes);
    });
}

spg_status allocate_entries(cuda_product &product, unsigned long long nnz)
{
    spg_csr *C = product.C;
    C->nnz = (int64_t)nnz;
    spg_status status = spg_check_offset_range(product.context, C->nnz, C->offset_type, "C");
    int64_t value_bytes = product.pattern_only ? 0 : spg_array_bytes(C->nnz, spg_type_size(C->value_type));
    /* Values first: they are larger, so each finds its block of the previous result again. */
    if (status == SPG_OK) status = spg_allocate(product.context, value_bytes, "C's values", &C->values);
    void *columns = nullptr;
    if (status == SPG_OK)
        status = spg_allocate(product.context, spg_array_bytes(C->nnz, sizeof(int32_t)), "C's columns", &columns);
    C->columns = static_cast<int32_t *>(columns);
    return status;
}

spg_status widen_offsets(cuda_product &product, const spg_csr *matrix, const char *what, held_memory *widened)
{
    if (matrix->offset_type == product.offset_type) return SPG_OK;
    int64_t count = matrix->rows + 1;
    widened->bytes = spg_array_bytes(count, sizeof(int64_t));
    spg_status status = take_workspace(product, widened->bytes, what, &widened->memory);
    if (status != SPG_OK) return status;
    const auto *from = static_cast<const int32_t *>(matrix->row_offsets);
    auto *to = static_cast<int64_t *>(widened->memory);
    return for_each(product.context, count, "widen", [=] __device__(int64_t i) { to[i] = from[i]; });
}

} // namespace spg
