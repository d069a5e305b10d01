/* Values of the only entries of rows of C that are sums of very many products: see long_rows/chain_sums.cuh. In: A, B,
 * C's offsets, the list. Out: those of C's values. */
#include "chain_sums.cuh"

#include "../../launch.cuh"
#include "guessed_sum.cuh"

#include <algorithm>

namespace spg
{

namespace
{

/* The products of entries of A, which have one each or none. */
template <typename Offset, typename Value> struct row_terms {
    static constexpr int FETCHED = terms_fetched<Value>;
    const patterns<Offset> &pattern;
    const numbers<Value> &number;
    const span<int64_t> row;
    int32_t rows[FETCHED]; /* of B, of the next; < 0: none */

    __device__ void ask(int64_t first)
    {
#pragma unroll
        for (int e = 0; e < FETCHED; ++e) {
            const int64_t entry = row.begin + first + e * SUM_THREADS;
            rows[e] = entry < row.end ? pattern.a_columns[entry] : -1;
        }
    }
    __device__ void get(int64_t first, Value (&terms)[FETCHED]) const
    {
        span<Offset> b[FETCHED];
#pragma unroll
        for (int e = 0; e < FETCHED; ++e) b[e] = rows[e] >= 0 ? b_row(pattern, rows[e]) : span<Offset>{0, 0};
#pragma unroll
        for (int e = 0; e < FETCHED; ++e) {
            terms[e] = zero<Value>();
            if (b[e].begin < b[e].end)
                terms[e] = multiply(number.a_values[row.begin + first + e * SUM_THREADS], number.b_values[b[e].begin]);
        }
    }
};

template <typename Offset, typename Value>
__global__ void __launch_bounds__(SUM_THREADS, SUM_BLOCKS)
    chain_sums(const patterns<Offset> pattern, const numbers<Value> number, chain_list list)
{
    extern __shared__ __align__(16) unsigned char shared[];
    __shared__ room_for_sum<Value> room;
    take_turn();
    const uint32_t count = *list.count;
    for (uint32_t n = blockIdx.x; n < count; n += gridDim.x) {
        const int32_t i = list.rows[n];
        const span<Offset> row = a_row(pattern, i);
        row_terms<Offset, Value> fetch{pattern, number, {row.begin, row.end}, {}};
        const Value sum = sum_in_order(row.end - row.begin, fetch, reinterpret_cast<Value *>(shared), room);
        if (threadIdx.x == 0) number.c_values[pattern.c_offsets[i]] = sum;
    }
}

} // namespace

spg_status fill_chain_values(cuda_product &product, const chain_list &list)
{
    const int64_t blocks = std::min(most_chains(product), (int64_t)product.cuda->multiprocessors * SUM_BLOCKS);
    if (blocks == 0) return SPG_OK;
    return with_offset_type(product.offset_type, [&](auto offset) {
        return with_value_type(product.A->value_type, [&](auto value) {
            using Offset = decltype(offset);
            using Value = decltype(value);
            auto kernel = chain_sums<Offset, Value>;
            const spg_status status = spg_cuda_check(
                product.context,
                cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SUM_BYTES<Value>),
                "sizing long sums");
            if (status != SPG_OK) return status;
            return launch_in_turn(product.context, product.cuda->stream, "long sums", dim3((unsigned int)blocks),
                                  SUM_THREADS, SUM_BYTES<Value>, kernel, patterns_of<Offset>(product),
                                  numbers_of<Value>(product), list);
        });
    });
}

} // namespace spg
