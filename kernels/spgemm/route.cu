/* Decides how the rows of a product are done (route.cuh). Binning costs more than it gives where rows are alike, and
 * most matrices of multigrid are: so a sample of rows tells, and rows that turn out otherwise are listed by the
 * counting kernels as misfits. */
#include "route.cuh"
#include "tally.cuh"

namespace spg
{

namespace
{

enum {
    SHORT_A_ROW = 11,    /* mean lengths up to which a thread a row is tried without asking */
    SHORT_PRODUCTS = 96, /* mean products, likewise */
    SAMPLE_ROWS = 1024,
    SAMPLE_PRODUCTS = 8192, /* a row that needs more is not counted, but makes rows mixed */
    SAMPLE_THREADS = 128
};

/* Sample row k of n. Triples of rows that begin at a multiple of 6 are whole pairs and triples as well. */
__device__ int32_t sample_row(int32_t k, int32_t samples, int32_t rows)
{
    return (int32_t)((int64_t)k * rows / samples) / 6 * 6;
}

/* Whether row j of A has the columns of row i; by a whole warp. */
template <typename Offset>
__device__ bool same_row(const patterns<Offset> &pattern, span<Offset> row, int32_t j, unsigned int &faults)
{
    if (j >= pattern.rows) return false;
    span<Offset> other = checked_a_row(pattern, j, faults);
    if (row.end - row.begin != other.end - other.begin || row.begin == row.end) return false;
    bool same = true;
    for (Offset k = threadIdx.x % 32; k < row.end - row.begin; k += 32)
        same = same && pattern.a_columns[row.begin + k] == pattern.a_columns[other.begin + k];
    return __all_sync(~0u, same);
}

/* The products of a row, by a whole warp. */
template <typename Offset>
__device__ unsigned long long count_products(const patterns<Offset> &pattern, span<Offset> row, unsigned int &faults)
{
    unsigned long long products = 0;
    for (Offset k = row.begin + threadIdx.x % 32; k < row.end; k += 32) {
        const span<Offset> b = checked_b_row(pattern, pattern.a_columns[k], faults);
        products += (unsigned long long)(b.end - b.begin);
    }
    for (int step = 16; step > 0; step /= 2) products += __shfl_xor_sync(~0u, products, step);
    return products;
}

struct sample {
    unsigned int count;
    int32_t rows[SAMPLE_ROWS];
};

/* Lists the sample, a warp a row, and counts of it the rows that are like the next, and like the next two, the longest
 * row of A, and as misfits the rows that need too many products to be listed. */
template <typename Offset>
__global__ void __launch_bounds__(SAMPLE_THREADS) sample_rows(patterns<Offset> pattern, int32_t samples, sample *listed)
{
    int32_t k = (int32_t)((blockIdx.x * SAMPLE_THREADS + threadIdx.x) / 32);
    if (k >= samples) return;
    unsigned int faults = 0; /* found again by the counting kernel */
    const int32_t i = sample_row(k, samples, pattern.rows);
    const span<Offset> row = checked_a_row(pattern, i, faults);
    const bool pair = same_row(pattern, row, i + 1, faults), triple = pair && same_row(pattern, row, i + 2, faults);
    const bool fits = count_products(pattern, row, faults) <= SAMPLE_PRODUCTS;
    if (threadIdx.x % 32 != 0) return;
    if (fits)
        listed->rows[atomicAdd(&listed->count, 1u)] = i;
    else
        atomicAdd(&pattern.tally->misfits, 1u);
    atomicMax(&pattern.tally->sampled_a_length, (unsigned int)min((int64_t)(row.end - row.begin), (int64_t)INT32_MAX));
    if (pair) atomicAdd(&pattern.tally->sampled_pairs, 1u);
    if (triple) atomicAdd(&pattern.tally->sampled_triples, 1u);
}

/* Counts a sample of rows with the largest table. */
spg_status take_sample(cuda_product &product, int32_t samples, spg_tally *found)
{
    void *memory = nullptr;
    spg_status status = take_workspace(product, sizeof(sample), "a sample of rows", &memory);
    if (status != SPG_OK) return status;
    sample *listed = static_cast<sample *>(memory);
    cudaStream_t stream = product.cuda->stream;
    status =
        spg_cuda_check(product.context, cudaMemsetAsync(&listed->count, 0, sizeof listed->count, stream), "a sample");
    if (status == SPG_OK)
        status = with_offset_type(product.offset_type, [&](auto offset) {
            int blocks = (int)(((int64_t)samples * 32 + SAMPLE_THREADS - 1) / SAMPLE_THREADS);
            sample_rows<<<blocks, SAMPLE_THREADS, 0, stream>>>(patterns_of<decltype(offset)>(product), samples, listed);
            return spg_cuda_check_launch(product.context, "sample_rows");
        });
    row_set rows{listed->rows, samples, &listed->count, nullptr};
    if (status == SPG_OK) status = count_rows_table(product, rows, TABLE_MOST, 1);
    unsigned int post = ++product.cuda->posts;
    if (status == SPG_OK) status = post_tally(product, post);
    give_workspace(product, memory, sizeof(sample));
    return status == SPG_OK ? spg_cuda_wait_for_tally(product.context, post, found) : status;
}

/* Rows are alike if the longest of the sample is not far from the mean, so that one table serves all. */
bool are_alike(const spg_tally &found, int32_t samples)
{
    double mean = (double)found.nnz / samples;
    return found.misfits == 0 && found.longest_row <= 6 * mean + 16;
}

} // namespace

int table_for(int64_t length)
{
    for (int slots = TABLE_LEAST; slots <= TABLE_MOST; slots *= 2)
        if (length <= table_holds(slots)) return slots;
    return 0;
}

spg_status choose_route(cuda_product &product, route *chosen)
{
    const spg_csr *A = product.A, *B = product.B;
    *chosen = {path::nothing, false, 0, 1};
    if (A->rows == 0 || A->nnz == 0) return SPG_OK;
    const spg_row_limits &limits = product.context->config.row_limits;
    if (limits.thread >= 0 || limits.warp >= 0 || limits.cta >= 0) {
        chosen->rows = path::paper;
        return SPG_OK;
    }
    double a_row = (double)A->nnz / (double)A->rows, b_row = (double)B->nnz / (double)B->rows;
    if (a_row <= SHORT_A_ROW && a_row * b_row <= SHORT_PRODUCTS) {
        chosen->rows = path::short_rows;
        return SPG_OK;
    }
    int32_t samples = A->rows < SAMPLE_ROWS ? (int32_t)A->rows : SAMPLE_ROWS;
    spg_tally found;
    spg_status status = take_sample(product, samples, &found);
    if (status != SPG_OK) return status;
    chosen->rows = are_alike(found, samples) ? path::alike_rows : path::mixed_rows;
    chosen->merge = found.sampled_a_length <= MERGE_MOST;
    chosen->slots = table_for(found.longest_row + found.longest_row / 4);
    if (chosen->slots == 0) chosen->slots = TABLE_MOST;
    if (found.sampled_triples > (unsigned int)samples / 2)
        chosen->together = 3;
    else if (found.sampled_pairs > (unsigned int)samples / 2)
        chosen->together = 2;
    return SPG_OK;
}

} // namespace spg
