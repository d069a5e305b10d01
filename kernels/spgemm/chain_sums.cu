/* Values of the only entries of rows of C that are sums of very many products: see chain_sums.cuh. In: A, B, C's
 * offsets, the list. Out: those of C's values. A block multiplies a batch of terms at a time, each thread looking up
 * rows of B here and there, and adds them by guessed sums. */
#include "chain_sums.cuh"

#include "../launch.cuh"
#include "guessed_sum.cuh"

#include <algorithm>

namespace spg
{

namespace
{

enum { TERM_BYTES = 128, FETCH_MOST = 16 };

/* Terms of a batch that a thread adds, and how many it looks up together. */
template <typename Value> constexpr int each_of = TERM_BYTES / (int)sizeof(Value);
template <typename Value> constexpr int fetched_of = each_of<Value> < FETCH_MOST ? each_of<Value> : FETCH_MOST;

/* Terms lie one place apart for each thread, so that the banks of shared memory differ. */
template <typename Value> __device__ inline int place_of(int term) { return term + term / each_of<Value>; }
template <typename Value> constexpr int BATCH_BYTES = SUM_THREADS *(TERM_BYTES + (int)sizeof(Value));

/* The products of up to a batch of entries of A, which have one each or none. Those that are not there are zeros, which
 * change nothing, for no sum is -0. */
template <typename Offset, typename Value>
__device__ inline void fetch_terms(Value *terms, const patterns<Offset> &pattern, const numbers<Value> &number,
                                   span<int64_t> entries)
{
    constexpr int FETCHED = fetched_of<Value>, TERMS = each_of<Value> * SUM_THREADS;
    for (int begin = (int)threadIdx.x; begin < TERMS; begin += FETCHED * SUM_THREADS) {
        span<Offset> b[FETCHED];
        Value term[FETCHED];
#pragma unroll
        for (int e = 0; e < FETCHED; ++e) {
            const int64_t entry = entries.begin + begin + e * SUM_THREADS;
            b[e] = entry < entries.end ? b_row(pattern, pattern.a_columns[entry]) : span<Offset>{0, 0};
        }
#pragma unroll
        for (int e = 0; e < FETCHED; ++e) {
            const int64_t entry = entries.begin + begin + e * SUM_THREADS;
            term[e] = zero<Value>();
            if (b[e].begin < b[e].end) term[e] = multiply(number.a_values[entry], number.b_values[b[e].begin]);
        }
#pragma unroll
        for (int e = 0; e < FETCHED; ++e) terms[place_of<Value>(begin + e * SUM_THREADS)] = term[e];
    }
}

template <typename Real> __device__ inline Real add_batch(Real sum, const Real *terms, sum_room<Real> &room)
{
    return add_guessed<each_of<Real>>(
        sum, [=](int k) { return terms[place_of<Real>(k)]; }, room);
}
template <typename Real>
__device__ inline complex<Real> add_batch(complex<Real> sum, const complex<Real> *terms, sum_room<Real> &room)
{
    using Value = complex<Real>;
    constexpr int EACH = each_of<Value>;
    sum.re = add_guessed<EACH>(
        sum.re, [=](int k) { return terms[place_of<Value>(k)].re; }, room);
    sum.im = add_guessed<EACH>(
        sum.im, [=](int k) { return terms[place_of<Value>(k)].im; }, room);
    return sum;
}

template <typename Real> Real real_part_of(Real);
template <typename Real> Real real_part_of(complex<Real>);

template <typename Offset, typename Value>
__global__ void __launch_bounds__(SUM_THREADS)
    chain_sums(patterns<Offset> pattern, numbers<Value> number, chain_list list)
{
    extern __shared__ __align__(16) unsigned char shared[];
    __shared__ sum_room<decltype(real_part_of(Value{}))> room;
    Value *terms = reinterpret_cast<Value *>(shared);
    take_turn();
    constexpr int TERMS = each_of<Value> * SUM_THREADS;
    const uint32_t count = *list.count;
    for (uint32_t n = blockIdx.x; n < count; n += gridDim.x) {
        const int32_t i = list.rows[n];
        const span<Offset> row = a_row(pattern, i);
        Value sum = zero<Value>();
        for (int64_t at = row.begin; at < row.end; at += TERMS) {
            fetch_terms(terms, pattern, number, {at, (int64_t)row.end});
            __syncthreads();
            sum = add_batch(sum, terms, room);
            __syncthreads(); /* the terms are read before others take their place */
        }
        if (threadIdx.x == 0) number.c_values[pattern.c_offsets[i]] = sum;
    }
}

} // namespace

spg_status fill_chain_values(cuda_product &product, const chain_list &list)
{
    const int64_t blocks = std::min(most_chains(product), (int64_t)product.cuda->multiprocessors * 2);
    if (blocks == 0) return SPG_OK;
    return with_offset_type(product.offset_type, [&](auto offset) {
        return with_value_type(product.A->value_type, [&](auto value) {
            using Offset = decltype(offset);
            using Value = decltype(value);
            auto kernel = chain_sums<Offset, Value>;
            const spg_status status = spg_cuda_check(
                product.context,
                cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, BATCH_BYTES<Value>),
                "sizing long sums");
            if (status != SPG_OK) return status;
            return launch_in_turn(product.context, product.cuda->stream, "long sums", dim3((unsigned int)blocks),
                                  SUM_THREADS, BATCH_BYTES<Value>, kernel, patterns_of<Offset>(product),
                                  numbers_of<Value>(product), list);
        });
    });
}

} // namespace spg
