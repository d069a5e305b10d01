/* Draws without replacement (src/sampling/subset.h). The keys of all entries are made once. Several rows are then
 * sorted whole, each a segment. Of one big row only what can be drawn is sorted: a histogram of the keys' upper bits,
 * one bin for half an octave, tells below which key there are k items, and with it the host learns their number. */
#include "sampling.cuh"
#include "sampling/subset.h"

#include "../cuda_backend.h"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

namespace spg
{
namespace subset
{

namespace
{

enum { FIRST_FAULT = 0, FIRST_SHORT = 1 }; /* rows, in spg_report.first */

enum { THREADS = 256, BIN_BITS = 13, BINS = 1 << BIN_BITS, NONE_BIN = BINS - 1 };

__host__ __device__ inline int bin_of(uint64_t key) { return (int)(key >> (64 - BIN_BITS)); }

struct subset_job {
    numbers_view offsets;
    weights_view weights;
    const int32_t *columns;
    int64_t rows, nnz, k;
    spg_random random;
    bool empty_rows;
    int32_t *draws;
    unsigned long long *first_fault, *first_short;

    __device__ uint64_t key(int64_t entry, int64_t row) const
    {
        double weight = weights[entry];
        if (!is_sound_weight(weight)) report_first(first_fault, row);
        uint64_t bits = spg_random_number(random.seed, random.stream, random.first + (uint64_t)entry);
        return spg_subset_key(bits, weight);
    }

    /* Writes draw d of a row; found: an item, or SPG_NO_ITEM past the last. */
    __device__ void write(int64_t row, int64_t begin, int64_t d, int32_t found) const
    {
        if (found == SPG_NO_ITEM && !empty_rows) report_first(first_short, row);
        draws[row * k + d] = name_of(columns, begin, found);
    }
};

spg_status check_cub(spg_context *context, cudaError_t error) { return spg_cuda_check(context, error, "sorting keys"); }

/* ---- Several rows ------------------------------------------------------------------------------------------------ */

/* Offsets as whole numbers of 64 bits, as the sort needs them. */
spg_status take_offsets(workspace &work, const subset_job &job, const int64_t **offsets)
{
    if (job.offsets.wide) {
        *offsets = static_cast<const int64_t *>(job.offsets.memory);
        return SPG_OK;
    }
    int64_t *memory = nullptr;
    numbers_view from = job.offsets;
    spg_status status = work.take(job.rows + 1, "offsets of rows", &memory);
    *offsets = memory;
    if (status != SPG_OK) return status;
    return for_each(work.context, job.rows + 1, "offsets of rows", [=] __device__(int64_t i) { memory[i] = from[i]; });
}

spg_status draw_rows(workspace &work, const spg_csr &weights, const subset_job &job)
{
    spg_context *context = work.context;
    cudaStream_t stream = spg_cuda_of(context)->stream;
    uint64_t *keys = nullptr, *sorted_keys = nullptr;
    int32_t *items = nullptr, *sorted = nullptr;
    const int64_t *offsets = nullptr;
    char *room = nullptr;
    size_t bytes = 0;
    int count = (int)job.nnz, rows = (int)job.rows;
    spg_status status = work.take(job.nnz, "keys of items", &keys);
    if (status == SPG_OK) status = work.take(job.nnz, "keys of items", &sorted_keys);
    if (status == SPG_OK) status = work.take(job.nnz, "items by key", &items);
    if (status == SPG_OK) status = work.take(job.nnz, "items by key", &sorted);
    if (status == SPG_OK) status = take_offsets(work, job, &offsets);
    if (status == SPG_OK)
        status = for_each_entry(context, weights, "keys of items", [=] __device__(int64_t e, int64_t row) {
            keys[e] = job.key(e, row);
            items[e] = (int32_t)(e - job.offsets[row]);
        });
    auto sort = [&](void *memory) {
        return cub::DeviceSegmentedSort::StableSortPairs(memory, bytes, keys, sorted_keys, items, sorted, count, rows,
                                                         offsets, offsets + 1, stream);
    };
    if (status == SPG_OK && count > 0) status = check_cub(context, sort(nullptr));
    if (status == SPG_OK && count > 0) status = work.take((int64_t)bytes, "sorting keys", &room);
    if (status == SPG_OK && count > 0) status = check_cub(context, sort(room));
    if (status != SPG_OK) return status;
    return for_each(context, job.rows * job.k, "draws without replacement", [=] __device__(int64_t place) {
        int64_t row = place / job.k, d = place % job.k, begin = offsets[row], entry = begin + d;
        bool is_there = entry < offsets[row + 1] && sorted_keys[entry] != SPG_SUBSET_NONE;
        job.write(row, begin, d, is_there ? sorted[entry] : (int32_t)SPG_NO_ITEM);
    });
}

/* ---- One big row ------------------------------------------------------------------------------------------------- */

/* Items by the bin of their key, and what follows from them. */
struct key_counts {
    unsigned long long bins[BINS];
    unsigned long long below; /* items whose key is below `limit`: at least k, or all that can be drawn */
    uint64_t limit;
};

/* The keys of all items, and their histogram. Most keys are in few bins, so the lanes of a warp with one bin add once.
 */
__global__ void __launch_bounds__(THREADS)
    make_keys_kernel(const __grid_constant__ subset_job job, uint64_t *keys, key_counts *counts)
{
    __shared__ unsigned int bins[BINS];
    int64_t step = (int64_t)gridDim.x * THREADS, first = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    for (int b = (int)threadIdx.x; b < BINS; b += THREADS) bins[b] = 0;
    __syncthreads();
    for (int64_t e = first; e - lane_in_warp() < job.nnz; e += step) {
        uint64_t key = e < job.nnz ? job.key(e, 0) : SPG_SUBSET_NONE;
        if (e < job.nnz) keys[e] = key;
        int bin = bin_of(key);
        unsigned int alike = __match_any_sync(ALL_LANES, bin);
        if (lane_in_warp() == __ffs((int)alike) - 1 && bin != NONE_BIN) atomicAdd(&bins[bin], __popc(alike));
    }
    __syncthreads();
    for (int b = (int)threadIdx.x; b < BINS; b += THREADS)
        if (bins[b] > 0) atomicAdd(&counts->bins[b], (unsigned long long)bins[b]);
}

/* The first bin at whose end there are k items, by one warp. */
__global__ void __launch_bounds__(WARP) find_limit_kernel(key_counts *counts, int64_t k, spg_report *report)
{
    unsigned long long before = 0;
    int end = 0;
    while (end < NONE_BIN && before < (unsigned long long)k) {
        int bin = end + lane_in_warp();
        unsigned long long through = inclusive_scan(bin < NONE_BIN ? counts->bins[bin] : 0ull, plus());
        unsigned int enough = __ballot_sync(ALL_LANES, before + through >= (unsigned long long)k);
        int last = enough != 0 ? __ffs((int)enough) - 1 : WARP - 1;
        before += __shfl_sync(ALL_LANES, through, last);
        end = min(end + last + 1, (int)NONE_BIN);
    }
    if (lane_in_warp() != 0) return;
    counts->below = before;
    counts->limit = (uint64_t)end << (64 - BIN_BITS);
    report->figures[0] = (long long)before;
}

struct is_below {
    const uint64_t *keys;
    const key_counts *counts;
    __device__ bool operator()(int32_t item) const { return keys[item] < counts->limit; }
};

/* Sorts the `below` items whose keys are below the limit, and draws. */
spg_status draw_below(workspace &held, const subset_job &job, const uint64_t *keys, const key_counts *counts,
                      int64_t below)
{
    spg_context *context = held.context;
    workspace work(context, held.held_bytes());
    cudaStream_t stream = spg_cuda_of(context)->stream;
    uint64_t *chosen_keys = nullptr, *sorted_keys = nullptr;
    int32_t *chosen = nullptr, *sorted = nullptr, *chosen_count = nullptr;
    char *room = nullptr;
    size_t select_bytes = 0, sort_bytes = 0;
    int all = (int)job.nnz, some = (int)below;
    spg_status status = work.take(below, "keys that can be drawn", &chosen_keys);
    if (status == SPG_OK) status = work.take(below, "keys that can be drawn", &sorted_keys);
    if (status == SPG_OK) status = work.take(below, "items that can be drawn", &chosen);
    if (status == SPG_OK) status = work.take(below, "items that can be drawn", &sorted);
    if (status == SPG_OK) status = work.take(1, "items that can be drawn", &chosen_count);
    auto select = [&](void *memory) {
        return cub::DeviceSelect::If(memory, select_bytes, thrust::counting_iterator<int32_t>(0), chosen, chosen_count,
                                     all, is_below{keys, counts}, stream);
    };
    auto sort = [&](void *memory) {
        return cub::DeviceRadixSort::SortPairs(memory, sort_bytes, chosen_keys, sorted_keys, chosen, sorted, some, 0,
                                               64, stream);
    };
    if (status == SPG_OK && some > 0) status = check_cub(context, select(nullptr));
    if (status == SPG_OK && some > 0) status = check_cub(context, sort(nullptr));
    size_t bytes = select_bytes > sort_bytes ? select_bytes : sort_bytes;
    if (status == SPG_OK) status = work.take((int64_t)bytes, "sorting keys", &room);
    if (status == SPG_OK && some > 0) status = check_cub(context, select(room));
    if (status == SPG_OK)
        status = for_each(context, below, "keys that can be drawn",
                          [=] __device__(int64_t c) { chosen_keys[c] = keys[chosen[c]]; });
    if (status == SPG_OK && some > 0) status = check_cub(context, sort(room));
    if (status != SPG_OK) return status;
    return for_each(context, job.k, "draws without replacement",
                    [=] __device__(int64_t d) { job.write(0, 0, d, d < below ? sorted[d] : (int32_t)SPG_NO_ITEM); });
}

spg_status draw_one_row(workspace &work, const subset_job &job)
{
    spg_context *context = work.context;
    spg_cuda *cuda = spg_cuda_of(context);
    uint64_t *keys = nullptr;
    key_counts *counts = nullptr;
    spg_report report;
    spg_status status = work.take(job.nnz, "keys of items", &keys);
    if (status == SPG_OK) status = work.take(1, "counts of keys", &counts);
    if (status == SPG_OK) status = spg_cuda_zero_bytes(context, counts, sizeof *counts);
    if (status != SPG_OK) return status;
    if (job.nnz > 0) {
        unsigned int blocks = loop_blocks(context, (job.nnz + THREADS - 1) / THREADS);
        make_keys_kernel<<<blocks, THREADS, 0, cuda->stream>>>(job, keys, counts);
        status = spg_cuda_check_launch(context, "keys of items");
    }
    if (status != SPG_OK) return status;
    find_limit_kernel<<<1, WARP, 0, cuda->stream>>>(counts, job.k, cuda->report);
    status = spg_cuda_check_launch(context, "counts of keys");
    if (status == SPG_OK) status = read_report(context, &report);
    if (status != SPG_OK || report.first[FIRST_FAULT] != NONE_FIRST) return status; /* the caller tells it */
    return draw_below(work, job, keys, counts, report.figures[0]);
}

/* ---- Faults ------------------------------------------------------------------------------------------------------ */

/* Fails for a row of too few items, all weights being sound. */
spg_status fail_few(spg_context *context, const subset_job &job, int64_t row)
{
    spg_report *shared = spg_cuda_of(context)->report, report;
    numbers_view offsets = job.offsets;
    weights_view weights = job.weights;
    spg_status status = for_each(context, WARP, "counting items", [=] __device__(int64_t lane) {
        long long positive = 0;
        for (int64_t e = offsets[row] + lane; e < offsets[row + 1]; e += WARP) positive += weights[e] > 0;
        positive = reduce(positive, plus());
        if (lane == 0) shared->figures[0] = positive;
    });
    if (status == SPG_OK) status = read_report(context, &report);
    return status == SPG_OK ? spg_fail_few(context, row, report.figures[0], job.k) : status;
}

spg_status draw(spg_context *context, const spg_csr &weights, int64_t k, const spg_random &random, int32_t *draws)
{
    if (weights.rows > 1 && (weights.nnz > INT32_MAX || weights.rows > INT32_MAX))
        return spg_context_fail(context, SPG_ERROR_UNSUPPORTED,
                                "weights: %lld entries in %lld rows; draws without replacement from several rows take "
                                "up to 2147483647 of each on a device",
                                (long long)weights.nnz, (long long)weights.rows);
    spg_report *shared = spg_cuda_of(context)->report, report;
    spg_status status = trusts(context) ? SPG_OK : spg_cuda_csr_check(context, &weights);
    if (status == SPG_OK && weights.nnz > INT32_MAX) return find_weight_fault(context, weights); /* too long a row */
    if (status == SPG_OK) status = clear_report(context);
    if (status != SPG_OK) return status;
    subset_job job = {offsets_of(weights),
                      weights_of(weights),
                      weights.columns,
                      weights.rows,
                      weights.nnz,
                      k,
                      random,
                      allows_empty_rows(context),
                      draws,
                      &shared->first[FIRST_FAULT],
                      &shared->first[FIRST_SHORT]};
    {
        workspace work(context);
        status = weights.rows == 1 ? draw_one_row(work, job) : draw_rows(work, weights, job);
    }
    if (status == SPG_OK) status = read_report(context, &report);
    if (status != SPG_OK) return status;
    if (report.first[FIRST_FAULT] == NONE_FIRST && report.first[FIRST_SHORT] == NONE_FIRST) return SPG_OK;
    status = find_weight_fault(context, weights);
    return status == SPG_OK ? fail_few(context, job, (int64_t)report.first[FIRST_SHORT]) : status;
}

} // namespace

} // namespace subset
} // namespace spg

spg_status spg_cuda_subset_draws(spg_context *context, const spg_csr *weights, int64_t k, const spg_random *random,
                                 int32_t *draws)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::subset::draw(context, *weights, k, *random, draws);
    spg_cuda_leave(context);
    return status;
}
