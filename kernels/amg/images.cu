/* Mirror images of entries, recorded once for a pattern, so that new values are made symmetric without a search. A
 * group of lanes takes the entries of a row below the diagonal. */
#include "symmetry.cuh"

#include "spgemm/plan.h"

#include <cub/device/device_scan.cuh>

#include <cstring>

namespace spg
{

namespace amg
{

namespace
{

enum { ENTRIES_A_LANE = 2, AT_ONCE = 2, MISSING = 0 /* in spg_report.figures */ };

/* The entries of each row below the diagonal, if the flag is set, else 0; one more count, which is not read. */
__global__ __launch_bounds__(THREADS) void count_below(matrix_view<uint32_t> A, const int32_t *flag, uint32_t *counts)
{
    const int64_t row = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (row > A.rows) return;
    const bool counts_row = row < A.rows && *flag == 1;
    const int64_t begin = counts_row ? A.offsets[row] : 0, end = counts_row ? A.offsets[row + 1] : 0;
    counts[row] = (uint32_t)first_not_below(A.columns + begin, end - begin, (int32_t)row);
}

__global__ __launch_bounds__(THREADS) void note_images(matrix_view<uint32_t> A, int lanes, const uint32_t *begins,
                                                       uint32_t *images, spg_report *report)
{
    bool missing = false;
    for_each_row(A.rows, lanes, [&](int64_t row, int lane) {
        if (row < 0) return;
        const int64_t begin = A.offsets[row];
        const uint32_t first = begins[row], count = begins[row + 1] - first;
        for (uint32_t t = lane; t < count; t += lanes) {
            const int64_t image = find_image(A, (int32_t)row, begin, begin + t, A.columns[begin + t]);
            missing = missing || image < 0;
            images[first + t] = (uint32_t)image;
        }
    });
    if (missing) report->figures[MISSING] = 1;
}

/* Calls function(entries, images, count) for up to AT_ONCE entries below the diagonal at a time. */
template <typename Function>
__device__ inline void for_each_image(const spg_images &of, numbers_view offsets, int64_t nnz, int lanes,
                                      Function function)
{
    for_each_row(of.rows, lanes, [&](int64_t row, int lane) {
        if (row < 0) return;
        const uint32_t first = of.begins[row], count = of.begins[row + 1] - first;
        const int64_t begin = offsets[row];
        for (uint32_t t = lane; t < count; t += AT_ONCE * lanes) {
            int64_t entries[AT_ONCE];
            uint32_t images[AT_ONCE];
            int found = 0;
#pragma unroll
            for (int u = 0; u < AT_ONCE; ++u) {
                /* Offsets of another pattern may lead beyond the last entry. */
                const bool is_there = t + u * lanes < count && begin + t + u * lanes < nnz;
                entries[u] = is_there ? begin + t + u * lanes : 0;
                images[u] = is_there ? of.images[first + t + u * lanes] : 0;
                found += is_there;
            }
            function(entries, images, found);
        }
    });
}

/* The diagonal comes right after the entries below it. */
template <typename Word>
__device__ inline void invert_diagonals(const spg_images &of, const matrix_view<Word> &C, void *inverse)
{
    const int64_t step = (int64_t)gridDim.x * THREADS;
    for (int64_t row = (int64_t)blockIdx.x * THREADS + threadIdx.x; row < of.rows; row += step) {
        const int64_t k = C.offsets[row] + (of.begins[row + 1] - of.begins[row]);
        const bool is_there = k < C.offsets[row + 1] && C.columns[k] == row;
        put_inverse(is_there ? real_of(C.values[k]) : 0, inverse, row);
    }
}

/* inverse: NULL, or of C's diagonal. */
template <typename Word>
__global__ __launch_bounds__(THREADS) void copy_values(const int32_t *flag, spg_images of, matrix_view<Word> C,
                                                       int64_t nnz, int lanes, Word *values, void *inverse)
{
    wait_and_trigger();
    if (inverse != nullptr) invert_diagonals(of, C, inverse);
    if (*flag != 1) return;
    for_each_image(of, C.offsets, nnz, lanes, [&](const int64_t *entries, const uint32_t *images, int count) {
        Word theirs[AT_ONCE];
#pragma unroll
        for (int u = 0; u < AT_ONCE; ++u) theirs[u] = values[images[u]];
#pragma unroll
        for (int u = 0; u < AT_ONCE; ++u)
            if (u < count) values[entries[u]] = theirs[u];
    });
}

/* Computes images->begins, of `held` bytes, and the number of images. */
spg_status count_images(spg_context *context, int64_t held, const spg_csr &A, const int32_t *symmetric,
                        spg_images *images)
{
    cudaStream_t stream = spg_cuda_of(context)->stream;
    workspace work(context, held);
    char *memory = nullptr;
    size_t bytes = 0;
    uint32_t count = 0;
    cudaError_t error = cub::DeviceScan::ExclusiveSum(nullptr, bytes, images->begins, A.rows + 1, stream);
    spg_status status = spg_cuda_check(context, error, "the entries below a diagonal");
    if (status == SPG_OK) status = work.take((int64_t)bytes, "the entries below a diagonal", &memory);
    if (status != SPG_OK) return status;
    count_below<<<(unsigned int)((A.rows + THREADS) / THREADS), THREADS, 0, stream>>>(view_of<uint32_t>(A), symmetric,
                                                                                      images->begins);
    status = spg_cuda_check_launch(context, "the entries below a diagonal");
    if (status != SPG_OK) return status;
    error = cub::DeviceScan::ExclusiveSum(memory, bytes, images->begins, A.rows + 1, stream);
    status = spg_cuda_check(context, error, "the entries below a diagonal");
    if (status == SPG_OK)
        status = spg_cuda_copy_bytes(context, &count, SPG_PLACE_HOST, images->begins + A.rows, SPG_PLACE_DEVICE,
                                     sizeof count);
    images->count = count;
    return status;
}

spg_status note_all(spg_context *context, const spg_csr &A, spg_images *images, bool *missing)
{
    spg_cuda *cuda = spg_cuda_of(context);
    spg_report report;
    spg_status status = spg_cuda_zero_bytes(context, cuda->report, sizeof report);
    if (status != SPG_OK) return status;
    const int lanes = lanes_for(A.rows, images->count, ENTRIES_A_LANE);
    note_images<<<blocks_for_groups(context, A.rows, lanes), THREADS, 0, cuda->stream>>>(
        view_of<uint32_t>(A), lanes, images->begins, images->images, cuda->report);
    status = spg_cuda_check_launch(context, "noting mirror images");
    if (status == SPG_OK)
        status = spg_cuda_copy_bytes(context, &report, SPG_PLACE_HOST, cuda->report, SPG_PLACE_DEVICE, sizeof report);
    *missing = status == SPG_OK && report.figures[MISSING] != 0;
    return status;
}

spg_status find_images(spg_context *context, const spg_csr &A, const int32_t *symmetric, spg_images *images)
{
    if (A.rows != A.cols || A.nnz > (int64_t)UINT32_MAX) return SPG_OK;
    images->rows = A.rows;
    bool missing = false;
    const int64_t bytes = spg_array_bytes(A.rows + 1, sizeof *images->begins);
    void *begins = nullptr; /* workspace if there are no images */
    spg_status status = spg_allocate_workspace(context, 0, bytes, "mirror images", &begins);
    images->begins = static_cast<uint32_t *>(begins);
    if (status == SPG_OK) status = count_images(context, bytes, A, symmetric, images);
    if (status == SPG_OK)
        status = spg_allocate(context, spg_array_bytes(images->count, sizeof *images->images), "mirror images",
                              reinterpret_cast<void **>(&images->images));
    if (status == SPG_OK && images->count > 0) status = note_all(context, A, images, &missing);
    if (status != SPG_OK || missing || images->count == 0) spg_images_free(context, images);
    return status;
}

template <typename Word>
spg_status queue_copies(spg_context *context, const int32_t *flag, const spg_images &images, const spg_csr &C,
                        void *inverse)
{
    const int lanes = lanes_for(images.rows, images.count, ENTRIES_A_LANE);
    return launch_programmatic(context, spg_cuda_of(context)->stream, "making a product symmetric",
                               blocks_for_groups(context, images.rows, lanes), THREADS, 0, copy_values<Word>, flag,
                               images, view_of<Word>(C), C.nnz, lanes, static_cast<Word *>(C.values), inverse);
}

} // namespace

} // namespace amg

} // namespace spg

spg_status spg_cuda_find_images(spg_context *context, const spg_csr *A, const int32_t *symmetric, spg_images *images)
{
    memset(images, 0, sizeof *images);
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::find_images(context, *A, symmetric, images);
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_copy_images(spg_context *context, const int32_t *flag, const spg_images *images, spg_csr *C,
                                void *inverse)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::with_word(C->value_type, [&](auto word) {
        return spg::amg::queue_copies<decltype(word)>(context, flag, *images, *C, inverse);
    });
    spg_cuda_leave(context);
    return status;
}
