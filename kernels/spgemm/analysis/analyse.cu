/* The analysis of a product without computing it: one pass over A, a warp a row.
 *
 * In: A, B, and the offsets of C, if given. Out: products of each row, and over all rows counts, classes, and the
 * moments of each factor. Blocks take rows by row number alone and results are merged in a fixed order, so the bits
 * depend neither on the device nor on the run. src/host/spgemm/analysis.c defines the factors and shares the messages.
 * Dalton, Bell, Olson, section 4.1.1. */
#include "../../containers/entries.cuh"
#include "../../cuda_backend.h"
#include "row_bins.cuh"

#include <cmath>
#include <cstring>

namespace spg
{
namespace
{

enum { WARPS = 8, BLOCK = 32 * WARPS, MOST_BLOCKS = 1024 };

/* Row offsets of a matrix. */
struct row_offsets : numbers_view {
    int64_t rows, nnz;

    __device__ int64_t at(int64_t i) const { return (*this)[i]; }
    __device__ int64_t length(int64_t i) const { return at(i + 1) - at(i); }
    /* Whether row i lies within [0, nnz), the first row at its start and the last at its end. */
    __device__ bool is_within(int64_t i) const
    {
        const int64_t begin = at(i), end = at(i + 1);
        return begin >= 0 && begin <= end && end <= nnz && (i > 0 || begin == 0) && (i + 1 < rows || end == nnz);
    }
};

/* Moments of a factor over some rows; `squares`: squared distances from the mean. */
struct moments {
    int64_t count;
    double min, max, mean, squares;

    /* Welford: equal values leave the mean exact and the squares 0. */
    __device__ void add(double value)
    {
        if (count == 0 || value < min) min = value;
        if (count == 0 || value > max) max = value;
        const double step = value - mean;
        mean += step / (double)++count;
        squares += step * (value - mean);
    }
    /* Chan, Golub, LeVeque: Updating formulae and a pairwise algorithm for computing sample variances, 1979. */
    __device__ __host__ void merge(const moments &more)
    {
        if (more.count == 0) return;
        if (count == 0) {
            *this = more;
            return;
        }
        const double old = (double)count, added = (double)more.count, step = more.mean - mean;
        if (more.min < min) min = more.min;
        if (more.max > max) max = more.max;
        squares += more.squares + step * step * (old * added / (old + added));
        mean += step * (added / (old + added));
        count += more.count;
    }
};

/* The results of some rows. */
struct rows_result {
    moments row_products, expansion, contraction;
    int64_t products, longest_row;
    int64_t class_rows[SPG_ROW_CLASSES], class_products[SPG_ROW_CLASSES];

    __device__ __host__ void merge(const rows_result &more)
    {
        row_products.merge(more.row_products);
        expansion.merge(more.expansion);
        contraction.merge(more.contraction);
        products += more.products;
        if (more.longest_row > longest_row) longest_row = more.longest_row;
        for (int c = 0; c < SPG_ROW_CLASSES; ++c) {
            class_rows[c] += more.class_rows[c];
            class_products[c] += more.class_products[c];
        }
    }
};

/* Why a row is invalid. A fault is row * FAULTS + its kind, so the minimum is the first fault. */
enum fault_kind { A_OFFSETS, A_COLUMN, C_OFFSETS, C_COUNT, FAULTS };

/* The first faults; ~0: none. Offsets of B are reported before row faults; invalid offsets of a matrix without rows
 * before both. */
struct first_faults {
    unsigned long long b_row, row;
};

struct analysis_job {
    row_offsets A, B, C; /* C.memory may be NULL */
    const int32_t *a_columns;
    spg_row_limits limits;
    int64_t *row_products; /* or NULL */
    int64_t block_rows;
    rows_result *results;
    first_faults *faults;
};

/* Products of row i, by all lanes of a warp; *fault: FAULTS (none), or the kind. */
__device__ int64_t count_products(const analysis_job &job, int64_t i, int *fault)
{
    *fault = A_OFFSETS;
    if (!job.A.is_within(i)) return 0;
    const int64_t end = job.A.at(i + 1);
    int64_t products = 0;
    bool inside = true;
    for (int64_t k = job.A.at(i) + threadIdx.x % 32; k < end; k += 32) {
        const int32_t j = job.a_columns[k];
        if (j >= 0 && j < job.B.rows)
            products += job.B.length(j);
        else
            inside = false;
    }
    products = reduce(products, plus{});
    *fault = __all_sync(~0u, inside) ? (int)FAULTS : (int)A_COLUMN;
    return products;
}

/* A row of C has entries if and only if it has products, and no more entries than products. */
__device__ int result_fault(const row_offsets &C, int64_t i, int64_t products)
{
    if (C.memory == nullptr) return FAULTS;
    if (!C.is_within(i)) return C_OFFSETS;
    const int64_t entries = C.length(i);
    return entries > products || (entries == 0) != (products == 0) ? (int)C_COUNT : (int)FAULTS;
}

__device__ void add_row(const analysis_job &job, int64_t i, int64_t products, rows_result *result)
{
    if (job.row_products != nullptr) job.row_products[i] = products;
    const int64_t entries = job.A.length(i);
    result->row_products.add((double)products);
    if (entries > 0) result->expansion.add((double)products / (double)entries);
    if (products > 0 && job.C.memory != nullptr) result->contraction.add((double)products / (double)job.C.length(i));
    const int row_class = spg_classify(products, &job.limits);
    for (int c = 0; c < SPG_ROW_CLASSES; ++c) {
        result->class_rows[c] += c == row_class;
        result->class_products[c] += c == row_class ? products : 0;
    }
    result->products += products;
    if (products > result->longest_row) result->longest_row = products;
}

__global__ void __launch_bounds__(BLOCK) analyse_kernel(analysis_job job)
{
    __shared__ rows_result of_warps[WARPS];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    rows_result result = {};
    const int64_t begin = blockIdx.x * job.block_rows, end = min(begin + job.block_rows, job.A.rows);
    for (int64_t i = begin + warp; i < end; i += WARPS) {
        int fault;
        const int64_t products = count_products(job, i, &fault);
        if (lane > 0) continue;
        if (fault == FAULTS) fault = result_fault(job.C, i, products);
        if (fault == FAULTS)
            add_row(job, i, products, &result);
        else
            atomicMin(&job.faults->row, (unsigned long long)(i * FAULTS + fault));
    }
    if (lane == 0) of_warps[warp] = result;
    __syncthreads();
    if (threadIdx.x > 0) return;
    for (int w = 1; w < WARPS; ++w) result.merge(of_warps[w]);
    job.results[blockIdx.x] = result;
}

row_offsets rows_of(const spg_csr *matrix)
{
    if (matrix == nullptr) return {{nullptr, false}, 0, 0};
    return {offsets_of(*matrix), matrix->rows, matrix->nnz};
}

spg_status read_faults(spg_context *context, const analysis_job &job, first_faults *faults)
{
    return spg_cuda_copy_bytes(context, faults, SPG_PLACE_HOST, job.faults, SPG_PLACE_DEVICE, sizeof *faults);
}

/* Checks a matrix's offsets and waits: nothing may read through invalid ones. A matrix without rows is faulty if it
 * does not begin at 0. */
spg_status check_offsets(spg_context *context, const analysis_job &job, const row_offsets &offsets, const char *name)
{
    unsigned long long *first = &job.faults->b_row;
    first_faults faults;
    spg_status status =
        for_each(context, offsets.rows > 0 ? offsets.rows : 1, "the check of offsets", [=] __device__(int64_t i) {
            const bool is_sound = offsets.rows > 0 ? offsets.is_within(i) : offsets.at(0) == 0;
            if (!is_sound) atomicMin(first, (unsigned long long)i);
        });
    if (status == SPG_OK) status = read_faults(context, job, &faults);
    if (status != SPG_OK || faults.b_row == ~0ull) return status;
    return spg_context_fail(context, SPG_ERROR_FORMAT, "%s: row %lld has offsets out of range", name,
                            (long long)faults.b_row);
}

spg_status report(spg_context *context, unsigned long long fault)
{
    static const struct {
        spg_status status;
        const char *matrix, *what;
    } kinds[FAULTS] = {{SPG_ERROR_FORMAT, "A", "has offsets out of range"},
                       {SPG_ERROR_FORMAT, "A", "has a column out of range"},
                       {SPG_ERROR_FORMAT, "C", "has offsets out of range"},
                       {SPG_ERROR_SHAPE, "C", "has a count of entries that A*B cannot have"}};
    const auto &kind = kinds[fault % FAULTS];
    return spg_context_fail(context, kind.status, "%s: row %lld %s", kind.matrix, (long long)(fault / FAULTS),
                            kind.what);
}

spg_factor factor_of(const moments &m)
{
    if (m.count == 0) return {};
    return {m.min, m.max, m.mean, std::sqrt(m.squares / (double)m.count), m.count};
}

void hand_out(const rows_result &all, spgemm_analysis *analysis)
{
    analysis->products = all.products;
    analysis->longest_row = all.longest_row;
    analysis->row_products = factor_of(all.row_products);
    analysis->expansion = factor_of(all.expansion);
    analysis->contraction = factor_of(all.contraction);
    memcpy(analysis->class_rows, all.class_rows, sizeof all.class_rows);
    memcpy(analysis->class_products, all.class_products, sizeof all.class_products);
}

/* Runs the blocks and merges their results in order into results[0]. */
spg_status analyse_blocks(spg_context *context, const analysis_job &job, int64_t blocks, rows_result *results)
{
    spg_cuda *cuda = spg_cuda_of(context);
    analyse_kernel<<<(unsigned int)blocks, BLOCK, 0, cuda->stream>>>(job);
    first_faults faults;
    spg_status status = spg_cuda_check_launch(context, "the analysis of a product");
    if (status == SPG_OK)
        status = spg_cuda_check(context,
                                cudaMemcpyAsync(results, job.results, (size_t)blocks * sizeof *results,
                                                cudaMemcpyDeviceToHost, cuda->stream),
                                "an analysis");
    if (status == SPG_OK) status = read_faults(context, job, &faults);
    if (status != SPG_OK) return status;
    if (faults.row != ~0ull) return report(context, faults.row);
    for (int64_t b = 1; b < blocks; ++b) results[0].merge(results[b]);
    return SPG_OK;
}

/* Takes device and host memory for the blocks' results, and analyses. */
spg_status analyse(spg_context *context, analysis_job job, int64_t blocks, rows_result *results,
                   spgemm_analysis *analysis)
{
    spg_status status = spg_cuda_check(
        context, cudaMemsetAsync(job.faults, 0xff, sizeof *job.faults, spg_cuda_of(context)->stream), "an analysis");
    if (status == SPG_OK) status = check_offsets(context, job, job.B, "B");
    if (status == SPG_OK && blocks == 0) status = check_offsets(context, job, job.A, "A");
    if (status == SPG_OK && blocks == 0 && job.C.memory != nullptr) status = check_offsets(context, job, job.C, "C");
    if (status == SPG_OK && blocks > 0) status = analyse_blocks(context, job, blocks, results);
    if (status == SPG_OK && blocks > 0) hand_out(results[0], analysis);
    return status;
}

spg_status allocate_and_analyse(spg_context *context, analysis_job job, spgemm_analysis *analysis)
{
    const int64_t even = (job.A.rows + MOST_BLOCKS - 1) / MOST_BLOCKS;
    job.block_rows = (even + WARPS - 1) / WARPS * WARPS;
    const int64_t blocks = job.A.rows > 0 ? (job.A.rows + job.block_rows - 1) / job.block_rows : 0;
    const int64_t results_bytes = blocks * (int64_t)sizeof(rows_result);
    const int64_t bytes = results_bytes + (int64_t)sizeof(first_faults);
    void *memory, *results = nullptr; /* same size on host and device; only the device's is counted */
    spg_status status = spg_allocate_workspace(context, results_bytes, bytes, "the analysis of a product", &memory);
    if (status != SPG_OK) return status;
    job.results = static_cast<rows_result *>(memory);
    job.faults = reinterpret_cast<first_faults *>(static_cast<char *>(memory) + results_bytes);
    status = spg_allocate_on_host(context, results_bytes, "the analysis of a product", &results);
    if (status == SPG_OK) status = analyse(context, job, blocks, static_cast<rows_result *>(results), analysis);
    spg_release_on_host(context, results, results_bytes);
    spg_release(context, memory, bytes);
    return status;
}

} // namespace
} // namespace spg

spg_status spg_cuda_product_analysis(spg_context *context, const spg_csr *A, const spg_csr *B, const spg_csr *C,
                                     const spg_row_limits *limits, int64_t *row_products, spgemm_analysis *analysis)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    spg::analysis_job job = {};
    job.A = spg::rows_of(A), job.B = spg::rows_of(B), job.C = spg::rows_of(C);
    job.a_columns = A->columns, job.limits = *limits, job.row_products = row_products;
    status = spg::allocate_and_analyse(context, job, analysis);
    spg_cuda_leave(context);
    return status;
}
