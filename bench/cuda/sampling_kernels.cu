/* See ../sampling_device.h: counts of draws, stratified numbers, the plain sampler that the library is compared with,
 * and the reads of a z-step alone. */
extern "C" {
#include "sampling_device.h"
}

#include <cub/device/device_scan.cuh>
#include <cub/thread/thread_search.cuh>
#include <cuda_runtime.h>
#include <curand_kernel.h>
#include <thrust/iterator/transform_iterator.h>

namespace
{

constexpr int block = 256, most_blocks = 65536; /* threads go on with what is left */
constexpr unsigned most_generators = 1 << 20;   /* so that opening them costs little */

spg_status check(spg_context *errors, cudaError_t error, const char *what)
{
    if (error == cudaSuccess) return SPG_OK;
    cudaGetLastError();
    return spg_context_fail(errors, SPG_ERROR_DEVICE, "%s: %s", what, cudaGetErrorString(error));
}

unsigned blocks_for(int64_t threads)
{
    const int64_t blocks = (threads + block - 1) / block;
    return static_cast<unsigned>(blocks < most_blocks ? (blocks > 0 ? blocks : 1) : most_blocks);
}

__device__ int64_t first_thread() { return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ int64_t all_threads() { return static_cast<int64_t>(gridDim.x) * blockDim.x; }

/* Philox 4x32-10 of Salmon, Moraes, Dror and Shaw (2011): four words of a 128-bit counter and a 64-bit key. */
__device__ uint4 philox(uint64_t seed, uint64_t stream, uint64_t counter)
{
    uint4 x = make_uint4(static_cast<uint32_t>(counter), static_cast<uint32_t>(counter >> 32),
                         static_cast<uint32_t>(stream), static_cast<uint32_t>(stream >> 32));
    uint32_t key0 = static_cast<uint32_t>(seed), key1 = static_cast<uint32_t>(seed >> 32);
#pragma unroll
    for (int round = 0; round < 10; round++) {
        const uint32_t high0 = __umulhi(0xD2511F53U, x.x), low0 = 0xD2511F53U * x.x;
        const uint32_t high1 = __umulhi(0xCD9E8D57U, x.z), low1 = 0xCD9E8D57U * x.z;
        x = make_uint4(high1 ^ x.y ^ key0, low1, high0 ^ x.w ^ key1, low0);
        key0 += 0x9E3779B9U;
        key1 += 0xBB67AE85U;
    }
    return x;
}

__device__ double uniform_of(uint32_t high, uint32_t low)
{
    return static_cast<double>((static_cast<uint64_t>(high) << 32 | low) >> 11) * 0x1p-53;
}

__global__ void count_draws(int64_t count, const int32_t *draws, int64_t items, uint32_t *counts)
{
    for (int64_t k = first_thread(); k < count; k += all_threads()) {
        const int32_t item = draws[k];
        atomicAdd(&counts[item >= 0 && item < items ? item : items], 1U);
    }
}

__global__ void stratify(uint64_t seed, int64_t count, double *uniforms)
{
    const double width = 1.0 / static_cast<double>(count);
    for (int64_t k = first_thread(); 2 * k < count; k += all_threads()) {
        const uint4 bits = philox(seed, 1, static_cast<uint64_t>(k));
        const double first = (static_cast<double>(2 * k) + uniform_of(bits.x, bits.y)) * width;
        const double second = (static_cast<double>(2 * k + 1) + uniform_of(bits.z, bits.w)) * width;
        uniforms[2 * k] = fmin(first, 1.0 - 0x1p-53);
        if (2 * k + 1 < count) uniforms[2 * k + 1] = fmin(second, 1.0 - 0x1p-53);
    }
}

/* Each thread has a sequence of its own of cuRAND's Philox, whose uniforms, two of a block, lie in (0, 1]: the item is
 * the first of a cumulated weight that reaches u times the sum, which is above zero. */
__global__ void __launch_bounds__(block, 2048 / block)
    search_all(int64_t items, const double *cumulated, uint64_t seed, int64_t count, int32_t *draws)
{
    const double sum = cumulated[items - 1];
    const int32_t last = static_cast<int32_t>(items - 1);
    const auto search = [=](double u) { return cub::LowerBound(cumulated, last, u * sum); };
    curandStatePhilox4_32_10_t generator;
    curand_init(seed, static_cast<unsigned long long>(first_thread()), 0, &generator);
    for (int64_t k = first_thread(); 2 * k < count; k += all_threads()) {
        const double2 u = curand_uniform2_double(&generator);
        draws[2 * k] = search(u.x);
        if (2 * k + 1 < count) draws[2 * k + 1] = search(u.y);
    }
}

/* The document of a word: the last one that begins at or before it. */
__device__ int64_t document_of(const spg_lda &lda, int64_t word)
{
    int64_t low = 0, high = lda.documents;
    while (high - low > 1) {
        const int64_t middle = (low + high) / 2;
        if (lda.word_offsets[middle] <= word)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* A warp for `words_a_warp` words, `lanes` lanes a word, `chunks` loads a lane and row; rows that are longer are read
 * part by part. The row of theta stays in registers: rows of phi alone are read for every word. */
constexpr int words_a_warp = 16;

template <class value, class vector, int lanes, int chunks> struct row_part {
    static constexpr int width = sizeof(vector) / sizeof(value), topics = lanes * chunks * width;
    vector part[chunks];

    __device__ void read(const value *row, int64_t rest)
    {
        const int lane = threadIdx.x % lanes;
#pragma unroll
        for (int c = 0; c < chunks; c++) {
            part[c] = vector();
            if ((c * lanes + lane) * width < rest) part[c] = reinterpret_cast<const vector *>(row)[c * lanes + lane];
        }
    }
    __device__ value times(const row_part &other) const
    {
        value sum = 0;
#pragma unroll
        for (int c = 0; c < chunks; c++) {
            const value *left = reinterpret_cast<const value *>(&part[c]);
            const value *right = reinterpret_cast<const value *>(&other.part[c]);
#pragma unroll
            for (int j = 0; j < width; j++) sum += left[j] * right[j];
        }
        return sum;
    }
};

template <class value, class vector, int lanes, int chunks>
__global__ void __launch_bounds__(128) read_rows(spg_lda lda, float *sums)
{
    using part = row_part<value, vector, lanes, chunks>;
    constexpr int groups = 32 / lanes;
    const int group = threadIdx.x % 32 / lanes;
    const int64_t first = first_thread() / 32 * words_a_warp, end = min(first + words_a_warp, lda.words_total);
    const value *theta = static_cast<const value *>(lda.theta), *phi = static_cast<const value *>(lda.phi);
    if (first >= end) return;
    const int32_t mine = lda.words[min(first + threadIdx.x % 32, end - 1)];
    int64_t document = document_of(lda, min(first + group, end - 1)), held = -1;
    part factors, weights;
    for (int64_t step = first; step < end; step += groups) {
        const int64_t w = min(step + group, end - 1);
        const value *row = phi + static_cast<int64_t>(__shfl_sync(0xFFFFFFFFU, mine, w - first)) * lda.topics;
        value sum = 0;
        for (int64_t k = 0; k < lda.topics; k += part::topics) {
            weights.read(row + k, lda.topics - k);
            while (lda.word_offsets[document + 1] <= w) document++;
            if (held != document || lda.topics > part::topics)
                factors.read(theta + document * lda.topics + k, lda.topics - k);
            held = document;
            sum += weights.times(factors);
        }
        for (int across = lanes / 2; across > 0; across /= 2) sum += __shfl_xor_sync(0xFFFFFFFFU, sum, across);
        if (threadIdx.x % lanes == 0) sums[w] = static_cast<float>(sum);
    }
}

template <class value, class vector, int lanes, int chunks> void launch_reads_by(const spg_lda &lda, float *sums)
{
    const int64_t words_a_block = 128 / 32 * words_a_warp;
    const unsigned blocks = static_cast<unsigned>((lda.words_total + words_a_block - 1) / words_a_block);
    read_rows<value, vector, lanes, chunks><<<blocks, 128>>>(lda, sums);
}

/* Fewer lanes for short rows, so that all of them load. */
template <class value, class vector> void launch_reads(const spg_lda &lda, float *sums)
{
    const int64_t loads = static_cast<int64_t>(lda.topics * sizeof(value) / sizeof(vector));
    if constexpr (sizeof(value) == sizeof(vector))
        launch_reads_by<value, value, 32, 8>(lda, sums);
    else if (loads <= 16)
        launch_reads_by<value, vector, 8, 2>(lda, sums);
    else if (loads <= 32)
        launch_reads_by<value, vector, 8, 4>(lda, sums);
    else if (loads <= 64)
        launch_reads_by<value, vector, 16, 4>(lda, sums);
    else if (loads <= 128)
        launch_reads_by<value, vector, 32, 4>(lda, sums);
    else if (loads <= 256)
        launch_reads_by<value, vector, 32, 8>(lda, sums);
    else
        launch_reads_by<value, vector, 32, 16>(lda, sums);
}

struct as_double_32 {
    __host__ __device__ double operator()(float x) const { return x; }
};

struct as_double_64 {
    __host__ __device__ double operator()(double x) const { return x; }
};

template <class iterator> cudaError_t scan(iterator from, double *to, int64_t items)
{
    void *scratch = nullptr;
    size_t bytes = 0;
    cudaError_t error = cub::DeviceScan::InclusiveSum(nullptr, bytes, from, to, items);
    if (error == cudaSuccess) error = cudaMallocAsync(&scratch, bytes, nullptr);
    if (error == cudaSuccess) error = cub::DeviceScan::InclusiveSum(scratch, bytes, from, to, items);
    if (scratch != nullptr) cudaFreeAsync(scratch, nullptr);
    return error;
}

} // namespace

extern "C" spg_status device_count(spg_context *errors, int64_t count, const int32_t *draws, int64_t items,
                                   uint32_t *counts)
{
    const cudaError_t error = cudaMemsetAsync(counts, 0, static_cast<size_t>(items + 1) * sizeof *counts, nullptr);
    if (error != cudaSuccess) return check(errors, error, "counting draws");
    count_draws<<<blocks_for(count), block>>>(count, draws, items, counts);
    return check(errors, cudaGetLastError(), "counting draws");
}

extern "C" spg_status device_stratified(spg_context *errors, uint64_t seed, int64_t count, double *uniforms)
{
    stratify<<<blocks_for(count / 2 + 1), block>>>(seed, count, uniforms);
    return check(errors, cudaGetLastError(), "stratified numbers");
}

/* The pool keeps what was given back: taking it again costs nothing. */
static cudaError_t keep_memory()
{
    int device = 0;
    cudaMemPool_t pool = nullptr;
    uint64_t all = UINT64_MAX;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess) error = cudaDeviceGetDefaultMemPool(&pool, device);
    if (error == cudaSuccess) error = cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all);
    return error;
}

extern "C" spg_status device_cumulate(spg_context *errors, spg_type type, int64_t items, const void *weights,
                                      double **cumulated)
{
    *cumulated = nullptr;
    cudaError_t error = keep_memory();
    if (error == cudaSuccess)
        error = cudaMallocAsync(cumulated, static_cast<size_t>(items) * sizeof **cumulated, nullptr);
    if (error != cudaSuccess) return check(errors, error, "memory for cumulated weights");
    if (type == SPG_F32)
        error = scan(thrust::make_transform_iterator(static_cast<const float *>(weights), as_double_32()), *cumulated,
                     items);
    else
        error = scan(thrust::make_transform_iterator(static_cast<const double *>(weights), as_double_64()), *cumulated,
                     items);
    return check(errors, error, "CUB's scan");
}

extern "C" void device_drop(double *cumulated)
{
    if (cudaFreeAsync(cumulated, nullptr) != cudaSuccess) cudaGetLastError();
}

extern "C" spg_status device_search(spg_context *errors, int64_t items, const double *cumulated, uint64_t seed,
                                    int64_t count, int32_t *draws)
{
    const unsigned blocks = min(blocks_for(count / 2 + 1), most_generators / block);
    search_all<<<blocks, block>>>(items, cumulated, seed, count, draws);
    return check(errors, cudaGetLastError(), "searches");
}

extern "C" spg_status device_read_rows(spg_context *errors, const spg_lda *lda, float *sums)
{
    const bool aligned = lda->topics * (lda->type == SPG_F32 ? 4 : 8) % 16 == 0;
    if (lda->type == SPG_F32 && aligned)
        launch_reads<float, float4>(*lda, sums);
    else if (lda->type == SPG_F32)
        launch_reads<float, float>(*lda, sums);
    else if (aligned)
        launch_reads<double, double2>(*lda, sums);
    else
        launch_reads<double, double>(*lda, sums);
    return check(errors, cudaGetLastError(), "reading rows");
}
