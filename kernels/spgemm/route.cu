/* Decides how the rows of a product are done (route.cuh). Binning costs more than it gives where rows are alike, and
 * most matrices of multigrid are: so a sample of rows tells, and rows that turn out otherwise are listed by the
 * counting kernels as misfits. */
#include "route.cuh"
#include "tally.cuh"

#include <algorithm>

namespace spg
{

namespace
{

enum {
    SHORT_A_ROW = 11,     /* mean lengths up to which a thread a row is tried without asking */
    SHORT_PRODUCTS = 96,  /* mean products, likewise */
    MERGE_PRODUCTS = 256, /* mean products up to which merging counts faster than tables do */
    SAMPLE_ROWS = 1024,
    SAMPLE_PRODUCTS = 1024, /* a row that needs more is not counted with the sample */
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

/* What a row of C needs: its products, and the columns from its first to its last. */
struct row_needs {
    unsigned int products, span;
};

/* By a whole warp. Rows of B are taken to ascend. */
template <typename Offset>
__device__ row_needs needs_of(const patterns<Offset> &pattern, span<Offset> row, unsigned int &faults)
{
    unsigned int products = 0, first = UINT32_MAX, last = 0;
    for (Offset k = row.begin + threadIdx.x % 32; k < row.end; k += 32) {
        const span<Offset> b = checked_b_row(pattern, pattern.a_columns[k], faults);
        if (b.begin == b.end) continue;
        products += (unsigned int)min((int64_t)(b.end - b.begin), (int64_t)1 << 20);
        first = min(first, (unsigned int)pattern.b_columns[b.begin]);
        last = max(last, (unsigned int)pattern.b_columns[b.end - 1]);
    }
    products = __reduce_add_sync(~0u, min(products, 1u << 26));
    first = __reduce_min_sync(~0u, first);
    last = __reduce_max_sync(~0u, last);
    return {products, last >= first ? last - first + 1 : 0};
}

struct sample {
    unsigned int count;
    int32_t rows[SAMPLE_ROWS];
};

/* Lists the sample, a warp a row, and tells the tally what its rows are like. */
template <typename Offset>
__global__ void __launch_bounds__(SAMPLE_THREADS) sample_rows(patterns<Offset> pattern, int32_t samples, sample *listed)
{
    int32_t k = (int32_t)((blockIdx.x * SAMPLE_THREADS + threadIdx.x) / 32);
    if (k >= samples) return;
    unsigned int faults = 0; /* found again by the counting kernel */
    const int32_t i = sample_row(k, samples, pattern.rows);
    const span<Offset> row = checked_a_row(pattern, i, faults);
    const bool pair = same_row(pattern, row, i + 1, faults), triple = pair && same_row(pattern, row, i + 2, faults);
    const row_needs needs = needs_of(pattern, row, faults);
    if (threadIdx.x % 32 != 0) return;
    spg_tally *tally = pattern.tally;
    if (needs.products <= SAMPLE_PRODUCTS)
        listed->rows[atomicAdd(&listed->count, 1u)] = i;
    else
        atomicAdd(&tally->sampled_long, 1u);
    atomicMax(&tally->sampled_a_length, (unsigned int)min((int64_t)(row.end - row.begin), (int64_t)INT32_MAX));
    atomicMax(&tally->sampled_span, needs.span);
    atomicMax(&tally->sampled_most_products, needs.products);
    atomicAdd(&tally->sampled_products, (unsigned long long)needs.products);
    if (pair) atomicAdd(&tally->sampled_pairs, 1u);
    if (triple) atomicAdd(&tally->sampled_triples, 1u);
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

/* Rows are alike if the longest of the sample is not far from the mean, so that one kernel serves all. Whether rows of
 * many products are long in C, the sample does not tell. */
bool are_alike(const spg_tally &found, int32_t samples)
{
    if (found.sampled_long > 0) return found.sampled_most_products <= 4 * (double)found.sampled_products / samples;
    return found.misfits == 0 && found.longest_row <= 6 * (double)found.nnz / samples + 16;
}

/* Equal neighbours share their columns best where these have their places in a window; rows of many products take no
 * table. */
route route_by(const spg_tally &found, int32_t samples)
{
    route chosen{path::mixed_rows, false, false, TABLE_MOST, 0, 1};
    if (found.sampled_triples > (unsigned int)samples / 2)
        chosen.together = 3;
    else if (found.sampled_pairs > (unsigned int)samples / 2)
        chosen.together = 2;
    const bool narrow = found.sampled_span <= DIRECT_MOST_SPAN;
    if (narrow) chosen.span = std::min((int)(found.sampled_span + found.sampled_span / 16), (int)DIRECT_MOST_SPAN);
    if (!are_alike(found, samples) || (found.sampled_long > 0 && !narrow)) return chosen;
    chosen.rows = path::alike_rows;
    const bool few_products = found.sampled_products <= (unsigned long long)samples * MERGE_PRODUCTS;
    chosen.merge = found.sampled_a_length <= MERGE_MOST && few_products && chosen.together == 1;
    chosen.direct = !chosen.merge && narrow && (chosen.together > 1 || found.sampled_long > 0);
    int slots = table_for(found.longest_row + found.longest_row / 4);
    if (slots > 0) chosen.slots = slots;
    return chosen;
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
    *chosen = {path::nothing, false, false, 0, 0, 1};
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
    *chosen = route_by(found, samples);
    return SPG_OK;
}

} // namespace spg
