/* The facts of a plan's rows, before they are classified, and of B.
 *
 * Input: the patterns. Output: the products of each row and its marks; which rows of B have the columns of the row
 * before, whether all ascend and whether all consist of pairs. */
#include "plan.cuh"

#include "../../primitives/lanes.cuh"
#include "../../primitives/warp.cuh"

#include <type_traits>

namespace spg
{

namespace
{

enum { THREADS = 256 };

/* Uses a group of as many lanes a row as most rows have entries for. */
template <typename Launch> void with_lanes(int64_t rows, int64_t entries, Launch launch)
{
    if (entries <= 4 * rows)
        launch(std::integral_constant<int, 4>());
    else if (entries <= 12 * rows)
        launch(std::integral_constant<int, 8>());
    else if (entries <= 40 * rows)
        launch(std::integral_constant<int, 16>());
    else
        launch(std::integral_constant<int, WARP>());
}

/* The rows of this thread's group, one after the other; all lanes of a warp continue while one of its groups has a
 * row. */
template <int Lanes> struct group_rows : lane_group<Lanes> {
    int64_t row = ((int64_t)blockIdx.x * THREADS + threadIdx.x) / Lanes;
    const int64_t step = (int64_t)gridDim.x * (THREADS / Lanes);

    __device__ bool goes_on(int64_t rows) const { return row - lane_in_warp() / Lanes < rows; }
    /* Whether it holds in all lanes of the group. */
    __device__ bool all(bool holds) const { return !this->any(!holds); }
};

/* Finds unsorted rows of B, and rows without pairs of columns; marks rows that have the columns of the row before,
 * unless `b_has_same_pattern` is NULL. */
template <int Lanes>
__global__ void __launch_bounds__(THREADS)
    b_facts_kernel(plan_patterns patterns, uint8_t *b_has_same_pattern, plan_found *found)
{
    const int32_t *columns = patterns.b_columns;
    bool unsorted = false, unpaired = false;
    for (group_rows<Lanes> at; at.goes_on(patterns.b_rows); at.row += at.step) {
        const int64_t row = min(at.row, patterns.b_rows - 1), begin = patterns.b[row], end = patterns.b[row + 1];
        const int64_t before = row > 0 ? patterns.b[row - 1] : begin;
        bool equal = row > 0 && begin - before == end - begin;
        unpaired = unpaired || (begin | end) % 2 != 0;
        for (int64_t k = begin + at.lane; k < end; k += Lanes) {
            const int32_t column = columns[k], last = k > begin ? columns[k - 1] : -1;
            unsorted = unsorted || column <= last;
            unpaired = unpaired || ((k - begin) % 2 != 0 && (last % 2 != 0 || column != last + 1));
            equal = equal && columns[k - begin + before] == column;
        }
        equal = at.all(equal);
        if (b_has_same_pattern != nullptr && at.lane == 0) b_has_same_pattern[row] = equal;
    }
    unsorted = __syncthreads_or(unsorted);
    unpaired = __syncthreads_or(unpaired);
    if (threadIdx.x != 0) return;
    if (unsorted) atomicOr(&found->unsorted_b, 1ull);
    if (unpaired) atomicOr(&found->unpaired_b, 1ull);
}

struct either {
    __device__ unsigned int operator()(unsigned int a, unsigned int b) const { return a | b; }
};

/* The widths, a bit each, that do not divide a place in a row; modulo the widest, which all others divide. */
enum { WIDEST = 6 };
__device__ inline unsigned int broken_at(int place)
{
    unsigned int broken = 0;
#pragma unroll
    for (int width = 0; width < PLAN_WIDTHS; width++)
        if (place % plan_width(width) != 0) broken |= 1u << width;
    return broken;
}

/* The products of each row, and its marks. */
template <int Lanes>
__global__ void __launch_bounds__(THREADS)
    row_facts_kernel(plan_patterns patterns, const uint8_t *b_has_same_pattern, int64_t *row_products, uint8_t *marks)
{
    for (group_rows<Lanes> at; at.goes_on(patterns.rows); at.row += at.step) {
        const int64_t row = min(at.row, patterns.rows - 1);
        const int64_t begin = patterns.a[row], end = patterns.a[row + 1];
        const int64_t before = row > 0 ? patterns.a[row - 1] : begin;
        bool equal = row > 0 && begin - before == end - begin, short_b = true;
        long long products = 0;
        unsigned int broken = b_has_same_pattern == nullptr ? ~0u : 0; /* a bit for each width */
        broken |= broken_at((int)((end - begin) % WIDEST));
        int place = at.lane % WIDEST; /* of an entry in its row, modulo the widest run */
        for (int64_t k = begin + at.lane; k < end; k += Lanes, place = (place + Lanes) % WIDEST) {
            const int32_t column = patterns.a_columns[k];
            if (broken != ~0u && (k == begin || patterns.a_columns[k - 1] + 1 != column || !b_has_same_pattern[column]))
                broken |= broken_at(place);
            const int64_t length = patterns.b[column + (int64_t)1] - patterns.b[column];
            products += length;
            short_b = short_b && length < 1 << PLAN_LENGTH_BITS;
            equal = equal && patterns.a_columns[k - begin + before] == column;
        }
        products = reduce<Lanes>(products, plus());
        equal = at.all(equal);
        short_b = at.all(short_b);
        broken = reduce<Lanes>(broken, either());
        if (at.lane != 0 || at.row >= patterns.rows) continue;
        row_products[row] = products;
        marks[row] = (uint8_t)((equal ? IS_EQUAL : 0) | (short_b ? B_IS_SHORT : 0) |
                               (~broken & ((1u << PLAN_WIDTHS) - 1)) * HAS_RUNS);
    }
}

} // namespace

spg_status find_b_facts(plan_maker &maker)
{
    const plan_patterns &patterns = maker.patterns;
    plan_found *found = maker.found;
    const spg_status status = spg_cuda_zero_bytes(maker.context, found, sizeof *found);
    if (status != SPG_OK) return status;
    with_lanes(patterns.b_rows, maker.b_nnz, [&](auto lanes) {
        const unsigned int blocks = adding_blocks(maker.cuda, patterns.b_rows, THREADS / lanes);
        b_facts_kernel<lanes><<<blocks, THREADS, 0, maker.cuda->stream>>>(patterns, maker.b_has_same_pattern, found);
    });
    return spg_cuda_check_launch(maker.context, "a plan's facts");
}

spg_status find_row_facts(plan_maker &maker, uint8_t *marks)
{
    const plan_patterns &patterns = maker.patterns;
    spg_status status = SPG_OK; /* find_b_facts has zeroed the first part's */
    if (patterns.first_row > 0)
        status = spg_cuda_zero_bytes(maker.context, &maker.found->facts, sizeof maker.found->facts);
    if (status != SPG_OK) return status;
    with_lanes(patterns.rows, maker.a_nnz / maker.plan->parts_count, [&](auto lanes) {
        const unsigned int blocks = plan_blocks(maker.cuda, patterns.rows, THREADS / lanes);
        row_facts_kernel<lanes>
            <<<blocks, THREADS, 0, maker.cuda->stream>>>(patterns, maker.b_has_same_pattern, maker.row_products, marks);
    });
    return spg_cuda_check_launch(maker.context, "a plan's facts");
}

} // namespace spg
