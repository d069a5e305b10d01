/* Draws from an alias table grouped by sections of it (Lehmann 2021, section 3.4.2), so that a section is read from
 * memory once. A first kernel finds how many draws each section gets, by exact binomial splitting, and where they
 * begin; the output is then cut into equal parts, and a block draws the sections that lie in its part.
 *
 *   SECTIONED   sections are read through the caches
 *   LIMITED     likewise, by one large block a multiprocessor, so that the section it is at stays in the nearest cache
 *   SHARED      a block brings the section to shared memory first; the automatic choice
 *
 * A draw depends on its place in the output alone; see sampling_alias.h, GROUPED. */
#include "alias_draw.cuh"

#include "sampling_binomial.h"

namespace spg
{
namespace alias
{

namespace
{

enum { THREADS = 256, LARGE_THREADS = 1024, COUNT_THREADS = 64, BLOCKS_A_MULTIPROCESSOR = 6, LEAST_PART = 8192 };

/* section_begins[s]: where section s begins in the output. */
__global__ void __launch_bounds__(COUNT_THREADS)
    count_sections_kernel(int64_t items, int64_t count, uint64_t key, int64_t *section_begins)
{
    int64_t section = (int64_t)blockIdx.x * COUNT_THREADS + threadIdx.x, sections = spg_sections(items);
    if (section < sections) section_begins[section] = spg_find_section(section, items, count, key).offset;
    if (section == sections) section_begins[sections] = count;
}

/* Draws made of one block of the generator, from a section of `size` buckets of which the first is item `first`. WHOLE:
 * its size is SPG_SECTION, so that no product is needed. */
template <bool EXACT, bool WHOLE> struct draws_of_block {
    static constexpr int COUNT = EXACT ? 2 : 3;

    static __device__ void make(const spg_random &random, uint64_t block_number,
                                const typename bucket_type<EXACT>::type *buckets, int size, int32_t first,
                                int32_t (&drawn)[COUNT])
    {
        uint64_t domain = EXACT ? 0 : SPG_GROUPED_DOMAIN;
        spg_philox_block block = spg_philox(random.seed, domain | block_number, random.stream);
#pragma unroll
        for (int d = 0; d < COUNT; ++d) {
            if constexpr (EXACT) {
                uint64_t x = spg_philox_half(&block, d);
                int32_t bucket = (int32_t)spg_multiply_high(x, (uint64_t)size);
                spg_alias_exact row = load_bucket(buckets + bucket);
                drawn[d] = spg_exact_choice(&row, first + bucket, x * (uint64_t)size);
            } else {
                uint64_t bits = spg_grouped_bits(&block, d), v = WHOLE ? bits * SPG_SECTION : bits * (uint64_t)size;
                int32_t bucket = (int32_t)(v >> 42);
                drawn[d] = spg_compact_choice(load_bucket(buckets + bucket), first + bucket, (uint32_t)(v >> 10));
            }
        }
    }
};

/* Output positions [begin, end), all of one section. A warp's draws pass through shared memory, so that it writes them
 * side by side. */
template <bool EXACT, bool WHOLE, int BLOCK>
__device__ void draw_section(const draw_job &job, const typename bucket_type<EXACT>::type *buckets, int size,
                             int32_t first, const int32_t *columns, int64_t begin, int64_t end, int32_t *staged)
{
    constexpr int COUNT = EXACT ? 2 : 3, WARP_DRAWS = WARP * COUNT;
    int warp = (int)threadIdx.x / WARP, lane = lane_in_warp();
    uint64_t number = job.random.first + (uint64_t)begin, block = number / COUNT + threadIdx.x;
    /* A block's draws may begin up to COUNT - 1 before `begin`. */
    int64_t part = begin - (int64_t)(number % COUNT) + (int64_t)warp * WARP_DRAWS;
    for (; part < end; part += (int64_t)BLOCK * COUNT, block += BLOCK) {
        int32_t drawn[COUNT];
        draws_of_block<EXACT, WHOLE>::make(job.random, block, buckets, size, first, drawn);
        __syncwarp();
#pragma unroll
        for (int d = 0; d < COUNT; ++d) staged[lane * COUNT + d] = drawn[d];
        __syncwarp();
        bool inside = part >= begin && part + WARP_DRAWS <= end;
        int32_t *to = job.draws + part + lane;
#pragma unroll
        for (int d = 0; d < COUNT; ++d) {
            int32_t item = staged[d * WARP + lane];
            if (columns != nullptr) item = columns[item];
            if (inside || (part + d * WARP + lane >= begin && part + d * WARP + lane < end)) to[d * WARP] = item;
        }
    }
}

template <bool EXACT, bool SHARED, int BLOCK>
__global__ void __launch_bounds__(BLOCK)
    draw_sections_kernel(const __grid_constant__ draw_job job, int64_t row, const int64_t *section_begins, int64_t part)
{
    using bucket = typename bucket_type<EXACT>::type;
    extern __shared__ __align__(16) unsigned char memory[];
    __shared__ int32_t staged[BLOCK / WARP][WARP * (EXACT ? 2 : 3)];
    bucket *kept = reinterpret_cast<bucket *>(memory);
    int64_t row_begin = job.offsets[row], items = job.offsets[row + 1] - row_begin, sections = spg_sections(items);
    const bucket *table = table_of<EXACT>(job) + row_begin;
    const int32_t *columns = job.columns != nullptr ? job.columns + row_begin : nullptr;
    int64_t begin = (int64_t)blockIdx.x * part, end = min(begin + part, job.count);
    int64_t section = first_that((int64_t)0, sections, [=](int64_t s) { return section_begins[s + 1] > begin; });
    for (; begin < end; ++section) {
        int64_t section_end = min(section_begins[section + 1], end);
        if (section_end <= begin) continue;
        int64_t first = section * SPG_SECTION, size = spg_rows_of_sections(section, section + 1, items);
        if (SHARED) {
            __syncthreads();
            for (int k = (int)threadIdx.x; k < size; k += BLOCK) kept[k] = load_bucket(table + first + k);
            __syncthreads();
        }
        const bucket *buckets = SHARED ? kept : table + first;
        if (size == SPG_SECTION)
            draw_section<EXACT, true, BLOCK>(job, buckets, SPG_SECTION, (int32_t)first, columns, begin, section_end,
                                             staged[threadIdx.x / WARP]);
        else
            draw_section<EXACT, false, BLOCK>(job, buckets, (int)size, (int32_t)first, columns, begin, section_end,
                                              staged[threadIdx.x / WARP]);
        begin = section_end;
    }
}

template <bool EXACT, bool SHARED, int BLOCK>
spg_status launch(spg_context *context, const draw_job &job, int64_t row, const int64_t *section_begins,
                  int blocks_a_multiprocessor)
{
    spg_cuda *cuda = spg_cuda_of(context);
    auto kernel = draw_sections_kernel<EXACT, SHARED, BLOCK>;
    int bytes = SHARED ? SPG_SECTION * (int)sizeof(typename bucket_type<EXACT>::type) : 0;
    cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    spg_status status = spg_cuda_check(context, error, "sections of an alias table");
    if (status != SPG_OK) return status;
    int64_t blocks = (int64_t)cuda->multiprocessors * blocks_a_multiprocessor;
    int64_t part = (job.count + blocks - 1) / blocks;
    if (part < LEAST_PART) part = LEAST_PART;
    blocks = (job.count + part - 1) / part;
    kernel<<<(unsigned)blocks, BLOCK, (size_t)bytes, cuda->stream>>>(job, row, section_begins, part);
    return spg_cuda_check_launch(context, "drawing from sections of an alias table");
}

template <bool EXACT>
spg_status draw_sections(spg_context *context, const draw_job &job, int64_t row, const int64_t *section_begins,
                         spg_alias_sampler sampler)
{
    if (sampler == SPG_SAMPLER_SECTIONED)
        return launch<EXACT, false, THREADS>(context, job, row, section_begins, BLOCKS_A_MULTIPROCESSOR);
    if (sampler == SPG_SAMPLER_LIMITED)
        return launch<EXACT, false, LARGE_THREADS>(context, job, row, section_begins, 1);
    return launch<EXACT, true, THREADS>(context, job, row, section_begins, BLOCKS_A_MULTIPROCESSOR);
}

} // namespace

/* The row's length is in device memory: the host has to ask, but of a table of one row. */
spg_status draw_grouped(spg_context *context, const spg_alias &alias, const draw_job &job, int64_t row,
                        spg_alias_sampler sampler)
{
    workspace work(context);
    int64_t ends[2] = {0, alias.nnz}, *section_begins = nullptr;
    spg_status status = SPG_OK;
    if (alias.rows > 1)
        status = spg_cuda_copy_bytes(context, ends, SPG_PLACE_HOST, job.offsets + row, SPG_PLACE_DEVICE, sizeof ends);
    int64_t items = ends[1] - ends[0], sections = spg_sections(items);
    if (status == SPG_OK) status = work.take(sections + 1, "sections of an alias table", &section_begins);
    if (status != SPG_OK) return status;
    uint64_t key = spg_split_key(job.random.seed, job.random.stream, job.random.first);
    unsigned blocks = (unsigned)(sections / COUNT_THREADS + 1);
    count_sections_kernel<<<blocks, COUNT_THREADS, 0, spg_cuda_of(context)->stream>>>(items, job.count, key,
                                                                                      section_begins);
    status = spg_cuda_check_launch(context, "counting the draws of sections");
    if (status != SPG_OK) return status;
    return alias.resolution == SPG_ALIAS_EXACT ? draw_sections<true>(context, job, row, section_begins, sampler)
                                               : draw_sections<false>(context, job, row, section_begins, sampler);
}

} // namespace alias
} // namespace spg
