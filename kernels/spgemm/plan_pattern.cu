/* Whether a pattern is the plan's: C's, of which the plan has its own, by comparison, A's and B's by two sums of mixed
 * numbers over all offsets and columns. Nothing is followed, so that the pattern may be any. */
#include "plan.cuh"

#include "../primitives/warp.cuh"

namespace spg
{

namespace
{

enum { THREADS = 256 };

/* The finalizer of a 64-bit hash: every bit of the result depends on all of x. */
__device__ inline unsigned long long mix(unsigned long long x)
{
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93ull;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93ull;
    return x ^ x >> 32;
}

/* Adds numbers, each mixed with its place, to two sums. */
__global__ void __launch_bounds__(THREADS) add_numbers_kernel(numbers_view numbers, int64_t count, long long *sums)
{
    unsigned long long one = 0, other = 0;
    const int64_t step = (int64_t)gridDim.x * THREADS;
    for (int64_t k = (int64_t)blockIdx.x * THREADS + threadIdx.x; k < count; k += step) {
        const unsigned long long here = (unsigned long long)k * 0x9e3779b97f4a7c15ull;
        one += mix((unsigned long long)numbers[k] + here);
        other += mix(((unsigned long long)numbers[k] ^ 0xa0761d6478bd642full) * 0xe7037ed1a0b428dbull + here);
    }
    one = reduce(one, plus());
    other = reduce(other, plus());
    if (lane_in_warp() != 0) return;
    atomicAdd(reinterpret_cast<unsigned long long *>(sums), one);
    atomicAdd(reinterpret_cast<unsigned long long *>(sums + 1), other);
}

spg_status add_numbers(spg_context *context, numbers_view numbers, int64_t count, long long *sums)
{
    if (count == 0) return SPG_OK;
    const spg_cuda *cuda = spg_cuda_of(context);
    add_numbers_kernel<<<plan_blocks(cuda, count, THREADS), THREADS, 0, cuda->stream>>>(numbers, count, sums);
    return spg_cuda_check_launch(context, "a fingerprint");
}

__global__ void __launch_bounds__(THREADS)
    compare_kernel(numbers_view one, numbers_view other, int64_t count, spg_report *report)
{
    const int64_t step = (int64_t)gridDim.x * THREADS;
    for (int64_t k = (int64_t)blockIdx.x * THREADS + threadIdx.x; k < count; k += step)
        if (one[k] != other[k]) report_first(&report->first[0], k);
}

spg_status compare(spg_context *context, numbers_view one, numbers_view other, int64_t count)
{
    if (count == 0) return SPG_OK;
    const spg_cuda *cuda = spg_cuda_of(context);
    compare_kernel<<<plan_blocks(cuda, count, THREADS), THREADS, 0, cuda->stream>>>(one, other, count, cuda->report);
    return spg_cuda_check_launch(context, "comparing patterns");
}

} // namespace

spg_status find_fingerprint(spg_context *context, const spg_csr *matrix, plan_fingerprint *fingerprint)
{
    spg_report *report = spg_cuda_of(context)->report, found;
    spg_status status = clear_report(context);
    if (status == SPG_OK) status = add_numbers(context, offsets_of(*matrix), matrix->rows + 1, report->figures);
    if (status == SPG_OK) status = add_numbers(context, {matrix->columns, false}, matrix->nnz, report->figures + 2);
    if (status == SPG_OK) status = read_report(context, &found);
    if (status != SPG_OK) return status;
    for (int k = 0; k < 4; k++) fingerprint->sums[k] = found.figures[k];
    return SPG_OK;
}

spg_status patterns_are_equal(spg_context *context, const spg_csr *one, const spg_csr *other, bool *are_equal)
{
    spg_report found;
    spg_status status = clear_report(context);
    if (status == SPG_OK) status = compare(context, offsets_of(*one), offsets_of(*other), one->rows + 1);
    if (status == SPG_OK) status = compare(context, {one->columns, false}, {other->columns, false}, one->nnz);
    if (status == SPG_OK) status = read_report(context, &found);
    if (status == SPG_OK) *are_equal = found.first[0] == NONE_FIRST;
    return status;
}

} // namespace spg
