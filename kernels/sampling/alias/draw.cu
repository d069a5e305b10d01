/* Draws from alias tables in the order of the random numbers, each with one random read of the table (Walker 1977; the
 * baseline of Lehmann 2020). A thread takes two generator blocks, four draws, so that four reads overlap. The table's
 * public calls are here too. */
#include "../random.cuh"
#include "draw.cuh"

namespace spg
{
namespace alias
{

namespace
{

enum { THREADS = 256, BLOCKS = 2, DRAWS = 2 * BLOCKS };

/* Reads the row's length here if the host does not know it (items < 0). */
template <bool EXACT>
__global__ void __launch_bounds__(THREADS)
    draw_kernel(const __grid_constant__ draw_job job, const __grid_constant__ sequence numbers, int64_t row,
                int64_t items, bool aligned)
{
    int64_t begin = 0;
    if (items < 0) {
        begin = job.offsets[row];
        items = job.offsets[row + 1] - begin;
    }
    const auto *table = table_of<EXACT>(job) + begin;
    const int32_t *columns = job.columns != nullptr ? job.columns + begin : nullptr;
    int64_t odd = (int64_t)(job.random.first & 1), tasks = (odd + job.count + DRAWS - 1) / DRAWS;
    int64_t step = (int64_t)gridDim.x * THREADS;
    for (int64_t t = (int64_t)blockIdx.x * THREADS + threadIdx.x; t < tasks; t += step) {
        int32_t drawn[DRAWS];
        uint64_t halves[DRAWS];
#pragma unroll
        for (int b = 0; b < BLOCKS; ++b) {
            uint64_t number = (job.random.first / 2 + (uint64_t)(BLOCKS * t + b)) & (UINT64_MAX >> 1);
            spg_philox_block block = numbers.block(number);
            halves[2 * b] = spg_philox_half(&block, 0);
            halves[2 * b + 1] = spg_philox_half(&block, 1);
        }
#pragma unroll
        for (int d = 0; d < DRAWS; ++d) drawn[d] = draw_from(table, items, halves[d]);
        if (columns != nullptr)
#pragma unroll
            for (int d = 0; d < DRAWS; ++d) drawn[d] = name_of(columns, 0, drawn[d]);
        int64_t first = DRAWS * t - odd;
        if (aligned && first + DRAWS <= job.count) {
            /* An explicit intrinsic: an assignment is split into four stores, with four times the traffic (ncu). */
            __stcs(reinterpret_cast<int4 *>(job.draws + first), make_int4(drawn[0], drawn[1], drawn[2], drawn[3]));
        } else {
#pragma unroll
            for (int d = 0; d < DRAWS; ++d)
                if (first + d >= 0 && first + d < job.count) job.draws[first + d] = drawn[d];
        }
    }
}

template <bool EXACT>
spg_status draw_in_order(spg_context *context, const spg_alias &alias, const draw_job &job, int64_t row)
{
    bool aligned = job.random.first % 2 == 0 && (uintptr_t)job.draws % 16 == 0;
    int64_t items = alias.rows == 1 ? alias.nnz : -1;
    int64_t blocks = job.count / DRAWS / THREADS + 1, most = 1 << 30; /* one task a thread, or few */
    if (blocks > most) blocks = most;
    draw_kernel<EXACT><<<(unsigned)blocks, THREADS, 0, spg_cuda_of(context)->stream>>>(job, sequence(job.random), row,
                                                                                       items, aligned);
    return spg_cuda_check_launch(context, "drawing from an alias table");
}

template <bool EXACT>
spg_status draw_from_rows(spg_context *context, const draw_job &job, const int32_t *rows, int64_t row_count,
                          bool empty_rows)
{
    unsigned long long *first_fault = &spg_cuda_of(context)->report->first[0];
    return for_each(context, job.count, "drawing from alias tables", [=] __device__(int64_t i) {
        int64_t row = rows != nullptr ? rows[i] : i;
        if (!is_row_number(row, row_count, empty_rows)) {
            report_first(first_fault, i);
            return;
        }
        if (row < 0) {
            job.draws[i] = SPG_NO_ITEM;
            return;
        }
        int64_t begin = job.offsets[row], items = job.offsets[row + 1] - begin;
        uint64_t number = spg_random_number(job.random.seed, job.random.stream, job.random.first + (uint64_t)i);
        job.draws[i] = name_of(job.columns, begin, draw_from(table_of<EXACT>(job) + begin, items, number));
    });
}

spg_status draw_rows(spg_context *context, const spg_alias &alias, const draw_job &job, const int32_t *rows)
{
    spg_report report;
    bool can_fail = rows != nullptr && !trusts(context);
    spg_status status = can_fail ? clear_report(context) : SPG_OK;
    if (status == SPG_OK)
        status = (alias.resolution == SPG_ALIAS_EXACT ? draw_from_rows<true> : draw_from_rows<false>)(context, job,
                                                                                                      rows, alias.rows,
                                                                                                      alias.empty_rows);
    if (status != SPG_OK || !can_fail) return status;
    status = read_report(context, &report);
    if (status != SPG_OK || report.first[0] == NONE_FIRST) return status;
    int64_t i = (int64_t)report.first[0];
    int32_t row;
    status = spg_cuda_copy_bytes(context, &row, SPG_PLACE_HOST, rows + i, SPG_PLACE_DEVICE, sizeof row);
    return status != SPG_OK ? status : spg_fail_row_number(context, i, row, alias.rows);
}

draw_job job_of(const spg_alias &alias, int64_t count, const spg_random &random, int32_t *draws)
{
    return {alias.offsets, alias.columns, alias.table, count, random, draws};
}

} // namespace

} // namespace alias
} // namespace spg

spg_status spg_cuda_alias_draws(spg_context *context, const spg_alias *alias, int64_t row, int64_t count,
                                const spg_random *random, spg_alias_sampler sampler, bool grouped, int32_t *draws)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    spg::alias::draw_job job = spg::alias::job_of(*alias, count, *random, draws);
    if (grouped)
        status = spg::alias::draw_grouped(context, *alias, job, row, sampler);
    else if (alias->resolution == SPG_ALIAS_EXACT)
        status = spg::alias::draw_in_order<true>(context, *alias, job, row);
    else
        status = spg::alias::draw_in_order<false>(context, *alias, job, row);
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_alias_row_draws(spg_context *context, const spg_alias *alias, int64_t count, const int32_t *rows,
                                    const spg_random *random, int32_t *draws)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::alias::draw_rows(context, *alias, spg::alias::job_of(*alias, count, *random, draws), rows);
    spg_cuda_leave(context);
    return status;
}
