/* Values of C without a plan's codes: every run looks the products up.
 *
 * Input: the patterns and values of A and B, whose rows ascend strictly, and C's pattern. Output: C's values. A group
 * of lanes takes an entry (i, j) of C, and each lane an entry (i, k) of A: it finds (k, j) by bisection in row k of B.
 * Then the group adds the products that were found, in storage order. A run takes longer than by codes, but making
 * codes takes as long as tens of runs of a small product. A's pattern may not be the one that was planned, so it is
 * checked on the way. Chosen by plan/plan.cu. */
#include "../../../launch.cuh"
#include "../plan.cuh"

namespace spg
{

namespace
{

enum { THREADS = 256 };

template <typename Value> struct search_operands {
    numbers_view a, b, c; /* row offsets */
    const int32_t *a_columns, *b_columns, *c_columns;
    const Value *a_values, *b_values;
    int64_t rows, b_rows, a_nnz, c_nnz;
};

/* The product of entry k of A and the entry of its row of B in `column`; returns whether there is one. */
template <typename Value>
__device__ inline bool find_product(const search_operands<Value> &of, int64_t k, int32_t column, Value *product)
{
    const int32_t b_row = of.a_columns[k];
    if (b_row < 0 || b_row >= of.b_rows) return false;
    const int64_t begin = of.b[b_row];
    const int length = (int)(of.b[b_row + (int64_t)1] - begin);
    const int64_t at = begin + last_at_most(of.b_columns + begin, length, column);
    if (length == 0 || of.b_columns[at] != column) return false;
    *product = multiply(of.a_values[k], of.b_values[at]);
    return true;
}

/* In each lane of a group, its sum of the products of entries [begin, end) of A. The whole warp calls it. */
template <typename Value>
__device__ inline Value sum_found(const search_operands<Value> &of, int64_t begin, int64_t end, int32_t column,
                                  int lanes)
{
    const int lane = lane_in_warp() % lanes, first_lane = lane_in_warp() - lane;
    const unsigned int group = ALL_LANES >> (WARP - lanes);
    Value sum = zero<Value>();
    for (int64_t first = begin; __any_sync(ALL_LANES, first < end); first += lanes) {
        Value product = zero<Value>();
        const bool is_found = first + lane < end && find_product(of, first + lane, column, &product);
        unsigned int found = __ballot_sync(ALL_LANES, is_found) >> first_lane & group;
        for (; __any_sync(ALL_LANES, found != 0); found &= found - 1) {
            const Value next = from_lane(product, found != 0 ? __ffs((int)found) - 1 : 0, lanes);
            if (found != 0) sum = add(sum, next);
        }
    }
    return sum;
}

template <typename Value>
__global__ void __launch_bounds__(THREADS)
    plan_search_kernel(search_operands<Value> of, int lanes, const int32_t *symmetric, Value *c_values,
                       bool may_overlap)
{
    wait_and_trigger(may_overlap);
    const bool skips = skips_below(symmetric);
    const int groups = WARP / lanes;
    const int64_t step = (int64_t)gridDim.x * (THREADS / lanes);
    for (int64_t first = (int64_t)blockIdx.x * (THREADS / lanes) + threadIdx.x / WARP * groups; first < of.c_nnz;
         first += step) {
        const int64_t last = min(first + groups, of.c_nnz) - 1, at = min(first + lane_in_warp() / lanes, last);
        const int64_t low = row_of_entry_by_warp(of.c, 0, of.rows - 1, first);
        const int64_t high = groups > 1 ? row_of_entry_by_warp(of.c, low, of.rows - 1, last) : low;
        const int64_t row = row_of_entry(of.c, low, high, at);
        const int32_t column = of.c_columns[at];
        const bool is_needed = first + lane_in_warp() / lanes <= last && !(skips && column < row);
        const int64_t begin = min(max(of.a[row], (int64_t)0), of.a_nnz);
        const int64_t end = is_needed ? min(of.a[row + 1], of.a_nnz) : begin;
        const Value sum = sum_found(of, begin, end, column, lanes);
        if (is_needed && lane_in_warp() % lanes == 0) c_values[at] = sum;
    }
}

template <typename Value>
spg_status launch(spg_context *context, const spg_csr &A, const spg_csr &B, const spg_csr &C, const plan_values &values)
{
    const search_operands<Value> of = {offsets_of(A),
                                       offsets_of(B),
                                       offsets_of(C),
                                       A.columns,
                                       B.columns,
                                       C.columns,
                                       static_cast<const Value *>(values.a),
                                       static_cast<const Value *>(values.b),
                                       C.rows,
                                       B.rows,
                                       A.nnz,
                                       C.nnz};
    const spg_cuda *cuda = spg_cuda_of(context);
    int lanes = 4;
    while (lanes < WARP && lanes * C.rows < A.nnz) lanes *= 2;
    if (C.nnz == 0) return SPG_OK;
    return launch_programmatic(context, cuda->stream, "a product's values", plan_blocks(cuda, C.nnz, THREADS / lanes),
                               THREADS, 0, plan_search_kernel<Value>, of, lanes, values.symmetric,
                               static_cast<Value *>(values.c), values.may_overlap);
}

} // namespace

spg_status run_search(spg_context *context, const spg_csr &A, const spg_csr &B, const spg_csr &C,
                      const plan_values &values)
{
    return with_value_type(values.type, [&](auto value) { return launch<decltype(value)>(context, A, B, C, values); });
}

} // namespace spg
