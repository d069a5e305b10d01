/* The lengths of some rows of P^T*A*P, without the product: see amg/amg_backend.h. Each column of P has a word with a
 * bit for each sampled row: whether the row has an entry there. A group of lanes takes a row of A, and sets bits in any
 * order; a warp then counts the bits of 32 columns at a time. WAITS. */
#include "prolongator.cuh"

namespace spg
{

namespace amg
{

namespace
{

struct sampling {
    int64_t rows, cols; /* of P */
    int32_t stride;     /* from one sampled row to the next */
    numbers_view A_offsets, P_offsets;
    const int32_t *A_columns, *P_columns;
    unsigned long long *words;   /* for each column of P */
    unsigned long long *lengths; /* of the sampled rows */
};

struct either {
    template <typename T> __device__ T operator()(T a, T b) const { return a | b; }
};

/* The bits of the sampled rows that hold the row of A*P, in all lanes of its group. */
__device__ unsigned long long sampled_by(const sampling &job, int64_t row, int lane, int lanes)
{
    unsigned long long bits = 0;
    const int64_t end = row >= 0 ? job.P_offsets[row + 1] : 0;
    for (int64_t k = row >= 0 ? job.P_offsets[row] + lane : 0; k < end; k += lanes) {
        const int32_t g = job.P_columns[k], sampled = g / job.stride;
        if (sampled < SPG_AMG_SAMPLED && sampled * job.stride == g) bits |= 1ull << sampled;
    }
    return combine_lanes(bits, lanes, either());
}

__global__ __launch_bounds__(THREADS) void mark_columns(sampling job, int lanes)
{
    for_each_row(job.rows, lanes, [&](int64_t row, int lane) {
        const unsigned long long bits = sampled_by(job, row, lane, lanes);
        if (bits == 0) return;
        const int64_t end = job.A_offsets[row + 1];
        for (int64_t k = job.A_offsets[row] + lane; k < end; k += lanes) {
            const int64_t j = job.A_columns[k], last = job.P_offsets[j + 1];
            for (int64_t at = job.P_offsets[j]; at < last; ++at) {
                unsigned long long *word = job.words + job.P_columns[at];
                if ((*(volatile const unsigned long long *)word & bits) != bits) atomicOr(word, bits);
            }
        }
    });
}

/* Each lane counts for two of the sampled rows. */
__global__ __launch_bounds__(THREADS) void count_bits(sampling job)
{
    static_assert(SPG_AMG_SAMPLED == 2 * WARP);
    unsigned int lower = 0, upper = 0;
    const int64_t step = (int64_t)gridDim.x * THREADS;
    for (int64_t first = (int64_t)blockIdx.x * THREADS + threadIdx.x - lane_in_warp(); first < job.cols;
         first += step) {
        const int64_t g = first + lane_in_warp();
        const unsigned long long word = g < job.cols ? job.words[g] : 0;
        for (int row = 0; row < WARP; ++row) {
            const unsigned int here = __ballot_sync(ALL_LANES, word >> row & 1);
            const unsigned int above = __ballot_sync(ALL_LANES, word >> (row + WARP) & 1);
            if (row != lane_in_warp()) continue;
            lower += (unsigned int)__popc(here);
            upper += (unsigned int)__popc(above);
        }
    }
    if (lower > 0) atomicAdd(job.lengths + lane_in_warp(), (unsigned long long)lower);
    if (upper > 0) atomicAdd(job.lengths + lane_in_warp() + WARP, (unsigned long long)upper);
}

spg_status queue_sample(spg_context *context, const sampling &job, int64_t nnz)
{
    cudaStream_t stream = spg_cuda_of(context)->stream;
    const char *what = "a sample of rows";
    const size_t numbers = (size_t)(job.cols + SPG_AMG_SAMPLED); /* the lengths lie behind the words */
    spg_status status =
        spg_cuda_check(context, cudaMemsetAsync(job.words, 0, numbers * sizeof *job.words, stream), what);
    if (status != SPG_OK || job.rows == 0) return status;
    const int lanes = lanes_for(job.rows, nnz, 1);
    mark_columns<<<blocks_for_groups(context, job.rows, lanes), THREADS, 0, stream>>>(job, lanes);
    status = spg_cuda_check_launch(context, what);
    if (status != SPG_OK) return status;
    count_bits<<<blocks_for_groups(context, job.cols, 1), THREADS, 0, stream>>>(job);
    return spg_cuda_check_launch(context, what);
}

spg_status find_lengths(spg_context *context, const spg_csr &A, const spg_csr &P, int64_t *lengths)
{
    workspace work(context);
    sampling job = {P.rows,        P.cols,        (int32_t)(P.cols / SPG_AMG_SAMPLED),
                    offsets_of(A), offsets_of(P), A.columns,
                    P.columns,     nullptr,       nullptr};
    spg_status status = work.take(P.cols + SPG_AMG_SAMPLED, "a sample of rows", &job.words);
    job.lengths = job.words + P.cols;
    if (status == SPG_OK) status = queue_sample(context, job, P.nnz);
    if (status != SPG_OK) return status;
    return spg_cuda_copy_bytes(context, lengths, SPG_PLACE_HOST, job.lengths, SPG_PLACE_DEVICE,
                               SPG_AMG_SAMPLED * (int64_t)sizeof *lengths);
}

} // namespace

} // namespace amg

} // namespace spg

spg_status spg_cuda_sample_coarse_rows(spg_context *context, const spg_csr *A, const spg_csr *P, int64_t *lengths)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::find_lengths(context, *A, *P, lengths);
    spg_cuda_leave(context);
    return status;
}
