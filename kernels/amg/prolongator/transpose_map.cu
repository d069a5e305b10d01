/* The map of a transpose: for each entry, its source. Made like a transpose, but without the other parts. With it, new
 * values go into a kept transpose in one pass. */
#include "../../containers/transpose.cuh"
#include "../symmetry.cuh"

namespace spg
{

namespace amg
{

namespace
{

enum { AT_ONCE = 4 };

/* to[k] = from[map[k]]. Uses few threads, one block a multiprocessor, because A*P overlaps with it and takes longer
 * (amg_bench, H100: 1, 2, 3, 4 and 8 tried). */
template <typename Word>
__global__ __launch_bounds__(THREADS) void gather(int64_t count, const int64_t *map, const Word *from, Word *to)
{
    wait_and_trigger();
    const int64_t step = (int64_t)gridDim.x * THREADS;
    for (int64_t k = (int64_t)blockIdx.x * THREADS + threadIdx.x; k < count; k += AT_ONCE * step) {
        int64_t entries[AT_ONCE];
        Word words[AT_ONCE];
#pragma unroll
        for (int u = 0; u < AT_ONCE; ++u) entries[u] = k + u * step < count ? map[k + u * step] : 0;
#pragma unroll
        for (int u = 0; u < AT_ONCE; ++u) words[u] = from[entries[u]];
#pragma unroll
        for (int u = 0; u < AT_ONCE; ++u)
            if (k + u * step < count) to[k + u * step] = words[u];
    }
}

template <typename Word>
spg_status queue_gather(spg_context *context, const spg_csr &A, const int64_t *map, void *values)
{
    const int64_t blocks = (A.nnz + AT_ONCE * THREADS - 1) / (AT_ONCE * THREADS);
    const int64_t most = (int64_t)spg_cuda_of(context)->multiprocessors;
    return launch_programmatic(context, spg_cuda_of(context)->stream, "the values of a transpose",
                               (unsigned int)(blocks < most ? blocks : most), THREADS, 0, gather<Word>, A.nnz, map,
                               static_cast<const Word *>(A.values), static_cast<Word *>(values));
}

spg_status find_map(spg_context *context, const spg_csr &A, int64_t *map)
{
    workspace work(context);
    char *offsets = nullptr;
    int64_t bytes = (A.cols + 1) * (int64_t)spg_type_size(A.offset_type);
    spg_status status = work.take(bytes, "the entries of a transpose", &offsets);
    if (status == SPG_OK) status = spg_cuda_zero_bytes(context, offsets, bytes);
    return status == SPG_OK
               ? write_transpose(context, work.held_bytes(), A, {A.offset_type, offsets, nullptr, nullptr, map})
               : status;
}

} // namespace

} // namespace amg

} // namespace spg

spg_status spg_cuda_transpose_map(spg_context *context, const spg_csr *A, const spg_csr *transpose, int64_t *map)
{
    (void)transpose;
    if (A->nnz == 0) return SPG_OK;
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::find_map(context, *A, map);
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_gather_values(spg_context *context, const spg_csr *A, const int64_t *map, spg_csr *transpose)
{
    if (A->nnz == 0) return SPG_OK;
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::with_word(A->value_type, [&](auto word) {
        return spg::amg::queue_gather<decltype(word)>(context, *A, map, transpose->values);
    });
    spg_cuda_leave(context);
    return status;
}
