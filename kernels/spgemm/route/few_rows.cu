/* The rows that another kernel left, if they are few (route/binned_rows.cuh). Binning would launch many kernels for
 * empty bins; long_rows takes rows of any length. */
#include "../../launch.cuh"
#include "../long_rows/long_rows.cuh"
#include "binned_rows.cuh"

namespace spg
{

namespace
{

enum { LIST_THREADS = 256 };

/* Lists the rows that fits_list refuses, `most` of them, in any order. */
template <typename Offset>
__global__ void __launch_bounds__(LIST_THREADS)
    list_rows_left(const Offset *a_offsets, const Offset *c_offsets, int32_t rows, uint32_t *count, int32_t *left,
                   uint32_t most)
{
    wait_and_trigger();
    const int64_t step = (int64_t)gridDim.x * LIST_THREADS;
    for (int64_t i = (int64_t)blockIdx.x * LIST_THREADS + threadIdx.x; i < rows; i += step) {
        const bool fits =
            fits_list((Offset)(c_offsets[i + 1] - c_offsets[i]), (Offset)(a_offsets[i + 1] - a_offsets[i]));
        if (fits) continue;
        const uint32_t place = atomicAdd(count, 1u);
        if (place < most)
            left[place] = (int32_t)i;
        else
            atomicSub(count, 1u);
    }
}

/* Calls windows(rows) with the rows left, up to `most`. */
template <typename Windows> spg_status with_rows_left(cuda_product &product, unsigned int most, const Windows &windows)
{
    const int64_t bytes = (1 + (int64_t)most) * (int64_t)sizeof(int32_t);
    void *memory = nullptr;
    spg_status status = take_workspace(product, bytes, "rows left", &memory);
    if (status != SPG_OK) return status;
    uint32_t *count = static_cast<uint32_t *>(memory);
    int32_t *left = static_cast<int32_t *>(memory) + 1;
    const int32_t rows = (int32_t)product.A->rows;
    status = spg_cuda_zero_bytes(product.context, count, sizeof *count);
    if (status == SPG_OK)
        status = with_offset_type(product.offset_type, [&](auto offset) {
            using Offset = decltype(offset);
            const patterns<Offset> pattern = patterns_of<Offset>(product);
            return launch_programmatic(product.context, product.cuda->stream, "listing rows left",
                                       dim3((unsigned int)grid_for(product, rows, 1, LIST_THREADS)), LIST_THREADS, 0,
                                       list_rows_left<Offset>, pattern.a_offsets, (const Offset *)pattern.c_offsets,
                                       rows, count, left, most);
        });
    if (status == SPG_OK) status = windows({left, (int32_t)most, count, nullptr});
    give_workspace(product, memory, bytes);
    return status;
}

} // namespace

spg_status count_few_overflow_rows(cuda_product &product, unsigned int overflow)
{
    return count_window_columns(product, {product.overflow.rows, (int32_t)overflow, nullptr, nullptr});
}

spg_status fill_few_rows(cuda_product &product, unsigned int most)
{
    return with_rows_left(product, most, [&](const row_set &rows) {
        const spg_status status = fill_window_columns(product, rows, true);
        return status == SPG_OK && !product.pattern_only ? fill_window_values(product, rows, nullptr, false) : status;
    });
}

} // namespace spg
