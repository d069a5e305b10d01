/* Makes what a plan keeps for its short rows: references from A's entries to rows of B, and the codes of products.
 *
 * Input: the rows of PLAN_THREAD and the patterns. Output: plan_thread_rows of plan/plan.cuh. */
#include "plan.cuh"

#include "../../primitives/warp.cuh"

namespace spg
{

namespace
{

enum { THREADS = 256 };

/* The words of codes that each warp of rows needs. */
__global__ void __launch_bounds__(THREADS)
    count_words_kernel(const int32_t *rows, int64_t count, const int64_t *row_products, int64_t *words)
{
    const int64_t at = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (at / WARP * WARP >= count) return;
    const int64_t mine = at < count ? (row_products[rows[at]] + 3) / 4 : 0;
    const int64_t most = reduce(mine, maximum());
    if (at % WARP == 0) words[at / WARP] = most;
}

struct code_writer {
    uint32_t *word;
    uint32_t bits;
    int count;

    __device__ void add(uint32_t code)
    {
        bits |= code << (8 * (count % 4));
        if (++count % 4 != 0) return;
        *word = bits;
        word += WARP;
        bits = 0;
    }
    __device__ void end() const
    {
        if (count % 4 != 0) *word = bits;
    }
};

__global__ void __launch_bounds__(THREADS)
    write_kernel(plan_patterns patterns, const int32_t *rows, plan_thread_rows out)
{
    const int64_t at = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (at >= out.count) return;
    const int64_t row = rows[at], a_begin = patterns.a[row], a_end = patterns.a[row + 1];
    const int64_t c_begin = patterns.c[row], n = patterns.c[row + 1] - c_begin;
    out.a_begin[at] = (uint32_t)a_begin;
    out.c_begin[at] = (uint32_t)c_begin;
    out.lengths[at] = (uint32_t)(a_end - a_begin) << 8 | (uint32_t)n;
    code_writer codes = {out.codes + WARP * out.codes_begin[at / WARP] + at % WARP, 0, 0};
    for (int64_t k = a_begin; k < a_end; k++) {
        const int64_t column = patterns.a_columns[k], begin = patterns.b[column], end = patterns.b[column + 1];
        out.references[k] = (uint32_t)begin << PLAN_LENGTH_BITS | (uint32_t)(end - begin);
        for (int64_t t = begin; t < end; t++)
            codes.add((uint32_t)first_not_below(patterns.c_columns + c_begin, n, patterns.b_columns[t]));
    }
    codes.end();
}

} // namespace

spg_status make_thread_rows(plan_maker &maker, const int32_t *rows)
{
    plan_thread_rows &kept = maker.part->thread;
    const plan_totals &totals = maker.facts.classes[PLAN_THREAD];
    const int64_t count = (int64_t)totals.rows, warps = (count + WARP - 1) / WARP;
    const unsigned int blocks = (unsigned int)((count + THREADS - 1) / THREADS);
    int64_t words = 0;
    kept.longest = (int)totals.most_c;
    spg_status status = keep_array(maker, warps + 1, &kept.codes_begin);
    if (status == SPG_OK) status = keep_array(maker, count, &kept.lengths);
    if (status == SPG_OK) status = keep_array(maker, count, &kept.a_begin);
    if (status == SPG_OK) status = keep_array(maker, count, &kept.c_begin);
    if (status == SPG_OK && maker.plan->references == nullptr)
        status = keep_array(maker, maker.a_nnz, &maker.plan->references);
    if (status != SPG_OK) return status;
    kept.references = maker.plan->references;
    count_words_kernel<<<blocks, THREADS, 0, maker.cuda->stream>>>(rows, count, maker.row_products, kept.codes_begin);
    status = spg_cuda_check_launch(maker.context, "a plan's codes");
    if (status == SPG_OK) status = scan_counts(maker, kept.codes_begin, warps, &words);
    /* Zeroed, because lanes with rows shorter than their warp's longest leave words that are prefetched and not
     * used. */
    if (status == SPG_OK) status = keep_zeroed_array(maker, words * WARP, &kept.codes);
    if (status != SPG_OK) return status;
    kept.count = count;
    write_kernel<<<blocks, THREADS, 0, maker.cuda->stream>>>(maker.patterns, rows, kept);
    return spg_cuda_check_launch(maker.context, "a plan's short rows");
}

} // namespace spg
