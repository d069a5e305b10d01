/* Numbers of entries of C by a plan: those of very many products, a block each. Input: their lists (plan/windows.cuh)
 * and the values of A and B. Output: their values of C. */
#include "../../../launch.cuh"
#include "../../long_rows/guessed_sum.cuh"
#include "../plan.cuh"

#include <algorithm>

namespace spg
{

namespace
{

/* The products of a list. */
template <typename Start, typename Value> struct listed_terms {
    static constexpr int FETCHED = terms_fetched<Value>;
    const plan_long_entry &entry;
    const Value *a_values, *b_values;

    __device__ void ask(int64_t) {}
    __device__ void get(int64_t first, Value (&terms)[FETCHED]) const
    {
        const Start *products = static_cast<const Start *>(entry.products);
        Start a[FETCHED], b[FETCHED];
#pragma unroll
        for (int e = 0; e < FETCHED; ++e) {
            const int64_t k = min(first + e * SUM_THREADS, (int64_t)entry.count - 1);
            a[e] = products[2 * k];
            b[e] = products[2 * k + 1];
        }
#pragma unroll
        for (int e = 0; e < FETCHED; ++e) {
            terms[e] = multiply(a_values[entry.a_begin + a[e]], b_values[b[e]]);
            if (first + e * SUM_THREADS >= entry.count) terms[e] = zero<Value>();
        }
    }
};

template <typename Start, typename Value>
__global__ void __launch_bounds__(SUM_THREADS, SUM_BLOCKS)
    plan_chains_kernel(const plan_long_entry *entries, int64_t count, const int32_t *symmetric,
                       const Value *__restrict__ a_values, const Value *__restrict__ b_values,
                       Value *__restrict__ c_values, bool is_beside)
{
    extern __shared__ __align__(16) unsigned char shared[];
    __shared__ room_for_sum<Value> room;
    take_turn(is_beside);
    const bool leaves = leaves_below(symmetric);
    for (int64_t k = blockIdx.x; k < count; k += gridDim.x) {
        const plan_long_entry entry = entries[k];
        if (leaves && entry.below) continue;
        listed_terms<Start, Value> fetch{entry, a_values, b_values};
        const Value sum = sum_in_order(entry.count, fetch, reinterpret_cast<Value *>(shared), room);
        if (threadIdx.x == 0) c_values[entry.c_at] = sum;
    }
}

template <typename Start, typename Value>
spg_status launch(spg_context *context, cudaStream_t stream, const plan_windows &windows, const plan_values &values)
{
    auto kernel = plan_chains_kernel<Start, Value>;
    const int64_t most = (int64_t)spg_cuda_of(context)->multiprocessors * SUM_BLOCKS;
    const spg_status status = spg_cuda_check(
        context, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SUM_BYTES<Value>),
        "sizing a plan's long sums");
    if (status != SPG_OK) return status;
    return launch_in_turn(context, stream, "a plan's long sums",
                          dim3((unsigned int)std::min(windows.chain_count, most)), SUM_THREADS, SUM_BYTES<Value>,
                          kernel, windows.chains, windows.chain_count, values.symmetric,
                          static_cast<const Value *>(values.a), static_cast<const Value *>(values.b),
                          static_cast<Value *>(values.c), values.is_beside);
}

} // namespace

spg_status run_chains(spg_context *context, cudaStream_t stream, const plan_windows &windows, const plan_values &values)
{
    if (windows.chain_count == 0) return SPG_OK;
    return with_value_type(values.type, [&](auto value) {
        using Value = decltype(value);
        return windows.narrow ? launch<uint32_t, Value>(context, stream, windows, values)
                              : launch<int64_t, Value>(context, stream, windows, values);
    });
}

} // namespace spg
