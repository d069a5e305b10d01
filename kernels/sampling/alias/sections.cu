/* Draws from an alias table grouped by sections (Lehmann 2020, section 3.4.2), so that each section is read from memory
 * once. A first kernel finds by exact binomial splitting how many draws each section gets, and where they begin. The
 * output is then cut into equal parts, and a block draws the sections in its part.
 *
 *   SECTIONED   sections are read through the caches
 *   LIMITED     the same, with one large block a multiprocessor, so that its current section stays in L1
 *   SHARED      a block copies the section to shared memory first
 *
 * spg_choose_sampler makes the automatic choice by sizes.
 *
 * If sections have so many draws that waiting for one does not matter, SHARED uses large blocks too: fewer parts of the
 * output are written at a time.
 *
 * A draw depends only on its place in the output; see sampling/alias.h, GROUPED. */
#include "../random.cuh"
#include "draw.cuh"

#include "sampling/binomial.h"

namespace spg
{
namespace alias
{

namespace
{

enum {
    THREADS = 256,
    LARGE_THREADS = 1024,
    COUNT_THREADS = 64,
    BLOCKS_A_MULTIPROCESSOR = 6,
    LEAST_PART = 8192,
    MOST_PART = 1 << 30,
    LARGE_DRAWS = 1 << 18 /* of a section: sampling_bench, H100 */
};

/* section_begins[s]: where section s begins in the output. */
__global__ void __launch_bounds__(COUNT_THREADS)
    count_sections_kernel(int64_t items, int64_t count, uint64_t key, int64_t *section_begins)
{
    int64_t section = (int64_t)blockIdx.x * COUNT_THREADS + threadIdx.x, sections = spg_sections(items);
    if (section < sections) section_begins[section] = spg_find_section(section, items, count, key).offset;
    if (section == sections) section_begins[sections] = count;
}

/* `size` buckets of a table; the first belongs to item `first`. */
template <bool EXACT> struct section {
    const typename bucket_type<EXACT>::type *buckets;
    int size;
    int32_t first;
    const int32_t *columns; /* of the row; or NULL */
};

/* A warp's draws of one step. Lane l has block l of the 32 of a run; draw d of the COUNT made from it is number
 * place(l, d) of the run. */
template <bool EXACT> struct run {
    static constexpr int COUNT = 3, DRAWS = COUNT * WARP;
    static_assert((int)WARP == (int)SPG_RUN_BLOCKS && (int)DRAWS == (int)SPG_GROUPED_RUN, "a warp makes a run");

    static __device__ spg_grouped_place find(uint64_t first, int64_t i) { return spg_find_grouped(first, i); }
    static __device__ int place(int lane, int d) { return d * WARP + lane; }
    static __device__ int32_t draw(const section<false> &from, const spg_philox_block &block, int d)
    {
        uint64_t v = spg_grouped_bits(spg_philox_half(&block, 0), spg_philox_half(&block, 1), d) * (uint64_t)from.size;
        int32_t bucket = (int32_t)(v >> 42);
        return spg_compact_choice(load_bucket(from.buckets + bucket), from.first + bucket, (uint32_t)(v >> 10));
    }
    /* Draws from a whole section. */
    static __device__ int32_t draw_whole(const section<false> &from, const spg_philox_block &block, int d)
    {
        int32_t bucket = (int32_t)spg_section_bucket(block.word, d);
        return spg_compact_choice(load_bucket(from.buckets + bucket), from.first + bucket,
                                  spg_section_fraction(block.word, d));
    }
};
template <> struct run<true> {
    static constexpr int COUNT = 2, DRAWS = COUNT * WARP;

    static __device__ spg_grouped_place find(uint64_t first, int64_t i)
    {
        uint64_t number = first + (uint64_t)i;
        return {number / COUNT, (int)(number % COUNT)};
    }
    static __device__ int place(int lane, int d) { return COUNT * lane + d; }
    static __device__ int32_t draw(const section<true> &from, const spg_philox_block &block, int d)
    {
        uint64_t x = spg_philox_half(&block, d);
        int32_t bucket = (int32_t)spg_multiply_high(x, (uint64_t)from.size);
        spg_alias_exact row = load_bucket(from.buckets + bucket);
        return spg_exact_choice(&row, from.first + bucket, x * (uint64_t)from.size);
    }
};

/* `count` draws of one section, by a block. Its runs begin at draws[-in_run], with block `number` of the generator. */
template <bool EXACT> struct section_draws {
    using runs = run<EXACT>;
    section<EXACT> from;
    const sequence *numbers;
    int32_t *draws;
    int count, in_run;
    uint64_t number;

    __device__ spg_philox_block block_of(int k) const
    {
        uint64_t block = number + (uint64_t)k * WARP + (uint64_t)lane_in_warp();
        return numbers->block(EXACT ? block & (UINT64_MAX >> 1) : block);
    }

    /* Run k; the first and the last may lie partly outside. */
    __device__ void draw_run(int k) const
    {
        spg_philox_block block = block_of(k);
        int at = k * runs::DRAWS - in_run;
#pragma unroll
        for (int d = 0; d < runs::COUNT; ++d) {
            int place = at + runs::place(lane_in_warp(), d);
            int32_t item = runs::draw(from, block, d);
            if (place < 0 || place >= count) continue;
            draws[place] = name_of(from.columns, 0, item);
        }
    }

    /* Runs [begin, end), all inside, of a section whose items have no names; WHOLE: of a whole section. */
    template <int WARPS, bool WHOLE> __device__ void draw_inner_runs(int begin, int end) const
    {
        int lane = lane_in_warp();
        int32_t *to = draws + ((int64_t)begin * runs::DRAWS - in_run) + runs::place(lane, 0);
        for (int k = begin; k < end; k += WARPS, to += WARPS * runs::DRAWS) {
            spg_philox_block block = block_of(k);
#pragma unroll
            for (int d = 0; d < runs::COUNT; ++d) {
                int32_t item;
                if constexpr (WHOLE)
                    item = runs::draw_whole(from, block, d);
                else
                    item = runs::draw(from, block, d);
                to[runs::place(lane, d) - runs::place(lane, 0)] = item;
            }
        }
    }

    template <int WARPS> __device__ void draw_all() const
    {
        int warp = (int)threadIdx.x / WARP, count_of_runs = (in_run + count + runs::DRAWS - 1) / runs::DRAWS;
        int begin = in_run > 0, end = (in_run + count) / runs::DRAWS; /* range of inner runs */
        if (end <= begin || from.columns != nullptr) begin = end = 0;
        if (!EXACT && from.size == SPG_SECTION)
            draw_inner_runs<WARPS, !EXACT>(begin + warp, end);
        else
            draw_inner_runs<WARPS, false>(begin + warp, end);
        /* The other runs: before begin, and from end on. */
        int skip = end - begin;
        for (int k = warp; k < count_of_runs - skip; k += WARPS) draw_run(k < begin ? k : k + skip);
    }
};

/* Copies buckets to shared memory, 16 bytes a thread if aligned. */
template <int BLOCK> __device__ void keep(spg_alias_exact *kept, const spg_alias_exact *buckets, int size)
{
#pragma unroll 4
    for (int k = (int)threadIdx.x; k < size; k += BLOCK) kept[k] = load_bucket(buckets + k);
}
template <int BLOCK> __device__ void keep(spg_alias_compact *kept, const spg_alias_compact *buckets, int size)
{
    int pairs = (uintptr_t)buckets % sizeof(uint4) == 0 ? size / 2 : 0;
#pragma unroll 4
    for (int k = (int)threadIdx.x; k < pairs; k += BLOCK)
        reinterpret_cast<uint4 *>(kept)[k] = reinterpret_cast<const uint4 *>(buckets)[k];
#pragma unroll 4
    for (int k = 2 * pairs + (int)threadIdx.x; k < size; k += BLOCK) kept[k] = load_bucket(buckets + k);
}

template <bool EXACT, bool SHARED, int BLOCK>
__global__ void __launch_bounds__(BLOCK, BLOCK == THREADS ? BLOCKS_A_MULTIPROCESSOR : 1)
    draw_sections_kernel(const __grid_constant__ draw_job job, const __grid_constant__ sequence numbers, int64_t row,
                         const int64_t *section_begins, int64_t part)
{
    using bucket = typename bucket_type<EXACT>::type;
    extern __shared__ __align__(16) unsigned char memory[];
    bucket *kept = reinterpret_cast<bucket *>(memory);
    int64_t row_begin = job.offsets[row], items = job.offsets[row + 1] - row_begin, sections = spg_sections(items);
    const bucket *table = table_of<EXACT>(job) + row_begin;
    const int32_t *columns = job.columns != nullptr ? job.columns + row_begin : nullptr;
    int64_t begin = (int64_t)blockIdx.x * part, end = min(begin + part, job.count);
    int64_t number = first_that((int64_t)0, sections, [=](int64_t s) { return section_begins[s + 1] > begin; });
    for (; begin < end; ++number) {
        int64_t section_end = min(section_begins[number + 1], end), first = number * SPG_SECTION;
        if (section_end <= begin) continue;
        int size = (int)spg_rows_of_sections(number, number + 1, items);
        const bucket *buckets = table + first;
        if (SHARED) {
            __syncthreads();
            keep<BLOCK>(kept, buckets, size);
            __syncthreads();
            buckets = kept;
        }
        spg_grouped_place place = run<EXACT>::find(job.random.first, begin);
        section_draws<EXACT> draws = {{buckets, size, (int32_t)first, columns},
                                      &numbers,
                                      job.draws + begin,
                                      (int)(section_end - begin),
                                      place.in_run,
                                      place.block};
        draws.template draw_all<BLOCK / WARP>();
        begin = section_end;
    }
}

template <bool EXACT, bool SHARED, int BLOCK>
spg_status launch(spg_context *context, const draw_job &job, int64_t row, const int64_t *section_begins)
{
    spg_cuda *cuda = spg_cuda_of(context);
    auto kernel = draw_sections_kernel<EXACT, SHARED, BLOCK>;
    int bytes = SHARED ? SPG_SECTION * (int)sizeof(typename bucket_type<EXACT>::type) : 0;
    int resident = 1; /* resident blocks a multiprocessor, which get equal parts */
    cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (error == cudaSuccess && BLOCK == THREADS)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, BLOCK, (size_t)bytes);
    spg_status status = spg_cuda_check(context, error, "sections of an alias table");
    if (status != SPG_OK) return status;
    int64_t blocks = (int64_t)cuda->multiprocessors * resident;
    int64_t part = (job.count + blocks - 1) / blocks;
    if (part < LEAST_PART) part = LEAST_PART;
    if (part > MOST_PART) part = MOST_PART;
    blocks = (job.count + part - 1) / part;
    kernel<<<(unsigned)blocks, BLOCK, (size_t)bytes, cuda->stream>>>(job, sequence(job.random), row, section_begins,
                                                                     part);
    return spg_cuda_check_launch(context, "drawing from sections of an alias table");
}

template <bool EXACT>
spg_status draw_sections(spg_context *context, const draw_job &job, int64_t row, const int64_t *section_begins,
                         int64_t sections, spg_alias_sampler sampler)
{
    bool is_large = !EXACT && job.count / sections >= LARGE_DRAWS;
    if (sampler == SPG_SAMPLER_SECTIONED) return launch<EXACT, false, THREADS>(context, job, row, section_begins);
    if (sampler == SPG_SAMPLER_LIMITED) return launch<EXACT, false, LARGE_THREADS>(context, job, row, section_begins);
    if (is_large) return launch<false, true, LARGE_THREADS>(context, job, row, section_begins);
    return launch<EXACT, true, THREADS>(context, job, row, section_begins);
}

} // namespace

/* The row's length is in device memory, so the host must read it, except for a table of one row. */
spg_status draw_grouped(spg_context *context, const spg_alias &alias, const draw_job &job, int64_t row,
                        spg_alias_sampler sampler)
{
    workspace work(context);
    int64_t ends[2] = {0, alias.nnz}, *section_begins = nullptr;
    spg_status status = SPG_OK;
    if (alias.rows > 1)
        status = spg_cuda_copy_bytes(context, ends, SPG_PLACE_HOST, job.offsets + row, SPG_PLACE_DEVICE, sizeof ends);
    int64_t items = ends[1] - ends[0], sections = spg_sections(items);
    int32_t *draws = job.draws;
    if (status == SPG_OK && items == 0)
        return for_each(context, job.count, "drawing from an empty row",
                        [=] __device__(int64_t i) { draws[i] = SPG_NO_ITEM; });
    if (status == SPG_OK) status = work.take(sections + 1, "sections of an alias table", &section_begins);
    if (status != SPG_OK) return status;
    uint64_t key = spg_split_key(job.random.seed, job.random.stream, job.random.first);
    unsigned blocks = (unsigned)(sections / COUNT_THREADS + 1);
    count_sections_kernel<<<blocks, COUNT_THREADS, 0, spg_cuda_of(context)->stream>>>(items, job.count, key,
                                                                                      section_begins);
    status = spg_cuda_check_launch(context, "counting the draws of sections");
    if (status != SPG_OK) return status;
    if (sampler == SPG_SAMPLER_AUTO) sampler = spg_choose_sampler(items, job.count, alias.resolution);
    return alias.resolution == SPG_ALIAS_EXACT
               ? draw_sections<true>(context, job, row, section_begins, sections, sampler)
               : draw_sections<false>(context, job, row, section_begins, sections, sampler);
}

} // namespace alias
} // namespace spg
