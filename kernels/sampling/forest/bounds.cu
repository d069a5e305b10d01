/* The bounds of all rows: sums, units, one prefix sum of all units modulo 2^64, from which each row subtracts the sum
 * before it, and the division by the row's total. See src/sampling/forest.h. */
#include "../butterfly/rows.cuh"
#include "../tree.cuh"
#include "build.cuh"

#include <cub/device/device_scan.cuh>

namespace spg
{
namespace forest
{

namespace
{

enum { THREADS = 256, PIECE_LEVELS = 10, PIECE = 1 << PIECE_LEVELS, STACK = 32 - PIECE_LEVELS };

/* The tree sum of a row by a warp, piece by piece. stack: nodes that wait for their right siblings. */
__device__ double sum_row(weights_view weights, int64_t items, double scale, bool *bad)
{
    constexpr int CHUNKS = 8;
    double stack[STACK];
    int pieces = items <= PIECE ? 1 : 1 << (spg_levels(items) - PIECE_LEVELS);
    for (int piece = 0; piece < pieces; ++piece) {
        double parts[PIECE / (WARP * CHUNKS)];
#pragma unroll
        for (int p = 0; p < PIECE / (WARP * CHUNKS); ++p) {
            int64_t first = (int64_t)piece * PIECE + p * WARP * CHUNKS + lane_in_warp();
            parts[p] = 0;
            if (first - lane_in_warp() >= items) continue;
            double leaves[CHUNKS];
#pragma unroll
            for (int c = 0; c < CHUNKS; ++c) {
                double weight = first + c * WARP < items ? weights[first + c * WARP] : 0;
                *bad |= !is_sound_weight(weight);
                leaves[c] = multiply(weight, scale);
            }
            parts[p] = tree::sum_all_chunks(leaves);
        }
        double sum = add(add(parts[0], parts[1]), add(parts[2], parts[3]));
        int level = 0;
        for (; piece >> level & 1; ++level) sum = add(stack[level], sum);
        stack[level] = sum;
    }
    return stack[31 - __clz(pieces)];
}

} // namespace

/* All blocks sum a single row; otherwise a warp takes each row. */
spg_status sum_rows(workspace &work, const spg_csr &weights, row_facts *facts, unsigned long long *first_fault)
{
    spg_context *context = work.context;
    weights_view values = weights_of(weights);
    spg_status status = SPG_OK;
    if (weights.rows == 1 && weights.nnz > PIECE) {
        status = sum_weights(work, values, weights.nnz, 1, SPG_FOREST_TARGET, 0, first_fault, &facts->sum);
        if (status != SPG_OK) return status;
    }
    bool summed = weights.rows == 1 && weights.nnz > PIECE, empty_rows = allows_empty_rows(context);
    numbers_view offsets = offsets_of(weights);
    int64_t nnz = weights.nnz;
    return for_each(context, weights.rows * WARP, "sums of weights", [=] __device__(int64_t thread) {
        int64_t row = thread / WARP, begin = offsets[row], end = offsets[row + 1], items = end - begin;
        if (begin < 0 || (empty_rows ? end < begin : end <= begin) || end > nnz || items > INT32_MAX) {
            report_first(first_fault, row);
            return;
        }
        bool bad = false;
        double scale = 1, sum = summed ? facts[row].sum.total : sum_row(values.from(begin), items, scale, &bad);
        if (sum > LARGEST) {
            scale = SPG_SCALE_DOWN;
            sum = sum_row(values.from(begin), items, scale, &bad);
        }
        bool nothing = sum == 0 && empty_rows;
        if (bad || !(rows::is_sound_sum(sum) || nothing)) report_first(first_fault, row);
        spg_unit_scale units = {0, 0}; /* of nothing: all units are 0, all bounds SPG_FOREST_END */
        if (!nothing) units = spg_units_of_row(sum, scale, SPG_FOREST_TARGET);
        if (lane_in_warp() == 0) facts[row].sum = {sum, units};
    });
}

spg_status fill_bounds(const workspace &held, const spg_csr &weights, const forest_view &forest, row_facts *facts)
{
    spg_context *context = held.context;
    workspace work(context, held.held_bytes());
    cudaStream_t stream = spg_cuda_of(context)->stream;
    weights_view values = weights_of(weights);
    const int64_t *offsets = forest.offsets;
    int64_t nnz = weights.nnz;
    bounds_view bounds = forest.bounds;
    uint64_t *sums = bounds.bounds;
    spg_status status = SPG_OK;
    if (nnz == 0) return SPG_OK;
    if (sums == nullptr) status = work.take(nnz, "prefix sums of a forest", &sums);
    if (status == SPG_OK)
        status = for_each_entry(context, weights, "units of a forest", [=] __device__(int64_t k, int64_t row) {
            sums[k] = spg_forest_units(spg_units(values[k], facts[row].sum.units));
        });
    size_t bytes = 0;
    char *temporary = nullptr;
    if (status == SPG_OK)
        status =
            spg_cuda_check(context, cub::DeviceScan::InclusiveSum(nullptr, bytes, sums, sums, nnz, stream), "units");
    if (status == SPG_OK) status = work.take((int64_t)bytes, "the scan of a forest", &temporary);
    if (status == SPG_OK)
        status = spg_cuda_check(context, cub::DeviceScan::InclusiveSum(temporary, bytes, sums, sums, nnz, stream),
                                "scanning the units of a forest");
    if (status == SPG_OK)
        status = for_each(context, weights.rows, "totals of a forest", [=] __device__(int64_t row) {
            int64_t begin = offsets[row], end = offsets[row + 1];
            facts[row].before = begin > 0 ? sums[begin - 1] : 0;
            facts[row].total = (end > 0 ? sums[end - 1] : 0) - facts[row].before;
            facts[row].reciprocal = spg_reciprocal(facts[row].total);
        });
    if (status != SPG_OK) return status;
    return for_each_entry(context, weights, "bounds of a forest", [=] __device__(int64_t k, int64_t row) {
        const row_facts &of = facts[row];
        uint64_t units = spg_forest_units(spg_units(values[k], of.sum.units));
        uint64_t bound = spg_forest_bound(sums[k] - units - of.before, of.total, of.reciprocal);
        if (bounds.nodes != nullptr)
            bounds.nodes[k] = {bound, {~0, ~0}};
        else
            bounds.bounds[k] = bound;
    });
}

} // namespace forest
} // namespace spg
